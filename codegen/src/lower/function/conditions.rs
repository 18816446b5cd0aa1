//! Facts about indices from the conditions of branches.

use super::super::Result;
use super::FunctionBuilder;
use super::knowledge::{Compared, Knowledge};
use crate::core::ScalarOp;
use crate::lower::value::{ScalarValue, Value};
use crate::opencl::Expr;
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::{Size, Var, VarKind};

impl Knowledge {
    /// Records the facts that follow from a comparison of sizes. Equality is recorded of `lengths` only.
    pub fn note_comparison(
        &mut self,
        op: ScalarOp,
        args: &[ScalarValue],
        condition: &Expr,
        lengths: Option<[Size; 2]>,
    ) {
        match (op, lengths) {
            (ScalarOp::Eq, Some([a, b])) => return self.note_condition(condition, Compared::Equal(a, b)),
            (ScalarOp::Ne, Some([a, b])) => return self.note_condition(condition, Compared::Different(a, b)),
            _ => {}
        }
        let [a, b] = args else { return };
        let size = |v: &ScalarValue| match v {
            ScalarValue::Size(s) => Some(s.clone()),
            ScalarValue::Literal(Literal::Int(n)) => Some(Size::int((*n).into())),
            _ => None,
        };
        let (Some(a), Some(b)) = (size(a), size(b)) else { return };
        // A bound of a variable also bounds sizes computed from it.
        let below = |a: Size, b: Size| match a.as_var() {
            Some(_) => [a, b.sub(&Size::one())],
            None => [a.add(&Size::one()), b],
        };
        let at_most = |[least, most]: [Size; 2]| Compared::AtMost(least, most);
        let compared = match op {
            ScalarOp::Lt => at_most(below(a, b)),
            ScalarOp::Le => at_most([a, b]),
            ScalarOp::Gt => at_most(below(b, a)),
            ScalarOp::Ge => at_most([b, a]),
            _ => return,
        };
        self.note_condition(condition, compared);
    }

    /// The range of an `Int` that is a size which cannot be negative; `None` of other values.
    pub fn range_of_index(&self, value: &Value) -> Option<IndexRange> {
        let size = match value {
            Value::Scalar(ScalarValue::Size(s)) => s.clone(),
            Value::Scalar(ScalarValue::Literal(Literal::Int(n))) => Size::int((*n).into()),
            _ => return None,
        };
        self.not_negative(&size).then(|| IndexRange { most: self.facts().bounds(&size).1 })
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The sizes that two numbers consisting of lengths represent, which are equal if the numbers are.
    pub fn compared_lengths(&self, args: &[ScalarValue]) -> Option<[Size; 2]> {
        let [a, b] = args else { return None };
        let exact = |v: &ScalarValue| v.as_size().filter(|size| self.is_of_lengths(size));
        // Numbers below 2^32 are equal if they are so modulo 2^32.
        let both = exact(a).zip(exact(b)).or_else(|| self.total_of_lengths(a).zip(self.total_of_lengths(b)));
        both.map(|(a, b)| [a, b])
    }

    /// Records the size of which a sum or product of lengths is the value modulo 2^32, if that is below 2^32.
    pub fn note_total(&mut self, op: ScalarOp, args: &[ScalarValue], result: &Expr) {
        let [a, b] = args else { return };
        let Some((a, b)) = self.total_of_lengths(a).zip(self.total_of_lengths(b)) else { return };
        let size = match op {
            ScalarOp::Add => a.add(&b),
            ScalarOp::Mul => a.mul(&b),
            _ => return,
        };
        let greatest = size.eval(&|_| Some(i32::MAX.into()));
        if greatest.is_ok_and(|greatest| u32::try_from(greatest).is_ok()) {
            self.known.note_total(result, size);
        }
    }

    fn total_of_lengths(&self, value: &ScalarValue) -> Option<Size> {
        match value {
            ScalarValue::Computed { ty: Scalar::Int, expr } => self.known.total(expr).cloned(),
            _ => value.as_size().filter(|size| size.is_natural() && self.is_of_lengths(size)),
        }
    }

    /// Whether a size consists of lengths, which are the same in the whole function.
    fn is_of_lengths(&self, size: &Size) -> bool {
        let is_length =
            |v: &Var| matches!(v.kind, VarKind::Param | VarKind::Skolem) || self.program().lengths.contains_key(v);
        !size.any_var(&mut |v| !is_length(v))
    }

    /// Runs `f`, which writes the code of a branch in a scope of its own, with what the condition says.
    pub fn branch_where<T>(&mut self, condition: &Expr, holds: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        self.known.assume_condition(condition, holds);
        self.branch(f)
    }

    /// Computes a size with a known range here, where the facts of the branch simplify it.
    pub fn computed_here(&mut self, value: Value<'k>, range: &Option<IndexRange>) -> Result<Value<'k>> {
        match &value {
            Value::Scalar(scalar @ ScalarValue::Size(_)) if range.is_some() => {
                let expr = self.scalar(scalar)?;
                Ok(Value::computed(Scalar::Int, expr))
            }
            _ => Ok(value),
        }
    }

    /// A choice between two such numbers, bound to a name, as a size in the union of both ranges.
    pub fn chosen_index(&mut self, name: &str, value: Value<'k>, a: IndexRange, b: IndexRange) -> Result<Value<'k>> {
        let Value::Scalar(ScalarValue::Computed { ty: Scalar::Int, .. }) = &value else { return Ok(value) };
        let value = self.named_scalar(&value, name)?;
        let Value::Scalar(ScalarValue::Computed { expr, .. }) = value else { return Ok(value) };
        let most = a.most.zip(b.most).map(|(a, b)| self.facts().simplify(&Size::max(&a, &b)));
        let var = self.index_var(name, expr);
        let most = most.or(Some(Size::int(i32::MAX.into())));
        self.known.assume_range(var.clone(), Some(Size::zero()), most);
        Ok(Value::size(Size::var(var)))
    }
}

/// The range of a natural number.
pub struct IndexRange {
    /// An upper bound, if one is known.
    most: Option<Size>,
}
