//! Maps whose elements are existing rows, and filters of rows: rows are copied element by element, by the whole device
//! instead of one work-item per row.
//!
//! * `map (λx. v) = map (λx. map id v)`, where v is a view, or one of two
//! * `filter p xs = map (λi. xs i) (filter (λi. (map p xs) i) (iota n))`, where the n elements of xs are arrays, or p has a loop
//!   whose state may grow

use super::bounds::Bounds;
use super::fails::may_fail;
use super::flat::is_rectangular;
use super::free::{are_brief, is_brief};
use super::nest;
use super::versions::{branch, choice, decided};
use super::{Applied, on_the_host, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::{Ty, TyKind};
use std::collections::BTreeSet;

/// Rewrites the maps and filters at host level.
pub fn apart(kernel: &mut Kernel, applied: &mut Vec<Applied>) {
    let lengths = Lengths::of(kernel);
    let mut body = std::mem::replace(&mut kernel.body, Block { stmts: Vec::new(), result: Atom::Size(Size::zero()) });
    let mut writer = Writer { kernel, applied, lengths };
    writer.host(&mut body);
    kernel.body = body;
}

/// Lets the whole device copy the rows that an inner map returns, element by element.
pub fn in_nests(kernel: &mut Kernel, applied: &mut Vec<Applied>) {
    let mut body = std::mem::replace(&mut kernel.body, Block { stmts: Vec::new(), result: Atom::Size(Size::zero()) });
    nests_in(kernel, &mut body, applied);
    kernel.body = body;
}

fn nests_in(kernel: &mut Kernel, block: &mut Block, applied: &mut Vec<Applied>) {
    for stmt in &mut block.stmts {
        match &mut stmt.rhs {
            Rhs::If(_, a, b) => [a, b].into_iter().for_each(|b| nests_in(kernel, b, applied)),
            Rhs::Prim(call) if on_the_host(kernel, call) => {
                call.funs.iter_mut().for_each(|f| nests_in(kernel, &mut f.body, applied));
            }
            Rhs::Prim(call) => {
                if let Some(f) = innermost(call)
                    && element_by_element(kernel, f, &stmt.origin)
                {
                    applied.push(Applied { rule: &rules::COPY_ROWS, origin: stmt.origin.clone() });
                }
            }
            _ => {}
        }
    }
}

/// The function of the innermost of maps that do nothing but the next one.
fn innermost(call: &mut PrimCall) -> Option<&mut Lambda> {
    let f = call.funs.first_mut().filter(|f| call.prim == Prim::Map(Level::Auto) && f.position.is_none())?;
    let next = nest::returned(f).filter(|at| is_map(&f.body.stmts[*at].rhs) && are_brief(&f.body.stmts[..*at]));
    match next {
        None => Some(f),
        Some(at) => match &mut f.body.stmts[at].rhs {
            Rhs::Prim(call) => innermost(call),
            _ => None,
        },
    }
}

fn is_map(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }))
}

/// Maps the test before each filter whose test has a loop whose state may grow: only the host, in maps, makes memory that grows.
pub fn tested_before(mut kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let bounds = Bounds::of(&kernel, &BTreeSet::new());
    if !bounds.has_state_in(&kernel.body) {
        return kernel;
    }
    let lengths = Lengths::of(&kernel);
    let mut body = kernel.body.clone();
    Writer { kernel: &mut kernel, applied, lengths }.growing_tests(&mut body, &bounds);
    Kernel { body, ..kernel }
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    applied: &'a mut Vec<Applied>,
    lengths: Lengths,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            let origin = stmt.origin.clone();
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.host(a);
                    self.host(b);
                }
                Rhs::Prim(call) if on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.host(&mut f.body));
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => {
                    let f = &mut call.funs[0];
                    let plain = f.position.is_none();
                    if plain && element_by_element(self.kernel, f, &origin) {
                        self.applied.push(Applied { rule: &rules::COPY_ROWS, origin });
                    } else if plain && let Some(stmts) = self.choice(&stmt) {
                        self.applied.push(Applied { rule: &rules::COPY_ROWS, origin });
                        block.stmts.extend(stmts);
                        continue;
                    }
                }
                Rhs::Prim(call) if call.prim == Prim::Filter(Level::Auto) && self.has_rows(call) => {
                    if let Some(stmts) = self.tested_apart(&stmt) {
                        self.applied.push(Applied { rule: &rules::FILTER_ROWS, origin });
                        block.stmts.extend(stmts);
                        continue;
                    }
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    /// Replaces the filters whose tests have loops whose state may grow.
    fn growing_tests(&mut self, block: &mut Block, bounds: &Bounds) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.growing_tests(a, bounds);
                    self.growing_tests(b, bounds);
                }
                Rhs::Prim(call) => {
                    call.funs.iter_mut().for_each(|f| self.growing_tests(&mut f.body, bounds));
                    let grows = matches!(call.prim, Prim::Filter(_)) && bounds.has_state_in(&call.funs[0].body);
                    if grows && let Some(stmts) = self.tested_apart(&stmt) {
                        self.applied.push(Applied { rule: &rules::FILTER_ROWS, origin: stmt.origin });
                        block.stmts.extend(stmts);
                        continue;
                    }
                }
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    /// Whether the elements of a filter's array are arrays of one length.
    fn has_rows(&self, call: &PrimCall) -> bool {
        let element = call.args.first().and_then(|xs| Some(self.kernel.atom_ty(xs).as_array()?.element.clone()));
        element.is_some_and(|element| element.as_array().is_some() && is_rectangular(&element))
    }

    /// A map of which each element is one of two rows. Rows without elements are not read, so if reading them may stop the
    /// run, they are chosen as before.
    fn choice(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let mut chosen = stmt.clone();
        let Rhs::Prim(call) = &mut chosen.rhs else { return None };
        if !chooses_rows(self.kernel, call.funs.first()?) {
            return None;
        }
        let width = self.kernel.ty(stmt.var).as_array()?.element.as_array()?.len.clone();
        let fails = may_fail(&self.kernel.vars, &call.funs[0].body);
        if fails {
            call.funs[0] = Copier::new(&mut self.kernel.vars, &mut self.lengths).lambda(&call.funs[0]);
        }
        if !element_of_choice(self.kernel, call.funs.first_mut()?) {
            return None;
        }
        if !fails || decided(&width, &Size::one()) == Some(false) {
            return Some(vec![chosen]);
        }
        let vars = &mut self.kernel.vars;
        let [none, some] = [stmt.rhs.clone(), chosen.rhs].map(|rhs| branch(vars, stmt, rhs));
        let mut all = choice(vars, stmt, &width, &Size::one(), none, some);
        all.stmts.push(Stmt { rhs: Rhs::Atom(all.result), ..stmt.clone() });
        Some(all.stmts)
    }

    /// Replaces a filter by a filter of indices, whose test is mapped before.
    fn tested_apart(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(PrimCall { prim: filter, funs, args, .. }) = &stmt.rhs else { return None };
        let ([p], [xs @ Atom::Var(_)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let ty = self.kernel.atom_ty(xs);
        let rows = ty.as_array().filter(|a| a.position.is_none() && p.position.is_none())?;
        let row = rows.element.clone();
        let packed_ty = self.kernel.ty(stmt.var).clone();
        let TyKind::Exists(binders, _) = packed_ty.kind() else { return None };
        let [hidden] = binders.as_slice() else { return None };
        let (int, truth, n) = (Ty::scalar(Scalar::Int), Ty::scalar(Scalar::Bool), rows.len.clone());
        let kept = self.lengths.fresh(VarKind::Skolem, hidden.name.clone());
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let prim = |prim, sizes, funs, args| Rhs::Prim(PrimCall { prim, sizes, funs, args });
        let lambda = |x: VarId, stmts: Vec<Stmt>, result: VarId| Lambda {
            position: None,
            params: vec![x],
            body: Block { stmts, result: Atom::Var(result) },
            origin: p.origin.clone(),
        };
        let read = |of: Atom, i: VarId| prim(Prim::Aref, Vec::new(), Vec::new(), vec![of, Atom::Var(i)]);
        let flags = self.fresh("passes", Ty::array(truth.clone(), n.clone()));
        let all = self.fresh("all", Ty::array(int.clone(), n.clone()));
        let (i, passes) = (self.fresh("i", int.clone()), self.fresh("passes", truth));
        let test = lambda(i, vec![at(passes, read(Atom::Var(flags), i))], passes);
        let packed =
            self.fresh("kept", Ty::exists(vec![hidden.clone()], Ty::array(int.clone(), Size::var(hidden.clone()))));
        let indices = self.fresh("kept", Ty::array(int.clone(), Size::var(kept.clone())));
        let (j, element) = (self.fresh("i", int), self.fresh("row", row.clone()));
        let mut copy = lambda(j, vec![at(element, read(xs.clone(), j))], element);
        element_by_element(self.kernel, &mut copy, &stmt.origin);
        let result = self.fresh("rows", Ty::array(row, Size::var(kept.clone())));
        let opened = Stmt { binds: vec![kept.clone()], ..at(indices, Rhs::Unpack(Atom::Var(packed))) };
        Some(vec![
            at(flags, map(p.clone(), xs.clone())),
            at(all, prim(Prim::Iota, vec![n], Vec::new(), Vec::new())),
            at(packed, prim(*filter, Vec::new(), vec![test], vec![Atom::Var(all)])),
            opened,
            at(result, map(copy, Atom::Var(indices))),
            at(stmt.var, Rhs::Pack(Atom::Var(result), vec![Size::var(kept)])),
        ])
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        fresh(self.kernel, name, ty)
    }
}

fn fresh(kernel: &mut Kernel, name: &str, ty: Ty) -> VarId {
    kernel.vars.push(VarInfo { name: name.into(), ty });
    VarId(kernel.vars.len() as u32 - 1)
}

/// Copies the result of a function element by element, if it is a view of rows of one length.
pub fn element_by_element(kernel: &mut Kernel, f: &mut Lambda, origin: &Origin) -> bool {
    let Atom::Var(result) = f.body.result else { return false };
    let ty = kernel.ty(result).clone();
    let made = f.body.stmts.iter().any(|s| s.var == result && !is_brief(s));
    let Some(array) = ty.as_array().filter(|_| !made && is_rectangular(&ty) && are_brief(&f.body.stmts)) else {
        return false;
    };
    let element = fresh(kernel, "x", array.element.clone());
    let body = Block { stmts: Vec::new(), result: Atom::Var(element) };
    let mut id = Lambda { position: None, params: vec![element], body, origin: f.origin.clone() };
    element_by_element(kernel, &mut id, origin);
    let copied = fresh(kernel, "row", ty.clone());
    let rhs = map(id, Atom::Var(result));
    f.body.stmts.push(Stmt { var: copied, binds: Vec::new(), rhs, origin: origin.clone() });
    f.body.result = Atom::Var(copied);
    true
}

/// Whether the result of a function is one of two views of rows of one length.
fn chooses_rows(kernel: &Kernel, f: &Lambda) -> bool {
    let Some((last, before)) = f.body.stmts.split_last() else { return false };
    let ty = kernel.ty(last.var);
    let views = |block: &Block| are_brief(&block.stmts);
    let chosen = matches!(&last.rhs, Rhs::If(_, a, b) if views(a) && views(b));
    chosen && f.body.result == Atom::Var(last.var) && are_brief(before) && ty.as_array().is_some() && is_rectangular(ty)
}

/// Chooses each element of the result of a function that [`chooses_rows`].
fn element_of_choice(kernel: &mut Kernel, f: &mut Lambda) -> bool {
    let Some(last) = f.body.stmts.last().filter(|_| chooses_rows(kernel, f)) else { return false };
    let ty = kernel.ty(last.var).clone();
    let Some(array) = ty.as_array() else { return false };
    let Some(Stmt { var, rhs: Rhs::If(condition, a, b), origin, .. }) = f.body.stmts.pop() else { return false };
    let (int, element) = (Ty::scalar(Scalar::Int), array.element.clone());
    let j = fresh(kernel, "j", int.clone());
    let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() };
    let prim = |prim, sizes, args| Rhs::Prim(PrimCall { prim, sizes, funs: Vec::new(), args });
    let [a, b] = [a, b].map(|Block { mut stmts, result }| {
        let one = fresh(kernel, "x", element.clone());
        stmts.push(at(one, prim(Prim::Aref, Vec::new(), vec![result, Atom::Var(j)])));
        Block { stmts, result: Atom::Var(one) }
    });
    let chosen = fresh(kernel, "x", element);
    let body = Block { stmts: vec![at(chosen, Rhs::If(condition, a, b))], result: Atom::Var(chosen) };
    let mut each = Lambda { position: None, params: vec![j], body, origin: f.origin.clone() };
    element_of_choice(kernel, &mut each);
    let numbers = fresh(kernel, "t", Ty::array(int, array.len.clone()));
    f.body.stmts.push(at(numbers, prim(Prim::Iota, vec![array.len.clone()], Vec::new())));
    f.body.stmts.push(at(var, map(each, Atom::Var(numbers))));
    true
}

fn map(f: Lambda, xs: Atom) -> Rhs {
    Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
}
