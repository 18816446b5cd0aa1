//! Folds of columns whose elements are made row by row: each column makes the elements that it folds.
//!
//! `map (λc. … reduce f z c …) (transpose (map (λx. map (h x) (g x)) xs))
//!  = map (λc. … reduce f z (map (λ(x,y). h x y) (zip xs c)) …) (transpose (map g xs))`
//!
//! So no element is stored: sums over channels, each of which is a row of windows or products.

use super::flat::is_flat;
use super::free::{is_brief, is_free};
use super::versions::fresh;
use super::{Applied, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::ty::{Ty, TyKind};

/// Maximum iterations of all loops that compute one element.
const MOST_STEPS: i64 = 128;

/// Moves the computation of elements from the rows into the folds of columns.
pub fn crossed(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class == Class::Portable {
        return kernel;
    }
    let mut lengths = Lengths::of(&kernel);
    Writer { vars: &mut kernel.vars, lengths: &mut lengths, applied }.block(&mut kernel.body);
    kernel.assumptions = lengths.assumptions;
    kernel
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
}

/// The statements of a block that compute rows, transpose them, and fold the columns.
struct Places {
    rows: usize,
    turned: usize,
    /// The zip of the columns with other arrays, and the place of the columns in it.
    zipped: Option<(usize, usize)>,
    folds: usize,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some(places) = self.places(block, at)
                && self.cross(block, &places).is_some()
            {
                continue;
            }
            at += 1;
        }
        for stmt in &mut block.stmts {
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner));
        }
    }

    fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }

    /// The columns that statement `turned` makes, if they are only folded.
    fn places(&self, block: &Block, turned: usize) -> Option<Places> {
        let Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. }) = &block.stmts[turned].rhs else { return None };
        let [Atom::Var(made)] = args.as_slice() else { return None };
        let rows = block.stmts[..turned].iter().position(|s| s.var == *made)?;
        let columns = block.stmts[turned].var;
        let reader = |of: VarId| {
            let mut readers = block.stmts.iter().enumerate().filter(|(_, s)| uses::mentions(s, &|v| v == of));
            let only = readers.next().filter(|_| readers.next().is_none() && block.result != Atom::Var(of));
            only.map(|(at, _)| at)
        };
        if reader(*made)? != turned || !self.makes_rows(&block.stmts[rows]) {
            return None;
        }
        let first = reader(columns)?;
        let (zipped, folds) = match &block.stmts[first].rhs {
            Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => {
                let mut is_it = args.iter().enumerate().filter(|(_, a)| **a == Atom::Var(columns));
                let (k, _) = is_it.next().filter(|_| is_it.next().is_none())?;
                (Some((first, k)), reader(block.stmts[first].var)?)
            }
            _ => (None, first),
        };
        let places = Places { rows, turned, zipped, folds };
        self.column(block, &places).map(|_| places)
    }

    /// The variable of a column in the function that folds it, if it does nothing else with it.
    fn column(&self, block: &Block, places: &Places) -> Option<VarId> {
        let f = only_function(&block.stmts[places.folds])?;
        let Rhs::Prim(call) = &block.stmts[places.folds].rhs else { return None };
        let over = places.zipped.map_or(block.stmts[places.turned].var, |(at, _)| block.stmts[at].var);
        let [param] = f.params.as_slice() else { return None };
        if f.position.is_some() || call.args.as_slice() != [Atom::Var(over)] {
            return None;
        }
        let column = match places.zipped {
            None => *param,
            Some((_, k)) => {
                let of_parts = |s: &&Stmt| uses::mentions(s, &|v| v == *param);
                if !f.body.stmts.iter().filter(of_parts).all(|s| matches!(s.rhs, Rhs::Proj(..))) {
                    return None;
                }
                let mut parts = f.body.stmts.iter().filter(|s| s.rhs == Rhs::Proj(Atom::Var(*param), k));
                parts.next().filter(|_| parts.next().is_none())?.var
            }
        };
        let mut readers = f.body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == column));
        let reader = readers.next().filter(|_| readers.next().is_none() && f.body.result != Atom::Var(column))?;
        let folded = |s: &Stmt, xs: VarId| {
            matches!(&s.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), args, .. })
                if args.get(1) == Some(&Atom::Var(xs)) && args.first() != Some(&Atom::Var(xs)))
        };
        let is_fold = match &reader.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), args, .. }) if *args == [Atom::Var(column)] => {
                let of = |s: &&Stmt| uses::mentions(s, &|v| v == reader.var);
                let mut next = f.body.stmts.iter().filter(of);
                next.next().is_some_and(|s| folded(s, reader.var)) && next.next().is_none()
            }
            _ => folded(reader, column),
        };
        is_fold.then_some(column)
    }

    /// Whether a map computes equally long rows, each of which is a map of a short function over a view.
    fn makes_rows(&self, stmt: &Stmt) -> bool {
        let Some(f) = only_function(stmt) else { return false };
        let Some((made, views)) = f.body.stmts.split_last() else { return false };
        let Some(h) = only_function(made) else { return false };
        let Some(rows) = self.ty(stmt.var).as_array() else { return false };
        let regular = rows.position.is_none() && rows.element.as_array().is_some_and(|row| row.position.is_none());
        let plain = |f: &Lambda| f.position.is_none() && f.params.len() == 1;
        regular
            && plain(f)
            && plain(h)
            && f.body.result == Atom::Var(made.var)
            && views.iter().all(|s| s.binds.is_empty() && is_free(&s.rhs))
            && self.steps(&h.body).is_some_and(|steps| steps <= MOST_STEPS)
    }

    /// The steps of the loops in a block, if their lengths are constants.
    fn steps(&self, block: &Block) -> Option<i64> {
        let mut all = 1i64;
        for stmt in &block.stmts {
            let Rhs::Prim(call) = &stmt.rhs else { if stmt.rhs.blocks().is_empty() { continue } else { return None } };
            let inner = call.funs.iter().try_fold(1i64, |n, f| Some(n.max(self.steps(&f.body)?)))?;
            let rounds = match call.prim {
                Prim::Map(_) | Prim::Reduce(_) | Prim::Scan(_) => {
                    let Atom::Var(xs) = call.args.last()? else { return None };
                    self.ty(*xs).as_array()?.len.as_const()?
                }
                _ if is_brief(stmt) => 1,
                _ => return None,
            };
            all = all.saturating_add(rounds.saturating_mul(inner));
        }
        Some(all)
    }

    /// Moves the computation of the elements of rows into the function that folds the columns.
    fn cross(&mut self, block: &mut Block, places: &Places) -> Option<()> {
        let column = self.column(block, places)?;
        let rows = block.stmts[places.rows].clone();
        let turned = block.stmts[places.turned].clone();
        let Rhs::Prim(PrimCall { args: over, .. }) = &rows.rhs else { return None };
        let ([Atom::Var(over)], Some(f)) = (over.as_slice(), only_function(&rows)) else { return None };
        let (made, views) = f.body.stmts.split_last()?;
        let Rhs::Prim(PrimCall { funs, args, .. }) = &made.rhs else { return None };
        let ([h], [Atom::Var(viewed)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let (x, y) = (*f.params.first()?, *h.params.first()?);
        let (mut before, found) = self.views_of_rows(block, f, views, (*over, *viewed), &rows.origin)?;
        // The views that the elements need besides.
        let mut needed = h.body.clone();
        for view in views.iter().rev() {
            if uses::in_block(&needed, view.var) {
                needed.stmts.insert(0, view.clone());
            }
        }
        let origin = &rows.origin;
        let at = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let call = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let viewed_row = self.ty(found).as_array()?.element.as_array()?.clone();
        let count = self.ty(rows.var).as_array()?.len.clone();
        let turned_row = Ty::array(viewed_row.element.clone(), count.clone());
        let columns = fresh(self.vars, turned.var, Ty::array(turned_row.clone(), viewed_row.len.clone()));
        let part = fresh(self.vars, column, turned_row);
        // The elements of a column.
        let mut elements = Vec::new();
        let lambda = |param, body| Lambda { position: None, params: vec![param], body, origin: h.origin.clone() };
        if uses::in_block(&needed, x) {
            let ty = Ty::tuple(vec![self.ty(x).clone(), viewed_row.element.clone()]);
            let (pair, pairs) = (fresh(self.vars, x, ty.clone()), fresh(self.vars, column, Ty::array(ty, count)));
            elements.push(at(pairs, call(Prim::Zip, Vec::new(), vec![Atom::Var(*over), Atom::Var(part)])));
            let taken = [at(x, Rhs::Proj(Atom::Var(pair), 0)), at(y, Rhs::Proj(Atom::Var(pair), 1))];
            needed.stmts.splice(0..0, taken);
            elements.push(at(column, call(made_by(made)?, vec![lambda(pair, needed)], vec![Atom::Var(pairs)])));
        } else {
            elements.push(at(column, call(made_by(made)?, vec![lambda(y, needed)], vec![Atom::Var(part)])));
        }
        // The function of the folds begins with the elements of its column.
        let Rhs::Prim(fold) = &mut block.stmts[places.folds].rhs else { return None };
        let folds = fold.funs.first_mut()?;
        match places.zipped {
            None => {
                folds.params = vec![part];
                folds.body.stmts.splice(0..0, elements);
                fold.args = vec![Atom::Var(columns)];
            }
            Some((zip, k)) => {
                let param = *folds.params.first()?;
                let taken = folds.body.stmts.iter().position(|s| s.var == column)?;
                elements.insert(0, at(part, Rhs::Proj(Atom::Var(param), k)));
                folds.body.stmts.splice(taken..=taken, elements);
                let TyKind::Tuple(parts) = self.ty(param).kind() else { return None };
                let mut parts = parts.clone();
                *parts.get_mut(k)? = self.ty(part).clone();
                let ty = Ty::tuple(parts);
                self.vars[param.0 as usize].ty = ty.clone();
                let zipped = &mut block.stmts[zip];
                self.vars[zipped.var.0 as usize].ty = Ty::array(ty, viewed_row.len);
                let Rhs::Prim(zip) = &mut zipped.rhs else { return None };
                *zip.args.get_mut(k)? = Atom::Var(columns);
            }
        }
        before.push(at(columns, call(Prim::Transpose, Vec::new(), vec![Atom::Var(found)])));
        block.stmts.splice(places.turned..=places.turned, before);
        block.stmts.remove(places.rows);
        self.applied.push(Applied { rule: &rules::FOLD_CROSSED, origin: turned.origin });
        Some(())
    }

    /// The rows over which the inner map goes, and the statements that make them of the array of the outer map.
    fn views_of_rows(
        &mut self,
        block: &Block,
        f: &Lambda,
        views: &[Stmt],
        (over, viewed): (VarId, VarId),
        origin: &Origin,
    ) -> Option<(Vec<Stmt>, VarId)> {
        let x = *f.params.first()?;
        if viewed == x {
            return Some((Vec::new(), over));
        }
        let zipped = block.stmts.iter().find(|s| s.var == over).map(|s| &s.rhs);
        let part = views.iter().find(|s| s.var == viewed).map(|s| &s.rhs);
        if let (Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })), Some(Rhs::Proj(Atom::Var(of), k))) =
            (zipped, part)
            && *of == x
            && let Atom::Var(rows) = args.get(*k)?
        {
            return Some((Vec::new(), *rows));
        }
        // A view of numbers would hide from the columns how they lie in memory.
        if is_flat(&self.ty(viewed).as_array()?.element) {
            return None;
        }
        let mut body = Block { stmts: Vec::new(), result: Atom::Var(viewed) };
        for view in views.iter().rev() {
            if uses::in_block(&body, view.var) {
                body.stmts.insert(0, view.clone());
            }
        }
        let g = Lambda { position: None, params: vec![x], body, origin: f.origin.clone() };
        let g = Copier::new(self.vars, self.lengths).lambda(&g);
        let ty = Ty::array(self.ty(viewed).clone(), self.ty(over).as_array()?.len.clone());
        let rows = fresh(self.vars, viewed, ty);
        let call =
            PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![g], args: vec![Atom::Var(over)] };
        let stmt = Stmt { var: rows, binds: Vec::new(), rhs: Rhs::Prim(call), origin: origin.clone() };
        Some((vec![stmt], rows))
    }
}

/// The primitive of a statement.
fn made_by(stmt: &Stmt) -> Option<Prim> {
    match &stmt.rhs {
        Rhs::Prim(call) => Some(call.prim),
        _ => None,
    }
}

/// The function of a map that the compiler places.
fn only_function(stmt: &Stmt) -> Option<&Lambda> {
    match &stmt.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) => funs.first(),
        _ => None,
    }
}
