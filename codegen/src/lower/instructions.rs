//! Chooses the number of elements that a fold loads at the same time. Each of them has its own copy of the element's
//! code, and a loop that exceeds the instruction cache waits for instructions.

use super::value::{Array, View};
use crate::core::scalar::is_long;
use crate::core::{Block, Rhs};

/// Maximum iterations of an innermost loop that the compilers of devices unroll, so that it costs no jumps. No property of
/// OpenCL tells it.
pub const FEW_ROUNDS: i64 = 16;

/// Factor by which each long function of an element reduces the number of elements. Two folds with 16 copies of a
/// cosine each took ten times as long on an H200 as with 4.
const FEWER: i64 = 4;

/// The number of elements that a work-item should load at the same time, at most `loads`.
pub fn in_flight(xs: &Array<'_>, loads: i64) -> i64 {
    let long = long_functions(xs);
    if long == 0 { loads } else { (loads / (FEWER * long)).max(1) }
}

/// The number of long functions that are called for an element.
fn long_functions(xs: &Array<'_>) -> i64 {
    match &*xs.view {
        View::Mapped(f, of) => in_block(&f.lambda.body) + long_functions(of),
        View::Generated(f) => in_block(&f.lambda.body),
        View::Zip(parts) => parts.iter().map(long_functions).sum(),
        View::Component(of, _) | View::Part { of, .. } => long_functions(of),
        _ => 0,
    }
}

fn in_block(block: &Block) -> i64 {
    let mut found = 0;
    block.visit(&mut |s| {
        found += i64::from(matches!(&s.rhs, Rhs::Scalar(op, _) if is_long(*op)));
    });
    found
}
