/** A prefix key and the next key are replaced by a character. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type Insertion, Pairs, type Replacement } from '../src/keys';

const keys = new Map([['r', '⍴'], ['`', '⋄'], ['[', '←']]);
const put = (at: number, text: string): Insertion => ({ at, removed: 0, text });

/** What one change of a document completes. */
function replacements(
    prefix: string,
    keys: ReadonlyMap<string, string>,
    changes: readonly Insertion[],
    text: string,
): Replacement[] {
    const pairs = new Pairs();
    pairs.changed(prefix, keys, changes, text);
    return pairs.replacements(keys);
}

/** Types keys one after the other at the end of a text, without an answer from the editor; a bracket is closed. */
function typed(keysOf: ReadonlyMap<string, string> | undefined, input: string): { pairs: Pairs; text: string } {
    const pairs = new Pairs();
    let [left, right] = ['', ''];
    for (const key of input) {
        const text = key === '[' ? '[]' : key;
        const at = left.length;
        left += key;
        right = text.slice(1) + right;
        pairs.changed('`', keysOf, [put(at, text)], left + right);
    }
    return { pairs, text: left + right };
}

function applied(text: string, replacements: readonly Replacement[]): string {
    return [...replacements]
        .sort((a, b) => b.start - a.start)
        .reduce((now, { start, end, text }) => now.slice(0, start) + text + now.slice(end), text);
}

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

test('keys that are typed before the editor answers are all replaced', () => {
    const { pairs, text } = typed(keys, '`[2 3`r6');
    assert.equal(text, '`[2 3`r6]');
    assert.equal(applied(text, pairs.replacements(keys)), '←2 3⍴6');
});

test('keys that are typed before the server has told the characters are replaced, too', () => {
    const { pairs, text } = typed(undefined, 'x`[`r`q');
    assert.equal(applied(text, pairs.replacements(keys)), 'x←⍴`q');
});

test('a prefix key that is itself a key begins no pair', () => {
    const { pairs, text } = typed(keys, '``r');
    assert.equal(applied(text, pairs.replacements(keys)), '⋄r');
});

test('a change of a pair, and its own replacement, leave nothing to replace', () => {
    const { pairs } = typed(keys, '`r');
    pairs.changed('`', keys, [{ at: 0, removed: 2, text: '⍴' }], '⍴');
    assert.deepEqual(pairs.replacements(keys), []);
    const erased = typed(keys, '`r').pairs;
    erased.changed('`', keys, [{ at: 1, removed: 1, text: '' }], undefined);
    assert.deepEqual(erased.replacements(keys), []);
});
