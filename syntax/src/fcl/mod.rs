//! The syntax of FCL: from text to a lossless tree of declarations, and to plain data.
//!
//! For any text, nothing panics and no byte is lost. Modules: [`kind`](FclKind) tokens and nodes · `lexer` · `parser` ·
//! [`ast`] the program without its trivia ·
//! `format` white space.

pub mod ast;
mod format;
mod kind;
mod lexer;
mod parser;

pub use format::format_edits;
pub use kind::{FclKind, FclLanguage};
pub use lexer::{KEYWORDS, is_keyword, tokens};
pub use parser::{FclParse, parse};

pub type FclNode = rowan::SyntaxNode<FclLanguage>;
pub type FclToken = rowan::SyntaxToken<FclLanguage>;
