//! Host-level maps whose function has the index of its element.

use super::{Definitions, Maker, definitions, slice};
use crate::core::copy::Lengths;
use crate::core::{Atom, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::schedule::uses;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// `map f (zip … (iota n) …)`.
pub struct Numbered<'k> {
    /// The index of its statement at host level.
    at: usize,
    pub f: &'k Lambda,
    /// The array that is mapped.
    source: &'k Atom,
    /// The number of elements, in size parameters.
    pub count: Size,
    /// The function's variables that hold the element's index.
    pub numbers: FxHashSet<VarId>,
    /// The function's variables that depend on the element.
    pub varying: FxHashSet<VarId>,
    /// The definitions at host level and in the function.
    pub defs: Definitions<'k>,
}

/// Indices of the function's statements that move before the `map`, because they do not depend on the element.
pub type Moved = BTreeSet<usize>;

impl<'k> Numbered<'k> {
    pub fn of(kernel: &'k Kernel, at: usize) -> Option<Numbered<'k>> {
        let stmt = &kernel.body.stmts[at];
        let Rhs::Prim(call) = &stmt.rhs else { return None };
        let f = call.funs.first().filter(|f| f.position.is_none())?;
        if f.params.len() != 1 || call.prim != Prim::Map(Level::Auto) {
            return None;
        }
        let ty = kernel.ty(stmt.var).as_array().filter(|a| a.position.is_none())?;
        let source = call.args.first()?;
        kernel.atom_ty(source).as_array().filter(|a| a.position.is_none())?;
        let mut defs = definitions(&kernel.body);
        let numbers = numbers(&defs, f, source);
        // A length opened in the function is unknown before it.
        let mut opens = false;
        f.body.visit(&mut |s| opens |= !s.binds.is_empty());
        if numbers.is_empty() || opens || !is_known(&ty.len) {
            return None;
        }
        defs.extend(definitions(&f.body));
        Some(Numbered { at, f, source, count: ty.len.clone(), numbers, varying: uses::dependent(kernel, f), defs })
    }

    /// The statements of the function that `needed` requires, if they can move before the `map`.
    pub fn moved(&self, vars: &[VarInfo], needed: &[VarId]) -> Option<Moved> {
        let atoms: Vec<Atom> = needed.iter().copied().map(Atom::Var).collect();
        let stmts = slice::needed(vars, &self.f.body, &atoms)?;
        let movable = |s: &&Stmt| !self.varying.contains(&s.var) && s.binds.is_empty();
        let place = |s: &Stmt| self.f.body.stmts.iter().position(|other| other.var == s.var);
        if needed.iter().any(|v| self.varying.contains(v)) || !stmts.iter().all(movable) {
            return None;
        }
        stmts.into_iter().map(place).collect()
    }

    /// A maker of statements before the `map`, starting with those that move there.
    pub fn maker(&self, kernel: &Kernel, moved: &Moved, origin: &Origin) -> Maker {
        let stmts = moved.iter().map(|at| self.f.body.stmts[*at].clone()).collect();
        Maker { vars: kernel.vars.clone(), lengths: Lengths::of(kernel), stmts, origin: origin.clone() }
    }

    /// Zips `results` with the function's elements; `edit` gets the function's statements and its value of `results`.
    pub fn with(
        &self,
        kernel: &Kernel,
        moved: &Moved,
        mut maker: Maker,
        results: &Atom,
        edit: impl FnOnce(&mut Maker, &mut Vec<Stmt>, &Atom) -> Option<()>,
    ) -> Option<Kernel> {
        let both = maker.zip(&[self.source.clone(), results.clone()])?;
        let before = std::mem::take(&mut maker.stmts);
        let mut stmts: Vec<Stmt> = Vec::new();
        for (i, stmt) in self.f.body.stmts.iter().enumerate() {
            if !moved.contains(&i) {
                stmts.push(stmt.clone());
            }
        }
        let f = beside(&mut maker, self.f, stmts, &both, edit)?;
        let mut next = Kernel { vars: maker.vars, assumptions: maker.lengths.assumptions, ..kernel.clone() };
        let map = &mut next.body.stmts[self.at];
        let call = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![both] };
        map.rhs = Rhs::Prim(call);
        next.body.stmts.splice(self.at..self.at, before);
        Some(next)
    }
}

/// A function of pairs that treats the first component as `f` does; `edit` may use the second.
pub fn beside(
    maker: &mut Maker,
    f: &Lambda,
    mut stmts: Vec<Stmt>,
    pairs: &Atom,
    edit: impl FnOnce(&mut Maker, &mut Vec<Stmt>, &Atom) -> Option<()>,
) -> Option<Lambda> {
    let [x] = f.params.as_slice() else { return None };
    let pair_ty = maker.ty(pairs).as_array()?.element.clone();
    let second = match pair_ty.kind() {
        lift_analysis::ty::TyKind::Tuple(parts) => parts.get(1)?.clone(),
        _ => return None,
    };
    let (pair, value) = (maker.fresh("both", pair_ty), maker.fresh("found", second));
    edit(maker, &mut stmts, &Atom::Var(value))?;
    let first = maker.stmt(*x, Rhs::Proj(Atom::Var(pair), 0));
    let second = maker.stmt(value, Rhs::Proj(Atom::Var(pair), 1));
    let mut body = f.body.clone();
    body.stmts = [first, second].into_iter().chain(stmts).collect();
    Some(Lambda { position: None, params: vec![pair], body, origin: f.origin.clone() })
}

/// For each variable of a function that is an element of some array: that array.
pub fn elements(defs: &Definitions, f: &Lambda, source: &Atom) -> FxHashMap<VarId, Atom> {
    let mut found = FxHashMap::from_iter(f.params.iter().map(|p| (*p, source.clone())));
    for stmt in &f.body.stmts {
        if let Rhs::Proj(Atom::Var(v), i) = &stmt.rhs
            && let Some(array) = found.get(v).and_then(|xs| slice::component(defs, xs, &[*i]))
        {
            found.insert(stmt.var, array);
        }
    }
    found
}

fn numbers(defs: &Definitions, f: &Lambda, source: &Atom) -> FxHashSet<VarId> {
    let is_iota = |xs: &Atom| {
        let def = slice::as_var(xs).and_then(|v| defs.get(&v).copied());
        matches!(def, Some(Rhs::Prim(call)) if call.prim == Prim::Iota && call.sizes.len() == 1)
    };
    elements(defs, f, source).into_iter().filter(|(_, xs)| is_iota(xs)).map(|(v, _)| v).collect()
}

/// Whether the host knows a size before the run.
pub fn is_known(size: &Size) -> bool {
    !size.any_var(&mut |v| v.kind != VarKind::Param)
}
