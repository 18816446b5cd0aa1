//! Whether statements and functions have the same value: equality up to the names of variables bound inside.

use crate::core::{Atom, Block, Lambda, Rhs, Stmt, VarId};
use rustc_hash::FxHashMap;

/// Variables that are known to have the same value.
#[derive(Debug, Default)]
pub struct Classes {
    /// For variables with the value of an earlier one: the first variable with that value.
    first: FxHashMap<VarId, VarId>,
}

impl Classes {
    /// The representative of all variables with this value.
    pub fn first(&self, v: VarId) -> VarId {
        self.first.get(&v).copied().unwrap_or(v)
    }

    pub fn insert(&mut self, v: VarId, first: VarId) {
        self.first.insert(v, first);
    }

    /// Whether two statements have the same value.
    pub fn is_same(&self, a: &Stmt, b: &Stmt) -> bool {
        self.same_stmt(a, b, &mut Vec::new())
    }

    /// Whether two functions have the same value for the same arguments.
    pub fn is_same_function(&self, a: &Lambda, b: &Lambda) -> bool {
        self.same_function(a, b, &mut Vec::new())
    }

    /// `bound`: the variables bound inside, in pairs.
    fn same_stmt(&self, a: &Stmt, b: &Stmt, bound: &mut Vec<(VarId, VarId)>) -> bool {
        a.binds.is_empty()
            && b.binds.is_empty()
            && match (&a.rhs, &b.rhs) {
                (Rhs::Tuple(_), Rhs::Tuple(_)) => self.same_operands(&a.rhs, &b.rhs, bound),
                (Rhs::Proj(_, i), Rhs::Proj(_, j)) => i == j && self.same_operands(&a.rhs, &b.rhs, bound),
                (Rhs::Scalar(f, _), Rhs::Scalar(g, _)) => f == g && self.same_operands(&a.rhs, &b.rhs, bound),
                (Rhs::If(_, p, q), Rhs::If(_, r, s)) => {
                    self.same_operands(&a.rhs, &b.rhs, bound)
                        && self.same_block(p, r, bound)
                        && self.same_block(q, s, bound)
                }
                (Rhs::Prim(f), Rhs::Prim(g)) => {
                    f.prim == g.prim
                        && f.sizes == g.sizes
                        && self.same_operands(&a.rhs, &b.rhs, bound)
                        && f.funs.len() == g.funs.len()
                        && f.funs.iter().zip(&g.funs).all(|(p, q)| self.same_function(p, q, bound))
                }
                _ => false,
            }
    }

    fn same_operands(&self, a: &Rhs, b: &Rhs, bound: &[(VarId, VarId)]) -> bool {
        let (a, b) = (a.operands(), b.operands());
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_atom(a, b, bound))
    }

    fn same_atom(&self, a: &Atom, b: &Atom, bound: &[(VarId, VarId)]) -> bool {
        match (a, b) {
            (Atom::Var(v), Atom::Var(w)) => match bound.iter().find(|(x, y)| x == v || y == w) {
                Some(pair) => *pair == (*v, *w),
                None => self.first(*v) == self.first(*w),
            },
            _ => a == b,
        }
    }

    fn same_function(&self, a: &Lambda, b: &Lambda, bound: &mut Vec<(VarId, VarId)>) -> bool {
        if a.position.is_some() || b.position.is_some() || a.params.len() != b.params.len() {
            return false;
        }
        bound.extend(a.params.iter().copied().zip(b.params.iter().copied()));
        self.same_block(&a.body, &b.body, bound)
    }

    fn same_block(&self, a: &Block, b: &Block, bound: &mut Vec<(VarId, VarId)>) -> bool {
        a.stmts.len() == b.stmts.len()
            && a.stmts.iter().zip(&b.stmts).all(|(s, t)| {
                let same = self.same_stmt(s, t, bound);
                bound.push((s.var, t.var));
                same
            })
            && self.same_atom(&a.result, &b.result, bound)
    }
}
