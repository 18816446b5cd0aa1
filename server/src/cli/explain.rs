//! `lift explain`: prints the page about an error code.

use super::{Console, Status};
use crate::report::codes;
use std::io;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// An error code, as in `error[unequal-lengths]`.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let Some(code) = &arguments.code else {
        for code in codes::all() {
            console.line(code)?;
        }
        return Ok(Status::Fine);
    };
    match codes::page(code) {
        Some(page) => {
            console.out().write_all(page.as_bytes())?;
            Ok(Status::Fine)
        }
        None => {
            let alike: Vec<String> = codes::all()
                .iter()
                .filter(|known| known.contains(code.as_str()))
                .map(|known| format!("`{known}`"))
                .collect();
            let more = match alike.as_slice() {
                [] => "`lift explain` lists them".to_owned(),
                alike => format!("there is {}", alike.join(", ")),
            };
            console.error(&format!("there is no code `{code}`; {more}"));
            Ok(Status::Misused)
        }
    }
}
