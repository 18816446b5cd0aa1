//! Finds the enclosing functions that each variable depends on. An array is read again for each element of a map whose
//! function it does not depend on.

use super::uses;
use crate::core::{Block, Kernel, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// For each variable, the depths of the functions that it depends on, as bits.
#[derive(Debug, Default)]
pub struct Dependences {
    of: FxHashMap<VarId, u64>,
}

impl Dependences {
    pub fn of(kernel: &Kernel) -> Dependences {
        let mut walk = Walk { vars: &kernel.vars, positions: Vec::new(), found: Dependences::default() };
        walk.block(&kernel.body);
        walk.found
    }

    /// Records an element of `xs`, which a function takes.
    pub fn add(&mut self, element: VarId, xs: VarId, depth: usize) {
        self.of.insert(element, self.bits(xs) | bit(depth));
    }

    /// Whether an array does not depend on one of these functions.
    pub fn is_shared(&self, xs: VarId, functions: u64) -> bool {
        functions & !self.bits(xs) != 0
    }

    fn bits(&self, v: VarId) -> u64 {
        self.of.get(&v).copied().unwrap_or_default()
    }
}

/// The bit of the functions at a depth. All deep ones have one bit, so that what depends on one of them depends on all.
pub fn bit(depth: usize) -> u64 {
    1 << depth.min(63)
}

/// Whether a statement applies a function to each element of an array, or to each number.
pub fn is_map(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Map(_) | Prim::Generate, .. }))
}

struct Walk<'k> {
    vars: &'k [VarInfo],
    /// The index variables of the enclosing functions.
    positions: Vec<Option<&'k Var>>,
    found: Dependences,
}

impl<'k> Walk<'k> {
    fn block(&mut self, block: &'k Block) {
        for stmt in &block.stmts {
            match &stmt.rhs {
                Rhs::Prim(call) => {
                    let of = self.bits_of(stmt) | bit(self.positions.len());
                    for f in &call.funs {
                        self.found.of.extend(f.params.iter().map(|p| (*p, of)));
                        self.positions.push(f.position.as_ref());
                        self.block(&f.body);
                        self.positions.pop();
                    }
                }
                rhs => rhs.blocks().into_iter().for_each(|b| self.block(b)),
            }
            let of = self.bits_of(stmt);
            self.found.of.insert(stmt.var, of);
        }
    }

    /// The functions around a statement that it depends on.
    fn bits_of(&self, stmt: &Stmt) -> u64 {
        let mut read = FxHashSet::default();
        uses::variables(stmt, &mut read);
        let by_position = self.positions.iter().enumerate().filter_map(|(depth, position)| {
            position.filter(|p| uses::stmt_mentions(self.vars, stmt, p)).map(|_| bit(depth))
        });
        let around = bit(self.positions.len()) - 1;
        read.iter().map(|v| self.found.bits(*v)).chain(by_position).fold(0, |all, of| all | of) & around
    }
}
