//! Loops whose state has lengths that change from iteration to iteration.
//!
//! The function of a loop takes the state with its lengths opened, and is checked once, for any lengths. Where its
//! result has other lengths than its argument, the type of the state hides them: it is `∃X. S(X)`, the function has the
//! type `S(X) -> ∃Y. S(Y)` for every X, and the loop gives `∃X. S(X)`. Lengths that every iteration keeps stay in the
//! type.

use crate::infer::cause::Cause;
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::table::Key;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Ty, TyKind};

/// A state with any lengths, as a function of the loop takes it.
pub struct Taken {
    pub state: Ty,
    /// The lengths of the arrays in `state`, with their initial values.
    pub lengths: Vec<(Size, Size)>,
}

/// A length that some arrays of the state share.
struct Length {
    /// In the function's type.
    any: Size,
    places: Vec<usize>,
    /// Its value after an iteration.
    next: Size,
}

impl Length {
    fn changes(&self) -> bool {
        self.next != self.any
    }
}

impl Infer<'_> {
    /// A type whose arrays have any lengths.
    pub fn taken(&mut self, start: &Ty) -> Taken {
        let mut lengths = Vec::new();
        let state = with_lengths(start, &mut |length| {
            let any = self.fresh_size();
            lengths.push((any.clone(), length.clone()));
            any
        });
        Taken { state, lengths }
    }

    /// The type with lengths of an outer level, and those that it has in their place.
    pub fn with_lengths_outside(&mut self, ty: &Ty, level: u32) -> (Ty, Vec<(Size, Size)>) {
        let mut lengths = Vec::new();
        let outside = with_lengths(ty, &mut |own| {
            let outside = self.table.fresh_size(level);
            lengths.push((own.clone(), outside.clone()));
            outside
        });
        (outside, lengths)
    }

    /// Whether a size is still any length of the function that is checked at this level.
    fn is_any(&self, size: &Size) -> bool {
        let inside =
            |v: &Var| v.kind == VarKind::Unknown && self.table.key_level(Key::Size(v.id)) >= self.scopes.level();
        self.table.zonk_size(size).as_var().is_some_and(inside)
    }

    /// The lengths that the function of a loop, from `taken` to `result`, changes. `tested` is the parameter type of
    /// the loop's test. The functions have been checked, one level deeper than the loop. `None` if the state keeps its
    /// type, or if a type of another shape is to be reported.
    pub fn changing_state(
        &mut self,
        taken: &Taken,
        result: &Ty,
        tested: Option<&Taken>,
        cause: &Cause,
    ) -> Option<StateChange> {
        for ((any, _), (other, _)) in taken.lengths.iter().zip(tested.iter().flat_map(|t| &t.lengths)) {
            // A length that one of the functions fixes is fixed in both.
            if self.is_any(any) != self.is_any(other) {
                self.unify_sizes(any, other, cause).ok()?;
            }
        }
        if taken.lengths.is_empty() || self.may_keep(taken, result) {
            return None;
        }
        // The result's type may depend on how two lengths compare, as in an `if`.
        let undecided = matches!(self.table.shallow(result).kind(), TyKind::Unknown(_));
        if undecided {
            for (any, _) in &taken.lengths {
                self.opened_length(any, cause)?;
            }
            self.solve();
        }
        let lengths = self.distinct_lengths(taken, result)?;
        if !undecided && !lengths.iter().any(Length::changes) {
            return None;
        }
        self.gives_state(taken, result, &lengths, cause)?;
        let start = |place: usize| taken.lengths[place].1.clone();
        let (mut step, mut kept) = (Vec::new(), Vec::new());
        for length in &lengths {
            let first = length.places[0];
            for place in &length.places[1..] {
                self.unify_sizes(&start(first), &start(*place), cause).ok()?;
            }
            match (length.changes(), undecided) {
                (true, _) => step.push((self.opened_length(&length.any, cause)?, length)),
                (false, true) => kept.push((self.opened_length(&length.any, cause)?, start(first))),
                (false, false) => self.unify_sizes(&start(first), &length.any, cause).ok()?,
            }
        }
        let start_of = |v: &Var| kept.iter().find(|(own, _)| own == v).map(|(_, start)| start.clone());
        let opened = self.table.zonk(&taken.state).subst_sizes(&mut |v| start_of(v));
        let own: Vec<Var> = step.iter().map(|(own, _)| own.clone()).collect();
        let (state, hidden) = self.hide(&opened, &own);
        let mut change = StateChange { state, start: Vec::new(), step: Vec::new(), test: Vec::new(), kept };
        for (bound, size) in hidden {
            let (own, length) = step.iter().find(|(own, _)| size.as_var() == Some(own))?;
            change.start.push((bound, start(length.places[0])));
            change.step.push(own.clone());
            if let Some(tested) = tested {
                let own = self.opened_length(&tested.lengths[length.places[0]].0, cause)?;
                for place in &length.places {
                    self.unify_sizes(&Size::var(own.clone()), &tested.lengths[*place].0, cause).ok()?;
                }
                change.test.push(own);
            }
        }
        for length in lengths.iter().filter(|l| !l.changes()) {
            for place in length.places.iter().filter(|_| tested.is_some()) {
                self.unify_sizes(&start(*place), &tested?.lengths[*place].0, cause).ok()?;
            }
        }
        Some(change)
    }

    /// The opened length that a length of a function's type is; from now on, if it was any.
    fn opened_length(&mut self, any: &Size, cause: &Cause) -> Option<Var> {
        if self.is_any(any) {
            let length = self.fresh_skolem(None, None);
            self.unify_sizes(any, &Size::var(length), cause).ok()?;
        }
        self.table.zonk_size(any).as_var().cloned()
    }

    /// Whether the result has the argument's type, or is not known well enough to say that it has another.
    fn may_keep(&self, taken: &Taken, result: &Ty) -> bool {
        if matches!(self.table.shallow(result).kind(), TyKind::Exists(..)) {
            return false;
        }
        let Some(next) = self.lengths_in_result(&taken.state, result) else { return false };
        next.iter().zip(&taken.lengths).all(|(next, (any, start))| {
            let [next, any, start] = [next, any, start].map(|size| self.table.zonk_size(size));
            next == any || next == start || self.is_any(&next)
        })
    }

    /// The lengths of the result (or of the type that it hides) that correspond to the state's; `None` if the shapes
    /// differ.
    fn lengths_in_result(&self, state: &Ty, result: &Ty) -> Option<Vec<Size>> {
        let result = self.table.zonk(result);
        let result = match result.kind() {
            TyKind::Exists(_, body) => body,
            _ => &result,
        };
        let mut lengths = Vec::new();
        lengths_at(&self.table.zonk(state), result, &mut lengths).then_some(lengths)
    }

    /// The distinct lengths of the state. `None` if an iteration makes two of one, or changes one that the function
    /// fixes.
    fn distinct_lengths(&self, taken: &Taken, result: &Ty) -> Option<Vec<Length>> {
        let next = self.lengths_in_result(&taken.state, result)?;
        let mut lengths: Vec<Length> = Vec::new();
        for (place, ((any, _), next)) in taken.lengths.iter().zip(next).enumerate() {
            let any = self.table.zonk_size(any);
            match lengths.iter_mut().find(|l| l.any == any) {
                Some(known) if known.next == next => known.places.push(place),
                Some(_) => return None,
                None => lengths.push(Length { any, places: vec![place], next }),
            }
        }
        let may_change = |l: &Length| self.is_any(&l.any) || l.any.as_var().is_some_and(|v| self.is_of_loop(v));
        lengths.iter().all(|l| !l.changes() || may_change(l)).then_some(lengths)
    }

    /// Whether a length belongs to the type of a function at this level, and not to a surrounding one.
    fn is_of_loop(&self, v: &Var) -> bool {
        let level = self.scopes.opened_at().get(v.id as usize).copied().unwrap_or(0);
        v.kind == VarKind::Skolem && level >= self.scopes.level()
    }

    /// Unifies the result with the state at the lengths that it has. Returns `None` after a conflict.
    fn gives_state(&mut self, taken: &Taken, result: &Ty, lengths: &[Length], cause: &Cause) -> Option<()> {
        let mut places = 0..;
        let next = with_lengths(&self.table.zonk(&taken.state), &mut |own| {
            let place = places.next().unwrap_or(0);
            lengths.iter().find(|l| l.places.contains(&place)).map_or_else(|| own.clone(), |l| l.next.clone())
        });
        let next = match self.table.shallow(result).kind() {
            TyKind::Exists(vars, _) => Ty::exists(vars.clone(), next),
            _ => next,
        };
        self.unify(&next, result, cause).then_some(())
    }
}

/// The type with other lengths of the arrays in it, but not of their elements.
fn with_lengths(ty: &Ty, length: &mut dyn FnMut(&Size) -> Size) -> Ty {
    match ty.kind() {
        TyKind::Array(a) if a.position.is_none() => Ty::array(a.element.clone(), length(&a.len)),
        TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| with_lengths(p, length)).collect()),
        _ => ty.clone(),
    }
}

/// Adds the lengths in a type at the places of those in `state`; returns whether it has the shape of `state`.
fn lengths_at(state: &Ty, ty: &Ty, out: &mut Vec<Size>) -> bool {
    match (state.kind(), ty.kind()) {
        (TyKind::Array(a), TyKind::Array(b)) if a.position.is_none() && b.position.is_none() => {
            out.push(b.len.clone());
            true
        }
        (TyKind::Tuple(a), TyKind::Tuple(b)) if a.len() == b.len() => {
            a.iter().zip(b).all(|(a, b)| lengths_at(a, b, out))
        }
        (TyKind::Array(_) | TyKind::Tuple(_), _) => false,
        _ => true,
    }
}
