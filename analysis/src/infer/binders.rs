//! The binders: the type of each before and after opening, and the size that it denotes.
//!
//! Invariants: a binder that denotes an index variable denotes it as its size, too; which parameters are sizes is known
//! from the start.

use crate::hir::{BinderId, IdVec};
use crate::size::{Size, Var};
use crate::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug)]
pub struct Binders {
    /// The types after opening, of the binders walked so far.
    types: IdVec<BinderId, Option<Ty>>,
    /// The types before opening.
    declared: FxHashMap<BinderId, Ty>,
    /// Binders that are used with their opened type.
    used_opened: FxHashSet<BinderId>,
    /// Lengths named by `unpack`s whose value type is not known yet.
    awaited_lengths: FxHashMap<BinderId, Vec<Size>>,
    sizes: FxHashMap<BinderId, Size>,
    /// Index variables and names of sizes: Ints that may be used as sizes.
    numbers_and_sizes: FxHashSet<BinderId>,
    /// Parameters without an annotation that are sizes.
    size_params: FxHashSet<BinderId>,
}

impl Binders {
    /// The state before the walk over a body with `count` binders.
    pub fn new(count: usize, size_params: FxHashSet<BinderId>) -> Binders {
        Binders {
            types: vec![None; count].into(),
            declared: FxHashMap::default(),
            used_opened: FxHashSet::default(),
            awaited_lengths: FxHashMap::default(),
            sizes: FxHashMap::default(),
            numbers_and_sizes: FxHashSet::default(),
            size_params,
        }
    }

    /// The type after opening.
    pub fn ty(&self, binder: BinderId) -> Option<&Ty> {
        self.types[binder].as_ref()
    }
    pub fn set_ty(&mut self, binder: BinderId, ty: Ty) {
        self.types[binder] = Some(ty);
    }
    pub fn types(&self) -> &IdVec<BinderId, Option<Ty>> {
        &self.types
    }

    /// The type before opening.
    pub fn declared(&self, binder: BinderId) -> Option<&Ty> {
        self.declared.get(&binder)
    }
    pub fn declare(&mut self, binder: BinderId, ty: Ty) {
        self.declared.insert(binder, ty);
    }

    pub fn is_used_opened(&self, binder: BinderId) -> bool {
        self.used_opened.contains(&binder)
    }
    pub fn use_opened(&mut self, binder: BinderId) {
        self.used_opened.insert(binder);
    }

    /// Records the lengths that an `unpack` names, until the type of its value is known.
    pub fn await_lengths(&mut self, binder: BinderId, lengths: Vec<Size>) {
        self.awaited_lengths.insert(binder, lengths);
    }
    pub fn take_awaited_lengths(&mut self, binder: BinderId) -> Option<Vec<Size>> {
        self.awaited_lengths.remove(&binder)
    }

    /// The size that the binder denotes.
    pub fn size(&self, binder: BinderId) -> Option<&Size> {
        self.sizes.get(&binder)
    }
    pub fn set_size(&mut self, binder: BinderId, size: Size) {
        self.sizes.insert(binder, size);
    }
    pub fn is_size_param(&self, binder: BinderId) -> bool {
        self.size_params.contains(&binder)
    }

    /// Whether the binder is an Int that may be used as a size: an index variable, or a name of a size.
    pub fn is_number_and_size(&self, binder: BinderId) -> bool {
        self.numbers_and_sizes.contains(&binder)
    }
    pub fn set_number_and_size(&mut self, binder: BinderId, size: Size) {
        self.numbers_and_sizes.insert(binder);
        self.set_size(binder, size);
    }
    pub fn set_position(&mut self, binder: BinderId, position: &Var) {
        self.set_number_and_size(binder, Size::var(position.clone()));
    }
}
