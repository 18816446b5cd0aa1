//! Places that move with the text: for what was found out about a program some edits ago.

use super::locate::form_at;
use super::navigation::form_of_key;
use crate::db::{Db, SourceFile};
use crate::origin::FormKey;
use lift_syntax::TextSize;
use std::sync::Arc;

/// A place in a form as it was at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    form: FormKey,
    text: Arc<str>,
    at: TextSize,
}

impl Anchor {
    /// The path of its file.
    pub fn path(&self) -> &Arc<str> {
        &self.form.file
    }
}

pub(super) fn anchor(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<Anchor> {
    let form = form_at(db, file, offset)?.form;
    let key = FormKey { file: file.path(db).clone(), name: form.name(db).clone(), nth: form.nth(db) };
    Some(Anchor { form: key, text: form.text(db).clone(), at: offset - form.start(db) })
}

/// Where the place is now: nowhere if the text around it changed.
pub(super) fn anchored(db: &dyn Db, file: SourceFile, anchor: &Anchor) -> Option<TextSize> {
    let form = form_of_key(db, file, &anchor.form)?;
    let at = moved(&anchor.text, form.text(db), anchor.at.into())?;
    Some(form.start(db) + TextSize::new(at as u32))
}

/// Where a place of one text is in another one, taken as the first with one part replaced.
fn moved(old: &str, new: &str, at: usize) -> Option<usize> {
    let same = |(a, b): &(u8, u8)| a == b;
    let before = old.bytes().zip(new.bytes()).take_while(same).count();
    let most = old.len().min(new.len()) - before;
    let behind = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(same).count();
    if at <= before {
        return Some(at);
    }
    (at >= old.len() - behind).then(|| at + new.len() - old.len())
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn a_place_moves_with_what_stands_before_it() {
        let (old, new) = ("(map f xs)", "(map  fg xs)");
        let places = (0..=old.len()).map(|at| moved(old, new, at));
        let expected = [0, 1, 2, 3, 4, 5].map(Some).into_iter().chain([None]);
        assert!(places.clone().take(6).eq(expected.take(6)));
        // Behind `f` something was put in: that place is before it, or behind.
        assert_eq!(places.skip(7).collect::<Vec<_>>(), [9, 10, 11, 12].map(Some));
        assert_eq!(moved("(f x)", "(f x)", 3), Some(3));
        assert_eq!(moved("(f (g x) y)", "(f y)", 5), None);
    }
}
