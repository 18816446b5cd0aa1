//! Collects the result from its buffers: first the dynamic lengths, outermost first, then the elements that exist.
//!
//! The collector never touches a device. The caller asks what is [wanted](Collector::wanted), reads it and
//! [gives](Collector::give) it back, until nothing is wanted; then the collector [builds](Collector::build) the value.

use super::device::HostData;
use super::layout::Lengths;
use crate::plan::{BufferId, Layout, Plan};
use crate::sizes::SizeValues;
use crate::value::{ArrayValue, Value};
use lift_analysis::hir::Scalar;
use lift_analysis::size::{Size, Var};
use std::ops::Range;

pub struct Collector {
    shape: Shape,
    leaves: Vec<Leaf>,
    lengths: Lengths,
    complete: bool,
}

/// A part of the result in one buffer: sorted, disjoint ranges, and their elements once they have been read.
struct Leaf {
    buffer: BufferId,
    element: Scalar,
    kind: LeafKind,
    ranges: Vec<Range<usize>>,
    /// The elements of `ranges`, concatenated.
    data: Option<HostData>,
    /// During a walk: the number of elements of `data` consumed so far.
    at: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeafKind {
    Length,
    Elements,
}

/// A [`Layout`] with indices of leaves in place of buffers.
enum Shape {
    Scalar(usize),
    Vec {
        leaf: usize,
        width: usize,
    },
    Tuple(Vec<Shape>),
    Array {
        len: Size,
        element: Box<Shape>,
    },
    /// Rows of different lengths, concatenated.
    Packed {
        len: Size,
        position: Var,
        element: Box<Shape>,
    },
    Exists {
        lengths: Vec<(Var, usize, Size)>,
        body: Box<Shape>,
    },
}

/// Ranges of a buffer to read next.
pub struct Wanted {
    leaf: usize,
    pub buffer: BufferId,
    pub ranges: Vec<Range<usize>>,
}

impl Collector {
    pub fn new(plan: &Plan, sizes: &SizeValues) -> Result<Collector, String> {
        let mut leaves = Vec::new();
        let shape = shape(plan, &plan.result, &mut leaves)?;
        Ok(Collector { shape, leaves, lengths: Lengths::new(sizes), complete: false })
    }

    /// The parts to read next; empty when everything has been read. First come all lengths whose enclosing lengths are
    /// known, level by level, then the elements.
    pub fn wanted(&mut self) -> Result<Vec<Wanted>, String> {
        if self.complete {
            return Ok(Vec::new());
        }
        for leaf in &mut self.leaves {
            leaf.at = 0;
            if leaf.data.is_none() {
                leaf.ranges.clear();
            }
        }
        let Collector { shape, leaves, lengths, .. } = self;
        Walk { leaves, lengths }.instances(shape, 0..1)?;
        let lengths_wanted = self.leaves.iter().any(|l| l.kind == LeafKind::Length && l.unread());
        self.complete = !lengths_wanted;
        let ask = |(leaf, l): (usize, &Leaf)| {
            let now = if lengths_wanted { LeafKind::Length } else { LeafKind::Elements };
            (l.kind == now && l.unread()).then(|| Wanted { leaf, buffer: l.buffer, ranges: l.ranges.clone() })
        };
        Ok(self.leaves.iter().enumerate().filter_map(ask).collect())
    }

    /// Stores the elements that were read.
    pub fn give(&mut self, wanted: &Wanted, data: HostData) {
        self.leaves[wanted.leaf].data = Some(data);
    }

    /// The elements of the result, one array per buffer. To be called when nothing is wanted any more.
    pub fn into_elements(self) -> Vec<HostData> {
        let elements = self.leaves.into_iter().filter(|leaf| leaf.kind == LeafKind::Elements);
        elements.map(|leaf| leaf.data.unwrap_or_else(|| HostData::new(leaf.element))).collect()
    }

    /// The result as a value. To be called when nothing is wanted any more.
    pub fn build(mut self) -> Result<Value, String> {
        for leaf in &mut self.leaves {
            leaf.at = 0;
            if leaf.data.is_none() {
                leaf.data = Some(HostData::new(leaf.element));
            }
        }
        let Collector { shape, leaves, lengths, .. } = &mut self;
        Walk { leaves, lengths }.build(shape)
    }
}

impl Leaf {
    /// Whether some elements have not been read.
    fn unread(&self) -> bool {
        self.data.is_none() && !self.ranges.is_empty()
    }

    fn want(&mut self, range: Range<usize>) -> Result<(), String> {
        if range.is_empty() || self.data.is_some() {
            return Ok(());
        }
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(last) if last.end > range.start => return Err("the parts of the result overlap".to_string()),
            _ => self.ranges.push(range),
        }
        Ok(())
    }
}

fn shape(plan: &Plan, layout: &Layout, leaves: &mut Vec<Leaf>) -> Result<Shape, String> {
    let mut leaf = |buffer: BufferId, kind| match plan.buffers.get(buffer.0 as usize) {
        Some(b) => {
            leaves.push(Leaf { buffer, element: b.element, kind, ranges: Vec::new(), data: None, at: 0 });
            Ok(leaves.len() - 1)
        }
        None => Err(format!("there is no buffer {}", buffer.0)),
    };
    Ok(match layout {
        Layout::Scalar(buffer) => Shape::Scalar(leaf(*buffer, LeafKind::Elements)?),
        Layout::Vec { buffer, width } => {
            Shape::Vec { leaf: leaf(*buffer, LeafKind::Elements)?, width: usize::from(*width) }
        }
        Layout::Tuple(parts) => {
            Shape::Tuple(parts.iter().map(|part| shape(plan, part, leaves)).collect::<Result<_, _>>()?)
        }
        Layout::Array { len, element } => {
            Shape::Array { len: len.clone(), element: Box::new(shape(plan, element, leaves)?) }
        }
        Layout::Packed { len, position, element } => Shape::Packed {
            len: len.clone(),
            position: position.clone(),
            element: Box::new(shape(plan, element, leaves)?),
        },
        Layout::Exists { lengths, body } => {
            let mut opened = Vec::with_capacity(lengths.len());
            for l in lengths {
                opened.push((l.var.clone(), leaf(l.buffer, LeafKind::Length)?, l.at_most.clone()));
            }
            Shape::Exists { lengths: opened, body: Box::new(shape(plan, body, leaves)?) }
        }
    })
}

struct Walk<'a> {
    leaves: &'a mut [Leaf],
    lengths: &'a mut Lengths,
}

impl Walk<'_> {
    /// Adds the ranges that adjacent instances of `shape` need. Stops at lengths that are not known.
    fn instances(&mut self, shape: &Shape, instances: Range<usize>) -> Result<(), String> {
        if instances.is_empty() {
            return Ok(());
        }
        let scaled = |by: usize| match (instances.start.checked_mul(by), instances.end.checked_mul(by)) {
            (Some(start), Some(end)) => Ok(start..end),
            _ => Err("the result is too large to be addressed".to_string()),
        };
        match shape {
            Shape::Scalar(leaf) => self.leaves[*leaf].want(instances),
            Shape::Vec { leaf, width } => {
                let range = scaled(*width)?;
                self.leaves[*leaf].want(range)
            }
            Shape::Tuple(parts) => parts.iter().try_for_each(|part| self.instances(part, instances.clone())),
            Shape::Array { len, element } => {
                let (extent, stride) = (self.lengths.extent(len)?, self.lengths.stride(len)?);
                let room = scaled(stride)?;
                if extent == stride {
                    return self.instances(element, room);
                }
                for start in room.step_by(stride.max(1)) {
                    self.instances(element, start..start + extent)?;
                }
                Ok(())
            }
            // The elements of all instances are contiguous.
            Shape::Packed { element, .. } => {
                let each = self.elements(shape)?;
                let room = scaled(each)?;
                let mut innermost = &**element;
                while let Shape::Array { element, .. } | Shape::Packed { element, .. } = innermost {
                    innermost = element;
                }
                self.instances(innermost, room)
            }
            Shape::Exists { lengths, body } => {
                if lengths.iter().any(|(_, leaf, _)| self.leaves[*leaf].data.is_none()) {
                    return lengths.iter().try_for_each(|(_, leaf, _)| self.leaves[*leaf].want(instances.clone()));
                }
                for instance in instances {
                    self.open(lengths)?;
                    self.instances(body, instance..instance + 1)?;
                    self.close(lengths);
                }
                Ok(())
            }
        }
    }

    /// The number of elements of one instance.
    fn elements(&mut self, shape: &Shape) -> Result<usize, String> {
        Ok(match shape {
            Shape::Array { len, element } => self.lengths.extent(len)?.saturating_mul(self.elements(element)?),
            Shape::Packed { len, position, element } => {
                let mut sum = 0usize;
                for i in 0..self.lengths.extent(len)? {
                    self.lengths.open(position, i, i);
                    sum = sum.saturating_add(self.elements(element)?);
                }
                self.lengths.close(position);
                sum
            }
            _ => 1,
        })
    }

    /// Binds the lengths of the next instance, which have been read.
    fn open(&mut self, lengths: &[(Var, usize, Size)]) -> Result<(), String> {
        for (var, leaf, at_most) in lengths {
            let at_most = self.lengths.stride(at_most)?;
            let leaf = &mut self.leaves[*leaf];
            let value = match &leaf.data {
                Some(HostData::Int(values)) => values.get(leaf.at).copied(),
                _ => None,
            };
            let value = value.ok_or("a length was not read")?;
            leaf.at += 1;
            match usize::try_from(value) {
                Ok(value) if value <= at_most => self.lengths.open(var, value, at_most),
                _ => return Err(format!("a length of {value} came back for {var}; possible are 0 to {at_most}")),
            }
        }
        Ok(())
    }

    fn close(&mut self, lengths: &[(Var, usize, Size)]) {
        lengths.iter().for_each(|(var, ..)| self.lengths.close(var));
    }

    /// Builds the next instance of `shape`. Elements were read in the order in which they are visited here.
    fn build(&mut self, shape: &Shape) -> Result<Value, String> {
        Ok(match shape {
            Shape::Scalar(leaf) => self.take_scalar(*leaf)?,
            Shape::Vec { leaf, width } => {
                Value::Vec((0..*width).map(|_| self.take_scalar(*leaf)).collect::<Result<_, _>>()?)
            }
            Shape::Tuple(parts) => Value::Tuple(parts.iter().map(|part| self.build(part)).collect::<Result<_, _>>()?),
            Shape::Array { len, element } => {
                let extent = self.lengths.extent(len)?;
                Value::Array(match &**element {
                    Shape::Scalar(leaf) => self.take(*leaf, extent)?,
                    element => ArrayValue::Values((0..extent).map(|_| self.build(element)).collect::<Result<_, _>>()?),
                })
            }
            Shape::Packed { len, position, element } => {
                let mut rows = Vec::new();
                for i in 0..self.lengths.extent(len)? {
                    self.lengths.open(position, i, i);
                    rows.push(self.build(element)?);
                }
                self.lengths.close(position);
                Value::Array(ArrayValue::Values(rows))
            }
            Shape::Exists { lengths, body } => {
                self.open(lengths)?;
                let value = self.build(body);
                self.close(lengths);
                value?
            }
        })
    }

    fn take_scalar(&mut self, leaf: usize) -> Result<Value, String> {
        self.take(leaf, 1)?.get(0).ok_or_else(|| "a part of the result was not read".to_string())
    }

    fn take(&mut self, leaf: usize, count: usize) -> Result<ArrayValue, String> {
        let leaf = &mut self.leaves[leaf];
        let range = leaf.at..leaf.at + count;
        leaf.at = range.end;
        let taken = leaf.data.as_ref().and_then(|data| data.values(range));
        taken.ok_or_else(|| "a part of the result was not read".to_string())
    }
}
