//! `lift-analysis`: meaning. (The full head is written with the modules.)
pub mod diagnostics;
pub mod hir;
pub mod ide;
pub mod infer;
pub mod origin;
pub mod size;
pub mod ty;
