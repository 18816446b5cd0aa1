//! The syntax of Lift: from text to a lossless tree, and back to formatted text.
//!
//! # Data
//!
//! In: the text of a file, or of one form of it. Out:
//!
//! * [`split`]`(file) -> Vec<RawForm>`: the top-level forms, determined only here.
//! * [`parse_form`]`(form) -> Parse { green, errors }`: the tree of one form, never of a file; its
//!   ranges are relative to the form, so that an edit elsewhere changes nothing.
//! * [`ast`]: typed views of such a tree.
//! * [`parse_file`]: both steps for tools that read a file once.
//! * [`format()`]`(file) -> String`, and the same as edits.
//! * [`LineIndex`]: offsets to lines and columns, in the units of an editor, and back.
//!
//! # Invariants
//!
//! * No byte is lost: the text of a tree is the text it was parsed from, and between forms there are
//!   only white space and comments.
//! * Nothing panics, and nothing recurses deeper than [`MAX_DEPTH`], for any text below 4 GiB
//!   (offsets have 32 bits; callers that read files check that).
//! * An error in one form does not affect the tree of another.
//! * The crate does not depend on types, files or protocols.
//!
//! # Modules
//!
//! Each uses only those above it; a test enforces this.
//!
//! | module | job |
//! |---|---|
//! | `language` | the language of a file |
//! | `kind`, `words` | the kinds of tokens and nodes; the keywords |
//! | [`halves`] | numbers of 16 bits |
//! | `literal`, `lexer` | the values of literals; text to tokens |
//! | `brackets` | matching of brackets, shared by splitter and parser, so that they agree |
//! | `split`, `resplit` | file to forms; the same after an edit |
//! | `error` | syntax errors as data |
//! | [`ast`] | typed views of a tree |
//! | `tree` | events to tree |
//! | `parser` | form to events, with recovery |
//! | `file` | split and parse together |
//! | `format` | the formatter, as edits of white space |
//! | `line_index` | offsets and positions |
//! | [`apl`], [`fcl`] | the syntax of APL and FCL files |
//! | [`whole`] | files in which each form is the whole text |

pub mod apl;
pub mod ast;
mod brackets;
mod error;
pub mod fcl;
mod file;
mod format;
pub mod halves;
mod kind;
mod language;
mod lexer;
mod line_index;
mod literal;
mod parser;
mod resplit;
mod split;
mod tree;
pub mod whole;
mod words;

pub use error::{SyntaxError, SyntaxErrorCode, SyntaxFix, TextEdit};
pub use file::{ParsedFile, ParsedForm, parse_file};
pub use format::{LINE_WIDTH, format, format_edits, format_range};
pub use kind::{LiftLanguage, SyntaxKind};
pub use language::Language;
pub use lexer::{Tokens, lex};
pub use line_index::{ColumnEncoding, LineIndex, Position};
pub use literal::{LiteralValue, is_literal_word};
pub use parser::{MAX_DEPTH, parse_form};
pub use resplit::{Resplit, resplit};
pub use split::{FormKind, RawForm, split};
pub use tree::Parse;
pub use words::{
    EXPRESSION_WORDS, FOLDED_OPERATORS, FORM_WORDS, SCALAR_TYPES, SIZE_OPERATORS, TYPE_WORDS, foreign_scalar,
};

pub use rowan;
pub use rowan::{GreenNode, NodeOrToken, TextRange, TextSize, TokenAtOffset};

/// A node of the tree, with its parent and range. It belongs to one thread; [`GreenNode`] does not.
pub type SyntaxNode = rowan::SyntaxNode<LiftLanguage>;
pub type SyntaxToken = rowan::SyntaxToken<LiftLanguage>;
pub type SyntaxElement = rowan::SyntaxElement<LiftLanguage>;
