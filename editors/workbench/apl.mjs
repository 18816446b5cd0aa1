// A session with a program in APL, in the real workbench: glyphs by prefix, shapes, an error about lengths, a run.
//
//   node apl.mjs ADDRESS SHOTS
//
// ADDRESS is where `serve` serves a copy of fixture/, SHOTS takes pictures.
import assert from 'node:assert/strict';

import { LIFE } from './expectations.mjs';
import { Report } from './report.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots] = process.argv;
const workbench = new Workbench(shots);
const report = new Report();
const check = (name, body) => report.check(name, body, () => workbench.shot('FAILED').then(() => {}));
const { file, kernel, caption, hint, hover, glyphs, error } = LIFE;
const source = async () => (await workbench.lines(file)).join('\n');

/** Types at the end of the program at a person's speed, runs a check, and undoes the typing even if the check fails. */
async function typed(keys, look) {
    await workbench.until('the cursor at the end', async () => {
        // Lenses and hints may still move the text.
        await workbench.clickOn(file, hover.line, hover.word);
        await workbench.page.keyboard.press('Control+End');
        await workbench.page.waitForTimeout(300);
        return workbench.statusItem('status.editor.selection').then((at) => at.includes(`Ln ${LIFE.end},`));
    });
    const before = await source();
    await workbench.page.keyboard.type(keys, { delay: 150 });
    try {
        return await look();
    } finally {
        await workbench.command('File: Revert File');
        await workbench.until('the file as it was', async () => (await source()) === before);
    }
}

await workbench.open(address);

await check(`the end of a statement shows its shape: ${hint.contains}`, async () => {
    await workbench.openFile(file);
    return workbench.until(`a hint that has ${hint.contains}`, async () => {
        const hints = (await workbench.hints(file, hint.line)).join('');
        return hints.includes(hint.contains) && hints;
    });
});

await check('[glyphs] a prefix key and a key enter a character of APL', async () => {
    return typed(glyphs.keys, async () => {
        const line = await workbench.until(glyphs.typed, async () =>
            (await workbench.lines(file)).find((text) => text.includes(glyphs.typed)));
        await workbench.until('no error', async () => (await workbench.squiggles(file)) === 0);
        await workbench.shot('glyphs');
        return line.trim();
    });
});

await check('a hover tells the shape of a name', async () => {
    const said = await workbench.hover(file, hover.line, hover.word);
    await workbench.shot('hover');
    assert.equal(said[0], hover.type);
    return said[0];
});

await check('an error about lengths has both places', async () => {
    return typed(error.keys, async () => {
        const row = await workbench.until('a problem', async () => {
            const rows = await workbench.problems();
            return rows.find((text) => text.includes(error.message));
        });
        const places = await workbench.relatedPlaces();
        await workbench.shot('lengths');
        assert.ok(places.some((place) => place.includes(error.other)), `${error.other} is not in ${places}`);
        return row;
    });
});

await check('a run shows the board as a picture', async () => {
    await workbench.until('lenses', async () => (await workbench.lenses(file).count()) > 0);
    await workbench.lenses(file).first().click();
    const panel = await workbench.panel(kernel);
    await workbench.until('the picture', async () => (await panel.locator('figure.picture canvas').count()) > 0);
    const told = await panel.locator('figcaption').innerText();
    assert.ok(told.includes(caption), `${caption} is not in ${told}`);
    await workbench.shot('picture');
    return told;
});

await workbench.close();
process.exit(report.finish());
