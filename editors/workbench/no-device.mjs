// A run where the system has no OpenCL device, in the real workbench.
//
//   node no-device.mjs ADDRESS SHOTS
//
// ADDRESS is where `serve` serves a copy of fixture/ with no OpenCL driver, SHOTS takes pictures.
import assert from 'node:assert/strict';

import { EVENS, NO_DEVICE } from './expectations.mjs';
import { Report } from './report.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots] = process.argv;
const workbench = new Workbench(shots);
const report = new Report();
await workbench.open(address);

await report.check(
    'a run without a device gives the same result, and says where it came from',
    async () => {
        const { answers, result } = EVENS.run;
        await workbench.openFile(EVENS.file);
        // Above the kernel as soon as the server is there.
        await workbench.until('lenses', async () => (await workbench.lenses(EVENS.file).count()) > 0);
        await workbench.lenses(EVENS.file).first().click();
        for (const answer of answers) await workbench.answer(answer);
        const panel = await workbench.panel(EVENS.kernel);
        const shown = await workbench.until('the result', async () => {
            const text = await panel.locator('#run').innerText();
            return text.includes(result.join('\n')) && text;
        });
        for (const expected of NO_DEVICE.shown) {
            assert.ok(shown.includes(expected), `${expected} is not in ${shown}`);
        }
        assert.equal(await panel.locator('.times').count(), 0, 'the interpreter has no times');
        const said = await workbench.until('a notification', async () =>
            (await workbench.notifications()).find((text) => NO_DEVICE.notice.test(text)));
        await workbench.shot('no-device');
        return said;
    },
    () => workbench.shot('no-device-FAILED'),
);

await workbench.close();
process.exit(report.finish());
