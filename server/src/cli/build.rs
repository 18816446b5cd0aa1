//! `lift build`: compiles kernels and writes or prints the result.
//!
//! `unit`: a kernel to build.

mod unit;

use super::{Console, Format, Status, answered, untyped};
use crate::engine;
use crate::files;
use crate::parts;
use crate::program::Program;
use crate::report::{self, Problem, codes};
use crate::stages::{self, Stage};
use lift_analysis::ide::{Cancellable, KernelInfo};
use lift_analysis::origin::Origin;
use lift_codegen::emit::python;
use lift_codegen::plan;
use lift_codegen::run::{DeviceInfo, device};
use lift_codegen::target::Target;
use lift_syntax::Language;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use unit::Unit;

macro_rules! runtime {
    ($($name:literal),*) => {
        [$(($name, include_str!(concat!("../../python/lift_runtime/", $name)))),*]
    };
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only this kernel.
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Where to write NAME.cl and NAME.plan.json; created if missing.
    #[arg(short = 'o', value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Write something else instead: NAME.c and NAME.h; or a Python module of the whole file, with the package that it
    /// needs; or print one line of JSON per kernel.
    #[arg(long, value_enum, value_name = "LANGUAGE", conflicts_with = "stage")]
    emit: Option<Emit>,
    /// Print one stage of the compilation instead of writing files.
    #[arg(long, value_enum, value_name = "STAGE")]
    stage: Option<Stage>,
    /// What to generate for: `portable` (any device), `gpu`, `nvidia` or `cpu`. Default: `portable`; a Python module
    /// contains all of them and chooses at run time.
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Generate for a device, `opencl` or `opencl:I`, or one that `lift devices --format json` describes, as `lift tune`
    /// found to be fastest there.
    #[arg(long, value_name = "DEVICE", conflicts_with = "target", value_parser = device)]
    for_device: Option<DeviceInfo>,
    /// Ignore the records of `lift tune`.
    #[arg(long)]
    untuned: bool,
    /// Omit checks in the kernels: a wrong index, a division by zero or an impossible length is then undefined
    /// behaviour.
    #[arg(long)]
    unchecked: bool,
    /// Print the rules applied, the stored results, and the checks kept and eliminated; write no files.
    #[arg(long, conflicts_with = "stage")]
    explain: bool,
    /// With `--explain`: print how each statement is distributed over blocks of arrays; with `--emit json`: print the
    /// steps and the kernels for blocks.
    #[arg(long, conflicts_with_all = ["stage", "cost"])]
    parts: bool,
    /// Print the cost of each launch: bytes of global memory, arithmetic, barriers, local memory; write no files.
    #[arg(long, conflicts_with_all = ["stage", "explain", "emit"])]
    cost: bool,
    /// With `--cost`: also evaluate the cost for this size, as in `--size N=1000`. With `--for-device`: use the records
    /// of `lift tune` for such sizes; otherwise its last ones.
    #[arg(long = "size", value_name = "NAME=NUMBER", value_parser = super::options::size)]
    sizes: Vec<(String, i64)>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// The program.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// A C file and its header, to be linked with OpenCL.
    C,
    /// A module on pyopencl and NumPy.
    Python,
    /// One line per kernel on standard output, with its plan and OpenCL text.
    Json,
}

fn device(text: &str) -> Result<DeviceInfo, String> {
    if text.starts_with("opencl") {
        return device::choose(text.parse()?).map(|device| device.info).map_err(|e| e.to_string());
    }
    serde_json::from_str(text).map_err(|e| format!("this is not a device: {e}"))
}

pub fn run(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    if !arguments.sizes.is_empty() && !arguments.cost && arguments.for_device.is_none() {
        console.error("`--size` belongs to `--cost` or `--for-device`");
        return Ok(Status::Misused);
    }
    if arguments.parts && !arguments.explain && arguments.emit != Some(Emit::Json) {
        console.error("`--parts` belongs to `--explain` or `--emit json`");
        return Ok(Status::Misused);
    }
    let program = answered(Program::load(std::slice::from_ref(&arguments.file)))?;
    if console.problems(&program.sources(), arguments.format, &program.unreadable)? > 0 {
        return Ok(Status::Wrong);
    }
    let Some(path) = program.roots.first() else { return Ok(Status::Wrong) };
    let mut told: Vec<Problem> = Vec::new();
    let kernels = match answered(kernels(&program, path, arguments.kernel.as_deref()))? {
        Ok(kernels) => kernels,
        Err(problems) => {
            told = problems;
            Vec::new()
        }
    };
    console.problems(&program.sources(), arguments.format, &told)?;
    // With `--stage elaborated` every error of the program is fatal, so there are no warnings about errors elsewhere.
    if !kernels.is_empty() && arguments.stage != Some(Stage::Elaborated) {
        let elsewhere = answered(engine::elsewhere(&program.analysis, path, &kernels))?;
        console.problems(&program.sources(), arguments.format, &elsewhere)?;
        told.extend(elsewhere);
    }
    let mut tell = |result: Result<(), Vec<Problem>>, console: &mut Console| {
        // Several kernels may report the same problems.
        let news: Vec<Problem> = result.err().unwrap_or_default().into_iter().filter(|p| !told.contains(p)).collect();
        let said = console.problems(&program.sources(), arguments.format, &news);
        told.extend(news);
        said
    };
    if writes_files(arguments)
        && let Err(e) = files::may_write_in(&arguments.output)
    {
        tell(Err(vec![unwritable(path, &arguments.output, &e)]), console)?;
        return Ok(Status::Wrong);
    }
    let mut units = Vec::new();
    for kernel in &kernels {
        units.push(answered(Unit::new(&program, path, kernel, arguments, console))?);
    }
    if matches!(arguments.emit, Some(Emit::Python | Emit::Json)) && !arguments.explain && !arguments.parts {
        let written = if kernels.is_empty() { Ok(()) } else { python(path, &units, arguments, console)? };
        tell(written, console)?;
        return Ok(Status::wrong_if(told.iter().any(Problem::is_error)));
    }
    if writes_files(arguments) {
        for (unit, compiled) in units.iter().zip(answered(unit::compiled(&units, path, &target(arguments)))?) {
            let written = match compiled {
                Ok(compiled) => write(unit, path, &compiled, arguments, console)?,
                Err(problems) => Err(problems),
            };
            tell(written, console)?;
        }
        return Ok(Status::wrong_if(told.iter().any(Problem::is_error)));
    }
    for unit in &units {
        let result = match arguments.stage {
            _ if arguments.parts => in_parts(&program, path, &unit.kernel.name, arguments, console)?,
            Some(stage) => print(unit, path, stage, &target(arguments), console)?,
            None if arguments.cost => cost(unit, path, arguments, console)?,
            None => explain(unit, path, arguments, console)?,
        };
        tell(result, console)?;
    }
    Ok(Status::wrong_if(told.iter().any(Problem::is_error)))
}

/// Whether the command writes files, not standard output.
fn writes_files(arguments: &Arguments) -> bool {
    let prints = arguments.stage.is_some() || arguments.cost || arguments.explain || arguments.parts;
    !prints && arguments.emit != Some(Emit::Json)
}

fn unwritable(path: &Arc<str>, target: &Path, e: &io::Error) -> Problem {
    Problem::error(path, codes::UNWRITABLE_FILE, format!("{} cannot be written: {e}", target.display()))
}

fn target(arguments: &Arguments) -> Target {
    let of = |info: &DeviceInfo| Target::of(info);
    let target = arguments.target.or_else(|| arguments.for_device.as_ref().map(of));
    Target { checked: !arguments.unchecked, ..target.unwrap_or(Target::portable()) }
}

/// Returns the targets of a Python module, by name: the requested one, or every class of devices.
fn targets(arguments: &Arguments) -> Vec<(&'static str, Target)> {
    let named = Target::named().into_iter();
    let checked = |(name, target)| (name, Target { checked: !arguments.unchecked, ..target });
    match (arguments.target, &arguments.for_device) {
        (_, Some(_)) => vec![("device", target(arguments))],
        (Some(asked), None) => named.filter(|(_, target)| *target == asked).map(checked).collect(),
        (None, None) => named.map(checked).collect(),
    }
}

/// Returns the named kernel, or all kernels.
fn kernels(
    program: &Program,
    path: &Arc<str>,
    name: Option<&str>,
) -> Cancellable<Result<Vec<KernelInfo>, Vec<Problem>>> {
    let all = program.analysis.kernels(path)?;
    match name {
        None if !all.is_empty() => Ok(Ok(all)),
        _ => Ok(one_kernel(program, path, name, "--kernel")?.map(|k| vec![k])),
    }
}

/// Returns the named kernel, or the only one. If it is missing, the program's errors are returned as the likely cause.
/// `option` is the option that names it.
pub fn one_kernel(
    program: &Program,
    path: &Arc<str>,
    name: Option<&str>,
    option: &str,
) -> Cancellable<Result<KernelInfo, Vec<Problem>>> {
    let all = program.analysis.kernels(path)?;
    let mut names: Vec<String> = all.iter().map(|k| k.name.clone()).collect();
    if name.is_some() {
        names.extend(untyped::functions(program, path)?.into_iter().filter(|f| !all.iter().any(|k| k.name == *f)));
    }
    let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let count = all.len();
    let found = match name {
        Some(name) => all.into_iter().find(|k| k.name == name),
        None => <[KernelInfo; 1]>::try_from(all).ok().map(|[only]| only),
    };
    if let Some(found) = found {
        return Ok(Ok(found));
    }
    if let Some(name) = name
        && let Some(function) = untyped::untyped(program, path, name)?
    {
        return Ok(Err(vec![untyped::wanted(path, &function, "")]));
    }
    let message = match name {
        _ if count == 0 => format!("the program has no kernel: {}", Language::of_path(path).kernel()),
        Some(name) => format!("there is no kernel `{name}`; there is {names}"),
        None => format!("there are several kernels, {names}: choose one with `{option}`"),
    };
    let errors = report::errors(&program.analysis, path)?;
    let several = name.is_none() && count > 1;
    let missing = vec![Problem::error(path, codes::NO_SUCH_KERNEL, message)];
    Ok(Err(if errors.is_empty() || several { missing } else { errors }))
}

type Outcome = io::Result<Result<(), Vec<Problem>>>;

fn print(unit: &Unit<'_>, path: &Arc<str>, stage: Stage, target: &Target, console: &mut Console) -> Outcome {
    let (analysis, kernel, target) = (unit.analysis(), &unit.kernel.name, unit.target(target));
    let text = answered(stages::text(analysis, path, kernel, stage, &target))?.map(|made| made.text);
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

fn explain(unit: &Unit<'_>, path: &Arc<str>, arguments: &Arguments, console: &mut Console) -> Outcome {
    let target = unit.target(&target(arguments));
    let explanation = match answered(engine::explanation(unit.analysis(), path, &unit.kernel.name, &target))? {
        Ok(explanation) => explanation,
        Err(problems) => return Ok(Err(problems)),
    };
    match arguments.format {
        Format::Text => console.out().write_all(explanation.to_string().as_bytes())?,
        Format::Json => console.line(&serde_json::to_string(&explanation).map_err(io::Error::other)?)?,
    }
    Ok(Ok(()))
}

fn in_parts(program: &Program, path: &Arc<str>, kernel: &str, arguments: &Arguments, console: &mut Console) -> Outcome {
    if !arguments.explain {
        let line = answered(parts::line(&program.analysis, path, kernel, &targets(arguments)))?;
        return match line {
            Ok(line) => Ok(Ok(console.line(&line)?)),
            Err(problems) => Ok(Err(problems)),
        };
    }
    let explained = match answered(parts::explained(&program.analysis, path, kernel))? {
        Ok(explained) => explained,
        Err(problems) => return Ok(Err(problems)),
    };
    match arguments.format {
        Format::Text => console.out().write_all(explained.to_string().as_bytes())?,
        Format::Json => console.line(&serde_json::to_string(&explained).map_err(io::Error::other)?)?,
    }
    Ok(Ok(()))
}

fn cost(unit: &Unit<'_>, path: &Arc<str>, arguments: &Arguments, console: &mut Console) -> Outcome {
    let (analysis, kernel) = (unit.analysis(), &unit.kernel.name);
    let core = match answered(engine::core(analysis, path, kernel))? {
        Ok(core) => core,
        Err(problems) => return Ok(Err(problems)),
    };
    let given = arguments.sizes.iter().cloned().collect();
    let sizes = match crate::inputs::given_sizes(&core, &given) {
        Ok(sizes) => sizes,
        Err(why) => return Ok(Err(vec![Problem::error(path, codes::INPUT, why)])),
    };
    let target = unit.target(&target(arguments));
    let report = match answered(engine::cost(analysis, path, kernel, &target, &sizes))? {
        Ok(report) => report,
        Err(problems) => return Ok(Err(problems)),
    };
    match arguments.format {
        Format::Text => console.out().write_all(report.to_string().as_bytes())?,
        Format::Json => console.line(&serde_json::to_string(&report).map_err(io::Error::other)?)?,
    }
    Ok(Ok(()))
}

/// Writes the files of a compiled kernel.
fn write(
    unit: &Unit<'_>,
    path: &Arc<str>,
    compiled: &plan::Program,
    arguments: &Arguments,
    console: &mut Console,
) -> Outcome {
    let (kernel, find) = (&unit.kernel.name, |origin: &Origin| unit.place(origin));
    let stem = file_name(kernel);
    let files = match arguments.emit {
        Some(Emit::C) => answered(engine::c_files(&find, compiled, &stem))?
            .map(|files| vec![(format!("{stem}.c"), files.source), (format!("{stem}.h"), files.header)]),
        _ => {
            let opencl = format!("{stem}.cl");
            let plan = answered(engine::plan_json(&find, compiled, &opencl))?;
            Ok(vec![(opencl, compiled.opencl.text.clone()), (format!("{stem}.plan.json"), plan)])
        }
    };
    let files = match files {
        Ok(files) => files,
        Err(why) => {
            let message = format!("`{kernel}` cannot be written so: {why}");
            return Ok(Err(vec![Problem::error(path, codes::NOT_SUPPORTED, message)]));
        }
    };
    write_files(path, &files, arguments, console)
}

fn write_files(path: &Arc<str>, files: &[(String, String)], arguments: &Arguments, console: &mut Console) -> Outcome {
    for (name, text) in files {
        let target = arguments.output.join(name);
        let folder = target.parent().unwrap_or(&arguments.output);
        let written = std::fs::create_dir_all(folder).and_then(|()| files::write_atomically(&target, text.as_bytes()));
        if let Err(e) = written {
            return Ok(Err(vec![unwritable(path, &target, &e)]));
        }
        if arguments.format == Format::Text {
            console.line(&target.display().to_string())?;
        }
    }
    Ok(Ok(()))
}

/// Writes the kernels as a Python module with its runtime, or prints them as JSON.
fn python(path: &Arc<str>, units: &[Unit<'_>], arguments: &Arguments, console: &mut Console) -> Outcome {
    let targets = targets(arguments);
    let mut compiled: Vec<Vec<(&str, plan::Program)>> = units.iter().map(|_| Vec::new()).collect();
    let mut problems: Vec<Problem> = Vec::new();
    for (name, target) in &targets {
        for (programs, result) in compiled.iter_mut().zip(answered(unit::compiled(units, path, target))?) {
            match result {
                Ok(made) => programs.push((*name, made)),
                // Several targets may report the same problems.
                Err(why) => why.into_iter().for_each(|p| problems.extend((!problems.contains(&p)).then_some(p))),
            }
        }
    }
    let mut described = Vec::new();
    // Omit kernels that fail for any target; their problems are reported.
    for (unit, programs) in units.iter().zip(&compiled).filter(|(_, programs)| programs.len() == targets.len()) {
        let programs = programs.iter().map(|(name, program)| (*name, program)).collect();
        let (name, docs) = (&unit.kernel.name, &unit.kernel.docs);
        described.push(python::Kernel { name, docs, meaning: unit.meaning, programs });
    }
    let find = |kernel: &str, origin: &Origin| match units.iter().find(|unit| unit.kernel.name == kernel) {
        Some(unit) => unit.place(origin),
        None => Ok(None),
    };
    let kernels = described;
    let done = if problems.is_empty() { Ok(()) } else { Err(problems) };
    if arguments.emit == Some(Emit::Json) {
        for kernel in &kernels {
            console.line(&answered(engine::json_line(&|origin| find(kernel.name, origin), kernel))?)?;
        }
        return Ok(done);
    }
    if kernels.is_empty() {
        return Ok(done);
    }
    let source = arguments.file.file_name().unwrap_or_default().to_string_lossy();
    let stem = arguments.file.file_stem().unwrap_or_default().to_string_lossy();
    let module = answered(engine::python_module(&find, &source, &kernels))?;
    let mut files = vec![(format!("{}.py", python::module_name(&stem)), module)];
    files.extend(RUNTIME.iter().map(|(name, text)| (format!("lift_runtime/{name}"), (*text).to_owned())));
    Ok(write_files(path, &files, arguments, console)?.and(done))
}

/// The runtime package of generated Python modules, as file names and texts.
const RUNTIME: &[(&str, &str)] = &runtime!(
    "__init__.py",
    "archive.py",
    "arguments.py",
    "collect.py",
    "devices.py",
    "errors.py",
    "kernel.py",
    "layout.py",
    "memory.py",
    "plan.py",
    "pour.py",
    "py.typed",
    "read.py",
    "rows.py",
    "run.py",
    "sizes.py",
    "tables.py"
);

/// Returns the file stem for a kernel; characters that may be invalid in file names are written as `%2F`.
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
