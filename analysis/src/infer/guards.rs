//! What the conditions around an expression say about sizes: what a branch assumes, it assumes only where the branch may
//! be taken. The right side of an `and` or `or` is a branch too.
//!
//! An `Int` wraps and a size does not: a condition says something if it compares lengths, size names, numbers, or
//! differences of two of them, which no `Int` is too small for.

use super::branches::{Branch, Branches};
use super::context::Infer;
use super::elaborate::children;
use super::result::Assumed;
use crate::hir::*;
use crate::prims::PrimitiveId;
use crate::size::{Assumption, Size, Var, VarKind};
use std::rc::Rc;

/// Of so many conditions around an expression the innermost are looked at.
const MOST_GIVEN: usize = 64;

impl Infer<'_> {
    fn branches(&mut self) -> Rc<Branches> {
        if let Some(known) = &self.branches {
            return known.clone();
        }
        let body = self.body;
        let mut found = Branches { all: Vec::new(), of: vec![None; body.exprs.len()] };
        let mut open: Vec<(ExprId, Option<usize>)> = body.root.into_iter().map(|root| (root, None)).collect();
        while let Some((e, around)) = open.pop() {
            found.of[e.index()] = around;
            let taken = self.taken_if(e);
            for inner in children(body, e) {
                let inside = taken.iter().find(|(branch, ..)| *branch == inner).map(|&(body, condition, holds)| {
                    found.all.push(Branch { body, condition, holds, around });
                    found.all.len() - 1
                });
                open.push((inner, inside.or(around)));
            }
        }
        let found = Rc::new(found);
        self.branches = Some(found.clone());
        found
    }

    /// The parts of an expression that are computed only if a condition holds, or if it does not.
    fn taken_if(&self, e: ExprId) -> Vec<(ExprId, ExprId, bool)> {
        match self.body.expr(e) {
            Expr::If { condition, then, otherwise } => {
                vec![(*then, *condition, true), (*otherwise, *condition, false)]
            }
            Expr::Apply { callee, args } => self.right_side(*callee, args).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// What is assumed at an expression, as far as the conditions around it hold, and where it is checked. The conditions are
    /// read as they are known by now.
    pub fn where_computed(&mut self, assumption: Assumption, at: ExprId) -> Assumed {
        let branches = self.branches();
        let (mut given, mut branch) = (Vec::new(), None);
        for Branch { body, condition, holds, .. } in branches.around(at).take(MOST_GIVEN) {
            let mut known = Vec::new();
            if !self.implied(condition, holds, &mut known) {
                branch = branch.or(Some(body));
            }
            known.retain(|a| !given.contains(a));
            given.splice(0..0, known);
        }
        let assumption = assumption.given(given);
        let branch = branch.filter(|branch| self.is_known_before(&assumption, *branch, &branches));
        Assumed { assumption, at, branch }
    }

    /// Whether all that the assumption mentions is known where the branch begins. (What it opens is checked there; of
    /// positions and of the rounds of an `iterate` much is assumed at once.)
    fn is_known_before(&self, assumption: &Assumption, branch: ExprId, branches: &Branches) -> bool {
        let is_inside = |e: ExprId| e == branch || branches.around(e).any(|around| around.body == branch);
        let opened_inside = |v: &Var| self.out.openings.iter().any(|o| o.lengths.contains(v) && is_inside(o.scope));
        let zonked = assumption.map(&mut |size| self.table.zonk_size(size));
        zonked.vars().iter().all(|v| match v.kind {
            VarKind::Param | VarKind::Generic => true,
            VarKind::Skolem => self.iteration_of(v).is_none() && !opened_inside(v),
            _ => false,
        })
    }

    /// What is known of sizes if the condition holds, or if it does not. Whether that is all that it says.
    fn implied(&mut self, condition: ExprId, holds: bool, known: &mut Vec<Assumption>) -> bool {
        let body = self.body;
        if let Expr::Literal(Literal::Bool(value)) = body.expr(condition) {
            if *value != holds {
                known.push(Assumption::Positive(Size::zero()));
            }
            return true;
        }
        let Expr::Apply { callee, args } = body.expr(condition) else { return false };
        let Some(p) = self.primitive_at(*callee) else { return false };
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
            // What is natural and not 0 is positive.
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

    /// A number that is compared, if it is what a size is.
    fn compared(&mut self, e: ExprId) -> Option<Size> {
        if let Expr::Apply { callee, args } = self.body.expr(e)
            && let &[a, b] = args.as_slice()
            && self.primitive_at(*callee).is_some_and(|p| p.id == PrimitiveId::Sub)
        {
            return Some(self.natural(a)?.sub(&self.natural(b)?));
        }
        self.natural(e)
    }

    fn natural(&mut self, e: ExprId) -> Option<Size> {
        if let Expr::Apply { callee, args } = self.body.expr(e) {
            let &[array] = args.as_slice() else { return None };
            self.primitive_at(*callee).filter(|p| p.id == PrimitiveId::Length)?;
            let ty = self.operand_type(array)?;
            return self.table.zonk(&ty).as_array().map(|a| a.len.clone());
        }
        let size = self.static_size(e)?;
        Some(self.table.zonk_size(&size)).filter(Size::is_natural)
    }
}
