/** Numbers and messages of the panel, stages and their addresses, the setup in words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { describeSetup, deviceLabel } from '../src/health';
import type { Setup } from '../src/protocol';
import { formatNumber, formatTime, fromPanel, ticks } from '../src/shown';
import { staleness, viewOf } from '../src/stages';

test('times have three digits', () => {
    assert.deepEqual(
        [0, 1.234, 12.34, 123.4, 1234, 45_600, 7.89e6].map(formatTime),
        ['0.00 µs', '1.23 µs', '12.3 µs', '123 µs', '1.23 ms', '45.6 ms', '7.89 s'],
    );
});

test('numbers are short', () => {
    assert.deepEqual(
        [0, 1, -2.5, 1 / 3, 123456, 1e6, 1.5e-7, -3e12].map(formatNumber),
        ['0', '1', '-2.5', '0.3333', '123500', '1e+6', '1.5e-7', '-3e+12'],
    );
});

test('ticks are round and within the bounds', () => {
    assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(ticks(-0.3, 0.3, 5), [-0.2, 0, 0.2]);
    assert.deepEqual(ticks(5, 5, 5), [5]);
    assert.ok(ticks(1e-9, 1e9, 6).every((t) => t >= 0 && t <= 1e9));
});

test('a panel may say only what it may say', () => {
    assert.deepEqual(fromPanel({ type: 'again', more: 1 }), { type: 'again' });
    assert.deepEqual(fromPanel({ type: 'go', entry: 2 }), { type: 'go', entry: 2 });
    for (const wrong of [undefined, null, 'again', { type: 'command' }, { type: 'go', entry: '2' }, { type: 'go' }]) {
        assert.equal(fromPanel(wrong), undefined);
    }
});

test('an address tells the stage', () => {
    const stages = ['/evens.cl', '/a.core.core', '/evens.scheduled.core', '/e.plan.json', '/e.elaborated.lift'];
    assert.deepEqual(
        stages.map((path) => [viewOf(path)?.kernel, viewOf(path)?.kind.stage]),
        [['evens', 'opencl'], ['a.core', 'core'], ['evens', 'scheduled'], ['e', 'plan'], ['e', 'elaborated']],
    );
    assert.equal(viewOf('/evens.txt'), undefined);
});

test('the first line tells what is stale', () => {
    assert.equal(staleness('// stale: evens.lift:5:10: no'), 'evens.lift:5:10: no');
    assert.equal(staleness('; stale: no'), 'no');
    assert.equal(staleness('// OpenCL C of stale in stale.lift'), undefined);
});

const limits = { compute_units: 4, work_group_size: 4096, global_memory: 8e9, local_memory: 524288 };
const info = { vendor: '', driver: '3.1', version: 'OpenCL 3.0', doubles: true, limits };
const setup: Setup = {
    version: '0.1.0',
    program: '/usr/bin/lift',
    system: 'linux x86_64',
    devices: [
        { device: 'opencl:0', info: { ...info, name: 'cpu-haswell-Intel(R) Xeon(R) CPU @ 2.60GHz', platform: 'Portable Computing Language', kind: 'cpu' } },
        { device: 'opencl:1', info: { ...info, name: 'NVIDIA H200', platform: 'NVIDIA CUDA', kind: 'gpu' } },
        { device: 'interpreter' },
    ],
};

test('the status bar names the device that is meant', () => {
    assert.deepEqual(
        ['auto', 'opencl', 'opencl:0', 'opencl:7', 'interpreter'].map((wish) => deviceLabel(setup, wish)),
        ['NVIDIA H200', 'NVIDIA H200', 'Intel Xeon', 'opencl:7 (not here)', 'interpreter'],
    );
    assert.equal(deviceLabel({ ...setup, devices: [{ device: 'interpreter' }] }, 'auto'), 'interpreter');
});

test('the setup in words', () => {
    const health = {
        extension: '0.1.0',
        editor: 'Code 1.100',
        trusted: false,
        folders: ['/a'],
        place: 'bundled',
        problem: undefined,
        settings: [['lift.device', 'opencl:0']] as [string, unknown][],
        setup,
    };
    const text = describeSetup(health);
    for (const part of ['| found | bundled |', '* **opencl:1**: NVIDIA H200 (gpu), NVIDIA CUDA', '8.0 GB', '* **interpreter**', 'not trusted', '`lift.device`: `"opencl:0"`']) {
        assert.ok(text.includes(part), `${part} is not in:\n${text}`);
    }
    const without = describeSetup({ ...health, setup: undefined, problem: 'No `lift` here.' });
    assert.match(without, /\*\*There is no server\.\*\* No `lift` here\./);
});
