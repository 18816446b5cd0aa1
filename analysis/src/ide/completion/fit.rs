//! Fit between a candidate's type and the expected type.

use crate::infer::Partial;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Class, Scheme, Ty, TyKind, TyVar};
use rustc_hash::FxHashMap;

/// Fit of a candidate; better ones are greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fit {
    No,
    /// Matches except for a length.
    Lengths,
    /// Matches; with the number of equal nodes of both types. At 0, the expected type gives no information.
    Yes(u32),
}

impl Fit {
    pub fn is_good(self) -> bool {
        matches!(self, Fit::Yes(_))
    }
}

/// Limit on the nodes compared, far above ordinary types.
const FUEL: u32 = 400;

/// First number of a candidate's inference variables, distinct from those of the program.
const CANDIDATE: u32 = 1 << 30;

/// The type of a definition with inference variables for quantified parts, and their classes.
pub fn instance(scheme: &Scheme) -> (Ty, FxHashMap<TyVar, Class>) {
    let ty = scheme.ty.rewrite(
        &mut |part| match part.kind() {
            TyKind::Generic(n) => Some(Ty::new(TyKind::Unknown(TyVar(CANDIDATE + n)))),
            _ => None,
        },
        &mut |size| {
            size.subst(&mut |var: &Var| {
                (var.kind == VarKind::Generic)
                    .then(|| Size::var(Var::new(VarKind::Unknown, CANDIDATE + var.id, var.name.clone())))
            })
        },
    );
    let classes = scheme.types.iter().zip(0..);
    let classes = classes.filter_map(|(class, n)| class.map(|class| (TyVar(CANDIDATE + n), class)));
    (ty, classes.collect())
}

/// Whether a value of type `candidate` can be used where `wanted` is expected.
pub fn fit(candidate: &Ty, classes: &FxHashMap<TyVar, Class>, wanted: &Ty, partial: &Partial) -> Fit {
    let mut matching = Matching {
        classes,
        wanted_classes: &partial.classes,
        types: FxHashMap::default(),
        sizes: FxHashMap::default(),
        agreement: 0,
        lengths_differ: false,
        fuel: FUEL,
    };
    match matching.types(candidate, wanted) {
        false => Fit::No,
        true if matching.lengths_differ => Fit::Lengths,
        true => Fit::Yes(matching.agreement),
    }
}

struct Matching<'a> {
    classes: &'a FxHashMap<TyVar, Class>,
    wanted_classes: &'a FxHashMap<TyVar, Class>,
    types: FxHashMap<TyVar, Ty>,
    sizes: FxHashMap<u32, Size>,
    agreement: u32,
    lengths_differ: bool,
    fuel: u32,
}

impl Matching<'_> {
    fn resolve(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        // A chain has at most as many links as there are bindings.
        for _ in 0..=self.types.len() {
            match ty.kind() {
                TyKind::Unknown(v) => match self.types.get(v) {
                    Some(bound) => ty = bound.clone(),
                    None => break,
                },
                _ => break,
            }
        }
        ty
    }

    fn class(&self, v: TyVar) -> Option<Class> {
        self.classes.get(&v).or_else(|| self.wanted_classes.get(&v)).copied()
    }

    fn types(&mut self, a: &Ty, b: &Ty) -> bool {
        let Some(fuel) = self.fuel.checked_sub(1) else { return true };
        self.fuel = fuel;
        let (a, b) = (self.resolve(a), self.resolve(b));
        match (a.kind(), b.kind()) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Unknown(v), TyKind::Unknown(w)) if v == w => true,
            (TyKind::Unknown(v), _) => self.bind(*v, &b),
            (_, TyKind::Unknown(w)) => self.bind(*w, &a),
            // A hidden length is opened at a use, or hidden where one is expected.
            (TyKind::Exists(_, inner), _) => self.types(inner, &b),
            (_, TyKind::Exists(_, inner)) => self.types(&a, inner),
            (TyKind::Scalar(x), TyKind::Scalar(y)) => self.agree(x == y),
            (TyKind::Generic(x), TyKind::Generic(y)) => self.agree(x == y),
            (TyKind::Array(x), TyKind::Array(y)) => {
                self.agreement += 1;
                self.lengths(&x.len, &y.len);
                self.types(&x.element, &y.element)
            }
            (TyKind::Vec(x, n), TyKind::Vec(y, m)) => {
                self.lengths(n, m);
                self.agree(true) && self.types(x, y)
            }
            (TyKind::Tuple(xs), TyKind::Tuple(ys)) => {
                self.agree(xs.len() == ys.len()) && xs.iter().zip(ys).all(|(x, y)| self.types(x, y))
            }
            (TyKind::Fun(x, r), TyKind::Fun(y, s)) => self.agree(true) && self.types(x, y) && self.types(r, s),
            (TyKind::Size(x), TyKind::Size(y)) => {
                self.lengths(x, y);
                self.agree(true)
            }
            // A size name is an Int where no size is expected.
            (TyKind::Size(_), TyKind::Scalar(crate::hir::Scalar::Int))
            | (TyKind::Scalar(crate::hir::Scalar::Int), TyKind::Size(_)) => true,
            _ => false,
        }
    }

    fn agree(&mut self, same: bool) -> bool {
        self.agreement += u32::from(same);
        same
    }

    fn bind(&mut self, v: TyVar, ty: &Ty) -> bool {
        let class = self.class(v);
        match (class, ty.kind()) {
            (Some(class), TyKind::Scalar(scalar)) if !class.admits(*scalar) => return false,
            (Some(class), TyKind::Unknown(w)) => {
                if self.class(*w).is_some_and(|other| class.meet(other).is_none()) {
                    return false;
                }
                // Keep the variable that has a class.
                self.types.insert(*w, Ty::new(TyKind::Unknown(v)));
                return true;
            }
            (Some(_), TyKind::Scalar(_)) | (None, _) => {}
            (Some(_), TyKind::Generic(_) | TyKind::Error) => {}
            (Some(_), _) => return false,
        }
        self.types.insert(v, ty.clone());
        true
    }

    fn lengths(&mut self, a: &Size, b: &Size) {
        let (a, b) = (self.resolve_size(a), self.resolve_size(b));
        if a == b {
            self.agreement += 1;
            return;
        }
        let flexible = |var: &Var| matches!(var.kind, VarKind::Unknown | VarKind::Bound | VarKind::Position);
        let alone = |size: &Size| size.as_var().filter(|var| var.kind == VarKind::Unknown).map(|var| var.id);
        if let Some(id) = alone(&a) {
            self.sizes.insert(id, b);
        } else if let Some(id) = alone(&b) {
            self.sizes.insert(id, a);
        } else if !a.any_var(&mut |v| flexible(v)) && !b.any_var(&mut |v| flexible(v)) {
            self.lengths_differ = true;
        }
    }

    fn resolve_size(&self, size: &Size) -> Size {
        let mut size = size.clone();
        for _ in 0..=self.sizes.len() {
            match size.as_var().filter(|var| var.kind == VarKind::Unknown).and_then(|var| self.sizes.get(&var.id)) {
                Some(bound) => size = bound.clone(),
                None => break,
            }
        }
        size
    }
}
