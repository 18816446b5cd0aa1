//! `map (λrow. g (reduce f z (… row …))) rows`, where rows lie in memory one after the other: several work-items of a group
//! fold a row together, so that neighbours read neighbouring elements.
//!
//! How many depends on the length of rows, which is known only when the kernel runs: one for each row of a few elements,
//! all of the group for a long one. Elements meet in their order, as the operator need only be associative; where it is
//! one of the commutative ones, each work-item takes every n-th element.

use super::super::device_reduce::is_commutative;
use super::super::function::Dims;
use super::super::function::FunctionBuilder;
use super::super::host::Host;
use super::super::launch::Title;
use super::super::program::ProgramBuilder;
use super::super::value::{Array, Closure, Dest, Env, Place, Value, View};
use super::super::{LowerError, Result};
use super::{local_id, min};
use crate::core::{Atom, Lambda, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind, Storage};
use crate::schedule::nest::Nest;
use crate::schedule::rules;
use crate::schedule::{shapes, uses};
use lift_analysis::size::{Size, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Work-items of a group.
const ITEMS: i64 = 256;
/// Elements of a row for each work-item, if there are enough.
const EACH: i64 = 16;
/// Work-items for each row, where it is not known before the run how long rows are, and there are many of them.
const TEAM: i64 = 8;
/// Work-items of a compute unit that keep it busy.
const BUSY_PER_UNIT: i64 = 1024;
/// Work-items of a group of small teams: few wait for the longest of its rows.
const FEW: i64 = 128;

struct Folded<'k> {
    f: &'k Lambda,
    fold: &'k PrimCall,
    of: VarId,
    env: Env<'k>,
    rows: Array<'k>,
    /// The length of all rows; `None` where each has its own, known only when it is read.
    length: Option<Size>,
    z_ty: Ty,
    /// Work-items of a group.
    items: i64,
    /// There are so many rows that a small team for each keeps the device busy.
    many: bool,
}

impl<'k> Folded<'k> {
    /// The statements before the fold.
    fn before(&self) -> impl DoubleEndedIterator<Item = &'k Stmt> {
        let (of, all) = (self.of, &self.f.body.stmts);
        all.iter().take(all.iter().position(|s| s.var == of).unwrap_or(0))
    }

    /// Those of them that are needed for what stands behind it.
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

/// Whether a statement may mention a length that was opened.
fn may_mention_lengths(stmt: &Stmt) -> bool {
    let sizes = stmt.rhs.operands().into_iter().any(|a| matches!(a, Atom::Size(s) if s.as_const().is_none()));
    let only_scalars = match &stmt.rhs {
        Rhs::Atom(_) | Rhs::Scalar(..) | Rhs::Tuple(_) | Rhs::Proj(..) => true,
        Rhs::Prim(call) => call.prim == Prim::Head,
        _ => false,
    };
    sizes || !only_scalars
}

impl<'k> Host<'k> {
    pub(super) fn rows(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        nest: Nest,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a fold of rows is not as it was");
        let f = &call.funs[0];
        let fold = f.body.stmts.iter().find(|s| s.var == nest.fold).ok_or_else(wrong)?;
        let Rhs::Prim(fold) = &fold.rhs else { return Err(wrong()) };
        if !nest.reorder || i64::from(self.program.schedule.target.most_in_group) < ITEMS {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let length = kernel.atom_ty(&fold.args[1]).as_array().map(|a| env.size(&a.len)).ok_or_else(wrong)?;
        let z_ty = kernel.atom_ty(&fold.args[0]);
        let folded = Folded {
            f,
            fold,
            of: nest.fold,
            env: env.clone(),
            rows,
            length: Some(length),
            z_ty,
            items: ITEMS,
            many: false,
        };
        let title =
            Title { name: kernel.name_of(stmt.var), label: "map: a row by several work-items", origin: &stmt.origin };
        let used = Dims { wrg: [true, false, false], lcl: [true, false, false], ..Dims::default() };
        let mut worth_it = true;
        // Only where elements of one row are neighbours do several work-items read it faster than one.
        self.program.probe(&stmt.origin, |b| {
            worth_it = b.strides(&folded.rows).is_some_and(|s| s.second.is_one());
            Ok(())
        })?;
        if !worth_it {
            return Ok(false);
        }
        self.program.applied(&rules::ROW_TEAMS, &stmt.origin);
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        self.launch(&title, used, local, |b| b.folded_rows(&folded, dest))?;
        Ok(true)
    }

    /// So with rows whose lengths only the device knows.
    pub(super) fn teams(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        of: VarId,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a fold of rows is not as it was");
        let f = &call.funs[0];
        let fold = f.body.stmts.iter().find(|s| s.var == of).ok_or_else(wrong)?;
        let Rhs::Prim(fold) = &fold.rhs else { return Err(wrong()) };
        if i64::from(self.program.schedule.target.most_in_group) < ITEMS {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let z_ty = kernel.atom_ty(&fold.args[0]);
        let n = rows.len.clone();
        let mut folded = Folded { f, fold, of, env: env.clone(), rows, length: None, z_ty, items: ITEMS, many: false };
        let title =
            Title { name: kernel.name_of(stmt.var), label: "map: a row by several work-items", origin: &stmt.origin };
        let used = Dims { wrg: [true, false, false], lcl: [true, false, false], ..Dims::default() };
        self.program.applied(&rules::ROW_TEAMS, &stmt.origin);
        let local = |folded: &Folded| [Some(folded.items as u32), Some(1), Some(1)];
        let enough = Size::int(self.program.busy() / TEAM);
        if self.program.is_known_before(&n) && n.as_const().is_none() {
            let few = enough.sub(&n);
            self.launch_if(&[few], &title, used, local(&folded), |b| b.folded_rows(&folded, dest))?;
            folded = Folded { items: FEW, many: true, ..folded };
            let many = n.sub(&enough).add(&Size::one());
            self.launch_if(&[many], &title, used, local(&folded), |b| b.folded_rows(&folded, dest))?;
        } else {
            self.launch(&title, used, local(&folded), |b| b.folded_rows(&folded, dest))?;
        }
        Ok(true)
    }
}

impl ProgramBuilder<'_> {
    /// Work-items that keep the device busy.
    fn busy(&self) -> i64 {
        i64::from(self.schedule.target.compute_units) * BUSY_PER_UNIT
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    fn folded_rows(&mut self, folded: &Folded<'k>, dest: &Dest<'k>) -> Result<()> {
        let n = folded.rows.len.clone();
        let slots = Place {
            layout: self.arrays(&folded.z_ty, "slots", Storage::Local, folded.items as u64)?,
            at: Size::zero(),
        };
        let n_expr = self.size(&n)?;
        let item = self.bind("item", CType::Int, local_id());
        let (in_team, number, teams, team_size) = self.teams_of(folded, &item, &n_expr)?;
        let rounds = n_expr.clone().add(teams.clone()).sub(Expr::int(1)).div(teams.clone());
        let rounds = self.number("rounds", rounds, &n);
        let (lcl, outside) = (self.active.lcl, std::mem::replace(&mut self.shared_in_loop, true));
        self.active.lcl[0] = true;
        let result = self.for_level(crate::core::Level::Wrg(0), &rounds, |f, g| {
            f.shared_in_loop = true;
            let row = f.size(g)?.mul(teams).add(number);
            let row = f.bind("row", CType::Int, row);
            let inside = row.clone().lt(n_expr);
            let last = n.sub(&Size::one());
            let (acc, z) = f.row_neutral(folded)?;
            f.when(inside.clone(), |f| {
                let at = f.number("row", row.clone(), &last);
                f.share(folded, &at, &team_size, &in_team, (&acc, &z))
            })?;
            f.meet(folded, &slots, &item, &in_team, &team_size, &acc)?;
            let leads = f.size(&in_team)?.eq(Expr::int(0));
            f.when(leads.and(inside), |f| {
                let at = f.number("row", row.clone(), &last);
                let mut env = f.row_env(folded, &at, &folded.wanted_behind())?;
                env.bind(folded.of, Value::Array(Array::new(Size::one(), View::Fill(acc.clone()))));
                for s in folded.f.body.stmts.iter().skip_while(|s| s.var != folded.of).skip(1) {
                    let value = f.eval_stmt(s, &mut env, None)?;
                    env.bind(s.var, value);
                }
                let value = f.atom(&folded.f.body.result, &env)?;
                let to = f.dest_at(dest, &at)?;
                f.copy(&value, &to)
            })
        });
        self.active.lcl = lcl;
        self.shared_in_loop = outside;
        let known = |s: &Size| !s.any_var(&mut |v| v.kind != VarKind::Param);
        let (items, busy) = (Size::int(folded.items), Size::int(self.program.busy() / folded.items));
        let groups = match &folded.length {
            // A team has no more than twice the work-items that its row needs.
            Some(k) if known(k) => {
                Some(n.mul(k).div_floor(&Size::int(ITEMS * EACH / 2)).add(&n.div_floor(&Size::int(ITEMS))))
            }
            Some(_) => None,
            None => Some(Size::max(&n.mul(&Size::int(TEAM)).div_floor(&items), &busy)),
        };
        if let Some(groups) = groups.filter(|_| known(&n)) {
            self.wishes.wrg[0] = Some(Size::min(&n, &groups.add(&Size::one())));
        }
        result
    }

    /// The number of a work-item in its team and that of its team in the group, how many teams a group has, and how many
    /// work-items a team.
    fn teams_of(&mut self, folded: &Folded<'k>, item: &Expr, n: &Expr) -> Result<(Size, Expr, Expr, Size)> {
        if folded.many {
            let in_team = Expr::binary(BinaryOp::BitAnd, item.clone(), Expr::int(TEAM - 1));
            let in_team = self.number("in_team", in_team, &Size::int(TEAM - 1));
            let number = self.bind("number", CType::Int, item.clone().div(Expr::int(TEAM)));
            return Ok((in_team, number, Expr::int(folded.items / TEAM), Size::int(TEAM)));
        }
        let items = folded.items;
        // The least power of two that leaves no work-item more than its share; where lengths are not known, a few for
        // each row, and more where there are few rows.
        let least = if folded.length.is_some() { 1 } else { TEAM };
        let team = Expr::Var(self.variable("team", CType::Int, Some(Expr::int(least))));
        let grows = match &folded.length {
            Some(k) => team.clone().mul(Expr::int(EACH)).lt(self.size(k)?),
            None => n.clone().lt(Expr::int(self.program.busy()).div(team.clone())),
        };
        let grow = vec![StmtKind::Assign(team.clone(), team.clone().mul(Expr::int(2))).at(&self.origin())];
        let condition = team.clone().lt(Expr::int(items)).and(grows);
        self.emit(StmtKind::While { condition, body: grow });
        let team_size = self.index_var("team", team.clone());
        self.facts.assume_range(team_size.clone(), Some(Size::one()), Some(Size::int(items)));
        let in_team = self.number("in_team", item.clone().rem(team.clone()), &Size::int(items - 1));
        let number = self.bind("number", CType::Int, item.clone().div(team.clone()));
        let teams = self.bind("teams", CType::Int, Expr::int(items).div(team));
        Ok((in_team, number, teams, Size::var(team_size)))
    }

    /// The registers of a fold, and its neutral value.
    fn row_neutral(&mut self, folded: &Folded<'k>) -> Result<(Value<'k>, Value<'k>)> {
        // It may stand in the function, but mentions nothing of the row.
        let mut env = folded.env.clone();
        let depend = shapes::dependent(folded.f);
        for s in folded.f.body.stmts.iter().take_while(|s| s.var != folded.of) {
            if crate::schedule::nest::is_scalars(self.program.kernel.ty(s.var)) && !depend.contains(&s.var) {
                let value = self.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
        }
        let z = self.atom(&folded.fold.args[0], &env)?;
        match self.registers_with(&z, "acc")? {
            Some(acc) => Ok((acc, z)),
            None => Err(self.error("reduce", "the accumulator is no scalar and no tuple of scalars")),
        }
    }

    /// The row as the function sees it, and what stands before the fold.
    fn row_env(&mut self, folded: &Folded<'k>, at: &Size, wanted: &FxHashSet<VarId>) -> Result<Env<'k>> {
        let mut env = folded.env.clone();
        let row = self.read(&folded.rows, at)?;
        env.bind(folded.f.params[0], row);
        for s in folded.before().filter(|s| wanted.contains(&s.var)) {
            let value = self.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(env)
    }

    /// The elements of the row that this work-item folds.
    fn share(
        &mut self,
        folded: &Folded<'k>,
        at: &Size,
        team: &Size,
        in_team: &Size,
        (acc, z): (&Value<'k>, &Value<'k>),
    ) -> Result<()> {
        let env = self.row_env(folded, at, &folded.before().map(|s| s.var).collect())?;
        let xs = self.atom(&folded.fold.args[1], &env)?;
        let xs = self.array(&xs)?;
        let k = &folded.length.clone().unwrap_or_else(|| xs.len.clone());
        let f = Closure { lambda: &folded.fold.funs[0], env };
        let (mine, team_expr, k_expr) = (self.size(in_team)?, self.size(team)?, self.size(k)?);
        let round = |b: &mut Self, i: &Size| -> Result<()> {
            let x = b.read(&xs, i)?;
            let next = b.call(&f, &[acc.clone(), x])?;
            let next = b.contracted(next);
            b.assign_registers(acc, &next)
        };
        if is_commutative(f.lambda) {
            return self.flagged(
                |b| b.assign_registers(acc, z),
                |b| b.for_range("k", mine.clone(), k, Step::Add(team_expr.clone()), |b, i| round(b, i)),
            );
        }
        let piece = k_expr.clone().add(team_expr.clone()).sub(Expr::int(1)).div(team_expr);
        let piece = self.bind("piece", CType::Int, piece);
        let from = min(Expr::binary(BinaryOp::Mul, mine, piece.clone()), k_expr.clone());
        let from = self.number("from", from, k);
        let from_expr = self.size(&from)?;
        let to = from_expr.clone().add(min(piece, k_expr.sub(from_expr.clone())));
        let to = self.number("to", to, k);
        self.for_range("k", from_expr, &to, Step::Increment, |f, i| {
            f.facts.assume_le(from.clone(), i.clone());
            round(f, i)
        })
    }

    /// The values of a team meet, neighbours first; the first work-item has the result.
    fn meet(
        &mut self,
        folded: &Folded<'k>,
        slots: &Place,
        item: &Expr,
        in_team: &Size,
        team: &Size,
        acc: &Value<'k>,
    ) -> Result<()> {
        let f = Closure { lambda: &folded.fold.funs[0], env: folded.env.clone() };
        let item = self.number("item", item.clone(), &Size::int(folded.items - 1));
        let slot = |at: Size| Place { layout: slots.layout.clone(), at };
        self.copy(acc, &Dest::Place(slot(item.clone())))?;
        self.barrier(true, false);
        self.for_range("d", Expr::int(1), team, Step::Double, |b, d| {
            let below = b.size(d)?.mul(Expr::int(2)).sub(Expr::int(1));
            let leads = Expr::binary(BinaryOp::BitAnd, b.size(in_team)?, below).eq(Expr::int(0));
            b.when(leads, |b| {
                let other = b.load(&slot(item.add(d)))?;
                let next = b.call(&f, &[acc.clone(), other])?;
                b.assign_registers(acc, &next)?;
                b.copy(acc, &Dest::Place(slot(item.clone())))
            })?;
            b.barrier(true, false);
            Ok(())
        })
    }
}
