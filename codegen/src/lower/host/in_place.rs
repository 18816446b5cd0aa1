//! Loops at host level whose state is written in place: the device copies the initial arrays, and one work-item runs
//! all iterations.

use super::Host;
use crate::core::{Prim, PrimCall, Stmt};
use crate::lower::Result;
use crate::lower::copies::{copy_dims_of, copy_in_parallel};
use crate::lower::dests::Assigned;
use crate::lower::function::Dims;
use crate::lower::function::states::Given;
use crate::lower::in_place::{is_at, update_copy};
use crate::lower::launch::Title;
use crate::lower::value::{Dest, Env, Layout, Place, Value, View};
use crate::schedule::in_place::round_of;

impl<'k> Host<'k> {
    /// The value of the loop, in the memory of `dest` if that is a place.
    pub(super) fn loop_in_place(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: Option<&Dest<'k>>,
    ) -> Result<Value<'k>> {
        let place = match dest {
            Some(Dest::Place(place)) => place.clone(),
            _ => self.allocate(stmt, env)?,
        };
        let state = match (call.prim, &*place.layout) {
            // The result of a fold is an array of one accumulator.
            (Prim::Reduce(_) | Prim::ReduceWhileSeq, Layout::Array { element, .. }) => {
                Place { layout: element.clone(), at: place.at.clone() }
            }
            _ => place.clone(),
        };
        let stays = self.program.schedule.in_place.loops.get(&stmt.var).cloned().unwrap_or_default();
        if let Some((_, start)) = round_of(stmt) {
            let start = self.atom(start, env);
            self.start_in_place(stmt, &start, &state, &stays, &mut 0)?;
        }
        let title =
            Title { name: self.program.kernel.name_of(stmt.var), label: call.prim.label(), origin: &stmt.origin };
        let (mut inner, to) = (env.clone(), Assigned::Write(Dest::Place(place.clone())));
        self.launch(&title, Dims::default(), [None; 3], |f| {
            f.in_place_mut().give(Given { stmt: stmt.var, state });
            f.eval_stmt(stmt, &mut inner, Some(&to))?;
            Ok(())
        })?;
        let value = self.load(&place)?;
        match dest {
            Some(Dest::Place(_)) | None => Ok(value),
            Some(_) => self.deliver(stmt, value, dest),
        }
    }

    /// The memory of the array of which a round of a loop changes a part there.
    pub(super) fn staying(&mut self, stmt: &Stmt, call: &PrimCall, env: &Env<'k>) -> Option<Place> {
        if !self.program.schedule.rounds_in_place.updates.contains(&stmt.var) {
            return None;
        }
        let xs = match (call.prim, self.atom(call.args.first()?, env)) {
            (Prim::Update, xs) => xs,
            (_, Value::Array(pairs)) => match &*pairs.view {
                View::Zip(parts) => Value::Array(parts.first()?.clone()),
                _ => return None,
            },
            _ => return None,
        };
        self.stay.iter().rev().find(|place| is_at(&self.program.facts, &xs, place)).cloned()
    }

    /// Writes the new elements of an update, or of a map of updates, to `dest`, which has the others already.
    pub(super) fn change(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        if call.prim != Prim::Update {
            return self.in_parallel(stmt, call, env, dest);
        }
        let kernel = self.program.kernel;
        let title = Title { name: kernel.name_of(stmt.var), label: call.prim.label(), origin: &stmt.origin };
        let dims = call.args.last().map(|value| copy_dims_of(&kernel.atom_ty(value))).unwrap_or_default();
        self.launch(&title, dims, [None; 3], |f| update_copy(f, call, env, dest, copy_in_parallel))
    }

    /// Copies the initial arrays that stay in their memory.
    fn start_in_place(
        &mut self,
        stmt: &'k Stmt,
        start: &Value<'k>,
        to: &Place,
        stays: &[bool],
        leaf: &mut usize,
    ) -> Result<()> {
        if let (Value::Tuple(parts), Layout::Tuple(layouts)) = (start, &*to.layout) {
            for (part, layout) in parts.iter().zip(layouts) {
                let to = Place { layout: layout.clone(), at: to.at.clone() };
                self.start_in_place(stmt, part, &to, stays, leaf)?;
            }
            return Ok(());
        }
        let here = *leaf;
        *leaf += leaves(&to.layout);
        match stays.get(here) {
            Some(true) => self.copy(start, &Dest::Place(to.clone()), &stmt.origin),
            _ => Ok(()),
        }
    }
}

fn leaves(layout: &Layout) -> usize {
    match layout {
        Layout::Tuple(parts) => parts.iter().map(|part| leaves(part)).sum(),
        _ => 1,
    }
}
