//! Tests of the size library.

mod print;
mod substitution;
