//! Filters inside of functions: what asks for the whole device there gets what the function has.
//!
//! A function runs for each element, on a work-item or in a group. The device cannot wait for itself inside of a
//! launch, so a `filterGlb` or `filterWrg` there is done by the work-item that is there; and an unplaced `filter` right
//! inside of a `mapWrg` by its group, whose work-items have nothing else to do.

use super::{Applied, on_the_host, rules};
use crate::core::{Block, Kernel, Level, Prim, Rhs};

/// Who runs a block.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    /// The host: between two statements the device is synchronised.
    Host,
    /// A group, all of whose work-items are here.
    Group,
    Item,
}

/// Rewrites the filters of a kernel's body; before anything is placed.
pub fn demote(kernel: &Kernel, body: &mut Block, applied: &mut Vec<Applied>) {
    block(kernel, body, Around::Host, applied);
}

fn block(kernel: &Kernel, body: &mut Block, around: Around, applied: &mut Vec<Applied>) {
    for stmt in &mut body.stmts {
        match &mut stmt.rhs {
            Rhs::If(_, a, b) => {
                block(kernel, a, around, applied);
                block(kernel, b, around, applied);
            }
            Rhs::Prim(call) => {
                let rule = match (call.prim, around) {
                    (Prim::Filter(Level::Glb(_) | Level::Wrg(_)), Around::Group | Around::Item) => {
                        call.prim = Prim::Filter(Level::Seq);
                        Some(&rules::FILTER_GLB_SEQ)
                    }
                    (Prim::Filter(Level::Auto), Around::Group) => {
                        call.prim = Prim::Filter(Level::Lcl(0));
                        Some(&rules::FILTER_LCL)
                    }
                    _ => None,
                };
                applied.extend(rule.map(|rule| Applied { rule, origin: stmt.origin.clone() }));
                let inside = match (call.prim, around) {
                    // The rounds of a loop at the top follow each other there.
                    (Prim::Iterate | Prim::IterateWhile, Around::Host) if on_the_host(kernel, call) => Around::Host,
                    (Prim::Map(Level::Wrg(_)), Around::Host | Around::Group) => Around::Group,
                    _ => Around::Item,
                };
                call.funs.iter_mut().for_each(|f| block(kernel, &mut f.body, inside, applied));
            }
            _ => {}
        }
    }
}
