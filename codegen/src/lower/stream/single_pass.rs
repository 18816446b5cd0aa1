//! A single pass over an array: each tile is taken by the next free group, which finds the prefix of the preceding
//! tiles by decoupled look-back ([`crate::opencl::stream`]).

use super::tile::{Shape, Tile};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::opencl::stream::STATUS_AT;
use crate::opencl::{BinaryOp, CType, Expr, Helper, StmtKind, Storage};
use crate::plan::BufferId;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::size::Size;

/// Tiles that one look-back step examines together.
const WINDOW: u32 = 32;

/// The state shared by the groups of a launch.
pub struct Shared {
    state: Expr,
    /// Two `int`s in local memory.
    ints: Name,
    window: u32,
    /// The number of the launch; valid once a tile has been taken.
    round: Expr,
}

/// Elements of the state through which groups publish; initially zero.
pub fn state_size(tiles: &Size) -> Size {
    tiles.add(&Size::nat(STATUS_AT.into()))
}

/// Runs `body` for each tile of `n` elements, one group per tile. Tiles after the last element are skipped, except
/// the first one.
pub fn single_pass<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    state: BufferId,
    shape: Shape,
    n: &Size,
    tiles: &Size,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Shared, &Tile) -> Result<()>,
) -> Result<()> {
    f.grid_mut().ask_for_groups(tiles.clone());
    let n = f.length(n)?;
    let tiles = f.host_size(tiles, "tiles")?;
    let tiles = f.size(&tiles)?;
    let state = Expr::Var(f.use_buffer(state, true));
    let window = WINDOW.min(shape.group);
    let ints = f.declare_array("shared", Storage::Local, CType::Int, 2);
    f.own_mut().declare_local(8);
    let args = [state.clone(), Expr::Var(ints.clone()), tiles.clone()];
    let next = f.call_helper(Helper::NextTile, args);
    let number = Expr::Var(f.variable("tile", CType::Int, Some(next.clone())));
    let (round, ()) = f.in_loop(|f| {
        f.scope(|f| {
            let round = f.bind("round", CType::Int, Expr::Var(ints.clone()).index(Expr::int(1)));
            let shared = Shared { state, ints, window, round };
            let tile = f.tile(shape, number.clone(), &n);
            let wanted = Expr::int(0).lt(tile.left.clone()).or(number.clone().eq(Expr::int(0)));
            let (stmts, ()) = f.scope(|f| f.in_group(|f| body(f, &shared, &tile)))?;
            f.emit_if(wanted, stmts, Vec::new());
            // A loop with barriers is left right after one: pocl lets one work-item decide for the group from the branch
            // before on, which may be the one that writes an element.
            f.barrier(true, false);
            // With one group per tile, none is left.
            let last = vec![StmtKind::Break.at(&f.origin())];
            f.emit_if(
                Expr::call("get_num_groups", [Expr::int(0)]).cast(CType::Int).ge(tiles.clone()),
                last,
                Vec::new(),
            );
            f.assign(number.clone(), next);
            Ok(())
        })
    })?;
    f.emit(StmtKind::While { condition: number.lt(tiles), body: round });
    Ok(())
}

impl Shared {
    /// Publishes the aggregate of this tile; for the first tile it is also the inclusive prefix.
    pub fn publish_own(&self, f: &mut FunctionBuilder, tile: &Tile, value: Expr) -> Result<()> {
        let kind = tile.number.clone().eq(Expr::int(0)).select(Expr::int(2), Expr::int(1));
        self.publish(f, tile, kind, value)
    }

    /// Publishes the inclusive prefix of this tile.
    pub fn publish_all(&self, f: &mut FunctionBuilder, tile: &Tile, value: Expr) -> Result<()> {
        self.publish(f, tile, Expr::int(2), value)
    }

    /// The sum of the values of all preceding tiles, which are `int`s.
    pub fn sum_before(&self, f: &mut FunctionBuilder, tile: &Tile) -> Result<Expr> {
        f.barrier(true, false);
        let args = [
            self.state.clone(),
            tile.number.clone(),
            self.round.clone(),
            Expr::Var(self.ints.clone()),
            Expr::int(self.window.into()),
        ];
        Ok(f.call_helper(Helper::SumBefore, args))
    }
}

impl Shared {
    fn publish(&self, f: &mut FunctionBuilder, tile: &Tile, kind: Expr, value: Expr) -> Result<()> {
        f.provided(local_id().eq(Expr::int(0)), |f| {
            let args = [self.state.clone(), tile.number.clone(), self.round.clone(), kind, value];
            let call = f.call_helper(Helper::Publish, args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }
}

/// The bits of a published value.
pub fn to_word(scalar: Scalar, value: Expr) -> Expr {
    match scalar {
        Scalar::Float => Expr::call("as_uint", [value]),
        _ => value.cast(CType::UInt),
    }
}

/// The value of these bits.
pub fn of_word(scalar: Scalar, word: Expr) -> Expr {
    match scalar {
        Scalar::Float => Expr::call("as_float", [word]),
        Scalar::Bool => Expr::binary(BinaryOp::Ne, word, Expr::UInt(0)),
        integer => word.cast(CType::of(integer)),
    }
}

/// The type of a scalar that fits one word beside its flag; `None` if it does not.
pub fn fits_word(ty: &lift_analysis::ty::Ty) -> Option<Scalar> {
    ty.as_scalar().filter(|s| s.bytes() <= 4)
}
