// The extension in the real workbench, end to end, as a person uses it.
//
//   node test.mjs ADDRESS SHOTS OPENED
//
// ADDRESS is where `serve` serves a copy of fixture/, OPENED is that copy on disk, SHOTS takes pictures.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';

import { ENDLESS, EVENS, STORED, TABLE, WALKTHROUGH, ZIP_ERROR } from './expectations.mjs';
import { Report } from './report.mjs';
import { Settings } from './settings.mjs';
import { Workbench } from './workbench.mjs';

const [, , address, shots, opened] = process.argv;
// Wide enough for a whole line of the program beside its generated code.
const workbench = new Workbench(shots, { width: 2000, height: 900, scale: 1 });
const report = new Report();
const check = (name, body) => report.check(name, body, () => workbench.shot('FAILED').then(() => {}));

const has = (text, expected) =>
    typeof expected === 'string' ? text.includes(expected) : expected.test(text);
const assertHas = (text, expected) => assert.ok(has(text, expected), `${expected} is not in:\n${text}`);

/** The number of processes that run the endless program. */
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

await check('[colours] the grammar gives kinds of words different colours', async () => {
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
    // The device is known only after the drivers have answered.
    return workbench.until('version and device', async () => {
        const item = await workbench.statusItem('lift-lang.lift.lift.status');
        return EVENS.statusDevice.test(item) && item;
    });
});

for (const { line, contains } of EVENS.hints) {
    await check(`[hints] inlay hint in line ${line}: ${contains}`, async () => {
        const seen = await workbench.until(`a hint that has ${contains}`, async () => {
            const hints = (await workbench.hints(EVENS.file, line)).join('');
            return hints.includes(contains) && (await workbench.lines(EVENS.file))[line - 1];
        });
        return seen.trim();
    });
}
await workbench.shot('hints');

for (const { line, word, firstLine, contains } of EVENS.hovers) {
    await check(`[hover] hover on ${word}`, async () => {
        const hover = await workbench.hover(EVENS.file, line, word);
        await workbench.shot(`hover-${word}`);
        assert.equal(hover[0], firstLine);
        for (const expected of contains) assertHas(hover.slice(1).join('\n'), expected);
        return hover[0];
    });
}

await check('[selection] on a selection, the hover is about the selected expression', async () => {
    const { line, word, text, type } = EVENS.selection;
    await workbench.clickOn(EVENS.file, line, word);
    for (const _ of word) await workbench.page.keyboard.press('Shift+Alt+ArrowRight');
    const selected = await workbench.until('the selection', async () =>
        /\((\d+) selected\)/.exec(await workbench.statusItem('status.editor.selection'))?.[1] === String(text.length));
    assert.ok(selected);
    const hover = await workbench.hover(EVENS.file, line, word);
    await workbench.shot('hover-selection');
    assert.equal(hover[0], type);
    return `${text}: ${hover[0]}`;
});

await check('[hint-edit] a double click writes a hint into the program, and undo takes it back', async () => {
    const { line, label, written } = EVENS.hintEdit;
    const before = await workbench.lines(EVENS.file);
    await workbench.doubleClickHint(EVENS.file, line, label);
    const text = await workbench.until('the written hint', async () =>
        (await workbench.lines(EVENS.file)).find((text) => has(text, written)));
    await workbench.until('no error', async () => (await workbench.squiggles(EVENS.file)) === 0);
    await workbench.shot('hint-written');
    await workbench.page.keyboard.press('Control+Z');
    await workbench.until('undone', async () => (await workbench.lines(EVENS.file))[line - 1] === before[line - 1]);
    return text.trim();
});

await check('[diagnostics related] an error is underlined, listed among the problems, and explained on hover', async () => {
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

await check('[obligations] lengths that ought to be equal stand at their place in the colour of errors', async () => {
    const { file, obligation } = ZIP_ERROR;
    await workbench.openFile(file);
    const painted = await workbench.until('what is painted', async () =>
        (await workbench.painted(file, obligation.line)).find(({ text }) => text === obligation.text));
    // Red, whatever the theme's shade of it.
    const [red, green, blue] = painted.color.match(/\d+/g).map(Number);
    assert.ok(red > green + 60 && red > blue + 60, painted.color);
    await workbench.shot('obligation');
    return painted.text;
});

await check('what is painted of lengths that ought to be equal goes and comes back by its command', async () => {
    const { file, obligation } = ZIP_ERROR;
    const command = 'Lift: Toggle Hints of Lengths That Ought to Be Equal';
    const painted = async () =>
        (await workbench.painted(file, obligation.line)).some(({ text }) => text === obligation.text);
    await workbench.command(command);
    await workbench.until('nothing painted', async () => !(await painted()));
    assert.ok((await workbench.squiggles(file)) > 0, 'the error stays');
    await workbench.shot('obligation-off');
    await workbench.command(command);
    await workbench.until('it is painted again', painted);
});

await check('memory hints come and go by their command', async () => {
    const { file, line, contains } = STORED;
    await workbench.openFile(file);
    const shown = async () => has((await workbench.hints(file, line)).join(''), contains);
    await workbench.until('hints of types', async () => (await workbench.hints(file, line)).length > 0);
    assert.ok(!(await shown()), 'they are off');
    await workbench.command('Lift: Toggle Memory Hints');
    await workbench.until('what is stored', shown);
    await workbench.shot('memory');
    await workbench.command('Lift: Toggle Memory Hints');
    await workbench.until('nothing of it', async () => !(await shown()));
});

await check('[explicit] Make Pack/Unpack Explicit changes the text, and undo takes it back', async () => {
    await workbench.openFile(EVENS.file);
    const before = (await workbench.lines(EVENS.file)).length;
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Make Pack/Unpack Explicit in This Form');
    const text = await workbench.until('the text changes', async () => {
        const lines = (await workbench.lines(EVENS.file)).join('\n');
        return EVENS.explicit.every((expected) => has(lines, expected)) && lines;
    });
    // The program is still well-typed, and nothing is left to insert.
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

await check('[lenses] the lenses above a kernel; that for OpenCL shows the text', async () => {
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

await check('[opencl] Generate OpenCL shows the text beside the program', async () => {
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

await check('[live] the OpenCL follows an edit that is not saved', async () => {
    const { line, word, by, before, after } = EVENS.edit;
    const tab = EVENS.opencl.tab;
    const text = async () => (await workbench.lines(tab)).join('\n');
    await workbench.scrollToLine(tab, before);
    const original = (await workbench.lines(EVENS.file))[line - 1];
    await workbench.replaceWord(EVENS.file, line, word, by);
    await workbench.until('the new text', async () => has(await text(), after) && !has(await text(), before));
    await workbench.shot('opencl-live');
    await workbench.undoTo(EVENS.file, line, original);
    await workbench.until('the old text', async () => has(await text(), before));
});

await check('[stale] while the program is broken, the last good OpenCL stays, marked with the reason', async () => {
    const { line, word, by, stale } = EVENS.breaking;
    const tab = EVENS.opencl.tab;
    await workbench.scrollToLine(tab, '// OpenCL C of evens');
    const original = (await workbench.lines(EVENS.file))[line - 1];
    await workbench.replaceWord(EVENS.file, line, word, by);
    const first = await workbench.until('the mark', async () => {
        const lines = await workbench.lines(tab);
        return lines[0]?.startsWith(stale) && lines.length > 5 && lines[0];
    });
    await workbench.shot('opencl-stale');
    await workbench.undoTo(EVENS.file, line, original);
    await workbench.until('the mark is gone', async () =>
        (await workbench.lines(tab))[0]?.startsWith('// OpenCL C of evens in evens.lift'));
    return first;
});

await check('[sync] the cursor in the program marks the generated lines, and the other way round', async () => {
    const tab = EVENS.opencl.tab;
    const { program, generated } = EVENS.sync;
    await workbench.clickOn(EVENS.file, program.line, program.word);
    const marked = await workbench.until('marked lines', async () => {
        const lines = await workbench.marked(tab);
        return lines.some((line) => has(line, program.generated)) && lines;
    });
    await workbench.shot('sync-to-opencl');
    // The marks follow the cursor.
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await workbench.until('no marked lines', async () => (await workbench.marked(tab)).length === 0);
    await workbench.scrollToLine(tab, generated.beginning);
    const line = (await workbench.lines(tab)).findIndex((text) => text.startsWith(generated.beginning)) + 1;
    await workbench.clickOn(tab, line, generated.word);
    const back = await workbench.until('the marked expression', async () =>
        (await workbench.marked(EVENS.file)).find((text) => has(text, generated.contains)));
    await workbench.shot('sync-to-program');
    return `${marked.length} lines; ${back.trim()}`;
});

await check('the mouse marks what belongs together, and settings turn the marks off', async () => {
    const tab = EVENS.opencl.tab;
    const { program } = EVENS.sync;
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await workbench.until('no marked lines', async () => (await workbench.marked(tab)).length === 0);
    await workbench.hover(EVENS.file, program.line, program.word);
    await workbench.until('marked lines', async () => (await workbench.marked(tab)).length > 0);
    await workbench.shot('sync-hover');
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await workbench.until('no marked lines', async () => (await workbench.marked(tab)).length === 0);
    const settings = new Settings(opened);
    /** Moves the cursor to the word again. Returns whether anything is marked then. */
    const follows = async () => {
        await workbench.clickOn(EVENS.file, 1, 'squares');
        await workbench.page.waitForTimeout(700);
        await workbench.clickOn(EVENS.file, program.line, program.word);
        await workbench.page.waitForTimeout(700);
        return (await workbench.marked(tab)).length > 0;
    };
    const off = { 'lift.generated.syncCursor': 'toProgram', 'lift.generated.syncHover': false };
    settings.set(off);
    try {
        await workbench.until('no marked lines with the settings', async () => {
            if (!(await follows())) return true;
            // The editor may miss a file that is written immediately after its folder is created.
            settings.set(off);
            return false;
        });
        await workbench.shot('sync-off');
    } finally {
        settings.remove();
    }
    await workbench.until('marked lines without them', follows);
});

for (const { title, tab, contains } of EVENS.stages) {
    await check(`[stages] the stage ${title}`, async () => {
        await workbench.clickOn(EVENS.file, 4, 'filter');
        await workbench.command('Lift: Show Stage');
        await workbench.answer(title);
        await workbench.until('its text', async () => has((await workbench.lines(tab)).join('\n'), contains));
        await workbench.shot(`stage-${tab}`);
        await workbench.closeTab(tab);
    });
}

const { answers, tab, result, on, comments, launches, hint } = EVENS.run;

/** Waits until the panel shows these lines of the result. */
async function panelResult(panel, expected) {
    return workbench.until('the result', async () => {
        const text = await panel.locator('.result pre').textContent().catch(() => '');
        return text.trimEnd() === expected.join('\n') && text;
    });
}

await check('[run inputs] Run Kernel asks for inputs and sizes, and shows result, plot and times in a panel', async () => {
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Run Kernel');
    for (const answer of answers) await workbench.answer(answer);
    const panel = await workbench.panel(EVENS.kernel);
    await panelResult(panel, result);
    await workbench.shot('run');
    assertHas(await panel.locator('header').innerText(), on);
    assert.equal(await panel.locator('figure.curves svg circle').count(), result.length);
    const times = await panel.locator('.times').innerText();
    for (const launch of launches) assertHas(times, launch);
    return times.split('\n').at(-1);
});

const timeHint = async () => (await workbench.hints(EVENS.file, hint.line)).join('');

await check('[times] times stand at the end of the line that caused them', async () => {
    const text = await workbench.until('a time', async () => {
        const hints = await timeHint();
        return hint.time.test(hints) && hints;
    });
    await workbench.shot('times');
    return text.trim();
});

await check('a kind of hint is turned off and on by its command', async () => {
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await workbench.command('Lift: Toggle Time Hints');
    await workbench.until('no time', async () => !hint.time.test(await timeHint()));
    await workbench.shot('times-off');
    await workbench.command('Lift: Toggle Time Hints');
    // The measured times are kept.
    await workbench.until('the time again', async () => hint.time.test(await timeHint()));
});

await check('a time in the panel leads to its line', async () => {
    const panel = await workbench.panel(EVENS.kernel);
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await panel.locator('button.place').first().click();
    await workbench.until('the selection', async () =>
        /Ln [45], .*selected/.test(await workbench.statusItem('status.editor.selection')));
});

await check('times of a kernel that has changed are stale; Run Again measures anew', async () => {
    const { line, word, by, result: changed } = EVENS.edit;
    await workbench.replaceWord(EVENS.file, line, word, by);
    await workbench.until('a stale time', async () => hint.stale.test(await timeHint()));
    await workbench.shot('times-stale');
    const panel = await workbench.panel(EVENS.kernel);
    await panel.locator('nav button', { hasText: 'Run Again' }).click();
    await panelResult(panel, changed);
    await workbench.until('a new time', async () => hint.time.test(await timeHint()));
    await workbench.clickOn(EVENS.file, 1, 'squares');
    await workbench.page.keyboard.press('Control+Z');
    await workbench.until('undone', async () =>
        (await workbench.lines(EVENS.file)).some((text) => has(text, `(mod x ${word})`)));
});

await check('the whole result as text', async () => {
    const panel = await workbench.panel(EVENS.kernel);
    await panel.locator('nav button', { hasText: 'Run Again' }).click();
    await panelResult(panel, result);
    await workbench.command('Lift: Show Last Result as Text');
    const lines = await workbench.until('the result', async () => {
        const all = await workbench.lines(tab);
        return all.includes(result.at(-1)) && all;
    });
    await workbench.shot('result-text');
    assert.deepEqual(lines.filter((l) => !l.startsWith(';') && l.trim() !== '').map((l) => l.trim()), result);
    for (const expected of comments) assertHas(lines.join('\n'), expected);
    await workbench.closeTab(tab);
});

await check('[plot] a result of rows is drawn as a picture', async () => {
    await workbench.openFile(TABLE.file);
    await workbench.until('lenses', async () => (await workbench.lenses(TABLE.file).count()) > 0);
    // Its `;;; run:` line has the values, so nothing is asked.
    await workbench.lenses(TABLE.file).first().click();
    const panel = await workbench.panel(TABLE.kernel);
    await workbench.until('the picture', async () => (await panel.locator('figure.picture canvas').count()) > 0);
    assertHas(await panel.locator('figcaption').innerText(), TABLE.caption);
    // Its corners have different colours.
    const colours = await panel.locator('figure.picture canvas').first().evaluate((canvas) => {
        const at = (x, y) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data].join();
        return [at(0, 0), at(canvas.width - 1, canvas.height - 1)];
    });
    assert.notEqual(colours[0], colours[1]);
    await workbench.shot('picture');
});

await check('Run Kernel says what is wrong with an input', async () => {
    await workbench.openFile(EVENS.file);
    await workbench.clickOn(EVENS.file, 4, 'filter');
    await workbench.command('Lift: Run Kernel with Other Inputs');
    const question = await workbench.until('a question', () => workbench.question());
    assertHas(question, answers[0]);
    assertHas(question, answers[1]);
    await workbench.shot('run-again');
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

await check('[cancel] a run that takes too long is cancelled, and its process ends', async () => {
    await workbench.openFile(ENDLESS.file);
    await workbench.clickOn(ENDLESS.file, 3, 'endless');
    await workbench.command('Lift: Run Kernel');
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

await check('[setup] Show Setup tells of the server and the devices', async () => {
    await workbench.command('Lift: Show Setup');
    const page = await workbench.framed(EVENS.setup.at(-1));
    await workbench.shot('setup');
    for (const expected of EVENS.setup) assertHas(page, expected);
});

await check('[device] Choose Device: the status bar and the next run follow', async () => {
    const status = () => workbench.statusItem('lift-lang.lift.lift.status');
    await workbench.openFile(EVENS.file);
    await workbench.command('Lift: Choose Device');
    await workbench.until('the question', async () => has(await workbench.question(), 'Where Lift runs kernels'));
    await workbench.shot('choose-device');
    await workbench.answer('interpreter');
    await workbench.until('the interpreter in the status bar', async () => has(await status(), /· interpreter$/));
    await workbench.clickOn(EVENS.file, 4, 'filter');
    // The last run failed, so it is asked for inputs.
    await workbench.command('Lift: Run Kernel');
    await workbench.answer('Other');
    for (const answer of answers) await workbench.answer(answer);
    const panel = await workbench.panel(EVENS.kernel);
    await workbench.until('a run of the interpreter', async () =>
        has(await panel.locator('header').innerText().catch(() => ''), 'interpreter'));
    await workbench.command('Lift: Choose Device');
    await workbench.answer('auto');
    await workbench.until('the device again', async () =>
        EVENS.statusDevice.test(await status()) && !has(await status(), /interpreter/));
});

await check('a click on the status bar shows the setup', async () => {
    await workbench.command('View: Close All Editors');
    await workbench.page.locator('[id="lift-lang.lift.lift.status"] a').click();
    await workbench.framed(EVENS.setup.at(-1));
});

await check('the walkthrough leads from a program to its result, and each step is checked off', async () => {
    const { title, steps, kernel, opencl, hover, explicit } = WALKTHROUGH;
    const page = workbench.page.locator('.gettingStartedContainer');
    /** Opens the walkthrough, and a step of it. */
    const step = async (name) => {
        await workbench.command('Lift: Open Walkthrough');
        await workbench.until('the page', async () => has(await page.innerText().catch(() => ''), title));
        await page.locator('.getting-started-step', { hasText: name }).first().click();
    };
    const press = (name) => page.locator('.getting-started-step.expanded .monaco-button', { hasText: name }).click();
    const done = (name) =>
        workbench.until(`${name} is checked off`, async () => {
            await workbench.command('Lift: Open Walkthrough');
            const marks = page.locator('.getting-started-step', { hasText: name }).locator('.codicon.complete');
            return (await marks.count()) > 0;
        });
    await workbench.command('View: Close All Editors');
    await step(steps[0]);
    const text = await page.innerText();
    for (const name of steps) assertHas(text, name);
    await workbench.shot('walkthrough');
    await press('Open an Example');
    const untitled = workbench.page.locator('.tab[data-resource-name^="Untitled"]').first();
    const example = await untitled.getAttribute('data-resource-name');
    await workbench.until('hints in it', async () =>
        (await workbench.lines(example)).some((line) => has(line, 'unpack X1')));
    await done(steps[0]);

    await workbench.until('the cursor on filter', async () => {
        // Lenses may still move the text.
        await workbench.clickOn(example, 6, 'filter');
        await workbench.page.waitForTimeout(300);
        return /^Ln 6,/.test(await workbench.statusItem('status.editor.selection'));
    });
    await workbench.command('Show or Focus Hover');
    const said = workbench.page.locator('.monaco-hover:not(.hidden) .hover-contents');
    await workbench.until('the hover', async () => has((await said.allInnerTexts()).join('\n'), hover));
    await workbench.shot('walkthrough-hover');
    await workbench.page.keyboard.press('Escape');
    await done(steps[1]);

    await workbench.clickOn(example, 6, 'filter');
    await workbench.command('Lift: Make Pack/Unpack Explicit in This File');
    await workbench.until('the written pack', async () => has((await workbench.lines(example)).join('\n'), explicit));
    await workbench.shot('walkthrough-explicit');
    await done(steps[2]);

    await workbench.clickOn(example, 3, 'doubled');
    await workbench.command('Lift: Generate OpenCL');
    await workbench.until('its OpenCL', async () =>
        has((await workbench.lines(opencl.tab)).join('\n'), opencl.contains));
    await workbench.shot('walkthrough-code');
    await done(steps[3]);

    await workbench.clickOn(example, 3, 'doubled');
    await workbench.command('Lift: Run Kernel');
    const panel = await workbench.panel(kernel);
    await workbench.until('its plot', async () => (await panel.locator('figure.curves svg').count()) > 0);
    await workbench.shot('walkthrough-run');
    await done(steps[4]);
    await workbench.shot('walkthrough-done');
});

await check('nothing was written that nobody saved', async () => {
    const here = path.dirname(new URL(import.meta.url).pathname);
    for (const file of [EVENS.file, ZIP_ERROR.file, ENDLESS.file, TABLE.file]) {
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
