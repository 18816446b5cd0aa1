//! Maps that change a part of an array and keep all other elements: an element, a row, a column.

use super::fails;
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// The definitions of arrays of indices, of pairs of index and element, and of rows.
pub type Makers = FxHashMap<VarId, PrimCall>;

pub fn makers_of(block: &Block) -> Makers {
    let mut makers = Makers::default();
    block.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs
            && matches!(call.prim, Prim::Zip | Prim::Iota | Prim::Aref)
        {
            makers.insert(stmt.var, call.clone());
        }
    });
    makers
}

/// Whether the variable is the numbers from 0 on.
pub fn counts(makers: &Makers, v: &VarId) -> bool {
    makers.get(v).is_some_and(|made| made.prim == Prim::Iota && made.sizes.len() == 1)
}

/// A map, or maps in maps, each over the numbers of an axis, or over pairs of a number and its element.
pub struct ChangedPart<'a> {
    kernel: &'a Kernel,
    makers: &'a Makers,
    /// The type of the array.
    pub of: &'a Ty,
    /// The statements of the map's function, by the variables that they bind.
    made: FxHashMap<VarId, &'a Rhs>,
    own: FxHashSet<VarId>,
    pub xs: Option<Atom>,
    /// The number of the current element, of the axes from the outermost on, if the function has it.
    numbers: Vec<Option<VarId>>,
    /// Current elements of the axes before these.
    rows: FxHashMap<VarId, usize>,
    /// The indices of the changed elements along the axes that have one.
    pub indices: Vec<Option<Atom>>,
}

impl<'a> ChangedPart<'a> {
    pub fn new(kernel: &'a Kernel, makers: &'a Makers, stmt: &'a Stmt, call: &'a PrimCall) -> ChangedPart<'a> {
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
        ChangedPart {
            kernel,
            makers,
            of: kernel.ty(stmt.var),
            made,
            own,
            xs: None,
            numbers: Vec::new(),
            rows: FxHashMap::default(),
            indices: Vec::new(),
        }
    }

    /// The branch that gives a changed element.
    pub fn level(&mut self, call: &'a PrimCall) -> Option<&'a Block> {
        let ([f], [Atom::Var(over)]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let ([param], None) = (f.params.as_slice(), &f.position) else { return None };
        let axis = self.numbers.len();
        let counts = |v: &VarId| counts(self.makers, v);
        let zipped = self.makers.get(over).filter(|made| made.prim == Prim::Zip).map(|made| made.args.as_slice());
        match zipped {
            Some(parts) => {
                let (mut number, mut row) = (None, false);
                for (at, part) in parts.iter().enumerate() {
                    let is_it = |s: &&Stmt| matches!(&s.rhs, Rhs::Proj(Atom::Var(v), i) if v == param && *i == at);
                    let element = f.body.stmts.iter().find(is_it).map(|s| s.var);
                    let Atom::Var(of) = part else { return None };
                    if counts(of) {
                        number = element;
                    } else if !row && self.is_row(of, axis) {
                        row = true;
                        self.rows.extend(element.map(|row| (row, axis + 1)));
                    }
                }
                self.numbers.push(number);
            }
            None if counts(over) => self.numbers.push(Some(*param)),
            None if self.is_row(over, axis) => {
                self.numbers.push(None);
                self.rows.insert(*param, axis + 1);
            }
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
                xs.then_some(changed)
            }
            _ => None,
        }
    }

    /// Whether a map over the variable goes over the elements of the array, or of its current element.
    fn is_row(&mut self, over: &VarId, axis: usize) -> bool {
        if axis == 0 && self.kernel.ty(*over) == self.of {
            self.xs = Some(Atom::Var(*over));
            return true;
        }
        axis > 0 && self.picked(&Atom::Var(*over)) == Some(axis)
    }

    pub fn is_outside(&self, a: &Atom) -> bool {
        !matches!(a, Atom::Var(v) if self.own.contains(v))
    }

    /// Notes the indices of the element if the condition (or its negation) determines them for each axis.
    fn holds(&mut self, condition: &Atom, is: bool) -> Option<()> {
        let Atom::Var(v) = condition else { return None };
        match (*self.made.get(v)?, is) {
            (Rhs::Scalar(ScalarOp::Eq, sides), true) | (Rhs::Scalar(ScalarOp::Ne, sides), false) => {
                let [a, b] = sides.as_slice() else { return None };
                let axis = |a: &Atom| self.numbers.iter().position(|n| n.is_some_and(|n| *a == Atom::Var(n)));
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
                (*at == Atom::Var((*self.numbers.get(before)?)?)).then_some(before + 1)
            }
            Some(Rhs::Atom(a)) => self.picked(a),
            Some(_) => None,
            None if self.xs.is_none() && self.is_outside(a) && self.kernel.ty(*v) == self.of => {
                self.xs = Some(a.clone());
                Some(0)
            }
            None => None,
        }
    }

    /// Whether the function may stop the run, but for the statements of these variables. The elements that it picks exist.
    pub fn may_stop(&mut self, but: &FxHashSet<VarId>) -> bool {
        let all = self.made.iter().filter(|(v, _)| !but.contains(v));
        let all: Vec<(VarId, &Rhs)> = all.map(|(v, rhs)| (*v, *rhs)).collect();
        all.into_iter().any(|(v, rhs)| match rhs {
            Rhs::Prim(PrimCall { prim: Prim::Aref, .. }) => self.picked(&Atom::Var(v)).is_none(),
            Rhs::Prim(call) => !matches!(call.prim, Prim::Map(_) | Prim::Zip | Prim::Iota),
            Rhs::If(..) => false,
            rhs => fails::rhs_may_fail(&self.kernel.vars, rhs),
        })
    }
}
