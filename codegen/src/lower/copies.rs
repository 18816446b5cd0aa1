//! Copies of values by all work-items of a launch.

use super::Result;
use super::function::{Dims, FunctionBuilder};
use super::value::{Array, ArrayDest, Closure, Dest, Layout, Value, View};
use crate::core::{Level, Rhs};
use crate::schedule::{Schedule, free};
use crate::target::GRID;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The dimensions over which to copy a value.
pub fn copy_dims(schedule: &Schedule, value: &Value) -> Dims {
    dims(depth_of(schedule, value))
}

/// The dimensions over which to copy a value of this type.
pub fn copy_dims_of(ty: &Ty) -> Dims {
    fn depth(ty: &Ty) -> usize {
        match ty.kind() {
            TyKind::Array(a) => 1 + depth(&a.element),
            TyKind::Tuple(parts) => parts.iter().map(depth).max().unwrap_or(0),
            TyKind::Exists(_, body) => depth(body),
            _ => 0,
        }
    }
    dims(depth(ty))
}

fn dims(depth: usize) -> Dims {
    Dims { glb: [0, 1, 2].map(|d| d < depth), ..Dims::default() }
}

fn depth_of(schedule: &Schedule, value: &Value) -> usize {
    match value {
        Value::Tuple(parts) => parts.iter().map(|part| depth_of(schedule, part)).max().unwrap_or(0),
        Value::Packed { body, .. } => depth_of(schedule, body),
        Value::Array(a) if let Some(depth) = depth_of_one(schedule, a) => depth,
        Value::Array(a) => match &*a.view {
            View::FlatPieces { of, .. } => Depths::new(schedule).of(of),
            _ => Depths::new(schedule).of(a),
        },
        _ => 0,
    }
}

/// Depths of arrays, each found once: a view may be a part of another one in many ways, as in `(concat v v)` of `(concat u u)`.
struct Depths<'s> {
    schedule: &'s Schedule,
    known: FxHashMap<*const View<'s>, usize>,
}

impl<'s> Depths<'s> {
    fn new(schedule: &'s Schedule) -> Depths<'s> {
        Depths { schedule, known: FxHashMap::default() }
    }

    /// The number of nested arrays, from the outermost on, whose elements can be computed one by one.
    fn of(&mut self, a: &Array<'s>) -> usize {
        let view = Rc::as_ptr(&a.view);
        if let Some(depth) = self.known.get(&view) {
            return *depth;
        }
        let depth = match &*a.view {
            View::Stored { element, .. } => 1 + nested(element),
            View::Rows { of: a, .. } | View::Windows { of: a, .. } | View::Pieces { of: a, .. } => 1 + self.of(a),
            View::Packed { .. } => 2,
            View::Transposed(a) => self.of(a).max(2),
            View::Part { of: a, .. } | View::Pad { of: a, .. } => self.of(a),
            View::Concat(a, b) => self.of(a).min(self.of(b)),
            View::Fill(Value::Array(row)) => 1 + self.of(row),
            View::Mapped(f, _) | View::Generated(f) if gives_view(self.schedule, f, None) => 2,
            View::Component(a, k) => self.of_component(a, *k),
            _ => 1,
        };
        self.known.insert(view, depth);
        depth
    }
}

impl<'s> Depths<'s> {
    /// The same for the components of an array's tuples.
    fn of_component(&self, a: &Array<'s>, k: usize) -> usize {
        match &*a.view {
            View::Stored { element, .. } => match &**element {
                Layout::Tuple(parts) => 1 + parts.get(k).map_or(0, |part| nested(part)),
                _ => 1,
            },
            View::Mapped(f, _) | View::Generated(f) if gives_view(self.schedule, f, Some(k)) => 2,
            _ => 1,
        }
    }
}

/// The depth of the arrays in the only element of an array, such as the state of a fold, if that is a tuple. Its parts
/// are copied one after the other.
fn depth_of_one(schedule: &Schedule, a: &Array) -> Option<usize> {
    a.len.as_const().filter(|n| *n == 1)?;
    match &*a.view {
        View::Fill(state @ Value::Tuple(_)) => Some(depth_of(schedule, state)),
        View::Stored { element, .. } => match &**element {
            Layout::Tuple(parts) => parts.iter().map(|part| nested(part)).max(),
            _ => None,
        },
        _ => None,
    }
}

fn nested(layout: &Layout) -> usize {
    match layout {
        Layout::Array { element, .. } => 1 + nested(element),
        Layout::Exists { body, .. } => nested(body),
        _ => 0,
    }
}

/// Whether values of the type are arrays, perhaps of a hidden length.
fn is_row(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Exists(_, body) => is_row(body),
        _ => ty.as_array().is_some(),
    }
}

/// Whether a function gives an array that is read like a view, alone or as a component of a tuple, and does nothing else
/// of note.
fn gives_view(schedule: &Schedule, f: &Closure, component: Option<usize>) -> bool {
    let body = &f.lambda.body;
    let is_lazy = |rhs: &Rhs, var| matches!(rhs, Rhs::Prim(_)) && schedule.lazy.contains(&var);
    let ty = schedule.kernel.atom_ty(&body.result);
    let given = match (component, ty.kind()) {
        (None, _) => Some(&ty),
        (Some(k), TyKind::Tuple(parts)) => parts.get(k),
        _ => None,
    };
    given.is_some_and(is_row) && body.stmts.iter().all(|s| free::is_free(&s.rhs) || is_lazy(&s.rhs, s.var))
}

/// Copies a value with all work-items, distributing the dimensions of arrays over the device.
pub fn copy_in_parallel<'k>(f: &mut FunctionBuilder<'_, 'k>, value: &Value<'k>, dest: &Dest<'k>) -> Result<()> {
    match f.force(value)? {
        Value::Tuple(parts) => {
            for (i, p) in parts.iter().enumerate() {
                let to = f.dest_component(dest, i)?;
                copy_in_parallel(f, p, &to)?;
            }
            Ok(())
        }
        Value::Packed { sizes, body } => {
            let to = f.dest_packed(dest, &sizes)?;
            copy_in_parallel(f, &body, &to)
        }
        Value::Array(flat) if matches!(&*flat.view, View::FlatPieces { .. }) => {
            let View::FlatPieces { pieces, of } = &*flat.view else { return Ok(()) };
            let to = ArrayDest::Pieces { pieces: pieces.clone(), of: dest.clone() };
            copy_in_parallel(f, &Value::Array(of.clone()), &Dest::Array(Rc::new(to)))
        }
        Value::Array(rows) if depth_of_one(f.schedule(), &rows).is_some() => {
            let first = Size::zero();
            let (state, to) = (f.read(&rows, &first)?, f.dest_at(dest, &first)?);
            copy_in_parallel(f, &state, &to)
        }
        Value::Array(rows) => {
            let depth = Depths::new(f.schedule()).of(&rows);
            let grid = f.grid().used().glb.iter().filter(|used| **used).count();
            copy_rows(f, &rows, dest, if grid < GRID { depth.min(grid) } else { depth })
        }
        other => f.copy(&other, dest),
    }
}

/// Copies `depth` nested arrays element by element, the innermost ones over the grid.
fn copy_rows<'k>(f: &mut FunctionBuilder<'_, 'k>, rows: &Array<'k>, dest: &Dest<'k>, depth: usize) -> Result<()> {
    let level = match depth {
        0 | 1 => Level::Glb(0),
        2 => Level::Glb(1),
        GRID => Level::Glb(2),
        _ => Level::Seq,
    };
    f.for_level(level, &rows.len.clone(), |f, i| {
        let element = f.read(rows, i)?;
        let to = f.dest_at(dest, i)?;
        let (element, to) = match element {
            Value::Packed { sizes, body } if depth > 1 => ((*body).clone(), f.dest_packed(&to, &sizes)?),
            element => (element, to),
        };
        match &element {
            Value::Array(row) if depth > 1 => copy_rows(f, row, &to, depth - 1),
            _ => f.copy(&element, &to),
        }
    })
}
