//! Maps of the states of a scan in order: the loop that makes the states makes the elements, too, so that no state is
//! stored.
//!
//! `map g (scanSeq f z xs) = map get2 (scanSeq (λ((s,_),x). let s' = f s x in (s', g s')) (z,0) xs)`, also where `g` reads
//! elements of other arrays beside each state, and states of several scans.

use super::free::are_brief;
use super::nest::is_scalars;
use super::nested::array_of;
use super::pass::within;
use super::versions::fresh;
use super::{Applied, nest, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::scalar::is_transcendental;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// The kernel in whose functions no map goes over the states of a scan in order, if the function returns the map.
pub fn after_scan(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    within(kernel, |kernel, lengths, body| block(kernel, lengths, applied, body))
}

/// Rewrites the functions of a block.
fn block(kernel: &mut Kernel, lengths: &mut Lengths, applied: &mut Vec<Applied>, body: &mut Block) {
    for stmt in &mut body.stmts {
        match &mut stmt.rhs {
            Rhs::Prim(call) => {
                for f in &mut call.funs {
                    block(kernel, lengths, applied, &mut f.body);
                    function(kernel, lengths, applied, f);
                }
            }
            rhs => rhs.blocks_mut().into_iter().for_each(|inner| block(kernel, lengths, applied, inner)),
        }
    }
}

fn function(kernel: &mut Kernel, lengths: &mut Lengths, applied: &mut Vec<Applied>, f: &mut Lambda) {
    let Some(at) = nest::returned(f) else { return };
    let origin = f.body.stmts[at].origin.clone();
    let vars = kernel.vars.len();
    let Some(found) = Found::of(kernel, &f.body, at) else { return };
    match found.joined(kernel, lengths, &f.body) {
        Some(stmts) => {
            applied.push(Applied { rule: &rules::MAP_OF_SCAN, origin });
            f.body.stmts.splice(at..=at, stmts);
            f.body.stmts.retain(|s| !found.replaces(s));
        }
        None => kernel.vars.truncate(vars),
    }
}

/// A map of the states of scans.
struct Found {
    /// The position of the map.
    at: usize,
    /// The scans, each with its states.
    scans: Vec<(VarId, PrimCall)>,
    /// The function of the map.
    g: Lambda,
    /// The arrays whose elements the function gets: the states, and others beside them.
    read: Vec<VarId>,
    /// The array of tuples of these elements, if there are several.
    zip: Option<VarId>,
}

impl Found {
    fn of(kernel: &Kernel, body: &Block, at: usize) -> Option<Found> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto | Level::Seq), funs, args, .. }) = &body.stmts[at].rhs
        else {
            return None;
        };
        let ([g], [Atom::Var(xs)]) = (funs.as_slice(), args.as_slice()) else { return None };
        let element = kernel.ty(body.stmts[at].var).as_array()?.element.clone();
        let transcendental = |s: &Stmt| matches!(&s.rhs, Rhs::Scalar(op, _) if is_transcendental(*op));
        if g.position.is_some()
            || g.params.len() != 1
            || !is_scalars(&element)
            || !are_brief(&g.body.stmts)
            || g.body.stmts.iter().any(transcendental)
        {
            return None;
        }
        let made = |v: VarId| body.stmts[..at].iter().find(|s| s.var == v);
        let (read, zip) = match made(*xs).map(|s| &s.rhs) {
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, .. })) => (zipped_in(body, *xs)?, Some(*xs)),
            _ => (vec![*xs], None),
        };
        let reader = zip.unwrap_or(body.stmts[at].var);
        // Only the map reads the states.
        let only = |v: VarId, reader: VarId| {
            body.result != Atom::Var(v) && body.stmts.iter().all(|s| s.var == reader || !uses::mentions(s, &|w| w == v))
        };
        let scanned = |v: &VarId| match made(*v).map(|s| &s.rhs) {
            Some(Rhs::Prim(call)) if matches!(call.prim, Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq)) => {
                let plain = call.funs[0].position.is_none() && is_scalars(&kernel.atom_ty(&call.args[0]));
                let once = read.iter().filter(|w| *w == v).count() == 1;
                (plain && once && only(*v, reader)).then(|| (*v, call.clone()))
            }
            _ => None,
        };
        let scans: Vec<_> = read.iter().filter_map(scanned).collect();
        let alone = zip.is_none_or(|zip| only(zip, body.stmts[at].var));
        (alone && !scans.is_empty()).then(|| Found { at, scans, g: g.clone(), read, zip })
    }

    /// Whether a statement makes states, or the tuples of what the map reads.
    fn replaces(&self, stmt: &Stmt) -> bool {
        Some(stmt.var) == self.zip || self.scans.iter().any(|(state, _)| *state == stmt.var)
    }

    /// One scan whose states have the elements of the map beside them, and these elements.
    fn joined(&self, kernel: &mut Kernel, lengths: &mut Lengths, body: &Block) -> Option<Vec<Stmt>> {
        let stmt = &body.stmts[self.at];
        let (like, all) = (self.scans[0].0, kernel.ty(stmt.var).clone());
        let array = all.as_array()?;
        let (made, len) = (array.element.clone(), array.len.clone());
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut out = Vec::new();
        // The states, and then the element.
        let mut types = Vec::new();
        let mut start = Vec::new();
        for (state, scan) in &self.scans {
            types.push(kernel.ty(*state).as_array()?.element.clone());
            start.push(scan.args[0].clone());
        }
        start.push(zero(kernel, &made, stmt, &mut out));
        types.push(made);
        let both_ty = Ty::tuple(types.clone());
        let first = fresh(&mut kernel.vars, like, both_ty.clone());
        out.push(at(first, Rhs::Tuple(start)));
        // The arrays that are scanned, and those beside the states.
        let is_state = |v: &VarId| self.scans.iter().any(|(state, _)| state == v);
        let mut parts: Vec<VarId> = Vec::new();
        let scanned = self.scans.iter().map(|(_, scan)| &scan.args[1]);
        for xs in scanned.chain(&self.read.iter().filter(|v| !is_state(v)).map(|v| Atom::Var(*v)).collect::<Vec<_>>()) {
            let Atom::Var(v) = xs else { return None };
            if !parts.contains(v) {
                parts.push(*v);
            }
        }
        let element_types: Option<Vec<Ty>> =
            parts.iter().map(|v| Some(kernel.ty(*v).as_array()?.element.clone())).collect();
        let element_types = element_types?;
        let (source, element) = match parts.as_slice() {
            [one] => (*one, element_types[0].clone()),
            _ => {
                let element = Ty::tuple(element_types.clone());
                let zipped = fresh(&mut kernel.vars, parts[0], array_of(&element, &len));
                out.push(at(zipped, prim(Prim::Zip, Vec::new(), parts.iter().map(|v| Atom::Var(*v)).collect())));
                (zipped, element)
            }
        };
        // λ((s,_),x). let s' = f s x in (s', g s')
        let [acc, result] = [0; 2].map(|_| fresh(&mut kernel.vars, like, both_ty.clone()));
        let x = fresh(&mut kernel.vars, parts[0], element);
        let mut stmts = Vec::new();
        let mut elements = Vec::new();
        for (k, ty) in element_types.into_iter().enumerate() {
            elements.push(match parts.as_slice() {
                [_] => Atom::Var(x),
                _ => {
                    let part = fresh(&mut kernel.vars, parts[k], ty);
                    stmts.push(at(part, Rhs::Proj(Atom::Var(x), k)));
                    Atom::Var(part)
                }
            });
        }
        let of = |v: &VarId| parts.iter().position(|part| part == v).map(|k| elements[k].clone());
        let mut next = Vec::new();
        let mut seen = FxHashMap::default();
        for (k, (state, scan)) in self.scans.iter().enumerate() {
            let s = fresh(&mut kernel.vars, *state, types[k].clone());
            stmts.push(at(s, Rhs::Proj(Atom::Var(acc), k)));
            let f = Copier::new(&mut kernel.vars, lengths).lambda(&scan.funs[0]);
            let ([p, q], Atom::Var(xs)) = (f.params.as_slice(), &scan.args[1]) else { return None };
            stmts.push(at(*p, Rhs::Atom(Atom::Var(s))));
            stmts.push(at(*q, Rhs::Atom(of(xs)?)));
            stmts.extend(f.body.stmts);
            // An exclusive scan gives the state before the element.
            seen.insert(*state, if matches!(scan.prim, Prim::Scan(_)) { f.body.result.clone() } else { Atom::Var(s) });
            next.push(f.body.result);
        }
        let given: Option<Vec<Atom>> = self.read.iter().map(|v| seen.get(v).cloned().or_else(|| of(v))).collect();
        let given = given?;
        let g = Copier::new(&mut kernel.vars, lengths).lambda(&self.g);
        let param = *g.params.first()?;
        stmts.push(at(
            param,
            match (self.zip, given.as_slice()) {
                (None, [one]) => Rhs::Atom(one.clone()),
                _ => Rhs::Tuple(given),
            },
        ));
        stmts.extend(g.body.stmts);
        next.push(g.body.result);
        stmts.push(at(result, Rhs::Tuple(next)));
        let step = Lambda {
            position: None,
            params: vec![acc, x],
            body: Block { stmts, result: Atom::Var(result) },
            origin: self.scans[0].1.funs[0].origin.clone(),
        };
        let both = fresh(&mut kernel.vars, like, array_of(&both_ty, &len));
        out.push(at(both, prim(Prim::Scan(Level::Seq), vec![step], vec![Atom::Var(first), Atom::Var(source)])));
        let ty = Ty::tuple(types.iter().map(|ty| array_of(ty, &len)).collect());
        let apart = fresh(&mut kernel.vars, like, ty);
        out.push(at(apart, prim(Prim::Unzip, Vec::new(), vec![Atom::Var(both)])));
        out.push(Stmt { rhs: Rhs::Proj(Atom::Var(apart), self.scans.len()), ..stmt.clone() });
        Some(out)
    }
}

/// The arrays of a `zip` in a block.
fn zipped_in(body: &Block, v: VarId) -> Option<Vec<VarId>> {
    let stmt = body.stmts.iter().find(|s| s.var == v)?;
    let Rhs::Prim(PrimCall { args, .. }) = &stmt.rhs else { return None };
    args.iter().map(|a| if let Atom::Var(v) = a { Some(*v) } else { None }).collect()
}

/// A value of scalars that nobody reads: zeros, after the statements that make them.
pub(super) fn zero(kernel: &mut Kernel, ty: &Ty, like: &Stmt, out: &mut Vec<Stmt>) -> Atom {
    match ty.kind() {
        TyKind::Tuple(parts) => {
            let parts = parts.iter().map(|part| zero(kernel, part, like, out)).collect();
            let tuple = fresh(&mut kernel.vars, like.var, ty.clone());
            out.push(Stmt { var: tuple, binds: Vec::new(), rhs: Rhs::Tuple(parts), origin: like.origin.clone() });
            Atom::Var(tuple)
        }
        _ => Atom::Lit(ty.as_scalar().map_or(Literal::Bool(false), Literal::zero)),
    }
}
