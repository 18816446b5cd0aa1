//! The cache lines that neighbouring lanes read, and those that the rounds of a loop around them read: counted in
//! generated code.

use crate::lower::strides::{self, Stride};
use crate::opencl::{Expr, Stmt, StmtKind};
use lift_analysis::hir::Name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The cache lines that sixteen neighbours of four bytes read.
fn lines(stride: Stride) -> u64 {
    match stride {
        Stride::Times(0) => 0,
        Stride::Times(1 | -1) => 1,
        _ => 16,
    }
}

/// Memory that loops over lanes read and write in each iteration of a loop around them.
#[derive(Debug, Default)]
struct Accesses {
    /// Their cost if neighbours are lanes, if the rounds of the innermost loop around them are, and if the elements of
    /// the result's row are.
    across: u64,
    along: u64,
    of_rows: u64,
    /// Whether something in a loop over lanes keeps it from being a vector.
    scalar: bool,
    /// Whether lanes access elements that lie far apart.
    far: bool,
}

/// Names that have a meaning for the lanes.
#[derive(Debug, Default)]
pub struct Names {
    /// The variables of the loops over lanes.
    pub lanes: FxHashSet<Name>,
    /// The variable of the loop over the elements of their result, if that is a row.
    pub row: Option<Name>,
    /// Arrays of the lanes themselves, which count for nothing.
    pub own: FxHashSet<Name>,
}

/// Whether the loops over lanes are better vectors than the loops around them would be.
pub fn pay(stmts: &[Stmt], names: &Names) -> bool {
    let mut found = Accesses::default();
    let mut walk = Walk { names, found: &mut found, named: FxHashMap::default() };
    walk.block(stmts, &[], None);
    let others = found.along.min(found.of_rows);
    let pays = found.across < others || found.across == others && !found.far;
    pays && !found.scalar
}

struct Walk<'a> {
    names: &'a Names,
    found: &'a mut Accesses,
    named: FxHashMap<Name, Expr>,
}

impl Walk<'_> {
    fn block(&mut self, stmts: &[Stmt], rounds: &[Name], lane: Option<&Name>) {
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::For { var, body, .. } if self.names.lanes.contains(var) => {
                    self.block(body, rounds, Some(var));
                }
                StmtKind::For { var, body, .. } => {
                    let inner: Vec<Name> = rounds.iter().cloned().chain([var.clone()]).collect();
                    self.block(body, if lane.is_some() { rounds } else { &inner }, lane);
                }
                StmtKind::Block(body) => self.block(body, rounds, lane),
                StmtKind::Declare { name, init: Some(init), constant, .. } => {
                    self.accesses(init, rounds, lane);
                    if *constant {
                        self.named.insert(name.clone(), init.clone());
                    }
                }
                StmtKind::Assign(to, value) => {
                    self.accesses(to, rounds, lane);
                    self.accesses(value, rounds, lane);
                }
                StmtKind::Declare { .. } | StmtKind::DeclareArray { .. } | StmtKind::Comment(_) => {}
                StmtKind::Unroll | StmtKind::Roll => {}
                _ => self.found.scalar |= lane.is_some(),
            }
        }
    }

    fn accesses(&mut self, e: &Expr, rounds: &[Name], lane: Option<&Name>) {
        let Some(lane) = lane else { return };
        self.found.scalar |= e.may_fail();
        let mut all = Vec::new();
        e.any(&mut |part| {
            if let Expr::Index(of, at) = part
                && !matches!(&**of, Expr::Var(name) if self.names.own.contains(name))
            {
                all.push(at.clone());
            }
            false
        });
        for at in all {
            let across = self.stride(&at, lane);
            self.found.far |= lines(across) == lines(Stride::Far);
            self.found.across += lines(across);
            let along = lines(rounds.last().map_or(across, |round| self.stride(&at, round)));
            self.found.along += along;
            let row = rounds.first().filter(|round| self.names.row.as_ref() == Some(round));
            self.found.of_rows += row.map_or(along, |row| lines(self.stride(&at, row)));
        }
    }

    fn stride(&self, e: &Expr, by: &Name) -> Stride {
        strides::stride(e, &Expr::Var(by.clone()), &self.named)
    }
}
