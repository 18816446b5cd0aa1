//! Loops over rows whose iterations are element-wise: each element gets a loop of its own.
//!
//! `iterate k (map f) xs = map (iterate k f) xs`, and likewise for `iterateWhile` if the test reads only scalars.
//! Inside of a function an `iterate` has memory for its rows and waits after each iteration; its elements on their own
//! need neither, and are the work of as many work-items as there are elements.
//!
//! `folds`: folds and scans of rows.

mod folds;

use super::flat::is_flat;
use super::free::is_free;
use super::nested::array_of;
use super::pass::alone;
use super::{Applied, on_the_host, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::simplify::rename;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Interchanges the element-wise folds of rows, and the element-wise loops that are not loops of the host.
pub fn interchange(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    alone(kernel, |kernel, lengths, body| {
        by_columns(kernel, body, lengths, &mut Vec::new(), applied);
        if target.class == Class::Gpu {
            at_the_host(kernel, body, lengths, applied);
        }
    })
}

/// Interchanges the folds of rows of a block and of all functions in it.
fn by_columns(
    kernel: &mut Kernel,
    body: &mut Block,
    lengths: &mut Lengths,
    // The views in scope that the rule looks through.
    known: &mut Vec<Stmt>,
    applied: &mut Vec<Applied>,
) {
    let mut out: Vec<Stmt> = Vec::new();
    let outside = known.len();
    // The only rows of folds, by the arrays of one row; and what is one of them.
    let (mut rows, mut same) = (FxHashMap::<VarId, VarId>::default(), FxHashMap::<VarId, VarId>::default());
    for mut stmt in std::mem::take(&mut body.stmts) {
        known.extend(is_seen_through(&stmt).then(|| stmt.clone()));
        if let Rhs::Prim(PrimCall { prim: Prim::Head | Prim::Last, args, .. }) = &stmt.rhs
            && let [Atom::Var(of)] = args.as_slice()
            && let Some(row) = rows.get(of)
        {
            same.insert(stmt.var, *row);
            continue;
        }
        let before = applied.len();
        let folded = folds::columns(kernel, lengths, &stmt, known).and_then(|(mut stmts, whole)| {
            applied.push(Applied { rule: &rules::FOLD_COLUMNS, origin: stmt.origin.clone() });
            known.extend(stmts.iter().filter(|s| is_seen_through(s)).cloned());
            for s in &mut stmts {
                s.rhs.blocks_mut().into_iter().for_each(|block| by_columns(kernel, block, lengths, known, applied));
            }
            // Rows that each element reads as a whole are for numbers only, at the end.
            (!whole || stmts.iter().all(|s| folds_numbers(kernel, s))).then_some(stmts)
        });
        match folded {
            Some(stmts) => {
                if let Some(Stmt { rhs: Rhs::Prim(PrimCall { prim: Prim::Split, args, .. }), .. }) = stmts.last()
                    && let [Atom::Var(row)] = args.as_slice()
                {
                    rows.insert(stmt.var, *row);
                }
                out.extend(stmts);
            }
            None => {
                applied.truncate(before);
                stmt.rhs.blocks_mut().into_iter().for_each(|block| by_columns(kernel, block, lengths, known, applied));
                out.push(stmt);
            }
        }
    }
    known.truncate(outside);
    body.stmts = out;
    rename(body, &|v| *v = same.get(v).copied().unwrap_or(*v));
    let read = |v: VarId| body.result == Atom::Var(v) || body.stmts.iter().any(|s| uses::mentions(s, &|w| w == v));
    let unread: FxHashSet<VarId> = rows.into_keys().filter(|v| !read(*v)).collect();
    body.stmts.retain(|s| !unread.contains(&s.var));
}

/// Whether the rule looks through a statement: it fills, generates or zips an array.
fn is_seen_through(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Fill | Prim::Generate | Prim::Zip))
}

/// Whether the accumulators of all folds and scans in a statement are numbers.
fn folds_numbers(kernel: &Kernel, stmt: &Stmt) -> bool {
    let of_numbers = match &stmt.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_), args, .. }) => {
            args.first().is_some_and(|z| is_flat(&kernel.atom_ty(z)))
        }
        _ => true,
    };
    of_numbers && stmt.rhs.blocks().into_iter().flat_map(|b| &b.stmts).all(|s| folds_numbers(kernel, s))
}

fn at_the_host(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    for stmt in &mut body.stmts {
        let on_the_host = matches!(&stmt.rhs, Rhs::Prim(call) if on_the_host(kernel, call));
        match &mut stmt.rhs {
            Rhs::Prim(call) if !on_the_host => {
                call.funs.iter_mut().for_each(|f| inside(kernel, &mut f.body, lengths, applied));
            }
            rhs => {
                rhs.blocks_mut().into_iter().for_each(|block| at_the_host(kernel, block, lengths, applied));
            }
        }
    }
}

/// Interchanges all loops of a block in a function.
fn inside(kernel: &mut Kernel, body: &mut Block, lengths: &mut Lengths, applied: &mut Vec<Applied>) {
    let mut rest = std::mem::take(&mut body.stmts);
    rest.reverse();
    while let Some(mut stmt) = rest.pop() {
        stmt.rhs.blocks_mut().into_iter().for_each(|block| inside(kernel, block, lengths, applied));
        let wanted = Wanted::of(&stmt, &rest, &body.result);
        match Elements::of(kernel, lengths, &stmt, &body.stmts, wanted) {
            Some(mut stmts) => {
                applied.push(Applied { rule: &rules::ITERATE_MAP, origin: stmt.origin.clone() });
                // The elements may be rows, with a loop that is element-wise as well.
                for s in &mut stmts {
                    s.rhs.blocks_mut().into_iter().for_each(|block| inside(kernel, block, lengths, applied));
                }
                rest.retain(|s| !matches!(wanted, Wanted::Component(part, _) if s.var == part));
                body.stmts.extend(stmts);
                drop_unread(&stmt, &rest, body);
            }
            None => body.stmts.push(stmt),
        }
    }
}

/// Removes the tuple from which a loop started, if nothing else reads it: it would count as a reader of its rows.
fn drop_unread(stmt: &Stmt, rest: &[Stmt], body: &mut Block) {
    let Some(Atom::Var(start)) = stmt.rhs.operands().first().cloned() else { return };
    let reads = |s: &Stmt| uses::mentions(s, &|v| v == start);
    if !body.stmts.iter().chain(rest).any(reads) && body.result != Atom::Var(start) {
        body.stmts.retain(|s| s.var != start || !matches!(s.rhs, Rhs::Tuple(_)));
    }
}

/// The part of a loop's result that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    All,
    /// This variable is the only reader, a component of the result.
    Component(VarId, usize),
}

impl Wanted {
    fn of(stmt: &Stmt, rest: &[Stmt], result: &Atom) -> Wanted {
        let is_it = |v: VarId| v == stmt.var;
        let mut readers = rest.iter().filter(|s| uses::mentions(s, &is_it));
        match (readers.next(), readers.next()) {
            (Some(Stmt { var, rhs: Rhs::Proj(_, k), .. }), None) if *result != Atom::Var(stmt.var) => {
                Wanted::Component(*var, *k)
            }
            _ => Wanted::All,
        }
    }
}

/// Derives the function of one element from that of rows.
struct Elements<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    /// The length of all rows.
    len: Size,
    /// The element of each row that an iteration has or makes, and the scalars that change from iteration to
    /// iteration.
    own: FxHashMap<VarId, Atom>,
    /// Rows of an iteration that each element reads as a whole.
    whole: FxHashSet<VarId>,
    /// Rows that are the same in all iterations, each with the variable of its element.
    same: Vec<(VarId, VarId)>,
    /// The statements of an iteration on which no element depends.
    before: Vec<Stmt>,
    /// The statements for one element.
    stmts: Vec<Stmt>,
    origin: Origin,
}

/// The type of a value in the loop of one element: the element type of a row of this length, or a scalar type.
fn element_of(ty: &Ty, len: &Size) -> Option<Ty> {
    match ty.kind() {
        _ if is_flat(ty) => Some(ty.clone()),
        TyKind::Tuple(parts) => {
            Some(Ty::tuple(parts.iter().map(|part| element_of(part, len)).collect::<Option<Vec<Ty>>>()?))
        }
        _ => ty.as_array().filter(|a| a.position.is_none() && a.len == *len).map(|a| a.element.clone()),
    }
}

/// The length of the first row.
fn length_of(ty: &Ty) -> Option<Size> {
    match ty.kind() {
        TyKind::Tuple(parts) => parts.iter().find_map(length_of),
        _ => ty.as_array().map(|a| a.len.clone()),
    }
}

impl Elements<'_> {
    /// The statements that replace an element-wise loop over rows; `known` are the statements before it.
    fn of(
        kernel: &mut Kernel,
        lengths: &mut Lengths,
        stmt: &Stmt,
        known: &[Stmt],
        wanted: Wanted,
    ) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Iterate | Prim::IterateWhile, funs, args, .. }) = &stmt.rhs else {
            return None;
        };
        // An `iterate` has one function for all iterations, or a copy for each.
        let whole = match call.prim {
            Prim::Iterate => call.sizes.len() == 1 && funs.len() == 1,
            _ => true,
        };
        let [start] = args.as_slice() else { return None };
        let ty = kernel.ty(stmt.var).clone();
        if !whole || kernel.atom_ty(start) != ty {
            return None;
        }
        let len = length_of(&ty)?;
        let element = element_of(&ty, &len)?;
        let (own, origin) = (FxHashMap::default(), stmt.origin.clone());
        let mut all = Elements {
            kernel,
            lengths,
            len,
            own,
            whole: FxHashSet::default(),
            same: Vec::new(),
            before: Vec::new(),
            stmts: Vec::new(),
            origin,
        };
        let funs = funs.iter().map(|f| all.function(f, &element)).collect::<Option<Vec<Lambda>>>()?;
        let looped = PrimCall { prim: call.prim, sizes: call.sizes.clone(), funs, args: Vec::new() };
        let parts = match (ty.kind(), known.iter().find(|s| Atom::Var(s.var) == *start).map(|s| &s.rhs)) {
            (TyKind::Tuple(_), Some(Rhs::Tuple(parts))) => Some(parts.as_slice()),
            _ => None,
        };
        all.map(stmt, (start, parts), looped, &element, wanted)
    }

    /// Converts a function of rows to a function of their elements.
    fn function(&mut self, f: &Lambda, element: &Ty) -> Option<Lambda> {
        let ([state], None) = (f.params.as_slice(), &f.position) else { return None };
        let x = self.fresh(*state, element.clone());
        self.own.insert(*state, Atom::Var(x));
        f.body.stmts.iter().try_for_each(|s| self.stmt(s))?;
        let result = self.element(&f.body.result)?;
        let body = Block { stmts: std::mem::take(&mut self.stmts), result };
        Some(Lambda { position: None, params: vec![x], body, origin: f.origin.clone() })
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        let name = self.kernel.name_of(like).into();
        self.kernel.vars.push(VarInfo { name, ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }

    fn at(&self, var: VarId, rhs: Rhs) -> Stmt {
        Stmt { var, binds: Vec::new(), rhs, origin: self.origin.clone() }
    }

    /// The element of a row; a scalar is returned unchanged.
    fn element(&mut self, row: &Atom) -> Option<Atom> {
        let Atom::Var(v) = row else { return Some(row.clone()) };
        if let Some(element) = self.own.get(v) {
            return Some(element.clone());
        }
        if let Some((_, element)) = self.same.iter().find(|(row, _)| row == v) {
            return Some(Atom::Var(*element));
        }
        if is_flat(self.kernel.ty(*v)) {
            return Some(row.clone());
        }
        let array = self.kernel.ty(*v).as_array().cloned()?;
        let ty = (array.position.is_none() && array.len == self.len).then_some(array.element)?;
        let element = self.fresh(*v, ty);
        self.same.push((*v, element));
        Some(Atom::Var(element))
    }

    fn made(&mut self, stmt: &Stmt, rhs: Rhs) -> Option<()> {
        let ty = element_of(self.kernel.ty(stmt.var), &self.len)?;
        let var = self.fresh(stmt.var, ty);
        self.stmts.push(Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() });
        self.own.insert(stmt.var, Atom::Var(var));
        Some(())
    }

    /// Adds a statement's work for one element; `None` if it reads other elements too.
    fn stmt(&mut self, stmt: &Stmt) -> Option<()> {
        let is_own = |v: VarId| self.own.contains_key(&v);
        if !uses::mentions(stmt, &is_own) && stmt.binds.is_empty() && is_free(&stmt.rhs) {
            self.before.push(stmt.clone());
            return Some(());
        }
        match &stmt.rhs {
            Rhs::Atom(row) => {
                let element = self.element(row)?;
                self.own.insert(stmt.var, element);
                if matches!(row, Atom::Var(v) if self.whole.contains(v)) {
                    self.whole.insert(stmt.var);
                }
            }
            Rhs::Proj(rows, k) if self.whole.contains(&stmt.var) => {
                let rows = self.element(rows)?;
                let row = self.fresh(stmt.var, self.kernel.ty(stmt.var).clone());
                self.stmts.push(Stmt { var: row, rhs: Rhs::Proj(rows, *k), ..stmt.clone() });
                self.own.insert(stmt.var, Atom::Var(row));
            }
            Rhs::Proj(rows, k) => {
                let element = self.element(rows)?;
                self.made(stmt, Rhs::Proj(element, *k))?;
            }
            // An array may be empty, so its elements must not be responsible for stopping the run.
            Rhs::Scalar(op, args) if is_free(&stmt.rhs) => {
                let args = args.iter().map(|a| self.element(a)).collect::<Option<Vec<Atom>>>()?;
                self.made(stmt, Rhs::Scalar(*op, args))?;
            }
            Rhs::Tuple(rows) | Rhs::Prim(PrimCall { prim: Prim::Zip, args: rows, .. }) => {
                let parts = rows.iter().map(|row| self.element(row)).collect::<Option<Vec<Atom>>>()?;
                self.made(stmt, Rhs::Tuple(parts))?;
            }
            Rhs::Prim(PrimCall { prim: Prim::Unzip, args, .. }) => {
                let element = self.element(&args[0])?;
                self.own.insert(stmt.var, element);
            }
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) => {
                let f = &funs[0];
                let ([x], None) = (f.params.as_slice(), &f.position) else { return None };
                let is_row = |v: VarId| is_own(v) && !is_flat(self.kernel.ty(v)) && !self.whole.contains(&v);
                if f.body.stmts.iter().any(|s| uses::mentions(s, &is_row))
                    || matches!(&f.body.result, Atom::Var(v) if is_row(*v))
                {
                    return None;
                }
                let element = self.element(&args[0])?;
                let mut copier = Copier::new(&mut self.kernel.vars, self.lengths);
                copier.atoms.clone_from(&self.own);
                copier.atoms.insert(*x, element);
                let Block { stmts, result } = copier.block(&f.body);
                self.stmts.extend(stmts);
                self.own.insert(stmt.var, result);
            }
            _ => return None,
        }
        Some(())
    }

    /// `map (λx. iterate k f x) xs`, with the rows that are the same in all iterations beside xs. `start` are the first
    /// rows, and the components if they are known.
    fn map(
        mut self,
        stmt: &Stmt,
        (start, parts): (&Atom, Option<&[Atom]>),
        mut looped: PrimCall,
        element: &Ty,
        wanted: Wanted,
    ) -> Option<Vec<Stmt>> {
        let (state, ty) = (stmt.var, self.kernel.ty(stmt.var).clone());
        let mut out = std::mem::take(&mut self.before);
        let prim = |prim, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs: Vec::new(), args });
        let initial = self.fresh(state, element.clone());
        let mut rows = Vec::new();
        let mut made = Vec::new();
        match ty.kind() {
            TyKind::Tuple(types) => {
                let mut elements = Vec::new();
                for (k, of) in types.iter().enumerate() {
                    let part = match parts.and_then(|parts| parts.get(k)) {
                        Some(part) => part.clone(),
                        None => {
                            let row = self.fresh(state, of.clone());
                            out.push(self.at(row, Rhs::Proj(start.clone(), k)));
                            Atom::Var(row)
                        }
                    };
                    elements.push(match of.as_array() {
                        Some(array) => {
                            let x = self.fresh(state, array.element.clone());
                            rows.push((part, x));
                            Atom::Var(x)
                        }
                        None if is_flat(of) => part,
                        None => return None,
                    });
                }
                made.push(self.at(initial, Rhs::Tuple(elements)));
            }
            _ => rows.push((start.clone(), initial)),
        }
        rows.extend(self.same.iter().map(|(row, x)| (Atom::Var(*row), *x)));
        let (param, source) = match rows.as_slice() {
            [(row, x)] => (*x, row.clone()),
            all => {
                let elements: Vec<Ty> = all.iter().map(|(_, x)| self.kernel.ty(*x).clone()).collect();
                let ty = Ty::tuple(elements);
                let zipped = self.fresh(state, array_of(&ty, &self.len));
                let param = self.fresh(state, ty);
                let args = all.iter().map(|(row, _)| row.clone()).collect();
                out.push(self.at(zipped, prim(Prim::Zip, args)));
                let parts = all.iter().enumerate();
                let parts: Vec<Stmt> = parts.map(|(k, (_, x))| self.at(*x, Rhs::Proj(Atom::Var(param), k))).collect();
                made.splice(0..0, parts);
                (param, Atom::Var(zipped))
            }
        };
        let last = self.fresh(state, element.clone());
        let origin = looped.funs.last()?.origin.clone();
        looped.args = vec![Atom::Var(initial)];
        made.push(self.at(last, Rhs::Prim(looped)));
        let rows_only =
            |ty: &Ty| matches!(ty.kind(), TyKind::Tuple(parts) if parts.iter().all(|p| p.as_array().is_some()));
        let (result, var, unzipped) = match wanted {
            Wanted::Component(part, k) if matches!(ty.kind(), TyKind::Tuple(_)) => {
                let of = self.kernel.ty(part).as_array()?.element.clone();
                let x = self.fresh(part, of);
                made.push(self.at(x, Rhs::Proj(Atom::Var(last), k)));
                (x, part, None)
            }
            _ if ty.as_array().is_some() => (last, stmt.var, None),
            // The final value of a scalar cannot come from an element, because there may be none.
            _ if rows_only(&ty) => {
                let all = self.fresh(state, array_of(element, &self.len));
                (last, all, Some(self.at(stmt.var, prim(Prim::Unzip, vec![Atom::Var(all)]))))
            }
            _ => return None,
        };
        let f = Lambda {
            position: None,
            params: vec![param],
            body: Block { stmts: made, result: Atom::Var(result) },
            origin,
        };
        let map = PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![source] };
        out.push(self.at(var, Rhs::Prim(map)));
        out.extend(unzipped);
        Some(out)
    }
}
