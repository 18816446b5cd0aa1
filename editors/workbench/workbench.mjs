// The workbench as a person sees it: a page in a real browser, read from the DOM and driven by mouse
// and keyboard. Nothing here reaches into the editor's own interfaces.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';

const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Time limit for anything to appear, in milliseconds; generous, for slow machines. */
const PATIENCE = Number(process.env.WORKBENCH_PATIENCE ?? 40_000);

export class Workbench {
    /** Hosts that the page asked besides this machine; there should be none. */
    foreignHosts = new Set();
    #profile = fs.mkdtempSync(path.join(os.tmpdir(), 'lift-browser-'));
    #shots = 0;
    /** Called with the page before it loads anything. */
    prepare = async () => {};

    constructor(shotFolder, window = { width: 1440, height: 860, scale: 1 }) {
        this.shotFolder = shotFolder;
        this.window = window;
        fs.mkdirSync(shotFolder, { recursive: true });
    }

    async open(address) {
        this.context = await chromium.launchPersistentContext(this.#profile, {
            executablePath: BROWSER,
            headless: true,
            viewport: { width: this.window.width, height: this.window.height },
            deviceScaleFactor: this.window.scale,
            args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
                '--disable-background-networking', '--disable-component-update', '--disable-sync'],
        });
        this.page = this.context.pages()[0] ?? (await this.context.newPage());
        this.page.setDefaultTimeout(PATIENCE);
        this.page.on('request', (request) => {
            const { protocol, host } = new URL(request.url());
            // The host of webview files; a service worker answers without any network request.
            if (host.endsWith('.vscode-resource.vscode-cdn.net')) return;
            if (/^(http|ws)s?:$/.test(protocol) && !/^(127\.0\.0\.1|localhost)(:|$)/.test(host)) {
                this.foreignHosts.add(host);
            }
        });
        await this.prepare(this.page);
        await this.page.goto(address);
        await this.page.waitForSelector('.monaco-workbench');
    }

    async close() {
        await this.context?.close();
        fs.rmSync(this.#profile, { recursive: true, force: true });
    }

    /** Saves a screenshot of the window, numbered in order. */
    async shot(name) {
        const number = String(++this.#shots).padStart(2, '0');
        const file = path.join(this.shotFolder, `${number}-${name}.png`);
        await this.page.screenshot({ path: file });
        return file;
    }

    /** Waits until `read` returns a true value, and returns it. */
    async until(what, read, patience = PATIENCE) {
        const end = Date.now() + patience;
        for (;;) {
            const value = await read();
            if (value) return value;
            if (Date.now() > end) throw new Error(`did not happen: ${what}`);
            await this.page.waitForTimeout(100);
        }
    }

    // --- files and editors -------------------------------------------------------------------

    /** Opens a file in the first group of editors. */
    async openFile(name) {
        const groups = this.page.locator('.editor-group-container');
        if ((await groups.count()) > 1) await groups.first().locator('.tab').first().click();
        const row = this.page.locator(`.explorer-folders-view .monaco-list-row[aria-label^="${name}"]`);
        await row.first().dblclick();
        await this.until(`${name} is open`, async () => (await this.tabs()).includes(name));
        await this.page.waitForSelector('.editor-instance .view-line');
    }

    async tabs() {
        return readable(await this.page.locator('.tabs-container .tab .label-name').allTextContents());
    }

    /** The editor whose group's active tab has this name. */
    editor(tab) {
        return this.page
            .locator('.editor-group-container')
            .filter({ has: this.page.locator(`.tab.active[data-resource-name="${tab}"]`) })
            .locator('.editor-instance');
    }

    /** The visible lines of an editor from top to bottom, inlay hints included. */
    async lines(tab) {
        const rows = await this.editor(tab)
            .locator('.view-lines .view-line')
            .evaluateAll((all) => all.map((row) => [parseInt(row.style.top), row.textContent]));
        return readable(rows.sort(([a], [b]) => a - b).map(([, text]) => text));
    }

    /** The inlay hints of a line (counted from 1). */
    async hints(tab, line) {
        const row = await this.#row(tab, line);
        return readable((await row?.locator('[class*="dyn-rule"]').allTextContents()) ?? []);
    }

    async #row(tab, line) {
        const rows = this.editor(tab).locator('.view-lines .view-line');
        const tops = await rows.evaluateAll((all) => all.map((row) => parseInt(row.style.top)));
        const order = tops.map((top, index) => [top, index]).sort(([a], [b]) => a - b);
        const found = order[line - 1];
        return found && rows.nth(found[1]);
    }

    /** The middle of a word of a line on the screen. */
    async #placeOf(tab, line, word) {
        const { x, y, width, height } = await this.until(`${word} in line ${line} of ${tab}`, async () => {
            const row = await this.#row(tab, line);
            return row && this.#boxOf(row, word);
        });
        return { x: x + width / 2, y: y + height / 2 };
    }

    #boxOf(row, word) {
        return row.evaluate((element, wanted) => {
            const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                // Inlay hints do not belong to the program's text.
                if (node.parentElement.className.includes('dyn-rule')) continue;
                const text = node.textContent.replaceAll('\u00a0', ' ');
                const at = text.search(new RegExp(`(?<![^\\s()\\[\\]])${wanted}(?![^\\s()\\[\\]])`));
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + wanted.length);
                const { x, y, width, height } = range.getBoundingClientRect();
                return { x, y, width, height };
            }
            return null;
        }, word);
    }

    async clickOn(tab, line, word) {
        const { x, y } = await this.#placeOf(tab, line, word);
        await this.page.mouse.click(x, y);
    }

    /** Double-clicks the part of a hint with this label, which inserts the hint; lines are counted from 1. */
    async doubleClickHint(tab, line, label) {
        await this.#dismiss();
        const row = await this.#row(tab, line);
        const hint = row.locator('[class*="dyn-rule"]', { hasText: label }).first();
        const { x, y, width, height } = await hint.boundingBox();
        await this.page.mouse.dblclick(x + width / 2, y + height / 2);
    }

    /** Replaces a word of a line by typing over it; nothing is saved. */
    async replaceWord(tab, line, word, text) {
        await this.#dismiss();
        const { x, y } = await this.#placeOf(tab, line, word);
        await this.page.mouse.dblclick(x, y);
        await this.page.keyboard.insertText(text);
    }

    /** Undoes edits until a line (counted from 1) has its old text; slow typing makes several edits. */
    async undoTo(tab, line, before) {
        let seen;
        await this.until('undone', async () => {
            const now = (await this.lines(tab))[line - 1];
            if (now !== before && now !== seen) {
                seen = now;
                await this.page.keyboard.press('Control+Z');
            }
            return now === before;
        });
    }

    /** The lines of an editor in which the extension marks something with a background. */
    async marked(tab) {
        const rows = this.editor(tab).locator('.view-lines .view-line');
        const lines = await rows.evaluateAll((all) =>
            all.map((row) => [row.getBoundingClientRect().top, row.textContent]));
        const marks = await this.editor(tab)
            .locator('.view-overlays .cdr[class*="TextEditorDecorationType"]')
            .evaluateAll((all) =>
                all
                    .filter((mark) => !/^(transparent|rgba\(0, 0, 0, 0\))$/.test(getComputedStyle(mark).backgroundColor))
                    .map((mark) => mark.getBoundingClientRect())
                    .filter(({ width }) => width > 0)
                    .map(({ top, height }) => top + height / 2));
        const of = lines.filter(([top]) => marks.some((mark) => mark >= top && mark < top + 15));
        return readable(of.sort(([a], [b]) => a - b).map(([, text]) => text));
    }

    /** The text and colour of a decoration in a line (counted from 1), which is not in the page's text. */
    async painted(tab, line) {
        const row = await this.#row(tab, line);
        return row.locator('[class*="TextEditorDecorationType"]').evaluateAll((all) =>
            all.map((element) => {
                const { content, color } = getComputedStyle(element, '::after');
                return { text: content.replace(/^"|"$/g, ''), color };
            }));
    }

    /** Moves the right edge of an editor to the right, by so many pixels. */
    async widen(tab, by) {
        const { x, y, width, height } = await this.editor(tab).boundingBox();
        await this.page.mouse.move(x + width, y + height / 2);
        await this.page.mouse.down();
        await this.page.mouse.move(x + width + by, y + height / 2, { steps: 5 });
        await this.page.mouse.up();
    }

    /** Scrolls an editor until the line that begins so is its first. */
    async scrollTo(tab, beginning) {
        await this.editor(tab).hover();
        await this.until(`${beginning} is on top`, async () => {
            const at = (await this.lines(tab)).findIndex((line) => line.startsWith(beginning));
            if (at === 0) return true;
            await this.page.mouse.wheel(0, at < 0 ? 400 : at * 19);
            await this.page.waitForTimeout(200);
            return false;
        });
    }

    /** Scrolls an editor until a line that contains `text` is in view. */
    async scrollToLine(tab, text) {
        await this.editor(tab).hover();
        await this.page.mouse.wheel(0, -100_000);
        await this.until(`${text} is in view`, async () => {
            if ((await this.lines(tab)).some((line) => line.includes(text))) return true;
            await this.page.mouse.wheel(0, 200);
            await this.page.waitForTimeout(200);
            return false;
        });
    }

    /** Rests the mouse on a word. Returns the lines of the hover. */
    async hover(tab, line, word) {
        await this.#dismiss();
        return this.until(`a hover at ${word}`, async () => {
            // Computed each time, because hints and lenses may still move the text.
            const { x, y } = await this.#placeOf(tab, line, word);
            await this.page.mouse.move(x - 3, y);
            await this.page.mouse.move(x, y, { steps: 4 });
            await this.page.waitForTimeout(1000);
            const shown = this.page.locator('.monaco-hover:not(.hidden) .hover-contents');
            const texts = await shown.evaluateAll((all) => all.map((e) => e.innerText));
            const rows = readable(texts.join('\n').split('\n')).map((row) => row.trim());
            const said = rows.filter((row) => row !== '' && row !== 'Loading...');
            // If the text has moved meanwhile, the mouse is on another word.
            const now = await this.#placeOf(tab, line, word);
            if (Math.abs(now.x - x) > 2 || Math.abs(now.y - y) > 2) {
                await this.#dismiss();
                return false;
            }
            return said.length > 0 && said;
        });
    }

    /** Moves the mouse and the focus to where no hover appears. */
    async #dismiss() {
        await this.page.mouse.move(5, 5);
        await this.until(
            'the last hover is gone',
            async () => (await this.page.locator('.monaco-hover:not(.hidden) .hover-contents').count()) === 0,
            5000,
        ).catch(() => this.page.keyboard.press('Escape'));
    }

    /** The panel of a run that shows this kernel: the frame that it is drawn in. */
    async panel(kernel) {
        const shown = async () => {
            for (const frame of this.page.frames()) {
                const title = await frame.locator('#run h1').textContent({ timeout: 500 }).catch(() => null);
                if (title === kernel) return frame;
            }
            return false;
        };
        const early = await this.until(`the panel of ${kernel}`, shown, PATIENCE / 2).catch(() => false);
        if (early) return early;
        // Under load the editor may lose a page in a frame; reloading it helps.
        await this.command('Developer: Reload Webviews');
        return this.until(`the panel of ${kernel}`, shown).catch(async (error) => {
            const [said, asked] = [await this.notifications(), await this.question()];
            const seen = JSON.stringify({ notifications: said, question: asked, tabs: await this.tabs() });
            throw new Error(`${error.message}; seen: ${seen}`);
        });
    }

    /** The text of a page in a frame, such as a rendered document, once it contains `expected`. */
    async framed(expected) {
        return this.until(`a page that has ${expected}`, async () => {
            for (const frame of this.page.frames().filter((frame) => frame !== this.page.mainFrame())) {
                const text = await frame.locator('body').innerText({ timeout: 500 }).catch(() => '');
                if (text.includes(expected)) return text;
            }
            return false;
        });
    }

    // --- commands ----------------------------------------------------------------------------

    /** Runs a command by its title in the palette, as typed there. */
    async command(title) {
        await this.#dismiss();
        // The whole title: a key may follow in the label, or an ellipsis.
        const labels = [`="${title}"`, `^="${title},"`, `^="${title}…"`].map((end) => `.monaco-list-row[aria-label${end}]`);
        const row = this.page.locator('.quick-input-list').locator(labels.join(', '));
        // The list is rebuilt during the search, so a row may disappear under the mouse.
        await this.until(`the command ${title}`, async () => {
            await this.page.keyboard.press('F1');
            // A window that is still starting ignores the key.
            const input = this.page.locator('.quick-input-widget input').first();
            if (!(await input.fill(`>${title}`, { timeout: 3000 }).then(() => true, () => false))) return false;
            const clicked = await row.first().click({ timeout: 8000 }).then(() => true, () => false);
            if (!clicked) await this.page.keyboard.press('Escape');
            return clicked;
        });
        // The command asks its question in the palette's field: wait until the field is the question's before typing.
        const field = this.page.locator('.quick-input-widget input').first();
        await this.until('the palette closes', async () =>
            !(await field.isVisible()) || !(await field.inputValue()).startsWith('>'));
    }

    /** Answers the question that is asked at the top of the window. */
    async answer(text) {
        const widget = this.page.locator('.quick-input-widget');
        const input = widget.locator('input').first();
        await input.waitFor({ state: 'visible' });
        const asked = await this.#asked();
        await input.fill(text);
        // The list follows what is typed; its first row is what Enter takes.
        const first = widget.locator('.monaco-list-row.focused');
        await this.until(`${text} is listed`, async () => {
            if (!(await widget.locator('.quick-input-list').isVisible())) return true;
            const label = await first.first().getAttribute('aria-label', { timeout: 500 }).catch(() => null);
            return label?.includes(text);
        });
        await this.page.keyboard.press('Enter');
        await this.until('the next question', async () => (await this.#asked()) !== asked);
    }

    /** The text of the question without its list of answers, which changes during typing; empty if there is none. */
    async #asked() {
        const widget = this.page.locator('.quick-input-widget');
        if (!(await widget.isVisible())) return '';
        const parts = ['.quick-input-titlebar', '.quick-input-message'].map((part) => widget.locator(part).first().innerText());
        const input = widget.locator('input').first();
        return (await Promise.all([...parts, input.getAttribute('placeholder')])).join('\n');
    }

    /** The question at the top of the window with its hint; empty if none is asked. */
    async question() {
        const widget = this.page.locator('.quick-input-widget');
        if (!(await widget.isVisible())) return '';
        const input = widget.locator('input').first();
        const text = await widget.innerText();
        return readable([`${text} ${await input.getAttribute('placeholder')}`])[0];
    }

    // --- what the window says ----------------------------------------------------------------

    async problems() {
        const panel = this.page.locator('.markers-panel');
        // The key shows the panel, and hides one that has the focus: a second press must not overtake the first.
        await this.until('the panel of problems', async () => {
            if (await panel.isVisible()) return true;
            await this.page.keyboard.press('Control+Shift+M');
            return panel.waitFor({ state: 'visible', timeout: PATIENCE / 4 }).then(() => true, () => false);
        });
        const rows = panel.locator('.monaco-list-row').filter({ has: this.page.locator('.marker-icon') });
        return readable(await rows.allTextContents());
    }

    /** The related places that are listed below the problems. */
    async relatedPlaces() {
        const rows = this.page.locator('.markers-panel .monaco-list-row');
        const related = rows.filter({ has: this.page.locator('.related-info-resource') });
        return readable(await related.allTextContents());
    }

    /** The lenses of an editor: links between its lines. */
    lenses(tab) {
        return this.editor(tab).locator('.codelens-decoration a');
    }

    async squiggles(tab) {
        return this.editor(tab).locator('.squiggly-error').count();
    }

    async closeTab(tab) {
        await this.page.locator(`.tab[data-resource-name="${tab}"]`).click();
        await this.page.locator(`.tab[data-resource-name="${tab}"] .codicon-close`).click();
        await this.until(`${tab} is closed`, async () => !(await this.tabs()).includes(tab));
    }

    async notifications() {
        const toasts = this.page.locator('.notifications-toasts .notification-list-item-message');
        return readable(await toasts.allTextContents());
    }

    /** Presses a button of the notification that has this text. */
    async pressButton(text, button) {
        const toast = this.page.locator('.notifications-toasts .notification-toast').filter({ hasText: text });
        await toast.locator('.monaco-button', { hasText: button }).click();
    }

    async statusItem(id) {
        const item = this.page.locator(`[id="${id}"]`);
        return readable([await item.textContent()])[0].trim();
    }

    /** Scrolls the panel of outputs to its start (`'Home'`) or its end (`'End'`). */
    async scrollOutput(key) {
        await this.page.locator('.part.panel .monaco-editor').click();
        await this.page.keyboard.press(`Control+${key}`);
    }

    /** The text in the panel of outputs, as far as it is in view. */
    async output() {
        const rows = this.page.locator('.part.panel .view-lines .view-line');
        return readable(await rows.allTextContents()).join('\n');
    }

    /** The colours that the words of a line have, by word. */
    async colours(tab, line) {
        const row = await this.#row(tab, line);
        const words = await row?.locator('span > span').evaluateAll((all) =>
            all.map((e) => [e.textContent, getComputedStyle(e).color]));
        const pairs = words ?? [];
        return new Map(pairs.map(([text, colour]) => [readable([text])[0].trim(), colour]));
    }
}

/** The editor draws blanks as U+00A0 and puts marks of width zero among them. */
function readable(texts) {
    return texts.map((text) => text.replaceAll('\u00a0', ' ').replace(/[\u200b-\u200f\u2060]/g, ''));
}
