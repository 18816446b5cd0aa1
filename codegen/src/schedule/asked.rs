//! The arithmetic of a program before any rewrite. The arithmetic of the generated code is compared with it,
//! so that repeated computation is noticed.

use super::bounds::Bounds;
use crate::core::{Atom, Block, Kernel, Prim, PrimCall, Rhs, Stmt};
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// Maximum comparisons of an element in a sort or a search.
const COMPARED: i64 = 32;

/// Upper bounds of operations: of two branches the more expensive one counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Floating-point operations.
    pub float: Size,
    /// Integer operations.
    pub integer: Size,
}

impl Asked {
    fn none() -> Asked {
        Asked { float: Size::zero(), integer: Size::zero() }
    }
    fn and(&self, other: &Asked) -> Asked {
        Asked { float: self.float.add(&other.float), integer: self.integer.add(&other.integer) }
    }
    pub fn map(&self, f: &dyn Fn(&Size) -> Size) -> Asked {
        Asked { float: f(&self.float), integer: f(&self.integer) }
    }
    fn greater(&self, other: &Asked) -> Asked {
        let max = |a: &Size, b: &Size| if a == b { a.clone() } else { Size::max(a, b) };
        Asked { float: max(&self.float, &other.float), integer: max(&self.integer, &other.integer) }
    }

    /// `None` if a number of executions is unknown.
    pub fn of(kernel: &Kernel, bounds: &Bounds) -> Option<Asked> {
        let mut most = FxHashMap::default();
        kernel.body.visit(&mut |stmt| {
            if let Rhs::Unpack(Atom::Var(v)) = &stmt.rhs {
                let found = stmt.binds.iter().cloned().zip(bounds.get(*v).iter().cloned());
                most.extend(found.filter_map(|(length, bound)| Some((length, bound?))));
            }
        });
        Counter { kernel, most }.block(&kernel.body)
    }
}

struct Counter<'k> {
    kernel: &'k Kernel,
    /// Upper bounds of opened lengths.
    most: FxHashMap<Var, Size>,
}

impl Counter<'_> {
    fn block(&self, block: &Block) -> Option<Asked> {
        block.stmts.iter().try_fold(Asked::none(), |sum, stmt| Some(sum.and(&self.stmt(stmt)?)))
    }

    fn stmt(&self, stmt: &Stmt) -> Option<Asked> {
        match &stmt.rhs {
            Rhs::If(_, a, b) => Some(self.block(a)?.greater(&self.block(b)?)),
            Rhs::Scalar(_, args) => Some(self.operation(args)),
            Rhs::Prim(call) => self.call(call),
            _ => Some(Asked::none()),
        }
    }

    fn operation(&self, args: &[Atom]) -> Asked {
        let (float, n) = args.first().map_or((false, 1), |a| lanes(&self.kernel.atom_ty(a)));
        match float {
            true => Asked { float: Size::nat(n), ..Asked::none() },
            false => Asked { integer: Size::nat(n), ..Asked::none() },
        }
    }

    fn len(&self, a: &Atom) -> Option<Size> {
        let len = self.kernel.atom_ty(a).as_array()?.len.clone();
        let len = len.subst(&mut |v| self.most.get(v).cloned());
        (!len.any_var(&mut |v| v.kind == lift_analysis::size::VarKind::Skolem)).then_some(len)
    }

    fn call(&self, call: &PrimCall) -> Option<Asked> {
        let Some(f) = call.funs.first() else { return Some(Asked::none()) };
        // Views have arithmetic of indices only.
        if call.prim.is_view() && call.prim != Prim::Generate {
            return Some(Asked::none());
        }
        // Counted once, although functions are nested.
        let one = self.block(&f.body)?;
        if one == Asked::none() {
            return Some(one);
        }
        let n = self.times(call)?;
        Some(match &f.position {
            Some(at) => one.map(&|size| Size::sum(at.clone(), n.clone(), size.clone())),
            None => one.map(&|size| size.mul(&n)),
        })
    }

    /// The number of times that the function of a call is applied.
    fn times(&self, call: &PrimCall) -> Option<Size> {
        let over = |i: usize| self.len(call.args.get(i)?);
        match call.prim {
            Prim::Map(_) | Prim::Filter(_) | Prim::Vectorize => over(0),
            Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_) | Prim::PartRed | Prim::ReduceWhileSeq => over(1),
            Prim::ReduceByKey(_) => over(2),
            Prim::Sort | Prim::Argsort => Some(over(0)?.mul(&Size::int(COMPARED))),
            Prim::Search | Prim::LSearch => Some(Size::int(COMPARED)),
            Prim::Generate | Prim::Iterate => call.sizes.first().cloned(),
            _ => None,
        }
    }
}

/// Whether the scalar is floating-point, and the number of lanes.
fn lanes(ty: &Ty) -> (bool, u64) {
    match ty.kind() {
        TyKind::Scalar(s) => (s.is_floating(), 1),
        TyKind::Vec(element, n) => (lanes(element).0, n.as_const().and_then(|n| u64::try_from(n).ok()).unwrap_or(1)),
        _ => (false, 1),
    }
}
