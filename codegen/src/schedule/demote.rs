//! Demotes filters inside functions to the parallelism that is available there.
//!
//! A function runs once for each element, on a work-item or in a group. The device cannot wait for itself inside a
//! launch, so one work-item runs a `filterGlb` or `filterWrg` that occurs there. The group of a `mapWrg` runs an
//! unplaced `filter` directly inside it, because its work-items are otherwise idle.

use super::{Applied, on_the_host, rules};
use crate::core::{Block, Kernel, Level, Prim, Rhs};

/// The executor of a block.
#[derive(Clone, Copy, PartialEq)]
enum Around {
    /// The host; the device is synchronised between two statements.
    Host,
    /// A group with all its work-items.
    Group,
    Item,
}

/// Rewrites the filters of a kernel's body; runs before placement.
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
                    // The iterations of a host loop run one after the other.
                    (Prim::Iterate | Prim::IterateWhile, Around::Host) if on_the_host(kernel, call) => Around::Host,
                    (Prim::Map(Level::Host) | Prim::Reduce(Level::Host) | Prim::Scan(Level::Host), _) => Around::Host,
                    (Prim::Map(Level::Wrg(_)), Around::Host | Around::Group) => Around::Group,
                    _ => Around::Item,
                };
                call.funs.iter_mut().for_each(|f| block(kernel, &mut f.body, inside, applied));
            }
            _ => {}
        }
    }
}
