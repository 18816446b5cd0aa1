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
    /** What "Make Pack/Unpack Explicit" writes, hints included; one undo takes it all back. */
    explicit: ['(unpack (X1 ys: Array[Int,X1]) (filter ', '(pack (map '],
    /** What the generated text has, and the name of its tab. */
    opencl: { tab: 'evens.cl', contains: ['__kernel void ys_count(', '__global const int* restrict xs'] },
    /** Lenses above the kernel; the first starts a run, the second shows the generated text. */
    lenses: ['▶ Run', 'OpenCL'],
    /** A run: what is answered to each question, and the result's lines without comments. */
    run: {
        answers: ['iota', '10'],
        tab: 'evens.result',
        result: ['0', '4', '16', '36', '64'],
        comments: [/; evens of evens\.lift on iota, N = 10/, /; device: \S+/],
    },
    /** A run that cannot be: the answer to the question, and what is said then. */
    wrongRun: { answers: ['missing.npy'], notification: /missing\.npy/ },
    statusBar: 'Lift',
};

export const ZIP_ERROR = {
    file: 'zip-error.lift',
    /** The one error: in the list of problems, and in the hover of the underlined text. */
    problem: ['`zip` needs two arrays of one length', 'the first has length `X1`', 'the second `X2`'],
    problems: 1,
    /** The two places that the error names: in the list of problems below it, and on hover. */
    places: [
        ['[Ln 4, Col 10]', '(4, 10)', 'length `X1` comes from here'],
        ['[Ln 5, Col 10]', '(5, 10)', 'length `X2` comes from here'],
    ],
    underlined: { line: 5, word: 'filter' },
};

/** A run that is cancelled; the program itself says what to run it on. */
export const ENDLESS = {
    file: 'endless.lift',
    proposal: 'As the program says in its line ;;; run:',
    progress: 'Running endless',
    said: 'The run was cancelled.',
};

/** Where there is no OpenCL device: the run says so, once in a notification and above its result. */
export const NO_DEVICE = {
    notice: /^Running on the interpreter: /,
    comments: ['; device: interpreter', '; note: running on the interpreter: '],
};
