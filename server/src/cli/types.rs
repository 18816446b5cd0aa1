//! `lift types`: prints the types of forms, or the elaborated program.

use super::{Console, Format, Status, answered, check};
use crate::program::Program;
use serde_json::json;
use std::io;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print the elaborated program, with every inserted `pack` and `unpack`.
    #[arg(long)]
    elaborated: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = answered(Program::load(std::slice::from_ref(&arguments.file)))?;
    let errors = answered(check::errors(&program))?;
    console.problems(&program.sources(), arguments.format, &errors)?;
    let status = Status::wrong_if(!errors.is_empty());
    let Some(path) = program.roots.first() else { return Ok(status) };
    if arguments.elaborated {
        // Only a program without errors can be elaborated as a whole.
        if errors.is_empty()
            && let Some(text) = answered(program.analysis.elaborated(path))?
        {
            console.out().write_all(text.as_bytes())?;
        }
        return Ok(status);
    }
    for form in answered(program.analysis.types(path))? {
        match arguments.format {
            Format::Text => console.line(&format!("{} : {}", form.name, form.ty))?,
            Format::Json => console.json(&json!({ "name": form.name, "type": form.ty }))?,
        }
    }
    Ok(status)
}
