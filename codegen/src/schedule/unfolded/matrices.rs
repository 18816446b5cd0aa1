//! The rows and columns of a product as views, and the functions of one of each.

use super::product::{Product, Read, variable};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::free::{is_free, only_arranges};
use crate::schedule::nest::is_scalars;
use crate::schedule::nested::{array_of, rows_of};
use crate::schedule::uses;
use crate::schedule::versions::fresh;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Writes the statements of a product.
pub struct Maker<'a> {
    pub kernel: &'a mut Kernel,
    pub lengths: &'a mut Lengths,
    pub origin: &'a Origin,
}

/// Replacements of leaves and scalars in a function of rows and columns.
#[derive(Debug, Default)]
pub struct Known {
    pub scalars: FxHashMap<VarId, Atom>,
    /// By the number of the leaf.
    leaves: FxHashMap<usize, VarId>,
}

impl Maker<'_> {
    pub fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        fresh(&mut self.kernel.vars, like, ty)
    }

    fn stmt(&self, var: VarId, rhs: Rhs) -> Stmt {
        Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() }
    }

    pub fn view(&self, var: VarId, prim: Prim, sizes: Vec<Size>, args: Vec<Atom>) -> Stmt {
        self.stmt(var, Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args }))
    }

    fn map_of(&self, var: VarId, f: Lambda, xs: VarId) -> Stmt {
        let (prim, args) = (Prim::Map(Level::Auto), vec![Atom::Var(xs)]);
        self.stmt(var, Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs: vec![f], args }))
    }

    /// Adds a map of a new function; returns its result.
    pub fn map(&mut self, param: VarId, body: Block, xs: VarId, out: &mut Vec<Stmt>) -> Option<VarId> {
        let (len, _) = rows_of(self.kernel.ty(xs))?;
        let ty = array_of(&self.kernel.atom_ty(&body.result), &len);
        let var = self.fresh(param, ty);
        let f = Lambda { position: None, params: vec![param], body, origin: self.origin.clone() };
        out.push(self.map_of(var, f, xs));
        Some(var)
    }

    /// The components of a tuple.
    pub fn parts(&mut self, tuple: VarId, out: &mut Vec<Stmt>) -> Option<Vec<VarId>> {
        let TyKind::Tuple(types) = self.kernel.ty(tuple).kind().clone() else { return None };
        let parts: Vec<VarId> = types.into_iter().map(|ty| self.fresh(tuple, ty)).collect();
        out.extend(parts.iter().enumerate().map(|(k, var)| self.stmt(*var, Rhs::Proj(Atom::Var(tuple), k))));
        Some(parts)
    }

    pub fn zip(&mut self, all: &[VarId], out: &mut Vec<Stmt>) -> Option<VarId> {
        let of: Option<Vec<(Size, Ty)>> = all.iter().map(|v| rows_of(self.kernel.ty(*v))).collect();
        let (lens, types): (Vec<Size>, Vec<Ty>) = of?.into_iter().unzip();
        let len = lens.first().filter(|len| lens.iter().all(|n| n == *len))?.clone();
        let zip = self.fresh(all[0], array_of(&Ty::tuple(types), &len));
        out.push(self.view(zip, Prim::Zip, Vec::new(), all.iter().map(|v| Atom::Var(*v)).collect()));
        Some(zip)
    }

    /// The array of rows or of columns, which the levels `from` to `to` go over: of what a result reads of each, in a tuple
    /// unless it is one array.
    pub fn side(
        &mut self,
        product: &Product,
        (from, to): (usize, usize),
        read: &Read,
        out: &mut Vec<Stmt>,
    ) -> Option<VarId> {
        let element = product.levels.last()?.f;
        let mut parts = Vec::new();
        for k in &read.leaves {
            let (views, result) = product.elements.leaves[*k].made(&mut self.kernel.vars, self.origin);
            let inner: Vec<Stmt> = element.body.stmts.iter().cloned().chain(views).collect();
            parts.push(self.joined(product, (from, to), &inner, result, out)?);
        }
        for v in &read.scalars {
            parts.push(self.joined(product, (from, to), &element.body.stmts, *v, out)?);
        }
        match parts.as_slice() {
            [one] => Some(*one),
            all => self.zip(all, out),
        }
    }

    /// The array of `result`, a view of an element, for all elements of some levels.
    fn joined(
        &mut self,
        product: &Product,
        (from, to): (usize, usize),
        inner: &[Stmt],
        result: VarId,
        out: &mut Vec<Stmt>,
    ) -> Option<VarId> {
        let (made, array) = self.nested(product, (from, to), inner, result)?;
        let made = made.unwrap_or_else(|| alias(array, self.origin));
        // What the levels need of the functions around them is the same for all of these functions' elements.
        let around = product.levels[..from].iter().flat_map(|level| level.before).cloned().collect();
        let mut copied = FxHashMap::default();
        for s in needed(around, std::slice::from_ref(&made)) {
            if product.depends_on_any(s.var) || !is_free(&s.rhs) {
                return None;
            }
            let copy = self.copied(&s, &copied);
            copied.insert(s.var, Atom::Var(copy.var));
            out.push(copy);
        }
        let made = self.copied(&made, &copied);
        let mut array = made.var;
        match made.rhs {
            Rhs::Atom(Atom::Var(v)) => array = v,
            _ => out.push(made),
        }
        for _ in from + 1..to {
            let (n, row) = rows_of(self.kernel.ty(array))?;
            let (m, element) = rows_of(&row)?;
            let all = self.fresh(array, array_of(&element, &n.mul(&m)));
            out.push(self.view(all, Prim::Join, Vec::new(), vec![Atom::Var(array)]));
            array = all;
        }
        Some(array)
    }

    /// A copy of a statement with other variables in place of these.
    pub fn copied(&mut self, stmt: &Stmt, known: &FxHashMap<VarId, Atom>) -> Stmt {
        let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
        copier.atoms.extend(known.iter().map(|(v, a)| (*v, a.clone())));
        copier.stmt(stmt)
    }

    /// The same of the statements of a block.
    pub fn copied_block(&mut self, block: &Block, known: &FxHashMap<VarId, Atom>) -> Block {
        let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
        copier.atoms.extend(known.iter().map(|(v, a)| (*v, a.clone())));
        copier.block(block)
    }

    /// The array that the maps of some levels make, whose innermost function gives `result`, a view of its element; and its
    /// statement, unless it is there already.
    fn nested(
        &mut self,
        product: &Product,
        (from, to): (usize, usize),
        inner: &[Stmt],
        result: VarId,
    ) -> Option<(Option<Stmt>, VarId)> {
        let (mut made, mut result): (Option<Stmt>, VarId) = (None, result);
        for (k, level) in product.levels[from..to].iter().enumerate().rev() {
            let innermost = if from + k + 1 == to { inner } else { &[] };
            let stmts = level.before.iter().chain(innermost).cloned().chain(made.take());
            let stmts = needed(stmts.collect(), &[alias(result, self.origin)]);
            let xs = variable(level.call.args.first()?)?;
            if stmts.is_empty() && level.f.params == [result] {
                result = xs;
                continue;
            }
            if let [Stmt { var, rhs: Rhs::Proj(of, at), .. }] = stmts.as_slice()
                && level.f.params.first().map(|p| Atom::Var(*p)).as_ref() == Some(of)
                && *var == result
                && let Some(part) = component(self.kernel, product, xs, *at)
            {
                result = part;
                continue;
            }
            let body = Block { stmts, result: Atom::Var(result) };
            if !only_arranges(&body) {
                return None;
            }
            let (len, _) = rows_of(self.kernel.ty(xs))?;
            let ty = array_of(self.kernel.ty(result), &len);
            result = self.fresh(result, ty);
            made = Some(self.map_of(result, Lambda { body, ..level.f.clone() }, xs));
        }
        Some((made, result))
    }

    /// The parameter of a function of rows or columns; adds the statements that take it apart.
    pub fn entered(&mut self, array: VarId, read: &Read, known: &mut Known, out: &mut Vec<Stmt>) -> Option<VarId> {
        let (_, element) = rows_of(self.kernel.ty(array))?;
        let param = self.fresh(array, element);
        self.taken_apart(param, read, known, out)?;
        Some(param)
    }

    /// Adds the statements that take a row or a column apart.
    pub fn taken_apart(&mut self, row: VarId, read: &Read, known: &mut Known, out: &mut Vec<Stmt>) -> Option<()> {
        let parts = match read.leaves.len() + read.scalars.len() {
            1 => vec![row],
            _ => self.parts(row, out)?,
        };
        let (leaves, scalars) = parts.split_at_checked(read.leaves.len())?;
        known.leaves.extend(read.leaves.iter().copied().zip(leaves.iter().copied()));
        known.scalars.extend(read.scalars.iter().copied().zip(scalars.iter().map(|v| Atom::Var(*v))));
        Some(())
    }

    /// Adds the statements of the array that is folded, made of a row and a column.
    pub fn folded(&mut self, product: &Product, known: &Known, out: &mut Vec<Stmt>) -> Option<VarId> {
        let all = 0..product.elements.leaves.len();
        let leaves = all.map(|k| known.leaves.get(&k).copied()).collect::<Option<Vec<VarId>>>()?;
        let zip = self.zip(&leaves, out)?;
        let (_, element) = rows_of(self.kernel.ty(zip))?;
        if !is_scalars(&element) {
            return None;
        }
        let x = self.fresh(product.fold.var, element);
        let mut stmts = Vec::new();
        let atoms: Vec<Atom> = self.parts(x, &mut stmts)?.into_iter().map(Atom::Var).collect();
        let names = (&mut self.kernel.vars, &mut *self.lengths);
        let result = product.elements.element.computed(names, &atoms, &known.scalars, (x, self.origin), &mut stmts)?;
        self.map(x, Block { stmts, result }, zip, out)
    }

    /// The array with dimensions of these lengths in place of the one below `depth` others.
    pub fn split(&mut self, array: VarId, depth: usize, lens: &[Size], out: &mut Vec<Stmt>) -> Option<VarId> {
        let [_, inner @ ..] = lens else { return Some(array) };
        if inner.is_empty() {
            return Some(array);
        }
        if depth > 0 {
            let (_, row) = rows_of(self.kernel.ty(array))?;
            let x = self.fresh(array, row);
            let mut stmts = Vec::new();
            let result = Atom::Var(self.split(x, depth - 1, lens, &mut stmts)?);
            return self.map(x, Block { stmts, result }, array, out);
        }
        let mut array = array;
        for len in inner.iter().rev() {
            let (n, element) = rows_of(self.kernel.ty(array))?;
            let all = self.fresh(array, array_of(&array_of(&element, len), &n.div_exact(len)));
            out.push(self.view(all, Prim::Split, vec![len.clone()], vec![Atom::Var(array)]));
            array = all;
        }
        Some(array)
    }
}

/// The array that is component `k` of the elements of another one.
fn component(kernel: &Kernel, product: &Product, zip: VarId, k: usize) -> Option<VarId> {
    let mut found = None;
    let mut look = |s: &Stmt| {
        if let Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) = &s.rhs
            && s.var == zip
        {
            found = args.get(k).and_then(variable);
        }
    };
    kernel.body.visit(&mut look);
    product.levels.iter().flat_map(|level| level.before).for_each(look);
    found
}

/// A statement that needs one variable.
fn alias(v: VarId, origin: &Origin) -> Stmt {
    Stmt { var: v, binds: Vec::new(), rhs: Rhs::Atom(Atom::Var(v)), origin: origin.clone() }
}

/// The statements that some others need.
fn needed(stmts: Vec<Stmt>, by: &[Stmt]) -> Vec<Stmt> {
    let mut wanted = FxHashSet::default();
    by.iter().for_each(|s| uses::variables(s, &mut wanted));
    uses::needed(stmts, wanted)
}
