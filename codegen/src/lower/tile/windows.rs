//! Folds over all elements of windows that are too large to unroll.
//!
//! A work-item passes over the rows that its windows cover, from the first to the last. The elements of a row are
//! loaded once and folded into all results whose windows contain them. Each result gets its elements row by row and
//! from left to right, so its fold has the order of the program.

use super::super::Result;
use super::super::function::FunctionBuilder;
use super::super::value::{Array, Closure, Dest, Env, Layout, Place, Value, View};
use super::blocks::{WIDE, Windows, in_quads, loads_of, store_row};
use super::loads::Loads;
use super::min;
use super::transpose::if_inside;
use crate::core::{PrimCall, Rhs, Stmt};
use crate::opencl::Storage;
use crate::schedule::nest::Nest;
use lift_analysis::size::Size;
use std::rc::Rc;

/// The fold of a window, with registers for a block of them.
struct Folds<'k> {
    nest: Nest,
    fold: &'k PrimCall,
    /// The elements of the current row that the windows of a block cover.
    row: Rc<Layout>,
    acc: Rc<Layout>,
    extent: [i64; 2],
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The rows, or the columns, of a block; those after the last are clamped.
    fn positions(&mut self, count: i64, first: &Size, len: &Size, inside: bool) -> Result<Vec<Size>> {
        let last = len.sub(&Size::one());
        let mut all = Vec::new();
        for by in 0..count {
            let at = first.add(&Size::int(by));
            all.push(if inside {
                at
            } else {
                let at = min(self.size(&at)?, self.size(&last)?);
                self.number("at", at, &last)
            });
        }
        Ok(all)
    }
}

impl<'k> Windows<'k> {
    /// Computes a block of results. `inside`: all windows are inside the matrix, and rows start at multiples of four.
    pub(super) fn folded_windows(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        nest: Nest,
        first: [&Size; 2],
        lens: [&Size; 2],
        dest: &Dest<'k>,
        inside: bool,
    ) -> Result<()> {
        let wrong = || f.error("map", "a fold of windows changed after it was recognised");
        let fold = self.f.body.stmts.iter().find(|s| s.var == nest.fold).ok_or_else(wrong)?;
        let Rhs::Prim(fold) = &fold.rhs else { return Err(wrong()) };
        let kernel = f.kernel();
        let element =
            kernel.ty(self.f.params[0]).as_array().and_then(|a| a.element.as_array()).map(|a| a.element.clone());
        let element = element.ok_or_else(wrong)?;
        let (extent, z_ty) = ([self.reach[0] + 1, self.reach[1] + 1], kernel.atom_ty(&fold.args[0]));
        let row = f.arrays(&element, "row_elements", Storage::Private, (WIDE + self.reach[1]) as u64)?;
        let acc = f.arrays(&z_ty, "acc", Storage::Private, (self.tall * WIDE) as u64)?;
        let folds = Folds { nest, fold, row, acc, extent };
        let z = {
            let env = window_env(f, self, &folds, None)?;
            f.atom(&fold.args[0], &env)?
        };
        f.unrolled("i", self.tall * WIDE, |f, i| {
            f.copy(&z, &Dest::Place(Place { layout: folds.acc.clone(), at: i.clone() }))
        })?;
        let down = f.positions(self.tall, first[0], lens[0], inside)?;
        let across = f.positions(WIDE, first[1], lens[1], inside)?;
        for r in 0..self.tall + self.reach[0] {
            row_of_windows(f, self, &folds, r, &down, &across, inside)?;
            row_folded(f, self, &folds, r)?;
        }
        folds_written(f, self, &folds, first, lens, dest, inside)
    }
}

/// Loads the elements of row `r` of the block's windows.
fn row_of_windows<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    w: &Windows<'k>,
    folds: &Folds<'k>,
    r: i64,
    down: &[Size],
    across: &[Size],
    inside: bool,
) -> Result<()> {
    // The first result whose window contains the row, and the one whose window contains the column.
    let result = (r - w.reach[0]).max(0);
    let mut elements = Vec::new();
    for d in 0..WIDE + w.reach[1] {
        let column = (d - w.reach[1]).max(0);
        elements.push((d, column));
    }
    let down = &down[result as usize];
    let mut rows = Vec::new();
    for column in across {
        let (_, window) = w.window_at(f, down, column)?;
        let window = f.array(&window)?;
        let row = f.read(&window, &Size::int(r - result))?;
        rows.push(f.array(&row)?);
    }
    let load =
        |f: &mut FunctionBuilder<'_, 'k>, d: i64, column: i64| f.read(&rows[column as usize], &Size::int(d - column));
    f.keeping_loads(inside.then(Loads::default), |f| {
        if inside {
            let wanted = loads_of(f, |f| elements.iter().try_for_each(|(d, column)| load(f, *d, *column).map(|_| ())))?;
            let quads = in_quads(f, wanted);
            f.known_mut().keep_loads(Some(Loads { quads, ..Loads::default() }));
        }
        for (d, column) in &elements {
            let x = load(f, *d, *column)?;
            f.copy(&x, &Dest::Place(Place { layout: folds.row.clone(), at: Size::int(*d) }))?;
        }
        Ok(())
    })
}

/// The environment of a window's function, with this element at every index of the window.
fn window_env<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    w: &Windows<'k>,
    folds: &Folds<'k>,
    element: Option<Value<'k>>,
) -> Result<Env<'k>> {
    let mut env = w.env.clone();
    let Some((_, common)) = w.outer.body.stmts.split_last() else { return Ok(env) };
    let kernel = f.kernel();
    for s in common.iter().filter(|s| kernel.ty(s.var).as_array().is_none()) {
        let value = f.eval_stmt(s, &mut env, None)?;
        env.bind(s.var, value);
    }
    let count = Size::int(folds.extent[0] * folds.extent[1]);
    let mut in_step = |f: &mut FunctionBuilder<'_, 'k>, s: &'k Stmt, k: usize| -> Result<()> {
        let value = match (k, &element) {
            (0, Some(x)) => Value::Array(Array::new(count.clone(), View::Fill(x.clone()))),
            // Without an element, only statements that do not depend on it are useful.
            (_, None) if k == 0 || kernel.ty(s.var).as_array().is_some() => Value::Written,
            _ => f.eval_stmt(s, &mut env, None)?,
        };
        env.bind(s.var, value);
        Ok(())
    };
    for (k, s) in w.f.body.stmts.iter().enumerate().take_while(|(_, s)| s.var != folds.nest.fold) {
        in_step(f, s, k)?;
    }
    Ok(env)
}

/// Folds the elements of row `r` into the results whose windows contain it.
fn row_folded<'k>(f: &mut FunctionBuilder<'_, 'k>, w: &Windows<'k>, folds: &Folds<'k>, r: i64) -> Result<()> {
    let (from, to) = ((r - w.reach[0]).max(0), r.min(w.tall - 1));
    let wide = Size::int(WIDE);
    f.unrolled("i", to - from + 1, |f, i| {
        let result = i.add(&Size::int(from));
        f.unrolled("j", WIDE, |f, j| {
            f.unrolled("k", folds.extent[1], |f, k| {
                let x = f.load(&Place { layout: folds.row.clone(), at: j.add(k) })?;
                let env = window_env(f, w, folds, Some(x))?;
                let xs = f.atom(&folds.fold.args[1], &env)?;
                let xs = f.array(&xs)?;
                let round = Size::int(r).sub(&result).mul(&Size::int(folds.extent[1])).add(k);
                let x = f.read(&xs, &round)?;
                let before = f.load(&Place { layout: folds.acc.clone(), at: result.mul(&wide).add(j) })?;
                let next = f.call(&Closure { lambda: &folds.fold.funs[0], env }, &[before.clone(), x])?;
                let next = if folds.nest.reorder { f.contracted(next) } else { next };
                f.assign_registers(&before, &next)
            })
        })
    })
}

/// Writes the result of each window, computed from its fold.
fn folds_written<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    w: &Windows<'k>,
    folds: &Folds<'k>,
    first: [&Size; 2],
    lens: [&Size; 2],
    dest: &Dest<'k>,
    inside: bool,
) -> Result<()> {
    let finished = |f: &mut FunctionBuilder<'_, 'k>, i: &Size, j: &Size| -> Result<Value<'k>> {
        let folded = f.load(&Place { layout: folds.acc.clone(), at: i.mul(&Size::int(WIDE)).add(j) })?;
        let mut env = window_env(f, w, folds, None)?;
        env.bind(folds.nest.fold, Value::Array(Array::new(Size::one(), View::Fill(folded))));
        for s in w.f.body.stmts.iter().skip_while(|s| s.var != folds.nest.fold).skip(1) {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        f.atom(&w.f.body.result, &env)
    };
    if !inside {
        let bounds = [f.size(lens[0])?, f.size(lens[1])?];
        return f.unrolled("i", w.tall, |f, i| {
            f.unrolled("j", WIDE, |f, j| {
                let at = [first[0].add(i), first[1].add(j)];
                if_inside(f, [(&at[0], lens[0], &bounds[0]), (&at[1], lens[1], &bounds[1])], true, |f, [r, c]| {
                    let value = finished(f, i, j)?;
                    let to = f.dest_at(dest, &r)?;
                    let to = f.dest_at(&to, &c)?;
                    f.copy(&value, &to)
                })
            })
        });
    }
    for i in 0..w.tall {
        let mut values = Vec::new();
        for j in 0..WIDE {
            let value = finished(f, &Size::int(i), &Size::int(j))?;
            values.push((first[0].add(&Size::int(i)), first[1].add(&Size::int(j)), value));
        }
        store_row(f, &values, dest)?;
    }
    Ok(())
}
