//! Inference of a body that is still being written: the types before the remaining inference variables are defaulted.
//!
//! Completion inserts a name of any type at the cursor. The type inferred for it from its context is the expected type
//! there.

use super::context::Infer;
use super::result::LetScheme;
use super::table::Key;
use super::{Env, Mode};
use crate::hir::{BinderId, Body, ExprId, IdVec};
use crate::infer::solve::work::{TERMS_AT_THE_END, WORK_LIMIT};
use crate::size::work;
use crate::ty::{Class, Ty, TyVar};
use rustc_hash::FxHashMap;

/// Types that may contain inference variables ([`crate::ty::TyKind::Unknown`], and lengths of kind `Unknown`).
#[derive(Debug, Default)]
pub struct Partial {
    /// `None` for expressions that were not reached.
    pub exprs: IdVec<ExprId, Option<Ty>>,
    pub binders: IdVec<BinderId, Option<Ty>>,
    /// The schemes of generalised `let`-bound functions.
    pub let_schemes: FxHashMap<BinderId, LetScheme>,
    pub classes: FxHashMap<TyVar, Class>,
}

impl Partial {
    pub fn expr(&self, id: ExprId) -> Option<&Ty> {
        self.exprs.get(id)?.as_ref()
    }
    pub fn binder(&self, id: BinderId) -> Option<&Ty> {
        self.binders.get(id)?.as_ref()
    }
}

/// Infers a body as far as possible.
pub fn infer_partial(body: &Body, env: &dyn Env) -> Partial {
    work::apart(WORK_LIMIT + TERMS_AT_THE_END, || as_far_as_it_goes(body, env))
}

fn as_far_as_it_goes(body: &Body, env: &dyn Env) -> Partial {
    let mut infer = Infer::new(body, env, Mode::Insert);
    infer.walk(None);
    infer.settle(0, 0);
    let zonk = |ty: &Option<Ty>| ty.as_ref().map(|ty| infer.table.zonk(ty));
    let exprs: IdVec<ExprId, _> = infer.found.types().iter().map(zonk).collect();
    let binders: IdVec<BinderId, _> = infer.binders.types().iter().map(zonk).collect();
    let mut classes = FxHashMap::default();
    for ty in exprs.iter().chain(&binders).flatten() {
        for key in infer.table.unknowns(ty) {
            if let Key::Type(v) = key
                && let Some(class) = infer.table.class(TyVar(v))
            {
                classes.insert(TyVar(v), class);
            }
        }
    }
    Partial { exprs, binders, let_schemes: infer.found.into_let_schemes(), classes }
}
