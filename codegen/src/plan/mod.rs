//! The host plan: what the host does to run a compiled kernel, as data.
//!
//! Buffers with symbolic capacities, launches with symbolic thread counts, the checks to make before anything runs.
//! The runtime interprets it, `lift build` writes it as JSON, and host code printers print it.
//!
//! Storage is a structure of arrays: every scalar leaf of a type has a buffer of its own, row-major. A dynamic-length
//! array is a buffer of its largest possible length and, beside it, a buffer with its length (one `int` for each
//! instance: one in all at the top level, one a row in an array of dynamic-length arrays). `Bool` is a byte.

pub mod json;
mod json_size;
pub mod reuse;
#[cfg(test)]
mod tests;

use crate::failure::Kind;
pub use crate::failure::LONGEST;
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var};
use lift_analysis::ty::Ty;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BufferId(pub u32);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// As in the generated text.
    pub name: String,
    pub element: Scalar,
    /// In elements. Mentions size parameters and what a [`Step::Measure`] finds: never an opened length.
    pub capacity: Size,
    pub role: BufferRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferRole {
    /// Filled by the host from an argument.
    Input,
    Output,
    /// Lives on the device only.
    Temporary,
    /// Lives on the device only; zero before the first run, and kept from run to run.
    State,
    /// `int`s: code (0: none), index into [`Plan::failures`], two operands for the message; perhaps a copy of the code.
    Failure,
}

/// How a value of a type lies in buffers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// One element of the buffer for each instance.
    Scalar(BufferId),
    /// `width` consecutive elements.
    Vec {
        buffer: BufferId,
        width: u8,
    },
    Tuple(Vec<Layout>),
    /// `len` instances of the element layout for each instance.
    Array {
        len: Size,
        element: Box<Layout>,
    },
    /// Rows of different lengths, one after the other: `element` is the layout of a row, which mentions its position.
    Packed {
        len: Size,
        position: Var,
        element: Box<Layout>,
    },
    /// Lengths known at run time: for each bound variable the buffer with its value and its largest possible value.
    /// Inside, lengths that mention a variable have its largest value as stride.
    Exists {
        lengths: Vec<DynamicLength>,
        body: Box<Layout>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicLength {
    pub var: Var,
    /// One `int` an instance.
    pub buffer: BufferId,
    pub at_most: Size,
}

/// A number of work-items or work-groups, made a machine number when the sizes are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The wish, in size parameters.
    pub wish: Size,
    /// The wish is rounded up to a multiple of this (1: not at all).
    pub multiple_of: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The function in the OpenCL text.
    pub kernel: String,
    pub args: Vec<Arg>,
    /// Work-groups per dimension; clamped to what the device allows (kernels loop with a grid-sized stride).
    pub groups: [Count; 3],
    /// Work-items of a group per dimension. Fixed when the kernel relies on it (`exact_local`), else clamped.
    pub local: [u32; 3],
    pub exact_local: bool,
    /// The launch is left out unless all of these are positive: its work-items would find nothing to do. Empty: always
    /// made. The kernel asks for itself, too.
    pub only_if: Vec<Size>,
    /// For profiles and hints: the call in the source that this launch belongs to.
    pub origin: Origin,
    /// What the launch does, for a person: "filter: count".
    pub label: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    Buffer(BufferId),
    /// An `int` (or `long` if `wide`): a size evaluated by the host.
    Size {
        value: Size,
        wide: bool,
    },
    /// Bytes of local memory.
    Local {
        bytes: Size,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Launch(Launch),
    /// Set every element to a bit pattern of zeros.
    Zero(BufferId),
    /// Run the steps `count` times.
    Repeat {
        count: Size,
        steps: Vec<Step>,
    },
    /// Run `test`, wait, and read the first element of `flag`, a `Bool`; if it is true run `steps`, and all that again.
    While {
        test: Vec<Step>,
        flag: BufferId,
        steps: Vec<Step>,
    },
    /// Exchange the roles of two buffers of equal capacity (double buffering in loops).
    Swap(BufferId, BufferId),
    /// Wait, and read the first `int` of a buffer: from here on it is the value of a size. Buffers whose capacity
    /// mentions it are made only now (anew, inside of loops).
    Measure {
        var: Var,
        from: BufferId,
        /// An index into [`Plan::failures`]: that the number is negative.
        negative: usize,
    },
}

impl Step {
    /// The steps inside of a loop.
    pub fn inside(&self) -> Vec<&[Step]> {
        match self {
            Step::Repeat { steps, .. } => vec![steps],
            Step::While { test, steps, .. } => vec![test, steps],
            Step::Launch(_) | Step::Zero(_) | Step::Swap(..) | Step::Measure { .. } => Vec::new(),
        }
    }
}

/// What a failure code of the device means: the message, with `{0}` and `{1}` for the operands, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
    pub origin: Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanInput {
    pub name: String,
    pub ty: Ty,
    pub layout: Layout,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub kernel: String,
    /// The size parameters; their values come from the inputs' shapes and `--size`.
    pub sizes: Vec<Var>,
    pub inputs: Vec<PlanInput>,
    pub buffers: Vec<Buffer>,
    /// To be checked against the real sizes before anything runs.
    pub checks: Vec<(Assumption, Origin)>,
    pub steps: Vec<Step>,
    pub result_ty: Ty,
    pub result: Layout,
    pub failures: Vec<Failure>,
    /// Places in the program where a check was found to be needless.
    pub needless_checks: usize,
}

impl Plan {
    /// The sizes that are the greatest of the lengths that inputs hide: known with the inputs.
    pub fn input_lengths(&self) -> Vec<Var> {
        fn collect(layout: &Layout, known: &[Var], out: &mut Vec<Var>) {
            match layout {
                Layout::Scalar(_) | Layout::Vec { .. } => {}
                Layout::Tuple(parts) => parts.iter().for_each(|p| collect(p, known, out)),
                Layout::Array { element, .. } | Layout::Packed { element, .. } => collect(element, known, out),
                Layout::Exists { lengths, body } => {
                    let longest = lengths.iter().filter_map(|l| l.at_most.as_var());
                    out.extend(longest.filter(|v| !known.contains(v)).cloned());
                    collect(body, known, out);
                }
            }
        }
        let mut out = Vec::new();
        self.inputs.iter().for_each(|input| collect(&input.layout, &self.sizes, &mut out));
        out
    }

    /// The sizes that are found during a run.
    pub fn measured(&self) -> Vec<Var> {
        fn collect(steps: &[Step], out: &mut Vec<Var>) {
            for step in steps {
                match step {
                    Step::Measure { var, .. } if !out.contains(var) => out.push(var.clone()),
                    step => step.inside().into_iter().for_each(|inner| collect(inner, out)),
                }
            }
        }
        let mut out = Vec::new();
        collect(&self.steps, &mut out);
        out
    }

    pub fn buffer(&self, id: BufferId) -> &Buffer {
        &self.buffers[id.0 as usize]
    }
}

/// A compiled kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    pub opencl: crate::opencl::OpenClText,
    /// The functions of the text that are launched, as a tree.
    pub functions: Vec<crate::opencl::Function>,
    pub plan: Plan,
    /// What was done and why.
    pub report: crate::report::Report,
}
