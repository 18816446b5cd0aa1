//! Lengths for marshalling and reading back: evaluated under the sizes and the dynamic lengths known so far.
//!
//! In buffers, a length that mentions a dynamic length takes the space of its maximum (its *stride*); its *extent* is
//! the number of elements that exist. Both are equal if no dynamic length is mentioned.

use crate::sizes::SizeValues;
use lift_analysis::size::{EvalError, Size, Var};

/// The actual values of variables, and their maxima for strides.
pub struct Lengths {
    extents: SizeValues,
    strides: SizeValues,
}

impl Lengths {
    pub fn new(sizes: &SizeValues) -> Lengths {
        Lengths { extents: sizes.clone(), strides: sizes.clone() }
    }

    /// The number of elements that exist.
    pub fn extent(&self, len: &Size) -> Result<usize, String> {
        eval(&self.extents, len)
    }

    /// The number of elements for which there is space.
    pub fn stride(&self, len: &Size) -> Result<usize, String> {
        eval(&self.strides, len)
    }

    /// Binds a dynamic length. A variable is bound only once at a time, because types have unique binders.
    pub fn open(&mut self, var: &Var, value: usize, at_most: usize) {
        self.extents.insert(var.clone(), value as i64);
        self.strides.insert(var.clone(), at_most as i64);
    }

    pub fn close(&mut self, var: &Var) {
        self.extents.remove(var);
        self.strides.remove(var);
    }
}

fn eval(values: &SizeValues, len: &Size) -> Result<usize, String> {
    match values.eval(len) {
        Ok(n) => usize::try_from(n).map_err(|_| too_long(len)),
        Err(EvalError::Overflow) => Err(too_long(len)),
        Err(e) => Err(format!("the length {len} cannot be computed: {e}")),
    }
}

fn too_long(len: &Size) -> String {
    format!("the length {len} is too large a number here")
}
