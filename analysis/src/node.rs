//! Ids of the nodes of a form: [`crate::hir`] consists of such nodes, and diagnostics and edits refer to them.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Index, IndexMut};
use std::sync::Arc;

pub type Name = Arc<str>;

/// The index of a node among those of its kind in one form.
pub trait Id: Copy {
    fn nth(index: usize) -> Self;
    fn index(self) -> usize;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);
        impl Id for $id {
            fn nth(index: usize) -> $id {
                $id(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}
ids! {
    /// An expression of a [`crate::hir::Body`].
    ExprId,
    /// A binding occurrence of a name: a parameter, a `let`, an `unpack`, a size name.
    BinderId,
    /// A type as written.
    TypeRefId,
    /// A size as written.
    SizeRefId,
    /// A setting of a `with`.
    SettingId,
}

/// A vector with one element per node, indexed by the ids of one kind; otherwise a slice.
#[derive(Clone, PartialEq, Eq)]
pub struct IdVec<I, T> {
    elements: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T> IdVec<I, T> {
    pub fn push(&mut self, element: T) -> I {
        self.elements.push(element);
        I::nth(self.elements.len() - 1)
    }
    pub fn get(&self, id: I) -> Option<&T> {
        self.elements.get(id.index())
    }
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.elements.len()).map(I::nth)
    }
    /// The first node whose element satisfies `holds`.
    pub fn find(&self, holds: impl Fn(&T) -> bool) -> Option<I> {
        self.elements.iter().position(holds).map(I::nth)
    }
    pub fn entries(&self) -> impl Iterator<Item = (I, &T)> {
        self.ids().zip(&self.elements)
    }
}

impl<I, T> Default for IdVec<I, T> {
    fn default() -> IdVec<I, T> {
        Vec::new().into()
    }
}
impl<I, T> From<Vec<T>> for IdVec<I, T> {
    fn from(elements: Vec<T>) -> IdVec<I, T> {
        IdVec { elements, ids: PhantomData }
    }
}
impl<I, T> FromIterator<T> for IdVec<I, T> {
    fn from_iter<E: IntoIterator<Item = T>>(elements: E) -> IdVec<I, T> {
        elements.into_iter().collect::<Vec<T>>().into()
    }
}
impl<I, T> IntoIterator for IdVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}
impl<'a, I, T> IntoIterator for &'a IdVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}
impl<I: Id, T> Index<I> for IdVec<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.elements[id.index()]
    }
}
impl<I: Id, T> IndexMut<I> for IdVec<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.elements[id.index()]
    }
}
impl<I, T> Deref for IdVec<I, T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.elements
    }
}
impl<I, T> DerefMut for IdVec<I, T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}
impl<I, T: fmt::Debug> fmt::Debug for IdVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.fmt(f)
    }
}

/// Any node of a body, as the target of a diagnostic or an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    Expr(ExprId),
    Binder(BinderId),
    Type(TypeRefId),
    Size(SizeRefId),
    Setting(SettingId),
    /// The name of the form (`evens` in `(define (evens xs) …)`), or its head if it has no name.
    FormName,
}
