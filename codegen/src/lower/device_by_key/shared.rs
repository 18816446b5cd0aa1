//! One table in global memory, shared by all work-items through atomic operations: for tables too large for local
//! memory, where conflicts are rare.

use super::super::Result;
use super::super::function::Dims;
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Dest, Layout, Memory, Place, Root};
use super::table::ByKey;
use crate::core::{Level, Stmt};
use crate::opencl::{Expr, StmtKind};
use crate::plan::BufferRole;
use crate::schedule::rules;
use lift_analysis::size::Size;
use std::rc::Rc;
use std::sync::Arc;

impl<'k> Host<'k> {
    /// The table has memory only if `many` is positive.
    pub(super) fn by_key_shared(&mut self, stmt: &'k Stmt, by: &ByKey<'k>, many: &Size, dest: &Dest<'k>) -> Result<()> {
        let (Some(atomic), Some(scalar)) = (by.atomic, by.ty.as_scalar()) else { return Ok(()) };
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
                let at = f.size(at)?;
                by.store_cell(f, &at, &value, dest)
            })
        })
    }
}

fn add_atomically<'k>(
    f: &mut super::super::function::FunctionBuilder<'_, 'k>,
    atomic: &'static str,
    memory: &Memory,
    at: &Size,
    x: &super::super::value::Value<'k>,
) -> Result<()> {
    let cell = f.memory(memory, at, true)?;
    let x = f.scalar_of(x)?;
    let x = f.scalar(&x)?;
    f.emit(StmtKind::Expr(Expr::call(atomic, [Expr::AddressOf(Arc::new(cell)), x])));
    Ok(())
}
