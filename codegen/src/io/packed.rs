//! Arrays whose rows depend on the index, with the rows concatenated as in memory and in `.npy` files.

use super::opened;
use crate::core::typing::packed;
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::ty::{Ty, TyKind};

/// Splits a packed value into rows of the lengths that its type has under `sizes`; returns any other value unchanged.
pub fn unpack(ty: &Ty, value: Value, sizes: &SizeValues) -> Value {
    match (packed(ty), value) {
        (Some((scalar, _)), Value::Array(flat)) if flat.scalar() == Some(scalar) => {
            let mut rows = Rows { flat, next: 0 };
            rows.value(ty, &mut sizes.clone())
        }
        (_, value) => value,
    }
}

struct Rows {
    flat: ArrayValue,
    next: usize,
}

impl Rows {
    fn value(&mut self, ty: &Ty, sizes: &mut SizeValues) -> Value {
        let TyKind::Array(a) = opened(ty).kind() else {
            let value = self.flat.get(self.next);
            self.next += 1;
            return value.unwrap_or(Value::Tuple(Vec::new()));
        };
        let len = sizes.eval(&a.len).ok().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        if a.element.as_scalar().is_some() {
            let end = (self.next + len).min(self.flat.len());
            let row = super::flat::part(&self.flat, self.next.min(end), end - self.next.min(end));
            self.next = end;
            return Value::Array(row);
        }
        let mut rows = Vec::with_capacity(len);
        for i in 0..len {
            if let Some(p) = &a.position {
                sizes.insert(p.clone(), i as i64);
            }
            rows.push(self.value(&a.element, sizes));
        }
        Value::Array(ArrayValue::Values(rows))
    }
}
