/** Which typed keys become a character after a prefix key, without the editor. */

/** Text that was put at an offset of a document, before other insertions of the same change. */
export interface Insertion {
    at: number;
    removed: number;
    text: string;
}

/** The bracket or quote that the editor puts after one that is typed. */
const CLOSERS: ReadonlyMap<string, string> = new Map([['(', ')'], ['[', ']'], ['{', '}'], ["'", "'"], ['"', '"']]);

export interface Replacement {
    start: number;
    end: number;
    text: string;
}

/** A prefix key with the key after it, and the bracket or quote that the editor put behind them. */
interface Pair {
    start: number;
    end: number;
    key: string;
    closer?: number;
}

/**
 * The pairs of a document that are not yet the characters they mean.
 *
 * Invariant: places are those of the text after the last change; pairs do not overlap. The editor takes an edit only
 * if nothing was typed since, so that a pair may wait while its user types on.
 */
export class Pairs {
    private waiting: Pair[] = [];

    /** Handles a change, which may complete pairs if it is typing. `text` is the document after it. */
    changed(
        prefix: string,
        keys: ReadonlyMap<string, string> | undefined,
        changes: readonly Insertion[],
        text: string | undefined,
    ): void {
        this.waiting = this.waiting.flatMap((pair) => moved(pair, changes) ?? []);
        const isKey = (key: string) => key.length === 1 || (key.length === 2 && CLOSERS.get(key.charAt(0)) === key.charAt(1));
        if (text === undefined || prefix === '' || changes.some(({ removed, text: key }) => removed !== 0 || !isKey(key))) return;
        // Each insertion moves those after it.
        let before = 0;
        for (const { at, text: inserted } of [...changes].sort((a, b) => a.at - b.at)) {
            const key = inserted.charAt(0);
            const start = at + before - prefix.length;
            const end = at + before + 1;
            before += inserted.length;
            const free = this.waiting.every((pair) => pair.end <= start || pair.start >= end);
            if (start < 0 || !free || text.slice(start, end - 1) !== prefix || (keys && !keys.has(key))) continue;
            this.waiting.push({ start, end, key, ...(inserted.length === 2 ? { closer: end } : {}) });
        }
    }

    /** The replacements of waiting pairs. Drops pairs without a character. */
    replacements(keys: ReadonlyMap<string, string>): Replacement[] {
        this.waiting = this.waiting.filter(({ key }) => keys.has(key));
        return this.waiting.flatMap(({ start, end, key, closer }) => {
            const text = keys.get(key) ?? '';
            if (closer === undefined) return [{ start, end, text }];
            if (closer === end) return [{ start, end: end + 1, text }];
            return [{ start, end, text }, { start: closer, end: closer + 1, text: '' }];
        });
    }

    /** Leaves the text as it was typed. */
    forget(): void {
        this.waiting = [];
    }
}

/** The location of a pair after other changes; undefined if a change overlaps the pair. */
function moved(pair: Pair, changes: readonly Insertion[]): Pair | undefined {
    const place = (start: number, end: number): number | undefined => {
        const touched = changes.some(({ at, removed }) => at < end && at + removed > start);
        const before = changes.filter(({ at, removed }) => at + removed <= start);
        return touched ? undefined : before.reduce((to, { removed, text }) => to + text.length - removed, start);
    };
    const start = place(pair.start, pair.end);
    if (start === undefined) return undefined;
    const closer = pair.closer === undefined ? undefined : place(pair.closer, pair.closer + 1);
    const { key } = pair;
    return { start, end: start + pair.end - pair.start, key, ...(closer === undefined ? {} : { closer }) };
}
