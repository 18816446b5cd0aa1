//! The roles of a function's statements if neighbouring elements of a map are computed together.

use super::keys::has_keys;
use crate::core::{Atom, Block, Kernel, Level, Prim, Rhs, Stmt, VarId};
use crate::lower::instructions::FEW_ROUNDS;
use crate::schedule::flat::is_flat;
use crate::schedule::{Schedule, free, uses};
use lift_analysis::size::Size;
use lift_analysis::ty::{ArrayTy, Ty};
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest row that is sorted: the network has n·log²n comparisons, and its rows should stay in the caches.
pub const LONGEST: i64 = 8192;
/// Maximum readers of a map that is computed again for each of them.
const MOST_AGAIN: usize = 2;

/// How the lanes compute a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A loop around a loop over lanes.
    Rounds,
    /// Like [`Role::Rounds`], with a result for each iteration. Only the function's result has this role.
    Rows,
    /// Computed once for each lane, because it takes long.
    Once,
    /// Computed wherever it is read.
    Anywhere,
    /// A sort of each lane's row.
    Sorted,
    /// [`Role::Anywhere`] of a map that would otherwise be stored: each row would take memory for every lane.
    Again,
}

/// The roles of a function's statements.
pub struct Roles {
    by_var: FxHashMap<VarId, Role>,
}

impl Roles {
    /// `None` if the function cannot be computed in lanes, or has no fold of many elements.
    pub fn of(schedule: &Schedule, block: &Block) -> Option<Roles> {
        let mut roles = Roles { by_var: FxHashMap::default() };
        roles.find(schedule, block, true)?;
        let folds = |s: &Stmt| match (&s.rhs, roles.role_of(s)) {
            (_, Role::Rounds | Role::Sorted) => true,
            (Rhs::Prim(call), Role::Rows) => !matches!(call.prim, Prim::Map(_)),
            _ => false,
        };
        block.stmts.iter().any(folds).then_some(roles)
    }

    fn find(&mut self, schedule: &Schedule, block: &Block, outermost: bool) -> Option<()> {
        let kernel = &schedule.kernel;
        for stmt in &block.stmts {
            let role = self.role(schedule, block, stmt, outermost)?;
            self.by_var.insert(stmt.var, role);
        }
        // What takes long and is read in rounds is computed once.
        let mut rounds = FxHashSet::default();
        for stmt in block.stmts.iter().filter(|s| matches!(self.role_of(s), Role::Rounds | Role::Rows)) {
            uses::variables(stmt, &mut rounds);
        }
        for stmt in block.stmts.iter().rev() {
            if self.role_of(stmt) == Role::Anywhere && rounds.contains(&stmt.var) {
                if is_flat(kernel.ty(stmt.var)) && !free::is_free(&stmt.rhs) {
                    self.by_var.insert(stmt.var, Role::Once);
                } else {
                    uses::variables(stmt, &mut rounds);
                }
            }
        }
        let ty = kernel.atom_ty(&block.result);
        let is_row = |row: &ArrayTy| outermost && row.position.is_none() && is_flat(&row.element);
        (is_flat(&ty) || ty.as_array().is_some_and(is_row)).then_some(())
    }

    fn role(&mut self, schedule: &Schedule, block: &Block, stmt: &Stmt, outermost: bool) -> Option<Role> {
        if !stmt.binds.is_empty() {
            return None;
        }
        let (kernel, uses) = (&schedule.kernel, |v: VarId| schedule.uses(v));
        let flat = is_flat(kernel.ty(stmt.var));
        let Rhs::Prim(call) = &stmt.rhs else {
            let simple = matches!(&stmt.rhs, Rhs::Atom(_) | Rhs::Tuple(_) | Rhs::Proj(..) | Rhs::Scalar(..));
            return (simple || flat && matches!(&stmt.rhs, Rhs::If(..))).then_some(Role::Anywhere);
        };
        let f = call.funs.first().filter(|f| call.funs.len() == 1 && f.position.is_none());
        let xs = call.args.last().map(|xs| kernel.atom_ty(xs));
        let xs = xs.as_ref().and_then(Ty::as_array).filter(|xs| xs.position.is_none());
        match call.prim {
            Prim::Reduce(Level::Seq) => {
                let (f, xs) = (f?, xs?);
                if !is_flat(&kernel.atom_ty(&call.args[0])) {
                    return None;
                }
                if xs.len.as_const().is_some_and(|n| n <= FEW_ROUNDS) {
                    return Some(Role::Anywhere);
                }
                self.find(schedule, &f.body, false)?;
                Some(Role::Rounds)
            }
            Prim::Map(Level::Seq) | Prim::Scan(Level::Seq) | Prim::ScanExcl(Level::Seq)
                if outermost && block.result == Atom::Var(stmt.var) && uses(stmt.var).count <= 1 =>
            {
                let (f, _) = (f?, xs?);
                if !is_flat(&kernel.atom_ty(&f.body.result)) {
                    return None;
                }
                self.find(schedule, &f.body, false)?;
                Some(Role::Rows)
            }
            Prim::Sort | Prim::Argsort => {
                let (f, xs) = (f?, xs?);
                let few = xs.len.as_const().is_none_or(|n| n <= LONGEST);
                (outermost && few && has_keys(f, &xs.element)).then_some(Role::Sorted)
            }
            _ if schedule.lazy.contains(&stmt.var) || call.prim.is_view() => Some(Role::Anywhere),
            Prim::Map(Level::Seq) => {
                let (f, uses) = (f?, uses(stmt.var));
                let scalars = f.body.stmts.iter().all(|s| is_flat(kernel.ty(s.var)) && s.rhs.blocks().is_empty());
                (scalars && !uses.in_loop && uses.count <= MOST_AGAIN).then_some(Role::Again)
            }
            Prim::Head | Prim::Last | Prim::Aref => Some(Role::Anywhere),
            _ => None,
        }
    }

    pub fn role_of(&self, stmt: &Stmt) -> Role {
        self.by_var.get(&stmt.var).copied().unwrap_or(Role::Anywhere)
    }

    pub fn sorts(&self) -> bool {
        self.by_var.values().any(|role| *role == Role::Sorted)
    }

    /// The rows that are sorted may be longer than the network is for.
    pub fn sorted_lengths<'b>(&'b self, kernel: &'b Kernel, block: &'b Block) -> impl Iterator<Item = Size> + 'b {
        block.stmts.iter().filter(|s| self.role_of(s) == Role::Sorted).filter_map(|s| match &s.rhs {
            Rhs::Prim(call) => Some(kernel.atom_ty(call.args.last()?).as_array()?.len.clone()),
            _ => None,
        })
    }

    pub fn is_row(&self, v: VarId) -> bool {
        self.by_var.get(&v) == Some(&Role::Rows)
    }
}
