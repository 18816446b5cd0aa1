//! Tests of the executable: language server sessions over its standard streams, and command lines.

mod apl;
mod changes;
mod cli;
mod commands;
mod compare;
mod costs;
#[cfg(target_os = "linux")]
mod deaf;
mod diagnostics;
#[cfg(target_os = "linux")]
mod disk;
#[cfg(target_os = "linux")]
mod drivers;
mod features;
mod files;
mod formats;
mod hints;
mod inputs;
mod laws;
mod moves;
mod programs;
mod random;
mod robustness;
mod runs;
mod session;
mod several;
mod sync;
mod tools;
mod tune;
mod views;
