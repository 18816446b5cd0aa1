//! Arrays by number: `generate`, and rows that a map over numbers picks.
//!
//! * `generate n f = map f (iota n)`, where f has loops, or the array is stored
//! * `map (λi. … aref xs i …) (iota n) = map (λ(i,x). … x …) (zip (iota n) xs)`, where xs has n elements
//!
//! A program that counts the rows of an array gets the strategies for maps over them.

use super::flat::is_flat;
use super::free::is_free;
use super::uses::{self, stmt_mentions};
use super::versions::fresh;
use super::{Applied, rules};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::{LengthCheck, Size, Var};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernel with maps in place of `generate`s, over rows in place of their numbers.
pub fn numbered(kernel: &Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let mut writer = Writer { vars: kernel.vars.clone(), applied };
    let mut body = kernel.body.clone();
    writer.block(&mut body, true);
    let Writer { vars, .. } = writer;
    Kernel { vars, body, ..kernel.clone() }
}

struct Writer<'a> {
    vars: Vec<VarInfo>,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    /// `stored`: the result of the block is stored as it is.
    fn block(&mut self, block: &mut Block, stored: bool) {
        let made = if stored { makers(block) } else { FxHashSet::default() };
        for mut stmt in std::mem::take(&mut block.stmts) {
            let stored = made.contains(&stmt.var);
            if let Some(numbers) = self.mapped(&mut stmt, stored) {
                block.stmts.push(numbers);
            }
            let is_map = matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_), .. }));
            let is_if = matches!(&stmt.rhs, Rhs::If(..));
            let zipped = self.over_rows(&mut stmt, &block.stmts);
            stmt.rhs.blocks_mut().into_iter().for_each(|b| self.block(b, stored && (is_map || is_if)));
            block.stmts.extend(zipped);
            block.stmts.push(stmt);
        }
    }

    fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }

    /// Makes a map of a `generate`; returns the statement of its numbers.
    fn mapped(&mut self, stmt: &mut Stmt, stored: bool) -> Option<Stmt> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Generate, .. }) = &mut stmt.rhs else { return None };
        let ([n], [f]) = (call.sizes.as_slice(), call.funs.as_slice()) else { return None };
        // Elements that are computed from scalars only form a view, which is copied if nothing is computed.
        let of = |is_it: &dyn Fn(&Rhs) -> bool| f.body.stmts.iter().all(|s| is_it(&s.rhs));
        if of(&is_free) || !stored && of(&is_simple) {
            return None;
        }
        let number = *f.params.first()?;
        let (int, n) = (self.vars[number.0 as usize].ty.clone(), n.clone());
        let numbers = fresh(&mut self.vars, number, Ty::array(int, n.clone()));
        let iota = PrimCall { prim: Prim::Iota, sizes: vec![n], funs: Vec::new(), args: Vec::new() };
        let counted = Stmt { var: numbers, rhs: Rhs::Prim(iota), binds: Vec::new(), origin: stmt.origin.clone() };
        if let [f] = call.funs.as_mut_slice()
            && f.position.as_ref().is_some_and(|p| is_only_number(&self.vars, &f.body, p))
            && let Some(position) = f.position.take()
        {
            number_for(&mut f.body, &position, number);
        }
        call.prim = Prim::Map(Level::Auto);
        call.sizes = Vec::new();
        call.args = vec![Atom::Var(numbers)];
        self.applied.push(Applied { rule: &rules::GENERATE_MAP, origin: stmt.origin.clone() });
        Some(counted)
    }

    /// Gives a map over numbers the rows that its function picks by them; returns the statements that zip these.
    fn over_rows(&mut self, stmt: &mut Stmt, before: &[Stmt]) -> Vec<Stmt> {
        self.with_rows(stmt, before).unwrap_or_default()
    }

    fn with_rows(&mut self, stmt: &mut Stmt, before: &[Stmt]) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &mut stmt.rhs else { return None };
        let ([f], [Atom::Var(numbers)]) = (call.funs.as_mut_slice(), call.args.as_slice()) else { return None };
        let numbers = *numbers;
        let counts = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Iota && !c.sizes.is_empty());
        before.iter().find(|s| s.var == numbers).filter(|s| counts(s))?;
        let len = self.ty(numbers).as_array()?.len.clone();
        let [number] = f.params.as_slice() else { return None };
        let (number, position) = (*number, f.position.clone());
        let mut names: FxHashMap<VarId, VarId> = FxHashMap::default();
        f.body.visit(&mut |s| {
            if let Rhs::Atom(Atom::Var(v)) = &s.rhs {
                names.insert(s.var, names.get(v).copied().unwrap_or(*v));
            }
        });
        // The arrays that exist before the map.
        let mut picked: Vec<(VarId, VarId)> = Vec::new();
        let picks = |s: &Stmt| -> Option<VarId> {
            let Rhs::Prim(PrimCall { prim: Prim::Aref, sizes, args, .. }) = &s.rhs else { return None };
            let by_number = match (args.as_slice(), sizes.as_slice()) {
                ([_, Atom::Var(i)], []) => *i == number,
                ([_, Atom::Size(i)], []) => position.as_ref().is_some_and(|p| i.as_var() == Some(p)),
                ([_], [i]) => position.as_ref().is_some_and(|p| i.as_var() == Some(p)),
                _ => false,
            };
            match args.first()? {
                Atom::Var(xs) if by_number => Some(names.get(xs).copied().unwrap_or(*xs)),
                _ => None,
            }
        };
        let mut found = Vec::new();
        let mut bound = Vec::new();
        f.body.visit(&mut |s| {
            bound.push(s.var);
            if let Rhs::Prim(call) = &s.rhs {
                bound.extend(call.funs.iter().flat_map(|f| f.params.iter().copied()));
            }
            found.extend(picks(s));
        });
        // An element is loaded where the function begins, so that a branch must not be the only one to read it.
        let mut always = FxHashSet::default();
        outside_branches(&f.body, &mut |s| always.extend(picks(s)));
        for xs in found {
            let array = self.ty(xs).as_array().filter(|a| a.position.is_none() && a.len == len);
            let is_taken = |element: &Ty| element.as_array().is_some() || is_flat(element) && always.contains(&xs);
            let rows = array.filter(|a| is_taken(&a.element) && !bound.contains(&xs)).cloned();
            if let Some(ArrayTy { element, .. }) = rows
                && !picked.iter().any(|(known, _)| *known == xs)
            {
                picked.push((xs, fresh(&mut self.vars, xs, element)));
            }
        }
        if picked.is_empty() {
            return None;
        }
        replace(&mut f.body, &|s| {
            let xs = picks(s)?;
            picked.iter().find(|(known, _)| *known == xs).map(|(_, row)| *row)
        });
        self.applied.push(Applied { rule: &rules::PICK_ROWS, origin: stmt.origin.clone() });
        let unused = |s: &Stmt| {
            let of_position = f.position.as_ref().is_some_and(|p| stmt_mentions(&self.vars, s, p));
            !of_position && !uses::mentions(s, &|v| v == number)
        };
        let counted = f.body.result == Atom::Var(number)
            || matches!((&f.body.result, &f.position), (Atom::Size(s), Some(p)) if s.contains(p))
            || !f.body.stmts.iter().all(unused);
        let ragged = self.vars[stmt.var.0 as usize].ty.as_array().is_some_and(|a| a.position.is_some());
        if !counted && !ragged {
            f.position = None;
        }
        let parts: Vec<(VarId, VarId)> = counted.then_some((numbers, number)).into_iter().chain(picked).collect();
        if let [(xs, row)] = parts.as_slice() {
            (f.params, call.args) = (vec![*row], vec![Atom::Var(*xs)]);
            return Some(Vec::new());
        }
        let ty = Ty::new(TyKind::Tuple(parts.iter().map(|(_, x)| self.vars[x.0 as usize].ty.clone()).collect()));
        let zipped = fresh(&mut self.vars, numbers, Ty::array(ty.clone(), len));
        let element = fresh(&mut self.vars, number, ty);
        let origin = stmt.origin.clone();
        let at = |var, rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
        let taken = parts.iter().enumerate().map(|(k, (_, x))| at(*x, Rhs::Proj(Atom::Var(element), k)));
        f.body.stmts.splice(0..0, taken.collect::<Vec<_>>());
        (f.params, call.args) = (vec![element], vec![Atom::Var(zipped)]);
        let args = parts.iter().map(|(xs, _)| Atom::Var(*xs)).collect();
        let zip = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args };
        Some(vec![at(zipped, Rhs::Prim(zip))])
    }
}

/// Visits the statements of a block and of its functions, without those in branches, which may not run.
fn outside_branches(block: &Block, visit: &mut dyn FnMut(&Stmt)) {
    for stmt in &block.stmts {
        visit(stmt);
        if let Rhs::Prim(call) = &stmt.rhs {
            call.funs.iter().for_each(|f| outside_branches(&f.body, visit));
        }
    }
}

/// The statements that make the result of a block, through views.
fn makers(block: &Block) -> FxHashSet<VarId> {
    let of = |a: &Atom| match a {
        Atom::Var(v) => Some(*v),
        _ => None,
    };
    let mut found: FxHashSet<VarId> = of(&block.result).into_iter().collect();
    for stmt in block
        .stmts
        .iter()
        .rev()
        .filter(|s| matches!(&s.rhs, Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Pack(..)) || is_view(&s.rhs))
    {
        if found.contains(&stmt.var) {
            found.extend(stmt.rhs.operands().into_iter().filter_map(of));
        }
    }
    found
}

fn is_view(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(call) if call.prim.is_view())
}

/// Whether a statement computes a scalar of scalars, or is a view.
fn is_simple(rhs: &Rhs) -> bool {
    let picks = matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Head | Prim::Last | Prim::Aref, .. }));
    let chooses =
        matches!(rhs, Rhs::If(_, a, b) if [a, b].into_iter().all(|b| b.stmts.iter().all(|s| is_simple(&s.rhs))));
    let counts = matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Generate, funs, sizes, .. })
        if !sizes.is_empty() && funs.iter().all(|f| f.body.stmts.iter().all(|s| is_simple(&s.rhs))));
    matches!(rhs, Rhs::Scalar(..)) || is_free(rhs) || picks || chooses || counts
}

/// Whether an index variable is used as a number only: no length depends on it.
fn is_only_number(vars: &[VarInfo], block: &Block, position: &Var) -> bool {
    let in_type = |v: VarId| vars[v.0 as usize].ty.mentions(position);
    let is_number = |a: &Atom| !uses::atom_mentions(a, position) || *a == Atom::Size(Size::var(position.clone()));
    let of_stmt = |s: &Stmt| {
        let sizes = match &s.rhs {
            Rhs::Pack(_, sizes) => !sizes.iter().any(|s| s.contains(position)),
            Rhs::Cast(_, checks) => !checks.iter().flat_map(LengthCheck::sizes).any(|s| s.contains(position)),
            Rhs::Prim(PrimCall { prim: Prim::Aref, sizes, .. }) => {
                sizes.iter().all(|s| is_number(&Atom::Size(s.clone())))
            }
            Rhs::Prim(call) => !call.sizes.iter().any(|s| s.contains(position)),
            _ => true,
        };
        let params = match &s.rhs {
            Rhs::Prim(call) => !call.funs.iter().flat_map(|f| &f.params).any(|v| in_type(*v)),
            _ => true,
        };
        let inside = s.rhs.blocks().into_iter().all(|b| is_only_number(vars, b, position));
        sizes && params && inside && !in_type(s.var) && s.rhs.operands().into_iter().all(is_number)
    };
    is_number(&block.result) && block.stmts.iter().all(of_stmt)
}

/// Replaces an index variable by the variable of its number.
fn number_for(block: &mut Block, position: &Var, number: VarId) {
    let is_it = |a: &Atom| *a == Atom::Size(Size::var(position.clone()));
    for stmt in &mut block.stmts {
        if let Rhs::Prim(call @ PrimCall { prim: Prim::Aref, .. }) = &mut stmt.rhs
            && call.sizes.as_slice() == [Size::var(position.clone())]
        {
            call.sizes.clear();
            call.args.push(Atom::Var(number));
        }
        stmt.rhs.operands_mut().into_iter().filter(|a| is_it(a)).for_each(|a| *a = Atom::Var(number));
        stmt.rhs.blocks_mut().into_iter().for_each(|b| number_for(b, position, number));
    }
    if is_it(&block.result) {
        block.result = Atom::Var(number);
    }
}

/// Replaces statements by the variables that have their values.
fn replace(block: &mut Block, by: &dyn Fn(&Stmt) -> Option<VarId>) {
    for stmt in &mut block.stmts {
        match by(stmt) {
            Some(row) => stmt.rhs = Rhs::Atom(Atom::Var(row)),
            None => stmt.rhs.blocks_mut().into_iter().for_each(|b| replace(b, by)),
        }
    }
}
