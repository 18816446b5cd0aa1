//! The `lift` program: command line and language server.
//!
//! # Data
//!
//! In: arguments, files, messages of an editor. Out: text for people, JSON for machines, messages to an editor.
//! [`lift_analysis`] gives programs their meaning and [`lift_codegen`] compiles them; both return plain data (ranges,
//! labels, edits, plans), which this crate prints or converts.
//!
//! # Invariants
//!
//! * Nothing here decides anything about the language.
//! * Users, files, editors and drivers cannot make the process panic; failures are exit statuses or answers.
//! * Opening a file runs nothing. The server runs a kernel only on request, and always in a child process: a kernel
//!   that writes out of bounds, or a driver that hangs, takes only the child with it.
//! * Protocol types appear in [`lsp`] only, and are made in its module `convert`.
//!
//! # Modules
//!
//! Each uses only those above it; a test enforces this.
//!
//! | module | job |
//! |---|---|
//! | [`report`] | diagnostics as text and as JSON |
//! | [`files`] | normalized paths, bounded reading, atomic writing |
//! | [`program`] | a file and its imports, loaded for the command line |
//! | `doc` | pages about the definitions of a program |
//! | [`places`] | source locations of origins |
//! | [`inputs`] | a kernel's arguments, from words and files; `.npy` files; the line `;;; run:` |
//! | [`align`] | matches the tokens of two versions of a program |
//! | [`tuned`] | the parameters that tuning found, in a file beside the program |
//! | [`engine`] | entry points to the compiler and the devices |
//! | [`parts`], [`several`] | kernels on blocks of their arrays; run on several devices |
//! | [`laws`] | tests of laws of rewriting, and the page about them |
//! | [`devices`] | lists devices in a child process |
//! | [`stages`] | the text of each compilation stage, with its source map |
//! | [`tune`] | searches for the fastest parameters of a kernel, in a child process |
//! | [`lsp`] | the language server |
//! | [`cli`] | the arguments, and one module per command |

pub mod align;
pub mod cli;
pub mod devices;
mod doc;
pub mod engine;
pub mod files;
pub mod inputs;
pub mod laws;
pub mod lsp;
pub mod parts;
pub mod places;
pub mod program;
pub mod report;
pub mod several;
pub mod stages;
pub mod tune;
pub mod tuned;

use std::ffi::OsString;
use std::process::ExitCode;

/// Stack size in bytes: analysis and compiler recurse over programs, and debug builds overflow the platform's default.
pub const STACK: usize = lift_codegen::lower::STACK;

/// Runs the program with its command line (first its own name) on a thread with a large stack.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let thread = std::thread::Builder::new().name("lift".into()).stack_size(STACK).spawn(move || cli::run(args));
    match thread.map(|t| t.join()) {
        Ok(Ok(code)) => code,
        // The panic is already printed.
        Ok(Err(_)) => ExitCode::from(101),
        Err(e) => {
            eprintln!("error: no thread could be started: {e}");
            ExitCode::FAILURE
        }
    }
}
