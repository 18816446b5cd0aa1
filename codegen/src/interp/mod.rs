//! The reference interpreter, which defines the meaning of a kernel.
//!
//! [`run`] takes a [`Kernel`] and its inputs and returns its result, or the reason why there is none. It is the
//! compiler's oracle, so simplicity comes before speed: it walks the statements in order, calls each function of a
//! primitive element by element from the left, and checks everything that can fail.
//!
//! Arithmetic, shared with compiled programs:
//! * Integers wrap. Division and remainder truncate towards zero, and stop the run if the divisor is 0. A shift takes
//!   its second operand modulo the number of bits; a right shift keeps the sign.
//! * `toInt` and the like of a floating-point number truncate and saturate, and NaN becomes 0 (OpenCL's
//!   `convert_int_sat`, with NaN defined); of an integer they drop the upper bits. `toFloat` and `toDouble` round to
//!   nearest.
//! * `min` and `max` of NaN and a number are the number; of the two zeros, either (`fmin`, `fmax`).
//! * `sort` by a number in each element puts NaN last ([`crate::core::order`]).
//! * `and` and `or` evaluate both operands.
//!
//! Operations that run in parallel elsewhere are left folds here: `reduce z f`, `scan` and `partRed` start with `z` and
//! go from left to right. `search` bisects `[0, n)` and first examines `lo + (hi - lo) / 2`.
//!
//! Map: [`sizes`] binds the size parameters from the inputs · `repr` values · `eval` statements and functions ·
//! `scalar` operators · `prims`, `views`, `order` the primitives · `watch` compares values with their types, for
//! [`run_watched`].

mod eval;
mod order;
mod prims;
mod repr;
mod scalar;
pub mod sizes;
mod views;
mod watch;

#[cfg(test)]
mod tests;

pub use sizes::{Shaped, bind_shapes, bind_sizes, check_assumptions};

use crate::core::Kernel;
use crate::failure::{Kind, Message, fill};
use crate::value::Value;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Var};
use std::fmt;

/// Limits of a run's time and memory, so that it neither hangs nor exhausts the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Statements and function calls.
    pub steps: u64,
    /// Bytes of all live arrays, estimated.
    pub bytes: u64,
    /// Iterations of one `iterateWhile`.
    pub iterations: u64,
}

impl Limits {
    /// For one of many small inputs: a fraction of a second.
    pub const BRIEF: Limits = Limits { steps: 2_000_000, bytes: 4 << 30, iterations: 100_000_000 };
}

impl Default for Limits {
    /// Some minutes, 4 GiB, and a hundred million iterations.
    fn default() -> Limits {
        Limits { steps: 10_000_000_000, bytes: 4 << 30, iterations: 100_000_000 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunErrorKind {
    /// The inputs do not fit the parameters.
    Input,
    /// The sizes of the inputs contradict each other, or a size is unknown.
    Size,
    /// An assumption of the program about its sizes is false.
    Assumption,
    /// A checked cast is false.
    Cast,
    /// An index out of range.
    Index,
    DivisionByZero,
    /// An argument of a primitive is meaningless, such as a negative length.
    Argument,
    /// A limit of [`Limits`] is exceeded.
    Limit,
    /// The kernel is not well formed; [`crate::core::check`] locates the fault.
    Malformed,
    /// A value contradicts its type; reported only by watched runs.
    Unsound,
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    /// One sentence; code and types between backticks.
    pub message: String,
    /// The origin of the failure, if it has one.
    pub origin: Option<Origin>,
    pub kind: RunErrorKind,
    /// The assumption about sizes that is false.
    pub assumption: Option<Box<Assumption>>,
    /// The kind of a failure and its two numbers, until the origin is known.
    failed: Option<(Kind, i64, i64)>,
}

impl From<Kind> for RunErrorKind {
    fn from(kind: Kind) -> RunErrorKind {
        match kind {
            Kind::Index => RunErrorKind::Index,
            Kind::DivisionByZero => RunErrorKind::DivisionByZero,
            Kind::Argument => RunErrorKind::Argument,
            Kind::Cast => RunErrorKind::Cast,
            Kind::Assumption => RunErrorKind::Assumption,
        }
    }
}

impl RunError {
    pub fn new(kind: RunErrorKind, message: impl Into<String>) -> RunError {
        RunError { message: message.into(), origin: None, kind, assumption: None, failed: None }
    }
    /// A failure of the program, with the same message as from generated code.
    pub fn failed(message: &Message, first: i64, second: i64) -> RunError {
        let error = RunError::new(message.kind.into(), message.with(first, second));
        RunError { failed: Some((message.kind, first, second)), ..error }
    }

    /// A false assumption about lengths.
    fn false_assumption(assumption: &Assumption, message: String) -> RunError {
        RunError {
            assumption: Some(Box::new(assumption.clone())),
            failed: Some((Kind::Assumption, 0, 0)),
            ..RunError::new(RunErrorKind::Assumption, message)
        }
    }

    /// The error with this origin, unless it already has one.
    fn at(mut self, origin: &Origin) -> RunError {
        if self.origin.is_none() {
            self.origin = Some(origin.clone());
            // A front end may have its own wording.
            if let (Some((kind, first, second)), Some(wording)) = (self.failed.take(), &origin.wording)
                && kind == wording.kind
            {
                self.message = fill(&wording.template, first, second);
            }
        }
        self
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

type Result<T> = std::result::Result<T, RunError>;

/// Stack of the evaluating thread, in bytes; enough for the nested functions and branches of any sane program.
const STACK: usize = 256 << 20;

/// Runs `kernel` on `inputs`, one for each parameter. `sizes` are values of size parameters that the shapes of the
/// inputs leave open (or confirm).
pub fn run(kernel: &Kernel, inputs: Vec<Value>, sizes: &[(Var, i64)], limits: Limits) -> Result<Value> {
    run_with(kernel, inputs, sizes, limits, false)
}

/// Like [`run`], but compares each value with its type as soon as it is computed, for tests. A contradiction is a
/// [`RunErrorKind::Unsound`].
pub fn run_watched(kernel: &Kernel, inputs: Vec<Value>, sizes: &[(Var, i64)], limits: Limits) -> Result<Value> {
    run_with(kernel, inputs, sizes, limits, true)
}

fn run_with(kernel: &Kernel, inputs: Vec<Value>, sizes: &[(Var, i64)], limits: Limits, watched: bool) -> Result<Value> {
    let env = bind_sizes(kernel, &inputs, sizes)?;
    check_assumptions(&kernel.assumptions, &env)?;
    std::thread::scope(|scope| {
        let evaluation = std::thread::Builder::new()
            .name("lift-interpreter".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || eval::evaluate(kernel, inputs, env, limits, watched))
            .map_err(|e| RunError::new(RunErrorKind::Limit, format!("no thread for the interpreter: {e}")))?;
        match evaluation.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
