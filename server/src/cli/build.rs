//! `lift build`.

use super::{Console, Format, Status, answered, check};
use crate::engine;
use crate::files;
use crate::program::Program;
use crate::report::{Problem, codes};
use lift_analysis::ide::{Cancellable, KernelInfo};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only this kernel.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Where to write NAME.cl and NAME.plan.json; it is made if it is not there.
    #[arg(short = 'o', value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Print one stage of the compilation instead of writing files.
    #[arg(long, value_enum, value_name = "STAGE")]
    stage: Option<Stage>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Stage {
    /// The elaborated program: every name, size, pack and unpack written out.
    Core,
    /// After fusion and placement.
    Scheduled,
    /// The OpenCL C text.
    Opencl,
    /// The plan for the host, as JSON.
    Plan,
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let program = answered(Program::load(std::slice::from_ref(&arguments.file)))?;
    let errors = answered(check::errors(&program))?;
    if console.problems(&program.sources(), arguments.format, &errors)? > 0 {
        return Ok(Status::Wrong);
    }
    let Some(path) = program.roots.first() else { return Ok(Status::Wrong) };
    let kernels = match answered(kernels(&program, path, arguments.kernel.as_deref()))? {
        Ok(kernels) => kernels,
        Err(problem) => {
            console.problems(&program.sources(), arguments.format, &[problem])?;
            return Ok(Status::Wrong);
        }
    };
    let mut wrong = false;
    for kernel in kernels {
        let result = match arguments.stage {
            Some(stage) => print(&program, path, &kernel.name, stage, console)?,
            None => write(&program, path, &kernel.name, arguments, console)?,
        };
        if let Err(problems) = result {
            wrong |= console.problems(&program.sources(), arguments.format, &problems)? > 0;
        }
    }
    Ok(Status::wrong_if(wrong))
}

/// The named kernel, or all.
fn kernels(program: &Program, path: &Arc<str>, name: Option<&str>) -> Cancellable<Result<Vec<KernelInfo>, Problem>> {
    if let Some(name) = name {
        return Ok(one_kernel(program, path, Some(name))?.map(|k| vec![k]));
    }
    let all = program.analysis.kernels(path)?;
    Ok(if all.is_empty() { Err(no_kernel(path)) } else { Ok(all) })
}

/// The named kernel, or the only one.
pub fn one_kernel(program: &Program, path: &Arc<str>, name: Option<&str>) -> Cancellable<Result<KernelInfo, Problem>> {
    let all = program.analysis.kernels(path)?;
    if all.is_empty() {
        return Ok(Err(no_kernel(path)));
    }
    let names = all.iter().map(|k| format!("`{}`", k.name)).collect::<Vec<_>>().join(", ");
    let found = match name {
        Some(name) => all.into_iter().find(|k| k.name == name),
        None => <[KernelInfo; 1]>::try_from(all).ok().map(|[only]| only),
    };
    Ok(found.ok_or_else(|| match name {
        Some(name) => {
            Problem::error(path, codes::NO_SUCH_KERNEL, format!("there is no kernel `{name}`; there is {names}"))
        }
        None => {
            let message = format!("there are several kernels, {names}: choose one with `--kernel`");
            Problem::error(path, codes::NO_SUCH_KERNEL, message)
        }
    }))
}

fn no_kernel(path: &Arc<str>) -> Problem {
    Problem::error(path, codes::NO_SUCH_KERNEL, "the program has no kernel: a form `(lift …)`")
}

type Outcome = io::Result<Result<(), Vec<Problem>>>;

fn print(program: &Program, path: &Arc<str>, kernel: &str, stage: Stage, console: &mut Console) -> Outcome {
    let text = match stage {
        Stage::Core => answered(engine::core_text(&program.analysis, path, kernel))?,
        Stage::Scheduled => answered(engine::scheduled_text(&program.analysis, path, kernel))?,
        Stage::Opencl => answered(engine::program(&program.analysis, path, kernel))?.map(|p| p.opencl.text.clone()),
        Stage::Plan => match answered(engine::program(&program.analysis, path, kernel))? {
            Ok(compiled) => {
                let opencl = format!("{}.cl", file_name(kernel));
                Ok(answered(engine::plan_json(&program.analysis, &compiled, &opencl))?)
            }
            Err(problems) => Err(problems),
        },
    };
    match text {
        Ok(text) => {
            console.out().write_all(text.as_bytes())?;
            if !text.ends_with('\n') {
                console.line("")?;
            }
            Ok(Ok(()))
        }
        Err(problems) => Ok(Err(problems)),
    }
}

fn write(program: &Program, path: &Arc<str>, kernel: &str, arguments: &Arguments, console: &mut Console) -> Outcome {
    let compiled = match answered(engine::program(&program.analysis, path, kernel))? {
        Ok(compiled) => compiled,
        Err(problems) => return Ok(Err(problems)),
    };
    let opencl = format!("{}.cl", file_name(kernel));
    let plan = answered(engine::plan_json(&program.analysis, &compiled, &opencl))?;
    let plan_name = format!("{}.plan.json", file_name(kernel));
    for (name, text) in [(opencl, compiled.opencl.text.clone()), (plan_name, plan)] {
        let target = arguments.output.join(name);
        let written =
            std::fs::create_dir_all(&arguments.output).and_then(|()| files::write_atomically(&target, text.as_bytes()));
        if let Err(e) = written {
            let message = format!("{} cannot be written: {e}", target.display());
            return Ok(Err(vec![Problem::error(path, codes::UNWRITABLE_FILE, message)]));
        }
        if arguments.format == Format::Text {
            console.line(&target.display().to_string())?;
        }
    }
    Ok(Ok(()))
}

/// Names may hold characters that file names may not: those are written `%2F`.
fn file_name(kernel: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-+'".contains(c);
    kernel.chars().fold(String::new(), |mut out, c| {
        if plain(c) {
            out.push(c);
        } else {
            let mut bytes = [0; 4];
            c.encode_utf8(&mut bytes).bytes().for_each(|b| out.push_str(&format!("%{b:02X}")));
        }
        out
    })
}
