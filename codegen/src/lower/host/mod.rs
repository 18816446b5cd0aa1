//! The host level: the statements at the top of a kernel, between which the device is synchronised.
//!
//! This module lowers blocks, statements and conditions; [`operation`] primitives, [`rounds`], [`state`], [`in_turn`], [`folds`] and [`in_place`] loops,
//! [`check`] whatever may stop a run.

mod check;
mod folds;
mod in_place;
mod in_turn;
mod operation;
mod rounds;
mod state;

use super::copies::{copy_dims, copy_in_parallel};
use super::dests::{self, Assigned, Destinations, Writer};
use super::function::{Dims, FunctionBuilder};
use super::launch::{Body, Guard, Request, Title};
use super::program::{ProgramBuilder, assume_hidden};
use super::value::{Deferred, Dest, Env, Layout, LengthSource, Memory, Place, Root, ScalarValue, Value};
use super::work::STATEMENT;
use super::{LowerError, Result, symbolic};
use crate::core::{Atom, Block, Level, Prim, Rhs, ScalarOp, Space, Stmt, VarId};
use crate::plan::{BufferRole, PlanInput, Program};
use crate::schedule::{Schedule, fails, flat, is_parallel, place, uses};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var, VarKind};
use rustc_hash::FxHashSet;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub struct Host<'k> {
    pub program: ProgramBuilder<'k>,
    /// The branches around the current point.
    pub guards: Vec<Guard<'k>>,
    /// The number of surrounding loops that may have no iteration.
    uncertain: usize,
    /// Lengths and scalars that the next launch is to write.
    pub lengths: Vec<Waiting<'k>>,
    /// Computations that may stop the run, to be launched if no kernel needs their values.
    pub to_check: Vec<Rc<Deferred<'k>>>,
    /// Arrays of loops' states that rounds change in their memory.
    stay: Vec<Place>,
    /// The errors so far, and the variables that have no value because of them.
    errors: Vec<LowerError>,
    broken: FxHashSet<VarId>,
}

/// Lowers a schedule to a program or errors; also returns the lengths that must be measured. With `only_host`, or if
/// lengths are missing, there is no program.
pub fn program(
    schedule: &Schedule,
    only_host: bool,
) -> (std::result::Result<Program, Vec<LowerError>>, BTreeSet<VarId>) {
    let mut host = Host {
        program: ProgramBuilder::new(&schedule.kernel, schedule, only_host),
        guards: Vec::new(),
        uncertain: 0,
        lengths: Vec::new(),
        stay: Vec::new(),
        to_check: Vec::new(),
        errors: Vec::new(),
        broken: FxHashSet::default(),
    };
    let made = whole(&mut host, schedule).map_err(|e| host.wrong(e)).ok();
    let made = made.filter(|_| host.errors.is_empty() && !host.program.is_discarded());
    match made {
        Some((inputs, layout)) => host.program.finish(inputs, schedule.kernel.result.clone(), &layout),
        None => (Err(host.errors), host.program.measured.wanted()),
    }
}

fn whole<'k>(host: &mut Host<'k>, schedule: &'k Schedule) -> Result<(Vec<PlanInput>, Rc<Layout>)> {
    let kernel = &schedule.kernel;
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
    if let Atom::Var(result) = &kernel.body.result {
        host.program.prefer_exact(*result, &Size::one());
    }
    let mut bounds = match &kernel.body.result {
        Atom::Var(v) => schedule.bounds.get(*v).to_vec(),
        _ => Vec::new(),
    }
    .into_iter();
    let layout =
        host.program.layout(&kernel.result, &mut bounds, "result", BufferRole::Output, &Size::one(), &origin)?;
    let made = kernel.body.stmts.iter().find(|s| Atom::Var(s.var) == kernel.body.result);
    if let Some(made) = made {
        host.program.report.results.iter_mut().for_each(|r| r.origin = made.origin.clone());
    }
    let dest = Dest::Place(Place { layout: layout.clone(), at: Size::zero() });
    for (assumption, origin) in &kernel.assumptions {
        let known = !assumption.vars().iter().any(|v| v.kind != VarKind::Param);
        if known {
            host.program.checks.push((assumption.clone(), origin.clone()));
        }
    }
    if schedule.sequential {
        let title = Title { name: &kernel.name, label: "the whole program", origin: &origin };
        let all: Body<'_, 'k> = Box::new(|f| f.eval_block(&kernel.body, env, Some(&dest)).map(drop));
        host.program.emit_launch(&Request::of_one_item(&title), all)?;
    } else {
        host.block(&kernel.body, env, Some(&dest))?;
    }
    Ok((inputs, layout))
}

/// A value that the next launch writes.
enum Late<'k> {
    Lengths(Vec<Size>),
    Scalar(Value<'k>),
}

/// A value that waits for the next launch, and its destination.
pub struct Waiting<'k> {
    dest: Dest<'k>,
    what: Late<'k>,
    /// The number of conditions under which it is known and needed.
    depth: usize,
}

impl<'k> Host<'k> {
    /// Adds a launch under the conditions of the surrounding branches; it also writes pending lengths.
    pub fn launch(
        &mut self,
        title: &Title,
        used: Dims,
        local: [Option<u32>; 3],
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        self.launch_with_lengths(title, used, local, Box::new(body))
    }

    fn launch_with_lengths(
        &mut self,
        title: &Title,
        used: Dims,
        local: [Option<u32>; 3],
        body: Body<'_, 'k>,
    ) -> Result<()> {
        // A launch that a condition may skip must not write a length that is needed unconditionally.
        let depth = self.guards.len();
        let (lengths, later) =
            std::mem::take(&mut self.lengths).into_iter().partition(|l: &Waiting<'k>| l.depth >= depth);
        self.lengths = later;
        let due = self.due_checks();
        let body: Body<'_, 'k> = Box::new(|f| {
            body(f)?;
            // Earlier failures of the program must be reported before those of this launch.
            if f.records_failures() {
                due.iter().try_for_each(|d| f.force(&Value::Deferred(d.clone())).map(drop))?;
            }
            let lengths: &Vec<Waiting<'k>> = &lengths;
            for l in lengths {
                match &l.what {
                    Late::Lengths(sizes) => f.dest_packed(&l.dest, sizes).map(|_| ())?,
                    Late::Scalar(value) => f.copy(value, &l.dest)?,
                }
            }
            Ok(())
        });
        let request = Request { title, guards: &self.guards, positive: &[], used, local };
        self.program.emit_launch(&request, body)
    }

    /// Adds a launch that is skipped unless all of `positive` are; the host must know these sizes.
    pub fn launch_if(
        &mut self,
        positive: &[Size],
        title: &Title,
        used: Dims,
        local: [Option<u32>; 3],
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        let request = Request { title, guards: &self.guards, positive, used, local };
        self.program.emit_launch(&request, Box::new(body))
    }

    /// Lets the next launch write lengths that are known now and belong to the result of a later `pack`.
    fn lengths_known(&mut self, block: &'k Block, next: VarId, env: &Env<'k>, assigned: &mut Destinations<'k>) {
        for stmt in &block.stmts {
            if let Rhs::Tuple(all) = &stmt.rhs
                && stmt.var != next
                && let Some(Assigned::Components(dest, handed)) = assigned.get_mut(&stmt.var)
            {
                self.scalars_known(all, env, dest, handed);
            }
            let Rhs::Pack(_, witnesses) = &stmt.rhs else { continue };
            let Some(Assigned::Components(dest, handed)) = assigned.get_mut(&stmt.var) else { continue };
            let sizes: Vec<Size> = witnesses.iter().map(|w| env.size(w)).collect();
            let known = |v: &Var| v.kind == VarKind::Param || self.program.lengths.contains_key(v);
            if handed.len() == 1 && sizes.iter().all(|s| !s.any_var(&mut |v| !known(v))) {
                let what = Late::Lengths(sizes);
                self.lengths.push(Waiting { dest: dest.clone(), what, depth: self.guards.len() });
                // Written twice would not be wrong, but is not needed.
                handed.push(true);
            }
        }
    }

    /// Lets the next launch write scalars that are known now and belong to the result, if these are all that is
    /// missing, so that no extra launch is needed for them.
    fn scalars_known(&mut self, all: &[Atom], env: &Env<'k>, dest: &Dest<'k>, handed: &mut [bool]) {
        let is_known = |a: &Atom| match a {
            Atom::Var(v) => env.get(*v).is_some_and(|v| matches!(v, Value::Scalar(_) | Value::Deferred(_))),
            Atom::Lit(_) => true,
            // A length that a later statement opens has no value yet.
            Atom::Size(s) => !s.any_var(&mut |v| v.kind == VarKind::Skolem && !env.has_size(v)),
        };
        let scalar = |a: &Atom| self.program.kernel.atom_ty(a).as_scalar().is_some();
        let rest: Vec<usize> = (0..all.len()).filter(|i| handed.get(*i) == Some(&false)).collect();
        if rest.is_empty() || !rest.iter().all(|i| is_known(&all[*i]) && scalar(&all[*i])) {
            return;
        }
        for i in rest {
            let Some(to) = dests::component(dest, i) else { continue };
            let what = Late::Scalar(self.atom(&all[i], env));
            self.lengths.push(Waiting { dest: to, what, depth: self.guards.len() });
            handed[i] = true;
        }
    }

    /// An origin for the program as a whole.
    fn any_origin(&self) -> Origin {
        use lift_analysis::hir::ExprId;
        use lift_analysis::origin::FormKey;
        let kernel = self.program.kernel;
        kernel.body.stmts.last().map(|s| s.origin.clone()).unwrap_or_else(|| {
            let form = FormKey { file: "".into(), name: Some(kernel.name.clone()), nth: 0 };
            Origin::new(form.into(), ExprId(0))
        })
    }

    /// Records an error once, even if a statement occurs in several iterations.
    fn wrong(&mut self, e: LowerError) {
        if !self.errors.contains(&e) {
            self.errors.push(e);
        }
    }

    pub fn error(&self, stmt: &Stmt, primitive: &str, message: impl Into<String>) -> LowerError {
        LowerError::new(&stmt.origin, primitive, message)
    }

    pub fn block(&mut self, block: &'k Block, mut env: Env<'k>, dest: Option<&Dest<'k>>) -> Result<Value<'k>> {
        let checks = self.to_check.len();
        let first = self.ready_from(block, dest);
        let (kernel, schedule) = (self.program.kernel, self.program.schedule);
        let mut assigned = dests::assign(kernel, schedule, block, first, dest, &env, true, Writer::Host)?;
        for stmt in &block.stmts {
            if !assigned.is_empty() {
                self.lengths_known(block, stmt.var, &env, &mut assigned);
            }
            // Skip statements that depend on an error, but report independent errors.
            if uses::mentions(stmt, &|v| self.broken.contains(&v)) {
                self.broken.insert(stmt.var);
                continue;
            }
            let around = self.program.target;
            self.program.target = schedule.target.written(&stmt.settings());
            let value = self.stmt(stmt, &mut env, assigned.get(&stmt.var));
            let value = value.and_then(|v| self.measure_for_functions(stmt, &v, &mut env).map(|()| v));
            self.program.target = around;
            match value {
                Ok(value) => env.bind(stmt.var, value),
                Err(e) => {
                    self.wrong(e);
                    self.broken.insert(stmt.var);
                }
            }
        }
        if matches!(&block.result, Atom::Var(v) if self.broken.contains(v)) {
            return Ok(Value::Written);
        }
        let result = self.atom(&block.result, &env);
        let written = matches!(&block.result, Atom::Var(v) if assigned.contains_key(v));
        let result = match dest {
            Some(d) if !written => {
                let origin = self.any_origin();
                self.copy(&result, d, &origin)?;
                Value::Written
            }
            _ => result,
        };
        // Without a destination, the caller may still compute the value.
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

    /// The value in memory, as a reference that loads nothing.
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
            Layout::Packed { len, scale, .. } => {
                let view = super::value::View::Packed { layout: place.layout.clone(), base: place.at.mul(scale) };
                Value::Array(super::value::Array::new(len.clone(), view))
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
                    assume_hidden(&mut self.program.facts, &var, Some(hidden.at_most.clone()));
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
        self.program.work.spend(STATEMENT, &stmt.origin)?;
        let dest = match to {
            Some(Assigned::Done(dest)) => return self.written(dest),
            Some(Assigned::Components(dest, handed)) => {
                self.components(stmt, env, dest, handed)?;
                return self.written(dest);
            }
            Some(Assigned::Write(dest)) => Some(dest),
            None => None,
        };
        let schedule = self.program.schedule;
        let measured = schedule.measures.contains_key(&stmt.var) || schedule.lengths.contains(&stmt.var);
        let used = schedule.uses(stmt.var).count > 0 || dest.is_some() || measured;
        if !used && !fails::has_effect(&schedule.kernel.vars, stmt) {
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
            Rhs::Scalar(op, operands) => match self.arithmetic(*op, operands, env) {
                Some(known) => Value::Scalar(known),
                None => self.deferred(stmt, env),
            },
            Rhs::Pack(a, witnesses) => {
                let body = Box::new(self.atom(a, env));
                Value::Packed { sizes: witnesses.iter().map(|w| env.size(w)).collect(), body }
            }
            Rhs::Unpack(a) => match self.atom(a, env) {
                Value::Packed { sizes, body } => {
                    for (var, size) in stmt.binds.iter().zip(&sizes) {
                        let size = self.measure_opened(stmt, size, env)?;
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
        self.deliver(stmt, value, dest)
    }

    /// The result of an operator on integers that the host knows.
    fn arithmetic(&mut self, op: ScalarOp, operands: &[Atom], env: &Env<'k>) -> Option<ScalarValue> {
        let [a, b] = operands else { return None };
        match (self.atom(a, env), self.atom(b, env)) {
            (Value::Scalar(a), Value::Scalar(b)) => symbolic::number(&self.program.facts, op, &a, &b),
            _ => None,
        }
    }

    fn deferred(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Value<'k> {
        let deferred = Rc::new(Deferred { stmt, env: env.clone(), computed: Cell::new(false), is_length: false });
        if fails::rhs_may_fail(&self.program.kernel.vars, &stmt.rhs) {
            self.to_check.push(deferred.clone());
        }
        Value::Deferred(deferred)
    }

    fn deliver(&mut self, stmt: &'k Stmt, value: Value<'k>, dest: Option<&Dest<'k>>) -> Result<Value<'k>> {
        match dest {
            None => Ok(value),
            Some(d) => {
                self.copy(&value, d, &stmt.origin)?;
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
        if handed.iter().all(|h| *h) && !matches!(stmt.rhs, Rhs::Pack(..) | Rhs::Tuple(_)) {
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
                let dims =
                    values.iter().map(|v| copy_dims(self.program.schedule, v)).fold(Dims::default(), Dims::union);
                let late = self.lengths.iter().any(|w| matches!(w.what, Late::Scalar(_)));
                if rest.is_empty() && !late {
                    return Ok(());
                }
                self.launch(&title, dims, [None; 3], |f| {
                    for (i, value) in rest.iter().zip(&values) {
                        let to = f.dest_component(dest, *i)?;
                        copy_in_parallel(f, value, &to)?;
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
                        self.copy(&value, &to, &stmt.origin)?;
                    }
                    from = from.add(&len);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Adds a launch that copies a value.
    pub fn copy(&mut self, value: &Value<'k>, dest: &Dest<'k>, origin: &Origin) -> Result<()> {
        if matches!(value, Value::Written) {
            return Ok(());
        }
        if self.copy_transposed(value, dest, origin)? {
            return Ok(());
        }
        let title = Title { name: "copy", label: "copy", origin };
        let dims = copy_dims(self.program.schedule, value);
        self.launch(&title, dims, [None; 3], |f| copy_in_parallel(f, value, dest))
    }

    /// Allocates memory for the value of a statement.
    pub fn allocate(&mut self, stmt: &'k Stmt, env: &Env<'k>) -> Result<Place> {
        let kernel = self.program.kernel;
        self.program.prefer_exact(stmt.var, &Size::one());
        let ty = kernel.ty(stmt.var).subst_sizes(&mut |v| {
            let s = Size::var(v.clone());
            let now = env.size(&s);
            (now != s).then_some(now)
        });
        let bounds = self.program.schedule.bounds.get(stmt.var).iter();
        let mut bounds = bounds.map(|b| b.as_ref().map(|b| env.size(b)));
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
        let flat = flat::is_flat(self.program.kernel.ty(stmt.var));
        if !parallel && flat && !has_loops(a) && !has_loops(b) {
            let value = self.deferred(stmt, env);
            return self.deliver(stmt, value, dest);
        }
        if self.measures_inside(stmt) {
            let condition = self.atom(c, env);
            let dest = self.branches_apart(stmt, &condition, [(a, true), (b, false)], env, dest)?;
            return self.written(&dest);
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
            let before = self.computed();
            let mut in_both = vec![true; before.len()];
            for (block, holds) in [(a, true), (b, false)] {
                self.guards.push(Guard { condition: condition.clone(), holds });
                let result = self.block(block, env.clone(), Some(dest));
                self.guards.pop();
                result?;
                in_both.iter_mut().zip(self.computed()).for_each(|(both, here)| *both &= here);
                self.only_computed(&before);
            }
            self.only_computed(&in_both);
        }
        self.written(dest)
    }
}

/// Whether a block does more than scalar work.
fn has_loops(block: &Block) -> bool {
    block.stmts.iter().any(|s| match &s.rhs {
        Rhs::If(_, a, b) => has_loops(a) || has_loops(b),
        Rhs::Store(Space::Local | Space::Global | Space::Private, _) => false,
        Rhs::Prim(call) => {
            !call.prim.is_view() && !matches!(call.prim, Prim::Head | Prim::Last | Prim::Aref | Prim::Map(Level::Seq))
        }
        _ => false,
    })
}
