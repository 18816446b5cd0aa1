/** The texts of a run: in the panel, as a document, and as an entry in the output. */
import type { RunResult } from './protocol';
import { PREVIEW_LINES, formatTime, type Shown } from './shown';

/** Longer results are cut: the editor is for looking, `lift run -o` for keeping. */
const DOCUMENT_LINES = 100_000;
const OUTPUT_LINES = 100;

export interface Run {
    /** The program's address. */
    source: string;
    /** The program's file name. */
    program: string;
    /** What it ran on, in one line; may be empty. */
    values: string;
    result: RunResult;
    time: Date;
}

/** The run for the panel. */
export function toShow(run: Run): Shown {
    const { result, source, program, values, time } = run;
    const end = endOfLines(result.output, PREVIEW_LINES);
    return {
        kernel: result.kernel,
        program,
        source,
        values,
        device: result.device,
        time: time.toLocaleTimeString(),
        notices: noticesOf(result),
        runs: result.runs ?? 0,
        total: result.total ?? null,
        profile: result.profile,
        plot: result.plot ?? null,
        preview: result.output.slice(0, end),
        cut: end < result.output.length || result.cut === true,
    };
}

/** The result, with what is known about the run in comments above it. */
export function resultDocument(run: Run): string {
    const head = heading(run).map((line) => `; ${line}\n`);
    return `${head.join('')}\n${shown(run.result, DOCUMENT_LINES)}`;
}

/** The same for the output channel, where many runs stand below each other. */
export function outputEntry(run: Run): string {
    const [first = '', ...rest] = heading(run);
    const head = [`[${run.time.toLocaleTimeString()}] ${first}`, ...rest.map((line) => `  ${line}`)];
    return `${head.join('\n')}\n${shown(run.result, OUTPUT_LINES)}`;
}

function heading({ program, values, result }: Run): string[] {
    const on = values === '' ? '' : ` on ${values}`;
    const lines = [`${result.kernel} of ${program}${on}`, `device: ${result.device}`];
    lines.push(...noticesOf(result).map((notice) => `note: ${notice}`));
    return [...lines, ...profileTable(result)];
}

/** Notices about a run, one sentence each. */
export function noticesOf(result: RunResult): string[] {
    return (result.notice ?? '').split('\n').filter((notice) => notice !== '');
}

function profileTable({ profile, runs = 1 }: RunResult): string[] {
    const rows = profile.map(({ name, launches = 1, microseconds, spread }) => {
        const label = launches === 1 ? name : `${name}, ${launches} times`;
        const of = runs > 1 && spread !== undefined ? `  ${spread.map(formatTime).join(' – ')}` : '';
        return [label, formatTime(microseconds), of] as const;
    });
    if (rows.length > 1) {
        const total = profile.reduce((sum, row) => sum + row.microseconds, 0);
        rows.push(['in all', formatTime(total), '']);
    }
    const names = Math.max(...rows.map(([name]) => name.length), 0);
    const times = Math.max(...rows.map(([, time]) => time.length), 0);
    const lines = rows.map(([name, time, of]) => `${name.padEnd(names)}  ${time.padStart(times)}${of}`);
    return runs > 1 && lines.length > 0 ? [`the median of ${runs} runs, least – greatest:`, ...lines] : lines;
}

/** The first lines of a result, and how many more there are. */
function shown({ output, cut }: RunResult, limit: number): string {
    const end = endOfLines(output, limit);
    const left = output.slice(end).split('\n').length - (output.endsWith('\n') ? 1 : 0);
    if (end === output.length || left === 0) return cut === true ? `${output}; … and more lines\n` : output;
    return `${output.slice(0, end)}; … and ${left}${cut === true ? ' or' : ''} more lines\n`;
}

/** The offset at which the first `lines` lines of a text end. */
function endOfLines(text: string, lines: number): number {
    let end = 0;
    for (let line = 0; line < lines; line++) {
        const next = text.indexOf('\n', end);
        if (next < 0) return text.length;
        end = next + 1;
    }
    return end;
}
