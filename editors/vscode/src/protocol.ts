/**
 * What the server offers beyond the Language Server Protocol: commands of `workspace/executeCommand`,
 * and requests of its own. Data only; the requests are sent by `server.ts`.
 *
 * The ids begin with `lift.server.` because the language client registers every command that a
 * server advertises under that very id; the commands people see (`lift.generateOpenCL`, …) wrap these.
 */
import type { Location, Position, Range } from 'vscode-languageclient';

export const COMMAND = {
    generateOpenCL: 'lift.server.generateOpenCL',
    runKernel: 'lift.server.runKernel',
    kernels: 'lift.server.kernels',
    setup: 'lift.server.setup',
    /** The first two are commands of code actions. */
    showOpenCL: 'lift.server.showOpenCL',
    showRun: 'lift.server.showRun',
    /** Runs the tests of a kernel; the second shows the results by itself. */
    testKernel: 'lift.server.testKernel',
    showTests: 'lift.server.showTests',
    /** Searches for the parameters that make a kernel fastest; the second shows what was tried by itself. */
    tuneKernel: 'lift.server.tuneKernel',
    showTuning: 'lift.server.showTuning',
    /** Writes the parameters that the search found into the program. */
    writeTuned: 'lift.server.writeTuned',
    /** Compares two kernels. */
    compareKernels: 'lift.server.compareKernels',
} as const;

export const REQUEST = {
    /** `{uri}` to `{text}`; the same as `workspace/textDocumentContent`. */
    virtualText: 'lift/virtualText',
    /** `{textDocument, range}` to a hover of the innermost expression around the range, or null */
    hoverRange: 'lift/hoverRange',
    /** {@link SourceRangeParams} to {@link SourceRange} or null */
    sourceRange: 'lift/sourceRange',
    /** {@link GeneratedRangesParams} to `Range[]` */
    generatedRanges: 'lift/generatedRanges',
} as const;

/** A kernel in a program: by name, or the one around a position. */
export interface Target {
    uri: string;
    position?: Position;
    kernel?: string;
}

/** The stages of compilation. */
export const STAGES = ['elaborated', 'core', 'scheduled', 'opencl', 'plan', 'host'] as const;
export type Stage = (typeof STAGES)[number];

export interface GenerateRequest extends Target {
    stage?: Stage;
}

export interface Generated {
    kernel: string;
    stage: Stage;
    /** The editor's name of the language. */
    language: string;
    text: string;
    /** Where the text is a document that follows the edits: `lift-opencl:/KERNEL.cl?PROGRAM` */
    uri: string;
}

/** A part of a generated text. */
export interface SourceRangeParams {
    view: string;
    range: Range;
}

/** Where it comes from, and all of the part that does. */
export type SourceRange = Location & { part: Range };

/** An expression of a program. */
export interface GeneratedRangesParams {
    view: string;
    uri: string;
    range: Range;
}

export interface RunRequest extends Target {
    /** One for each parameter, in order: a file, a literal, `random[:SEED]`, `signed[:SEED]` or `iota`. */
    inputs?: string[];
    /** Lengths that the inputs do not give. */
    sizes?: Record<string, number>;
    /** `interpreter`, `opencl` or `opencl:I`; absent: the server chooses. */
    device?: string;
}

export interface RunResult {
    kernel: string;
    device: string;
    /** Notices about this run, such as that there was no device; one per line. */
    notice?: string;
    /** One element a line, rows as lines. */
    output: string;
    /** Whether `output` is not all of the result. */
    cut?: boolean;
    /** The time of each OpenCL kernel, all its launches together. */
    profile: ProfileEntry[];
    /** Number of measured runs. */
    runs?: number;
    /** The whole program on the device: median, least and greatest time in microseconds. */
    total?: [number, number, number];
    sizes?: Record<string, number>;
    plot?: Plot;
}

export interface ProfileEntry {
    name: string;
    launches?: number;
    /** The median of the runs. */
    microseconds: number;
    /** The least and the greatest time. */
    spread?: [number, number];
    place?: { file: string; range: Range };
}

/** A result as curves or as a picture, reduced to what a screen can show. */
export type Plot =
    | { kind: 'curves'; length: number; curves: Curve[]; left_out: number }
    | { kind: 'picture'; rows: number; columns: number; cells: (number | null)[][]; left_out: number };

/** The least and the greatest number of each bucket of neighbours. */
export interface Curve {
    low: (number | null)[];
    high: (number | null)[];
}

/** A finished search for the fastest parameters of a kernel. */
export interface Tuning {
    kernel: string;
    device: string;
    sizes: Record<string, number>;
    /** Microseconds of the kernel as it is. */
    default: number;
    /** The least that the device allows, in microseconds. */
    least: number | null;
    rows: { choice: string; microseconds: number | null; failed: string | null }[];
    /** The fastest parameters, if they are clearly faster than the default. */
    best: string | null;
    /** Microseconds of the default and of the best, measured alternately. */
    times: [number, number] | null;
}

export interface CompareRequest extends RunRequest {
    old: Target;
}

/** The output of `lift compare --format json`. */
export interface Comparison {
    old: Compared;
    new: Compared;
    device: string;
    sizes: Record<string, number>;
    /** On small random inputs, on the interpreter. */
    small: {
        equal: number;
        stopped: number;
        late: number;
        firstLate: string | null;
        refused: number;
        firstRefused: string | null;
        differs: string | null;
    };
    /** How the results on the device differ, if they do. */
    differs: string | null;
    /** The new time relative to the old; null if the measurements overlap. */
    ratio: number | null;
    /** The differing lines of the generated code; empty if there are none. */
    diff: string;
}

export interface Compared {
    kernel: string;
    runs: number;
    /** Median, least and greatest time in microseconds; null without a device. */
    times: [number, number, number] | null;
    profile: ProfileEntry[];
    total: Record<string, { size: string; value: number | null } | undefined>;
    launches: { size: string; value: number | null };
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

/** The values of a run: a text for each parameter, and sizes by name. */
export interface RunValues {
    inputs: string[];
    sizes: Record<string, number>;
}

/** The server's version and its devices. */
export interface Setup {
    version: string;
    program: string;
    system: string;
    devices: Device[];
    /** Why there is no OpenCL device, or not all that there should be. */
    problem?: string | null;
}

export interface Device {
    /** `opencl:I` or `interpreter` */
    device: string;
    info?: {
        name: string;
        vendor: string;
        platform: string;
        driver: string;
        version: string;
        kind: string;
        doubles: boolean;
        limits: {
            compute_units: number;
            work_group_size: number;
            global_memory: number;
            local_memory: number;
        };
    };
}
