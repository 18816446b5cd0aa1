//! Streaming: memory-bound work over the elements of long arrays. The class of the target ([`crate::target`])
//! determines how elements are distributed over work-items; any number of work-groups of any size does all the work.
//!
//! | module | job |
//! |---|---|
//! | [`each`] | a loop over all global work-items (`mapGlb0`, copies) |
//! | [`flat`] | nests of such loops, as one |
//! | `words` | elements of one or two bytes, four at a time |
//! | [`tile`] | the elements that a work-group processes at a time, in registers |
//! | [`single_pass`] | tiles whose groups publish their aggregates and prefixes |
//! | [`filter`], [`scan`], [`reduce`] | the operations, by tiles |
//! | [`shared`] | elements computed from their index that share intermediate results |
//! | [`ordered`] | `reduce` that keeps the order of the elements |
//! | [`piece`] | per-thread chunks of CPUs; `scan` and `reduce` by chunks |
//! | [`kept`] | `filter` by chunks |

pub mod each;
mod filter;
pub mod flat;
mod kept;
mod ordered;
mod piece;
pub mod reduce;
mod scan;
pub mod shared;
pub mod single_pass;
pub mod tile;
mod words;
