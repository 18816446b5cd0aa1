//! `sort` and `argsort` of a row by a group: stable, by any function. Short runs are sorted by one work-item each, then
//! runs are merged pairwise.
//!
//! Where a group has one row, a work-item makes consecutive elements of a merged pair: it finds by binary search how many
//! of them are before its own in each run (Odeh, Green, Mwassi, Shmueli, Birk, *Merge Path*, IPDPSW 2012). Where a group has
//! several short rows, that would leave work-items idle: every element finds its index by binary search in the other run
//! of its pair. A row that does not fit local memory is sorted in tiles there, which are then merged in global memory.

use super::{item, times};
use crate::core::{Prim, PrimCall, Rhs};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::stream::tile::bytes;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Place, Root, Value};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use crate::target::LEAST_LOCAL;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Elements of a run that one work-item sorts, and makes of a merged pair. Odd, so that those of neighbouring work-items
/// are in different banks.
const RUN: i64 = 7;
/// [`RUN`] for a group with several short rows: a row of 32 elements then takes one merge less.
const SHORT_RUN: i64 = 8;
/// Bytes of local memory for a tile of a longer row: two halves. A scan needs its share of what every device has.
const TILE: i64 = 28 * 1024;
const TILE_BESIDE_SCANS: i64 = TILE / 4;

/// The data to be sorted: elements, or pairs of these and their indices.
struct Sorted<'a, 'k> {
    before: &'a Closure<'k>,
    positions: bool,
    /// Two halves, each as long as the row: a merge reads one and writes the other.
    both: Place,
    n: Size,
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// Whether an operator is a sort that the group shares.
    pub fn sorts_together(&self, call: &PrimCall) -> bool {
        matches!(call.prim, Prim::Sort | Prim::Argsort) && self.team().is_some()
    }
}

/// Sorts a row. Every work-item of the group must execute it.
pub fn sort_in_group<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
    positions: bool,
) -> Result<()> {
    let xs = f.atom(&call.args[0], env)?;
    let xs = f.array(&xs)?;
    let before = Closure { lambda: &call.funs[0], env: env.clone() };
    f.runs_together();
    let n = xs.len.clone();
    let element = f.kernel().atom_ty(&call.args[0]).as_array().map(|a| a.element.clone());
    let element = element.unwrap_or_else(Ty::int);
    let element = if positions { Ty::tuple(vec![element, Ty::int()]) } else { element };
    let both = f.allocate_for_group(&Ty::array(element.clone(), n.add(&n)), "sorted")?;
    let sorted = Sorted { before: &before, positions, both, n: n.clone() };
    let tile = if is_local(&sorted.both) { None } else { tile_to_sort(f, &element)? };
    let result = f.by_group(|b| sorted.sort_together(b, &xs, tile, dest));
    f.share_memory();
    result
}

impl<'k> Sorted<'_, 'k> {
    fn place_of(&self, f: &mut FunctionBuilder<'_, 'k>, at: Expr) -> Result<Place> {
        let Layout::Array { capacity, element, .. } = &*self.both.layout else {
            return Err(f.error("sort", "there is no memory for the sort"));
        };
        let (capacity, element) = (capacity.clone(), element.clone());
        let at = f.index_below("at", at, &capacity);
        let at = f.facts().simplify(&self.both.at.mul(&capacity).add(&at));
        Ok(Place { layout: element, at })
    }
}

impl<'k> Sorted<'_, 'k> {
    fn sort_together(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        tile: Option<(i64, Place)>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let n = self.n.clone();
        let from = match tile {
            None => {
                self.load_together(f, xs, &Size::zero())?;
                f.fence(&self.both);
                self.sort_runs_together(f)?;
                f.fence(&self.both);
                self.merge_rounds(f, run(f))?
            }
            Some((in_tile, place)) => {
                let len = f.size(&n)?;
                f.for_range("start", Expr::int(0), &n, Step::Add(Expr::int(in_tile)), |b, start| {
                    let first = b.size(start)?;
                    let rest =
                        b.bind("rest", CType::Int, Expr::call("min", [Expr::int(in_tile), len.sub(first.clone())]));
                    let rest = b.index_var("rest", rest);
                    b.known_mut().assume_range(rest.clone(), Some(Size::zero()), Some(n.sub(start)));
                    let part = Sorted { both: place, n: Size::var(rest), ..*self };
                    part.load_together(b, xs, start)?;
                    b.fence(&part.both);
                    part.sort_runs_together(b)?;
                    b.fence(&part.both);
                    let from = part.merge_rounds(b, RUN)?;
                    for_group_items(b, &part.n, |b, i| {
                        let at = b.size(i)?;
                        let x = part.get(b, from.clone().add(at.clone()))?;
                        self.put(b, first.add(at), &x)
                    })?;
                    b.fence(&part.both);
                    Ok(())
                })?;
                f.fence(&self.both);
                self.merge_rounds(f, in_tile)?
            }
        };
        for_group_items(f, &n, |b, i| {
            let at = b.size(i)?;
            let x = self.get(b, from.clone().add(at))?;
            let x = match &x {
                Value::Tuple(pair) if self.positions => pair[1].clone(),
                _ => x,
            };
            let to = b.dest_at(dest, i)?;
            b.copy(&x, &to)
        })?;
        f.fence(&self.both);
        Ok(())
    }

    /// Reads the elements from `start` on into the first half.
    fn load_together(&self, f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, start: &Size) -> Result<()> {
        for_group_items(f, &self.n, |b, i| {
            let at = b.size(i)?;
            let place = start.add(i);
            let x = b.read(xs, &place)?;
            let x = match self.positions {
                true => Value::Tuple(vec![x, Value::computed(Scalar::Int, b.size(&place)?)]),
                false => x,
            };
            let x = b.named_scalar(&x, "x")?;
            self.put(b, at.clone(), &x)?;
            if !merges_chunks(b) {
                // Initialise both halves, because a function that is not a strict weak order may leave slots unwritten.
                let other = at.add(b.size(&self.n)?);
                self.put(b, other, &x)?;
            }
            Ok(())
        })
    }

    /// Merges sorted runs of `first` elements, until there is one; gives the start of the half where it is.
    fn merge_rounds(&self, f: &mut FunctionBuilder<'_, 'k>, first: i64) -> Result<Expr> {
        let n = self.n.clone();
        let len = f.size(&n)?;
        let from = Expr::Var(f.variable("from", CType::Int, Some(Expr::int(0))));
        let to = Expr::Var(f.variable("to", CType::Int, Some(len.clone())));
        let width = Expr::Var(f.variable("width", CType::Int, Some(Expr::int(first))));
        let (body, ()) = f.scope(|b| {
            b.in_loop(|b| {
                if merges_chunks(b) {
                    for_group_items(b, &chunks(&n, RUN), |b, chunk| {
                        let chunk = b.size(chunk)?;
                        self.merge_chunk(b, chunk, (&from, &to), &width)
                    })?;
                } else {
                    for_group_items(b, &n, |b, i| {
                        let i = b.size(i)?;
                        self.merge_one(b, i, (&from, &to), &width)
                    })?;
                }
                b.fence(&self.both);
                let other = len.clone().sub(from.clone());
                b.assign(to.clone(), from.clone());
                b.assign(from.clone(), other);
                // The width never exceeds the length, so that it does not overflow.
                let half = len.clone().sub(width.clone());
                b.assign(width.clone(), width.clone().add(Expr::call("min", [width.clone(), half])));
                Ok(())
            })
        })?;
        f.emit(StmtKind::While { condition: width.clone().lt(len), body });
        Ok(from)
    }

    fn put(&self, f: &mut FunctionBuilder<'_, 'k>, at: Expr, x: &Value<'k>) -> Result<()> {
        let to = self.place_of(f, at)?;
        f.copy(x, &Dest::Place(to))
    }

    fn get(&self, f: &mut FunctionBuilder<'_, 'k>, at: Expr) -> Result<Value<'k>> {
        let from = self.place_of(f, at)?;
        let x = f.load(&from)?;
        let x = f.force(&x)?;
        f.named_scalar(&x, "x")
    }

    /// The condition that `x` goes before `y`.
    fn is_before(&self, f: &mut FunctionBuilder<'_, 'k>, x: &Value<'k>, y: &Value<'k>) -> Result<Expr> {
        let both = [x, y].map(|v| match v {
            Value::Tuple(pair) if self.positions => pair[0].clone(),
            _ => v.clone(),
        });
        let result = f.call(self.before, &both)?;
        let result = f.scalar_of(&result)?;
        f.scalar(&result)
    }

    /// Sorts each run by insertion, in the first half.
    fn sort_runs_together(&self, f: &mut FunctionBuilder<'_, 'k>) -> Result<()> {
        let len = f.size(&self.n)?;
        let each = run(f);
        for_group_items(f, &chunks(&self.n, each), |b, run| {
            let run = b.size(run)?;
            let start = b.bind("start", CType::Int, times(run, each));
            let end = Expr::call("min", [Expr::int(each), len.clone().sub(start.clone())]);
            let end = b.bind("end", CType::Int, start.clone().add(end));
            let end = Size::var(b.index_var("end", end));
            b.for_range("i", start.clone().add(Expr::int(1)), &end, Step::Increment, |b, i| {
                let i = b.size(i)?;
                let x = self.get(b, i.clone())?;
                let hole = Expr::Var(b.variable("hole", CType::Int, Some(i)));
                let (body, ()) = b.scope(|b| {
                    let previous = self.get(b, hole.clone().sub(Expr::int(1)))?;
                    let ahead = self.is_before(b, &x, &previous)?;
                    let stop = vec![StmtKind::Break.at(&b.origin())];
                    b.emit_if(ahead.not(), stop, Vec::new());
                    self.put(b, hole.clone(), &previous)?;
                    b.assign(hole.clone(), hole.clone().sub(Expr::int(1)));
                    Ok(())
                })?;
                b.emit(StmtKind::While { condition: start.clone().lt(hole.clone()), body });
                self.put(b, hole, &x)
            })
        })
    }

    /// Makes a chunk of [`RUN`] elements of the merged pairs of runs.
    fn merge_chunk(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        chunk: Expr,
        (from, to): (&Expr, &Expr),
        width: &Expr,
    ) -> Result<()> {
        let min = |a: Expr, b: Expr| Expr::call("min", [a, b]);
        let len = f.size(&self.n)?;
        let start = f.bind("start", CType::Int, times(chunk, RUN));
        let end = f.bind("end", CType::Int, start.clone().add(min(Expr::int(RUN), len.clone().sub(start.clone()))));
        let run = f.bind("run", CType::Int, start.clone().div(width.clone()));
        let odd = Expr::binary(BinaryOp::BitAnd, run.clone(), Expr::int(1));
        let first = f.bind("first", CType::Int, run.sub(odd).mul(width.clone()));
        let left = f.bind("left", CType::Int, min(width.clone(), len.clone().sub(first.clone())));
        let middle = f.bind("middle", CType::Int, first.clone().add(left.clone()));
        let right = f.bind("right", CType::Int, min(width.clone(), len.clone().sub(middle.clone())));
        // Of this many elements of the pair, `low` are from the left run.
        let before = f.bind("before", CType::Int, start.clone().sub(first.clone()));
        let none = Expr::call("max", [Expr::int(0), before.clone().sub(right.clone())]);
        let low = Expr::Var(f.variable("low", CType::Int, Some(none)));
        let high = Expr::Var(f.variable("high", CType::Int, Some(min(before.clone(), left))));
        let (body, ()) = f.scope(|b| {
            b.in_loop(|b| {
                let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
                let m = b.bind("m", CType::Int, low.clone().add(half));
                let x = self.get(b, from.clone().add(first.clone().add(m.clone())))?;
                let other = middle.clone().add(before.clone().sub(Expr::int(1)).sub(m.clone()));
                let y = self.get(b, from.clone().add(other))?;
                // Of equal elements, those of the left run come first.
                let later = self.is_before(b, &y, &x)?;
                let (down, ()) = b.scope(|b| {
                    b.assign(high.clone(), m.clone());
                    Ok(())
                })?;
                let (up, ()) = b.scope(|b| {
                    b.assign(low.clone(), m.clone().add(Expr::int(1)));
                    Ok(())
                })?;
                b.emit_if(later, down, up);
                Ok(())
            })
        })?;
        f.emit(StmtKind::While { condition: low.clone().lt(high.clone()), body });
        let end_of_pair = f.bind("end_of_pair", CType::Int, middle.clone().add(right));
        let i = Expr::Var(f.variable("i", CType::Int, Some(first.add(low.clone()))));
        let j = Expr::Var(f.variable("j", CType::Int, Some(middle.clone().add(before.sub(low)))));
        // Past the end of a run, its last element is read again, or one of another run.
        let of_left = |i: Expr| from.clone().add(min(i, middle.clone().sub(Expr::int(1))));
        let of_right = |j: Expr| from.clone().add(min(j, len.clone().sub(Expr::int(1))));
        let (x, y) = (self.get(f, of_left(i.clone()))?, self.get(f, of_right(j.clone()))?);
        let (Some(x), Some(y)) = (f.registers_with(&x, "x")?, f.registers_with(&y, "y")?) else {
            return Err(f.error("sort", "an element has no registers"));
        };
        let end = Size::var(f.index_var("end", end));
        f.for_range("at", start, &end, Step::Increment, |b, at| {
            let at = b.size(at)?;
            let earlier = self.is_before(b, &y, &x)?;
            let from_left = i.clone().lt(middle.clone()).and(earlier.not());
            let from_left = b.bind("from_left", CType::Bool, end_of_pair.clone().le(j.clone()).or(from_left));
            let least = b.select(&from_left, &x, &y)?;
            self.put(b, to.clone().add(at), &least)?;
            let (next_left, ()) = b.scope(|b| {
                b.assign(i.clone(), i.clone().add(Expr::int(1)));
                let next = self.get(b, of_left(i.clone()))?;
                b.assign_registers(&x, &next)
            })?;
            let (next_right, ()) = b.scope(|b| {
                b.assign(j.clone(), j.clone().add(Expr::int(1)));
                let next = self.get(b, of_right(j.clone()))?;
                b.assign_registers(&y, &next)
            })?;
            b.emit_if(from_left, next_left, next_right);
            Ok(())
        })
    }

    /// Moves element `i` to its index in the merged pair: the number of elements before it in both runs.
    fn merge_one(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        i: Expr,
        (from, to): (&Expr, &Expr),
        width: &Expr,
    ) -> Result<()> {
        let len = f.size(&self.n)?;
        let run = f.bind("run", CType::Int, i.clone().div(width.clone()));
        let odd = Expr::binary(BinaryOp::BitAnd, run.clone(), Expr::int(1));
        let right = f.bind("right", CType::Bool, odd.eq(Expr::int(1)));
        let first = run.sub(right.clone().cast(CType::Int)).mul(width.clone());
        let first = f.bind("first", CType::Int, first);
        let middle = first.clone().add(Expr::call("min", [width.clone(), len.clone().sub(first.clone())]));
        let middle = f.bind("middle", CType::Int, middle);
        let end = middle.clone().add(Expr::call("min", [width.clone(), len.sub(middle.clone())]));
        let low = right.clone().select(first.clone(), middle.clone());
        let high = right.clone().select(middle.clone(), end);
        let low = Expr::Var(f.variable("low", CType::Int, Some(low)));
        let high = Expr::Var(f.variable("high", CType::Int, Some(high)));
        let other = f.bind("other", CType::Int, low.clone());
        let x = self.get(f, from.clone().add(i.clone()))?;
        let (body, ()) = f.scope(|b| {
            b.in_loop(|b| {
                let half = Expr::binary(BinaryOp::Div, high.clone().sub(low.clone()), Expr::int(2));
                let m = b.bind("m", CType::Int, low.clone().add(half));
                let y = self.get(b, from.clone().add(m.clone()))?;
                // Of equal elements, those of the left run come first.
                let before_x = Expr::Var(b.variable("before_x", CType::Bool, None));
                let (of_left, ()) = b.scope(|b| {
                    let later = self.is_before(b, &x, &y)?;
                    b.assign(before_x.clone(), later.not());
                    Ok(())
                })?;
                let (of_right, ()) = b.scope(|b| {
                    let earlier = self.is_before(b, &y, &x)?;
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
                Ok(())
            })
        })?;
        f.emit(StmtKind::While { condition: low.clone().lt(high.clone()), body });
        let own = right.select(i.clone().sub(middle), i.sub(first.clone()));
        let at = f.bind("at", CType::Int, first.add(own).add(low.sub(other)));
        self.put(f, to.clone().add(at), &x)
    }
}

/// The number of elements of a tile, and local memory for two halves of that length; `None` if there is too little
/// memory.
fn tile_to_sort(f: &mut FunctionBuilder, element: &Ty) -> Result<Option<(i64, Place)>> {
    let mut scans = false;
    f.kernel().body.visit(&mut |stmt| {
        scans |= matches!(&stmt.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::Scan(_) | Prim::ScanExcl(_)));
    });
    let bytes = 2 * bytes(element).unwrap_or(0) as i64;
    let most = if scans { TILE_BESIDE_SCANS } else { TILE };
    let room = most.min(LEAST_LOCAL - f.own().local_bytes() as i64) / f.grid().rows_of_group().max(1);
    let mut len = RUN;
    while bytes > 0 && 2 * len * bytes <= room {
        len *= 2;
    }
    if len < 4 * RUN || f.grid().rows_of_group() > 1 {
        return Ok(None);
    }
    let place = f.allocate_for_group(&Ty::array(element.clone(), Size::int(2 * len)), "tile")?;
    Ok(Some((len, place)))
}

/// Whether a work-item makes consecutive elements.
fn merges_chunks(f: &FunctionBuilder) -> bool {
    f.grid().rows_of_group() == 1
}

/// Elements of a run that one work-item sorts.
fn run(f: &FunctionBuilder) -> i64 {
    if merges_chunks(f) { RUN } else { SHORT_RUN }
}

fn for_group_items<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    n: &Size,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size) -> Result<()>,
) -> Result<()> {
    let step = Step::Add(crate::lower::device_filter::local_size());
    f.for_range("i", item(), n, step, body)
}

/// The number of chunks of `each` elements.
fn chunks(n: &Size, each: i64) -> Size {
    n.add(&Size::int(each - 1)).div_floor(&Size::int(each))
}

fn is_local(place: &Place) -> bool {
    let mut memories = Vec::new();
    place.layout.memories(&mut memories);
    memories.iter().all(|m| matches!(m.root, Root::Array { local: true, .. }))
}
