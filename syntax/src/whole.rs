//! Files that are a single form, as in the other languages.

use crate::{FormKind, RawForm, Resplit, TextRange, TextSize};

/// Returns the only form of a file: the whole text, a kernel named after the file.
pub fn split(text: &str) -> Vec<RawForm> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![RawForm { kind: FormKind::Lift, range: TextRange::up_to(TextSize::of(text)), name: None }]
}

/// Updates the forms after an edit: the only form is new.
pub fn resplit(old: &str, forms: &[RawForm], new: &str) -> Resplit {
    Resplit {
        first: 0,
        behind: forms.len(),
        between: split(new),
        replaced: TextRange::up_to(TextSize::of(old)),
        moved: new.len() as isize - old.len() as isize,
    }
}
