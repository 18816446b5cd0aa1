//! Updates: maps that change one element of an array, in loops whose iterations do nothing else with long arrays.
//!
//! `map (λ(i,x). if i = k then v else x) (zip (iota n) xs) = update xs k v`
//!
//! The element may be one of a row, and x may be written as `aref xs i`.
//!
//! If nothing reads the old array afterwards, an iteration writes one element in its memory
//! ([`crate::schedule::in_place`]). One work-item then runs all iterations, because none has work for several. Other
//! maps stay: an array that must be copied is copied by all work-items.

use super::in_place::{self, InPlace};
use super::rules;
use super::uses::{self, Uses};
use super::{Applied, fails, rounds};
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// The kernel with updates in the loops whose state they may write in place.
pub fn updates(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let (mut makers, mut loops) = (FxHashMap::default(), false);
    kernel.body.visit(&mut |stmt| {
        loops |= in_place::round_of(stmt).is_some();
        if let Rhs::Prim(call) = &stmt.rhs
            && matches!(call.prim, Prim::Zip | Prim::Iota | Prim::Aref)
        {
            makers.insert(stmt.var, call.clone());
        }
    });
    if !loops {
        return kernel;
    }
    let finder = Finder { kernel: &kernel, makers, uses: uses::count(&kernel) };
    let mut body = kernel.body.clone();
    finder.block(&mut body, applied);
    Kernel { body, ..kernel }
}

struct Finder<'a> {
    kernel: &'a Kernel,
    /// The definitions of arrays of indices, of pairs of index and element, and of rows.
    makers: FxHashMap<VarId, PrimCall>,
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
        let mut made = FxHashMap::default();
        let mut own: FxHashSet<VarId> = FxHashSet::default();
        for f in &call.funs {
            own.extend(&f.params);
            f.body.visit(&mut |s| {
                made.insert(s.var, &s.rhs);
                if let Rhs::Prim(inner) = &s.rhs {
                    own.extend(inner.funs.iter().flat_map(|f| &f.params));
                }
            });
        }
        own.extend(made.keys());
        let mut map = OneElement {
            finder: self,
            of: self.kernel.ty(stmt.var),
            made,
            own,
            xs: None,
            numbers: Vec::new(),
            rows: FxHashMap::default(),
            indices: Vec::new(),
        };
        let v = map.level(call)?;
        if map.may_stop() {
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

/// A map, or maps in maps, each over the numbers of an axis, or over pairs of a number and its element.
struct OneElement<'a> {
    finder: &'a Finder<'a>,
    /// The type of the array.
    of: &'a Ty,
    /// The statements of the map's function, by the variables that they bind.
    made: FxHashMap<VarId, &'a Rhs>,
    own: FxHashSet<VarId>,
    xs: Option<Atom>,
    /// The number of the current element, of the axes from the outermost on.
    numbers: Vec<VarId>,
    /// Current elements of the axes before these.
    rows: FxHashMap<VarId, usize>,
    /// The indices of the changed element.
    indices: Vec<Option<Atom>>,
}

impl<'a> OneElement<'a> {
    /// The value of the changed element.
    fn level(&mut self, call: &'a PrimCall) -> Option<Atom> {
        let ([f], [Atom::Var(over)]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let ([param], None) = (f.params.as_slice(), &f.position) else { return None };
        let axis = self.numbers.len();
        let counts =
            |v: &VarId| self.finder.makers.get(v).is_some_and(|made| made.prim == Prim::Iota && made.sizes.len() == 1);
        let zipped =
            self.finder.makers.get(over).filter(|made| made.prim == Prim::Zip).map(|made| made.args.as_slice());
        match zipped {
            Some([Atom::Var(numbers), xs]) if counts(numbers) => {
                if axis == 0 && self.finder.kernel.atom_ty(xs) == *self.of {
                    self.xs = Some(xs.clone());
                } else if self.picked(xs) != Some(axis) {
                    return None;
                }
                let part = |at: usize| {
                    let is_it = |s: &&Stmt| matches!(&s.rhs, Rhs::Proj(Atom::Var(v), i) if v == param && *i == at);
                    f.body.stmts.iter().find(is_it).map(|s| s.var)
                };
                self.numbers.push(part(0)?);
                self.rows.extend(part(1).map(|row| (row, axis + 1)));
            }
            None if counts(over) => self.numbers.push(*param),
            _ => return None,
        }
        self.indices.push(None);
        let Atom::Var(result) = &f.body.result else { return None };
        match *self.made.get(result)? {
            Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => self.level(call),
            Rhs::If(condition, then, otherwise) => {
                let (changed, same) = match self.holds(condition, true) {
                    Some(()) => (then, otherwise),
                    None => {
                        self.indices.iter_mut().for_each(|i| *i = None);
                        self.holds(condition, false)?;
                        (otherwise, then)
                    }
                };
                let xs = self.picked(&same.result) == Some(self.numbers.len());
                (xs && self.is_outside(&changed.result)).then(|| changed.result.clone())
            }
            _ => None,
        }
    }

    fn is_outside(&self, a: &Atom) -> bool {
        !matches!(a, Atom::Var(v) if self.own.contains(v))
    }

    /// Notes the indices of the element if the condition (or its negation) determines them for each axis.
    fn holds(&mut self, condition: &Atom, is: bool) -> Option<()> {
        let Atom::Var(v) = condition else { return None };
        match (*self.made.get(v)?, is) {
            (Rhs::Scalar(ScalarOp::Eq, sides), true) | (Rhs::Scalar(ScalarOp::Ne, sides), false) => {
                let [a, b] = sides.as_slice() else { return None };
                let axis = |a: &Atom| self.numbers.iter().position(|n| *a == Atom::Var(*n));
                let (axis, k) = match (axis(a), axis(b)) {
                    (Some(axis), None) => (axis, b),
                    (None, Some(axis)) => (axis, a),
                    _ => return None,
                };
                if self.indices[axis].is_some() || !self.is_outside(k) {
                    return None;
                }
                self.indices[axis] = Some(k.clone());
                Some(())
            }
            (Rhs::Scalar(ScalarOp::And, sides), true) => sides.iter().try_for_each(|side| self.holds(side, true)),
            (Rhs::If(first, then, otherwise), true) if otherwise.result == Atom::Lit(Literal::Bool(false)) => {
                self.holds(first, true)?;
                self.holds(&then.result, true)
            }
            _ => None,
        }
    }

    /// The number of axes along which the atom is the current element.
    fn picked(&mut self, a: &Atom) -> Option<usize> {
        if self.xs.as_ref() == Some(a) {
            return Some(0);
        }
        let Atom::Var(v) = a else { return None };
        if let Some(axes) = self.rows.get(v) {
            return Some(*axes);
        }
        match self.made.get(v).copied() {
            Some(Rhs::Prim(PrimCall { prim: Prim::Aref, args, .. })) => {
                let [of, at] = args.as_slice() else { return None };
                let before = self.picked(of)?;
                (*at == Atom::Var(*self.numbers.get(before)?)).then_some(before + 1)
            }
            Some(Rhs::Atom(a)) => self.picked(a),
            Some(_) => None,
            None if self.xs.is_none() && self.is_outside(a) && self.finder.kernel.ty(*v) == self.of => {
                self.xs = Some(a.clone());
                Some(0)
            }
            None => None,
        }
    }

    /// Whether the function may stop the run. The elements that it picks exist.
    fn may_stop(&mut self) -> bool {
        let all: Vec<(VarId, &Rhs)> = self.made.iter().map(|(v, rhs)| (*v, *rhs)).collect();
        all.into_iter().any(|(v, rhs)| match rhs {
            Rhs::Prim(PrimCall { prim: Prim::Aref, .. }) => self.picked(&Atom::Var(v)).is_none(),
            Rhs::Prim(call) => !matches!(call.prim, Prim::Map(_) | Prim::Zip | Prim::Iota),
            Rhs::If(..) => false,
            rhs => fails::rhs_may_fail(&self.finder.kernel.vars, rhs),
        })
    }
}
