//! Kernels: well-formedness, printing, simplification.

mod check;
mod parse;
mod random;
mod simplify;
