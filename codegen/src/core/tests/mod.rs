//! Kernels: well-formedness, printing, simplification.

mod check;
mod random;
mod simplify;
