//! Arguments and results of a run, as people and files represent them.
//!
//! This module opens no files: text, shapes and elements go in and out as data. `docs/running.md` documents the rules.
//!
//! | module | job |
//! |---|---|
//! | `scalar` | parses single scalars, and appends to arrays of them |
//! | [`flat`] | regular arrays with a shape, as in NumPy's `.npy` files |
//! | [`generate`] | values generated for a type and its sizes |
//! | [`cast`] | checked conversion of numbers to the type that is needed |
//! | [`literal`] | `0.5`, `[1,2,3]`, `[[1,2],[3,4]]`, `(1, 2.5)` |
//! | [`packed`] | rows of different lengths, concatenated |
//! | [`mod@print`] | prints results as lines |
//! | [`text`] | numbers separated by white space, rows by new lines |
//! | [`apl`] | prints results as APL does |
//! | [`bind`] | binds the arguments of a run |
//! | [`columns`] | values of every type as named arrays, with offsets for rows of different lengths |
//! | [`fcl`] | prints results as FCL does |
//! | [`plot`] | results as curves and pictures, reduced to the resolution of a screen |
//! | [`source`] | how an argument is given on the command line: a file, a literal, `random`, `iota` |
//! | [`table`] | rows of cells, as in CSV files |

pub mod apl;
pub mod bind;
pub mod cast;
pub mod columns;
pub mod fcl;
pub mod flat;
pub mod generate;
pub mod literal;
pub mod packed;
pub mod plot;
pub mod print;
mod scalar;
pub mod source;
pub mod table;
pub mod text;

#[cfg(test)]
mod tests;

pub use bind::{Argument, Bound, bind, measure};
pub use flat::FlatArray;
pub use scalar::is_not_finite;
pub use source::InputSource;

use lift_analysis::ty::{Ty, TyKind};
use std::fmt;

/// Why an argument cannot be read. The location in a text, if there is one, counts lines and columns from 1; columns
/// are characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputError {
    pub at: Option<(usize, usize)>,
    pub message: String,
}

impl InputError {
    fn new(message: impl Into<String>) -> InputError {
        InputError { at: None, message: message.into() }
    }
    fn at(line: usize, column: usize, message: impl Into<String>) -> InputError {
        InputError { at: Some((line, column)), message: message.into() }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some((line, column)) => write!(f, "{line}:{column}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for InputError {}

type Result<T> = std::result::Result<T, InputError>;

/// The type without quantifiers around it: hidden lengths do not affect its form.
fn opened(mut ty: &Ty) -> &Ty {
    while let TyKind::Exists(_, body) = ty.kind() {
        ty = body;
    }
    ty
}

/// Formats a count: "3 elements", "1 element".
fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
