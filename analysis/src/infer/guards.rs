//! Facts about sizes from the conditions around an expression: an assumption in a branch need only hold where the
//! branch may be taken. The right side of an `and` or `or` is a branch, too.
//!
//! An `Int` wraps but a size does not. A condition therefore gives facts only if it compares lengths, size names,
//! numbers, or differences of two of them, all of which an `Int` can represent.

use super::branches::Branch;
use super::context::Infer;
use super::result::{Assumed, Iteration};
use super::results::Results;
use crate::hir::*;
use crate::prims::PrimitiveId;
use crate::size::{Assumption, Size, Var, VarKind};

/// Limit on the conditions considered around an expression, innermost first.
const MOST_GIVEN: usize = 64;

impl Infer<'_> {
    /// Restricts an assumption at an expression to the conditions around it, as far as they are known by now, and
    /// determines where it is checked.
    pub fn where_computed(&mut self, assumption: Assumption, at: ExprId) -> Assumed {
        let (mut given, mut branch) = (Vec::new(), None);
        let around: Vec<Branch> = self.program.branches().around(at).take(MOST_GIVEN).collect();
        for Branch { body, condition, holds, .. } in around {
            let mut known = Vec::new();
            if !self.implied(condition, holds, &mut known) {
                branch = branch.or(Some(body));
            }
            known.retain(|a| !given.contains(a));
            given.splice(0..0, known);
        }
        let assumption = assumption.given(given);
        let branch = branch.filter(|branch| self.results().is_known_before(&assumption, *branch));
        Assumed { assumption, at, branch }
    }

    /// Adds the facts that follow if the condition has the value `holds`. Returns whether they are equivalent to it.
    fn implied(&mut self, condition: ExprId, holds: bool, known: &mut Vec<Assumption>) -> bool {
        let body = self.program.body();
        if let Expr::Literal(Literal::Bool(value)) = body.expr(condition) {
            if *value != holds {
                known.push(Assumption::Positive(Size::zero()));
            }
            return true;
        }
        let Expr::Apply { callee, args } = body.expr(condition) else { return false };
        let Some(p) = self.program.primitive_at(*callee) else { return false };
        let (a, b) = match (p.id, args.as_slice(), holds) {
            (PrimitiveId::Not, &[inner], _) => return self.implied(inner, !holds, known),
            (PrimitiveId::And, &[a, b], true) | (PrimitiveId::Or, &[a, b], false) => {
                let left = self.implied(a, holds, known);
                return self.implied(b, holds, known) && left;
            }
            (_, &[a, b], _) => (a, b),
            _ => return false,
        };
        let (Some(a), Some(b)) = (self.compared(a), self.compared(b)) else { return false };
        let below = |a: &Size, b: &Size| Assumption::AtMost(a.add(&Size::one()), b.clone());
        let at_most = |a: &Size, b: &Size| Assumption::AtMost(a.clone(), b.clone());
        let said = match (p.id, holds) {
            (PrimitiveId::Less, true) | (PrimitiveId::AtLeast, false) => Some(below(&a, &b)),
            (PrimitiveId::Greater, true) | (PrimitiveId::AtMost, false) => Some(below(&b, &a)),
            (PrimitiveId::AtMost, true) | (PrimitiveId::Greater, false) => Some(at_most(&a, &b)),
            (PrimitiveId::AtLeast, true) | (PrimitiveId::Less, false) => Some(at_most(&b, &a)),
            (PrimitiveId::Equal, true) | (PrimitiveId::NotEqual, false) => Some(Assumption::Equal(a, b)),
            // A natural number other than 0 is positive.
            (PrimitiveId::Equal, false) | (PrimitiveId::NotEqual, true) if b.is_zero() && a.is_natural() => {
                Some(Assumption::Positive(a))
            }
            (PrimitiveId::Equal, false) | (PrimitiveId::NotEqual, true) if a.is_zero() && b.is_natural() => {
                Some(Assumption::Positive(b))
            }
            _ => None,
        };
        known.extend(said.clone());
        said.is_some()
    }

    /// The size that a compared number represents; `None` if it is not one.
    fn compared(&mut self, e: ExprId) -> Option<Size> {
        if let Expr::Apply { callee, args } = self.program.expr(e)
            && let &[a, b] = args.as_slice()
            && self.program.primitive_at(*callee).is_some_and(|p| p.id == PrimitiveId::Sub)
        {
            return Some(self.natural(a)?.sub(&self.natural(b)?));
        }
        self.natural(e)
    }

    fn natural(&mut self, e: ExprId) -> Option<Size> {
        if let Expr::Apply { callee, args } = self.program.expr(e) {
            let &[array] = args.as_slice() else { return None };
            self.program.primitive_at(*callee).filter(|p| p.id == PrimitiveId::Length)?;
            let ty = self.results().operand_type(array)?;
            return self.table.zonk(&ty).as_array().map(|a| a.len.clone());
        }
        let size = self.static_size(e)?;
        Some(self.table.zonk_size(&size)).filter(Size::is_natural)
    }
}

impl Results<'_> {
    /// Whether everything that the assumption mentions is known where the branch starts. (Lengths opened inside the
    /// branch are checked there. Assumptions about index variables and iterations inside it are made for all of their
    /// values.)
    fn is_known_before(&self, assumption: &Assumption, branch: ExprId) -> bool {
        let branches = self.program.branches();
        let opened_inside = |v: &Var| {
            self.found.so_far().openings.iter().any(|o| o.lengths.contains(v) && branches.is_within(o.scope, branch))
                || self.found.loop_that_opens(v).is_some_and(|call| branches.is_within(call, branch))
        };
        let zonked = assumption.map(&mut |size| self.table.zonk_size(size));
        zonked.vars().iter().all(|v| match v.kind {
            VarKind::Param | VarKind::Generic | VarKind::Position => true,
            VarKind::Skolem => !opened_inside(v),
            _ => false,
        })
    }

    /// The expression at whose start an assumption is checked; `None` for a check before the run.
    pub fn checked_in(&self, assumed: &Assumed) -> Option<ExprId> {
        assumed.branch.or_else(|| {
            let vars = assumed.assumption.map(&mut |size| self.table.zonk_size(size)).vars();
            let scopes =
                self.found.so_far().openings.iter().filter(|o| o.lengths.iter().any(|length| vars.contains(length)));
            let loops = vars.iter().filter_map(|v| self.found.loop_that_opens(v));
            // The length that is known last is opened furthest inside.
            let branches = self.program.branches();
            scopes.map(|o| o.scope).chain(loops).reduce(|outer, scope| match branches.is_within(scope, outer) {
                true => scope,
                false => outer,
            })
        })
    }

    /// Whether an index variable or the length of an iteration is known at the start of an expression.
    pub fn is_known_in(&self, v: &Var, inside: ExprId) -> bool {
        let branches = self.program.branches();
        let within = |function: &ExprId| branches.is_within(inside, *function);
        match v.kind {
            VarKind::Position => self.found.functions_at(v).iter().any(within),
            _ => {
                let is_inside = |call: &ExprId| *call != inside && within(call);
                let is_of = |i: &Iteration| i.length.as_ref().is_some_and(|length| length.symbol == *v);
                self.found.so_far().iterations.iter().any(|(call, iteration)| is_of(iteration) && is_inside(call))
            }
        }
    }
}
