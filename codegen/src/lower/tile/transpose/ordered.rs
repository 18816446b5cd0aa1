//! Whether an element certainly reads memory in the order of the last dimension, so that its code need not be tried.

use crate::core::{Atom, Block, Kernel, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::lower::value::{Array, Env, Layout, Value, View};
use crate::schedule::{flat, nest};
use rustc_hash::FxHashSet;

/// Whether the last index of some maps selects elements of rows alone, never a row, and not times a length; and all arrays that
/// they read are stored as they are. Then no two neighbours read elements that are far apart.
pub fn reads_in_order<'k>(kernel: &'k Kernel, call: &'k PrimCall, env: &Env<'k>) -> bool {
    let none = FxHashSet::default;
    Order { kernel, env, arrays: none(), last: none(), multiples: none() }.of_map(call).is_some()
}

struct Order<'a, 'k> {
    kernel: &'k Kernel,
    env: &'a Env<'k>,
    /// The arrays made inside whose elements are adjacent, or computed from their numbers.
    arrays: FxHashSet<VarId>,
    /// The values that depend on the last index.
    last: FxHashSet<VarId>,
    /// Those of them that may be the last index times a number that is not known yet.
    multiples: FxHashSet<VarId>,
}

/// Methods return `None` where the order is not certain.
impl<'k> Order<'_, 'k> {
    fn of_map(&mut self, call: &'k PrimCall) -> Option<()> {
        let ([f], [xs]) = (call.funs.as_slice(), call.args.as_slice()) else { return None };
        let [x] = f.params.as_slice() else { return None };
        if f.position.is_some() || !self.is_adjacent(xs) {
            return None;
        }
        if self.kernel.ty(*x).as_array().is_some() {
            self.arrays.insert(*x);
        }
        match nest::inner(f) {
            Some((next, _)) => {
                let (_, before) = f.body.stmts.split_last()?;
                before.iter().try_for_each(|s| self.stmt(s))?;
                self.of_map(next)
            }
            None => {
                self.last.insert(*x);
                self.block(&f.body)
            }
        }
    }

    fn block(&mut self, block: &'k Block) -> Option<()> {
        block.stmts.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, stmt: &'k Stmt) -> Option<()> {
        let is_array = self.kernel.ty(stmt.var).as_array().is_some();
        let is_flat = flat::is_flat(self.kernel.ty(stmt.var));
        let operands = stmt.rhs.operands();
        let mut depends = operands.iter().any(|a| self.depends(a));
        let mut multiple = operands.iter().any(|a| self.is_multiple(a));
        match &stmt.rhs {
            Rhs::Prim(PrimCall { prim: Prim::Iota, .. }) => {}
            Rhs::Prim(PrimCall { prim: Prim::Aref | Prim::Head | Prim::Last, args, .. }) => {
                if !self.is_adjacent(args.first()?) || is_array && depends || multiple {
                    return None;
                }
            }
            Rhs::Scalar(ScalarOp::Mul | ScalarOp::Shl, args) if depends => {
                multiple |= !args.iter().any(is_number);
            }
            Rhs::Scalar(..) => {}
            Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) if is_flat => {}
            Rhs::If(_, then, otherwise) if is_flat => {
                for branch in [then, otherwise] {
                    self.block(branch)?;
                    depends |= self.depends(&branch.result);
                    multiple |= self.is_multiple(&branch.result);
                }
            }
            _ => return None,
        }
        if is_array {
            self.arrays.insert(stmt.var);
        }
        if depends {
            self.last.insert(stmt.var);
        }
        if multiple {
            self.multiples.insert(stmt.var);
        }
        Some(())
    }

    fn depends(&self, a: &Atom) -> bool {
        matches!(a, Atom::Var(v) if self.last.contains(v))
    }

    fn is_multiple(&self, a: &Atom) -> bool {
        matches!(a, Atom::Var(v) if self.multiples.contains(v))
    }

    fn is_adjacent(&self, xs: &Atom) -> bool {
        let Atom::Var(v) = xs else { return false };
        let is_view = || match self.env.get(*v) {
            Some(Value::Array(Array { view, .. })) => match &**view {
                View::Stored { element, .. } => is_plain(element),
                View::Iota => true,
                _ => false,
            },
            _ => false,
        };
        self.arrays.contains(v) || is_view()
    }
}

fn is_number(a: &Atom) -> bool {
    match a {
        Atom::Lit(_) => true,
        Atom::Size(size) => size.as_const().is_some(),
        Atom::Var(_) => false,
    }
}

/// Whether rows are adjacent, and all of one length.
fn is_plain(layout: &Layout) -> bool {
    match layout {
        Layout::Scalar(_) | Layout::Vec(..) => true,
        Layout::Tuple(parts) => parts.iter().all(|part| is_plain(part)),
        Layout::Array { element, .. } => is_plain(element),
        Layout::Packed { .. } | Layout::Exists { .. } => false,
    }
}
