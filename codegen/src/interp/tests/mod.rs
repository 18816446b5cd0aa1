//! The meaning of kernels: small kernels, their inputs, and the result or message.

// Lists of one array are written like longer ones.
#![allow(clippy::cloned_ref_to_slice_refs)]

mod errors;
mod existentials;
mod operators;
mod primitives;
mod shapes;
mod watched;

use super::{Limits, RunError, run};
use crate::core::Kernel;
use crate::core::builder::*;
use crate::value::Value;

fn outcome(result: Result<Value, RunError>) -> String {
    match result {
        Ok(value) => value.to_string(),
        Err(e) => format!("error: {e}"),
    }
}

fn run_on(kernel: &Kernel, inputs: Vec<Value>) -> String {
    outcome(run(kernel, inputs, &[], Limits::default()))
}

/// Builds a kernel of one array of N elements and runs it on `input`.
fn on_array(element: lift_analysis::ty::Ty, input: Value, body: impl FnOnce(&mut Builder, &Atom) -> Atom) -> String {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(element, &n));
    let result = body(&mut b, &xs);
    run_on(&b.finish(&result), vec![input])
}

fn on_ints(input: impl IntoIterator<Item = i32>, body: impl FnOnce(&mut Builder, &Atom) -> Atom) -> String {
    on_array(int(), Value::from(input.into_iter().collect::<Vec<i32>>()), body)
}

/// Builds a kernel without inputs and runs it.
fn closed(body: impl FnOnce(&mut Builder) -> Atom) -> String {
    let mut b = Builder::new("test");
    let result = body(&mut b);
    run_on(&b.finish(&result), Vec::new())
}

fn sizes(ns: &[u64]) -> Vec<lift_analysis::size::Size> {
    ns.iter().map(|n| (*n).into()).collect()
}
