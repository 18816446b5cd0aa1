//! `reduceByKey` of a row by a group, whose table is in local memory; or by one work-item.

use crate::core::PrimCall;
use crate::lower::Result;
use crate::lower::device_by_key::{ByKey, Folded, Table};
use crate::lower::function::FunctionBuilder;
use crate::lower::value::{Closure, Dest, Env};
use crate::opencl::{CType, Expr, Step, Storage};
use crate::schedule::by_key::atomic;
use crate::schedule::teams::KEY_TABLE;
use lift_analysis::ty::Ty;

/// Folds a row. Every work-item of the group must execute it.
pub fn by_key_in_group<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
) -> Result<()> {
    let by = by_key(f, call, env)?;
    let Some(items) = f.team().and_then(|n| u32::try_from(n).ok()) else {
        return Err(f.error("reduceByKey", "its work-items are not a whole group"));
    };
    let n = by.keys.len.clone();
    let table = Table::of_row(items, KEY_TABLE, &by, &n);
    let Some(memory) = f.element_arrays(&by.ty, "table", Storage::Local, table.room) else {
        return Err(f.error("reduceByKey", "the folded value is not a scalar"));
    };
    f.runs_together();
    let lanes = f.host_size(&table.lanes(), "lanes")?;
    let lanes = f.size(&lanes)?;
    let turns = f.host_size(&table.turns.0, "turns")?;
    let result = f.by_group(|f| {
        f.for_range("turn", Expr::int(0), &turns, Step::Increment, |f, turn| {
            let turn = f.size(turn)?;
            let task = by.task(f, &table, (memory.clone(), lanes.clone(), Expr::int(1)), turn)?;
            task.fold_part(f, &Expr::int(0), &n, Folded::Result(dest))
        })
    });
    f.share_memory();
    result
}

/// Folds a row by one work-item.
pub fn by_key_alone<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    call: &'k PrimCall,
    env: &Env<'k>,
    dest: &Dest<'k>,
) -> Result<()> {
    let by = by_key(f, call, env)?;
    let table = f.allocate_private(&Ty::array(by.ty.clone(), by.buckets.clone()), "table")?;
    let (value, to) = (f.load(&table)?, Dest::Place(table));
    let cells = f.array(&value)?;
    let z = f.force(&by.z)?;
    let buckets = by.buckets.clone();
    f.for_range("b", Expr::int(0), &buckets, Step::Increment, |f, b| {
        let cell = f.dest_at(&to, b)?;
        f.copy(&z, &cell)
    })?;
    f.for_range("i", Expr::int(0), &by.keys.len, Step::Increment, |f, i| {
        let key = f.read(&by.keys, i)?;
        let key = f.scalar_of(&key)?;
        let key = f.scalar(&key)?;
        let key = f.bind("key", CType::Int, key);
        let inside = Expr::int(0).le(key.clone()).and(key.clone().lt(f.size(&buckets)?));
        f.provided(inside, |f| {
            let key = f.index_below("key", key, &buckets);
            let x = f.read(&by.xs, i)?;
            let mut old = f.read(&cells, &key)?;
            if by.ty.as_scalar().is_none() {
                old = f.named_scalar(&old, "old")?;
            }
            let next = f.call(&by.f, &[old, x])?;
            let cell = f.dest_at(&to, &key)?;
            f.copy(&next, &cell)
        })
    })?;
    f.for_range("b", Expr::int(0), &buckets, Step::Increment, |f, b| {
        let x = f.read(&cells, b)?;
        let cell = f.dest_at(dest, b)?;
        f.copy(&x, &cell)
    })
}

fn by_key<'k>(f: &mut FunctionBuilder<'_, 'k>, call: &'k PrimCall, env: &Env<'k>) -> Result<ByKey<'k>> {
    let ty = f.kernel().atom_ty(&call.args[0]).clone();
    let (keys, xs) = (f.atom(&call.args[1], env)?, f.atom(&call.args[2], env)?);
    Ok(ByKey {
        f: Closure { lambda: &call.funs[0], env: env.clone() },
        z: f.atom(&call.args[0], env)?,
        keys: f.array(&keys)?,
        xs: f.array(&xs)?,
        ordered: None,
        atomic: atomic(&call.funs[0], &ty),
        ty,
        buckets: env.size(&call.sizes[0]),
        columns: None,
    })
}
