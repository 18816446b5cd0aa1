//! The `lift` program: command line and language server.
//!
//! # Data
//!
//! In: arguments, files, messages of an editor. Out: text for people, JSON for machines, messages to an editor.
//! What a program means is asked of [`lift_analysis`], what it compiles to of [`lift_codegen`]; both give plain data
//! (ranges, labels, edits, plans), which this crate prints or converts.
//!
//! # Invariants
//!
//! * Nothing here decides anything about the language.
//! * Nothing that a user, a file, an editor or a driver does ends the process by a panic; what goes wrong is an exit
//!   status or an answer.
//! * Opening a file runs nothing. The server runs a kernel only when asked, and always in a child process: a kernel
//!   that writes out of bounds, or a driver that hangs, takes only the child with it.
//! * Protocol types appear in [`lsp`] only, and are made in its module `convert`.
//!
//! # Modules
//!
//! | module | job |
//! |---|---|
//! | [`cli`] | the arguments, and one module a command |
//! | [`files`] | paths and texts: normal paths, bounded reading, atomic writing |
//! | [`program`] | a file with all it imports, loaded for the command line |
//! | [`report`] | diagnostics as a compiler prints them, and as JSON |
//! | [`inputs`] | a kernel's arguments, from words and files; `.npy` files; the line `;;; run:` |
//! | [`engine`] | the compiler and the devices, as this crate calls them |
//! | [`devices`] | which devices there are, asked where a driver may crash |
//! | [`stages`], [`align`] | the texts that a kernel becomes, and where their parts come from |
//! | [`lsp`] | the language server |

pub mod align;
pub mod cli;
pub mod devices;
pub mod engine;
pub mod files;
pub mod inputs;
pub mod lsp;
pub mod program;
pub mod report;
pub mod stages;

use std::ffi::OsString;
use std::process::ExitCode;

/// Analysis recurses over programs, as the compiler does: debug builds need more than the platform's default stack.
pub const STACK: usize = lift_codegen::lower::STACK;

/// Runs the program with its command line (first its own name) on a thread with a large stack.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let thread = std::thread::Builder::new().name("lift".into()).stack_size(STACK).spawn(move || cli::run(args));
    match thread.map(|t| t.join()) {
        Ok(Ok(code)) => code,
        // the panic has been printed
        Ok(Err(_)) => ExitCode::from(101),
        Err(e) => {
            eprintln!("error: no thread could be started: {e}");
            ExitCode::FAILURE
        }
    }
}
