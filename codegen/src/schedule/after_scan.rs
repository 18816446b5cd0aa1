//! Maps of the states of a scan in order: the loop that makes the states makes the elements, too, so that no state is
//! stored.
//!
//! `map g (scanSeq f z xs) = map get2 (scanSeq (λ((s,_),x). let s' = f s x in (s', g s')) (z,0) xs)`, also where `g` reads
//! elements of other arrays beside each state.

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
            f.body.stmts.retain(|s| s.var != found.read[found.state] && Some(s.var) != found.zip);
        }
        None => kernel.vars.truncate(vars),
    }
}

/// A map of the states of a scan.
struct Found {
    /// The position of the map.
    at: usize,
    scan: PrimCall,
    /// The function of the map.
    g: Lambda,
    /// The arrays whose elements the function gets: the scan, and others beside it.
    read: Vec<VarId>,
    /// Where the scan is among them.
    state: usize,
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
        let read = match made(*xs).map(|s| &s.rhs) {
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, .. })) => zipped_in(body, *xs)?,
            _ => vec![*xs],
        };
        let scanned = |v: &VarId| match made(*v).map(|s| &s.rhs) {
            Some(Rhs::Prim(call)) if matches!(call.prim, Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq)) => {
                Some(call.clone())
            }
            _ => None,
        };
        let state = read.iter().position(|v| scanned(v).is_some())?;
        let scan = scanned(&read[state])?;
        let (of, zip) = (read[state], *xs);
        // Only the map reads the states.
        let only = |v: VarId, reader: VarId| {
            body.result != Atom::Var(v) && body.stmts.iter().all(|s| s.var == reader || !uses::mentions(s, &|w| w == v))
        };
        let alone = match read.len() {
            1 if of == zip => only(of, body.stmts[at].var),
            _ => only(of, zip) && only(zip, body.stmts[at].var) && read.iter().filter(|v| **v == of).count() == 1,
        };
        let plain = scan.funs[0].position.is_none() && is_scalars(&kernel.atom_ty(&scan.args[0]));
        let zip = (zip != of).then_some(zip);
        (alone && plain).then(|| Found { at, scan, g: g.clone(), read, state, zip })
    }

    /// The scan whose states have the elements of the map beside them, and these elements.
    fn joined(&self, kernel: &mut Kernel, lengths: &mut Lengths, body: &Block) -> Option<Vec<Stmt>> {
        let stmt = &body.stmts[self.at];
        let (state, all) = (self.read[self.state], kernel.ty(stmt.var).clone());
        let array = all.as_array()?;
        let (made, len) = (array.element.clone(), array.len.clone());
        let (Atom::Var(xs), z) = (&self.scan.args[1], self.scan.args[0].clone()) else { return None };
        let before = kernel.ty(state).as_array()?.element.clone();
        let x_ty = kernel.ty(*xs).as_array()?.element.clone();
        let pair = Ty::tuple(vec![before.clone(), made.clone()]);
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut out = Vec::new();
        let nothing = zero(kernel, &made, stmt, &mut out);
        let start = fresh(&mut kernel.vars, state, pair.clone());
        out.push(at(start, Rhs::Tuple(vec![z, nothing])));
        // The elements of the scan and of the arrays beside it.
        let mut parts = vec![*xs];
        for v in self.read.iter().filter(|v| **v != state) {
            if !parts.contains(v) {
                parts.push(*v);
            }
        }
        let mut types = vec![x_ty];
        for v in &parts[1..] {
            types.push(kernel.ty(*v).as_array()?.element.clone());
        }
        let (source, element) = match parts.as_slice() {
            [one] => (*one, types[0].clone()),
            _ => {
                let element = Ty::tuple(types.clone());
                let zipped = fresh(&mut kernel.vars, *xs, array_of(&element, &len));
                out.push(at(zipped, prim(Prim::Zip, Vec::new(), parts.iter().map(|v| Atom::Var(*v)).collect())));
                (zipped, element)
            }
        };
        // λ((s,_),x). let s' = f s x in (s', g s')
        let [acc, result] = [0; 2].map(|_| fresh(&mut kernel.vars, state, pair.clone()));
        let x = fresh(&mut kernel.vars, *xs, element);
        let s = fresh(&mut kernel.vars, state, before);
        let mut stmts = vec![at(s, Rhs::Proj(Atom::Var(acc), 0))];
        let mut elements = Vec::new();
        for (k, ty) in types.into_iter().enumerate() {
            elements.push(match parts.as_slice() {
                [_] => Atom::Var(x),
                _ => {
                    let part = fresh(&mut kernel.vars, parts[k], ty);
                    stmts.push(at(part, Rhs::Proj(Atom::Var(x), k)));
                    Atom::Var(part)
                }
            });
        }
        let f = Copier::new(&mut kernel.vars, lengths).lambda(&self.scan.funs[0]);
        let [p, q] = f.params.as_slice() else { return None };
        stmts.push(at(*p, Rhs::Atom(Atom::Var(s))));
        stmts.push(at(*q, Rhs::Atom(elements[0].clone())));
        stmts.extend(f.body.stmts);
        let next = f.body.result;
        // An exclusive scan gives the state before the element.
        let seen = match self.scan.prim {
            Prim::Scan(_) => next.clone(),
            _ => Atom::Var(s),
        };
        let g = Copier::new(&mut kernel.vars, lengths).lambda(&self.g);
        let param = *g.params.first()?;
        let mut given = Vec::new();
        for v in &self.read {
            given.push(match parts.iter().position(|part| part == v) {
                Some(k) => elements[k].clone(),
                None => seen.clone(),
            });
        }
        stmts.push(at(
            param,
            match given.as_slice() {
                [one] => Rhs::Atom(one.clone()),
                _ => Rhs::Tuple(given),
            },
        ));
        stmts.extend(g.body.stmts);
        stmts.push(at(result, Rhs::Tuple(vec![next, g.body.result])));
        let step = Lambda {
            position: None,
            params: vec![acc, x],
            body: Block { stmts, result: Atom::Var(result) },
            origin: self.scan.funs[0].origin.clone(),
        };
        let both = fresh(&mut kernel.vars, state, array_of(&pair, &len));
        out.push(at(both, prim(Prim::Scan(Level::Seq), vec![step], vec![Atom::Var(start), Atom::Var(source)])));
        let ty = Ty::tuple(vec![kernel.ty(state).clone(), all]);
        let apart = fresh(&mut kernel.vars, state, ty);
        out.push(at(apart, prim(Prim::Unzip, Vec::new(), vec![Atom::Var(both)])));
        out.push(Stmt { rhs: Rhs::Proj(Atom::Var(apart), 1), ..stmt.clone() });
        Some(out)
    }
}

/// The arrays of a `zip` in a block.
fn zipped_in(body: &Block, v: VarId) -> Option<Vec<VarId>> {
    let stmt = body.stmts.iter().find(|s| s.var == v)?;
    let Rhs::Prim(PrimCall { args, .. }) = &stmt.rhs else { return None };
    args.iter().map(|a| if let Atom::Var(v) = a { Some(*v) } else { None }).collect()
}

/// A value of a type of scalars, which nobody reads.
fn zero(kernel: &mut Kernel, ty: &Ty, like: &Stmt, out: &mut Vec<Stmt>) -> Atom {
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
