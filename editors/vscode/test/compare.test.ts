/** The texts of a comparison and of a search. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { comparisonText } from '../src/comparison';
import type { Comparison, Tuning } from '../src/protocol';
import { tuningTable } from '../src/shown';

const counted = (value: number): { size: string; value: number } => ({ size: 'N', value });

const comparison: Comparison = {
    old: {
        kernel: 'pinned:a.lift: f',
        runs: 10,
        times: [20, 18, 25],
        profile: [
            { name: 'map', microseconds: 12 },
            { name: 'reduce', microseconds: 8 },
        ],
        total: { globalBytesRead: counted(800), globalBytesWritten: counted(400) },
        launches: counted(2),
    },
    new: {
        kernel: 'a.lift: f',
        runs: 12,
        times: [10, 9, 12],
        profile: [{ name: 'reduce', microseconds: 10 }],
        total: { globalBytesRead: counted(400), globalBytesWritten: counted(400) },
        launches: counted(1),
    },
    device: 'opencl:0',
    sizes: { N: 100 },
    small: { equal: 30, stopped: 0, late: 0, firstLate: null, refused: 0, firstRefused: null, differs: null },
    differs: null,
    ratio: 0.5,
    diff: '-a\n+b\n',
};

test('a comparison tells results, times, launches and costs', () => {
    assert.equal(
        comparisonText(comparison),
        `; old: pinned:a.lift: f
; new: a.lift: f
; on opencl:0, N = 100

results on small inputs  equal on 30
results on the device    equal

old    20.0 µs  (18.0 µs – 25.0 µs, 10 runs)
new    10.0 µs  (9.00 µs – 12.0 µs, 12 runs)
the new is 2.00 times as fast

launch         old         new
map        12.0 µs           –
reduce     8.00 µs     10.0 µs

launches                       2               1  *
bytes read                   800             400  *
bytes written                400             400
local memory                   –               –
barriers                       –               –
float operations               –               –

The generated code differs: see the two sides.
`,
    );
});

test('results that differ are told first', () => {
    const differs = 'element 3 is 4, not 5';
    const text = comparisonText({
        ...comparison,
        small: { ...comparison.small, differs: 'with N=1: 2, not 3' },
        differs,
        ratio: null,
        diff: '',
    });
    assert.match(text, /small inputs  DIFFERENT with N=1: 2, not 3\n.*DIFFERENT: element 3 is 4, not 5\n/);
    assert.match(text, /the times overlap\n/);
    assert.match(text, /The generated code is the same\.\n$/);
});

test('a search is a table, the fastest first', () => {
    const found: Tuning = {
        kernel: 'f',
        device: 'a device',
        sizes: { N: 8, M: 4 },
        default: 20,
        least: 8,
        rows: [
            { choice: 'group=64', microseconds: 40, failed: null },
            { choice: 'group=32', microseconds: 10, failed: null },
            { choice: 'group=256', microseconds: null, failed: 'it hangs' },
        ],
        best: 'group=32',
        times: [21, 10.5],
    };
    const table = tuningTable(found, 'file:///a.lift', 'a.lift');
    assert.deepEqual(table.rows, [
        { choice: 'group=32', time: '10.0 µs', ratio: 2, share: 0.8, bar: 1 },
        { choice: 'as it is', time: '20.0 µs', ratio: 1, share: 0.4, bar: 0.5 },
        { choice: 'group=64', time: '40.0 µs', ratio: 0.5, share: 0.2, bar: 0.25 },
    ]);
    assert.deepEqual([table.sizes, table.gain, table.least], ['N = 8, M = 4', 2, '8.00 µs']);
    assert.deepEqual(table.failed, [{ choice: 'group=256', why: 'it hangs' }]);
    const none = tuningTable({ ...found, least: null, best: null, times: null, rows: [] }, 'file:///a.lift', 'a.lift');
    assert.deepEqual(none.rows, [{ choice: 'as it is', time: '20.0 µs', ratio: 1, share: null, bar: 1 }]);
});
