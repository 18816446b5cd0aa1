//! `lift check`: reports the problems of programs.

use super::{Console, Format, Status, answered};
use crate::program::Program;
use crate::report::Problem;
use lift_analysis::ide::Cancellable;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Insert no `pack` or `unpack`; the program must write all of them.
    #[arg(long)]
    explicit: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The programs.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = answered(Program::load(&arguments.files))?;
    let problems = answered(problems(&program, arguments.explicit))?;
    let errors = console.problems(&program.sources(), arguments.format, &problems)?;
    if arguments.format == Format::Text {
        summary(console, &problems);
    }
    Ok(Status::wrong_if(errors > 0))
}

/// Returns the problems of the given files and of their imports. Explicit mode applies to the given files only.
pub fn problems(program: &Program, explicit: bool) -> Cancellable<Vec<Problem>> {
    let mut out = program.unreadable.clone();
    for path in &program.files()? {
        let found = if explicit && program.roots.contains(path) {
            program.analysis.explicit_diagnostics(path)?
        } else {
            program.analysis.diagnostics(path)?
        };
        out.extend(found.into_iter().map(|d| Problem::of(path, d)));
    }
    Ok(out)
}

/// Returns only the errors.
pub fn errors(program: &Program) -> Cancellable<Vec<Problem>> {
    Ok(problems(program, false)?.into_iter().filter(Problem::is_error).collect())
}

fn summary(console: &mut Console, problems: &[Problem]) {
    let count = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let errors = problems.iter().filter(|p| p.is_error()).count();
    let warnings = problems.iter().filter(|p| p.severity == lift_analysis::diagnostics::Severity::Warning).count();
    let mut files: Vec<&Arc<str>> = problems.iter().filter(|p| p.is_error()).map(|p| &p.path).collect();
    files.sort();
    files.dedup();
    let parts: Vec<String> = [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    if !parts.is_empty() {
        let place = if files.len() > 1 { format!(" in {} files", files.len()) } else { String::new() };
        console.say(&format!("{}{place}", parts.join(", ")));
    }
}
