//! `sort` and `argsort` of a row by a group: stable, by any function. Short runs are sorted by one work-item each, then
//! runs are merged pairwise; in each round, every element finds its index by binary search in the other run of its
//! pair.

use super::{item, times};
use crate::core::{Prim, PrimCall};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Place, Value};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Elements of a run that one work-item sorts.
const RUN: i64 = 8;

/// The data to be sorted: elements, or their indices in an array.
struct Sorted<'a, 'k> {
    before: &'a Closure<'k>,
    of: Option<&'a Array<'k>>,
    /// Two halves, each as long as the row: a round reads one and writes the other.
    both: Place,
    n: Size,
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// Whether an operator is a sort that the group shares.
    pub fn sorts_together(&self, call: &PrimCall) -> bool {
        matches!(call.prim, Prim::Sort | Prim::Argsort) && self.team().is_some()
    }

    /// Sorts a row. Every work-item of the group must execute it.
    pub fn sort_in_group(&mut self, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>, positions: bool) -> Result<()> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        let before = Closure { lambda: &call.funs[0], env: env.clone() };
        self.runs_together();
        let n = xs.len.clone();
        let element = self.program.kernel.atom_ty(&call.args[0]).as_array().map(|a| a.element.clone());
        let element = element.filter(|_| !positions).unwrap_or_else(Ty::int);
        let both = self.allocate_for_group(&Ty::array(element, n.add(&n)), "sorted")?;
        let sorted = Sorted { before: &before, of: positions.then_some(&xs), both, n: n.clone() };
        let lcl = std::mem::replace(&mut self.active.lcl, self.used.lcl);
        let result = self.sort_together(&sorted, &xs, dest);
        self.active.lcl = lcl;
        self.shared_in_loop = true;
        result
    }

    fn sort_together(&mut self, sorted: &Sorted<'_, 'k>, xs: &Array<'k>, dest: &Dest<'k>) -> Result<()> {
        let n = sorted.n.clone();
        let len = self.size(&n)?;
        self.for_group_items(&n, |b, i| {
            let at = b.size(i)?;
            let x = match sorted.of {
                Some(_) => Value::computed(Scalar::Int, at.clone()),
                None => b.read(xs, i)?,
            };
            let x = b.named_scalar(&x, "x")?;
            // Initialise both halves, because a function that is not a strict weak order may leave slots unwritten.
            b.put_sorted(sorted, at.clone(), &x)?;
            let other = at.add(b.size(&n)?);
            b.put_sorted(sorted, other, &x)
        })?;
        self.fence(&sorted.both);
        self.sort_runs_together(sorted)?;
        self.fence(&sorted.both);
        let from = Expr::Var(self.variable("from", CType::Int, Some(Expr::int(0))));
        let to = Expr::Var(self.variable("to", CType::Int, Some(len.clone())));
        let width = Expr::Var(self.variable("width", CType::Int, Some(Expr::int(RUN))));
        let (body, ()) = self.scope(|b| {
            b.loop_depth += 1;
            b.for_group_items(&n, |b, i| {
                let i = b.size(i)?;
                b.merge_one(sorted, i, (&from, &to), &width)
            })?;
            b.fence(&sorted.both);
            let other = len.clone().sub(from.clone());
            b.assign(to.clone(), from.clone());
            b.assign(from.clone(), other);
            // The width never exceeds the length, so that it does not overflow.
            let half = len.clone().sub(width.clone());
            b.assign(width.clone(), width.clone().add(Expr::call("min", [width.clone(), half])));
            b.loop_depth -= 1;
            Ok(())
        })?;
        self.emit(StmtKind::While { condition: width.clone().lt(len), body });
        self.for_group_items(&n, |b, i| {
            let at = b.size(i)?;
            let x = b.get_sorted(sorted, from.clone().add(at))?;
            let to = b.dest_at(dest, i)?;
            b.copy(&x, &to)
        })?;
        self.fence(&sorted.both);
        Ok(())
    }

    fn for_group_items(&mut self, n: &Size, body: impl FnOnce(&mut Self, &Size) -> Result<()>) -> Result<()> {
        let step = Step::Add(crate::lower::device_filter::local_size());
        self.for_range("i", item(), n, step, body)
    }

    fn place_of(&mut self, sorted: &Sorted<'_, 'k>, at: Expr) -> Result<Place> {
        let Layout::Array { capacity, element, .. } = &*sorted.both.layout else {
            return Err(self.error("sort", "there is no memory for what is sorted"));
        };
        let (capacity, element) = (capacity.clone(), element.clone());
        let at = self.index_below("at", at, &capacity);
        let at = self.facts.simplify(&sorted.both.at.mul(&capacity).add(&at));
        Ok(Place { layout: element, at })
    }

    fn put_sorted(&mut self, sorted: &Sorted<'_, 'k>, at: Expr, x: &Value<'k>) -> Result<()> {
        let to = self.place_of(sorted, at)?;
        self.copy(x, &Dest::Place(to))
    }

    fn get_sorted(&mut self, sorted: &Sorted<'_, 'k>, at: Expr) -> Result<Value<'k>> {
        let from = self.place_of(sorted, at)?;
        let x = self.load(&from)?;
        let x = self.force(&x)?;
        self.named_scalar(&x, "x")
    }

    /// The condition that `x` goes before `y`.
    fn is_before(&mut self, sorted: &Sorted<'_, 'k>, x: &Value<'k>, y: &Value<'k>) -> Result<Expr> {
        let mut both = Vec::new();
        for v in [x, y] {
            both.push(match sorted.of {
                None => v.clone(),
                Some(xs) => {
                    let at = self.scalar_of(v)?;
                    let at = self.scalar(&at)?;
                    let at = self.index_below("p", at, &xs.len);
                    self.read(xs, &at)?
                }
            });
        }
        let result = self.call(sorted.before, &both)?;
        let result = self.scalar_of(&result)?;
        self.scalar(&result)
    }

    /// Sorts each run by insertion, in the first half.
    fn sort_runs_together(&mut self, sorted: &Sorted<'_, 'k>) -> Result<()> {
        let len = self.size(&sorted.n)?;
        let runs = sorted.n.add(&Size::int(RUN - 1)).div_floor(&Size::int(RUN));
        self.for_group_items(&runs, |b, run| {
            let run = b.size(run)?;
            let start = b.bind("start", CType::Int, times(run, RUN));
            let end = Expr::call("min", [Expr::int(RUN), len.clone().sub(start.clone())]);
            let end = b.bind("end", CType::Int, start.clone().add(end));
            let end = Size::var(b.index_var("end", end));
            b.for_range("i", start.clone().add(Expr::int(1)), &end, Step::Increment, |b, i| {
                let i = b.size(i)?;
                let x = b.get_sorted(sorted, i.clone())?;
                let hole = Expr::Var(b.variable("hole", CType::Int, Some(i)));
                let (body, ()) = b.scope(|b| {
                    let previous = b.get_sorted(sorted, hole.clone().sub(Expr::int(1)))?;
                    let ahead = b.is_before(sorted, &x, &previous)?;
                    let stop = vec![StmtKind::Break.at(&b.origin())];
                    b.emit_if(ahead.not(), stop, Vec::new());
                    b.put_sorted(sorted, hole.clone(), &previous)?;
                    b.assign(hole.clone(), hole.clone().sub(Expr::int(1)));
                    Ok(())
                })?;
                b.emit(StmtKind::While { condition: start.clone().lt(hole.clone()), body });
                b.put_sorted(sorted, hole, &x)
            })
        })
    }

    /// The index of element `i` is the number of elements before it in its own run plus those in the other run.
    fn merge_one(&mut self, sorted: &Sorted<'_, 'k>, i: Expr, (from, to): (&Expr, &Expr), width: &Expr) -> Result<()> {
        let len = self.size(&sorted.n)?;
        let run = self.bind("run", CType::Int, i.clone().div(width.clone()));
        let odd = Expr::binary(BinaryOp::BitAnd, run.clone(), Expr::int(1));
        let right = self.bind("right", CType::Bool, odd.eq(Expr::int(1)));
        let first = run.sub(right.clone().cast(CType::Int)).mul(width.clone());
        let first = self.bind("first", CType::Int, first);
        let middle = first.clone().add(Expr::call("min", [width.clone(), len.clone().sub(first.clone())]));
        let middle = self.bind("middle", CType::Int, middle);
        let end = middle.clone().add(Expr::call("min", [width.clone(), len.sub(middle.clone())]));
        let low = right.clone().select(first.clone(), middle.clone());
        let high = right.clone().select(middle.clone(), end);
        let low = Expr::Var(self.variable("low", CType::Int, Some(low)));
        let high = Expr::Var(self.variable("high", CType::Int, Some(high)));
        let other = self.bind("other", CType::Int, low.clone());
        let x = self.get_sorted(sorted, from.clone().add(i.clone()))?;
        let (body, ()) = self.scope(|b| {
            b.loop_depth += 1;
            let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
            let m = b.bind("m", CType::Int, low.clone().add(half));
            let y = b.get_sorted(sorted, from.clone().add(m.clone()))?;
            // Of equal elements, those of the left run come first.
            let before_x = Expr::Var(b.variable("before_x", CType::Bool, None));
            let (of_left, ()) = b.scope(|b| {
                let later = b.is_before(sorted, &x, &y)?;
                b.assign(before_x.clone(), later.not());
                Ok(())
            })?;
            let (of_right, ()) = b.scope(|b| {
                let earlier = b.is_before(sorted, &y, &x)?;
                b.assign(before_x.clone(), earlier);
                Ok(())
            })?;
            b.emit_if(right.clone(), of_left, of_right);
            let (up, ()) = b.scope(|b| {
                b.assign(low.clone(), m.clone().add(Expr::int(1)));
                Ok(())
            })?;
            let (down, ()) = b.scope(|b| {
                b.assign(high.clone(), m.clone());
                Ok(())
            })?;
            b.emit_if(before_x, up, down);
            b.loop_depth -= 1;
            Ok(())
        })?;
        self.emit(StmtKind::While { condition: low.clone().lt(high.clone()), body });
        let own = right.select(i.clone().sub(middle), i.sub(first.clone()));
        let at = self.bind("at", CType::Int, first.add(own).add(low.sub(other)));
        self.put_sorted(sorted, to.clone().add(at), &x)
    }
}
