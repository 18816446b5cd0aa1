/** Draws a result: curves as vector graphics, a picture as pixels with its scale. */
import type { Curve, Plot } from '../src/protocol';
import { formatNumber, ticks } from '../src/shown';
import { element, svg } from './dom';

const WIDTH = 720;
const HEIGHT = 260;
const LEFT = 64;
const BOTTOM = 24;
const TOP = 8;
/** Curves of fewer points have a dot at each. */
const DOTS = 64;
/** Colours repeat after this many curves. */
const COLOURS = 6;

export function drawPlot(plot: Plot): HTMLElement {
    const readout = element('output', {}, '');
    const drawn = plot.kind === 'curves' ? curves(plot, readout) : picture(plot, readout);
    const left = plot.left_out === 0 ? [] : [`; ${plot.left_out} not finite and left out`];
    const what =
        plot.kind === 'curves'
            ? `${plot.length} element${plot.length === 1 ? '' : 's'}`
            : `${plot.rows} × ${plot.columns}`;
    const caption = element('figcaption', {}, what, ...left, ' ', readout);
    return element('figure', { class: `plot ${plot.kind}` }, drawn, caption);
}

function finite(values: (number | null)[]): number[] {
    return values.filter((v): v is number => v !== null);
}

/** The minimum and the maximum, separated if they are equal. */
function bounds(values: number[]): [number, number] {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
        low = Math.min(low, value);
        high = Math.max(high, value);
    }
    if (low > high) return [0, 1];
    return low === high ? [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2] : [low, high];
}

function curves(plot: Plot & { kind: 'curves' }, readout: HTMLElement): Element {
    const [low, high] = bounds(plot.curves.flatMap((c) => [...finite(c.low), ...finite(c.high)]));
    const buckets = plot.curves[0]?.low.length ?? 0;
    const x = (bucket: number): number => LEFT + ((bucket + 0.5) / Math.max(1, buckets)) * (WIDTH - LEFT);
    const y = (value: number): number => TOP + ((high - value) / (high - low)) * (HEIGHT - BOTTOM - TOP);

    const grid = ticks(low, high, 5).flatMap((value) => [
        svg('line', { class: 'grid', x1: LEFT, x2: WIDTH, y1: y(value), y2: y(value) }),
        svg('text', { class: 'tick', x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end' }, formatNumber(value)),
    ]);
    const perBucket = plot.length / Math.max(1, buckets);
    const places = ticks(0, plot.length - 1, 6).filter(Number.isInteger);
    const axis = places.map((i) =>
        svg('text', { class: 'tick', x: x(i / perBucket), y: HEIGHT - 6, 'text-anchor': 'middle' }, String(i)),
    );
    const cursor = svg('line', { class: 'cursor', x1: 0, x2: 0, y1: TOP, y2: HEIGHT - BOTTOM });
    const drawing = svg(
        'svg',
        {
            viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
            role: 'img',
            'aria-label': `${plot.curves.length} curve(s) of ${plot.length} numbers from ${formatNumber(low)} to ${formatNumber(high)}`,
        },
        ...grid,
        ...axis,
        ...plot.curves.flatMap((curve, i) => drawCurve(curve, i, x, y)),
        cursor,
    );
    drawing.addEventListener('pointermove', (event) => {
        const box = drawing.getBoundingClientRect();
        const at = ((event.clientX - box.left) / box.width) * WIDTH;
        const bucket = Math.floor(((at - LEFT) / (WIDTH - LEFT)) * buckets);
        if (bucket < 0 || bucket >= buckets) return;
        cursor.setAttribute('x1', String(x(bucket)));
        cursor.setAttribute('x2', String(x(bucket)));
        const first = Math.ceil(bucket * perBucket);
        const last = Math.ceil((bucket + 1) * perBucket) - 1;
        const values = plot.curves.map(({ low, high }) => {
            const [least, greatest] = [low[bucket] ?? null, high[bucket] ?? null];
            if (least === null || greatest === null) return '–';
            return least === greatest ? formatNumber(least) : `${formatNumber(least)} … ${formatNumber(greatest)}`;
        });
        readout.textContent = `[${first}${last > first ? `–${last}` : ''}]: ${values.join(', ')}`;
    });
    return drawing;
}

/** A line, interrupted where there is no number; where buckets have a spread, the area of it. */
function drawCurve(
    { low, high }: Curve,
    index: number,
    x: (bucket: number) => number,
    y: (value: number) => number,
): SVGElement[] {
    const kind = `curve-${index % COLOURS}`;
    const out: SVGElement[] = [];
    const spread = low.some((value, i) => value !== high[i]);
    let from = 0;
    while (from < low.length) {
        if (low[from] === null) {
            from++;
            continue;
        }
        let to = from;
        while (to < low.length && low[to] !== null) to++;
        const along = (values: (number | null)[]): string[] =>
            values.slice(from, to).map((v, i) => `${x(from + i).toFixed(2)},${y(v ?? 0).toFixed(2)}`);
        if (spread) {
            const points = [...along(high), ...along(low).reverse()].join(' ');
            out.push(svg('polygon', { class: `area ${kind}`, points }));
        } else {
            out.push(svg('polyline', { class: `line ${kind}`, points: along(low).join(' ') }));
        }
        if (low.length <= DOTS) {
            for (let i = from; i < to; i++) {
                out.push(svg('circle', { class: `dot ${kind}`, cx: x(i), cy: y(low[i] ?? 0), r: 2.5 }));
            }
        }
        from = to;
    }
    return out;
}

/** The colours of viridis, dark to light: readable on every theme and for colour-blind people. */
const SCALE: [number, number, number][] = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
];

function colour(part: number): [number, number, number] {
    const at = Math.min(1, Math.max(0, part)) * (SCALE.length - 1);
    const below = Math.min(Math.floor(at), SCALE.length - 2);
    const [a, b] = [SCALE[below], SCALE[below + 1]];
    if (a === undefined || b === undefined) return [0, 0, 0];
    const mix = (i: 0 | 1 | 2): number => Math.round(a[i] + (b[i] - a[i]) * (at - below));
    return [mix(0), mix(1), mix(2)];
}

function picture({ rows, columns, cells }: Plot & { kind: 'picture' }, readout: HTMLElement): Element {
    const [low, high] = bounds(cells.flatMap(finite));
    const [height, width] = [cells.length, cells[0]?.length ?? 0];
    const label = `a picture of ${rows} rows and ${columns} columns, from ${formatNumber(low)} to ${formatNumber(high)}`;
    const canvas = pixels(width, height, label, (row, column) => {
        const value = cells[row]?.[column] ?? null;
        return value === null ? undefined : colour((value - low) / (high - low));
    });
    // Small pictures have large cells; none is wider than the panel.
    canvas.style.width = `${Math.min(720, Math.max(240, width * Math.ceil(240 / Math.max(1, width))))}px`;
    canvas.addEventListener('pointermove', (event) => {
        const box = canvas.getBoundingClientRect();
        const row = Math.floor(((event.clientY - box.top) / box.height) * height);
        const column = Math.floor(((event.clientX - box.left) / box.width) * width);
        const value = cells[row]?.[column] ?? null;
        const at = `[${Math.floor((row * rows) / height)}, ${Math.floor((column * columns) / width)}]`;
        readout.textContent = `${at}: ${value === null ? '–' : formatNumber(value)}`;
    });
    const scale = pixels(128, 1, 'the scale', (_, column) => colour(column / 127));
    scale.className = 'scale';
    const legend = element('div', { class: 'legend' }, formatNumber(low), scale, formatNumber(high));
    return element('div', {}, canvas, legend);
}

function pixels(
    width: number,
    height: number,
    label: string,
    at: (row: number, column: number) => [number, number, number] | undefined,
): HTMLCanvasElement {
    const attributes = { width: String(width), height: String(height), role: 'img', 'aria-label': label };
    const canvas = element('canvas', attributes);
    const context = canvas.getContext('2d');
    if (context === null || width === 0 || height === 0) return canvas;
    const image = context.createImageData(width, height);
    for (let row = 0; row < height; row++) {
        for (let column = 0; column < width; column++) {
            const found = at(row, column);
            if (found !== undefined) image.data.set([...found, 255], 4 * (row * width + column));
        }
    }
    context.putImageData(image, 0, 0);
    return canvas;
}
