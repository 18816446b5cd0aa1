/** How a run reads: the text of the result document and of the entry in the output. */
import type { RunResult } from './protocol';

/** Longer results are cut: the editor is for looking, `lift run -o` for keeping. */
const DOCUMENT_LINES = 100_000;
const OUTPUT_LINES = 100;

export interface Run {
    /** The program's file name. */
    program: string;
    /** What it ran on, in one line; may be empty. */
    values: string;
    result: RunResult;
}

/** The result, with what is known about the run in comments above it. */
export function resultDocument(run: Run): string {
    const head = heading(run).map((line) => `; ${line}\n`);
    return `${head.join('')}\n${shown(run.result, DOCUMENT_LINES)}`;
}

/** The same for the output channel, where many runs stand below each other. */
export function outputEntry(run: Run, time: Date): string {
    const [first = '', ...rest] = heading(run);
    const head = [`[${time.toLocaleTimeString()}] ${first}`, ...rest.map((line) => `  ${line}`)];
    return `${head.join('\n')}\n${shown(run.result, OUTPUT_LINES)}`;
}

function heading({ program, values, result }: Run): string[] {
    const on = values === '' ? '' : ` on ${values}`;
    const lines = [`${result.kernel} of ${program}${on}`, `device: ${result.device}`];
    lines.push(...noticesOf(result).map((notice) => `note: ${notice}`));
    return [...lines, ...profileTable(result.profile)];
}

/** What is to be known about a run, one sentence each. */
export function noticesOf(result: RunResult): string[] {
    return (result.notice ?? '').split('\n').filter((notice) => notice !== '');
}

function profileTable(profile: RunResult['profile']): string[] {
    const rows = profile.map(({ name, launches = 1, microseconds }) => {
        return [launches === 1 ? name : `${name}, ${launches} times`, microseconds.toFixed(1)] as const;
    });
    if (rows.length > 1) {
        const total = profile.reduce((sum, row) => sum + row.microseconds, 0);
        rows.push(['in all', total.toFixed(1)]);
    }
    const names = Math.max(...rows.map(([name]) => name.length), 0);
    const times = Math.max(...rows.map(([, time]) => time.length), 0);
    return rows.map(([name, time]) => `${name.padEnd(names)}  ${time.padStart(times)} µs`);
}

/** The first lines of a result, and how many more there are. */
function shown({ output, cut }: RunResult, limit: number): string {
    let end = 0;
    for (let line = 0; line < limit; line++) {
        const next = output.indexOf('\n', end);
        if (next < 0) {
            end = output.length;
            break;
        }
        end = next + 1;
    }
    const left = output.slice(end).split('\n').length - (output.endsWith('\n') ? 1 : 0);
    if (end === output.length || left === 0) return cut === true ? `${output}; … and more lines\n` : output;
    return `${output.slice(0, end)}; … and ${left}${cut === true ? ' or' : ''} more lines\n`;
}
