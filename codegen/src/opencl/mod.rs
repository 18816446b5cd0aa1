//! OpenCL C: a small typed syntax tree, its printer, and the helper functions of generated kernels.
//!
//! The tree covers just what the compiler emits. It carries origins; printing gives the text and a map from byte ranges
//! of the text to origins.

pub mod ast;
pub mod barriers;
pub mod build;
pub mod helpers;
pub mod joins;
pub mod names;
pub mod pack;
mod print;
pub mod radix;
mod same;
pub mod stream;

pub use ast::{
    BinaryOp, CType, Expr, Function, Param, ParamType, PartOrigins, Qualifier, Step, Stmt, StmtKind, Storage, UnaryOp,
    Unit,
};
pub use helpers::Helper;
pub use names::Names;
pub use print::{OpenClText, print};
pub use same::{covers, same};
