/** Kinds of inlay hints, each with a setting `lift.inlayHints.KIND` and a command that turns it on and off. */

/** Those that the server takes in its option `inlayHints`. */
export const HINT_KINDS = ['packUnpack', 'types', 'checks', 'defaults'] as const;

/** Commands by kind; the times of runs are an option of their own. */
export const TOGGLES: Record<string, string> = {
    'lift.togglePackUnpackHints': 'packUnpack',
    'lift.toggleTypeHints': 'types',
    'lift.toggleCheckHints': 'checks',
    'lift.toggleDefaultHints': 'defaults',
    'lift.toggleTimeHints': 'runTimes',
};
