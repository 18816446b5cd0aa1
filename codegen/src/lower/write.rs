//! Writing: values to memory, and destinations through the inverse of a view.

use super::Result;
use super::dests;
use super::function::FunctionBuilder;
use super::index::is_long;
use super::pieces::{named_offset, packed_row};
use super::value::{Array, ArrayDest, Dest, Hits, Layout, Memory, Place, Root, ScalarValue, Value, VecValue, View};
use crate::core::Level;
use crate::failure::Message;
use crate::opencl::{CType, Expr, Helper, Stmt, StmtKind};
use lift_analysis::size::Size;
use std::rc::Rc;
use std::sync::Arc;

impl<'k> FunctionBuilder<'_, 'k> {
    /// Appends the scalar and vector expressions of a value, in order.
    pub fn flatten(&mut self, v: &Value<'k>, out: &mut Vec<(Expr, CType)>) -> Result<()> {
        match self.force(v)? {
            Value::Scalar(s) => {
                let expr = self.scalar(&s)?;
                out.push((expr, CType::of(s.ty())));
            }
            Value::Vec(v) => out.push((v.expr, CType::Vec(v.scalar, v.width))),
            Value::Tuple(parts) => {
                for p in &parts {
                    self.flatten(p, out)?;
                }
            }
            _ => return Err(self.error("", "an array is used where a scalar is needed")),
        }
        Ok(())
    }

    // ---- conditions

    /// One of two values of the same type. Only the code of the chosen one runs.
    pub fn choose(
        &mut self,
        condition: Expr,
        then: impl FnOnce(&mut Self) -> Result<Value<'k>>,
        otherwise: impl FnOnce(&mut Self) -> Result<Value<'k>>,
    ) -> Result<Value<'k>> {
        match condition {
            Expr::Bool(true) => return then(self),
            Expr::Bool(false) => return otherwise(self),
            _ => {}
        }
        let (mut first, a) = self.scope(then)?;
        let (mut second, b) = self.scope(otherwise)?;
        if first.is_empty() && second.is_empty() {
            let several = matches!(a, Value::Tuple(_) | Value::Array(_));
            let condition =
                if several && !condition.is_atom() { self.bind("which", CType::Bool, condition) } else { condition };
            return self.select(&condition, &a, &b);
        }
        let names = |s: &Stmt| matches!(&s.kind, StmtKind::Declare { constant: true, init: Some(init), .. } if init.is_harmless());
        if matches!(self.force(&a)?, Value::Array(_)) && first.iter().chain(&second).all(names) {
            // Nothing was computed but parts of indices.
            first.append(&mut second);
            self.emit_all(first);
            let condition = if condition.is_atom() { condition } else { self.bind("which", CType::Bool, condition) };
            return self.select(&condition, &a, &b);
        }
        let Some(registers) = self.registers(&a, "chosen", false)? else {
            return Err(self.error(
                "if",
                "choosing one of two arrays that both have to be computed first is not supported here yet",
            ));
        };
        let (assign, ()) = self.scope(|f| f.assign_registers(&registers, &a))?;
        first.extend(assign);
        let (assign, ()) = self.scope(|f| f.assign_registers(&registers, &b))?;
        second.extend(assign);
        self.emit_if(condition, first, second);
        Ok(registers)
    }

    pub fn select(&mut self, condition: &Expr, a: &Value<'k>, b: &Value<'k>) -> Result<Value<'k>> {
        let (a, b) = (self.force(a)?, self.force(b)?);
        Ok(match (&a, &b) {
            (Value::Scalar(x), Value::Scalar(y)) if x == y => a,
            (Value::Scalar(x), Value::Scalar(y)) => {
                let ty = x.ty();
                let (x, y) = (self.scalar(x)?, self.scalar(y)?);
                Value::computed(ty, condition.clone().select(x, y))
            }
            (Value::Vec(x), Value::Vec(y)) => {
                Value::Vec(VecValue { expr: condition.clone().select(x.expr.clone(), y.expr.clone()), ..x.clone() })
            }
            (Value::Tuple(xs), Value::Tuple(ys)) => {
                let mut parts = Vec::new();
                for (x, y) in xs.iter().zip(ys) {
                    parts.push(self.select(condition, x, y)?);
                }
                Value::Tuple(parts)
            }
            (Value::Array(x), Value::Array(y)) if x.len == y.len => Value::Array(Array::new(
                x.len.clone(),
                View::Choice { condition: condition.clone(), then: x.clone(), otherwise: y.clone() },
            )),
            (Value::Packed { sizes: n, body: x }, Value::Packed { sizes: m, body: y }) => {
                let mut sizes = Vec::new();
                for (n, m) in n.iter().zip(m) {
                    let (e, g) = (self.exact_size(n)?, self.exact_size(m)?);
                    let mut len = condition.clone().select(e, g);
                    if is_long(&len) && self.is_checked() {
                        len = self.call_checked(Helper::CheckCount, &Message::too_long(), [len]);
                    }
                    let e = self.bind("len", CType::Int, len);
                    let var = self.index_var("len", e);
                    let bounds = |f: &Self, s: &Size| f.facts().bounds(s).1;
                    let high = bounds(self, n).zip(bounds(self, m)).map(|(a, b)| Size::max(&a, &b));
                    self.known_mut().assume_range(var.clone(), Some(Size::zero()), high);
                    sizes.push(Size::var(var));
                }
                let body = select_packed(self, condition, x, y, &sizes)?;
                Value::Packed { sizes, body: Box::new(body) }
            }
            _ => return Err(self.error("if", "the two branches cannot be chosen between without being computed first")),
        })
    }

    // ---- destinations

    /// The destination of element `i`.
    pub fn dest_at(&mut self, d: &Dest<'k>, i: &Size) -> Result<Dest<'k>> {
        let simple = |f: &Self, s: Size| f.facts().simplify(&s);
        Ok(match d {
            Dest::Place(Place { layout, at }) => match &**layout {
                Layout::Array { capacity, element, .. } => {
                    let at = simple(self, at.mul(capacity).add(i));
                    Dest::Place(Place { layout: element.clone(), at })
                }
                Layout::Packed { scale, .. } => Dest::Place(packed_row(self, layout, &at.mul(scale), i)?),
                _ => return Err(self.error("", "the place of a result is not an array")),
            },
            Dest::Array(view) => match &**view {
                ArrayDest::Rows { row, of } => {
                    let from = simple(self, i.mul(row));
                    Dest::Array(Rc::new(ArrayDest::Part { from, step: Size::one(), of: of.clone() }))
                }
                ArrayDest::Pieces { pieces, of } => {
                    let from = named_offset(self, &pieces.before(i))?;
                    Dest::Array(Rc::new(ArrayDest::Part { from, step: Size::one(), of: of.clone() }))
                }
                ArrayDest::Part { from, step, of } => self.dest_at(of, &from.add(&i.mul(step)))?,
                ArrayDest::Flat { row, of } => {
                    let (r, c) = (simple(self, i.div_floor(row)), simple(self, i.rem(row)));
                    let rows = self.dest_at(of, &r)?;
                    self.dest_at(&rows, &c)?
                }
                ArrayDest::Transposed(of) => Dest::Array(Rc::new(ArrayDest::Column { at: i.clone(), of: of.clone() })),
                ArrayDest::Each { views, of } => {
                    let element = self.dest_at(of, i)?;
                    let before = views.iter().try_fold(element, |of, view| dests::before(view, of));
                    before.ok_or_else(|| self.error("", "the place of a result is not a tuple"))?
                }
                ArrayDest::Column { at, of } => {
                    let row = self.dest_at(of, i)?;
                    self.dest_at(&row, at)?
                }
                ArrayDest::Component(of, k) => {
                    let element = self.dest_at(of, i)?;
                    self.dest_component(&element, *k)?
                }
                ArrayDest::Scattered { to, len, hits, of, origin } => {
                    let at = self.call(to, &[Value::size(i.clone())])?;
                    let at = self.scalar_of(&at)?;
                    let at = self.as_size(&at, "to")?;
                    let origin = origin.clone();
                    let at = self.at(&origin, |f| scattered_to(f, &at, len, hits))?;
                    self.dest_at(of, &at)?
                }
                ArrayDest::Vectors { width, of } => {
                    let from = simple(self, i.mul(&Size::int((*width).into())));
                    Dest::Array(Rc::new(ArrayDest::Part { from, step: Size::one(), of: of.clone() }))
                }
                ArrayDest::Lanes { width, of } => {
                    let w = Size::int((*width).into());
                    let (r, c) = (simple(self, i.div_floor(&w)), simple(self, i.rem(&w)));
                    match self.dest_at(of, &r)? {
                        Dest::Place(p) => Dest::Lane(p, c),
                        _ => return Err(self.error("asVector", "a vector cannot be written lane by lane here")),
                    }
                }
                ArrayDest::Zipped(parts) => {
                    let mut all = Vec::new();
                    for p in parts {
                        all.push(self.dest_at(p, i)?);
                    }
                    Dest::Tuple(all)
                }
            },
            Dest::Nowhere => Dest::Nowhere,
            Dest::Tuple(_) | Dest::Lane(..) => return Err(self.error("", "the place of a result is not an array")),
        })
    }

    pub fn dest_component(&mut self, d: &Dest<'k>, k: usize) -> Result<Dest<'k>> {
        Ok(match d {
            Dest::Tuple(parts) if k < parts.len() => parts[k].clone(),
            Dest::Nowhere => Dest::Nowhere,
            Dest::Place(Place { layout, at }) => match &**layout {
                Layout::Tuple(parts) if k < parts.len() => {
                    Dest::Place(Place { layout: parts[k].clone(), at: at.clone() })
                }
                _ => return Err(self.error("", "the place of a result is not a tuple")),
            },
            _ => return Err(self.error("", "the place of a result is not a tuple")),
        })
    }

    /// The destination inside hidden lengths, which are written now.
    pub fn dest_packed(&mut self, d: &Dest<'k>, sizes: &[Size]) -> Result<Dest<'k>> {
        let Dest::Place(Place { layout, at }) = d else {
            return Err(self.error("", "the place of a result of hidden length is not in memory"));
        };
        let Layout::Exists { lengths, body } = &**layout else {
            return Err(self.error("", "the destination of a result has no memory for its hidden length"));
        };
        for (hidden, size) in lengths.iter().zip(sizes) {
            let value = self.size(size)?;
            store_scalar(self, &hidden.memory, at, value)?;
        }
        Ok(Dest::Place(Place { layout: body.clone(), at: at.clone() }))
    }

    /// The destination inside hidden lengths.
    pub fn dest_body(&self, d: &Dest<'k>) -> Result<Dest<'k>> {
        if let Dest::Place(Place { layout, at }) = d
            && let Layout::Exists { body, .. } = &**layout
        {
            return Ok(Dest::Place(Place { layout: body.clone(), at: at.clone() }));
        }
        Err(self.error("", "the destination of a result has no memory for its hidden length"))
    }

    /// Writes a value. An array is copied element by element, sequentially.
    pub fn copy(&mut self, value: &Value<'k>, d: &Dest<'k>) -> Result<()> {
        if matches!(d, Dest::Nowhere) {
            return Ok(());
        }
        match self.force(value)? {
            Value::Scalar(s) => copy_scalar(self, &s, d),
            Value::Vec(v) => copy_vector(self, &v, d),
            Value::Tuple(parts) => {
                for (k, p) in parts.iter().enumerate() {
                    let to = self.dest_component(d, k)?;
                    self.copy(p, &to)?;
                }
                Ok(())
            }
            Value::Packed { sizes, body } => {
                let to = self.dest_packed(d, &sizes)?;
                self.copy(&body, &to)
            }
            Value::Array(a) => {
                if let (View::Stored { element, base }, Dest::Place(p)) = (&*a.view, d)
                    && let Layout::Array { element: to, capacity, .. } = &*p.layout
                    && element == to
                    && *base == self.facts().simplify(&p.at.mul(capacity))
                {
                    return Ok(()); // already there
                }
                // Copy row by row, so that the row of each element is known.
                if let View::FlatPieces { pieces, of } = &*a.view {
                    let rows = Value::Array(of.clone());
                    let to = ArrayDest::Pieces { pieces: pieces.clone(), of: d.clone() };
                    return self.copy(&rows, &Dest::Array(Rc::new(to)));
                }
                if let (View::Packed { layout, base }, Dest::Place(p)) = (&*a.view, d)
                    && let Layout::Packed { scale, .. } = &*p.layout
                    && *layout == p.layout
                    && *base == self.facts().simplify(&p.at.mul(scale))
                {
                    return Ok(()); // already there
                }
                if self.is_whole_group() && super::pieces::few_pieces(&a).is_none() && is_shared_by_group(self, d) {
                    return self.for_level(Level::Lcl(0), &a.len.clone(), |f, i| {
                        let element = f.read(&a, i)?;
                        let to = f.dest_at(d, i)?;
                        f.copy(&element, &to)
                    });
                }
                self.uniquely(d, |f| {
                    f.over("i", &a, |f, i| {
                        let element = f.read(&a, i)?;
                        let to = f.dest_at(d, i)?;
                        f.copy(&element, &to)
                    })
                })
            }
            Value::Written => Ok(()),
            Value::Deferred(_) | Value::Place(_) => Err(self.error("", "a value of the host level was not computed")),
        }
    }

    /// Runs code that only writes to `d`; in one work-item if several execute it redundantly.
    pub fn uniquely(&mut self, d: &Dest<'k>, f: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let mut roots = Vec::new();
        dest_roots(d, &mut roots);
        let conditions: Vec<_> = roots.iter().map(|r| redundant(self, r)).collect();
        let Some(Some(condition)) = conditions.first().cloned() else { return f(self) };
        if conditions.iter().any(|c| c.as_ref() != Some(&condition)) {
            return f(self);
        }
        let (stmts, ()) = self.by_one(|b| b.scope(f))?;
        self.emit_if(condition, stmts, Vec::new());
        Ok(())
    }
}

/// Like [`Self::select`], if hidden lengths may differ: each array gets one of the new lengths.
fn select_packed<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    condition: &Expr,
    a: &Value<'k>,
    b: &Value<'k>,
    sizes: &[Size],
) -> Result<Value<'k>> {
    match (a, b) {
        (Value::Array(x), Value::Array(y)) if sizes.len() == 1 => Ok(Value::Array(Array::new(
            sizes[0].clone(),
            View::Choice { condition: condition.clone(), then: x.clone(), otherwise: y.clone() },
        ))),
        _ => Err(f.error("if", "branches that hide the lengths of several arrays are not compiled yet")),
    }
}

/// The index to which `scatter` writes an element, checked to be in range and unused.
fn scattered_to(f: &mut FunctionBuilder, at: &Size, len: &Size, hits: &Hits) -> Result<Size> {
    if !f.is_checked() {
        let expr = f.size(at)?;
        return Ok(f.index_below("to", expr, len));
    }
    let at = if f.known().in_range(at, len) {
        f.needless(&Message::out_of_range());
        at.clone()
    } else {
        let checked = f.checked_length(len)?;
        let (expr, len_expr) = (f.size(at)?, f.size(&checked)?);
        let safe = f.call_checked(Helper::CheckIndex, &Message::out_of_range(), [expr, len_expr]);
        f.index_below("to", safe, len)
    };
    let which = f.failure(&Message::no_permutation());
    let hit = f.memory(&hits.memory, &hits.base.add(&at), true)?;
    let index = f.size(&at)?;
    let before = if hits.atomic {
        Expr::call("atomic_inc", [Expr::AddressOf(Arc::new(hit))])
    } else {
        let before = f.bind("hit", CType::Int, hit.clone());
        f.assign(hit, Expr::int(1));
        before
    };
    let (fail, ()) = f.scope(|f| {
        let buffer = f.failure_buffer();
        let call = f.call_helper(Helper::Fail, [buffer, Expr::int(which), index, Expr::int(0)]);
        f.emit(StmtKind::Expr(call));
        Ok(())
    })?;
    f.emit_if(Expr::int(0).lt(before), fail, Vec::new());
    Ok(at)
}

// ---- stores

fn store_scalar(f: &mut FunctionBuilder, m: &Memory, at: &Size, value: Expr) -> Result<()> {
    let to = f.memory(m, at, true)?;
    match redundant(f, &m.root) {
        Some(condition) => {
            let (stmts, ()) = f.scope(|f| {
                f.assign(to, value);
                Ok(())
            })?;
            f.emit_if(condition, stmts, Vec::new());
        }
        None => f.assign(to, value),
    }
    Ok(())
}

fn copy_scalar<'k>(f: &mut FunctionBuilder<'_, 'k>, s: &ScalarValue, d: &Dest<'k>) -> Result<()> {
    let value = f.scalar(s)?;
    match d {
        Dest::Place(Place { layout, at }) => match &**layout {
            Layout::Scalar(m) => store_scalar(f, m, at, value),
            _ => Err(f.error("", "the destination of a result is not a scalar")),
        },
        Dest::Lane(Place { layout, at }, lane) => match &**layout {
            Layout::Vec(m, width) => {
                if let Root::Register(name) = &m.root {
                    let Some(lane) = lane.as_const() else {
                        return Err(f.error(
                            "asVector",
                            "a lane that is known only at run time cannot be written in a register",
                        ));
                    };
                    f.assign(Expr::Var(name.clone()).lane(lane as u8), value);
                    return Ok(());
                }
                let at = at.mul(&Size::int((*width).into())).add(lane);
                store_scalar(f, m, &at, value)
            }
            _ => Err(f.error("", "the place of a result is not a vector")),
        },
        _ => Err(f.error("", "the destination of a result is not a scalar")),
    }
}

fn copy_vector<'k>(f: &mut FunctionBuilder<'_, 'k>, v: &VecValue, d: &Dest<'k>) -> Result<()> {
    match d {
        Dest::Place(Place { layout, at }) => {
            let Layout::Vec(m, width) = &**layout else {
                return Err(f.error("", "the place of a result is not a vector"));
            };
            if let Root::Register(name) = &m.root {
                f.assign(Expr::Var(name.clone()), v.expr.clone());
                return Ok(());
            }
            let (at, pointer) = (f.size(at)?, f.pointer(m, true));
            let store = StmtKind::Expr(Expr::call(&format!("vstore{width}"), [v.expr.clone(), at, pointer]));
            guarded(f, &m.root.clone(), store)
        }
        Dest::Array(_) => {
            // Lane by lane, through the view.
            let value = f.named_scalar(&Value::Vec(v.clone()), "v")?;
            let Value::Vec(v) = value else { return Ok(()) };
            for lane in 0..v.width {
                let to = f.dest_at(d, &Size::int(lane.into()))?;
                let lane = ScalarValue::Computed { ty: v.scalar, expr: v.expr.clone().lane(lane) };
                copy_scalar(f, &lane, &to)?;
            }
            Ok(())
        }
        _ => Err(f.error("", "the place of a result is not a vector")),
    }
}

fn guarded(f: &mut FunctionBuilder, root: &Root, store: StmtKind) -> Result<()> {
    match redundant(f, root) {
        Some(condition) => {
            let (stmts, ()) = f.scope(|f| {
                f.emit(store);
                Ok(())
            })?;
            f.emit_if(condition, stmts, Vec::new());
        }
        None => f.emit(store),
    }
    Ok(())
}

// ---- redundant work-items

/// The condition that selects one writer, if several work-items execute the current code redundantly and the memory
/// is not private.
pub fn redundant(f: &FunctionBuilder, root: &Root) -> Option<Expr> {
    let local = match root {
        Root::Register(_) | Root::Own(_) | Root::Array { local: false, .. } | Root::Part { .. } => return None,
        Root::Array { local: true, .. } => true,
        // Each work-item has its own part of the buffer.
        Root::Buffer(id) if f.own().is_of_item(*id) => return None,
        Root::Buffer(id) => f.own().is_of_group(*id),
    };
    let (used, active) = (f.grid().used(), f.position().active());
    let mut condition = Expr::Bool(true);
    for d in 0..3u8 {
        let at = d as usize;
        let first = |call: &str| Expr::call(call, [Expr::int(d.into())]).eq(Expr::int(0));
        if used.lcl[at] && !active.lcl[at] {
            condition = condition.and(first("get_local_id"));
        }
        if local {
            continue;
        }
        if used.wrg[at] && !active.wrg[at] {
            condition = condition.and(first("get_group_id"));
        }
        if used.glb[at] && !active.glb[at] {
            condition = condition.and(first("get_global_id"));
        }
    }
    (condition != Expr::Bool(true)).then_some(condition)
}

/// Whether the destination belongs to all work-items of a group, which execute the current code redundantly.
fn is_shared_by_group<'k>(f: &FunctionBuilder<'_, 'k>, d: &Dest<'k>) -> bool {
    let mut roots = Vec::new();
    dest_roots(d, &mut roots);
    !roots.is_empty() && roots.iter().all(|r| redundant(f, r).is_some())
}

/// Whether a value is a scalar, a vector or a tuple of these.
pub fn is_flat(v: &Value) -> bool {
    match v {
        Value::Scalar(_) | Value::Vec(_) => true,
        Value::Tuple(parts) => parts.iter().all(is_flat),
        _ => false,
    }
}

pub fn dest_roots(d: &Dest, out: &mut Vec<Root>) {
    match d {
        Dest::Place(p) | Dest::Lane(p, _) => {
            let mut memories = Vec::new();
            p.layout.memories(&mut memories);
            out.extend(memories.into_iter().map(|m| m.root.clone()));
        }
        Dest::Tuple(parts) => parts.iter().for_each(|p| dest_roots(p, out)),
        Dest::Nowhere => {}
        Dest::Array(view) => match &**view {
            ArrayDest::Rows { of, .. }
            | ArrayDest::Pieces { of, .. }
            | ArrayDest::Part { of, .. }
            | ArrayDest::Flat { of, .. }
            | ArrayDest::Transposed(of)
            | ArrayDest::Each { of, .. }
            | ArrayDest::Column { of, .. }
            | ArrayDest::Component(of, _)
            | ArrayDest::Scattered { of, .. }
            | ArrayDest::Vectors { of, .. }
            | ArrayDest::Lanes { of, .. } => dest_roots(of, out),
            ArrayDest::Zipped(parts) => parts.iter().for_each(|p| dest_roots(p, out)),
        },
    }
}
