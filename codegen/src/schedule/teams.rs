//! Maps whose elements are each the work of a group: its work-items share every parallel operator of the function.
//!
//! What is shared is data: the operators have the level `Lcl`, an array that several of them read is stored in local
//! memory, and [`Teams`] says of how many work-items a group is. Where it depends on lengths whether groups are better than
//! a work-item for each element, and whether an array fits local memory, the kernel has both versions, and the host
//! chooses (Henriksen, Thorøe, Elsman, Oancea, *Incremental flattening for nested data parallelism*, PPoPP 2019).

use super::distribute::folds_apart;
use super::nested::{Dims, LONG, Work, work_of};
use super::place::is_flat;
use super::{Applied, nest, on_the_host, rules, uses};
use crate::core::simplify::{bound_in, rename};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Space, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;

/// How a group computes an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Team {
    /// Work-items that share an element.
    pub items: u32,
    /// Elements that a group has at a time.
    pub rows: u32,
    /// There is room in local memory for what is stored on the way.
    pub keeps: bool,
}

/// The maps whose elements are computed by groups of a given size, by the variable of the result.
pub type Teams = FxHashMap<VarId, Team>;

/// Values in local memory for each [`RADIX`] work-items that combine theirs.
const COMBINED: i64 = RADIX + 1;
/// Values that one work-item folds on the way to one value of the group.
pub const RADIX: i64 = 16;
/// Bytes of local memory for a tile that is scanned, and what pads it.
pub const SCANNED: i64 = SCAN_TILE + SCAN_TILE / 8;
pub const SCAN_TILE: i64 = 16 * 1024;
/// Bytes of local memory that every device has.
pub const MOST_LOCAL: i64 = 32 * 1024;

/// What decides between the versions.
#[derive(Debug, Clone, Copy)]
struct Params {
    /// So many elements are enough for a work-item each to keep the device busy.
    enough: i64,
    /// Elements of a row from which on several work-items share it also where rows are many.
    shared: i64,
    /// Elements of a row up to which [`Params::few`] work-items share it.
    short: i64,
    /// Fewer rows than these, of so many elements at least, are each the work of several groups.
    few_rows: i64,
    long_row: i64,
    /// Bytes of local memory.
    local: i64,
    /// Work-items of a group.
    group: u32,
    /// Work-items that share a short row.
    few: u32,
}

impl Params {
    fn of(target: &Target) -> Params {
        const ENOUGH_PER_UNIT: i64 = 32;
        /// What drivers take for themselves.
        const RESERVED: i64 = 1024;
        Params {
            enough: i64::from(target.compute_units) * ENOUGH_PER_UNIT,
            shared: LONG / 16,
            short: LONG * 4,
            few_rows: i64::from(target.compute_units) * 2,
            long_row: 1 << 14,
            local: (target.local_memory as i64 - RESERVED).max(0),
            group: 256.min(target.most_in_group),
            few: 32.min(target.most_in_group),
        }
    }
}

/// The kernel with all versions of each such map at its top.
pub fn teams(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> (Kernel, Teams) {
    if target.class != Class::Gpu {
        return (kernel, Teams::default());
    }
    let mut body = kernel.body.clone();
    let mut writer = Writer { vars: kernel.vars.clone(), params: Params::of(target), teams: Teams::default(), applied };
    writer.block(&kernel, &mut body);
    (Kernel { vars: writer.vars, body, ..kernel }, writer.teams)
}

struct Writer<'a> {
    vars: Vec<VarInfo>,
    params: Params,
    teams: Teams,
    applied: &'a mut Vec<Applied>,
}

/// A map that a group for each element may share.
struct Shared<'k> {
    call: &'k PrimCall,
    dims: Dims<'k>,
    /// The length of what a group shares.
    row: Size,
    /// What it shares is a row of its own.
    own: bool,
}

impl Writer<'_> {
    /// The statements between which the device is synchronised.
    fn block(&mut self, kernel: &Kernel, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(kernel, a);
                    self.block(kernel, b);
                }
                Rhs::Prim(call) if on_the_host(kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.block(kernel, &mut f.body));
                }
                _ => {}
            }
            match &stmt.rhs {
                Rhs::Prim(call) => match shared(kernel, call) {
                    Some(shared) => out.extend(self.versions(kernel, &stmt, &shared)),
                    None => out.push(stmt),
                },
                _ => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: self.vars[like.0 as usize].name.clone(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    fn versions(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared) -> Vec<Stmt> {
        let len = |call: &&PrimCall| kernel.atom_ty(&call.args[0]).as_array().map_or(Size::one(), |a| a.len.clone());
        let n = shared.dims.calls.iter().map(len).fold(Size::one(), |n, m| n.mul(&m));
        let enough = Size::int(self.params.enough);
        // A group for each element where there are few, or rows are long.
        let below = match shared.own {
            true => Size::if_le(&Size::int(self.params.shared), &shared.row, &n.add(&Size::one()), &enough),
            false => enough,
        };
        let few = decided(&n, &below);
        if few == Some(false) {
            return vec![stmt.clone()];
        }
        let whole = Team { items: self.params.group, rows: 1, keeps: true };
        let memory = LocalMemory::of(kernel, shared.dims.innermost(), shared.own, whole.items);
        // Arrays of constant lengths are declared for any device.
        let all = match memory.bytes.as_const() {
            Some(_) => self.params.local.min(MOST_LOCAL),
            None => self.params.local,
        };
        let room = |rows: u32| all - memory.fixed * i64::from(rows) + 1;
        if room(1) <= 0 {
            return vec![stmt.clone()];
        }
        self.applied.push(Applied { rule: &rules::MAP_FOLDS_WRG, origin: stmt.origin.clone() });
        let local = Size::int(room(1));
        let mut groups = match decided(&memory.bytes, &local) {
            Some(true) => self.by_groups(kernel, stmt, shared, whole, &memory.kept),
            Some(false) => self.by_groups(kernel, stmt, shared, Team { keeps: false, ..whole }, &[]),
            None => {
                let in_local = self.by_groups(kernel, stmt, shared, whole, &memory.kept);
                let streamed = self.by_groups(kernel, stmt, shared, Team { keeps: false, ..whole }, &[]);
                self.choice(kernel, stmt, &memory.bytes, &local, in_local, streamed)
            }
        };
        // Several short rows are the work of one group.
        let small = Team { items: self.params.few, rows: self.params.group / self.params.few.max(1), keeps: true };
        if shared.own && small.rows > 1 {
            let memory = LocalMemory::of(kernel, shared.dims.innermost(), shared.own, small.items);
            let rows = Size::nat(small.rows.into());
            let room = Size::int(all - memory.fixed * i64::from(small.rows) + 1);
            // What does not fit is no short row.
            let long = Size::if_le(
                &memory.bytes.mul(&rows).add(&Size::one()),
                &room,
                &shared.row,
                &Size::int(i64::from(i32::MAX)),
            );
            let short = Size::int(self.params.short + 1);
            match decided(&long, &short) {
                Some(true) => groups = self.by_groups(kernel, stmt, shared, small, &memory.kept),
                Some(false) => {}
                None => {
                    let by_few = self.by_groups(kernel, stmt, shared, small, &memory.kept);
                    groups = self.choice(kernel, stmt, &long, &short, by_few, groups);
                }
            }
        }
        let groups = self.or_folds_apart(kernel, stmt, shared, &n, groups);
        let all = match few {
            Some(_) => groups,
            None => {
                let by_items = self.branch(kernel, stmt, Rhs::Prim(shared.call.clone()));
                self.choice(kernel, stmt, &n, &below, groups, by_items)
            }
        };
        self.named(all, stmt.var)
    }

    /// Few long rows are folded by the whole device, one fold after the other.
    fn or_folds_apart(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared, n: &Size, groups: Block) -> Block {
        let below =
            Size::if_le(&Size::int(self.params.long_row), &shared.row, &Size::int(self.params.few_rows), &Size::zero());
        let known = decided(n, &below);
        if shared.dims.calls.len() > 1 || !shared.own || known == Some(false) {
            return groups;
        }
        let mut next = Kernel { vars: self.vars.clone(), ..kernel.clone() };
        let Some(stmts) = folds_apart(&mut next, stmt, shared.call) else { return groups };
        self.vars = next.vars;
        let var = self.fresh(stmt.var, kernel.ty(stmt.var).clone());
        let apart =
            Block { stmts: self.named(Block { stmts, result: Atom::Var(stmt.var) }, var), result: Atom::Var(var) };
        match known {
            Some(_) => apart,
            None => self.choice(kernel, stmt, n, &below, apart, groups),
        }
    }

    /// The statements of a block whose last one gives its result, which is now a variable's.
    fn named(&mut self, mut block: Block, var: VarId) -> Vec<Stmt> {
        if let Some(last) = block.stmts.last_mut() {
            if let Some(team) = self.teams.remove(&last.var) {
                self.teams.insert(var, team);
            }
            last.var = var;
        }
        block.stmts
    }

    fn branch(&mut self, kernel: &Kernel, stmt: &Stmt, rhs: Rhs) -> Block {
        let var = self.fresh(stmt.var, kernel.ty(stmt.var).clone());
        Block { stmts: vec![Stmt { var, rhs, ..stmt.clone() }], result: Atom::Var(var) }
    }

    /// `if a < b then … else …`
    fn choice(&mut self, kernel: &Kernel, stmt: &Stmt, a: &Size, b: &Size, then: Block, otherwise: Block) -> Block {
        // What is more than a length the host computes, in numbers that are large enough.
        let flag = Size::if_le(&a.add(&Size::one()), b, &Size::zero(), &Size::one());
        let one = Size::one();
        let (a, b) = match (a.as_var(), b.as_const()) {
            (Some(_), Some(_)) => (a, b),
            _ => (&flag, &one),
        };
        let condition = self.fresh(stmt.var, Ty::bool());
        let operand = |s: &Size| match s.as_const().and_then(|n| i32::try_from(n).ok()) {
            Some(n) => Atom::Lit(Literal::Int(n)),
            None => Atom::Size(s.clone()),
        };
        let compare = Rhs::Scalar(ScalarOp::Lt, vec![operand(a), operand(b)]);
        let mut block = self.branch(kernel, stmt, Rhs::If(Atom::Var(condition), then, otherwise));
        block.stmts.insert(0, Stmt { var: condition, rhs: compare, ..stmt.clone() });
        block
    }

    /// The version in which a group computes each element, with arrays in its local memory if there is room.
    fn by_groups(&mut self, kernel: &Kernel, stmt: &Stmt, shared: &Shared, team: Team, kept: &[VarId]) -> Block {
        let mut call = shared.call.clone();
        let new = self.renamed(&mut call.funs[0]);
        place(&mut call, shared.dims.calls.len(), &mut |f| {
            self.share(kernel, f);
            for v in kept.iter().filter_map(|v| new.get(v)) {
                self.keep(f, *v);
            }
        });
        let block = self.branch(kernel, stmt, Rhs::Prim(call));
        if let Atom::Var(v) = &block.result {
            self.teams.insert(*v, team);
        }
        block
    }

    /// The group shares the operators of a function.
    fn share(&mut self, kernel: &Kernel, f: &mut Lambda) {
        let now = Kernel { vars: self.vars.clone(), ..kernel.clone() };
        for stmt in &mut f.body.stmts {
            if !matches!(work_of(&now, stmt), Work::Together(_)) {
                continue;
            }
            let Rhs::Prim(call) = &mut stmt.rhs else { continue };
            match call.prim {
                Prim::Reduce(Level::Auto) => {
                    call.prim = Prim::Reduce(Level::Lcl(0));
                    self.applied.push(Applied { rule: &rules::REDUCE_GROUP, origin: stmt.origin.clone() });
                }
                Prim::Map(Level::Auto) => call.prim = Prim::Map(Level::Lcl(0)),
                Prim::Scan(Level::Auto) => call.prim = Prim::Scan(Level::Lcl(0)),
                Prim::ScanExcl(Level::Auto) => call.prim = Prim::ScanExcl(Level::Lcl(0)),
                // Where a group is, it sorts together.
                _ => {}
            }
        }
    }

    /// An array of a function is stored in local memory, once for all who read it.
    fn keep(&mut self, f: &mut Lambda, v: VarId) {
        let ty = self.vars[v.0 as usize].ty.clone();
        let Some(element) = ty.as_array().map(|a| a.element.clone()) else { return };
        let found = f.body.stmts.iter().position(|s| s.var == v);
        let at = found.map_or(0, |at| at + 1);
        let mut made = v;
        let mut new = Vec::new();
        let stmt = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: f.origin.clone() };
        let is_made = |s: &Stmt| matches!(&s.rhs, Rhs::Prim(call) if !call.prim.is_view());
        if !found.is_some_and(|at| is_made(&f.body.stmts[at])) {
            let x = self.fresh(v, element);
            let body = Block { stmts: Vec::new(), result: Atom::Var(x) };
            let same = Lambda { position: None, params: vec![x], body, origin: f.origin.clone() };
            made = self.fresh(v, ty.clone());
            let call = PrimCall {
                prim: Prim::Map(Level::Lcl(0)),
                sizes: Vec::new(),
                funs: vec![same],
                args: vec![Atom::Var(v)],
            };
            new.push(stmt(made, Rhs::Prim(call)));
        }
        let stored = self.fresh(v, ty);
        new.push(stmt(stored, Rhs::Store(Space::Local, Atom::Var(made))));
        let mut rest = Block { stmts: f.body.stmts.split_off(at), result: f.body.result.clone() };
        rename(&mut rest, &|w| {
            if *w == v {
                *w = stored;
            }
        });
        f.body.stmts.extend(new);
        f.body.stmts.extend(rest.stmts);
        f.body.result = rest.result;
    }

    /// A variable has one binder: the copy of a function gets variables of its own.
    fn renamed(&mut self, f: &mut Lambda) -> FxHashMap<VarId, VarId> {
        let mut bound = f.params.clone();
        bound_in(&f.body, &mut bound);
        let mut new = FxHashMap::default();
        for v in bound {
            let ty = self.vars[v.0 as usize].ty.clone();
            new.insert(v, self.fresh(v, ty));
        }
        let renamed = |v: &mut VarId| *v = new.get(v).copied().unwrap_or(*v);
        f.params.iter_mut().for_each(renamed);
        rename(&mut f.body, &renamed);
        new
    }
}

/// The maps of a nest get a dimension of groups each, and the function of the innermost is given to `then`.
fn place(call: &mut PrimCall, depth: usize, then: &mut dyn FnMut(&mut Lambda)) {
    call.prim = Prim::Map(Level::Wrg(depth.saturating_sub(1) as u8));
    let f = &mut call.funs[0];
    if depth <= 1 {
        return then(f);
    }
    if let Some(Stmt { rhs: Rhs::Prim(next), .. }) = f.body.stmts.last_mut() {
        place(next, depth - 1, then);
    }
}

/// Whether `a < b`, where that is known for all lengths.
fn decided(a: &Size, b: &Size) -> Option<bool> {
    b.sub(a).as_const().map(|d| d > 0)
}

/// Whether it is an unplaced map that groups may share, and for which there is no better strategy.
fn shared<'k>(kernel: &Kernel, call: &'k PrimCall) -> Option<Shared<'k>> {
    if call.prim != Prim::Map(Level::Auto) {
        return None;
    }
    let dims = Dims::of(kernel, call);
    if dims.calls.len() > 3 || dims.calls.iter().any(|c| !is_plain(kernel, c)) {
        return None;
    }
    let f = dims.innermost();
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
    if tiled || windows {
        return None;
    }
    let mut row = None;
    let mut folds = false;
    for stmt in &f.body.stmts {
        match work_of(kernel, stmt) {
            Work::Item => {}
            Work::Together(len) => {
                row = Some(row.map_or(len.clone(), |row: Size| if row == len { len } else { Size::max(&row, &len) }));
                folds |= !matches!(&stmt.rhs, Rhs::Prim(c) if matches!(c.prim, Prim::Map(_)));
            }
            Work::Nest | Work::Other => return None,
        }
    }
    let own = dims.has_rows(kernel);
    row.filter(|_| folds).map(|row| Shared { call, dims, row, own })
}

fn is_plain(kernel: &Kernel, call: &PrimCall) -> bool {
    let position = kernel.atom_ty(&call.args[0]).as_array().is_none_or(|a| a.position.is_some());
    !position && call.funs[0].position.is_none()
}

/// What a group needs of local memory for the elements of a function.
struct LocalMemory {
    /// Arrays that several operators read: rows that it gets, and what it makes of them.
    kept: Vec<VarId>,
    /// Bytes for these, and for sorting.
    bytes: Size,
    /// Bytes for folds and scans.
    fixed: i64,
}

impl LocalMemory {
    fn of(kernel: &Kernel, f: &Lambda, own: bool, group: u32) -> LocalMemory {
        let uses = uses::count(kernel);
        let several = |v: VarId| uses.get(&v).is_some_and(|u| u.count > 1);
        let mut memory = LocalMemory { kept: Vec::new(), bytes: Size::zero(), fixed: 0 };
        let mut rows: Vec<VarId> = f.params.clone();
        let mut candidates: Vec<VarId> = f.params.iter().copied().filter(|v| own && several(*v)).collect();
        for stmt in &f.body.stmts {
            let v = stmt.var;
            let call = match &stmt.rhs {
                Rhs::Proj(Atom::Var(of), _) if rows.contains(of) => {
                    rows.push(v);
                    candidates.extend((own && several(v)).then_some(v));
                    continue;
                }
                Rhs::Prim(call) if matches!(work_of(kernel, stmt), Work::Together(_)) => call,
                _ => continue,
            };
            let value = |a: &Atom| bytes_of(&kernel.atom_ty(a)).unwrap_or(0) as i64;
            match call.prim {
                Prim::Reduce(_) => memory.fixed += value(&call.args[0]) * COMBINED * i64::from(group) / 16,
                Prim::Scan(_) | Prim::ScanExcl(_) => {
                    memory.fixed += value(&call.args[0]) * COMBINED * i64::from(group) / 16 + SCANNED;
                }
                Prim::Sort | Prim::Argsort => {
                    let element = kernel.atom_ty(&call.args[0]);
                    let Some(array) = element.as_array() else { continue };
                    let sorted = if call.prim == Prim::Sort { array.element.clone() } else { Ty::int() };
                    memory.bytes = memory.bytes.add(&array.len.mul(&Size::nat(2 * bytes_of(&sorted).unwrap_or(8))));
                }
                _ => {}
            }
            // What is not computed where it is read is stored once.
            let is_result = f.body.result == Atom::Var(v);
            let stored = !matches!(call.prim, Prim::Map(_) | Prim::Reduce(_)) && !is_result;
            candidates.extend((stored || !matches!(call.prim, Prim::Reduce(_)) && several(v)).then_some(v));
        }
        for v in candidates {
            let ty = kernel.ty(v);
            if let Some(array) = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element))
                && let Some(element) = bytes_of(&array.element)
            {
                memory.bytes = memory.bytes.add(&array.len.mul(&Size::nat(element)));
                memory.kept.push(v);
            }
        }
        memory
    }
}

fn bytes_of(ty: &Ty) -> Option<u64> {
    match ty.kind() {
        TyKind::Scalar(Scalar::Bool) => Some(1),
        TyKind::Scalar(Scalar::Int | Scalar::Float) => Some(4),
        TyKind::Scalar(Scalar::Long | Scalar::Double) => Some(8),
        TyKind::Tuple(parts) => parts.iter().map(bytes_of).sum(),
        _ => None,
    }
}
