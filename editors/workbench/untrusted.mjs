// A workspace that is not trusted, in the real workbench: programs are checked and shown, and nothing runs.
//
//   node untrusted.mjs ADDRESS SHOTS OPENED
//
// ADDRESS is where `serve` serves OPENED, a copy of fixture/, in restricted mode; SHOTS takes pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { EVENS, UNTRUSTED } from './expectations.mjs';
import { Report } from './report.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots, opened] = process.argv;
// The workspace may name a server; it must not be started.
fs.mkdirSync(path.join(opened, '.vscode'));
const bait = path.join(opened, 'server');
const touched = path.join(opened, 'started');
fs.writeFileSync(bait, `#!/bin/sh\ntouch '${touched}'\n`, { mode: 0o755 });
const settings = { 'lift.server.path': bait, 'lift.device': 'interpreter' };
fs.writeFileSync(path.join(opened, '.vscode', 'settings.json'), JSON.stringify(settings));

const workbench = new Workbench(shots);
const report = new Report();
const check = (name, body) => report.check(name, body, () => workbench.shot('FAILED').then(() => {}));
await workbench.open(address);

await check('a program is checked, and its OpenCL shown', async () => {
    await workbench.openFile(EVENS.file);
    await workbench.until('lenses', async () => (await workbench.lenses(EVENS.file).count()) > 0);
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Generate OpenCL');
    const { tab, contains } = EVENS.opencl;
    await workbench.until('the generated text', async () =>
        (await workbench.lines(tab)).join('\n').includes(contains[0]));
    await workbench.shot('restricted');
});

await check('[trust] a run does not begin, and says why', async () => {
    await workbench.lenses(EVENS.file).first().click();
    const said = await workbench.until('a notification', async () =>
        (await workbench.notifications()).find((text) => text.includes(UNTRUSTED.notice)));
    await workbench.shot('no-run');
    assert.equal(await workbench.question(), '', 'nothing is asked');
    return said;
});

await check('the drivers were not asked, and the setup says that the workspace is not trusted', async () => {
    // The status bar names the device only after the drivers have answered.
    assert.match(await workbench.statusItem('lift-lang.lift.lift.status'), /^Lift \d+\.\d+\.\d+$/);
    await workbench.command('Lift: Show Setup');
    await workbench.framed(UNTRUSTED.setup);
});

await check('the server that the workspace names was not started', () =>
    assert.equal(fs.existsSync(touched), false));

await workbench.close();
process.exit(report.finish());
