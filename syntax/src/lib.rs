//! The syntax of Lift: from text to a lossless tree, and back to well laid out text.
//!
//! # Data
//!
//! In: the text of a file, or of one form of it. Out:
//!
//! * [`split`]`(file) -> Vec<RawForm>`: where the top-level forms are. The only authority on that.
//! * [`parse_form`]`(form) -> Parse { green, errors }`: the tree of one form, never of a file; its
//!   positions are relative to the form, so that an edit elsewhere changes nothing.
//! * [`ast`]: typed views of such a tree.
//! * [`parse_file`]: both steps for tools that read a file once.
//! * [`format()`]`(file) -> String`, and the same as edits.
//! * [`LineIndex`]: offsets to lines and columns, in the units of an editor, and back.
//!
//! # Invariants
//!
//! * No byte is lost: the text of a tree is the text it was made of, whatever that was, and between
//!   forms lie only white space and comments.
//! * Nothing panics, and nothing recurses deeper than [`MAX_DEPTH`], for any text below 4 GiB
//!   (positions have 32 bits; who reads files checks that).
//! * What is wrong in one form has no effect on the tree of another.
//! * The crate knows neither types nor files nor protocols.
//!
//! # Modules
//!
//! | module | job |
//! |---|---|
//! | `kind`, `words` | the kinds of tokens and nodes; the words with a fixed meaning |
//! | `lexer`, `literal` | text to tokens; the values of literals |
//! | `brackets` | which bracket closes which: shared by splitter and parser, so that they agree |
//! | `split`, `resplit` | file to forms; the same after an edit |
//! | `parser` | form to events, with recovery |
//! | `tree` | events to tree |
//! | `ast` | typed views |
//! | `file` | split and parse together |
//! | `format` | layout, as edits of white space |
//! | `line_index` | offsets and positions |
//! | `error` | syntax errors as data |
//! | `language` | what a file is written in |
//! | [`apl`], [`fcl`] | the syntax of APL and FCL files |
//! | [`whole`] | files that are one form |

pub mod apl;
pub mod ast;
mod brackets;
mod error;
pub mod fcl;
mod file;
mod format;
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
pub use literal::LiteralValue;
pub use parser::{MAX_DEPTH, parse_form};
pub use resplit::{Resplit, resplit};
pub use split::{FormKind, RawForm, split};
pub use tree::Parse;
pub use words::{EXPRESSION_WORDS, FOLDED_OPERATORS, FORM_WORDS, SCALAR_TYPES, SIZE_OPERATORS, TYPE_WORDS};

pub use rowan;
pub use rowan::{GreenNode, NodeOrToken, TextRange, TextSize, TokenAtOffset};

/// A node of the tree, with its parent and position. Belongs to one thread; [`GreenNode`] does not.
pub type SyntaxNode = rowan::SyntaxNode<LiftLanguage>;
pub type SyntaxToken = rowan::SyntaxToken<LiftLanguage>;
pub type SyntaxElement = rowan::SyntaxElement<LiftLanguage>;
