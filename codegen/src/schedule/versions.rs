//! A `map` over few elements, each of which folds long arrays, in a version of its own: a group for each element, whose
//! work-items fold together. How many elements there are is known when the kernel runs, so the kernel has both versions
//! and chooses (Henriksen, Thorøe, Elsman, Oancea, *Incremental flattening for nested data parallelism*, PPoPP 2019).

use super::place::is_flat;
use super::{Applied, fuse, nest, on_the_host, rules};
use crate::core::simplify::{bound_in, rename};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Elements for each compute unit from which on there are enough of them for a work-item each.
const ENOUGH_PER_UNIT: i64 = 32;

/// The kernel with both versions of each such `map` at its top.
pub fn versions(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let enough = i64::from(target.compute_units) * ENOUGH_PER_UNIT;
    let mut body = kernel.body.clone();
    let mut writer = Writer { vars: kernel.vars.clone(), enough, applied };
    writer.block(&kernel, &mut body);
    Kernel { vars: writer.vars, body, ..kernel }
}

struct Writer<'a> {
    vars: Vec<VarInfo>,
    enough: i64,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    /// The statements between which the device is synchronised.
    fn block(&mut self, kernel: &Kernel, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(kernel, a);
                    self.block(kernel, b);
                }
                Rhs::Prim(call) if on_the_host(kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.block(kernel, &mut f.body));
                }
                Rhs::Prim(call) if folds_long(kernel, call) => {
                    let call = call.clone();
                    out.extend(self.both(kernel, &stmt, call));
                    continue;
                }
                _ => {}
            }
            out.push(stmt);
        }
        block.stmts = out;
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: self.vars[like.0 as usize].name.clone(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    /// `if n < enough then mapWrg … else map …`, or the one of them that it always is.
    fn both(&mut self, kernel: &Kernel, stmt: &Stmt, call: PrimCall) -> Vec<Stmt> {
        let len = kernel.ty(stmt.var).as_array().map_or(Size::zero(), |a| a.len.clone());
        let few = len.as_const().map(|n| n < self.enough);
        if few == Some(false) {
            return vec![stmt.clone()];
        }
        self.applied.push(Applied { rule: &rules::MAP_FOLDS_WRG, origin: stmt.origin.clone() });
        let mut by_groups = call.clone();
        by_groups.prim = Prim::Map(Level::Wrg(0));
        for f in &mut by_groups.funs {
            self.renamed(f);
            fold_together(&mut f.body, self.applied);
            // Where its result is folds again, each of them is the work of a group of its own.
            if let Some(inner) = folds_of_result(&mut f.body) {
                inner.prim = Prim::Map(Level::Wrg(0));
                by_groups.prim = Prim::Map(Level::Wrg(1));
            }
        }
        if few == Some(true) {
            return vec![Stmt { rhs: Rhs::Prim(by_groups), ..stmt.clone() }];
        }
        let condition = self.fresh(stmt.var, Ty::bool());
        let enough = Atom::Lit(Literal::Int(i32::try_from(self.enough).unwrap_or(i32::MAX)));
        let compare =
            Stmt { var: condition, rhs: Rhs::Scalar(ScalarOp::Lt, vec![Atom::Size(len), enough]), ..stmt.clone() };
        let mut branch = |call: PrimCall| {
            let var = self.fresh(stmt.var, kernel.ty(stmt.var).clone());
            Block { stmts: vec![Stmt { var, rhs: Rhs::Prim(call), ..stmt.clone() }], result: Atom::Var(var) }
        };
        let choice = Rhs::If(Atom::Var(condition), branch(by_groups), branch(call));
        vec![compare, Stmt { rhs: choice, ..stmt.clone() }]
    }

    /// A variable has one binder: the copy of a function gets variables of its own.
    fn renamed(&mut self, f: &mut Lambda) {
        let mut bound = f.params.clone();
        bound_in(&f.body, &mut bound);
        let mut new = FxHashMap::default();
        for v in bound {
            let ty = self.vars[v.0 as usize].ty.clone();
            new.insert(v, self.fresh(v, ty));
        }
        let renamed = |v: &mut VarId| *v = new.get(v).copied().unwrap_or(*v);
        f.params.iter_mut().for_each(renamed);
        rename(&mut f.body, &renamed);
    }
}

/// Whether it is an unplaced `map` whose function folds long arrays and does little besides, and for which there is no
/// better strategy.
fn folds_long(kernel: &Kernel, call: &PrimCall) -> bool {
    let (Prim::Map(Level::Auto), [f]) = (call.prim, call.funs.as_slice()) else { return false };
    let position = kernel.atom_ty(&call.args[0]).as_array().is_none_or(|a| a.position.is_some());
    if position || f.position.is_some() || nest::recognise(kernel, f).is_some() {
        return false;
    }
    let windows = nest::inner(f).is_some_and(|(_, g)| nest::recognise_window(kernel, g).is_some());
    !windows && folds(kernel, &f.body).is_some_and(|n| n > 0)
}

/// How many folds of long arrays stand in a block that does little besides; `None` if it does more.
fn folds(kernel: &Kernel, block: &Block) -> Option<usize> {
    let mut found = 0;
    for stmt in &block.stmts {
        if !stmt.binds.is_empty() {
            return None;
        }
        found += match &stmt.rhs {
            Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Scalar(..) => 0,
            Rhs::If(_, a, b) if is_scalar_work(a) && is_scalar_work(b) => 0,
            Rhs::Prim(call) => match call.prim {
                Prim::Reduce(Level::Auto) if is_long(kernel, call) => 1,
                Prim::Map(Level::Auto) if is_scalar_work(&call.funs[0].body) => 0,
                Prim::Map(Level::Auto) => folds(kernel, &call.funs[0].body).filter(|n| *n > 0)?,
                Prim::Head => 0,
                prim if fuse::is_view(prim) && call.funs.is_empty() => 0,
                _ => return None,
            },
            _ => return None,
        };
    }
    Some(found)
}

fn is_scalar_work(block: &Block) -> bool {
    block.stmts.iter().all(|s| match &s.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::If(_, a, b) => is_scalar_work(a) && is_scalar_work(b),
        _ => false,
    })
}

/// Whether the array that is folded has flat elements, and a length that a size parameter tells.
fn is_long(kernel: &Kernel, reduce: &PrimCall) -> bool {
    let Some(xs) = reduce.args.get(1).map(|xs| kernel.atom_ty(xs)) else { return false };
    let flat = is_flat(&kernel.atom_ty(&reduce.args[0]));
    xs.as_array().is_some_and(|a| {
        flat && is_flat(&a.element) && a.len.as_const().is_none() && !a.len.any_var(&mut |v| v.kind != VarKind::Param)
    })
}

/// The `map` that is the result of a function and has folds of a group in its own.
fn folds_of_result(block: &mut Block) -> Option<&mut PrimCall> {
    let last = block.stmts.last_mut().filter(|s| block.result == Atom::Var(s.var))?;
    let Rhs::Prim(call) = &mut last.rhs else { return None };
    (call.prim == Prim::Map(Level::Seq) && folds_for_groups(call)).then_some(call)
}

/// Whether the function of a `map` has folds of a group beside scalars and views, and no `map` over such.
fn folds_for_groups(call: &PrimCall) -> bool {
    let [f] = call.funs.as_slice() else { return false };
    let folds = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if matches!(c.prim, Prim::Reduce(Level::Lcl(_))));
    let deeper = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Map(Level::Seq));
    f.body.stmts.iter().any(folds) && !f.body.stmts.iter().any(deeper)
}

/// Folds become those of a group, and maps around them go from one element to the next; whether there are any.
fn fold_together(block: &mut Block, applied: &mut Vec<Applied>) -> bool {
    let mut any = false;
    for stmt in &mut block.stmts {
        let Rhs::Prim(call) = &mut stmt.rhs else { continue };
        match call.prim {
            Prim::Reduce(Level::Auto) => {
                call.prim = Prim::Reduce(Level::Lcl(0));
                applied.push(Applied { rule: &rules::REDUCE_GROUP, origin: stmt.origin.clone() });
                any = true;
            }
            Prim::Map(Level::Auto) => {
                let mut inside = false;
                for f in &mut call.funs {
                    inside |= fold_together(&mut f.body, applied);
                }
                if inside {
                    call.prim = Prim::Map(Level::Seq);
                    any = true;
                }
            }
            _ => {}
        }
    }
    any
}
