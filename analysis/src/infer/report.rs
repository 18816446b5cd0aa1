//! Turns conflicts into diagnostics: the expected and the actual type, and where each comes from. Functions of results.
//!
//! | module | job |
//! |---|---|
//! | `describe` | where lengths come from, for messages and hovers |
//! | `guard` | the quick fix that guards an expression by a comparison of lengths |
//! | `literals` | literals of the wrong type, here or in a definition |
//! | `repair` | quick fixes that the checker constructs |
//! | `intent` | mistakes: what was meant |
//! | `types` | two types that differ |

pub mod describe;
mod guard;
pub mod intent;
mod literals;
pub mod repair;
mod types;

use super::cause::Cause;
use super::given::Given;
use super::results::Results;
use super::table::unify::Mismatch;
use crate::diagnostics::Note;
use crate::diagnostics::notes::Guess;
use crate::diagnostics::problem::OperandPlace;
use crate::diagnostics::{Code, Diagnostic, Difference, LengthSource, LengthsOf, Obligation, Place, Problem, Severity};
use crate::hir::*;
use crate::infer::Lookup;
use crate::infer::texts::{call_of, shorten};
use crate::prims::PrimitiveId;
use crate::size::{Facts, Size, Truth, Var, VarKind};
use crate::ty::{Class, Ty, TyKind};
use types::Different;

impl Results<'_> {
    /// The diagnostic for a conflict of two types.
    pub fn mismatch(&self, expected: &Ty, actual: &Ty, m: Mismatch, cause: &Cause) -> Option<Diagnostic> {
        let (expected, actual) = (self.table.zonk(expected), self.table.zonk(actual));
        if self.repeats_argument(cause)
            || self.follows_wrong_function(cause)
            || self.follows_wrong_pattern(cause)
            || self.repeats_pattern(cause, &actual)
        {
            return None;
        }
        // A type with a gap follows from an error.
        Some(match m {
            Mismatch::Types { left, right, left_why, .. } => {
                let (left, right) = (self.table.zonk(&left), self.table.zonk(&right));
                if left.contains_error() || right.contains_error() {
                    return None;
                }
                if let Some(d) = self.decided_by_literal(&left, &right, left_why, cause) {
                    // One literal is one mistake, however often the definition is used.
                    return self.found.so_far().diagnostics.iter().all(|other| other.message != d.message).then_some(d);
                }
                let of = Different { expected: &expected, actual: &actual, left: &left, right: &right, cause };
                self.different(of, left_why)
            }
            Mismatch::Class { ty, .. } if !ty.is_error() && ty.contains_error() => return None,
            Mismatch::Class { class, ty } => self.class(class, &ty, &actual, cause),
            Mismatch::Infinite { ty } => Diagnostic::new(cause.node(), &Problem::InfiniteType { ty }),
            m @ (Mismatch::Lengths { .. } | Mismatch::Escape { .. }) => {
                let of_fold = matches!(cause, Cause::Argument { .. }) && is_state_of_fold(&expected);
                let d = self.lengths(m, cause)?;
                return Some(if of_fold { d.guess(&Guess::StateOfFold) } else { d });
            }
        })
    }

    /// The diagnostic for a conflict of two lengths; `None` for one of types, and where a wrong condition may have been meant
    /// to say that they are equal.
    pub fn lengths(&self, m: Mismatch, cause: &Cause) -> Option<Diagnostic> {
        match m {
            Mismatch::Lengths { .. } if self.is_below_wrong_condition(cause.at()) => None,
            Mismatch::Lengths { left, right, left_why, right_why } => {
                let d = self.unequal_lengths((&left, left_why), (&right, right_why), cause);
                // Two lengths that differ are one mistake, however often they meet.
                self.found.so_far().diagnostics.iter().all(|other| other.message != d.message).then_some(d)
            }
            Mismatch::Escape { length } => Some(self.escape(&length, cause)),
            Mismatch::Types { .. } | Mismatch::Class { .. } | Mismatch::Infinite { .. } => None,
        }
    }

    /// Whether a condition around an expression has an error.
    fn is_below_wrong_condition(&self, e: ExprId) -> bool {
        let branches = self.program.branches();
        let is_wrong = |condition: ExprId| {
            let wrong = |d: &Diagnostic| {
                d.severity == Severity::Error && matches!(d.at, Node::Expr(at) if branches.is_within(at, condition))
            };
            self.found.so_far().diagnostics.iter().any(wrong)
        };
        branches.around(e).any(|branch| is_wrong(branch.condition))
    }

    /// A definition that is wrong with rows of hidden length, and its first error with them.
    fn wrong_with_rows(&self, callee: ExprId, index: usize, rows: &Ty) -> Option<(Name, String)> {
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let Lookup::Definition(scheme) = self.program.lookup(name) else { return None };
        let given = Given::to_parameter(&scheme.ty, index, rows)?;
        Some((name.clone(), self.program.wrong_with_given(name, &given)?))
    }

    /// Whether a call takes the same name twice, and the earlier argument is already an error: `(matmul xs xs)`.
    fn repeats_argument(&self, cause: &Cause) -> bool {
        let Cause::Argument { apply, arg, .. } = cause else { return false };
        let same = |e: &&ExprId| {
            *e != arg
                && matches!(self.program.expr(**e), Expr::Local(_))
                && self.program.expr(**e) == self.program.expr(*arg)
        };
        let is_error = |e: &ExprId| self.found.so_far().diagnostics.iter().any(|d| d.at == Node::Expr(*e));
        self.program.arguments(*apply).iter().filter(same).any(is_error)
    }

    /// Whether this is a function beside another one that is already an error: both are of elements where the array is taken.
    fn follows_wrong_function(&self, cause: &Cause) -> bool {
        let Cause::Argument { apply, arg, .. } = cause else { return false };
        let is_function = |e: &ExprId| self.operand_type(*e).is_some_and(|ty| matches!(ty.kind(), TyKind::Fun(..)));
        let is_wrong = |e: &ExprId| {
            let wrong = |d: &Diagnostic| d.at == Node::Expr(*e) && d.code == Code::TypeMismatch;
            *e != *arg && is_function(e) && self.found.so_far().diagnostics.iter().any(wrong)
        };
        is_function(arg) && self.program.arguments(*apply).iter().any(is_wrong)
    }

    /// Whether this is about the result of a function, one of whose parameters is already an error: a pattern for an array.
    fn follows_wrong_pattern(&self, cause: &Cause) -> bool {
        let (Cause::Result(result) | Cause::Argument { arg: result, .. }) = cause else { return false };
        let is_wrong = |b: &BinderId| {
            let wrong = |d: &Diagnostic| d.at == Node::Binder(*b) && d.severity == Severity::Error;
            self.found.so_far().diagnostics.iter().any(wrong) || self.binders.ty(*b).is_some_and(Ty::is_error)
        };
        self.program.body().exprs.entries().any(|(e, of)| match of {
            Expr::Lambda { params, body } => (e == *result || body == result) && params.iter().any(is_wrong),
            _ => false,
        })
    }

    /// Whether another pattern destructures the same value, which is an error there already.
    fn repeats_pattern(&self, cause: &Cause, actual: &Ty) -> bool {
        let Cause::Binder(component, _) = cause else { return false };
        let Some((value, _)) = self.value_of_pattern(*component, actual) else { return false };
        let is_value = |place: &Place| matches!(place, Place::Here(Node::Expr(e)) if *e == value);
        let destructures =
            |d: &Diagnostic| matches!(d.at, Node::Binder(_)) && d.related.iter().any(|r| is_value(&r.place));
        self.found.so_far().diagnostics.iter().any(destructures)
    }

    fn is_called_again(&self, function: BinderId) -> bool {
        let calls = self.program.body().exprs.iter().filter(|e| match e {
            Expr::Apply { callee, .. } => *self.program.expr(*callee) == Expr::Local(function),
            _ => false,
        });
        calls.count() > 1
    }

    fn class(&self, class: Class, ty: &Ty, actual: &Ty, cause: &Cause) -> Diagnostic {
        let (place, ty) = match cause {
            // The argument is a function that does not take the values passed to it.
            Cause::Argument { arg, .. } if matches!(actual.kind(), TyKind::Fun(..)) && !ty.is_error() => {
                (OperandPlace::Given { function: self.program.short(*arg) }, ty)
            }
            // `(map sqrt xs)`: the function meant is an argument, too.
            Cause::Argument { apply, arg, .. } if self.named_function(*apply, *arg).is_some() && !ty.is_error() => {
                let function = self.named_function(*apply, *arg).unwrap_or(*arg);
                (OperandPlace::Given { function: self.program.short(function) }, ty)
            }
            Cause::Argument { callee, .. } => {
                let callee = self.program.short(*callee);
                (OperandPlace::Argument { callee }, if ty.is_error() { actual } else { ty })
            }
            _ => (OperandPlace::Other, ty),
        };
        let meant = match ty.as_scalar() {
            Some(Scalar::Bool) if class == Class::Num => {
                self.meant_order(cause).or(Some(intent::Intent::advice(Guess::TruthAsNumber)))
            }
            Some(scalar) if scalar.is_floating() && self.is_remainder(cause) => {
                Some(intent::Intent::advice(Guess::Remainder))
            }
            Some(scalar) if ty == actual && class == Class::Floating && scalar.is_number() => self.meant_float(cause),
            _ if ty == actual => self.meant_by_value(None, actual, None, cause),
            _ => self.meant_function(class, ty, actual, cause),
        };
        let d = Diagnostic::new(
            cause.node(),
            &Problem::WrongOperand { place, class, ty: ty.clone(), said: meant.is_some() },
        );
        match meant {
            Some(meant) => meant.add_to(d),
            None => d,
        }
    }

    fn is_remainder(&self, cause: &Cause) -> bool {
        let Cause::Argument { callee, .. } = cause else { return false };
        self.program.primitive_at(*callee).is_some_and(|p| p.id == PrimitiveId::Mod)
    }

    /// The function given by name beside an argument of a call.
    fn named_function(&self, apply: ExprId, arg: ExprId) -> Option<ExprId> {
        let is_function = |e: &ExprId| match self.program.expr(*e) {
            Expr::Global(_) => self.operand_type(*e).is_some_and(|ty| matches!(ty.kind(), TyKind::Fun(..))),
            _ => false,
        };
        self.program.arguments(apply).iter().copied().find(|e| *e != arg && is_function(e))
    }

    fn escape(&self, length: &Var, cause: &Cause) -> Diagnostic {
        if length.kind == VarKind::Position {
            return self.dependent(length, cause);
        }
        let name = shorten(&length.name);
        let opening = self.found.opening_of(length);
        let origin = opening.map(|opening| self.length_origin(opening, length));
        let from = origin.as_ref().map(|origin| origin.source.clone());
        let d = Diagnostic::new(cause.node(), &Problem::LengthEscapes { length: name.clone(), from });
        match origin {
            Some(origin) => d.related(origin.made_by, &Note::LengthComesFrom { name }),
            None => d,
        }
    }

    /// The diagnostic for rows of different lengths where rows of one length are needed.
    fn dependent(&self, position: &Var, cause: &Cause) -> Diagnostic {
        let array = match cause {
            Cause::Argument { arg, .. } => self.operand_type(*arg).map(|t| self.table.zonk(&t)),
            _ => None,
        };
        let rows = array.as_ref().and_then(|t| t.as_array()).filter(|a| a.position.is_some());
        let problem = match (cause, rows) {
            (Cause::Argument { callee, .. }, Some(rows)) => Problem::DependentElements {
                callee: self.program.short(*callee),
                position: rows.position.as_ref().map_or("i".into(), |p| p.name.clone()),
                element: rows.element.clone(),
            },
            (Cause::Argument { callee, .. }, None) => {
                Problem::DependentLength { callee: Some(self.program.short(*callee)), position: position.name.clone() }
            }
            _ => Problem::DependentLength { callee: None, position: position.name.clone() },
        };
        Diagnostic::new(cause.node(), &problem)
    }

    /// The first index below 4 at which the lengths may differ, with both lengths there.
    fn where_different(&self, left: &Size, right: &Size, names: Option<&[String; 2]>) -> Option<Difference> {
        let mut vars = left.vars();
        vars.extend(right.vars());
        let positions: Vec<Var> = vars.into_iter().filter(|v| v.kind == VarKind::Position).collect();
        let position = positions.first()?;
        let facts = self.table.facts_about(&positions);
        for i in 0..4 {
            let at = |s: &Size| s.subst(&mut |v| (v == position).then(|| Size::int(i)));
            let (l, r) = (at(left), at(right));
            if facts.equal(&l, &r) != Truth::Yes {
                let [l, r] = self.readable([l, r]);
                let (position, names) = (position.name.clone(), names.cloned());
                return Some(Difference::At { position, index: i, left: l, right: r, names });
            }
        }
        None
    }

    fn unequal_lengths(
        &self,
        (left, left_why): (&Size, Option<ExprId>),
        (right, right_why): (&Size, Option<ExprId>),
        cause: &Cause,
    ) -> Diagnostic {
        let (left, right) = (self.table.zonk_size(left), self.table.zonk_size(right));
        let (left_from, l_at) = self.describe_length(&left, left_why);
        let (right_from, r_at) = self.describe_length(&right, right_why.or(cause.why()));
        let sibling = match cause {
            Cause::Argument { apply, index, .. } => {
                let bound_by = left_why.and_then(|w| self.argument_index(*apply, w));
                bound_by.or_else(|| self.argument_of_length(*apply, &left)).filter(|i| i < index).map(|i| (i, *index))
            }
            _ => None,
        };
        let names = match (cause, sibling) {
            (Cause::Argument { apply, .. }, Some((first, second))) => {
                let short = |i: usize| self.program.arguments(*apply).get(i).map(|a| self.program.short(*a));
                short(first).zip(short(second)).map(|(a, b)| [a, b])
            }
            _ => None,
        };
        let differ = self.why_different(&left, &right, names.as_ref());
        let hidden = [left.clone(), right.clone()];
        let [left, right] = self.readable([left, right]);
        let of = match (cause, sibling) {
            (Cause::Argument { callee, apply, .. }, Some((first, second))) => {
                // Two arguments can only be the two arrays.
                let of_two = self.takes_arrays_of_one_length(*callee) && self.program.arguments(*apply).len() == 2;
                LengthsOf::Arguments { callee: self.program.short(*callee), first, second, of_two }
            }
            (Cause::Argument { callee, .. }, None) => LengthsOf::Argument { callee: self.program.short(*callee) },
            (Cause::Branches { .. }, _) => LengthsOf::Branches,
            (Cause::Annotation(_), _) => LengthsOf::Annotation,
            (Cause::Component(e), _) => LengthsOf::Component { part: self.program.short(*e) },
            _ => LengthsOf::Other,
        };
        let problem = Problem::UnequalLengths {
            of,
            left: left.clone(),
            right: right.clone(),
            left_from,
            right_from,
            why: differ,
        };
        let mut d = Diagnostic::new(cause.node(), &problem);
        if let Some(guess) = hidden.into_iter().find_map(|size| self.size_taken_as_number(&size)) {
            d = d.guess(&guess);
        }
        d.obligation = Some(Box::new(Obligation { left: (left.clone(), l_at), right: (right.clone(), r_at) }));
        for (size, at) in [(&left, l_at), (&right, r_at)] {
            if let Some(at) = at {
                d = d.related(at, &Note::SizeComesFrom { size: size.clone() });
            }
        }
        if let (Cause::Argument { apply, .. }, Some((first, second))) = (cause, sibling)
            && !left.any_var(&mut |v| v.kind == VarKind::Position)
            && !right.any_var(&mut |v| v.kind == VarKind::Position)
            && let Some(fix) = self.checked_cast_fix(*apply, first, second, &left, &right)
        {
            d = d.fix(fix);
        }
        d
    }

    /// A length that a definition computes from a number, where it is given a size.
    fn size_taken_as_number(&self, length: &Size) -> Option<Guess> {
        let opening = self.found.opening_of(length.as_var().filter(|v| v.kind == VarKind::Skolem)?)?;
        let (callee, args) = call_of(self.program.body(), self.opened_value(opening)?)?;
        let Expr::Global(name) = self.program.expr(callee) else { return None };
        let Lookup::Definition(scheme) = self.program.lookup(name) else { return None };
        let takes = scheme.ty.uncurry().0;
        let is_size = |(arg, ty): &(&ExprId, &Ty)| {
            ty.as_scalar() == Some(Scalar::Int) && matches!(self.program.expr(**arg), Expr::Size(_) | Expr::Literal(_))
        };
        let (argument, _) = args.iter().zip(takes).find(is_size)?;
        Some(Guess::SizeTakenAsNumber { callee: name.clone(), argument: self.program.short(*argument) })
    }

    /// Why the lengths may differ.
    fn why_different(&self, left: &Size, right: &Size, names: Option<&[String; 2]>) -> Difference {
        let origin = |s: &Size| {
            let v = s.as_var().filter(|v| v.kind == VarKind::Skolem)?;
            let o = self.found.opening_of(v)?;
            Some(self.length_origin(o, v))
        };
        if let Some(at) = self.where_different(left, right, names) {
            return at;
        }
        match (origin(left), origin(right)) {
            (Some(a), Some(b))
                if matches!([&a.source, &b.source], [LengthSource::Kept { .. }, LengthSource::Kept { .. }]) =>
            {
                Difference::TwoFilters
            }
            (Some(_), Some(_)) => Difference::TwoHidden,
            (Some(o), None) | (None, Some(o)) => Difference::AtRunTime { name: o.length.name.clone() },
            (None, None) => match Facts::new().equal(left, right) {
                Truth::No => Difference::Always,
                _ => Difference::NotKnown,
            },
        }
    }

    fn argument_index(&self, apply: ExprId, arg: ExprId) -> Option<usize> {
        self.program.arguments(apply).iter().position(|a| *a == arg)
    }
    /// The index of the first argument that is an array of this length.
    fn argument_of_length(&self, apply: ExprId, length: &Size) -> Option<usize> {
        self.program
            .arguments(apply)
            .iter()
            .position(|a| self.operand_type(*a).is_some_and(|t| t.as_array().is_some_and(|t| t.len == *length)))
    }
    /// The lengths, with inference variables renamed to letters.
    fn readable(&self, lengths: [Size; 2]) -> [Size; 2] {
        let mut unknown: Vec<u32> =
            lengths.iter().flat_map(|s| s.vars()).filter(|v| v.kind == VarKind::Unknown).map(|v| v.id).collect();
        unknown.sort_unstable();
        unknown.dedup();
        let letter = |id: u32| {
            let i = unknown.iter().position(|u| *u == id)?;
            Some(Size::var(Var {
                kind: VarKind::Generic,
                id,
                name: crate::infer::walk::generalize::size_variable_name(i).into(),
            }))
        };
        lengths.map(|s| s.subst(&mut |v| if v.kind == VarKind::Unknown { letter(v.id) } else { None }))
    }
    fn takes_arrays_of_one_length(&self, callee: ExprId) -> bool {
        self.program.primitive_at(callee).is_some_and(|p| p.id == PrimitiveId::Zip)
    }
}

/// Whether a function takes a state and an element and gives the next state.
fn is_state_of_fold(ty: &Ty) -> bool {
    let (params, result) = ty.uncurry();
    params.len() == 2 && params.first() == Some(&result)
}
