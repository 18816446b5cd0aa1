//! Loops that a processor's compiler turns into vectors. One work-item runs on a core, and its innermost loops go over
//! independent values that lie next to each other in memory.
//!
//! | module | job |
//! |---|---|
//! | [`short`] | short loops in a step of a long one |
//! | [`along`] | a fold as several partial folds of neighbouring elements |
//! | `keys` | numbers as integers in the order of a sort |
//! | `roles` | what the statements of a function are if neighbouring elements of a map are computed together |
//! | `lines` | the cache lines that loops over lanes read |
//! | `lanes` | neighbouring elements that are computed together |
//! | `sorted` | sorts of neighbouring rows by the same comparisons |
//! | [`across`] | maps whose neighbouring elements are computed together |

pub mod across;
pub mod along;
mod keys;
mod lanes;
mod lines;
mod roles;
pub mod short;
mod sorted;
