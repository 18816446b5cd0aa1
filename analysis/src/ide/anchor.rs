//! Ranges that follow their text through edits, for results computed from an earlier version.

use super::locate::form_at;
use super::navigation::form_of_key;
use crate::db::{Db, SourceFile};
use crate::origin::FormKey;
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// A range in an earlier version of a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    form: FormKey,
    text: Arc<str>,
    part: TextRange,
}

impl Anchor {
    /// The path of the file.
    pub fn path(&self) -> &Arc<str> {
        &self.form.file
    }
}

pub(super) fn anchor(db: &dyn Db, file: SourceFile, part: TextRange) -> Option<Anchor> {
    let form = form_at(db, file, part.start())?.form;
    let key = FormKey { file: file.path(db).clone(), name: form.name(db).clone(), nth: form.nth(db) };
    Some(Anchor { form: key, text: form.text(db).clone(), part: part - form.start(db) })
}

/// The current range of the anchored text; `None` if that text changed.
pub(super) fn anchored(db: &dyn Db, file: SourceFile, anchor: &Anchor) -> Option<TextRange> {
    let form = form_of_key(db, file, &anchor.form)?;
    Some(moved(&anchor.text, form.text(db), anchor.part)? + form.start(db))
}

/// The range in `new` of a part of `old`, provided that a single replacement outside the part turns one into the other.
fn moved(old: &str, new: &str, part: TextRange) -> Option<TextRange> {
    let same = |(a, b): &(u8, u8)| a == b;
    let before = old.bytes().zip(new.bytes()).take_while(same).count();
    let most = old.len().min(new.len()) - before;
    let behind = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(same).count();
    if usize::from(part.end()) <= before {
        return Some(part);
    }
    let start = usize::from(part.start());
    let moved = || TextRange::at(TextSize::new((start + new.len() - old.len()) as u32), part.len());
    (start >= old.len() - behind).then(moved)
}

#[cfg(test)]
mod tests {
    use super::moved;
    use lift_syntax::TextRange;

    #[test]
    fn a_part_moves_with_what_stands_before_it() {
        let moved = |old, new, start: u32, end: u32| {
            let range = TextRange::new(start.into(), end.into());
            moved(old, new, range).map(|range| (u32::from(range.start()), u32::from(range.end())))
        };
        let (old, new) = ("(map f xs)", "(map  fg xs)");
        assert_eq!(moved(old, new, 1, 4), Some((1, 4)));
        assert_eq!(moved(old, new, 5, 6), None, "something was put around it");
        assert_eq!(moved(old, new, 7, 9), Some((9, 11)));
        assert_eq!(moved(old, new, 10, 10), Some((12, 12)));
        assert_eq!(moved(old, new, 0, 10), None, "something in it changed");
        assert_eq!(moved(old, old, 0, 10), Some((0, 10)));
        assert_eq!(moved("(f (g x) y)", "(f y)", 3, 8), None);
    }
}
