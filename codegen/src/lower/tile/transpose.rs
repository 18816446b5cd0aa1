//! Results stored in transposed order: squares pass through local memory, so that both reading and writing access
//! adjacent elements (Ruetsch, Micikevicius, *Optimizing matrix transpose in CUDA*, 2009).

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Layout, Memory, Place, Root, Value};
use super::access::Strides;
use super::local_id;
use crate::core::{Atom, Level, PrimCall, Stmt};
use crate::opencl::{CType, Expr, Storage};
use crate::parameters::Parameter;
use crate::report::Kind;
use crate::schedule::{nest, rules};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

/// Work-items of a group, and their arrangement in the square.
const ITEMS: i64 = 256;

/// The function applied to each element.
struct Then<'k> {
    f: Closure<'k>,
}

/// A matrix whose element `[r][c]` is adjacent to `[r+1][c]`.
struct Matrix<'k> {
    rows: Array<'k>,
    columns: Size,
    memory: Memory,
}

impl<'k> Host<'k> {
    /// Copies a value that is a matrix stored in transposed order; `false` if it is not.
    pub fn copy_transposed(&mut self, value: &Value<'k>, dest: &Dest<'k>, origin: &Origin) -> Result<bool> {
        match value {
            Value::Array(rows) => self.transposed("transposed", rows, dest, origin, None),
            _ => Ok(false),
        }
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
        let outer = &call.funs[0];
        let (Some((inner, f)), [row]) = (nest::inner(outer), outer.params.as_slice()) else { return Ok(false) };
        // The function gets the elements of the row one by one, and uses nothing else of it.
        let only = inner.args.as_slice() == [Atom::Var(*row)] && self.program.schedule.uses(*row).count == 1;
        if !only || outer.body.stmts.len() != 1 {
            return Ok(false);
        }
        let rows = self.array_arg(stmt, &call.args[0], env)?;
        let then = Then { f: Closure { lambda: f, env: env.clone() } };
        self.transposed(kernel.name_of(stmt.var), &rows, dest, &stmt.origin, Some(then))
    }

    fn transposed(
        &mut self,
        name: &str,
        rows: &Array<'k>,
        dest: &Dest<'k>,
        origin: &Origin,
        then: Option<Then<'k>>,
    ) -> Result<bool> {
        let target = self.program.schedule.target;
        if target.class != crate::target::Class::Gpu || i64::from(target.most_in_group) < ITEMS {
            return Ok(false);
        }
        let mut found: Option<Strides> = None;
        self.program.probe(origin, |b| {
            found = b.strides(rows);
            Ok(())
        })?;
        let Some(strides) = found.filter(|s| s.first.is_one() && !s.second.is_one()) else { return Ok(false) };
        let bytes = strides.memory.scalar.bytes() as i64;
        let Some(side) = [i64::from(target.get(Parameter::TransposeSide)), 32]
            .into_iter()
            .find(|s| s * (s + 1) * bytes <= target.local_memory as i64)
        else {
            return Ok(false);
        };
        let matrix = Matrix { rows: rows.clone(), columns: strides.columns, memory: strides.memory };
        self.program.applied(&rules::TILE_TRANSPOSE, origin);
        let title = Title { name, label: "transpose: tiles", origin };
        let used = Dims { wrg: [true, true, false], lcl: [true, false, false], ..Dims::default() };
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        self.launch(&title, used, local, |b| b.transposed_tiles(side, &matrix, dest, then.as_ref()))?;
        Ok(true)
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    fn transposed_tiles(&mut self, side: i64, m: &Matrix<'k>, dest: &Dest<'k>, then: Option<&Then<'k>>) -> Result<()> {
        let scalar = m.memory.scalar;
        // One more than a side, so that a column is not in a single bank.
        let pitch = Size::int(side + 1);
        let len = (side * (side + 1)) as u64;
        let origin = self.origin();
        self.program.stored("tile", Kind::Local, scalar, &Size::nat(len), &origin);
        self.local_bytes += len * scalar.bytes();
        let name = self.declare_array("tile", Storage::Local, CType::stored(scalar), len);
        let tile = Memory { root: Root::Array { name, local: true }, scalar };
        let in_tile = |at: Size| Place { layout: Layout::Scalar(tile.clone()).into(), at };
        let (n, columns) = (m.rows.len.clone(), m.columns.clone());
        let (n_expr, m_expr) = (self.size(&n)?, self.size(&columns)?);
        let item = self.bind("item", CType::Int, local_id());
        let x = self.number("x", item.clone().rem(Expr::int(side)), &Size::int(side - 1));
        let y = self.number("y", item.div(Expr::int(side)), &Size::int(ITEMS / side - 1));
        let tiles = |n: &Size| n.add(&Size::int(side - 1)).div_floor(&Size::int(side));
        let step = Size::int(ITEMS / side);
        let (lcl, outside) = (self.active.lcl, std::mem::replace(&mut self.shared_in_loop, true));
        self.active.lcl[0] = true;
        let result = self.for_level(Level::Wrg(1), &tiles(&n), |f, j| {
            f.for_level(Level::Wrg(0), &tiles(&columns), |f, i| {
                f.shared_in_loop = true;
                let (first_row, first_column) = (j.mul(&Size::int(side)), i.mul(&Size::int(side)));
                let end = |first: &Size| first.add(&Size::int(side));
                let whole = f.size(&end(&first_row))?.le(n_expr.clone());
                let whole = whole.and(f.size(&end(&first_column))?.le(m_expr.clone()));
                let whole = f.bind("whole", CType::Bool, whole);
                // Neighbours read along a column.
                f.either_way(&whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let across = y.add(&k.mul(&step));
                        f.inside(
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
                f.either_way(&whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let down = y.add(&k.mul(&step));
                        f.inside(
                            [(&first_row.add(&down), &n, &n_expr), (&first_column.add(&x), &columns, &m_expr)],
                            checked,
                            |f, [r, c]| {
                                let element = f.load(&in_tile(x.mul(&pitch).add(&down)))?;
                                let to = f.dest_at(dest, &r)?;
                                let to = f.dest_at(&to, &c)?;
                                match then {
                                    Some(then) => f.call_into(&then.f, &[element], &to),
                                    None => f.copy(&element, &to),
                                }
                            },
                        )
                    })
                })
            })
        });
        self.active.lcl = lcl;
        self.shared_in_loop = outside;
        result
    }

    /// Writes code in two versions: for complete squares, and for others.
    fn either_way(&mut self, whole: &Expr, mut body: impl FnMut(&mut Self, bool) -> Result<()>) -> Result<()> {
        let (all, ()) = self.scope(|f| body(f, false))?;
        let (some, ()) = self.scope(|f| body(f, true))?;
        self.emit_if(whole.clone(), all, some);
        Ok(())
    }

    /// Code for an element of a matrix, if it exists at this row and column; unless `checked`, that is known.
    pub(super) fn inside(
        &mut self,
        at: [(&Size, &Size, &Expr); 2],
        checked: bool,
        body: impl FnOnce(&mut Self, [Size; 2]) -> Result<()>,
    ) -> Result<()> {
        let mut condition = Expr::Bool(true);
        let mut named = Vec::new();
        for ((position, _, bound), name) in at.iter().zip(["r", "c"]) {
            let expr = self.size(position)?;
            let expr = if expr.is_atom() { expr } else { self.bind(name, CType::Int, expr) };
            if checked {
                condition = condition.and(expr.clone().lt((*bound).clone()));
            }
            named.push(expr);
        }
        self.when(condition, |f| {
            let r = f.number("r", named[0].clone(), &at[0].1.sub(&Size::one()));
            let c = f.number("c", named[1].clone(), &at[1].1.sub(&Size::one()));
            body(f, [r, c])
        })
    }
}
