//! The deferred constraints: a queue of those to try, and wait lists for the others.
//!
//! Each constraint is done, queued, or registered with every inference variable that it waits for. Done constraints are
//! never reopened.

use super::constraint::Constraint;
use super::table::Key;
use crate::ty::{Ty, TyVar};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Debug)]
struct Deferred {
    constraint: Constraint,
    done: bool,
    queued: bool,
}

/// The deferred constraints, numbered in order of creation.
#[derive(Debug, Default)]
pub struct Agenda {
    all: Vec<Deferred>,
    queue: VecDeque<usize>,
    waiting: FxHashMap<Key, Vec<usize>>,
    /// The numbers of the joins of branches. Done joins are removed lazily.
    joins: Vec<usize>,
    /// The types of components of tuples that are not known yet, by the tuple's variable and the component's index.
    components: FxHashMap<(TyVar, usize), Ty>,
}

impl Agenda {
    /// The number of constraints so far, including done ones.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn add(&mut self, constraint: Constraint) {
        let id = self.all.len();
        if matches!(constraint, Constraint::Join { .. }) {
            self.joins.push(id);
        }
        self.all.push(Deferred { constraint, done: false, queued: true });
        self.queue.push_back(id);
    }

    /// Takes the next constraint to try.
    pub fn pop(&mut self) -> Option<usize> {
        while let Some(id) = self.queue.pop_front() {
            self.all[id].queued = false;
            if !self.all[id].done {
                return Some(id);
            }
        }
        None
    }

    pub fn constraint(&self, id: usize) -> &Constraint {
        &self.all[id].constraint
    }

    pub fn finish(&mut self, id: usize) {
        self.all[id].done = true;
    }

    pub fn wait(&mut self, id: usize, keys: Vec<Key>) {
        for key in keys {
            self.waiting.entry(key).or_default().push(id);
        }
    }

    /// Queues the constraints that wait for `key`.
    pub fn wake(&mut self, key: Key) {
        for id in self.waiting.remove(&key).unwrap_or_default() {
            let deferred = &mut self.all[id];
            if !deferred.done && !deferred.queued {
                deferred.queued = true;
                self.queue.push_back(id);
            }
        }
    }

    /// The number of the first constraint from `first` on that is not done; [`Agenda::len`] if all are done.
    pub fn first_open(&self, first: usize) -> usize {
        first + self.all[first..].iter().take_while(|d| d.done).count()
    }

    /// The constraints from `first` on that are not done, with their numbers.
    pub fn open(&self, first: usize) -> impl Iterator<Item = (usize, &Constraint)> {
        let from = self.all.iter().enumerate().skip(first);
        from.filter(|(_, d)| !d.done).map(|(id, d)| (id, &d.constraint))
    }

    /// The type of a component of a tuple that is not known yet: `ty` if this is the first request for it.
    pub fn component(&mut self, tuple: TyVar, index: usize, ty: &Ty) -> Ty {
        self.components.entry((tuple, index)).or_insert_with(|| ty.clone()).clone()
    }

    /// The joins that are not done.
    pub fn open_joins(&mut self) -> impl ExactSizeIterator<Item = &Constraint> {
        let all = &self.all;
        self.joins.retain(|&id| !all[id].done);
        self.joins.iter().map(|&id| &all[id].constraint)
    }
}
