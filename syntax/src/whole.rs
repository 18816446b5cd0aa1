//! Files whose forms are the whole text, as in the other languages.

use crate::{FormKind, RawForm, Resplit, TextRange, TextSize};

/// Returns the only form of a file: the whole text, a kernel named after the file.
pub fn split(text: &str) -> Vec<RawForm> {
    if text.trim().is_empty() {
        return Vec::new();
    }
    vec![RawForm { kind: FormKind::Lift, range: TextRange::up_to(TextSize::of(text)), name: None }]
}

/// Replaces the forms of an old text by those of a new one; each form is the whole text.
pub fn resplit(old: &str, forms: &[RawForm], new: &str, between: Vec<RawForm>) -> Resplit {
    Resplit {
        first: 0,
        behind: forms.len(),
        between,
        replaced: TextRange::up_to(TextSize::of(old)),
        moved: new.len() as isize - old.len() as isize,
    }
}
