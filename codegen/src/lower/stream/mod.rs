//! Streaming: work over the elements of long arrays, which memory bounds. How elements are dealt out to work-items is
//! a matter of the class of devices ([`crate::target`]); every number of work-groups of any size does all the work.
//!
//! | module | job |
//! |---|---|
//! | [`each`] | a loop over all global work-items (`mapGlb0`, copies) |
//! | [`tile`] | what a work-group takes at a time, in registers |
//! | [`single_pass`] | tiles whose groups hand on to each other what they have found |
//! | [`filter`], [`scan`], [`reduce`] | by them |
//! | [`shared`] | elements that are computed from their number and have much in common |
//! | [`ordered`] | `reduce` where elements have to meet in their order |
//! | [`piece`] | what a thread of a processor takes; `scan` and `reduce` by pieces |
//! | [`kept`] | `filter` by pieces |

mod each;
mod filter;
mod kept;
mod ordered;
mod piece;
pub mod reduce;
mod scan;
pub mod shared;
mod single_pass;
pub mod tile;
