//! What the front ends of other languages share: terms that they make, and the way from a term to a body.
//!
//! A front end evaluates its program as far as it goes before the run; what is left is a [`Term`] of first order, each
//! part with the range of the text that it comes from. [`build::kernel`] makes a [`crate::hir::Body`] and its source map
//! of it; inference is run on that as on any other, so that a front end may be wrong but not unsound. [`print::to_lift`]
//! writes a body as text of Lift, for people and tests.

pub mod build;
pub mod print;
pub mod term;
