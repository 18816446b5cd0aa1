/**
 * What the server offers beyond the Language Server Protocol: three commands of
 * `workspace/executeCommand`. Data only; the requests are sent by `server.ts`.
 *
 * The ids begin with `lift.server.` because the language client registers every command that a
 * server advertises under that very id; the commands people see (`lift.generateOpenCL`, …) wrap these.
 */
import type { Position, Range } from 'vscode-languageclient';

export const COMMAND = {
    generateOpenCL: 'lift.server.generateOpenCL',
    runKernel: 'lift.server.runKernel',
    kernels: 'lift.server.kernels',
} as const;

/** A kernel in a program: by name, or the one around a position. */
export interface Target {
    uri: string;
    position?: Position;
    kernel?: string;
}

export interface GeneratedOpenCL {
    kernel: string;
    language: 'opencl';
    text: string;
    /** `lift-opencl:/<kernel>.cl?<uri of the program, encoded>` */
    uri: string;
}

export interface RunRequest extends Target {
    /** One for each parameter, in order: a file, a literal, `random[:SEED]` or `iota`. */
    inputs?: string[];
    /** Lengths that the inputs do not give. */
    sizes?: Record<string, number>;
    /** `interpreter`, `opencl` or `opencl:I`; absent: the server chooses. */
    device?: string;
}

export interface RunResult {
    kernel: string;
    device: string;
    /** Something to know about this run, such as that there was no device; each in a line of its own. */
    notice?: string;
    /** One element a line, rows as lines. */
    output: string;
    /** Whether `output` is not all of the result. */
    cut?: boolean;
    /** The time of each OpenCL kernel, all its launches together. */
    profile: { name: string; launches?: number; microseconds: number }[];
}

export interface Kernel {
    name: string;
    range: Range;
    inputs: { name: string; type: string }[];
    /** Names of the lengths that are free in the types of the inputs. */
    sizes: string[];
    /** What the program proposes in its line `;;; run:`: a value for every input, and the sizes that those leave open. */
    defaultRun?: RunValues;
}

/** What a run is given: a text for each parameter, and lengths by name. */
export interface RunValues {
    inputs: string[];
    sizes: Record<string, number>;
}
