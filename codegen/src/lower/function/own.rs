//! Memory of a function under construction that belongs to one work-item or one group.

use crate::plan::BufferId;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;

/// Buffers with a part for each work-item or each group, and local memory. Invariant: a buffer is in at most one of the
/// lists, and `most_items` bounds the number of all work-items with a part.
pub struct OwnMemory {
    items: Vec<BufferId>,
    groups: Vec<BufferId>,
    /// The statements whose values these parts hold.
    stored: Vec<(BufferId, Origin)>,
    /// The number of work-items with a part: those that run an iteration of a loop that limits them. `None`: all.
    most_items: Option<Size>,
    /// The index of these parts: the id of the work-item, or of the group.
    item: Option<Size>,
    group: Option<Size>,
    /// Bytes of local memory declared so far.
    local_bytes: u64,
}

/// The buffers of a finished function.
pub struct Parts {
    pub items: Vec<BufferId>,
    pub groups: Vec<BufferId>,
    pub stored: Vec<(BufferId, Origin)>,
    /// The number of work-items with a part; `None`: all.
    pub most_items: Option<Size>,
}

impl OwnMemory {
    pub(super) fn new() -> OwnMemory {
        OwnMemory {
            items: Vec::new(),
            groups: Vec::new(),
            stored: Vec::new(),
            most_items: Some(Size::zero()),
            item: None,
            group: None,
            local_bytes: 0,
        }
    }

    pub fn is_of_item(&self, id: BufferId) -> bool {
        self.items.contains(&id)
    }
    pub fn is_of_group(&self, id: BufferId) -> bool {
        self.groups.contains(&id)
    }
    pub fn has_items(&self) -> bool {
        !self.items.is_empty()
    }
    pub fn has_groups(&self) -> bool {
        !self.groups.is_empty()
    }
    /// The number of buffers with a part for each group.
    pub fn buffers_of_group(&self) -> usize {
        self.groups.len()
    }
    pub fn local_bytes(&self) -> u64 {
        self.local_bytes
    }
    pub fn declare_local(&mut self, bytes: u64) {
        self.local_bytes += bytes;
    }
    /// Records the statement whose value each of these buffers holds.
    pub fn note_stored(&mut self, stored: Vec<(BufferId, Origin)>) {
        self.stored.extend(stored);
    }
    /// Adds buffers with a part for each group.
    pub fn add_for_groups(&mut self, made: Vec<BufferId>) {
        self.groups.extend(made);
    }
    /// Adds buffers with a part for each work-item, of which no more than `rounds` need one.
    pub fn add_for_items(&mut self, made: Vec<BufferId>, rounds: Option<&Size>) {
        self.most_items = match (&self.most_items, rounds) {
            (Some(most), Some(rounds)) => Some(Size::max(most, rounds)),
            _ => None,
        };
        self.items.extend(made);
    }

    pub fn item(&self) -> Option<&Size> {
        self.item.as_ref()
    }
    pub fn set_item(&mut self, item: Size) {
        self.item = Some(item);
    }
    pub fn group(&self) -> Option<&Size> {
        self.group.as_ref()
    }
    pub fn set_group(&mut self, group: Size) {
        self.group = Some(group);
    }

    pub fn parts(&self) -> Parts {
        Parts {
            items: self.items.clone(),
            groups: self.groups.clone(),
            stored: self.stored.clone(),
            most_items: self.most_items.clone(),
        }
    }
}
