//! Operators that process their elements sequentially.

use super::{Schedule, rules};
use crate::core::{Prim, Rhs};
use lift_analysis::origin::Origin;
use lift_analysis::prims;

/// The sequential operators of a schedule: those written by the program, and those placed by the compiler.
pub fn one_by_one(schedule: &Schedule) -> (Vec<(Prim, Origin)>, Vec<Origin>) {
    let placed = [&rules::MAP_SEQ, &rules::REDUCE_SEQ, &rules::SCAN_SEQ, &rules::FILTER_SEQ];
    let demoted = schedule.applied.iter().filter(|a| placed.contains(&a.rule)).map(|a| a.origin.clone());
    let demoted: Vec<Origin> = demoted.collect();
    let mut written = Vec::new();
    schedule.kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs
            && (matches!(call.prim, Prim::Iterate | Prim::IterateWhile | Prim::ReduceWhileSeq)
                || matches!(call.prim.placed(), Some((_, prims::Level::Seq))))
            && !demoted.contains(&stmt.origin)
        {
            written.push((call.prim, stmt.origin.clone()));
        }
    });
    (written, demoted)
}
