/** The comparison of two kernels as a text document in the language of results. */
import type { Compared, Comparison, ProfileEntry } from './protocol';
import { formatTime } from './shown';

/** Amounts of the cost, in the order in which they are shown. */
const COUNTED = [
    ['bytes read', 'globalBytesRead'],
    ['bytes written', 'globalBytesWritten'],
    ['local memory', 'localMemory'],
    ['barriers', 'barriers'],
    ['float operations', 'floatOperations'],
] as const;

/** The comparison as text: results, times with their spread, launches, costs. */
export function comparisonText(found: Comparison): string {
    const sizes = Object.entries(found.sizes).map(([name, n]) => `${name} = ${n}`);
    const lines = [
        `; old: ${found.old.kernel}`,
        `; new: ${found.new.kernel}`,
        `; on ${[found.device, ...sizes].join(', ')}`,
        '',
        `results on small inputs  ${agreement(found)}`,
        `results on the device    ${found.differs === null ? 'equal' : `DIFFERENT: ${found.differs}`}`,
        '',
        ...times(found),
        ...launches(found),
        ...costs(found),
        found.diff === '' ? 'The generated code is the same.' : 'The generated code differs: see the two sides.',
    ];
    return `${lines.join('\n')}\n`;
}

function agreement({ small }: Comparison): string {
    if (small.differs !== null) return `DIFFERENT ${small.differs}`;
    const stopped = small.stopped === 0 ? '' : `; on ${small.stopped} both stop with the same error`;
    const late = small.firstLate === null ? '' : `; both were stopped on ${small.late}, first ${small.firstLate}`;
    const refused = small.firstRefused === null ? '' : `; ${small.firstRefused}`;
    return `equal on ${small.equal}${stopped}${late}${refused}`;
}

function times({ old, new: now, ratio }: Comparison): string[] {
    if (old.times === null || now.times === null) return [];
    const line = (name: string, { times, runs }: Compared): string => {
        const [median = 0, least = 0, greatest = 0] = times ?? [];
        return `${name}  ${formatTime(median).padStart(9)}  (${formatTime(least)} – ${formatTime(greatest)}, ${runs} runs)`;
    };
    const verdict =
        ratio === null
            ? 'the times overlap'
            : ratio > 1
              ? `the new takes ${ratio.toFixed(2)} times as long`
              : `the new is ${(1 / ratio).toFixed(2)} times as fast`;
    return [line('old', old), line('new', now), verdict, ''];
}

/** Launches with the same name side by side, then those of one side only. */
function launches({ old, new: now }: Comparison): string[] {
    const names = [...new Set([...old.profile, ...now.profile].map((entry) => entry.name))];
    if (names.length === 0) return [];
    const width = Math.max(...names.map((name) => name.length), 6);
    const sum = (profile: ProfileEntry[], name: string): string => {
        const own = profile.filter((entry) => entry.name === name);
        return own.length === 0 ? '–' : formatTime(own.reduce((all, entry) => all + entry.microseconds, 0));
    };
    const row = (name: string, a: string, b: string): string =>
        `${name.padEnd(width)}  ${a.padStart(10)}  ${b.padStart(10)}`;
    return [row('launch', 'old', 'new'), ...names.map((name) => row(name, sum(old.profile, name), sum(now.profile, name))), ''];
}

function costs({ old, new: now }: Comparison): string[] {
    const shown = (counted: { size: string; value: number | null } | undefined): string =>
        counted === undefined ? '–' : String(counted.value ?? counted.size);
    const rows: [string, string, string][] = [
        ['launches', shown(old.launches), shown(now.launches)],
        ...COUNTED.map(([name, key]): [string, string, string] => [name, shown(old.total[key]), shown(now.total[key])]),
    ];
    return [...rows.map(([name, a, b]) => `${name.padEnd(16)}  ${a.padStart(14)}  ${b.padStart(14)}${a === b ? '' : '  *'}`), ''];
}
