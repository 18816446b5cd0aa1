//! Loops at the top of a kernel whose state may grow.
//!
//! Before each iteration the host reads the lengths of the state, then allocates the next state, whose size follows
//! from these lengths. So buffers grow with the state, and no capacity is needed beforehand.

use super::Host;
use super::rounds::Memories;
use crate::core::{Atom, Lambda, PrimCall, Stmt};
use crate::failure::Message;
use crate::lower::Result;
use crate::lower::value::{Dest, Env, HiddenLength, Layout, Memory, Place, Root, Value};
use crate::plan::{BufferId, BufferRole, Step};
use crate::report::Read;
use crate::schedule::bounds::{FIRST_REPEATED, State};
use lift_analysis::size::{Size, Var, VarKind};

/// The state of a loop that is being lowered.
struct Growing<'k> {
    stmt: &'k Stmt,
    memories: Memories,
    /// The variables for its hidden lengths.
    states: Vec<State>,
}

impl Growing<'_> {
    /// The hidden lengths of a memory, and where they are.
    fn lengths(place: &Place) -> &[HiddenLength] {
        match &*place.layout {
            Layout::Exists { lengths, .. } => lengths,
            _ => &[],
        }
    }

    fn buffers(place: &Place) -> impl Iterator<Item = BufferId> {
        Self::lengths(place).iter().filter_map(|hidden| match hidden.memory {
            Memory { root: Root::Buffer(id), .. } => Some(id),
            _ => None,
        })
    }
}

impl<'k> Host<'k> {
    /// A loop with a test, which the host reads before each iteration.
    pub(super) fn growing_while(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        [test, f]: [&'k Lambda; 2],
        env: &mut Env<'k>,
    ) -> Result<Value<'k>> {
        let growing = self.growing(stmt, call, f, env)?;
        let (flag, again) = self.flag(stmt);
        let value = self.state_with(&growing, |s| &s.round)?;
        let test = self.round_of(test, env, value, &again)?;
        let steps = self.growing_round(&growing, f, env)?;
        self.program.steps.push(Step::While { test, flag, steps });
        self.after_rounds(&growing)
    }

    /// A loop whose number of iterations is known before it.
    pub(super) fn growing_rounds(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &mut Env<'k>,
    ) -> Result<Value<'k>> {
        let (Some(count), [f]) = (call.sizes.first(), call.funs.as_slice()) else {
            return Err(self.error(stmt, "iterate", "this form of it is not compiled yet"));
        };
        let count = env.size(count);
        if !self.program.is_known_before(&count) {
            let message = "a number of rounds that the device computes is not compiled yet";
            return Err(self.error(stmt, "iterate", message));
        }
        let growing = self.growing(stmt, call, f, env)?;
        let steps = self.growing_round(&growing, f, env)?;
        self.program.steps.push(Step::Repeat { count, steps });
        self.after_rounds(&growing)
    }

    /// Memories for the state; the first one has the initial state.
    fn growing(&mut self, stmt: &'k Stmt, call: &'k PrimCall, f: &'k Lambda, env: &mut Env<'k>) -> Result<Growing<'k>> {
        let states = self.states(stmt, env);
        let start = self.atom(&call.args[0], env);
        let Value::Packed { sizes, .. } = &start else {
            return Err(self.error(stmt, call.prim.label(), "its state hides no length"));
        };
        for (state, size) in states.iter().zip(sizes.clone()) {
            let from = self.found(stmt, &state.start, &Value::size(size))?;
            self.measure_state(stmt, &state.start, from);
        }
        let bounds = states.iter().map(|s| Some(Size::var(s.start.clone()))).collect();
        let current = self.place_of_state(stmt, env, bounds)?;
        let bounds = match &f.body.result {
            Atom::Var(v) => self.program.schedule.bounds.get(*v).to_vec(),
            _ => Vec::new(),
        };
        // Only memory that depends on the lengths of the iteration is allocated before it; other buffers are exchanged.
        let at_least = states.iter().map(|s| Size::var(s.round.clone()));
        let bounds = bounds.into_iter().zip(at_least);
        let bounds = bounds.map(|(bound, round)| Some(Size::max(&env.size(&bound?), &round))).collect();
        let next = self.place_of_state(stmt, env, bounds)?;
        if !self.guards.is_empty() {
            // A branch that is not taken computes no lengths.
            for id in [&current, &next].into_iter().flat_map(Growing::buffers).collect::<Vec<_>>() {
                self.program.steps.push(Step::Zero(id));
            }
        }
        self.copy(&start, &Dest::Place(current.clone()), &stmt.origin)?;
        let growing = Growing { stmt, memories: Memories { current, next }, states };
        self.read_lengths(&growing, |s| &s.round);
        Ok(growing)
    }

    /// The variables of a loop's state, other ones each time that its statement is lowered.
    fn states(&mut self, stmt: &Stmt, env: &mut Env<'k>) -> Vec<State> {
        let mut states = self.program.schedule.bounds.state(stmt.var).to_vec();
        for var in states.iter_mut().flat_map(|state| [&mut state.start, &mut state.round, &mut state.end]) {
            if self.program.measured.is_first(var) {
                continue;
            }
            let fresh = self.program.fresh_var(&var.name);
            let fresh = Var::new(VarKind::Param, FIRST_REPEATED + fresh.id, fresh.name);
            env.bind_size(var.clone(), Size::var(fresh.clone()));
            self.program.measured.is_first(&fresh);
            *var = fresh;
        }
        states
    }

    fn place_of_state(&mut self, stmt: &'k Stmt, env: &Env<'k>, bounds: Vec<Option<Size>>) -> Result<Place> {
        let kernel = self.program.kernel;
        let ty = kernel.ty(stmt.var).subst_sizes(&mut |v| {
            let size = Size::var(v.clone());
            let now = env.size(&size);
            (now != size).then_some(now)
        });
        let (name, role) = (kernel.name_of(stmt.var), BufferRole::Temporary);
        let layout = self.program.layout(&ty, &mut bounds.into_iter(), name, role, &Size::one(), &stmt.origin)?;
        Ok(Place { layout, at: Size::zero() })
    }

    /// An iteration: computes the next state, then reads its lengths.
    fn growing_round(&mut self, growing: &Growing<'k>, f: &'k Lambda, env: &Env<'k>) -> Result<Vec<Step>> {
        let value = self.state_with(growing, |s| &s.round)?;
        let mut steps = self.perhaps(|host| host.round_of(f, env, value, &growing.memories.next))?;
        growing.memories.exchange(&mut steps);
        let read = self.looped(|host| {
            host.read_lengths(growing, |s| &s.round);
            Ok(())
        });
        steps.extend(read?);
        Ok(steps)
    }

    fn after_rounds(&mut self, growing: &Growing<'k>) -> Result<Value<'k>> {
        self.read_lengths(growing, |s| &s.end);
        self.state_with(growing, |s| &s.end)
    }

    /// The current state, whose lengths the host knows as these variables.
    fn state_with(&mut self, growing: &Growing<'k>, of: fn(&State) -> &Var) -> Result<Value<'k>> {
        let current = &growing.memories.current;
        let Layout::Exists { lengths, body } = &*current.layout else {
            return Err(self.error(growing.stmt, "", "the state of a loop hides no length"));
        };
        let (mut body, mut sizes) = (body.clone(), Vec::new());
        for (hidden, state) in lengths.iter().zip(&growing.states) {
            let size = Size::var(of(state).clone());
            body = body.with_length(&hidden.var, &size);
            sizes.push(size);
        }
        let body = self.load(&Place { layout: body, at: current.at.clone() })?;
        Ok(Value::Packed { sizes, body: Box::new(body) })
    }

    /// Reads the lengths of the current state.
    fn read_lengths(&mut self, growing: &Growing<'k>, of: fn(&State) -> &Var) {
        let buffers: Vec<BufferId> = Growing::buffers(&growing.memories.current).collect();
        for (from, state) in buffers.into_iter().zip(&growing.states) {
            self.measure_state(growing.stmt, of(state), from);
        }
    }

    fn measure_state(&mut self, stmt: &'k Stmt, var: &Var, from: BufferId) {
        let negative = self.program.failure(&Message::impossible_length(), &stmt.origin) as usize;
        self.program.steps.push(Step::Measure { var: var.clone(), from, negative });
        let read = Read { name: var.name.to_string(), most: None, origin: stmt.origin.clone() };
        if !self.program.report.read.contains(&read) {
            self.program.report.read.push(read);
        }
        let longest = Size::int(i32::MAX.into());
        self.program.facts.assume_range(var.clone(), Some(Size::zero()), Some(longest));
        self.program.measured.is_read(var);
    }
}
