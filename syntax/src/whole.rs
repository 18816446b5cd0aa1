//! Files that are one form, as those in other languages are.

use crate::{FormKind, RawForm, Resplit, TextRange, TextSize};

/// The one form of a file: the whole text, a kernel that is named after the file.
pub fn split(text: &str) -> Vec<RawForm> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![RawForm { kind: FormKind::Lift, range: TextRange::up_to(TextSize::of(text)), name: None }]
}

/// [`split`] after an edit: the one form is new.
pub fn resplit(old: &str, forms: &[RawForm], new: &str) -> Resplit {
    Resplit {
        first: 0,
        behind: forms.len(),
        between: split(new),
        replaced: TextRange::up_to(TextSize::of(old)),
        moved: new.len() as isize - old.len() as isize,
    }
}
