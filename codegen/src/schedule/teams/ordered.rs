//! Rows that are folded or scanned in order: only one work-item at a time can do that, but a team can read the row.

use super::{Applied, OWN_GROUP, SCAN_TILE, Shared, Team, Writer, is_plain};
use crate::core::scalar::is_transcendental;
use crate::core::{Atom, Block, Kernel, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::schedule::free::are_brief;
use crate::schedule::nested::{Dims, Work, has_stored_rows, lies_across, row_in_order, work_of};
use crate::schedule::rules;
use crate::schedule::uses;
use crate::schedule::versions::{branch, choice, decided};
use crate::target::GRID;
use lift_analysis::size::Size;

impl Writer<'_> {
    /// The versions of a map whose function folds or scans a row in order: a team reads long rows, unless there are so many
    /// that others work while one work-item waits for memory.
    pub(super) fn in_order(&mut self, kernel: &Kernel, stmt: &Stmt, call: &PrimCall) -> Option<Vec<Stmt>> {
        let dims = (call.prim == Prim::Map(Level::Auto)).then(|| Dims::of_ordered(kernel, call))?;
        let f = dims.innermost();
        let mut rows = f.body.stmts.iter().filter_map(|s| row_in_order(kernel, s)).map(|(_, len)| len);
        let row = rows.next()?;
        let plain = |s: &Stmt| {
            work_of(kernel, s) == Work::Item
                || row_in_order(kernel, s).is_some()
                || is_read_in_order(kernel, &f.body, s)
        };
        let in_memory = |c: &&PrimCall| c.args.iter().all(|xs| has_stored_rows(kernel, xs) && !lies_across(kernel, xs));
        if dims.calls.len() > GRID
            || !rows.all(|len| len == row)
            || !f.body.stmts.iter().all(plain)
            || !dims.calls.iter().all(|c| is_plain(kernel, c))
            || !dims.calls.iter().all(in_memory)
            || !dims.has_rows(kernel)
        {
            return None;
        }
        let shared = Shared { call, dims, row, own: true, by_key: false, loops: false, counted: true };
        let n = shared.elements(kernel);
        let below =
            Size::if_le(&Size::int(self.params.ordered), &shared.row, &Size::int(self.params.waiting), &Size::zero());
        let few = decided(&n, &below);
        if few == Some(false) {
            return None;
        }
        self.applied.push(Applied { rule: &rules::MAP_ORDERED_WRG, origin: stmt.origin.clone() });
        let (items, rows) = (self.params.team, (OWN_GROUP / self.params.team.max(1)).max(1));
        let team = Team { items, rows, keeps: false, own: None, tile: SCAN_TILE };
        let by_teams = self.by_groups(stmt, &shared, &team, &[]);
        let all = match few {
            Some(_) => by_teams,
            None => {
                let by_items = branch(&mut self.kernel.vars, stmt, stmt.rhs.clone());
                choice(&mut self.kernel.vars, stmt, &n, &below, by_teams, by_items)
            }
        };
        Some(self.named(all, stmt.var))
    }
}

/// Whether a statement maps the elements of a row that only folds and scans in order read, perhaps through views and more
/// such maps: each element is computed where it is read. Of several readers, each computes it.
fn is_read_in_order(kernel: &Kernel, body: &Block, stmt: &Stmt) -> bool {
    let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return false };
    let items = call.funs.iter().all(|f| f.body.stmts.iter().all(|s| work_of(kernel, s) == Work::Item));
    let several = body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == stmt.var)).count() > 1;
    let takes_long = |s: &Stmt| matches!(&s.rhs, Rhs::Scalar(op, _) if is_transcendental(*op));
    let cheap = call.funs.iter().all(|f| are_brief(&f.body.stmts) && !f.body.stmts.iter().any(takes_long));
    items && is_plain(kernel, call) && (!several || cheap) && only_in_order(kernel, body, stmt.var)
}

/// Whether only folds and scans in order read an array.
fn only_in_order(kernel: &Kernel, body: &Block, xs: VarId) -> bool {
    let is_it = |v: VarId| v == xs;
    let in_order = |s: &Stmt| match &s.rhs {
        _ if row_in_order(kernel, s).is_some_and(|(row, _)| *row == Atom::Var(xs)) => true,
        Rhs::Prim(call) if call.prim.is_view() && call.funs.is_empty() => only_in_order(kernel, body, s.var),
        _ => is_read_in_order(kernel, body, s),
    };
    body.result != Atom::Var(xs) && body.stmts.iter().filter(|s| uses::mentions(s, &is_it)).all(in_order)
}
