/** The values of a run and the text of its result. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
    describeValues,
    kindOf,
    needsSizes,
    proposeInput,
    proposeValues,
    resolveInput,
    signatureOf,
    toRunAtOnce,
} from '../src/inputs';
import type { Kernel, RunResult } from '../src/protocol';
import { outputEntry, resultDocument, toShow } from '../src/report';

const at = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
const dot: Kernel = {
    name: 'dot',
    range: at,
    inputs: [
        { name: 'xs', type: 'Array[Float,N]' },
        { name: 'k', type: 'Int' },
    ],
    sizes: ['N'],
};

test('kinds of input', () => {
    const kinds: [string, string][] = [
        ['random', 'random'],
        ['random:7', 'random'],
        ['signed', 'signed'],
        ['signed:7', 'signed'],
        ['iota', 'iota'],
        ['0.5', 'literal'],
        ['-3', 'literal'],
        ['.5', 'literal'],
        ['[1,2,3]', 'literal'],
        ['true', 'literal'],
        ['data.npy', 'file'],
        ['random.txt', 'file'],
        ['true.npy', 'file'],
    ];
    assert.deepEqual(
        kinds.map(([input]) => [input, kindOf(input)]),
        kinds,
    );
});

test('a first proposal for each type', () => {
    assert.deepEqual(
        ['Array[Float,N]', 'Array[Array[Int,M],N]', 'Array[(Int, Float),N]', 'Int', 'Double', 'Bool'].map(
            proposeInput,
        ),
        ['random', 'iota', 'random', '1', '0.5', 'true'],
    );
});

test('what the program proposes goes before what the editor proposes', () => {
    assert.deepEqual(proposeValues(dot), { inputs: ['random', '1'], sizes: { N: 1024 } });
    const own = { ...dot, defaultRun: { inputs: ['iota'], sizes: { N: 10 } } };
    assert.deepEqual(proposeValues(own), { inputs: ['iota', '1'], sizes: { N: 10 } });
});

test('sizes are asked for only when an input needs them', () => {
    assert.equal(needsSizes(dot, ['random', '3']), true);
    assert.equal(needsSizes(dot, ['data.npy', '3']), false);
    assert.equal(needsSizes({ ...dot, sizes: [] }, ['random', '3']), false);
    assert.equal(needsSizes({ ...dot, inputs: [] }, []), true);
});

test('files are relative to the program, other inputs stay as typed', () => {
    assert.equal(resolveInput('in/xs.npy', '/home/me/examples'), '/home/me/examples/in/xs.npy');
    assert.equal(resolveInput('/data/xs.npy', '/home/me/examples'), '/data/xs.npy');
    assert.equal(resolveInput('[1,2]', '/home/me/examples'), '[1,2]');
});

test('values of a kernel whose parameters changed are not remembered', () => {
    const widened = { ...dot, inputs: [{ name: 'xs', type: 'Array[Double,N]' }] };
    assert.notEqual(signatureOf(dot), signatureOf(widened));
    assert.equal(signatureOf(dot), signatureOf({ ...dot, range: { ...at, end: at.start } }));
});

const result: RunResult = {
    kernel: 'evens',
    device: 'pocl on this CPU',
    output: '0\n2\n4\n',
    profile: [
        { name: 'evens_0', microseconds: 12.34 },
        { name: 'evens_1', microseconds: 101 },
    ],
};
const at0 = { source: 'file:///p/evens.lift', time: new Date(0) };
const values = describeValues({ inputs: ['iota', '/data/xs.npy'], sizes: { N: 6 } });

test('the result document', () => {
    assert.equal(
        resultDocument({ ...at0, program: 'evens.lift', values, result }),
        [
            '; evens of evens.lift on iota, xs.npy, N = 6',
            '; device: pocl on this CPU',
            '; evens_0  12.3 µs',
            '; evens_1   101 µs',
            '; in all    113 µs',
            '',
            '0',
            '2',
            '4',
            '',
        ].join('\n'),
    );
});

test('each notice stands above the result', () => {
    const noticed = { ...result, profile: [], device: 'interpreter', notice: 'no device\nslow' };
    assert.equal(
        resultDocument({ ...at0, program: 'evens.lift', values: '', result: noticed }),
        '; evens of evens.lift\n; device: interpreter\n; note: no device\n; note: slow\n\n0\n2\n4\n',
    );
});

test('a kernel that is launched in a loop has one time for all launches', () => {
    const looped = { ...result, profile: [{ name: 'map', launches: 12, microseconds: 30 }] };
    assert.match(resultDocument({ ...at0, program: 'p.lift', values: '', result: looped }), /^; map, 12 times  30\.0 µs$/m);
});

test('the output channel shows the first lines of a long result', () => {
    const long = { ...result, profile: [], output: '1\n'.repeat(1000) };
    const lines = outputEntry({ ...at0, program: 'p.lift', values, result: long }).split('\n');
    assert.match(lines[0] ?? '', /^\[.*\] evens of p\.lift on iota, xs\.npy, N = 6$/);
    assert.equal(lines.filter((line) => line === '1').length, 100);
    assert.equal(lines[102], '; … and 900 more lines');
});

test('a result that the server cut says so', () => {
    const lastLine = (output: string): string | undefined =>
        outputEntry({ ...at0, program: 'p.lift', values, result: { ...result, output, cut: true } })
            .trimEnd()
            .split('\n')
            .at(-1);
    assert.equal(lastLine('1\n2\n'), '; … and more lines');
    assert.equal(lastLine('1\n'.repeat(130)), '; … and 30 or more lines');
});

test('of several runs the median stands with its spread', () => {
    const profile = [{ name: 'map', microseconds: 30, spread: [28.4, 1234] as [number, number] }];
    const text = resultDocument({ ...at0, program: 'p.lift', values, result: { ...result, runs: 10, profile } });
    assert.match(text, /^; the median of 10 runs, least – greatest:\n; map {2}30\.0 µs {2}28\.4 µs – 1\.23 ms$/m);
});

test('the panel shows the first lines', () => {
    const long = { ...result, output: '1\n'.repeat(1000) };
    const shown = toShow({ ...at0, program: 'p.lift', values, result: long });
    assert.deepEqual([shown.preview.length, shown.cut, shown.total, shown.plot], [400, true, null, null]);
    assert.equal(toShow({ ...at0, program: 'p.lift', values, result }).cut, false);
});

test('a kernel runs at once on what it ran on, unless its parameters or its line have changed', () => {
    const line = { inputs: ['iota', '2'], sizes: { N: 5 } };
    const own: Kernel = { ...dot, defaultRun: line };
    const last = { inputs: ['xs.npy', '3'], sizes: {} };
    const remembered = { signature: signatureOf(own), line: JSON.stringify(line), values: last };
    assert.deepEqual(toRunAtOnce(own, remembered), last);
    assert.equal(toRunAtOnce(own, { ...remembered, failed: true }), undefined, 'it is asked after a failure');
    assert.deepEqual(toRunAtOnce(own, undefined), line);
    assert.equal(toRunAtOnce(dot, undefined), undefined, 'it is asked');
    const edited = { ...own, defaultRun: { ...line, sizes: { N: 6 } } };
    assert.deepEqual(toRunAtOnce(edited, remembered), edited.defaultRun);
    assert.deepEqual(toRunAtOnce({ ...own, sizes: ['M'] }, remembered), line);
});
