//! Kernels that work-items share, with all kinds of outer lengths and with empty dimensions, give the interpreter's
//! results on devices.
//!
//! A program is a [`Skeleton`] inside an [`Outer`]; it runs with all [`SIZES`], and for each of [`KEPT`] if it uses `k`.
//! [`Case::number`] is the number of pairs, with the targets.

mod tables;

use crate::choices::Random;
use crate::ran::{Ran, compiled, on_interpreter};
use crate::{Case as Outcome, Wrong, guarded, remember};
use lift_analysis::parameters::Parameter;
use lift_codegen::core::Kernel;
use lift_codegen::interp::RunErrorKind;
use lift_codegen::lower::compile;
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_tests::check::Program;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
pub use tables::{KEPT, MANY, OUTERS, Outer, SIZES, SKELETONS, Skeleton};

/// A program and a target, as indices into the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub skeleton: usize,
    pub outer: usize,
    pub target: usize,
}

pub fn targets() -> [Target; 4] {
    // Rounds are divided, rows have tables, neighbours are computed together, and the host runs loops, at the few sizes that
    // programs run with, too.
    let nvidia = Target::nvidia().with(Parameter::MatrixPart, 16).with(Parameter::KeyRows, 1);
    let nvidia = nvidia.with(Parameter::MapBlocks, 1).with(Parameter::MapRounds, 1).with(Parameter::LoopsWork, 1);
    [Target::portable(), Target::cpu(), Target::gpu(), nvidia]
}

impl Case {
    pub fn number() -> usize {
        SKELETONS.len() * OUTERS.len() * targets().len()
    }

    pub fn nth(n: usize) -> Case {
        let (n, target) = (n / targets().len(), n % targets().len());
        Case { skeleton: n / OUTERS.len() % SKELETONS.len(), outer: n % OUTERS.len(), target }
    }

    pub fn target(&self) -> Target {
        targets()[self.target]
    }

    pub fn text(&self) -> String {
        let body = OUTERS[self.outer].text.replace("$s", SKELETONS[self.skeleton].text);
        lift_syntax::format(&format!(
            "(lift outer (N M) ((array-type (array-type int M) N) (array-type int M) int int) (lambda (rows v k n) {body}))\n"
        ))
    }

    /// The values of `k` to run with: one if the program does not use it.
    fn kept(&self) -> &'static [i32] {
        let uses_k = |text: &str| text.split(|c: char| c.is_whitespace() || "()".contains(c)).any(|word| word == "k");
        let is_used = uses_k(OUTERS[self.outer].text) || uses_k(SKELETONS[self.skeleton].text);
        if is_used { &KEPT } else { &KEPT[..1] }
    }

    pub fn kernel(&self) -> Result<Arc<Kernel>, String> {
        let text = self.text();
        remember("outer", &text);
        let program = Program::new(Path::new("."), "outer.lift", &text);
        if !program.is_well_typed() {
            return Err(format!("refused: {}", program.outcome()));
        }
        program.kernels().into_iter().next().ok_or("no kernel")?.core
    }

    /// Returns the compiler's rules that are applied to it.
    pub fn rules(&self) -> Result<BTreeSet<&'static str>, String> {
        let program = compile(&*self.kernel()?, &self.target()).map_err(|e| format!("{e:?}"))?;
        Ok(program.report.applied.iter().map(|applied| applied.rule.name).collect())
    }

    /// Compares a device with the interpreter; `false` if the program is not supported, and reported as such.
    fn is_right(&self) -> Result<bool, String> {
        let kernel = match self.kernel() {
            // No window fits into zero rows.
            Err(why) if why.contains("assumption-false") => return Ok(false),
            kernel => kernel?,
        };
        let Ok(program) = compile(&kernel, &self.target()) else { return Ok(false) };
        for (n, m) in SIZES {
            for &k in self.kept() {
                let inputs = inputs(n, m, k);
                let meaning = on_interpreter(&kernel, inputs.clone(), 20_000_000);
                if matches!(&meaning, Ran::Failed { kind: RunErrorKind::Limit, .. }) {
                    continue;
                }
                let result = compiled(&program, &kernel, &inputs);
                if !result.as_ref().is_ok_and(|result| meaning.is_like(result)) {
                    return Err(format!(
                        "N={n} M={m} k={k}: the interpreter gives {meaning:?}\n{:?} gives {result:?}",
                        self.target().class
                    ));
                }
            }
        }
        Ok(true)
    }
}

fn inputs(n: usize, m: usize, k: i32) -> Vec<Value> {
    let int = |i: usize| (i * 37 + 11) as i32 % 19 - 7;
    let row = |row: usize| Value::Array(ArrayValue::Int((0..m).map(|i| int(row * 5 + i)).collect()));
    let rows = Value::Array(ArrayValue::Values((0..n).map(row).collect()));
    vec![rows, row(n + 1), Value::Int(k), Value::Int(n as i32)]
}

/// Tests one case.
pub fn try_one(seed: u64) -> Outcome {
    let case = Case::nth(Random::scattered(seed, Case::number()));
    match guarded(|| case.is_right()) {
        Ok(false) => Outcome::Rejected,
        Ok(true) => Outcome::Accepted,
        Err(why) => Outcome::Wrong(Wrong { program: case.text(), why }),
    }
}
