//! Work-groups of a program's own: their size, and the elements of a `mapLcl` that each work-item takes.
//!
//! The result of a `mapLcl` does not depend on the work-item that computes an element. So on a GPU, which spends its
//! time on starting work-items, a group has fewer of them than elements: each work-item computes several, a group's
//! size apart, in a loop that the device's compiler unrolls. Its checks are branch-free, so that all its loads are in
//! flight together.

use super::Result;
use super::barriers::has_barrier;
use super::function::FunctionBuilder;
use crate::core::{Atom, Block, Level, Prim, PrimCall, Rhs, Stmt};
use crate::opencl::{CType, Expr, Step, StmtKind};
use crate::schedule::is_parallel;
use crate::target::{Class, Target};
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Work-items of the smallest group that keeps a compute unit busy, with as many groups as it can hold.
const SMALL_GROUP: u32 = 64;
/// Maximum elements of a work-item in an unrolled loop.
const MOST_STEPS: i64 = 16;

/// The group size on which the `mapLcl`s of a statement rely: the most frequent length in each dimension, if all lengths
/// are constant, divided by the elements that a work-item takes.
pub fn local_size_of(stmt: &Stmt, target: &Target, ty: &impl Fn(&Atom) -> Ty) -> [Option<u32>; 3] {
    let mut lengths: [Vec<Option<i64>>; 3] = Default::default();
    stmt_lengths(stmt, ty, &mut lengths);
    if lengths.iter().all(Vec::is_empty) {
        return [None; 3];
    }
    let mut sizes = [1u32; 3];
    for (d, of) in lengths.iter().enumerate() {
        if of.is_empty() {
            continue;
        }
        let most = of.iter().max_by_key(|l| (of.iter().filter(|m| m == l).count(), **l)).copied().flatten();
        match most.and_then(|n| u32::try_from(n).ok()) {
            Some(n) if n > 0 => sizes[d] = n,
            _ => return [None; 3],
        }
    }
    if target.class == Class::Gpu && !has_loop(stmt, false) {
        share(&mut sizes, target);
    }
    match items(&sizes) {
        Some(p) if p <= target.most_in_group && sizes[2] <= 64 => sizes.map(Some),
        _ => [None; 3],
    }
}

fn items(sizes: &[u32; 3]) -> Option<u32> {
    sizes.iter().try_fold(1u32, |a, n| a.checked_mul(*n))
}

/// Halves a group, the outer dimensions first, until each work-item has its share of the elements.
fn share(sizes: &mut [u32; 3], target: &Target) {
    let mut each = 1;
    while let Some(all) = items(sizes) {
        let fits = all <= target.most_in_group;
        let enough = each >= target.per_item || all / 2 < SMALL_GROUP;
        let Some(d) = (0..3).rev().find(|&d| sizes[d] > 1 && sizes[d].is_multiple_of(2)) else { return };
        if fits && enough {
            return;
        }
        sizes[d] /= 2;
        each *= 2;
    }
}

/// Whether an element of a `mapLcl` takes a loop; then each has a work-item of its own.
fn has_loop(stmt: &Stmt, in_group: bool) -> bool {
    let Rhs::Prim(call) = &stmt.rhs else {
        return stmt.rhs.blocks().into_iter().any(|b| b.stmts.iter().any(|s| has_loop(s, in_group)));
    };
    let own = in_group && !call.prim.is_view() && !call.funs.is_empty() && !is_group_map(call);
    let inside = in_group || matches!(call.prim, Prim::Map(Level::Lcl(_)));
    own || call.funs.iter().any(|f| f.body.stmts.iter().any(|s| has_loop(s, inside)))
}

fn is_group_map(call: &PrimCall) -> bool {
    matches!(call.prim, Prim::Map(level) if is_parallel(level))
}

fn stmt_lengths(stmt: &Stmt, ty: &impl Fn(&Atom) -> Ty, out: &mut [Vec<Option<i64>>; 3]) {
    match &stmt.rhs {
        Rhs::If(_, a, b) => {
            block_lengths(a, ty, out);
            block_lengths(b, ty, out);
        }
        Rhs::Prim(call) => {
            if let (Prim::Map(Level::Lcl(d)), Some(xs)) = (call.prim, call.args.first()) {
                out[usize::from(d.min(2))].push(ty(xs).as_array().and_then(|a| a.len.as_const()));
            }
            for f in &call.funs {
                block_lengths(&f.body, ty, out);
            }
        }
        _ => {}
    }
}

fn block_lengths(block: &Block, ty: &impl Fn(&Atom) -> Ty, out: &mut [Vec<Option<i64>>; 3]) {
    for stmt in &block.stmts {
        stmt_lengths(stmt, ty, out);
    }
}

/// The distribution of a `mapLcl` with several elements for each work-item.
#[derive(Clone, Copy)]
pub struct Steps {
    dimension: u8,
    /// Work-items in this dimension.
    items: i64,
    /// Elements of a work-item, rounded up.
    each: i64,
    /// Whether all work-items have the same number of elements.
    even: bool,
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The division of `n` elements among the work-items of a group, if each takes several and all numbers are
    /// constant.
    pub fn steps(&self, level: Level, n: &Size) -> Option<Steps> {
        let Level::Lcl(dimension @ 0..=2) = level else { return None };
        let gpu = self.target().class == Class::Gpu;
        let items = self.grid().group_in(dimension).map(i64::from).filter(|_| gpu && self.grid().team().is_none())?;
        let n = n.as_const()?;
        let each = n.checked_add(items - 1)? / items;
        (2..=MOST_STEPS).contains(&each).then_some(Steps { dimension, items, each, even: n % items == 0 })
    }

    /// Runs `body` for each element of this work-item. If some work-items have one more than others, it must not wait.
    pub fn for_steps(
        &mut self,
        steps: Steps,
        name: &str,
        n: &Size,
        body: impl FnOnce(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let id = Expr::call("get_local_id", [Expr::int(steps.dimension.into())]);
        let item = self.bind(name, CType::Int, id);
        let item = self.index_below(name, item, &Size::int(steps.items));
        let (stmts, waits) = self.in_own_rounds(|f| {
            f.scope(|f| {
                let mut waits = false;
                f.for_range("k", Expr::int(0), &Size::int(steps.each), Step::Increment, |f, k| {
                    let i = k.mul(&Size::int(steps.items)).add(&item);
                    let below = f.size(&i)?.lt(f.size(n)?);
                    let (stmts, ()) = f.scope(|f| {
                        f.known_mut().assume_le(i.clone(), n.sub(&Size::one()));
                        body(f, &i)
                    })?;
                    waits = has_barrier(&stmts);
                    match steps.even {
                        true => f.emit_all(stmts),
                        false => f.emit_if(below, stmts, Vec::new()),
                    }
                    f.before_next_round();
                    Ok(())
                })?;
                Ok(waits)
            })
        })?;
        if waits && !steps.even {
            let items = steps.items;
            let why = format!(
                "a barrier is needed in a loop over {n} elements by {items} work-items, but not all of them enter the loop"
            );
            return Err(self.error("mapLcl", why));
        }
        if !stmts.is_empty() {
            self.emit(StmtKind::Unroll);
            self.emit_all(stmts);
        }
        Ok(())
    }
}
