//! Loops, sequential and parallel, and barriers.
//!
//! Parallel loops are grid-stride loops, so any number of work-items does all the work. If at most one step is certain,
//! there is no loop.

use super::Result;
use super::barriers::has_barrier;
use super::borders::{borders_of, map_apart};
use super::flagged::flagged;
use super::function::{Dims, FunctionBuilder};
use super::instructions::FEW_ROUNDS;
use super::pieces::{few_pieces, rows_grow};
use super::team::in_flight::Flight;
use super::value::{Array, Closure, Dest, Env, Value};
use super::vectors::{across, short};
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::{CType, Expr, Step, StmtKind, has_loop};
use crate::target::Class;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Maximum rounds of a loop in rows that is written for a compiler to unroll, as compilers do with single loops.
const MOST_UNROLLED: i64 = 64;

/// Writes the code for one element.
type OnElement<'a, F> = Box<dyn FnOnce(&mut F, &Size) -> Result<()> + 'a>;

/// The ids over which a parallel loop strides.
struct Head<'a> {
    level: Level,
    name: &'a str,
    id: Expr,
    step: Expr,
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// Writes `map f xs` at a level to `dest`.
    pub fn map(&mut self, level: Level, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        // Unroll few segments: the facts about each simplify its code.
        if let (Level::Seq | Level::Auto, Some(n)) = (level, few_pieces(&xs)) {
            for i in (0..n).map(Size::int) {
                let (stmts, ()) = self.scope(|b| {
                    let x = b.read(&xs, &i)?;
                    let to = b.dest_at(dest, &i)?;
                    b.call_into(&f.at(&i), &[x], &to)
                })?;
                if !stmts.is_empty() {
                    self.emit(StmtKind::Block(stmts));
                }
            }
            return Ok(());
        }
        // Unroll few elements if loops are unrolled anyway, because then they are registers.
        let most = self.position().write_out();
        if most > 1
            && let (Level::Seq | Level::Auto, Some(n)) = (level, self.facts().simplify(&xs.len).as_const())
            && (2..=most).contains(&n)
        {
            return (0..n).try_for_each(|i| self.map_at(&f, &xs, dest, &Size::int(i)));
        }
        if let Level::Glb(_) | Level::Seq | Level::Auto = level
            && let Some(borders) = borders_of(self, &xs)?
        {
            return map_apart(self, level, &f, &xs, dest, borders);
        }
        if let Some((in_lanes, only_if)) = across::map(self, level, &f, &xs, dest)? {
            if only_if == Expr::Bool(true) {
                self.emit_all(in_lanes);
                return Ok(());
            }
            let (otherwise, ()) = self.scope(|b| b.map_each(level, &f, &xs, dest))?;
            self.emit_if(only_if, in_lanes, otherwise);
            return Ok(());
        }
        self.map_each(level, &f, &xs, dest)
    }

    /// Writes `map f xs`, one element of a work-item after the other.
    fn map_each(&mut self, level: Level, f: &Closure<'k>, xs: &Array<'k>, dest: &Dest<'k>) -> Result<()> {
        // Longest rows first, so that no group starts a long one when the others are finished. In small groups, few
        // work-items are idle at the end of a row, and many groups share a compute unit: a triangular matrix of 16384 rows
        // times a vector takes 127 µs on an H200 with groups of 64, 136 with 128, and 148 with 32 or 256.
        let longest_last = matches!(level, Level::Wrg(_)) && rows_grow(self, xs);
        if longest_last && self.target().class == Class::Gpu {
            let group = self.target().get(Parameter::RowsUneven);
            self.grid_mut().limit_group(group);
        }
        // The elements of a work-item are computed again if one of its checks fails.
        if self.steps(level, &xs.len).is_some() {
            return flagged(self, |_| Ok(()), |b| b.for_level(level, &xs.len.clone(), |b, i| b.map_at(f, xs, dest, i)));
        }
        if level == Level::Lcl(0)
            && let Some(flight) = Flight::of(self, f, xs)
        {
            return self.by_items(|b| flight.map(b, f, xs, dest));
        }
        let inside = self.position().active() != Dims::default();
        if let (Level::Seq | Level::Auto, Some(row), true) = (level, xs.scattered_rows(), inside) {
            return self.writing_out(1, |b| b.in_rows(&xs.len, Some(row), |b, i| b.map_at(f, xs, dest, i)));
        }
        let last = xs.len.sub(&Size::one());
        self.for_level(level, &xs.len.clone(), |b, i| {
            let i = if longest_last { b.facts().simplify(&last.sub(i)) } else { i.clone() };
            let i = if longest_last { b.named_index("row", &i, &xs.len)? } else { i };
            b.map_at(f, xs, dest, &i)
        })
    }

    /// Writes element `i` of `map f xs` to its destination.
    pub fn map_at(&mut self, f: &Closure<'k>, xs: &Array<'k>, dest: &Dest<'k>, i: &Size) -> Result<()> {
        let element = |b: &mut Self| {
            let x = b.read(xs, i)?;
            let to = b.dest_at(dest, i)?;
            b.call_into(&f.at(i), &[x], &to)
        };
        if !short::is_short(self, &f.lambda.body) {
            return element(self);
        }
        // What the function reads may have loops of its own; then nothing is gained.
        let (stmts, ()) = self.scope(|b| short::written_out(b, (&f.lambda.body, false), element))?;
        if has_loop(&stmts) {
            return element(self);
        }
        self.emit_all(stmts);
        Ok(())
    }

    /// Writes `generate f` to `dest`.
    pub fn generate(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let Some(array) = self.kernel().ty(stmt.var).as_array() else { return Ok(()) };
        let n = env.size(&array.len);
        let f = Closure { lambda: &call.funs[0], env: env.clone() };
        self.for_each("i", &n, |b, i| {
            let to = b.dest_at(dest, i)?;
            b.call_into(&f.at(i), &[Value::size(i.clone())], &to)
        })
    }

    /// Writes the result of a function to `dest`.
    pub fn call_into(&mut self, f: &Closure<'k>, args: &[Value<'k>], dest: &Dest<'k>) -> Result<()> {
        let mut env = f.env.clone();
        for (param, arg) in f.lambda.params.iter().zip(args) {
            let arg = self.name_param(*param, arg)?;
            env.bind(*param, arg);
        }
        self.eval_block(&f.lambda.body, env, Some(dest))?;
        Ok(())
    }

    /// Runs `body` for each `0 <= i < n`, on the work-items of a level.
    pub fn for_level(
        &mut self,
        level: Level,
        n: &Size,
        body: impl FnOnce(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        self.at_level(level, n, Box::new(body))
    }

    fn at_level(&mut self, level: Level, n: &Size, body: OnElement<'_, Self>) -> Result<()> {
        let (d, id, step) = match level {
            // Within a launch nothing is at host level.
            Level::Seq | Level::Auto | Level::Host => {
                // A body that can be written only once cannot be unrolled.
                let mut body = Some(body);
                let around = self.position().active() == Dims::default() && n.as_const().is_none_or(|n| n > 1);
                let once = |f: &mut Self, i: &Size| body.take().map_or(Ok(()), |body| body(f, i));
                let result = self.writing_out(1, |f| f.sequential(n, once));
                // A loop around those over work-items may be joined with them.
                if let (true, Some(StmtKind::For { var, .. })) = (around, self.last_written()) {
                    let var = var.clone();
                    self.grid_mut().note_loop(var, n.clone());
                }
                return result;
            }
            Level::Glb(d @ 0..=1) if self.grid().across() => (1 - d, "get_global_id", "get_global_size"),
            Level::Glb(d) => (d, "get_global_id", "get_global_size"),
            Level::Wrg(d) => (d, "get_group_id", "get_num_groups"),
            Level::Lcl(d) => (d, "get_local_id", "get_local_size"),
        };
        let at = usize::from(d.min(2));
        if level == Level::Wrg(0)
            && let Some(rows) = self.grid().unassigned_rows()
        {
            return self.assigning_rows(|f| f.for_rows(rows, n, body));
        }
        let mut active = self.position().active();
        if level == Level::Glb(0) && active == Dims::default() && self.can_stream() && !n.is_one() {
            active.glb[0] = true;
            return self.with_active(active, |f| f.for_stream(n, body));
        }
        if level == Level::Lcl(0) && self.grid().is_own_row(n) {
            return self.by_items(|f| f.for_own_row(n, body));
        }
        let flag = match level {
            Level::Glb(_) => &mut active.glb[at],
            Level::Wrg(_) => &mut active.wrg[at],
            _ => &mut active.lcl[at],
        };
        if *flag {
            return Err(self.error("map", format!("dimension {d} is used twice on one path")));
        }
        *flag = true;
        let useful = self.upper(n);
        if let Some(useful) = &useful {
            self.grid_mut().ask_for(level, at, useful);
        }
        let rounds = useful.filter(|_| level == Level::Glb(0) && !self.grid().across());
        let id = Expr::call(id, [Expr::int(d.into())]);
        let name = match (level, d) {
            (Level::Wrg(_), 0) => "g",
            (Level::Lcl(_), 0) => "l",
            (Level::Glb(_), 0) => "i",
            (_, 1) => "j",
            _ => "k",
        };
        let head = Head { level, name, id, step: Expr::call(step, [Expr::int(d.into())]) };
        self.with_active(active, |f| f.with_item_rounds(rounds, |f| f.strided(head, n, body)))
    }

    /// A parallel loop, in the shortest form.
    fn strided(&mut self, head: Head, n: &Size, body: OnElement<'_, Self>) -> Result<()> {
        let Head { level, name, id, step } = head;
        if n.is_one() && !matches!(level, Level::Lcl(_)) {
            // The work-item with id 0 runs it, without a loop.
            let first = id.eq(Expr::int(0));
            let (stmts, ()) = self.scope(|f| body(f, &Size::zero()))?;
            self.emit_if(first, stmts, Vec::new());
            return Ok(());
        }
        if self.one_step(level, n) {
            return self.one(name, id, n, body);
        }
        if let Some(steps) = self.steps(level, n) {
            return self.for_steps(steps, name, n, body);
        }
        let result = self.in_own_rounds(|f| {
            f.for_range(name, id, n, Step::Add(step), |f, i| {
                body(f, i)?;
                f.before_next_round();
                Ok(())
            })
        });
        if let (Level::Glb(_), Some(StmtKind::For { var, .. })) = (level, self.last_written()) {
            let var = var.clone();
            self.grid_mut().note_loop(var, n.clone());
        }
        result
    }

    /// A group computes several elements at a time, each shared by the work-items of one row. Indices after the last
    /// are clamped, because all work-items must reach all barriers; they write the same values.
    fn for_rows(&mut self, rows: u32, n: &Size, body: OnElement<'_, Self>) -> Result<()> {
        let rows = Size::nat(rows.into());
        let rounds = n.add(&rows).sub(&Size::one()).div_floor(&rows);
        self.for_level(Level::Wrg(0), &rounds, |f, g| {
            let row = f.size(&g.mul(&rows))?.add(Expr::call("get_local_id", [Expr::int(1)]).cast(CType::Int));
            let last = f.size(&n.sub(&Size::one()))?;
            let row = f.index_below("row", Expr::call("min", [row, last]), n);
            body(f, &row)
        })
    }

    /// A sequential loop over an array; few segments are unrolled.
    pub fn over(
        &mut self,
        wish: &str,
        xs: &Array<'k>,
        mut body: impl FnMut(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let Some(n) = few_pieces(xs) else { return self.for_each(wish, &xs.len, body) };
        (0..n).map(Size::int).try_for_each(|i| body(self, &i))
    }

    /// A sequential loop whose iterations may reuse the group's memory.
    pub fn sequential(&mut self, n: &Size, mut body: impl FnMut(&mut Self, &Size) -> Result<()>) -> Result<()> {
        self.in_own_rounds(|f| {
            f.for_each("i", n, |f, i| {
                body(f, i)?;
                f.before_next_round();
                Ok(())
            })
        })
    }

    /// A sequential loop over `n` elements, as two loops if they are those of rows of this length: an index then needs no
    /// division.
    pub fn in_rows(
        &mut self,
        n: &Size,
        row: Option<Size>,
        mut body: impl FnMut(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let Some(row) = row.filter(|_| n.as_const().is_none_or(|n| n > FEW_ROUNDS)) else {
            return self.sequential(n, body);
        };
        let rows = self.facts().simplify(&n.div_floor(&row));
        if let (Some(rows), Some(row)) = (rows.as_const(), row.as_const())
            && rows.saturating_mul(row) <= MOST_UNROLLED
            && !self.position().shares_memory()
        {
            let width = Size::int(row);
            return self.unrolled_unless_long("i", rows, |f, r| {
                f.unrolled_unless_long("i", row, |f, c| body(f, &r.mul(&width).add(c)))
            });
        }
        self.sequential(&rows, |f, r| f.sequential(&row, |f, c| body(f, &r.mul(&row).add(c))))
    }

    /// Waits until all work-items have read the group's memory, which the next iteration overwrites.
    pub fn before_next_round(&mut self) {
        if self.position().shares_memory() {
            let global = self.own().has_groups();
            self.barrier(true, global);
        }
    }

    /// Whether every work-item takes at most one step, because the group has as many work-items as there are steps.
    fn one_step(&self, level: Level, n: &Size) -> bool {
        let Level::Lcl(d) = level else { return false };
        let (Some(local), Some(n)) = (self.grid().group_in(d.min(2)), n.as_const()) else { return false };
        n <= i64::from(local)
    }

    /// The only step of a loop, guarded if the group may have more work-items than steps.
    fn one(&mut self, name: &str, id: Expr, n: &Size, body: impl FnOnce(&mut Self, &Size) -> Result<()>) -> Result<()> {
        let d = match &id {
            Expr::Call(_, args) => args.first().and_then(Expr::as_int).unwrap_or(0),
            _ => 0,
        };
        let local = self.grid().group_in(d as u8).unwrap_or(1);
        let index = self.bind(name, CType::Int, id);
        let var = self.index_var(name, index.clone());
        let whole = n.as_const() == Some(local.into());
        let last = n.sub(&Size::one());
        let (stmts, ()) = self.scope(|f| {
            f.known_mut().assume_range(var.clone(), Some(Size::zero()), Some(last));
            body(f, &Size::var(var.clone()))
        })?;
        if whole {
            match super::stop::middle::stops(&stmts) {
                true => self.emit(StmtKind::Block(stmts)),
                false => self.emit_all(stmts),
            }
            return Ok(());
        }
        if has_barrier(&stmts) {
            return Err(self.error(
                "mapLcl",
                format!("a barrier is needed in a loop over {n} elements by {local} work-items, but not all of them enter the loop"),
            ));
        }
        let bound = self.length(n)?;
        self.emit_if(index.lt(bound), stmts, Vec::new());
        Ok(())
    }
}
