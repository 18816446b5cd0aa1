//! Tests of the crate's guarantees, in one binary, so that it links once.

mod common;
mod formatting;
mod generate;
mod misplaced;
mod positions;
mod properties;
mod recovery;
mod robustness;
mod splitting;
mod trees;
mod views;
