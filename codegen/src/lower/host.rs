//! The host level: the statements at the top of a kernel, between which the device is synchronised.

use super::dests::{self, Assigned, Destinations};
use super::function::{Dims, FunctionBuilder};
use super::launch::{Guard, Title, copy_dims, dims_of, local_size_of};
use super::program::ProgramBuilder;
use super::value::{Closure, Deferred, Dest, Env, Hits, Layout, LengthSource, Memory, Place, Root, ScalarValue, Value};
use super::{LowerError, Result, views};
use crate::core::{Atom, Block, Level, Prim, PrimCall, Rhs, Space, Stmt};
use crate::plan::{BufferRole, PlanInput, Program, Step};
use crate::schedule::{Schedule, fuse, is_parallel, place};
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var, VarKind};
use std::cell::Cell;
use std::rc::Rc;

/// Rounds of an `iterate` that are written one after the other; more are a loop.
const UNROLLED: i64 = 16;

pub struct Host<'k> {
    pub program: ProgramBuilder<'k>,
    /// The branches around the current point.
    pub guards: Vec<Guard<'k>>,
    /// Lengths to be written by the next launch.
    lengths: Vec<Waiting<'k>>,
    /// What may stop the run, if no kernel computes it for its value.
    to_check: Vec<Rc<Deferred<'k>>>,
}

pub fn program(schedule: &Schedule) -> Result<Program> {
    let kernel = &schedule.kernel;
    let mut host = Host {
        program: ProgramBuilder::new(kernel, schedule),
        guards: Vec::new(),
        lengths: Vec::new(),
        to_check: Vec::new(),
    };
    let origin = host.any_origin();
    let mut env = Env::default();
    let mut inputs = Vec::new();
    for param in &kernel.params {
        let (name, ty) = (kernel.name_of(*param), kernel.ty(*param));
        let mut bounds = schedule.bounds.get(*param).iter().cloned();
        let layout = host.program.layout(ty, &mut bounds, name, BufferRole::Input, &Size::one(), &origin)?;
        inputs.push(PlanInput { name: name.into(), ty: ty.clone(), layout: host.program.plan_layout(&layout) });
        let value = host.load(&Place { layout, at: Size::zero() })?;
        env.bind(*param, value);
    }
    let mut bounds = match &kernel.body.result {
        Atom::Var(v) => schedule.bounds.get(*v).to_vec(),
        _ => Vec::new(),
    }
    .into_iter();
    let layout =
        host.program.layout(&kernel.result, &mut bounds, "result", BufferRole::Output, &Size::one(), &origin)?;
    let dest = Dest::Place(Place { layout: layout.clone(), at: Size::zero() });
    for (assumption, origin) in &kernel.assumptions {
        let known = !assumption.vars().iter().any(|v| v.kind != VarKind::Param);
        if known {
            host.program.checks.push((assumption.clone(), origin.clone()));
        }
    }
    if schedule.sequential {
        let title = Title { name: &kernel.name, label: "the whole program", origin: &origin };
        host.program.emit_launch(&title, &[], Dims::default(), [None; 3], |f| {
            f.eval_block(&kernel.body, env, Some(&dest))?;
            Ok(())
        })?;
    } else {
        host.block(&kernel.body, env, Some(&dest))?;
    }
    Ok(host.program.finish(inputs, kernel.result.clone(), &layout))
}

/// Lengths that the next launch writes.
struct Waiting<'k> {
    dest: Dest<'k>,
    sizes: Vec<Size>,
    /// Under how many conditions they are known and wanted.
    depth: usize,
}

impl<'k> Host<'k> {
    /// Adds a launch, under the conditions of the branches around; it also writes the lengths that wait for one.
    pub fn launch(
        &mut self,
        title: &Title,
        used: Dims,
        local: [Option<u32>; 3],
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        // A launch that a condition may leave out writes no length that is wanted in any case.
        let depth = self.guards.len();
        let (lengths, later) =
            std::mem::take(&mut self.lengths).into_iter().partition(|l: &Waiting<'k>| l.depth >= depth);
        self.lengths = later;
        self.program.emit_launch(title, &self.guards, used, local, |f| {
            body(f)?;
            let lengths: &Vec<Waiting<'k>> = &lengths;
            for l in lengths {
                f.dest_packed(&l.dest, &l.sizes)?;
            }
            Ok(())
        })
    }

    /// Lengths that are known now and belong into the result of a `pack` further down: the next launch writes them.
    fn lengths_known(&mut self, block: &'k Block, env: &Env<'k>, assigned: &mut Destinations<'k>) {
        for stmt in &block.stmts {
            let Rhs::Pack(_, witnesses) = &stmt.rhs else { continue };
            let Some(Assigned::Components(dest, handed)) = assigned.get_mut(&stmt.var) else { continue };
            let sizes: Vec<Size> = witnesses.iter().map(|w| env.size(w)).collect();
            let known = |v: &Var| v.kind == VarKind::Param || self.program.lengths.contains_key(v);
            if handed.len() == 1 && sizes.iter().all(|s| !s.any_var(&mut |v| !known(v))) {
                self.lengths.push(Waiting { dest: dest.clone(), sizes, depth: self.guards.len() });
                // Written twice would not be wrong, but is not needed.
                handed.push(true);
            }
        }
    }

    /// An origin for what belongs to the program as a whole.
    fn any_origin(&self) -> Origin {
        use lift_analysis::hir::ExprId;
        use lift_analysis::origin::FormKey;
        let kernel = self.program.kernel;
        kernel.body.stmts.last().map(|s| s.origin.clone()).unwrap_or_else(|| Origin {
            form: FormKey { file: "".into(), name: Some(kernel.name.clone()), nth: 0 }.into(),
            expr: ExprId(0),
        })
    }

    pub fn error(&self, stmt: &Stmt, primitive: &str, message: impl Into<String>) -> LowerError {
        LowerError::new(&stmt.origin, primitive, message)
    }

    pub fn block(&mut self, block: &'k Block, mut env: Env<'k>, dest: Option<&Dest<'k>>) -> Result<Value<'k>> {
        let checks = self.to_check.len();
        let mut assigned = dests::assign(self.program.kernel, self.program.schedule, block, dest, &env, true)?;
        for stmt in &block.stmts {
            if !assigned.is_empty() {
                self.lengths_known(block, &env, &mut assigned);
            }
            let value = self.stmt(stmt, &mut env, assigned.get(&stmt.var))?;
            env.bind(stmt.var, value);
        }
        let result = self.atom(&block.result, &env);
        let written = matches!(&block.result, Atom::Var(v) if assigned.contains_key(v));
        let result = match dest {
            Some(d) if !written => {
                let origin = self.any_origin();
                let ty = self.program.kernel.atom_ty(&block.result);
                self.copy(&result, d, &ty, &origin)?;
                Value::Written
            }
            _ => result,
        };
        // Without a destination the value may still be computed by those who asked for the block.
        if dest.is_some() {
            self.check_rest(checks)?;
        }
        Ok(result)
    }

    pub fn atom(&mut self, a: &Atom, env: &Env<'k>) -> Value<'k> {
        match a {
            Atom::Var(v) => env.get(*v).cloned().unwrap_or(Value::Written),
            Atom::Lit(l) => Value::Scalar(ScalarValue::Literal(*l)),
            Atom::Size(s) => Value::size(env.size(s)),
        }
    }

    /// The value in memory, without loading anything.
    pub fn load(&mut self, place: &Place) -> Result<Value<'k>> {
        Ok(match &*place.layout {
            Layout::Scalar(_) | Layout::Vec(..) => Value::Place(place.clone()),
            Layout::Tuple(parts) => {
                let mut all = Vec::new();
                for p in parts {
                    all.push(self.load(&Place { layout: p.clone(), at: place.at.clone() })?);
                }
                Value::Tuple(all)
            }
            Layout::Array { len, capacity, element } => {
                let base = place.at.mul(capacity);
                let view = super::value::View::Stored { element: element.clone(), base };
                Value::Array(super::value::Array::new(len.clone(), view))
            }
            Layout::Exists { lengths, body } => {
                let (mut sizes, mut body) = (Vec::new(), body.clone());
                for hidden in lengths {
                    let Memory { root: Root::Buffer(buffer), .. } = hidden.memory else {
                        let origin = self.any_origin();
                        return Err(LowerError::new(&origin, "", "a length is not in device memory"));
                    };
                    let var = self.program.fresh_var(&hidden.var.name);
                    self.program.facts.assume_range(var.clone(), Some(Size::zero()), Some(hidden.at_most.clone()));
                    self.program.lengths.insert(var.clone(), LengthSource::Buffer(buffer));
                    let size = Size::var(var);
                    body = body.with_length(&hidden.var, &size);
                    sizes.push(size);
                }
                let body = self.load(&Place { layout: body, at: place.at.clone() })?;
                Value::Packed { sizes, body: Box::new(body) }
            }
        })
    }

    fn stmt(&mut self, stmt: &'k Stmt, env: &mut Env<'k>, to: Option<&Assigned<'k>>) -> Result<Value<'k>> {
        let kernel = self.program.kernel;
        let dest = match to {
            Some(Assigned::Done(dest)) => return self.written(dest),
            Some(Assigned::Components(dest, handed)) => {
                self.components(stmt, env, dest, handed)?;
                return self.written(dest);
            }
            Some(Assigned::Write(dest)) => Some(dest),
            None => None,
        };
        let used = self.program.schedule.uses(stmt.var).count > 0 || dest.is_some();
        if !used && !fuse::has_effect(stmt) {
            return Ok(Value::Written);
        }
        let value = match &stmt.rhs {
            Rhs::Atom(a) | Rhs::Store(_, a) => self.atom(a, env),
            Rhs::Tuple(all) => Value::Tuple(all.iter().map(|a| self.atom(a, env)).collect()),
            Rhs::Proj(a, i) => match self.atom(a, env) {
                Value::Tuple(mut parts) if *i < parts.len() => parts.swap_remove(*i),
                _ => self.deferred(stmt, env),
            },
            Rhs::Scalar(..) if !used => return self.for_its_failures(stmt, env),
            Rhs::Scalar(..) => self.deferred(stmt, env),
            Rhs::Pack(a, witnesses) => {
                let body = Box::new(self.atom(a, env));
                Value::Packed { sizes: witnesses.iter().map(|w| env.size(w)).collect(), body }
            }
            Rhs::Unpack(a) => match self.atom(a, env) {
                Value::Packed { sizes, body } => {
                    for (var, size) in stmt.binds.iter().zip(&sizes) {
                        self.program.lengths.insert(var.clone(), LengthSource::Size(size.clone()));
                        env.bind_size(var.clone(), size.clone());
                    }
                    self.assumed(stmt, env)?;
                    *body
                }
                _ => return Err(self.error(stmt, "unpack", "the value that is unpacked hides no length")),
            },
            Rhs::Cast(a, pairs) => {
                self.cast(stmt, pairs, env)?;
                self.atom(a, env)
            }
            Rhs::If(c, a, b) => return self.branch(stmt, c, a, b, env, dest),
            Rhs::Prim(call) => return self.prim(stmt, call, env, dest, used),
        };
        self.deliver(stmt, value, dest, kernel.ty(stmt.var))
    }

    fn deferred(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Value<'k> {
        let deferred = Rc::new(Deferred { stmt, env: env.clone(), computed: Cell::new(false) });
        if fuse::rhs_may_fail(&stmt.rhs) {
            self.to_check.push(deferred.clone());
        }
        Value::Deferred(deferred)
    }

    /// What no kernel of the block computes, but may stop the run, is computed for that.
    fn check_rest(&mut self, from: usize) -> Result<()> {
        for d in self.to_check.split_off(from) {
            if !d.computed.get() {
                self.for_its_failures(d.stmt, &d.env)?;
            }
        }
        Ok(())
    }

    /// A statement whose value nobody wants, but that may stop the run.
    fn for_its_failures(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<Value<'k>> {
        let title = Title { name: "check", label: "check", origin: &stmt.origin };
        let mut env = env.clone();
        self.launch(&title, Dims::default(), [None; 3], |f| {
            f.eval_stmt(stmt, &mut env, None)?;
            Ok(())
        })?;
        Ok(Value::Written)
    }

    /// Checks what the program assumes of the lengths that a statement opens.
    fn assumed(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<()> {
        let assumed = self.program.assumptions_of(&stmt.binds, env);
        if assumed.is_empty() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of lengths", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| assumed.iter().try_for_each(|a| f.check_assumption(a)))?;
        assumed.iter().for_each(|a| self.program.facts.assume(&a.assumption));
        Ok(())
    }

    fn cast(&mut self, stmt: &'k Stmt, pairs: &[(Size, Size)], env: &Env<'k>) -> Result<()> {
        let mut on_the_device = Vec::new();
        for (a, b) in pairs {
            let (a, b) = (env.size(a), env.size(b));
            if self.program.facts.equal(&a, &b).is_yes() {
                continue;
            }
            let known = |s: &Size| !s.any_var(&mut |v| v.kind != VarKind::Param);
            if known(&a) && known(&b) && self.guards.is_empty() {
                self.program.checks.push((Assumption::Equal(a, b), stmt.origin.clone()));
            } else {
                on_the_device.push((a, b));
            }
        }
        if on_the_device.is_empty() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of lengths", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| {
            for (a, b) in &on_the_device {
                f.check_equal(a, b)?;
            }
            Ok(())
        })
    }

    /// Before an array of `n` elements is padded by `more`.
    fn not_empty(&mut self, stmt: &'k Stmt, n: &Size, more: &Size) -> Result<()> {
        if more.is_zero() || self.program.facts.lt(&Size::zero(), n).is_yes() {
            return Ok(());
        }
        let title = Title { name: "check", label: "check of a length", origin: &stmt.origin };
        self.launch(&title, Dims::default(), [None; 3], |f| f.check_not_empty(n, more))
    }

    fn deliver(
        &mut self,
        stmt: &'k Stmt,
        value: Value<'k>,
        dest: Option<&Dest<'k>>,
        ty: &lift_analysis::ty::Ty,
    ) -> Result<Value<'k>> {
        match dest {
            None => Ok(value),
            Some(d) => {
                self.copy(&value, d, ty, &stmt.origin)?;
                self.written(d)
            }
        }
    }

    fn written(&mut self, dest: &Dest<'k>) -> Result<Value<'k>> {
        match dest {
            Dest::Place(p) => self.load(p),
            _ => Ok(Value::Written),
        }
    }

    fn components(&mut self, stmt: &'k Stmt, env: &Env<'k>, dest: &Dest<'k>, handed: &[bool]) -> Result<()> {
        if handed.iter().all(|h| *h) && !matches!(stmt.rhs, Rhs::Pack(..)) {
            return Ok(());
        }
        let kernel = self.program.kernel;
        let title = Title { name: "copy", label: "copy", origin: &stmt.origin };
        match &stmt.rhs {
            Rhs::Pack(_, witnesses) => {
                if handed.len() > 1 && self.lengths.is_empty() {
                    return Ok(());
                }
                let title = Title { name: "pack", label: "pack: the length", origin: &stmt.origin };
                let sizes: Vec<Size> = witnesses.iter().map(|w| env.size(w)).collect();
                self.launch(&title, Dims::default(), [None; 3], |f| {
                    f.dest_packed(dest, &sizes)?;
                    Ok(())
                })
            }
            Rhs::Tuple(all) => {
                let rest: Vec<usize> = (0..all.len()).filter(|i| !handed[*i]).collect();
                let values: Vec<Value> = rest.iter().map(|i| self.atom(&all[*i], env)).collect();
                let dims = rest.iter().map(|i| copy_dims(&kernel.atom_ty(&all[*i]))).fold(Dims::default(), Dims::union);
                self.launch(&title, dims, [None; 3], |f| {
                    for (i, value) in rest.iter().zip(&values) {
                        let to = f.dest_component(dest, *i)?;
                        f.copy_in_parallel(value, &to)?;
                    }
                    Ok(())
                })
            }
            Rhs::Prim(call) => {
                let mut from = Size::zero();
                for (i, a) in call.args.iter().enumerate() {
                    let ty = kernel.atom_ty(a);
                    let len = ty.as_array().map_or_else(Size::zero, |t| env.size(&t.len));
                    if !handed[i] {
                        let value = self.atom(a, env);
                        let to = match call.prim {
                            Prim::Zip => dests::component_of(dest, i),
                            _ => dests::part_of(dest, from.clone()),
                        };
                        self.copy(&value, &to, &ty, &stmt.origin)?;
                    }
                    from = from.add(&len);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A launch that copies a value.
    pub fn copy(
        &mut self,
        value: &Value<'k>,
        dest: &Dest<'k>,
        ty: &lift_analysis::ty::Ty,
        origin: &Origin,
    ) -> Result<()> {
        if matches!(value, Value::Written) {
            return Ok(());
        }
        let title = Title { name: "copy", label: "copy", origin };
        self.launch(&title, copy_dims(ty), [None; 3], |f| f.copy_in_parallel(value, dest))
    }

    /// Memory for the value of a statement.
    pub fn allocate(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<Place> {
        let kernel = self.program.kernel;
        let ty = kernel.ty(stmt.var).subst_sizes(&mut |v| {
            let s = Size::var(v.clone());
            let now = env.size(&s);
            (now != s).then_some(now)
        });
        let mut bounds = self.program.schedule.bounds.get(stmt.var).iter().cloned();
        let name = kernel.name_of(stmt.var);
        let layout = self.program.layout(&ty, &mut bounds, name, BufferRole::Temporary, &Size::one(), &stmt.origin)?;
        Ok(Place { layout, at: Size::zero() })
    }

    fn branch(
        &mut self,
        stmt: &'k Stmt,
        c: &'k Atom,
        a: &'k Block,
        b: &'k Block,
        env: &mut Env<'k>,
        dest: Option<&Dest<'k>>,
    ) -> Result<Value<'k>> {
        let parallel = place::stmt_levels(stmt).iter().any(|l| is_parallel(*l));
        let flat = place::is_flat(self.program.kernel.ty(stmt.var));
        if !parallel && flat && !has_loops(a) && !has_loops(b) {
            let value = self.deferred(stmt, env);
            return self.deliver(stmt, value, dest, self.program.kernel.ty(stmt.var));
        }
        let own;
        let dest = match dest {
            Some(d) => d,
            None => {
                own = Dest::Place(self.allocate(stmt, env)?);
                &own
            }
        };
        if !parallel && has_loops(a) | has_loops(b) {
            self.by_one(stmt, "if", env, dest)?;
        } else {
            let condition = self.atom(c, env);
            for (block, holds) in [(a, true), (b, false)] {
                self.guards.push(Guard { condition: condition.clone(), holds });
                let result = self.block(block, env.clone(), Some(dest));
                self.guards.pop();
                result?;
            }
        }
        self.written(dest)
    }

    /// A statement in a launch of one work-item.
    fn by_one(&mut self, stmt: &'k Stmt, label: &str, env: &mut Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label, origin: &stmt.origin };
        let mut env = env.clone();
        self.launch(&title, Dims::default(), [None; 3], |f| {
            f.eval_stmt(stmt, &mut env, Some(&Assigned::Write(dest.clone())))?;
            Ok(())
        })
    }

    fn prim(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &mut Env<'k>,
        dest: Option<&Dest<'k>>,
        used: bool,
    ) -> Result<Value<'k>> {
        let kernel = self.program.kernel;
        let ty = kernel.ty(stmt.var);
        let lazy = self.program.schedule.lazy.contains(&stmt.var) && dest.is_none();
        let as_view = match call.prim {
            Prim::Map(_) | Prim::Generate => lazy,
            prim => fuse::is_view(prim),
        };
        let runtime_length = call.sizes.is_empty() && matches!(call.prim, Prim::Iota | Prim::Generate | Prim::Fill);
        if runtime_length {
            let value = self.of_runtime_length(stmt, call, env)?;
            return self.deliver(stmt, value, dest, ty);
        }
        if as_view && used {
            if let Prim::Pad(_) = call.prim
                && let Value::Array(xs) = self.atom(&call.args[0], env)
            {
                self.not_empty(stmt, &xs.len, &env.size(&call.sizes[0].add(&call.sizes[1])))?;
            }
            let args = call.args.iter().map(|a| self.atom(a, env)).collect();
            let funs = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
            let of = call.args.last().map(|a| kernel.atom_ty(a));
            let sizes = call.sizes.iter().map(|s| env.size(s)).collect();
            let Some(value) = views::view(call.prim, sizes, funs, args, ty, of.as_ref(), env) else {
                return Err(self.error(stmt, views::name(call.prim), "this form of it is not compiled yet"));
            };
            return self.deliver(stmt, value, dest, ty);
        }
        match call.prim {
            Prim::Head | Prim::Last | Prim::Aref if place::is_flat(ty) && !used => {
                return self.for_its_failures(stmt, env);
            }
            Prim::Head | Prim::Last | Prim::Aref | Prim::Vectorize if place::is_flat(ty) => {
                let value = self.deferred(stmt, env);
                return self.deliver(stmt, value, dest, ty);
            }
            Prim::Iterate => {
                let value = self.iterate(stmt, call, env)?;
                return self.deliver(stmt, value, dest, ty);
            }
            _ => {}
        }
        let own;
        let dest = match dest {
            Some(d) => d,
            None => {
                own = Dest::Place(self.allocate(stmt, env)?);
                &own
            }
        };
        match call.prim {
            Prim::Filter(level) if is_parallel(level) => self.filter(stmt, call, env, dest)?,
            Prim::Reduce(level) if is_parallel(level) => self.reduce(stmt, call, env, dest)?,
            Prim::Scan(level) if is_parallel(level) => self.scan(stmt, call, env, dest, true)?,
            Prim::ScanExcl(level) if is_parallel(level) => self.scan(stmt, call, env, dest, false)?,
            Prim::Sort => self.sort(stmt, call, env, dest, false)?,
            Prim::Argsort => self.sort(stmt, call, env, dest, true)?,
            prim if place::stmt_levels(stmt).iter().any(|l| is_parallel(*l)) || matches!(prim, Prim::Scatter) => {
                self.in_parallel(stmt, call, env, dest)?
            }
            prim => self.by_one(stmt, views::name(prim), env, dest)?,
        }
        self.written(dest)
    }

    /// A statement whose functions say how the work is spread.
    fn in_parallel(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let kernel = self.program.kernel;
        let name = kernel.name_of(stmt.var);
        let title = Title { name, label: views::name(call.prim), origin: &stmt.origin };
        if call.prim == Prim::Scatter {
            let xs = self.atom(&call.args[0], env);
            let ty = kernel.atom_ty(&call.args[0]);
            let Value::Array(a) = &xs else { return Err(self.error(stmt, "scatter", "what is permuted is no array")) };
            let len = a.len.clone();
            let most = self.most(stmt, &len)?;
            let hits = format!("{name}_hits");
            let hits = self.program.buffer(&hits, Scalar::Int, most, BufferRole::Temporary);
            self.program.steps.push(Step::Zero(hits));
            let hits = Hits {
                memory: Memory { root: Root::Buffer(hits), scalar: Scalar::Int },
                base: Size::zero(),
                atomic: true,
            };
            let f = Closure { lambda: &call.funs[0], env: env.clone() };
            let to = dests::scattered(f, len, hits, dest.clone(), stmt);
            return self.launch(&title, copy_dims(&ty), [None; 3], |f| f.copy_in_parallel(&xs, &to));
        }
        let mut env = env.clone();
        let dims = dims_of(stmt);
        let local = local_size_of(stmt, &|a| kernel.atom_ty(a));
        self.launch(&title, dims, local, |f| {
            f.eval_stmt(stmt, &mut env, Some(&Assigned::Write(dest.clone())))?;
            Ok(())
        })
    }

    /// A constant number of rounds, each at host level.
    fn iterate(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let count = call.sizes.first().and_then(|k| env.size(k).as_const());
        let k = match count {
            Some(k) if k <= UNROLLED || call.funs.len() > 1 => k,
            _ => return self.repeat(stmt, call, env),
        };
        let mut value = self.atom(&call.args[0], env);
        for round in 0..k.max(0) as usize {
            let Some(lambda) = call.funs.get(round).or(call.funs.last()) else { break };
            let mut inner = env.clone();
            if let Some(param) = lambda.params.first() {
                inner.bind(*param, value);
            }
            value = self.block(&lambda.body, inner, None)?;
        }
        Ok(value)
    }

    /// Rounds that keep the length, between two memories that exchange their roles.
    fn repeat(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let (Some(count), [lambda]) = (call.sizes.first(), call.funs.as_slice()) else {
            return Err(self.error(stmt, "iterate", "this form of it is not compiled yet"));
        };
        let count = env.size(count);
        if count.any_var(&mut |v| v.kind != VarKind::Param) {
            let message = "a number of rounds that the device computes is not compiled yet";
            return Err(self.error(stmt, "iterate", message));
        }
        let (current, next) = (self.allocate(stmt, env)?, self.allocate(stmt, env)?);
        let ty = self.program.kernel.atom_ty(&call.args[0]);
        let start = self.atom(&call.args[0], env);
        self.copy(&start, &Dest::Place(current.clone()), &ty, &stmt.origin)?;
        let outside = std::mem::take(&mut self.program.steps);
        let mut inner = env.clone();
        if let Some(param) = lambda.params.first() {
            let value = self.load(&current)?;
            inner.bind(*param, value);
        }
        let round = self.block(&lambda.body, inner, Some(&Dest::Place(next.clone())));
        let mut steps = std::mem::replace(&mut self.program.steps, outside);
        round?;
        let (mut these, mut those) = (Vec::new(), Vec::new());
        current.layout.memories(&mut these);
        next.layout.memories(&mut those);
        for (a, b) in these.iter().zip(&those) {
            if let (Root::Buffer(a), Root::Buffer(b)) = (&a.root, &b.root) {
                steps.push(Step::Swap(*a, *b));
            }
        }
        self.program.steps.push(Step::Repeat { count, steps });
        self.load(&current)
    }

    /// `(iota k)` and the like, with a length that the device computes.
    fn of_runtime_length(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let len = match self.atom(&call.args[0], env) {
            Value::Scalar(ScalarValue::Size(s)) => Size::max(&s, &Size::zero()),
            Value::Scalar(ScalarValue::Literal(lift_analysis::hir::Literal::Int(n))) => Size::int(n.max(0).into()),
            value => {
                let var = self.program.fresh_var("len");
                self.program.facts.assume_range(var.clone(), Some(Size::zero()), None);
                self.program.lengths.insert(var.clone(), LengthSource::Value(value));
                Size::var(var)
            }
        };
        let len = self.program.facts.simplify(&len);
        let value = call.args.get(1).map(|a| self.atom(a, env));
        let funs = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
        match views::of_length(call.prim, len.clone(), funs, value.as_ref()) {
            Some(array) => Ok(Value::Packed { sizes: vec![len], body: Box::new(Value::Array(array)) }),
            None => Err(self.error(stmt, views::name(call.prim), "this form of it is not compiled yet")),
        }
    }
}

/// Whether a block does more than scalar work.
fn has_loops(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.rhs {
        Rhs::If(_, a, b) => has_loops(a) || has_loops(b),
        Rhs::Store(Space::Local | Space::Global | Space::Private, _) => false,
        Rhs::Prim(call) => {
            !fuse::is_view(call.prim)
                && !matches!(call.prim, Prim::Head | Prim::Last | Prim::Aref | Prim::Map(Level::Seq))
        }
        _ => false,
    })
}
