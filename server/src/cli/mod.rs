//! The command line: arguments, dispatch to the commands, exit status.
//!
//! Exit status: 0, success; 1, the program or an input is wrong; 2, wrong usage.
//!
//! | module | job |
//! |---|---|
//! | `console` | output of commands |
//! | `options` | options that several commands have |
//! | `watch` | the end of a run that takes too long |
//! | `untyped` | APL functions without types |
//! | `build` | `lift build`: compiles kernels and writes or prints the result |
//! | `run` | `lift run`: reads inputs, runs a kernel on a device and reports the result |
//! | `bench` | `lift bench`: measures kernels and compares with earlier results |
//! | `check` | `lift check`: reports the problems of programs |
//! | `test` | `lift test`: runs the `;;; test:` lines of programs |
//! | `compare` | `lift compare`: compares two kernels |
//! | `devices` | `lift devices`: lists devices |
//! | `doc` | `lift doc`: writes HTML pages about definitions, and tries their examples |
//! | `explain` | `lift explain` |
//! | `fmt` | `lift fmt`: formats programs |
//! | `laws` | `lift laws`: checks, tests and lists laws of rewriting |
//! | `tune` | `lift tune`: finds the fastest parameters of a kernel on a device, by measurement |
//! | `types` | `lift types`: prints the types of forms, or the elaborated program |
//! | `version` | `lift --version`, also with `--verbose` |

mod bench;
mod build;
mod check;
mod compare;
mod console;
mod devices;
mod doc;
mod explain;
mod fmt;
mod laws;
mod options;
mod run;
mod test;
mod tune;
mod types;
mod untyped;
mod version;
mod watch;

pub use console::{Console, Format};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};
use lift_analysis::ide::Cancellable;
use lift_codegen::io::is_not_finite;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

/// Lift: a small, pure, data-parallel array language for OpenCL devices, with lengths in the types.
#[derive(Debug, Parser)]
#[command(name = "lift", max_term_width = 100, arg_required_else_help = true)]
struct Arguments {
    /// Print the version.
    #[arg(short = 'V', long)]
    version: bool,
    /// With `--version`: also the commit, the target, the version of the host plan and the fingerprint of the rules.
    #[arg(long, requires = "version")]
    verbose: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check programs and report their errors and warnings.
    Check(check::Arguments),
    /// Format programs.
    Fmt(fmt::Arguments),
    /// Show the types of a program's forms, or the elaborated program.
    Types(types::Arguments),
    /// Compile kernels to OpenCL C and a plan for the host.
    Build(build::Arguments),
    /// Run a kernel.
    Run(run::Arguments),
    /// Run the `;;; test:` lines of kernels on the interpreter and on devices.
    Test(test::Arguments),
    /// Measure kernels on a device and compare with an earlier measurement.
    Bench(bench::Arguments),
    /// Compare two kernels: results, times, costs and generated code.
    Compare(compare::Arguments),
    /// Check, test and list laws of rewriting: the built-in ones, or those of a program.
    Laws(laws::Arguments),
    /// Find the parameters that make a kernel fastest on a device, and keep them beside the program.
    Tune(tune::Arguments),
    /// Write pages about the definitions of a folder and of the prelude.
    Doc(doc::Arguments),
    /// List the devices that kernels can run on.
    Devices(devices::Arguments),
    /// Explain an error code; without one, list all codes.
    Explain(explain::Arguments),
    /// Start the language server on standard input and output.
    Lsp(LspArguments),
}

#[derive(Debug, clap::Args)]
struct LspArguments {
    /// Use standard input and output (always the case).
    #[arg(long)]
    stdio: bool,
    /// Log all messages to this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

/// The outcome of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Fine,
    /// The program or an input is wrong.
    Wrong,
    /// Wrong usage.
    Misused,
}

impl Status {
    pub fn wrong_if(wrong: bool) -> Status {
        if wrong { Status::Wrong } else { Status::Fine }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(match status {
            Status::Fine => 0,
            Status::Wrong => 1,
            Status::Misused => 2,
        })
    }
}

/// Runs a command line, whose first argument is the program's name.
pub fn run(args: Vec<OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(keep_negative_numbers(args)) {
        Ok(arguments) => arguments,
        Err(mut e) => {
            // The space of [`keep_negative_numbers`].
            if let Some(ContextValue::String(value)) = e.get(ContextKind::InvalidValue) {
                let value = value.trim_start().to_owned();
                e.insert(ContextKind::InvalidValue, ContextValue::String(value));
            }
            // `--help` arrives here too, with exit status 0.
            let _ = e.print();
            return ExitCode::from(e.exit_code() as u8);
        }
    };
    let mut console = Console::default();
    if arguments.version {
        return finished(version::run(arguments.verbose, &mut console), console);
    }
    let Some(command) = arguments.command else {
        let _ = Arguments::command().print_help();
        return Status::Misused.into();
    };
    let status = match command {
        Command::Check(a) => check::run(&a, &mut console),
        Command::Fmt(a) => fmt::run(&a, &mut console),
        Command::Types(a) => types::run(&a, &mut console),
        Command::Build(a) => build::run(&a, &mut console),
        Command::Run(a) => run::run(&a, &mut console),
        Command::Bench(a) => bench::run(&a, &mut console),
        Command::Compare(a) => compare::run(&a, &mut console),
        Command::Laws(a) => laws::run(&a, &mut console),
        Command::Tune(a) => tune::run(&a, &mut console),
        Command::Doc(a) => doc::run(&a, &mut console),
        Command::Test(a) => test::run(&a, &mut console),
        Command::Devices(a) => devices::run(&a, &mut console),
        Command::Explain(a) => explain::run(&a, &mut console),
        Command::Lsp(a) => {
            if io::stdin().is_terminal() {
                console.note("this speaks the Language Server Protocol: an editor starts it, Ctrl+D ends it");
            }
            match crate::lsp::run(a.log.as_deref()) {
                Ok(status) => return ExitCode::from(status),
                Err(e) => Err(e),
            }
        }
    };
    finished(status, console)
}

/// Prints a command's error, if any, and returns its exit status.
fn finished(status: io::Result<Status>, mut console: Console) -> ExitCode {
    match status.and_then(|status| console.flush().map(|()| status)) {
        Ok(status) => status.into(),
        // The reader closed our output early, as `head` does.
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(e) => {
            console.error(&e.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Prefixes arguments such as `-2.0f` with a space, which number parsers ignore, so that clap does not take them for
/// options.
fn keep_negative_numbers(args: Vec<OsString>) -> Vec<OsString> {
    let is_number = |s: &str| {
        let rest = s.strip_prefix('-').unwrap_or("");
        rest.starts_with(|c: char| c.is_ascii_digit())
            || rest.strip_prefix('.').is_some_and(|r| r.starts_with(|c: char| c.is_ascii_digit()))
            || is_not_finite(rest)
    };
    let mark = |arg: OsString| match arg.to_str() {
        Some(text) if is_number(text) => OsString::from(format!(" {text}")),
        _ => arg,
    };
    args.into_iter().map(mark).collect()
}

/// Converts cancellation to an I/O error: on the command line no edit cancels analysis.
pub fn answered<T>(answer: Cancellable<T>) -> io::Result<T> {
    answer.map_err(|_| io::Error::other("internal error: analysis was stopped"))
}
