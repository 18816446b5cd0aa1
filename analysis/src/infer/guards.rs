//! Facts about sizes from the conditions around an expression: an assumption in a branch need only hold where the
//! branch may be taken. The right side of an `and` or `or` is a branch, too.
//!
//! An `Int` wraps but a size does not. A condition therefore gives facts only if it compares lengths, size names,
//! numbers, or differences of two of them, all of which an `Int` can represent. Sums and products below 2^32 may also be
//! tested for equality, because two such numbers that are equal as `Int`s are equal.

use super::branches::Branch;
use super::context::Infer;
use super::result::{Assumed, Condition, Iteration};
use super::results::Results;
use crate::hir::*;
use crate::prims::PrimitiveId;
use crate::size::{Assumption, Size, Var, VarKind};

/// Limit on the conditions considered around an expression, innermost first.
const MOST_GIVEN: usize = 64;
/// Limit on the parts of one condition, where a name counts as the condition that it stands for.
const MOST_PARTS: usize = 256;

/// A fact that follows from a comparison around an expression.
pub struct Said {
    pub fact: Assumption,
    pub by: Condition,
}

impl Infer<'_> {
    /// Restricts an assumption at an expression to the conditions around it, as far as they are known by now, and
    /// determines where it is checked.
    pub fn where_computed(&mut self, assumption: Assumption, at: ExprId) -> Assumed {
        let (mut given, mut branch) = (Vec::new(), None);
        let around: Vec<Branch> = self.program.branches().around(at).take(MOST_GIVEN).collect();
        for Branch { body, condition, holds, .. } in around {
            let mut said = Vec::new();
            if !self.implied(condition, holds, &mut said, &mut { MOST_PARTS }) {
                branch = branch.or(Some(body));
            }
            let known: Vec<Assumption> = said.into_iter().map(|s| s.fact).filter(|a| !given.contains(a)).collect();
            given.splice(0..0, known);
        }
        let assumption = assumption.given(given);
        let branch = branch.filter(|branch| self.results().is_known_before(&assumption, *branch));
        Assumed { assumption, at, branch }
    }

    /// What the conditions around an expression say, outermost first; of many facts the innermost ones.
    pub fn said_around(&mut self, at: ExprId) -> Vec<Said> {
        let mut around: Vec<Branch> = self.program.branches().around(at).take(MOST_GIVEN).collect();
        around.reverse();
        let mut said = Vec::new();
        for Branch { condition, holds, .. } in around {
            self.implied(condition, holds, &mut said, &mut { MOST_PARTS });
        }
        said.split_off(said.len().saturating_sub(MOST_GIVEN))
    }

    /// Adds the facts that follow if the condition has the value `holds`. Returns whether they are equivalent to it.
    fn implied(&mut self, condition: ExprId, holds: bool, known: &mut Vec<Said>, parts: &mut usize) -> bool {
        let Some(left) = parts.checked_sub(1) else { return false };
        *parts = left;
        let body = self.program.body();
        if let Expr::Literal(Literal::Bool(value)) = body.expr(condition) {
            if *value != holds {
                known.push(Said { fact: Assumption::Positive(Size::zero()), by: Condition { expr: condition, holds } });
            }
            return true;
        }
        if let Expr::Local(name) = body.expr(condition)
            && body.binder(*name).role == BinderRole::Let
            && let Some(value) = self.program.value_of(*name)
        {
            return self.implied(value, holds, known, parts);
        }
        let Expr::Apply { callee, args } = body.expr(condition) else { return false };
        let Some(p) = self.program.primitive_at(*callee) else { return false };
        let (a, b) = match (p.id, args.as_slice(), holds) {
            (PrimitiveId::Not, &[inner], _) => return self.implied(inner, !holds, known, parts),
            (PrimitiveId::And, &[a, b], true) | (PrimitiveId::Or, &[a, b], false) => {
                let left = self.implied(a, holds, known, parts);
                return self.implied(b, holds, known, parts) && left;
            }
            (_, &[a, b], _) => (a, b),
            _ => return false,
        };
        let tests_equality = matches!((p.id, holds), (PrimitiveId::Equal, true) | (PrimitiveId::NotEqual, false));
        let sizes = self.compared(a).zip(self.compared(b));
        let sizes = sizes.or_else(|| if tests_equality { self.total(a).zip(self.total(b)) } else { None });
        let Some((a, b)) = sizes else { return false };
        let below = |a: &Size, b: &Size| Assumption::AtMost(a.add(&Size::one()), b.clone());
        let at_most = |a: &Size, b: &Size| Assumption::AtMost(a.clone(), b.clone());
        let said = match (p.id, holds) {
            (PrimitiveId::Less, true) | (PrimitiveId::AtLeast, false) => Some(below(&a, &b)),
            (PrimitiveId::Greater, true) | (PrimitiveId::AtMost, false) => Some(below(&b, &a)),
            (PrimitiveId::AtMost, true) | (PrimitiveId::Greater, false) => Some(at_most(&a, &b)),
            (PrimitiveId::AtLeast, true) | (PrimitiveId::Less, false) => Some(at_most(&b, &a)),
            _ if tests_equality => Some(Assumption::Equal(a, b)),
            // A natural number other than 0 is positive.
            (PrimitiveId::Equal, false) | (PrimitiveId::NotEqual, true) if b.is_zero() && a.is_natural() => {
                Some(Assumption::Positive(a))
            }
            (PrimitiveId::Equal, false) | (PrimitiveId::NotEqual, true) if a.is_zero() && b.is_natural() => {
                Some(Assumption::Positive(b))
            }
            _ => None,
        };
        let is_known = said.is_some();
        known.extend(said.map(|fact| Said { fact, by: Condition { expr: condition, holds } }));
        is_known
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

    /// The size of which a number is the value modulo 2^32: a sum or product of compared ones, itself below 2^32.
    fn total(&mut self, e: ExprId) -> Option<Size> {
        let size = self.sum_or_product(e)?;
        let greatest = size.eval(&|_| Some(i32::MAX.into())).ok()?;
        u32::try_from(greatest).is_ok().then_some(size)
    }

    fn sum_or_product(&mut self, e: ExprId) -> Option<Size> {
        if let Some(size) = self.natural(e) {
            return Some(size);
        }
        let Expr::Apply { callee, args } = self.program.expr(e) else { return None };
        let (id, &[a, b]) = (self.program.primitive_at(*callee)?.id, args.as_slice()) else { return None };
        match id {
            PrimitiveId::Add => Some(self.sum_or_product(a)?.add(&self.sum_or_product(b)?)),
            PrimitiveId::Mul => Some(self.sum_or_product(a)?.mul(&self.sum_or_product(b)?)),
            _ => None,
        }
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
