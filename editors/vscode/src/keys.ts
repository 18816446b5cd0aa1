/** Which typed characters a prefix key changes, without the editor. */

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

/** The prefix keys with the key after them that were just completed in `text`, with the characters that they mean. */
export function replacements(
    prefix: string,
    keys: ReadonlyMap<string, string>,
    typed: readonly Insertion[],
    text: string,
): Replacement[] {
    const isKey = (key: string) => key.length === 1 || (key.length === 2 && CLOSERS.get(key.charAt(0)) === key.charAt(1));
    if (prefix === '' || typed.some(({ removed, text: key }) => removed !== 0 || !isKey(key))) return [];
    const found: Replacement[] = [];
    // Each insertion moves those after it.
    let moved = 0;
    for (const { at, text: key } of [...typed].sort((a, b) => a.at - b.at)) {
        const start = at + moved - prefix.length;
        const end = at + moved + key.length;
        moved += key.length;
        const meant = keys.get(key.charAt(0));
        if (meant === undefined || start < 0 || text.slice(start, start + prefix.length) !== prefix) continue;
        found.push({ start, end, text: meant });
    }
    return found;
}
