//! Statements that compute arrays: each writes to a destination, or to new memory.

use super::Result;
use super::compact::filter_in_group;
use super::dests;
use super::device_reduce::fold_row;
use super::fold::iterate_while;
use super::function::FunctionBuilder;
use super::in_place::update;
use super::sort::{hits_in, ints};
use super::value::{Array, Closure, Dest, Env, Hits, Place, Value, View};
use crate::core::{Level, Prim, PrimCall, Stmt};
use crate::lower::team::by_key::{by_key_alone, by_key_in_group};
use crate::lower::team::in_order::scan_in_order;
use crate::lower::team::scan::scan_in_group;
use crate::lower::team::sort::sort_in_group;
use crate::opencl::{Expr, Step};
use crate::schedule::place;
use lift_analysis::size::Size;

pub fn produce<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &mut Env<'k>,
    dest: Option<&Dest<'k>>,
) -> Result<Value<'k>> {
    // A single value needs no memory.
    match call.prim {
        Prim::Reduce(Level::Lcl(_)) => {
            let value = fold_row(f, call, env)?;
            let result = Value::Array(Array::new(Size::one(), View::Fill(value)));
            return f.deliver(result, dest);
        }
        Prim::Reduce(_) | Prim::ReduceWhileSeq => {
            let value = f.fold(stmt, call, env)?;
            let result = Value::Array(Array::new(Size::one(), View::Fill(value)));
            return f.deliver(result, dest);
        }
        Prim::IterateWhile => {
            let value = iterate_while(f, stmt, call, env)?;
            return f.deliver(value, dest);
        }
        Prim::Search | Prim::LSearch => {
            let value = f.search(call, env)?;
            return f.deliver(value, dest);
        }
        Prim::Iterate => return f.iterate(stmt, call, env, dest),
        _ => {}
    }
    match dest {
        Some(d) => {
            produce_into(f, stmt, call, env, d)?;
            f.written(stmt, d)
        }
        None => {
            let space = f.schedule().spaces.get(&stmt.var).copied();
            let place = f.allocate_for(stmt, space, env)?;
            produce_at(f, stmt, call, env, &place)?;
            f.values_mut().set_in_space(stmt.var);
            f.load(&place)
        }
    }
}

/// Private memory in which `scatter` records the indices that have been written.
fn no_hits(f: &mut FunctionBuilder, len: &Size) -> Result<Hits> {
    let hits = ints(f, len, "hits")?;
    f.for_range("i", Expr::int(0), len, Step::Increment, |f, i| {
        let to = hits.int_at(f, i)?;
        f.assign(to, Expr::int(0));
        Ok(())
    })?;
    hits_in(f, hits)
}

fn produce_at<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &mut Env<'k>,
    place: &Place,
) -> Result<()> {
    produce_into(f, stmt, call, env, &Dest::Place(place.clone()))?;
    if f.is_shared(place) {
        f.fence(place);
    }
    Ok(())
}

fn produce_into<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &mut Env<'k>,
    dest: &Dest<'k>,
) -> Result<()> {
    let parallel = place::stmt_levels(stmt).iter().any(|l| crate::schedule::is_parallel(*l));
    if parallel || f.sorts_together(call) {
        return produce_here(f, stmt, call, env, dest);
    }
    if matches!(call.prim, Prim::Scan(_) | Prim::ScanExcl(_)) && scan_in_order(f, call, env, dest)? {
        return Ok(());
    }
    f.uniquely(dest, |f| produce_here(f, stmt, call, env, dest))
}

fn produce_here<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &mut Env<'k>,
    dest: &Dest<'k>,
) -> Result<()> {
    match call.prim {
        Prim::Map(level) => b.map(level, call, env, dest),
        Prim::Generate => b.generate(stmt, call, env, dest),
        Prim::Update => update(b, call, env, dest),
        Prim::Scan(Level::Seq) => b.scan(stmt, env, dest, true),
        Prim::ScanExcl(Level::Seq) => b.scan(stmt, env, dest, false),
        Prim::Filter(Level::Seq) => b.filter(call, env, dest),
        Prim::Scatter => {
            let xs = b.atom(&call.args[0], env)?;
            let f = Closure { lambda: &call.funs[0], env: env.clone() };
            let len = b.array(&xs)?.len;
            let hits = no_hits(b, &len)?;
            let to = dests::scattered(f, len, hits, dest.clone(), stmt);
            b.copy(&xs, &to)
        }
        Prim::Sort | Prim::Argsort if b.sorts_together(call) => {
            sort_in_group(b, call, env, dest, call.prim == Prim::Argsort)
        }
        Prim::Sort => b.sort(call, env, dest, false),
        Prim::Argsort => b.sort(call, env, dest, true),
        Prim::ReduceByKey(Level::Lcl(_)) => by_key_in_group(b, call, env, dest),
        Prim::ReduceByKey(_) => by_key_alone(b, call, env, dest),
        Prim::Filter(_) if b.is_whole_group() => filter_in_group(b, call, env, dest),
        // In a group of several dimensions, or with work-items of one dimension only, one of them does the work.
        Prim::Filter(_) => b.uniquely(dest, |f| f.filter(call, env, dest)),
        Prim::Scan(_) | Prim::ScanExcl(_) => {
            let inclusive = matches!(call.prim, Prim::Scan(_));
            if scan_in_group(b, call, env, dest, inclusive)? {
                return Ok(());
            }
            b.uniquely(dest, |f| f.scan(stmt, env, dest, inclusive))
        }
        prim => Err(b.error(prim.label(), "this is not compiled yet")),
    }
}
