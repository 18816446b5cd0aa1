//! Loops around the code that write arrays of their state in place.

use crate::core::VarId;
use crate::lower::value::Place;

/// Memory that the host gives to a state, and that has the initial arrays already.
#[derive(Debug, Clone)]
pub struct Given {
    pub stmt: VarId,
    pub state: Place,
}

/// The loops of this kind around the code under construction. Invariant: an array is owned from the start of its loop on.
#[derive(Debug, Default)]
pub struct Loops {
    given: Option<Given>,
    /// The arrays of surrounding states that are written in place.
    owned: Vec<Place>,
    /// The surrounding loops.
    depth: u32,
}

impl Loops {
    /// Gives memory to the state of a loop that is written later.
    pub fn give(&mut self, given: Given) {
        self.given = Some(given);
    }
    /// Takes the memory given to the state of a loop.
    pub fn take_given(&mut self, stmt: VarId) -> Option<Place> {
        self.given.take_if(|given| given.stmt == stmt).map(|given| given.state)
    }
    pub fn own(&mut self, place: Place) {
        self.owned.push(place);
    }
    /// The arrays that are written in place, the innermost one first.
    pub fn owned(&self) -> impl Iterator<Item = &Place> {
        self.owned.iter().rev()
    }
    pub fn is_inside(&self) -> bool {
        self.depth > 0
    }
    pub(super) fn enter(&mut self) {
        self.depth += 1;
    }
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }
}
