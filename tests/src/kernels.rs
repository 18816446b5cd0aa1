//! Results of a program's kernels on the interpreter and on a device.

use crate::check::Program;
use crate::sample;
use lift_analysis::db::forms;
use lift_analysis::size::Var;
use lift_codegen::core::{Kernel, build};
pub use lift_codegen::difference::is_close as close;
use lift_codegen::interp::{self, Limits, RunError, RunErrorKind};
use lift_codegen::io::bind::bind;
use lift_codegen::io::print::to_text;
use lift_codegen::lower::compile;
use lift_codegen::plan;
use lift_codegen::run::{self, Built, Device, DeviceChoice, RunFailure, RunOptions};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_server::inputs::{self, run_line::RunLine};
use lift_syntax::FormKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A kernel with its run line.
pub struct Runnable {
    pub name: String,
    /// The text after `;;; run:`.
    pub run_line: Option<String>,
    pub core: Result<Arc<Kernel>, String>,
    /// The folder of the files named in the run line.
    pub folder: PathBuf,
}

/// Arguments and sizes of one run.
pub struct Arguments {
    pub values: Vec<Value>,
    pub sizes: SizeValues,
}

impl Program {
    /// Returns the kernels of the program, in order.
    pub fn kernels(&self) -> Vec<Runnable> {
        let analysis = self.analysis();
        let infos = analysis.kernels(self.path()).expect("no edit, no cancellation");
        let db = analysis.db();
        let file = db.file(self.path()).expect("the file was added");
        let kernels = forms(db, file).iter().filter(|form| form.kind(db) == FormKind::Lift);
        let core = |form| build::kernel(db, form).map_err(|errors| lines(&errors));
        let runnable = |(info, form): (lift_analysis::ide::KernelInfo, _)| Runnable {
            name: info.name,
            run_line: info.run_line,
            core: core(form),
            folder: self.data_folder(),
        };
        infos.into_iter().zip(kernels.copied()).map(runnable).collect()
    }
}

/// Parses a run line, as `lift run` does; file names are relative to `folder`.
pub fn arguments(kernel: &Kernel, run_line: &str, folder: &Path) -> Result<Arguments, String> {
    arguments_within(kernel, run_line, folder, u64::MAX)
}

/// As [`arguments`], with sizes of at most `most`.
pub fn arguments_within(kernel: &Kernel, run_line: &str, folder: &Path, most: u64) -> Result<Arguments, String> {
    let parameters: Vec<&str> = kernel.params.iter().map(|param| kernel.name_of(*param)).collect();
    let names: Vec<&str> = kernel.sizes.iter().map(|size| &*size.name).collect();
    let line = RunLine::parse(run_line)?.fit(&parameters, &names)?;
    let arguments = inputs::arguments(kernel, &line.inputs, &inputs::Reading::files(folder))?;
    let size = |var: &Var| line.sizes.get(&*var.name).map(|n| (*n).min(most) as i64);
    let given: Vec<_> = kernel.sizes.iter().filter_map(|var| Some((var.clone(), size(var)?))).collect();
    let (values, sizes) = bind(kernel, arguments, &given).map_err(|e| e.to_string())?;
    Ok(Arguments { values, sizes })
}

pub fn on_interpreter(kernel: &Kernel, arguments: &Arguments) -> Result<Value, String> {
    let sizes: Vec<_> = arguments.sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
    interp::run(kernel, arguments.values.clone(), &sizes, Limits::default()).map_err(|e| e.to_string())
}

/// Compiles a kernel for portable devices; an error describes unsupported code.
pub fn compiled(kernel: &Kernel) -> Result<plan::Program, String> {
    compiled_for(kernel, &Target::portable())
}

pub fn compiled_for(kernel: &Kernel, target: &Target) -> Result<plan::Program, String> {
    compile(kernel, target).map_err(|errors| lines(&errors))
}

/// Runs a program. Uninitialized memory is filled with a pattern, to find elements that no kernel wrote.
pub fn on_device(program: &plan::Program, arguments: &Arguments, device: &Device) -> Result<Value, String> {
    run_on_device(program, arguments, device).map_err(|failure| failure.to_string())
}

pub fn run_on_device(program: &plan::Program, arguments: &Arguments, device: &Device) -> Result<Value, RunFailure> {
    let options = RunOptions { poison: true, built: Built::All, ..RunOptions::default() };
    run::run(program, &arguments.values, &arguments.sizes, device, &options).map(|outcome| outcome.value)
}

/// Whether a device reports the interpreter's failure: same kind and origin. If several elements fail, a device may
/// report any of them, so the elements are not compared.
pub fn tells(failure: &RunFailure, error: &RunError) -> bool {
    let kind = match failure {
        RunFailure::Assumption { .. } => RunErrorKind::Assumption,
        RunFailure::Check { kind, .. } => (*kind).into(),
        _ => return false,
    };
    kind == error.kind && failure.origin() == error.origin.as_ref()
}

/// Returns the device for tests, with the compiler that users have; panics without one, because a skipped test proves
/// nothing.
pub fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| match run::device::choose(DeviceChoice::Best) {
        Ok(device) => device.keeping(),
        Err(e) => panic!("these tests run kernels and need an OpenCL device: {e}"),
    })
}

/// Has a child process simulate small groups and sizes, whose parent takes a sample.
pub const SMALL: &str = "LIFT_TESTS_SMALL";

/// Whether a simulator is given less work, because this run takes a sample.
fn simulates_less() -> bool {
    [sample::SEED, SMALL].iter().any(|name| std::env::var_os(name).is_some())
}

/// The target for a simulator, which takes seconds for a sort by 256 work-items: a run that takes a sample simulates at
/// most 64 in a group, where the code is the same.
pub fn simulated(target: Target) -> Target {
    if simulates_less() { target.with_groups_of(64).unwrap_or(target) } else { target }
}

/// The largest size for a simulator, which takes half a minute for the largest of the examples.
pub fn most_simulated() -> u64 {
    if simulates_less() { 10_000 } else { u64::MAX }
}

/// [`device`] with a compiler that does not optimize, for suites of many small kernels: optimizing takes most of their time.
/// `tests/run all` sets the variable that brings it back.
pub fn unoptimized_device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    if std::env::var_os("LIFT_TESTS_OPTIMIZE").is_some() {
        return device();
    }
    DEVICE.get_or_init(|| device().clone().keeping().unoptimized())
}

/// One in so many programs is given to the device by a run that takes a sample.
pub const ONE_IN: u64 = 3;

impl Runnable {
    /// Returns the interpreter's result, and OpenCL's if it differs; a run that takes a sample asks OpenCL about some.
    pub fn outcome(&self, device: &Device) -> String {
        self.outcome_for(device, &Target::portable(), u64::MAX)
    }

    /// As [`Runnable::outcome`], for a target, with sizes of at most `most`.
    pub fn outcome_for(&self, device: &Device, target: &Target, most: u64) -> String {
        let Some(run_line) = &self.run_line else { return String::new() };
        let mut out = format!("{} {run_line}:\n", self.name);
        let core = match &self.core {
            Ok(core) => core,
            Err(why) => return out + &indent(&format!("no core: {why}")),
        };
        let arguments = match arguments_within(core, run_line, &self.folder, most) {
            Ok(arguments) => arguments,
            Err(why) => return out + &indent(&format!("error: {why}")),
        };
        let meaning = on_interpreter(core, &arguments);
        let shown = |result: &Result<Value, String>| match result {
            Ok(value) => to_text(value),
            Err(why) => format!("error: {why}"),
        };
        out += &indent(&shortened(&shown(&meaning)));
        let program = match compiled_for(core, target) {
            Ok(program) => program,
            Err(why) => return out + &indent(&format!("not compiled: {why}")),
        };
        // Of an error, which one a device finds first is part of the outcome.
        if meaning.is_ok() && !sample::takes(&program.opencl.text, ONE_IN) {
            return out;
        }
        let result = on_device(&program, &arguments, device);
        let same = match (&meaning, &result) {
            (Ok(meaning), Ok(result)) => close(meaning, result),
            (Err(_), Err(_)) => shown(&meaning) == shown(&result),
            _ => false,
        };
        if !same {
            out += "on OpenCL:\n";
            out += &indent(&shortened(&shown(&result)));
        }
        out
    }
}

fn lines<E: ToString>(errors: &[E]) -> String {
    errors.iter().map(E::to_string).collect::<Vec<_>>().join("; ")
}

/// Shortens long results; they are compared in full.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 40;
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= SHOWN {
        return text.to_owned();
    }
    let (head, tail) = (&lines[..3], &lines[lines.len() - 3..]);
    format!("{}\n… ({} lines)\n{}\n", head.join("\n"), lines.len() - 6, tail.join("\n"))
}

fn indent(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("  {line}\n") }).collect()
}
