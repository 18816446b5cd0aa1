//! Reading: elements of views, and values in memory. Composes index arithmetic until memory is reached; functions of
//! views (`Mapped`, `Gathered`, …) are inlined where they are read.

use super::Result;
use super::flagged::read_flagged;
use super::function::FunctionBuilder;
use super::memory::item_number;
use super::pieces::{named_offset, packed_row, read_in_pieces};
use super::value::{Array, Closure, Layout, Memory, Place, Root, ScalarValue, Value, VecValue, View};
use crate::core::PadMode;
use crate::failure::Message;
use crate::opencl::{BinaryOp, CType, Expr, Helper, StmtKind};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;

impl<'k> FunctionBuilder<'_, 'k> {
    /// Evaluates a value; one deferred from the host level is computed once in this function.
    pub fn force(&mut self, v: &Value<'k>) -> Result<Value<'k>> {
        let d = match v {
            Value::Deferred(d) => d,
            Value::Place(place) => return loaded(self, place),
            other => return Ok(other.clone()),
        };
        let key = std::rc::Rc::as_ptr(d);
        if let Some(known) = self.values().deferred(key) {
            return Ok(known);
        }
        d.computed.set(true);
        // It is computed at the start of the function, so facts about the current loop must not apply: those of a loop
        // without elements would prove any check redundant.
        let value = self.with_facts_of_host(|f| {
            f.in_prologue(|f| {
                let mut env = d.env.clone();
                let value = f.at(&d.stmt.origin, |f| f.eval_stmt(d.stmt, &mut env, None))?;
                let kernel = f.kernel();
                f.named_scalar(&value, kernel.name_of(d.stmt.var))
            })
        })?;
        self.values_mut().set_deferred(key, value.clone());
        Ok(value)
    }

    pub fn array(&mut self, v: &Value<'k>) -> Result<Array<'k>> {
        match self.force(v)? {
            Value::Array(a) => Ok(a),
            other => Err(unexpected(self, "an array", &other)),
        }
    }

    pub fn scalar_of(&mut self, v: &Value<'k>) -> Result<ScalarValue> {
        match self.force(v)? {
            Value::Scalar(s) => Ok(s),
            other => Err(unexpected(self, "a scalar", &other)),
        }
    }

    // ---- memory

    /// The element of a memory at an index, as an lvalue.
    pub fn memory(&mut self, m: &Memory, at: &Size, written: bool) -> Result<Expr> {
        self.note_double(m.scalar);
        Ok(match &m.root {
            Root::Register(name) => Expr::Var(name.clone()),
            Root::Own(name) => self.own_element(name, at)?,
            Root::Array { name, .. } => {
                if !written && let Some(held) = self.held_element(name, at)? {
                    return Ok(held);
                }
                Expr::Var(name.clone()).index(self.size(at)?)
            }
            Root::Buffer(id) => {
                if !written && let Some(kept) = self.kept_load(m, at)? {
                    return Ok(kept);
                }
                let at = self.size(at)?;
                Expr::Var(self.use_buffer(*id, written)).index(at)
            }
            Root::Part { buffer, items } => {
                // A part may be so long that all of them have more elements than an Int counts.
                let at = self.size(at)?.cast(CType::of(Scalar::Long));
                let at = Expr::binary(BinaryOp::Mul, at, Expr::Var(items.clone()));
                let item = item_number(self)?;
                let at = Expr::binary(BinaryOp::Add, at, self.size(&item)?);
                Expr::Var(self.use_buffer(*buffer, written)).index(at)
            }
        })
    }

    /// The pointer to a memory, the elements of which must be adjacent.
    pub fn pointer(&mut self, m: &Memory, written: bool) -> Expr {
        match &m.root {
            Root::Register(name) | Root::Own(name) | Root::Array { name, .. } => Expr::Var(name.clone()),
            Root::Buffer(id) | Root::Part { buffer: id, .. } => Expr::Var(self.use_buffer(*id, written)),
        }
    }

    pub fn load(&mut self, place: &Place) -> Result<Value<'k>> {
        Ok(match &*place.layout {
            Layout::Scalar(m) => {
                let expr = self.memory(m, &place.at, false)?;
                Value::computed(m.scalar, expr)
            }
            Layout::Vec(m, width) => {
                let expr = match &m.root {
                    Root::Register(name) => Expr::Var(name.clone()),
                    _ => {
                        let (at, pointer) = (self.size(&place.at)?, self.pointer(m, false));
                        Expr::call(&format!("vload{width}"), [at, pointer])
                    }
                };
                self.note_double(m.scalar);
                Value::Vec(VecValue { scalar: m.scalar, width: *width, expr })
            }
            Layout::Tuple(parts) => {
                let mut values = Vec::new();
                for layout in parts {
                    values.push(self.load(&Place { layout: layout.clone(), at: place.at.clone() })?);
                }
                Value::Tuple(values)
            }
            Layout::Packed { len, scale, .. } => {
                let base = self.facts().simplify(&place.at.mul(scale));
                Value::Array(Array::new(len.clone(), View::Packed { layout: place.layout.clone(), base }))
            }
            Layout::Array { len, capacity, element } => {
                let base = self.known_mut().simplify(&place.at.mul(capacity));
                Value::Array(Array::new(len.clone(), View::Stored { element: element.clone(), base }))
            }
            Layout::Exists { lengths, body } => {
                let (mut sizes, mut body) = (Vec::new(), body.clone());
                for hidden in lengths {
                    let expr = self.memory(&hidden.memory, &place.at, false)?;
                    let expr = if expr.is_atom() { expr } else { self.bind(&hidden.var.name, CType::Int, expr) };
                    let var = self.index_var(&hidden.var.name, expr);
                    self.known_mut().assume_hidden(&var, Some(hidden.at_most.clone()));
                    let size = Size::var(var);
                    body = body.with_length(&hidden.var, &size);
                    sizes.push(size);
                }
                let body = self.load(&Place { layout: body, at: place.at.clone() })?;
                Value::Packed { sizes, body: Box::new(body) }
            }
        })
    }

    // ---- views

    /// Element `i`, which must be in range.
    pub fn read(&mut self, a: &Array<'k>, i: &Size) -> Result<Value<'k>> {
        self.spend()?;
        let i = &self.known_mut().simplify(i);
        match &*a.view {
            View::Stored { element, base } => {
                let at = self.known_mut().simplify(&base.add(i));
                self.load(&Place { layout: element.clone(), at })
            }
            View::Packed { layout, base } => {
                let place = packed_row(self, layout, base, i)?;
                self.load(&place)
            }
            View::Pieces { pieces, of } => {
                let from = named_offset(self, &pieces.before(i))?;
                Ok(Value::Array(part(self.facts().simplify(&pieces.each(i)), from, Size::one(), of)))
            }
            View::FlatPieces { pieces, of } => read_in_pieces(self, pieces, of, i),
            View::Zip(parts) => {
                let values = parts.iter().map(|part| self.read(part, i));
                Ok(Value::Tuple(values.collect::<Result<_>>()?))
            }
            View::Component(of, k) => match self.read(of, i)? {
                Value::Tuple(mut parts) if *k < parts.len() => Ok(parts.swap_remove(*k)),
                other => Err(unexpected(self, "a tuple", &other)),
            },
            View::Rows { row, of } => Ok(Value::Array(part(row.clone(), i.mul(row), Size::one(), of))),
            View::Windows { size, step, of } => Ok(Value::Array(part(size.clone(), i.mul(step), Size::one(), of))),
            View::Part { from, step, of } => self.read(of, &from.add(&i.mul(step))),
            View::Flat { row, of } => match &*of.view {
                View::Rows { row: inner, of: flat } if inner == row => self.read(flat, i),
                _ => self.read_in_row(of, &i.div_floor(row), &i.rem(row)),
            },
            View::Strided { step, columns, of } => self.read(of, &i.rem(columns).mul(step).add(&i.div_floor(columns))),
            View::Pad { left, mode, of } => {
                let at = self.index_in_padded(&i.sub(left), *mode, &of.len)?;
                self.read(of, &at)
            }
            View::PadConstant { left, value, of } => self.read_padded(of, &i.sub(left), value),
            View::Transposed(of) => {
                let column = View::Column { at: i.clone(), of: of.clone() };
                Ok(Value::Array(Array::new(of.len.clone(), column)))
            }
            View::Column { at, of } => self.read_in_row(of, i, at),
            View::Gathered(f, of) => {
                let at = self.call(f, &[Value::size(i.clone())])?;
                self.read_checked(of, &at, &f.lambda.origin.clone(), &Message::out_of_range())
            }
            View::Concat(a, b) => self.read_concat(a, b, i),
            View::Choice { condition, then, otherwise } => {
                self.choose(condition.clone(), |f| f.read(then, i), |f| f.read(otherwise, i))
            }
            View::Iota => Ok(Value::size(i.clone())),
            View::Generated(f) => self.call(&f.at(i), &[Value::size(i.clone())]),
            View::Fill(v) => self.force(v),
            View::Mapped(f, of) => {
                let x = self.read(of, i)?;
                self.call(&f.at(i), &[x])
            }
            View::Vectors { width, of } => read_vector(self, *width, of, i),
            View::Lanes { width, of } => read_lane(self, *width, of, i),
        }
    }

    /// Element `at` of row `row`.
    fn read_in_row(&mut self, rows: &Array<'k>, row: &Size, at: &Size) -> Result<Value<'k>> {
        let row = self.read(rows, row)?;
        let row = self.array(&row)?;
        self.read(&row, at)
    }

    /// The index that index `j` means in an array of `n` elements with padding around it, in which `j` may be.
    fn index_in_padded(&mut self, j: &Size, mode: PadMode, n: &Size) -> Result<Size> {
        // Emptiness has been checked before; here division by the length must be defined.
        let some = self.facts().lt(&Size::zero(), n).is_yes();
        let n = &if some { n.clone() } else { Size::max(n, &Size::one()) };
        Ok(match mode {
            PadMode::Clamp => self.clamped(j, n)?,
            PadMode::Wrap => j.rem(n),
            // … 1 0 | 0 1 2 … n-1 | n-1 n-2 …
            PadMode::Mirror => {
                let twice = n.mul(&Size::int(2));
                let folded = self.facts().simplify(&j.rem(&twice));
                let folded = self.named_index("folded", &folded, &twice)?;
                let last = n.sub(&Size::one());
                let at = Size::if_le(&folded, &last, &folded, &twice.sub(&Size::one()).sub(&folded));
                self.named_index("mirrored", &at, n)?
            }
        })
    }

    /// Element `j`, or `value` if `j` is out of range.
    fn read_padded(&mut self, of: &Array<'k>, j: &Size, value: &Value<'k>) -> Result<Value<'k>> {
        let j = self.facts().simplify(j);
        let condition = range_condition(self, &j, &of.len)?;
        let n = of.len.clone();
        self.choose(
            condition,
            |f| {
                f.known_mut().assume_le(Size::zero(), j.clone());
                f.known_mut().assume_le(j.clone(), n.sub(&Size::one()));
                f.read(of, &j)
            },
            |f| f.force(value),
        )
    }

    /// Element `i` of one array followed by another.
    fn read_concat(&mut self, a: &Array<'k>, b: &Array<'k>, i: &Size) -> Result<Value<'k>> {
        if self.facts().lt(i, &a.len).is_yes() {
            return self.read(a, i);
        }
        let rest = i.sub(&a.len);
        if self.known().not_negative(&rest) {
            return self.read(b, &rest);
        }
        let (at, len) = (self.exact_size(i)?, self.exact_size(&a.len)?);
        let limit = a.len.clone();
        self.choose(
            at.lt(len),
            |f| {
                f.known_mut().assume_le(i.clone(), limit.sub(&Size::one()));
                f.read(a, i)
            },
            |f| {
                f.known_mut().assume_le(limit.clone(), i.clone());
                f.read(b, &rest)
            },
        )
    }

    /// Element `at`; if it is out of range, records a failure and returns a harmless value.
    pub fn read_checked(
        &mut self,
        a: &Array<'k>,
        at: &Value<'k>,
        origin: &lift_analysis::origin::Origin,
        message: &Message,
    ) -> Result<Value<'k>> {
        let at = self.scalar_of(at)?;
        let i = self.as_size(&at, "at")?;
        if self.known().in_range(&i, &a.len) {
            self.program_mut().needless(message, origin);
            return self.read(a, &i);
        }
        if !self.is_checked() {
            return self.supposing(|f| {
                f.known_mut().assume_le(Size::zero(), i.clone());
                f.known_mut().assume_le(i.clone(), a.len.sub(&Size::one()));
                f.read(a, &i)
            });
        }
        self.at(origin, |f| {
            if let Some(value) = read_flagged(f, a, &i)? {
                return Ok(value);
            }
            let checked = f.checked_length(&a.len)?;
            let (index, len) = (f.size(&i)?, f.size(&checked)?);
            let condition = range_condition(f, &i, &checked)?;
            let (mut then, value) = f.supposing(|f| {
                f.known_mut().assume_le(Size::zero(), i.clone());
                f.known_mut().assume_le(i.clone(), a.len.sub(&Size::one()));
                f.scope(|f| f.read(a, &i))
            })?;
            let which = f.failure(message);
            if let Some(registers) = f.registers_like(&value, "element")? {
                // `T x = 0; if (0 <= i && i < n) { x = xs[i]; } else { fail }`
                let (assignments, ()) = f.scope(|f| f.assign_registers(&registers, &value))?;
                then.extend(assignments);
                let (fail, ()) = f.scope(|f| {
                    let buffer = f.failure_buffer();
                    let call = f.call_helper(Helper::Fail, [buffer, Expr::int(which), index, len]);
                    f.emit(StmtKind::Expr(call));
                    Ok(())
                })?;
                f.emit_if(condition, then, fail);
                return Ok(registers);
            }
            // No value can replace a missing row, but another row can: the other rows of a group wait for this one.
            let index = if f.grid().rows_of_group() > 1 {
                f.stop_if(len.clone().lt(Expr::int(1)), message, [index.clone(), len.clone()])?;
                f.record_if(condition.not(), message, [index.clone(), len.clone()])?;
                Expr::call("clamp", [index, Expr::int(0), len.sub(Expr::int(1))])
            } else {
                f.stop_if(condition.not(), message, [index.clone(), len])?;
                index
            };
            let index = f.bind("at", CType::Int, index);
            let var = f.index_var("at", index);
            f.known_mut().assume_index(&var, &a.len);
            f.read(a, &Size::var(var))
        })
    }

    // ---- functions

    /// Calls a function by inlining its body.
    pub fn call(&mut self, f: &Closure<'k>, args: &[Value<'k>]) -> Result<Value<'k>> {
        let mut env = f.env.clone();
        for (param, arg) in f.lambda.params.iter().zip(args) {
            let arg = self.name_param(*param, arg)?;
            env.bind(*param, arg);
        }
        self.eval_block(&f.lambda.body, env, None)
    }

    /// Binds an argument to a name if it is used more than once.
    pub fn name_param(&mut self, param: crate::core::VarId, arg: &Value<'k>) -> Result<Value<'k>> {
        let uses = self.schedule().uses(param);
        let name = self.kernel().name_of(param).to_string();
        match arg {
            Value::Tuple(parts) => {
                let mut named = Vec::new();
                for (i, p) in parts.iter().enumerate() {
                    let cheap = matches!(p, Value::Scalar(ScalarValue::Computed { expr, .. }) if expr.is_load());
                    let keep = cheap && uses.count <= parts.len() && !uses.in_loop;
                    named.push(if keep { p.clone() } else { self.named_scalar(p, &format!("{name}_{}", i + 1))? });
                }
                Ok(Value::Tuple(named))
            }
            _ if uses.count > 1 || uses.in_loop => self.named_scalar(arg, &name),
            _ => Ok(arg.clone()),
        }
    }
}

/// A scalar or vector in a buffer, loaded once at the start of the function.
fn loaded<'k>(f: &mut FunctionBuilder<'_, 'k>, place: &Place) -> Result<Value<'k>> {
    if let Some(value) = f.values().loaded(place) {
        return Ok(value);
    }
    let value = f.in_prologue(|f| {
        let value = f.load(place)?;
        let name = match &*place.layout {
            Layout::Scalar(Memory { root: Root::Buffer(id), .. })
            | Layout::Vec(Memory { root: Root::Buffer(id), .. }, _) => {
                format!("{}_value", f.program().buffers[id.0 as usize].name)
            }
            _ => "value".into(),
        };
        f.named_scalar(&value, &name)
    })?;
    f.values_mut().set_loaded(place.clone(), value.clone());
    Ok(value)
}

/// The error that a value does not have the form that its type promises.
fn unexpected<'k>(f: &FunctionBuilder<'_, 'k>, wanted: &str, got: &Value<'k>) -> super::LowerError {
    let got = match got {
        Value::Scalar(_) => "a scalar",
        Value::Vec(_) => "a vector",
        Value::Tuple(_) => "a tuple",
        Value::Array(_) => "an array",
        Value::Packed { .. } => "a value of hidden length",
        Value::Deferred(_) | Value::Place(_) => "a value of the host level",
        Value::Written => "a value that was written through a view",
    };
    f.error("", format!("this needs {wanted} where the compiler has {got}"))
}

/// The condition that `0 <= i < n`, without the parts that are provable.
fn range_condition(f: &mut FunctionBuilder, i: &Size, n: &Size) -> Result<Expr> {
    let mut condition = Expr::Bool(true);
    if !f.known().not_negative(i) {
        condition = f.size(i)?.ge(Expr::int(0));
    }
    if !f.facts().lt(i, n).is_yes() {
        let below = f.size(i)?.lt(f.size(n)?);
        condition = condition.and(below);
    }
    Ok(condition)
}

fn read_vector<'k>(f: &mut FunctionBuilder<'_, 'k>, width: u8, of: &Array<'k>, i: &Size) -> Result<Value<'k>> {
    let first = f.facts().simplify(&i.mul(&Size::int(width.into())));
    if let View::Stored { element, base } = &*of.view
        && let Layout::Scalar(m) = &**element
        && !matches!(m.root, Root::Register(_) | Root::Part { .. })
    {
        let start = f.facts().simplify(&base.add(&first));
        let slot = start.div_exact(&Size::int(width.into()));
        let pointer = f.pointer(m, false);
        f.note_double(m.scalar);
        let whole = f.facts().divides(&Size::int(width.into()), &start).is_yes();
        let expr = if whole {
            Expr::call(&format!("vload{width}"), [f.size(&slot)?, pointer])
        } else {
            let offset = f.size(&start)?;
            Expr::call(&format!("vload{width}"), [Expr::int(0), pointer.add(offset)])
        };
        return Ok(Value::Vec(VecValue { scalar: m.scalar, width, expr }));
    }
    let (mut lanes, mut scalar) = (Vec::new(), Scalar::Int);
    for lane in 0..width {
        let v = f.read(of, &first.add(&Size::int(lane.into())))?;
        let v = f.scalar_of(&v)?;
        scalar = v.ty();
        lanes.push(f.scalar(&v)?);
    }
    Ok(Value::Vec(VecValue { scalar, width, expr: Expr::Vector(CType::Vec(scalar, width), lanes) }))
}

fn read_lane<'k>(f: &mut FunctionBuilder<'_, 'k>, width: u8, of: &Array<'k>, i: &Size) -> Result<Value<'k>> {
    if let View::Vectors { width: w, of } = &*of.view
        && *w == width
    {
        return f.read(of, i);
    }
    let w = Size::int(width.into());
    if let View::Stored { element, base } = &*of.view
        && let Layout::Vec(m, _) = &**element
        && !matches!(m.root, Root::Register(_))
    {
        let at = f.facts().simplify(&base.mul(&w).add(i));
        let expr = f.memory(m, &at, false)?;
        return Ok(Value::computed(m.scalar, expr));
    }
    let lane = f.facts().simplify(&i.rem(&w));
    let vector = f.read(of, &i.div_floor(&w))?;
    let Value::Vec(v) = f.named_scalar(&vector, "v")? else { return Err(unexpected(f, "a vector", &vector)) };
    let expr = match lane.as_const() {
        Some(lane) => v.expr.lane(lane as u8),
        None => {
            let lane = f.size(&lane)?;
            let last = v.expr.clone().lane(width - 1);
            (0..width - 1)
                .rev()
                .fold(last, |rest, k| lane.clone().eq(Expr::int(k.into())).select(v.expr.clone().lane(k), rest))
        }
    };
    Ok(Value::computed(v.scalar, expr))
}

/// A part of an array; a part of a part is a single view.
pub fn part<'k>(len: Size, from: Size, step: Size, of: &Array<'k>) -> Array<'k> {
    match &*of.view {
        View::Part { from: f, step: s, of } => {
            Array::new(len, View::Part { from: f.add(&from.mul(s)), step: step.mul(s), of: of.clone() })
        }
        View::Stored { element, base } if step.is_one() => {
            Array::new(len, View::Stored { element: element.clone(), base: base.add(&from) })
        }
        _ => Array::new(len, View::Part { from, step, of: of.clone() }),
    }
}
