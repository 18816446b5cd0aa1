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
    /** What "Make Pack/Unpack Explicit" writes; one undo takes it all back. */
    explicit: [/\(unpack \(?(X1 )?ys\)? /, /\(pack\b/],
    /** What the generated text has, and the name of its tab. */
    opencl: { tab: 'evens.cl', contains: [/\b(__)?kernel void\b/, /get_global_id/] },
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
    problem: [/X1/, /X2/],
    problems: 1,
};
