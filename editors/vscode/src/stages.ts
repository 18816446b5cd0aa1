/** The stages of a kernel, for people, and the addresses of their texts, as data. */
import type { Stage } from './protocol';

export interface StageKind {
    stage: Stage;
    title: string;
    detail: string;
    /** The extension of its documents. */
    extension: string;
    /** The editor's name of its language. */
    language: string;
}

/** In the order of compilation. */
export const STAGE_KINDS: readonly StageKind[] = [
    {
        stage: 'elaborated',
        title: 'Elaborated program',
        detail: 'with every inserted pack and unpack written out',
        extension: '.elaborated.lift',
        language: 'lift',
    },
    {
        stage: 'core',
        title: 'Core',
        detail: 'the kernel alone: every name, size, pack and unpack explicit',
        extension: '.core',
        language: 'lift-core',
    },
    {
        stage: 'scheduled',
        title: 'Scheduled core',
        detail: 'after fusion and placement, with the rules that were applied',
        extension: '.scheduled.core',
        language: 'lift-core',
    },
    {
        stage: 'opencl',
        title: 'OpenCL C',
        detail: 'what runs on the device',
        extension: '.cl',
        language: 'opencl',
    },
    {
        stage: 'plan',
        title: 'Host plan',
        detail: 'buffers, launches and checks, as JSON',
        extension: '.plan.json',
        language: 'jsonc',
    },
    {
        stage: 'host',
        title: 'C host',
        detail: 'the kernel as a function of C, with the part of the host',
        extension: '.host.c',
        language: 'c',
    },
];

export function stageKind(stage: Stage): StageKind {
    const kind = STAGE_KINDS.find((k) => k.stage === stage);
    if (kind === undefined) throw new Error(`There is no stage ${stage}.`);
    return kind;
}

/** What a generated text shows, by the path of its address: `/evens.scheduled.core`. */
export function viewOf(path: string): { kernel: string; kind: StageKind } | undefined {
    const name = path.replace(/^\//, '');
    const fitting = STAGE_KINDS.filter((k) => name.endsWith(k.extension));
    // `.scheduled.core` also ends in `.core`.
    const kind = fitting.sort((a, b) => b.extension.length - a.extension.length)[0];
    return kind && { kernel: name.slice(0, -kind.extension.length), kind };
}

/** The reason in the first line of a generated text why it is stale; undefined if it is up to date. */
export function staleness(firstLine: string): string | undefined {
    return /^(?:\/\/|;) stale: (.*)$/.exec(firstLine)?.[1];
}
