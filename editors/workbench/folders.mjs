// Two folders in one window, each with a program that imports a file of its own, in the real workbench.
//
//   node folders.mjs ADDRESS SHOTS OPENED
//
// ADDRESS is where `serve` serves the folder OPENED; the window is opened on a workspace file in it.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { Report } from './report.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots, opened] = process.argv;
// The files have the same names but different contents.
for (const [name, type, value] of [['one', 'float', '2.0f'], ['two', 'int', '3']]) {
    const folder = path.join(opened, name);
    fs.mkdirSync(folder);
    fs.writeFileSync(path.join(folder, `shared.lift`), `(define (scale (x ${type})) (* x ${value}))\n`);
    fs.writeFileSync(
        path.join(folder, `${name}.lift`),
        `(import "shared.lift")\n\n(lift ${name} (N) ((array-type ${type} N))\n  (lambda (xs)\n    (map scale xs)))\n`,
    );
}
// A file in another folder of the window cannot be imported.
fs.writeFileSync(path.join(opened, 'two', 'across.lift'), '(import "../one/shared.lift")\n');
const file = path.join(opened, 'both.code-workspace');
fs.writeFileSync(file, JSON.stringify({ folders: [{ path: 'one' }, { path: 'two' }] }));

const workbench = new Workbench(shots);
const report = new Report();
const check = (name, body) => report.check(name, body, () => workbench.shot('FAILED').then(() => {}));
const base = new URL(address);
base.search = '';
base.searchParams.set('workspace', file);
await workbench.open(base.href);

for (const [name, type] of [['one', 'Float'], ['two', 'Int']]) {
    await check(`[folders] a program of the folder ${name} has the imports of its folder`, async () => {
        await workbench.openFile(`${name}.lift`);
        const hover = await workbench.hover(`${name}.lift`, 5, 'scale');
        await workbench.shot(`folder-${name}`);
        assert.ok(hover[0].includes(`${type} -> ${type}`), hover.join('\n'));
        return hover[0];
    });
}

await check('an import from the other folder is refused', async () => {
    await workbench.openFile('across.lift');
    const found = await workbench.until('a problem', async () =>
        (await workbench.problems()).find((row) => row.includes('shared.lift')));
    await workbench.shot('across');
    return found.trim();
});

await check('each folder is named in the setup', async () => {
    await workbench.command('Lift: Show Setup');
    const page = await workbench.framed(path.join(opened, 'two'));
    assert.ok(page.includes(path.join(opened, 'one')), page);
});

await workbench.close();
process.exit(report.finish());
