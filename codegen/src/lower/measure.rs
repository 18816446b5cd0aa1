//! Lengths that determine how much memory is needed but that only the device can compute.
//!
//! `iota k` is as long as `k` says. If its elements are only read, it needs no memory. If they are stored, a
//! [`Step::Measure`] reads `k` back, and buffers whose capacity mentions it are allocated afterwards. Compilation finds
//! which lengths these are: storing an array requires a bound ([`ProgramBuilder::room`]), and if the bound is an
//! unmeasured length, the kernel is compiled again with that length measured. So is a length that an `unpack` opens, if
//! its worst case is too much memory ([`super::room`]).
//!
//! [`measured`]: the lengths that are measured.

pub mod measured;

use super::function::Dims;
use super::host::Host;
use super::launch::{Guard, Title};
use super::program::ProgramBuilder;
use super::value::{Deferred, Dest, Env, Layout, LengthSource, Memory, Place, Root, ScalarValue, Value, View};
use super::write::dest_roots;
use super::{LowerError, Result, host};
use crate::core::{Block, Prim, Rhs, Stmt, VarId};
use crate::failure::Message;
use crate::plan::{BufferId, BufferRole, Program, Step};
use crate::report::Read;
use crate::schedule::{Schedule, bounds};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Facts, Size, Var, VarKind};

/// Compiles a schedule, repeatedly if lengths must be measured. After the first length, launches have no functions until
/// no further length is found, because most lengths are required by the host level.
pub fn compile(schedule: &Schedule) -> std::result::Result<Program, Vec<LowerError>> {
    let mut measuring: Option<Schedule> = None;
    let mut only_host = false;
    loop {
        let now = measuring.as_ref().unwrap_or(schedule);
        let (result, wanted) = host::program(now, only_host);
        match wanted.is_subset(&now.lengths) {
            true if !only_host => return result,
            true => only_host = false,
            false => {
                measuring = Some(now.measuring(&wanted));
                only_host = true;
            }
        }
    }
}

impl<'k> ProgramBuilder<'k> {
    /// Whether the host can compute a size before the run.
    pub fn is_known_before(&self, size: &Size) -> bool {
        let during = |v: &Var| self.measured.sizes.contains_key(v) || self.measured.states.contains(v);
        !size.any_var(&mut |v| v.kind != VarKind::Param || during(v))
    }

    /// Whether the host knows a size at the current point of the run.
    pub fn is_known_here(&self, size: &Size) -> bool {
        let measured = &self.measured;
        let during = |v: &Var| measured.sizes.contains_key(v) || measured.states.contains(v);
        !size.any_var(&mut |v| v.kind != VarKind::Param || during(v) && !measured.ready.contains(v))
    }

    /// Whether the host knows all lengths in a size once they are measured.
    pub fn is_measured(&self, size: &Size) -> bool {
        self.lengths_in(size).iter().all(|v| self.schedule.lengths.contains(v))
    }

    /// The lengths in a size, by their statements.
    pub fn lengths_in(&self, size: &Size) -> Vec<VarId> {
        size.vars().iter().filter_map(|v| self.measured.sizes.get(v).copied()).collect()
    }

    /// An upper bound of a size that the host can compute, possibly after measuring a length.
    pub fn upper(&self, facts: &Facts, size: &Size) -> Option<Size> {
        let most = bounds::upper(facts, size)?;
        self.is_measured(&most).then_some(most)
    }

    /// Requests memory for `most` elements and records the lengths to be measured for it; returns whether they can be.
    pub fn room(&self, most: &Size) -> bool {
        let lengths = self.lengths_in(most);
        let possible = lengths.iter().all(|v| !self.schedule.lengths.contains(v) || self.schedule.can_measure(*v));
        self.want(lengths);
        possible
    }

    /// Requests that lengths be measured.
    pub fn want(&self, lengths: Vec<VarId>) {
        if lengths.iter().any(|v| !self.schedule.lengths.contains(v)) {
            self.measured.only_host.set(true);
        }
        self.measured.wanted.borrow_mut().extend(lengths);
    }

    /// Whether the program will be discarded because it lacks a length: its functions are not written.
    pub fn is_discarded(&self) -> bool {
        self.measured.only_host.get()
    }
}

impl<'k> Host<'k> {
    /// Lets the host read a length that a host-level statement has computed.
    pub fn measure(&mut self, stmt: &Stmt, value: &Value<'k>, length: VarId, env: &mut Env<'k>) -> Result<Size> {
        let schedule = self.program.schedule;
        let Some(canonical) = schedule.bounds.length(length).cloned() else {
            return Err(self.error(stmt, "", "a length that is measured has no name"));
        };
        let most = schedule.bounds.of_opened(length).map(|most| env.size(most));
        let var = match self.program.measured.ready.contains(&canonical) {
            false => canonical,
            // The same statement in another iteration.
            true => {
                let name = format!("{}_{}", canonical.name, self.program.measured.ready.len());
                let fresh = self.program.fresh_var(&name);
                let fresh = Var::new(VarKind::Param, bounds::FIRST_REPEATED + fresh.id, name);
                env.bind_size(canonical, Size::var(fresh.clone()));
                fresh
            }
        };
        let from = self.found(stmt, &var, value)?;
        let negative = self.program.failure(&Message::impossible_length(), &stmt.origin) as usize;
        self.program.steps.push(Step::Measure { var: var.clone(), from, negative });
        self.program.report.read.push(Read {
            name: var.name.to_string(),
            most: most.clone(),
            origin: stmt.origin.clone(),
        });
        let longest = Size::int(i32::MAX.into());
        self.program.facts.assume_range(var.clone(), Some(Size::zero()), Some(longest));
        if let Some(most) = most {
            self.program.facts.assume_range(var.clone(), None, Some(most));
        }
        self.program.measured.sizes.insert(var.clone(), length);
        self.program.measured.ready.insert(var.clone());
        Ok(Size::var(var))
    }

    /// A buffer whose first element is a length that a host-level statement has computed; `var` will be its value.
    pub fn found(&mut self, stmt: &Stmt, var: &Var, value: &Value<'k>) -> Result<BufferId> {
        Ok(match direct(value).or_else(|| self.program.holds(size_of(value)?)) {
            Some(buffer) if self.guards.is_empty() => buffer,
            _ => {
                let buffer = self.program.buffer(
                    &format!("{}_found", var.name),
                    Scalar::Int,
                    Size::one(),
                    BufferRole::Temporary,
                );
                // A branch that is not taken computes no length.
                if !self.guards.is_empty() {
                    self.program.steps.push(Step::Zero(buffer));
                }
                let memory = Memory { root: Root::Buffer(buffer), scalar: Scalar::Int };
                let to = Dest::Place(Place { layout: Layout::Scalar(memory).into(), at: Size::zero() });
                let title = Title { name: "length", label: "length", origin: &stmt.origin };
                self.launch(&title, Dims::default(), [None; 3], |f| f.copy(value, &to))?;
                buffer
            }
        })
    }

    /// Reads a length that a host-level `unpack` opens, if it is measured. `size` is its value on the device.
    pub fn measure_opened(&mut self, stmt: &Stmt, size: &Size, env: &mut Env<'k>) -> Result<Size> {
        if !self.program.schedule.lengths.contains(&stmt.var) {
            return Ok(size.clone());
        }
        let length = self.measure(stmt, &Value::size(size.clone()), stmt.var, env)?;
        if let Some(var) = size.as_var() {
            // The kernels that follow get it from the host.
            self.program.lengths.insert(var.clone(), LengthSource::Size(length.clone()));
            self.program.facts.assume_range(var.clone(), Some(length.clone()), Some(length.clone()));
        }
        Ok(length)
    }

    /// Measures a length for the functions of the next statement, if this statement computes one.
    pub fn measure_for_functions(&mut self, stmt: &Stmt, value: &Value<'k>, env: &mut Env<'k>) -> Result<()> {
        if let Some(length) = self.program.schedule.measures.get(&stmt.var) {
            self.measure(stmt, value, *length, env)?;
        }
        Ok(())
    }

    /// The index of the first statement at which the destination has memory: after those that compute its lengths.
    pub fn ready_from(&self, block: &Block, dest: Option<&Dest<'k>>) -> usize {
        let Some(dest) = dest else { return 0 };
        let pending = self.pending(dest);
        if pending.is_empty() {
            return 0;
        }
        let finds = |stmt: &Stmt| self.found_by(stmt.var).any(|v| pending.contains(v));
        let inside = |stmt: &Stmt| {
            let mut found = finds(stmt);
            stmt.rhs.blocks().into_iter().for_each(|b| b.visit(&mut |s| found |= finds(s)));
            found
        };
        block.stmts.iter().rposition(inside).map_or(block.stmts.len(), |at| at + 1)
    }

    /// The unknown lengths on which the capacity of a destination depends.
    fn pending(&self, dest: &Dest<'k>) -> Vec<Var> {
        let mut roots = Vec::new();
        dest_roots(dest, &mut roots);
        let buffer = |root: &Root| match root {
            Root::Buffer(id) => Some(self.program.buffers[id.0 as usize].capacity.vars()),
            _ => None,
        };
        let measured = &self.program.measured;
        let mut vars: Vec<Var> = roots.iter().filter_map(buffer).flatten().collect();
        vars.retain(|v| measured.sizes.contains_key(v) || measured.states.contains(v));
        vars.retain(|v| !measured.ready.contains(v));
        vars
    }

    /// The lengths that a host-level statement computes and the host reads.
    fn found_by(&self, stmt: VarId) -> impl Iterator<Item = &Var> {
        let schedule = self.program.schedule;
        let length = schedule.measures.get(&stmt).copied().or(schedule.lengths.contains(&stmt).then_some(stmt));
        let ends = schedule.bounds.state(stmt).iter().map(|state| &state.end);
        length.and_then(|length| schedule.bounds.length(length)).into_iter().chain(ends)
    }

    /// Whether a branch of the statement computes a length that is measured.
    pub fn measures_inside(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        stmt.rhs.blocks().into_iter().for_each(|b| b.visit(&mut |s| found |= self.found_by(s.var).next().is_some()));
        found
    }

    /// Lowers branches that measure lengths: each stores its results in its own memory; when the result has memory,
    /// those of the branch taken are copied.
    pub fn branches_apart(
        &mut self,
        stmt: &'k Stmt,
        condition: &Value<'k>,
        branches: [(&'k Block, bool); 2],
        env: &Env<'k>,
        dest: Option<&Dest<'k>>,
    ) -> Result<Dest<'k>> {
        let before = self.computed();
        let mut values = Vec::new();
        for (block, holds) in branches {
            let guard = Guard { condition: condition.clone(), holds };
            let checks = self.to_check.len();
            self.guards.push(guard.clone());
            let value = self.block(block, env.clone(), None);
            self.guards.pop();
            let checks = self.to_check.split_off(checks);
            values.push((value?, guard, checks));
        }
        let dest = match dest {
            Some(dest) => dest.clone(),
            None => Dest::Place(self.allocate(stmt, env)?),
        };
        if !self.pending(&dest).is_empty() {
            let message = "how much room its result needs is found too late; this is not compiled yet";
            return Err(self.error(stmt, "if", message));
        }
        for (value, guard, checks) in values {
            let before = self.to_check.len();
            self.guards.push(guard);
            let copied = self.copy(&value, &dest, &stmt.origin);
            self.to_check.extend(checks);
            let checked = copied.and_then(|()| self.check_rest(before));
            self.guards.pop();
            checked?;
        }
        // Only one branch runs, so a value that only one of them computes may not be computed at all.
        self.only_computed(&before);
        Ok(dest)
    }
}

impl ProgramBuilder<'_> {
    /// The buffer whose first element is a length that an earlier launch has written.
    fn holds(&self, length: &Size) -> Option<BufferId> {
        match self.lengths.get(length.as_var()?)? {
            LengthSource::Buffer(id) => Some(*id),
            LengthSource::Value(..) | LengthSource::Size(_) => None,
        }
    }
}

/// The buffer whose first element is the value, if there is one.
fn direct(value: &Value) -> Option<BufferId> {
    let scalar = |layout: &Layout, at: &Size| match layout {
        Layout::Scalar(Memory { root: Root::Buffer(id), scalar: Scalar::Int }) if at.is_zero() => Some(*id),
        _ => None,
    };
    match value {
        Value::Place(p) => scalar(&p.layout, &p.at),
        Value::Deferred(d) => first_of(d).and_then(|a| match &*a {
            View::Stored { element, base } => scalar(element, base),
            _ => None,
        }),
        _ => None,
    }
}

fn size_of<'v>(value: &'v Value) -> Option<&'v Size> {
    match value {
        Value::Scalar(ScalarValue::Size(size)) => Some(size),
        _ => None,
    }
}

/// The view whose first element a deferred value is.
fn first_of<'k>(d: &Deferred<'k>) -> Option<std::rc::Rc<View<'k>>> {
    let Rhs::Prim(call) = &d.stmt.rhs else { return None };
    match (call.prim, call.args.first()?) {
        // The array is the result of a reduction, so it is not empty.
        (Prim::Head, crate::core::Atom::Var(v)) => match d.env.get(*v)? {
            Value::Array(a) if a.len.is_one() => Some(a.view.clone()),
            _ => None,
        },
        _ => None,
    }
}
