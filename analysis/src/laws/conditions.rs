//! Whether operators have the properties that a law asks for.

use super::law::Condition;
use super::matching::same;
use super::term::{Binding, Kind, Term};
use crate::node::Name;
use crate::prims::{self, PrimitiveId};
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

/// The primitive that a name, which is not local, means in the program.
pub type Primitives<'a> = dyn Fn(&Name) -> Option<PrimitiveId> + 'a;

/// The truth of a condition, given the terms of the pattern variables.
pub fn known(condition: &Condition, terms: &BTreeMap<Name, Term>, primitive: &Primitives<'_>) -> Known {
    let operator = |name: &Name| terms.get(name).and_then(|term| operator(term, primitive));
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
                Some((_, [])) | None => Known::Assumed,
                Some((_, neutral)) if neutral.contains(&number(literal)) => Known::Holds,
                Some(_) => Known::Fails,
            }
        }
    }
}

/// Whether a side says that a condition holds: `reduce` and `scan` ask for it.
pub fn declared(condition: &Condition, side: &Term) -> bool {
    let is = |term: &Term, wanted: &Name| matches!(&term.kind, Kind::Name { name, .. } if name == wanted);
    let here = || {
        let Kind::Apply(function, args) = &side.kind else { return false };
        let Kind::Name { name, local: false } = &function.kind else { return false };
        let asks =
            |id| matches!(id, PrimitiveId::Reduce | PrimitiveId::PartRed | PrimitiveId::Scan | PrimitiveId::ScanExcl);
        // The neutral element and the operator come before the array.
        prims::lookup(name).is_some_and(|primitive| asks(primitive.id))
            && args.windows(2).any(|pair| match condition {
                Condition::Associative(op) => is(&pair[1], op),
                Condition::Neutral(z, op) => is(&pair[0], z) && is(&pair[1], op),
                Condition::Commutative(_) => false,
            })
    };
    here() || side.parts().into_iter().any(|part| declared(condition, part))
}

/// Whether a reordering may round differently, because a floating-point literal is among the terms.
pub fn may_round(terms: &BTreeMap<Name, Term>) -> bool {
    fn floats(term: &Term) -> bool {
        let floating =
            |text: &str| matches!(lex(text).kind(0), SyntaxKind::HALF | SyntaxKind::FLOAT | SyntaxKind::DOUBLE);
        matches!(&term.kind, Kind::Literal(text) if floating(text)) || term.parts().into_iter().any(floats)
    }
    terms.values().any(floats)
}

/// Associative and commutative operators, with their neutral elements; none are listed for `min` and `max`, whose
/// neutral elements depend on the type.
const PROPERTIES: &[(PrimitiveId, &[&str])] = &[
    (PrimitiveId::Add, &["0"]),
    (PrimitiveId::Mul, &["1"]),
    (PrimitiveId::Min, &[]),
    (PrimitiveId::Max, &[]),
    (PrimitiveId::And, &["true"]),
    (PrimitiveId::Or, &["false"]),
    (PrimitiveId::BitAnd, &["-1"]),
    (PrimitiveId::BitOr, &["0"]),
    (PrimitiveId::BitXor, &["0"]),
];

/// The primitive that a term is, also as `(lambda (a b) (+ a b))`.
fn operator(term: &Term, primitive: &Primitives<'_>) -> Option<PrimitiveId> {
    match &term.kind {
        Kind::Name { name, local: false } => primitive(name),
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
    literal.trim_end_matches(['f', 'L']).strip_suffix(".0").unwrap_or(literal.trim_end_matches('L'))
}
