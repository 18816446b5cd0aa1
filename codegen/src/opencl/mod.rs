//! OpenCL C: a small typed syntax tree, its printer, and the functions that generated kernels may call.
//!
//! The tree has what the compiler emits and nothing else. It carries origins; printing gives the text and the map from
//! byte ranges of the text back to them.

pub mod ast;
pub mod barriers;
pub mod build;
pub mod helpers;
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
pub use same::same;
