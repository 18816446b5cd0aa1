/** The server is found in the setting, then in the extension, then on PATH; each failure has a reason. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { after, beforeEach, test } from 'node:test';

import { describeFailure, locateServer, type Places } from '../src/locate';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lift-locate-'));
after(() => fs.rmSync(root, { recursive: true, force: true }));

let places: Places;
beforeEach(() => {
    fs.rmSync(root, { recursive: true, force: true });
    for (const folder of ['set', 'extension/server', 'bin']) {
        fs.mkdirSync(path.join(root, folder), { recursive: true });
    }
    places = {
        setting: '',
        extension: path.join(root, 'extension'),
        workspace: root,
        env: { ...process.env, PATH: `${path.join(root, 'bin')}:/bin:/usr/bin` },
    };
});

/** A program that answers as `lift --version` does. */
function program(where: string, script = `echo "lift 0.1.0 of ${where}"`): string {
    const file = path.join(root, where);
    fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return file;
}

test('the setting is preferred to the bundled server, and that to PATH', async () => {
    const inSetting = program('set/lift');
    program('extension/server/lift');
    program('bin/lift');
    const found = [];
    for (const remove of ['set/lift', 'extension/server/lift', 'bin/lift']) {
        const { server } = await locateServer({ ...places, setting: inSetting });
        found.push(`${server?.place}: ${server?.version}`);
        fs.rmSync(path.join(root, remove));
    }
    assert.deepEqual(found, [
        'setting: lift 0.1.0 of set/lift',
        'bundled: lift 0.1.0 of extension/server/lift',
        'PATH: lift 0.1.0 of bin/lift',
    ]);
});

test('${workspaceFolder} in the setting', async () => {
    program('set/lift');
    const { server } = await locateServer({ ...places, setting: '${workspaceFolder}/set/lift' });
    assert.equal(server?.place, 'setting');
});

test('a setting that names nothing is passed over with its reason', async () => {
    program('bin/lift');
    const { server, rejected } = await locateServer({ ...places, setting: '/nowhere/lift' });
    assert.equal(server?.place, 'PATH');
    assert.deepEqual(rejected[0], { place: 'setting', why: '/nowhere/lift: no such file' });
});

test('a bundled server that does not run on this machine is passed over', async () => {
    program('extension/server/lift', 'echo "wrong system" >&2; exit 1');
    program('bin/lift');
    const { server, rejected } = await locateServer(places);
    assert.equal(server?.place, 'PATH');
    assert.match(rejected[1]?.why ?? '', /does not run: .*wrong system/s);
});

test('the message of a search in vain names the three places and what was wrong in each', async () => {
    fs.writeFileSync(path.join(root, 'extension/server/lift'), 'not a program', { mode: 0o644 });
    const search = await locateServer({ ...places, setting: 'lift' });
    assert.equal(search.server, undefined);
    assert.equal(
        describeFailure(search).replaceAll(root, '…'),
        'No Lift language server. Looked in the setting lift.server.path (lift: not an absolute path), ' +
            'the extension itself (…/extension/server/lift: not an executable file), ' +
            'PATH (no lift in any of its folders).',
    );
});
