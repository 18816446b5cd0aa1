//! Sort keys: signed integers that are ordered like the numbers by which a sort compares.

use crate::core::Lambda;
use crate::core::order::NumberOrder;
use crate::lower::index::zero;
use crate::opencl::{BinaryOp, CType, Expr};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::ty::Ty;

/// Maps numbers to integers with the same order.
pub struct Keys {
    pub number: Scalar,
    descending: bool,
}

/// The number by which a function compares two elements, and its keys; `None` for types without keys of a signed type.
pub fn keys_of(before: &Lambda, element: &Ty) -> Option<(NumberOrder, Keys)> {
    let order = NumberOrder::of(before)?;
    let number = order.scalar(element)?;
    let known = !matches!(number, Scalar::UInt | Scalar::ULong | Scalar::Half | Scalar::Bool);
    let keys = Keys { number, descending: order.descending };
    known.then_some((order, keys))
}

/// Whether a function compares elements of this type by a number that has keys.
pub fn has_keys(before: &Lambda, element: &Ty) -> bool {
    keys_of(before, element).is_some()
}

impl Keys {
    fn is_wide(&self) -> bool {
        matches!(self.number, Scalar::Long | Scalar::Double)
    }
    pub fn ty(&self) -> Scalar {
        if self.is_wide() { Scalar::Long } else { Scalar::Int }
    }

    /// The key of a number, which is evaluated more than once.
    pub fn of(&self, number: Expr) -> Expr {
        let (bits, top, most) = match self.number {
            Scalar::Float => ("as_int", Expr::int(31), Literal::Int(i32::MAX)),
            Scalar::Double => ("as_long", Expr::int(63), Literal::Long(i64::MAX)),
            _ => {
                let key = number.cast(CType::of(self.ty()));
                return if self.descending { complement(key) } else { key };
            }
        };
        let most = Expr::literal(most);
        let bits = Expr::call(bits, [number.clone()]);
        let negative = Expr::binary(BinaryOp::Shr, bits.clone(), top);
        let turned = Expr::binary(BinaryOp::BitXor, bits, Expr::binary(BinaryOp::BitAnd, negative, most.clone()));
        let (zero_of, zero) = (zero(self.number), zero(self.ty()));
        // Both zeros are equal, and NaN is the last.
        let key = number.clone().eq(zero_of).select(zero, turned);
        let key = if self.descending { complement(key) } else { key };
        Expr::call("isnan", [number]).select(most, key)
    }
}

fn complement(e: Expr) -> Expr {
    Expr::int(-1).sub(e)
}
