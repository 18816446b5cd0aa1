//! The tree-sitter grammar of Lift for Rust programs, with its queries.
//!
//! `src/` is generated from `grammar.js` by `tree-sitter generate`; tests of the workspace check that it is up to date,
//! and that its trees agree with those of the language's own parser.

#![allow(unsafe_code)]

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_lift() -> *const ();
}

/// The parser, for `tree_sitter::Parser::set_language`.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_lift) };

/// The node kinds, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");
pub const HIGHLIGHTS: &str = include_str!("../../queries/highlights.scm");
pub const LOCALS: &str = include_str!("../../queries/locals.scm");
pub const FOLDS: &str = include_str!("../../queries/folds.scm");
pub const INDENTS: &str = include_str!("../../queries/indents.scm");
pub const TAGS: &str = include_str!("../../queries/tags.scm");
