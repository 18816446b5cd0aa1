//! Kernels: well-formedness, printing, simplification.

mod check;
mod commute;
mod parse;
mod random;
mod simplify;
