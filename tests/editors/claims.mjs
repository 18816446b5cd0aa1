// Whether what the table of features says of an editor was seen in that editor.
//
//   node claims.mjs EDITOR LOG…
//
// A line "ok … [ID] …" of a log shows the feature ID. Prints one line "ok …" or "not ok …" for each thing that must hold.
import fs from 'node:fs';

const [, , editor, ...logs] = process.argv;
const groups = JSON.parse(fs.readFileSync(new URL('features.json', import.meta.url), 'utf8'));
const features = groups.flatMap((group) => group.features);

const lines = logs.flatMap((log) => fs.readFileSync(log, 'utf8').split('\n'));
const shown = new Set(
    lines.flatMap((line) => /^ok\s+(?:[\d.]+ s\s+)?\[([a-z- ]+)\]/.exec(line)?.[1].split(' ') ?? []),
);

let failed = 0;
function holds(what, those) {
    const ok = those.length === 0;
    failed += ok ? 0 : 1;
    console.log(ok ? `ok ${what}` : `not ok ${what}: ${those.join(', ')}`);
}
const claimed = features.filter((feature) => feature[editor] !== undefined).map((feature) => feature.id);
holds(`every feature that the table claims for ${editor} was seen`, claimed.filter((id) => !shown.has(id)));
holds(`every feature that was seen in ${editor} is in the table`, [...shown].filter((id) => !claimed.includes(id)));
process.exit(failed === 0 ? 0 : 1);
