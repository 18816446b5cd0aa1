//! Minima and maxima of indices that a program computes, such as `(min (- n 1) (max 0 (+ i 1)))`.
//!
//! Each gets a name in the code, and is a variable to size arithmetic from then on: written out, it would be repeated
//! in each term of an array's index, and products of such sums would be longer than the code around them.

use super::super::Result;
use super::super::value::ScalarValue;
use super::FunctionBuilder;
use crate::core::ScalarOp;
use crate::opencl::CType;
use lift_analysis::size::{Node, Size, VarKind};

impl FunctionBuilder<'_, '_> {
    /// The value `known` of `op a b`, under a name if it remains an extremum that each work-item computes.
    pub fn extremum(&mut self, op: ScalarOp, [a, b]: [&ScalarValue; 2], known: ScalarValue) -> Result<ScalarValue> {
        let (ScalarValue::Size(size), Some(a), Some(b)) = (&known, a.as_size(), b.as_size()) else { return Ok(known) };
        let of_item = size.any_var(&mut |v| !matches!(v.kind, VarKind::Param | VarKind::Skolem));
        if !matches!(op, ScalarOp::Min | ScalarOp::Max) || !of_item {
            return Ok(known);
        }
        if let Some(var) = self.known.extrema().find(size) {
            return Ok(ScalarValue::Size(Size::var(var.clone())));
        }
        if !is_extremum(&self.program.node(size)) {
            return Ok(known);
        }
        let (size, (from, to)) = (size.clone(), self.facts().bounds(size));
        let expr = self.size(&size)?;
        let expr = self.bind(if op == ScalarOp::Min { "least" } else { "most" }, CType::Int, expr);
        let var = self.index_var("extremum", expr);
        let named = Size::var(var.clone());
        self.known.assume_range(var.clone(), from, to);
        // As facts about differences: a proof tries each bound of a variable.
        for of in [a, b].iter().filter(|of| of.as_const().is_none()) {
            let more = if op == ScalarOp::Min { of.sub(&named) } else { named.sub(of) };
            self.known.assume_le(Size::zero(), more);
        }
        self.known.extrema_mut().add(size, var);
        Ok(ScalarValue::Size(named))
    }
}

/// Whether this is a minimum or a maximum, perhaps with something added: `min(n, i+1)` is written as `min(n-1, i) + 1`.
fn is_extremum(node: &Node) -> bool {
    match node {
        Node::Min(_) | Node::Max(_) => true,
        Node::Add(all) => all.iter().any(is_extremum),
        Node::Sub(a, b) => is_extremum(a) || is_extremum(b),
        Node::Neg(a) => is_extremum(a),
        _ => false,
    }
}
