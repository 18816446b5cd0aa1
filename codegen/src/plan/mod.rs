//! The host plan: the host's steps to run a compiled kernel, as data.
//!
//! It has buffers with symbolic capacities, launches with symbolic thread counts and the checks before the run. The
//! runtime interprets it, `lift build` writes it as JSON, and the emitters print host code from it.
//!
//! Storage is a structure of arrays: every scalar leaf of a type has its own buffer, row-major. An array of dynamic
//! length is a buffer of its maximum length, and a second buffer holds its length: one `int` for each instance, that
//! is, one at the top level and one per row in an array of such arrays. `Bool` is a byte.
//!
//! | module | job |
//! |---|---|
//! | [`json_size`] | sizes in JSON |
//! | [`json`] | a plan as JSON |
//! | [`reuse`] | buffers that share memory |

pub mod json;
pub(crate) mod json_size;
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
    /// The name in the generated text.
    pub name: String,
    pub element: Scalar,
    /// In elements. Mentions size parameters and results of [`Step::Measure`], never a skolem.
    pub capacity: Size,
    pub role: BufferRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BufferRole {
    /// Filled by the host from an argument.
    Input,
    Output,
    /// Exists on the device only.
    Temporary,
    /// Exists on the device only; zero before the first run, and preserved between runs.
    State,
    /// `int`s: code (0: none), index into [`Plan::failures`], two operands for the message, optionally a copy of the
    /// code.
    Failure,
}

/// How a value of a type is stored in buffers.
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
    /// `len` instances of the element's layout for each instance.
    Array {
        len: Size,
        element: Box<Layout>,
    },
    /// Rows of different lengths, concatenated; `element` is the layout of a row and mentions `position`, the row's
    /// index.
    Packed {
        len: Size,
        position: Var,
        element: Box<Layout>,
    },
    /// Lengths known only at run time: for each bound variable, the buffer with its value and its maximum. In `body`, a
    /// length that mentions the variable has that maximum as its stride.
    Exists {
        lengths: Vec<DynamicLength>,
        body: Box<Layout>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DynamicLength {
    pub var: Var,
    /// One `int` for each instance.
    pub buffer: BufferId,
    pub at_most: Size,
}

/// A number of work-items or work-groups, evaluated when the sizes are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The requested number, in size parameters.
    pub wish: Size,
    /// The number is rounded up to a multiple of this; 1 changes nothing.
    pub multiple_of: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The name of the function in the OpenCL text.
    pub kernel: String,
    pub args: Vec<Arg>,
    /// Work-groups in each dimension, clamped to the device's limits (kernels use grid-stride loops).
    pub groups: [Count; 3],
    /// Work-items of a group in each dimension. Clamped to the device's limits unless `exact_local`: then the kernel
    /// relies on them.
    pub local: [u32; 3],
    pub exact_local: bool,
    /// The launch is skipped unless all of these are positive, because its work-items would have nothing to do. The
    /// kernel itself tests the same. Empty if the launch is never skipped.
    pub only_if: Vec<Size>,
    /// The call in the source to which the launch belongs, for profiles and hints.
    pub origin: Origin,
    /// The work of the launch, for people: "filter: count".
    pub label: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    Buffer(BufferId),
    /// A size evaluated by the host, passed as `int`, or as `long` if `wide`.
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
    /// Set all bits of the buffer to zero.
    Zero(BufferId),
    /// Run the steps `count` times.
    Repeat {
        count: Size,
        steps: Vec<Step>,
    },
    /// Run the steps for each `index` from 0 to below `count`, in order. Sizes of the steps mention `index`; capacities
    /// never do.
    For {
        index: Var,
        count: Size,
        steps: Vec<Step>,
    },
    /// Run `test`, wait, and read the first element of `flag`, a `Bool`. If it is true, run `steps` and repeat.
    While {
        test: Vec<Step>,
        flag: BufferId,
        steps: Vec<Step>,
    },
    /// Exchange two buffers (double buffering in loops). Their capacities are equal, or both depend on a size that is
    /// measured before either is written again.
    Swap(BufferId, BufferId),
    /// Wait, and read the first `int` of a buffer, which becomes the value of a size. Buffers whose capacity mentions
    /// the size are allocated only now, and again in every iteration of a loop.
    Measure {
        var: Var,
        from: BufferId,
        /// Index into [`Plan::failures`] of the failure that the number is negative.
        negative: usize,
    },
}

impl Step {
    /// The steps inside a loop.
    pub fn inside(&self) -> Vec<&[Step]> {
        match self {
            Step::Repeat { steps, .. } | Step::For { steps, .. } => vec![steps],
            Step::While { test, steps, .. } => vec![test, steps],
            Step::Launch(_) | Step::Zero(_) | Step::Swap(..) | Step::Measure { .. } => Vec::new(),
        }
    }
}

/// The meaning of a failure code: the message, with `{0}` and `{1}` for the operands, and the origin.
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
    /// Checked against the actual sizes before the run.
    pub checks: Vec<(Assumption, Origin)>,
    pub steps: Vec<Step>,
    pub result_ty: Ty,
    pub result: Layout,
    pub failures: Vec<Failure>,
    /// The number of eliminated checks.
    pub needless_checks: usize,
}

impl Plan {
    /// The sizes that are maxima of lengths hidden in inputs; known with the inputs.
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

    /// The sizes that are measured during a run.
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

    /// Whether a run may leave other elements in an input. Functions write to other buffers, so only a swap does that.
    pub fn overwrites(&self, input: BufferId) -> bool {
        fn swapped(steps: &[Step], id: BufferId) -> bool {
            steps.iter().any(|step| match step {
                Step::Swap(a, b) => [a, b].contains(&&id),
                step => step.inside().into_iter().any(|inner| swapped(inner, id)),
            })
        }
        swapped(&self.steps, input)
    }

    /// The indices of loops that count.
    pub fn indices(&self) -> Vec<Var> {
        fn collect(steps: &[Step], out: &mut Vec<Var>) {
            for step in steps {
                if let Step::For { index, .. } = step {
                    out.push(index.clone());
                }
                step.inside().into_iter().for_each(|inner| collect(inner, out));
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
    /// The kernel functions of the text, as syntax trees.
    pub functions: Vec<crate::opencl::Function>,
    pub plan: Plan,
    /// The compiler's decisions and their reasons.
    pub report: crate::report::Report,
}
