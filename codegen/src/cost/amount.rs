//! Amounts: sizes that are exact counts or upper bounds.

use lift_analysis::size::{Size, Var};

/// A number of bytes, operations or barriers, as a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Amount {
    pub size: Size,
    /// Whether every run has exactly this amount; otherwise it is an upper bound.
    pub exact: bool,
}

impl Amount {
    pub fn zero() -> Amount {
        Amount::exactly(Size::zero())
    }
    pub fn exactly(size: Size) -> Amount {
        Amount { size, exact: true }
    }
    pub fn add(&mut self, other: &Amount) {
        if other.size.is_zero() {
            return;
        }
        self.size = self.size.add(&other.size);
        self.exact &= other.exact;
    }
    pub fn times(&self, n: &Size) -> Amount {
        Amount { size: self.size.mul(n), exact: self.exact || n.is_zero() }
    }
    fn map(&mut self, f: &mut dyn FnMut(&Size) -> Size) {
        self.size = f(&self.size);
    }
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.exact { "" } else { "at most " })?;
        self.size.fmt(f)
    }
}

/// The work of all work-items together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// Bytes of global memory requested by loads, before any cache.
    pub read: Amount,
    /// Bytes of global memory written by stores.
    pub written: Amount,
    /// Integer operations outside of indices and loop heads; those are left to the device's compiler.
    pub integer: Amount,
    /// Floating-point additions, multiplications, comparisons and the like. A vector operation counts once per lane.
    pub float: Amount,
    /// Floating-point divisions, roots, powers, exponential and trigonometric functions.
    pub special: Amount,
    /// Barriers, counted per work-group.
    pub barriers: Amount,
}

impl Work {
    pub fn none() -> Work {
        let zero = Amount::zero;
        Work { read: zero(), written: zero(), integer: zero(), float: zero(), special: zero(), barriers: zero() }
    }
    fn parts(&self) -> [&Amount; 6] {
        [&self.read, &self.written, &self.integer, &self.float, &self.special, &self.barriers]
    }
    fn parts_mut(&mut self) -> [&mut Amount; 6] {
        [&mut self.read, &mut self.written, &mut self.integer, &mut self.float, &mut self.special, &mut self.barriers]
    }
    pub fn add(&mut self, other: &Work) {
        for (mine, other) in self.parts_mut().into_iter().zip(other.parts()) {
            mine.add(other);
        }
    }
    pub fn times(&self, n: &Size) -> Work {
        let mut all = self.clone();
        for part in all.parts_mut() {
            *part = part.times(n);
        }
        all
    }
    /// The work of one of two unknown alternatives: the greater amount of each kind. `le` may prove which one is
    /// greater.
    pub fn either(self, other: &Work, le: &dyn Fn(&Size, &Size) -> bool) -> Work {
        let mut all = self;
        for (mine, other) in all.parts_mut().into_iter().zip(other.parts()) {
            if mine.size == other.size {
                mine.exact &= other.exact;
                continue;
            }
            mine.size = if le(&mine.size, &other.size) {
                other.size.clone()
            } else if le(&other.size, &mine.size) {
                mine.size.clone()
            } else {
                Size::max(&mine.size, &other.size)
            };
            mine.exact = false;
        }
        all
    }
    pub fn map(&mut self, f: &mut dyn FnMut(&Size) -> Size) {
        self.parts_mut().into_iter().for_each(|part| part.map(f));
    }
    pub fn mentions(&self, var: &Var) -> bool {
        self.parts().iter().any(|part| part.size.contains(var))
    }
}

/// The work of evaluating an expression once, in one work-item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    pub read: u64,
    pub written: u64,
    pub integer: u64,
    pub float: u64,
    pub special: u64,
    pub barriers: u64,
}

impl Price {
    pub fn add(&mut self, other: Price) {
        self.read += other.read;
        self.written += other.written;
        self.integer += other.integer;
        self.float += other.float;
        self.special += other.special;
        self.barriers += other.barriers;
    }
    pub fn is_free(self) -> bool {
        self == Price::default()
    }
}
