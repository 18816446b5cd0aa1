/** What the panel of a run shows, and what it asks for: the data that goes between it and the extension. */
import type { Plot, ProfileEntry, Tuning } from './protocol';

/** Lines of a result that the panel shows; the whole is a text document. */
export const PREVIEW_LINES = 200;

/** A run as the panel shows it. */
export interface Shown {
    kernel: string;
    /** The file name of the program. */
    program: string;
    /** The address of the program, to start another run by. */
    source: string;
    /** What it ran on, in one line; may be empty. */
    values: string;
    device: string;
    /** When, for a person. */
    time: string;
    notices: string[];
    /** Runs that were measured. */
    runs: number;
    total: [number, number, number] | null;
    profile: ProfileEntry[];
    plot: Plot | null;
    /** The first lines of the result. */
    preview: string;
    /** Whether the result has further lines. */
    cut: boolean;
}

export type FromPanel =
    | { type: 'ready' }
    | { type: 'again' }
    | { type: 'others' }
    | { type: 'text' }
    /** To the place of an entry of the profile. */
    | { type: 'go'; entry: number };

/** Validates a message from a panel; undefined if it is malformed. */
export function fromPanel(message: unknown): FromPanel | undefined {
    const said = message as Partial<FromPanel> | null;
    switch (said?.type) {
        case 'ready':
        case 'again':
        case 'others':
        case 'text':
            return { type: said.type };
        case 'go':
            return Number.isInteger(said.entry) ? { type: 'go', entry: Number(said.entry) } : undefined;
        default:
            return undefined;
    }
}

/** A finished search as its panel shows it. */
export interface TuningTable {
    kernel: string;
    program: string;
    /** The address of the program, to start another search by. */
    source: string;
    device: string;
    /** As in `N = 8`; may be empty. */
    sizes: string;
    /** The choice that is kept. */
    best: string | null;
    /** Speed relative to the default. */
    gain: number | null;
    /** The least time that the device allows. */
    least: string | null;
    /** The fastest first. */
    rows: TuningRow[];
    failed: { choice: string; why: string }[];
}

export interface TuningRow {
    choice: string;
    time: string;
    /** Speed relative to the default. */
    ratio: number;
    /** The share of the roofline, from 0; in caches more than 1. */
    share: number | null;
    /** The length of its bar, from 0 to 1: the fastest has the longest. */
    bar: number;
}

export function tuningTable(found: Tuning, source: string, program: string): TuningTable {
    const measured = found.rows.flatMap(({ choice, microseconds }) =>
        microseconds === null ? [] : [{ choice, microseconds }],
    );
    const all = [...measured, { choice: 'as it is', microseconds: found.default }];
    all.sort((a, b) => a.microseconds - b.microseconds);
    const fastest = all[0]?.microseconds ?? 1;
    return {
        kernel: found.kernel,
        program,
        source,
        device: found.device,
        sizes: Object.entries(found.sizes)
            .map(([name, n]) => `${name} = ${n}`)
            .join(', '),
        best: found.best,
        gain: found.times === null ? null : found.times[0] / found.times[1],
        least: found.least === null ? null : formatTime(found.least),
        rows: all.map(({ choice, microseconds }) => ({
            choice,
            time: formatTime(microseconds),
            ratio: found.default / microseconds,
            share: found.least === null ? null : found.least / microseconds,
            bar: fastest / microseconds,
        })),
        failed: found.rows.flatMap(({ choice, failed }) => (failed === null ? [] : [{ choice, why: failed }])),
    };
}

/** A time with three digits and its unit. */
export function formatTime(microseconds: number): string {
    const [value, unit] =
        microseconds < 1e3
            ? [microseconds, 'µs']
            : microseconds < 1e6
              ? [microseconds / 1e3, 'ms']
              : [microseconds / 1e6, 's'];
    return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
}

/** The shortest text of a number with a relative error of at most 1/1000. */
export function formatNumber(x: number): string {
    if (x === 0) return '0';
    const size = Math.abs(x);
    if (size >= 1e6 || size < 1e-3) return x.toExponential(2).replace(/\.?0+e/, 'e');
    return String(Number(x.toPrecision(4)));
}

/** About `count` round numbers from `low` to `high`. */
export function ticks(low: number, high: number, count: number): number[] {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span)) return [low];
    const raw = span / Math.max(1, count);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw) ?? 10 * power;
    const out: number[] = [];
    for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) {
        out.push(Number((i * step).toPrecision(12)));
    }
    return out;
}
