//! Sorts of rows, one row a lane: a network of comparisons that are the same for all rows, so each is a vector.
//!
//! The network is Batcher's odd-even merge for any length (Knuth, *The Art of Computer Programming* 3, algorithm 5.2.2M).
//! It moves keys with their positions; of equal keys the one with the lower position comes first, so it is stable.

use super::super::Result;
use super::super::function::FunctionBuilder;
use super::super::value::{Array, Dest, Value};
use super::along::Span;
use super::keys::keys_of;
use super::lanes::{Columns, Lanes, WIDTH};
use super::roles::LONGEST;
use crate::core::{Prim, PrimCall, Stmt};
use crate::lower::sort::number_in;
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// The element of a lane at some place of its row.
fn cell<'k>(b: &mut FunctionBuilder<'_, 'k>, columns: &Columns, k: &Size, lane: &Size) -> Result<Dest<'k>> {
    b.dest_at(&Dest::Place(columns.place.clone()), &k.mul(&Size::int(WIDTH)).add(lane))
}

fn number_at(b: &mut FunctionBuilder<'_, '_>, columns: &Columns, k: &Size, lane: &Size) -> Result<Expr> {
    let Dest::Place(place) = cell(b, columns, k, lane)? else {
        return Err(b.error("sort", "the keys of a sort are not in memory"));
    };
    let value = b.load(&place)?;
    let value = b.scalar_of(&value)?;
    b.scalar(&value)
}

fn columns(b: &mut FunctionBuilder<'_, '_>, element: &Ty, n: &Size, name: &str) -> Result<Columns> {
    let all = Size::min(n, &Size::int(LONGEST)).mul(&Size::int(WIDTH));
    Ok(Columns { place: b.allocate_private(&Ty::array(element.clone(), all), name)? })
}

impl<'a, 'k> Lanes<'a, 'k> {
    /// Sorts the rows of all lanes; the sorted rows, or their positions, are the result.
    pub fn sort(&self, b: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt, call: &'k PrimCall) -> Result<Columns> {
        let array = b.kernel().atom_ty(&call.args[0]);
        let found = array.as_array().and_then(|a| Some((a.element.clone(), keys_of(&call.funs[0], &a.element)?)));
        let Some((element, (order, keys))) = found else {
            return Err(b.error("sort", "the order of a sort changed after it was recognised"));
        };
        let n = self.rounds(b, call);
        let of_keys = columns(b, &Ty::scalar(keys.ty()), &n, "keys")?;
        let places = columns(b, &Ty::int(), &n, "places")?;
        b.for_range("k", Expr::int(0), &n, Step::Increment, |b, k| {
            self.each_row(b, |b, lane, row| {
                let xs = self.to_sort(b, stmt, call, row)?;
                let x = b.read(&xs, k)?;
                let number = number_in(b, &x, &order)?;
                let number = b.bind("number", CType::of(keys.number), number);
                let to = cell(b, &of_keys, k, lane)?;
                b.copy(&Value::computed(keys.ty(), keys.of(number)), &to)?;
                let to = cell(b, &places, k, lane)?;
                b.copy(&Value::size(k.clone()), &to)
            })
        })?;
        network(b, &n, &of_keys, &places, CType::of(keys.ty()))?;
        if call.prim == Prim::Argsort {
            return Ok(places);
        }
        let sorted = columns(b, &element, &n, "sorted")?;
        b.for_range("k", Expr::int(0), &n, Step::Increment, |b, k| {
            self.each_row(b, |b, lane, row| {
                let xs = self.to_sort(b, stmt, call, row)?;
                let from = number_at(b, &places, k, lane)?;
                let from = b.index_below("from", from, &xs.len);
                let x = b.read(&xs, &from)?;
                let to = cell(b, &sorted, k, lane)?;
                b.copy(&x, &to)
            })
        })?;
        Ok(sorted)
    }

    /// A loop over [`WIDTH`] lanes; those after the last have the last row.
    fn each_row(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size, &Size) -> Result<()>,
    ) -> Result<()> {
        b.for_range("l", Expr::int(0), &Size::int(WIDTH), Step::Increment, |b, lane| {
            let at = self.span.from.clone().add(b.size(lane)?);
            let last = self.span.to.clone().sub(Expr::int(1));
            let row = b.index_below("row", Expr::call("min", [at, last]), &self.span.of);
            body(b, lane, &row)
        })
    }

    /// The row that a lane sorts.
    fn to_sort(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        row: &Size,
    ) -> Result<Array<'k>> {
        let mut env = self.env(b, row)?;
        self.needed(b, self.block(), Some(stmt), &mut env, row)?;
        let xs = b.atom(&call.args[0], &env)?;
        b.array(&xs)
    }
}

/// The comparisons: keys `i` and `i + d` of all rows change places if they are in the wrong order.
fn network(b: &mut FunctionBuilder<'_, '_>, n: &Size, keys: &Columns, places: &Columns, key: CType) -> Result<()> {
    let length = b.length(n)?;
    let (int, var) = (CType::Int, Expr::Var);
    let half = |e: &Expr| Expr::binary(BinaryOp::Div, e.clone(), Expr::int(2));
    let top = var(b.variable("top", int, Some(Expr::int(1))));
    let (grow, ()) = b.scope(|b| {
        b.assign(top.clone(), top.clone().mul(Expr::int(2)));
        Ok(())
    })?;
    b.emit(StmtKind::While { condition: top.clone().lt(length.clone().sub(top.clone())), body: grow });
    let p = var(b.variable("p", int, Some(top.clone())));
    let (rounds, ()) = b.in_loop(|b| {
        b.scope(|b| {
            let q = var(b.variable("q", int, Some(top.clone())));
            let r = var(b.variable("r", int, Some(Expr::int(0))));
            let d = var(b.variable("d", int, Some(p.clone())));
            let (steps, ()) = b.scope(|b| {
                let last = length.clone().sub(d.clone());
                let apart = Size::var(b.index_var("d", d.clone()));
                Span { from: Expr::int(0), to: last, of: n.clone() }.for_each(b, None, |b, i| {
                    let (step, ()) = b.scope(|b| exchange(b, (i, &i.add(&apart)), keys, places, key))?;
                    let bit = Expr::binary(BinaryOp::BitAnd, b.size(i)?, p.clone());
                    b.emit_if(bit.eq(r.clone()), step, Vec::new());
                    Ok(())
                })?;
                let leave = vec![StmtKind::Break.at(&b.origin())];
                b.emit_if(q.clone().eq(p.clone()), leave, Vec::new());
                b.assign(d.clone(), q.clone().sub(p.clone()));
                b.assign(q.clone(), half(&q));
                b.assign(r.clone(), p.clone());
                Ok(())
            })?;
            b.emit(StmtKind::While { condition: Expr::Bool(true), body: steps });
            b.assign(p.clone(), half(&p));
            Ok(())
        })
    })?;
    b.emit(StmtKind::While { condition: Expr::int(0).lt(p), body: rounds });
    Ok(())
}

fn exchange(
    b: &mut FunctionBuilder<'_, '_>,
    (i, j): (&Size, &Size),
    keys: &Columns,
    places: &Columns,
    key: CType,
) -> Result<()> {
    b.for_range("l", Expr::int(0), &Size::int(WIDTH), Step::Increment, |b, lane| {
        let mut both = Vec::new();
        for (columns, ty, name) in [(keys, key, "key"), (places, CType::Int, "place")] {
            let (x, y) = (number_at(b, columns, i, lane)?, number_at(b, columns, j, lane)?);
            both.push((b.bind(name, ty, x.clone()), b.bind(name, ty, y.clone()), x, y));
        }
        let ((a, c, ..), (p, q, ..)) = (&both[0], &both[1]);
        let later = c.clone().eq(a.clone()).and(q.clone().lt(p.clone()));
        let swap = b.bind("swap", CType::Bool, c.clone().lt(a.clone()).or(later));
        for (first, second, x, y) in both {
            b.assign(x, swap.clone().select(second.clone(), first.clone()));
            b.assign(y, swap.clone().select(first, second));
        }
        Ok(())
    })
}
