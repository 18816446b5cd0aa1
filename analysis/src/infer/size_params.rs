//! Finds the parameters without an annotation that are sizes: those that the body uses where a size is required.
//!
//! They are found before the walk, so that the order of uses does not matter: in
//! `(define (chunks k xs) (map (reduceSeq k +) (split k xs)))` the first use of `k` is as an Int, and a size is an Int,
//! too.

use super::{Env, Lookup};
use crate::hir::*;
use crate::prims::Special;
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The parameters used as the size of a call, `(split k xs)`, or in a written size, `#(* 2 k)`.
pub fn size_params(body: &Body, env: &dyn Env) -> FxHashSet<BinderId> {
    let plain = |b: BinderId| body.binder(b).role == BinderRole::Param && body.binder(b).ty.is_none();
    let mut out = FxHashSet::default();
    if !(0..body.binders.len()).any(|b| plain(BinderId(b as u32))) {
        return out;
    }
    out.extend(body.sizes.iter().filter_map(|s| match s {
        SizeRef::Local(b) if plain(*b) => Some(*b),
        _ => None,
    }));
    let mut given = None;
    for expr in &body.exprs {
        let Expr::Apply { callee, args } = expr else { continue };
        let Expr::Global(name) = body.expr(*callee) else { continue };
        let local = |arg: &ExprId| match body.expr(*arg) {
            Expr::Local(b) if plain(*b) => Some(*b),
            _ => None,
        };
        if !args.iter().any(|a| local(a).is_some()) {
            continue;
        }
        let ty = match env.lookup(name) {
            Lookup::Definition(scheme) => scheme.ty,
            // These also take an Int that is not a size, with another type.
            Lookup::Primitive(p) if matches!(p.special, Some(Special::Sized | Special::Generate)) => continue,
            // So do these. A parameter of a lambda that is an argument gets its value from a caller, so it is excluded.
            Lookup::Primitive(p) if p.special == Some(Special::Cut) => {
                let given = given.get_or_insert_with(|| parameters_of_arguments(body));
                let sizes = args.iter().take(p.static_sizes.len());
                out.extend(sizes.filter_map(local).filter(|b| !given.contains(b)));
                continue;
            }
            Lookup::Primitive(p) => p.scheme.ty.clone(),
            Lookup::Recursive(_) | Lookup::Failed | Lookup::Unknown { .. } => continue,
        };
        let sizes = args.iter().zip(ty.uncurry().0).filter(|(_, param)| is_size(param));
        out.extend(sizes.filter_map(|(arg, _)| local(arg)));
    }
    out
}

/// The parameters of lambdas that are arguments.
fn parameters_of_arguments(body: &Body) -> FxHashSet<BinderId> {
    let args = body.exprs.iter().flat_map(|expr| match expr {
        Expr::Apply { args, .. } => args.as_slice(),
        _ => &[],
    });
    let params = args.flat_map(|arg| match body.expr(*arg) {
        Expr::Lambda { params, .. } => params.as_slice(),
        _ => &[],
    });
    params.copied().collect()
}

fn is_size(ty: &Ty) -> bool {
    matches!(ty.kind(), TyKind::Size(_))
}
