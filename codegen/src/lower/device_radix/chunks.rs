//! Moves for devices whose groups do not wait for each other: each group counts its chunk of the keys before it moves them.

use super::Sorting;
use super::shape::key_bytes;
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::host::Host;
use crate::opencl::radix::DIGITS;
use crate::opencl::{CType, Expr, Helper, StmtKind};
use crate::plan::{BufferId, BufferRole};
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// The parts of the array that groups count and move.
pub(super) struct Chunks {
    /// Histograms of the digits, by chunk.
    counts: BufferId,
    count: Size,
    /// Elements of a chunk.
    len: Size,
}

impl Chunks {
    /// The chunks of an array of at most so many tiles of `tile` elements. `counts` makes the buffer.
    pub fn new(host: &mut Host<'_>, name: &str, tiles: &Size, tile: &Size) -> Chunks {
        let target = host.program.target;
        let groups = Size::nat((target.get(Parameter::SortChunks) * target.compute_units).into());
        let count = Size::max(&Size::one(), &Size::min(tiles, &groups));
        let each = tiles.add(&count).sub(&Size::one()).div_floor(&count);
        let counts = host.program.buffer(
            &format!("{name}_counts"),
            Scalar::Int,
            count.mul(&Size::int(DIGITS)),
            BufferRole::Temporary,
        );
        Chunks { counts, count, len: each.mul(tile) }
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    pub(super) fn count_digits(&mut self, sorting: &Sorting, all: &Chunks, n: &Size) -> Result<()> {
        let alone = sorting.shape.alone();
        let own = (!alone).then(|| self.local_array("own", CType::Int, 4, DIGITS as u64));
        let [n, chunk, chunks] = all.chunk_sizes(self, n)?;
        self.unless_equal(sorting, |f, digit| {
            let (keys, _) = f.sides(sorting, digit, sorting.keys);
            let counts = f.whole(all.counts, true);
            let totals = f.whole(sorting.totals, true).add(digit.clone().mul(Expr::int(DIGITS)));
            let helper = match alone {
                true => sorting.helper(Helper::DigitsAlone32, Helper::DigitsAlone64),
                false => sorting.helper(Helper::Digits32, Helper::Digits64),
            };
            let mut args = vec![keys, counts, totals];
            args.extend(own.map(Expr::Var));
            args.extend([n, chunk, chunks, digit.clone().mul(Expr::int(8)), Expr::int(sorting.order)]);
            let call = f.call_helper(helper, args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }

    pub(super) fn offsets_of_digits(&mut self, sorting: &Sorting, all: &Chunks) -> Result<()> {
        let sums = self.group_ints("sums");
        self.grid_mut().ask_for_groups(Size::int(DIGITS));
        let chunks = self.host_size(&all.count, "chunks")?;
        let chunks = self.size(&chunks)?;
        self.unless_equal(sorting, |f, digit| {
            let counts = f.whole(all.counts, true);
            let totals = f.whole(sorting.totals, false).add(digit.clone().mul(Expr::int(DIGITS)));
            let call = f.call_helper(Helper::Offsets, [counts, totals, Expr::Var(sums), chunks]);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }

    pub(super) fn move_keys(&mut self, sorting: &Sorting, all: &Chunks, n: &Size) -> Result<()> {
        let shape = sorting.shape;
        let stored = CType::of(sorting.stored());
        let memory = (!shape.alone()).then(|| {
            let moved = self.local_array("tile", stored, key_bytes(sorting.key), shape.moved(sorting.key));
            [moved, self.local_array("starts", CType::Int, 4, 4 * DIGITS as u64)]
        });
        let [n, chunk, chunks] = all.chunk_sizes(self, n)?;
        self.unless_equal(sorting, |f, digit| {
            let (from, to) = f.sides(sorting, digit, sorting.keys);
            let counts = f.whole(all.counts, false);
            let (from_at, to_at) = match sorting.positions {
                Some(positions) => f.sides(sorting, digit, positions),
                // Ignored.
                None => (counts.clone(), Expr::int(0)),
            };
            let mut args = vec![from, to, from_at, to_at, counts];
            let helper = match memory {
                None => sorting.helper(Helper::MoveAlone32, Helper::MoveAlone64),
                Some(_) => sorting.helper(Helper::Move32, Helper::Move64),
            };
            args.extend(memory.iter().flatten().cloned().map(Expr::Var));
            args.extend([n, chunk, chunks]);
            if memory.is_some() {
                args.extend([Expr::int(shape.each.into()), Expr::int(shape.group.into())]);
            }
            args.extend([
                digit.clone().mul(Expr::int(8)),
                Expr::int(sorting.order),
                Expr::int(sorting.positions.is_some().into()),
            ]);
            let call = f.call_helper(helper, args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }
}

impl Chunks {
    /// The lengths of the array and of a chunk, and the number of chunks.
    fn chunk_sizes(&self, f: &mut FunctionBuilder, n: &Size) -> Result<[Expr; 3]> {
        f.grid_mut().ask_for_groups(self.count.clone());
        let chunk = f.host_size(&self.len, "chunk")?;
        let count = f.host_size(&self.count, "chunks")?;
        Ok([f.size(n)?, f.size(&chunk)?, f.size(&count)?])
    }
}
