//! `lift doc`: writes HTML pages about the definitions of a folder and of the prelude, and tries their examples.

use super::{Console, Status, answered, check, test};
use crate::doc::{Pages, Tried};
use crate::files;
use crate::program::Program;
use crate::report::{Problem, codes};
use std::io;
use std::path::{Path, PathBuf};

/// Depth to which nested folders are searched.
const MAX_DEPTH: usize = 64;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Where to write the pages; created if missing.
    #[arg(short = 'o', value_name = "DIR", default_value = "doc")]
    output: PathBuf,
    /// The folder with the programs.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let mut sources = Vec::new();
    if arguments.folder.is_file() {
        console.error(&format!("{} is a file; the pages are about a folder of programs", arguments.folder.display()));
        return Ok(Status::Misused);
    }
    let mut wrong = None;
    files::programs_below(&arguments.folder, MAX_DEPTH, &mut sources, &mut |folder, e| {
        wrong.get_or_insert(format!("{}: {e}", folder.display()));
    });
    if let Some(wrong) = wrong {
        console.error(&wrong);
        return Ok(Status::Misused);
    }
    if sources.is_empty() {
        console.error(&format!("{} has no `.lift` files", arguments.folder.display()));
        return Ok(Status::Wrong);
    }
    let program = answered(Program::load(&sources))?;
    if let Err(e) = files::may_write_in(&arguments.output) {
        console.problems(&program.sources(), super::Format::Text, &[unwritable(&arguments.output, &e)])?;
        return Ok(Status::Wrong);
    }
    let errors = answered(check::errors(&program))?;
    let mut wrong = console.problems(&program.sources(), super::Format::Text, &errors)?;
    let mut tried = Tried::default();
    for path in &program.roots {
        for kernel in answered(program.analysis.kernels(path))?.iter() {
            for (line, problem) in test::on_interpreter(&program, path, kernel)? {
                tried.insert((path.clone(), line.range), problem.is_none());
                wrong += console.problems(&program.sources(), super::Format::Text, problem.as_slice())?;
            }
        }
    }
    let pages = Pages::new(&program, &arguments.folder, &tried);
    let written = answered(pages.site())?;
    for (name, text) in &written {
        let target = arguments.output.join(name);
        let folder = target.parent().unwrap_or(&arguments.output);
        let done = std::fs::create_dir_all(folder).and_then(|()| files::write_atomically(&target, text.as_bytes()));
        if let Err(e) = done {
            wrong += console.problems(&program.sources(), super::Format::Text, &[unwritable(&target, &e)])?;
            break;
        }
    }
    if wrong == 0 {
        let count = written.keys().filter(|name| name.ends_with(".html")).count();
        console.line(&format!(
            "{}: {count} pages, {} examples",
            arguments.output.join("index.html").display(),
            tried.len()
        ))?;
    }
    Ok(Status::wrong_if(wrong > 0))
}

fn unwritable(target: &Path, e: &io::Error) -> Problem {
    let name = target.display().to_string();
    let message = format!("{name} cannot be written: {e}");
    Problem::error(&name.into(), codes::UNWRITABLE_FILE, message)
}
