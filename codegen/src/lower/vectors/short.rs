//! Short loops inside a step of a long one are written out on a processor, because its compiler makes vectors of
//! innermost loops only.

use super::super::Result;
use super::super::function::FunctionBuilder;
use crate::core::{Block, Kernel, Prim, PrimCall, Rhs};
use crate::target::Class;

/// Maximum rounds of the short loops in a step, all together.
const MOST: i64 = 128;

/// The rounds of a block's short loops, and of the longest one; `None` if another loop is in the block, unless such loops
/// may be `around` the step.
fn rounds(kernel: &Kernel, block: &Block, around: bool) -> Option<(i64, i64)> {
    let (mut all, mut longest) = (0i64, 1i64);
    for stmt in &block.stmts {
        let Rhs::Prim(call @ PrimCall { prim, funs, .. }) = &stmt.rhs else {
            for inner in stmt.rhs.blocks() {
                let (rounds, most) = self::rounds(kernel, inner, around)?;
                (all, longest) = (all + rounds, longest.max(most));
            }
            continue;
        };
        let n = match prim {
            Prim::Map(_) | Prim::Reduce(_) => {
                match kernel.atom_ty(call.args.last()?).as_array().and_then(|xs| xs.len.as_const()) {
                    None if around => 1,
                    n => n?,
                }
            }
            _ if funs.is_empty() || prim.is_view() => continue,
            _ => return None,
        };
        let (inside, most) = self::rounds(kernel, &funs.first()?.body, around)?;
        all = all.checked_add(n.checked_mul(inside.max(1))?)?;
        longest = longest.max(n).max(most);
    }
    (all <= MOST).then_some((all, longest))
}

/// Whether a function of this block has short loops, and no other, that are written out here.
pub fn is_short(b: &FunctionBuilder<'_, '_>, block: &Block) -> bool {
    let wanted = b.target().class == Class::Cpu && b.position().write_out() == 1;
    wanted && rounds(b.kernel(), block, false).is_some_and(|(all, _)| all > 0)
}

/// Runs `body`, which writes the step of a loop that computes this block, with the short loops in it written out.
/// `around`: long loops of the block are around the step.
pub fn written_out<'p, 'k, T>(
    b: &mut FunctionBuilder<'p, 'k>,
    (block, around): (&Block, bool),
    body: impl FnOnce(&mut FunctionBuilder<'p, 'k>) -> Result<T>,
) -> Result<T> {
    let wanted = b.target().class == Class::Cpu && b.position().write_out() == 1;
    match rounds(b.kernel(), block, around).filter(|_| wanted) {
        Some((_, longest)) => b.writing_out(longest, body),
        None => body(b),
    }
}
