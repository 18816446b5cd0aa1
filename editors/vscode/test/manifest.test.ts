/** The manifest is consistent with the files: examples, commands, the problem matcher. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';

import { HINT_KINDS, TOGGLES } from '../src/hints';

const root = path.resolve(__dirname, '../..');

interface Manifest {
    contributes: {
        commands: { command: string; category: string }[];
        menus: Record<string, { command: string }[]>;
        configuration: { properties: Record<string, { markdownDescription: string; default: unknown }> };
        problemMatchers: { pattern: { regexp: string }[] }[];
        walkthroughs: { steps: { description: string; media: { markdown: string } }[] }[];
    };
}
const manifest = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;
const { commands, menus, configuration, problemMatchers, walkthroughs } = manifest.contributes;

test('every setting has an example', () => {
    for (const [name, { markdownDescription }] of Object.entries(configuration.properties)) {
        assert.ok(markdownDescription.includes(`Example: \`"${name}": `), name);
    }
});

test('every command is of the category Lift and known to its menus', () => {
    const ids = new Set(commands.map((c) => c.command));
    assert.deepEqual(commands.filter((c) => c.category !== 'Lift'), []);
    assert.deepEqual(Object.values(menus).flat().filter((m) => !ids.has(m.command)), []);
});

test('the steps of the walkthrough have their pages, and their commands exist', () => {
    const ids = new Set(commands.map((c) => c.command));
    for (const { description, media } of walkthroughs.flatMap((w) => w.steps)) {
        assert.ok(fs.existsSync(path.join(root, media.markdown)), media.markdown);
        for (const [, command = ''] of description.matchAll(/\(command:([\w.]+)\)/g)) {
            assert.ok(ids.has(command) || command.startsWith('editor.'), command);
        }
    }
});

test('the problem matcher reads what lift prints', () => {
    const [first, second] = problemMatchers[0]?.pattern ?? [];
    const message = new RegExp(first?.regexp ?? '$^').exec('error[unequal-lengths]: `zip` needs two arrays: one');
    assert.deepEqual(message?.slice(1), ['error', 'unequal-lengths', '`zip` needs two arrays: one']);
    const place = new RegExp(second?.regexp ?? '$^').exec(' --> examples/a b.lift:12:3');
    assert.deepEqual(place?.slice(1), ['examples/a b.lift', '12', '3']);
});

test('every kind of hint has a setting and a command that toggles it', () => {
    const settings = Object.keys(configuration.properties).filter((name) => name.startsWith('lift.inlayHints.'));
    const kinds = settings.map((name) => name.slice('lift.inlayHints.'.length)).sort();
    assert.deepEqual(kinds, [...HINT_KINDS, 'runTimes'].sort());
    assert.deepEqual(kinds, Object.values(TOGGLES).sort());
    const ids = commands.map((c) => c.command);
    assert.deepEqual(Object.keys(TOGGLES).filter((id) => !ids.includes(id)), []);
});

test('the kinds of hints, and which are on, are those of the server', () => {
    const table = fs.readFileSync(path.join(root, '../../server/src/lsp/hint_settings.rs'), 'utf8');
    const kinds = [...table.matchAll(/name: "(\w+)",\s+on: (true|false),/g)].map(([, name, on]) => [name, on === 'true']);
    assert.ok(kinds.length > 4, 'the table of the server is written otherwise now');
    const settings = HINT_KINDS.map((kind) => [kind, configuration.properties[`lift.inlayHints.${kind}`]?.default]);
    assert.deepEqual(settings.sort(), kinds.sort());
});
