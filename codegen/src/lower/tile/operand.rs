//! Operands of a nest: a tile of `lanes` rows (or columns) and `depth` iterations of the fold is fetched from global
//! memory to registers, stored in local memory, and read into the registers of the element function.
//!
//! In local memory, lanes are adjacent, so that a work-item reads its own as vectors. In global memory, either
//! iterations (a row-major matrix) or lanes (its transpose) are adjacent: neighbouring work-items fetch adjacent
//! elements.

use super::super::Result;
use super::super::function::{Body, FunctionBuilder};
use super::super::value::{Array, Dest, Layout, Memory, Place, Value, View};
use super::access::{Strides, is_word, strides};
use super::divided::{Divided, tried};
use super::{local_id, min};
use crate::opencl::{BinaryOp, CType, Expr, Qualifier, Storage};
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;
use std::sync::Arc;

/// Work-items of a group.
pub const ITEMS: i64 = 256;

/// Adjacent elements of a vector.
pub const WIDE: i64 = 4;

/// The dimensions of one side of a tile.
#[derive(Debug, Clone, Copy)]
pub struct Side {
    /// Rows, or columns, of the tile.
    pub lanes: i64,
    /// Lanes per work-item: blocks of four, `spread` apart.
    pub of_item: i64,
    pub spread: i64,
    /// Iterations of the fold.
    pub depth: i64,
    /// Unused elements after each iteration in local memory, so that work-items that store neighbouring iterations use
    /// different banks.
    pub padding: i64,
}

impl Side {
    /// The most adjacent elements that a work-item fetches at a time, where all have the same part of a tile.
    pub fn width(self) -> i64 {
        WIDE.min(self.lanes * self.depth / ITEMS)
    }
}

pub struct Operand<'k> {
    pub side: Side,
    /// All rows.
    pub rows: Array<'k>,
    /// The work-item's first lane in the tile.
    pub own: Size,
    /// The work-item's elements in the current iteration; those of `rows` itself if they are not arrays.
    pub registers: Place,
    /// `None` if the elements of the outer array are not rows; then they are loaded once.
    stream: Option<Stream>,
}

/// The part of an operand that is fetched again for each tile.
struct Stream {
    /// Elements fetched but not yet stored in local memory.
    staged: Place,
    local: Place,
    /// Distance between two iterations in local memory.
    pitch: i64,
    /// Whether neighbouring work-items fetch neighbouring iterations; otherwise neighbouring lanes.
    along_rounds: bool,
    /// Elements per fetch; and where they are vectors, their addresses and the condition that these are aligned.
    width: i64,
    wide: Option<(Strides, Expr)>,
    /// The quotients in addresses; `None` if addresses are linear in lanes and iterations.
    divided: Option<Divided>,
    /// The work-item's first lane and iteration in the tile.
    lane: Size,
    round: Size,
}

/// The components of the outer array, if its elements are tuples that contain a row; otherwise the array itself.
pub fn components<'k>(rows: &Array<'k>, ty: &Ty) -> Vec<(Array<'k>, Ty)> {
    match ty.kind() {
        TyKind::Tuple(parts) if !crate::schedule::nest::is_scalars(ty) => {
            let component = |i: usize| match &*rows.view {
                View::Zip(all) => all[i].clone(),
                _ => Array::new(rows.len.clone(), View::Component(rows.clone(), i)),
            };
            parts.iter().enumerate().map(|(i, part)| (component(i), part.clone())).collect()
        }
        _ => vec![(rows.clone(), ty.clone())],
    }
}

/// Declares the operands of one side.
pub fn operands<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    name: &str,
    rows: &Array<'k>,
    ty: &Ty,
    side: Side,
    own: &Size,
) -> Result<Vec<Operand<'k>>> {
    let mut all = Vec::new();
    for (rows, ty) in components(rows, ty) {
        all.push(operand(f, name, rows, &ty, side, own.clone())?);
    }
    Ok(all)
}

/// The argument of the element function for one of the work-item's lanes.
pub fn side_value<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    side: &[Operand<'k>],
    l: &Size,
    rounds: &Size,
) -> Result<Value<'k>> {
    if let [only] = side {
        return only.lane_value(f, l, rounds);
    }
    let mut parts = Vec::new();
    for o in side {
        parts.push(o.lane_value(f, l, rounds)?);
    }
    Ok(Value::Tuple(parts))
}

/// The unproven conditions under which all tiles are complete and are fetched as vectors: (size, required divisor).
/// `None` if one is false or there are no vectors. Afterwards the facts assume them.
pub fn multiples_of<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    all: [(&Array<'k>, &Ty); 2],
    rounds: &Size,
    depth: i64,
) -> Option<Vec<(Size, i64)>> {
    let mut wanted = vec![(rounds.clone(), depth)];
    for (rows, ty) in all.into_iter().flat_map(|(rows, ty)| components(rows, ty)) {
        if ty.as_array().is_some() {
            let (_, vectors) = neighbours(f, &rows);
            wanted.extend(vectors?.1.into_iter().map(|s| (s, 4)));
        }
    }
    let mut unknown = Vec::new();
    for (size, of) in wanted {
        let factor = Size::int(of);
        let truth = f.facts().divides(&factor, &size);
        if truth.is_no() {
            return None;
        }
        if !truth.is_yes() {
            f.known_mut().assume_divides(factor, size.clone());
            unknown.push((size, of));
        }
    }
    Some(unknown)
}

impl<'k> Operand<'k> {
    /// Runs `body` for each part that a work-item fetches, with its index among the staged ones, its lane and its
    /// iteration.
    fn pieces(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        s: &Stream,
        mut body: impl FnMut(&mut FunctionBuilder<'_, 'k>, &Size, &Size, &Size) -> Result<()>,
    ) -> Result<()> {
        let (count, step) = s.pieces(self.side);
        let step = Size::int(step);
        f.unrolled("i", count, |f, i| {
            let moved = i.mul(&step);
            let (lane, round) = match s.along_rounds {
                true => (s.lane.add(&moved), s.round.clone()),
                false => (s.lane.clone(), s.round.add(&moved)),
            };
            body(f, i, &lane, &round)
        })
    }

    /// Declares what else it keeps in local memory, if there is room; to be called when all else is declared.
    pub fn declare_tables(&mut self, f: &mut FunctionBuilder<'_, 'k>, name: &str) -> Result<()> {
        match &mut self.stream {
            Some(Stream { divided: Some(divided), along_rounds: false, .. }) => {
                divided.declare_table(f, name, self.side.depth)
            }
            _ => Ok(()),
        }
    }

    /// Prepares to fetch tiles with this first lane.
    pub fn enter(&self, f: &mut FunctionBuilder<'_, 'k>, first_lane: &Size) -> Result<()> {
        let Some(s @ Stream { divided: Some(divided), .. }) = &self.stream else { return Ok(()) };
        if !divided.keeps_lanes() {
            return Ok(());
        }
        let lanes = if s.along_rounds { s.pieces(self.side).0 } else { 1 };
        let step = Size::int(s.pieces(self.side).1);
        f.unrolled("i", lanes, |f, i| {
            let lane = self.clamped(f, &first_lane.add(&s.lane).add(&i.mul(&step)))?;
            divided.enter_lane(f, i, &lane)
        })
    }

    /// Whether [`Operand::enter_rounds`] must come before a tile is fetched.
    pub fn divides_rounds(&self) -> bool {
        self.stream.iter().filter_map(|s| s.divided.as_ref()).any(Divided::has_table)
    }

    /// Prepares to fetch the tile from this iteration on, the last of all being before `end`. All work-items of the group
    /// call it.
    pub fn enter_rounds(&self, f: &mut FunctionBuilder<'_, 'k>, at: [&Size; 3]) -> Result<()> {
        match &self.stream {
            Some(Stream { divided: Some(divided), .. }) => divided.enter_rounds(f, self.side.depth, at),
            _ => Ok(()),
        }
    }

    /// Fetches a tile from global memory to registers, given its first lane and iteration, and whether its number is odd. All
    /// its iterations must exist.
    pub fn fetch(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        first_lane: &Size,
        first_round: &Size,
        half: &Size,
    ) -> Result<()> {
        let Some(s) = &self.stream else { return Ok(()) };
        let width = Size::int(s.width);
        let (one_by_one, ()) = f.scope(|f| {
            self.pieces(f, s, |f, i, lane, round| {
                for l in 0..s.width {
                    let l = Size::int(l);
                    let (lane, round) = match s.along_rounds {
                        true => (lane.clone(), round.add(&l)),
                        false => (lane.add(&l), round.clone()),
                    };
                    let (block, ()) = f.scope(|f| {
                        let x = self.fetch_one(f, (i, &first_lane.add(&lane)), (half, first_round, &round))?;
                        let at = i.mul(&width).add(&l);
                        f.copy(&x, &Dest::Place(Place { layout: s.staged.layout.clone(), at }))
                    })?;
                    f.emit_all(block);
                }
                Ok(())
            })
        })?;
        let Some((strides, condition)) = &s.wide else {
            f.emit_all(one_by_one);
            return Ok(());
        };
        let (vectors, ()) = f.scope(|f| {
            self.pieces(f, s, |f, i, lane, round| {
                let lane = first_lane.add(lane);
                // The last whole vector of lanes, or the last row.
                let most = self.rows.len.sub(&if s.along_rounds { Size::one() } else { Size::int(s.width) });
                let lane = min(f.size(&lane)?, f.size(&most)?);
                let lane = f.number("lane", lane, &most);
                let round = first_round.add(round);
                let at = strides.base.add(&strides.first.mul(&lane)).add(&strides.second.mul(&round));
                let pointer = f.pointer(&strides.memory, false).add(f.size(&at)?);
                let v = vector(f, &strides.memory, s.width, Qualifier::GlobalConst, pointer, "v");
                for l in 0..s.width {
                    let to = s.staged.layout.scalar_memory().cloned();
                    let Some(to) = to else { return Ok(()) };
                    let to = f.memory(&to, &i.mul(&width).add(&Size::int(l)), true)?;
                    f.assign(to, v.clone().lane(l as u8));
                }
                Ok(())
            })
        })?;
        match condition {
            Expr::Bool(true) => f.emit_all(vectors),
            condition => f.emit_if(condition.clone(), vectors, one_by_one),
        }
        Ok(())
    }

    /// The addresses of the work-item's parts in the first tile: computed once for all tiles.
    pub fn places(&self, f: &mut FunctionBuilder<'_, 'k>, first_lane: &Size) -> Result<Vec<Size>> {
        let Some(Stream { wide: Some((strides, _)), .. }) = &self.stream else { return Ok(Vec::new()) };
        let Some(s) = &self.stream else { return Ok(Vec::new()) };
        let most = self.rows.len.sub(&if s.along_rounds { Size::one() } else { Size::int(s.width) });
        let mut places = Vec::new();
        for moved in s.moves(self).into_iter().take(if s.along_rounds { usize::MAX } else { 1 }) {
            let lane = first_lane.add(&s.lane).add(&if s.along_rounds { moved } else { Size::zero() });
            let lane = min(f.size(&lane)?, f.size(&most)?);
            let lane = f.number("lane", lane, &most);
            let at = strides.base.add(&strides.first.mul(&lane)).add(&strides.second.mul(&s.round));
            let at = f.size(&at)?;
            let at = f.bind("place", CType::Int, at);
            places.push(Size::var(f.index_var("place", at)));
        }
        Ok(places)
    }

    /// Like [`FunctionBuilder::fetch`], from these addresses; for vectors only.
    pub fn fetch_from(&self, f: &mut FunctionBuilder<'_, 'k>, places: &[Size], first_round: &Size) -> Result<()> {
        let Some(Stream { wide: Some((strides, _)), .. }) = &self.stream else { return Ok(()) };
        let Some(s) = &self.stream else { return Ok(()) };
        let Some(to) = s.staged.layout.scalar_memory().cloned() else { return Ok(()) };
        for (i, moved) in s.moves(self).into_iter().enumerate() {
            let (place, round) = match s.along_rounds {
                true => (places.get(i), first_round.clone()),
                false => (places.first(), first_round.add(&moved)),
            };
            let Some(place) = place else { return Ok(()) };
            let at = place.add(&strides.second.mul(&round));
            let pointer = f.pointer(&strides.memory, false).add(f.size(&at)?);
            let v = vector(f, &strides.memory, s.width, Qualifier::GlobalConst, pointer, "v");
            for l in 0..s.width {
                let to = f.memory(&to, &Size::int(s.width * i as i64 + l), true)?;
                f.assign(to, v.clone().lane(l as u8));
            }
        }
        Ok(())
    }

    /// Stores the fetched tile in half `buffer` of local memory.
    pub fn stage(&self, f: &mut FunctionBuilder<'_, 'k>, buffer: &Size) -> Result<()> {
        let Some(s) = &self.stream else { return Ok(()) };
        let width = Size::int(s.width);
        self.pieces(f, s, |f, i, lane, round| {
            let to = self.in_tile(s, buffer, lane, round);
            if !s.along_rounds
                && s.width > 1
                && let (Some(m), Some(from)) = (s.local.layout.scalar_memory(), s.staged.layout.scalar_memory())
            {
                let pointer = f.pointer(m, true).add(f.size(&to)?);
                let ty = CType::Vec(m.scalar, s.width as u8);
                let mut lanes = Vec::new();
                for l in 0..s.width {
                    lanes.push(f.memory(from, &i.mul(&width).add(&Size::int(l)), false)?);
                }
                f.assign(
                    Expr::Wide { ty, space: Qualifier::Local, pointer: Arc::new(pointer) },
                    Expr::Vector(ty, lanes),
                );
                return Ok(());
            }
            for l in 0..s.width {
                let l = Size::int(l);
                let to = match s.along_rounds {
                    true => self.in_tile(s, buffer, lane, &round.add(&l)),
                    false => self.in_tile(s, buffer, &lane.add(&l), round),
                };
                let x = f.load(&Place { layout: s.staged.layout.clone(), at: i.mul(&width).add(&l) })?;
                f.copy(&x, &Dest::Place(Place { layout: s.local.layout.clone(), at: to }))?;
            }
            Ok(())
        })
    }

    /// Fetches the last tile, some of whose iterations do not exist, directly to local memory.
    pub fn fetch_rest(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        first_lane: &Size,
        first_round: &Size,
        rounds: &Size,
        half: &Size,
    ) -> Result<()> {
        let Some(s) = &self.stream else { return Ok(()) };
        self.pieces(f, s, |f, i, lane, round| {
            for l in 0..s.width {
                let l = Size::int(l);
                let (lane, round) = match s.along_rounds {
                    true => (lane.clone(), round.add(&l)),
                    false => (lane.add(&l), round.clone()),
                };
                let there = f.size(&first_round.add(&round))?.lt(f.size(rounds)?);
                f.when(there, |f| {
                    f.known_mut().assume_le(first_round.add(&round), rounds.sub(&Size::one()));
                    let x = self.fetch_one(f, (i, &first_lane.add(&lane)), (half, first_round, &round))?;
                    let at = self.in_tile(s, &Size::zero(), &lane, &round);
                    f.copy(&x, &Dest::Place(Place { layout: s.local.layout.clone(), at }))
                })?;
            }
            Ok(())
        })
    }

    /// Reads one iteration from local memory to the registers of the element function.
    pub fn take(&self, f: &mut FunctionBuilder<'_, 'k>, buffer: &Size, round: &Size) -> Result<()> {
        let Some(s) = &self.stream else { return Ok(()) };
        for block in 0..self.side.of_item / 4 {
            let lane = self.own.add(&Size::int(block * self.side.spread));
            let from = self.in_tile(s, buffer, &lane, round);
            match (s.local.layout.scalar_memory(), self.registers.layout.scalar_memory()) {
                (Some(m), Some(to)) if is_word(m.scalar) => {
                    let pointer = f.pointer(m, false).add(f.size(&from)?);
                    let v = vector(f, m, WIDE, Qualifier::Local, pointer, "v");
                    for l in 0..4u8 {
                        let to = f.memory(to, &Size::int(block * 4 + i64::from(l)), true)?;
                        f.assign(to, v.clone().lane(l));
                    }
                }
                _ => {
                    for l in 0..4 {
                        let x = f.load(&Place { layout: s.local.layout.clone(), at: from.add(&Size::int(l)) })?;
                        let at = Size::int(block * 4 + l);
                        f.copy(&x, &Dest::Place(Place { layout: self.registers.layout.clone(), at }))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Loads the elements of the outer array once, if they are not rows.
    pub fn take_once(&self, f: &mut FunctionBuilder<'_, 'k>, first_lane: &Size) -> Result<()> {
        if self.stream.is_some() {
            return Ok(());
        }
        for l in 0..self.side.of_item {
            let (block, ()) = f.scope(|f| {
                let lane = first_lane.add(&self.own).add(&self.lane(&Size::int(l)));
                let last = self.rows.len.sub(&Size::one());
                let at = min(f.size(&lane)?, f.size(&last)?);
                let at = f.number("lane", at, &last);
                let x = f.read(&self.rows, &at)?;
                f.copy(&x, &Dest::Place(Place { layout: self.registers.layout.clone(), at: Size::int(l) }))
            })?;
            f.emit_all(block);
        }
        Ok(())
    }
}

impl<'k> Operand<'k> {
    /// Element `[lane][iteration]` of the rows; lanes after the last are clamped. It belongs to the `i`th part that the
    /// work-item fetches of half `half` of the tiles.
    fn fetch_one(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        (i, lane): (&Size, &Size),
        (half, first_round, in_tile): (&Size, &Size, &Size),
    ) -> Result<Value<'k>> {
        let mut lane = self.clamped(f, lane)?;
        let mut round = first_round.add(in_tile);
        if let Some(s @ Stream { divided: Some(divided), .. }) = &self.stream {
            let (known_lane, known_round) = (f.size(&lane)?, f.size(&round)?);
            lane = f.number("lane", known_lane, &self.rows.len.sub(&Size::one()));
            let (_, most) = f.facts().bounds(&round);
            round = f.number("round", known_round, &most.unwrap_or_else(|| round.clone()));
            let of_item = if s.along_rounds { i.clone() } else { Size::zero() };
            divided.known(f, (&of_item, &lane), (half, in_tile, &round), self.side.depth)?;
        }
        let row = f.read(&self.rows, &lane)?;
        let row = f.array(&row)?;
        f.read(&row, &round)
    }

    /// A lane, or the last one if there is no such lane.
    fn clamped(&self, f: &mut FunctionBuilder<'_, 'k>, lane: &Size) -> Result<Size> {
        let last = self.rows.len.sub(&Size::one());
        if f.facts().le(lane, &last).is_yes() {
            return Ok(lane.clone());
        }
        let at = min(f.size(lane)?, f.size(&last)?);
        Ok(f.number("lane", at, &last))
    }

    fn in_tile(&self, s: &Stream, buffer: &Size, lane: &Size, round: &Size) -> Size {
        let pitch = Size::int(s.pitch);
        buffer.mul(&Size::int(self.side.depth)).add(round).mul(&pitch).add(lane)
    }

    /// The argument of the element function for one of the work-item's lanes. In the current iteration, all elements of
    /// a row are represented by the same value.
    pub fn lane_value(&self, f: &mut FunctionBuilder<'_, 'k>, l: &Size, rounds: &Size) -> Result<Value<'k>> {
        let x = f.load(&Place { layout: self.registers.layout.clone(), at: l.clone() })?;
        Ok(match self.stream {
            Some(_) => Value::Array(Array::new(rounds.clone(), View::Fill(x))),
            None => x,
        })
    }
}

/// Declares an operand. `ty` is the type of an element of `rows`.
pub fn operand<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    name: &str,
    rows: Array<'k>,
    ty: &Ty,
    side: Side,
    own: Size,
) -> Result<Operand<'k>> {
    let place = |layout: Rc<Layout>| Place { layout, at: Size::zero() };
    let Some(row) = ty.as_array() else {
        let registers = place(f.arrays(ty, name, Storage::Private, side.of_item as u64)?);
        return Ok(Operand { side, rows, own, registers, stream: None });
    };
    let element = &row.element;
    let (mut along_rounds, vectors) = neighbours(f, &rows);
    let tried = match strides(f, &rows) {
        Some(s) if is_word(s.memory.scalar) => None,
        _ => tried(f, &rows)?,
    };
    if let Some(tried) = &tried {
        along_rounds = tried.along_rounds;
    }
    let wide = match vectors.filter(|_| side.width() > 1) {
        Some((strides, multiples)) => whole_vectors(f, &multiples)?.map(|c| (strides, c)),
        None => None,
    };
    let width = if wide.is_some() { side.width() } else { 1 };
    let pitch = if along_rounds { side.lanes + side.padding } else { side.lanes };
    let local = f.arrays(element, &format!("{name}_tile"), Storage::LocalVectors, (2 * side.depth * pitch) as u64)?;
    let staged =
        f.arrays(element, &format!("{name}_next"), Storage::Private, (side.lanes * side.depth / ITEMS) as u64)?;
    let registers = f.arrays(element, name, Storage::Private, side.of_item as u64)?;
    let (fast, slow) = if along_rounds { (side.depth / width, side.lanes) } else { (side.lanes / width, side.depth) };
    let first = local_id().cast(CType::Int).rem(Expr::int(fast)).mul(Expr::int(width));
    let first = f.number(&format!("{name}_from"), first, &Size::int((fast - 1) * width));
    let second = local_id().cast(CType::Int).div(Expr::int(fast));
    let second = f.number(&format!("{name}_at"), second, &Size::int((ITEMS / fast).min(slow) - 1));
    let (lane, round) = if along_rounds { (second, first) } else { (first, second) };
    let (staged, local) = (place(staged), place(local));
    let mut stream = Stream { staged, local, pitch, along_rounds, width, wide, divided: None, lane, round };
    let lanes = if along_rounds { stream.pieces(side).0 } else { 1 };
    stream.divided = tried.map(|tried| tried.declared(f, name, lanes)).transpose()?;
    Ok(Operand { side, rows, own, registers: place(registers), stream: Some(stream) })
}

/// Whether neighbouring iterations, rather than lanes, are adjacent in memory. Where four adjacent elements can be
/// a vector: their addresses, and the sizes that must be multiples of four.
fn neighbours<'k>(f: &mut FunctionBuilder<'_, 'k>, rows: &Array<'k>) -> (bool, Option<(Strides, Vec<Size>)>) {
    let strides = strides(f, rows).filter(|s| is_word(s.memory.scalar));
    let along_rounds = strides.as_ref().is_none_or(|s| !s.first.is_one());
    let vectors = match strides {
        Some(s) if along_rounds && s.second.is_one() => {
            let multiples = vec![s.first.clone(), s.base.clone()];
            Some((s, multiples))
        }
        Some(s) if !along_rounds => {
            let multiples = vec![s.second.clone(), s.base.clone(), rows.len.clone()];
            Some((s, multiples))
        }
        _ => None,
    };
    (along_rounds, vectors)
}

/// The condition that all these sizes are multiples of four; `None` if it is false.
fn whole_vectors(f: &mut FunctionBuilder, sizes: &[Size]) -> Result<Option<Expr>> {
    let mut condition = Expr::Bool(true);
    let four = Size::int(4);
    for s in sizes {
        let truth = f.facts().divides(&four, s);
        if truth.is_no() {
            return Ok(None);
        }
        if !truth.is_yes() {
            let rest = Expr::binary(BinaryOp::Rem, f.size(s)?, Expr::int(4));
            let one = rest.eq(Expr::int(0));
            if condition != one {
                condition = condition.and(one);
            }
        }
    }
    Ok(Some(if condition.is_atom() { condition } else { f.bind("aligned", CType::Bool, condition) }))
}

fn vector(f: &mut Body, m: &Memory, width: i64, space: Qualifier, pointer: Expr, name: &str) -> Expr {
    let ty = CType::Vec(m.scalar, width as u8);
    f.bind(name, ty, Expr::Wide { ty, space, pointer: Arc::new(pointer) })
}

impl Stream {
    /// The number of parts of a tile that a work-item fetches, and their distance.
    fn pieces(&self, side: Side) -> (i64, i64) {
        let per_round = if self.along_rounds { side.depth / self.width } else { side.lanes / self.width };
        (side.lanes * side.depth / (ITEMS * self.width), ITEMS / per_round)
    }

    /// The distance in lanes, or iterations, of each part from the first.
    fn moves(&self, o: &Operand<'_>) -> Vec<Size> {
        let (count, step) = self.pieces(o.side);
        (0..count).map(|i| Size::int(i * step)).collect()
    }
}

impl Operand<'_> {
    /// The distance of a work-item's lane `l` from its first.
    pub fn lane(&self, l: &Size) -> Size {
        let four = Size::int(4);
        l.rem(&four).add(&l.div_floor(&four).mul(&Size::int(self.side.spread)))
    }
}

impl Layout {
    fn scalar_memory(&self) -> Option<&Memory> {
        match self {
            Layout::Scalar(m) => Some(m),
            _ => None,
        }
    }
}
