//! Kernels on blocks of their arrays compute the same as on whole arrays, for all lengths of blocks.

use crate::choices::{Random, shrink};
use crate::differential::{SIZES, equal, kernel};
use crate::program::{Breadth, inputs, program};
use crate::soundness::alike;
use crate::{Case, Wrong, guarded, remember};
use lift_codegen::core::{Kernel, check};
use lift_codegen::interp::{self, Limits, RunError};
use lift_codegen::parts::execute::{Call, Cut, Runner, run};
use lift_codegen::parts::{KernelId, Parts, analyse};
use lift_codegen::sizes::SizeValues;
use lift_codegen::value::Value;

const LIMITS: Limits = Limits { steps: 5_000_000, bytes: 256 << 20, iterations: 10_000 };

/// Runs the kernels of parts on the interpreter.
pub struct Interpreted<'p>(pub &'p Parts);

impl Runner for Interpreted<'_> {
    type Error = String;

    fn run(&self, kernel: KernelId, calls: Vec<Call>) -> Result<Vec<Value>, String> {
        let kernel = &self.0.kernels[kernel.0 as usize];
        let one = |call: Call| {
            let shown = format!("{:?} {:?}", call.inputs, call.sizes);
            let told = |e: RunError| format!("{e}\nin {kernel}\non {shown:.2000}");
            interp::run_watched(kernel, call.inputs, &call.sizes, LIMITS).map_err(told)
        };
        calls.into_iter().map(one).collect()
    }

    fn wrong(&self, message: String) -> String {
        message
    }
}

pub fn try_one(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let cuts: Vec<Cut> = (0..3).map(|_| any_cut(&mut random)).collect();
    let from = random.below(SIZES.len());
    let choices = random.choices(180);
    let agree = |text: &str| agree(text, from, &cuts);
    match guarded(|| agree(&program(&choices, Breadth::Compiled))) {
        Ok(case) => case,
        Err(why) => {
            let mut wrong =
                |c: &[u16]| guarded(|| agree(&program(c, Breadth::Compiled))).is_err_and(|w| alike(&w, &why));
            let choices = shrink(choices, 150, &mut wrong);
            let smaller = program(&choices, Breadth::Compiled);
            let why = guarded(|| agree(&smaller)).err().unwrap_or(why);
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

/// Returns blocks of arbitrary lengths, some of them empty.
fn any_cut(random: &mut Random) -> Cut {
    let blocks = *random.of(&[1, 2, 3, 5, 9]);
    Cut { shares: (0..blocks).map(|_| random.below(4) as f64).collect() }
}

fn agree(text: &str, from: usize, cuts: &[Cut]) -> Result<Case, String> {
    remember("parts", text);
    let kernel = kernel(text).map_err(|why| format!("refused: {why}"))?;
    let parts = match analyse::parts(&kernel) {
        Ok(parts) => parts,
        Err(refusal) if refusal.message.contains("internal error") => return Err(refusal.message),
        Err(_) => return Ok(Case::Rejected),
    };
    for ((n, m), cut) in SIZES.into_iter().cycle().skip(from).zip(cuts) {
        let sizes = kernel.sizes.iter().cloned().zip([n as i64, m as i64]).collect();
        same(&kernel, &parts, inputs(n, m), &sizes, (cut, 0.0)).map_err(|why| format!("N={n} M={m} {cut:?}: {why}"))?;
    }
    Ok(Case::Accepted)
}

/// Whether values are equal but for a relative difference of their floating-point numbers.
fn near(a: &Value, b: &Value, rounding: f64) -> bool {
    let numbers = |x: f64, y: f64| (x - y).abs() <= rounding * x.abs().max(y.abs());
    match (a, b) {
        _ if equal(a, b) => true,
        (Value::Float(x), Value::Float(y)) => numbers(f64::from(*x), f64::from(*y)),
        (Value::Double(x), Value::Double(y)) => numbers(*x, *y),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::Vec(x), Value::Vec(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| near(x, y, rounding))
        }
        (Value::Array(x), Value::Array(y)) => {
            let pairs = || (0..x.len()).map(|i| x.get(i).zip(y.get(i)));
            x.len() == y.len() && pairs().all(|pair| pair.is_some_and(|(x, y)| near(&x, &y, rounding)))
        }
        _ => false,
    }
}

/// Checks that the parts of a kernel are well formed and compute the same as the kernel, up to a relative rounding: sums
/// over blocks are added in another order.
pub fn same(
    kernel: &Kernel,
    parts: &Parts,
    inputs: Vec<Value>,
    sizes: &SizeValues,
    (cut, rounding): (&Cut, f64),
) -> Result<(), String> {
    for kernel in &parts.kernels {
        if let Some(problem) = check::problems(kernel).first() {
            return Err(format!("a kernel is not well formed: {problem}\n{kernel}"));
        }
    }
    let given: Vec<_> = sizes.iter().map(|(v, n)| (v.clone(), n)).collect();
    // A failing run may fail elsewhere in parts, or not at all if the failing value is not needed.
    let Ok(whole) = interp::run(kernel, inputs.clone(), &given, LIMITS) else { return Ok(()) };
    let blocks = run(parts, &Interpreted(parts), inputs, sizes, cut)?;
    if near(&whole, &blocks, rounding) { Ok(()) } else { Err(format!("whole {whole}\nin parts {blocks}")) }
}
