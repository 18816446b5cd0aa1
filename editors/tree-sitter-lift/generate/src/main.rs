//! Generates the parser of `grammar.js`, as `tree-sitter generate` does: `src/parser.c`, `grammar.json`,
//! `node-types.json` and the headers.
//!
//! ```text
//! lift-grammar-generator OUT
//! ```
//!
//! OUT is the output folder. Requires Node.js, because the grammar is a JavaScript program.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(out), None) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: lift-grammar-generator OUT");
        return ExitCode::from(2);
    };
    let grammar = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    // Version 14 of the tables, which Neovim 0.10 and Helix 25.01 support.
    let tables = 14;
    let js = grammar.join("grammar.js");
    match tree_sitter_generate::generate_parser_in_directory(&grammar, Some(&out), js.to_str(), tables, None, None) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lift-grammar-generator: {error}");
            ExitCode::FAILURE
        }
    }
}
