//! Type inference of one body.
mod result;
pub use result::*;
