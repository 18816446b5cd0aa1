//! Parts: how a kernel is computed on blocks of its arrays, for data that does not fit one device or one machine.
//!
//! An array is *spread* when it lies in blocks, cut along its outermost length. Arrays of one length are cut alike. The
//! analysis goes over the statements at the top of a kernel and says of each what blocks do to it: an elementwise
//! statement works on each block by itself; a window reads some elements of the neighbours; a reduction, a scan and a
//! sort have a step between the blocks. What has no such law is done *whole*, on one worker, with a notice; what only one
//! order makes right, as `reduceSeq`, is refused.
//!
//! The result is a list of [`Step`]s. The work of a step is a kernel of core, made from the same terms, in which the
//! outermost length is that of a block: it is compiled like any other. Executors carry out the steps: the tests and
//! [`execute`] here, Dask in `server/python/lift_runtime/parts.py`.
//!
//! Map: [`analyse`] the statements · `steps`, `roots` those that are steps of their own · `known` what is known of them · `maker` kernels of blocks · `copy` terms under
//! new names · [`execute`] the steps on values · [`json`] parts as data for other hosts.

pub mod analyse;
mod copy;
pub mod execute;
pub mod json;
mod known;
mod maker;
mod roots;
mod steps;

use crate::core::{Kernel, PadMode};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var};
use lift_analysis::ty::Ty;

/// A value of a run in parts: an index into [`Parts::values`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ValueId(pub u32);

/// A kernel of [`Parts::kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KernelId(pub u32);

/// What a kernel is in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    pub kernel: Name,
    pub sizes: Vec<Var>,
    pub inputs: Vec<Input>,
    pub result_ty: Ty,
    /// Conditions on the sizes of the whole, to be checked first.
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
    /// Of the whole value.
    pub ty: Ty,
    /// Whether it lies in blocks.
    pub spread: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Value(ValueId),
    Tuple(Vec<Output>),
}

/// What happens next. A step needs nothing but inputs and results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Each(Each),
    /// The kernel once, on whole values.
    Whole {
        kernel: KernelId,
        inputs: Vec<ValueId>,
        sizes: Vec<(Var, Number)>,
        out: ValueId,
    },
    /// Arrays of one element in each block, folded in their order by a kernel that takes several and gives one.
    Fold {
        kernel: KernelId,
        wholes: Vec<ValueId>,
        sizes: Vec<(Var, Number)>,
        of: ValueId,
        out: ValueId,
    },
    /// All blocks together, as one whole value.
    Gather {
        of: ValueId,
        out: ValueId,
    },
    /// The length of a value, as the value of a size.
    Length {
        of: ValueId,
        size: Var,
    },
    Sort(Sort),
    /// The blocks from the last to the first; each is reversed by the kernel.
    Reverse {
        kernel: KernelId,
        sizes: Vec<(Var, Number)>,
        of: ValueId,
        out: ValueId,
    },
    /// The blocks of values one after the other.
    Concat {
        of: Vec<ValueId>,
        out: ValueId,
    },
    /// `steps` again and again, `count` times: `start` is `state` in the first round, and `next` in the one after.
    /// After the last, `out` is what `next` was.
    Repeat {
        count: Size,
        start: ValueId,
        state: ValueId,
        steps: Vec<Step>,
        next: ValueId,
        out: ValueId,
    },
}

/// A kernel on each block. Its parameters are the reads, the whole values, and the picks, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Each {
    pub kernel: KernelId,
    pub reads: Vec<Read>,
    pub wholes: Vec<ValueId>,
    /// Of each of these arrays the block of number `i` is given element `i`.
    pub picks: Vec<ValueId>,
    pub sizes: Vec<(Var, Number)>,
    /// How many elements are cut into blocks.
    pub over: Size,
    /// The value that is cut as the result is, where that is known in the run only.
    pub like: Option<ValueId>,
    pub yields: Yields,
    pub out: ValueId,
}

/// How many elements a block of a result has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yields {
    /// As many as the types say.
    Elements,
    /// The run finds it.
    Some,
    One,
}

/// The sizes that a kernel is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// The elements in the block.
    Block,
    /// The position of the first element of the block.
    First,
    /// A size of the whole.
    Of(Var),
    /// The same; it follows from the shapes of what the kernel is given, too.
    Derived(Var),
}

/// Part of a value: the block from `s` to `e` reads the elements from `s*scale + offset` to `e*scale + offset + more`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Range {
    pub scale: Size,
    pub offset: Size,
    pub more: Size,
    /// The positions are those of the padded value.
    pub pad: Option<Pad>,
    /// There are elements after those of the last block.
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
    /// As many elements as the block has.
    pub fn elements() -> Range {
        Range { scale: Size::one(), offset: Size::zero(), more: Size::zero(), pad: None, cut: false }
    }
    /// Whether each block reads the block of the same number, and nothing else.
    pub fn is_aligned(&self) -> bool {
        self.scale.is_one() && self.offset.is_zero() && self.more.is_zero() && self.pad.is_none() && !self.cut
    }
}

/// A sort by samples: blocks are sorted, some of their elements say where they are cut, pieces are exchanged, and each
/// new block is sorted. Equal elements stay together and keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sort {
    /// Sorts an array.
    pub sort: KernelId,
    /// Of a sorted array and some elements: how many of the array stand before each.
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
    /// It asks for more memory or time than blocks do.
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
