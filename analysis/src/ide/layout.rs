//! Layout of a changed form. A form that was formatted stays formatted. Otherwise new parts are formatted, and old
//! parts keep their line breaks and their indentation relative to the bracket around them.

use lift_syntax::{SyntaxKind, lex};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Lays out `after`, the text of a form after a change.
pub(in crate::ide) fn laid_out(before: &str, after: String) -> String {
    let formatted = |text: &str| lift_syntax::format(text).trim_end().to_owned();
    if formatted(before) == before.trim_end() {
        return formatted(&after);
    }
    match new_parts_laid_out(before, &after) {
        Some(text) => text,
        None => after,
    }
}

/// A token with the white space before it.
#[derive(Debug, Clone, Copy)]
struct Piece<'a> {
    gap: &'a str,
    text: &'a str,
    kind: SyntaxKind,
    /// Column in its line, in characters.
    column: usize,
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let tokens = lex(text);
    let (mut out, mut gap_from) = (Vec::new(), 0);
    // The column is counted on from the last token, so that a long line is not rescanned for each token.
    let (mut counted, mut column) = (0, 0);
    for token in 0..tokens.len() {
        let (kind, range) = (tokens.kind(token), std::ops::Range::<usize>::from(tokens.range(token)));
        if kind == SyntaxKind::WHITESPACE {
            continue;
        }
        let since = &text[counted..range.start];
        column = match since.rfind('\n') {
            Some(end) => since[end + 1..].chars().count(),
            None => column + since.chars().count(),
        };
        counted = range.start;
        out.push(Piece { gap: &text[gap_from..range.start], text: &text[range.clone()], kind, column });
        gap_from = range.end;
    }
    out
}

/// Limit on the cells of the table for the common subsequence.
const MOST_CELLS: usize = 1 << 22;

/// For each piece, a hash of the innermost bracketed group around it.
fn groups(pieces: &[Piece<'_>]) -> Vec<u64> {
    let mut out = vec![0; pieces.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut done = vec![false; pieces.len()];
    for (index, piece) in pieces.iter().enumerate() {
        if piece.kind.is_opener() {
            open.push(index);
        } else if piece.kind.is_closer()
            && let Some(opener) = open.pop()
        {
            let mut hasher = FxHasher::default();
            pieces[opener..=index].iter().for_each(|piece| piece.text.hash(&mut hasher));
            let hash = hasher.finish();
            // Pieces in inner groups already have a hash.
            for inside in (opener..=index).filter(|inside| !std::mem::replace(&mut done[*inside], true)) {
                out[inside] = hash;
            }
        }
    }
    out
}

/// For each piece after the change, the index of the same piece before it: a heaviest common subsequence.
fn kept_pieces(before: &[Piece<'_>], after: &[Piece<'_>]) -> Option<Vec<Option<usize>>> {
    let same = |(a, b): &(&Piece<'_>, &Piece<'_>)| a.text == b.text;
    let head = before.iter().zip(after).take_while(same).count();
    let (rest_before, rest_after) = (&before[head..], &after[head..]);
    let tail = rest_before.iter().rev().zip(rest_after.iter().rev()).take_while(same).count();
    let (a, b) = (&rest_before[..rest_before.len() - tail], &rest_after[..rest_after.len() - tail]);
    let width = b.len() + 1;
    if (a.len() + 1).checked_mul(width)? > MOST_CELLS {
        return None;
    }
    let (groups_before, groups_after) = (groups(before), groups(after));
    // A piece in an unchanged group weighs more than an accidentally equal word.
    let weight = |i: usize, j: usize| match a[i].text == b[j].text {
        true if groups_before[head + i] == groups_after[head + j] => 8,
        true => 1,
        false => 0u32,
    };
    let mut longest = vec![0u32; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            let apart = longest[(i + 1) * width + j].max(longest[i * width + j + 1]);
            longest[i * width + j] = match weight(i, j) {
                0 => apart,
                weight => apart.max(longest[(i + 1) * width + j + 1] + weight),
            };
        }
    }
    let mut kept: Vec<Option<usize>> = (0..head).map(Some).collect();
    let (mut i, mut j) = (0, 0);
    while j < b.len() {
        let taken = |i: usize| {
            let weight = weight(i, j);
            weight > 0 && longest[i * width + j] == longest[(i + 1) * width + j + 1] + weight
        };
        if i < a.len() && taken(i) {
            kept.push(Some(head + i));
            (i, j) = (i + 1, j + 1);
        } else if i < a.len() && longest[(i + 1) * width + j] >= longest[i * width + j + 1] {
            i += 1;
        } else {
            kept.push(None);
            j += 1;
        }
    }
    kept.extend((before.len() - tail..before.len()).map(Some));
    // A replaced word, such as `mapGlb` for `map`, continues the old one.
    for index in 1..after.len().saturating_sub(1) {
        if let (Some(last), None, Some(next)) = (kept[index - 1], kept[index], kept[index + 1])
            && last + 2 == next
            && before[last + 1].kind == after[index].kind
        {
            kept[index] = Some(last + 1);
        }
    }
    Some(kept)
}

/// For each piece, the opening bracket around it; a closing bracket is inside its own pair.
fn parents(pieces: &[Piece<'_>]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let parent = |(index, piece): (usize, &Piece<'_>)| {
        let around = open.last().copied();
        if piece.kind.is_opener() {
            open.push(index);
        } else if piece.kind.is_closer() {
            open.pop();
        }
        around
    };
    pieces.iter().enumerate().map(parent).collect()
}

/// An open bracket, and the layout of its contents so far.
struct Open<'a> {
    column: usize,
    /// The index of the same bracket before the change.
    was: Option<usize>,
    /// The distance in columns from its old location, if it existed.
    moved: Option<isize>,
    head: Option<&'a str>,
    first: Option<usize>,
    /// The column of the last element that starts a line.
    below: Option<usize>,
}

impl Open<'_> {
    /// The column of an element on a new line.
    fn indentation(&self) -> usize {
        let with_body = self.head.is_some_and(|word| super::typing::WITH_BODY.contains(&word));
        let by_parts = self.below.or(self.first).filter(|_| !with_body);
        by_parts.unwrap_or(self.column + if self.head.is_some() { 2 } else { 1 })
    }
}

fn new_parts_laid_out(before: &str, after: &str) -> Option<String> {
    let formatted = lift_syntax::format(after);
    let (before, now, wanted) = (pieces(before), pieces(after), pieces(&formatted));
    // The formatter should change nothing but white space.
    if now.len() != wanted.len() {
        return None;
    }
    let kept = kept_pieces(&before, &now)?;
    let parents = parents(&before);
    let mut out = String::with_capacity(after.len() + 64);
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut column = 0;
    for (index, piece) in now.iter().enumerate() {
        let was = kept[index];
        // Whether it followed the same piece before the change, in the same bracket.
        let follows = index.checked_sub(1).is_some_and(|last| was.is_some() && kept[last].map(|last| last + 1) == was);
        let around = open.last().map(|open| open.was);
        let follows = follows && was.is_some_and(|was| around == parents[was].map(Some));
        let gap = match was.filter(|_| follows) {
            Some(was) => before[was].gap,
            None if index == 0 => piece.gap,
            None => wanted[index].gap,
        };
        if let Some(last) = gap.rfind('\n') {
            let written = gap[last + 1..].chars().count();
            let moved = open.last().and_then(|open| open.moved);
            column = match (follows, moved, open.last()) {
                (true, moved, _) => written.saturating_add_signed(moved.unwrap_or(0)),
                (false, _, Some(open)) => open.indentation(),
                (false, _, None) => written,
            };
            out.push_str(&gap[..=last]);
            out.push_str(&" ".repeat(column));
        } else {
            out.push_str(gap);
            column += gap.chars().count();
        }
        let starts_line = gap.contains('\n');
        if piece.kind.is_closer() {
            open.pop();
        } else {
            if let Some(around) = open.last_mut()
                && piece.kind != SyntaxKind::COMMENT
            {
                match around.head {
                    None => around.head = Some(piece.text),
                    Some(_) => _ = around.first.get_or_insert(column),
                }
                if starts_line {
                    around.below = Some(column);
                }
            }
            if piece.kind.is_opener() {
                // A bracket with another first element counts as new.
                let was = was.filter(|was| kept.get(index + 1) == Some(&Some(was + 1)));
                let moved = was.map(|was| column as isize - before[was].column as isize);
                open.push(Open { column, was, moved, head: None, first: None, below: None });
            }
        }
        out.push_str(piece.text);
        column += piece.text.chars().count();
    }
    Some(out)
}
