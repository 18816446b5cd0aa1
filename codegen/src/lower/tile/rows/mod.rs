//! `map (λrow. g (reduce f z (… row …))) rows` for contiguous rows: several work-items of a group (a *team*) fold a row
//! together, so that neighbours read adjacent elements.
//!
//! The size of a team depends on the length of rows, which is known only when the kernel runs: one work-item for a row
//! of a few elements, the whole group for a long one. Elements are combined in order, because the operator need only be
//! associative; if it is a commutative one of the language, each work-item takes every n-th element.
//!
//! If the columns of a matrix are folded, neighbouring work-items have neighbouring columns, and a team consists of
//! those with the same column. If there are few rows, groups fold parts of them, and a second launch folds the results.
//!
//! | module | job |
//! |---|---|
//! | `ordered` | folds that keep the order of a row |
//! | `share` | the share of a row that each work-item folds |

mod ordered;
mod share;

use crate::core::{Atom, Lambda, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::lower::function::Dims;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::program::ProgramBuilder;
use crate::lower::tile::access::lies;
use crate::lower::tile::local_id;
use crate::lower::tile::operand::components;
use crate::lower::value::{Array, Dest, Env, Layout, Place, Value, View};
use crate::lower::{LowerError, Result};
use crate::opencl::{BinaryOp, CType, Expr, StmtKind, Storage};
use crate::schedule::nest::Nest;
use crate::schedule::nested::is_short;
use crate::schedule::rules;
use crate::schedule::uses;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::Ty;
use ordered::Own;
use rustc_hash::FxHashSet;

/// Work-items of a group.
const ITEMS: i64 = 256;

/// The work-items of a group that fold the same row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Teams {
    /// Neighbours; their number follows from the length and number of rows.
    Neighbours,
    /// A few neighbours, `rows.team`: there are enough rows to keep the device busy.
    Small,
    /// Work-items that are `rows.columns` apart.
    Columns,
}

/// The part of each row that a launch folds.
#[derive(Debug, Clone)]
enum Stage {
    Whole,
    /// This number of parts, each to its own location.
    Parts(Size, Place),
    /// The results of these parts.
    Rest(Size, Place),
}

#[derive(Clone)]
struct Folded<'k> {
    f: &'k Lambda,
    fold: &'k PrimCall,
    of: VarId,
    env: Env<'k>,
    /// The maps around, outermost first, and how many rows each element of them has.
    around: Vec<(&'k Lambda, Size)>,
    /// The array of the outermost map.
    rows: Array<'k>,
    /// The number of rows, of all elements of the maps around.
    count: Size,
    /// The length of all rows; `None` if it depends on the index or is known only when a row is read.
    length: Option<Size>,
    z_ty: Ty,
    /// Work-items of a group.
    items: i64,
    teams: Teams,
    stage: Stage,
}

impl<'k> Folded<'k> {
    /// The statements before the fold.
    fn before(&self) -> impl DoubleEndedIterator<Item = &'k Stmt> {
        let (of, all) = (self.of, &self.f.body.stmts);
        all.iter().take(all.iter().position(|s| s.var == of).unwrap_or(0))
    }

    /// The statements before the fold that those after it need.
    fn wanted_behind(&self) -> FxHashSet<VarId> {
        let body = &self.f.body;
        let mut reading: Vec<&Stmt> = body.stmts.iter().skip_while(|s| s.var != self.of).skip(1).collect();
        let mut wanted = FxHashSet::default();
        for s in self.before().rev() {
            let is_it = |v: VarId| v == s.var;
            let opens = !s.binds.is_empty() && reading.iter().any(|r| may_mention_lengths(r));
            let read = body.result == Atom::Var(s.var) || reading.iter().any(|r| uses::mentions(r, &is_it));
            if read || opens {
                wanted.insert(s.var);
                reading.push(s);
            }
        }
        wanted
    }
}

/// Whether a statement may mention a skolem.
fn may_mention_lengths(stmt: &Stmt) -> bool {
    let sizes = stmt.rhs.operands().iter().any(|a| matches!(a, Atom::Size(s) if s.as_const().is_none()));
    let only_scalars = match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::Prim(call) => call.prim == Prim::Head,
        _ => false,
    };
    sizes || !only_scalars
}

const USED: Dims = Dims { glb: [false; 3], wrg: [true, false, false], lcl: [true, false, false] };

fn title<'a>(name: &'a str, stmt: &'a Stmt) -> Title<'a> {
    Title { name, label: "map: a row by several work-items", origin: &stmt.origin }
}

impl<'k> Host<'k> {
    /// A fold in the function of a map; `None` if the device's groups are too small. `call` is the map over rows,
    /// `outermost` the outermost map around it, or itself.
    fn folded(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        of: VarId,
        outermost: &'k PrimCall,
    ) -> Result<Option<Folded<'k>>> {
        let kernel = self.program.kernel;
        let f = &call.funs[0];
        let fold = f.body.stmts.iter().find(|s| s.var == of);
        let Some(Rhs::Prim(fold)) = fold.map(|s| &s.rhs) else {
            return Err(LowerError::new(&stmt.origin, "map", "a fold of rows changed after it was recognised"));
        };
        if i64::from(self.program.target.most_in_group) < ITEMS {
            return Ok(None);
        }
        let rows = self.array_arg(stmt, &outermost.args[0], env)?;
        Ok(Some(Folded {
            f,
            fold,
            of,
            env: env.clone(),
            around: Vec::new(),
            count: rows.len.clone(),
            rows,
            length: None,
            z_ty: kernel.atom_ty(&fold.args[0]),
            items: ITEMS,
            teams: Teams::Neighbours,
            stage: Stage::Whole,
        }))
    }

    pub(super) fn rows(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        (nest, around): (Nest, usize),
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        if !nest.reorder {
            return Ok(false);
        }
        let wrong = || LowerError::new(&stmt.origin, "map", "a nest of maps changed after it was recognised");
        let (outermost, mut call, mut maps) = (call, call, Vec::new());
        for _ in 0..around {
            let f = &call.funs[0];
            call = crate::schedule::nest::inner(f).ok_or_else(wrong)?.0;
            let len = kernel.atom_ty(&call.args[0]).as_array().map(|a| env.size(&a.len)).ok_or_else(wrong)?;
            maps.push((f, len));
        }
        let Some(mut folded) = self.folded(stmt, call, env, nest.fold, outermost)? else { return Ok(false) };
        folded.count = maps.iter().fold(folded.count, |n, (_, len)| n.mul(len));
        folded.around = maps;
        let f = folded.f;
        let length = kernel.atom_ty(&folded.fold.args[1]).as_array().map(|a| env.size(&a.len));
        folded.length = length.filter(|len| !f.position.as_ref().is_some_and(|position| len.contains(position)));
        let short = folded.length.as_ref().is_some_and(is_short);
        let (title, used) = (title(kernel.name_of(stmt.var), stmt), USED);
        let mut found = Vec::new();
        // Neighbouring work-items must read adjacent elements.
        self.program.probe(&stmt.origin, |b| {
            let indices: Vec<Size> =
                (0..folded.around.len()).map(|_| b.number("around", Expr::int(0), &folded.count)).collect();
            let (rows, _) = folded.rows_at(b, &indices)?;
            let all = components(&rows, kernel.ty(f.params[0]));
            for (rows, _) in all.iter().filter(|(_, ty)| ty.as_array().is_some()) {
                found.push(lies(b, rows).and_then(|lies| match lies {
                    // Windows, one element apart: neighbours with a window each read adjacent elements, too.
                    (true, true) if short => None,
                    (_, true) => Some(Teams::Neighbours),
                    (true, false) => Some(Teams::Columns),
                    (false, false) => None,
                }));
            }
            Ok(())
        })?;
        // Arrays arranged differently from the first are read as the first requires.
        let Some(teams) = found.first().copied().flatten().filter(|_| found.iter().all(Option::is_some)) else {
            return Ok(false);
        };
        folded.teams = teams;
        self.program
            .applied(if teams == Teams::Columns { &rules::COLUMN_TEAMS } else { &rules::ROW_TEAMS }, &stmt.origin);
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        let Some(parts) = self.parts_of_rows(&folded) else {
            self.launch(&title, used, local, |b| folded.folded_rows(b, dest))?;
            return Ok(true);
        };
        self.program.applied(&rules::REDUCE_PARTS, &stmt.origin);
        let one = Size::int(2).sub(&parts);
        let several = parts.sub(&Size::one());
        self.launch_if(&[one], &title, used, local, |b| folded.folded_rows(b, dest))?;
        // The parts of a row are adjacent.
        let room = Size::if_le(&Size::one(), &several, &folded.count.mul(&parts), &Size::zero());
        let place = self.partials(stmt, &folded.z_ty, &room)?;
        let place = match &*place.layout {
            Layout::Array { element, .. } => Place { layout: element.clone(), at: Size::zero() },
            _ => return Err(LowerError::new(&stmt.origin, "map", "the parts of rows are not an array")),
        };
        let first = Folded { stage: Stage::Parts(parts.clone(), place.clone()), ..folded.clone() };
        let label = "map: parts of rows";
        self.launch_if(std::slice::from_ref(&several), &Title { label, ..title.clone() }, used, local, |b| {
            first.folded_rows(b, dest)
        })?;
        let rest = Folded { stage: Stage::Rest(parts, place), ..folded };
        let label = "map: results of the parts";
        self.launch_if(&[several], &Title { label, ..title }, used, local, |b| rest.folded_rows(b, dest))?;
        Ok(true)
    }

    /// The number of parts into which rows are divided, if there may be several because rows are too few for the
    /// device.
    fn parts_of_rows(&self, folded: &Folded<'k>) -> Option<Size> {
        let (n, k) = (&folded.count, folded.length.as_ref()?);
        if !self.program.is_known_before(n) || !self.program.is_known_before(k) {
            return None;
        }
        let busy = i64::from(self.program.target.compute_units) * self.program.parameter(Parameter::RowsGroups);
        let [columns, part] = [Parameter::RowsColumns, Parameter::RowsPart].map(|p| self.program.parameter(p));
        let groups = match folded.teams {
            Teams::Columns => n.add(&Size::int(columns - 1)).div_floor(&Size::int(columns)),
            _ => n.clone(),
        };
        let each = match folded.teams {
            Teams::Columns => part * ITEMS / columns,
            _ => part * ITEMS,
        };
        let wanted = Size::int(busy).div_floor(&Size::max(&groups, &Size::one()));
        let most = k.div_floor(&Size::int(each));
        let parts = Size::max(&Size::min(&wanted, &most), &Size::one());
        (!parts.is_one()).then_some(parts)
    }

    /// Folds rows whose lengths are known only on the device.
    pub(super) fn teams(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        of: VarId,
    ) -> Result<bool> {
        let Some(mut folded) = self.folded(stmt, call, env, of, call)? else { return Ok(false) };
        let n = folded.count.clone();
        let kernel = self.program.kernel;
        let (title, used) = (title(kernel.name_of(stmt.var), stmt), USED);
        self.program.applied(&rules::ROW_TEAMS, &stmt.origin);
        let local = |folded: &Folded| [Some(folded.items as u32), Some(1), Some(1)];
        let enough = Size::int(self.program.busy() / self.program.parameter(Parameter::RowsTeam));
        if self.program.is_known_before(&n) && n.as_const().is_none() {
            let few = enough.sub(&n);
            self.launch_if(&[few], &title, used, local(&folded), |b| folded.folded_rows(b, dest))?;
            let items = self.program.parameter(Parameter::RowsFew);
            folded = Folded { items, teams: Teams::Small, ..folded };
            let many = n.sub(&enough).add(&Size::one());
            self.launch_if(&[many], &title, used, local(&folded), |b| folded.folded_rows(b, dest))?;
        } else {
            self.launch(&title, used, local(&folded), |b| folded.folded_rows(b, dest))?;
        }
        Ok(true)
    }
}

impl ProgramBuilder<'_> {
    /// Work-items that keep the device busy.
    fn busy(&self) -> i64 {
        i64::from(self.target.compute_units) * self.parameter(Parameter::RowsBusy)
    }
}

impl<'k> Folded<'k> {
    /// The environment of the fold: the row and the statements before the fold.
    fn row_env(&self, f: &mut FunctionBuilder<'_, 'k>, at: &Size, wanted: &FxHashSet<VarId>) -> Result<Env<'k>> {
        let mut env = self.env.clone();
        let (row, at) = if self.around.is_empty() {
            (f.read(&self.rows, at)?, at.clone())
        } else {
            let mut indices = self.indices(f, at)?;
            let own = indices.pop().unwrap_or_else(|| at.clone());
            let (rows, outer) = self.rows_at(f, &indices)?;
            env = outer;
            (f.read(&rows, &own)?, own)
        };
        env.enter(self.f, &at, row);
        for s in self.before().filter(|s| wanted.contains(&s.var)) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(env)
    }
}

impl<'k> Folded<'k> {
    fn folded_rows(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>) -> Result<()> {
        let n = match &self.stage {
            Stage::Parts(parts, _) => self.count.mul(parts),
            Stage::Whole | Stage::Rest(..) => self.count.clone(),
        };
        // Parts of neighbouring columns are folded by neighbouring work-items.
        let parts = match &self.stage {
            Stage::Parts(parts, _) => Some((f.host_size(parts, "parts")?, self.count.clone())),
            _ => None,
        };
        let n = match &parts {
            Some(_) => f.host_size(&n, "all_parts")?,
            None => n,
        };
        let slots =
            Place { layout: f.arrays(&self.z_ty, "slots", Storage::Local, self.items as u64)?, at: Size::zero() };
        let n_expr = f.size(&n)?;
        let item = f.bind("item", CType::Int, local_id());
        let (in_team, number, teams, team_size) = self.teams_of(f, &item, &n_expr)?;
        let rounds = n_expr.clone().add(teams.clone()).sub(Expr::int(1)).div(teams.clone());
        let rounds = f.number("rounds", rounds, &n);
        f.by_tiles(|f| {
            f.for_level(crate::core::Level::Wrg(0), &rounds, |f, g| {
                f.share_memory();
                let row = f.size(g)?.mul(teams).add(number);
                let row = f.bind("row", CType::Int, row);
                let inside = row.clone().lt(n_expr.clone());
                let last = n.sub(&Size::one());
                let (acc, z) = self.row_neutral(f)?;
                let tile = self.tile_in_order(f)?;
                if let Some(tile) = &tile {
                    let own = Own { item: &item, in_team: &in_team, team: &team_size, number: &row };
                    self.share_in_order(f, tile, g, &own, (&n_expr, parts.as_ref()), &acc)?;
                }
                f.when(inside.clone(), |f| {
                    if tile.is_some() {
                        return Ok(());
                    }
                    let at = f.number("row", row.clone(), &last);
                    let Some((_, rows)) = &parts else {
                        return self.share(f, &at, &team_size, &in_team, None, (&acc, &z));
                    };
                    let (row, part) = f.row_and_part(&row, rows)?;
                    self.share(f, &row, &team_size, &in_team, Some(&part), (&acc, &z))
                })?;
                let slot = match self.teams {
                    Teams::Columns => {
                        let columns = f.parameter(Parameter::RowsColumns);
                        let lane = item.clone().rem(Expr::int(columns)).mul(Expr::int(ITEMS / columns));
                        f.bind("slot", CType::Int, lane.add(item.clone().div(Expr::int(columns))))
                    }
                    _ => item.clone(),
                };
                self.meet(f, &slots, &slot, &in_team, &team_size, &acc)?;
                let leads = f.size(&in_team)?.eq(Expr::int(0));
                f.when(leads.and(inside), |f| {
                    let at = f.number("row", row.clone(), &last);
                    if let (Stage::Parts(_, place), Some((parts, rows))) = (&self.stage, &parts) {
                        let number = f.size(&at)?;
                        let (row, part) = f.row_and_part(&number, rows)?;
                        let at = row.mul(parts).add(&part);
                        return f.copy(&acc, &Dest::Place(Place { layout: place.layout.clone(), at }));
                    }
                    self.write_row(f, dest, &at, &acc)
                })
            })
        })?;
        self.ask_for_groups(f, &n);
        Ok(())
    }

    /// Writes the result of a row whose fold is `acc`.
    fn write_row(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>, at: &Size, acc: &Value<'k>) -> Result<()> {
        let mut env = self.row_env(f, at, &self.wanted_behind())?;
        env.bind(self.of, Value::Array(Array::new(Size::one(), View::Fill(acc.clone()))));
        for s in self.f.body.stmts.iter().skip_while(|s| s.var != self.of).skip(1) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let value = f.atom(&self.f.body.result, &env)?;
        let to = self.dest_of_row(f, dest, at)?;
        f.copy(&value, &to)
    }

    /// Asks for the groups that `n` rows, or all of their parts, keep busy.
    fn ask_for_groups(&self, f: &mut FunctionBuilder<'_, 'k>, n: &Size) {
        let wanted = [Parameter::RowsColumns, Parameter::RowsEach, Parameter::RowsTeam];
        let [columns, each, team] = wanted.map(|p| f.parameter(p));
        let known = |s: &Size| !s.any_var(&mut |v| v.kind != VarKind::Param);
        let (items, busy) = (Size::int(self.items), Size::int(f.program().busy() / self.items));
        let in_parts = matches!(self.stage, Stage::Parts(..));
        if self.teams == Teams::Columns && self.length.as_ref().is_some_and(known) && !in_parts && known(n) {
            f.grid_mut().ask_for_groups(n.add(&Size::int(columns - 1)).div_floor(&Size::int(columns)));
            return;
        }
        if let Stage::Parts(parts, _) = &self.stage {
            let all = self.count.mul(parts);
            let each = if self.teams == Teams::Columns { columns } else { 1 };
            f.grid_mut().ask_for_groups(all.add(&Size::int(each - 1)).div_floor(&Size::int(each)));
            return;
        }
        let groups = match &self.length {
            // A team has at most twice as many work-items as its row needs.
            Some(k) if known(k) => {
                Some(n.mul(k).div_floor(&Size::int(ITEMS * each / 2)).add(&n.div_floor(&Size::int(ITEMS))))
            }
            Some(_) => None,
            None => Some(Size::max(&n.mul(&Size::int(team)).div_floor(&items), &busy)),
        };
        if let Some(groups) = groups.filter(|_| known(n)) {
            f.grid_mut().ask_for_groups(Size::min(n, &groups.add(&Size::one())));
        }
    }

    /// The index of a work-item in its team, the index of the team in its group, the number of teams of a group, and
    /// the number of work-items of a team.
    fn teams_of(&self, f: &mut FunctionBuilder<'_, 'k>, item: &Expr, n: &Expr) -> Result<(Size, Expr, Expr, Size)> {
        let wanted = [Parameter::RowsColumns, Parameter::RowsEach, Parameter::RowsTeam];
        let [columns, each, few] = wanted.map(|p| f.parameter(p));
        if self.teams == Teams::Columns {
            let slices = ITEMS / columns;
            let in_team = f.number("slice", item.clone().div(Expr::int(columns)), &Size::int(slices - 1));
            let number = f.bind("column", CType::Int, item.clone().rem(Expr::int(columns)));
            return Ok((in_team, number, Expr::int(columns), Size::int(slices)));
        }
        if self.teams == Teams::Small {
            let in_team = Expr::binary(BinaryOp::BitAnd, item.clone(), Expr::int(few - 1));
            let in_team = f.number("in_team", in_team, &Size::int(few - 1));
            let number = f.bind("number", CType::Int, item.clone().div(Expr::int(few)));
            return Ok((in_team, number, Expr::int(self.items / few), Size::int(few)));
        }
        let items = self.items;
        if let Stage::Parts(..) = self.stage {
            let in_team = f.number("in_team", item.clone(), &Size::int(items - 1));
            return Ok((in_team, Expr::int(0), Expr::int(1), Size::int(items)));
        }
        // The smallest power of two that leaves no work-item more than its share; if lengths are unknown, a few per
        // row, and more if rows are few.
        let least = if self.length.is_some() { 1 } else { few };
        let team = Expr::Var(f.variable("team", CType::Int, Some(Expr::int(least))));
        let grows = match &self.length {
            Some(k) => {
                let k = match &self.stage {
                    Stage::Rest(parts, _) => f.host_size(parts, "parts")?,
                    _ => k.clone(),
                };
                team.clone().mul(Expr::int(each)).lt(f.size(&k)?)
            }
            None => n.clone().lt(Expr::int(f.program().busy()).div(team.clone())),
        };
        let grow = vec![StmtKind::Assign(team.clone(), team.clone().mul(Expr::int(2))).at(&f.origin())];
        let condition = team.clone().lt(Expr::int(items)).and(grows);
        f.emit(StmtKind::While { condition, body: grow });
        let team_size = f.index_var("team", team.clone());
        f.known_mut().assume_range(team_size.clone(), Some(Size::one()), Some(Size::int(items)));
        let in_team = f.number("in_team", item.clone().rem(team.clone()), &Size::int(items - 1));
        let number = f.bind("number", CType::Int, item.clone().div(team.clone()));
        let teams = f.bind("teams", CType::Int, Expr::int(items).div(team));
        Ok((in_team, number, teams, Size::var(team_size)))
    }

    /// The registers of a fold, and its neutral value.
    fn row_neutral(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<(Value<'k>, Value<'k>)> {
        // It may be computed in the function, but does not depend on the row.
        let mut env = self.env.clone();
        let depend = uses::dependent(f.kernel(), self.f);
        for s in self.f.body.stmts.iter().take_while(|s| s.var != self.of) {
            if crate::schedule::nest::is_scalars(f.kernel().ty(s.var)) && !depend.contains(&s.var) {
                let value = f.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
        }
        let z = f.atom(&self.fold.args[0], &env)?;
        match f.registers_with(&z, "acc")? {
            Some(acc) => Ok((acc, z)),
            None => Err(f.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars")),
        }
    }

    /// The index of each map around a row, and that of the row among those of the last.
    fn indices(&self, f: &mut FunctionBuilder<'_, 'k>, at: &Size) -> Result<Vec<Size>> {
        let mut rest = f.size(at)?;
        let mut found = Vec::new();
        for (_, len) in self.around.iter().rev() {
            let n = f.size(len)?;
            found.push(f.number("own", rest.clone().rem(n.clone()), &len.sub(&Size::one())));
            rest = f.bind("around", CType::Int, rest.div(n));
        }
        found.push(f.number("around", rest, &self.rows.len.sub(&Size::one())));
        found.reverse();
        Ok(found)
    }

    /// The rows for these indices of the maps around them, and the environment in the function of the last map.
    fn rows_at(&self, b: &mut FunctionBuilder<'_, 'k>, indices: &[Size]) -> Result<(Array<'k>, Env<'k>)> {
        let (mut rows, mut env) = (self.rows.clone(), self.env.clone());
        for ((f, _), index) in self.around.iter().zip(indices) {
            let element = b.read(&rows, index)?;
            env.enter(f, index, element);
            let Some((Stmt { rhs: Rhs::Prim(inner), .. }, before)) = f.body.stmts.split_last() else {
                return Err(b.error("map", "a nest of maps changed after it was recognised"));
            };
            for s in before {
                let value = b.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
            let next = b.atom(&inner.args[0], &env)?;
            rows = b.array(&next)?;
        }
        Ok((rows, env))
    }

    /// The destination of a row's result.
    fn dest_of_row(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>, at: &Size) -> Result<Dest<'k>> {
        if self.around.is_empty() {
            return f.dest_at(dest, at);
        }
        let mut to = dest.clone();
        for index in self.indices(f, at)? {
            to = f.dest_at(&to, &index)?;
        }
        Ok(to)
    }
}
