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

pub type AplNode = rowan::SyntaxNode<AplLanguage>;
pub type AplToken = rowan::SyntaxToken<AplLanguage>;
pub type AplElement = rowan::SyntaxElement<AplLanguage>;
