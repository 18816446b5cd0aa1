// Runs host-tests.cjs inside the editor's extension host, where the whole `vscode` API can be called,
// and passes on what it reports.
//
//   node host.mjs ADDRESS OPENED EXTENSION
//
// ADDRESS is where `serve` serves, OPENED the folder that is open there, EXTENSION the extension's folder.
import path from 'node:path';
import { tmpdir } from 'node:os';

import { Workbench } from './workbench.mjs';

const [, , address, opened, extension] = process.argv;
const base = new URL(address);
const remote = (file) => `vscode-remote://${base.host}${encodeURI(file)}`;
const tests = path.join(path.dirname(new URL(import.meta.url).pathname), 'host-tests.cjs');

const workbench = new Workbench(tmpdir());
const ended = await (async () => {
    let end;
    const done = new Promise((resolve) => (end = resolve));
    // The workbench calls these two functions when it runs extension tests.
    workbench.prepare = async (page) => {
        await page.exposeFunction('codeAutomationExit', (code) => end(code));
        await page.exposeFunction('codeAutomationLog', (_, args) => {
            if (/^(ok|not ok|\d+ passed|  )/.test(String(args[0]))) console.log(...args);
        });
    };
    const payload = JSON.stringify([
        ['extensionDevelopmentPath', remote(extension)],
        ['extensionTestsPath', remote(tests)],
    ]);
    base.searchParams.set('folder', opened);
    base.searchParams.set('payload', payload);
    await workbench.open(base.href);
    return Promise.race([done, new Promise((r) => setTimeout(() => r('no end in 300 s'), 300_000))]);
})();
await workbench.close();
if (ended !== 0) console.log(`the extension host ended with ${ended}`);
process.exit(ended === 0 ? 0 : 1);
