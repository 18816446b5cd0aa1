//! Messages about code that makes a kernel far slower than the device.
//!
//! Lengths are not known before a run, so a kernel is judged at sample sizes, unless sizes are given. An estimate of
//! its time ([`Cost::slow`]) decides what is reported: a part that costs little beside the rest is not.

use super::verdict::{Slow, Why};
use super::{Cost, LaunchCost};
use crate::core::Prim;
use crate::plan::Program;
use crate::report::Cliff;
use crate::sizes::SizeValues;
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use std::fmt::Write as _;

/// Slow parts are reported if the kernel takes at least this many times as long as without them.
pub const FAR: f64 = 4.0;
/// Minimum share of a slow part in the cost of all slow parts.
const SHARE: f64 = 0.25;
/// Operations of a GPU while it moves a byte, and bytes that it moves while a launch starts.
const OPERATIONS: f64 = 12.0;
const LAUNCH: f64 = 1e7;
/// Minimum bytes of an access to global memory.
const SECTOR: f64 = 32.0;
/// Maximum bytes of inputs and results at sample sizes.
const SAMPLE: i64 = 1 << 28;
/// The largest sample size, as a power of two.
const LARGEST: u32 = 24;
/// The assumed value of a number that only the device knows and that has no bound.
const UNKNOWN: i64 = 64;

/// The advice for a fold at the top of a kernel whose function has work for the whole device.
const ITERATE: &str = "the rounds of an `iterate` in its place would each use the whole device";

/// A part of a kernel that is far slower than the device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowPart {
    /// A few words, shown beside the expression.
    pub label: String,
    pub message: String,
    /// A faster way to write it, if one is known.
    pub advice: Option<&'static str>,
    /// The expression and its launch. If the expression is in another file, the launch is still in this one.
    pub origins: Vec<Origin>,
}

impl SlowPart {
    /// The message, with the advice.
    pub fn told(&self) -> String {
        self.advice.map_or_else(|| self.message.clone(), |advice| format!("{}; {advice}", self.message))
    }
}

/// The slow parts of a kernel that was compiled for `target`, at the given sizes and, of the others, at sample sizes.
/// Empty for CPUs, for which there is no estimate.
pub fn slow_parts(program: &Program, target: &Target, given: &SizeValues) -> Vec<SlowPart> {
    if target.class != Class::Gpu {
        return Vec::new();
    }
    let report = &program.report;
    let sizes = sample(program, given);
    let cost = sizes.as_ref().map(|sizes| Cost::at(program, sizes));
    let found = cost.as_ref().and_then(|cost| cost.slow(target.busy()));
    // If the cost cannot be counted, report everything that is known.
    let matters = |cliff: &&Cliff| {
        found.as_ref().is_none_or(|found| found.iter().any(|(launch, _)| launch.origins.contains(&cliff.origin)))
    };
    let mut parts: Vec<SlowPart> = report.cliffs.iter().filter(matters).map(alone).collect();
    let mut at = String::new();
    for (var, value) in sizes.iter().flat_map(SizeValues::iter).filter(|(var, _)| program.plan.sizes.contains(var)) {
        let _ = write!(at, "{}{var} = {value}", if at.is_empty() { " at " } else { ", " });
    }
    for (launch, slow) in found.unwrap_or_default() {
        let runs = |origin: &Origin| launch.origins.contains(origin);
        let demoted = report.demoted.iter().find(|origin| runs(origin));
        let mut sequential = report.sequential.iter().filter(|(_, origin)| runs(origin)).map(|(prim, _)| *prim);
        let (told, advice) = match slow.why {
            // An upper bound is not the work done.
            Why::Again(_) => (launch.work.float.exact, None),
            // That one work-item runs an operator already implies that few work and that they read far apart.
            _ if report.cliffs.iter().any(|cliff| runs(&cliff.origin)) => (false, None),
            Why::Apart(_) => (true, None),
            // The program may intend sequential execution.
            Why::Few(items) => {
                let first = sequential.next();
                let folded = items == 1 && matches!(first, Some(Prim::Reduce(_)));
                (demoted.is_some() || first.is_none(), folded.then_some(ITERATE))
            }
        };
        if !told {
            continue;
        }
        let inside = demoted.filter(|_| matches!(slow.why, Why::Few(_))).cloned();
        let origins: Vec<Origin> = [inside, slow.origin.clone(), launch.origin.clone()].into_iter().flatten().collect();
        parts.push(SlowPart { label: label(&slow.why), message: format!("{slow}{at}"), advice, origins });
    }
    parts
}

fn alone(cliff: &Cliff) -> SlowPart {
    let label = "by one work-item".to_owned();
    SlowPart { label, message: cliff.to_string(), advice: None, origins: vec![cliff.origin.clone()] }
}

fn label(why: &Why) -> String {
    match why {
        Why::Apart(_) => "far apart".to_owned(),
        Why::Again(times) => format!("computed {times:.0} times"),
        Why::Few(1) => "by one work-item".to_owned(),
        Why::Few(items) => format!("by {items} work-items"),
    }
}

/// The given sizes, and for the others the largest power of two with which inputs and results have [`SAMPLE`] bytes at most and
/// the checks before a run hold.
fn sample(program: &Program, given: &SizeValues) -> Option<SizeValues> {
    let plan = &program.plan;
    let vars: Vec<Var> = plan.sizes.iter().cloned().chain(plan.input_lengths()).chain(plan.measured()).collect();
    let value = |var: &Var, k: u32| (var.clone(), given.get(var).unwrap_or(1 << k));
    if vars.iter().all(|var| given.get(var).is_some()) {
        return Some(vars.iter().map(|var| value(var, 0)).collect());
    }
    (0..=LARGEST).rev().map(|k| vars.iter().map(|var| value(var, k)).collect::<SizeValues>()).find(|sizes| {
        let bytes = super::necessary(program, sizes).as_const();
        let holds = plan.checks.iter().all(|(check, _)| check.check(&|var| sizes.get(var)).unwrap_or(false));
        holds && bytes.is_some_and(|bytes| bytes <= SAMPLE)
    })
}

/// The cost of a launch, in units of the time to move a byte.
struct Estimate<'c> {
    launch: &'c LaunchCost,
    times: f64,
    bytes: f64,
    operations: f64,
    /// The cost of accesses far apart, with their causes.
    apart: Vec<(f64, Slow)>,
    items: f64,
}

/// Which slow parts an estimate includes.
#[derive(Clone, Copy, PartialEq)]
enum Leaving {
    Nothing,
    Apart(usize, usize),
    Few(usize),
    Again,
    All,
}

impl Cost {
    /// The parts for which the kernel takes [`FAR`] times as long as it would without them; `busy` work-items keep the device
    /// busy. Each with the launch that it is in; `None` where an amount is not known.
    fn slow(&self, busy: i64) -> Option<Vec<(&LaunchCost, Slow)>> {
        let estimates: Option<Vec<Estimate<'_>>> = self.launches.iter().map(|l| self.estimate(l)).collect();
        let estimates = estimates?;
        let asked = self.asked.as_ref().and_then(|asked| self.guessed(&asked.float)).filter(|n| *n > 0.0);
        let done: f64 = estimates.iter().map(|e| e.operations * e.times).sum();
        let again = asked.map_or(1.0, |asked| (done / asked).max(1.0));
        let time = |leaving: Leaving| -> f64 {
            let of = |(n, e): (usize, &Estimate<'_>)| {
                let all = leaving == Leaving::All;
                let apart = e.apart.iter().enumerate();
                let apart =
                    apart.filter(|(k, _)| !all && leaving != Leaving::Apart(n, *k)).map(|(_, (bytes, _))| bytes);
                let once = if all || leaving == Leaving::Again { again } else { 1.0 };
                let work = (e.bytes + apart.sum::<f64>()).max(e.operations / once / OPERATIONS);
                let idle =
                    if all || leaving == Leaving::Few(n) { 1.0 } else { (busy as f64 / e.items.max(1.0)).max(1.0) };
                e.times * (LAUNCH + work * idle)
            };
            estimates.iter().enumerate().map(of).sum()
        };
        let (now, best) = (time(Leaving::Nothing), time(Leaving::All));
        let least = (now - best) * SHARE;
        if now < FAR * best {
            return Some(Vec::new());
        }
        let mut slow: Vec<(&LaunchCost, Slow)> = Vec::new();
        let mut tell = |launch, leaving: Leaving, part: Slow| {
            if now - time(leaving) >= least && slow.iter().all(|(_, known)| *known != part) {
                slow.push((launch, part));
            }
        };
        for (n, e) in estimates.iter().enumerate() {
            for (k, (_, part)) in e.apart.iter().enumerate() {
                tell(e.launch, Leaving::Apart(n, k), part.clone());
            }
            let why = Why::Few(e.items as i64);
            tell(e.launch, Leaving::Few(n), Slow { why, origin: e.launch.origin.clone() });
        }
        let most = estimates.iter().max_by(|a, b| (a.operations * a.times).total_cmp(&(b.operations * b.times)));
        if let Some(most) = most.filter(|_| again > 1.0) {
            tell(most.launch, Leaving::Again, Slow { why: Why::Again(again), origin: most.launch.origin.clone() });
        }
        Some(slow)
    }

    /// The value of an amount, with a guess for unknown numbers.
    fn guessed(&self, amount: &Size) -> Option<f64> {
        if let Some(n) = self.value(amount) {
            return Some(n as f64);
        }
        let guess = |var: &Var| self.unknown.iter().any(|u| u.var == *var && u.at_most.is_none()).then_some(UNKNOWN);
        self.value(&amount.subst(&mut |var| guess(var).map(Size::int))).map(|n| n as f64)
    }

    fn estimate<'c>(&self, launch: &'c LaunchCost) -> Option<Estimate<'c>> {
        let number = |size: &Size| self.guessed(size);
        let work = &launch.work;
        let operations = number(&work.float.size)? + number(&work.special.size)?;
        let mut apart = Vec::new();
        for part in &launch.apart {
            let stride = number(&part.stride)?.abs();
            let waste = stride.min(SECTOR) / part.element.max(1) as f64 - 1.0;
            if waste > 0.0 {
                let origin = part.origin.clone().or_else(|| launch.origin.clone());
                apart.push((number(&part.bytes)? * waste, Slow { why: Why::Apart(stride as i64), origin }));
            }
        }
        let groups: Option<f64> = launch.groups.iter().map(number).product();
        let items = groups? * launch.items.iter().map(|n| f64::from(*n)).product::<f64>();
        let bytes = number(&work.read.size)? + number(&work.written.size)?;
        // The whole device clears buffers for the host.
        let items = if launch.function.is_some() { items } else { f64::INFINITY };
        Some(Estimate { launch, times: number(&launch.times)?, bytes, operations, apart, items })
    }
}
