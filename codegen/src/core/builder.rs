//! Builds kernels by hand, for tests. Types are computed; a mistake panics with a message.
//!
//! ```
//! use lift_codegen::core::builder::*;
//! let mut b = Builder::new("halves");
//! let n = b.size("N");
//! let xs = b.param("xs", array(float(), &n));
//! let ys = b.map(Level::Auto, &xs, |b, x| b.mul(x, 0.5f32));
//! let kernel = b.finish(&ys);
//! assert_eq!(kernel.result.to_string(), "Array[Float,N]");
//! ```

use super::typing::{Signature, prim_type, scalar_type, under};
pub use super::{Atom, Kernel, Lambda, Level, PadMode, Prim, ScalarOp, Space};
use super::{Block, PrimCall, Rhs, Stmt, UNNAMED, VarId, VarInfo};
use lift_analysis::halves::f16;
use lift_analysis::hir::{ExprId, Literal, Scalar};
use lift_analysis::origin::{FormKey, Origin};
use lift_analysis::parameters::Settings;
use lift_analysis::size::{Assumption, Facts, LengthCheck, Size, Var, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use std::sync::Arc;

pub fn int() -> Ty {
    Ty::int()
}
pub fn long() -> Ty {
    Ty::scalar(Scalar::Long)
}
pub fn float() -> Ty {
    Ty::scalar(Scalar::Float)
}
pub fn double() -> Ty {
    Ty::scalar(Scalar::Double)
}
pub fn boolean() -> Ty {
    Ty::bool()
}
pub fn array(element: Ty, len: &Size) -> Ty {
    Ty::array(element, len.clone())
}
/// `<∃X, Array[element,X]>`
pub fn dynamic_array(element: Ty) -> Ty {
    let x = Var::new(VarKind::Bound, 0, "X");
    Ty::exists(vec![x.clone()], Ty::array(element, Size::var(x)))
}

macro_rules! literals {
    ($($rust:ty => $make:expr),*) => {$(
        impl From<$rust> for Atom {
            fn from(x: $rust) -> Atom {
                let make: fn($rust) -> Literal = $make;
                Atom::Lit(make(x))
            }
        }
    )*};
}
literals!(
    i8 => Literal::Byte,
    u8 => Literal::UByte,
    i16 => Literal::Short,
    u16 => Literal::UShort,
    i32 => Literal::Int,
    u32 => Literal::UInt,
    i64 => Literal::Long,
    u64 => Literal::ULong,
    f16 => |x| Literal::Half(x.to_bits()),
    f32 => |x| Literal::Float(x.to_bits()),
    f64 => |x| Literal::Double(x.to_bits()),
    bool => Literal::Bool
);
impl From<&Atom> for Atom {
    fn from(a: &Atom) -> Atom {
        a.clone()
    }
}
impl From<VarId> for Atom {
    fn from(v: VarId) -> Atom {
        Atom::Var(v)
    }
}
/// The size as a value of type Int.
impl From<&Size> for Atom {
    fn from(s: &Size) -> Atom {
        Atom::Size(s.clone())
    }
}

pub struct Builder {
    kernel: Kernel,
    /// The open blocks, outermost first.
    open: Vec<Vec<Stmt>>,
    form: Arc<FormKey>,
    next_origin: u32,
    next_length: u32,
    facts: Facts,
}

impl Builder {
    pub fn new(name: &str) -> Builder {
        let kernel = Kernel {
            name: name.into(),
            sizes: Vec::new(),
            params: Vec::new(),
            vars: Vec::new(),
            body: Block { stmts: Vec::new(), result: Atom::Lit(Literal::Int(0)) },
            result: Ty::int(),
            assumptions: Vec::new(),
            settings: Settings::DEFAULT,
        };
        let form = Arc::new(FormKey { file: "test.lift".into(), name: Some(name.into()), nth: 0 });
        Builder { kernel, open: vec![Vec::new()], form, next_origin: 0, next_length: 0, facts: Facts::new() }
    }
    /// Declares a size parameter.
    pub fn size(&mut self, name: &str) -> Size {
        let var = Var::new(VarKind::Param, self.kernel.sizes.len() as u32, name);
        self.kernel.sizes.push(var.clone());
        Size::var(var)
    }
    pub fn param(&mut self, name: &str, ty: Ty) -> Atom {
        let var = self.var(name, ty);
        self.kernel.params.push(var);
        Atom::Var(var)
    }
    pub fn assume(&mut self, assumption: Assumption) {
        self.facts.assume(&assumption);
        let origin = self.origin();
        self.kernel.assumptions.push((assumption, origin));
    }
    pub fn finish(mut self, result: impl Into<Atom>) -> Kernel {
        let result = result.into();
        assert_eq!(self.open.len(), 1, "builder: a block is still open");
        self.kernel.result = self.kernel.atom_ty(&result);
        self.kernel.body = Block { stmts: self.open.pop().unwrap_or_default(), result };
        self.kernel
    }

    pub fn ty(&self, a: impl Into<Atom>) -> Ty {
        self.kernel.atom_ty(&a.into())
    }
    fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.kernel.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }
    fn origin(&mut self) -> Origin {
        self.next_origin += 1;
        Origin::new(self.form.clone(), ExprId(self.next_origin - 1))
    }
    fn length(&mut self, kind: VarKind) -> Var {
        self.next_length += 1;
        Var::new(kind, self.next_length, format!("X{}", self.next_length))
    }
    /// Emits a statement with the given right-hand side.
    pub fn emit(&mut self, name: &str, ty: Ty, binds: Vec<Var>, rhs: Rhs) -> Atom {
        let (var, origin) = (self.var(name, ty), self.origin());
        let block = self.open.last_mut().unwrap_or_else(|| panic!("builder: no block is open"));
        block.push(Stmt { var, binds, rhs, origin });
        Atom::Var(var)
    }

    pub fn op(&mut self, op: ScalarOp, operands: &[Atom]) -> Atom {
        let types: Vec<Ty> = operands.iter().map(|a| self.ty(a)).collect();
        let ty = scalar_type(op, &types).unwrap_or_else(|e| panic!("builder: {e}"));
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Scalar(op, operands.to_vec()))
    }
    pub fn tuple(&mut self, parts: &[Atom]) -> Atom {
        let ty = Ty::tuple(parts.iter().map(|a| self.ty(a)).collect());
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Tuple(parts.to_vec()))
    }
    /// Projects component `i`, counted from 0.
    pub fn proj(&mut self, tuple: impl Into<Atom>, i: usize) -> Atom {
        let tuple = tuple.into();
        let ty = match self.ty(&tuple).kind() {
            TyKind::Tuple(parts) => parts[i].clone(),
            _ => panic!("builder: a projection of `{}`", self.ty(&tuple)),
        };
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Proj(tuple, i))
    }
    pub fn if_(
        &mut self,
        condition: impl Into<Atom>,
        then: impl FnOnce(&mut Builder) -> Atom,
        otherwise: impl FnOnce(&mut Builder) -> Atom,
    ) -> Atom {
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        let ty = self.ty(&then.result);
        self.emit(UNNAMED, ty, Vec::new(), Rhs::If(condition.into(), then, otherwise))
    }
    pub fn block(&mut self, body: impl FnOnce(&mut Builder) -> Atom) -> Block {
        self.open.push(Vec::new());
        let result = body(self);
        Block { stmts: self.open.pop().unwrap_or_default(), result }
    }
    pub fn lambda(&mut self, params: &[Ty], body: impl FnOnce(&mut Builder, &[Atom]) -> Atom) -> Lambda {
        let params: Vec<VarId> = params.iter().map(|ty| self.var("x", ty.clone())).collect();
        let atoms: Vec<Atom> = params.iter().map(|p| Atom::Var(*p)).collect();
        let origin = self.origin();
        let body = self.block(|b| body(b, &atoms));
        Lambda { position: None, params, body, origin }
    }
    pub fn prim(&mut self, prim: Prim, sizes: &[Size], funs: Vec<Lambda>, args: &[Atom]) -> Atom {
        let types: Vec<Ty> = args.iter().map(|a| self.ty(a)).collect();
        let signatures: Vec<Signature> = funs
            .iter()
            .map(|f| Signature {
                position: f.position.clone(),
                params: f.params.iter().map(|p| self.ty(*p)).collect(),
                result: self.ty(&f.body.result),
                size: f.size(),
            })
            .collect();
        let facts = self.facts.clone();
        let ty = prim_type(prim, sizes, &signatures, &types, &under(&facts), &mut |kind| self.length(kind))
            .unwrap_or_else(|e| panic!("builder: {e}"));
        let call = PrimCall { prim, sizes: sizes.to_vec(), funs, args: args.to_vec() };
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Prim(call))
    }
    /// Opens a value of existential type.
    pub fn unpack(&mut self, packed: impl Into<Atom>) -> (Vec<Size>, Atom) {
        let packed = packed.into();
        let ty = self.ty(&packed);
        let TyKind::Exists(vars, body) = ty.kind() else { panic!("builder: `{ty}` has nothing to unpack") };
        let opened: Vec<Var> = vars.iter().map(|_| self.length(VarKind::Skolem)).collect();
        let body = body.subst_sizes(&mut |v| {
            let at = vars.iter().position(|w| w == v)?;
            Some(Size::var(opened[at].clone()))
        });
        let value = self.emit(UNNAMED, body, opened.clone(), Rhs::Unpack(packed));
        (opened.into_iter().map(Size::var).collect(), value)
    }
    /// Hides the given lengths.
    pub fn pack(&mut self, value: impl Into<Atom>, lengths: &[Size]) -> Atom {
        let value = value.into();
        let bound: Vec<Var> = lengths.iter().map(|_| self.length(VarKind::Bound)).collect();
        let body = self.ty(&value).subst_sizes(&mut |v| {
            let at = lengths.iter().position(|l| l.as_var() == Some(v))?;
            Some(Size::var(bound[at].clone()))
        });
        let ty = Ty::exists(bound, body);
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Pack(value, lengths.to_vec()))
    }
    /// Casts to a type, checking that the given lengths are equal.
    pub fn cast(&mut self, value: impl Into<Atom>, ty: Ty, checks: &[LengthCheck]) -> Atom {
        for check in checks {
            self.facts.assume(&check.assumption());
        }
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Cast(value.into(), checks.to_vec()))
    }
    pub fn store(&mut self, space: Space, value: impl Into<Atom>) -> Atom {
        let value = value.into();
        let ty = self.ty(&value);
        self.emit(UNNAMED, ty, Vec::new(), Rhs::Store(space, value))
    }
}

/// The scalar operations, by name.
impl Builder {
    pub fn add(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Add, &[a.into(), b.into()])
    }
    pub fn sub(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Sub, &[a.into(), b.into()])
    }
    pub fn mul(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Mul, &[a.into(), b.into()])
    }
    pub fn div(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Div, &[a.into(), b.into()])
    }
    pub fn rem(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Mod, &[a.into(), b.into()])
    }
    pub fn lt(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Lt, &[a.into(), b.into()])
    }
    pub fn gt(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Gt, &[a.into(), b.into()])
    }
    pub fn eq(&mut self, a: impl Into<Atom>, b: impl Into<Atom>) -> Atom {
        self.op(ScalarOp::Eq, &[a.into(), b.into()])
    }
    /// Emits a primitive with one function, applied to elements of the last argument.
    fn with_function(
        &mut self,
        prim: Prim,
        sizes: &[Size],
        args: &[Atom],
        params: &[Ty],
        f: impl FnOnce(&mut Builder, &[Atom]) -> Atom,
    ) -> Atom {
        let f = self.lambda(params, f);
        self.prim(prim, sizes, vec![f], args)
    }
    fn element(&self, xs: &Atom) -> Ty {
        let ty = self.ty(xs);
        ty.as_array().unwrap_or_else(|| panic!("builder: `{ty}` is not an array")).element.clone()
    }
    pub fn map(&mut self, level: Level, xs: impl Into<Atom>, f: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Atom {
        let xs = xs.into();
        let element = self.element(&xs);
        self.with_function(Prim::Map(level), &[], &[xs], &[element], |b, x| f(b, &x[0]))
    }
    pub fn filter(&mut self, level: Level, xs: impl Into<Atom>, p: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Atom {
        let xs = xs.into();
        let element = self.element(&xs);
        self.with_function(Prim::Filter(level), &[], &[xs], &[element], |b, x| p(b, &x[0]))
    }
    /// Emits [`Prim::Reduce`], [`Prim::Scan`], [`Prim::ScanExcl`] or (with its size) [`Prim::PartRed`].
    pub fn fold(
        &mut self,
        prim: Prim,
        sizes: &[Size],
        z: impl Into<Atom>,
        xs: impl Into<Atom>,
        f: impl FnOnce(&mut Builder, &Atom, &Atom) -> Atom,
    ) -> Atom {
        let (z, xs) = (z.into(), xs.into());
        let params = [self.ty(&z), self.element(&xs)];
        self.with_function(prim, sizes, &[z, xs], &params, |b, p| f(b, &p[0], &p[1]))
    }
    pub fn reduce(
        &mut self,
        level: Level,
        z: impl Into<Atom>,
        xs: impl Into<Atom>,
        f: impl FnOnce(&mut Builder, &Atom, &Atom) -> Atom,
    ) -> Atom {
        self.fold(Prim::Reduce(level), &[], z, xs, f)
    }
    /// Emits a primitive without functions.
    pub fn view(&mut self, prim: Prim, sizes: &[Size], args: &[Atom]) -> Atom {
        self.prim(prim, sizes, Vec::new(), args)
    }
    pub fn zip(&mut self, arrays: &[Atom]) -> Atom {
        self.view(Prim::Zip, &[], arrays)
    }
    pub fn split(&mut self, k: impl Into<Size>, xs: impl Into<Atom>) -> Atom {
        self.view(Prim::Split, &[k.into()], &[xs.into()])
    }
    pub fn join(&mut self, xss: impl Into<Atom>) -> Atom {
        self.view(Prim::Join, &[], &[xss.into()])
    }
    pub fn slide(&mut self, size: impl Into<Size>, step: impl Into<Size>, xs: impl Into<Atom>) -> Atom {
        self.view(Prim::Slide, &[size.into(), step.into()], &[xs.into()])
    }
    pub fn transpose(&mut self, xss: impl Into<Atom>) -> Atom {
        self.view(Prim::Transpose, &[], &[xss.into()])
    }
    /// Emits [`Prim::Gather`] or [`Prim::Scatter`].
    pub fn permute(&mut self, prim: Prim, xs: impl Into<Atom>, f: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Atom {
        self.with_function(prim, &[], &[xs.into()], &[Ty::int()], |b, i| f(b, &i[0]))
    }
    pub fn iota(&mut self, n: impl Into<Size>) -> Atom {
        self.view(Prim::Iota, &[n.into()], &[])
    }
    pub fn generate(&mut self, n: impl Into<Size>, f: impl FnOnce(&mut Builder, &Atom) -> Atom) -> Atom {
        self.with_function(Prim::Generate, &[n.into()], &[], &[Ty::int()], |b, i| f(b, &i[0]))
    }
    pub fn aref(&mut self, xs: impl Into<Atom>, i: impl Into<Atom>) -> Atom {
        self.view(Prim::Aref, &[], &[xs.into(), i.into()])
    }
}
