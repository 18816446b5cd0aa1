//! `sort` and `argsort` over the whole device, by any function ([`super::device_radix`] has numbers): runs are sorted by one
//! work-item each, then merged pairwise, a launch a round. In a round every element finds its place by a binary search in the other run of its pair. A round whose runs
//! are as long as the array does nothing, so that the number of rounds need not depend on the length.
//!
//! Where there are few work-items at once, one of them sorts a short array faster than all: launches take longer, and a
//! search for each place more steps than a merge. The host knows most lengths and leaves out what it need not launch.

use super::Result;
use super::function::{Dims, FunctionBuilder};
use super::host::Host;
use super::launch::Title;
use super::value::{Array, Closure, Dest, Env, Layout, Place, Value, View};
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use crate::plan::{Arg, BufferRole, Step as PlanStep};
use crate::target::{Class, Target};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Elements of the runs that one work-item sorts.
const RUN: i64 = 32;
/// Threads of a processor from which on merging by searches is worth it: it takes half the logarithm as many steps.
const SEARCHERS: u32 = 12;
const ALONG: Dims = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };

/// The elements that one work-item sorts sooner than many.
pub fn sorted_by_one(target: &Target) -> i64 {
    match target.class {
        Class::Cpu => 1 << 16,
        Class::Portable => 1 << 11,
        Class::Gpu => 0,
    }
}

impl<'k> Host<'k> {
    pub fn sort(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        positions: bool,
    ) -> Result<()> {
        let xs = self.array_arg(stmt, &call.args[0], env)?;
        let target = self.program.schedule.target;
        let most = self.most(stmt, &xs.len)?;
        let few = Size::int(sorted_by_one(&target));
        let by_numbers = self.sorts_by_bits(&call.funs[0]);
        if most.as_const().is_some_and(|n| few.as_const() >= Some(n))
            || target.class == Class::Cpu && !by_numbers && target.compute_units < SEARCHERS
        {
            return self.sort_by_one(stmt, call, env, dest, &xs, positions);
        }
        if few.is_zero() || xs.len.as_const().is_some() || !self.program.is_known_before(&xs.len) {
            return self.sort_by_all(stmt, call, env, dest, positions);
        }
        // What the next launch writes it writes in any case.
        let waiting = std::mem::take(&mut self.lengths);
        let first = self.program.steps.len();
        let some = Array { len: Size::min(&xs.len, &few), ..xs.clone() };
        self.sort_by_one(stmt, call, env, dest, &some, positions)?;
        self.only_if(first, &few.sub(&xs.len).add(&Size::one()));
        let first = self.program.steps.len();
        self.sort_by_all(stmt, call, env, dest, positions)?;
        self.only_if(first, &xs.len.sub(&few));
        self.lengths = waiting;
        Ok(())
    }

    /// Leaves out launches from here on, unless a size is positive.
    fn only_if(&mut self, first: usize, size: &Size) {
        for step in &mut self.program.steps[first..] {
            if let PlanStep::Launch(launch) = step {
                launch.only_if.push(size.clone());
            }
        }
    }

    fn sort_by_one(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        xs: &Array<'k>,
        positions: bool,
    ) -> Result<()> {
        let before = Closure { lambda: &call.funs[0], env: env.clone() };
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label: "sort: by one work-item", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| f.sort_array(xs, &before, dest, positions))
    }

    fn sort_by_all(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        positions: bool,
    ) -> Result<()> {
        let xs = self.array_arg(stmt, &call.args[0], env)?;
        if self.radix_sort(stmt, &call.funs[0], &xs, dest, positions)? {
            return Ok(());
        }
        let before = Closure { lambda: &call.funs[0], env: env.clone() };
        let most = self.most(stmt, &xs.len)?;
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let order = self.positions(stmt, &xs.len, &most, &format!("{name}_order"))?;
        let merged = self.positions(stmt, &xs.len, &most, &format!("{name}_merged"))?;
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        self.launch(&title("sort: runs"), ALONG, [None; 3], |f| f.sort_runs(&xs, &before, &order))?;
        let longest = most.as_const().unwrap_or(i64::from(i32::MAX));
        if longest > RUN {
            // The width is the one argument that changes from round to round.
            let start = self.program.steps.len();
            self.launch(&title("sort: merge"), ALONG, [None; 3], |f| {
                let width = f.argument("width", &Size::int(RUN));
                f.merge_runs(&xs, &before, &order, &merged, &width)
            })?;
            self.launch(&title("sort: next round"), ALONG, [None; 3], |f| {
                let width = f.argument("width", &Size::int(RUN));
                f.if_unsorted(&xs.len, &width, |f| {
                    f.for_level(Level::Glb(0), &xs.len, |f, i| {
                        let (from, to) = (f.position(&merged, i)?, f.position(&order, i)?);
                        f.assign(to, from);
                        Ok(())
                    })
                })
            })?;
            let round: Vec<PlanStep> = self.program.steps[start..].to_vec();
            let mut w = RUN * 2;
            while w < longest {
                for step in &round {
                    let mut step = step.clone();
                    if let PlanStep::Launch(launch) = &mut step {
                        for arg in &mut launch.args {
                            if let Arg::Size { value, .. } = arg
                                && value.as_const() == Some(RUN)
                            {
                                *value = Size::int(w);
                            }
                        }
                    }
                    self.program.steps.push(step);
                }
                w *= 2;
            }
        }
        self.launch(&title("sort: result"), ALONG, [None; 3], |f| {
            f.for_level(Level::Glb(0), &xs.len, |f, i| {
                let from = f.position(&order, i)?;
                let to = f.dest_at(dest, i)?;
                if positions {
                    return f.copy(&Value::computed(Scalar::Int, from), &to);
                }
                let from = f.index_below("from", from, &xs.len);
                let x = f.read(&xs, &from)?;
                f.copy(&x, &to)
            })
        })
    }

    fn positions(&mut self, stmt: &Stmt, len: &Size, most: &Size, name: &str) -> Result<Array<'k>> {
        let ty = Ty::array(Ty::int(), most.clone());
        let mut none = std::iter::empty();
        let layout = self.program.layout(&ty, &mut none, name, BufferRole::Temporary, &Size::one(), &stmt.origin)?;
        match self.load(&Place { layout, at: Size::zero() })? {
            Value::Array(a) => Ok(Array { len: len.clone(), ..a }),
            _ => Err(self.error(stmt, "sort", "there is no memory for positions")),
        }
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// An element of an array of ints in memory, to be read or assigned to.
    fn position(&mut self, ints: &Array<'k>, i: &Size) -> Result<Expr> {
        if let View::Stored { element, base } = &*ints.view
            && let Layout::Scalar(m) = &**element
        {
            let at = base.add(i);
            return self.memory(m, &at, true);
        }
        Err(self.error("sort", "positions are not in memory"))
    }

    /// Nothing is left to do once a run is as long as the array.
    fn if_unsorted(&mut self, n: &Size, width: &Expr, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let n = self.size(n)?;
        let (stmts, ()) = self.scope(body)?;
        self.emit_if(width.clone().lt(n), stmts, Vec::new());
        Ok(())
    }

    /// Insertion sort of each run.
    fn sort_runs(&mut self, xs: &Array<'k>, before: &Closure<'k>, order: &Array<'k>) -> Result<()> {
        let n = &xs.len;
        let run = Size::int(RUN);
        self.for_level(Level::Glb(0), &n.add(&Size::int(RUN - 1)).div_floor(&run), |f, r| {
            let start = f.size(&r.mul(&run))?;
            let start = f.bind("start", CType::Int, start);
            let len = f.size(n)?;
            let end = start.clone().add(Expr::call("min", [Expr::int(RUN), len.sub(start.clone())]));
            let end = f.bind("end", CType::Int, end);
            let end = f.index_var("end", end);
            f.facts.assume_range(end.clone(), Some(Size::zero()), Some(n.clone()));
            f.for_range("i", start.clone(), &Size::var(end), Step::Increment, |f, i| {
                let i_expr = f.size(i)?;
                let hole = Expr::Var(f.variable("hole", CType::Int, Some(i_expr.clone())));
                let (body, ()) = f.scope(|f| {
                    let previous = f.index_below("previous", hole.clone().sub(Expr::int(1)), n);
                    let there = f.position(order, &previous)?;
                    let there = f.index_below("there", there, n);
                    let ahead = f.stands_before(before, xs, i, &there)?;
                    let stop = vec![StmtKind::Break.at(&f.origin())];
                    f.emit_if(ahead.not(), stop, Vec::new());
                    let at = f.index_below("hole", hole.clone(), n);
                    let (to, there) = (f.position(order, &at)?, f.size(&there)?);
                    f.assign(to, there);
                    f.assign(hole.clone(), hole.clone().sub(Expr::int(1)));
                    Ok(())
                })?;
                f.emit(StmtKind::While { condition: start.clone().lt(hole.clone()), body });
                let at = f.index_below("hole", hole, n);
                let to = f.position(order, &at)?;
                f.assign(to, i_expr);
                Ok(())
            })
        })
    }

    /// Element `i` goes behind those of its own run that stand before it, and those of the other run that do.
    fn merge_runs(
        &mut self,
        xs: &Array<'k>,
        before: &Closure<'k>,
        order: &Array<'k>,
        merged: &Array<'k>,
        width: &Expr,
    ) -> Result<()> {
        let n = xs.len.clone();
        self.if_unsorted(&n, width, |f| {
            f.for_level(Level::Glb(0), &n, |f, i| {
                let (at, len) = (f.size(i)?, f.size(&n)?);
                let run = f.bind("run", CType::Int, at.clone().div(width.clone()));
                let right = f.bind(
                    "right",
                    CType::Bool,
                    Expr::binary(BinaryOp::Rem, run.clone(), Expr::int(2)).eq(Expr::int(1)),
                );
                let pair =
                    f.bind("pair", CType::Int, run.clone().sub(right.clone().cast(CType::Int)).mul(width.clone()));
                let middle = pair.clone().add(Expr::call("min", [width.clone(), len.clone().sub(pair.clone())]));
                let middle = f.bind("middle", CType::Int, middle);
                let end = middle.clone().add(Expr::call("min", [width.clone(), len.sub(middle.clone())]));
                let low = right.clone().select(pair.clone(), middle.clone());
                let low = Expr::Var(f.variable("low", CType::Int, Some(low)));
                let high = right.clone().select(middle.clone(), end);
                let high = Expr::Var(f.variable("high", CType::Int, Some(high)));
                let other = f.bind("other", CType::Int, low.clone());
                let x = f.position(order, i)?;
                let x = f.index_below("x", x, &n);
                // How many of the other run stand before `x`: of equal elements those on the left do.
                let (body, ()) = f.scope(|f| {
                    let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
                    let m = f.index_below("m", low.clone().add(half), &n);
                    let y = f.position(order, &m)?;
                    let y = f.index_below("y", y, &n);
                    let before_x = f.variable("before_x", CType::Bool, None);
                    let before_x = Expr::Var(before_x);
                    let (from_left, ()) = f.scope(|f| {
                        let later = f.stands_before(before, xs, &x, &y)?;
                        f.assign(before_x.clone(), later.not());
                        Ok(())
                    })?;
                    let (from_right, ()) = f.scope(|f| {
                        let earlier = f.stands_before(before, xs, &y, &x)?;
                        f.assign(before_x.clone(), earlier);
                        Ok(())
                    })?;
                    f.emit_if(right.clone(), from_left, from_right);
                    let m = f.size(&m)?;
                    let (up, ()) = f.scope(|f| {
                        f.assign(low.clone(), m.clone().add(Expr::int(1)));
                        Ok(())
                    })?;
                    let (down, ()) = f.scope(|f| {
                        f.assign(high.clone(), m.clone());
                        Ok(())
                    })?;
                    f.emit_if(before_x, up, down);
                    Ok(())
                })?;
                f.emit(StmtKind::While { condition: low.clone().lt(high.clone()), body });
                let own = right.clone().select(at.clone().sub(middle), at.sub(pair.clone()));
                let to = pair.add(own).add(low.sub(other));
                let to = f.index_below("to", to, &n);
                let (to, x) = (f.position(merged, &to)?, f.size(&x)?);
                f.assign(to, x);
                Ok(())
            })
        })
    }
}
