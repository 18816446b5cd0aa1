//! Lowering: from core to OpenCL C, a source map and a host plan.
//!
//! The top level of a kernel is the *host level* ([`host`]). Each statement there is a view, which is free; a scalar,
//! which every kernel that needs it computes; or an operation on the device, which takes one or several launches.
//! Inside a launch ([`block`]), code is generated in destination-passing style (Atkey, Steuwer, Lindley, Dubach,
//! *Strategy preserving compilation for parallel functional code*, 2017): an array is read through its view ([`read`])
//! and written to its destination ([`write`], [`dests`]); memory is allocated only for values without one ([`memory`]).
//!
//! Unsupported features are reported as a [`LowerError`] with the primitive and its origin.
//!
//! | module | job |
//! |---|---|
//! | `value` | values of variables: expressions, sizes, views, places, destinations |
//! | `barriers` | removal of redundant barriers |
//! | `symbolic` | arithmetic and comparisons of `Int`s known as sizes |
//! | `work` | the budget of one compilation |
//! | `wrapped` | remainders of numbers near the range of the divisor |
//! | `angles` | sine and cosine of the same number |
//! | `ahead` | loops in order whose next elements are loaded before they are needed |
//! | `cliffs` | reports parallel operators that a single work-item runs |
//! | `all` | several kernels in parallel |
//! | `dests` | propagates destinations |
//! | `index` | sizes in code |
//! | `instructions` | how many elements a fold loads at the same time |
//! | `views` | primitives that are views |
//! | `copies` | copies of values by all work-items |
//! | `flagged` | branch-free checks in loops |
//! | `group` | the groups of `mapLcl`: their size, and the elements of a work-item |
//! | `in_place` | loops that write their state in place |
//! | `alone` | whether one work-item runs an operator, or a group |
//! | `borders` | `map f ∘ slide n s ∘ pad l r` in three parts: two borders and the interior |
//! | `covered` | functions that another one makes needless |
//! | `filter` | `filterSeq` |
//! | `produce` | statements that compute arrays |
//! | `room` | whether an array's longest length is too much to allocate |
//! | `scalar` | scalar operators with the interpreter's semantics |
//! | `sort` | `sort` and `argsort` by one work-item |
//! | `write` | values to memory, through the inverse of a view |
//! | `registers` | values in registers: scalars, vectors, tuples of these |
//! | `stop` | launches after a failed check |
//! | `read` | elements of views, and values in memory |
//! | `assume` | assumptions about skolems, checked on the device |
//! | `loops` | loops, sequential and parallel, and barriers |
//! | `memory` | memory for results inside a kernel |
//! | `launch` | a function, its arguments, and its launch size |
//! | `host` | the host level |
//! | `device_filter` | `filter` over the whole device, in two launches |
//! | `stream` | distribution of long arrays over work-items |
//! | `strides` | how far apart neighbouring work-items access memory |
//! | `sums` | index expressions as sums of products |
//! | `device_by_key` | `reduceByKey` over the whole device, in two launches |
//! | `team` | operations on a row that the work-items of a group share |
//! | `compact` | compaction by the work-items of a group |
//! | `device_radix` | `sort` and `argsort` over the whole device, by numbers |
//! | `device_reduce` | `reduce` and `scan` over the whole device |
//! | `device_sort` | `sort` and `argsort` over the whole device, by any function |
//! | `function` | an OpenCL function under construction |
//! | `program` | the program under construction |
//! | `probe` | queries on a function that is then discarded |
//! | `pieces` | rows of different lengths (segments) |
//! | `tile` | maps whose elements are computed in blocks |
//! | `block` | code for the statements inside a kernel function |
//! | `fold` | sequential folds |
//! | `vectors` | loops for the vectors of a processor |
//! | `jam` | neighbours of a nest of maps that one work-item computes |
//! | `measure` | lengths that only the device can compute and that determine memory |

mod ahead;
mod all;
mod alone;
mod angles;
mod assume;
mod barriers;
mod block;
mod borders;
mod cliffs;
mod compact;
mod copies;
mod covered;
mod dests;
mod device_by_key;
mod device_filter;
mod device_radix;
mod device_reduce;
mod device_sort;
mod filter;
mod flagged;
mod fold;
mod function;
mod group;
mod host;
mod in_place;
mod index;
mod instructions;
mod jam;
mod launch;
mod loops;
mod measure;
mod memory;
mod pieces;
mod probe;
mod produce;
mod program;
mod read;
mod registers;
mod room;
mod scalar;
mod sort;
mod stop;
mod stream;
mod strides;
mod sums;
mod symbolic;
mod team;
mod tile;
mod value;
mod vectors;
mod views;
mod work;
mod wrapped;
mod write;

pub use all::{STACK, compile_all, compile_each};

use crate::core::Kernel;
use crate::opencl::barriers as opencl_barriers;
use crate::plan::Program;
use crate::schedule::Schedule;
use crate::target::Target;
use lift_analysis::origin::Origin;
use lift_analysis::size;

/// A feature that is not supported, or a fault, with its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LowerError {
    pub origin: Origin,
    /// The primitive, as programs write it; empty if there is none.
    pub primitive: String,
    pub message: String,
}

impl LowerError {
    pub fn new(origin: &Origin, primitive: &str, message: impl Into<String>) -> LowerError {
        LowerError { origin: origin.clone(), primitive: primitive.into(), message: message.into() }
    }
}

impl std::fmt::Display for LowerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.primitive.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}`: {}", self.primitive, self.message)
        }
    }
}

impl std::error::Error for LowerError {}

#[cfg(test)]
mod tests;

type Result<T> = std::result::Result<T, LowerError>;

/// Compiles a kernel for a target.
pub fn compile(kernel: &Kernel, target: &Target) -> std::result::Result<Program, Vec<LowerError>> {
    compile_scheduled(&Schedule::new(kernel, target))
}

/// Compiles a scheduled kernel.
pub fn compile_scheduled(schedule: &Schedule) -> std::result::Result<Program, Vec<LowerError>> {
    let too_large = || {
        let at = schedule.kernel.body.stmts.first().map(|stmt| &stmt.origin);
        at.map(|at| vec![LowerError::new(at, "", work::TOO_LARGE)])
    };
    if schedule.too_large
        && let Some(errors) = too_large()
    {
        return Err(errors);
    }
    size::work::apart(crate::budget::MOST_TERMS, || {
        let mut program = measure::compile(schedule)?;
        if !opencl_barriers::are_reached(&program.functions, &program.opencl.text) {
            program = measure::compile(&schedule.with_rows_apart())?;
        }
        // Report a compiler bug here, rather than by a device that hangs.
        debug_assert_eq!(
            opencl_barriers::verify(&program.functions, &program.opencl.text).err(),
            None,
            "{}",
            program.opencl.text
        );
        // Once the budget is exhausted, sizes may be larger than necessary.
        if size::work::exhausted() { too_large().map_or(Ok(program), Err) } else { Ok(program) }
    })
}
