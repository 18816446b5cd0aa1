//! The quantified types and lengths of generalized `let`s.
//!
//! Invariant: the parts of one `let` have consecutive numbers, from [`Lets::first_type`] and [`Lets::first_size`] at its
//! generalization. They start at [`LET_BASE`] and are renumbered at the end, after those of the form.

use crate::hir::Name;
use crate::size::Var;
use crate::ty::Class;

/// First id of the quantified parts of `let`s, until those of the form are counted.
pub const LET_BASE: u32 = 1 << 20;

#[derive(Debug, Default)]
pub struct Lets {
    types: Vec<Option<Class>>,
    sizes: Vec<Var>,
}

impl Lets {
    /// The number of the next quantified type.
    pub fn first_type(&self) -> u32 {
        LET_BASE + self.types.len() as u32
    }
    /// The number of the next quantified length.
    pub fn first_size(&self) -> u32 {
        LET_BASE + self.sizes.len() as u32
    }
    pub fn add(&mut self, types: &[Option<Class>], sizes: &[Var]) {
        self.types.extend_from_slice(types);
        self.sizes.extend_from_slice(sizes);
    }
    /// The names of all quantified lengths.
    pub fn size_names(&self) -> Vec<Name> {
        self.sizes.iter().map(|size| size.name.clone()).collect()
    }
    pub fn quantifies(&self, size: &Var) -> bool {
        self.sizes.contains(size)
    }
}
