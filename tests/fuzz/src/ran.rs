//! The outcome of a run on the interpreter or a device, for comparison.

use lift_analysis::origin::Origin;
use lift_codegen::core::Kernel;
use lift_codegen::failure::Kind;
use lift_codegen::interp::{self, Limits, RunErrorKind, bind_sizes};
use lift_codegen::lower::compile;
use lift_codegen::run::{self, Built, RunFailure, RunOptions};
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_tests::kernels::{close, unoptimized_device};

#[derive(Debug, Clone, PartialEq)]
pub enum Ran {
    Value(Value),
    Failed { kind: RunErrorKind, origin: Option<Origin>, message: String },
}

impl Ran {
    /// Whether both are the same result, or the same kind of failure at the same location.
    pub fn is_like(&self, other: &Ran) -> bool {
        match (self, other) {
            (Ran::Value(a), Ran::Value(b)) => close(a, b),
            (Ran::Failed { kind, origin, .. }, Ran::Failed { kind: k, origin: o, .. }) => kind == k && origin == o,
            _ => false,
        }
    }
}

pub fn on_interpreter(kernel: &Kernel, inputs: Vec<Value>, steps: u64) -> Ran {
    match interp::run_watched(kernel, inputs, &[], Limits { steps, bytes: 64 << 20, iterations: 10_000 }) {
        Ok(value) => Ran::Value(value),
        Err(e) => Ran::Failed { kind: e.kind, origin: e.origin, message: e.message },
    }
}

/// Runs a kernel on the device; `None` if it is not supported for this target. An error is a failure that no program
/// may cause.
pub fn on_device(kernel: &Kernel, target: &Target, inputs: &[Value]) -> Option<Result<Ran, String>> {
    let program = compile(kernel, target).ok()?;
    Some(compiled(&program, kernel, inputs))
}

/// As [`on_device`], for a compiled program.
pub fn compiled(program: &lift_codegen::plan::Program, kernel: &Kernel, inputs: &[Value]) -> Result<Ran, String> {
    let sizes = bind_sizes(kernel, inputs, &[]).map_err(|e| e.message)?;
    let options = RunOptions { poison: true, built: Built::All, ..RunOptions::default() };
    match run::run(program, inputs, &sizes, unoptimized_device(), &options) {
        Ok(outcome) => Ok(Ran::Value(outcome.value)),
        Err(RunFailure::Assumption { origin, assumption, .. }) => {
            Ok(Ran::Failed { kind: RunErrorKind::Assumption, origin: Some(origin), message: assumption.to_string() })
        }
        Err(RunFailure::Check { kind, message, origin }) => {
            let kind = match kind {
                Kind::Index => RunErrorKind::Index,
                Kind::DivisionByZero => RunErrorKind::DivisionByZero,
                Kind::Argument => RunErrorKind::Argument,
                Kind::Cast => RunErrorKind::Cast,
                Kind::Assumption => RunErrorKind::Assumption,
            };
            Ok(Ran::Failed { kind, origin: Some(origin), message })
        }
        Err(other) => Err(other.to_string()),
    }
}
