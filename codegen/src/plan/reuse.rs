//! Lets buffers share memory if one is last used before another of the same kind is written.
//!
//! Allocation by live ranges over the sequence of steps (M. Poletto, V. Sarkar, *Linear scan register allocation*,
//! TOPLAS 21(5), 1999), with as many memories as needed. A loop counts as one step, because an iteration may read
//! values of the one before. Buffers share memory only if their capacities are equal for all sizes.
//!
//! Inputs, results, buffers that are preserved between runs and swapped buffers never share; neither do buffers of a
//! constant size, for which it does not pay.

use super::{Arg, Buffer, BufferId, BufferRole, Layout, Plan, Step};
use crate::report::Shared;
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// Lets the buffers of a plan share memory. The plan's results stay the same.
pub fn share(plan: &mut Plan) -> Vec<Shared> {
    let mut uses = Uses::default();
    uses.steps(&plan.steps, None);
    // The host may fill or read these at any time.
    let layouts = plan.inputs.iter().map(|input| &input.layout).chain([&plan.result]);
    layouts.for_each(|layout| in_layout(&mut layout.clone(), &mut |id| uses.kept.push(*id)));
    let mut live: Vec<(BufferId, RangeInclusive<usize>)> =
        uses.ranges.into_iter().filter(|(id, _)| may_share(plan.buffer(*id)) && !uses.kept.contains(id)).collect();
    live.sort_by_key(|(id, range)| (*range.start(), *id));
    // The buffer whose memory each sharing buffer uses; and each memory with the last step that uses it.
    let mut lies_in: FxHashMap<BufferId, BufferId> = FxHashMap::default();
    let mut memories: Vec<(BufferId, usize)> = Vec::new();
    for (id, range) in live {
        let buffer = plan.buffer(id);
        let free = memories.iter_mut().find(|(owner, last)| {
            let owner = plan.buffer(*owner);
            *last < *range.start() && owner.element == buffer.element && owner.capacity == buffer.capacity
        });
        match free {
            Some((owner, last)) => {
                lies_in.insert(id, *owner);
                *last = *range.end();
            }
            None => memories.push((id, *range.end())),
        }
    }
    if lies_in.is_empty() {
        return Vec::new();
    }
    rename(plan, &lies_in)
}

fn may_share(buffer: &Buffer) -> bool {
    buffer.role == BufferRole::Temporary && buffer.capacity.as_const().is_none()
}

/// Live ranges: the first and last step that mention each buffer.
#[derive(Default)]
struct Uses {
    ranges: FxHashMap<BufferId, RangeInclusive<usize>>,
    /// Buffers that never share.
    kept: Vec<BufferId>,
    /// Steps counted so far.
    at: usize,
}

impl Uses {
    /// `whole` is the index of the surrounding loop's step, if any.
    fn steps(&mut self, steps: &[Step], whole: Option<usize>) {
        for step in steps {
            let at = whole.unwrap_or(self.at);
            match step {
                Step::Launch(launch) => launch.args.iter().for_each(|arg| match arg {
                    Arg::Buffer(id) => self.used(*id, at),
                    Arg::Size { .. } | Arg::Local { .. } => {}
                }),
                Step::Zero(id) | Step::Measure { from: id, .. } => self.used(*id, at),
                Step::Swap(a, b) => self.kept.extend([*a, *b]),
                Step::While { flag, .. } => self.used(*flag, at),
                Step::Repeat { .. } | Step::For { .. } => {}
            }
            step.inside().into_iter().for_each(|inner| self.steps(inner, Some(at)));
            if whole.is_none() {
                self.at += 1;
            }
        }
    }

    fn used(&mut self, id: BufferId, at: usize) {
        let range = self.ranges.entry(id).or_insert(at..=at);
        *range = *range.start()..=at;
    }
}

/// Removes the sharing buffers and replaces them by the owners of their memory.
fn rename(plan: &mut Plan, lies_in: &FxHashMap<BufferId, BufferId>) -> Vec<Shared> {
    let mut shared = Vec::new();
    let mut kept = Vec::new();
    let mut new: FxHashMap<BufferId, BufferId> = FxHashMap::default();
    for (i, buffer) in std::mem::take(&mut plan.buffers).into_iter().enumerate() {
        let id = BufferId(i as u32);
        match lies_in.get(&id) {
            // The owner may come later in the list.
            Some(_) => shared.push((id, buffer.name)),
            None => {
                new.insert(id, BufferId(kept.len() as u32));
                kept.push(buffer);
            }
        }
    }
    plan.buffers = kept;
    let owner = |id: BufferId| lies_in.get(&id).copied().unwrap_or(id);
    let shared = shared.into_iter().filter_map(|(id, name)| {
        let with = plan.buffers[new.get(&owner(id))?.0 as usize].name.clone();
        Some(Shared { name, with })
    });
    let shared = shared.collect();
    let mut renamed = |id: &mut BufferId| {
        if let Some(other) = new.get(&owner(*id)) {
            *id = *other;
        }
    };
    in_steps(&mut plan.steps, &mut renamed);
    plan.inputs.iter_mut().for_each(|input| in_layout(&mut input.layout, &mut renamed));
    in_layout(&mut plan.result, &mut renamed);
    shared
}

fn in_steps(steps: &mut [Step], renamed: &mut impl FnMut(&mut BufferId)) {
    for step in steps {
        match step {
            Step::Launch(launch) => {
                for arg in &mut launch.args {
                    if let Arg::Buffer(id) = arg {
                        renamed(id);
                    }
                }
            }
            Step::Zero(id) | Step::Measure { from: id, .. } => renamed(id),
            Step::Swap(a, b) => [a, b].into_iter().for_each(&mut *renamed),
            Step::Repeat { steps, .. } | Step::For { steps, .. } => in_steps(steps, renamed),
            Step::While { test, flag, steps } => {
                renamed(flag);
                in_steps(test, renamed);
                in_steps(steps, renamed);
            }
        }
    }
}

fn in_layout(layout: &mut Layout, renamed: &mut impl FnMut(&mut BufferId)) {
    match layout {
        Layout::Scalar(id) | Layout::Vec { buffer: id, .. } => renamed(id),
        Layout::Tuple(parts) => parts.iter_mut().for_each(|part| in_layout(part, renamed)),
        Layout::Array { element, .. } | Layout::Packed { element, .. } => in_layout(element, renamed),
        Layout::Exists { lengths, body } => {
            lengths.iter_mut().for_each(|length| renamed(&mut length.buffer));
            in_layout(body, renamed);
        }
    }
}
