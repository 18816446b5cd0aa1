//! `lift-analysis`: meaning. (The full head is written with the modules.)
pub mod calls;
pub mod db;
pub mod diagnostics;
pub mod hir;
pub mod ide;
pub mod imports;
pub mod infer;
pub mod lower;
pub mod names;
pub mod origin;
pub mod prims;
pub mod queries;
pub mod size;
pub mod ty;
