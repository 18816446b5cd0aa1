//! Moves for devices whose groups do not wait for each other: each group counts its chunk of the keys before it moves them.

use super::shape::key_bytes;
use super::{Sorting, local_array, whole};
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
    /// The chunks of an array of at most `tiles` tiles of `tile` elements. `counts` makes the buffer.
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

impl Sorting {
    pub(super) fn count_digits(&self, f: &mut FunctionBuilder, all: &Chunks, n: &Size) -> Result<()> {
        let alone = self.shape.alone();
        let own = (!alone).then(|| local_array(f, "own", CType::Int, 4, DIGITS as u64));
        let [n, chunk, chunks] = all.chunk_sizes(f, n)?;
        self.unless_equal(f, |f, digit| {
            let (keys, _) = self.sides(f, digit, self.keys);
            let counts = whole(f, all.counts, true);
            let totals = whole(f, self.totals, true).add(digit.clone().mul(Expr::int(DIGITS)));
            let helper = match alone {
                true => self.helper(Helper::DigitsAlone32, Helper::DigitsAlone64),
                false => self.helper(Helper::Digits32, Helper::Digits64),
            };
            let mut args = vec![keys, counts, totals];
            args.extend(own.map(Expr::Var));
            args.extend([n, chunk, chunks, digit.clone().mul(Expr::int(8)), Expr::int(self.order)]);
            let call = f.call_helper(helper, args);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }

    pub(super) fn offsets_of_digits(&self, f: &mut FunctionBuilder, all: &Chunks) -> Result<()> {
        let sums = f.group_ints("sums");
        f.grid_mut().ask_for_groups(Size::int(DIGITS));
        let chunks = f.host_size(&all.count, "chunks")?;
        let chunks = f.size(&chunks)?;
        self.unless_equal(f, |f, digit| {
            let counts = whole(f, all.counts, true);
            let totals = whole(f, self.totals, false).add(digit.clone().mul(Expr::int(DIGITS)));
            let call = f.call_helper(Helper::Offsets, [counts, totals, Expr::Var(sums), chunks]);
            f.emit(StmtKind::Expr(call));
            Ok(())
        })
    }

    pub(super) fn move_keys(&self, f: &mut FunctionBuilder, all: &Chunks, n: &Size) -> Result<()> {
        let shape = self.shape;
        let stored = CType::of(self.stored());
        let memory = (!shape.alone()).then(|| {
            let moved = local_array(f, "tile", stored, key_bytes(self.key), shape.moved(self.key));
            [moved, local_array(f, "starts", CType::Int, 4, 4 * DIGITS as u64)]
        });
        let [n, chunk, chunks] = all.chunk_sizes(f, n)?;
        self.unless_equal(f, |f, digit| {
            let (from, to) = self.sides(f, digit, self.keys);
            let counts = whole(f, all.counts, false);
            let (from_at, to_at) = match self.positions {
                Some(positions) => self.sides(f, digit, positions),
                // Ignored.
                None => (counts.clone(), Expr::int(0)),
            };
            let mut args = vec![from, to, from_at, to_at, counts];
            let helper = match memory {
                None => self.helper(Helper::MoveAlone32, Helper::MoveAlone64),
                Some(_) => self.helper(Helper::Move32, Helper::Move64),
            };
            args.extend(memory.iter().flatten().cloned().map(Expr::Var));
            args.extend([n, chunk, chunks]);
            if memory.is_some() {
                args.extend([Expr::int(shape.each.into()), Expr::int(shape.group.into())]);
            }
            args.extend([
                digit.clone().mul(Expr::int(8)),
                Expr::int(self.order),
                Expr::int(self.positions.is_some().into()),
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
