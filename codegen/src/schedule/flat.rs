//! Detects values that fit registers, and arrays of them whose rows have one length.

use lift_analysis::ty::{Ty, TyKind};

/// Whether values of the type fit registers: scalars, vectors and tuples of them.
pub fn is_flat(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Vec(..) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_flat),
        _ => false,
    }
}

/// Whether all rows of an array have one length, down to its scalars; or whether the type is that of a scalar.
pub fn is_rectangular(ty: &Ty) -> bool {
    match ty.as_array() {
        Some(array) => array.position.is_none() && is_rectangular(&array.element),
        None => is_flat(ty),
    }
}
