//! The types that a function is given, in one inference.

use crate::infer::context::Infer;
use crate::infer::given::Given;
use crate::size::{Size, Var};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

impl Infer<'_> {
    /// The types of the parameters of a function that is specialised to its arguments.
    pub fn given_params(&mut self, given: &Given) -> Vec<Option<Ty>> {
        let (mut types, mut sizes) = (FxHashMap::default(), FxHashMap::default());
        let params = given.params().iter();
        params.map(|ty| ty.as_ref().map(|ty| instance(ty, self, &mut types, &mut sizes))).collect()
    }

    /// The type of a function that takes what it is given.
    pub fn given_function(&mut self, given: &Given) -> Ty {
        let params = self.given_params(given);
        let params: Vec<Ty> = params.into_iter().map(|ty| ty.unwrap_or_else(|| self.fresh())).collect();
        Ty::funs(params, self.fresh())
    }
}

/// A fresh instance of a pattern.
fn instance(ty: &Ty, infer: &mut Infer<'_>, types: &mut FxHashMap<u32, Ty>, sizes: &mut FxHashMap<Var, Size>) -> Ty {
    match ty.kind() {
        TyKind::Generic(n) => types.entry(*n).or_insert_with(|| infer.fresh()).clone(),
        TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|part| instance(part, infer, types, sizes)).collect()),
        TyKind::Exists(vars, body) => {
            let fresh: Vec<Var> = vars.iter().map(|v| infer.scopes.bind_length(&v.name)).collect();
            sizes.extend(vars.iter().cloned().zip(fresh.iter().cloned().map(Size::var)));
            Ty::exists(fresh, instance(body, infer, types, sizes))
        }
        TyKind::Array(a) => {
            let element = instance(&a.element, infer, types, sizes);
            Ty::array(element, length(&a.len, infer, sizes))
        }
        TyKind::Size(size) => Ty::new(TyKind::Size(length(size, infer, sizes))),
        _ => ty.clone(),
    }
}

fn length(len: &Size, infer: &mut Infer<'_>, sizes: &mut FxHashMap<Var, Size>) -> Size {
    len.subst(&mut |v| Some(sizes.entry(v.clone()).or_insert_with(|| infer.fresh_size()).clone()))
}
