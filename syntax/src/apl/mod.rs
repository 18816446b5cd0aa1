//! The syntax of APL: from text to a lossless tree of phrases.
//!
//! The meaning of juxtaposition in APL depends on the meanings of names, so the tree has only brackets, braces and
//! statements; a phrase is a flat list of tokens and groups.
//!
//! For any text, nothing panics and no byte is lost. Modules: [`kind`](AplKind) tokens and nodes · `lexer` · `parser` ·
//! `format` · [`glyphs`] names, keys and effects of glyphs · [`kernels`] functions that are kernels.

mod format;
pub mod glyphs;
pub mod kernels;
mod kind;
mod lexer;
mod parser;

pub use format::format_edits;
pub use kind::{AplKind, AplLanguage};
pub use lexer::{complex, number, tokens};
pub use parser::{AplParse, parse};

pub type AplNode = rowan::SyntaxNode<AplLanguage>;
pub type AplToken = rowan::SyntaxToken<AplLanguage>;
pub type AplElement = rowan::SyntaxElement<AplLanguage>;
