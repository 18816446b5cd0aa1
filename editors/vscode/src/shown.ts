/** What the panel of a run shows, and what it asks for: the data that goes between it and the extension. */
import type { Plot, ProfileEntry } from './protocol';

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

/** What a panel says; undefined if that is nothing it may say. */
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

/** A number as short as it may be without being wrong by more than a thousandth. */
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
