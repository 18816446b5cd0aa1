//! Code for the statements inside a kernel function.

use super::assume::Opened;
use super::dests::{self, Assigned, Writer};
use super::function::FunctionBuilder;
use super::index::is_long;
use super::produce::produce;
use super::value::{Closure, Dest, Env, Layout, Place, ScalarValue, Value};
use super::{Result, views};
use crate::core::{Atom, Block, Prim, PrimCall, Rhs, Space, Stmt};
use crate::failure::Message;
use crate::opencl::{BinaryOp, CType, Expr, Helper};
use crate::schedule::fails;
use lift_analysis::hir::Scalar;
use lift_analysis::size::{LengthCheck, Size};

/// Maximum subexpressions without a name, even if the value is used only once: constructors inspect their operands, and
/// no line should be longer than a page.
const LONGEST: usize = 250;

impl<'k> FunctionBuilder<'_, 'k> {
    pub fn atom(&mut self, a: &Atom, env: &Env<'k>) -> Result<Value<'k>> {
        match a {
            Atom::Var(v) => match env.get(*v) {
                Some(value) => {
                    let value = value.clone();
                    self.force(&value)
                }
                None => {
                    let name = self.kernel().name_of(*v).to_string();
                    Err(self.error("", format!("`{name}` has no value here")))
                }
            },
            Atom::Lit(l) => Ok(Value::Scalar(ScalarValue::Literal(*l))),
            Atom::Size(s) => Ok(Value::size(env.size(s))),
        }
    }

    /// Computes a block. With a destination, the result is written there, and the returned value reads it.
    pub fn eval_block(&mut self, block: &'k Block, mut env: Env<'k>, dest: Option<&Dest<'k>>) -> Result<Value<'k>> {
        let assigned = dests::assign(
            self.kernel(),
            self.schedule(),
            block,
            0,
            dest,
            &env,
            self.grid().used() == self.position().active(),
            Writer::Items,
        )?;
        for stmt in &block.stmts {
            let origin = stmt.origin.clone();
            let value = self.at(&origin, |f| f.eval_stmt(stmt, &mut env, assigned.get(&stmt.var)))?;
            if let Value::Scalar(ScalarValue::Computed { expr, .. }) = &value {
                self.note_part(expr, &origin);
            }
            env.bind(stmt.var, value);
        }
        let result = self.atom(&block.result, &env)?;
        match (dest, &block.result) {
            (None, _) => Ok(result),
            (Some(_), Atom::Var(v)) if assigned.contains_key(v) => Ok(result),
            (Some(d), _) => {
                self.copy(&result, d)?;
                Ok(Value::Written)
            }
        }
    }

    /// Computes a statement. The lengths that it opens are bound in `env`.
    pub fn eval_stmt(&mut self, stmt: &'k Stmt, env: &mut Env<'k>, to: Option<&Assigned<'k>>) -> Result<Value<'k>> {
        self.spend()?;
        match to {
            Some(Assigned::Done(dest)) => return self.written(stmt, dest),
            Some(Assigned::Components(dest, handed)) => {
                write_components(self, stmt, env, dest, handed)?;
                return self.written(stmt, dest);
            }
            _ => {}
        }
        let dest = match to {
            Some(Assigned::Write(d)) => Some(d),
            _ => None,
        };
        let schedule = self.schedule();
        if dest.is_none() && schedule.uses(stmt.var).count == 0 && !fails::has_effect(&schedule.kernel.vars, stmt) {
            return Ok(Value::Written); // unused
        }
        let value = match &stmt.rhs {
            Rhs::Atom(a) => self.atom(a, env)?,
            Rhs::Tuple(all) => {
                let mut parts = Vec::new();
                for a in all {
                    parts.push(self.atom(a, env)?);
                }
                Value::Tuple(parts)
            }
            Rhs::Proj(a, i) => match self.atom(a, env)? {
                Value::Tuple(mut parts) if *i < parts.len() => {
                    let part = parts.swap_remove(*i);
                    name_result(self, stmt, part)?
                }
                _ => return Err(self.error("", "a component is taken of something that is not a tuple")),
            },
            Rhs::Scalar(op, args) => {
                let mut values = Vec::new();
                for a in args {
                    let v = self.atom(a, env)?;
                    values.push(self.scalar_of(&v)?);
                }
                let v = self.scalar_op(*op, &values)?;
                name_result(self, stmt, Value::Scalar(v))?
            }
            Rhs::If(c, a, b) => return eval_if(self, stmt, c, a, b, env, dest),
            Rhs::Store(space, a) => {
                let value = self.atom(a, env)?;
                if dest.is_none() { self.stored(stmt, *space, value, env)? } else { value }
            }
            Rhs::Pack(a, witnesses) => {
                let body = Box::new(self.atom(a, env)?);
                Value::Packed { sizes: witnesses.iter().map(|w| env.size(w)).collect(), body }
            }
            Rhs::Unpack(a) => match self.atom(a, env)? {
                Value::Packed { sizes, body } => {
                    for (var, size) in stmt.binds.iter().zip(&sizes) {
                        let expr = self.size(size)?;
                        self.known_mut().alias(var, expr);
                        env.bind_size(var.clone(), size.clone());
                    }
                    for assumed in self.program().assumptions_of(&stmt.binds, env) {
                        assumed.check_assumption(self)?;
                        self.known_mut().assume(&assumed.assumption);
                    }
                    *body
                }
                _ => return Err(self.error("unpack", "the value that is unpacked hides no length")),
            },
            Rhs::Cast(a, pairs) => {
                for check in pairs {
                    self.check_equal(check, env)?;
                }
                self.atom(a, env)?
            }
            Rhs::Prim(call) => return eval_prim(self, stmt, call, env, dest),
        };
        self.deliver(value, dest)
    }

    /// Records a failure if two lengths differ, or if the condition on which a branch relies is false.
    pub fn check_equal(&mut self, check: &LengthCheck, env: &Env<'k>) -> Result<()> {
        if let Some(relies) = &check.relies {
            let origin = self.origin();
            return Opened::new(relies, env, &origin).check_assumption(self);
        }
        let (a, b) = &check.map(&mut |size| env.size(size)).sides();
        if self.facts().equal(a, b).is_yes() {
            let origin = self.origin();
            self.program_mut().needless(&Message::false_cast(check), &origin);
            return Ok(());
        }
        if !self.is_checked() {
            return Ok(());
        }
        let [a, b] = [self.exact_size(a)?, self.exact_size(b)?];
        let wrong = Expr::binary(BinaryOp::Ne, a.clone(), b.clone());
        // A number too large for the record saturates.
        let recorded = [a, b].map(|e| if is_long(&e) { Expr::call("convert_int_sat", [e]) } else { e });
        self.stop_if(wrong, &Message::false_cast(check), recorded)
    }

    /// Records a failure if an array of `n` elements is empty but is to be padded by `more`.
    pub fn check_not_empty(&mut self, n: &Size, more: &Size) -> Result<()> {
        if self.facts().lt(&Size::zero(), n).is_yes() || more.is_zero() {
            self.needless(&Message::empty_pad());
            return Ok(());
        }
        if !self.is_checked() {
            return Ok(());
        }
        let (n, more) = (self.exact_size(n)?, self.exact_size(more)?);
        let empty =
            n.eq(Expr::int(0)).and(if more.as_int().is_some() { Expr::Bool(true) } else { Expr::int(0).lt(more) });
        self.stop_if(empty, &Message::empty_pad(), [Expr::int(0), Expr::int(0)])
    }

    /// Writes a value to its destination, if it has one.
    pub fn deliver(&mut self, value: Value<'k>, dest: Option<&Dest<'k>>) -> Result<Value<'k>> {
        if let Some(d) = dest {
            self.copy(&value, d)?;
        }
        Ok(value)
    }

    /// The value of a statement that has been written to a destination; [`Value::Written`] if it is not read again.
    pub fn written(&mut self, stmt: &Stmt, dest: &Dest<'k>) -> Result<Value<'k>> {
        match dest {
            Dest::Place(p) if self.schedule().uses(stmt.var).count > 1 => self.load(p),
            Dest::Place(p) if matches!(&*p.layout, Layout::Exists { .. }) => reopened(self, p),
            _ => Ok(Value::Written),
        }
    }

    /// `(iota k)` and the like, with a length known only at run time.
    fn of_runtime_length(
        &mut self,
        stmt: &Stmt,
        call: &'k PrimCall,
        args: &[Value<'k>],
        env: &Env<'k>,
    ) -> Result<Value<'k>> {
        let schedule = self.schedule();
        let bound = schedule.bounds.get(stmt.var).first().cloned().flatten().map(|b| env.size(&b));
        let len = self.scalar_of(&args[0])?;
        let len = self.as_size(&len, "len")?;
        let len = if self.known().not_negative(&len) {
            self.needless(&Message::impossible_length());
            len
        } else {
            let mut expr = self.size(&len)?;
            if self.is_checked() {
                expr = self.call_checked(Helper::CheckLength, &Message::impossible_length(), [expr]);
            }
            let expr = self.bind("len", CType::Int, expr);
            let var = self.index_var("len", expr);
            // The maximum of `int` is not a useful bound.
            let known = self.upper(&len).filter(|s| s.as_const() != Some(i32::MAX.into()));
            let at_most = known.map(|s| Size::max(&s, &Size::zero())).or(bound);
            self.known_mut().assume_range(var.clone(), Some(Size::zero()), at_most);
            Size::var(var)
        };
        let funs: Vec<_> = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
        let array = views::of_length(call.prim, len.clone(), funs, args.get(1));
        match array {
            Some(array) => Ok(Value::Packed { sizes: vec![len], body: Box::new(Value::Array(array)) }),
            None => Err(self.error(call.prim.label(), "this form of it is not compiled yet")),
        }
    }

    /// Reads one element of an array.
    fn element(&mut self, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let xs = self.atom(&call.args[0], env)?;
        let xs = self.array(&xs)?;
        let at = match call.prim {
            Prim::Head => Value::size(Size::zero()),
            Prim::Last => Value::size(xs.len.sub(&Size::one())),
            // For rows of different lengths, the index is a size.
            _ if !call.sizes.is_empty() => Value::size(env.size(&call.sizes[0])),
            _ => self.atom(&call.args[1], env)?,
        };
        let origin = self.origin();
        let message = match call.prim {
            Prim::Aref => Message::out_of_range(),
            prim => Message::of_an_empty_array(prim.label()),
        };
        self.read_checked(&xs, &at, &origin, &message)
    }

    /// Stores a value in the requested address space, unless the previous statement has already stored it there.
    fn stored(&mut self, stmt: &'k Stmt, space: Space, value: Value<'k>, env: &Env<'k>) -> Result<Value<'k>> {
        if super::write::is_flat(&value) {
            return Ok(value);
        }
        let Rhs::Store(_, Atom::Var(v)) = &stmt.rhs else { return Ok(value) };
        if self.values().is_in_space(*v) {
            return Ok(value);
        }
        let place = self.allocate_for(stmt, Some(space), env)?;
        let shared = self.is_shared(&place);
        let dest = Dest::Place(place.clone());
        self.copy(&value, &dest)?;
        if shared {
            self.fence(&place);
        }
        self.load(&place)
    }
}

/// A value that was written under hidden lengths. If these are opened again, they are read where they are used.
fn reopened<'k>(f: &mut FunctionBuilder<'_, 'k>, place: &Place) -> Result<Value<'k>> {
    let Layout::Exists { lengths, body } = &*place.layout else { return f.load(place) };
    let (mut sizes, mut body) = (Vec::new(), body.clone());
    for hidden in lengths {
        let expr = f.memory(&hidden.memory, &place.at, false)?;
        let var = f.index_var(&hidden.var.name, expr);
        f.known_mut().assume_hidden(&var, Some(hidden.at_most.clone()));
        let size = Size::var(var);
        body = body.with_length(&hidden.var, &size);
        sizes.push(size);
    }
    let body = f.load(&Place { layout: body, at: place.at.clone() })?;
    Ok(Value::Packed { sizes, body: Box::new(body) })
}

fn name_result<'k>(f: &mut FunctionBuilder<'_, 'k>, stmt: &Stmt, value: Value<'k>) -> Result<Value<'k>> {
    let uses = f.schedule().uses(stmt.var);
    let to_name = |expr: &Expr| expr.is_longer_than(LONGEST) || expr.may_fail();
    let named = matches!(&value, Value::Scalar(ScalarValue::Computed { expr, .. }) if to_name(expr));
    if uses.count > 1 || uses.in_loop || named || f.in_place().is_inside() {
        let name = f.kernel().name_of(stmt.var).to_string();
        return f.named_scalar(&value, &name);
    }
    Ok(value)
}

/// Writes those components of a tuple, `zip`, `concat` or `pack` that their statements have not written themselves.
fn write_components<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    env: &Env<'k>,
    dest: &Dest<'k>,
    handed: &[bool],
) -> Result<()> {
    match &stmt.rhs {
        Rhs::Pack(_, witnesses) => {
            let sizes: Vec<Size> = witnesses.iter().map(|w| env.size(w)).collect();
            f.dest_packed(dest, &sizes)?;
        }
        Rhs::Tuple(all) => {
            for (i, a) in all.iter().enumerate().filter(|(i, _)| !handed[*i]) {
                let value = f.atom(a, env)?;
                let to = f.dest_component(dest, i)?;
                f.copy(&value, &to)?;
            }
        }
        Rhs::Prim(call) => {
            let mut from = Size::zero();
            for (i, a) in call.args.iter().enumerate() {
                let len = f.kernel().atom_ty(a).as_array().map_or_else(Size::zero, |t| env.size(&t.len));
                if !handed[i] {
                    let value = f.atom(a, env)?;
                    let to = match call.prim {
                        Prim::Zip => dests::component_of(dest, i),
                        _ => dests::part_of(dest, from.clone()),
                    };
                    f.copy(&value, &to)?;
                }
                from = from.add(&len);
            }
        }
        _ => {}
    }
    Ok(())
}

fn eval_if<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    c: &'k Atom,
    a: &'k Block,
    b: &'k Block,
    env: &mut Env<'k>,
    dest: Option<&Dest<'k>>,
) -> Result<Value<'k>> {
    let c = f.atom(c, env)?;
    let c = f.scalar_of(&c)?;
    let condition = f.scalar(&c)?;
    let flat = crate::schedule::flat::is_flat(f.kernel().ty(stmt.var));
    if let (Expr::Bool(known), None) = (&condition, dest) {
        return f.eval_block(if *known { a } else { b }, env.clone(), None);
    }
    if flat && dest.is_none() {
        let (mut first, mut second) = (None, None);
        let value = f.choose(
            condition.clone(),
            |f| {
                let value = f.branch_where(&condition, true, |f| f.eval_block(a, env.clone(), None))?;
                first = f.known().range_of_index(&value);
                f.computed_here(value, &first)
            },
            |f| {
                let value = f.branch_where(&condition, false, |f| f.eval_block(b, env.clone(), None))?;
                second = f.known().range_of_index(&value);
                f.computed_here(value, &second)
            },
        )?;
        if let (Some(first), Some(second)) = (first, second) {
            let name = f.kernel().name_of(stmt.var).to_string();
            return f.chosen_index(&name, value, first, second);
        }
        return name_result(f, stmt, value);
    }
    let own = match dest {
        Some(_) => None,
        None => {
            let space = f.schedule().spaces.get(&stmt.var).copied();
            Some(f.allocate_for(stmt, space, env)?)
        }
    };
    let inner = own.clone().map(Dest::Place);
    let to = inner.as_ref().or(dest);
    let (then, _) = f.scope(|f| f.branch_where(&condition, true, |f| f.eval_block(a, env.clone(), to)))?;
    let (otherwise, _) = f.scope(|f| f.branch_where(&condition, false, |f| f.eval_block(b, env.clone(), to)))?;
    f.emit_if(condition, then, otherwise);
    match (own, dest) {
        (Some(place), _) => f.load(&place),
        (None, Some(dest)) => f.written(stmt, dest),
        (None, None) => Ok(Value::Written),
    }
}

fn eval_prim<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    env: &mut Env<'k>,
    dest: Option<&Dest<'k>>,
) -> Result<Value<'k>> {
    let lazy = b.schedule().lazy.contains(&stmt.var);
    let as_view = match call.prim {
        Prim::Map(_) => lazy && dest.is_none(),
        Prim::Generate => (lazy && dest.is_none()) || call.sizes.is_empty(),
        prim => prim.is_view(),
    };
    if as_view {
        let mut args = Vec::new();
        for a in &call.args {
            args.push(b.atom(a, env)?);
        }
        if call.sizes.is_empty() && matches!(call.prim, Prim::Iota | Prim::Generate | Prim::Fill) {
            let value = b.of_runtime_length(stmt, call, &args, env)?;
            return b.deliver(value, dest);
        }
        if let Prim::Pad(_) = call.prim {
            let xs = b.array(&args[0])?;
            b.check_not_empty(&xs.len, &env.size(&call.sizes[0].add(&call.sizes[1])))?;
        }
        let funs: Vec<_> = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
        if let (Prim::Map(_), [f]) = (call.prim, funs.as_slice()) {
            check_unread(b, stmt, f, &args, env)?;
        }
        let kernel = b.kernel();
        let (ty, of) = (kernel.ty(stmt.var), call.args.last().map(|a| kernel.atom_ty(a)));
        let sizes = call.sizes.iter().map(|s| env.size(s)).collect();
        return match views::view(call.prim, sizes, funs, args, ty, of.as_ref(), env) {
            Some(value) => b.deliver(value, dest),
            None => Err(b.error(call.prim.label(), "this form of it is not compiled yet")),
        };
    }
    match call.prim {
        Prim::Head | Prim::Last | Prim::Aref => {
            let value = b.element(call, env)?;
            let value = name_result(b, stmt, value)?;
            return b.deliver(value, dest);
        }
        Prim::Vectorize => {
            let value = vectorize(b, call, env)?;
            let value = name_result(b, stmt, value)?;
            return b.deliver(value, dest);
        }
        _ => {}
    }
    produce(b, stmt, call, env, dest)
}

/// Calls the function of a `map` whose rows are empty: nothing reads the rows, but the call may fail.
fn check_unread<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &Stmt,
    f: &Closure<'k>,
    args: &[Value<'k>],
    env: &Env<'k>,
) -> Result<()> {
    let kernel = b.kernel();
    let row = kernel.ty(stmt.var).as_array().and_then(|rows| Some(env.size(&rows.element.as_array()?.len)));
    let (Some(row), [Value::Array(xs)]) = (row, args) else { return Ok(()) };
    let needless = !b.is_checked() || b.facts().lt(&Size::zero(), &row).is_yes();
    if needless || !fails::may_fail(&kernel.vars, &f.lambda.body) {
        return Ok(());
    }
    let none = b.size(&row)?.le(Expr::int(0));
    let (calls, ()) = b.scope(|all| {
        all.for_each("i", &xs.len, |one, i| {
            let x = one.read(xs, i)?;
            one.call(f, &[x])?;
            Ok(())
        })
    })?;
    b.emit_if(none, calls, Vec::new());
    Ok(())
}

/// Applies the function to each lane.
fn vectorize<'k>(b: &mut FunctionBuilder<'_, 'k>, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
    let mut vectors = Vec::new();
    for a in &call.args {
        let v = b.atom(a, env)?;
        match b.named_scalar(&v, "v")? {
            Value::Vec(v) => vectors.push(v),
            _ => return Err(b.error("vectorize", "its argument is not a vector")),
        }
    }
    let width = vectors.first().map_or(0, |v| v.width);
    let f = Closure { lambda: &call.funs[0], env: env.clone() };
    let (mut lanes, mut scalar) = (Vec::new(), Scalar::Float);
    for lane in 0..width {
        let xs: Vec<_> = vectors.iter().map(|v| Value::computed(v.scalar, v.expr.clone().lane(lane))).collect();
        let y = b.call(&f, &xs)?;
        let y = b.scalar_of(&y)?;
        scalar = y.ty();
        lanes.push(b.scalar(&y)?);
    }
    let expr = Expr::Vector(CType::Vec(scalar, width), lanes);
    Ok(Value::Vec(super::value::VecValue { scalar, width, expr }))
}
