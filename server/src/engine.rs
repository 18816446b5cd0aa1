//! The compiler, the interpreter and the devices, as this crate calls them: kernels by name, problems with their places.

use crate::report::Problem;
use lift_analysis::ide::{Analysis, Cancellable, Stopped};
use lift_analysis::origin::Origin;
use lift_analysis::size::Var;
use lift_codegen::core::Kernel;
use lift_codegen::interp::{self, Limits, RunError, RunErrorKind};
use lift_codegen::io::bind::{Argument, bind};
use lift_codegen::plan::{self, Program};
use lift_codegen::run::report::{self, Place, ProfileEntry, Range};
use lift_codegen::run::{self as device_run, Device, DeviceChoice, NoDevice, RunFailure, RunOptions};
use lift_codegen::sizes::SizeValues;
use lift_codegen::value::Value;
use lift_syntax::{ColumnEncoding, TextRange};
use std::cell::Cell;
use std::sync::Arc;

/// What there is, or why it is not there.
pub type Compiled<T> = Cancellable<Result<T, Vec<Problem>>>;

/// The elaborated program of a kernel.
pub fn core(_analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<Arc<Kernel>> {
    Ok(Err(vec![not_there(path, kernel)]))
}

/// A compiled kernel.
pub fn program(_analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<Arc<Program>> {
    Ok(Err(vec![not_there(path, kernel)]))
}

fn not_there(path: &Arc<str>, kernel: &str) -> Problem {
    Problem::error(path, "not-lowered", format!("`{kernel}` cannot be compiled by this version"))
}

/// The core of a kernel as text.
pub fn core_text(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<String> {
    Ok(core(analysis, path, kernel)?.map(|k| k.to_string()))
}

/// The kernel after fusion and placement, as text.
pub fn scheduled_text(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<String> {
    core_text(analysis, path, kernel)
}

/// The host plan as JSON; `opencl` is the name of the file with the OpenCL text.
pub fn plan_json(analysis: &Analysis, program: &Program, opencl: &str) -> Cancellable<String> {
    let located = Located::default();
    let json = plan::json::to_json(program, opencl, &|origin| match located.find(analysis, origin) {
        // lines and columns as people count them
        Some(Place { range: Range { start, .. }, .. }) => format!("{}:{}", start.line + 1, start.character + 1),
        None => String::new(),
    });
    located.stopped.into_inner().map_or(Ok(json), Err)
}

/// Looks up places of the source for callbacks that cannot say that they were stopped.
#[derive(Default)]
struct Located {
    stopped: Cell<Option<Stopped>>,
}

impl Located {
    fn find(&self, analysis: &Analysis, origin: &Origin) -> Option<Place> {
        place(analysis, origin).unwrap_or_else(|stopped| {
            self.stopped.set(Some(stopped));
            None
        })
    }
}

fn place(analysis: &Analysis, origin: &Origin) -> Cancellable<Option<Place>> {
    let Some(at) = analysis.resolve_origin(origin)? else { return Ok(None) };
    let Some(index) = analysis.line_index(&at.path)? else { return Ok(None) };
    let position = |offset| {
        let at = index.position(offset, ColumnEncoding::Utf16);
        report::Position { line: at.line, character: at.column }
    };
    let range = Range { start: position(at.range.start()), end: position(at.range.end()) };
    Ok(Some(Place { file: at.path.to_string(), range }))
}

/// Where to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Interpreter,
    OpenCl(DeviceChoice),
}

/// Reads `interpreter`, `opencl`, `opencl:I`.
pub fn parse_device(text: &str) -> Result<Where, String> {
    if text == "interpreter" { Ok(Where::Interpreter) } else { text.parse().map(Where::OpenCl) }
}

/// The kernel that is run.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub path: &'a Arc<str>,
    /// The name of the kernel in its file: where problems without a place of their own are shown.
    pub focus: TextRange,
}

#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    pub target: Target<'a>,
    pub profile: bool,
    /// `None`: an OpenCL device, or the interpreter where there is none.
    pub device: Option<Where>,
}

/// What a run gave.
#[derive(Debug)]
pub struct Ran {
    pub value: Value,
    /// Where it ran, for a person.
    pub device: String,
    /// What a person should know about this run.
    pub notices: Vec<String>,
    pub profile: Vec<ProfileEntry>,
}

/// Runs a kernel on its arguments. `given` are sizes that the shapes of the arguments do not tell.
pub fn run(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    arguments: Vec<Argument>,
    given: &[(Var, i64)],
) -> Compiled<Ran> {
    let (inputs, sizes) = match bind(kernel, arguments, given) {
        Ok(bound) => bound,
        Err(e) => return Ok(Err(vec![run_error(analysis, wanted.target, &e)?])),
    };
    let choice = match wanted.device {
        Some(Where::Interpreter) => None,
        Some(Where::OpenCl(choice)) => Some(choice),
        None => Some(DeviceChoice::Best),
    };
    let device = choice.map(device_run::device::choose).transpose();
    match (device, wanted.device) {
        (Ok(None), _) => interpret(analysis, wanted, kernel, inputs, &sizes, Vec::new()),
        (Ok(Some(device)), _) => run_on(analysis, wanted, kernel, &inputs, &sizes, &device),
        (Err(why), None) => {
            let notice = format!("running on the interpreter: {why}");
            interpret(analysis, wanted, kernel, inputs, &sizes, vec![notice])
        }
        (Err(why), Some(_)) => Ok(Err(vec![no_device(wanted.target, &why)])),
    }
}

fn no_device(target: Target, why: &NoDevice) -> Problem {
    Problem::error(target.path, "no-device", why.to_string())
        .note("`lift devices` lists what is there; `--device interpreter` needs none")
}

fn interpret(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    inputs: Vec<Value>,
    sizes: &SizeValues,
    notices: Vec<String>,
) -> Compiled<Ran> {
    let sizes: Vec<(Var, i64)> = sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
    match interp::run(kernel, inputs, &sizes, Limits::default()) {
        // its time says nothing about the program: there is no profile
        Ok(value) => Ok(Ok(Ran { value, device: "interpreter".to_owned(), notices, profile: Vec::new() })),
        Err(e) => Ok(Err(vec![run_error(analysis, wanted.target, &e)?])),
    }
}

fn run_error(analysis: &Analysis, target: Target, e: &RunError) -> Cancellable<Problem> {
    let code = match e.kind {
        RunErrorKind::Input | RunErrorKind::Size => "input",
        RunErrorKind::Assumption => "assumption",
        RunErrorKind::Cast => "checked-cast",
        RunErrorKind::Index => "index-out-of-range",
        RunErrorKind::DivisionByZero => "division-by-zero",
        RunErrorKind::Argument => "bad-argument",
        RunErrorKind::Limit => "run-limit",
        RunErrorKind::Malformed => "internal-error",
    };
    problem_at(analysis, target, code, e.message.clone(), e.origin.as_ref())
}

fn run_on(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    inputs: &[Value],
    sizes: &SizeValues,
    device: &Device,
) -> Compiled<Ran> {
    let program = match program(analysis, wanted.target.path, &kernel.name)? {
        Ok(program) => program,
        Err(problems) => {
            let advice = "`--device interpreter` runs what cannot be compiled";
            return Ok(Err(problems.into_iter().map(|p| p.note(advice)).collect()));
        }
    };
    let options = RunOptions { profile: wanted.profile, ..RunOptions::default() };
    match device_run::run(&program, inputs, sizes, device, &options) {
        Ok(outcome) => {
            let located = Located::default();
            let locate = |origin: &Origin| located.find(analysis, origin);
            let report = report::RunReport::new(&kernel.name, &outcome, &device.info, Some(0), &locate);
            let device = format!("opencl:{}, {}", device.info.index, report.device);
            Ok(Ok(Ran { value: outcome.value, device, notices: outcome.notices, profile: report.profile }))
        }
        Err(failure) => {
            let code = match &failure {
                RunFailure::NoDevice(why) => return Ok(Err(vec![no_device(wanted.target, why)])),
                RunFailure::Build { .. } | RunFailure::Plan { .. } => "internal-error",
                other => other.kind(),
            };
            Ok(Err(vec![problem_at(analysis, wanted.target, code, failure.to_string(), failure.origin())?]))
        }
    }
}

/// An error at its place in the source, or else at the kernel's name.
fn problem_at(
    analysis: &Analysis,
    target: Target,
    code: &str,
    message: String,
    origin: Option<&Origin>,
) -> Cancellable<Problem> {
    let found = match origin {
        Some(origin) => analysis.resolve_origin(origin)?,
        None => None,
    };
    Ok(match found {
        Some(found) => Problem::error(&found.path, code, message).at(found.range),
        None => Problem::error(target.path, code, message).at(target.focus),
    })
}
