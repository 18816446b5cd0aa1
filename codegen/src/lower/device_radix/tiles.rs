//! Moves for devices whose groups may wait for each other: a group takes one tile of the keys after the other
//! ([`crate::opencl::radix::tiles`]). All digits are counted while keys are stored.

use super::shape::key_bytes;
use super::{Sorting, local_array, whole};
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::lower::stream::single_pass::state_size;
use crate::opencl::radix::DIGITS;
use crate::opencl::{CType, Expr, Helper, Step, StmtKind};
use crate::plan::{BufferId, BufferRole};
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::size::Size;

/// The tiles that groups take.
pub(super) struct Tiles {
    /// A word for each digit of each tile.
    state: BufferId,
    count: Size,
}

impl Tiles {
    pub fn new(host: &mut Host<'_>, name: &str, count: &Size) -> Tiles {
        let words = state_size(&count.mul(&Size::int(DIGITS)));
        let state = host.program.buffer(&format!("{name}_state"), Scalar::Long, words, BufferRole::State);
        Tiles { state, count: count.clone() }
    }
}

impl Sorting {
    /// A table of this group for the digits of each byte.
    pub(super) fn histograms(&self, f: &mut FunctionBuilder) -> Result<Name> {
        let len = DIGITS * self.digits();
        let own = local_array(f, "histograms", CType::Int, 4, len.cast_unsigned());
        let (first, group) = (Expr::call("get_local_id", [Expr::int(0)]), Expr::call("get_local_size", [Expr::int(0)]));
        f.for_range("i", first, &Size::int(len), Step::Add(group), |f, i| {
            let at = f.size(i)?;
            f.assign(Expr::Var(own.clone()).index(at), Expr::int(0));
            Ok(())
        })?;
        f.barrier(true, false);
        Ok(own)
    }

    /// Counts the digits of a key in the order of unsigned numbers.
    pub(super) fn count_all(&self, f: &mut FunctionBuilder, own: &Name, key: Expr) {
        let helper = self.helper(Helper::Digits32InAll, Helper::Digits64InAll);
        let call = f.call_helper(helper, [Expr::Var(own.clone()), key]);
        f.emit(StmtKind::Expr(call));
    }

    /// Adds the tables of this group to those of all.
    pub(super) fn add_histograms(&self, f: &mut FunctionBuilder, own: &Name) {
        let totals = whole(f, self.totals, true);
        let args = [totals, Expr::Var(own.clone()), Expr::int(self.digits())];
        let call = f.call_helper(Helper::Histograms, args);
        f.emit(StmtKind::Expr(call));
    }

    /// Converts the counts of digits to the index of the first key of each digit.
    pub(super) fn sums_of_digits(&self, f: &mut FunctionBuilder) -> Result<()> {
        let sums = f.group_ints("sums");
        f.grid_mut().ask_for_groups(Size::int(self.digits()));
        let totals = whole(f, self.totals, true);
        let call = f.call_helper(Helper::DigitSums, [totals, Expr::Var(sums), Expr::int(self.digits())]);
        f.emit(StmtKind::Expr(call));
        Ok(())
    }

    pub(super) fn move_tiles(&self, f: &mut FunctionBuilder, tiles: &Tiles, n: &Size) -> Result<()> {
        let shape = self.shape;
        let moved = local_array(f, "tile", CType::of(self.stored()), key_bytes(self.key), shape.moved(self.key));
        let starts = local_array(f, "starts", CType::Int, 4, 3 * DIGITS as u64);
        let shared = local_array(f, "shared", CType::Int, 4, 3);
        f.grid_mut().ask_for_groups(tiles.count.clone());
        let n = f.size(n)?;
        let count = f.host_size(&tiles.count, "tiles")?;
        let count = f.size(&count)?;
        f.program_mut().helper(Helper::NextTile);
        self.unless_equal(f, |f, digit| {
            let (from, to) = self.sides(f, digit, self.keys);
            let firsts = whole(f, self.totals, false).add(digit.clone().mul(Expr::int(DIGITS)));
            let (from_at, to_at) = match self.positions {
                Some(positions) => self.sides(f, digit, positions),
                // Ignored.
                None => (firsts.clone(), Expr::int(0)),
            };
            let state = whole(f, tiles.state, true);
            let mut args = vec![from, to, from_at, to_at, firsts, state];
            args.extend([moved, starts, shared].map(Expr::Var));
            args.extend([n, count, Expr::int(shape.each.into()), Expr::int(shape.group.into())]);
            args.extend([
                digit.clone().mul(Expr::int(8)),
                Expr::int(self.order),
                Expr::int(self.positions.is_some().into()),
            ]);
            let call = f.call_helper(self.helper(Helper::MoveTiles32, Helper::MoveTiles64), args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }
}
