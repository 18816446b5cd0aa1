//! `map (map f)` of overlapping windows: each work-item computes a block of results, four adjacent ones in a few rows,
//! and loads the elements that their windows share only once.
//!
//! If the windows are inside the matrix, the distances of their elements are known: no index is clamped, each element
//! is loaded once and kept in a register, and four of them are one load. This requires rows that start at multiples of
//! four. At the edges, and for other rows, the same is computed with the indices from `pad`; as that code has the same
//! form, these groups are not the last to finish. Folds are so long that a whole group takes the same version.

use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Layout, Memory, Place, Root, Value};
use super::super::{LowerError, Result};
use super::access::is_word;
use super::loads::Loads;
use super::transpose::if_inside;
use super::{local_id, min};
use crate::core::{Block, Kernel, Lambda, Level, PrimCall, Rhs, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Qualifier, Step};
use crate::plan::BufferId;
use crate::schedule::nest::{self, Nest};
use crate::schedule::{fails, rules};
use crate::target::{Class, Target};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::{Size, Truth};
use lift_analysis::ty::{Ty, TyKind};
use std::sync::Arc;

/// Adjacent results per work-item.
pub(super) const WIDE: i64 = 4;
/// Maximum elements of a window if the code for each is written separately.
const MOST_IN_WINDOW: i64 = 32;
/// Maximum elements of a window whose fold is unrolled as well.
const FEW_IN_FOLD: i64 = 16;
/// Maximum reach of a fold's windows beyond their first element.
const MOST_REACH: i64 = 16;
/// Maximum statements of the function.
const MOST_STATEMENTS: usize = 48;
/// Maximum statements of the function if loops over elements of the window are unrolled.
const MOST_WRITTEN_OUT: usize = 192;

pub(super) struct Windows<'k> {
    pub rows: Array<'k>,
    pub columns: Size,
    pub outer: &'k Lambda,
    pub f: &'k Lambda,
    pub env: Env<'k>,
    /// The reach of windows beyond their first element, down and across.
    pub reach: [i64; 2],
    pub tall: i64,
    /// The plane of the windows, if they have three dimensions.
    pub plane: Option<Plane>,
    /// The fold of all elements of a window, if the code for each is not written separately.
    pub fold: Option<Nest>,
}

pub(super) struct Plane {
    at: Size,
    len: Size,
    /// The reach of windows beyond the plane.
    reach: i64,
}

/// The extents of the windows in a type, outermost first, and their number of elements.
fn extents(ty: &Ty) -> Option<(Vec<i64>, i64)> {
    match ty.kind() {
        TyKind::Scalar(_) => Some((Vec::new(), 1)),
        TyKind::Array(a) => {
            let (mut inner, n) = extents(&a.element)?;
            let len = a.len.as_const().filter(|n| *n > 0)?;
            inner.insert(0, len);
            Some((inner, n * len))
        }
        TyKind::Tuple(parts) => {
            let (mut all, mut n) = (Vec::new(), 0);
            for p in parts {
                let (extents, count) = extents(p)?;
                n += count;
                if extents.len() > all.len() {
                    all.resize(extents.len(), 1);
                }
                for (most, e) in all.iter_mut().zip(extents) {
                    *most = e.max(*most);
                }
            }
            Some((all, n))
        }
        _ => None,
    }
}

fn statements(block: &Block) -> usize {
    block.stmts.iter().map(|s| 1 + s.rhs.blocks().into_iter().map(statements).sum::<usize>()).sum()
}

/// The number of statements if each loop over a constant number of elements is unrolled; more than [`MOST_WRITTEN_OUT`]
/// if the length of a loop is not constant.
fn written_out(kernel: &Kernel, block: &Block) -> usize {
    let of_call = |call: &PrimCall| {
        let lengths = call.args.iter().filter_map(|a| kernel.atom_ty(a).as_array().map(|t| t.len.as_const()));
        let times = lengths.chain(call.sizes.first().map(Size::as_const)).max().flatten();
        let times = times.map_or(MOST_WRITTEN_OUT, |n| usize::try_from(n).unwrap_or(0));
        call.funs.iter().map(|f| times.saturating_mul(written_out(kernel, &f.body))).fold(0, usize::saturating_add)
    };
    let of_stmt = |stmt: &Stmt| match &stmt.rhs {
        Rhs::Prim(call) => of_call(call),
        rhs => rhs.blocks().into_iter().map(|b| written_out(kernel, b)).fold(0, usize::saturating_add),
    };
    block.stmts.iter().map(|s| of_stmt(s).saturating_add(1)).fold(0, usize::saturating_add)
}

impl<'k> Host<'k> {
    pub(super) fn blocks(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        fold: Option<Nest>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "map", "a nest of maps changed after it was recognised");
        let outer = &call.funs[0];
        let (inner, f) = nest::inner(outer).ok_or_else(wrong)?;
        let Some((extents, count)) = extents(kernel.ty(f.params[0])) else { return Ok(false) };
        let reach = match extents.as_slice() {
            [d, a] => [d - 1, a - 1],
            [a] => [0, a - 1],
            _ => return Ok(false),
        };
        let few = count <= MOST_IN_WINDOW;
        let fold = fold.filter(|_| count > FEW_IN_FOLD && extents.len() == 2 && reach[0].max(reach[1]) <= MOST_REACH);
        // Reads that neighbours share pay on a device whose work-items run at the same time; folds share their registers.
        if self.program.target.class == Class::Cpu && fold.is_none() {
            return Ok(false);
        }
        let small = fold.is_some() || written_out(kernel, &f.body) <= MOST_WRITTEN_OUT;
        // Checks are not shared like loads: each result would repeat them, with its own code.
        let mut before = outer.body.stmts.iter().rev().skip(1);
        let checks = before.any(|s| fails::rhs_may_fail(&kernel.vars, &s.rhs));
        if !(count > 1 && (few || fold.is_some()) && small) || checks || !self.takes_blocks(&f.body) {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let Some(columns) = kernel.atom_ty(&inner.args[0]).as_array().map(|t| env.size(&t.len)) else {
            return Ok(false);
        };
        let tall = if fold.is_some() { 4 } else { tall(reach[0]) };
        let windows = Windows { rows, columns, outer, f, env: env.clone(), reach, tall, plane: None, fold };
        let (rule, label) = match fold {
            Some(_) => (&rules::WINDOWS, "map: folds of windows"),
            None => (&rules::BLOCKS, "map: blocks"),
        };
        self.program.applied(rule, &stmt.origin);
        let title = Title { name: kernel.name_of(stmt.var), label, origin: &stmt.origin };
        let used = Dims { wrg: [true, true, false], lcl: [true, false, false], ..Dims::default() };
        let [across, down] = arrangement(&self.program.target);
        let local = [Some((across * down) as u32), Some(1), Some(1)];
        self.launch(&title, used, local, |b| windows.window_blocks(b, dest))?;
        Ok(true)
    }

    /// Whether a function is small enough to be written for each result of a block.
    fn takes_blocks(&self, body: &Block) -> bool {
        let [across, down] = arrangement(&self.program.target);
        let enough_items = i64::from(self.program.target.most_in_group) >= across * down;
        enough_items && statements(body) <= MOST_STATEMENTS
    }

    /// `map (map (map f))` of three-dimensional windows: blocks in each plane.
    pub(super) fn planes(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let plane = &call.funs[0];
        let Some((rows_call, outer)) = nest::inner(plane) else { return Ok(false) };
        let Some((inner, f)) = nest::inner(outer) else { return Ok(false) };
        let Some((extents, count)) = extents(kernel.ty(f.params[0])) else { return Ok(false) };
        let [deep, d, a] = extents.as_slice() else { return Ok(false) };
        let reach = [d - 1, a - 1];
        let deep = deep - 1;
        let columns = kernel.atom_ty(&inner.args[0]).as_array().map(|t| env.size(&t.len));
        let small = self.takes_blocks(&f.body) && written_out(kernel, &f.body) <= MOST_WRITTEN_OUT;
        let Some(columns) = columns.filter(|_| count > 1 && count <= MOST_IN_WINDOW && small) else {
            return Ok(false);
        };
        let planes = self.array_arg(stmt, &call.args[0], env)?;
        self.program.applied(&rules::BLOCKS, &stmt.origin);
        let title = Title { name: kernel.name_of(stmt.var), label: "map: blocks of planes", origin: &stmt.origin };
        let used = Dims { wrg: [true; 3], lcl: [true, false, false], ..Dims::default() };
        let [across, down] = arrangement(&self.program.target);
        let local = [Some((across * down) as u32), Some(1), Some(1)];
        self.launch(&title, used, local, |b| {
            b.for_level(Level::Wrg(2), &planes.len.clone(), |b, p| {
                let mut env = env.clone();
                let value = b.read(&planes, p)?;
                env.enter(plane, p, value);
                for s in plane.body.stmts.iter().rev().skip(1).rev() {
                    let value = b.eval_stmt(s, &mut env, None)?;
                    env.bind(s.var, value);
                }
                let rows = b.atom(&rows_call.args[0], &env)?;
                let rows = b.array(&rows)?;
                let plane = Some(Plane { at: p.clone(), len: planes.len.clone(), reach: deep });
                let windows = Windows { rows, columns, outer, f, env, reach, tall: tall(reach[0]), plane, fold: None };
                let to = b.dest_at(dest, p)?;
                windows.window_blocks(b, &to)
            })
        })?;
        Ok(true)
    }
}

/// The arrangement of a group's work-items: across and down.
fn arrangement(target: &Target) -> [i64; 2] {
    [Parameter::WindowsAcross, Parameter::WindowsDown].map(|p| i64::from(target.get(p)))
}

/// Rows of results per work-item: more if windows reach far, so that they share most of their rows.
fn tall(reach: i64) -> i64 {
    if reach >= 4 { 4 } else { 2 }
}

/// Writes adjacent results, as one vector if possible.
pub(super) fn store_row<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    values: &[(Size, Size, Value<'k>)],
    dest: &Dest<'k>,
) -> Result<()> {
    if store_quad(f, values, dest)? {
        return Ok(());
    }
    for (r, c, value) in values {
        let to = f.dest_at(dest, r)?;
        let to = f.dest_at(&to, c)?;
        f.copy(value, &to)?;
    }
    Ok(())
}

/// The elements that some code loads; the code itself is discarded.
pub(super) fn loads_of<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    code: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
) -> Result<Vec<(BufferId, Size)>> {
    let (_, (wanted, memo)) = f.scope(|f| {
        code(f)?;
        let wanted = f.known().loads().map(|l| l.known.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
        Ok((wanted, f.known_mut().take_memo()))
    })?;
    // Facts about sizes stay valid, but names do not.
    if let (Some(memo), Some(found)) = (f.known_mut().memo_mut(), memo) {
        memo.learn(found);
    }
    Ok(wanted)
}

/// The addresses of groups of four elements with at least two needed ones.
pub(super) fn in_quads(f: &mut FunctionBuilder, wanted: Vec<(BufferId, Size)>) -> Vec<(BufferId, Size)> {
    let four = Size::int(WIDE);
    let mut counts: Vec<((BufferId, Size), usize)> = Vec::new();
    for (buffer, at) in wanted {
        if !is_word(f.program().buffers[buffer.0 as usize].element) {
            continue;
        }
        // All groups are multiples of four apart.
        let of_known = counts.iter().find_map(|((b, start), _)| {
            let distance = at.sub(start).as_const().filter(|_| *b == buffer)?;
            Some(at.sub(&Size::int(distance.rem_euclid(WIDE))))
        });
        let start = of_known.or_else(|| {
            let mut starts = (0..WIDE).map(|l| at.sub(&Size::int(l)));
            starts.find(|s| f.facts().divides(&four, s) == Truth::Yes)
        });
        let Some(start) = start.map(|s| f.known_mut().simplify(&s)) else { continue };
        let quad = (buffer, start);
        match counts.iter_mut().find(|(q, _)| *q == quad) {
            Some((_, n)) => *n += 1,
            None => counts.push((quad, 1)),
        }
    }
    counts.into_iter().filter(|(_, n)| *n > 1).map(|(q, _)| q).collect()
}

impl FunctionBuilder<'_, '_> {
    /// A named element of a buffer that is not written; `None` if loads are not kept.
    pub fn kept_load(&mut self, m: &Memory, at: &Size) -> Result<Option<Expr>> {
        let Root::Buffer(buffer) = m.root else { return Ok(None) };
        let own = self.own();
        let parts = own.is_of_item(buffer) || own.is_of_group(buffer);
        if self.known().loads().is_none() || self.writes(buffer) || parts {
            return Ok(None);
        }
        let at = &self.known_mut().simplify(at);
        let Some(loads) = self.known().loads() else { return Ok(None) };
        let key = (buffer, at.clone());
        if let Some(known) = loads.known.get(&key) {
            return Ok(Some(known.clone()));
        }
        let quad = loads.quads.iter().find_map(|(b, start)| {
            key.1.sub(start).as_const().filter(|l| *b == buffer && (0..WIDE).contains(l))?;
            Some(start.clone())
        });
        let in_fours = loads.in_fours;
        let quad = quad.or_else(|| if in_fours { four_around(self, buffer, at) } else { None });
        let from = Expr::Var(self.use_buffer(buffer, false));
        let mut add = Vec::new();
        if let Some(start) = quad {
            let ty = CType::Vec(m.scalar, WIDE as u8);
            let pointer = from.add(self.size(&start)?);
            let quad = self.bind("v", ty, Expr::Wide { ty, space: Qualifier::GlobalConst, pointer: Arc::new(pointer) });
            for l in 0..WIDE {
                add.push((self.known_mut().simplify(&start.add(&Size::int(l))), quad.clone().lane(l as u8)));
            }
        } else {
            let index = self.size(&key.1)?;
            let value = self.bind("x", CType::stored(m.scalar), from.index(index));
            add.push((key.1.clone(), value));
        }
        let mut found = None;
        if let Some(loads) = self.known_mut().loads_mut() {
            for (at, value) in add {
                loads.known.insert((buffer, at), value);
            }
            found = loads.known.get(&key).cloned();
        }
        Ok(found)
    }
}

/// Writes four neighbours as one vector, if they are scalars at adjacent addresses.
pub(super) fn store_quad<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    values: &[(Size, Size, Value<'k>)],
    dest: &Dest<'k>,
) -> Result<bool> {
    let mut start: Option<(Memory, Size)> = None;
    let mut lanes = Vec::new();
    for (l, (r, c, value)) in values.iter().enumerate() {
        let to = f.dest_at(dest, r)?;
        let Dest::Place(Place { layout, at }) = f.dest_at(&to, c)? else { return Ok(false) };
        let (Layout::Scalar(m), Value::Scalar(s)) = (&*layout, value) else { return Ok(false) };
        if !is_word(m.scalar) || !matches!(m.root, Root::Buffer(_)) {
            return Ok(false);
        }
        match &start {
            None => start = Some((m.clone(), at.clone())),
            Some((first, from)) => {
                let distance = f.facts().simplify(&at.sub(from)).as_const();
                if first != m || distance != Some(l as i64) {
                    return Ok(false);
                }
            }
        }
        lanes.push(f.scalar(s)?);
    }
    let Some((m, from)) = start else { return Ok(false) };
    if f.known().divides(WIDE, &from) != Truth::Yes {
        return Ok(false);
    }
    let ty = CType::Vec(m.scalar, WIDE as u8);
    let pointer = f.pointer(&m, true).add(f.size(&from)?);
    let to = Expr::Wide { ty, space: Qualifier::Global, pointer: Arc::new(pointer) };
    f.assign(to, Expr::Vector(ty, lanes));
    Ok(true)
}

impl<'k> Windows<'k> {
    /// The window at a row and a column, and the environment of its function.
    pub(super) fn window_at(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        r: &Size,
        c: &Size,
    ) -> Result<(Env<'k>, Value<'k>)> {
        let mut env = self.env.clone();
        let row = f.read(&self.rows, r)?;
        env.enter(self.outer, r, row);
        let Some((last, before)) = self.outer.body.stmts.split_last() else { return Ok((env, Value::Written)) };
        for s in before {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let Rhs::Prim(inner) = &last.rhs else { return Ok((env, Value::Written)) };
        let columns = f.atom(&inner.args[0], &env)?;
        let columns = f.array(&columns)?;
        let window = f.read(&columns, c)?;
        Ok((env, window))
    }
}

impl<'k> Windows<'k> {
    fn window_blocks(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>) -> Result<()> {
        let (n, m) = (self.rows.len.clone(), self.columns.clone());
        let (n_expr, m_expr) = (f.size(&n)?, f.size(&m)?);
        let item = f.bind("item", CType::Int, local_id());
        let [across, down] = arrangement(f.target());
        let x =
            f.number("x", item.clone().rem(Expr::int(across)).mul(Expr::int(WIDE)), &Size::int((across - 1) * WIDE));
        let y =
            f.number("y", item.div(Expr::int(across)).mul(Expr::int(self.tall)), &Size::int((down - 1) * self.tall));
        let tiles = |n: &Size, side: i64| n.add(&Size::int(side - 1)).div_floor(&Size::int(side));
        let (tile_down, tile_across) = (down * self.tall, across * WIDE);
        f.by_items(|f| {
            f.for_level(Level::Wrg(1), &tiles(&n, tile_down), |f, j| {
                f.for_level(Level::Wrg(0), &tiles(&m, tile_across), |f, i| {
                    let row = f.size(&j.mul(&Size::int(tile_down)).add(&y))?;
                    let row = f.number("row", row, &n.add(&Size::int(tile_down)));
                    let column = f.size(&i.mul(&Size::int(tile_across)).add(&x))?;
                    let column = f.number("column", column, &m.add(&Size::int(tile_across)));
                    let start = match self.fold {
                        // The code is long, so neighbouring work-items must take the same version.
                        Some(_) => {
                            [(j.mul(&Size::int(tile_down)), tile_down), (i.mul(&Size::int(tile_across)), tile_across)]
                        }
                        None => [(row.clone(), self.tall), (column.clone(), WIDE)],
                    };
                    self.window_block(f, [&row, &column], start, [&n, &m], [&n_expr, &m_expr], dest)
                })
            })
        })
    }

    fn window_block(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        first: [&Size; 2], // The region that must be inside: its start and extent in each dimension.
        whole: [(Size, i64); 2],
        lens: [&Size; 2],
        bounds: [&Expr; 2],
        dest: &Dest<'k>,
    ) -> Result<()> {
        // Inside, with a margin of a window and a vector.
        let margin = [self.reach[0], self.reach[1] + WIDE - 1];
        let side = [self.tall, WIDE];
        let mut inside = Expr::Bool(true);
        for (d, (from, extent)) in whole.iter().enumerate() {
            let at = f.size(from)?;
            if margin[d] > 0 {
                inside = inside.and(at.clone().ge(Expr::int(margin[d])));
            }
            inside = inside.and(at.add(Expr::int(margin[d] + extent)).le(bounds[d].clone()));
        }
        if let Some(plane) = &self.plane {
            let (at, len) = (f.size(&plane.at)?, f.size(&plane.len)?);
            inside = inside.and(at.clone().ge(Expr::int(plane.reach)));
            inside = inside.and(at.add(Expr::int(plane.reach + 1)).le(len));
        }
        // If all rows start at a multiple of four, so do blocks.
        let four = Size::int(WIDE);
        let aligned_facts = |f: &mut FunctionBuilder<'_, 'k>| {
            f.known_mut().remember();
            for d in 0..2 {
                f.known_mut().assume_le(Size::int(margin[d]), first[d].clone());
                f.known_mut().assume_le(first[d].add(&Size::int(margin[d] + side[d])), lens[d].clone());
            }
            if let Some(plane) = &self.plane {
                f.known_mut().assume_le(Size::int(plane.reach), plane.at.clone());
                f.known_mut().assume_le(plane.at.add(&Size::int(plane.reach + 1)), plane.len.clone());
            }
            f.known_mut().assume_divides(four.clone(), lens[1].clone());
            f.known_mut().assume_divides(four.clone(), first[1].clone());
        };
        let aligned = Expr::binary(BinaryOp::Rem, bounds[1].clone(), Expr::int(WIDE)).eq(Expr::int(0));
        if let Some(nest) = self.fold {
            let (block, ()) = f.scope(|f| {
                aligned_facts(f);
                self.folded_windows(f, nest, first, lens, dest, true)
            })?;
            let (edge, ()) = f.scope(|f| {
                f.known_mut().remember();
                self.folded_windows(f, nest, first, lens, dest, false)
            })?;
            f.emit_if(inside.and(aligned), block, edge);
            return Ok(());
        }
        let (quads, ()) = f.scope(|f| {
            aligned_facts(f);
            self.written_block(f, first, dest)
        })?;
        let (mut edge, ()) = f.scope(|f| self.edge_block(f, first, lens, dest))?;
        let room = bounds[0].clone().ge(Expr::int(self.tall)).and(bounds[1].clone().ge(Expr::int(WIDE)));
        let (few, ()) = f.scope(|f| {
            f.known_mut().remember();
            f.for_range("i", Expr::int(0), &Size::int(self.tall), Step::Increment, |f, i| {
                f.for_range("j", Expr::int(0), &Size::int(WIDE), Step::Increment, |f, j| {
                    let at = [first[0].add(i), first[1].add(j)];
                    if_inside(f, [(&at[0], lens[0], bounds[0]), (&at[1], lens[1], bounds[1])], true, |f, [r, c]| {
                        let value = self.window_value(f, &r, &c)?;
                        let to = f.dest_at(dest, &r)?;
                        let to = f.dest_at(&to, &c)?;
                        f.copy(&value, &to)
                    })
                })
            })
        })?;
        let either = f.scope(|f| {
            f.emit_if(room, std::mem::take(&mut edge), few);
            Ok(())
        })?;
        f.emit_if(inside.and(aligned), quads, either.0);
        Ok(())
    }

    /// A block that reaches an edge: moved back until it is inside the matrix, so that its results exist and their
    /// windows share loads. Results before `first` belong to other blocks.
    fn edge_block(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        first: [&Size; 2],
        lens: [&Size; 2],
        dest: &Dest<'k>,
    ) -> Result<()> {
        f.known_mut().remember();
        let mut start = Vec::new();
        for (d, (name, side)) in [("r", self.tall), ("c", WIDE)].into_iter().enumerate() {
            f.known_mut().assume_le(Size::int(side), lens[d].clone());
            let last = lens[d].sub(&Size::int(side));
            let at = min(f.size(first[d])?, f.size(&last)?);
            start.push(f.number(name, at, &last));
        }
        f.writing_out(MOST_IN_WINDOW, |f| {
            f.keeping_loads(Some(Loads::default()), |f| {
                for i in 0..self.tall {
                    for j in 0..WIDE {
                        let at = [start[0].add(&Size::int(i)), start[1].add(&Size::int(j))];
                        let value = self.window_value(f, &at[0], &at[1])?;
                        let mut own = Expr::Bool(true);
                        for d in 0..2 {
                            own = own.and(f.size(&at[d])?.ge(f.size(first[d])?));
                        }
                        f.when(own, |f| {
                            let to = f.dest_at(dest, &at[0])?;
                            let to = f.dest_at(&to, &at[1])?;
                            f.copy(&value, &to)
                        })?;
                    }
                }
                Ok(())
            })
        })
    }

    /// Computes the result at a row and a column.
    fn window_value(&self, f: &mut FunctionBuilder<'_, 'k>, r: &Size, c: &Size) -> Result<Value<'k>> {
        let (env, window) = self.window_at(f, r, c)?;
        f.call(&Closure { lambda: self.f, env }.at(c), &[window])
    }

    /// A block in straight-line code: each element of a buffer is loaded once, four at a time if at least two are
    /// needed.
    fn written_block(&self, f: &mut FunctionBuilder<'_, 'k>, first: [&Size; 2], dest: &Dest<'k>) -> Result<()> {
        f.writing_out(MOST_IN_WINDOW, |f| f.keeping_loads(Some(Loads::default()), |f| self.block_with(f, first, dest)))
    }

    fn block_with(&self, f: &mut FunctionBuilder<'_, 'k>, first: [&Size; 2], dest: &Dest<'k>) -> Result<()> {
        let at = |i: i64, j: i64| [first[0].add(&Size::int(i)), first[1].add(&Size::int(j))];
        let wanted = loads_of(f, |f| {
            for i in 0..self.tall {
                for j in 0..WIDE {
                    let [r, c] = at(i, j);
                    self.window_value(f, &r, &c)?;
                }
            }
            Ok(())
        })?;
        let wanted = in_quads(f, wanted);
        f.known_mut().keep_loads(Some(Loads { quads: wanted, ..Loads::default() }));
        for i in 0..self.tall {
            let mut values = Vec::new();
            for j in 0..WIDE {
                let [r, c] = at(i, j);
                let value = self.window_value(f, &r, &c)?;
                values.push((r, c, value));
            }
            store_row(f, &values, dest)?;
        }
        Ok(())
    }
}

/// The start of the group of four around an element, if the buffer consists of such groups.
fn four_around(f: &FunctionBuilder, buffer: BufferId, at: &Size) -> Option<Size> {
    let four = Size::int(WIDE);
    let of = &f.program().buffers[buffer.0 as usize];
    if !is_word(of.element) || f.facts().divides(&four, &of.capacity) != Truth::Yes {
        return None;
    }
    let mut starts = (0..WIDE).map(|l| f.facts().simplify(&at.sub(&Size::int(l))));
    starts.find(|s| f.facts().divides(&four, s) == Truth::Yes)
}
