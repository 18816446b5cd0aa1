//! Types and constants of C that determine costs.

use crate::opencl::{CType, Expr};

pub fn is_integer(ty: CType) -> bool {
    use CType::*;
    matches!(ty, Char | UChar | Short | UShort | Int | UInt | Long | ULong)
}

pub fn bytes(ty: CType) -> u64 {
    match ty {
        CType::Bool | CType::Char | CType::UChar => 1,
        CType::Short | CType::UShort | CType::Half => 2,
        CType::Int | CType::UInt | CType::Float => 4,
        CType::Long | CType::ULong | CType::Double => 8,
        CType::Vec(s, n) => s.bytes() * u64::from(n),
    }
}

pub fn is_zero(e: &Expr) -> bool {
    match e {
        Expr::Bool(false) | Expr::UInt(0) => true,
        other => other.as_int() == Some(0),
    }
}
