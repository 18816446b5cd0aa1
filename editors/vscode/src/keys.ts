/** Which typed characters a prefix key changes, without the editor. */

/** Text that was put at an offset of a document, before other insertions of the same change. */
export interface Insertion {
    at: number;
    removed: number;
    text: string;
}

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
    if (prefix === '' || typed.some(({ removed, text: key }) => removed !== 0 || key.length !== 1)) return [];
    const found: Replacement[] = [];
    // Each insertion moves those after it by one.
    for (const [moved, { at, text: key }] of [...typed].sort((a, b) => a.at - b.at).entries()) {
        const start = at + moved - prefix.length;
        const meant = keys.get(key);
        if (meant === undefined || start < 0 || text.slice(start, start + prefix.length) !== prefix) continue;
        found.push({ start, end: at + moved + 1, text: meant });
    }
    return found;
}
