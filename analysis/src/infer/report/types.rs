//! Diagnostics of two types that differ.

use super::intent::Intent;
use super::is_state_of_fold;
use super::repair::is_endomorphism;
use crate::diagnostics::notes::Guess;
use crate::diagnostics::problem::TypePlace;
use crate::diagnostics::{Diagnostic, Edit, Note, Place, Problem, Title};
use crate::hir::*;
use crate::infer::cause::Cause;
use crate::infer::results::Results;
use crate::ty::{Ty, TyKind};

/// Two types that differ, `left` and `right`, as parts of an expected and an actual type.
#[derive(Clone, Copy)]
pub(super) struct Different<'a> {
    pub expected: &'a Ty,
    pub actual: &'a Ty,
    pub left: &'a Ty,
    pub right: &'a Ty,
    pub cause: &'a Cause,
}

impl Different<'_> {
    /// Whether the branches of an `if` are rows and a row of hidden length.
    fn are_rows_of_branch(&self) -> bool {
        matches!(self.cause, Cause::Branches { .. })
            && self.expected.as_array().is_some_and(|rows| rows.element == *self.left)
    }
}

impl Results<'_> {
    /// The diagnostic for two types that differ. `left_why` determined the left one.
    pub(super) fn different(&self, of: Different<'_>, left_why: Option<ExprId>) -> Diagnostic {
        let left_why = self.literal_of_left(left_why, of.cause);
        let special = self
            .literal_of_other_type(of, left_why)
            .or_else(|| match (of.left.kind(), of.right.as_scalar()) {
                (TyKind::Size(_), Some(Scalar::Int)) => self.takes_size_by_name(of.left, of.cause),
                _ => None,
            })
            .or_else(|| self.hidden_where_known(of))
            .or_else(|| self.state_with_new_length(of));
        special.unwrap_or_else(|| self.plainly_different(of, left_why))
    }

    /// The literal that determines the left type, or else what determines it.
    fn literal_of_left(&self, left_why: Option<ExprId>, cause: &Cause) -> Option<ExprId> {
        // Of two literals, the one without a suffix probably has its type by oversight.
        let is_literal = |e: ExprId| matches!(self.program.expr(e), Expr::Literal(_));
        // `(* 2)` that is given Floats.
        let of_section = |e: ExprId| match self.program.expr(e) {
            Expr::Apply { callee, args } if self.program.primitive_at(*callee)?.awaits_more(args.len()) => {
                args.iter().copied().find(|arg| is_literal(*arg))
            }
            _ => None,
        };
        let decides = || match cause.why().is_some_and(is_literal) {
            true => self.deciding_literal(left_why?),
            false => of_section(left_why?),
        };
        match cause {
            Cause::Branches { then, .. } if is_literal(self.result_of(*then)) => Some(self.result_of(*then)),
            _ => left_why.map(|why| if is_literal(why) { why } else { decides().unwrap_or(why) }),
        }
    }

    /// A literal of the wrong type is the mistake, on whichever side it is.
    fn literal_of_other_type(&self, of: Different<'_>, left_why: Option<ExprId>) -> Option<Diagnostic> {
        let Different { actual, left, right, cause, .. } = of;
        let (why, wanted) = (left_why?, right.as_scalar()?);
        let fix = self.literals_fix(why, wanted, cause)?;
        let problem =
            Problem::LiteralMismatch { literal: self.program.short(why), left: left.clone(), right: right.clone() };
        let mut d = Diagnostic::new(Node::Expr(why), &problem).fix(fix);
        if let Cause::Argument { arg, .. } = cause {
            let text = self.program.short(*arg);
            d = d.related(Node::Expr(*arg), &Note::ExpressionIs { text, ty: actual.clone() });
        }
        if let Cause::Branches { otherwise, .. } = cause {
            d = d.related(Node::Expr(*otherwise), &Note::BranchIs { ty: actual.clone() });
        }
        Some(d)
    }

    /// An array whose length is hidden, where one of known length is expected.
    fn hidden_where_known(&self, of: Different<'_>) -> Option<Diagnostic> {
        let Different { expected, actual, left, right, cause } = of;
        let hides = matches!(right.kind(), TyKind::Exists(..)) && matches!(left.kind(), TyKind::Array(_));
        if !hides || of.are_rows_of_branch() {
            return None;
        }
        if let Some(d) = self.takes_no_hidden_length(left, right, cause) {
            return Some(d);
        }
        let (left, right) = (left.clone(), right.clone());
        let problem = match (self.program.is_explicit(), cause) {
            (false, Cause::Argument { callee, .. }) if matches!(expected.kind(), TyKind::Fun(..)) => {
                let callee = self.program.short(*callee);
                if is_endomorphism(&self.table.zonk(expected)) {
                    Problem::LengthChangesEachRound { callee, right }
                } else {
                    let changes_state = is_state_of_fold(&self.table.zonk(expected));
                    Problem::ResultOfHiddenLength { callee, left, right, changes_state }
                }
            }
            (false, Cause::Argument { callee, .. }) if actual.as_array().is_some_and(|a| a.element == right) => {
                Problem::HiddenRows { callee: self.program.short(*callee), rows: right }
            }
            _ => Problem::HiddenLength { ty: right },
        };
        let mut d = Diagnostic::new(cause.node(), &problem);
        if let (Problem::HiddenRows { .. }, Cause::Argument { callee, .. }) = (&problem, cause)
            && let Expr::Local(function) = self.program.expr(*callee)
            && self.is_called_again(*function)
        {
            d = d.guess(&Guess::LocalForOneKind { name: self.program.short(*callee) });
        }
        let wrong = match cause {
            Cause::Argument { callee, index, .. } => self.wrong_with_rows(*callee, *index, actual),
            _ => None,
        };
        Some(match wrong {
            Some((name, message)) => d.related_at(Place::Definition(name), &Note::WithSuchRows { message }),
            None => d,
        })
    }

    /// The arrays of a state that is a tuple keep their lengths, too.
    fn state_with_new_length(&self, of: Different<'_>) -> Option<Diagnostic> {
        let Cause::Argument { callee, .. } = of.cause else { return None };
        let kinds = (of.left.kind(), of.right.kind(), of.expected.kind());
        let is_state = matches!(kinds, (TyKind::Tuple(_), TyKind::Exists(..), TyKind::Fun(..)));
        if self.program.is_explicit() || !is_state || !is_endomorphism(&self.table.zonk(of.expected)) {
            return None;
        }
        let callee = self.program.short(*callee);
        let problem = Problem::LengthChangesEachRound { callee, right: of.right.clone() };
        Some(Diagnostic::new(of.cause.node(), &problem))
    }

    /// The guess that rows of one length were meant, where rows of hidden lengths are given.
    fn guessed_rows_of_one_length(&self, of: Different<'_>) -> Option<Intent> {
        let Different { actual, left, right, cause, .. } = of;
        match (left.kind(), cause) {
            (TyKind::Exists(..), Cause::Argument { callee, arg, .. })
                if right.as_array().is_some() && actual.as_array().is_some_and(|rows| rows.element == *right) =>
            {
                Some(self.meant_rows_of_one_length(*callee, *arg))
            }
            (TyKind::Exists(..), Cause::Branches { otherwise, .. })
                if actual.as_array().is_some_and(|rows| rows.element == *right) =>
            {
                Some(self.hides_rows(*otherwise))
            }
            (TyKind::Array(_), Cause::Branches { then, .. })
                if matches!(right.kind(), TyKind::Exists(..)) && of.are_rows_of_branch() =>
            {
                Some(self.hides_rows(*then))
            }
            _ => None,
        }
    }

    /// The role of the expression whose type differs.
    fn place_of_type(&self, cause: &Cause) -> TypePlace {
        match cause {
            Cause::Argument { callee, index, .. } => {
                TypePlace::Argument { callee: self.program.short(*callee), index: *index }
            }
            Cause::Condition(_) => TypePlace::Condition,
            Cause::Branches { .. } => TypePlace::Branches,
            Cause::Annotation(_) => TypePlace::Annotation,
            Cause::Component(e) => TypePlace::Component { part: self.program.short(*e) },
            Cause::Binder(e, _) if matches!(self.program.expr(*e), Expr::Component { .. }) => TypePlace::Pattern,
            Cause::Binder(_, b) => TypePlace::Binder { name: self.program.body().binder(*b).name.clone() },
            Cause::LengthOf(..) => TypePlace::LengthOf,
            Cause::SizeName(_, b, _) => TypePlace::SizeName { name: self.program.body().binder(*b).name.clone() },
            Cause::Result(_) => TypePlace::Other,
        }
    }

    /// The diagnostic with both types, the places that they come from, and a guess of what was meant.
    fn plainly_different(&self, of: Different<'_>, left_why: Option<ExprId>) -> Diagnostic {
        let Different { expected, actual, left, cause, .. } = of;
        let place = self.place_of_type(cause);
        let parts = (expected != left && left != of.right).then(|| (left.clone(), of.right.clone()));
        let problem = Problem::TypeMismatch { place, expected: expected.clone(), actual: actual.clone(), parts };
        let mut d = Diagnostic::new(cause.node(), &problem);
        if let (Cause::Binder(component, _), Some(_)) = (cause, actual.as_scalar())
            && let Some(meant) = self.meant_parameters(*component)
        {
            d = meant.add_to(d);
        }
        if let Cause::Binder(component, _) = cause
            && let Some((value, note)) = self.value_of_pattern(*component, actual)
        {
            d = d.related(Node::Expr(value), &note);
        }
        if let Cause::Branches { then, .. } = cause {
            d = d.related(Node::Expr(*then), &Note::BranchIs { ty: expected.clone() });
        }
        if let Cause::SizeName(_, b, Some(read)) = cause {
            d = d.related(Node::Binder(*b), &Note::NameIs { ty: actual.clone() });
            if let Expr::Size(size) = self.program.expr(*read)
                && matches!(self.program.body().size_ref(*size), crate::hir::SizeRef::Local(_))
            {
                let name = self.program.body().binder(*b).name.to_string();
                let edits = vec![Edit::Replace(Node::Expr(*read), name.clone())];
                d = d.fix(Title::Write(name).certain(edits));
            }
        }
        if let Some(why) = left_why.filter(|w| Node::Expr(*w) != cause.node()) {
            let text = self.program.short(why);
            d = d.related(Node::Expr(why), &Note::TypeComesFrom { ty: left.clone(), text });
        }
        let given_at = match cause {
            Cause::Argument { arg, .. } => Some(*arg),
            Cause::Branches { otherwise, .. } => Some(self.result_of(*otherwise)),
            _ => None,
        };
        if let (Some(at), Some(wanted)) = (given_at, left.as_scalar())
            && let Some(fix) = self.literals_fix(at, wanted, cause)
        {
            d = d.fix(fix);
        } else if let (Some(at), Some(wanted)) =
            (given_at, expected.as_array().and_then(|array| array.element.as_scalar()))
            && let Some(fix) = self.literal_of_elements(at).and_then(|literal| self.literal_fix(literal, wanted))
        {
            d = d.fix(fix);
        } else if let Some(meant) = (self.guessed_rows_of_one_length(of))
            .or_else(|| self.meant_by_value(Some(expected), actual, left_why, cause))
        {
            d = meant.add_to(d);
        }
        d
    }
}
