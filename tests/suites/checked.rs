//! Runs generated code on a device that detects faults: every example and some random programs, each in its own process
//! with that device as the only driver, and compares with the interpreter.

use libtest_mimic::Trial;
use lift_codegen::core::Kernel;
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_fuzz::choices::Random;
use lift_fuzz::program::{self, Breadth};
use lift_tests::check::Program;
use lift_tests::kernels::{self, Arguments};
use lift_tests::{files, sample};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

/// Environment variable with the task of a child process.
const TASK: &str = "LIFT_CHECKED";
/// Prefix of tasks that run a faulty kernel.
const FAULT: &str = "fault";
/// Prefix of tasks that run a program whose checks fail.
const FAILING: &str = "failing";

/// A device that detects faults.
pub struct Checker {
    /// Part of the platform's name.
    pub platform: &'static str,
    /// Targets of code generation; the code for GPUs differs.
    pub variants: &'static [Variant],
    /// N and M of random programs.
    pub sizes: &'static [(i64, i64)],
    /// Targets for programs whose checks fail.
    pub failing: &'static [Variant],
    /// Number of random programs, unless `LIFT_CASES` is set; their seeds start at `LIFT_SEED` or 0.
    pub random: u64,
    /// Faults that the device must detect, to show that the other tests are meaningful.
    pub faults: &'static [Fault],
    /// Number of random programs whose checks fail, for each variant.
    pub random_failing: u64,
    /// Runs the command with the device as its only driver; an error is a fault that the device detected, or a missing
    /// tool.
    pub run: fn(Command, &Variant, Runs) -> Result<(), String>,
}

/// Whether the checks of a program fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Runs {
    Through,
    Fails,
}

/// A target with a name.
pub struct Variant {
    pub name: &'static str,
    pub target: Target,
}

/// A faulty kernel: the one of [`SOUND`] with changes.
pub struct Fault {
    pub name: &'static str,
    /// Parts of its text and their replacements.
    pub changes: &'static [(&'static str, &'static str)],
    /// Part of the device's message.
    pub found: &'static str,
}

/// Its kernel has a loop over `i` with `result[i] = (int)((uint)xs[i] + 1u);`.
const SOUND: &str = "(lift sound (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (+ x 1)) xs)))";

/// Runs the tests or, in a child process, a task.
pub fn main(checker: &'static Checker) -> ExitCode {
    if let Ok(task) = std::env::var(TASK) {
        return match run(checker, &task) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("{why}");
                ExitCode::FAILURE
            }
        };
    }
    let examples = files::root().join("examples");
    let names = files::below(&examples, ".lift").into_iter().map(|path| path.display().to_string());
    let names = names.filter(|path| is_well_typed(Path::new(path)));
    let (count, first) = (number("LIFT_CASES").unwrap_or(checker.random), number("LIFT_SEED").unwrap_or(0));
    // Only programs that compile; the others test nothing.
    let random = (first..).filter(|seed| random(*seed).is_ok()).take(count as usize);
    let programs: Vec<String> = names.chain(random.map(|seed| format!("random {seed}"))).collect();
    let tasks =
        checker.variants.iter().flat_map(|variant| programs.iter().map(move |program| (variant, program.clone())));
    let trials = tasks.map(|(variant, program)| {
        let task = format!("{}: {program}", variant.name);
        Trial::test(task.clone(), move || in_process(checker, variant, Runs::Through, &task).map_err(Into::into))
    });
    let count = number("LIFT_CASES").unwrap_or(checker.random_failing);
    let mut failing = (first..).filter(|seed| fails(*seed, checker.sizes));
    let tasks = checker.failing.iter().flat_map(|variant| {
        let seeds: Vec<u64> = failing.by_ref().take(count as usize).collect();
        seeds.into_iter().map(move |seed| (variant, format!("{}: {FAILING} {seed}", variant.name)))
    });
    let tasks: Vec<(&Variant, String)> = tasks.collect();
    let failing = tasks.into_iter().map(|(variant, task)| {
        Trial::test(task.clone(), move || in_process(checker, variant, Runs::Fails, &task).map_err(Into::into))
    });
    let faults = checker.faults.iter().map(|fault| {
        let test = move || is_found(checker, fault).map_err(Into::into);
        Trial::test(format!("{FAULT}: {}", fault.name), test)
    });
    let trials = faults.chain(trials).chain(failing).collect();
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials).exit_code()
}

fn in_process(checker: &Checker, variant: &Variant, runs: Runs, task: &str) -> Result<(), String> {
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut command = Command::new(this);
    // The cache may hold programs compiled for another device or by another version.
    command.env(TASK, task).env("LIFT_CACHE", "off").env_remove(sample::SEED);
    if std::env::var_os(sample::SEED).is_some() {
        command.env(kernels::SMALL, "1");
    }
    (checker.run)(command, variant, runs)
}

fn is_found(checker: &Checker, fault: &Fault) -> Result<(), String> {
    let variant = checker.variants.first().ok_or("a checker has a variant")?;
    match in_process(checker, variant, Runs::Through, &format!("{FAULT}: {}", fault.name)) {
        Err(said) if said.contains(fault.found) => Ok(()),
        Err(said) => Err(format!("`{}` is not in what is said:\n{said}", fault.found)),
        Ok(()) => Err("nothing is found".into()),
    }
}

/// Runs the command; an error is its standard error.
pub fn ended(mut command: Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn run(checker: &Checker, task: &str) -> Result<(), String> {
    let device = kernels::unoptimized_device();
    if !device.info.platform.contains(checker.platform) {
        return Err(format!("this runs on {}, not on {}", device.info.platform, checker.platform));
    }
    let (variant, program) = task.split_once(": ").ok_or("a task is a variant and a program")?;
    if variant == FAULT {
        let fault = checker.faults.iter().find(|fault| fault.name == program).ok_or("no such fault")?;
        return run_fault(fault);
    }
    if let Some(seed) = program.strip_prefix(FAILING) {
        let variant = checker.failing.iter().find(|v| v.name == variant).ok_or("no such variant")?;
        let made = failing(seed.trim().parse().map_err(|_| "a seed is a number")?)?;
        return agree(made, &kernels::simulated(variant.target), checker.sizes);
    }
    let variant = checker.variants.iter().find(|v| v.name == variant).ok_or("no such variant")?;
    let target = kernels::simulated(variant.target);
    match program.strip_prefix("random ") {
        Some(seed) => {
            let seed = seed.parse().map_err(|_| "a seed is a number")?;
            agree(random(seed)?, &target, checker.sizes)
        }
        None => {
            let kernels = example(Path::new(program)).kernels().into_iter();
            let outcomes = kernels.map(|kernel| kernel.outcome_for(device, &target, kernels::most_simulated()));
            let wrong: String = outcomes.filter(|outcome| outcome.contains("on OpenCL:")).collect();
            if wrong.is_empty() { Ok(()) } else { Err(wrong) }
        }
    }
}

fn run_fault(fault: &Fault) -> Result<(), String> {
    let kernel = kernel(SOUND)?;
    let mut compiled = kernels::compiled(&kernel)?;
    for (piece, other) in fault.changes {
        if !compiled.opencl.text.contains(piece) {
            return Err(format!("`{piece}` is not in\n{}", compiled.opencl.text));
        }
        compiled.opencl.text = compiled.opencl.text.replace(piece, other);
        compiled.opencl.kernels.clear();
    }
    let sizes = kernel.sizes.iter().cloned().zip([4]).collect::<SizeValues>();
    let arguments = Arguments { values: vec![Value::Array(ArrayValue::Int(vec![1, 2, 3, 4]))], sizes };
    kernels::on_device(&compiled, &arguments, kernels::unoptimized_device()).map(drop)
}

fn is_well_typed(path: &Path) -> bool {
    example(path).is_well_typed()
}

fn example(path: &Path) -> Program {
    Program::new(&files::root().join("examples"), &path.display().to_string(), &files::read(path))
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A random program.
struct Made {
    text: String,
    kernel: Arc<Kernel>,
}

/// Returns the random program of a seed; an error if it is not supported.
fn random(seed: u64) -> Result<Made, String> {
    let text = program::program(&Random::new(seed).choices(120), Breadth::Compiled);
    let kernel = kernel(&text)?;
    kernels::compiled(&kernel)?;
    Ok(Made { text, kernel })
}

/// Returns the random program with a check that may fail; an error if it is not supported.
fn failing(seed: u64) -> Result<Made, String> {
    let text = program::program(&Random::new(seed).choices(120), Breadth::Failing);
    let kernel = kernel(&text)?;
    kernels::compiled(&kernel)?;
    Ok(Made { text, kernel })
}

/// Whether a check of that program fails for some of the sizes.
fn fails(seed: u64, sizes: &[(i64, i64)]) -> bool {
    let Ok(Made { kernel, .. }) = failing(seed) else { return false };
    sizes.iter().any(|(n, m)| kernels::on_interpreter(&kernel, &arguments(&kernel, *n, *m)).is_err())
}

fn arguments(kernel: &Kernel, n: i64, m: i64) -> Arguments {
    let sizes = kernel.sizes.iter().cloned().zip([n, m]).collect::<SizeValues>();
    Arguments { values: program::inputs(n as usize, m as usize), sizes }
}

fn kernel(text: &str) -> Result<Arc<Kernel>, String> {
    let program = Program::new(Path::new("."), "random.lift", text);
    program.kernels().into_iter().next().ok_or("no kernel")?.core
}

fn agree(Made { text, kernel }: Made, target: &Target, sizes: &[(i64, i64)]) -> Result<(), String> {
    let compiled = kernels::compiled_for(&kernel, target)?;
    for (n, m) in sizes {
        let arguments = arguments(&kernel, *n, *m);
        let meaning = kernels::on_interpreter(&kernel, &arguments);
        let result = kernels::on_device(&compiled, &arguments, kernels::unoptimized_device());
        let same = match (&meaning, &result) {
            (Ok(meaning), Ok(result)) => kernels::close(meaning, result),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !same {
            return Err(format!("{text}\nN={n} M={m}\ninterpreter {meaning:?}\ndevice      {result:?}"));
        }
    }
    Ok(())
}
