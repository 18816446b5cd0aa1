//! The share of a row that each work-item folds, and the combination of a team's results.

use super::{Folded, Stage, Teams};
use crate::lower::Result;
use crate::lower::flagged::flagged;
use crate::lower::function::FunctionBuilder;
use crate::lower::instructions::in_flight;
use crate::lower::tile::min;
use crate::lower::value::{Array, Closure, Dest, Env, Place, Value, View};
use crate::opencl::{BinaryOp, CType, Expr, Step};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

impl FunctionBuilder<'_, '_> {
    /// Splits a number into row and part; parts of neighbouring rows have neighbouring numbers.
    pub(super) fn row_and_part(&mut self, number: &Expr, rows: &Size) -> Result<(Size, Size)> {
        let n = self.size(rows)?;
        let row = self.number("row", number.clone().rem(n.clone()), &rows.sub(&Size::one()));
        let part = self.bind("part", CType::Int, number.clone().div(n));
        let part = self.index_var("part", part);
        self.known_mut().assume_le(Size::zero(), Size::var(part.clone()));
        Ok((row, Size::var(part)))
    }
}

impl<'k> Folded<'k> {
    /// Folds this work-item's share of the row.
    pub(super) fn share(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        at: &Size,
        team: &Size,
        in_team: &Size,
        part: Option<&Size>,
        (acc, z): (&Value<'k>, &Value<'k>),
    ) -> Result<()> {
        let env = self.row_env(b, at, &self.before().map(|s| s.var).collect())?;
        let xs = self.elements(b, at, &env)?;
        let k = match (&self.stage, &self.length) {
            (Stage::Rest(..), _) | (_, None) => &xs.len.clone(),
            (_, Some(length)) => length,
        };
        let f = Closure { lambda: &self.fold.funs[0], env };
        let (mine, team_expr, k_expr) = (b.size(in_team)?, b.size(team)?, b.size(k)?);
        let fold = |b: &mut FunctionBuilder<'_, 'k>, x: Value<'k>| -> Result<()> {
            let next = b.call(&f, &[acc.clone(), x])?;
            let next = b.contracted(next);
            b.assign_registers(acc, &next)
        };
        let in_order = !f.lambda.is_commutative(b.kernel()) || self.teams == Teams::Columns;
        let bounds = self.bounds_of_part(b, part, (k, &k_expr))?;
        if !in_order {
            let (from, to) = match &bounds {
                None => (mine, k.clone()),
                Some((from, to)) => (b.size(from)?.add(mine), to.clone()),
            };
            return flagged(
                b,
                |b| b.assign_registers(acc, z),
                |b| {
                    // The elements of rows of different lengths are often read by index, in loops that may run twice; a part has
                    // a constant step, so that the device's compiler writes out several rounds.
                    if self.length.is_none() || !matches!(self.stage, Stage::Whole) {
                        return b.for_range("k", from.clone(), &to, Step::Add(team_expr.clone()), |b, i| {
                            if let Some((first, _)) = &bounds {
                                b.known_mut().assume_le(first.clone(), i.clone());
                            }
                            let x = b.read(&xs, i)?;
                            fold(b, x)
                        });
                    }
                    let from = b.bind("from", CType::Int, from.clone());
                    let from = b.number("from", from, &to);
                    process(b, &Share::Apart { from: &from, to: &to, step: team }, &xs, fold)
                },
            );
        }
        let (first, end) = match &bounds {
            None => (Size::zero(), k.clone()),
            Some((first, end)) => (first.clone(), end.clone()),
        };
        let (first_expr, end_expr) = (b.size(&first)?, b.size(&end)?);
        let count = match &bounds {
            None => k_expr.clone(),
            Some(_) => b.bind("count", CType::Int, end_expr.clone().sub(first_expr.clone())),
        };
        let piece = count.clone().add(team_expr.clone()).sub(Expr::int(1)).div(team_expr);
        let piece = b.bind("piece", CType::Int, piece);
        let from = min(Expr::binary(BinaryOp::Mul, mine, piece.clone()), count);
        let from = match &bounds {
            None => from,
            Some(_) => first_expr.add(from),
        };
        let from = b.number("from", from, k);
        let from_expr = b.size(&from)?;
        let to = from_expr.clone().add(min(piece, end_expr.sub(from_expr.clone())));
        let to = b.number("to", to, k);
        if self.teams == Teams::Columns {
            return process(b, &Share::Adjacent { from: &from, to: &to, len: k }, &xs, fold);
        }
        b.for_range("k", from_expr, &to, Step::Increment, |f, i| {
            f.known_mut().assume_le(from.clone(), i.clone());
            let x = f.read(&xs, i)?;
            fold(f, x)
        })
    }

    /// The elements that are folded for a row: its own, or the results of its parts.
    fn elements(&self, b: &mut FunctionBuilder<'_, 'k>, at: &Size, env: &Env<'k>) -> Result<Array<'k>> {
        match &self.stage {
            Stage::Rest(parts, place) => {
                let parts = b.host_size(parts, "parts")?;
                let base = at.mul(&parts);
                Ok(Array::new(parts, View::Stored { element: place.layout.clone(), base }))
            }
            _ => {
                let xs = b.atom(&self.fold.args[1], env)?;
                b.array(&xs)
            }
        }
    }

    /// The first element of a part of a row of `k` elements, and the one after the last; `None` if rows have no parts.
    fn bounds_of_part(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        part: Option<&Size>,
        (k, k_expr): (&Size, &Expr),
    ) -> Result<Option<(Size, Size)>> {
        match (part, &self.stage) {
            (Some(part), Stage::Parts(parts, _)) => {
                let (part, parts) = (b.size(part)?, b.host_size(parts, "parts")?);
                let parts = b.size(&parts)?;
                let piece = k_expr.clone().sub(Expr::int(1)).div(parts).add(Expr::int(1));
                let piece = b.bind("of_part", CType::Int, piece);
                let from = min(Expr::binary(BinaryOp::Mul, part, piece.clone()), k_expr.clone());
                let from = b.number("first", from, k);
                let from_expr = b.size(&from)?;
                let to = from_expr.clone().add(min(piece, k_expr.clone().sub(from_expr)));
                Ok(Some((from, b.number("last", to, k))))
            }
            _ => Ok(None),
        }
    }

    /// Combines the values of a team, neighbours first; the first work-item has the result.
    pub(super) fn meet(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        slots: &Place,
        item: &Expr,
        in_team: &Size,
        team: &Size,
        acc: &Value<'k>,
    ) -> Result<()> {
        let f = Closure { lambda: &self.fold.funs[0], env: self.env.clone() };
        let item = b.number("item", item.clone(), &Size::int(self.items - 1));
        let slot = |at: Size| Place { layout: slots.layout.clone(), at };
        b.copy(acc, &Dest::Place(slot(item.clone())))?;
        b.barrier(true, false);
        b.for_range("d", Expr::int(1), team, Step::Double, |b, d| {
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

/// The elements that a work-item folds.
enum Share<'s> {
    /// `from`, `from + step` and so on up to `to`.
    Apart { from: &'s Size, to: &'s Size, step: &'s Size },
    /// From `from` to `to`, in a row of length `len`.
    Adjacent { from: &'s Size, to: &'s Size, len: &'s Size },
}

/// Processes the elements in this order, with several loads in flight.
fn process<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    share: &Share,
    xs: &Array<'k>,
    mut each: impl FnMut(&mut FunctionBuilder<'_, 'k>, Value<'k>) -> Result<()>,
) -> Result<()> {
    let (from, to, most, loads) = match share {
        Share::Apart { from, to, .. } => (*from, *to, *to, Parameter::RowsFlight),
        Share::Adjacent { from, to, len } => (*from, *to, *len, Parameter::RowsLoads),
    };
    let loads = in_flight(xs, f.parameter(loads));
    let from_expr = f.size(from)?;
    let step = match share {
        Share::Apart { step, .. } => Some(f.size(step)?),
        Share::Adjacent { .. } => None,
    };
    let left = f.size(to)?.sub(from_expr.clone());
    let count = match &step {
        Some(step) => {
            let left = left.add(step.clone()).sub(Expr::int(1));
            Expr::call("max", [left.div(step.clone()), Expr::int(0)])
        }
        None => left,
    };
    let count = f.bind("count", CType::Int, count);
    let whole = f.bind("whole", CType::Int, count.clone().sub(count.clone().rem(Expr::int(loads))));
    let [all, in_rounds] = [("count", count), ("whole", whole.clone())].map(|(name, e)| f.number(name, e, most));
    let read = |b: &mut FunctionBuilder<'_, 'k>, t: &Size| {
        let i = match &step {
            Some(step) => {
                let at = Expr::binary(BinaryOp::Mul, b.size(t)?, step.clone());
                b.number("i", from_expr.clone().add(at), &to.sub(&Size::one()))
            }
            None => from.add(t),
        };
        b.read(xs, &i)
    };
    // The elements of a round are in the row.
    let assume = |b: &mut FunctionBuilder<'_, 'k>, t: &Size, n: i64| {
        if let Share::Adjacent { from, len, .. } = share {
            b.known_mut().assume_le(from.add(t).add(&Size::int(n)), (*len).clone());
        }
    };
    f.for_range("t", Expr::int(0), &in_rounds, Step::Add(Expr::int(loads)), |b, t| {
        assume(b, t, loads);
        let mut elements = Vec::new();
        for n in 0..loads {
            let x = read(b, &t.add(&Size::int(n)))?;
            elements.push(b.named_scalar(&x, "x")?);
        }
        elements.into_iter().try_for_each(|x| each(b, x))
    })?;
    f.for_range("t", whole, &all, Step::Increment, |b, t| {
        assume(b, t, 1);
        let x = read(b, t)?;
        each(b, x)
    })
}
