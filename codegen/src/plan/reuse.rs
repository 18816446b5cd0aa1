//! Buffers that share memory: where one is needed no more before another of the same kind is written.
//!
//! The classical allocation by live ranges over the steps in their order (M. Poletto, V. Sarkar, *Linear scan register
//! allocation*, TOPLAS 21(5), 1999), of as many memories as are needed. A loop is one step for what is used in it: what
//! one round leaves, the next may read. Two buffers share only what is equally large for all sizes.
//!
//! Never shared: inputs, results, what keeps its value from run to run, what exchanges its role with another buffer, and
//! buffers of a constant size, which are not worth it.

use super::{Arg, Buffer, BufferId, BufferRole, Layout, Plan, Step};
use crate::report::Shared;
use rustc_hash::FxHashMap;
use std::ops::RangeInclusive;

/// Has buffers share memory. The plan does the same as before.
pub fn share(plan: &mut Plan) -> Vec<Shared> {
    let mut uses = Uses::default();
    uses.steps(&plan.steps, None);
    // What the host fills or reads, whenever it does.
    let layouts = plan.inputs.iter().map(|input| &input.layout).chain([&plan.result]);
    layouts.for_each(|layout| in_layout(&mut layout.clone(), &mut |id| uses.kept.push(*id)));
    let mut live: Vec<(BufferId, RangeInclusive<usize>)> =
        uses.ranges.into_iter().filter(|(id, _)| may_share(plan.buffer(*id)) && !uses.kept.contains(id)).collect();
    live.sort_by_key(|(id, range)| (*range.start(), *id));
    // The buffer whose memory another one gets, and memories with the step in which they are needed last.
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

/// From the first to the last step that mentions a buffer.
#[derive(Default)]
struct Uses {
    ranges: FxHashMap<BufferId, RangeInclusive<usize>>,
    /// Those that share with nobody.
    kept: Vec<BufferId>,
    /// The number of steps so far.
    at: usize,
}

impl Uses {
    /// `whole` is the step that the loop around counts as.
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
                Step::Repeat { .. } => {}
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

/// Leaves out the buffers that lie in others, and mentions those instead.
fn rename(plan: &mut Plan, lies_in: &FxHashMap<BufferId, BufferId>) -> Vec<Shared> {
    let mut shared = Vec::new();
    let mut kept = Vec::new();
    let mut new: FxHashMap<BufferId, BufferId> = FxHashMap::default();
    for (i, buffer) in std::mem::take(&mut plan.buffers).into_iter().enumerate() {
        let id = BufferId(i as u32);
        match lies_in.get(&id) {
            // Owners may stand behind those that lie in them.
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
            Step::Repeat { steps, .. } => in_steps(steps, renamed),
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
