//! Output of commands: results on standard output, messages on standard error.

use super::answered;
use crate::report::text::Style;
use crate::report::{Problem, Sources, json, text};
use serde::Serialize;
use std::io::{self, BufWriter, Stdout, Write};

/// How problems and results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For machines: one JSON object per line.
    Json,
}

pub struct Console {
    out: BufWriter<Stdout>,
    style: Style,
}

impl Default for Console {
    fn default() -> Console {
        Console { out: BufWriter::with_capacity(1 << 16, io::stdout()), style: Style::for_stderr() }
    }
}

impl Console {
    /// Standard output.
    pub fn out(&mut self) -> &mut dyn Write {
        &mut self.out
    }
    pub fn line(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{line}")
    }
    pub fn json(&mut self, object: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, object)?;
        writeln!(self.out)
    }
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Prints a line on standard error; ignores a closed stream.
    pub fn say(&mut self, line: &str) {
        let _ = self.out.flush();
        let _ = writeln!(io::stderr().lock(), "{line}");
    }
    pub fn error(&mut self, message: &str) {
        let _ = self.out.flush();
        let head = if self.style.color { "\x1b[1m\x1b[91merror\x1b[0m\x1b[1m" } else { "error" };
        let tail = if self.style.color { "\x1b[0m" } else { "" };
        self.say(&format!("{head}: {message}{tail}"));
    }
    pub fn note(&mut self, message: &str) {
        self.say(&format!("note: {message}"));
    }

    /// Prints problems in the given format; returns the number of errors.
    pub fn problems(&mut self, sources: &Sources, format: Format, problems: &[Problem]) -> io::Result<usize> {
        for problem in problems {
            let rendered = self.rendered(sources, format, problem)?;
            match format {
                Format::Json => self.line(&rendered)?,
                Format::Text => {
                    self.say(&rendered);
                    self.say("");
                }
            }
        }
        Ok(problems.iter().filter(|p| p.is_error()).count())
    }

    /// A problem as text or as JSON.
    pub fn rendered(&self, sources: &Sources, format: Format, problem: &Problem) -> io::Result<String> {
        Ok(match format {
            Format::Json => serde_json::to_string(&answered(json::message(sources, problem))?)?,
            Format::Text => answered(text::render(sources, self.style, problem))?,
        })
    }
}
