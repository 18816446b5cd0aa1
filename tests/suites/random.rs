//! Random well-typed programs mean the same everywhere: on the interpreter and on OpenCL, formatted or not, with packs
//! and unpacks inserted or written out.
//!
//! Half of the programs are always the same ones; the others are new each time, from a seed that a failure names
//! (`LIFT_SEED=…` takes it up again). `LIFT_CASES=…` tries more of them.

use lift_codegen::sizes::SizeValues;
use lift_tests::check::Program;
use lift_tests::kernels::{Arguments, close, compiled, device, on_device, on_interpreter};
use lift_tests::{files, generate};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use std::path::Path;

/// Nothing, one, few, odd, a power of two, more than a work-group and no multiple of one.
const SIZES: [(usize, usize); 8] = [(0, 3), (1, 1), (2, 0), (5, 2), (7, 5), (64, 3), (129, 1), (300, 4)];

/// What is not compiled yet.
const NOT_COMPILED: &[&str] = &["is not known on the device here"];

fn cases(usual: u32) -> u32 {
    std::env::var("LIFT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

fn fixed() -> u64 {
    0x11f7
}

fn fresh() -> u64 {
    let named = std::env::var("LIFT_SEED").ok().and_then(|seed| seed.parse().ok());
    named.unwrap_or_else(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(1, |time| time.as_millis() as u64)
    })
}

/// Tries programs from a seed; the smallest one that is wrong is shown.
fn all_programs(seed: u64, cases: u32, check: impl Fn(&str) -> Result<(), String>) {
    println!("seed {seed}");
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));
    let choices = proptest::collection::vec(proptest::num::u16::ANY, 0..160);
    let outcome = runner.run(&choices, |choices| check(&generate::program(&choices)).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, choices)) => {
            panic!("LIFT_SEED={seed}\n{}\n{why}", generate::program(&choices));
        }
        Err(TestError::Abort(why)) => panic!("LIFT_SEED={seed}: {why}"),
    }
}

fn checked(text: &str) -> Result<Program, String> {
    let program = Program::new(Path::new("."), "random.lift", text);
    if program.is_well_typed() { Ok(program) } else { Err(program.outcome()) }
}

fn same_meaning_however_written(text: &str) -> Result<(), String> {
    checked(text)?.check_invariants(Path::new("."))
}

#[test]
fn they_are_well_typed_and_may_be_formatted_and_written_out() {
    all_programs(fixed(), cases(300), same_meaning_however_written);
    all_programs(fresh(), cases(200), same_meaning_however_written);
}

#[test]
fn the_interpreter_and_opencl_agree() {
    all_programs(fixed(), cases(60), same_result_everywhere);
}

#[test]
fn the_interpreter_and_opencl_agree_on_programs_never_seen() {
    all_programs(fresh(), cases(40), same_result_everywhere);
}

fn same_result_everywhere(text: &str) -> Result<(), String> {
    // A driver that crashes leaves what it crashed on.
    let last = files::root().join("tests/output/random.lift");
    std::fs::create_dir_all(files::root().join("tests/output"))
        .and_then(|()| std::fs::write(&last, text))
        .map_err(|e| e.to_string())?;
    let program = checked(text)?;
    let kernel = program.kernels().into_iter().next().ok_or("no kernel")?.core?;
    let compiled = match compiled(&kernel) {
        Ok(compiled) => compiled,
        Err(why) if NOT_COMPILED.iter().any(|known| why.contains(known)) => return Ok(()),
        Err(why) => return Err(why),
    };
    for (n, m) in SIZES {
        let sizes = kernel.sizes.iter().cloned().zip([n as i64, m as i64]).collect::<SizeValues>();
        let arguments = Arguments { values: generate::inputs(n, m), sizes };
        let (meaning, result) = (on_interpreter(&kernel, &arguments), on_device(&compiled, &arguments, device()));
        let same = match (&meaning, &result) {
            (Ok(meaning), Ok(result)) => close(meaning, result),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !same {
            let opencl = &compiled.opencl.text;
            return Err(format!("N={n} M={m}\ninterpreter {meaning:?}\nOpenCL      {result:?}\n{opencl}"));
        }
    }
    Ok(())
}
