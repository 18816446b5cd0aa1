// What a person sees in the workbench, in one table: when the server's wording changes, change it here.
// The programs are those of fixture/; strings must occur as they stand, expressions must match.

export const EVENS = {
    file: 'evens.lift',
    firstLine: ';;; The squares of the even numbers of an array.',
    kernel: 'evens',
    /** Hover: at this word of this line (counted from 1), the first line reads exactly so. */
    hovers: [
        { line: 4, word: 'filter', firstLine: '<∃X, Array[Int,X]>', contains: ['Array[Int,X1]', 'filter'] },
        { line: 4, word: 'ys', firstLine: '<∃X, Array[Int,X]>', contains: ['Array[Int,X1]'] },
    ],
    /** Inlay hints, as they read within their line. */
    hints: [
        { line: 4, contains: 'unpack X1' },
        { line: 5, contains: 'pack' },
    ],
    /** A hover on the word while this expression is selected shows the expression's type. */
    selection: { line: 4, word: 'mod', text: '(mod x 2)', type: 'Int' },
    /** The hint that a double click inserts, and a part of its line afterwards. */
    hintEdit: { line: 3, label: 'Array', written: '(lambda ((xs (array-type int N)))' },
    /** The text that "Make Pack/Unpack Explicit" inserts, with hints; one undo reverts all of it. */
    explicit: ['(unpack (X1 ys: Array[Int,X1]) (filter ', '(pack (map '],
    /** Parts of the generated text, and the name of its tab. */
    opencl: { tab: 'evens.cl', contains: ['__kernel void ys_count(', '__global const int* restrict xs'] },
    /** Lenses above the kernel; the first starts a run, the second shows the generated text. */
    lenses: ['▶ Run', 'OpenCL', 'Tune', 'Pin'],
    /** A run: the answer to each question, and the result's lines without comments. */
    run: {
        answers: ['iota', '10'],
        tab: 'evens.result',
        result: ['0', '4', '16', '36', '64'],
        on: 'of evens.lift on iota, N = 10',
        comments: [/; evens of evens\.lift on iota, N = 10/, /; device: \S+/],
        /** Launches with a time, and the line that shows it at its end. */
        launches: ['filter: count', 'filter: compact'],
        hint: { line: 4, time: /(?<!was )\d[\d.]* (µs|ms|s)$/, stale: /was \d[\d.]* (µs|ms|s)$/ },
    },
    /** An unsaved edit: its changes in the generated text and in the result. */
    edit: { line: 4, word: '2', by: '3', before: '% 2', after: '% 3', result: ['0', '9', '36', '81'] },
    /** An edit that breaks the program: the first line of the generated text then. */
    breaking: { line: 4, word: '2', by: 'true', stale: '// stale: evens.lift:4:' },
    /** A word of the program and parts of its generated lines; then the reverse. */
    sync: {
        program: { line: 4, word: 'mod', generated: '% 2' },
        generated: { beginning: '__kernel void ys_count(', word: 'void', line: 4, contains: 'filter' },
    },
    /** Stages by their titles, with their tabs and parts of their texts. */
    stages: [
        { title: 'Elaborated program', tab: 'evens.elaborated.lift', contains: '(unpack (X1 ' },
        { title: 'Scheduled core', tab: 'evens.scheduled.core', contains: 'filterGlb' },
        { title: 'C host', tab: 'evens.host.c', contains: 'generated from Lift' },
    ],
    setup: ['Server', 'Devices', 'interpreter', 'No setting was changed.'],
    /** A run that fails: the answer to the question, and the notification. */
    wrongRun: { answers: ['missing.npy'], notification: /missing\.npy/ },
    statusBar: 'Lift',
    statusDevice: /^Lift \d+\.\d+\.\d+ · \S/,
};

/** A result with two dimensions. */
export const TABLE = { file: 'table.lift', kernel: 'table', caption: '24 × 24' };

/** The walkthrough: its title, its steps, and the program of its first step. */
export const WALKTHROUGH = {
    title: 'Get Started with Lift',
    steps: ['Open an example', 'Hover a length', 'Make pack explicit', 'See the code', 'Run it'],
    hover: '<∃X, Array[Float,X]>',
    explicit: /\(unpack \(X1 \S+/,
    kernel: 'doubled',
    opencl: { tab: 'doubled.cl', contains: '__kernel' },
};

/** A sum for which each work-group stores a partial sum. */
export const STORED = { file: 'stored.lift', line: 5, contains: 'global 4*max(' };

export const ZIP_ERROR = {
    file: 'zip-error.lift',
    /** The one error: in the list of problems, and in the hover of the underlined text. */
    problem: ['`zip` needs two arrays of one length', 'the first has length `X1`', 'the second `X2`'],
    problems: 1,
    /** The two related places of the error: in the list of problems below it, and on hover. */
    places: [
        ['[Ln 4, Col 10]', '(4, 10)', 'length `X1` comes from here'],
        ['[Ln 5, Col 10]', '(5, 10)', 'length `X2` comes from here'],
    ],
    underlined: { line: 5, word: 'filter' },
    /** The equation that does not hold, painted behind what is underlined. */
    obligation: { line: 5, text: '✗ X1 = X2' },
};

/** A run that is cancelled, on the values of its `;;; run:` line. */
export const ENDLESS = {
    file: 'endless.lift',
    progress: 'Running endless',
    said: 'The run was cancelled.',
};

/** In an untrusted workspace: the message of a run, and what still works. */
export const UNTRUSTED = {
    notice: 'Kernels run on your device only in a workspace that you trust.',
    setup: 'not trusted: kernels do not run',
};

/** Without an OpenCL device: the run reports it, once in a notification and above its result. */
export const NO_DEVICE = {
    notice: /^Running on the interpreter: /,
    shown: ['interpreter', 'running on the interpreter: '],
};

/** A program in APL, the keys after the prefix key, and the characters in the file. */
export const LIFE = {
    file: 'life.apl',
    kernel: 'life.apl',
    caption: '12 × 16',
    end: 8,
    hint: { line: 6, contains: 'Array[Int,X1]' },
    hover: { line: 5, word: 'board', type: 'Array[Array[Bool,16],12]' },
    glyphs: { keys: '`l`[2 3`r`i6', typed: '⎕←2 3⍴⍳6' },
    error: { keys: '(`i3)+`i5', message: 'needs equal lengths', other: 'this has 3' },
};
