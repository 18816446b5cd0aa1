//! Results stored in transposed order: squares pass through local memory, so that both reading and writing access
//! adjacent elements (Ruetsch, Micikevicius, *Optimizing matrix transpose in CUDA*, 2009).

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Layout, Memory, Place, Root, Value};
use super::access::transposed_elements;
use super::local_id;
use crate::core::{Atom, Lambda, Level, PrimCall, Stmt};
use crate::opencl::{CType, Expr, Storage};
use crate::report::Kind;
use crate::schedule::{free, nest, rules};
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::rc::Rc;

/// Work-items of a group, and their arrangement in the square.
const ITEMS: i64 = 256;

/// A matrix whose element `[r][c]` is adjacent to `[r+1][c]`.
struct Matrix<'k> {
    rows: Array<'k>,
    columns: Size,
    /// The layout of an element.
    element: Rc<Layout>,
    /// The function applied to each element.
    then: Option<Closure<'k>>,
}

impl<'k> Host<'k> {
    /// Copies a value that is a matrix stored in transposed order; `false` if it is not.
    pub fn copy_transposed(&mut self, value: &Value<'k>, dest: &Dest<'k>, origin: &Origin) -> Result<bool> {
        let Value::Array(rows) = value else { return Ok(false) };
        let Some((element, columns)) = self.transposed_elements(rows, origin)? else { return Ok(false) };
        let Some(side) = self.side(&element) else { return Ok(false) };
        let matrix = Matrix { rows: rows.clone(), columns, element, then: None };
        self.launch_tiles("transposed", origin, false, |b| transposed_tiles(b, side, &matrix, dest))?;
        Ok(true)
    }

    /// Computes `map (map f)` of a transposed matrix; `false` if it does not apply.
    pub(super) fn map_transposed(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let kernel = self.program.kernel;
        let Some(f) = self.of_elements(&call.funs[0]) else { return Ok(false) };
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let Some((element, columns)) = self.transposed_elements(&rows, &stmt.origin)? else { return Ok(false) };
        let Some(side) = self.side(&element) else { return Ok(false) };
        let then = Some(Closure { lambda: f, env: env.clone() });
        let matrix = Matrix { rows, columns, element, then };
        let name = kernel.name_of(stmt.var);
        self.launch_tiles(name, &stmt.origin, false, |b| transposed_tiles(b, side, &matrix, dest))?;
        Ok(true)
    }

    /// Computes `map (map (map f))` of matrices that the first function transposes; `false` if it does not apply.
    pub(super) fn maps_transposed(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let plane = &call.funs[0];
        let Some((of_rows, outer)) = nest::inner(plane) else { return Ok(false) };
        let before = plane.body.stmts.split_last().map_or(&[][..], |(_, before)| before);
        let Some(f) = self.of_elements(outer).filter(|_| before.iter().all(|s| free::is_free(&s.rhs))) else {
            return Ok(false);
        };
        let planes = self.array_arg(stmt, &call.args[0], env)?;
        let matrix = |b: &mut FunctionBuilder<'_, 'k>, p: &Size| -> Result<Option<Matrix<'k>>> {
            let mut env = env.clone();
            let value = b.read(&planes, p)?;
            env.enter(plane, p, value);
            for s in before {
                let value = b.eval_stmt(s, &mut env, None)?;
                env.bind(s.var, value);
            }
            let rows = b.atom(&of_rows.args[0], &env)?;
            let rows = b.array(&rows)?;
            let then = Some(Closure { lambda: f, env });
            let found = transposed_elements(b, &rows);
            Ok(found.map(|(element, columns)| Matrix { rows, columns, element, then }))
        };
        let mut found = None;
        self.program.probe(&stmt.origin, |b| {
            let p = b.program_mut().fresh_var("p");
            found = matrix(b, &Size::var(p))?;
            Ok(())
        })?;
        let Some(side) = found.and_then(|matrix| self.side(&matrix.element)) else { return Ok(false) };
        let name = self.program.kernel.name_of(stmt.var);
        self.launch_tiles(name, &stmt.origin, true, |b| {
            b.for_level(Level::Wrg(2), &planes.len.clone(), |b, p| {
                let to = b.dest_at(dest, p)?;
                match matrix(b, p)? {
                    Some(matrix) => transposed_tiles(b, side, &matrix, &to),
                    None => Err(b.error("transpose", "the layout of a matrix is not supported")),
                }
            })
        })?;
        Ok(true)
    }

    /// The function of the elements, if a function of rows applies one to each and uses nothing else of the row.
    fn of_elements(&self, outer: &'k Lambda) -> Option<&'k Lambda> {
        let ((inner, f), [row]) = (nest::inner(outer)?, outer.params.as_slice()) else { return None };
        let only = inner.args.as_slice() == [Atom::Var(*row)] && self.program.schedule.uses(*row).count == 1;
        (only && outer.body.stmts.len() == 1).then_some(f)
    }

    fn transposed_elements(&mut self, rows: &Array<'k>, origin: &Origin) -> Result<Option<(Rc<Layout>, Size)>> {
        let mut found = None;
        self.program.probe(origin, |b| {
            found = transposed_elements(b, rows);
            Ok(())
        })?;
        Ok(found)
    }

    /// The side of a square of such elements that fits local memory.
    fn side(&self, element: &Layout) -> Option<i64> {
        let target = self.program.target;
        let mut memories = Vec::new();
        element.memories(&mut memories);
        let bytes: i64 = memories.iter().map(|m| m.scalar.bytes() as i64).sum();
        let fits = |s: &i64| s * (s + 1) * bytes <= target.local_memory as i64;
        let works = target.class == crate::target::Class::Gpu && i64::from(target.most_in_group) >= ITEMS;
        [i64::from(target.get(Parameter::TransposeSide)), 32].into_iter().find(fits).filter(|_| works)
    }

    fn launch_tiles(
        &mut self,
        name: &str,
        origin: &Origin,
        planes: bool,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        self.program.applied(&rules::TILE_TRANSPOSE, origin);
        let title = Title { name, label: "transpose: tiles", origin };
        let used = Dims { wrg: [true, true, planes], lcl: [true, false, false], ..Dims::default() };
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        self.launch(&title, used, local, body)
    }
}

/// Code for an element of a matrix, if it exists at this row and column; unless `checked`, that is known.
pub(super) fn if_inside<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    at: [(&Size, &Size, &Expr); 2],
    checked: bool,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, [Size; 2]) -> Result<()>,
) -> Result<()> {
    let mut condition = Expr::Bool(true);
    let mut named = Vec::new();
    for ((position, _, bound), name) in at.iter().zip(["r", "c"]) {
        let expr = f.size(position)?;
        let expr = if expr.is_atom() { expr } else { f.bind(name, CType::Int, expr) };
        if checked {
            condition = condition.and(expr.clone().lt((*bound).clone()));
        }
        named.push(expr);
    }
    f.when(condition, |f| {
        let r = f.number("r", named[0].clone(), &at[0].1.sub(&Size::one()));
        let c = f.number("c", named[1].clone(), &at[1].1.sub(&Size::one()));
        body(f, [r, c])
    })
}

/// Local arrays for this many elements of a layout in buffers.
fn tile_of(f: &mut FunctionBuilder, element: &Layout, len: u64) -> Rc<Layout> {
    let origin = f.origin();
    Rc::new(match element {
        Layout::Tuple(parts) => Layout::Tuple(parts.iter().map(|part| tile_of(f, part, len)).collect()),
        other => {
            let mut memories = Vec::new();
            other.memories(&mut memories);
            let scalar = memories.first().map_or(Scalar::Int, |m| m.scalar);
            f.program_mut().stored("tile", Kind::Local, scalar, &Size::nat(len), &origin);
            f.own_mut().declare_local(len * scalar.bytes());
            let name = f.declare_array("tile", Storage::Local, CType::stored(scalar), len);
            Layout::Scalar(Memory { root: Root::Array { name, local: true }, scalar })
        }
    })
}

fn transposed_tiles<'k>(f: &mut FunctionBuilder<'_, 'k>, side: i64, m: &Matrix<'k>, dest: &Dest<'k>) -> Result<()> {
    // One more than a side, so that a column is not in a single bank.
    let pitch = Size::int(side + 1);
    let tile = tile_of(f, &m.element, (side * (side + 1)) as u64);
    let in_tile = |at: Size| Place { layout: tile.clone(), at };
    let (n, columns) = (m.rows.len.clone(), m.columns.clone());
    let (n_expr, m_expr) = (f.size(&n)?, f.size(&columns)?);
    let item = f.bind("item", CType::Int, local_id());
    let x = f.number("x", item.clone().rem(Expr::int(side)), &Size::int(side - 1));
    let y = f.number("y", item.div(Expr::int(side)), &Size::int(ITEMS / side - 1));
    let tiles = |n: &Size| n.add(&Size::int(side - 1)).div_floor(&Size::int(side));
    let step = Size::int(ITEMS / side);
    f.by_tiles(|f| {
        f.for_level(Level::Wrg(1), &tiles(&n), |f, j| {
            f.for_level(Level::Wrg(0), &tiles(&columns), |f, i| {
                f.share_memory();
                let (first_row, first_column) = (j.mul(&Size::int(side)), i.mul(&Size::int(side)));
                let end = |first: &Size| first.add(&Size::int(side));
                let whole = f.size(&end(&first_row))?.le(n_expr.clone());
                let whole = whole.and(f.size(&end(&first_column))?.le(m_expr.clone()));
                let whole = f.bind("whole", CType::Bool, whole);
                // Neighbours read along a column.
                either_way(f, &whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let across = y.add(&k.mul(&step));
                        if_inside(
                            f,
                            [(&first_row.add(&x), &n, &n_expr), (&first_column.add(&across), &columns, &m_expr)],
                            checked,
                            |f, [r, c]| {
                                let row = f.read(&m.rows, &r)?;
                                let row = f.array(&row)?;
                                let element = f.read(&row, &c)?;
                                f.copy(&element, &Dest::Place(in_tile(across.mul(&pitch).add(&x))))
                            },
                        )
                    })
                })?;
                f.barrier(true, false);
                // Neighbours write along a row.
                either_way(f, &whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let down = y.add(&k.mul(&step));
                        if_inside(
                            f,
                            [(&first_row.add(&down), &n, &n_expr), (&first_column.add(&x), &columns, &m_expr)],
                            checked,
                            |f, [r, c]| {
                                let element = f.load(&in_tile(x.mul(&pitch).add(&down)))?;
                                let to = f.dest_at(dest, &r)?;
                                let to = f.dest_at(&to, &c)?;
                                match &m.then {
                                    Some(then) => f.call_into(then, &[element], &to),
                                    None => f.copy(&element, &to),
                                }
                            },
                        )
                    })
                })
            })
        })
    })
}

/// Writes code in two versions: for complete squares, and for others.
fn either_way<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    whole: &Expr,
    mut body: impl FnMut(&mut FunctionBuilder<'_, 'k>, bool) -> Result<()>,
) -> Result<()> {
    let (all, ()) = f.scope(|f| body(f, false))?;
    let (some, ()) = f.scope(|f| body(f, true))?;
    f.emit_if(whole.clone(), all, some);
    Ok(())
}
