//! Matches the tokens of a program with those of the same program after elaboration, reordering or formatting.
//!
//! Greedy: repeatedly takes the longest run of equal, still unmatched tokens. Moved runs match at their new location;
//! inserted tokens stay unmatched. Forms are compared one by one, which bounds the quadratic work.

use lift_syntax::{SyntaxKind, TextRange, TextSize, lex, split};
use rustc_hash::FxHashMap;

/// Returns matching tokens as pairs of ranges, first in `new`, then in `old`, sorted by `new`.
pub fn tokens(old: &str, new: &str) -> Vec<(TextRange, TextRange)> {
    let (old_forms, new_forms) = (split(old), split(new));
    if old_forms.len() != new_forms.len() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (a, b) in old_forms.iter().zip(&new_forms) {
        let (a, b) = (Words::of(old, a.range), Words::of(new, b.range));
        pair(&a, &b, &mut out);
    }
    out.sort_by_key(|(new, _)| new.start());
    out
}

/// The significant tokens of a form.
struct Words<'a> {
    texts: Vec<&'a str>,
    ranges: Vec<TextRange>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str, form: TextRange) -> Words<'a> {
        let own = &text[std::ops::Range::<usize>::from(form)];
        let tokens = lex(own);
        let mut words = Words { texts: Vec::new(), ranges: Vec::new() };
        for token in 0..tokens.len() {
            let kind: SyntaxKind = tokens.kind(token);
            if !kind.is_trivia() {
                let range = tokens.range(token);
                words.texts.push(&own[std::ops::Range::<usize>::from(range)]);
                words.ranges.push(range + form.start());
            }
        }
        words
    }
}

/// Indices of the tokens of both texts that are still unmatched.
type Work = (Vec<usize>, Vec<usize>);

/// Budget per form, in comparisons of two tokens; tokens not matched within it stay unmatched.
const PATIENCE: usize = 20_000_000;

fn pair(old: &Words<'_>, new: &Words<'_>, out: &mut Vec<(TextRange, TextRange)>) {
    // Match the common prefix and suffix first; usually nothing else is left.
    let (n, m) = (old.texts.len(), new.texts.len());
    let prefix = old.texts.iter().zip(&new.texts).take_while(|(a, b)| a == b).count();
    let rest = n.min(m) - prefix;
    let suffix = old.texts.iter().rev().zip(new.texts.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let mut take = |i: usize, j: usize| out.push((new.ranges[j], old.ranges[i]));
    (0..prefix).for_each(|i| take(i, i));
    (0..suffix).for_each(|k| take(n - 1 - k, m - 1 - k));
    let mut left: Work = ((prefix..n - suffix).collect(), (prefix..m - suffix).collect());
    let mut patience = PATIENCE;
    while let Some((i, j, length)) = longest(old, new, &left) {
        let (olds, news) = &mut left;
        patience = patience.saturating_sub(olds.len() * news.len());
        if patience == 0 {
            break;
        }
        (0..length).for_each(|k| take(olds[i] + k, news[j] + k));
        olds.drain(i..i + length);
        news.drain(j..j + length);
    }
}

/// Returns the longest common run: its start in `olds` and in `news`, and its length.
fn longest(old: &Words<'_>, new: &Words<'_>, (olds, news): &Work) -> Option<(usize, usize, usize)> {
    let mut best = None;
    // Lengths of the common runs that end at the previous token of `old`, by index into `news`.
    let mut before: FxHashMap<usize, usize> = FxHashMap::default();
    for (i, &a) in olds.iter().enumerate() {
        let mut here = FxHashMap::default();
        for (j, &b) in news.iter().enumerate() {
            if old.texts[a] != new.texts[b] {
                continue;
            }
            let neighbours = i > 0 && j > 0 && olds[i - 1] + 1 == a && news[j - 1] + 1 == b;
            let length = 1 + if neighbours { before.get(&(j - 1)).copied().unwrap_or(0) } else { 0 };
            here.insert(j, length);
            if best.is_none_or(|(_, _, longest)| length > longest) {
                best = Some((i + 1 - length, j + 1 - length, length));
            }
        }
        before = here;
    }
    best
}

/// The edited region between two texts: both agree before `start` and from `old_end` and `new_end` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edited {
    start: TextSize,
    old_end: TextSize,
    new_end: TextSize,
}

impl Edited {
    pub fn between(old: &str, new: &str) -> Edited {
        let (a, b) = (old.as_bytes(), new.as_bytes());
        let prefix = a.iter().zip(b).take_while(|(x, y)| x == y).count();
        let rest = a.len().min(b.len()) - prefix;
        let suffix = a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|(x, y)| x == y).count();
        let size = |n: usize| TextSize::try_from(n).unwrap_or(TextSize::new(u32::MAX));
        Edited { start: size(prefix), old_end: size(a.len() - suffix), new_end: size(b.len() - suffix) }
    }
    /// Maps a range of the old text to the new one; `None` if the edit touches it without being contained in it.
    pub fn forward(&self, range: TextRange) -> Option<TextRange> {
        shift(range, self.start, self.old_end, self.new_end)
    }
    /// Maps a range of the new text to the old one; `None` as in [`Edited::forward`].
    pub fn backward(&self, range: TextRange) -> Option<TextRange> {
        shift(range, self.start, self.new_end, self.old_end)
    }
}

/// Moves a range across the edit. A range that contains the edit grows or shrinks with it; a range that the edit cuts
/// is lost.
fn shift(range: TextRange, start: TextSize, from: TextSize, to: TextSize) -> Option<TextRange> {
    if from == to && start >= from {
        return Some(range);
    }
    let moved = |at: TextSize| at + to - from;
    if range.end() <= start {
        Some(range)
    } else if range.start() >= from {
        Some(TextRange::new(moved(range.start()), moved(range.end())))
    } else if range.start() <= start && range.end() >= from {
        Some(TextRange::new(range.start(), moved(range.end())))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, part: &str) -> TextRange {
        let start = text.find(part).expect("it is there");
        TextRange::new((start as u32).into(), ((start + part.len()) as u32).into())
    }

    #[test]
    fn what_moved_is_found_where_it_went() {
        let old = "(lift k (N) ((array-type int N))\n  (lambda (xs) (map (lambda (x) (* x 2)) (filter (lambda (y) (> y 0)) xs))))";
        let new = "(lift k (N) ((array-type int N))\n  (lambda (xs)\n    (unpack (X1 v1) (filter (lambda (y) (> y 0)) xs)\n      (pack (map (lambda (x) (* x 2)) v1)))))";
        let pairs = tokens(old, new);
        for part in ["filter", "map", "xs)", "(* x 2)", "0"] {
            let word = TextRange::at(at(new, part).start(), 1.into());
            let (_, from) = pairs.iter().find(|(n, _)| n.contains_range(word)).unwrap_or_else(|| panic!("{part}"));
            assert_eq!(from.start(), at(old, part).start(), "{part}");
        }
        for inserted in ["unpack", "pack (map", "X1", "v1"] {
            let word = TextRange::at(at(new, inserted).start(), 1.into());
            assert!(!pairs.iter().any(|(n, _)| n.contains_range(word)), "{inserted} is new");
        }
        assert!(
            pairs
                .iter()
                .all(|(n, o)| new[std::ops::Range::<usize>::from(*n)] == old[std::ops::Range::<usize>::from(*o)])
        );
    }

    #[test]
    fn texts_with_different_forms_have_nothing_in_common() {
        assert_eq!(tokens("(define a 1)", "(define a 1)\n(define b 2)"), []);
    }

    #[test]
    fn ranges_follow_an_edit() {
        let (old, new) = ("one two three", "one 2 and two three");
        let edited = Edited::between(old, new);
        assert_eq!(edited.forward(at(old, "one")), Some(at(new, "one")));
        assert_eq!(edited.forward(at(old, "three")), Some(at(new, "three")));
        assert_eq!(edited.backward(at(new, "three")), Some(at(old, "three")));
        assert_eq!(edited.backward(at(new, "2 and")), None);
        assert_eq!(edited.forward(at(old, old)), Some(at(new, new)));
        let same = Edited::between(old, old);
        assert_eq!(same.forward(at(old, "two")), Some(at(old, "two")));
    }
}
