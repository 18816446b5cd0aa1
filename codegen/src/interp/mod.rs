//! The reference interpreter: what a kernel means.
//!
//! [`run`] takes a [`Kernel`] and its inputs and gives its result, or says why there is none. It is the oracle of the
//! compiler, so it is simple before it is fast: it walks the statements in order, calls each function of a primitive
//! element by element from the left, and checks everything that can go wrong.
//!
//! Its arithmetic, which compiled programs share:
//! * `Int` and `Long` wrap; division and remainder truncate towards zero, and by zero they stop the run; a shift uses
//!   the lowest 5 (`Int`) or 6 (`Long`) bits of its second operand, to the right with the sign.
//! * `toInt` and `toLong` of a floating point number truncate and saturate, and a NaN becomes 0 (OpenCL's
//!   `convert_int_sat`, with NaN defined); of an integer they drop the upper bits. `toFloat` and `toDouble` round to nearest.
//! * `min` and `max` of NaN and a number are the number; of the two zeros, either (`fmin`, `fmax`).
//! * `sort` by a number in each element puts NaN last ([`crate::core::order`]).
//! * `and` and `or` evaluate both operands.
//!
//! What runs in parallel elsewhere is a left fold here: `reduce z f`, `scan` and `partRed` start with `z` and go from
//! left to right. `search` halves `[0, n)` and looks at `lo + (hi - lo) / 2` first.
//!
//! Map: [`sizes`] binds the size parameters from the inputs · `repr` the values inside · `eval` statements and
//! functions · `scalar` operators · `prims`, `views`, `order` the primitives · `watch` compares
//! values with their types, for [`run_watched`].

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
use crate::failure::{Kind, Message};
use crate::value::Value;
use lift_analysis::origin::Origin;
use lift_analysis::size::Var;
use std::fmt;

/// How long and how large a run may become, so that nothing hangs for ever or eats the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Statements and function calls.
    pub steps: u64,
    /// Bytes of all arrays alive at one time, estimated.
    pub bytes: u64,
    /// Rounds of one `iterateWhile`.
    pub iterations: u64,
}

impl Default for Limits {
    /// Some minutes of work, 4 GiB, and a hundred million rounds.
    fn default() -> Limits {
        Limits { steps: 10_000_000_000, bytes: 4 << 30, iterations: 100_000_000 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunErrorKind {
    /// The inputs do not fit the parameters.
    Input,
    /// The sizes of the inputs disagree, or a size is not known.
    Size,
    /// The program assumes something of its sizes that is false for these.
    Assumption,
    /// A checked cast that is false.
    Cast,
    /// An index out of range.
    Index,
    DivisionByZero,
    /// An argument of a primitive that has no meaning, such as a negative length.
    Argument,
    /// One of the [`Limits`].
    Limit,
    /// The kernel is not well formed; [`crate::core::check`] says where.
    Malformed,
    /// A value is not what its type says: found only where the run is watched.
    Unsound,
}

/// Why a run stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    /// One sentence; code and types between backticks.
    pub message: String,
    /// The place in the program, if it is one place.
    pub origin: Option<Origin>,
    pub kind: RunErrorKind,
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
        RunError { message: message.into(), origin: None, kind }
    }
    /// A failure of the program, as generated code tells it too.
    pub fn failed(message: &Message, first: i64, second: i64) -> RunError {
        RunError::new(message.kind.into(), message.with(first, second))
    }

    /// The same error, at this place unless it has one already.
    fn at(mut self, origin: &Origin) -> RunError {
        self.origin.get_or_insert_with(|| origin.clone());
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

/// The stack of the thread on which a kernel is evaluated: nested functions and branches of any sane program fit.
const STACK: usize = 256 << 20;

/// Run `kernel` on `inputs`, one for each parameter. `sizes` are values of size parameters that the shapes of the
/// inputs leave open (or repeat).
pub fn run(kernel: &Kernel, inputs: Vec<Value>, sizes: &[(Var, i64)], limits: Limits) -> Result<Value> {
    run_with(kernel, inputs, sizes, limits, false)
}

/// The same, and each value is compared with its type as soon as it is there: for tests. What disagrees is a
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
