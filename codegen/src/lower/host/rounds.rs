//! Loops at the top of a kernel: each iteration is launched separately.

use super::Host;
use crate::core::{Atom, Lambda, Prim, PrimCall, Rhs, Stmt};
use crate::lower::Result;
use crate::lower::value::{Dest, Env, Layout, Memory, Place, Root, Value};
use crate::plan::{BufferId, BufferRole, Step};
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use std::rc::Rc;

/// Maximum iterations that are launched separately; of more, all but the first become a loop.
const LAUNCHED: i64 = 2;

/// Two memories that are swapped after each iteration.
pub(super) struct Memories {
    pub(super) current: Place,
    pub(super) next: Place,
}

impl Memories {
    pub(super) fn exchange(&self, steps: &mut Vec<Step>) {
        let (mut these, mut those) = (Vec::new(), Vec::new());
        self.current.layout.memories(&mut these);
        self.next.layout.memories(&mut those);
        for (a, b) in these.iter().zip(&those) {
            if let (Root::Buffer(a), Root::Buffer(b)) = (&a.root, &b.root)
                && a != b
            {
                steps.push(Step::Swap(*a, *b));
            }
        }
    }
}

impl<'k> Host<'k> {
    /// Lowers an `iterate` at host level.
    pub(super) fn iterate(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &mut Env<'k>) -> Result<Value<'k>> {
        if !self.program.schedule.bounds.state(stmt.var).is_empty() {
            return self.growing_rounds(stmt, call, env);
        }
        let count = call.sizes.first().and_then(|k| env.size(k).as_const());
        let most = self.program.parameter(Parameter::LoopsUnrolled);
        let k = match count {
            _ if self.program.schedule.rounds_in_place.loops.contains_key(&stmt.var) => {
                return self.repeat(stmt, call, env);
            }
            Some(k) if k <= most || call.funs.len() > 1 => k,
            _ => return self.repeat(stmt, call, env),
        };
        if let [lambda] = call.funs.as_slice()
            && k > LAUNCHED
            && self.is_launched(lambda)
        {
            return self.first_and_rest(stmt, call, env, k);
        }
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

    /// Whether the result of a function is stored, not a view.
    fn is_launched(&self, lambda: &Lambda) -> bool {
        let made = lambda.body.stmts.iter().find(|s| Atom::Var(s.var) == lambda.body.result);
        made.is_some_and(|s| match &s.rhs {
            Rhs::Prim(call) => {
                !call.prim.is_view() && call.prim != Prim::Iterate && !self.program.schedule.lazy.contains(&s.var)
            }
            _ => false,
        })
    }

    /// The first iteration reads the initial value; all others are the same and become a loop.
    fn first_and_rest(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, k: i64) -> Result<Value<'k>> {
        let lambda = &call.funs[0];
        let memories = Memories { current: self.allocate(stmt, env)?, next: self.allocate(stmt, env)? };
        let mut inner = env.clone();
        if let Some(param) = lambda.params.first() {
            inner.bind(*param, self.atom(&call.args[0], env));
        }
        self.block(&lambda.body, inner, Some(&Dest::Place(memories.current.clone())))?;
        let mut steps = self.round(lambda, env, &memories.current, &memories.next)?;
        memories.exchange(&mut steps);
        self.program.steps.push(Step::Repeat { count: Size::int(k - 1), steps });
        self.load(&memories.current)
    }

    /// A loop of iterations that keep the length, with two memories that are swapped.
    fn repeat(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let (Some(count), [lambda]) = (call.sizes.first(), call.funs.as_slice()) else {
            return Err(self.error(stmt, "iterate", "this form of it is not compiled yet"));
        };
        let count = env.size(count);
        if !self.program.is_known_before(&count) {
            let message = "a number of rounds that the device computes is not compiled yet";
            return Err(self.error(stmt, "iterate", message));
        }
        let memories = self.start(stmt, call, env)?;
        let mut steps = match self.program.facts.le(&Size::one(), &count).is_yes() {
            true => self.round(lambda, env, &memories.current, &memories.next)?,
            false => self.uncertain_round(lambda, env, &memories)?,
        };
        memories.exchange(&mut steps);
        self.program.steps.push(Step::Repeat { count, steps });
        self.load(&memories.current)
    }

    /// A loop whose condition the host reads before each iteration.
    pub(super) fn rounds_while(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &mut Env<'k>) -> Result<Value<'k>> {
        let [test, f] = call.funs.as_slice() else {
            return Err(self.error(stmt, "iterateWhile", "it has no test and function"));
        };
        if !self.program.schedule.bounds.state(stmt.var).is_empty() {
            return self.growing_while(stmt, call, [test, f], env);
        }
        let memories = self.start(stmt, call, env)?;
        let (flag, again) = self.flag(stmt);
        let test = self.round(test, env, &memories.current, &again)?;
        let mut steps = self.uncertain_round(f, env, &memories)?;
        memories.exchange(&mut steps);
        self.program.steps.push(Step::While { test, flag, steps });
        self.load(&memories.current)
    }

    /// The buffer of a loop's test, and the test's destination.
    pub(super) fn flag(&mut self, stmt: &Stmt) -> (BufferId, Place) {
        let name = format!("{}_again", self.program.kernel.name_of(stmt.var));
        let flag = self.program.buffer(&name, Scalar::Bool, Size::one(), BufferRole::Temporary);
        // If a branch is not taken, no kernel writes it.
        self.program.steps.push(Step::Zero(flag));
        let memory = Memory { root: Root::Buffer(flag), scalar: Scalar::Bool };
        (flag, Place { layout: Rc::new(Layout::Scalar(memory)), at: Size::zero() })
    }

    /// The steps of an iteration that may not run at all.
    fn uncertain_round(&mut self, lambda: &'k Lambda, env: &Env<'k>, memories: &Memories) -> Result<Vec<Step>> {
        self.perhaps(|host| host.round(lambda, env, &memories.current, &memories.next))
    }

    /// The steps that `make` adds may not run at all.
    pub(super) fn perhaps<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let known: Vec<_> = self.to_check.iter().map(|d| d.computed.get()).collect();
        self.uncertain += 1;
        let made = make(self);
        self.uncertain -= 1;
        // Values computed only there may not be computed at all.
        self.to_check.iter().zip(known).for_each(|(d, known)| d.computed.set(known));
        made
    }

    /// Memories for the value of a loop; the first one has the initial value.
    fn start(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Memories> {
        let memories = self.memories(stmt, |host| host.allocate(stmt, env))?;
        let start = self.atom(&call.args[0], env);
        self.copy(&start, &Dest::Place(memories.current.clone()), &stmt.origin)?;
        Ok(memories)
    }

    /// Two memories for the state of a loop; they share the arrays that its rounds change in their memory.
    pub(super) fn memories(
        &mut self,
        stmt: &Stmt,
        mut allocate: impl FnMut(&mut Self) -> Result<Place>,
    ) -> Result<Memories> {
        let current = allocate(self)?;
        let Some(stays) = self.program.schedule.rounds_in_place.loops.get(&stmt.var) else {
            return Ok(Memories { current, next: allocate(self)? });
        };
        let mut places = Vec::new();
        leaves_of(&current, &mut places);
        let own = places.iter().zip(stays).filter(|(_, stays)| **stays);
        self.stay.extend(own.map(|(place, _)| place.clone()));
        if stays.iter().all(|stays| *stays) {
            return Ok(Memories { next: current.clone(), current });
        }
        let next = allocate(self)?;
        let layout = shared(&current.layout, &next.layout, &mut stays.iter());
        let next = Place { layout, at: next.at };
        Ok(Memories { current, next })
    }

    /// The steps that apply a function to the value at `from` and write the result to `to`.
    fn round(&mut self, lambda: &'k Lambda, env: &Env<'k>, from: &Place, to: &Place) -> Result<Vec<Step>> {
        let value = self.load(from)?;
        self.round_of(lambda, env, value, to)
    }

    /// The steps that apply a function to a value and write the result to `to`.
    pub(super) fn round_of(
        &mut self,
        lambda: &'k Lambda,
        env: &Env<'k>,
        value: Value<'k>,
        to: &Place,
    ) -> Result<Vec<Step>> {
        let mut inner = env.clone();
        if let Some(param) = lambda.params.first() {
            inner.bind(*param, value);
        }
        self.looped(|host| host.block(&lambda.body, inner, Some(&Dest::Place(to.clone()))).map(drop))
    }

    /// The steps that `make` adds, for a loop.
    pub(super) fn looped(&mut self, make: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Step>> {
        let outside = std::mem::take(&mut self.program.steps);
        // Pending writes need a launch that runs exactly once.
        let waiting = std::mem::take(&mut self.lengths);
        let made = make(self);
        let steps = std::mem::replace(&mut self.program.steps, outside);
        self.lengths.splice(0..0, waiting);
        made.map(|()| steps)
    }
}

/// The memories of the leaves of a state.
fn leaves_of(place: &Place, out: &mut Vec<Place>) {
    match &*place.layout {
        Layout::Tuple(parts) => parts.iter().for_each(|part| {
            leaves_of(&Place { layout: part.clone(), at: place.at.clone() }, out);
        }),
        _ => out.push(place.clone()),
    }
}

/// The layout of the next state, with the memory of the current one for the leaves that stay.
fn shared<'a>(current: &Rc<Layout>, next: &Rc<Layout>, stays: &mut impl Iterator<Item = &'a bool>) -> Rc<Layout> {
    match (&**current, &**next) {
        (Layout::Tuple(a), Layout::Tuple(b)) => {
            Rc::new(Layout::Tuple(a.iter().zip(b).map(|(a, b)| shared(a, b, stays)).collect()))
        }
        _ if stays.next() == Some(&true) => current.clone(),
        _ => next.clone(),
    }
}
