//! Where the rows of an array lie: in memory, across the rows of a stored array, or in the state of a loop.

use super::{Work, is_loop, work_of};
use crate::core::{Atom, Kernel, Prim, PrimCall, Rhs};

/// Whether an array may be a row of memory, is made of such rows element by element, or is a view of a loop's state: the
/// work-items of a group that share a loop keep its state in local memory, where neighbours may read any elements.
pub fn is_row(kernel: &Kernel, xs: &Atom) -> bool {
    let Atom::Var(v) = xs else { return false };
    let mut row = true;
    kernel.body.visit(&mut |stmt| {
        if stmt.var == *v {
            row = match &stmt.rhs {
                Rhs::Atom(a) | Rhs::Proj(a, _) => is_row(kernel, a),
                Rhs::Prim(call) => match call.prim {
                    Prim::Map(_) if work_of(kernel, stmt) == Work::Nest => true,
                    Prim::Map(_) | Prim::Zip => call.args.iter().all(|xs| is_row(kernel, xs)),
                    Prim::Iota => true,
                    // A row that is read by number.
                    Prim::Aref | Prim::Head | Prim::Last => rows_lie_in_memory(kernel, &call.args[0]),
                    prim => prim.is_view() && call.args.iter().any(|xs| is_of_state(kernel, xs)),
                },
                _ => false,
            };
        }
    });
    row
}

/// Whether an array is the state of a loop, a part of it, or a view of one.
fn is_of_state(kernel: &Kernel, xs: &Atom) -> bool {
    let Atom::Var(v) = xs else { return false };
    let mut found = false;
    kernel.body.visit(&mut |stmt| match &stmt.rhs {
        Rhs::Atom(a) | Rhs::Proj(a, _) if stmt.var == *v => found |= is_of_state(kernel, a),
        Rhs::Prim(call) if stmt.var == *v => {
            found |= call.prim.is_view() && call.args.iter().any(|xs| is_of_state(kernel, xs));
        }
        Rhs::Prim(call) if is_loop(kernel, call) => found |= call.funs.iter().any(|f| f.params.first() == Some(v)),
        _ => {}
    });
    found
}

/// Whether an array of rows is stored, or is made of a stored one by `transpose`, `join` and `split` alone.
pub fn lies_in_memory(kernel: &Kernel, rows: &Atom) -> bool {
    let Atom::Var(v) = rows else { return false };
    let mut stored = true;
    kernel.body.visit(&mut |stmt| {
        if stmt.var == *v {
            stored = match &stmt.rhs {
                Rhs::Atom(a) | Rhs::Proj(a, _) => lies_in_memory(kernel, a),
                Rhs::Prim(PrimCall { prim: Prim::Transpose | Prim::Join | Prim::Split, args, .. }) => {
                    lies_in_memory(kernel, &args[0])
                }
                _ => false,
            };
        }
    });
    stored
}

/// The arrays that are zipped in an array.
pub fn zipped(kernel: &Kernel, xs: &Atom) -> Option<Vec<Atom>> {
    let mut found = None;
    kernel.body.visit(&mut |stmt| match &stmt.rhs {
        Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) if *xs == Atom::Var(stmt.var) => found = Some(args.clone()),
        _ => {}
    });
    found
}

/// Whether an array, or one that is zipped with others to make it, lies in memory.
pub fn has_stored_rows(kernel: &Kernel, rows: &Atom) -> bool {
    match zipped(kernel, rows) {
        Some(all) => all.iter().any(|xs| has_stored_rows(kernel, xs)),
        None => lies_in_memory(kernel, rows),
    }
}

/// Whether the rows of an array, or of all that are zipped in it, lie in memory element after element.
pub fn rows_lie_in_memory(kernel: &Kernel, xs: &Atom) -> bool {
    match zipped(kernel, xs) {
        Some(all) => all.iter().all(|xs| rows_lie_in_memory(kernel, xs)),
        None => lies_in_memory(kernel, xs) && !lies_across(kernel, xs),
    }
}

/// Whether rows are columns of a stored array: elements of a row are apart, but those of neighbouring rows adjacent.
pub fn lies_across(kernel: &Kernel, rows: &Atom) -> bool {
    let Atom::Var(v) = rows else { return false };
    let mut across = false;
    kernel.body.visit(&mut |stmt| {
        if stmt.var == *v {
            across = match &stmt.rhs {
                Rhs::Atom(a) => lies_across(kernel, a),
                Rhs::Prim(PrimCall { prim: Prim::Transpose, args, .. }) => !lies_across(kernel, &args[0]),
                Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. }) => args.iter().any(|a| lies_across(kernel, a)),
                _ => false,
            };
        }
    });
    across
}
