//! Types, shared by the checker, the code generator and messages.
//!
//! A type is an immutable, shared tree. Lengths are [`Size`]s in normal form. Types print exactly as the language's
//! documentation writes them: `Array[Array[Float,M],N]`, `<∃X, Array[Float,X]>`, `(Float, Int)`.

use crate::scalar::Scalar;
use crate::size::{Assumption, Size, Var, VarKind};
use std::fmt;
use std::sync::{Arc, LazyLock};

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Ty(Arc<TyKind>);

/// A type inference variable of one inference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TyVar(pub u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TyKind {
    Scalar(Scalar),
    /// An OpenCL vector: element and width (2, 3, 4, 8, 16).
    Vec(Ty, Size),
    Array(ArrayTy),
    Tuple(Vec<Ty>),
    /// `<∃X Y, body>`; the variables have kind [`VarKind::Bound`], and each occurs in the body.
    Exists(Vec<Var>, Ty),
    /// A function of one argument; functions are curried.
    Fun(Ty, Ty),
    /// The singleton type of a size argument: of `#4` in `(split #4)`.
    Size(Size),
    Unknown(TyVar),
    /// A quantified type of a [`Scheme`], by its index there.
    Generic(u32),
    /// The type of an erroneous expression; conflicts with nothing.
    Error,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ArrayTy {
    pub element: Ty,
    pub len: Size,
    /// For a position-dependent array, the index variable (kind [`VarKind::Position`]) that `element` mentions. During
    /// inference, and in a [`Scheme`], inference variables and quantified parts of `element` may depend on it as well.
    pub position: Option<Var>,
}

/// Classes that restrict a quantified type or an inference variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// `Int Long Float Double`
    Num,
    /// `Int Long`
    Integral,
    /// `Float Double`
    Floating,
    /// Any scalar: vector elements, and operands of `=`, which include `Bool`.
    Scalar,
}

impl Class {
    pub fn admits(self, s: Scalar) -> bool {
        match self {
            Class::Num => s.is_number(),
            Class::Integral => s.is_integer(),
            Class::Floating => s.is_floating(),
            Class::Scalar => true,
        }
    }
    pub fn meet(self, other: Class) -> Option<Class> {
        use Class::*;
        match (self, other) {
            (a, b) if a == b => Some(a),
            (Scalar, c) | (c, Scalar) => Some(c),
            (Num, c) | (c, Num) => Some(c),
            _ => None,
        }
    }
    /// One member, as messages name it.
    pub fn member(self) -> &'static str {
        match self {
            Class::Num => "a number",
            Class::Integral => "an integer",
            Class::Floating => "a `Half`, `Float` or `Double`",
            Class::Scalar => "a scalar",
        }
    }
    /// All members, as messages name them.
    pub fn members(self) -> &'static str {
        match self {
            Class::Num => "numbers",
            Class::Integral => "integers",
            Class::Floating => "`Half`, `Float` or `Double`",
            Class::Scalar => "scalars",
        }
    }
}

/// A generalised type: the part of a definition that other forms see.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scheme {
    /// The class, if any, of each [`TyKind::Generic`].
    pub types: Vec<Option<Class>>,
    /// The quantified lengths, of kind [`VarKind::Generic`] with ids `0..`.
    pub sizes: Vec<Var>,
    pub ty: Ty,
    /// Assumptions of the definition about its lengths; each use makes them about its own lengths.
    pub assumptions: Vec<Assumption>,
    /// Sizes that must be constants where a kernel uses the definition, such as the count of an `iterate` that changes
    /// the length.
    pub constants: Vec<Size>,
    /// Index variables on which the quantified types and lengths may depend.
    pub dependence: Dependence,
    /// The natural number that the definition names, which may be used as a size.
    pub natural: Option<u64>,
    /// The literals that determine the types of parameters, each with the index of its parameter.
    pub literals: Vec<(usize, Arc<str>)>,
    /// The parameters that the definition gives to a fold in any order: its start, which must be neutral, and its function.
    pub folds: Vec<(usize, usize)>,
    /// Whether the definition has errors, which are reported there.
    pub faulty: bool,
}

/// Array index variables on which the quantified parts of a [`Scheme`] may depend.
///
/// In `map : (a -> b) -> Array[i => a,n] -> Array[i => b,n]`, `a` and `b` are the elements at one index `i`, for which
/// the function is checked once (Pizzuti, Steuwer, Dubach, *Position-dependent arrays*, 2019, Fig. 8).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Dependence {
    /// For each quantified type; missing entries depend on nothing.
    pub types: Vec<Vec<Var>>,
    /// For each quantified length; missing entries depend on nothing.
    pub sizes: Vec<Vec<Var>>,
    /// In the result, `Generic(0)` is instantiated at this size instead of at the index variable: at `i+k` for `drop
    /// #k`, at 0 for `head`. Only primitives set it.
    pub element: Option<(Var, Size)>,
}

impl Dependence {
    pub fn of_type(&self, index: usize) -> &[Var] {
        self.types.get(index).map_or(&[], Vec::as_slice)
    }
    pub fn of_size(&self, index: usize) -> &[Var] {
        self.sizes.get(index).map_or(&[], Vec::as_slice)
    }
}

impl Scheme {
    pub fn mono(ty: Ty) -> Scheme {
        Scheme {
            types: Vec::new(),
            sizes: Vec::new(),
            ty,
            assumptions: Vec::new(),
            constants: Vec::new(),
            dependence: Dependence::default(),
            natural: None,
            literals: Vec::new(),
            folds: Vec::new(),
            faulty: false,
        }
    }
    /// The array index variables that the type binds, in order of appearance.
    pub fn positions(&self) -> Vec<Var> {
        self.ty.positions()
    }
}

impl Ty {
    pub fn new(kind: TyKind) -> Ty {
        Ty(Arc::new(kind))
    }
    pub fn kind(&self) -> &TyKind {
        &self.0
    }
    pub fn ptr_eq(&self, other: &Ty) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
    /// The shared type of a scalar: one allocation each, because most type nodes are scalars.
    pub fn scalar(s: Scalar) -> Ty {
        static SCALARS: LazyLock<Vec<Ty>> =
            LazyLock::new(|| Scalar::all().map(|s| Ty::new(TyKind::Scalar(s))).collect());
        SCALARS[s as usize].clone()
    }
    pub fn int() -> Ty {
        Ty::scalar(Scalar::Int)
    }
    pub fn bool() -> Ty {
        Ty::scalar(Scalar::Bool)
    }
    pub fn error() -> Ty {
        static ERROR: LazyLock<Ty> = LazyLock::new(|| Ty::new(TyKind::Error));
        ERROR.clone()
    }
    pub fn array(element: Ty, len: Size) -> Ty {
        Ty::new(TyKind::Array(ArrayTy { element, len, position: None }))
    }
    /// `Array[i => element,len]`; a plain array if `element` does not mention the index variable.
    pub fn dependent_array(position: Var, element: Ty, len: Size) -> Ty {
        let position = element.mentions(&position).then_some(position);
        Ty::new(TyKind::Array(ArrayTy { element, len, position }))
    }
    pub fn tuple(parts: Vec<Ty>) -> Ty {
        Ty::new(TyKind::Tuple(parts))
    }
    pub fn fun(arg: Ty, result: Ty) -> Ty {
        Ty::new(TyKind::Fun(arg, result))
    }
    pub fn funs(args: impl IntoIterator<Item = Ty, IntoIter: DoubleEndedIterator>, result: Ty) -> Ty {
        args.into_iter().rev().fold(result, |r, a| Ty::fun(a, r))
    }
    /// `<∃vars, body>`, dropping variables that do not occur and merging nested quantifiers.
    pub fn exists(vars: Vec<Var>, body: Ty) -> Ty {
        let (mut vars, body) = match body.kind() {
            TyKind::Exists(inner, b) => (vars.into_iter().chain(inner.iter().cloned()).collect(), b.clone()),
            _ => (vars, body),
        };
        vars.retain(|v| body.mentions(v));
        if vars.is_empty() { body } else { Ty::new(TyKind::Exists(vars, body)) }
    }

    pub fn as_scalar(&self) -> Option<Scalar> {
        match self.kind() {
            TyKind::Scalar(s) => Some(*s),
            _ => None,
        }
    }
    pub fn as_array(&self) -> Option<&ArrayTy> {
        match self.kind() {
            TyKind::Array(a) => Some(a),
            _ => None,
        }
    }
    pub fn is_error(&self) -> bool {
        matches!(self.kind(), TyKind::Error)
    }

    /// Whether any node of the type satisfies `pred`; visits outer nodes first.
    pub fn any(&self, pred: &mut dyn FnMut(&Ty) -> bool) -> bool {
        pred(self)
            || match self.kind() {
                TyKind::Vec(t, _) | TyKind::Exists(_, t) => t.any(pred),
                TyKind::Array(a) => a.element.any(pred),
                TyKind::Tuple(ts) => ts.iter().any(|t| t.any(pred)),
                TyKind::Fun(a, b) => a.any(pred) || b.any(pred),
                _ => false,
            }
    }
    /// The index variables that arrays in the type bind, in order of appearance.
    pub fn positions(&self) -> Vec<Var> {
        let mut found: Vec<Var> = Vec::new();
        self.any(&mut |t| {
            if let Some(p) = t.as_array().and_then(|a| a.position.as_ref())
                && !found.contains(p)
            {
                found.push(p.clone());
            }
            false
        });
        found
    }
    /// Removes vacuous index binders: those that the elements of their array do not mention.
    pub fn without_idle_positions(&self) -> Ty {
        if !self.any(&mut |t| t.as_array().is_some_and(|a| a.position.is_some())) {
            return self.clone();
        }
        let mut on_ty = |t: &Ty| {
            let a = t.as_array()?;
            let element = a.element.without_idle_positions();
            Some(match &a.position {
                Some(p) => Ty::dependent_array(p.clone(), element, a.len.clone()),
                None => Ty::array(element, a.len.clone()),
            })
        };
        self.rewrite(&mut on_ty, &mut Size::clone)
    }
    /// Whether any size in the type satisfies `pred`.
    pub fn any_size(&self, pred: &mut dyn FnMut(&Size) -> bool) -> bool {
        self.any(&mut |t| match t.kind() {
            TyKind::Vec(_, s) | TyKind::Size(s) => pred(s),
            TyKind::Array(a) => pred(&a.len),
            _ => false,
        })
    }
    /// Whether any size in the type contains a variable that satisfies `pred`.
    pub fn any_size_var(&self, pred: &mut dyn FnMut(&Var) -> bool) -> bool {
        self.any_size(&mut |size| size.any_var(&mut *pred))
    }
    pub fn mentions(&self, var: &Var) -> bool {
        self.any_size_var(&mut |v| v == var)
    }
    pub fn contains_error(&self) -> bool {
        self.any(&mut |t| t.is_error())
    }
    /// Whether the type contains an error, or a length that an error left undetermined and that prints as `?`.
    pub fn has_gaps(&self) -> bool {
        self.contains_error() || self.any_size_var(&mut is_gap)
    }

    /// Rebuilds the type. `on_ty` runs on outer nodes first; where it returns `Some`, that type replaces the whole
    /// node. `on_size` maps every remaining size. Unchanged nodes are shared with the result.
    pub fn rewrite(&self, on_ty: &mut dyn FnMut(&Ty) -> Option<Ty>, on_size: &mut dyn FnMut(&Size) -> Size) -> Ty {
        if let Some(t) = on_ty(self) {
            return t;
        }
        let kind = match self.kind() {
            TyKind::Scalar(_) | TyKind::Unknown(_) | TyKind::Generic(_) | TyKind::Error => return self.clone(),
            TyKind::Vec(t, s) => {
                let (new, width) = (t.rewrite(on_ty, on_size), on_size(s));
                if new.ptr_eq(t) && width.ptr_eq(s) {
                    return self.clone();
                }
                TyKind::Vec(new, width)
            }
            TyKind::Size(s) => {
                let new = on_size(s);
                if new.ptr_eq(s) {
                    return self.clone();
                }
                TyKind::Size(new)
            }
            TyKind::Array(a) => {
                let (element, len) = (a.element.rewrite(on_ty, on_size), on_size(&a.len));
                if element.ptr_eq(&a.element) && len.ptr_eq(&a.len) {
                    return self.clone();
                }
                TyKind::Array(ArrayTy { element, len, position: a.position.clone() })
            }
            TyKind::Tuple(ts) => {
                let new: Vec<Ty> = ts.iter().map(|t| t.rewrite(on_ty, on_size)).collect();
                if new.iter().zip(ts).all(|(new, t)| new.ptr_eq(t)) {
                    return self.clone();
                }
                TyKind::Tuple(new)
            }
            TyKind::Exists(vs, t) => {
                let new = t.rewrite(on_ty, on_size);
                if new.ptr_eq(t) {
                    return self.clone();
                }
                return Ty::exists(vs.clone(), new);
            }
            TyKind::Fun(a, b) => {
                let (arg, result) = (a.rewrite(on_ty, on_size), b.rewrite(on_ty, on_size));
                if arg.ptr_eq(a) && result.ptr_eq(b) {
                    return self.clone();
                }
                TyKind::Fun(arg, result)
            }
        };
        Ty::new(kind)
    }
    /// Replaces size variables. Binders are unique, so nothing is captured.
    pub fn subst_sizes(&self, f: &mut dyn FnMut(&Var) -> Option<Size>) -> Ty {
        self.rewrite(&mut |_| None, &mut |s| s.subst(&mut *f))
    }
    /// Replaces one size variable.
    pub fn subst_size(&self, var: &Var, by: &Size) -> Ty {
        self.subst_sizes(&mut |v| (v == var).then(|| by.clone()))
    }

    /// The arguments and the result of a curried function type; other types have no arguments.
    pub fn uncurry(&self) -> (Vec<&Ty>, &Ty) {
        let (mut args, mut t) = (Vec::new(), self);
        while let TyKind::Fun(a, r) = t.kind() {
            args.push(a);
            t = r;
        }
        (args, t)
    }
}

/// The printed name of the n-th quantified type or inference variable: `a`, `b`, ….
pub fn type_variable_name(n: u32) -> String {
    let letter = char::from(b'a' + (n % 26) as u8);
    if n < 26 { letter.to_string() } else { format!("{letter}{}", n / 26) }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            TyKind::Scalar(s) => write!(f, "{s}"),
            TyKind::Vec(t, n) => write!(f, "Vec[{t},{n}]"),
            TyKind::Array(ArrayTy { element, len, position: Some(i) }) if element.mentions(i) => {
                write!(f, "Array[{} => {element},{len}]", i.name)
            }
            TyKind::Array(ArrayTy { element, len, .. }) => write!(f, "Array[{element},{len}]"),
            TyKind::Tuple(ts) => {
                f.write_str("(")?;
                for (i, t) in ts.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{t}")?;
                }
                f.write_str(")")
            }
            TyKind::Exists(vs, t) => {
                f.write_str("<∃")?;
                for (i, v) in vs.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    f.write_str(&v.name)?;
                }
                write!(f, ", {t}>")
            }
            TyKind::Fun(a, r) => match a.kind() {
                TyKind::Fun(..) => write!(f, "({a}) -> {r}"),
                _ => write!(f, "{a} -> {r}"),
            },
            TyKind::Size(s) => write!(f, "#{s}"),
            TyKind::Unknown(_) => f.write_str("_"),
            TyKind::Generic(n) => f.write_str(&type_variable_name(*n)),
            TyKind::Error => f.write_str("?"),
        }
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.ty)
    }
}

/// The id of a length that an error left undetermined.
const GAP: u32 = u32::MAX;

/// A length that an error left undetermined.
pub fn gap() -> Var {
    bound(GAP, "?")
}

/// Whether this is a [`gap`].
pub fn is_gap(v: &Var) -> bool {
    v.kind == VarKind::Bound && v.id == GAP
}

/// A length variable bound by an `∃`.
pub fn bound(id: u32, name: &str) -> Var {
    Var { kind: VarKind::Bound, id, name: name.into() }
}
