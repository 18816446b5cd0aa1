/** Kinds of inlay hints, each with a setting `lift.inlayHints.KIND` and a command that turns it on and off. */

/** Those that the server takes in its option `inlayHints`. */
export const HINT_KINDS = [
    'packUnpack',
    'types',
    'checks',
    'obligations',
    'positions',
    'placements',
    'memory',
    'defaults',
    'slow',
] as const;

/** Commands by kind; the times of runs are an option of their own. */
export const TOGGLES: Record<string, string> = {
    'lift.togglePackUnpackHints': 'packUnpack',
    'lift.toggleTypeHints': 'types',
    'lift.toggleCheckHints': 'checks',
    'lift.toggleObligationHints': 'obligations',
    'lift.togglePositionHints': 'positions',
    'lift.togglePlacementHints': 'placements',
    'lift.toggleMemoryHints': 'memory',
    'lift.toggleDefaultHints': 'defaults',
    'lift.toggleSlowHints': 'slow',
    'lift.toggleTimeHints': 'runTimes',
};
