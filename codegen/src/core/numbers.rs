//! Sizes that a program uses as numbers: an `Int` must hold them.
//!
//! A size has no largest value; an `Int` has. Where a size becomes a number (`#(N*M)` among values, what `length` gives,
//! the positions that `iota` and `generate` count), that it fits is an assumption of the kernel, and so it is checked
//! before anything runs, or where the last of its lengths is opened; proofs may rely on it.

use super::{Atom, Block, Kernel, Prim, Rhs};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, Size, Var, VarKind};

/// Adds the assumption that each size which is a number fits an `Int`, where that is not known. `root` is the place of
/// the kernel's result.
pub fn assume_fitting(kernel: &mut Kernel, root: Option<&Origin>) {
    let mut found = Vec::new();
    numbers(kernel, &kernel.body, &mut found);
    if let (Atom::Size(size), Some(root)) = (&kernel.body.result, root) {
        found.push((size.clone(), root.clone()));
    }
    let known = |v: &Var| matches!(v.kind, VarKind::Param | VarKind::Skolem);
    found.retain(|(size, _)| size.as_var().is_none() && !size.any_var(&mut |v| !known(v)));
    if found.is_empty() {
        return;
    }
    let mut facts = Facts::new();
    for size in &kernel.sizes {
        facts.assume_range(size.clone(), None, Some(most()));
    }
    for (assumption, _) in &kernel.assumptions {
        facts.assume(assumption);
    }
    for (size, origin) in found {
        let fits = Assumption::AtMost(size, most());
        if !facts.proves(&fits).is_yes() {
            facts.assume(&fits);
            kernel.assumptions.push((fits, origin));
        }
    }
}

/// The largest `Int`.
fn most() -> Size {
    Size::int(i32::MAX.into())
}

fn numbers(kernel: &Kernel, block: &Block, found: &mut Vec<(Size, Origin)>) {
    for stmt in &block.stmts {
        let mut is_number = |size: &Size| found.push((size.clone(), stmt.origin.clone()));
        for operand in stmt.rhs.operands() {
            if let Atom::Size(size) = operand {
                is_number(size);
            }
        }
        if let Rhs::Prim(call) = &stmt.rhs {
            match call.prim {
                Prim::Length => {
                    if let Some(array) = call.args.first().map(|xs| kernel.atom_ty(xs))
                        && let Some(array) = array.as_array()
                    {
                        is_number(&array.len);
                    }
                }
                // Positions are below the length.
                Prim::Iota | Prim::Generate => call.sizes.iter().for_each(|n| is_number(&n.sub(&Size::one()))),
                _ => {}
            }
        }
        // The function of `partition` gives sizes, not numbers.
        let gives_numbers = !matches!(&stmt.rhs, Rhs::Prim(call) if call.prim == Prim::Partition);
        for inner in stmt.rhs.blocks() {
            numbers(kernel, inner, found);
            if let Atom::Size(size) = &inner.result
                && gives_numbers
            {
                found.push((size.clone(), stmt.origin.clone()));
            }
        }
    }
}
