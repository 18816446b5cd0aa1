/** Draws the panel of a run: what it ran on, the times of its launches, a plot, the first lines of the result. */
import { formatTime, type FromPanel, type Shown } from '../src/shown';
import { element } from './dom';
import { drawPlot } from './plot';

interface Host {
    postMessage(message: FromPanel): void;
    setState(state: Shown): void;
}
declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();

function render(shown: Shown): void {
    host.setState(shown);
    const main = document.getElementById('run');
    main?.replaceChildren(
        heading(shown),
        buttons(),
        ...shown.notices.map((notice) => element('p', { class: 'notice' }, notice)),
        ...(shown.plot === null ? [] : [drawPlot(shown.plot)]),
        ...(shown.profile.length === 0 ? [] : [times(shown)]),
        result(shown),
    );
}

function heading({ kernel, program, values, device, time }: Shown): HTMLElement {
    const on = values === '' ? '' : ` on ${values}`;
    return element(
        'header',
        {},
        element('h1', {}, kernel),
        element('p', {}, `of ${program}${on}`),
        element('p', { class: 'device' }, `${device} · ${time}`),
    );
}

function buttons(): HTMLElement {
    const button = (label: string, message: FromPanel): HTMLElement => {
        const made = element('button', { type: 'button' }, label);
        made.addEventListener('click', () => host.postMessage(message));
        return made;
    };
    return element(
        'nav',
        {},
        button('Run Again', { type: 'again' }),
        button('Other Inputs…', { type: 'others' }),
        button('All as Text', { type: 'text' }),
    );
}

/** A row for each launch of the plan: its name leads to the line that caused it. */
function times({ profile, runs, total }: Shown): HTMLElement {
    const longest = Math.max(...profile.map((p) => p.spread?.[1] ?? p.microseconds), 1e-9);
    const rows = profile.map((entry, i) => {
        const { name, launches = 1, microseconds, spread = [microseconds, microseconds], place } = entry;
        const label = element(place === undefined ? 'span' : 'button', { class: 'place' }, name);
        label.addEventListener('click', () => host.postMessage({ type: 'go', entry: i }));
        return element(
            'tr',
            {},
            element('td', {}, label),
            element('td', { class: 'number' }, launches === 1 ? '' : `${launches} ×`),
            element('td', { class: 'number median' }, formatTime(microseconds)),
            element('td', { class: 'number' }, runs > 1 ? spread.map(formatTime).join(' – ') : ''),
            element('td', {}, bar(microseconds / longest, spread[0] / longest, spread[1] / longest)),
        );
    });
    const heads = ['launch', '', runs > 1 ? `median of ${runs}` : 'time', runs > 1 ? 'least – greatest' : '', ''];
    const table = element(
        'table',
        {},
        element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
        element('tbody', {}, ...rows),
    );
    const whole =
        total === null
            ? []
            : [
                  element(
                      'p',
                      { class: 'total' },
                      `The whole program on the device, without transfers: ${formatTime(total[0])}` +
                          (runs > 1 ? ` (${formatTime(total[1])} – ${formatTime(total[2])})` : ''),
                  ),
              ];
    return element('section', { class: 'times' }, element('h2', {}, 'Times'), table, ...whole);
}

function bar(median: number, least: number, greatest: number): HTMLElement {
    const part = (kind: string, from: number, to: number): HTMLElement => {
        const made = element('span', { class: kind });
        made.style.left = `${100 * from}%`;
        made.style.width = `${100 * Math.max(0, to - from)}%`;
        return made;
    };
    return element('span', { class: 'bar', 'aria-hidden': 'true' }, part('median', 0, median), part('spread', least, greatest));
}

function result({ preview, cut }: Shown): HTMLElement {
    const more = cut ? [element('p', { class: 'more' }, '… and more lines: All as Text')] : [];
    return element('section', { class: 'result' }, element('h2', {}, 'Result'), element('pre', {}, preview), ...more);
}

window.addEventListener('message', ({ data }: MessageEvent<Shown>) => render(data));
host.postMessage({ type: 'ready' });
