//! `filter` over the whole device, in two launches; no group waits for another.
//!
//! The input is divided into chunks. The first launch counts the elements of each chunk that pass. In the second each
//! group adds up the counts of the preceding chunks and moves the elements of its chunk there, in order, tile by tile;
//! the last chunk writes the length. Groups take chunks with a stride of their number, so any number of groups of any
//! size works.

use super::function::{Dims, FunctionBuilder};
use super::host::Host;
use super::launch::Title;
use super::value::{Array, Closure, Dest, Env, Value};
use super::{LowerError, Result};
use crate::core::{PrimCall, Stmt};
use crate::opencl::{CType, Expr, Helper, Step, StmtKind, Storage};
use crate::plan::BufferRole;
use crate::schedule::bounds;
use crate::target::Target;
use lift_analysis::hir::{Name, Scalar};
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::sync::Arc;

/// The number of chunks for an array of at most `capacity` elements.
fn chunks(capacity: &Size, target: &Target) -> Size {
    let [least, most] = [Parameter::FilterChunk, Parameter::FilterChunks].map(|p| i64::from(target.get(p)));
    let wanted = capacity.add(&Size::int(least - 1)).div_floor(&Size::int(least));
    Size::max(&Size::one(), &Size::min(&wanted, &Size::int(most)))
}

/// A chunk: the elements `begin <= i < end`.
pub struct Chunk {
    pub number: Size,
    pub begin: Size,
    pub end: Size,
}

pub const GRID: Dims = Dims { glb: [false; 3], wrg: [true, false, false], lcl: [true, false, false] };

/// Runs `body` for each chunk of `n` elements, one group per chunk.
pub fn for_chunks<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    n: &Size,
    chunks: &Size,
    body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Chunk) -> Result<()>,
) -> Result<()> {
    let (n_expr, count) = (f.length(n)?, f.size(chunks)?);
    let size = f.bind("chunk", CType::Int, rounded_up(n_expr.clone(), count));
    f.for_level(crate::core::Level::Wrg(0), chunks, |f, c| {
        let c_expr = f.size(c)?;
        // In `long`, because the last chunks may begin after the end.
        let begin = Expr::call("min", [c_expr.cast(CType::Long).mul(size.clone()), n_expr.clone().cast(CType::Long)]);
        let begin = f.bind("begin", CType::Int, begin.cast(CType::Int));
        let end = begin.clone().add(Expr::call("min", [size.clone(), n_expr.clone().sub(begin.clone())]));
        let end = f.bind("end", CType::Int, end);
        let begin = f.index_var("begin", begin);
        let end = f.index_var("end", end);
        f.known_mut().assume_range(begin.clone(), Some(Size::zero()), Some(n.clone()));
        f.known_mut().assume_range(end.clone(), Some(Size::var(begin.clone())), Some(n.clone()));
        let chunk = Chunk { number: c.clone(), begin: Size::var(begin), end: Size::var(end) };
        f.by_items(|f| body(f, &chunk))
    })
}

impl FunctionBuilder<'_, '_> {
    /// The sum of `value` over the preceding work-items, and over all. Every work-item of the group must execute it.
    pub fn group_scan(&mut self, sums: &Name, value: Expr) -> (Expr, Expr) {
        let (total, call) = call_group_scan(self, sums, value);
        (self.bind("before", CType::Int, call), total)
    }

    /// One `int` in local memory for each work-item of a group.
    pub fn group_ints(&mut self, name: &str) -> Name {
        let most = u64::from(self.target().most_in_group);
        self.own_mut().declare_local(4 * most);
        self.declare_array(name, Storage::Local, CType::Int, most)
    }
}

impl Chunk {
    /// A loop over the elements of a chunk, distributed over the group.
    pub fn for_items<'k>(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size) -> Result<()>,
    ) -> Result<()> {
        let from = f.size(&self.begin)?.add(local_id());
        let begin = self.begin.clone();
        f.for_range("i", from, &self.end, Step::Add(local_size()), |f, i| {
            f.known_mut().assume_le(begin.clone(), i.clone());
            body(f, i)
        })
    }
}

/// The sum of `value` over all work-items of the group. Every work-item must execute it.
pub fn group_total(f: &mut FunctionBuilder, sums: &Name, value: Expr) -> Expr {
    let (total, call) = call_group_scan(f, sums, value);
    f.emit(StmtKind::Expr(call));
    total
}

fn call_group_scan(f: &mut FunctionBuilder, sums: &Name, value: Expr) -> (Expr, Expr) {
    let total = f.variable("total", CType::Int, None);
    let args = [Expr::Var(sums.clone()), value, Expr::AddressOf(Arc::new(Expr::Var(total.clone())))];
    (Expr::Var(total), f.call_helper(Helper::GroupScan, args))
}

/// `⌈a/b⌉` without overflow.
pub fn rounded_up(a: Expr, b: Expr) -> Expr {
    match b.as_int() {
        Some(1) => a,
        _ => a
            .clone()
            .div(b.clone())
            .add(Expr::binary(crate::opencl::BinaryOp::Ne, a.rem(b), Expr::int(0)).cast(CType::Int)),
    }
}
pub fn local_id() -> Expr {
    Expr::call("get_local_id", [Expr::int(0)])
}
pub fn local_size() -> Expr {
    Expr::call("get_local_size", [Expr::int(0)])
}

impl<'k> Host<'k> {
    pub fn array_arg(&mut self, stmt: &Stmt, a: &crate::core::Atom, env: &Env<'k>) -> Result<Array<'k>> {
        match self.atom(a, env) {
            Value::Array(a) => Ok(a),
            _ => Err(LowerError::new(&stmt.origin, "", "an array is expected here")),
        }
    }

    /// The number of chunks for an array, even if its length has no known bound.
    pub fn chunks(&self, len: &Size) -> Size {
        match self.program.upper(&self.program.facts, len) {
            Some(most) => chunks(&most, &self.program.target),
            None => Size::nat(self.program.target.get(Parameter::FilterChunks).into()),
        }
    }

    /// An upper bound of an array's length; an error if none is known.
    pub fn most(&self, stmt: &Stmt, len: &Size) -> Result<Size> {
        let most = bounds::upper(&self.program.facts, len);
        most.filter(|most| self.program.room(most)).ok_or_else(|| {
            LowerError::new(
                &stmt.origin,
                "",
                format!("the maximum length of an array of length `{len}` is not known before the run"),
            )
        })
    }

    pub fn filter(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let xs = self.array_arg(stmt, &call.args[0], env)?;
        if self.filter_in_one_pass(stmt, call, env, dest, &xs)? || self.filter_in_pieces(stmt, call, env, dest, &xs)? {
            return Ok(());
        }
        let p = Closure { lambda: &call.funs[0], env: env.clone() };
        let out = call.funs.get(1).map(|f| Closure { lambda: f, env: env.clone() });
        let chunks = self.chunks(&xs.len);
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let counts = self.program.buffer(&format!("{name}_counts"), Scalar::Int, chunks.clone(), BufferRole::Temporary);
        let local = [None; 3];
        let count_name = format!("{name}_count");
        let title = Title { name: &count_name, label: "filter: count", origin: &stmt.origin };
        self.launch(&title, GRID, local, |f| {
            let sums = f.group_ints("sums");
            let chunks = f.host_size(&chunks, "chunks")?;
            for_chunks(f, &xs.len, &chunks, |f, chunk| {
                let count = Expr::Var(f.variable("count", CType::Int, Some(Expr::int(0))));
                chunk.for_items(f, |f, i| {
                    let x = f.read(&xs, i)?;
                    let keep = f.call(&p, &[x])?;
                    let keep = f.scalar_of(&keep)?;
                    let keep = f.scalar(&keep)?;
                    let (then, ()) = f.scope(|f| {
                        f.assign(count.clone(), count.clone().add(Expr::int(1)));
                        Ok(())
                    })?;
                    f.emit_if(keep, then, Vec::new());
                    Ok(())
                })?;
                let total = group_total(f, &sums, count);
                let at = f.size(&chunk.number)?;
                let counts = Expr::Var(f.use_buffer(counts, true));
                let (first, ()) = f.scope(|f| {
                    f.assign(counts.index(at), total);
                    Ok(())
                })?;
                f.emit_if(local_id().eq(Expr::int(0)), first, Vec::new());
                Ok(())
            })
        })?;
        let title = Title { name: &name, label: "filter: compact", origin: &stmt.origin };
        self.launch(&title, GRID, local, |f| {
            let sums = f.group_ints("sums");
            let body = f.dest_body(dest)?;
            let chunks = f.host_size(&chunks, "chunks")?;
            for_chunks(f, &xs.len, &chunks, |f, chunk| {
                compact(f, &xs, &p, out.as_ref(), chunk, &chunks, counts, &sums, dest, &body)
            })
        })
    }
}

/// Moves the elements of one chunk that pass.
#[allow(clippy::too_many_arguments)]
fn compact<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    p: &Closure<'k>,
    out: Option<&Closure<'k>>,
    chunk: &Chunk,
    chunks: &Size,
    counts: crate::plan::BufferId,
    sums: &Name,
    dest: &Dest<'k>,
    body: &Dest<'k>,
) -> Result<()> {
    let part = Expr::Var(f.variable("part", CType::Int, Some(Expr::int(0))));
    let counts = Expr::Var(f.use_buffer(counts, false));
    f.for_range("j", local_id(), &chunk.number, Step::Add(local_size()), |f, j| {
        let j = f.size(j)?;
        f.assign(part.clone(), part.clone().add(counts.index(j)));
        Ok(())
    })?;
    let before = group_total(f, sums, part);
    let offset = Expr::Var(f.variable("offset", CType::Int, Some(before)));
    f.compact_tiles(xs, p, out, chunk, sums, &offset, body)?;
    let last = f.size(&chunk.number)?.eq(f.size(&chunks.sub(&Size::one()))?);
    let (finish, ()) = f.scope(|f| {
        let len = f.index_var("offset", offset.clone());
        f.dest_packed(dest, &[Size::var(len)])?;
        Ok(())
    })?;
    f.emit_if(last.and(local_id().eq(Expr::int(0))), finish, Vec::new());
    Ok(())
}
