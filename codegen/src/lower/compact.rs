//! Compaction by the work-items of a group: moves the elements that pass a test to the front, tile by tile, in order.
//! The device-wide `filter`, whose groups take a chunk each, and `filterLcl`, which has a single group, use it.

use super::Result;
use super::device_filter::{Chunk, local_id, local_size};
use super::function::FunctionBuilder;
use super::value::{Array, Closure, Dest, Env};
use crate::core::PrimCall;
use crate::opencl::{CType, Expr, Step};
use lift_analysis::hir::Name;
use lift_analysis::size::Size;

impl<'k> FunctionBuilder<'_, 'k> {
    /// Moves the elements of a chunk that pass, or their images under `out`, to the index in `offset`; afterwards
    /// `offset` is the index after the last one.
    #[allow(clippy::too_many_arguments)]
    pub fn compact_tiles(
        &mut self,
        xs: &Array<'k>,
        p: &Closure<'k>,
        out: Option<&Closure<'k>>,
        chunk: &Chunk,
        sums: &Name,
        offset: &Expr,
        body: &Dest<'k>,
    ) -> Result<()> {
        // All work-items of the group take every step, because they wait for each other.
        let from = self.size(&chunk.begin)?;
        let end = self.size(&chunk.end)?;
        self.for_range("base", from, &chunk.end, Step::Add(local_size()), |f, base| {
            let index = f.size(base)?.add(local_id());
            let index = f.bind("i", CType::Int, index);
            let var = f.index_var("i", index.clone());
            let keep = Expr::Var(f.variable("keep", CType::Bool, Some(Expr::Bool(false))));
            let mut kept = None;
            let i = Size::var(var.clone());
            let (mut test, x) = f.supposing(|f| {
                f.known_mut().assume_range(var.clone(), Some(base.clone()), Some(chunk.end.sub(&Size::one())));
                f.scope(|f| {
                    let x = f.read(xs, &i)?;
                    let x = f.named_scalar(&x, "x")?;
                    let passes = f.call(p, std::slice::from_ref(&x))?;
                    let passes = f.scalar_of(&passes)?;
                    let passes = f.scalar(&passes)?;
                    f.assign(keep.clone(), passes);
                    Ok(x)
                })
            })?;
            if let Some(registers) = f.registers_like(&x, "kept")? {
                let (store, ()) = f.scope(|f| f.assign_registers(&registers, &x))?;
                test.extend(store);
                kept = Some(registers);
            }
            f.emit_if(index.clone().lt(end.clone()), test, Vec::new());
            let (before, all) = f.group_scan(sums, keep.clone().cast(CType::Int));
            let (write, ()) = f.scope(|f| {
                let at = f.bind("at", CType::Int, offset.clone().add(before));
                let at = f.index_var("at", at);
                f.known_mut().assume_index(&at, &xs.len);
                f.known_mut().assume_index(&var, &xs.len);
                let to = f.dest_at(body, &Size::var(at))?;
                let x = match &kept {
                    Some(registers) => registers.clone(),
                    None => f.read(xs, &i)?,
                };
                match out {
                    Some(g) => f.call_into(g, &[x], &to),
                    None => f.copy(&x, &to),
                }
            })?;
            f.emit_if(keep, write, Vec::new());
            f.assign(offset.clone(), offset.clone().add(all));
            Ok(())
        })
    }

    /// Whether all work-items of a group are active, numbered in one dimension.
    pub fn is_whole_group(&self) -> bool {
        let active = self.position().active();
        self.grid().used().lcl == [true, false, false] && active.lcl == [false; 3] && active.glb == [false; 3]
    }
}

/// `filterLcl`: a group keeps the elements that pass, and counts them. Every work-item of the group must execute
/// it.
pub fn filter_in_group<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
) -> Result<()> {
    let xs = f.atom(&call.args[0], env)?;
    let xs = f.array(&xs)?;
    let p = Closure { lambda: &call.funs[0], env: env.clone() };
    let out = call.funs.get(1).map(|f| Closure { lambda: f, env: env.clone() });
    let body = f.dest_body(dest)?;
    let sums = f.group_ints("sums");
    let count = Expr::Var(f.variable("count", CType::Int, Some(Expr::int(0))));
    let whole = Chunk { number: Size::zero(), begin: Size::zero(), end: xs.len.clone() };
    f.by_items(|f| f.compact_tiles(&xs, &p, out.as_ref(), &whole, &sums, &count, &body))?;
    let len = f.index_var("count", count);
    f.known_mut().assume_range(len.clone(), Some(Size::zero()), Some(xs.len.clone()));
    f.dest_packed(dest, &[Size::var(len)])?;
    Ok(())
}
