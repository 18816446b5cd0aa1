//! One table in global memory, shared by all work-items through atomic operations: for tables too large for local
//! memory, where conflicts are rare.

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Dest, Layout, Memory, Place, Root, Value};
use super::table::ByKey;
use crate::core::{Level, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, StmtKind};
use crate::plan::BufferRole;
use crate::schedule::by_key::Atomic;
use crate::schedule::rules;
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use std::rc::Rc;
use std::sync::Arc;

impl<'k> Host<'k> {
    /// The table has memory only if `many` is positive.
    pub(super) fn by_key_shared(&mut self, stmt: &'k Stmt, by: &ByKey<'k>, many: &Size, dest: &Dest<'k>) -> Result<()> {
        let (Some(atomic), Some(scalar)) = (by.atomic.or(by.ordered), by.ty.as_scalar()) else { return Ok(()) };
        let bits = by.atomic.is_none().then(|| Bits { of_nan: if atomic == Atomic::Min { i32::MAX } else { -1 } });
        let scalar = if bits.is_some() { Scalar::Int } else { scalar };
        self.program.applied(&rules::BY_KEY_SHARED, &stmt.origin);
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let cells = by.cells();
        let room = Size::if_le(&Size::one(), many, &cells, &Size::zero());
        let table = self.program.buffer(&format!("{name}_cells"), scalar, room.clone(), BufferRole::Temporary);
        let kind = crate::report::Kind::Global;
        self.program.stored(&format!("{name}_cells"), kind, scalar, &room, &stmt.origin);
        let memory = Memory { root: Root::Buffer(table), scalar };
        let layout = Rc::new(Layout::Scalar(memory.clone()));
        let along = Dims { glb: [true, false, false], wrg: [false; 3], lcl: [false; 3] };
        let title = |label| Title { name: &name, label, origin: &stmt.origin };
        self.launch(&title("reduce by key: empty table"), along, [None; 3], |f| {
            let z = f.force(&by.z)?;
            let z = in_table(f, bits, &z)?;
            let cells = f.host_size(&cells, "cells")?;
            f.for_level(Level::Glb(0), &cells, |f, at| {
                f.copy(&z, &Dest::Place(Place { layout: layout.clone(), at: at.clone() }))
            })
        })?;
        self.launch(&title("reduce by key: all elements"), along, [None; 3], |f| {
            let buckets = f.sized(&by.buckets, "buckets")?;
            let width = by.columns.as_ref().map(|n| f.host_size(n, "columns")).transpose()?;
            f.for_level(Level::Glb(0), &by.keys.len, |f, i| {
                let key = f.read(&by.keys, i)?;
                let key = f.scalar_of(&key)?;
                let key = f.scalar(&key)?;
                let key = f.named("key", key);
                let there = key.clone().ge(Expr::int(0)).and(key.clone().lt(buckets));
                f.provided(there, |f| {
                    let x = f.read(&by.xs, i)?;
                    let Some(width) = &width else {
                        let at = f.index_below("bucket", key, &by.buckets);
                        let x = in_table(f, bits, &x)?;
                        return add_atomically(f, atomic, &memory, &at, &x);
                    };
                    let row = f.array(&x)?;
                    let bucket = f.index_below("bucket", key, &by.buckets);
                    f.for_each("j", width, |f, j| {
                        let x = f.read(&row, j)?;
                        add_atomically(f, atomic, &memory, &bucket.mul(width).add(j), &x)
                    })
                })
            })
        })?;
        self.launch(&title("reduce by key: result"), along, [None; 3], |f| {
            let cells = f.host_size(&cells, "cells")?;
            f.for_level(Level::Glb(0), &cells, |f, at| {
                let value = f.load(&Place { layout: layout.clone(), at: at.clone() })?;
                let value = out_of_table(f, bits, &value)?;
                let at = f.size(at)?;
                by.store_cell(f, &at, &value, dest)
            })
        })
    }
}

/// Floats as their bits, changed so that they are in the order of the floats. NaN counts as the last one, as for `min` and
/// `max`.
#[derive(Clone, Copy)]
struct Bits {
    of_nan: i32,
}

/// Bits in the order of floats, or floats' bits from these: the ones of negative numbers are turned.
fn turned(bits: &Expr) -> Expr {
    let sign = Expr::binary(BinaryOp::Shr, bits.clone(), Expr::int(31));
    let mask = Expr::binary(BinaryOp::BitAnd, sign, Expr::int(i32::MAX.into()));
    Expr::binary(BinaryOp::BitXor, bits.clone(), mask)
}

fn in_table<'k>(f: &mut FunctionBuilder<'_, 'k>, bits: Option<Bits>, x: &Value<'k>) -> Result<Value<'k>> {
    let Some(Bits { of_nan }) = bits else { return Ok(x.clone()) };
    let x = f.scalar_of(x)?;
    let x = f.scalar(&x)?;
    let x = if x.is_atom() { x } else { f.bind("x", CType::Float, x) };
    let is_nan = Expr::binary(BinaryOp::Ne, Expr::call("isnan", [x.clone()]), Expr::int(0));
    let own = is_nan.select(Expr::int(of_nan.into()), Expr::call("as_int", [x]));
    let own = f.bind("bits", CType::Int, own);
    Ok(Value::computed(Scalar::Int, turned(&own)))
}

fn out_of_table<'k>(f: &mut FunctionBuilder<'_, 'k>, bits: Option<Bits>, value: &Value<'k>) -> Result<Value<'k>> {
    if bits.is_none() {
        return Ok(value.clone());
    }
    let own = f.scalar_of(value)?;
    let own = f.scalar(&own)?;
    let own = f.bind("bits", CType::Int, own);
    Ok(Value::computed(Scalar::Float, Expr::call("as_float", [turned(&own)])))
}

/// Combines a value with a cell. The least and the greatest change a cell seldom: it is read first, and a value that changes
/// nothing needs no atomic operation. A stale value of the cell is safe: it only makes an atomic operation that changes nothing.
fn add_atomically<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    atomic: Atomic,
    memory: &Memory,
    at: &Size,
    x: &Value<'k>,
) -> Result<()> {
    let cell = f.memory(memory, at, true)?;
    let x = f.scalar_of(x)?;
    let x = f.scalar(&x)?;
    let changes = |x: &Expr| match atomic {
        Atomic::Min => Some(x.clone().lt(cell.clone())),
        Atomic::Max => Some(cell.clone().lt(x.clone())),
        _ => None,
    };
    let x = if x.is_atom() || changes(&x).is_none() { x } else { f.bind("value", CType::Int, x) };
    let changes = changes(&x);
    let combine = StmtKind::Expr(Expr::call(atomic.name(), [Expr::AddressOf(Arc::new(cell.clone())), x]));
    match changes {
        None => f.emit(combine),
        Some(changes) => {
            let (then, ()) = f.scope(|f| {
                f.emit(combine);
                Ok(())
            })?;
            f.emit_if(changes, then, Vec::new());
        }
    }
    Ok(())
}
