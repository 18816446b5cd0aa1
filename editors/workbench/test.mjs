// The extension in the real workbench, end to end, as a person uses it.
//
//   node test.mjs ADDRESS SHOTS OPENED
//
// ADDRESS is where `serve` serves a copy of fixture/, OPENED is that copy on disk, SHOTS takes pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ENDLESS, EVENS, ZIP_ERROR } from './expectations.mjs';
import { Report } from './report.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots, opened] = process.argv;
const workbench = new Workbench(shots);
const report = new Report();
const check = (name, body) => report.check(name, body, () => workbench.shot('FAILED').then(() => {}));

const has = (text, expected) =>
    typeof expected === 'string' ? text.includes(expected) : expected.test(text);
const assertHas = (text, expected) => assert.ok(has(text, expected), `${expected} is not in:\n${text}`);

/** How many processes run the kernel of the endless program. */
function runs() {
    const processes = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return processes.filter((pid) => {
        try {
            const words = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
            return words.includes('--embedded') && words.includes(path.join(opened, ENDLESS.file));
        } catch {
            return false; // It ended meanwhile.
        }
    }).length;
}

await workbench.open(address);

await check('a program opens in the workbench', async () => {
    await workbench.openFile(EVENS.file);
    const lines = await workbench.lines(EVENS.file);
    assert.equal(lines[0], EVENS.firstLine);
});

await check('the grammar gives kinds of words different colours', async () => {
    await workbench.until('three colours for lift, evens and int', async () => {
        const colours = await workbench.colours(EVENS.file, 2);
        const kinds = ['lift', 'evens', 'int'].map((word) => colours.get(word));
        return new Set(kinds.filter(Boolean)).size === 3;
    });
});

await check('the status bar says that the server runs', async () => {
    const text = await workbench.until('the server runs', async () => {
        const item = workbench.page.locator('[id="lift-lang.lift.lift.status"]');
        return (await item.locator('.codicon-check').count()) > 0 && (await item.textContent());
    });
    assertHas(text, EVENS.statusBar);
});

for (const { line, contains } of EVENS.hints) {
    await check(`inlay hint in line ${line}: ${contains}`, async () => {
        const seen = await workbench.until(`a hint that has ${contains}`, async () => {
            const hints = (await workbench.hints(EVENS.file, line)).join('');
            return hints.includes(contains) && (await workbench.lines(EVENS.file))[line - 1];
        });
        return seen.trim();
    });
}
await workbench.shot('hints');

for (const { line, word, firstLine, contains } of EVENS.hovers) {
    await check(`hover on ${word}`, async () => {
        const hover = await workbench.hover(EVENS.file, line, word);
        await workbench.shot(`hover-${word}`);
        assert.equal(hover[0], firstLine);
        for (const expected of contains) assertHas(hover.slice(1).join('\n'), expected);
        return hover[0];
    });
}

await check('an error is underlined, listed among the problems, and explained on hover', async () => {
    const { file, problem, problems, places, underlined } = ZIP_ERROR;
    await workbench.openFile(file);
    await workbench.until('a squiggle', async () => (await workbench.squiggles(file)) > 0);
    const listed = await workbench.until('a problem', async () => {
        const rows = (await workbench.problems()).filter((row) => problem.every((p) => has(row, p)));
        return rows.length > 0 && rows;
    });
    assert.equal(listed.length, problems);
    const related = await workbench.relatedPlaces();
    assert.equal(related.length, places.length);
    for (const [at, , what] of places) {
        assert.ok(related.some((row) => has(row, at) && has(row, what)), `${at} is not in ${related}`);
    }
    await workbench.shot('problem');
    const hover = (await workbench.hover(file, underlined.line, underlined.word)).join('\n');
    for (const expected of problem) assertHas(hover, expected);
    for (const [, at, what] of places) assertHas(hover, `${at}: ${what}`);
    await workbench.shot('problem-hover');
    await workbench.page.keyboard.press('Control+J');
    return listed[0].trim();
});

await check('Make Pack/Unpack Explicit changes the text, and undo takes it back', async () => {
    await workbench.openFile(EVENS.file);
    const before = (await workbench.lines(EVENS.file)).length;
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Make Pack/Unpack Explicit in This Form');
    const text = await workbench.until('the text changes', async () => {
        const lines = (await workbench.lines(EVENS.file)).join('\n');
        return EVENS.explicit.every((expected) => has(lines, expected)) && lines;
    });
    // It still checks, and nothing is left to insert.
    await workbench.until('no inserted pack or unpack, no error', async () => {
        const hints = [];
        for (const { line } of EVENS.hints) hints.push(...(await workbench.hints(EVENS.file, line)));
        const inserted = hints.filter((hint) => /^\s*(un)?pack\b/.test(hint));
        return inserted.length === 0 && (await workbench.squiggles(EVENS.file)) === 0;
    });
    await workbench.shot('explicit');
    await workbench.page.keyboard.press('Control+Z');
    await workbench.until('undone', async () => {
        const lines = await workbench.lines(EVENS.file);
        return lines.length === before && !has(lines.join('\n'), EVENS.explicit[0]);
    });
    return text.split('\n').slice(3).map((line) => line.trim()).join(' ');
});

await check('the lenses above a kernel; that for OpenCL shows the text', async () => {
    const { tab, contains } = EVENS.opencl;
    const titles = await workbench.until('lenses', async () => {
        const found = await workbench.lenses(EVENS.file).allTextContents();
        return found.length > 0 && found.map((title) => title.trim());
    });
    assert.deepEqual(titles, EVENS.lenses);
    await workbench.lenses(EVENS.file).nth(1).click();
    await workbench.until('the generated text', async () =>
        has((await workbench.lines(tab)).join('\n'), contains[0]));
    await workbench.closeTab(tab);
    return titles.join(' | ');
});

await check('Generate OpenCL shows the text beside the program', async () => {
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Generate OpenCL');
    const { tab, contains } = EVENS.opencl;
    const text = await workbench.until('the generated text', async () => {
        const lines = (await workbench.lines(tab)).join('\n');
        return contains.every((expected) => has(lines, expected)) && lines;
    });
    await workbench.shot('opencl');
    assert.equal(await workbench.editor(EVENS.file).isVisible(), true, 'the program is still in view');
    return text.split('\n').find((line) => has(line, contains[0])).trim();
});

const { answers, tab, result, comments } = EVENS.run;
async function resultLines() {
    const lines = await workbench.lines(tab);
    const said = lines.filter((line) => !line.startsWith(';') && line.trim() !== '');
    return said.length > 0 && { said: said.map((line) => line.trim()), all: lines.join('\n') };
}

await check('Run Kernel asks for inputs and sizes, and shows the result', async () => {
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Run Kernel');
    for (const answer of answers) await workbench.answer(answer);
    const { said, all } = await workbench.until('the result', resultLines);
    await workbench.shot('run');
    assert.deepEqual(said, result);
    for (const expected of comments) assertHas(all, expected);
    return said.join(' ');
});

await check('Run Kernel proposes the inputs of the last time', async () => {
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Run Kernel');
    const question = await workbench.until('a question', () => workbench.question());
    assertHas(question, answers[0]);
    assertHas(question, answers[1]);
    await workbench.shot('run-again');
    await workbench.page.keyboard.press('Enter');
    await workbench.until('the question is answered', async () => (await workbench.question()) === '');
});

await check('Run Kernel says what is wrong with an input', async () => {
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Run Kernel');
    await workbench.answer('Other');
    for (const answer of EVENS.wrongRun.answers) await workbench.answer(answer);
    const said = await workbench.until('a notification', async () =>
        (await workbench.notifications()).find((text) => has(text, EVENS.wrongRun.notification)));
    await workbench.shot('wrong-input');
    return said;
});

await check('the output "Lift: Run" has the result too', async () => {
    await workbench.command('Output: Show Output Channels...');
    await workbench.answer('Lift: Run');
    await workbench.scrollOutput('Home');
    await workbench.until('the run in the output', async () => {
        const text = await workbench.output();
        return comments.every((c) => has(text, new RegExp(c.source.replace(/^; /, '')))) &&
            text.includes(result.at(-1));
    });
    await workbench.shot('output');
});

await check('a run that takes too long is cancelled, and its process ends', async () => {
    await workbench.openFile(ENDLESS.file);
    await workbench.clickOn(ENDLESS.file, 3, 'endless');
    await workbench.command('Lift: Run Kernel');
    assertHas(await workbench.until('a question', () => workbench.question()), ENDLESS.proposal);
    await workbench.page.keyboard.press('Enter');
    await workbench.until('progress', async () =>
        (await workbench.notifications()).some((text) => has(text, ENDLESS.progress)));
    await workbench.until('its process', () => runs() > 0);
    await workbench.shot('running');
    await workbench.pressButton(ENDLESS.progress, 'Cancel');
    await workbench.until('its process ends', () => runs() === 0);
    await workbench.scrollOutput('End');
    await workbench.until('the output says so', async () => has(await workbench.output(), ENDLESS.said));
});

await check('Restart Server brings the hints back', async () => {
    await workbench.openFile(EVENS.file);
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Restart Server');
    await workbench.until('the server runs again', async () => {
        const hints = (await workbench.hints(EVENS.file, EVENS.hints[0].line)).join('');
        return hints.includes(EVENS.hints[0].contains);
    });
});

await check('nothing was written that nobody saved', async () => {
    const here = path.dirname(new URL(import.meta.url).pathname);
    for (const file of [EVENS.file, ZIP_ERROR.file, ENDLESS.file]) {
        assert.equal(
            fs.readFileSync(path.join(opened, file), 'utf8'),
            fs.readFileSync(path.join(here, 'fixture', file), 'utf8'),
        );
    }
});

await check('the page asked nothing of other machines', () =>
    assert.deepEqual([...workbench.foreignHosts], []));

await workbench.close();
process.exit(report.finish());
