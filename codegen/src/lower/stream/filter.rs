//! `filter` in a single pass.

use super::single_pass::{single_pass, state_size};
use super::tile::{Shape, TILED, bytes};
use crate::core::{PrimCall, Stmt};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Closure, Dest, Env, Place};
use crate::opencl::{BinaryOp, CType, Expr, Helper, Storage};
use crate::plan::BufferRole;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// The tiles of a single-pass filter between elements of these types; `None` if it is not possible.
fn shape(host: &Host<'_>, from: &Ty, to: &Ty) -> Option<Shape> {
    let target = &host.program.target;
    if !target.single_pass {
        return None;
    }
    Shape::of(target, bytes(from)?.max(bytes(to)?))
}

impl<'k> Host<'k> {
    /// Filters in one launch if possible; returns whether it did. Each group reads a tile, tests its elements, ranks
    /// the kept ones within the tile, gathers them in local memory, looks back for the number kept before, and writes.
    pub fn filter_in_one_pass(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        xs: &Array<'k>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let from = kernel.atom_ty(&call.args[0]).as_array().map(|a| a.element.clone());
        let to = match kernel.ty(stmt.var).kind() {
            lift_analysis::ty::TyKind::Exists(_, body) => body.as_array().map(|a| a.element.clone()),
            _ => None,
        };
        let (Some(from), Some(to)) = (from, to) else { return Ok(false) };
        let Some(shape) = shape(self, &from, &to) else { return Ok(false) };
        let tiles = shape.tiles(&self.most(stmt, &xs.len)?);
        let p = Closure { lambda: &call.funs[0], env: env.clone() };
        let out = call.funs.get(1).map(|f| Closure { lambda: f, env: env.clone() });
        let name = kernel.name_of(stmt.var).to_string();
        let state = format!("{name}_state");
        let state = self.program.buffer(&state, Scalar::Long, state_size(&tiles), BufferRole::State);
        let title = Title { name: &name, label: "filter", origin: &stmt.origin };
        self.launch(&title, TILED, shape.local(), |f| {
            let body = f.dest_body(dest)?;
            let Some(staged) = f.element_arrays(&to, "staged", Storage::Local, shape.elements()) else {
                return Err(f.error("filter", "these elements cannot be gathered in local memory"));
            };
            let sums = f.declare_array("sums", Storage::Local, CType::ULong, 2 * u64::from(shape.group));
            single_pass(f, state, shape, &xs.len, &tiles, |f, shared, tile| {
                let Some(own) = f.element_arrays(&from, "x", Storage::Private, shape.each()) else {
                    return Err(f.error("filter", "these elements cannot be kept in registers"));
                };
                // One bit for each element: whether it is kept.
                let keep = Expr::Var(f.variable("keep", CType::UInt, Some(Expr::UInt(0))));
                let test = |f: &mut FunctionBuilder<'_, 'k>, at: Expr| {
                    let x = f.slot_at(&own, at.clone());
                    let x = f.load(&x)?;
                    let passes = f.call(&p, &[x])?;
                    let passes = f.scalar_of(&passes)?;
                    let passes = f.scalar(&passes)?;
                    let bit = Expr::binary(BinaryOp::Shl, passes.cast(CType::UInt), at);
                    f.assign(keep.clone(), Expr::binary(BinaryOp::BitOr, keep.clone(), bit));
                    Ok(())
                };
                tile.load_tile(f, xs, &own, None, Some(&test))?;
                let ranks = f.declare_array("ranks", Storage::Private, CType::Int, shape.fours.into());
                let fours = Expr::int(shape.fours.into());
                let args =
                    [Expr::Var(sums), keep.clone(), fours, Expr::Var(ranks.clone()), Expr::int(shape.group.into())];
                let kept = f.call_helper(Helper::Ranks, args);
                let kept = f.bind("kept", CType::Int, kept);
                shared.publish_own(f, tile, kept.clone().cast(CType::UInt))?;
                f.written_out("k", shape.fours, |f, k| {
                    let rank = Expr::Var(f.variable("rank", CType::Int, Some(Expr::Var(ranks).index(k.clone()))));
                    f.written_out("j", 4, |f, j| {
                        let at = Expr::binary(BinaryOp::Mul, k, Expr::int(4)).add(j);
                        let bit = Expr::binary(BinaryOp::Shr, keep.clone(), at.clone());
                        let is_kept = Expr::binary(
                            BinaryOp::Ne,
                            Expr::binary(BinaryOp::BitAnd, bit, Expr::UInt(1)),
                            Expr::UInt(0),
                        );
                        f.provided(is_kept, |f| {
                            let x = f.slot_at(&own, at);
                            let x = f.load(&x)?;
                            let slot = Dest::Place(f.slot_at(&staged, rank.clone()));
                            match &out {
                                Some(g) => f.call_into(g, &[x], &slot)?,
                                None => f.copy(&x, &slot)?,
                            }
                            f.assign(rank.clone(), rank.clone().add(Expr::int(1)));
                            Ok(())
                        })
                    })
                })?;
                let offset = shared.sum_before(f, tile)?;
                let offset = f.bind("offset", CType::Int, offset);
                let all = f.bind("all", CType::Int, offset.clone().add(kept.clone()));
                f.provided(Expr::int(0).lt(tile.number.clone()), |f| {
                    shared.publish_all(f, tile, all.clone().cast(CType::UInt))
                })?;
                let count = f.index_var("kept", kept);
                f.for_group(shape.group, &Size::var(count), |f, i| {
                    let i = f.size(i)?;
                    let at = f.bind("at", CType::Int, offset.clone().add(i.clone()));
                    let at = f.index_var("at", at);
                    f.known_mut().assume_index(&at, &xs.len);
                    let x = Place { layout: staged.clone(), at: Size::var(f.index_var("i", i)) };
                    let x = f.load(&x)?;
                    let to = f.dest_at(&body, &Size::var(at))?;
                    f.copy(&x, &to)
                })?;
                // The group of the array's last tile knows the total number of kept elements.
                let ends = tile.left.clone().le(Expr::int(shape.elements()));
                f.provided(ends.and(local_id().eq(Expr::int(0))), |f| {
                    let len = f.index_var("all", all);
                    f.dest_packed(dest, &[Size::var(len)])?;
                    Ok(())
                })
            })
        })?;
        Ok(true)
    }
}
