//! Generated code under `oclgrind`: no access out of bounds, no data race, no misuse of the API, and the interpreter's
//! results, for every example and a sample of random programs.
//!
//! `oclgrind` simulates a device and reports what it finds in a log; it is a driver like any other, so each program runs
//! in a process of its own whose only driver it is.

use libtest_mimic::Trial;
use lift_codegen::core::Kernel;
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_fuzz::choices::Random;
use lift_fuzz::program::{self, Breadth};
use lift_tests::check::Program;
use lift_tests::files;
use lift_tests::kernels::{self, Arguments};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const DRIVER: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// One, odd, a power of two: simulated work-items are slow.
const SIZES: [(i64, i64); 3] = [(1, 1), (5, 2), (64, 3)];
/// What code is generated for: that of GPUs is other code.
const TARGETS: [&str; 2] = ["portable", "nvidia"];
/// Bytes of local memory of the simulator, which adds up those of all kernels of a program: each alone needs less.
const LOCAL_MEMORY: &str = "262144";
/// How many random programs, unless `LIFT_CASES` says it; they are made from the numbers from `LIFT_SEED` on, or from 0.
const RANDOM_PROGRAMS: usize = 12;
/// Tells the process that it is the one under the checker, and what to run.
const TASK: &str = "LIFT_UNDER_OCLGRIND";

fn main() {
    if let Ok(task) = std::env::var(TASK) {
        if let Err(why) = run(&task) {
            eprintln!("{why}");
            std::process::exit(1);
        }
        return;
    }
    let examples = files::root().join("examples");
    let names = files::below(&examples, ".lift").into_iter().map(|path| path.display().to_string());
    let names = names.filter(|path| is_well_typed(Path::new(path)));
    let (count, first) = (number("LIFT_CASES").unwrap_or(RANDOM_PROGRAMS as u64), number("LIFT_SEED").unwrap_or(0));
    // Of those that are compiled, for there is nothing to see of the others.
    let random = (first..).filter(|seed| random(*seed).is_ok()).take(count as usize);
    let programs: Vec<String> = names.chain(random.map(|seed| format!("random {seed}"))).collect();
    let tasks = TARGETS.iter().flat_map(|target| programs.iter().map(move |program| format!("{target} {program}")));
    let trials = tasks.map(|task| Trial::test(task.clone(), move || checked(&task).map_err(Into::into)));
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials.collect()).exit();
}

fn is_well_typed(path: &Path) -> bool {
    example(path).is_well_typed()
}

fn example(path: &Path) -> Program {
    Program::new(&files::root().join("examples"), &path.display().to_string(), &files::read(path))
}

/// Run the task in a process whose only driver is the checker, and read what it found.
fn checked(task: &str) -> Result<(), String> {
    if !Path::new(DRIVER).exists() {
        return Err(format!("{DRIVER} is missing: install the package oclgrind"));
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let log = folder.path().join("log");
    std::fs::write(folder.path().join("oclgrind.icd"), DRIVER).map_err(|e| e.to_string())?;
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let output = Command::new(this)
        .env(TASK, task)
        .env("OCL_ICD_VENDORS", folder.path())
        .env("OCLGRIND_DATA_RACES", "1")
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_LOCAL_MEM_SIZE", LOCAL_MEMORY)
        .env("OCLGRIND_LOG", &log)
        .output()
        .map_err(|e| e.to_string())?;
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    if !found.trim().is_empty() {
        return Err(found);
    }
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

fn run(task: &str) -> Result<(), String> {
    let device = kernels::device();
    if !device.info.platform.contains("Oclgrind") {
        return Err(format!("this runs on {}, not on oclgrind", device.info.platform));
    }
    let (target, program) = task.split_once(' ').ok_or("a task is a target and a program")?;
    let mut target: Target = target.parse()?;
    // Where groups hand on what they found in one pass, one polls with a volatile load what another adds to atomically. To
    // the simulator that is a data race; it is the promise that only devices of the table make (`Target::single_pass`).
    target.single_pass = false;
    match program.strip_prefix("random ") {
        Some(seed) => agree(random(seed.parse().map_err(|_| "a seed is a number")?)?, &target),
        None => {
            let kernels = example(Path::new(program)).kernels().into_iter();
            let outcomes = kernels.map(|kernel| kernel.outcome_for(device, &target));
            let wrong: String = outcomes.filter(|outcome| outcome.contains("on OpenCL:")).collect();
            if wrong.is_empty() { Ok(()) } else { Err(wrong) }
        }
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// A random program.
struct Made {
    text: String,
    kernel: Arc<Kernel>,
}

/// The random program of this number, if it is compiled.
fn random(seed: u64) -> Result<Made, String> {
    let text = program::program(&Random::new(seed).choices(120), Breadth::Compiled);
    let program = Program::new(Path::new("."), "random.lift", &text);
    let kernel = program.kernels().into_iter().next().ok_or("no kernel")?.core?;
    kernels::compiled(&kernel)?;
    Ok(Made { text, kernel })
}

fn agree(Made { text, kernel }: Made, target: &Target) -> Result<(), String> {
    let compiled = kernels::compiled_for(&kernel, target)?;
    for (n, m) in SIZES {
        let sizes = kernel.sizes.iter().cloned().zip([n, m]).collect::<SizeValues>();
        let arguments = Arguments { values: program::inputs(n as usize, m as usize), sizes };
        let meaning = kernels::on_interpreter(&kernel, &arguments);
        let result = kernels::on_device(&compiled, &arguments, kernels::device());
        let same = match (&meaning, &result) {
            (Ok(meaning), Ok(result)) => kernels::close(meaning, result),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !same {
            return Err(format!("{text}\nN={n} M={m}\ninterpreter {meaning:?}\noclgrind    {result:?}"));
        }
    }
    Ok(())
}
