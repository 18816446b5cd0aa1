//! The syntax of APL: from text to a lossless tree of phrases.
//!
//! What juxtaposition means in APL depends on what the names in it mean, so the tree has brackets, braces and statements
//! only; a phrase is a flat list of tokens and groups.
//!
//! Nothing panics and no byte is lost, whatever the text is. Map: [`kind`](AplKind) tokens and nodes · `lexer` ·
//! `parser` · [`glyphs`] what each glyph is called and does.

pub mod glyphs;
mod kind;
mod lexer;
mod parser;

pub use kind::{AplKind, AplLanguage};
pub use lexer::{number, tokens};
pub use parser::{AplParse, parse};

use crate::{FormKind, RawForm, Resplit, TextRange, TextSize};

pub type AplNode = rowan::SyntaxNode<AplLanguage>;
pub type AplToken = rowan::SyntaxToken<AplLanguage>;
pub type AplElement = rowan::SyntaxElement<AplLanguage>;

/// The forms of an APL file: one, the whole text, a kernel that is named after the file.
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
