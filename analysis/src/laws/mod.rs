//! Laws of rewriting: pairs of expressions that mean the same.
//!
//! [`law`] reads laws, which are definitions of ordinary programs; the built-in ones are `prelude/laws.lift`.
//! [`rewriting`] applies a law to a form: [`matching`] finds the terms of its variables, [`building`] writes the other
//! side. [`instance`] makes random programs of the two sides, on which a law is tested. Nothing here decides whether a
//! rewritten form checks; [`crate::ide`] tries each before it is offered.
//!
//! | module | job |
//! |---|---|
//! | [`term`] | expressions as terms with names, for matching and rewriting |
//! | [`law`] | laws as data, read from a program |
//! | [`matching`] | matching a side of a law against a term |
//! | [`building`] | builds a side of a law from the matched terms |
//! | [`checking`] | the types of a law's sides |
//! | [`failing`] | whether computing a term can fail |
//! | [`conditions`] | properties of operators that laws require |
//! | [`instance`] | random instances of a law |
//! | [`rewriting`] | applying laws to the terms of a form |

pub mod building;
pub mod checking;
pub mod conditions;
pub mod failing;
pub mod instance;
pub mod law;
pub mod matching;
pub mod rewriting;
pub mod term;

pub use law::{Condition, Direction, Law, NoLaw, read, read_form};
pub use rewriting::{Rewritten, Subject, root};

use std::sync::LazyLock;

pub const LAWS_TEXT: &str = include_str!("../../prelude/laws.lift");

/// The built-in laws, in order.
pub fn builtin() -> &'static [Law] {
    static LAWS: LazyLock<Vec<Law>> = LazyLock::new(|| read(LAWS_TEXT).into_iter().flatten().collect());
    &LAWS
}

#[cfg(test)]
mod tests;
