//! Literals of the wrong type: in a branch or as an argument, or in the definition that is used.

use crate::diagnostics::{Diagnostic, Edit, Fix, Problem, Title};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::cause::Cause;
use crate::infer::results::Results;
use crate::ty::Ty;
use std::sync::Arc;

/// Limit on the conditionals around a branch, and on the values of their branches, that one fix changes.
const MOST_AROUND: usize = 8;
const MOST_VALUES: usize = 32;

impl Results<'_> {
    /// Diagnoses a definition that takes numbers of one type because of a literal in it.
    pub fn decided_by_literal(
        &self,
        left: &Ty,
        right: &Ty,
        left_why: Option<ExprId>,
        cause: &Cause,
    ) -> Option<Diagnostic> {
        let (decided, given) = (left.as_scalar()?, right.as_scalar().filter(|scalar| scalar.is_number())?);
        let Cause::Argument { callee, index, arg, .. } = cause else { return None };
        if let Some((at, definition, literal)) = left_why.and_then(|why| self.constant_in(why, decided)) {
            return Some(self.decided(at, definition, &literal, (left, given), true));
        }
        if let Some((at, definition, literal)) = self.constant_in(*arg, given) {
            return Some(self.decided(at, definition, &literal, (right, decided), true));
        }
        let literal_of = |e: ExprId, index: usize| {
            let Expr::Global(name) = self.program.expr(e) else { return None };
            let Lookup::Definition(scheme) = self.program.lookup(name) else { return None };
            let (_, literal) = scheme.literals.into_iter().find(|(of, _)| *of == index)?;
            (scheme.ty.uncurry().0.get(index)?.as_scalar() == Some(decided)).then(|| (name.clone(), literal))
        };
        let (at, (definition, literal)) = (literal_of(*callee, *index).map(|found| (*callee, found)))
            .or_else(|| left_why.and_then(|why| literal_of(why, 0).map(|found| (why, found))))?;
        Some(self.decided(at, definition, &literal, (left, given), false))
    }

    /// The diagnostic for a definition with a literal of type `left`, where a number of another type is given.
    fn decided(
        &self,
        at: ExprId,
        definition: Name,
        literal: &str,
        (left, given): (&Ty, Scalar),
        is_constant: bool,
    ) -> Diagnostic {
        let digits = literal.trim_end_matches(|c: char| c.is_ascii_alphabetic()).trim_end_matches(".0");
        let fraction = || digits.parse::<f64>().ok().filter(|_| given.is_floating());
        let whole = digits.parse().ok().and_then(|number: i128| given.written(number));
        let meant = whole.or_else(|| fraction().map(|_| format!("{digits}{}", given.suffix())));
        let problem = Problem::DecidedByLiteral {
            definition,
            literal: literal.to_string(),
            left: left.clone(),
            right: Ty::scalar(given),
            is_constant,
            meant,
        };
        Diagnostic::new(Node::Expr(at), &problem)
    }

    /// The name of a definition that is a literal of this type, or such a name among the arguments of a call that lacks others:
    /// where it is, the name and the literal.
    fn constant_in(&self, e: ExprId, scalar: Scalar) -> Option<(ExprId, Name, Arc<str>)> {
        let name = match self.program.expr(e) {
            Expr::Global(name) => name,
            Expr::Apply { callee, args } if self.program.primitive_at(*callee)?.awaits_more(args.len()) => {
                return args.iter().find_map(|arg| self.constant_in(*arg, scalar));
            }
            _ => return None,
        };
        let Lookup::Definition(scheme) = self.program.lookup(name) else { return None };
        let literal = scheme.literals.into_iter().next().filter(|_| scheme.ty.as_scalar() == Some(scalar))?.1;
        Some((e, name.clone(), literal))
    }

    /// The fix that rewrites a literal at another type; `None` if its value does not allow it.
    pub fn literal_fix(&self, at: ExprId, wanted: Scalar) -> Option<Fix> {
        let Expr::Literal(l) = self.program.expr(at) else { return None };
        if l.scalar() == wanted {
            return None;
        }
        let text = match (l, wanted) {
            (l, wanted) if l.scalar().is_floating() && wanted.is_floating() => {
                format!("{}{}", l.to_string().strip_suffix(l.scalar().suffix())?, wanted.suffix())
            }
            (l, wanted) => wanted.written(l.integer()?)?,
        };
        let edits = vec![Edit::Replace(Node::Expr(at), text.clone())];
        Some(Title::Write(text).certain(edits))
    }

    /// The literal that is each element of an array, such as `0` in `(fill #3 0)` and in `(map (lambda (_x) 0) xs)`.
    pub fn literal_of_elements(&self, array: ExprId) -> Option<ExprId> {
        let Expr::Apply { callee, args } = self.program.expr(self.result_of(array)) else { return None };
        let (params, result) = self.program.primitive_at(*callee)?.scheme.ty.uncurry();
        let element = &result.as_array()?.element;
        let value = |(arg, param): (&ExprId, &Ty)| match self.program.expr(*arg) {
            Expr::Lambda { body, .. } => (param.uncurry().1 == element).then_some(*body),
            _ => (param == element).then_some(*arg),
        };
        let value = self.result_of(args.iter().zip(params).find_map(value)?);
        matches!(self.program.expr(value), Expr::Literal(_)).then_some(value)
    }

    /// `literal_fix`; of a branch, also for the literals of its type in the branches around it.
    pub fn literals_fix(&self, at: ExprId, wanted: Scalar, cause: &Cause) -> Option<Fix> {
        let mut fix = self.literal_fix(at, wanted)?;
        let Cause::Branches { at: conditional, .. } = cause else { return Some(fix) };
        let scalar_of = |e: ExprId| match self.program.expr(e) {
            Expr::Literal(literal) => Some(literal.scalar()),
            _ => None,
        };
        let alike = |e: &ExprId| *e != at && scalar_of(*e) == scalar_of(at);
        let others = self.values_of_branches(*conditional).into_iter().filter(alike);
        fix.edits.extend(others.filter_map(|e| self.literal_fix(e, wanted)).flat_map(|fix| fix.edits));
        Some(fix)
    }

    /// The values of the branches of a conditional and of the nearest ones around it.
    fn values_of_branches(&self, conditional: ExprId) -> Vec<ExprId> {
        let mut outermost = conditional;
        let around = |e: ExprId| {
            let is_branch = |of: &Expr| match of {
                Expr::If { then, otherwise, .. } => [*then, *otherwise].iter().any(|b| self.result_of(*b) == e),
                _ => false,
            };
            self.program.body().exprs.find(is_branch)
        };
        // The limits bound the cost of long chains.
        for _ in 0..MOST_AROUND {
            let Some(next) = around(outermost) else { break };
            outermost = next;
        }
        let (mut values, mut open) = (Vec::new(), vec![outermost]);
        while let Some(e) = open.pop().filter(|_| values.len() < MOST_VALUES) {
            match self.program.expr(self.result_of(e)) {
                Expr::If { then, otherwise, .. } => open.extend([*otherwise, *then]),
                _ => values.push(self.result_of(e)),
            }
        }
        values
    }
}
