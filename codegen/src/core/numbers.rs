//! Sizes that a program uses as numbers must fit an `Int`.
//!
//! A size is unbounded, an `Int` is not. Where a size becomes a number (`#(N*M)` among values, the result of `length`,
//! the indices that `iota` and `generate` count), the kernel assumes that it fits. So it is checked before the run, or
//! where the last of its lengths is opened, and proofs may rely on it.

use super::{Atom, Block, Kernel, Prim, Rhs};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, Size, Var, VarKind};

/// Adds an assumption for each size used as a number that is not known to fit an `Int`. `root` is the origin of the
/// kernel's result.
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
                // Indices are below the length.
                Prim::Iota | Prim::Generate => call.sizes.iter().for_each(|n| is_number(&n.sub(&Size::one()))),
                _ => {}
            }
        }
        // The results of `partition`'s function are sizes, not numbers.
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
