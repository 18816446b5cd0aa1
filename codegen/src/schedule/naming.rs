//! Names unnamed variables after the primitive that makes them. The generated functions, buffers and variables carry
//! these names, so that the text and a profile can be read.

use crate::core::{Kernel, Prim, Rhs, UNNAMED};

/// Names unnamed results of primitives that compute; views are not stored, so they need no name.
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

/// A noun for the result of a primitive; `None` for a view.
fn noun(prim: Prim) -> Option<&'static str> {
    Some(match prim {
        Prim::Map(_) => "mapped",
        Prim::Reduce(_) | Prim::PartRed | Prim::ReduceWhileSeq => "reduced",
        Prim::ReduceByKey(_) => "by_key",
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
