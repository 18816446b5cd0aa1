//! Loops in the functions of maps that neither a work-item nor a group can do: the loop then goes over all elements of the
//! map at once, and each round is a map, for which the whole device has strategies.
//!
//! * `map (λx. iterate k (f x) (s x)) xs = iterate k (λys. map f (zip xs ys)) (map s xs)`
//! * `map (λx. head (reduceSeq (f x) (s x) ks)) xs = head (reduceHost (λ(ys,k). map (f k) (zip xs ys)) (map s xs) ks)`
//!
//! A state of several dimensions has no place in registers and is more than one row for the work-items of a group. The
//! loops of inner maps leave them first, so that their states become those of the outer maps' loops.

use super::flat::is_flat;
use super::free::{self, is_brief};
use super::in_place::is_updating;
use super::nested::{Work, array_of, is_known, is_loop, rows_of, work_of};
use super::versions::fresh;
use super::{Applied, on_the_host, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The kernel in which such loops are at host level.
pub fn loops_out(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let (mut body, mut lengths) = (kernel.body.clone(), Lengths::of(&kernel));
    Writer { kernel: &mut kernel, lengths: &mut lengths, target, applied }.block(&mut body, true);
    kernel.body = body;
    kernel.assumptions = lengths.assumptions;
    kernel
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    target: &'a Target,
    applied: &'a mut Vec<Applied>,
}

/// A map whose function has such a loop.
struct Found<'s> {
    stmt: &'s Stmt,
    f: &'s Lambda,
    xs: &'s Atom,
    /// The number of elements of the map.
    n: Size,
    /// The index of the loop in the function.
    at: usize,
    looped: &'s PrimCall,
    state: Ty,
}

/// The element of a map, in a part of its function.
struct Element {
    x: VarId,
    /// The array of all elements.
    xs: Atom,
    /// Statements of the function that each part may compute again.
    before: Vec<Stmt>,
}

impl Writer<'_> {
    /// Rewrites the maps of a block; `host`: the block is at host level.
    fn block(&mut self, block: &mut Block, host: bool) {
        let mut rest: Vec<Stmt> = std::mem::take(&mut block.stmts);
        rest.reverse();
        while let Some(mut stmt) = rest.pop() {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => [a, b].into_iter().for_each(|b| self.block(b, host)),
                Rhs::Prim(call) if host && on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.block(&mut f.body, true));
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => {
                    call.funs.iter_mut().for_each(|f| self.block(&mut f.body, false));
                }
                _ => {}
            }
            match self.outside(&stmt, host) {
                Some(made) => {
                    self.applied.push(Applied { rule: &rules::LOOP_OUT, origin: stmt.origin.clone() });
                    // The functions of the rounds may have further loops.
                    rest.extend(made.into_iter().rev());
                }
                None => block.stmts.push(stmt),
            }
        }
    }

    /// The statements instead of a map whose function has such a loop.
    fn outside(&mut self, stmt: &Stmt, host: bool) -> Option<Vec<Stmt>> {
        let found = find(self.kernel, stmt, host, self.target)?;
        let (n, body) = (found.n.clone(), &found.f.body);
        let (round, start) = (found.looped.funs.first()?, found.looped.args.first()?);
        let mut out = Vec::new();
        let element = self.element(&found, &mut out);
        let first = self.each(stmt, &element, start, &n, &mut out);
        let [all, next, ended] = [0; 3].map(|_| self.fresh(stmt.var, array_of(&found.state, &n)));
        let mut parts = vec![(*round.params.first()?, Atom::Var(all))];
        let mut params = vec![all];
        let mut ks = None;
        if let (Some(k), Some(of)) = (round.params.get(1), found.looped.args.get(1)) {
            let own = matches!(of, Atom::Var(v) if dependent(element.x, &element.before).contains(v));
            if own {
                // Each element has its own: a round takes one of each.
                let (len, ty) = rows_of(&self.kernel.atom_ty(of))?;
                let each = self.each(stmt, &element, of, &n, &mut out);
                let column = array_of(&ty, &n);
                let turned = self.fresh(*k, array_of(&column, &len));
                out.push(at(stmt, turned, view(Prim::Transpose, vec![each])));
                let one = self.fresh(*k, column);
                parts.push((*k, Atom::Var(one)));
                params.push(one);
                ks = Some(Atom::Var(turned));
            } else {
                let moved = needed(&element.before, |v| *of == Atom::Var(v));
                if !moved.iter().all(|s| free::is_free(&s.rhs)) {
                    return None;
                }
                out.extend(moved);
                params.push(*k);
                ks = Some(of.clone());
            }
        }
        let stmts = self.mapped(stmt, next, parts, &element, round.body.clone(), &n);
        let whole = Block { stmts, result: Atom::Var(next) };
        let rounds = Lambda { position: None, params, body: whole, origin: round.origin.clone() };
        // The variable of an element's last state.
        let last = match ks {
            None => {
                let call = PrimCall { funs: vec![rounds], args: vec![first], ..found.looped.clone() };
                out.push(at(stmt, ended, Rhs::Prim(call)));
                body.stmts[found.at].var
            }
            Some(ks) => {
                let prim = Prim::Reduce(if host { Level::Host } else { Level::Seq });
                let one = self.fresh(stmt.var, array_of(&array_of(&found.state, &n), &Size::one()));
                let call = PrimCall { prim, sizes: Vec::new(), funs: vec![rounds], args: vec![first, ks] };
                out.push(at(stmt, one, Rhs::Prim(call)));
                out.push(at(stmt, ended, view(Prim::Head, vec![Atom::Var(one)])));
                self.fresh(stmt.var, found.state.clone())
            }
        };
        let folded = body.stmts[found.at].var;
        let mut rest = Block { stmts: body.stmts[found.at + 1..].to_vec(), result: body.result.clone() };
        let folds = found.looped.prim != Prim::Iterate;
        for s in rest.stmts.iter_mut().filter(|_| folds) {
            if matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Head && c.args.as_slice() == [Atom::Var(folded)]) {
                s.rhs = Rhs::Atom(Atom::Var(last));
            }
        }
        match gives(&rest, last) {
            true => out.push(at(stmt, stmt.var, Rhs::Atom(Atom::Var(ended)))),
            false => out.extend(self.mapped(stmt, stmt.var, vec![(last, Atom::Var(ended))], &element, rest, &n)),
        }
        Some(out)
    }

    /// The element that the rounds and the rest of the function read. If the statements before the loop take more than a few
    /// instructions, a separate map computes their values once, and the element has these beside it.
    fn element(&mut self, found: &Found, out: &mut Vec<Stmt>) -> Element {
        let (x, body) = (found.f.params[0], &found.f.body);
        let before = &body.stmts[..found.at];
        let Some(last) = before.iter().rposition(|s| !is_brief(s)) else {
            return Element { x, xs: found.xs.clone(), before: before.to_vec() };
        };
        let (made, rest) = before.split_at(last + 1);
        let later = |v: VarId| reads(&body.stmts[last + 1..], &body.result, v);
        let parts: Vec<VarId> = made.iter().map(|s| s.var).filter(|v| later(*v)).collect();
        if parts.is_empty() {
            return Element { x, xs: found.xs.clone(), before: rest.to_vec() };
        }
        let mut stmts = made.to_vec();
        // One value, or a tuple of several.
        let (value, stored, mut before) = match parts.as_slice() {
            [one] => (*one, *one, Vec::new()),
            _ => {
                let ty = Ty::tuple(parts.iter().map(|v| self.kernel.ty(*v).clone()).collect());
                let [tuple, stored] = [0; 2].map(|_| self.fresh(x, ty.clone()));
                stmts.push(at(found.stmt, tuple, Rhs::Tuple(parts.iter().map(|v| Atom::Var(*v)).collect())));
                let apart = parts.iter().enumerate().map(|(k, v)| at(found.stmt, *v, Rhs::Proj(Atom::Var(stored), k)));
                (tuple, stored, apart.collect())
            }
        };
        let computed = self.function(found.stmt, x, Block { stmts, result: Atom::Var(value) });
        let ty = self.kernel.ty(stored).clone();
        let all = self.fresh(x, array_of(&ty, &found.n));
        out.push(at(found.stmt, all, map(computed, found.xs.clone())));
        before.extend(rest.iter().cloned());
        if !later(x) {
            return Element { x: stored, xs: Atom::Var(all), before };
        }
        let pair = Ty::tuple(vec![self.kernel.ty(x).clone(), ty]);
        let (one, zipped) = (self.fresh(x, pair.clone()), self.fresh(x, array_of(&pair, &found.n)));
        out.push(at(found.stmt, zipped, view(Prim::Zip, vec![found.xs.clone(), Atom::Var(all)])));
        let components = [x, stored].into_iter().enumerate();
        before.splice(0..0, components.map(|(k, v)| at(found.stmt, v, Rhs::Proj(Atom::Var(one), k))));
        Element { x: one, xs: Atom::Var(zipped), before }
    }

    /// The array of a value that each element has.
    fn each(&mut self, like: &Stmt, element: &Element, value: &Atom, n: &Size, out: &mut Vec<Stmt>) -> Atom {
        if *value == Atom::Var(element.x) {
            return element.xs.clone();
        }
        let all = self.fresh(element.x, array_of(&self.kernel.atom_ty(value), n));
        let stmts = needed(&element.before, |v| *value == Atom::Var(v));
        let f = self.function(like, element.x, Block { stmts, result: value.clone() });
        out.push(at(like, all, map(f, element.xs.clone())));
        Atom::Var(all)
    }

    /// `var = map (λparts. body) arrays`, where the body may also read the element of the original map.
    fn mapped(
        &mut self,
        like: &Stmt,
        var: VarId,
        mut parts: Vec<(VarId, Atom)>,
        element: &Element,
        mut body: Block,
        n: &Size,
    ) -> Vec<Stmt> {
        let again = needed(&element.before, |v| reads(&body.stmts, &body.result, v));
        let of_element = reads(&again, &body.result, element.x) || reads(&body.stmts, &body.result, element.x);
        body.stmts.splice(0..0, again);
        if of_element {
            parts.push((element.x, element.xs.clone()));
        }
        let (param, source, mut out) = match parts.as_slice() {
            [(one, all)] => (*one, all.clone(), Vec::new()),
            _ => {
                let ty = Ty::tuple(parts.iter().map(|(v, _)| self.kernel.ty(*v).clone()).collect());
                let (one, all) = (self.fresh(var, ty.clone()), self.fresh(var, array_of(&ty, n)));
                let apart = parts.iter().enumerate().map(|(k, (v, _))| at(like, *v, Rhs::Proj(Atom::Var(one), k)));
                body.stmts.splice(0..0, apart);
                let zip = view(Prim::Zip, parts.iter().map(|(_, all)| all.clone()).collect());
                (one, Atom::Var(all), vec![at(like, all, zip)])
            }
        };
        let f = self.function(like, param, body);
        out.push(at(like, var, map(f, source)));
        out
    }

    /// A function whose variables are its own.
    fn function(&mut self, like: &Stmt, x: VarId, body: Block) -> Lambda {
        let f = Lambda { position: None, params: vec![x], body, origin: like.origin.clone() };
        Copier::new(&mut self.kernel.vars, self.lengths).lambda(&f)
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        fresh(&mut self.kernel.vars, like, ty)
    }
}

/// The first such loop in the function of a map.
fn find<'s>(kernel: &Kernel, stmt: &'s Stmt, host: bool, target: &Target) -> Option<Found<'s>> {
    let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }) = &stmt.rhs else { return None };
    let (f, xs) = (funs.first()?, args.first()?);
    let array = kernel.atom_ty(xs).as_array().filter(|a| a.position.is_none()).cloned()?;
    // At host level the number of elements may be one that only the device knows.
    let known = host || is_known(&array.len);
    if f.position.is_some() || f.params.len() != 1 || !known || !stmt.binds.is_empty() {
        return None;
    }
    // A length that the function opens belongs to one element, and so does what is stored for later parts.
    if f.body.stmts.iter().any(|s| !s.binds.is_empty()) {
        return None;
    }
    let at = f.body.stmts.iter().position(|s| is_wanted(kernel, &f.body, s, target))?;
    let stored = f.body.stmts[..at].iter().filter(|s| !is_brief(s));
    if stored.into_iter().any(|s| numbers_of(kernel.ty(s.var)).is_none()) {
        return None;
    }
    let Rhs::Prim(looped) = &f.body.stmts[at].rhs else { return None };
    let state = kernel.atom_ty(looped.args.first()?);
    Some(Found { stmt, f, xs, n: array.len, at, looped, state })
}

/// Whether a statement of a function is a loop of known rounds over arrays for which there is no other strategy.
fn is_wanted(kernel: &Kernel, body: &Block, stmt: &Stmt, target: &Target) -> bool {
    let Rhs::Prim(call) = &stmt.rhs else { return false };
    let ([f], Some(start)) = (call.funs.as_slice(), call.args.first()) else { return false };
    let state = kernel.atom_ty(start);
    let rounds = match call.prim {
        Prim::Iterate => call.sizes.len() == 1 && call.sizes.iter().all(is_known) && kernel.ty(stmt.var) == &state,
        Prim::Reduce(Level::Auto | Level::Seq) => {
            let known = |a: &Atom| {
                kernel
                    .atom_ty(a)
                    .as_array()
                    .is_some_and(|a| a.position.is_none() && is_known(&a.len) && is_flat(&a.element))
            };
            let is_head = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(c) if c.prim == Prim::Head);
            let mut others = body.stmts.iter().filter(|s| !is_head(s));
            call.args.get(1).is_some_and(known)
                && body.result != Atom::Var(stmt.var)
                && !others.any(|s| uses::mentions(s, &|v| v == stmt.var))
        }
        _ => false,
    };
    let few = target.written(&stmt.settings()).get(Parameter::LoopsState);
    // A round that writes one element has no work for the device.
    rounds
        && is_loop(kernel, call)
        && !is_updating(call)
        && f.position.is_none()
        && kernel.ty(f.params[0]) == &state
        && numbers_of(&state).is_some_and(|all| all.as_const().is_none_or(|all| all > i64::from(few)))
        && work_of(kernel, stmt) == Work::Other
}

/// The scalars in a value, if it consists of them and of arrays of known lengths.
fn numbers_of(ty: &Ty) -> Option<Size> {
    match ty.kind() {
        _ if is_flat(ty) => Some(Size::one()),
        TyKind::Tuple(parts) => parts.iter().try_fold(Size::zero(), |all, part| Some(all.add(&numbers_of(part)?))),
        _ => {
            let array = ty.as_array().filter(|a| a.position.is_none() && is_known(&a.len))?;
            Some(array.len.mul(&numbers_of(&array.element)?))
        }
    }
}

/// Whether a block gives the value of a variable and computes nothing.
fn gives(block: &Block, last: VarId) -> bool {
    let mut same: FxHashSet<VarId> = FxHashSet::from_iter([last]);
    for s in &block.stmts {
        match &s.rhs {
            Rhs::Atom(Atom::Var(v)) if same.contains(v) => {
                same.insert(s.var);
            }
            _ => return false,
        }
    }
    matches!(&block.result, Atom::Var(v) if same.contains(v))
}

/// Whether statements or their result read a variable.
fn reads(stmts: &[Stmt], result: &Atom, v: VarId) -> bool {
    *result == Atom::Var(v) || stmts.iter().any(|s| uses::mentions(s, &|w| w == v))
}

/// The variables that depend on `x`.
fn dependent(x: VarId, stmts: &[Stmt]) -> FxHashSet<VarId> {
    let mut found = FxHashSet::from_iter([x]);
    for s in stmts {
        if uses::mentions(s, &|v| found.contains(&v)) {
            found.insert(s.var);
        }
    }
    found
}

/// The statements that compute the wanted variables, and what these need.
fn needed(stmts: &[Stmt], wanted: impl Fn(VarId) -> bool) -> Vec<Stmt> {
    let mut found: FxHashSet<VarId> = FxHashSet::default();
    let mut out = Vec::new();
    for s in stmts.iter().rev() {
        if wanted(s.var) || found.contains(&s.var) {
            uses::variables(s, &mut found);
            out.push(s.clone());
        }
    }
    out.reverse();
    out
}

fn at(like: &Stmt, var: VarId, rhs: Rhs) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: like.origin.clone() }
}

fn view(prim: Prim, args: Vec<Atom>) -> Rhs {
    Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs: Vec::new(), args })
}

fn map(f: Lambda, xs: Atom) -> Rhs {
    Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
}
