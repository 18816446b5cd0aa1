//! Whether operators have the properties that a law asks for.

use super::building::applied;
use super::failing::{Failing, Primitives};
use super::law::Condition;
use super::matching::same;
use super::term::{Binding, Kind, Term};
use crate::node::Name;
use crate::prims::{self, Primitive, PrimitiveId};
use crate::ty::Ty;
use lift_syntax::{SyntaxKind, lex};
use std::collections::BTreeMap;

/// The truth of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    Holds,
    Fails,
    /// The programmer has to know.
    Assumed,
}

/// The truth of a condition, given the terms of the pattern variables.
pub fn known(condition: &Condition, terms: &BTreeMap<Name, Term>, failing: &Failing<'_>) -> Known {
    let operator = |name: &Name| terms.get(name).and_then(|term| operator(term, failing.primitive));
    match condition {
        Condition::Associative(op) | Condition::Commutative(op) => match operator(op) {
            Some(op) if PROPERTIES.iter().any(|(id, _)| *id == op) => Known::Holds,
            Some(PrimitiveId::Sub | PrimitiveId::Div) => Known::Fails,
            _ => Known::Assumed,
        },
        Condition::Neutral(z, op) => {
            let Some(op) = operator(op) else { return Known::Assumed };
            let Some(Term { kind: Kind::Literal(literal), .. }) = terms.get(z) else { return Known::Assumed };
            match PROPERTIES.iter().find(|(id, _)| *id == op) {
                None => Known::Assumed,
                Some((_, neutral)) if neutral.contains(&number(literal)) => Known::Holds,
                // Of `min` and `max` it depends on the type.
                Some((PrimitiveId::Min | PrimitiveId::Max, _)) => Known::Assumed,
                Some(_) => Known::Fails,
            }
        }
        Condition::Total(..) => match called(condition, terms) {
            Some(term) if !failing.term(&term) && !failing.function(&term) => Known::Holds,
            _ => Known::Assumed,
        },
    }
}

/// The call that a [`Condition::Total`] is about.
pub fn called(condition: &Condition, terms: &BTreeMap<Name, Term>) -> Option<Term> {
    let Condition::Total(function, args) = condition else { return None };
    let args: Option<Vec<Term>> = args.iter().map(|arg| terms.get(arg).cloned()).collect();
    Some(applied(terms.get(function)?.clone(), args?))
}

/// Whether a side says that a condition holds: `reduce` and `scan` ask for it.
pub fn declared(condition: &Condition, side: &Term) -> bool {
    let is = |term: &Term, wanted: &Name| matches!(&term.kind, Kind::Name { name, .. } if name == wanted);
    let here = || {
        let Kind::Apply(function, args) = &side.kind else { return false };
        let Kind::Name { name, local: false } = &function.kind else { return false };
        // The neutral element and the operator come before the array.
        prims::lookup(name).is_some_and(Primitive::folds_in_any_order)
            && args.windows(2).any(|pair| match condition {
                Condition::Associative(op) => is(&pair[1], op),
                Condition::Neutral(z, op) => is(&pair[0], z) && is(&pair[1], op),
                Condition::Commutative(_) | Condition::Total(..) => false,
            })
    };
    here() || side.parts().into_iter().any(|part| declared(condition, part))
}

/// Whether a reordering that conditions allow may round differently, because there are floating-point numbers.
pub fn may_round(conditions: &[Condition], terms: &BTreeMap<Name, Term>, failing: &Failing<'_>) -> bool {
    let rounds = |op: &Name| {
        let operator = terms.get(op).and_then(|term| operator(term, failing.primitive));
        !matches!(operator, Some(PrimitiveId::Min | PrimitiveId::Max))
    };
    let reorders = |condition: &Condition| match condition {
        Condition::Associative(op) | Condition::Commutative(op) => rounds(op),
        Condition::Neutral(..) | Condition::Total(..) => false,
    };
    conditions.iter().any(reorders) && terms.values().any(|term| has_floats(term, failing))
}

fn has_floats(term: &Term, failing: &Failing<'_>) -> bool {
    let floating = |text: &str| matches!(lex(text).kind(0), SyntaxKind::HALF | SyntaxKind::FLOAT | SyntaxKind::DOUBLE);
    let is_float = |ty: &Ty| ty.as_scalar().is_some_and(|scalar| scalar.is_floating());
    matches!(&term.kind, Kind::Literal(text) if floating(text))
        || term.range.and_then(failing.ty).is_some_and(|ty| ty.any(&mut |part| is_float(part)))
        || term.parts().into_iter().any(|part| has_floats(part, failing))
}

/// Associative and commutative operators, with their neutral elements.
const PROPERTIES: &[(PrimitiveId, &[&str])] = &[
    (PrimitiveId::Add, &["0"]),
    (PrimitiveId::Mul, &["1"]),
    (PrimitiveId::Min, &["inf", "2147483647", "9223372036854775807"]),
    (PrimitiveId::Max, &["-inf", "-2147483648", "-9223372036854775808"]),
    (PrimitiveId::And, &["true"]),
    (PrimitiveId::Or, &["false"]),
    (PrimitiveId::BitAnd, &["-1"]),
    (PrimitiveId::BitOr, &["0"]),
    (PrimitiveId::BitXor, &["0"]),
];

/// The primitive that a term is, also as `(lambda (a b) (+ a b))`.
fn operator(term: &Term, primitive: &Primitives<'_>) -> Option<PrimitiveId> {
    match &term.kind {
        Kind::Name { name, local: false } => primitive(name).map(|primitive| primitive.id),
        Kind::Lambda(params, body) => {
            let Kind::Apply(function, _) = &body.kind else { return None };
            let names: Option<Vec<Term>> = params
                .iter()
                .map(|param| match param {
                    Binding::Name(name) => Some(Term::name(name, true)),
                    Binding::Other { .. } => None,
                })
                .collect();
            same(body, &Term::call((**function).clone(), names?)).then(|| operator(function, primitive)).flatten()
        }
        _ => None,
    }
}

/// A literal without its type: `0` for `0`, `0.0f` and `0L`.
fn number(literal: &str) -> &str {
    match lex(literal).kind(0) {
        SyntaxKind::HALF | SyntaxKind::FLOAT => without_fraction(&literal[..literal.len().saturating_sub(1)]),
        SyntaxKind::DOUBLE => without_fraction(literal),
        _ => literal.trim_end_matches(['b', 's', 'u', 'L']),
    }
}

fn without_fraction(number: &str) -> &str {
    number.strip_suffix(".0").unwrap_or(number)
}
