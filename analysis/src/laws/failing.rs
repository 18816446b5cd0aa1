//! Whether computing a term can fail: stop the run with an error, or never end.
//!
//! A law may compute a term earlier, or for more elements, than the program does only if the term cannot fail.
//! Conditions on lengths are ignored: the checker assumes them, and a run checks them before it computes anything.

use super::term::{Kind, SizeTerm, Term};
use crate::node::Name;
use crate::prims::{Primitive, PrimitiveId, Special};
use crate::ty::{Ty, TyKind};
use lift_syntax::TextRange;

/// The primitive that a name, which is not local, means in the program.
pub type Primitives<'a> = dyn Fn(&Name) -> Option<&'static Primitive> + 'a;

/// The names and types of a form.
#[derive(Clone, Copy)]
pub struct Failing<'a> {
    pub primitive: &'a Primitives<'a>,
    /// The type of the expression at a range of the form.
    pub ty: &'a dyn Fn(TextRange) -> Option<Ty>,
    /// Whether a call of a definition can fail, apart from the functions that it is given.
    pub definition: &'a dyn Fn(&Name) -> bool,
    /// Whether local functions are looked at elsewhere, as those that a definition is given.
    pub locals_are_fine: bool,
}

impl Failing<'_> {
    /// Whether computing a term can fail. A function is computed without being called.
    pub fn term(&self, term: &Term) -> bool {
        match &term.kind {
            Kind::Name { .. } | Kind::Literal(_) | Kind::Size(_) | Kind::Lambda(..) | Kind::Compose(_) => false,
            Kind::Apply(function, args) => args.iter().any(|arg| self.term(arg)) || self.call(function, args, false),
            // Its name may be called.
            Kind::Let(_, value, body) => self.term(value) || self.function(value) || self.term(body),
            Kind::If(_) | Kind::Tuple(_) => term.parts().into_iter().any(|part| self.term(part)),
            Kind::Around(..) | Kind::Opaque(..) => true,
        }
    }

    /// Whether a function can fail when it is called; a term that is not a function cannot.
    pub fn function(&self, term: &Term) -> bool {
        match &term.kind {
            Kind::Apply(function, args) => self.is_function(term) && self.call(function, args, true),
            Kind::Name { local: true, .. } => !self.locals_are_fine && self.is_function(term),
            Kind::Name { .. } | Kind::Lambda(..) | Kind::Compose(_) => self.call(term, &[], true),
            Kind::Tuple(parts) => parts.iter().any(|part| self.function(part)),
            Kind::Literal(_) | Kind::Size(_) => false,
            Kind::Let(..) | Kind::If(_) | Kind::Around(..) | Kind::Opaque(..) => self.is_function(term),
        }
    }

    /// Whether a call with these arguments can fail. `all`: more arguments follow where the function awaits them.
    fn call(&self, function: &Term, args: &[Term], all: bool) -> bool {
        let in_function = || args.iter().any(|arg| self.function(arg));
        match &function.kind {
            Kind::Lambda(params, body) => {
                (all || args.len() >= params.len()) && (self.term(body) || self.function(body) || in_function())
            }
            Kind::Compose(parts) => parts.iter().any(|part| self.function(part)),
            Kind::Name { local: true, .. } => !self.locals_are_fine,
            Kind::Name { name, .. } => match (self.primitive)(name) {
                Some(primitive) if !all && primitive.awaits_more(args.len()) => false,
                Some(primitive) => self.primitive_fails(primitive, function, args) || in_function(),
                None => (self.definition)(name) || in_function(),
            },
            _ => true,
        }
    }

    fn primitive_fails(&self, primitive: &Primitive, function: &Term, args: &[Term]) -> bool {
        match primitive.id {
            PrimitiveId::Div | PrimitiveId::Mod | PrimitiveId::FloorMod => {
                let safe = args.get(1).is_some_and(|divisor| matches!(&divisor.kind, Kind::Literal(n) if !is_zero(n)));
                !safe && !std::iter::once(function).chain(args).any(|term| self.is_floating(term))
            }
            PrimitiveId::Aref | PrimitiveId::Reorder | PrimitiveId::Scatter => true,
            // It may run for ever.
            PrimitiveId::IterateWhile => true,
            _ => {
                // An Int in place of a size is checked by the run.
                let sized = matches!(primitive.special, Some(Special::Sized | Special::Cut | Special::Generate));
                let is_size = |arg: &Term| matches!(arg.kind, Kind::Size(_)) || arg.as_size().is_some_and(is_number);
                sized && !args.iter().take(primitive.static_sizes.len().max(1)).all(is_size)
            }
        }
    }

    fn is_floating(&self, term: &Term) -> bool {
        let ty = term.range.and_then(self.ty);
        ty.is_some_and(|ty| ty.uncurry().0.iter().copied().chain([&ty]).any(is_floating))
    }

    fn is_function(&self, term: &Term) -> bool {
        let ty = term.range.and_then(self.ty);
        ty.is_none_or(|ty| matches!(ty.kind(), TyKind::Fun(..)))
    }
}

fn is_floating(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Vec(element, _) => is_floating(element),
        _ => ty.as_scalar().is_some_and(|scalar| scalar.is_floating()),
    }
}

fn is_number(size: SizeTerm) -> bool {
    matches!(size, SizeTerm::Nat(_))
}

/// Whether an integer literal is zero.
fn is_zero(literal: &str) -> bool {
    let digits = literal.trim_start_matches(['+', '-']).trim_start_matches("0x");
    digits.trim_end_matches(|c: char| c.is_ascii_alphabetic()).chars().all(|c| c == '0')
}
