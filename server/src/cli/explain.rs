//! `lift explain`.

use super::{Console, Status};
use std::io;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// An error code, as in `error[unequal-lengths]`.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Codes of this crate, with their pages.
const OWN: [(&str, &str); 2] = [
    (
        "unreadable-file",
        "# unreadable-file\n\nA file cannot be read as a program: it is missing, is no regular file, is too large, or is not\nUTF-8 text. The message says which, and for bad text where the first bad byte is.\n",
    ),
    (
        "input",
        "# input\n\nAn input does not fit the parameter it is given for, or the sizes of the inputs disagree. Inputs stand in the order of\nthe kernel's parameters; each is a `.npy` file, a text file, a literal such as `0.5` or `[1,2,3]`, `random[:SEED]` or\n`iota`. Sizes follow from the shapes of files and literals; those that no input tells are given by `--size N=1000`.\n",
    ),
];

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let Some(code) = &arguments.code else {
        let mut codes = lift_analysis::ide::explain::codes();
        codes.extend(OWN.iter().map(|(code, _)| *code));
        codes.sort_unstable();
        for code in codes {
            console.line(code)?;
        }
        return Ok(Status::Fine);
    };
    let own = OWN.iter().find(|(c, _)| c == code).map(|(_, page)| *page);
    match lift_analysis::ide::explain::page(code).or(own) {
        Some(page) => {
            console.out().write_all(page.as_bytes())?;
            Ok(Status::Fine)
        }
        None => {
            console.error(&format!("there is no code `{code}`; `lift explain` lists them"));
            Ok(Status::Misused)
        }
    }
}
