//! OpenCL C: a small typed syntax tree, its printer, and the helper functions of generated kernels.
//!
//! The tree covers just what the compiler emits. It carries origins; printing gives the text and a map from byte ranges
//! of the text to origins.
//!
//! | module | job |
//! |---|---|
//! | [`pack`] | helper functions that compact kept elements |
//! | [`radix`] | helper functions for a radix sort over the whole device |
//! | [`stream`] | helper functions for streams of tiles in a single pass (decoupled look-back) |
//! | [`helpers`] | helper functions of generated kernels |
//! | [`ast`] | the syntax tree of OpenCL C |
//! | [`joins`] | barriers where a branch joins the code after it |
//! | [`barriers`] | verifies the barriers of generated functions |
//! | [`build`] | constructors of expressions that simplify |
//! | [`names`] | names of generated variables |
//! | `print` | OpenCL C 1.2 as text, with the map back to the source |
//! | `same` | equality of functions up to names and origins |

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
    Unit, has_loop, rewrite,
};
pub use helpers::Helper;
pub use names::Names;
pub use print::{OpenClText, print};
pub use same::{covers, same};
