//! Detects values that fit registers.

use lift_analysis::ty::{Ty, TyKind};

/// Whether values of the type fit registers: scalars, vectors and tuples of them.
pub fn is_flat(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Vec(..) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_flat),
        _ => false,
    }
}
