//! Whether the text of a kernel can be as fast as the device: what is told of it for given sizes, and what of that is slow.

use super::{Cost, LaunchCost};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use std::fmt;

/// Bytes between what two neighbouring work-items read that do not yet cost more than the elements themselves: of 32 such
/// rows all lie in the nearest cache.
pub const NEAR: i64 = 128;
/// A launch with less than this part of all the work is not looked at.
const PART: f64 = 0.1;
/// Bytes and operations of a launch below which few work-items are enough.
const LITTLE: f64 = 1e6;

/// What neighbouring work-items read or write in places that lie apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Apart {
    pub origin: Option<Origin>,
    /// Bytes from one to the next.
    pub stride: Size,
    /// Bytes of one access.
    pub element: u64,
    /// Of all work-items, each time.
    pub bytes: Size,
}

/// What is slow in a program, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Slow {
    pub why: Why,
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Why {
    /// Neighbouring work-items read or write so many bytes apart.
    Apart(i64),
    /// So much more arithmetic is done than the program asks for.
    Again(f64),
    /// So few work-items do most of the work.
    Few(i64),
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.why {
            Why::Apart(stride) => {
                write!(f, "neighbouring work-items read or write elements that lie {stride} bytes apart")
            }
            Why::Again(times) => write!(f, "{times:.1} times the arithmetic that the program asks for is done"),
            Why::Few(1) => write!(f, "one work-item does it"),
            Why::Few(items) => write!(f, "{items} work-items do it, fewer than keep the device busy"),
        }
    }
}

/// Numbers for given sizes.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// Bytes of the inputs and results.
    pub necessary: f64,
    /// Bytes that the text reads and writes.
    pub moved: f64,
    /// Operations of floating-point numbers, or of integers where there are no others: those that the program asks for, and those
    /// of the text.
    pub asked: Option<f64>,
    pub done: f64,
    pub slow: Vec<Slow>,
}

impl Cost {
    /// Judges the cost at the sizes that it was counted for; `busy` work-items keep the device busy. What nobody can count is
    /// infinite.
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
