//! Constructors of expressions that fold constants and drop identities, so that the text reads as if written by a
//! person.

use super::ast::*;
use lift_analysis::hir::{Literal, Name};
use lift_analysis::origin::Origin;
use std::sync::Arc;

// Constructors rather than operator traits: they fold constants, and `lt`, `and` and others have no trait.
#[allow(clippy::should_implement_trait)]
impl Expr {
    pub fn int(value: i64) -> Expr {
        Expr::Int { value, long: false }
    }
    pub fn var(name: impl Into<Name>) -> Expr {
        Expr::Var(name.into())
    }
    pub fn call(name: &str, args: impl IntoIterator<Item = Expr>) -> Expr {
        Expr::Call(name.into(), args.into_iter().collect())
    }
    pub fn literal(l: Literal) -> Expr {
        match l {
            Literal::Int(v) => Expr::int(v.into()),
            Literal::UInt(v) => Expr::UInt(v.into()),
            Literal::Long(v) => Expr::Int { value: v, long: true },
            // The bits are the same.
            Literal::ULong(v) => Expr::Int { value: v as i64, long: true }.cast(CType::ULong),
            Literal::Byte(v) => Expr::int(v.into()).cast(CType::Char),
            Literal::UByte(v) => Expr::int(v.into()).cast(CType::UChar),
            Literal::Short(v) => Expr::int(v.into()).cast(CType::Short),
            Literal::UShort(v) => Expr::int(v.into()).cast(CType::UShort),
            Literal::Half(bits) => Expr::int(bits.into()).cast(CType::Half),
            Literal::Float(bits) => Expr::Float(bits),
            Literal::Double(bits) => Expr::Double(bits),
            Literal::Bool(b) => Expr::Bool(b),
        }
    }
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Expr::Int { value, .. } => Some(*value),
            _ => None,
        }
    }
    /// The value of an integer literal of any type; of a `ulong`, its bits.
    pub fn known_integer(&self) -> Option<i64> {
        match self {
            Expr::Int { value, .. } => Some(*value),
            Expr::UInt(value) => i64::try_from(*value).ok(),
            Expr::Cast(CType::Char | CType::UChar | CType::Short | CType::UShort | CType::ULong, inner) => {
                inner.as_int()
            }
            _ => None,
        }
    }
    /// Whether the expression is a name or a literal, and so free to repeat.
    pub fn is_atom(&self) -> bool {
        matches!(
            self,
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) | Expr::Var(_)
        )
    }

    /// Whether the expression is an atom, or an element of an array whose index is not itself a load.
    pub fn is_load(&self) -> bool {
        self.is_atom()
            || matches!(self, Expr::Index(a, i) if a.is_atom() && !i.any(&mut |e| matches!(e, Expr::Index(..))))
    }
    /// Whether any subexpression, including the expression itself, satisfies `pred`.
    pub fn any(&self, pred: &mut dyn FnMut(&Expr) -> bool) -> bool {
        pred(self)
            || match self {
                Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Lane(a, _) | Expr::Wide { pointer: a, .. } => a.any(pred),
                Expr::Binary(_, a, b) | Expr::Index(a, b) => a.any(pred) || b.any(pred),
                Expr::Select(a, b, c) => a.any(pred) || b.any(pred) || c.any(pred),
                Expr::Call(_, args) | Expr::Vector(_, args) => args.iter().any(|a| a.any(pred)),
                _ => false,
            }
    }
    /// Whether it has more than `parts` subexpressions; stops counting there.
    pub fn is_longer_than(&self, parts: usize) -> bool {
        let mut seen = 0;
        self.any(&mut |_| {
            seen += 1;
            seen > parts
        })
    }
    /// Changes every subexpression, innermost first.
    pub fn rewrite(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Expr::Unary(_, a)
            | Expr::Cast(_, a)
            | Expr::Lane(a, _)
            | Expr::AddressOf(a)
            | Expr::Wide { pointer: a, .. } => Arc::make_mut(a).rewrite(change),
            Expr::Binary(_, a, b) | Expr::Index(a, b) => {
                [a, b].into_iter().for_each(|e| Arc::make_mut(e).rewrite(change));
            }
            Expr::Select(a, b, c) => [a, b, c].into_iter().for_each(|e| Arc::make_mut(e).rewrite(change)),
            Expr::Call(_, args) | Expr::Vector(_, args) => args.iter_mut().for_each(|a| a.rewrite(change)),
            Expr::Int { .. } | Expr::UInt(_) | Expr::Float(_) | Expr::Double(_) | Expr::Bool(_) | Expr::Var(_) => {}
        }
        change(self);
    }
    pub fn mentions(&self, part: &Expr) -> bool {
        self.any(&mut |e| e == part)
    }
    /// Whether the expression contains a call that may record a failure.
    pub fn may_fail(&self) -> bool {
        self.any(&mut |e| matches!(e, Expr::Call(name, _) if super::Helper::records_failures(name)))
    }

    /// Whether the expression may be computed where its value is not needed: it reads no memory, calls no function, and divides
    /// only by a literal other than 0 and -1.
    pub fn is_harmless(&self) -> bool {
        !self.any(&mut |e| match e {
            Expr::Index(..) | Expr::Wide { .. } | Expr::AddressOf(_) | Expr::Call(..) => true,
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, by) => by.as_int().is_none_or(|by| by == 0 || by == -1),
            _ => false,
        })
    }

    pub fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Arc::new(a), Arc::new(b))
    }
    pub fn add(self, other: Expr) -> Expr {
        match (self.as_int(), other.as_int()) {
            (Some(0), _) => other,
            (_, Some(0)) => self,
            (_, Some(v)) if v < 0 && v > i64::MIN => self.sub(Expr::int(-v)),
            _ => Expr::binary(BinaryOp::Add, self, other),
        }
    }
    pub fn sub(self, other: Expr) -> Expr {
        match other.as_int() {
            Some(0) => self,
            _ => Expr::binary(BinaryOp::Sub, self, other),
        }
    }
    pub fn mul(self, other: Expr) -> Expr {
        match (self.as_int(), other.as_int()) {
            (Some(1), _) => other,
            (_, Some(1)) => self,
            _ => Expr::binary(BinaryOp::Mul, self, other),
        }
    }
    pub fn div(self, other: Expr) -> Expr {
        match other.as_int() {
            Some(1) => self,
            _ => Expr::binary(BinaryOp::Div, self, other),
        }
    }
    pub fn rem(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Rem, self, other)
    }
    pub fn lt(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Lt, self, other)
    }
    pub fn le(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Le, self, other)
    }
    pub fn ge(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Ge, self, other)
    }
    pub fn eq(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Eq, self, other)
    }
    pub fn and(self, other: Expr) -> Expr {
        match (&self, &other) {
            (Expr::Bool(true), _) => other,
            (_, Expr::Bool(true)) => self,
            _ => Expr::binary(BinaryOp::And, self, other),
        }
    }
    pub fn or(self, other: Expr) -> Expr {
        match (&self, &other) {
            (Expr::Bool(false), _) => other,
            (_, Expr::Bool(false)) => self,
            _ => Expr::binary(BinaryOp::Or, self, other),
        }
    }
    pub fn not(self) -> Expr {
        match self {
            Expr::Unary(UnaryOp::Not, inner) => Arc::unwrap_or_clone(inner),
            Expr::Bool(b) => Expr::Bool(!b),
            Expr::Binary(BinaryOp::Lt, a, b) if a.is_plain_int() && b.is_plain_int() => {
                Expr::Binary(BinaryOp::Ge, a, b)
            }
            other => Expr::Unary(UnaryOp::Not, Arc::new(other)),
        }
    }
    /// Whether it certainly is an integer, so that `!(a < b)` is `a >= b` (with NaN it is not).
    fn is_plain_int(&self) -> bool {
        matches!(self, Expr::Int { .. })
    }
    pub fn select(self, then: Expr, otherwise: Expr) -> Expr {
        match self {
            Expr::Bool(true) => then,
            Expr::Bool(false) => otherwise,
            _ if then == otherwise => then,
            condition => Expr::Select(Arc::new(condition), Arc::new(then), Arc::new(otherwise)),
        }
    }
    pub fn index(self, at: Expr) -> Expr {
        Expr::Index(Arc::new(self), Arc::new(at))
    }
    pub fn lane(self, lane: u8) -> Expr {
        Expr::Lane(Arc::new(self), lane)
    }
    /// A conversion. A cast of a literal gives a literal; casts between `int` and `uint` and back are dropped.
    pub fn cast(self, ty: CType) -> Expr {
        match (ty, self) {
            (CType::UInt, Expr::Int { value, .. }) if value >= 0 => Expr::UInt(value as u64),
            (CType::Long, Expr::Int { value, .. }) => Expr::Int { value, long: true },
            (CType::UInt, Expr::Cast(CType::Int, inner)) if inner.is_uint() => Arc::unwrap_or_clone(inner),
            (CType::ULong, Expr::Cast(CType::Long, inner)) if inner.is_ulong() => Arc::unwrap_or_clone(inner),
            (ty, inner) => Expr::Cast(ty, Arc::new(inner)),
        }
    }
    fn is_uint(&self) -> bool {
        match self {
            Expr::UInt(_) | Expr::Cast(CType::UInt, _) => true,
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => a.is_uint() || b.is_uint(),
            _ => false,
        }
    }
    fn is_ulong(&self) -> bool {
        match self {
            Expr::Cast(CType::ULong, _) => true,
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => a.is_ulong() || b.is_ulong(),
            _ => false,
        }
    }
}

impl StmtKind {
    pub fn at(self, origin: &Origin) -> Stmt {
        Stmt { kind: self, origin: Some(origin.clone()) }
    }
    pub fn plain(self) -> Stmt {
        Stmt { kind: self, origin: None }
    }
}
