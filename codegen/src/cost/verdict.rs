//! Whether the text of a kernel can be as fast as the device: its figures for given sizes, and what is slow.

use super::{Cost, LaunchCost};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use std::fmt;

/// Distance, in bytes, between reads of neighbouring work-items up to which they cost no more than adjacent ones: 32
/// such rows fit the nearest cache.
pub const NEAR: i64 = 128;
/// Launches with less than this share of the work are ignored.
const PART: f64 = 0.1;
/// A launch with fewer bytes and operations than this needs only few work-items.
const LITTLE: f64 = 1e6;

/// An access in which neighbouring work-items are far apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    pub origin: Option<Origin>,
    /// Distance in bytes between neighbouring work-items.
    pub stride: Size,
    /// Bytes of one access.
    pub element: u64,
    /// Bytes of all work-items, in each execution.
    pub bytes: Size,
}

/// A slow part of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Slow {
    pub why: Why,
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// Neighbouring work-items access memory this many bytes apart.
    Apart(i64),
    /// The ratio of the arithmetic done to that in the program.
    Again(f64),
    /// Only this many work-items do most of the work.
    Few(i64),
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            Why::Apart(stride) => {
                write!(f, "neighbouring work-items read or write elements that are {stride} bytes apart")
            }
            Why::Again(times) => write!(f, "{times:.1} times the arithmetic that the program asks for is done"),
            Why::Few(1) => write!(f, "one work-item does it"),
            Why::Few(items) => write!(f, "{items} work-items do it, fewer than keep the device busy"),
        }
    }
}

/// Figures of a kernel for given sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Bytes of the inputs and results.
    pub necessary: f64,
    /// Bytes that the generated code reads and writes.
    pub moved: f64,
    /// Floating-point operations, or integer operations if there are no others: those of the program, and those of the
    /// generated code.
    pub asked: Option<f64>,
    pub done: f64,
    pub slow: Vec<Slow>,
}

impl Cost {
    /// Judges the cost at the sizes for which it was counted; `busy` work-items keep the device busy. Unknown amounts
    /// count as infinite.
    pub fn verdict(&self, busy: i64) -> Verdict {
        let number = |size: &Size| self.value(size).map_or(f64::INFINITY, |n| n as f64);
        let moved = |l: &LaunchCost| (number(&l.work.read.size) + number(&l.work.written.size)) * number(&l.times);
        let float = |l: &LaunchCost| (number(&l.work.float.size) + number(&l.work.special.size)) * number(&l.times);
        let integer = |l: &LaunchCost| number(&l.work.integer.size) * number(&l.times);
        let sum = |of: &dyn Fn(&LaunchCost) -> f64| self.launches.iter().map(of).sum::<f64>();
        let of_floats = self.asked.as_ref().is_none_or(|asked| !asked.float.is_zero());
        let done = if of_floats { sum(&float) } else { sum(&integer) };
        let asked = self.asked.as_ref().map(|asked| number(if of_floats { &asked.float } else { &asked.integer }));
        let all = sum(&moved) + sum(&float);
        let mut slow = Vec::new();
        for launch in &self.launches {
            let here = moved(launch) + float(launch);
            if here < PART * all || launch.function.is_none() {
                continue;
            }
            let times = number(&launch.times);
            for part in launch.apart.iter().filter(|a| number(&a.bytes) * times >= PART * sum(&moved)) {
                let stride = self.value(&part.stride).map_or(i64::MAX, i64::abs);
                if stride > NEAR {
                    let origin = part.origin.clone().or_else(|| launch.origin.clone());
                    slow.push(Slow { why: Why::Apart(stride), origin });
                }
            }
            let groups: f64 = launch.groups.iter().map(number).product();
            let items = groups * launch.items.iter().map(|n| f64::from(*n)).product::<f64>();
            if items < busy as f64 && here > LITTLE * times {
                slow.push(Slow { why: Why::Few(items as i64), origin: launch.origin.clone() });
            }
        }
        if let Some(asked) = asked.filter(|asked| of_floats && *asked > 0.0 && done > 2.0 * asked) {
            let most = self.launches.iter().max_by(|a, b| float(a).total_cmp(&float(b)));
            slow.push(Slow { why: Why::Again(done / asked), origin: most.and_then(|l| l.origin.clone()) });
        }
        Verdict { necessary: number(&self.necessary), moved: sum(&moved), asked, done, slow }
    }
}
