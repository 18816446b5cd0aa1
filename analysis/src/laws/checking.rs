//! The types of a law's sides.

use crate::size::{Size, Var, VarKind};
use crate::ty::{Scheme, Ty, TyKind};

/// The types of the pattern variables and of both sides, or why the sides do not have one type.
pub fn sides(scheme: &Scheme, params: usize) -> Result<Vec<Ty>, String> {
    let mut ty = scheme.ty.clone();
    let mut types = Vec::new();
    for _ in 0..params {
        let TyKind::Fun(param, result) = ty.kind() else { return Err("the law is not a function".into()) };
        types.push(param.clone());
        ty = result.clone();
    }
    if let TyKind::Exists(_, inner) = ty.kind() {
        ty = inner.clone();
    }
    let TyKind::Tuple(parts) = ty.kind() else { return Err("the law is not a pair".into()) };
    let [left, right] = parts.as_slice() else { return Err("the law is not a pair".into()) };
    if canonical(left) != canonical(right) {
        return Err(format!("the sides have different types: `{left}` and `{right}`"));
    }
    Ok(types)
}

/// The type with its hidden lengths named in the order in which they occur.
fn canonical(ty: &Ty) -> Ty {
    let inner = match ty.kind() {
        TyKind::Exists(_, inner) => inner.clone(),
        _ => ty.clone(),
    };
    let mut seen: Vec<Var> = Vec::new();
    inner.any(&mut |part| {
        if let Some(array) = part.as_array() {
            for var in array.len.vars() {
                if var.kind == VarKind::Bound && !seen.contains(&var) {
                    seen.push(var);
                }
            }
        }
        false
    });
    inner.subst_sizes(&mut |var| {
        let nth = seen.iter().position(|other| other == var)?;
        Some(Size::var(Var::new(VarKind::Bound, nth as u32, "hidden")))
    })
}
