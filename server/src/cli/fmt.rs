//! `lift fmt`: formats programs.

use super::{Console, Format, Status, answered};
use crate::files;
use crate::program::Program;
use crate::report::{Problem, codes};
use lift_analysis::ide::TextEdit;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Change nothing; list the files that would change, and exit with status 1 if there are any.
    #[arg(long)]
    check: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The programs; `-` formats standard input to standard output.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let mut wrong = false;
    for path in &arguments.files {
        let from_stdin = path == Path::new("-");
        let text = if from_stdin { files::read_stdin() } else { files::read_source(path) };
        let shown = if from_stdin { "<stdin>".to_owned() } else { path.display().to_string() };
        let program = match text {
            Ok(text) => answered(Program::of_text(&shown, text))?,
            Err(why) => {
                let program = answered(Program::load(&[]))?;
                let problem = Problem::error(&shown.as_str().into(), codes::UNREADABLE_FILE, why.to_string());
                console.problems(&program.sources(), arguments.format, &[problem])?;
                wrong = true;
                continue;
            }
        };
        let Some(key) = program.roots.first() else { continue };
        let text = answered(program.analysis.text(key))?.unwrap_or_default();
        let formatted = apply(&text, &answered(program.analysis.format(key))?);
        let changed = *formatted != *text;
        if arguments.check {
            wrong |= changed;
            if changed {
                console.line(&shown)?;
            }
        } else if from_stdin {
            console.out().write_all(formatted.as_bytes())?;
        } else if changed && let Err(e) = files::write_atomically(path, formatted.as_bytes()) {
            console.error(&format!("{shown} cannot be written: {e}"));
            wrong = true;
        }
    }
    Ok(Status::wrong_if(wrong))
}

/// Applies sorted, disjoint edits to a text.
fn apply(text: &str, edits: &[TextEdit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let (start, end) = (usize::from(edit.range.start()), usize::from(edit.range.end()));
        out.push_str(&text[done..start]);
        out.push_str(&edit.new_text);
        done = end;
    }
    out.push_str(&text[done..]);
    out
}
