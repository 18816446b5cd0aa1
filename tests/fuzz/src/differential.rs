//! Differential tests: the same program gives the same results on the interpreter, on a device, when formatted or
//! elaborated, after each rewrite, and after all rewrites for each class of devices.
//!
//! Results must be equal, including floats: the generator uses floats only where they are exact in any order (see
//! [`crate::program`]). The options of the device vary: work-groups of the usual and of odd sizes, down to one
//! work-item and up to the maximum, and one or very many compute units.

use crate::choices::{Random, shrink};
use crate::fronts;
use crate::program::shapes::failing::{CHECKS, WORK};
use crate::program::{Breadth, inputs, program};
use crate::soundness::alike;
use crate::{Case, Wrong, guarded, remember};
use lift_analysis::parameters::{Parameter, TABLE};
use lift_codegen::core::{Kernel, check};
use lift_codegen::interp::{Limits, RunError, RunErrorKind, run_watched};
use lift_codegen::lower::compile_scheduled;
use lift_codegen::schedule::{Schedule, after_each_rewrite};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_tests::check::Program;
use lift_tests::kernels::{Arguments, run_on_device, tells, unoptimized_device};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

/// N and M: zero, one, few, primes, powers of two and their neighbours, more than a work-group and not a multiple of
/// one.
pub const SIZES: [(usize, usize); 20] = [
    (0, 3),
    (0, 0),
    (1, 1),
    (2, 0),
    (5, 2),
    (7, 5),
    (13, 4),
    (31, 17),
    (63, 3),
    (64, 3),
    (65, 1),
    (127, 2),
    (128, 2),
    (129, 1),
    (255, 1),
    (256, 1),
    (257, 3),
    (300, 4),
    (521, 2),
    (1031, 1),
];

/// Each program is run once for each rewrite and size.
const LIMITS: Limits = Limits { steps: 1_000_000, bytes: 256 << 20, iterations: 10_000 };

/// Limits on the size of work-groups, other than the default.
pub const MOST_IN_GROUP: [u32; 4] = [1, 7, 48, 64];
/// Numbers of compute units, other than the default: launches have few or very many work-items.
pub const COMPUTE_UNITS: [u32; 2] = [1, 1000];
/// Minimal numbers of elements per work-item, other than the default.
pub const PER_ITEM: [u32; 3] = [1, 3, 8];

/// The target and the sizes for one program.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    pub target: Target,
    /// Index into [`SIZES`] of the first of four consecutive entries.
    pub sizes: usize,
}

impl Way {
    /// Returns the way of a seed, and the generator for its program.
    pub fn of(seed: u64) -> (Way, Random) {
        let mut random = Random::new(seed);
        let target = *random.of(&targets());
        (Way::on(target, &mut random), random)
    }
    fn on(target: Target, random: &mut Random) -> Way {
        Way { target: with_options(target, random), sizes: random.below(SIZES.len()) }
    }
    pub fn sizes(&self) -> impl Iterator<Item = (usize, usize)> {
        SIZES.into_iter().cycle().skip(self.sizes).take(4)
    }
}

/// One program in five is in another language.
pub fn try_one(seed: u64) -> Case {
    if seed % 5 == 4 {
        return fronts::well_formed(fronts::language(seed), seed, true);
    }
    try_some(seed, Breadth::Compiled)
}

/// As [`try_one`], with programs for the compiler's rules.
pub fn try_shape(seed: u64) -> Case {
    try_some(seed, Breadth::Shapes)
}

/// A check that may fail, the work that follows it, and a target, as indices into [`CHECKS`], [`WORK`] and [`targets`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Failing {
    pub check: usize,
    pub work: usize,
    pub target: usize,
}

impl Failing {
    pub fn number() -> usize {
        CHECKS.len() * WORK.len() * targets().len()
    }
    pub fn nth(n: usize) -> Failing {
        let (n, target) = (n / targets().len(), n % targets().len());
        Failing { check: n / WORK.len() % CHECKS.len(), work: n % WORK.len(), target }
    }
    /// Returns a program with this check and work; `rest` has its other choices.
    pub fn choices(&self, rest: &[u16]) -> Vec<u16> {
        [&[self.check as u16, self.work as u16], rest].concat()
    }
}

/// As [`try_one`], with programs whose checks may fail; the reported failures are compared, too.
pub fn try_failing(seed: u64) -> Case {
    let case = Failing::nth(Random::scattered(seed, Failing::number()));
    let mut random = Random::new(seed);
    let way = Way::on(targets()[case.target], &mut random);
    try_choices(case.choices(&random.choices(178)), way, Breadth::Failing)
}

fn try_some(seed: u64, breadth: Breadth) -> Case {
    let (way, mut random) = Way::of(seed);
    try_choices(random.choices(180), way, breadth)
}

fn try_choices(choices: Vec<u16>, way: Way, breadth: Breadth) -> Case {
    let agree = |text: &str, way| agree(text, way, breadth == Breadth::Failing);
    match guarded(|| agree(&program(&choices, breadth), way)) {
        Ok(case) => case,
        Err(why) => {
            let mut wrong = |c: &[u16]| guarded(|| agree(&program(c, breadth), way)).is_err_and(|w| alike(&w, &why));
            let choices = shrink(choices, 150, &mut wrong);
            let smaller = program(&choices, breadth);
            let why = guarded(|| agree(&smaller, way)).err().unwrap_or(why);
            Case::Wrong(Wrong { program: smaller, why: format!("{why}\n{way:?}") })
        }
    }
}

pub fn targets() -> [Target; 4] {
    [Target::portable(), Target::gpu(), Target::cpu(), Target::nvidia()]
}

fn with_options(mut target: Target, random: &mut Random) -> Target {
    target.checked = !random.one_in(4);
    if let Some(most) = one_or_usual(&MOST_IN_GROUP, random) {
        target.most_in_group = most;
        target.group = target.group.min(most);
    }
    if let Some(units) = one_or_usual(&COMPUTE_UNITS, random) {
        target.compute_units = units;
    }
    if let Some(elements) = one_or_usual(&PER_ITEM, random) {
        target.per_item = elements;
    }
    if random.one_in(3) {
        // Short rows are done by the whole device, too.
        target = target.with(Parameter::TurnsRow, 1).with(Parameter::TurnsEach, 1);
    }
    if random.one_in(2) {
        // The host runs rounds of few elements, too.
        target = target.with(Parameter::LoopsWork, 1);
    }
    if random.one_in(3) {
        // A work-item computes several neighbours, however few there are.
        target = target.with(Parameter::MapBlocks, 1).with(Parameter::MapRounds, 1);
    }
    if random.one_in(2) {
        // No value of a parameter changes a result.
        let entry = &TABLE[random.below(TABLE.len())];
        let values = entry.values();
        target = target.with(entry.parameter, values[random.below(values.len())]);
    }
    target
}

/// Returns one of the numbers, or `None` with the probability of two of them.
fn one_or_usual(numbers: &[u32], random: &mut Random) -> Option<u32> {
    numbers.get(random.below(numbers.len() + 2)).copied()
}

/// Compares all runs of a program; `told` also compares reported failures.
fn agree(text: &str, way: Way, told: bool) -> Result<Case, String> {
    remember("differential", text);
    let kernel = kernel(text).map_err(|why| format!("refused: {why}"))?;
    let program = Program::new(Path::new("."), "random.lift", text);
    let others = [("formatted", lift_syntax::format(text)), ("elaborated", program.elaborated())];
    // Most rewrites change nothing in a program: of equal kernels one is run.
    let mut texts = HashSet::from([kernel.to_string()]);
    let mut same = Vec::new();
    for (name, text) in others {
        let other = self::kernel(&text).map_err(|why| format!("after `{name}` it is refused: {why}"))?;
        if texts.insert(other.to_string()) {
            same.push((name, other));
        }
    }
    for (rule, kernel) in after_each_rewrite(&kernel, &way.target) {
        if !texts.insert(kernel.to_string()) {
            continue;
        }
        if let Some(problem) = check::problems(&kernel).first() {
            return Err(format!("after {rule} it is not well formed: {problem}"));
        }
        same.push((rule, Arc::new(kernel)));
    }
    let schedule = Schedule::new(&kernel, &way.target);
    let compiled = compile_scheduled(&schedule);
    for (n, m) in way.sizes() {
        let meaning = meaning(&kernel, n, m)?;
        if matches!(&meaning, Err(e) if e.kind == RunErrorKind::Limit) {
            continue; // There is nothing to compare with, and every rewrite would take as long.
        }
        for (name, kernel) in &same {
            let other = self::meaning(kernel, n, m)?;
            if !alike_results(&meaning, &other) {
                return Err(format!(
                    "after `{name}` it differs: with N={n} M={m}\n{}\n{}",
                    shown(&meaning),
                    shown(&other)
                ));
            }
        }
        // Without checks, a failing program has undefined behaviour.
        let Ok(compiled) = &compiled else { continue };
        if meaning.is_err() && !way.target.checked {
            continue;
        }
        let sizes = kernel.sizes.iter().cloned().zip([n as i64, m as i64]).collect::<SizeValues>();
        let result = run_on_device(compiled, &Arguments { values: inputs(n, m), sizes }, unoptimized_device());
        let same = match (&meaning, &result) {
            (Ok(meaning), Ok(result)) => equal(meaning, result),
            (Err(e), Err(failure)) => !told || tells(failure, e),
            _ => false,
        };
        if !same {
            return Err(format!(
                "the device differs: with N={n} M={m}\ninterpreter {}\ndevice {result:?}",
                shown(&meaning)
            ));
        }
    }
    Ok(if compiled.is_ok() { Case::Accepted } else { Case::Rejected })
}

pub fn kernel(text: &str) -> Result<Arc<Kernel>, String> {
    let program = Program::new(Path::new("."), "random.lift", text);
    if !program.is_well_typed() {
        return Err(program.outcome());
    }
    program.kernels().into_iter().next().ok_or("no kernel")?.core
}

fn meaning(kernel: &Kernel, n: usize, m: usize) -> Result<Result<Value, RunError>, String> {
    match run_watched(kernel, inputs(n, m), &[], LIMITS) {
        Err(e) if matches!(e.kind, RunErrorKind::Unsound | RunErrorKind::Malformed) => Err(format!("unsound: {e}")),
        result => Ok(result),
    }
}

/// A rewrite may remove a failure; it may not introduce one. Failures are not compared.
fn alike_results(a: &Result<Value, RunError>, b: &Result<Value, RunError>) -> bool {
    match (a, b) {
        (Ok(a), Ok(b)) => equal(a, b),
        (_, Err(e)) if e.kind == RunErrorKind::Limit => true,
        (Err(_), _) => true,
        (Ok(_), Err(_)) => false,
    }
}

/// Equality, except that NaN equals NaN.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => x == y || (x.is_nan() && y.is_nan()),
        (Value::Double(x), Value::Double(y)) => x == y || (x.is_nan() && y.is_nan()),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::Vec(x), Value::Vec(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| equal(x, y))
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len() && (0..x.len()).all(|i| x.get(i).zip(y.get(i)).is_some_and(|(x, y)| equal(&x, &y)))
        }
        (a, b) => a == b,
    }
}

fn shown(result: &Result<Value, RunError>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(e) => format!("error: {e}"),
    }
}
