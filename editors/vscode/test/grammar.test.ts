/** The scopes that the grammar assigns to words. */
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { before, test } from 'node:test';
import * as oniguruma from 'vscode-oniguruma';
import { INITIAL, Registry, parseRawGrammar, type IGrammar } from 'vscode-textmate';

const root = path.resolve(__dirname, '../..');

let lift: IGrammar;
before(async () => {
    const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
    await oniguruma.loadWASM(wasm);
    const registry = new Registry({
        onigLib: Promise.resolve({
            createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
            createOnigString: (text) => new oniguruma.OnigString(text),
        }),
        loadGrammar: async (scope) => {
            if (scope !== 'source.lift') return null;
            const file = path.join(root, 'syntaxes/lift.tmLanguage.json');
            return parseRawGrammar(fs.readFileSync(file, 'utf8'), file);
        },
    });
    const grammar = await registry.loadGrammar('source.lift');
    assert.ok(grammar);
    lift = grammar;
});

/** The innermost scope of each token that has one of its own, as `text: scope` in order. */
function scopes(program: string): string[] {
    const found: string[] = [];
    let state = INITIAL;
    for (const line of program.split('\n')) {
        const { tokens, ruleStack } = lift.tokenizeLine(line, state);
        state = ruleStack;
        for (const token of tokens) {
            const scope = token.scopes.at(-1) ?? '';
            const text = line.slice(token.startIndex, token.endIndex).trim();
            if (text === '' || scope === 'source.lift' || scope.startsWith('punctuation.')) continue;
            found.push(`${text}: ${scope.replace(/\.lift$/, '')}`);
        }
    }
    return found;
}

test('a kernel: its name, sizes, types, parameter, primitive, operator and literals', () => {
    assert.deepEqual(
        scopes('(lift evens (N) ((array-type int N)) (lambda (xs) (filterSeq (lambda (x) (= (mod x 2) 0)) xs)))'),
        [
            'lift: keyword.other.kernel',
            'evens: entity.name.function.kernel',
            'N: variable.other.size',
            'array-type: storage.type',
            'int: support.type.primitive',
            'lambda: storage.type.function.lambda',
            'xs: variable.parameter',
            'filterSeq: support.function.pattern',
            'lambda: storage.type.function.lambda',
            'x: variable.parameter',
            '=: keyword.operator',
            'mod: support.function.scalar',
            '2: constant.numeric.integer',
            '0: constant.numeric.integer',
        ],
    );
});

test('a kernel without a name', () => {
    assert.deepEqual(scopes('(lift (N M) ()'), [
        'lift: keyword.other.kernel',
        'N: variable.other.size',
        'M: variable.other.size',
    ]);
});

test('definitions of functions and of values', () => {
    assert.deepEqual(scopes("(define (+i' (x int)) x)\n(define half 0.5f)"), [
        'define: keyword.other.define',
        "+i': entity.name.function",
        'int: support.type.primitive',
        'define: keyword.other.define',
        'half: entity.name.function',
        '0.5f: constant.numeric.float',
    ]);
});

test('names that contain the names of primitives are names', () => {
    assert.deepEqual(scopes("(map' filter-all reduce2 xs.map)"), []);
});

test('an unpack that names the length, and a pack', () => {
    assert.deepEqual(scopes('(unpack (X ys) (filter p xs) (pack ys))'), [
        'unpack: keyword.control.binding',
        'X: variable.other.size',
        'ys: variable.other.definition',
        'filter: support.function.pattern',
        'pack: keyword.control.binding',
    ]);
});

test('sizes', () => {
    assert.deepEqual(scopes('(split #4 (pad #l #(* 2 (max N 1)) clamp xs))'), [
        'split: support.function.view',
        '4: constant.numeric.size',
        'pad: support.function.view',
        'l: variable.other.size',
        '*: keyword.operator.arithmetic',
        '2: constant.numeric.size',
        'max: support.function.size',
        'N: variable.other.size',
        '1: constant.numeric.size',
        'clamp: constant.language.pad-mode',
    ]);
});

test('literals', () => {
    assert.deepEqual(scopes('(f 3 3L -2.0f 2.0 1e-3f -inf nanf info true)'), [
        '3: constant.numeric.integer',
        '3L: constant.numeric.integer',
        '-2.0f: constant.numeric.float',
        '2.0: constant.numeric.float',
        '1e-3f: constant.numeric.float',
        '-inf: constant.numeric.float',
        'nanf: constant.numeric.float',
        'true: constant.language.boolean',
    ]);
});

test('comments, and documentation', () => {
    assert.deepEqual(scopes(';;; Doubles `xs`.\n; not documentation\nx ; (map f xs)'), [
        'Doubles: comment.line.documentation',
        '`xs`: markup.inline.raw',
        '.: comment.line.documentation',
        'not documentation: comment.line.semicolon',
        '(map f xs): comment.line.semicolon',
    ]);
});

test('types as a hover shows them', () => {
    assert.deepEqual(scopes('evens : (Float -> Bool) -> Array[Float,N] -> <∃X, Array[Float,X]>'), [
        'Float: support.type.primitive',
        '->: keyword.operator.arrow',
        'Bool: support.type.primitive',
        '->: keyword.operator.arrow',
        'Array: storage.type',
        'Float: support.type.primitive',
        '->: keyword.operator.arrow',
        '∃: keyword.operator.exists',
        'X: variable.other.size',
        'Array: storage.type',
        'Float: support.type.primitive',
    ]);
});

test('an open bracket in one form does not colour the next', () => {
    assert.deepEqual(scopes('(define f (lambda (x\n(define g 1)').slice(-3), [
        'define: keyword.other.define',
        'g: entity.name.function',
        '1: constant.numeric.integer',
    ]);
});

test('every primitive of the language has the colour of a primitive', () => {
    const declarations = path.join(root, '../../analysis/prelude/primitives.lift');
    const text = fs.readFileSync(declarations, 'utf8').replaceAll(/;.*$/gm, '');
    const names = [...text.matchAll(/\((?:primitive\s+(\S+)|alias\s+([^()]+))/g)].flatMap(
        ([, name, aliases]) => (name ?? aliases ?? '').trim().split(/\s+/),
    );
    assert.ok(names.includes('filterGlb') && names.includes('mapGlobal'), 'the declarations were read');
    const plain = names.filter((name) => {
        const [scope = ''] = scopes(`(f ${name})`);
        return !/: (support\.function|keyword\.operator|constant\.language)/.test(scope);
    });
    assert.deepEqual(plain, []);
});
