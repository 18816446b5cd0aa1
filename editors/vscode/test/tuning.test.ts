/** The panel of a search, drawn by its own script: the rows of the table, and what its buttons say. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { test } from 'node:test';
import * as vm from 'node:vm';

import type { TuningTable } from '../src/shown';

const root = path.resolve(__dirname, '../..');

/** The part of the DOM's Element that the script uses. */
class Element {
    readonly style: Record<string, string> = {};
    readonly heard: (() => void)[] = [];
    private children: (Element | string)[] = [];

    constructor(readonly name: string) {}

    setAttribute(): void {}
    append(...children: (Element | string)[]): void {
        this.children.push(...children);
    }
    replaceChildren(...children: (Element | string)[]): void {
        this.children = children;
    }
    addEventListener(_: 'click', listener: () => void): void {
        this.heard.push(listener);
    }
    get text(): string {
        return this.children.map((child) => (typeof child === 'string' ? child : child.text)).join('');
    }
    all(name: string): Element[] {
        const below = this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all(name)));
        return this.name === name ? [this, ...below] : below;
    }
    click(): void {
        this.heard.forEach((listener) => void listener());
    }
}

/** The page after its script has been given a table, and what the script said to the extension. */
function drawn(shown: TuningTable): { page: Element; said: string[] } {
    const { buildSync } = createRequire(path.join(root, 'package.json'))('esbuild') as typeof import('esbuild');
    const entry = path.join(root, 'webview/tuning.ts');
    const built = buildSync({ entryPoints: [entry], bundle: true, write: false, format: 'iife' });
    const [page, said]: [Element, string[]] = [new Element('main'), []];
    let hear: (event: { data: TuningTable }) => void = () => undefined;
    vm.runInNewContext(built.outputFiles[0]?.text ?? '', {
        acquireVsCodeApi: () => ({ postMessage: ({ type }: { type: string }) => said.push(type) }),
        document: { getElementById: () => page, createElement: (name: string) => new Element(name) },
        window: { addEventListener: (_: 'message', listener: typeof hear) => (hear = listener) },
    });
    hear({ data: shown });
    return { page, said };
}

const TABLE: TuningTable = {
    kernel: 'scale',
    program: 'a.lift',
    source: 'file:///a.lift',
    device: 'a device',
    sizes: 'N = 8',
    best: 'group=64',
    gain: 1.5,
    least: '10.0 µs',
    rows: [
        { choice: 'group=64', time: '20.0 µs', ratio: 1.5, share: 0.5, bar: 1 },
        { choice: 'default', time: '30.0 µs', ratio: 1, share: null, bar: 0.5 },
    ],
    failed: [{ choice: 'group=256', why: 'it took more than 30 s' }],
};

test('the table of a search has a row with a bar for each choice, and those that failed', () => {
    const { page } = drawn(TABLE);
    const cells = page.all('tr').map((row) => row.all('td').map((cell) => cell.text));
    assert.deepEqual(cells, [[], ['20.0 µs', '1.50', '50 %', '', 'group=64'], ['30.0 µs', '1.00', '', '', 'default']]);
    const bars = page.all('td').flatMap((cell) => cell.all('span')).map((bar) => bar.style['width']);
    assert.deepEqual(bars.filter((width) => width !== undefined), ['100%', '50%']);
    assert.deepEqual(page.all('li').map((item) => item.text), ['group=256: it took more than 30 s']);
});

test('the buttons of a search tune again, write the best into the program, and write it beside it', () => {
    const { page, said } = drawn(TABLE);
    page.all('button').forEach((button) => void button.click());
    assert.deepEqual(said, ['ready', 'again', 'write', 'copy']);
    const none = drawn({ ...TABLE, best: null, gain: null });
    none.page.all('button').forEach((button) => void button.click());
    assert.deepEqual(none.said, ['ready', 'again']);
});
