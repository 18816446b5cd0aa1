//! Names for what the program gives none, by what makes it: the functions, buffers and variables of the generated text
//! are called by them, and whoever reads it or a profile knows what is which.

use crate::core::{Kernel, Prim, Rhs, UNNAMED};

/// Names what has none and is made by a primitive that computes; what views give is in no memory.
pub fn name(kernel: &mut Kernel) {
    let mut names = Vec::new();
    kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs
            && kernel.name_of(stmt.var) == UNNAMED
            && let Some(noun) = noun(call.prim)
        {
            names.push((stmt.var, noun));
        }
    });
    for (var, noun) in names {
        kernel.vars[var.0 as usize].name = noun.into();
    }
}

/// What the primitive makes, in a word.
fn noun(prim: Prim) -> Option<&'static str> {
    Some(match prim {
        Prim::Map(_) => "mapped",
        Prim::Reduce(_) | Prim::PartRed | Prim::ReduceWhileSeq => "reduced",
        Prim::ReduceByKey => "by_key",
        Prim::Scan(_) | Prim::ScanExcl(_) => "scanned",
        Prim::Filter(_) => "kept",
        Prim::Iterate | Prim::IterateWhile => "iterated",
        Prim::Scatter => "scattered",
        Prim::Sort => "sorted",
        Prim::Argsort => "order",
        Prim::Search | Prim::LSearch => "found",
        _ => return None,
    })
}
