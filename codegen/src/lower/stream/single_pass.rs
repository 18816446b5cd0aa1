//! A single pass over an array: each tile is taken by the next free group, and what the tiles before it give is had by
//! looking back at what their groups have handed on ([`crate::opencl::stream`]).

use super::tile::{Shape, Tile};
use crate::lower::Result;
use crate::lower::device_filter::local_id;
use crate::lower::function::FunctionBuilder;
use crate::opencl::stream::STATUS_AT;
use crate::opencl::{BinaryOp, CType, Expr, Helper, StmtKind, Storage};
use crate::plan::BufferId;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::size::Size;

/// Tiles that are looked back at together.
const WINDOW: u32 = 32;

/// What the groups of a launch share.
pub struct Shared {
    state: Expr,
    /// Two `int`s in local memory.
    ints: Name,
    window: u32,
    /// The number of the launch; valid once a tile was taken.
    round: Expr,
}

/// Elements of the memory by which groups hand on what they have found; zero at first.
pub fn state_size(tiles: &Size) -> Size {
    tiles.add(&Size::nat(STATUS_AT.into()))
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// `body` for each tile of `n` elements, in one group each. Tiles behind the last element are left out, but not the
    /// first.
    pub fn single_pass(
        &mut self,
        state: BufferId,
        shape: Shape,
        n: &Size,
        tiles: &Size,
        body: impl FnOnce(&mut Self, &Shared, &Tile) -> Result<()>,
    ) -> Result<()> {
        self.wishes.wrg[0] = Some(tiles.clone());
        let n = self.length(n)?;
        let tiles = self.host_size(tiles, "tiles")?;
        let tiles = self.size(&tiles)?;
        let state = Expr::Var(self.use_buffer(state, true));
        let window = WINDOW.min(shape.group);
        let ints = self.declare_array("shared", Storage::Local, CType::Int, 2);
        self.local_bytes += 8;
        let args = [state.clone(), Expr::Var(ints.clone()), tiles.clone()];
        let next = self.call_helper(Helper::NextTile, args);
        let number = Expr::Var(self.variable("tile", CType::Int, Some(next.clone())));
        self.loop_depth += 1;
        let round = self.scope(|f| {
            let round = f.bind("round", CType::Int, Expr::Var(ints.clone()).index(Expr::int(1)));
            let shared = Shared { state, ints, window, round };
            let tile = f.tile(shape, number.clone(), &n);
            let wanted = Expr::int(0).lt(tile.left.clone()).or(number.clone().eq(Expr::int(0)));
            let (stmts, ()) = f.scope(|f| f.in_group(|f| body(f, &shared, &tile)))?;
            f.emit_if(wanted, stmts, Vec::new());
            // With a group for each tile there is none left.
            let last = vec![StmtKind::Break.at(&f.origin())];
            f.emit_if(
                Expr::call("get_num_groups", [Expr::int(0)]).cast(CType::Int).ge(tiles.clone()),
                last,
                Vec::new(),
            );
            f.barrier(true, false);
            f.assign(number.clone(), next);
            Ok(())
        });
        self.loop_depth -= 1;
        let (round, ()) = round?;
        self.emit(StmtKind::While { condition: number.lt(tiles), body: round });
        Ok(())
    }

    /// Hands on the value of this tile alone; for the first one that is the value of all up to it.
    pub fn publish_own(&mut self, shared: &Shared, tile: &Tile, value: Expr) -> Result<()> {
        let kind = tile.number.clone().eq(Expr::int(0)).select(Expr::int(2), Expr::int(1));
        self.publish(shared, tile, kind, value)
    }

    /// Hands on the value of all tiles up to this one.
    pub fn publish_all(&mut self, shared: &Shared, tile: &Tile, value: Expr) -> Result<()> {
        self.publish(shared, tile, Expr::int(2), value)
    }

    fn publish(&mut self, shared: &Shared, tile: &Tile, kind: Expr, value: Expr) -> Result<()> {
        self.provided(local_id().eq(Expr::int(0)), |f| {
            let args = [shared.state.clone(), tile.number.clone(), shared.round.clone(), kind, value];
            let call = f.call_helper(Helper::Publish, args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }

    /// The sum of the values of all tiles before this one, which are `int`s.
    pub fn sum_before(&mut self, shared: &Shared, tile: &Tile) -> Result<Expr> {
        self.barrier(true, false);
        let args = [
            shared.state.clone(),
            tile.number.clone(),
            shared.round.clone(),
            Expr::Var(shared.ints.clone()),
            Expr::int(shared.window.into()),
        ];
        Ok(self.call_helper(Helper::SumBefore, args))
    }

    /// The bits of a value that is handed on.
    pub fn to_word(scalar: Scalar, value: Expr) -> Expr {
        match scalar {
            Scalar::Float => Expr::call("as_uint", [value]),
            _ => value.cast(CType::UInt),
        }
    }

    /// The value of such bits.
    pub fn of_word(scalar: Scalar, word: Expr) -> Expr {
        match scalar {
            Scalar::Float => Expr::call("as_float", [word]),
            Scalar::Bool => Expr::binary(BinaryOp::Ne, word, Expr::UInt(0)),
            _ => word.cast(CType::Int),
        }
    }
}

/// Whether a value of this type can be handed on in one word beside its flag.
pub fn fits_word(ty: &lift_analysis::ty::Ty) -> Option<Scalar> {
    ty.as_scalar().filter(|s| matches!(s, Scalar::Int | Scalar::Float | Scalar::Bool))
}
