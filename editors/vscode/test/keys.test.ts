/** The prefix key and the key after it become a character. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replacements } from '../src/keys';

const keys = new Map([['r', '⍴'], ['`', '⋄'], ['[', '←']]);
const put = (at: number, text: string) => ({ at, removed: 0, text });

test('a key after the prefix key becomes its character', () => {
    assert.deepEqual(replacements('`', keys, [put(3, 'r')], '2 `r'), [{ start: 2, end: 4, text: '⍴' }]);
    assert.deepEqual(replacements('`', keys, [put(1, '`')], '``'), [{ start: 0, end: 2, text: '⋄' }]);
    assert.deepEqual(replacements('§', keys, [put(1, 'r')], '§r'), [{ start: 0, end: 2, text: '⍴' }]);
});

test('a bracket that the editor closes is one key', () => {
    assert.deepEqual(replacements('`', keys, [put(2, '[]')], 'x`[]'), [{ start: 1, end: 4, text: '←' }]);
    assert.deepEqual(replacements('`', keys, [put(2, '[)')], 'x`[)'), []);
});

test('several cursors type at once', () => {
    const both = replacements('`', keys, [put(3, 'r'), put(1, 'r')], '`r+`r');
    assert.deepEqual(both, [{ start: 0, end: 2, text: '⍴' }, { start: 3, end: 5, text: '⍴' }]);
});

test('other edits keep their text', () => {
    assert.deepEqual(replacements('`', keys, [put(1, 'q')], '`q'), []);
    assert.deepEqual(replacements('`', keys, [put(0, 'r')], 'r'), []);
    assert.deepEqual(replacements('`', keys, [put(1, 'rr')], '`rr'), []);
    assert.deepEqual(replacements('`', keys, [{ at: 1, removed: 2, text: 'r' }], '`r'), []);
    assert.deepEqual(replacements('', keys, [put(1, 'r')], '`r'), []);
});
