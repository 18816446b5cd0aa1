//! What the conditions of `if`s say about sizes: in a branch it is known, so that what the branch assumes and its
//! condition implies is not assumed of a run.
//!
//! An `Int` wraps and a size does not: a condition says something if it compares lengths, size names, numbers, or
//! differences of two of them, which no `Int` is too small for.

use super::context::Infer;
use super::elaborate::children;
use crate::hir::*;
use crate::prims::PrimitiveId;
use crate::size::{Assumption, Facts, Size};

/// The conditions of all `if`s, and where the branches are.
#[derive(Debug, Default)]
pub struct Guards {
    /// The expression around each one.
    parents: Vec<Option<ExprId>>,
    /// For the body of each branch what holds there.
    known: Vec<(ExprId, Vec<Assumption>)>,
}

impl Guards {
    /// What is known where an expression is computed, if that is more than `facts`.
    pub fn facts_at(&self, at: ExprId, facts: &Facts) -> Option<Facts> {
        if self.known.is_empty() {
            return None;
        }
        let mut more: Option<Facts> = None;
        let mut at = Some(at);
        while let Some(e) = at {
            if let Some((_, known)) = self.known.iter().find(|(branch, _)| *branch == e) {
                let facts = more.get_or_insert_with(|| facts.clone());
                known.iter().for_each(|a| facts.assume(a));
            }
            at = self.parents.get(e.index()).copied().flatten();
        }
        more
    }

    /// With other sizes.
    #[must_use]
    pub fn map(mut self, size: &dyn Fn(&Size) -> Size) -> Guards {
        for (_, known) in &mut self.known {
            for a in known {
                *a = a.subst(&mut |v| Some(size(&Size::var(v.clone()))));
            }
        }
        self
    }
}

impl Infer<'_> {
    /// The conditions as they are known when everything is inferred.
    pub fn guards(&mut self) -> Guards {
        let body = self.body;
        let mut guards = Guards::default();
        for e in (0..body.exprs.len() as u32).map(ExprId) {
            let Expr::If { condition, then, otherwise } = body.expr(e) else { continue };
            for (branch, holds) in [(*then, true), (*otherwise, false)] {
                let mut known = Vec::new();
                self.implied(*condition, holds, &mut known);
                if !known.is_empty() {
                    guards.known.push((branch, known));
                }
            }
        }
        if !guards.known.is_empty() {
            guards.parents = vec![None; body.exprs.len()];
            for around in (0..body.exprs.len() as u32).map(ExprId) {
                children(body, around).into_iter().for_each(|e| guards.parents[e.index()] = Some(around));
            }
        }
        guards
    }

    /// What is known of sizes if the condition holds, or if it does not.
    fn implied(&mut self, condition: ExprId, holds: bool, known: &mut Vec<Assumption>) {
        let body = self.body;
        let Expr::Apply { callee, args } = body.expr(condition) else { return };
        let Some(p) = self.primitive_at(*callee) else { return };
        let (a, b) = match (p.id, args.as_slice(), holds) {
            (PrimitiveId::Not, &[inner], _) => return self.implied(inner, !holds, known),
            (PrimitiveId::And, &[a, b], true) | (PrimitiveId::Or, &[a, b], false) => {
                self.implied(a, holds, known);
                return self.implied(b, holds, known);
            }
            (_, &[a, b], _) => (a, b),
            _ => return,
        };
        let (Some(a), Some(b)) = (self.compared(a), self.compared(b)) else { return };
        let below = |a: &Size, b: &Size| Assumption::AtMost(a.add(&Size::one()), b.clone());
        let at_most = |a: &Size, b: &Size| Assumption::AtMost(a.clone(), b.clone());
        known.extend(match (p.id, holds) {
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
        });
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
