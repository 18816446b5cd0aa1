// Cells of Lift in the real JupyterLab: what one sees of them, and what they do.
//
//   node tests/notebook/test.mjs URL CHROMIUM PICTURES
//
// The last line is "N passed, N failed".

import { createRequire } from 'node:module';

const require = createRequire(new URL('../../editors/workbench/', import.meta.url));
const { chromium } = require('playwright-core');
const [url, executablePath, pictures] = process.argv.slice(2);

/** Far more than anything takes. */
const PATIENCE = 60_000;
let passed = 0;
let failed = 0;

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
page.setDefaultTimeout(PATIENCE);
const said = [];
page.on('console', message => said.push(message.text()));

/** One claim; what was seen is kept as a picture. */
const claim = async (name, check) => {
  try {
    await check();
    passed += 1;
    console.log(`ok      ${name}`);
  } catch (problem) {
    failed += 1;
    console.log(`not ok  ${name}\n          ${String(problem).split('\n').slice(0, 6).join('\n          ')}`);
  }
  await page.screenshot({ path: `${pictures}/${name.replaceAll(/\W+/g, '-')}.png` });
};
const equal = (found, expected) => {
  if (JSON.stringify(found) !== JSON.stringify(expected)) {
    throw new Error(`found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
  }
};
const until = async (check, expected) => {
  const end = Date.now() + PATIENCE;
  let found = await check();
  while (JSON.stringify(found) !== JSON.stringify(expected) && Date.now() < end) {
    await page.waitForTimeout(250);
    found = await check();
  }
  equal(found, expected);
};

await page.goto(`${url}&reset`);
const cell = n => page.locator('.jp-Notebook .jp-CodeCell').nth(n);
const hints = n => cell(n).locator('.lift-hint').allTextContents();
await cell(3).waitFor();

await claim('a notebook opened cold shows what was inserted', async () => {
  await until(async () => (await hints(1)).filter(text => /pack/.test(text)).map(text => text.trim()), ['pack', 'unpack X1']);
});

await claim('an error is marked where it is', async () => {
  // Without the hints that lie in it.
  const marked = () => cell(2).locator('.cm-lintRange-error').evaluateAll(all => all.map(mark => {
    const copy = mark.cloneNode(true);
    copy.querySelectorAll('.lift-hint').forEach(hint => hint.remove());
    return copy.textContent;
  }));
  await until(async () => (await marked()).join(''), '(filter (lambda (x) (< x 0.1f)) xs)');
});

await claim('a hover names the hidden length', async () => {
  const { x, y } = await cell(1).locator('.cm-line').nth(4).evaluate(line => {
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    while (!walker.nextNode().textContent.includes('filter'));
    const range = document.createRange();
    const at = walker.currentNode.textContent.indexOf('filter');
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + 'filter'.length);
    const box = range.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
  const hover = page.locator('.lsp-tooltip, .lsp-hover');
  for (let i = 0; i < 20 && !(await hover.count()); i++) {
    // The client asks where the mouse is while the key is held.
    await page.keyboard.down('Control');
    await page.mouse.move(x + (i % 5), y);
    await page.waitForTimeout(500);
    await page.keyboard.up('Control');
  }
  const text = await hover.first().textContent();
  if (!text.includes('∃')) throw new Error(`the hover says ${text}`);
  await page.keyboard.press('Escape');
});

await claim('cells run', async () => {
  for (const n of [0, 1, 3]) {
    await cell(n).locator('.cm-content').click();
    await page.keyboard.press('Control+Enter');
  }
  await cell(3).locator('.jp-OutputArea-output').waitFor();
  const output = await cell(3).locator('.jp-OutputArea-output').allTextContents();
  equal(output.join('').trim(), '[1.2000000476837158, 1.7999999523162842]');
  const type = await cell(1).locator('.jp-OutputArea-output').textContent();
  equal(type.trim(), '<lift first : Array[Float,N] -> <∃X, Array[Float,X]>>');
});

await claim('an error of a cell has its carets', async () => {
  await cell(2).locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  const output = cell(2).locator('.jp-OutputArea-output');
  await output.waitFor();
  const text = await output.textContent();
  if (!text.includes('unequal-lengths') || !text.includes('^^^') || !text.includes('cell:')) throw new Error(text);
});

await claim('a result is drawn', async () => {
  await cell(4).locator('.cm-content').click();
  await page.keyboard.press('Control+Enter');
  await cell(4).locator('.jp-RenderedSVG').waitFor();
  const text = await cell(4).locator('.jp-OutputArea-output').first().textContent();
  if (!text.includes('<lift twice : Array[Int,N] -> Array[Int,N]>') || !text.includes('\n38\n…')) throw new Error(text);
});

await claim('a kernel that is started again', async () => {
  await page.getByText('Kernel', { exact: true }).first().click();
  await page.getByText('Restart Kernel and Run up to Selected Cell', { exact: false }).first().waitFor();
  await page.getByText('Restart Kernel and Clear Outputs of All Cells', { exact: false }).first().click();
  await page.locator('.jp-Dialog .jp-mod-accept').click();
  await until(() => cell(3).locator('.jp-OutputArea-output').count(), 0);
  for (const n of [0, 1, 3]) {
    await cell(n).locator('.cm-content').click();
    await page.keyboard.press('Control+Enter');
  }
  await until(async () => (await cell(3).locator('.jp-OutputArea-output').allTextContents()).join('').trim(),
    '[1.2000000476837158, 1.7999999523162842]');
});

await claim('a name is completed', async () => {
  await cell(4).locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n(define (few xs) (filte');
  await page.keyboard.press('Tab');
  const offered = page.locator('.jp-Completer-item');
  await until(async () => (await offered.allTextContents()).some(text => text.includes('filter')) ||
    (await cell(4).locator('.cm-content').textContent()).includes('(filter'), true);
});

if (failed > 0) console.log(said.slice(-20).join('\n'));
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
