//! Entry points to the compiler, the interpreter and the devices: kernels by name, problems with source ranges.
//!
//! `on_device`: runs a kernel on a device, with what `lift tune` found. `rewritten`: what the laws of a record make of a kernel.

mod on_device;
pub mod rewritten;

use crate::places::{Find, Located, named_start_of, place, start_of, with_found};
use crate::report::cost::{CostReport, SlowPart};
use crate::report::explanation::{
    ExplainedCheck, ExplainedLength, ExplainedRule, ExplainedSharing, ExplainedStore, Explanation,
};
use crate::report::{self, Problem, codes};
use lift_analysis::db::RootDatabase;
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{Analysis, Cancellable, KernelInfo, RelatedPlace, Stopped, kernel_form};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Var};
use lift_codegen::core::build::BuildError;
use lift_codegen::core::{self, Kernel};
use lift_codegen::cost::{self, Cost};
use lift_codegen::emit;
use lift_codegen::failure::Kind;
use lift_codegen::interp::{self, Limits, RunError, RunErrorKind};
use lift_codegen::io::bind::{Argument, Bound, measure};
use lift_codegen::lower::{self, LowerError};
use lift_codegen::plan::{self, Program};
use lift_codegen::run::report::{Busy, Place, ProfileEntry};
use lift_codegen::run::{self as device_run, BuildMessage, DeviceChoice, NoDevice, RunFailure};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_syntax::TextRange;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

/// A result, or the problems that prevent it.
pub type Compiled<T> = Cancellable<Result<T, Vec<Problem>>>;

/// Returns the core of a kernel, or the errors of the definitions that it uses; other errors do not matter.
pub fn core(analysis: &Analysis, path: &Arc<str>, kernel: &str) -> Compiled<Arc<Kernel>> {
    if let Some(errors) = analysis.errors_of_kernel(path, kernel)?.filter(|errors| !errors.is_empty()) {
        return Ok(Err(errors.into_iter().map(|(path, d)| Problem::of(&path, d)).collect()));
    }
    let built = query(analysis, |db| {
        let form = kernel_form(db, db.file(path)?, kernel)?;
        Some(core::build::kernel(db, form))
    })?;
    match built {
        Some(Ok(kernel)) => Ok(Ok(kernel)),
        Some(Err(errors)) => {
            let problem =
                |e: &BuildError| problem_in(analysis, path, codes::NOT_SUPPORTED, e.message.clone(), e.origin.as_ref());
            Ok(Err(errors.iter().map(problem).collect::<Cancellable<_>>()?))
        }
        None => Ok(Err(vec![Problem::error(path, codes::NO_SUCH_KERNEL, format!("there is no kernel `{kernel}`"))])),
    }
}

/// Returns, as warnings, the errors of a program that none of these kernels of `path` uses.
pub fn elsewhere(analysis: &Analysis, path: &Arc<str>, kernels: &[KernelInfo]) -> Cancellable<Vec<Problem>> {
    let mut rest = report::errors(analysis, path)?;
    if rest.is_empty() {
        return Ok(rest);
    }
    for kernel in kernels {
        let used = analysis.errors_of_kernel(path, &kernel.name)?.unwrap_or_default();
        let used: Vec<Problem> = used.into_iter().map(|(path, d)| Problem::of(&path, d)).collect();
        rest.retain(|problem| !used.contains(problem));
    }
    let note = match kernels {
        [only] => format!("`{}` does not use this", only.name),
        _ => "no kernel that is built uses this".to_owned(),
    };
    Ok(rest.into_iter().map(|problem| Problem { severity: Severity::Warning, ..problem }.note(&note)).collect())
}

/// Runs a compiler query on the analysis database.
fn query<T>(analysis: &Analysis, f: impl FnOnce(&RootDatabase) -> T) -> Cancellable<T> {
    let db = AssertUnwindSafe(analysis.db());
    let f = AssertUnwindSafe(f);
    let run = move || {
        // Capture the whole wrappers: closures capture fields, which are not `AssertUnwindSafe`.
        let (db, f) = (db, f);
        f.0(db.0)
    };
    salsa::Cancelled::catch(run).map_err(|cancelled| match cancelled {
        salsa::Cancelled::Local => Stopped::ByRequest,
        // This includes a thread whose awaited result another thread cancelled.
        _ => Stopped::ByEdit,
    })
}

/// Compiles a kernel for a class of devices.
pub fn program(analysis: &Analysis, path: &Arc<str>, kernel: &str, target: &Target) -> Compiled<Program> {
    match core(analysis, path, kernel)? {
        Ok(kernel) => compile(analysis, path, &kernel, target),
        Err(problems) => Ok(Err(problems)),
    }
}

/// Compiles a kernel under another name, which its functions have, too.
pub fn program_called(
    analysis: &Analysis,
    path: &Arc<str>,
    kernel: &str,
    name: &str,
    target: &Target,
) -> Compiled<Program> {
    match core(analysis, path, kernel)? {
        Ok(kernel) => compile(analysis, path, &Kernel { name: name.into(), ..(*kernel).clone() }, target),
        Err(problems) => Ok(Err(problems)),
    }
}

fn compile(analysis: &Analysis, path: &Arc<str>, kernel: &Kernel, target: &Target) -> Compiled<Program> {
    told(analysis, path, lower::compile(kernel, target))
}

/// Gives the compiler's errors their source ranges.
pub fn told(analysis: &Analysis, path: &Arc<str>, compiled: Result<Program, Vec<LowerError>>) -> Compiled<Program> {
    match compiled {
        Ok(program) => Ok(Ok(program)),
        Err(errors) => {
            let problem =
                |e: &LowerError| problem_in(analysis, path, codes::NOT_SUPPORTED, e.to_string(), Some(&e.origin));
            Ok(Err(errors.iter().map(problem).collect::<Cancellable<_>>()?))
        }
    }
}

/// Returns the rules applied to a kernel, its stored results, and the checks kept and eliminated.
pub fn explanation(analysis: &Analysis, path: &Arc<str>, kernel: &str, target: &Target) -> Compiled<Explanation> {
    let program = match program(analysis, path, kernel, target)? {
        Ok(program) => program,
        Err(problems) => return Ok(Err(problems)),
    };
    let report = &program.report;
    let at = |origin: &Origin| place(analysis, origin);
    let mut rules = Vec::new();
    for applied in &report.applied {
        let (name, law) = (applied.rule.name.to_owned(), applied.rule.to_string());
        rules.push(ExplainedRule { name, law, place: at(&applied.origin)? });
    }
    let mut stored = Vec::new();
    for s in &report.stored {
        let (name, memory, bytes) = (s.name.clone(), s.memory.name().to_owned(), s.bytes.to_string());
        stored.push(ExplainedStore { name, memory, bytes, place: at(&s.origin)? });
    }
    let mut read = Vec::new();
    for l in &report.read {
        let at_most = l.most.as_ref().map(ToString::to_string);
        read.push(ExplainedLength { name: l.name.clone(), at_most, place: at(&l.origin)? });
    }
    let shared =
        report.shared.iter().map(|s| ExplainedSharing { name: s.name.clone(), with: s.with.clone() }).collect();
    let mut slow = Vec::new();
    for part in cost::slow_parts(&program, target, &SizeValues::new()) {
        slow.push(ExplainedCheck { message: part.told(), place: slow_place(analysis, path, &part)? });
    }
    let (mut before, mut during, mut needless) = (Vec::new(), Vec::new(), Vec::new());
    for (assumption, origin) in &program.plan.checks {
        before.push(ExplainedCheck { message: assumption.to_string(), place: at(origin)? });
    }
    for failure in &program.plan.failures {
        during.push(ExplainedCheck { message: failure.message.clone(), place: at(&failure.origin)? });
    }
    for check in &report.left_out {
        needless.push(ExplainedCheck { message: check.message.clone(), place: at(&check.origin)? });
    }
    let target = target.class.to_string();
    let kernel = kernel.to_owned();
    Ok(Ok(Explanation { kernel, target, rules, stored, read, shared, slow, before, during, needless }))
}

/// The place of a slow part in a file: of an expression elsewhere, that of the launch.
fn slow_place(analysis: &Analysis, path: &str, part: &cost::SlowPart) -> Cancellable<Option<Place>> {
    for origin in &part.origins {
        let at = place(analysis, origin)?;
        if at.as_ref().is_some_and(|at| at.file == path) {
            return Ok(at);
        }
    }
    Ok(None)
}

/// Returns the cost of a run of a kernel, as sizes and as numbers for the given sizes.
pub fn cost(
    analysis: &Analysis,
    path: &Arc<str>,
    kernel: &str,
    target: &Target,
    sizes: &[(Var, i64)],
) -> Compiled<CostReport> {
    let program = match program(analysis, path, kernel, target)? {
        Ok(program) => program,
        Err(problems) => return Ok(Err(problems)),
    };
    let located = Located::default();
    let numbers = (!sizes.is_empty()).then(|| Cost::at(&program, &sizes.iter().cloned().collect()));
    let place = |origin: &Origin| located.find(analysis, origin);
    let mut report = CostReport::new(&Cost::of(&program), numbers.as_ref(), &target.class.to_string(), sizes, &place);
    let slow = cost::slow_parts(&program, target, &sizes.iter().cloned().collect());
    for part in slow {
        report.slow.push(SlowPart { message: part.told(), place: slow_place(analysis, path, &part)? });
    }
    located.stopped.into_inner().map_or(Ok(Ok(report)), Err)
}

/// Returns the host plan as JSON; `opencl` is the name of the file with the OpenCL text.
pub fn plan_json(find: Find<'_>, program: &Program, opencl: &str) -> Cancellable<String> {
    with_found(find, start_of, |place| plan::json::to_json(program, opencl, place))
}

/// Returns the kernel as `stem.c` and `stem.h`; the inner error says why C cannot express it.
pub fn c_files(find: Find<'_>, program: &Program, stem: &str) -> Cancellable<Result<emit::c::Files, String>> {
    with_found(find, start_of, |place| emit::c::print(program, stem, place))
}

/// Returns kernels of the file `source` as a Python module; `find` finds places of the kernel with a name.
pub fn python_module(
    find: &dyn Fn(&str, &Origin) -> Cancellable<Option<Place>>,
    source: &str,
    kernels: &[emit::python::Kernel<'_>],
) -> Cancellable<String> {
    let located = Located::default();
    let module = emit::python::module(source, kernels, &|kernel, origin| {
        located.answer(find(kernel, origin)).map_or(String::new(), |place| named_start_of(&place))
    });
    located.stopped.into_inner().map_or(Ok(module), Err)
}

/// Returns a kernel as a line of JSON.
pub fn json_line(find: Find<'_>, kernel: &emit::python::Kernel<'_>) -> Cancellable<String> {
    with_found(find, named_start_of, |place| emit::python::line(kernel, place))
}

/// The device of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Interpreter,
    OpenCl(DeviceChoice),
}

/// Parses `interpreter`, `opencl` or `opencl:I`.
pub fn parse_device(text: &str) -> Result<Where, String> {
    if text == "interpreter" {
        return Ok(Where::Interpreter);
    }
    text.parse().map(Where::OpenCl).map_err(|why: String| format!("{why}; `interpreter` needs none"))
}

/// The kernel to run.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub path: &'a Arc<str>,
    /// The kernel's name in its file: the range of problems without a range.
    pub focus: TextRange,
}

/// The part of a run that is timed. Launches are not timed in whole runs, because that adds 7 µs to each with NVIDIA's
/// driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    Nothing,
    Runs,
    RunsAndLaunches,
}

#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub subject: Subject<'a>,
    pub timing: Timing,
    /// Maximal number of measured runs, at least 1.
    pub repeats: u32,
    /// Limit on device memory in bytes, if below the device's own.
    pub memory: Option<u64>,
    /// Limits of a run on the interpreter.
    pub limits: Limits,
    /// `None`: an OpenCL device, or the interpreter if there is none.
    pub device: Option<Where>,
    /// Target of code generation; `None`: what suits the device.
    pub target: Option<Target>,
    /// Omits checks in the kernels.
    pub unchecked: bool,
    /// Ignores the records of `lift tune`.
    pub untuned: bool,
    /// Receives progress messages.
    pub tell: &'a dyn Fn(&str),
}

/// Time limit for repeated measurements.
pub(crate) const MEASURE_FOR: Duration = Duration::from_secs(2);

/// The result of a run.
#[derive(Debug)]
pub struct Ran {
    pub value: Value,
    /// Displayed name of the device.
    pub device: String,
    /// Remarks for the user.
    pub notices: Vec<String>,
    pub profile: Vec<ProfileEntry>,
    /// The time of each device, if several ran.
    pub busy: Vec<Busy>,
    /// Number of measured runs.
    pub runs: u32,
    /// Total device time of a run in microseconds: median, least and greatest. On several devices, the sum over the
    /// steps of the device that took longest.
    pub total: Option<[f64; 3]>,
    pub sizes: BTreeMap<String, i64>,
}

/// Runs a kernel. `given` are the sizes that the shapes of the arguments do not determine.
pub fn run(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    arguments: Vec<Argument>,
    given: &[(Var, i64)],
) -> Compiled<Ran> {
    let bound = match measure(kernel, arguments, given) {
        Ok(bound) => bound,
        Err(e) => return Ok(Err(vec![run_error(analysis, wanted.subject, &e)?])),
    };
    if wanted.device != Some(Where::Interpreter) {
        (wanted.tell)("looking for a device");
    }
    let choice = match wanted.device {
        Some(Where::Interpreter) => return interpret(analysis, wanted, kernel, bound, Vec::new()),
        Some(Where::OpenCl(choice)) => choice,
        None => DeviceChoice::Best,
    };
    match device_run::device::choose(choice) {
        Ok(device) => on_device::run(analysis, wanted, kernel, bound, &device),
        Err(why) if wanted.device.is_none() => {
            let notice = format!("running on the interpreter: {why}");
            interpret(analysis, wanted, kernel, bound, vec![notice])
        }
        Err(why) => Ok(Err(vec![no_device(wanted.subject, &why)])),
    }
}

pub(crate) fn no_device(subject: Subject, why: &NoDevice) -> Problem {
    Problem::error(subject.path, codes::NO_DEVICE, why.to_string())
        .note("`lift devices` lists the devices; `--device interpreter` needs none")
}

fn interpret(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    bound: Bound,
    notices: Vec<String>,
) -> Compiled<Ran> {
    let sizes: Vec<(Var, i64)> = bound.sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
    let named = named_sizes(&bound);
    (wanted.tell)("running on the interpreter");
    let value = bound.into_values().and_then(|inputs| interp::run(kernel, inputs, &sizes, wanted.limits));
    match value {
        // The interpreter's time says nothing about the program, so there is no profile.
        Ok(value) => {
            let device = "interpreter".to_owned();
            Ok(Ok(Ran {
                value,
                device,
                notices,
                profile: Vec::new(),
                busy: Vec::new(),
                runs: 0,
                total: None,
                sizes: named,
            }))
        }
        Err(e) => Ok(Err(vec![run_error(analysis, wanted.subject, &e)?])),
    }
}

pub(crate) fn named_sizes(bound: &Bound) -> BTreeMap<String, i64> {
    bound.sizes.iter().map(|(var, n)| (var.name.to_string(), n)).collect()
}

pub(crate) fn run_error(analysis: &Analysis, subject: Subject, e: &RunError) -> Cancellable<Problem> {
    let code = match e.kind {
        RunErrorKind::Input | RunErrorKind::Size => codes::INPUT,
        RunErrorKind::Assumption => codes::ASSUMPTION_FALSE,
        RunErrorKind::Cast => codes::CHECKED_CAST,
        RunErrorKind::Index => codes::INDEX_OUT_OF_RANGE,
        RunErrorKind::DivisionByZero => codes::DIVISION_BY_ZERO,
        RunErrorKind::Argument => codes::BAD_ARGUMENT,
        RunErrorKind::Limit => codes::RUN_LIMIT,
        RunErrorKind::Malformed | RunErrorKind::Unsound => codes::INTERNAL_ERROR,
    };
    let problem = problem_at(analysis, subject, code, e.message.clone(), e.origin.as_ref())?;
    with_fix(analysis, problem, e.assumption.as_deref(), e.origin.as_ref())
}

pub(crate) fn run_failure(analysis: &Analysis, subject: Subject, failure: &RunFailure) -> Cancellable<Problem> {
    let code = match failure {
        RunFailure::NoDevice(why) => return Ok(no_device(subject, why)),
        RunFailure::Build { log, messages } => return refused(analysis, subject, log, messages),
        RunFailure::Input { .. } => codes::INPUT,
        RunFailure::Assumption { .. } => codes::ASSUMPTION_FALSE,
        RunFailure::Memory { .. } => codes::MEMORY,
        RunFailure::Device { .. } | RunFailure::Groups { .. } => codes::DEVICE,
        RunFailure::Check { kind: Kind::Index, .. } => codes::INDEX_OUT_OF_RANGE,
        RunFailure::Check { kind: Kind::DivisionByZero, .. } => codes::DIVISION_BY_ZERO,
        RunFailure::Check { kind: Kind::Argument, .. } => codes::BAD_ARGUMENT,
        RunFailure::Check { kind: Kind::Cast, .. } => codes::CHECKED_CAST,
        RunFailure::Check { kind: Kind::Assumption, .. } => codes::ASSUMPTION_FALSE,
        RunFailure::OpenCl(_) => codes::OPENCL,
        RunFailure::Plan { .. } => codes::INTERNAL_ERROR,
    };
    let problem = problem_at(analysis, subject, code, failure.to_string(), failure.origin())?;
    let assumption = match failure {
        RunFailure::Assumption { assumption, .. } => Some(assumption),
        _ => None,
    };
    with_fix(analysis, problem, assumption, failure.origin())
}

/// Adds what to write where pieces or windows leave a remainder.
fn with_fix(
    analysis: &Analysis,
    mut problem: Problem,
    assumption: Option<&Assumption>,
    origin: Option<&Origin>,
) -> Cancellable<Problem> {
    if let (Some(origin), true) = (origin, assumption.is_some_and(Assumption::is_division)) {
        problem.fixes.extend(analysis.without_remainder(origin)?);
    }
    Ok(problem)
}

/// The error for generated text that the device's compiler rejects: its log, and the source ranges of its messages.
fn refused(analysis: &Analysis, subject: Subject, log: &str, messages: &[BuildMessage]) -> Cancellable<Problem> {
    let message = "the device's compiler refused the generated OpenCL (a defect of lift, not of your program)";
    let origin = messages.iter().filter(|m| m.is_error).find_map(|m| m.origin.as_ref());
    let mut problem = problem_at(analysis, subject, codes::INTERNAL_ERROR, message.to_owned(), origin)?;
    for message in messages {
        let Some(origin) = &message.origin else { continue };
        if let Some(at) = analysis.resolve_origin(origin)? {
            let message = format!("line {} of the OpenCL text: {}", message.line, message.text);
            problem.related.push(RelatedPlace { at, message });
        }
    }
    Ok(problem.note(format!("the compiler's log:\n{}", log.trim_end())))
}

/// An error at its origin, or else at the kernel's name.
fn problem_at(
    analysis: &Analysis,
    subject: Subject,
    code: &str,
    message: String,
    origin: Option<&Origin>,
) -> Cancellable<Problem> {
    let problem = problem_in(analysis, subject.path, code, message, origin)?;
    let mut problem = if problem.range.is_some() { problem } else { problem.at(subject.focus) };
    if let Some(origin) = origin.filter(|_| code == codes::CHECKED_CAST) {
        problem.related = analysis.compared_lengths(origin)?;
    }
    Ok(problem)
}

/// An error at its origin; without a range if the origin has none.
pub fn problem_in(
    analysis: &Analysis,
    path: &Arc<str>,
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
        None => Problem::error(path, code, message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Sources, text};
    use expect_test::expect;
    use lift_analysis::ide::AnalysisHost;
    use rustc_hash::FxHashMap;

    #[test]
    fn a_text_that_the_device_refuses_is_led_back_to_the_program() {
        let path: Arc<str> = "/p.lift".into();
        let mut host = AnalysisHost::default();
        let program = "(lift k (N) ((array-type int N))\n  (lambda (xs) (map (lambda (x) (+ x 1)) xs)))\n";
        host.set_file(&path, program.into());
        let analysis = host.snapshot();
        let kernel = core(&analysis, &path, "k").expect("nobody edits").expect("a kernel");
        let origin = kernel.body.stmts[0].origin.clone();
        let complaint = |line, is_error, text: &str| BuildMessage {
            line,
            column: 3,
            is_error,
            text: text.to_owned(),
            origin: Some(origin.clone()),
        };
        let messages =
            vec![complaint(7, false, "unused variable 'i'"), complaint(9, true, "use of undeclared identifier 'y'")];
        let log = "<kernel>:9:3: error: use of undeclared identifier 'y'\n".to_owned();
        let subject = Subject { path: &path, focus: TextRange::new(6.into(), 7.into()) };
        let problem = run_failure(&analysis, subject, &RunFailure::Build { log, messages }).expect("nobody edits");
        let sources = Sources { analysis: &analysis, shown: &FxHashMap::default(), here: None };
        let shown = text::render(&sources, text::Style { color: false }, &problem).expect("nobody edits");
        expect![[r#"
            error[internal-error]: the device's compiler refused the generated OpenCL (a defect of lift, not of your program)
             --> /p.lift:2:16
              |
            2 |   (lambda (xs) (map (lambda (x) (+ x 1)) xs)))
              |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |                |
              |                line 7 of the OpenCL text: unused variable 'i'
              |                line 9 of the OpenCL text: use of undeclared identifier 'y'
              |
              = note: the compiler's log:
                      <kernel>:9:3: error: use of undeclared identifier 'y'"#]].assert_eq(&shown);
    }
}
