//! Small programs with what inference says of them: one line a form, then the diagnostics.

mod elaboration;
mod errors;
mod existentials;
mod harness;
mod irregular;
mod placing;
mod random;
mod repairs;
mod sizes;
mod types;
