//! The values of a kernel's size parameters in one run.

use lift_analysis::size::{EvalError, Size, Var};
use std::collections::BTreeMap;

/// Values of size parameters, by variable; natural numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SizeValues(BTreeMap<Var, i64>);

impl SizeValues {
    pub fn new() -> SizeValues {
        SizeValues::default()
    }
    pub fn get(&self, var: &Var) -> Option<i64> {
        self.0.get(var).copied()
    }
    /// Sets the value of a variable and returns the previous one.
    pub fn insert(&mut self, var: Var, value: i64) -> Option<i64> {
        self.0.insert(var, value)
    }
    pub fn remove(&mut self, var: &Var) -> Option<i64> {
        self.0.remove(var)
    }
    /// The values, sorted by variable.
    pub fn iter(&self) -> impl Iterator<Item = (&Var, i64)> {
        self.0.iter().map(|(var, value)| (var, *value))
    }
    /// Evaluates `size` to a natural number.
    pub fn eval(&self, size: &Size) -> Result<i64, EvalError> {
        match size.as_const() {
            Some(n) if n >= 0 => Ok(n),
            _ => size.eval(&|var| self.get(var)),
        }
    }
}

impl FromIterator<(Var, i64)> for SizeValues {
    fn from_iter<T: IntoIterator<Item = (Var, i64)>>(iter: T) -> SizeValues {
        SizeValues(iter.into_iter().collect())
    }
}
