/** Inputs of runs as plain data: kinds of input, proposals, and remembered values. */
import * as path from 'node:path';

import type { Kernel, RunValues } from './protocol';

export type InputKind = 'random' | 'signed' | 'iota' | 'literal' | 'file';

/** The value proposed for a size that nothing else determines. */
const PROPOSED_LENGTH = 1024;

export function kindOf(input: string): InputKind {
    if (/^random(:\d+)?$/.test(input)) return 'random';
    if (/^signed(:\d+)?$/.test(input)) return 'signed';
    if (input === 'iota') return 'iota';
    if (/^([[(]|[-+]?\.?\d|true$|false$)/.test(input)) return 'literal';
    return 'file';
}

/** Whether an input takes its shape from the sizes, rather than giving it. */
export function takesSizes(input: string): boolean {
    const kind = kindOf(input);
    return kind === 'random' || kind === 'signed' || kind === 'iota';
}

/** The sizes must be asked for as soon as one input needs them; files and literals bring their own. */
export function needsSizes(kernel: Kernel, inputs: string[]): boolean {
    return kernel.sizes.length > 0 && (inputs.length === 0 || inputs.some(takesSizes));
}

/** A first input to propose for a type as the server prints it, such as `Array[Float,N]`. */
export function proposeInput(type: string): string {
    const integral = /\b(Int|Long)\b/.test(type) && !/\b(Float|Double|Bool)\b/.test(type);
    if (/Array\[|Vec\[|\(/.test(type)) return integral ? 'iota' : 'random';
    if (type === 'Bool') return 'true';
    return integral ? '1' : '0.5';
}

/** What the program proposes for the kernel, completed. */
export function proposeValues(kernel: Kernel): RunValues {
    const given = kernel.defaultRun;
    return {
        inputs: kernel.inputs.map((input, i) => given?.inputs[i] ?? proposeInput(input.type)),
        sizes: Object.fromEntries(
            kernel.sizes.map((name) => [name, given?.sizes[name] ?? PROPOSED_LENGTH]),
        ),
    };
}

/** Files are meant relative to the program that they are typed for. */
export function resolveInput(input: string, programFolder: string): string {
    return kindOf(input) === 'file' ? path.resolve(programFolder, input) : input;
}

/** One line for people: `iota, data.npy, N = 1000`. */
export function describeValues(values: RunValues): string {
    const inputs = values.inputs.map((input) =>
        kindOf(input) === 'file' ? path.basename(input) : input,
    );
    const sizes = Object.entries(values.sizes).map(([name, size]) => `${name} = ${size}`);
    return [...inputs, ...sizes].join(', ');
}

/**
 * Changes when the kernel's parameters do: values remembered for other parameters are forgotten.
 */
export function signatureOf(kernel: Kernel): string {
    return JSON.stringify([kernel.inputs.map((i) => [i.name, i.type]), kernel.sizes]);
}

/** The values of the last run of a kernel, kept with the workspace. */
export interface Remembered {
    signature: string;
    /** The program's `;;; run:` line at that time. */
    line?: string;
    values: RunValues;
    /** Whether the run failed. The values are then proposed again instead of used without a question. */
    failed?: boolean;
}

/**
 * What to run a kernel on without asking: what it ran on the last time, unless its parameters or its
 * line `;;; run:` have changed since; else what that line says. After a run that failed it is asked.
 */
export function toRunAtOnce(kernel: Kernel, remembered: Remembered | undefined): RunValues | undefined {
    const line = JSON.stringify(kernel.defaultRun ?? null);
    const same = remembered?.signature === signatureOf(kernel) && remembered.line === line;
    if (!same) return kernel.defaultRun;
    return remembered.failed === true ? undefined : remembered.values;
}
