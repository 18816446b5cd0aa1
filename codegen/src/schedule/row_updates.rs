//! Updates of elements, rows and columns in loops at host level.
//!
//! `map (λi. map (λj. if i = k then f j else aref (aref xs i) j) (iota m)) (iota n) = update xs k (map f (iota m))`
//!
//! `map (λ(j,x). if j = k …)` of each row is likewise a map that updates the rows with a column that is computed before.
//! If nothing reads the old array afterwards, an iteration then computes and writes only the new elements, in the memory of
//! the state ([`super::rounds_in_place`]).

use super::changed_part::{ChangedPart, Makers, counts, makers_of};
use super::in_place::is_plain;
use super::pass::{Names, over};
use super::rounds_in_place::RoundsInPlace;
use super::versions::fresh;
use super::{Applied, fails, host_blocks, on_the_host, rules, uses};
use crate::core::simplify::simplify;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// The kernel with updates in the loops at host level whose state they may write in its memory.
pub fn row_updates(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let kernel = over(kernel, |kernel, Names { vars, .. }, body| {
        Writer { kernel, makers: makers_of(&kernel.body), vars, applied }.block(body);
    });
    if applied.len() > before { simplify(kernel) } else { kernel }
}

struct Writer<'a> {
    kernel: &'a Kernel,
    makers: Makers,
    vars: &'a mut Vec<VarInfo>,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            // What the inner blocks become has variables that the kernel lacks.
            let in_loop = match &stmt.rhs {
                Rhs::Prim(call) => {
                    matches!(call.prim, Prim::Iterate | Prim::IterateWhile | Prim::Reduce(Level::Host))
                        && on_the_host(self.kernel, call)
                }
                _ => false,
            };
            host_blocks(self.kernel, stmt).into_iter().for_each(|inner| self.block(inner));
            if in_loop {
                self.rounds(stmt);
            }
        }
    }

    /// Replaces the maps of an iteration that change a part of the state, if that may be written in its memory.
    fn rounds(&mut self, stmt: &mut Stmt) {
        let Rhs::Prim(PrimCall { funs, .. }) = &stmt.rhs else { return };
        let Some(f) = funs.last() else { return };
        let mut made: Vec<(VarId, Vec<Stmt>)> = Vec::new();
        for stmt in &f.body.stmts {
            made.extend(self.updated(stmt).map(|stmts| (stmt.var, stmts)));
        }
        // An update may depend on others: the state stays in its memory if all of them write there.
        while !made.is_empty() {
            let tried = with_updates(stmt, &made);
            let written = self.written(&tried);
            let before = made.len();
            made.retain(|(update, _)| written.contains(update));
            if made.len() == before {
                let origins = updates_of(stmt, &made);
                self.applied.extend(origins.into_iter().map(|origin| Applied { rule: &rules::UPDATE, origin }));
                *stmt = tried;
                return;
            }
        }
    }

    /// The statements of the loop that write in the memory of the state.
    fn written(&self, looped: &Stmt) -> FxHashSet<VarId> {
        let body = Block { stmts: vec![looped.clone()], result: Atom::Var(looped.var) };
        let kernel = Kernel { body, vars: self.vars.clone(), ..self.kernel.clone() };
        RoundsInPlace::of(&kernel, None).updates
    }

    /// The statements that compute the changed elements, then update the array.
    fn updated(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let of = self.kernel.vars.get(stmt.var.0 as usize).map(|info| info.ty.clone()).filter(is_plain)?;
        let mut map = ChangedPart::new(self.kernel, &self.makers, stmt, call);
        let changed = map.level(call)?.clone();
        let own: FxHashSet<VarId> = changed.stmts.iter().map(|s| s.var).collect();
        let (xs, indices) = (map.xs.clone()?, map.indices.clone());
        let stops = changed.stmts.iter().any(|s| fails::rhs_may_fail(&self.kernel.vars, &s.rhs));
        let mut inside = own.clone();
        changed.visit(&mut |s| {
            inside.insert(s.var);
        });
        if map.may_stop(&inside) || indices.iter().all(Option::is_none) {
            return None;
        }
        let first = indices.iter().take_while(|i| i.is_none()).count();
        let along = indices[first..].iter().take_while(|i| i.is_some()).count();
        if indices[first + along..].iter().any(Option::is_some) {
            return None;
        }
        let mut part =
            Part { makers: &self.makers, vars: self.vars, changed: &changed, indices: &indices, zipped: false };
        let (mut stmts, value) = part.of_map(stmt, call, 0, &of)?;
        let unsafe_index = stops || part.zipped;
        let mut ty = of.clone();
        for index in &indices {
            let array = ty.as_array()?.clone();
            if unsafe_index && index.as_ref().is_some_and(|k| !self.is_inside(k, &array.len)) {
                return None;
            }
            ty = array.element.clone();
        }
        let at: Vec<Atom> = indices[first..first + along].iter().flatten().cloned().collect();
        stmts.extend(self.update(stmt, stmt.var, &xs, &at, value, first)?);
        Some(stmts)
    }

    /// Whether the index is one of an array of this length, or the run has stopped.
    fn is_inside(&self, index: &Atom, len: &Size) -> bool {
        match index {
            Atom::Var(v) => self.makers.get(v).is_some_and(|made| {
                let Some(Atom::Var(of)) = made.args.first().filter(|_| made.prim == Prim::Aref) else { return false };
                self.makers.get(of).is_some_and(|of| of.prim == Prim::Iota && of.sizes.as_slice() == [len.clone()])
            }),
            Atom::Lit(Literal::Int(k)) => *k >= 0 && len.as_const().is_some_and(|n| i64::from(*k) < n),
            _ => false,
        }
    }

    /// `update xs at value` below `maps` axes, as the value of `var`.
    fn update(
        &mut self,
        like: &Stmt,
        var: VarId,
        xs: &Atom,
        at: &[Atom],
        value: Atom,
        maps: usize,
    ) -> Option<Vec<Stmt>> {
        let new = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: like.origin.clone() };
        let prim = |prim: Prim, funs: Vec<Lambda>, args: Vec<Atom>| {
            Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args })
        };
        if maps == 0 {
            let args = [xs.clone()].into_iter().chain(at.iter().cloned()).chain([value]).collect();
            return Some(vec![new(var, prim(Prim::Update, Vec::new(), args))]);
        }
        let types = [xs, &value].map(|a| self.ty(a));
        let [Some(rows), Some(values)] = [&types[0], &types[1]].map(|ty| ty.as_ref()?.as_array().cloned()) else {
            return None;
        };
        let pair = Ty::tuple(vec![rows.element.clone(), values.element.clone()]);
        let zipped = fresh(self.vars, var, Ty::array(pair.clone(), rows.len.clone()));
        let p = fresh(self.vars, var, pair);
        let (row, x) = (fresh(self.vars, var, rows.element.clone()), fresh(self.vars, var, values.element.clone()));
        let result = fresh(self.vars, var, rows.element.clone());
        let mut stmts = vec![new(row, Rhs::Proj(Atom::Var(p), 0)), new(x, Rhs::Proj(Atom::Var(p), 1))];
        stmts.extend(self.update(like, result, &Atom::Var(row), at, Atom::Var(x), maps - 1)?);
        let body = Block { stmts, result: Atom::Var(result) };
        let f = Lambda { position: None, params: vec![p], body, origin: like.origin.clone() };
        let map = prim(Prim::Map(Level::Auto), vec![f], vec![Atom::Var(zipped)]);
        Some(vec![new(zipped, prim(Prim::Zip, Vec::new(), vec![xs.clone(), value])), new(var, map)])
    }

    fn ty(&self, a: &Atom) -> Option<Ty> {
        type_of(self.vars, a)
    }
}

/// The loop with these statements in place of the ones that bind their variables.
fn with_updates(looped: &Stmt, made: &[(VarId, Vec<Stmt>)]) -> Stmt {
    let mut looped = looped.clone();
    if let Rhs::Prim(call) = &mut looped.rhs
        && let Some(f) = call.funs.last_mut()
    {
        let stmts = std::mem::take(&mut f.body.stmts).into_iter();
        f.body.stmts = stmts
            .flat_map(|stmt| match made.iter().find(|(update, _)| *update == stmt.var) {
                Some((_, stmts)) => stmts.clone(),
                None => vec![stmt],
            })
            .collect();
        // The pairs of the maps that were replaced.
        let mut used = FxHashSet::default();
        f.body.stmts.iter().for_each(|s| uses::variables(s, &mut used));
        let pairs = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Zip);
        f.body.stmts.retain(|s| used.contains(&s.var) || !pairs(s) || f.body.result == Atom::Var(s.var));
        made.iter().for_each(|(update, _)| written_late(&mut f.body.stmts, *update));
    }
    looped
}

/// Moves an update to the first statement that uses it, so that what others compute from the old array comes before.
fn written_late(stmts: &mut [Stmt], update: VarId) {
    let Some(at) = stmts.iter().position(|s| s.var == update) else { return };
    let reader = stmts[at + 1..].iter().position(|s| uses::mentions(s, &|v| v == update));
    let before = reader.map_or(stmts.len(), |reader| at + 1 + reader);
    stmts[at..before].rotate_left(1);
}

/// The origins of the statements that updates replace.
fn updates_of(looped: &Stmt, made: &[(VarId, Vec<Stmt>)]) -> Vec<Origin> {
    let blocks = looped.rhs.blocks().into_iter().flat_map(|block| &block.stmts);
    blocks.filter(|s| made.iter().any(|(update, _)| *update == s.var)).map(|s| s.origin.clone()).collect()
}

fn type_of(vars: &[VarInfo], a: &Atom) -> Option<Ty> {
    match a {
        Atom::Var(v) => vars.get(v.0 as usize).map(|info| info.ty.clone()),
        Atom::Lit(literal) => Some(Ty::scalar(literal.scalar())),
        Atom::Size(_) => Some(Ty::int()),
    }
}

/// The changed elements of an array: its maps without the axes that have an index.
struct Part<'a> {
    makers: &'a Makers,
    vars: &'a mut Vec<VarInfo>,
    changed: &'a Block,
    indices: &'a [Option<Atom>],
    /// Whether rows are picked by their index.
    zipped: bool,
}

impl Part<'_> {
    /// The statements that compute what is changed by a map along an axis, and the result; `of`: the type of the map.
    fn of_map(&mut self, stmt: &Stmt, call: &PrimCall, axis: usize, of: &Ty) -> Option<(Vec<Stmt>, Atom)> {
        let [f] = call.funs.as_slice() else { return None };
        let array = of.as_array()?;
        let mut body = self.body(f, axis, &array.element)?;
        let new = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let Some(k) = &self.indices[axis] else {
            let ty = Ty::array(type_of(self.vars, &body.result)?, array.len.clone());
            let var = fresh(self.vars, stmt.var, ty);
            let funs = vec![Lambda { body, ..f.clone() }];
            return Some((vec![new(var, Rhs::Prim(PrimCall { funs, ..call.clone() }))], Atom::Var(var)));
        };
        let [Atom::Var(over)] = call.args.as_slice() else { return None };
        let mut stmts = Vec::new();
        match self.makers.get(over) {
            Some(made) if made.prim == Prim::Zip => {
                let pair = Atom::Var(f.params[0]);
                let mut picked = FxHashSet::default();
                for s in &mut body.stmts {
                    if let Rhs::Proj(of, i) = &s.rhs
                        && *of == pair
                    {
                        s.rhs = self.element(made.args.get(*i)?, k);
                        picked.insert(s.var);
                    }
                }
                let mut used = FxHashSet::default();
                body.stmts.iter().for_each(|s| uses::variables(s, &mut used));
                if let Atom::Var(result) = body.result {
                    used.insert(result);
                }
                body.stmts.retain(|s| used.contains(&s.var) || !picked.contains(&s.var));
                // The elements of this index exist, so that picking them does not stop the run.
                let picks = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Aref);
                self.zipped |= body.stmts.iter().any(picks);
            }
            _ => stmts.push(new(f.params[0], Rhs::Atom(k.clone()))),
        }
        stmts.extend(body.stmts);
        Some((stmts, body.result))
    }

    /// The element at an index.
    fn element(&self, xs: &Atom, k: &Atom) -> Rhs {
        match xs {
            Atom::Var(v) if counts(self.makers, v) => Rhs::Atom(k.clone()),
            _ => {
                let args = vec![xs.clone(), k.clone()];
                Rhs::Prim(PrimCall { prim: Prim::Aref, sizes: Vec::new(), funs: Vec::new(), args })
            }
        }
    }

    fn body(&mut self, f: &Lambda, axis: usize, of: &Ty) -> Option<Block> {
        let at = f.body.stmts.iter().position(|s| Atom::Var(s.var) == f.body.result)?;
        let mut stmts = f.body.stmts[..at].to_vec();
        let last = &f.body.stmts[at];
        let (made, result) = match &last.rhs {
            Rhs::If(..) => (self.changed.stmts.clone(), self.changed.result.clone()),
            Rhs::Prim(call) => self.of_map(last, call, axis + 1, of)?,
            _ => return None,
        };
        stmts.extend(made);
        Some(Block { stmts, result })
    }
}
