//! (see docs/architecture.md)
pub mod size;
