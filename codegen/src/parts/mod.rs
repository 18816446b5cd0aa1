//! Computes a kernel on blocks of its arrays, for data that exceed one device or one machine.
//!
//! An array is *spread* if it is divided into blocks along its outermost length. Arrays of the same length are divided
//! alike. The analysis visits the statements at the top of a kernel and determines how each works on blocks: an
//! elementwise statement works on each block separately; a window reads some elements of the neighbours; a reduction, a
//! scan and a sort have a step between the blocks. A statement without such a law is computed *whole*, by one worker,
//! with a notice; one that requires a sequential order, such as `reduceSeq`, is refused.
//!
//! The result is a list of [`Step`]s. The work of a step is a kernel of core, built from the same terms, with the
//! length of a block as the outermost length; it is compiled like any other. Executors carry out the steps: [`execute`]
//! in tests and on several devices ([`several`](crate::run::several)), Dask in `server/python/lift/dask.py`.
//!
//! Map: [`analyse`] statements · `steps`, `roots` statements with their own step · `known` facts about statements ·
//! `maker` kernels of blocks · `free` the variables that terms mention · [`execute`] steps on values · [`json`] parts as data for
//! other hosts.

pub mod analyse;
pub mod execute;
mod free;
pub mod json;
mod known;
mod maker;
mod roots;
mod steps;
#[cfg(test)]
mod tests;

use crate::core::{Kernel, PadMode};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var};
use lift_analysis::ty::Ty;

/// A value of a run in parts: an index into [`Parts::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// Index into [`Parts::kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelId(pub u32);

/// A kernel in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    pub kernel: Name,
    pub sizes: Vec<Var>,
    pub inputs: Vec<Input>,
    pub result_ty: Ty,
    /// Conditions on the sizes of the whole, checked first.
    pub checks: Vec<(Assumption, Origin)>,
    pub kernels: Vec<Kernel>,
    pub values: Vec<Held>,
    pub steps: Vec<Step>,
    pub result: Output,
    /// How each statement is spread, in the order of the program.
    pub told: Vec<Told>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    pub name: Name,
    pub ty: Ty,
    pub value: ValueId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub name: Name,
    /// The type of the whole value.
    pub ty: Ty,
    /// Whether it is divided into blocks.
    pub spread: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Value(ValueId),
    Tuple(Vec<Output>),
}

/// A step, which needs only inputs and results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Each(Each),
    /// Runs the kernel once, on whole values.
    Whole {
        kernel: KernelId,
        inputs: Vec<ValueId>,
        sizes: Vec<(Var, Number)>,
        out: ValueId,
    },
    /// Folds arrays of one element per block, in order, by a kernel that combines several into one.
    Fold {
        kernel: KernelId,
        wholes: Vec<ValueId>,
        sizes: Vec<(Var, Number)>,
        of: ValueId,
        out: ValueId,
    },
    /// Concatenates all blocks to a whole value.
    Gather {
        of: ValueId,
        out: ValueId,
    },
    /// Makes the length of a value the value of a size.
    Length {
        of: ValueId,
        size: Var,
    },
    Sort(Sort),
    /// Reverses the order of the blocks; the kernel reverses each.
    Reverse {
        kernel: KernelId,
        sizes: Vec<(Var, Number)>,
        of: ValueId,
        out: ValueId,
    },
    /// Concatenates the blocks of several values.
    Concat {
        of: Vec<ValueId>,
        out: ValueId,
    },
    /// Runs `steps` `count` times: `start` is `state` in the first iteration, and `next` is `state` in the following
    /// one. Afterwards `out` is the last `next`.
    Repeat {
        count: Size,
        start: ValueId,
        state: ValueId,
        steps: Vec<Step>,
        next: ValueId,
        out: ValueId,
    },
}

/// A kernel for each block. Its parameters are the reads, the whole values, and the picks, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each {
    pub kernel: KernelId,
    pub reads: Vec<Read>,
    pub wholes: Vec<ValueId>,
    /// Arrays with one element for each block.
    pub picks: Vec<ValueId>,
    pub sizes: Vec<(Var, Number)>,
    /// The number of elements that are divided into blocks.
    pub over: Size,
    /// The value that is divided like the result, if the division is known only at run time.
    pub like: Option<ValueId>,
    pub yields: Yields,
    pub out: ValueId,
}

/// The number of elements in a block of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// As many as the types say.
    Elements,
    /// Known only at run time.
    Some,
    One,
}

/// The size arguments of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// The number of elements of the block.
    Block,
    /// The index of the first element of the block.
    First,
    /// A size of the whole.
    Of(Var),
    /// A size of the whole that also follows from the shapes of the kernel's inputs.
    Derived(Var),
}

/// The range that blocks read: the block from `s` to `e` reads elements `s*scale + offset` to
/// `e*scale + offset + more`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Range {
    pub scale: Size,
    pub offset: Size,
    pub more: Size,
    /// If set, indices are those of the padded value.
    pub pad: Option<Pad>,
    /// Whether there are elements after those of the last block.
    pub cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pad {
    pub mode: PadMode,
    pub left: Size,
    pub right: Size,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    pub value: ValueId,
    pub range: Range,
}

impl Range {
    /// The elements of the block itself.
    pub fn elements() -> Range {
        Range { scale: Size::one(), offset: Size::zero(), more: Size::zero(), pad: None, cut: false }
    }
    /// Whether each block reads only the block of the same index.
    pub fn is_aligned(&self) -> bool {
        self.scale.is_one() && self.offset.is_zero() && self.more.is_zero() && self.pad.is_none() && !self.cut
    }
}

/// A sample sort: blocks are sorted, some of their elements determine the cuts, pieces are exchanged, and each new
/// block is sorted. Equal elements stay together and keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// Sorts an array.
    pub sort: KernelId,
    /// For each of some elements, the number of elements of a sorted array that go before it.
    pub before: KernelId,
    pub wholes: Vec<ValueId>,
    pub sizes: Vec<(Var, Number)>,
    pub before_wholes: Vec<ValueId>,
    pub before_sizes: Vec<(Var, Number)>,
    pub of: ValueId,
    pub out: ValueId,
}

/// How a statement is spread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub what: String,
    pub how: String,
    /// Whether it needs more memory or time than blocks do.
    pub notice: bool,
    pub origin: Origin,
}

/// Why a kernel cannot be computed in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub message: String,
    pub advice: String,
    pub origin: Option<Origin>,
}
