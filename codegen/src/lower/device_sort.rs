//! `sort` and `argsort` over the whole device by any function ([`super::device_radix`] sorts by numbers). Each run is
//! sorted by one work-item; then runs are merged pairwise, with launches for each round. In a round every element finds
//! its index by binary search in the other run of its pair. A round whose runs are as long as the array does nothing,
//! so that the number of rounds need not depend on the length.
//!
//! If the function is not a strict weak order, two elements may get the same index. All indices are always below the
//! length, so no round reads out of bounds. After the last round, one work-item puts each lost element where another
//! one occurs twice.
//!
//! On devices with few parallel work-items, a single one sorts a short array faster: launches take longer, and binary
//! searches take more steps than a sequential merge. The host knows most lengths and skips the unnecessary launches.

use super::Result;
use super::function::{Dims, FunctionBuilder};
use super::host::Host;
use super::launch::Title;
use super::sort::{comes_before, sort_array};
use super::value::{Array, Closure, Dest, Env, Layout, Place, Value, View};
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use crate::plan::{Arg, BufferRole, Step as PlanStep};
use crate::target::Class;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

const ALONG: Dims = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };

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
        let target = self.program.target;
        let most = self.most(stmt, &xs.len)?;
        let few = Size::int(target.sorted_by_one());
        let by_numbers = self.sorts_by_bits(&call.funs[0]);
        if most.as_const().is_some_and(|n| few.as_const() >= Some(n))
            // Merging by binary search takes (log n)/2 times as many steps as a sequential merge.
            || target.class == Class::Cpu && !by_numbers && target.compute_units < target.get(Parameter::SortThreads)
        {
            return self.sort_by_one(stmt, call, env, dest, &xs, positions);
        }
        if few.is_zero() || xs.len.as_const().is_some() || !self.program.is_known_before(&xs.len) {
            return self.sort_by_all(stmt, call, env, dest, positions);
        }
        // The next launch may be skipped, so pending writes must not become part of it.
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

    /// Skips the launches from step `first` on unless `size` is positive.
    pub fn only_if(&mut self, first: usize, size: &Size) {
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
        self.launch(&title, Dims::default(), [None; 3], |f| sort_array(f, xs, &before, dest, positions))
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
        let run = self.program.parameter(Parameter::SortRun);
        self.launch(&title("sort: runs"), ALONG, [None; 3], |f| sort_runs(f, &xs, &before, &order, &merged))?;
        let longest = most.as_const().unwrap_or(i64::from(i32::MAX));
        if longest > run {
            // Only the argument `width` differs between rounds.
            let start = self.program.steps.len();
            self.launch(&title("sort: merge"), ALONG, [None; 3], |f| {
                let width = f.argument("width", &Size::int(run));
                merge_runs(f, &xs, &before, &order, &merged, &width)
            })?;
            self.launch(&title("sort: next round"), ALONG, [None; 3], |f| {
                let width = f.argument("width", &Size::int(run));
                if_unsorted(f, &xs.len, &width, |f| {
                    f.for_level(Level::Glb(0), &xs.len, |f, i| {
                        let (from, to) = (index_at(f, &merged, i)?, index_at(f, &order, i)?);
                        f.assign(to, from);
                        Ok(())
                    })
                })
            })?;
            let round: Vec<PlanStep> = self.program.steps[start..].to_vec();
            let mut w = run * 2;
            while w < longest {
                for step in &round {
                    let mut step = step.clone();
                    if let PlanStep::Launch(launch) = &mut step {
                        for arg in &mut launch.args {
                            if let Arg::Size { value, .. } = arg
                                && value.as_const() == Some(run)
                            {
                                *value = Size::int(w);
                            }
                        }
                    }
                    self.program.steps.push(step);
                }
                w *= 2;
            }
            self.repair_order(&title, &name, &xs.len, &order, &merged)?;
        }
        self.launch(&title("sort: result"), ALONG, [None; 3], |f| {
            f.for_level(Level::Glb(0), &xs.len, |f, i| {
                let from = index_at(f, &order, i)?;
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

    /// Restores the elements that `order` lacks where others occur twice. `places` is scratch memory for the index of
    /// each element.
    fn repair_order<'t>(
        &mut self,
        title: &dyn Fn(&'t str) -> Title<'t>,
        name: &str,
        n: &Size,
        order: &Array<'k>,
        places: &Array<'k>,
    ) -> Result<()> {
        let lost = self.program.buffer(&format!("{name}_lost"), Scalar::Int, Size::one(), BufferRole::Temporary);
        self.program.steps.push(PlanStep::Zero(lost));
        self.launch(&title("sort: places"), ALONG, [None; 3], |f| {
            f.for_level(Level::Glb(0), n, |f, i| {
                let x = index_at(f, order, i)?;
                let x = f.index_below("x", x, n);
                let (place, i) = (index_at(f, places, &x)?, f.size(i)?);
                f.assign(place, i);
                Ok(())
            })
        })?;
        self.launch(&title("sort: check"), ALONG, [None; 3], |f| {
            f.for_level(Level::Glb(0), n, |f, x| {
                let found = is_at_its_place(f, x, n, order, places)?;
                let (note, ()) = f.scope(|f| {
                    let lost = Expr::Var(f.use_buffer(lost, true)).index(Expr::int(0));
                    f.assign(lost, Expr::int(1));
                    Ok(())
                })?;
                f.emit_if(found.not(), note, Vec::new());
                Ok(())
            })
        })?;
        self.launch(&title("sort: repair"), Dims::default(), [None; 3], |f| {
            let lost = Expr::Var(f.use_buffer(lost, false)).index(Expr::int(0));
            let (repair, ()) = f.scope(|f| repair_order(f, n, order, places))?;
            f.emit_if(lost.eq(Expr::int(1)), repair, Vec::new());
            Ok(())
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

/// An element of a stored array of ints, as an lvalue.
fn index_at<'k>(f: &mut FunctionBuilder<'_, 'k>, ints: &Array<'k>, i: &Size) -> Result<Expr> {
    if let View::Stored { element, base } = &*ints.view
        && let Layout::Scalar(m) = &**element
    {
        let at = base.add(i);
        return f.memory(m, &at, true);
    }
    Err(f.error("sort", "positions are not in memory"))
}

/// Skips `body` once a run is as long as the array.
fn if_unsorted<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    n: &Size,
    width: &Expr,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
) -> Result<()> {
    let n = f.size(n)?;
    let (stmts, ()) = f.scope(body)?;
    f.emit_if(width.clone().lt(n), stmts, Vec::new());
    Ok(())
}

/// Whether `order` contains element `x` at index `places[x]`. Otherwise it does not contain it at all.
fn is_at_its_place<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    x: &Size,
    n: &Size,
    order: &Array<'k>,
    places: &Array<'k>,
) -> Result<Expr> {
    let place = index_at(f, places, x)?;
    let place = f.index_below("place", place, n);
    let (there, x) = (index_at(f, order, &place)?, f.size(x)?);
    Ok(there.eq(x))
}

/// There are as many lost elements as indices whose element is recorded elsewhere.
fn repair_order<'k>(f: &mut FunctionBuilder<'_, 'k>, n: &Size, order: &Array<'k>, places: &Array<'k>) -> Result<()> {
    let next = Expr::Var(f.variable("next", CType::Int, Some(Expr::int(0))));
    f.for_range("i", Expr::int(0), n, Step::Increment, |f, i| {
        let x = index_at(f, order, i)?;
        let x = f.index_below("x", x, n);
        let (place, i_expr) = (index_at(f, places, &x)?, f.size(i)?);
        let (repair, ()) = f.scope(|f| {
            let len = f.size(n)?;
            let (search, ()) = f.scope(|f| {
                let element = f.index_below("next", next.clone(), n);
                let found = is_at_its_place(f, &element, n, order, places)?;
                let stop = vec![StmtKind::Break.at(&f.origin())];
                f.emit_if(found.not(), stop, Vec::new());
                f.assign(next.clone(), next.clone().add(Expr::int(1)));
                Ok(())
            })?;
            f.emit(StmtKind::While { condition: next.clone().lt(len.sub(Expr::int(1))), body: search });
            let element = f.index_below("next", next.clone(), n);
            let (here, place) = (index_at(f, order, i)?, index_at(f, places, &element)?);
            f.assign(here, next.clone());
            f.assign(place, i_expr.clone());
            Ok(())
        })?;
        f.emit_if(place.eq(i_expr).not(), repair, Vec::new());
        Ok(())
    })
}

/// Sorts each run by insertion.
fn sort_runs<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    before: &Closure<'k>,
    order: &Array<'k>,
    merged: &Array<'k>,
) -> Result<()> {
    let n = &xs.len;
    let run = f.parameter(Parameter::SortRun);
    f.for_level(Level::Glb(0), &n.add(&Size::int(run - 1)).div_floor(&Size::int(run)), |f, r| {
        let start = f.size(&r.mul(&Size::int(run)))?;
        let start = f.bind("start", CType::Int, start);
        let len = f.size(n)?;
        let end = start.clone().add(Expr::call("min", [Expr::int(run), len.sub(start.clone())]));
        let end = f.bind("end", CType::Int, end);
        let end = f.index_var("end", end);
        f.known_mut().assume_range(end.clone(), Some(Size::zero()), Some(n.clone()));
        f.for_range("i", start.clone(), &Size::var(end), Step::Increment, |f, i| {
            let i_expr = f.size(i)?;
            // Initialises the element, so that it is an index even if no element is moved there.
            let anything = index_at(f, merged, i)?;
            f.assign(anything, i_expr.clone());
            let hole = Expr::Var(f.variable("hole", CType::Int, Some(i_expr.clone())));
            let (body, ()) = f.scope(|f| {
                let previous = f.index_below("previous", hole.clone().sub(Expr::int(1)), n);
                let there = index_at(f, order, &previous)?;
                let there = f.index_below("there", there, n);
                let ahead = comes_before(f, before, xs, i, &there)?;
                let stop = vec![StmtKind::Break.at(&f.origin())];
                f.emit_if(ahead.not(), stop, Vec::new());
                let at = f.index_below("hole", hole.clone(), n);
                let (to, there) = (index_at(f, order, &at)?, f.size(&there)?);
                f.assign(to, there);
                f.assign(hole.clone(), hole.clone().sub(Expr::int(1)));
                Ok(())
            })?;
            f.emit(StmtKind::While { condition: start.clone().lt(hole.clone()), body });
            let at = f.index_below("hole", hole, n);
            let to = index_at(f, order, &at)?;
            f.assign(to, i_expr);
            Ok(())
        })
    })
}

/// The index of element `i` is the number of elements before it in its own run plus those in the other run.
fn merge_runs<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    before: &Closure<'k>,
    order: &Array<'k>,
    merged: &Array<'k>,
    width: &Expr,
) -> Result<()> {
    let n = xs.len.clone();
    if_unsorted(f, &n, width, |f| {
        f.for_level(Level::Glb(0), &n, |f, i| {
            let (at, len) = (f.size(i)?, f.size(&n)?);
            let run = f.bind("run", CType::Int, at.clone().div(width.clone()));
            let right =
                f.bind("right", CType::Bool, Expr::binary(BinaryOp::Rem, run.clone(), Expr::int(2)).eq(Expr::int(1)));
            let pair = f.bind("pair", CType::Int, run.clone().sub(right.clone().cast(CType::Int)).mul(width.clone()));
            let middle = pair.clone().add(Expr::call("min", [width.clone(), len.clone().sub(pair.clone())]));
            let middle = f.bind("middle", CType::Int, middle);
            let end = middle.clone().add(Expr::call("min", [width.clone(), len.sub(middle.clone())]));
            let low = right.clone().select(pair.clone(), middle.clone());
            let low = Expr::Var(f.variable("low", CType::Int, Some(low)));
            let high = right.clone().select(middle.clone(), end);
            let high = Expr::Var(f.variable("high", CType::Int, Some(high)));
            let other = f.bind("other", CType::Int, low.clone());
            let x = index_at(f, order, i)?;
            let x = f.index_below("x", x, &n);
            // Counts the elements of the other run before `x`; of equal elements, those of the left run come first.
            let (body, ()) = f.scope(|f| {
                let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
                let m = f.index_below("m", low.clone().add(half), &n);
                let y = index_at(f, order, &m)?;
                let y = f.index_below("y", y, &n);
                let before_x = f.variable("before_x", CType::Bool, None);
                let before_x = Expr::Var(before_x);
                let (from_left, ()) = f.scope(|f| {
                    let later = comes_before(f, before, xs, &x, &y)?;
                    f.assign(before_x.clone(), later.not());
                    Ok(())
                })?;
                let (from_right, ()) = f.scope(|f| {
                    let earlier = comes_before(f, before, xs, &y, &x)?;
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
            let (to, x) = (index_at(f, merged, &to)?, f.size(&x)?);
            f.assign(to, x);
            Ok(())
        })
    })
}
