//! Maps whose elements each are computed by a group, the work-items of which share every parallel operator of the
//! function.
//!
//! The sharing is recorded as data: the operators have the level `Lcl`, an array that several of them read is stored in
//! local memory, and [`Teams`] has the size of the groups. Whether groups are faster than one work-item per element,
//! and whether an array fits local memory, may depend on lengths. Then the kernel has all versions, and the host
//! chooses (Henriksen, Thorøe, Elsman, Oancea, *Incremental flattening for nested data parallelism*, PPoPP 2019).
//!
//! | module | job |
//! |---|---|
//! | `share` | a function whose operators a group shares |
//! | `ordered` | rows that are folded or scanned in order |

mod ordered;
mod share;

use self::share::place;
use super::distribute::folds_apart;
use super::flat::is_flat;
use super::kept::{self, LocalMemory};
pub use super::kept::{KEY_TABLE, RADIX, SCAN_TILE, TILE_BYTES};
use super::nested::{
    Dims, Work, is_counted, is_short, lies_across, rounds_of, rows_below, rows_lie_in_memory, work_of,
};
use super::pass::within;
use super::ragged::{Ragged, Row};
use super::versions::{branch, choice, decided, fresh};
use super::{Applied, host_blocks, joined, nest, ragged, rules, shapes, tile_folds, together};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, GRID, LEAST_LOCAL, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

/// How a group computes elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// Work-items that share an element.
    pub items: u32,
    /// Elements that a group computes at a time.
    pub rows: u32,
    /// Whether intermediate arrays fit local memory.
    pub keeps: bool,
    /// If set, intermediate arrays are in registers.
    pub own: Option<Own>,
    /// Bytes of a tile that is scanned.
    pub tile: i64,
}

/// Rows distributed over the registers of work-items; each element is in one work-item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Own {
    /// Elements per work-item.
    pub each: u32,
    /// The length of the rows.
    pub row: Size,
}

/// (work-items that share a row, elements that each of them keeps in registers), for the shortest rows first. Each takes
/// rows up to twice as long as the one before, because registers without an element cost as much as the others. On an
/// H200 softmaxes of 2^25 numbers take 80 µs in rows of 32 by (8, 4) and 92 by (8, 8); in rows of 128, 73 by (16, 8) and
/// 105 by (16, 16). Few work-items read too little of a row at a time: rows of 16 take 101 µs by (2, 8), and 51 by (4, 4).
const OWN: [(u32, u32); 9] = [(4, 4), (8, 4), (8, 8), (16, 8), (16, 16), (32, 16), (64, 16), (128, 16), (256, 16)];
/// Work-items of a group of several such rows; small, because they seldom wait for each other.
const OWN_GROUP: u32 = 64;

/// The maps that groups compute, by the variable of the result.
pub type Teams = FxHashMap<VarId, Team>;

/// The thresholds between the versions.
#[derive(Debug, Clone, Copy)]
struct Params {
    /// Elements that keep the device busy with one work-item each.
    enough: i64,
    /// Minimum elements of a row that several work-items share even if there are many rows.
    shared: i64,
    /// Elements of a row up to which [`Params::few`] work-items share it.
    short: i64,
    /// Maximum number of rows (exclusive), of at least `long_row` elements, each of which several groups compute.
    few_rows: i64,
    long_row: i64,
    /// Maximum number of rows (exclusive) that few work-items share each. With more rows, one work-item each is enough:
    /// while it waits for memory, others work. On an H200, distances to the nearest of 16,384 points take 151 µs instead of
    /// 909 for 16,384 rows, and 496 instead of 960 for 65,536.
    waiting: i64,
    /// Bytes of local memory.
    local: i64,
    /// Work-items of a group.
    group: u32,
    /// Work-items that share a short row.
    few: u32,
    /// Work-items of a team that reads a row in order, and minimum elements of such a row.
    team: u32,
    ordered: i64,
    /// Work-items of a group for rows of different lengths: few of them idle at the end of a short row, and many groups
    /// share a compute unit when one row is long.
    uneven: u32,
}

impl Params {
    fn of(target: &Target) -> Params {
        /// Bytes of local memory that drivers reserve.
        const RESERVED: i64 = 1024;
        let enough = i64::from(target.compute_units) * i64::from(target.get(Parameter::RowsEnough));
        Params {
            enough,
            shared: target.get(Parameter::RowsShared).into(),
            short: target.get(Parameter::RowsNarrow).into(),
            few_rows: i64::from(target.compute_units) * 2,
            long_row: target.get(Parameter::RowsLong).into(),
            waiting: enough * i64::from(target.get(Parameter::RowsWaiting)),
            local: (target.local_memory as i64 - RESERVED).max(0),
            group: 256.min(target.most_in_group),
            few: 32.min(target.most_in_group),
            team: target.get(Parameter::RowsTeam).min(OWN_GROUP),
            ordered: target.get(Parameter::RowsOrdered).into(),
            uneven: target.get(Parameter::RowsUneven).min(target.most_in_group),
        }
    }
}

/// Adds all versions of the host-level maps that groups may share.
pub fn teams(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> (Kernel, Teams) {
    if target.class != Class::Gpu {
        return (kernel, Teams::default());
    }
    let mut teams = Teams::default();
    let params = Params::of(target);
    let folded = tile_folds::find(&kernel, None, target).into_keys().collect();
    let original = kernel.clone();
    let kernel = within(kernel, |kernel, lengths, body| {
        Writer { kernel, lengths, target, params, folded, teams: &mut teams, applied }.block(&original, body);
    });
    (kernel, teams)
}

struct Writer<'a> {
    /// The kernel with all new variables.
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    target: &'a Target,
    /// The parameters of the current statement.
    params: Params,
    /// Maps that no group shares, because their rows are folded in tiles.
    folded: FxHashSet<VarId>,
    teams: &'a mut Teams,
    applied: &'a mut Vec<Applied>,
}

/// A map whose elements groups may share.
struct Shared<'k> {
    call: &'k PrimCall,
    dims: Dims<'k>,
    /// The length of the arrays that a group shares.
    row: Size,
    /// Whether each element has its own row.
    own: bool,
    /// Whether rows are folded by key.
    by_key: bool,
    /// Whether the function has a loop whose state would be in each work-item's memory, or that reads rows of its own.
    loops: bool,
    /// Whether the loops have the same number of iterations for each row.
    counted: bool,
}

impl Shared<'_> {
    /// The number of elements of all maps.
    fn elements(&self, kernel: &Kernel) -> Size {
        let len = |call: &&PrimCall| kernel.atom_ty(&call.args[0]).as_array().map_or(Size::one(), |a| a.len.clone());
        self.dims.calls.iter().map(len).fold(Size::one(), |n, m| n.mul(&m))
    }
}

impl Writer<'_> {
    /// Makes the versions of the maps at host level.
    fn block(&mut self, kernel: &Kernel, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(kernel, &mut stmt).into_iter().for_each(|inner| self.block(kernel, inner));
            self.params = Params::of(&self.target.written(&stmt.settings()));
            match &stmt.rhs {
                Rhs::Prim(_) if self.folded.contains(&stmt.var) => out.push(stmt),
                Rhs::Prim(call) => match (of_call(kernel, call), ragged::recognise(kernel, call)) {
                    (Some(shared), _) => out.extend(self.versions(kernel, &stmt, &shared)),
                    (None, Some(ragged)) => out.extend(self.of_own_lengths(kernel, &stmt, call, &ragged)),
                    (None, None) => {
                        let versions = self.if_few(kernel, &stmt, call).or_else(|| self.in_order(kernel, &stmt, call));
                        out.extend(versions.unwrap_or_else(|| vec![stmt]));
                    }
                },
                _ => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        fresh(&mut self.kernel.vars, like, ty)
    }

    fn versions(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared) -> Vec<Stmt> {
        let n = shared.elements(kernel);
        let whole = Team { items: self.params.group, rows: 1, keeps: true, own: None, tile: SCAN_TILE };
        let f = shared.dims.innermost();
        let memory = LocalMemory::of(kernel, f, shared.own, whole.items);
        let registers = kept::in_registers(kernel, f, &memory.kept, &shared.row);
        let enough = Size::int(self.params.enough);
        // Neighbouring work-items should read neighbouring columns, not neighbouring elements of one column.
        let across = lies_across(kernel, &shared.dims.calls[shared.dims.calls.len() - 1].args[0]);
        if across && let Some(apart) = self.apart(kernel, stmt, shared) {
            self.applied.push(Applied { rule: &rules::MAP_PARTS, origin: stmt.origin.clone() });
            return self.named(apart, stmt.var);
        }
        // Where a row is not in registers, to read it once is best.
        if registers.is_none()
            && let Some(joined) = self.as_one_fold(stmt, shared)
        {
            return self.named(joined, stmt.var);
        }
        let made_again = |v: &VarId| f.body.stmts.iter().any(|s| s.var == *v && kept::is_short_map(f, s));
        let in_parts = !(shared.own || shared.by_key || shared.loops || across) && memory.kept.iter().all(made_again);
        // A group computes each element where elements are few or rows long. Intermediate arrays are better kept by
        // several work-items than by one.
        let below = match shared.own {
            // One work-item alone has no use of a table, and no room for many states.
            _ if shared.by_key || shared.loops => n.add(&Size::one()),
            _ if across => enough,
            true if registers.is_some() && !memory.kept.is_empty() => n.add(&Size::one()),
            false if in_parts => enough,
            _ => Size::if_le(&Size::int(self.params.shared), &shared.row, &n.add(&Size::one()), &enough),
        };
        let few = decided(&n, &below);
        if few == Some(false) {
            return vec![stmt.clone()];
        }
        let mut groups = match registers {
            // Each element shared by all rows is read once.
            _ if in_parts && memory.kept.is_empty() => {
                self.by_groups(stmt, shared, &Team { keeps: false, ..whole }, &[])
            }
            Some(most) => self.in_registers(stmt, shared, &memory, (most, across)),
            None => match self.in_memory(kernel, stmt, shared, &memory, &whole, &n) {
                Some(groups) => groups,
                None => return vec![stmt.clone()],
            },
        };
        self.applied.push(Applied { rule: &rules::MAP_FOLDS_WRG, origin: stmt.origin.clone() });
        groups = self.or_folds_apart(kernel, stmt, shared, &n, groups);
        let all = match few {
            Some(_) => groups,
            None => {
                let many = match in_parts {
                    true => self.by_items(stmt, shared, &n),
                    false => branch(&mut self.kernel.vars, stmt, Rhs::Prim(shared.call.clone())),
                };
                choice(&mut self.kernel.vars, stmt, &n, &below, groups, many)
            }
        };
        self.named(all, stmt.var)
    }

    /// The versions for many elements, all of which read the same arrays: a work-item for each, or few work-items, because
    /// one alone would wait for memory at each element, unless there are enough others to work meanwhile. Neither has room
    /// for arrays of its own.
    fn by_items(&mut self, stmt: &Stmt, shared: &Shared, n: &Size) -> Block {
        let mut again = shared.call.clone();
        again.funs[0] = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&again.funs[0]);
        if let Some(f) = nest::innermost(&mut again, shared.dims.calls.len()) {
            kept::compute_again(&mut self.kernel.vars, self.lengths, f);
        }
        let by_items = branch(&mut self.kernel.vars, stmt, Rhs::Prim(again));
        let (items, rows) = (self.params.few, self.params.group / self.params.few.max(1));
        let below =
            Size::if_le(&Size::int(self.params.short), &shared.row, &Size::int(self.params.waiting), &Size::zero());
        if rows < 2 || !shared.counted || decided(n, &below) == Some(false) {
            return by_items;
        }
        let team = Team { items, rows, keeps: false, own: None, tile: SCAN_TILE };
        let by_few = self.by_groups(stmt, shared, &team, &[]);
        match decided(n, &below) {
            Some(_) => by_few,
            None => choice(&mut self.kernel.vars, stmt, n, &below, by_few, by_items),
        }
    }

    /// The versions of a map whose function has nested folds, or folds below a map over a few numbers: with few
    /// elements, a group folds all at once.
    fn if_few(&mut self, kernel: &Kernel, stmt: &Stmt, call: &PrimCall) -> Option<Vec<Stmt>> {
        let dims = (call.prim == Prim::Map(Level::Auto)).then(|| Dims::of_all(kernel, call))?;
        let below_few = dims.calls.len() > Dims::of(kernel, call).calls.len();
        let all = self.tried(|writer| {
            let mut added = Vec::new();
            let f = Copier::new(&mut writer.kernel.vars, writer.lengths).lambda(dims.innermost());
            let joined = joined::one_fold(writer.kernel, &f, &mut added).or(below_few.then_some(f))?;
            let mut flat = call.clone();
            *nest::innermost(&mut flat, dims.calls.len())? = joined;
            writer.kernel.body.stmts.push(Stmt { rhs: Rhs::Prim(flat.clone()), ..stmt.clone() });
            // A map around those of the grid is a loop.
            let shared = shared(writer.kernel, Dims::of_all(writer.kernel, &flat), GRID + 1)?;
            let n = shared.elements(writer.kernel);
            let enough = Size::int(writer.params.enough);
            let few = decided(&n, &enough);
            if few == Some(false) {
                return None;
            }
            writer.applied.extend(added);
            writer.applied.push(Applied { rule: &rules::MAP_FOLDS_WRG, origin: stmt.origin.clone() });
            let team = Team { items: writer.params.group, rows: 1, keeps: false, own: None, tile: SCAN_TILE };
            let groups = writer.by_groups(stmt, &shared, &team, &[]);
            Some(match few {
                Some(_) => groups,
                None => {
                    let many = branch(&mut writer.kernel.vars, stmt, stmt.rhs.clone());
                    choice(&mut writer.kernel.vars, stmt, &n, &enough, groups, many)
                }
            })
        })?;
        Some(self.named(all, stmt.var))
    }

    /// The versions of a map whose rows have lengths of their own: a group does each row, unless rows are many and short.
    fn of_own_lengths(&mut self, kernel: &Kernel, stmt: &Stmt, call: &PrimCall, of: &Ragged) -> Vec<Stmt> {
        let (long, enough) = (Size::int(self.params.short / 8), Size::int(self.params.enough));
        let all = of.rows.add(&Size::one());
        let (below, items) = match &of.row {
            // Neighbouring work-items should read neighbouring columns.
            Row::Filtered(_) if lies_across(kernel, &call.args[0]) => (enough, self.params.group),
            Row::Filtered(row) => (Size::if_le(&long, row, &all, &enough), self.params.group),
            Row::Mean(row) => (Size::if_le(&Size::int(self.params.shared), row, &all, &enough), self.params.uneven),
            Row::Hidden => (all, self.params.uneven),
        };
        let few = decided(&of.rows, &below);
        if few == Some(false) {
            return vec![stmt.clone()];
        }
        self.applied.push(Applied { rule: &rules::MAP_RAGGED_WRG, origin: stmt.origin.clone() });
        let mut shared = call.clone();
        shared.funs[0] = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&call.funs[0]);
        place(&mut shared, of.depth, &mut |f| {
            self.share(f);
            kept::compute_again(&mut self.kernel.vars, self.lengths, f);
        });
        let groups = branch(&mut self.kernel.vars, stmt, Rhs::Prim(shared));
        if let Atom::Var(v) = &groups.result {
            self.teams.insert(*v, Team { items, rows: 1, keeps: false, own: None, tile: SCAN_TILE });
        }
        let all = match few {
            Some(_) => groups,
            None => {
                let by_items = branch(&mut self.kernel.vars, stmt, stmt.rhs.clone());
                choice(&mut self.kernel.vars, stmt, &of.rows, &below, groups, by_items)
            }
        };
        self.named(all, stmt.var)
    }

    /// Versions for different lengths of rows in registers, and one for longer rows.
    fn in_registers(
        &mut self,
        stmt: &Stmt,
        shared: &Shared,
        memory: &LocalMemory,
        (most, across): (u32, bool),
    ) -> Block {
        let group = self.params.group;
        let streams = Team { items: group, rows: 1, keeps: false, own: None, tile: SCAN_TILE };
        let mut teams: Vec<Team> = Vec::new();
        for (items, each) in OWN {
            let items = items.min(group);
            let own = Some(Own { each: each.min(most), row: shared.row.clone() });
            let rows = if shared.own { (OWN_GROUP.min(group) / items).max(1) } else { 1 };
            teams.push(Team { items, rows, keeps: false, own, tile: SCAN_TILE });
        }
        // Where elements are apart, or all elements share a row, short rows gain nothing.
        if !shared.own || across {
            teams.drain(..teams.len() - 1);
        }
        let mut groups = None;
        for team in teams.iter().rev() {
            let longest = team.own.as_ref().map_or(0, |own| i64::from(own.each * team.items));
            let longer = Size::int(longest + 1);
            let known = decided(&shared.row, &longer);
            if known == Some(false) {
                continue;
            }
            let by_team = self.by_groups(stmt, shared, team, &memory.kept);
            groups = Some(match known {
                Some(_) => by_team,
                None => {
                    let otherwise = match groups {
                        Some(groups) => groups,
                        None => self.by_groups(stmt, shared, &streams, &[]),
                    };
                    choice(&mut self.kernel.vars, stmt, &shared.row, &longer, by_team, otherwise)
                }
            });
        }
        groups.unwrap_or_else(|| self.by_groups(stmt, shared, &streams, &[]))
    }

    /// Versions that keep intermediate arrays in local memory, if they fit.
    fn in_memory(
        &mut self,
        kernel: &Kernel,
        stmt: &Stmt,
        shared: &Shared,
        memory: &LocalMemory,
        whole: &Team,
        n: &Size,
    ) -> Option<Block> {
        // Arrays of constant length are declared for every device.
        let all = match memory.bytes.as_const() {
            Some(_) => self.params.local.min(LEAST_LOCAL),
            None => self.params.local,
        };
        let (tile, fixed) = memory.fixed(whole.items, 1, all)?;
        let whole = &Team { tile, ..whole.clone() };
        let local = Size::int(all - fixed + 1);
        let streams = Team { keeps: false, ..whole.clone() };
        let mut groups = match decided(&memory.bytes, &local) {
            Some(true) => self.by_groups(stmt, shared, whole, &memory.kept),
            Some(false) => self.by_groups(stmt, shared, &streams, &[]),
            None => {
                let in_local = self.by_groups(stmt, shared, whole, &memory.kept);
                let streamed = self.by_groups(stmt, shared, &streams, &[]);
                choice(&mut self.kernel.vars, stmt, &memory.bytes, &local, in_local, streamed)
            }
        };
        // Several short rows share a group.
        let (items, rows) = (self.params.few, self.params.group / self.params.few.max(1));
        let memory = LocalMemory::of(kernel, shared.dims.innermost(), shared.own, items);
        // A loop at the top of a kernel is one row.
        let many = shared.own || shared.loops && n.as_const() != Some(1);
        let several = many && rows > 1 && !shared.by_key && shared.counted;
        if let Some((tile, fixed)) = memory.fixed(items, rows, all).filter(|_| several) {
            let small = Team { items, rows, keeps: true, own: None, tile };
            let rows = Size::nat(rows.into());
            let room = Size::int(all - fixed + 1);
            // A row that does not fit counts as long, and one of few rows if it has work for more work-items.
            // No longer than needed to count as long: work-items compare it, if rows are as many as a filter keeps.
            let longest = Size::int(self.params.short + 1);
            let long = Size::if_le(&memory.bytes.mul(&rows).add(&Size::one()), &room, &shared.row, &longest);
            let many = Size::if_le(&Size::int(self.params.enough), n, &long, &longest);
            let long = Size::if_le(&shared.row, &Size::nat(small.items.into()), &long, &many);
            let short = Size::int(self.params.short + 1);
            match decided(&long, &short) {
                Some(true) => groups = self.by_groups(stmt, shared, &small, &memory.kept),
                Some(false) => {}
                None => {
                    let by_few = self.by_groups(stmt, shared, &small, &memory.kept);
                    groups = choice(&mut self.kernel.vars, stmt, &long, &short, by_few, groups);
                }
            }
        }
        Some(groups)
    }

    /// Adds the version for few, long rows, in which the whole device computes one fold at a time.
    fn or_folds_apart(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared, n: &Size, groups: Block) -> Block {
        let below =
            Size::if_le(&Size::int(self.params.long_row), &shared.row, &Size::int(self.params.few_rows), &Size::zero());
        let known = decided(n, &below);
        if known == Some(false) {
            return groups;
        }
        let Some(apart) = self.apart(kernel, stmt, shared) else { return groups };
        match known {
            Some(_) => apart,
            None => choice(&mut self.kernel.vars, stmt, n, &below, apart, groups),
        }
    }

    /// One map for each fold, or one for all if no fold needs the result of another, if each element has its own row. Below other maps only where results go back to where
    /// rows were read: else the last map would read and write in different orders.
    fn apart(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared) -> Option<Block> {
        if !shared.own || shared.dims.calls.len() > 1 && shared.dims.in_order {
            return None;
        }
        if let Some(joined) = self.as_one_fold(stmt, shared) {
            return Some(joined);
        }
        let depth = shared.dims.calls.len();
        let stmts = self.tried(|writer| folds_apart(writer.kernel, writer.lengths, stmt, shared.call, depth))?;
        let var = self.fresh(stmt.var, kernel.ty(stmt.var).clone());
        Some(Block { stmts: self.named(Block { stmts, result: Atom::Var(stmt.var) }, var), result: Atom::Var(var) })
    }

    /// The map with one fold instead of all, if no fold needs the result of another.
    fn as_one_fold(&mut self, stmt: &Stmt, shared: &Shared) -> Option<Block> {
        if !shared.own || shared.dims.calls.len() > 1 {
            return None;
        }
        let f = self.tried(|writer| together::one_fold(writer.kernel, &shared.call.funs[0], writer.applied))?;
        let f = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&f);
        Some(branch(&mut self.kernel.vars, stmt, Rhs::Prim(PrimCall { funs: vec![f], ..shared.call.clone() })))
    }

    /// The statements of a block, the last of which now binds `var`.
    fn named(&mut self, mut block: Block, var: VarId) -> Vec<Stmt> {
        if let Some(last) = block.stmts.last_mut() {
            if let Some(team) = self.teams.remove(&last.var) {
                self.teams.insert(var, team);
            }
            last.var = var;
        }
        block.stmts
    }
}

/// Whether maps have products of matrices or windows, whose tiles are better than groups.
pub fn has_tiles(kernel: &Kernel, dims: &Dims) -> bool {
    let tiled = dims
        .calls
        .iter()
        .rev()
        .take(2)
        .any(|c| nest::recognise(kernel, &c.funs[0]).is_some_and(|nest| nest.matrix || dims.calls.len() == 1));
    let windows = dims
        .calls
        .iter()
        .any(|c| nest::inner(&c.funs[0]).is_some_and(|(_, g)| nest::recognise_window(kernel, g).is_some()));
    tiled || windows
}

/// Whether a group may compute each element of an unplaced map, each with a row of its own.
pub fn shares_rows(kernel: &Kernel, call: &PrimCall) -> bool {
    of_call(kernel, call).is_some_and(|shared| shared.own)
}

/// Whether a group may run a loop, whose rounds it shares, for each element of an unplaced map.
pub fn shares_loops(kernel: &Kernel, call: &PrimCall) -> bool {
    of_call(kernel, call).is_some_and(|shared| shared.loops)
}

/// Recognises an unplaced map that groups may share, a dimension of the grid for each of its maps.
fn of_call<'k>(kernel: &Kernel, call: &'k PrimCall) -> Option<Shared<'k>> {
    (call.prim == Prim::Map(Level::Auto)).then(|| shared(kernel, Dims::of(kernel, call), GRID))?
}

/// Recognises an unplaced map, of at most `most` nested maps, that groups may share and for which there is no better
/// strategy.
fn shared<'k>(kernel: &Kernel, dims: Dims<'k>, most: usize) -> Option<Shared<'k>> {
    let call = dims.calls[0];
    if dims.calls.len() > most || dims.calls.iter().any(|c| !is_plain(kernel, c)) {
        return None;
    }
    let f = dims.innermost();
    if has_tiles(kernel, &dims)
        || rows_below(kernel, call).is_some()
        || dims.calls.len() == 1 && is_short_loop(kernel, f)
    {
        return None;
    }
    let mut row = None;
    let mut folds = false;
    for stmt in &f.body.stmts {
        match work_of(kernel, stmt) {
            Work::Item => {}
            Work::Nest if joined::is_joined(&kernel.vars, f, stmt) => {}
            Work::Together(len) => {
                row = Some(row.map_or(len.clone(), |row: Size| if row == len { len } else { Size::max(&row, &len) }));
                folds |= !matches!(&stmt.rhs, Rhs::Prim(c) if matches!(c.prim, Prim::Map(_)));
            }
            Work::Nest | Work::Other => return None,
        }
    }
    let own = dims.has_rows(kernel);
    let is_table = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::ReduceByKey(_)));
    let by_key = f.body.stmts.iter().any(is_table);
    let looping = || f.body.stmts.iter().filter(|s| rounds_of(kernel, s).is_some());
    // One work-item alone has room for a state of scalars.
    let loops = looping().any(|s| own || !is_flat(kernel.ty(s.var)));
    let counted = f.body.stmts.iter().all(is_counted);
    // One work-item would keep arrays of a state where it cannot index them fast.
    let short = row.as_ref().is_some_and(is_short) && !looping().any(|s| !is_flat(kernel.ty(s.var)));
    let in_memory = |c: &&PrimCall| c.args.iter().all(|xs| rows_lie_in_memory(kernel, xs));
    // A loop that is the only element, such as one of the top of a kernel, has nothing else to be parallel.
    let only =
        || looping().next().is_some() && kernel.atom_ty(&call.args[0]).as_array().is_some_and(|a| a.len == Size::one());
    if short && !(own && dims.calls.iter().all(in_memory)) && !only() {
        return None;
    }
    row.filter(|_| folds).map(|row| Shared { call, dims, row, own, by_key, loops, counted })
}

/// Whether [`shapes::rounds`] keeps a loop over a short array in registers.
fn is_short_loop(kernel: &Kernel, f: &Lambda) -> bool {
    let maps = f.body.stmts.iter().filter(|s| matches!(&s.rhs, Rhs::Prim(c) if matches!(c.prim, Prim::Map(_))));
    shapes::rounds(kernel, f, &maps.map(|s| s.var).collect()).is_some()
}

fn is_plain(kernel: &Kernel, call: &PrimCall) -> bool {
    let position = kernel.atom_ty(&call.args[0]).as_array().is_none_or(|a| a.position.is_some());
    !position && call.funs[0].position.is_none()
}
