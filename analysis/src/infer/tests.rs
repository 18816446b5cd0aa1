//! Small programs and their inferred types: one line per form, then the diagnostics.

mod elaboration;
mod equal_here;
mod errors;
mod existentials;
mod given;
mod harness;
mod intentions;
mod irregular;
mod levels;
mod meant;
mod placing;
mod random;
mod repairs;
mod sizes;
mod surplus;
mod types;
