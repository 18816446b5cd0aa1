//! What the crate promises, as tests: one binary, so that it links once.

mod common;
mod recovery;
mod robustness;
mod splitting;
mod trees;
