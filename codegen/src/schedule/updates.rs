//! Updates: maps that change one element of an array, in loops whose iterations do nothing else with long arrays.
//!
//! `map (λ(i,x). if i = k then v else x) (zip (iota n) xs) = update xs k v`
//!
//! The element may be one of a row, and x may be written as `aref xs i`.
//!
//! If nothing reads the old array afterwards, an iteration writes one element in its memory
//! ([`crate::schedule::in_place`]). One work-item then runs all iterations, because none has work for several. Other
//! maps stay: an array that must be copied is copied by all work-items.

use super::changed_part::{ChangedPart, Makers, makers_of};
use super::in_place::{self, InPlace};
use super::rules;
use super::uses::{self, Uses};
use super::{Applied, rounds};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use lift_analysis::origin::Origin;
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernel with updates in the loops whose state they may write in place.
pub fn updates(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let mut loops = false;
    kernel.body.visit(&mut |stmt| loops |= in_place::round_of(stmt).is_some());
    if !loops {
        return kernel;
    }
    let finder = Finder { kernel: &kernel, makers: makers_of(&kernel.body), uses: uses::count(&kernel) };
    let mut body = kernel.body.clone();
    finder.block(&mut body, applied);
    Kernel { body, ..kernel }
}

struct Finder<'a> {
    kernel: &'a Kernel,
    /// The definitions of arrays of indices, of pairs of index and element, and of rows.
    makers: Makers,
    uses: FxHashMap<VarId, Uses>,
}

impl Finder<'_> {
    fn block(&self, block: &mut Block, applied: &mut Vec<Applied>) {
        for stmt in &mut block.stmts {
            if in_place::round_of(stmt).is_some()
                && let Some((made, origins)) = self.in_place(stmt)
            {
                *stmt = made;
                applied.extend(origins.into_iter().map(|origin| Applied { rule: &rules::UPDATE, origin }));
                continue;
            }
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner, applied));
        }
    }

    /// The loop with updates, if its state is written in place and its iterations have no work for the device.
    fn in_place(&self, stmt: &Stmt) -> Option<(Stmt, Vec<Origin>)> {
        let mut made = stmt.clone();
        let mut origins = Vec::new();
        for block in made.rhs.blocks_mut() {
            self.written(block, &mut origins);
        }
        let works = made.rhs.blocks().into_iter().any(|block| rounds::has_work(self.kernel, block, true));
        if origins.is_empty() || works {
            return None;
        }
        let kernel =
            Kernel { body: Block { stmts: vec![made.clone()], result: Atom::Var(made.var) }, ..self.kernel.clone() };
        let found = InPlace::of(&kernel);
        let mut all = FxHashSet::default();
        kernel.body.visit(&mut |s| {
            if matches!(&s.rhs, Rhs::Prim(call) if call.prim == Prim::Update) {
                all.insert(s.var);
            }
        });
        // The state itself stays in its memory, and what the rounds of inner loops update.
        (found.loops.contains_key(&stmt.var) && all.is_subset(&found.updates)).then_some((made, origins))
    }

    /// Replaces the maps of a block, its branches and its functions that change one element.
    fn written(&self, block: &mut Block, origins: &mut Vec<Origin>) {
        for stmt in &mut block.stmts {
            if let Some(update) = self.update(stmt) {
                stmt.rhs = Rhs::Prim(update);
                origins.push(stmt.origin.clone());
            }
            stmt.rhs.blocks_mut().into_iter().for_each(|inner| self.written(inner, origins));
        }
        self.in_rows(block);
    }

    /// A map that changes one element, as an update.
    fn update(&self, stmt: &Stmt) -> Option<PrimCall> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return None };
        let mut map = ChangedPart::new(self.kernel, &self.makers, stmt, call);
        let v = map.level(call)?.result.clone();
        if !map.is_outside(&v) || map.may_stop(&FxHashSet::default()) {
            return None;
        }
        let xs = map.xs.clone()?;
        let indices = map.indices.into_iter().collect::<Option<Vec<Atom>>>()?;
        let args = [xs].into_iter().chain(indices).chain([v]).collect();
        Some(PrimCall { prim: Prim::Update, sizes: Vec::new(), funs: Vec::new(), args })
    }

    /// `update xs i (update (aref xs i) j v) = update xs i j v`
    fn in_rows(&self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            let row = self.of_row(block, at);
            match (row, &mut block.stmts[at].rhs) {
                (Some((row, indices, value)), Rhs::Prim(call)) => {
                    call.args.pop();
                    call.args.extend(indices);
                    call.args.push(value);
                    block.stmts.remove(row);
                }
                _ => at += 1,
            }
        }
    }

    /// The statement that updates the row which statement `at` gives back to its array, with its indices and its value.
    fn of_row(&self, block: &Block, at: usize) -> Option<(usize, Vec<Atom>, Atom)> {
        let Rhs::Prim(PrimCall { prim: Prim::Update, args, .. }) = &block.stmts[at].rhs else { return None };
        let [xs, i, Atom::Var(row)] = args.as_slice() else { return None };
        let made = block.stmts[..at].iter().position(|s| s.var == *row)?;
        let Rhs::Prim(PrimCall { prim: Prim::Update, args, .. }) = &block.stmts[made].rhs else { return None };
        let [Atom::Var(old), indices @ .., value] = args.as_slice() else { return None };
        let picked = self.makers.get(old).is_some_and(|m| m.prim == Prim::Aref && m.args == [xs.clone(), i.clone()]);
        let once = self.uses.get(row).is_some_and(|u| u.count == 1);
        (picked && once).then(|| (made, indices.to_vec(), value.clone()))
    }
}
