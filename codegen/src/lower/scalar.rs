//! Scalar operators as C expressions with the interpreter's semantics.
//!
//! Integers wrap: unless overflow is excluded, they are computed as unsigned, because signed overflow is undefined in
//! C. Halves are their bits, and computed with as Floats. C computes numbers of 8 and 16 bits as `int`; their results are cast. Index arithmetic with a known range stays a [`Size`], so that it can be simplified.

use super::function::FunctionBuilder;
use super::index::zero;
use super::value::ScalarValue;
use super::{Result, symbolic};
use crate::core::ScalarOp;
use crate::failure::Message;
use crate::opencl::{BinaryOp, CType, Expr, Helper, UnaryOp};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::Size;
use std::sync::Arc;

impl<'k> FunctionBuilder<'_, 'k> {
    pub fn scalar_op(&mut self, op: ScalarOp, args: &[ScalarValue]) -> Result<ScalarValue> {
        if let [a, b] = args
            && let Some(known) = symbolic::known(self.facts(), op, a, b)
        {
            return self.extremum(op, [a, b], known);
        }
        let ty = args.first().map_or(Scalar::Int, ScalarValue::ty);
        let mut exprs = Vec::new();
        for a in args {
            exprs.push(self.scalar(a)?);
        }
        // Halves are computed with as Floats.
        let of_halves = ty == Scalar::Half && op != ScalarOp::To(Scalar::Half);
        let ty = if of_halves { Scalar::Float } else { ty };
        if of_halves {
            exprs = exprs.into_iter().map(|e| self.float_of_half(e)).collect();
        }
        let result = match exprs.len() {
            1 => {
                let a = exprs.swap_remove(0);
                unary(self, op, ty, a)
            }
            2 => {
                let b = exprs.swap_remove(1);
                let a = exprs.swap_remove(0);
                let positive = args[1].as_size().is_some_and(|b| self.facts().lt(&Size::zero(), &b).is_yes());
                Some(binary_op(self, op, ty, (a, b), positive))
            }
            _ => None,
        };
        let Some((ty, expr)) = result else {
            return Err(self.error("", format!("{op:?} has {} operands", args.len())));
        };
        self.note_double(ty);
        let rounded = of_halves && ty == Scalar::Float && op != ScalarOp::To(Scalar::Float);
        let (ty, expr) = if rounded { (Scalar::Half, self.call_helper(Helper::ToHalf, [expr])) } else { (ty, expr) };
        match op {
            ScalarOp::Add | ScalarOp::Mul => self.note_total(op, args, &expr),
            _ => {
                let is_equality = matches!(op, ScalarOp::Eq | ScalarOp::Ne);
                let lengths = if is_equality { self.compared_lengths(args) } else { None };
                self.known_mut().note_comparison(op, args, &expr, lengths);
            }
        }
        Ok(match expr {
            Expr::Bool(b) => ScalarValue::Literal(Literal::Bool(b)),
            expr => ScalarValue::Computed { ty, expr },
        })
    }

    /// The Float that is equal to a Half.
    pub fn float_of_half(&mut self, bits: Expr) -> Expr {
        self.call_helper(Helper::FromHalf, [bits])
    }
}

fn unary(f: &mut FunctionBuilder, op: ScalarOp, ty: Scalar, a: Expr) -> Option<(Scalar, Expr)> {
    let call = |name: &str, a: Expr| Some((ty, Expr::call(name, [a])));
    match op {
        ScalarOp::Not => Some((Scalar::Bool, a.not())),
        ScalarOp::Neg if ty.is_integer() => Some((ty, wrapping(BinaryOp::Sub, ty, zero(ty), a))),
        ScalarOp::Neg => Some((ty, Expr::Unary(UnaryOp::Neg, Arc::new(a)))),
        ScalarOp::Abs if ty.is_unsigned() => Some((ty, a)),
        ScalarOp::Abs if ty.is_integer() => Some((ty, Expr::call("abs", [widened(ty, a)]).cast(CType::of(ty)))),
        ScalarOp::Abs => call("fabs", a),
        ScalarOp::Sqrt => call("sqrt", a),
        ScalarOp::Exp => call("exp", a),
        ScalarOp::Log => call("log", a),
        ScalarOp::Sin => call("sin", a),
        ScalarOp::Cos => call("cos", a),
        ScalarOp::Tan => call("tan", a),
        ScalarOp::Asin => call("asin", a),
        ScalarOp::Acos => call("acos", a),
        ScalarOp::Atan => call("atan", a),
        ScalarOp::Sinh => call("sinh", a),
        ScalarOp::Cosh => call("cosh", a),
        ScalarOp::Tanh => call("tanh", a),
        ScalarOp::Asinh => call("asinh", a),
        ScalarOp::Acosh => call("acosh", a),
        ScalarOp::Atanh => call("atanh", a),
        ScalarOp::Round => call("round", a),
        ScalarOp::IsNan => Some((Scalar::Bool, Expr::binary(BinaryOp::Ne, Expr::call("isnan", [a]), Expr::int(0)))),
        ScalarOp::PopCount => Some((Scalar::Int, Expr::call("popcount", [exactly(ty, a)]).cast(CType::Int))),
        ScalarOp::Clz => Some((Scalar::Int, Expr::call("clz", [exactly(ty, a)]).cast(CType::Int))),
        ScalarOp::Floor => call("floor", a),
        ScalarOp::Ceil => call("ceil", a),
        ScalarOp::To(Scalar::Half) if ty == Scalar::Double => {
            Some((Scalar::Half, f.call_helper(Helper::DoubleToHalf, [a])))
        }
        // No integer between two halves is rounded by the conversion to a Float.
        ScalarOp::To(Scalar::Half) if ty != Scalar::Half => {
            Some((Scalar::Half, f.call_helper(Helper::ToHalf, [convert(ty, Scalar::Float, a)])))
        }
        ScalarOp::To(to) => Some((to, convert(ty, to, a))),
        _ => None,
    }
}

/// `positive`: the second operand is known to be.
fn binary_op(
    f: &mut FunctionBuilder,
    op: ScalarOp,
    ty: Scalar,
    (a, b): (Expr, Expr),
    positive: bool,
) -> (Scalar, Expr) {
    let integer = ty.is_integer();
    let arithmetic = |op, a, b| (ty, if integer { wrapping(op, ty, a, b) } else { Expr::binary(op, a, b) });
    let compare = |op, a, b| (Scalar::Bool, Expr::binary(op, a, b));
    match op {
        ScalarOp::Add => arithmetic(BinaryOp::Add, a, b),
        ScalarOp::Sub => arithmetic(BinaryOp::Sub, a, b),
        ScalarOp::Mul => arithmetic(BinaryOp::Mul, a, b),
        ScalarOp::Div if integer => (ty, divide(f, ty, (a, b), positive, false)),
        ScalarOp::Mod if integer => (ty, divide(f, ty, (a, b), positive, true)),
        ScalarOp::Mod => (ty, Expr::call("fmod", [a, b])),
        ScalarOp::FloorMod => (ty, floor_mod(f, ty, (a, b), positive)),
        ScalarOp::Min if integer => (ty, narrowed(ty, Expr::call("min", [widened(ty, a), widened(ty, b)]))),
        ScalarOp::Max if integer => (ty, narrowed(ty, Expr::call("max", [widened(ty, a), widened(ty, b)]))),
        ScalarOp::Min => (ty, Expr::call("fmin", [a, b])),
        ScalarOp::Max => (ty, Expr::call("fmax", [a, b])),
        ScalarOp::Lt => compare(BinaryOp::Lt, a, b),
        ScalarOp::Gt => compare(BinaryOp::Gt, a, b),
        ScalarOp::Le => compare(BinaryOp::Le, a, b),
        ScalarOp::Ge => compare(BinaryOp::Ge, a, b),
        ScalarOp::Eq => compare(BinaryOp::Eq, a, b),
        ScalarOp::Ne => compare(BinaryOp::Ne, a, b),
        ScalarOp::And => (Scalar::Bool, a.and(b)),
        ScalarOp::Or => (Scalar::Bool, a.or(b)),
        ScalarOp::BitAnd => (ty, narrowed(ty, Expr::binary(BinaryOp::BitAnd, a, b))),
        ScalarOp::BitOr => (ty, narrowed(ty, Expr::binary(BinaryOp::BitOr, a, b))),
        ScalarOp::BitXor => (ty, narrowed(ty, Expr::binary(BinaryOp::BitXor, a, b))),
        ScalarOp::Shl => {
            let shifted = Expr::binary(BinaryOp::Shl, a.cast(computed_in(ty)), masked(ty, b));
            (ty, shifted.cast(CType::of(ty)))
        }
        ScalarOp::Shr => (ty, narrowed(ty, Expr::binary(BinaryOp::Shr, a, masked(ty, b)))),
        ScalarOp::UShr => {
            let shifted = Expr::binary(BinaryOp::Shr, a.cast(CType::unsigned_of(ty)), masked(ty, b));
            (ty, shifted.cast(CType::of(ty)))
        }
        ScalarOp::Pow => (ty, Expr::call("pow", [a, b])),
        ScalarOp::Atan2 => (ty, Expr::call("atan2", [a, b])),
        // The only remaining case is the division of floats.
        _ => (ty, Expr::binary(BinaryOp::Div, a, b)),
    }
}

/// The remainder of a division that rounds down.
fn floor_mod(f: &mut FunctionBuilder, ty: Scalar, (a, b): (Expr, Expr), positive: bool) -> Expr {
    if ty.is_unsigned() {
        return divide(f, ty, (a, b), positive, true);
    }
    if ty.is_floating() {
        // Exact, except for the sum of a negative fraction and 1, which the other form rounds as well.
        let is_one = match &b {
            Expr::Float(bits) => f32::from_bits(*bits) == 1.0,
            Expr::Double(bits) => f64::from_bits(*bits) == 1.0,
            _ => false,
        };
        if is_one {
            let a = if a.is_atom() { a } else { f.bind("whole", CType::of(ty), a) };
            return Expr::binary(BinaryOp::Sub, a.clone(), Expr::call("floor", [a]));
        }
        let helper = if ty == Scalar::Double { Helper::FloorModDouble } else { Helper::FloorModFloat };
        return f.call_helper(helper, [a, b]);
    }
    let known = b.known_integer();
    let long = ty == Scalar::Long;
    let (a, b) = (widened(ty, a), widened(ty, b));
    let result = match known {
        // The low bits, also of a negative number.
        Some(n) if n > 0 && n.count_ones() == 1 => {
            f.needless(&Message::remainder_by_zero());
            Expr::binary(BinaryOp::BitAnd, a, Expr::Int { value: n - 1, long })
        }
        n if positive || n.is_some_and(|n| n != 0) => {
            f.needless(&Message::remainder_by_zero());
            f.call_helper(if long { Helper::FloorRemainderLong } else { Helper::FloorRemainderInt }, [a, b])
        }
        _ if !f.is_checked() => {
            f.call_helper(if long { Helper::FloorRemainderLong } else { Helper::FloorRemainderInt }, [a, b])
        }
        _ => {
            let helper = if long { Helper::FloorModLong } else { Helper::FloorModInt };
            f.call_checked(helper, &Message::remainder_by_zero(), [a, b])
        }
    };
    narrowed(ty, result)
}

fn divide(f: &mut FunctionBuilder, ty: Scalar, (a, b): (Expr, Expr), positive: bool, remainder: bool) -> Expr {
    let op = if remainder { BinaryOp::Rem } else { BinaryOp::Div };
    if positive || b.known_integer().is_some_and(|n| n != 0 && n != -1) {
        let message = if remainder { Message::remainder_by_zero() } else { Message::division_by_zero() };
        f.needless(&message);
        return narrowed(ty, Expr::binary(op, a, b));
    }
    let (a, b) = (widened(ty, a), widened(ty, b));
    if !f.is_checked() {
        let helper = match (ty, remainder) {
            (Scalar::UInt | Scalar::ULong, _) => return Expr::binary(op, a, b),
            (Scalar::Long, false) => Helper::QuotientLong,
            (Scalar::Long, true) => Helper::RemainderLong,
            (_, false) => Helper::QuotientInt,
            (_, true) => Helper::RemainderInt,
        };
        return narrowed(ty, f.call_helper(helper, [a, b]));
    }
    let (helper, message) = match (ty, remainder) {
        (Scalar::Long, false) => (Helper::DivLong, Message::division_by_zero()),
        (Scalar::Long, true) => (Helper::ModLong, Message::remainder_by_zero()),
        (Scalar::UInt, false) => (Helper::DivUInt, Message::division_by_zero()),
        (Scalar::UInt, true) => (Helper::ModUInt, Message::remainder_by_zero()),
        (Scalar::ULong, false) => (Helper::DivULong, Message::division_by_zero()),
        (Scalar::ULong, true) => (Helper::ModULong, Message::remainder_by_zero()),
        (_, false) => (Helper::DivInt, Message::division_by_zero()),
        (_, true) => (Helper::ModInt, Message::remainder_by_zero()),
    };
    let result = f.call_checked(helper, &message, [a, b]);
    narrowed(ty, result)
}

/// The unsigned type in which sums and products are computed, so that they wrap.
fn computed_in(ty: Scalar) -> CType {
    if ty.bytes() == 8 { CType::ULong } else { CType::UInt }
}

/// Wrapping arithmetic.
fn wrapping(op: BinaryOp, ty: Scalar, a: Expr, b: Expr) -> Expr {
    if CType::of(ty) == computed_in(ty) {
        return Expr::binary(op, a, b);
    }
    Expr::binary(op, a.cast(computed_in(ty)), b.cast(computed_in(ty))).cast(CType::of(ty))
}

/// Whether C computes with an `int` in place of this type.
fn is_promoted(ty: Scalar) -> bool {
    ty.is_integer() && ty.bytes() < 4
}

/// An operand of an overloaded function, cast to `int` if C may have promoted it already.
fn widened(ty: Scalar, a: Expr) -> Expr {
    if is_promoted(ty) { a.cast(CType::Int) } else { a }
}

/// Undoes C's promotion to `int` of an operand of a function whose result depends on the number of bits.
fn exactly(ty: Scalar, a: Expr) -> Expr {
    if is_promoted(ty) { a.cast(CType::unsigned_of(ty)) } else { a }
}

/// A result that C may have computed as an `int`.
fn narrowed(ty: Scalar, a: Expr) -> Expr {
    if is_promoted(ty) { a.cast(CType::of(ty)) } else { a }
}

/// A shift count reduced to its low bits.
fn masked(ty: Scalar, by: Expr) -> Expr {
    let bits = i64::from(ty.bits());
    match by.known_integer() {
        Some(n) => Expr::int(n.rem_euclid(bits)),
        None => Expr::binary(BinaryOp::BitAnd, by, Expr::int(bits - 1)),
    }
}

/// A conversion. Only one of a floating-point number to an integer needs a function, which saturates.
fn convert(from: Scalar, to: Scalar, a: Expr) -> Expr {
    match (from, to) {
        (from, to) if from == to => a,
        (from, to) if from.is_floating() && to.is_integer() => {
            Expr::call(&format!("convert_{}_sat", CType::of(to).name()), [a])
        }
        (_, to) => a.cast(CType::of(to)),
    }
}
