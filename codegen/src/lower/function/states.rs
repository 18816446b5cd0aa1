//! Loops around the code that write arrays of their state in place.

use crate::core::VarId;
use crate::lower::value::Place;

/// Memory that the host gives to a state, and that has the initial arrays already.
#[derive(Debug, Clone)]
pub struct Given {
    pub stmt: VarId,
    pub state: Place,
}

/// The loops of this kind around the code under construction.
#[derive(Debug, Default)]
pub struct Loops {
    pub given: Option<Given>,
    /// The arrays of surrounding states that are written in place.
    pub owned: Vec<Place>,
    /// The surrounding loops.
    pub depth: u32,
}
