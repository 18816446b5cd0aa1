//! What moving values in and out of buffers has in common: lengths under the sizes and the lengths known so far.
//!
//! In buffers, a length that mentions a dynamic length takes the room of its largest possible value (its *stride*);
//! how much of it holds elements is its *extent*. Both agree where no dynamic length is mentioned.

use crate::sizes::SizeValues;
use lift_analysis::size::{EvalError, Size, Var};

/// The values of variables, twice: as they are, and as room is made for them.
pub struct Lengths {
    extents: SizeValues,
    strides: SizeValues,
}

impl Lengths {
    pub fn new(sizes: &SizeValues) -> Lengths {
        Lengths { extents: sizes.clone(), strides: sizes.clone() }
    }

    /// How many elements there are.
    pub fn extent(&self, len: &Size) -> Result<usize, String> {
        eval(&self.extents, len)
    }

    /// For how many elements there is room.
    pub fn stride(&self, len: &Size) -> Result<usize, String> {
        eval(&self.strides, len)
    }

    /// Open a dynamic length. A variable is bound once at a time: types have unique binders.
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
