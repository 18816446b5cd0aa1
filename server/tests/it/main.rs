//! The program from outside: language server sessions over its standard streams, and command lines.

mod cli;
mod commands;
mod features;
mod files;
mod inputs;
mod programs;
mod random;
mod robustness;
mod session;
mod sync;
mod views;
