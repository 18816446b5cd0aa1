//! Shared by the front ends of other languages: the terms that they emit, and their translation to a body.
//!
//! A front end partially evaluates its program; the rest is a first-order [`term::Term`], each node with its source range.
//! [`build::kernel`] makes a [`crate::hir::Body`] and its source map from it. That body is inferred like any other, so
//! a front end may be wrong but not unsound. [`print::to_lift`] prints a body as Lift, for people and tests.
//! [`emit::Emitter`] makes terms; [`program::Translated`] is the result of a front end.
//!
//! | module | job |
//! |---|---|
//! | [`term`] | terms: the output of a front end, before nodes get ids |
//! | [`build`] | converts a term to the body of a kernel and its source map |
//! | [`failure`] | errors of a front end's evaluation |
//! | [`emit`] | construction of terms |
//! | [`mod@print`] | a body as Lift text |
//! | [`program`] | the result of a front end |

pub mod build;
pub mod emit;
pub mod failure;
pub mod print;
pub mod program;
pub mod term;
