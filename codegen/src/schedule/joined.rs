//! Folds of folds: a single fold of all elements has the strategies of long rows, but nested folds below a map run on
//! one work-item.
//!
//! `reduce f z (map (reduce f z ∘ g) xs) = reduce f z (join (map g xs))`

use super::alike::Classes;
use super::free::is_free;
use super::nested::{LONG, LONG_VIEW, array_of, is_known, rows_of};
use super::versions::fresh;
use super::{Applied, rules, uses};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// Rewrites folds of folds in functions of maps.
pub fn joined(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let plain = kernel.params.iter().copied().collect();
    Writer { vars: &mut kernel.vars, applied, plain, computed: false }.host(&mut kernel.body);
    kernel
}

/// The function with one fold of all elements instead of folds of folds, also of elements that it computes itself. `None` if
/// it has no such folds.
pub fn one_fold(kernel: &mut Kernel, f: &Lambda, applied: &mut Vec<Applied>) -> Option<Lambda> {
    let (mut joined, mut added) = (f.clone(), Vec::new());
    let plain = FxHashSet::default();
    Writer { vars: &mut kernel.vars, applied: &mut added, plain, computed: true }.function(&mut joined.body);
    let any = !added.is_empty();
    applied.extend(added);
    any.then_some(joined)
}

struct Writer<'a> {
    vars: &'a mut Vec<VarInfo>,
    applied: &'a mut Vec<Applied>,
    /// Arrays whose layout in memory follows their indices, and tuples of such arrays.
    plain: FxHashSet<VarId>,
    /// Whether elements may be computed by the position of their row, and their own in it.
    computed: bool,
}

impl Writer<'_> {
    /// Rewrites functions of maps; other rules distribute the statements beside maps.
    fn host(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.arrange(stmt);
            let is_map = is_map(&stmt.rhs);
            for inner in stmt.rhs.blocks_mut() {
                if is_map { self.function(inner) } else { self.host(inner) }
            }
        }
    }

    /// Records whether the result of a statement and the parameter of a map's function are plain.
    fn arrange(&mut self, stmt: &Stmt) {
        let is = |a: &Atom| matches!(a, Atom::Var(v) if self.plain.contains(v));
        let all = stmt.rhs.operands().iter().all(is);
        let keeps = |prim| matches!(prim, Prim::Zip | Prim::Unzip | Prim::Join | Prim::Split);
        let plain = match &stmt.rhs {
            Rhs::Prim(call) => !is_free(&stmt.rhs) || (keeps(call.prim) && all),
            Rhs::Atom(_) | Rhs::Proj(..) | Rhs::Tuple(_) => all,
            _ => true,
        };
        if let (Rhs::Prim(call), true) = (&stmt.rhs, is_map(&stmt.rhs) && all) {
            self.plain.extend(call.funs.iter().flat_map(|f| &f.params));
        }
        if plain {
            self.plain.insert(stmt.var);
        }
    }

    fn function(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            self.arrange(stmt);
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.function(inner));
        }
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some((map, made, all)) = self.fold_of_folds(block, at) {
                self.applied.push(Applied { rule: &rules::FOLD_JOINED, origin: block.stmts[at].origin.clone() });
                if let Rhs::Prim(fold) = &mut block.stmts[at].rhs {
                    fold.args[1] = Atom::Var(all);
                }
                at = at - 1 + made.len();
                block.stmts.splice(map..=map, made);
            }
            at += 1;
        }
    }

    /// For a fold of a map of folds with the same operator: the index of the map, the statements that replace it, and
    /// the array to fold.
    fn fold_of_folds(&mut self, block: &Block, at: usize) -> Option<(usize, Vec<Stmt>, VarId)> {
        let (f, z, folded) = fold(&block.stmts[at])?;
        let map = block.stmts[..at].iter().position(|s| s.var == folded)?;
        let others = block.stmts.iter().enumerate().filter(|(k, _)| *k != at);
        if block.result == Atom::Var(folded) || others.into_iter().any(|(_, s)| uses::mentions(s, &|v| v == folded)) {
            return None;
        }
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &block.stmts[map].rhs else {
            return None;
        };
        let ([row], [Atom::Var(rows)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let ([param], [before @ .., inner, head]) = (row.params.as_slice(), row.body.stmts.as_slice()) else {
            return None;
        };
        let (g, y, elements) = fold(inner)?;
        let is_head = matches!(&head.rhs, Rhs::Prim(PrimCall { prim: Prim::Head, args, .. }) if args.as_slice() == [Atom::Var(inner.var)]);
        let alike = y == z && Classes::default().is_same_function(f, g);
        if row.position.is_some() || !is_head || row.body.result != Atom::Var(head.var) || !alike {
            return None;
        }
        let views = &block.stmts[..map];
        let mut lifting = Lifting {
            vars: self.vars,
            plain: &self.plain,
            views,
            param: *param,
            rows: *rows,
            origin: &block.stmts[map].origin,
            made: Vec::new(),
            lifted: FxHashMap::default(),
        };
        // The function does nothing but find the elements.
        if let Some(all) = lifting.all(before, elements) {
            let Lifting { made, lifted, .. } = lifting;
            let whole = before.iter().all(|s| lifted.contains_key(&s.var) || matches!(s.rhs, Rhs::Proj(..)));
            return whole.then_some((map, made, all));
        }
        if !self.computed || !before.iter().all(|s| is_lazy(self.vars, s)) {
            return None;
        }
        let (n, _) = rows_of(&self.vars[rows.0 as usize].ty)?;
        let of_row = self.vars[elements.0 as usize].ty.clone();
        let (m, element) = rows_of(&of_row)?;
        if !is_known(&n) || !is_known(&m) {
            return None;
        }
        let body = Block { stmts: before.to_vec(), result: Atom::Var(elements) };
        let f = Lambda { body, ..row.clone() };
        let origin = block.stmts[map].origin.clone();
        let [all_rows, all] =
            [array_of(&of_row, &n), array_of(&element, &n.mul(&m))].map(|ty| fresh(self.vars, elements, ty));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let join = |rows: VarId| at(all, prim(Prim::Join, Vec::new(), vec![Atom::Var(rows)]));
        let made = match elements == *param {
            true => vec![join(*rows)],
            false => {
                vec![at(all_rows, prim(Prim::Map(Level::Auto), vec![f], vec![Atom::Var(*rows)])), join(all_rows)]
            }
        };
        Some((map, made, all))
    }
}

/// The operator, the start and the array of a fold that the compiler may reorder.
fn fold(stmt: &Stmt) -> Option<(&Lambda, &Atom, VarId)> {
    let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    match (funs.as_slice(), args.as_slice()) {
        ([f], [z, Atom::Var(xs)]) => Some((f, z, *xs)),
        _ => None,
    }
}

/// Lifts statements about one row to the concatenated elements of all rows.
struct Lifting<'a> {
    vars: &'a mut Vec<VarInfo>,
    plain: &'a FxHashSet<VarId>,
    /// The statements of the block before the map.
    views: &'a [Stmt],
    /// The row, and the array of rows.
    param: VarId,
    rows: VarId,
    origin: &'a Origin,
    made: Vec<Stmt>,
    /// The array of all elements for each array of a row's elements.
    lifted: FxHashMap<VarId, VarId>,
}

impl Lifting<'_> {
    /// The elements of a function's array for all rows; `None` if they are not made by projections, zips and maps.
    fn all(&mut self, body: &[Stmt], of: VarId) -> Option<VarId> {
        if let Some(all) = self.lifted.get(&of) {
            return Some(*all);
        }
        let made = if of == self.param {
            self.join(self.rows)?
        } else {
            let stmt = body.iter().find(|s| s.var == of).filter(|s| s.binds.is_empty())?;
            match &stmt.rhs {
                Rhs::Proj(Atom::Var(pair), k) if *pair == self.param => {
                    let component = self.component(*k)?;
                    self.join(component)?
                }
                Rhs::Prim(call) => self.of_call(body, stmt, call)?,
                _ => return None,
            }
        };
        self.lifted.insert(of, made);
        Some(made)
    }

    fn of_call(&mut self, body: &[Stmt], stmt: &Stmt, call: &PrimCall) -> Option<VarId> {
        let own = |v: VarId| v == self.param || body.iter().any(|s| s.var == v);
        let of_row = |f: &Lambda| f.position.is_some() || f.body.stmts.iter().any(|s| uses::mentions(s, &own));
        if !matches!(call.prim, Prim::Map(Level::Auto) | Prim::Zip | Prim::Join) || call.funs.iter().any(of_row) {
            return None;
        }
        let mut args = Vec::new();
        let mut len = None;
        for arg in &call.args {
            let Atom::Var(v) = arg else { return None };
            let all = self.all(body, *v)?;
            len = len.or_else(|| rows_of(&self.vars[all.0 as usize].ty).map(|(n, _)| n));
            args.push(Atom::Var(all));
        }
        let (_, element) = rows_of(&self.vars[stmt.var.0 as usize].ty)?;
        let len = match (call.prim, args.as_slice()) {
            (Prim::Join, [Atom::Var(all)]) => {
                let (n, row) = rows_of(&self.vars[all.0 as usize].ty)?;
                n.mul(&rows_of(&row)?.0)
            }
            _ => len?,
        };
        let rhs = Rhs::Prim(PrimCall { args, ..call.clone() });
        Some(self.push(stmt.var, array_of(&element, &len), rhs))
    }

    /// The array of a component of each row, where rows are zipped.
    fn component(&self, k: usize) -> Option<VarId> {
        let zip = self.views.iter().find(|s| s.var == self.rows)?;
        match &zip.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => match args.get(k)? {
                Atom::Var(v) => Some(*v),
                _ => None,
            },
            _ => None,
        }
    }

    /// The elements of rows that are adjacent in memory, if they are too many for one work-item.
    fn join(&mut self, rows: VarId) -> Option<VarId> {
        if !self.plain.contains(&rows) {
            return None;
        }
        let (n, row) = rows_of(&self.vars[rows.0 as usize].ty)?;
        let (m, element) = rows_of(&row)?;
        let all = n.mul(&m);
        if !is_known(&n) || !is_known(&m) || m.as_const().is_some_and(|m| m < LONG_VIEW) {
            return None;
        }
        let call = PrimCall { prim: Prim::Join, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(rows)] };
        Some(self.push(rows, array_of(&element, &all), Rhs::Prim(call)))
    }

    fn push(&mut self, like: VarId, ty: Ty, rhs: Rhs) -> VarId {
        let var = fresh(self.vars, like, ty);
        self.made.push(Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() });
        var
    }
}

/// Whether a statement makes rows that only a `join` reads, so that what reads an element can compute it.
pub fn is_joined(vars: &[VarInfo], f: &Lambda, stmt: &Stmt) -> bool {
    let mut readers = f.body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == stmt.var));
    let joins = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Join);
    is_map(&stmt.rhs)
        && is_lazy(vars, stmt)
        && f.body.result != Atom::Var(stmt.var)
        && readers.next().is_some_and(joins)
        && readers.next().is_none()
}

/// Whether what reads an element can compute it: scalars, views, folds of a few elements, and maps of functions of such.
fn is_lazy(vars: &[VarInfo], stmt: &Stmt) -> bool {
    let all = |block: &Block| block.stmts.iter().all(|s| is_lazy(vars, s));
    let inside = |call: &PrimCall| call.funs.iter().all(|f| f.position.is_none() && all(&f.body));
    match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::If(_, a, b) => [a, b].into_iter().all(all),
        Rhs::Prim(call) => match call.prim {
            Prim::Map(Level::Auto) => inside(call),
            Prim::Reduce(Level::Auto | Level::Seq) => has_few(vars, call) && inside(call),
            Prim::Head | Prim::Last | Prim::Aref => true,
            prim => prim.is_view() && inside(call),
        },
        _ => false,
    }
}

/// Whether a fold goes over a few elements.
fn has_few(vars: &[VarInfo], fold: &PrimCall) -> bool {
    let Some(Atom::Var(xs)) = fold.args.get(1) else { return false };
    rows_of(&vars[xs.0 as usize].ty).is_some_and(|(n, _)| n.as_const().is_some_and(|n| n < LONG))
}

fn is_map(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }))
}

/// Whether a map gives folds of its elements that are folded by the same function, so that
/// the two are one fold of all.
pub fn folds_folds(stmts: &[Stmt], map: &Stmt) -> bool {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, .. }) = &map.rhs else { return false };
    let body = &funs[0].body;
    let named = |stmts: &[Stmt], a: &Atom| stmts.iter().find(|s| *a == Atom::Var(s.var)).map(|s| s.rhs.clone());
    let inner = match named(&body.stmts, &body.result) {
        Some(Rhs::Prim(PrimCall { prim: Prim::Head, args, .. })) => named(&body.stmts, &args[0]),
        _ => None,
    };
    let Some(Rhs::Prim(inner @ PrimCall { prim: Prim::Reduce(_), .. })) = inner else { return false };
    stmts.iter().any(|s| match &s.rhs {
        Rhs::Prim(outer @ PrimCall { prim: Prim::Reduce(_), .. }) => {
            outer.args[1] == Atom::Var(map.var)
                && outer.args[0] == inner.args[0]
                && Classes::default().is_same_function(&outer.funs[0], &inner.funs[0])
        }
        _ => false,
    })
}
