//! How long the code of an array's elements is, where it decides how many copies of it a loop has: a loop that exceeds
//! the instruction cache waits for instructions.

use super::value::{Array, View};
use crate::core::scalar::is_transcendental;
use crate::core::{Block, Rhs, ScalarOp};

/// Copies of the code of a sine or a power that a fold has in place of one, for each element that it loads at the same
/// time. Two folds with 16 copies of a cosine each took ten times as long on an H200 as with 4.
const COPIES: i64 = 4;

/// How many elements a work-item should load at the same time, at most `loads`.
pub fn in_flight(xs: &Array<'_>, loads: i64) -> i64 {
    let long = long_functions(xs);
    if long == 0 { loads } else { (loads / (COPIES * long)).max(1) }
}

/// The functions of an element whose code has hundreds of instructions.
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
        let short = |op: &ScalarOp| matches!(op, ScalarOp::Exp | ScalarOp::Log);
        found += i64::from(matches!(&s.rhs, Rhs::Scalar(op, _) if is_transcendental(*op) && !short(op)));
    });
    found
}
