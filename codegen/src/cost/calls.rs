//! Costs of the functions that generated text calls: those of OpenCL C and the helpers.

use super::amount::Price;
use crate::opencl::{Expr, Helper, names, pack};

/// The cost of a call in one work-item, without evaluating its arguments. `items` are the work-items of a group;
/// `float` says whether the arguments are floating-point numbers, `lanes` the number of lanes.
pub fn price(name: &str, args: &[Expr], items: u32, float: bool, lanes: u64) -> Price {
    let arithmetic = |n: u64| match float {
        true => Price { float: n * lanes, ..Price::default() },
        false => Price { integer: n * lanes, ..Price::default() },
    };
    let integer = |n: u64| Price { integer: n, ..Price::default() };
    match name {
        "min" | "max" | "abs" | "fmin" | "fmax" | "fabs" | "floor" | "ceil" | "round" | "isnan" | "popcount"
        | "clz" => arithmetic(1),
        "fma" => arithmetic(2),
        // Atomics on local memory; each counts as the operator alone.
        "atomic_add" | "atomic_min" | "atomic_max" | "atomic_and" | "atomic_or" | "atomic_xor" => arithmetic(1),
        _ if names::is_special(name) => Price { special: lanes, ..Price::default() },
        "sincos" => Price { special: 2 * lanes, ..Price::default() },
        _ if name == Helper::DivInt.name()
            || name == Helper::ModInt.name()
            || name == Helper::DivLong.name()
            || name == Helper::ModLong.name()
            || name == Helper::QuotientInt.name()
            || name == Helper::RemainderInt.name()
            || name == Helper::QuotientLong.name()
            || name == Helper::RemainderLong.name() =>
        {
            integer(1)
        }
        _ if name == Helper::FloorDiv.name() => integer(1),
        _ if name == Helper::FloorMod.name()
            || name == Helper::FloorModInt.name()
            || name == Helper::FloorModLong.name()
            || name == Helper::FloorRemainderInt.name()
            || name == Helper::FloorRemainderLong.name() =>
        {
            integer(3)
        }
        _ if name == Helper::FloorModFloat.name() || name == Helper::FloorModDouble.name() => {
            Price { float: 2 * lanes, special: lanes, ..Price::default() }
        }
        _ if name == Helper::GroupScan.name() => group_scan(items),
        _ if name == Helper::GroupSums.name() => group_sums(constant(args, 2).unwrap_or(items)),
        _ if name == Helper::Ranks.name() => {
            let fours = constant(args, 2).unwrap_or(1).div_ceil(4);
            let sums = group_sums(constant(args, 4).unwrap_or(items));
            let each = |n: u64| n * u64::from(fours);
            Price { integer: each(sums.integer + 13), barriers: each(sums.barriers + 3), ..Price::default() }
        }
        _ if name == Helper::NextTile.name() || name == Helper::LastGroup.name() => {
            Price { barriers: 1, ..Price::default() }
        }
        _ if name == Helper::Sortable32.name() || name == Helper::Sortable64.name() => {
            integer(sortable(args.get(1).and_then(Expr::as_int)))
        }
        "lift_differs" => Price { read: 4, integer: 3, ..Price::default() },
        _ if name == Helper::Round.name() || name == Helper::Status.name() => Price { read: 8, ..Price::default() },
        _ if name == Helper::Publish.name() => Price { written: 8, ..Price::default() },
        _ if name == Helper::PackInt.name() || name == Helper::PackFloat.name() => packing(4),
        _ if name == Helper::PackLong.name() || name == Helper::PackDouble.name() => packing(8),
        _ => Price::default(),
    }
}

/// Each element is written, and then overwritten by the next one if it is not kept.
fn packing(bytes: u64) -> Price {
    let elements = pack::TOGETHER as u64;
    Price { written: elements * bytes, integer: elements, ..Price::default() }
}

/// The bytes that the first work-item of a group reads and writes in addition.
pub fn of_first(name: &str) -> u64 {
    if name == Helper::NextTile.name() || name == Helper::LastGroup.name() { 8 } else { 0 }
}

/// Whether work-groups wait for each other in the function. The number of polls is unknown.
pub fn waits(name: &str) -> bool {
    [Helper::SumBefore, Helper::Status, Helper::MoveTiles32, Helper::MoveTiles64].iter().any(|h| h.name() == name)
}

pub fn group_scan(items: u32) -> Price {
    let rounds = doublings(items, 2);
    Price { integer: rounds + 1, barriers: 2 + 2 * rounds, ..Price::default() }
}

fn group_sums(items: u32) -> Price {
    let rounds = doublings(items, 4);
    Price { integer: 3 * rounds, barriers: rounds, ..Price::default() }
}

/// The smallest k with `by`ᵏ ≥ `n`.
pub fn doublings(n: u32, by: u32) -> u64 {
    let (mut reached, mut rounds) = (1u64, 0);
    while reached < u64::from(n) {
        reached *= u64::from(by);
        rounds += 1;
    }
    rounds
}

fn constant(args: &[Expr], at: usize) -> Option<u32> {
    args.get(at).and_then(Expr::as_int).and_then(|n| u32::try_from(n).ok())
}

/// Operations to convert a key to an unsigned number.
pub fn sortable(order: Option<i64>) -> u64 {
    let order = order.unwrap_or(3);
    // For floats: two shifts, three comparisons, and a complement or a set bit.
    (if order & 2 != 0 { 6 } else { 1 }) + u64::from(order & 1 != 0)
}
