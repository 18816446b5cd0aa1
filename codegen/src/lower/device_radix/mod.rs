//! `sort` and `argsort` of numbers, or by a number in each element, over the whole device: a least-significant-digit
//! radix sort ([`crate::opencl::radix`]). It is stable, so that indices can accompany the keys.
//!
//! Keys are stored as the bits of the numbers; the unsigned sort key is computed from them for each digit. If elements
//! are numbers, only these are moved. Otherwise their indices accompany the keys, and elements are read once, at the
//! end. Where bits or indices are the result, its memory is one of the two between which they are moved, and an even
//! number of moves leaves it there.
//!
//! | module | job |
//! |---|---|
//! | `shape` | how an array is divided among groups and work-items |
//! | `chunks` | moves where groups do not wait for each other |
//! | `tiles` | moves where they may |

mod chunks;
mod shape;
mod tiles;

use self::chunks::Chunks;
use self::shape::{Shape, is_wide, key_bytes};
use self::tiles::Tiles;
use super::Result;
use super::device_filter::GRID;
use super::function::FunctionBuilder;
use super::host::Host;
use super::launch::Title;
use super::value::{Array, Dest, Layout, Memory, Root, Value};
use crate::core::order::NumberOrder;
use crate::core::{Lambda, Level, Stmt};
use crate::lower::sort::number_in;
use crate::opencl::radix::DIGITS;
use crate::opencl::{BinaryOp, CType, Expr, Helper, Qualifier, Step, StmtKind, Storage};
use crate::plan::{Arg, BufferId, BufferRole, Step as PlanStep};
use crate::schedule::rules;
use lift_analysis::hir::{Literal, Name, Scalar};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::sync::Arc;

/// Arrays that certainly are no longer than this are merge-sorted, which takes fewer launches.
const FEW: i64 = 256;
/// Placeholder for the digit in the arguments of a launch.
const ANY_DIGIT: i64 = -7;

/// A copy of a launch for the given digit.
fn of_digit(step: &PlanStep, digit: i64) -> PlanStep {
    let mut step = step.clone();
    if let PlanStep::Launch(launch) = &mut step {
        for arg in &mut launch.args {
            if let Arg::Size { value, .. } = arg
                && value.as_const() == Some(ANY_DIGIT)
            {
                *value = Size::int(digit);
            }
        }
    }
    step
}

/// The buffer that a result fills from its beginning, number by number.
fn whole_buffer(dest: &Dest) -> Option<BufferId> {
    let Dest::Place(place) = dest else { return None };
    let Layout::Array { element, .. } = &*place.layout else { return None };
    match &**element {
        Layout::Scalar(Memory { root: Root::Buffer(id), .. }) if place.at.is_zero() => Some(*id),
        _ => None,
    }
}

/// The data shared by the launches of one sort.
struct Sorting {
    /// The type of the numbers that are compared.
    number: Scalar,
    /// The type whose bits are sorted: `number`, but Float for Half.
    key: Scalar,
    order: i64,
    shape: Shape,
    /// The keys and their indices, each with two buffers between which they are moved.
    keys: [BufferId; 2],
    positions: Option<[BufferId; 2]>,
    /// Whether an even number of moves leaves the keys in the memory of the result.
    in_place: bool,
    /// Histograms of the digits for the whole array, followed by the bits in which keys differ.
    totals: BufferId,
    parts: Parts,
}

/// The division of the array among groups.
enum Parts {
    Chunks(Chunks),
    Tiles(Tiles),
}

impl Sorting {
    fn digits(&self) -> i64 {
        self.key.bytes() as i64
    }
    /// The type in which the bits of keys are stored.
    fn stored(&self) -> Scalar {
        if is_wide(self.key) { Scalar::Long } else { Scalar::Int }
    }
    fn unsigned(&self) -> CType {
        if is_wide(self.key) { CType::ULong } else { CType::UInt }
    }
    /// Whether a number is stored as it is.
    fn is_stored_as(number: Scalar) -> bool {
        matches!(number, Scalar::Int | Scalar::Long | Scalar::Float | Scalar::Double)
    }
    fn helper(&self, narrow: Helper, wide: Helper) -> Helper {
        if is_wide(self.key) { wide } else { narrow }
    }
    fn bits(&self, number: Expr) -> Expr {
        match self.key {
            Scalar::Float | Scalar::Half => Expr::call("as_int", [number]),
            Scalar::Double => Expr::call("as_long", [number]),
            // Stored keys are signed; numbers from 0 to 255 differ in one byte.
            Scalar::Byte => number.cast(CType::Int).add(Expr::int(1 << 7)),
            Scalar::Short => number.cast(CType::Int).add(Expr::int(1 << 15)),
            Scalar::UByte | Scalar::UShort => number.cast(CType::Int),
            Scalar::UInt | Scalar::ULong => self.top_turned(number).cast(CType::of(self.stored())),
            Scalar::Int | Scalar::Long | Scalar::Bool => number,
        }
    }
    fn number(&self, bits: Expr) -> Expr {
        match self.key {
            Scalar::Float | Scalar::Half => Expr::call("as_float", [bits]),
            Scalar::Double => Expr::call("as_double", [bits]),
            Scalar::Byte => bits.sub(Expr::int(1 << 7)).cast(CType::Char),
            Scalar::Short => bits.sub(Expr::int(1 << 15)).cast(CType::Short),
            Scalar::UByte | Scalar::UShort => bits.cast(CType::of(self.key)),
            Scalar::UInt | Scalar::ULong => self.top_turned(bits.cast(self.unsigned())),
            Scalar::Int | Scalar::Long | Scalar::Bool => bits,
        }
    }
    /// An unsigned number with its uppermost bit changed: in the order of signed numbers.
    fn top_turned(&self, number: Expr) -> Expr {
        let top = Literal::UInt(1 << 31);
        let top = if is_wide(self.key) { Literal::ULong(1 << 63) } else { top };
        Expr::binary(BinaryOp::BitXor, number, Expr::literal(top))
    }
}

impl<'k> Host<'k> {
    /// Whether a function compares elements by a number in them, so that a radix sort applies.
    pub fn sorts_by_bits(&self, before: &Lambda) -> bool {
        let element = before.params.first().map(|p| self.program.kernel.ty(*p));
        let key = NumberOrder::of(before).zip(element).and_then(|(order, element)| order.scalar(element));
        key.is_some()
    }

    /// Sorts by radix if possible; returns whether it did.
    pub fn radix_sort(
        &mut self,
        stmt: &'k Stmt,
        before: &'k Lambda,
        xs: &Array<'k>,
        dest: &Dest<'k>,
        positions: bool,
    ) -> Result<bool> {
        let target = self.program.target;
        let Some(order) = NumberOrder::of(before) else { return Ok(false) };
        let Some(element) = before.params.first().map(|p| self.program.kernel.ty(*p).clone()) else { return Ok(false) };
        let Some(key) = order.scalar(&element) else { return Ok(false) };
        let with_positions = positions || !order.path.is_empty();
        let shape = Shape::of(&target, key, with_positions);
        let most = self.most(stmt, &xs.len)?;
        if most.as_const().is_some_and(|n| n <= FEW) {
            return Ok(false);
        }
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let own = whole_buffer(dest).filter(|_| if with_positions { positions } else { Sorting::is_stored_as(key) });
        let sorting = self.sorting(&name, (key, &order), shape, &most, with_positions, own);
        self.program.applied(&rules::SORT_RADIX, &stmt.origin);
        self.program.steps.push(PlanStep::Zero(sorting.totals));
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        let (local, copying) = (shape.local(), shape.local_of_copies());
        self.launch(&title("sort: keys"), GRID, copying, |f| sorting.sort_keys(f, &order, xs))?;
        if let Parts::Tiles(_) = &sorting.parts {
            self.launch(&title("sort: sums"), GRID, copying, |f| sorting.sums_of_digits(f))?;
        }
        // The functions are the same for each digit, which is an argument.
        let start = self.program.steps.len();
        match &sorting.parts {
            Parts::Tiles(tiles) => {
                self.launch(&title("sort: move"), GRID, local, |f| sorting.move_tiles(f, tiles, &xs.len))?;
            }
            Parts::Chunks(all) => {
                self.launch(&title("sort: count"), GRID, local, |f| sorting.count_digits(f, all, &xs.len))?;
                self.launch(&title("sort: offsets"), GRID, copying, |f| sorting.offsets_of_digits(f, all))?;
                self.launch(&title("sort: move"), GRID, local, |f| sorting.move_keys(f, all, &xs.len))?;
            }
        }
        let round: Vec<PlanStep> = self.program.steps.drain(start..).collect();
        for digit in 0..sorting.digits() {
            self.program.steps.extend(round.iter().map(|step| of_digit(step, digit)));
        }
        let along = super::function::Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };
        self.launch(&title("sort: result"), along, [None; 3], |f| {
            sorting.sorted(f, xs, dest, positions)?;
            // Mostly the result is where it belongs, and a work-item for each element would take long to see that.
            if sorting.in_place {
                let few = Size::nat(u64::from(shape.copying) * most_copying(f));
                f.grid_mut().limit_items(&few);
            }
            Ok(())
        })?;
        Ok(true)
    }

    fn sorting(
        &mut self,
        name: &str,
        (number, order): (Scalar, &NumberOrder),
        shape: Shape,
        most: &Size,
        with_positions: bool,
        own: Option<BufferId>,
    ) -> Sorting {
        let tile = Size::nat(shape.tile());
        let tiles = most.add(&tile).sub(&Size::one()).div_floor(&tile);
        let parts = match self.program.target.single_pass && !shape.alone() {
            true => Parts::Tiles(Tiles::new(self, name, &tiles)),
            false => Parts::Chunks(Chunks::new(self, name, &tiles, &tile)),
        };
        let key = if number == Scalar::Half { Scalar::Float } else { number };
        let mut buffer = |what: &str, element: Scalar, len: &Size| {
            self.program.buffer(&format!("{name}_{what}"), element, len.clone(), BufferRole::Temporary)
        };
        let own_keys = own.filter(|_| !with_positions);
        let stored = if is_wide(key) { Scalar::Long } else { Scalar::Int };
        Sorting {
            number,
            key,
            order: i64::from(order.descending) + 2 * i64::from(key.is_floating()),
            shape,
            keys: [own_keys.unwrap_or_else(|| buffer("keys", stored, most)), buffer("moved", stored, most)],
            positions: with_positions.then(|| {
                let first = own.unwrap_or_else(|| buffer("order", Scalar::Int, most));
                [first, buffer("moved_order", Scalar::Int, most)]
            }),
            in_place: own.is_some(),
            totals: buffer("totals", Scalar::Int, &Size::int(DIGITS * key_bytes(key) as i64 + 2)),
            parts,
        }
    }
}

/// A pointer to a whole buffer, to be read or, if `written`, written.
fn whole(f: &mut FunctionBuilder, buffer: BufferId, written: bool) -> Expr {
    Expr::Var(f.use_buffer(buffer, written))
}

fn local_array(f: &mut FunctionBuilder, name: &str, ty: CType, bytes: u64, len: u64) -> Name {
    f.own_mut().declare_local(bytes * len);
    f.declare_array(name, Storage::Local, ty, len)
}

impl Sorting {
    /// Skips a digit in which all keys agree.
    fn unless_equal<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Expr) -> Result<()>,
    ) -> Result<()> {
        f.program_mut().helper(Helper::Differs);
        let digit = f.argument("digit", &Size::int(ANY_DIGIT));
        let differ = self.differing(f, false);
        let condition = Expr::call("lift_differs", [differ, digit.clone()]);
        let (stmts, ()) = f.scope(|f| body(f, &digit))?;
        f.emit_if(condition, stmts, Vec::new());
        Ok(())
    }

    /// The buffer that contains the keys before a digit, and the other one.
    fn sides(&self, f: &mut FunctionBuilder, digit: &Expr, buffers: [BufferId; 2]) -> (Expr, Expr) {
        let moved = self.moved_oddly(f, digit);
        let (a, b) = (as_integers(f, buffers[0]), as_integers(f, buffers[1]));
        (moved.clone().select(b.clone(), a.clone()), moved.select(a, b))
    }
}

impl Sorting {
    /// A pointer to the bits in which keys differ.
    fn differing(&self, f: &mut FunctionBuilder, written: bool) -> Expr {
        whole(f, self.totals, written).add(Expr::int(DIGITS * self.digits()))
    }

    /// The number by which an element is sorted, as bits.
    fn sort_key<'k>(&self, f: &mut FunctionBuilder<'_, 'k>, order: &NumberOrder, x: &Value<'k>) -> Result<Expr> {
        let mut number = number_in(f, x, order)?;
        if self.number == Scalar::Half {
            number = f.float_of_half(number);
        }
        Ok(self.bits(number))
    }

    /// Stores the keys, and finds the bits in which they differ from the first one.
    fn sort_keys<'k>(&self, f: &mut FunctionBuilder<'_, 'k>, order: &NumberOrder, xs: &Array<'k>) -> Result<()> {
        let most = Size::nat(most_copying(f));
        let wish =
            xs.len.add(&Size::nat((self.shape.copying - 1).into())).div_floor(&Size::nat(self.shape.copying.into()));
        let groups = match f.upper(&wish) {
            Some(wish) => Size::max(&Size::one(), &Size::min(&wish, &most)),
            None => most,
        };
        f.grid_mut().ask_for_groups(groups);
        let own = f.declare_array("own", Storage::Local, CType::Int, 2);
        f.own_mut().declare_local(8);
        let histograms = match &self.parts {
            Parts::Tiles(_) => Some(self.histograms(f)?),
            Parts::Chunks(_) => None,
        };
        let bits = Expr::Var(f.variable("bits", self.unsigned(), Some(Expr::UInt(0))));
        let n = f.length(&xs.len)?;
        let (some, ()) = f.scope(|f| {
            f.in_group(|f| {
                f.known_mut().assume_le(Size::one(), xs.len.clone());
                let first = f.read(xs, &Size::zero())?;
                let first = self.sort_key(f, order, &first)?;
                let first = self.sortable(f, first);
                let first = f.bind("first", self.unsigned(), first);
                let id = Expr::call("get_global_id", [Expr::int(0)]);
                let stride = Expr::call("get_global_size", [Expr::int(0)]);
                f.for_range("i", id, &xs.len, Step::Add(stride), |f, i| {
                    let x = f.read(xs, i)?;
                    let key = self.sort_key(f, order, &x)?;
                    let key = f.bind("key", CType::of(self.stored()), key);
                    let at = f.size(i)?;
                    let to = whole(f, self.keys[0], true).index(at.clone());
                    // The memory of a result holds numbers.
                    let own = self.in_place && self.positions.is_none();
                    f.assign(to, if own { self.number(key.clone()) } else { key.clone() });
                    if let Some([positions, _]) = self.positions {
                        let to = whole(f, positions, true).index(at.clone());
                        f.assign(to, at);
                    }
                    let sortable = self.sortable(f, key);
                    let sortable = f.bind("sortable", self.unsigned(), sortable);
                    if let Some(own) = &histograms {
                        self.count_all(f, own, sortable.clone());
                    }
                    let differ = Expr::binary(BinaryOp::BitXor, sortable, first.clone());
                    f.assign(bits.clone(), Expr::binary(BinaryOp::BitOr, bits.clone(), differ));
                    Ok(())
                })
            })
        })?;
        f.emit_if(Expr::int(0).lt(n), some, Vec::new());
        if let Some(own) = &histograms {
            self.add_histograms(f, own);
        }
        let differ = self.differing(f, true);
        let note = self.helper(Helper::Note32, Helper::Note64);
        let call = f.call_helper(note, [differ, Expr::Var(own), bits]);
        f.emit(StmtKind::Expr(call));
        Ok(())
    }

    fn sortable(&self, f: &mut FunctionBuilder, key: Expr) -> Expr {
        let helper = self.helper(Helper::Sortable32, Helper::Sortable64);
        f.call_helper(helper, [key.cast(self.unsigned()), Expr::int(self.order)])
    }

    /// Whether the digits below this one moved the keys an odd number of times; then they are in the second buffer.
    fn moved_oddly(&self, f: &mut FunctionBuilder, digit: &Expr) -> Expr {
        let differ = self.differing(f, false);
        let moves = f.call_helper(Helper::Differs, [differ, digit.clone()]);
        let moved = Expr::binary(BinaryOp::BitAnd, moves, Expr::int(1)).eq(Expr::int(1));
        f.bind("moved", CType::Bool, moved)
    }

    /// Writes the sorted elements, or their indices.
    fn sorted<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        dest: &Dest<'k>,
        positions: bool,
    ) -> Result<()> {
        let digits = Expr::int(self.digits());
        let buffers = self.positions.unwrap_or(self.keys);
        if self.in_place {
            let moved = self.moved_oddly(f, &digits);
            let from = Expr::Var(f.use_buffer(buffers[1], false));
            return f.when(moved, |f| self.sorted_from(f, xs, dest, positions, &from));
        }
        let (from, _) = self.sides(f, &digits, buffers);
        self.sorted_from(f, xs, dest, positions, &from)
    }

    fn sorted_from<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        xs: &Array<'k>,
        dest: &Dest<'k>,
        positions: bool,
        from: &Expr,
    ) -> Result<()> {
        f.for_level(Level::Glb(0), &xs.len, |f, i| {
            let at = f.size(i)?;
            let found = from.clone().index(at);
            let to = f.dest_at(dest, i)?;
            if self.positions.is_none() {
                let mut number = self.number(found);
                if self.number == Scalar::Half {
                    number = f.call_helper(Helper::ToHalf, [number]);
                }
                return f.copy(&Value::computed(self.number, number), &to);
            }
            if positions {
                return f.copy(&Value::computed(Scalar::Int, found), &to);
            }
            let from = f.index_below("from", found, &xs.len);
            let x = f.read(xs, &from)?;
            f.copy(&x, &to)
        })
    }
}

/// A pointer to a buffer of keys or positions, as integers.
fn as_integers(f: &mut FunctionBuilder, buffer: BufferId) -> Expr {
    let ty = match f.program().buffers[buffer.0 as usize].element {
        Scalar::Float => CType::Int,
        Scalar::Double => CType::Long,
        _ => return whole(f, buffer, true),
    };
    let pointer = Arc::new(whole(f, buffer, true));
    Expr::AddressOf(Arc::new(Expr::Wide { ty, space: Qualifier::Global, pointer }))
}

/// Groups that copy keys and keep the device busy.
fn most_copying(f: &FunctionBuilder) -> u64 {
    let target = f.target();
    (2 * target.get(Parameter::SortChunks) * target.compute_units).into()
}
