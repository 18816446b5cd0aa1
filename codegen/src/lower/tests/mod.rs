//! The generated code, and the comparison of its results with the interpreter.

// Lists of one array are written like longer ones.
#![allow(clippy::cloned_ref_to_slice_refs)]

mod arithmetic;
mod borders;
mod by_key;
mod conditions;
mod copies;
mod doubles;
mod failures;
mod group_filters;
mod groups;
mod in_turn;
mod items;
mod jam;
mod kept;
mod lengths;
mod limits;
mod measured;
mod narrow;
mod placed;
mod programs;
mod random;
mod reuse;
mod rounds;
mod row_folds;
mod row_loops;
mod shapes;
mod sharing;
mod sorts;
mod targets;
mod teams;
mod text;
mod tile_folds;
mod tiles;
mod vectors;
mod views;

use super::compile;
use crate::core::Kernel;
use crate::interp::{self, Limits};
use crate::plan::Program;
use crate::run::{Built, RunFailure, RunOptions, run};
use crate::schedule::Schedule;
use crate::sizes::SizeValues;
use crate::target::Target;
use crate::value::{ArrayValue, Value};
use std::cell::RefCell;
use std::collections::VecDeque;

/// The generated text, without its header.
fn opencl(kernel: &Kernel) -> String {
    match compile(kernel, &Target::portable()) {
        Ok(program) => {
            let text = &program.opencl.text;
            let start = text.find("__kernel").unwrap_or(0);
            let start = text[..start].rfind("\n\n").map_or(start, |at| at + 2);
            text[start..].to_string()
        }
        Err(errors) => errors.iter().map(|e| format!("error: {e}\n")).collect(),
    }
}

/// Runs a kernel on the device and in the interpreter; the results must be equal.
fn agrees(kernel: &Kernel, inputs: &[Value]) {
    let program = match compile(kernel, &Target::portable()) {
        Ok(program) => program,
        Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
    };
    if let Err(problem) = agree(kernel, &program, inputs) {
        panic!("{problem}");
    }
}

/// One in so many programs is given to the device by a run that takes a sample.
const ONE_IN: u64 = 3;

/// A kernel, its inputs, and what the interpreter says of them.
type Meaning = (Kernel, Vec<Value>, Result<Value, String>);

thread_local! {
    /// The latest: most tests compare several targets with one meaning.
    static MEANINGS: RefCell<VecDeque<Meaning>> = const { RefCell::new(VecDeque::new()) };
}

/// The interpreter's result of a kernel, computed once for several comparisons.
fn meaning(kernel: &Kernel, inputs: &[Value]) -> Result<Value, String> {
    const KEPT: usize = 20;
    MEANINGS.with_borrow_mut(|meanings| {
        if let Some((_, _, known)) = meanings.iter().find(|(k, values, _)| values == inputs && k == kernel) {
            return known.clone();
        }
        let found = interp::run(kernel, inputs.to_vec(), &[], Limits::default()).map_err(|e| e.to_string());
        meanings.truncate(KEPT - 1);
        meanings.push_front((kernel.clone(), inputs.to_vec(), found.clone()));
        found
    })
}

/// Compares the device's result with the interpreter's; the error describes the difference.
fn agree(kernel: &Kernel, program: &Program, inputs: &[Value]) -> Result<(), String> {
    let name = &kernel.name;
    let sizes: SizeValues = interp::bind_sizes(kernel, inputs, &[]).map_err(|e| format!("{name}: {e}"))?;
    if !crate::testing::sample::takes(&program.opencl.text, ONE_IN) {
        return Ok(());
    }
    let options = RunOptions { poison: true, built: Built::All, ..RunOptions::default() };
    let on_device = run(program, inputs, &sizes, &crate::testing::device(), &options);
    let meaning = meaning(kernel, inputs);
    let program = || format!("{kernel}\n{}", program.opencl.text);
    match (on_device, meaning) {
        (Ok(outcome), Ok(meaning)) if close(&outcome.value, &meaning) => Ok(()),
        (Ok(outcome), Ok(meaning)) => {
            Err(format!("{name}:\n  device      {}\n  interpreter {meaning}\n{}", outcome.value, program()))
        }
        (Err(RunFailure::Check { .. } | RunFailure::Assumption { .. }), Err(_)) => Ok(()),
        (Err(e), Err(meaning)) => Err(format!("{name}: {e} instead of {meaning}\n{}", program())),
        (Ok(outcome), Err(e)) => Err(format!("{name}: {} instead of an error: {e}\n{}", outcome.value, program())),
        (Err(e), Ok(meaning)) => Err(format!("{name}: {e} instead of {meaning}\n{}", program())),
    }
}

/// Whether two values are equal, with floats up to the rounding of a reordered reduction.
fn close(a: &Value, b: &Value) -> bool {
    let near =
        |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-4 * a.abs().max(b.abs()).max(1.0);
    match (a, b) {
        (Value::Float(x), Value::Float(y)) => near((*x).into(), (*y).into()),
        (Value::Double(x), Value::Double(y)) => near(*x, *y),
        (Value::Tuple(x), Value::Tuple(y)) | (Value::Vec(x), Value::Vec(y)) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| close(x, y))
        }
        (Value::Array(x), Value::Array(y)) => {
            x.len() == y.len()
                && (0..x.len()).all(|i| match (x.get(i), y.get(i)) {
                    (Some(x), Some(y)) => close(&x, &y),
                    _ => false,
                })
        }
        (a, b) => a == b,
    }
}

/// Typical lengths for faults: none, one, odd, a power of two, more than a group.
const LENGTHS: [usize; 7] = [0, 1, 2, 7, 64, 129, 1000];

fn floats(n: usize) -> Value {
    Value::Array(ArrayValue::Float((0..n).map(|i| ((i * 37 + 11) % 101) as f32 / 100.0).collect()))
}
fn ints(n: usize) -> Value {
    Value::Array(ArrayValue::Int((0..n).map(|i| ((i * 37 + 11) % 101) as i32 - 50).collect()))
}
fn rows(m: usize, n: usize) -> Value {
    let row = |r: usize| {
        Value::Array(ArrayValue::Float((0..n).map(|i| ((i * 37 + r * 17 + 11) % 101) as f32 / 100.0).collect()))
    };
    Value::Array(ArrayValue::Values((0..m).map(row).collect()))
}
