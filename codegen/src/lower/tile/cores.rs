//! `map (λrow. map (λcolumn. g (reduce f z (… row … column …))) columns) rows` on CPUs, in cache-sized tiles; also a batch
//! of them.
//!
//! Each tile of results is computed by one work-item, alone in its group: no barriers and no local memory. For some
//! iterations of the fold at a time, the elements of rows and columns are packed contiguously; partial results are in a
//! separate array. If the fold is floating-point arithmetic, eight rows and a vector of columns are combined in
//! registers; any other fold is a plain loop over columns that the device's compiler vectorises. Rows and columns after
//! the last are clamped; their results are discarded.
//!
//! The arrangement follows Goto and van de Geijn, *Anatomy of High-Performance Matrix Multiplication*, 2008.

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Dest, Env, Layout, Memory, Place, Value, View};
use super::matrix::tile::for_batch;
use super::matrix::{Batch, Element, Nested};
use super::{bytes_of, min, write_result};
use crate::core::{Level, PrimCall, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, Storage, UnaryOp};
use crate::schedule::rules;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use std::rc::Rc;

/// Bytes of a vector.
const VECTOR: u64 = 64;
/// Maximum bytes of a tile with its rows and columns: half of the private caches of a core.
const CACHE: u64 = 256 * 1024;

/// The packed rows, or columns, of a tile.
struct Panel<'k> {
    rows: Array<'k>,
    /// `[iteration][lane]` of columns, `[lane][iteration]` of rows; a single iteration if the elements are not arrays.
    place: Place,
    /// The most rows or columns of a tile.
    lanes: i64,
    is_rows: bool,
    /// Whether the elements are arrays with `rounds` elements.
    is_array: bool,
    rounds: Size,
}

/// The rows, columns and iterations of a tile, rounded up to whole blocks.
struct Extent<'a> {
    tall: &'a Size,
    wide: &'a Size,
    depth: &'a Size,
}

impl<'k> Host<'k> {
    /// Computes a matrix nest, or a batch of them, on a CPU; `false` if the elements are too large for a tile.
    pub(super) fn matrix_on_cores(
        &mut self,
        stmt: &'k Stmt,
        batch: &[&'k PrimCall],
        [row_ty, column_ty, z_ty]: [&Ty; 3],
        (env, dest): (&Env<'k>, &Dest<'k>),
        element_of: impl Fn(&mut FunctionBuilder<'_, 'k>, &Env<'k>) -> Result<Nested<'k>>,
    ) -> Result<bool> {
        let bytes = |ty: &Ty| ty.as_array().map_or(bytes_of(ty), |a| bytes_of(&a.element));
        let sides = [Parameter::CoresDown, Parameter::CoresAcross];
        let [tall, wide] = sides.map(|p| self.program.parameter(p));
        let (down, across) = (tall.cast_unsigned(), wide.cast_unsigned());
        let tile =
            |rounds: u64| (down * bytes(row_ty) + across * bytes(column_ty)) * rounds + down * across * bytes_of(z_ty);
        let rounds =
            std::iter::successors(Some(self.program.parameter(Parameter::CoresRounds)), |rounds| Some(rounds / 2))
                .take_while(|rounds| *rounds >= 8);
        let Some(rounds) = rounds.into_iter().find(|rounds| tile(*rounds as u64) <= CACHE) else { return Ok(false) };
        let title =
            Title { name: self.program.kernel.name_of(stmt.var), label: "map: tiles for caches", origin: &stmt.origin };
        self.program.applied(&rules::TILE_CORES, &stmt.origin);
        let used = Dims { wrg: [true, true, !batch.is_empty()], ..Dims::default() };
        self.launch(&title, used, [Some(1); 3], |b| {
            b.grid_mut().one_item_per_group();
            for_batch(b, batch, Batch::cores(), env.clone(), dest.clone(), &mut |b, _, env, dest| {
                let (element, rows, columns) = element_of(b, &env)?;
                let (n, m) = (rows.len.clone(), columns.len.clone());
                let a = panel(b, "a", (rows, row_ty), rounds, &element.rounds, tall, true)?;
                let c = panel(b, "b", (columns, column_ty), rounds, &element.rounds, wide, false)?;
                let acc = b.arrays(z_ty, "acc", Storage::Private, down * across)?;
                let acc = Place { layout: acc, at: Size::zero() };
                let tiles = |n: &Size, side: i64| n.add(&Size::int(side - 1)).div_floor(&Size::int(side));
                b.for_level(Level::Wrg(1), &tiles(&n, tall), |f, j| {
                    f.for_level(Level::Wrg(0), &tiles(&m, wide), |f, i| {
                        let first = [first(f, "row", j, tall, &n)?, first(f, "column", i, wide, &m)?];
                        tile_of_core(f, &element, [&a, &c], [&first[0], &first[1]], &acc, rounds, &dest)
                    })
                })
            })
        })?;
        Ok(true)
    }
}

impl<'k> Panel<'k> {
    /// Packs some iterations of a panel; lanes after the last are clamped.
    fn pack(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        first: &Size,
        count: &Size,
        from: &Size,
        depth: &Size,
        rounds: i64,
    ) -> Result<()> {
        let last = self.rows.len.sub(&Size::one());
        let read = |f: &mut FunctionBuilder<'_, 'k>, lane: &Size, round: &Size| -> Result<()> {
            let at = min(f.size(&first.add(lane))?, f.size(&last)?);
            let at = f.number("lane", at, &last);
            let mut x = f.read(&self.rows, &at)?;
            if !self.is_constant() {
                let row = f.array(&x)?;
                x = f.read(&row, &from.add(round))?;
            }
            let at = self.at(lane, round, rounds);
            f.copy(&x, &Dest::Place(Place { layout: self.place.layout.clone(), at }))
        };
        let (zero, one) = (Expr::int(0), Step::Increment);
        if self.is_rows {
            return f.for_range("i", zero.clone(), count, one.clone(), |f, lane| {
                f.for_range("k", zero, depth, one, |f, round| read(f, lane, round))
            });
        }
        f.for_range("k", zero.clone(), depth, one.clone(), |f, round| {
            f.for_range("j", zero, count, one, |f, lane| read(f, lane, round))
        })
    }
}

impl<'k> Panel<'k> {
    /// The argument of the element function for a lane, in one iteration.
    fn lane(&self, f: &mut FunctionBuilder<'_, 'k>, lane: &Size, round: &Size, rounds: i64) -> Result<Value<'k>> {
        let x = f.load(&Place { layout: self.place.layout.clone(), at: self.at(lane, round, rounds) })?;
        Ok(self.value(x))
    }
}

fn panel<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    name: &str,
    (rows, ty): (Array<'k>, &Ty),
    rounds: i64,
    all: &Size,
    lanes: i64,
    is_rows: bool,
) -> Result<Panel<'k>> {
    let (element, rounds) = match ty.as_array() {
        Some(row) => (&row.element, rounds),
        None => (ty, 1),
    };
    let layout = f.arrays(element, &format!("{name}_tile"), Storage::Private, (lanes * rounds) as u64)?;
    let place = Place { layout, at: Size::zero() };
    Ok(Panel { rows, place, lanes, is_rows, is_array: ty.as_array().is_some(), rounds: all.clone() })
}

fn first(f: &mut FunctionBuilder, name: &str, tile: &Size, side: i64, n: &Size) -> Result<Size> {
    let value = f.size(&tile.mul(&Size::int(side)))?;
    Ok(f.number(name, value, &n.sub(&Size::one())))
}

/// The number of lanes from `first` on, at most `side`, and the same rounded up to whole blocks.
fn lanes_from(f: &mut FunctionBuilder, name: &str, first: &Size, n: &Size, side: i64, block: i64) -> Result<[Size; 2]> {
    let left = f.size(&n.sub(first))?;
    let there = f.number(name, min(Expr::int(side), left), &Size::int(side));
    f.known_mut().assume_le(first.add(&there), n.clone());
    let whole = f.size(&there.add(&Size::int(block - 1)).div_floor(&Size::int(block)).mul(&Size::int(block)))?;
    let whole = f.number(&format!("whole_{name}"), whole, &Size::int(side));
    Ok([there, whole])
}

fn tile_of_core<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    panels: [&Panel<'k>; 2],
    first: [&Size; 2],
    acc: &Place,
    rounds: i64,
    dest: &Dest<'k>,
) -> Result<()> {
    let lanes = lanes_of(f, element, panels, acc)?;
    let block = if lanes.is_some() { f.parameter(Parameter::CoresBlock) } else { 1 };
    let width = lanes.as_ref().map_or(1, |lanes| i64::from(lanes.width));
    let [height, tall] = lanes_from(f, "height", first[0], &panels[0].rows.len, panels[0].lanes, block)?;
    let [breadth, wide] = lanes_from(f, "breadth", first[1], &panels[1].rows.len, panels[1].lanes, width)?;
    for (panel, first, count) in [(panels[0], first[0], &tall), (panels[1], first[1], &wide)] {
        if panel.is_constant() {
            panel.pack(f, first, count, &Size::zero(), &Size::one(), 1)?;
        }
    }
    let across = Size::int(panels[1].lanes);
    f.for_range("i", Expr::int(0), &tall, Step::Increment, |f, i| {
        f.for_range("j", Expr::int(0), &wide, Step::Increment, |f, j| {
            let lane = [panels[0].lane(f, i, &Size::zero(), rounds)?, panels[1].lane(f, j, &Size::zero(), rounds)?];
            let env = element.before_fold(f, lane)?;
            let z = f.atom(&element.fold.args[0], &env)?;
            f.copy(&z, &Dest::Place(Place { layout: acc.layout.clone(), at: i.mul(&across).add(j) }))
        })
    })?;
    let all = &element.rounds;
    f.for_range("from", Expr::int(0), all, Step::Add(Expr::int(rounds)), |f, from| {
        let left = f.size(&all.sub(from))?;
        let depth = f.number("depth", min(Expr::int(rounds), left), &Size::int(rounds));
        f.known_mut().assume_le(from.add(&depth), all.clone());
        for (panel, first, count) in [(panels[0], first[0], &tall), (panels[1], first[1], &wide)] {
            if !panel.is_constant() {
                panel.pack(f, first, count, from, &depth, rounds)?;
            }
        }
        let extent = Extent { tall: &tall, wide: &wide, depth: &depth };
        match &lanes {
            Some(lanes) => rounds_of_vectors(f, element, panels, (from, rounds), lanes, &extent),
            None => rounds_one_by_one(f, element, panels, acc, (from, rounds), &extent),
        }
    })?;
    f.for_range("i", Expr::int(0), &height, Step::Increment, |f, i| {
        f.for_range("j", Expr::int(0), &breadth, Step::Increment, |f, j| {
            let lane = [panels[0].lane(f, i, &Size::zero(), rounds)?, panels[1].lane(f, j, &Size::zero(), rounds)?];
            let env = element.before_fold(f, lane)?;
            let cell = f.load(&Place { layout: acc.layout.clone(), at: i.mul(&across).add(j) })?;
            let value = element.finished(f, env, cell)?;
            write_result(f, &value, [&first[0].add(i), &first[1].add(j)], dest)
        })
    })
}

fn rounds_one_by_one<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    panels: [&Panel<'k>; 2],
    acc: &Place,
    (from, rounds): (&Size, i64),
    extent: &Extent<'_>,
) -> Result<()> {
    let one = Step::Increment;
    f.for_range("i", Expr::int(0), extent.tall, one.clone(), |f, i| {
        f.for_range("k", Expr::int(0), extent.depth, one.clone(), |f, k| {
            f.for_range("j", Expr::int(0), extent.wide, one, |f, j| {
                let row = panels[0].lane(f, i, k, rounds)?;
                let column = panels[1].lane(f, j, k, rounds)?;
                let before =
                    f.load(&Place { layout: acc.layout.clone(), at: i.mul(&Size::int(panels[1].lanes)).add(j) })?;
                let next = element.next(f, [row, column], &from.add(k), before.clone())?;
                f.assign_registers(&before, &next)
            })
        })
    })
}

fn rounds_of_vectors<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    panels: [&Panel<'k>; 2],
    (from, rounds): (&Size, i64),
    lanes: &Lanes,
    extent: &Extent<'_>,
) -> Result<()> {
    let width = i64::from(lanes.width);
    let block = f.parameter(Parameter::CoresBlock);
    let across = panels[1].lanes;
    let vectors = f.size(&extent.wide.div_floor(&Size::int(width)))?;
    let vectors = f.number("vectors", vectors, &Size::int(across / width));
    let per_row = Size::int(across / width);
    f.for_range("j", Expr::int(0), &vectors, Step::Increment, |f, j| {
        f.for_range("i", Expr::int(0), extent.tall, Step::Add(Expr::int(block)), |f, i| {
            let cell = |r: i64| Place { layout: lanes.acc.clone(), at: i.add(&Size::int(r)).mul(&per_row).add(j) };
            let mut registers = Vec::new();
            for r in 0..block {
                let before = f.load(&cell(r))?;
                registers.extend(f.registers_with(&before, "v")?);
            }
            f.for_range("k", Expr::int(0), extent.depth, Step::Increment, |f, k| {
                let at = if panels[1].is_constant() { j.clone() } else { k.mul(&per_row).add(j) };
                let column = f.load(&Place { layout: lanes.columns.clone(), at })?;
                let column = f.named_scalar(&column, "y")?;
                for (r, v) in (0..block).zip(&registers) {
                    let x = f.load(&Place {
                        layout: panels[0].place.layout.clone(),
                        at: panels[0].at(&i.add(&Size::int(r)), k, rounds),
                    })?;
                    let x = f.scalar_of(&x)?;
                    let x = f.scalar(&x)?;
                    let x = f.bind("x", lanes.ty(), Expr::Vector(lanes.ty(), vec![x]));
                    let (Value::Vec(before), Value::Vec(y)) = (v, &column) else { continue };
                    let all = [x, y.expr.clone()];
                    let next = next_of_vectors(f, element, panels, lanes.scalar, all, &from.add(k), &before.expr)?;
                    f.assign(before.expr.clone(), next);
                }
                Ok(())
            })?;
            for (r, v) in (0..block).zip(&registers) {
                f.copy(v, &Dest::Place(cell(r)))?;
            }
            Ok(())
        })
    })
}

/// The next value of the fold as a scalar expression whose variables are actually vectors.
fn next_of_vectors<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    panels: [&Panel<'k>; 2],
    scalar: Scalar,
    [x, y]: [Expr; 2],
    k: &Size,
    before: &Expr,
) -> Result<Expr> {
    let lane = |panel: &Panel<'k>, e: Expr| panel.value(Value::computed(scalar, e));
    let both = [lane(panels[0], x), lane(panels[1], y)];
    let next = element.next(f, both, k, Value::computed(scalar, before.clone()))?;
    let next = f.scalar_of(&next)?;
    f.scalar(&next)
}

/// The vectors for several columns at once, if the scalar expression is also valid for vectors.
fn lanes_of<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    element: &Element<'k>,
    panels: [&Panel<'k>; 2],
    acc: &Place,
) -> Result<Option<Lanes>> {
    let floats = |place: &Place| match &*place.layout {
        Layout::Scalar(m) if m.scalar.is_floating() => Some(m.clone()),
        _ => None,
    };
    let found = [floats(acc), floats(&panels[0].place), floats(&panels[1].place)];
    let [Some(sum), Some(row), Some(column)] = found else { return Ok(None) };
    let scalar = sum.scalar;
    if row.scalar != scalar || column.scalar != scalar || panels[0].is_constant() {
        return Ok(None);
    }
    let names = ["x", "y", "v"].map(|name| Expr::Var(f.fresh_name(name)));
    let [x, y, v] = names.clone();
    let (stmts, next) = f.scope(|f| next_of_vectors(f, element, panels, scalar, [x, y], &Size::zero(), &v))?;
    if !stmts.is_empty() || !is_of_vectors(&next, &names) {
        return Ok(None);
    }
    let width = (VECTOR / scalar.bytes()) as u8;
    let vectors = |m: Memory| Rc::new(Layout::Vec(m, width));
    Ok(Some(Lanes { scalar, width, acc: vectors(sum), columns: vectors(column) }))
}

/// Vectors of a tile's columns.
struct Lanes {
    scalar: Scalar,
    width: u8,
    acc: Rc<Layout>,
    columns: Rc<Layout>,
}

impl Lanes {
    fn ty(&self) -> CType {
        CType::Vec(self.scalar, self.width)
    }
}

impl<'k> Panel<'k> {
    /// Whether the elements are not arrays, so that they are the same in each iteration.
    fn is_constant(&self) -> bool {
        !self.is_array
    }

    fn at(&self, lane: &Size, round: &Size, rounds: i64) -> Size {
        match (self.is_constant(), self.is_rows) {
            (true, _) => lane.clone(),
            (false, true) => lane.mul(&Size::int(rounds)).add(round),
            (false, false) => round.mul(&Size::int(self.lanes)).add(lane),
        }
    }

    /// In the current iteration, all elements of a row are represented by the same value.
    fn value(&self, x: Value<'k>) -> Value<'k> {
        if self.is_constant() { x } else { Value::Array(Array::new(self.rounds.clone(), View::Fill(x))) }
    }
}

/// Whether an expression consists of arithmetic that is also valid for vectors in place of these variables.
fn is_of_vectors(e: &Expr, vars: &[Expr]) -> bool {
    let arithmetic = |op: &BinaryOp| matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div);
    let number = |e: &Expr| matches!(e, Expr::Float(_) | Expr::Double(_));
    match e {
        Expr::Var(_) => vars.contains(e),
        Expr::Unary(UnaryOp::Neg, a) => is_of_vectors(a, vars),
        // One operand may be a number.
        Expr::Binary(op, a, b) if arithmetic(op) => match (number(a), number(b)) {
            (true, true) => false,
            (true, false) => is_of_vectors(b, vars),
            (false, true) => is_of_vectors(a, vars),
            (false, false) => is_of_vectors(a, vars) && is_of_vectors(b, vars),
        },
        Expr::Call(name, args) => {
            matches!(&**name, "fma" | "fmin" | "fmax" | "fabs" | "sqrt") && args.iter().all(|a| is_of_vectors(a, vars))
        }
        _ => false,
    }
}
