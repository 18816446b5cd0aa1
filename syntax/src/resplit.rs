//! Updates the forms of a text after an edit, in time nearly proportional to the edit.
//!
//! Compares the common start and end of both texts and splits only the region between again. It extends from two forms
//! before the first difference to the first form after the last difference that starts a line with a form word, where
//! the splitter restarts regardless of open brackets. A test compares the result with that of [`split`].

use crate::split::{RawForm, split};
use crate::words::FORM_WORDS;
use crate::{TextRange, TextSize};

/// The effect of an edit on the forms of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resplit {
    /// Number of unchanged forms before the edit.
    pub first: usize,
    /// Index in the old forms of the first form after the edit; from there on, forms are only moved.
    pub behind: usize,
    /// The new forms between them, with ranges in the new text.
    pub between: Vec<RawForm>,
    /// The range of the old text that was replaced.
    pub replaced: TextRange,
    /// Offset by which the forms after the edit are moved, in bytes.
    pub moved: isize,
}

impl Resplit {
    /// Returns the forms of the new text.
    pub fn forms(&self, old: &[RawForm]) -> Vec<RawForm> {
        let mut forms = Vec::with_capacity(self.first + self.between.len() + old.len() - self.behind);
        forms.extend_from_slice(&old[..self.first]);
        forms.extend_from_slice(&self.between);
        forms.extend(old[self.behind..].iter().map(|form| RawForm {
            kind: form.kind,
            range: moved(form.range, self.moved),
            name: form.name.map(|name| moved(name, self.moved)),
        }));
        forms
    }
}

fn moved(range: TextRange, by: isize) -> TextRange {
    let at = |at: TextSize| TextSize::new(usize::from(at).saturating_add_signed(by) as u32);
    TextRange::new(at(range.start()), at(range.end()))
}

/// Compares the forms of `new` with `forms`, the forms of `old`.
pub fn resplit(old: &str, forms: &[RawForm], new: &str) -> Resplit {
    let before = common_prefix(old.as_bytes(), new.as_bytes());
    let most = old.len().min(new.len()) - before;
    let mut after = common_suffix(old.as_bytes(), new.as_bytes(), most);
    while !old.is_char_boundary(old.len() - after) {
        after -= 1;
    }
    let replaced = TextRange::new(TextSize::new(before as u32), TextSize::new((old.len() - after) as u32));
    // The last two forms before the difference may grow with text typed after them.
    let first = forms.partition_point(|form| usize::from(form.range.end()) < before).saturating_sub(2);
    let start = match first {
        0 => 0,
        first => forms.get(first).map_or(0, |next| usize::from(next.range.start())),
    };
    // A comment or string opened by the edit may extend to the end of its line. The first form after that line may get
    // other documentation; the form after that is safe.
    let line_end = old[old.len() - after..].find(['\n', '\r']).map_or(old.len(), |at| old.len() - after + at);
    let next = 1 + forms.partition_point(|form| usize::from(form.range.start()) <= line_end);
    let rest = forms.get(next..).unwrap_or_default();
    let behind = rest.iter().position(|form| starts_line(old, form)).map_or(forms.len(), |index| next + index);
    let by = new.len() as isize - old.len() as isize;
    let end = forms.get(behind).map_or(new.len(), |form| usize::from(moved(form.range, by).start()));
    let at = TextSize::new(start as u32);
    let between = split(&new[start..end]).into_iter().map(|form| RawForm {
        kind: form.kind,
        range: form.range + at,
        name: form.name.map(|name| name + at),
    });
    Resplit { first, behind, between: between.collect(), replaced, moved: by }
}

/// Whether the form starts there even inside open brackets, as `(define` at the start of a line.
fn starts_line(text: &str, form: &RawForm) -> bool {
    let tokens = crate::lex(&text[form.range]);
    let mut significant = (0..tokens.len()).filter(|&token| !tokens.kind(token).is_trivia());
    let (Some(opener), Some(word)) = (significant.next(), significant.next()) else { return false };
    let at = usize::from(form.range.start() + tokens.range(opener).start());
    tokens.kind(opener).is_opener()
        && text[..at].ends_with(['\n', '\r'])
        && FORM_WORDS.contains(&&text[form.range][tokens.range(word)])
}

/// Number of bytes compared at once.
const BLOCK: usize = 256;

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    let blocks = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    blocks + a[blocks..].iter().zip(&b[blocks..]).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[u8], b: &[u8], most: usize) -> usize {
    let (a, b) = (&a[a.len() - most..], &b[b.len() - most..]);
    let blocks = a.rchunks_exact(BLOCK).zip(b.rchunks_exact(BLOCK)).take_while(|(a, b)| a == b).count() * BLOCK;
    let (a, b) = (&a[..a.len() - blocks], &b[..b.len() - blocks]);
    blocks + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIECES: &str = "[()\\[\\]\"]|\\(define |\\(define \\(f x\\) x\\)|\n\\(lift f |;;; d\n|; c\n|\n|\n\n| |x|é|è|#2|\"a\"|λ|\r\n|\\)\\)";

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_same_as_a_fresh_split(
            pieces in prop::collection::vec(prop::string::string_regex(PIECES).unwrap(), 0..30),
            at in any::<prop::sample::Index>(),
            len in 0usize..8,
            insert in prop::string::string_regex(PIECES).unwrap(),
        ) {
            let old = pieces.concat();
            let places: Vec<usize> = old.char_indices().map(|(at, _)| at).chain([old.len()]).collect();
            let start = at.index(places.len());
            let end = (start + len).min(places.len() - 1);
            let mut new = old.clone();
            new.replace_range(places[start]..places[end], &insert);
            let forms = split(&old);
            prop_assert_eq!(resplit(&old, &forms, &new).forms(&forms), split(&new), "{:?} -> {:?}", old, new);
        }
    }

    #[test]
    fn ends_are_found_byte_by_byte() {
        let long = "a".repeat(1000);
        assert_eq!(common_prefix(long.as_bytes(), format!("{}b", &long[..700]).as_bytes()), 700);
        assert_eq!(common_suffix(long.as_bytes(), format!("b{}", &long[..700]).as_bytes(), 701), 700);
    }
}
