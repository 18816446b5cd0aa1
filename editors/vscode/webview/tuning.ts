/** Draws the panel of a search: the measured choices from the fastest, each with time, share of the roofline and a bar. */
import type { TuningRow, TuningTable } from '../src/shown';
import { element } from './dom';

interface Host {
    postMessage(message: { type: string }): void;
}
declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

function render(shown: TuningTable): void {
    document.getElementById('run')?.replaceChildren(
        heading(shown),
        buttons(shown),
        table(shown),
        ...(shown.failed.length === 0 ? [] : [failures(shown)]),
    );
}

function heading({ kernel, program, sizes, device, best, gain, least }: TuningTable): HTMLElement {
    const found =
        best === null || gain === null
            ? 'None is clearly faster than the kernel as it is.'
            : `${best}: ${gain.toFixed(2)} × as fast as the default; kept beside the program.`;
    const roof = least === null ? [] : [element('p', {}, `The least time that the device allows: ${least} (100 %).`)];
    return element(
        'header',
        {},
        element('h1', {}, kernel),
        element('p', {}, `of ${program}${sizes === '' ? '' : ` for ${sizes}`}`),
        element('p', { class: 'device' }, device),
        element('p', { class: 'found' }, found),
        ...roof,
    );
}

function buttons({ best }: TuningTable): HTMLElement {
    const button = (label: string, type: string): HTMLElement => {
        const made = element('button', { type: 'button' }, label);
        made.addEventListener('click', () => host.postMessage({ type }));
        return made;
    };
    const write = best === null ? [] : [button('Write as Program', 'write'), button('Write beside It', 'copy')];
    return element('nav', {}, button('Tune Again', 'again'), ...write);
}

function table({ rows }: TuningTable): HTMLElement {
    const heads = ['time', '× default', 'of the roofline', '', 'version and parameters'];
    return element(
        'section',
        { class: 'times' },
        element(
            'table',
            {},
            element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
            element('tbody', {}, ...rows.map(row)),
        ),
    );
}

function row({ choice, time, ratio, share, bar }: TuningRow): HTMLElement {
    const median = element('span', { class: 'median' });
    median.style.left = '0';
    median.style.width = `${100 * bar}%`;
    return element(
        'tr',
        {},
        element('td', { class: 'number' }, time),
        element('td', { class: 'number' }, ratio.toFixed(2)),
        element('td', { class: 'number' }, share === null ? '' : `${Math.round(100 * share)} %`),
        element('td', {}, element('span', { class: 'bar', 'aria-hidden': 'true' }, median)),
        element('td', {}, choice),
    );
}

function failures({ failed }: TuningTable): HTMLElement {
    const items = failed.map(({ choice, why }) => element('li', {}, `${choice}: ${why}`));
    return element('section', {}, element('h2', {}, 'Not usable'), element('ul', {}, ...items));
}

window.addEventListener('message', ({ data }: MessageEvent<TuningTable>) => render(data));
host.postMessage({ type: 'ready' });
