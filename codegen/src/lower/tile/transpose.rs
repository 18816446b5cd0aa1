//! Maps and copies whose neighbours read memory that is far apart, while those along another dimension read adjacent
//! elements: squares of both dimensions pass through local memory, so that both reading and writing access adjacent
//! elements (Ruetsch, Micikevicius, *Optimizing matrix transpose in CUDA*, 2009).
//!
//! The element of the map is written once for symbolic indices. Its loads whose addresses are linear in the indices say which
//! dimension is read in order. Other loads, such as of arrays that lie in the order of the result, stay where they are.
//!
//! [`ordered`]: elements that certainly read memory in order; [`turned`]: how the loads of an element depend on the indices.

mod ordered;
mod turned;

use self::turned::{Index, Load, Turned};
use super::local_id;
use crate::core::{Atom, Lambda, Level, PrimCall, Rhs, Stmt};
use crate::lower::Result;
use crate::lower::copies::{copy_dims, copy_in_parallel};
use crate::lower::dests::Assigned;
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::{Title, dims_of};
use crate::lower::value::{Closure, Dest, Env, Value};
use crate::opencl::{self, CType, Expr, StmtKind, Storage, rewrite};
use crate::report::Kind;
use crate::schedule::{flat, free, nest, rules};
use crate::target::Class;
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

/// Work-items of a group.
const ITEMS: i64 = 256;

/// The elements that are computed or copied.
enum Work<'a, 'k> {
    Map(&'k PrimCall, &'a Env<'k>),
    Copy(&'a Value<'k>),
}

impl<'k> Host<'k> {
    /// Copies a value of several dimensions whose innermost dimension is not contiguous; `false` if this does not apply.
    pub fn copy_transposed(&mut self, value: &Value<'k>, dest: &Dest<'k>, origin: &Origin) -> Result<bool> {
        let title = Title { name: "transposed", label: "transpose: tiles", origin };
        self.through_squares(&title, &Work::Copy(value), dest, |host, only_if| {
            let title = Title { name: "copy", label: "copy", origin };
            let dims = copy_dims(host.program.schedule, value);
            host.launch_if(only_if, &title, dims, [None; 3], |f| copy_in_parallel(f, value, dest))
        })
    }

    /// Computes maps over several dimensions whose innermost dimension is not contiguous; `false` if this does not apply.
    pub fn map_transposed(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label: "transpose: tiles", origin: &stmt.origin };
        self.through_squares(&title, &Work::Map(call, env), dest, |host, only_if| {
            let title = Title { name, label: call.prim.label(), origin: &stmt.origin };
            let across = host.neighbours_lie_across(stmt, call, env, dest)?;
            let mut env = env.clone();
            host.launch_if(only_if, &title, dims_of(stmt), [None; 3], |f| {
                f.grid_mut().lie_across(across);
                f.eval_stmt(stmt, &mut env, Some(&Assigned::Write(dest.clone()))).map(drop)
            })
        })
    }

    /// `directly`: launches the same work without squares, if these sizes are positive.
    fn through_squares(
        &mut self,
        title: &Title,
        work: &Work<'_, 'k>,
        dest: &Dest<'k>,
        directly: impl FnOnce(&mut Self, &[Size]) -> Result<()>,
    ) -> Result<bool> {
        let target = self.program.target;
        if target.class != Class::Gpu || i64::from(target.most_in_group) < ITEMS {
            return Ok(false);
        }
        let in_order = match work {
            Work::Map(call, env) => ordered::reads_in_order(self.program.kernel, call, env),
            Work::Copy(_) => false,
        };
        // Debug builds compare with the code.
        if in_order && !cfg!(debug_assertions) {
            return Ok(false);
        }
        let mut found = None;
        self.program.probe(title.origin, |b| {
            found = element(b, work, dest)?.map(|(_, turned)| turned);
            Ok(())
        })?;
        debug_assert!(!in_order || found.is_none(), "an element that reads in order has a load that is turned");
        let Some(turned) = found else { return Ok(false) };
        let bytes = turned.bytes();
        let fits = |s: &i64| s * (s + 1) * bytes <= target.local_memory as i64;
        let sides = [i64::from(target.get(Parameter::TransposeSide)), 32];
        let Some(side) = sides.into_iter().find(fits) else { return Ok(false) };
        // Fewer elements would leave most of a square empty, and most of what a device reads at once is used directly.
        let least = Size::int(self.program.parameter(Parameter::TransposeLeast));
        let missing = |len: &Size| least.sub(len);
        let short = Size::max(&missing(&turned.across()), &missing(&turned.last().len));
        let only_if = match short.as_const() {
            Some(short) if short > 0 => return Ok(false),
            None if self.program.is_known_before(&short) => vec![Size::one().sub(&short)],
            _ => Vec::new(),
        };
        self.program.applied(&rules::TILE_TRANSPOSE, title.origin);
        let used =
            Dims { wrg: [true, true, !turned.others().is_empty()], lcl: [true, false, false], ..Dims::default() };
        let local = [Some(ITEMS as u32), Some(1), Some(1)];
        let body = |b: &mut FunctionBuilder<'_, 'k>| {
            // Each square is a group's, and each of its elements one work-item's.
            match b.with_active(used, |b| element(b, work, dest))? {
                Some((body, turned)) => turned.others_then(b, |b| squares(b, side, &turned, &body)),
                None => Err(b.error("transpose", "the layout of an array is not supported")),
            }
        };
        if only_if.is_empty() {
            self.launch(title, used, local, body)?;
        } else {
            self.launch_if(&only_if, title, used, local, body)?;
            directly(self, &[short])?;
        }
        Ok(true)
    }
}

/// The statements that write an element, and how its loads depend on the indices; `None` if no load is turned.
fn element<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    work: &Work<'_, 'k>,
    dest: &Dest<'k>,
) -> Result<Option<(Vec<opencl::Stmt>, Turned)>> {
    let mut indices = Vec::new();
    let (body, written) = b.scope(|b| match work {
        Work::Map(call, env) => in_map(b, call, env, dest, &mut indices),
        Work::Copy(value) => in_copy(b, value, dest, &mut indices),
    })?;
    if !written {
        return Ok(None);
    }
    Ok(Turned::of(b, &body, indices).map(|turned| (body, turned)))
}

/// A new index below the length.
fn index_below(b: &mut FunctionBuilder, len: &Size, indices: &mut Vec<Index>) -> Size {
    let name = b.fresh_name("i");
    let var = b.index_var("i", Expr::Var(name.clone()));
    b.known_mut().assume_index(&var, len);
    indices.push(Index { name, len: len.clone() });
    Size::var(var)
}

/// Writes an element of maps that do nothing else; `false` if they do.
fn in_map<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
    indices: &mut Vec<Index>,
) -> Result<bool> {
    let f = &call.funs[0];
    let xs = b.atom(&call.args[0], env)?;
    let xs = b.array(&xs)?;
    let i = index_below(b, &xs.len, indices);
    let x = b.read(&xs, &i)?;
    let to = b.dest_at(dest, &i)?;
    if let Some((next, _)) = nest::inner(f) {
        let Some((_, before)) = f.body.stmts.split_last().filter(|_| is_next(b, f)) else { return Ok(false) };
        let mut env = env.clone();
        env.enter(f, &i, x);
        for s in before {
            let value = b.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        return in_map(b, next, &env, &to, indices);
    }
    // A square has two dimensions.
    if indices.len() < 2 || !flat::is_flat(&b.kernel().atom_ty(&f.body.result)) {
        return Ok(false);
    }
    let f = Closure { lambda: f, env: env.clone() };
    b.call_into(&f.at(&i), &[x], &to)?;
    Ok(true)
}

/// Whether a function returns what its last statement maps, and the statements before are views or are computed when they
/// are read.
fn is_next(b: &FunctionBuilder, f: &Lambda) -> bool {
    let Some((last, before)) = f.body.stmts.split_last() else { return false };
    let lazy = &b.schedule().lazy;
    let waits = |s: &Stmt| lazy.contains(&s.var) || free::is_free(&s.rhs);
    let mapped = matches!(&last.rhs, Rhs::Prim(call) if call.funs.len() == 1);
    f.position.is_none() && mapped && f.body.result == Atom::Var(last.var) && before.iter().all(waits)
}

fn in_copy<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    value: &Value<'k>,
    dest: &Dest<'k>,
    indices: &mut Vec<Index>,
) -> Result<bool> {
    let Value::Array(xs) = value else {
        b.copy(value, dest)?;
        return Ok(indices.len() > 1);
    };
    let i = index_below(b, &xs.len, indices);
    let x = b.read(xs, &i)?;
    let to = b.dest_at(dest, &i)?;
    in_copy(b, &x, &to, indices)
}

impl Turned {
    /// Runs `body` for all indices of the dimensions that are not of the squares.
    fn others_then(
        &self,
        b: &mut FunctionBuilder,
        body: impl FnOnce(&mut FunctionBuilder) -> Result<()>,
    ) -> Result<()> {
        let others = self.others();
        if others.is_empty() {
            return body(b);
        }
        let all = others.iter().fold(Size::one(), |all, index| all.mul(&index.len));
        b.for_level(Level::Wrg(2), &all, |b, plane| {
            let plane = b.size(plane)?;
            declare_parts(b, others.into_iter().rev(), plane)?;
            body(b)
        })
    }
}

/// Declares the indices of an element of several dimensions, the fastest first.
fn declare_parts<'a>(b: &mut FunctionBuilder, dims: impl Iterator<Item = &'a Index>, element: Expr) -> Result<()> {
    let mut left = element;
    let mut dims = dims.peekable();
    while let Some(Index { name, len }) = dims.next() {
        if dims.peek().is_none() {
            declare(b, name, left);
            break;
        }
        let whole = if left.is_atom() { left } else { b.bind("left", CType::Int, left) };
        let len = b.size(len)?;
        declare(b, name, whole.clone().rem(len.clone()));
        left = whole.div(len);
    }
    Ok(())
}

fn declare(b: &mut FunctionBuilder, name: &Name, value: Expr) {
    b.emit(StmtKind::Declare { ty: CType::Int, constant: true, name: name.clone(), init: Some(value) });
}

/// Code for all squares.
fn squares(f: &mut FunctionBuilder, side: i64, turned: &Turned, body: &[opencl::Stmt]) -> Result<()> {
    // One more than a side, so that a column is not in a single bank.
    let pitch = side + 1;
    let tiles: Vec<Name> = turned.loads.iter().map(|load| tile_of(f, load, side * pitch)).collect();
    let (across, down) = (turned.across(), &turned.last().len);
    let (across_expr, down_expr) = (f.size(&across)?, f.size(down)?);
    let item = f.bind("item", CType::Int, local_id());
    let x = f.number("x", item.clone().rem(Expr::int(side)), &Size::int(side - 1));
    let y = f.number("y", item.div(Expr::int(side)), &Size::int(ITEMS / side - 1));
    let number = |n: &Size| n.add(&Size::int(side - 1)).div_floor(&Size::int(side));
    let step = Size::int(ITEMS / side);
    f.by_tiles(|f| {
        f.for_level(Level::Wrg(1), &number(&across), |f, j| {
            f.for_level(Level::Wrg(0), &number(down), |f, i| {
                f.share_memory();
                let (first_q, first_c) = (j.mul(&Size::int(side)), i.mul(&Size::int(side)));
                let end = |first: &Size| first.add(&Size::int(side));
                let whole = f.size(&end(&first_q))?.le(across_expr.clone());
                let whole = whole.and(f.size(&end(&first_c))?.le(down_expr.clone()));
                let whole = f.bind("whole", CType::Bool, whole);
                // Neighbours read along the dimension that is adjacent in memory.
                either_way(f, &whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let of_square = y.add(&k.mul(&step));
                        if_inside(
                            f,
                            [(&first_q.add(&x), &across, &across_expr), (&first_c.add(&of_square), down, &down_expr)],
                            checked,
                            |f, [q, c]| {
                                let at = of_square.mul(&Size::int(pitch)).add(&x);
                                let (at, q, c) = (f.size(&at)?, f.size(&q)?, f.size(&c)?);
                                for (load, tile) in turned.loads.iter().zip(&tiles) {
                                    let from = Expr::Var(load.buffer.clone()).index(load.address(turned, &q, &c));
                                    f.assign(Expr::Var(tile.clone()).index(at.clone()), from);
                                }
                                Ok(())
                            },
                        )
                    })
                })?;
                f.barrier(true, false);
                // Neighbours write along the last dimension.
                either_way(f, &whole, |f, checked| {
                    f.unrolled("k", side * side / ITEMS, |f, k| {
                        let of_square = y.add(&k.mul(&step));
                        if_inside(
                            f,
                            [(&first_q.add(&of_square), &across, &across_expr), (&first_c.add(&x), down, &down_expr)],
                            checked,
                            |f, [q, c]| {
                                let at = x.mul(&Size::int(pitch)).add(&of_square);
                                let (at, q, c) = (f.size(&at)?, f.size(&q)?, f.size(&c)?);
                                turned.declare_indices(f, q, c)?;
                                let mut body = body.to_vec();
                                rewrite(&mut body, &mut |e| {
                                    if let Some(nth) = turned.load_of(e) {
                                        *e = Expr::Var(tiles[nth].clone()).index(at.clone());
                                    }
                                });
                                f.emit_all(body);
                                Ok(())
                            },
                        )
                    })
                })
            })
        })
    })
}

/// Local memory for one square of the elements that a load reads.
fn tile_of(f: &mut FunctionBuilder, load: &Load, len: i64) -> Name {
    let (origin, len) = (f.origin(), len.unsigned_abs());
    f.program_mut().stored("tile", Kind::Local, load.scalar, &Size::nat(len), &origin);
    f.own_mut().declare_local(len * load.scalar.bytes());
    f.declare_array("tile", Storage::Local, CType::stored(load.scalar), len)
}

/// Writes code in two versions: for complete squares, and for others.
fn either_way(
    f: &mut FunctionBuilder,
    whole: &Expr,
    mut body: impl FnMut(&mut FunctionBuilder, bool) -> Result<()>,
) -> Result<()> {
    let (all, ()) = f.scope(|f| body(f, false))?;
    let (some, ()) = f.scope(|f| body(f, true))?;
    f.emit_if(whole.clone(), all, some);
    Ok(())
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
