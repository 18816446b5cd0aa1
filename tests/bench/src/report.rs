//! Reports results as a table and as JSON.

use crate::catalog::Benchmark;
use crate::external::Kind;
use crate::measure::{Effort, Times};
use lift_codegen::run::DeviceInfo;
use serde::Serialize;
use std::fmt;

#[derive(Debug, Serialize)]
pub struct Report {
    pub device: String,
    pub driver: String,
    pub effort: Effort,
    pub rows: Vec<Row>,
}

#[derive(Debug, Clone, Serialize)]
pub struct Row {
    pub benchmark: String,
    pub size: String,
    /// Lift, or the name of a peer.
    pub program: String,
    pub kind: Option<Kind>,
    pub times: Option<Times>,
    /// Minimal memory traffic and operations per second, for the best available time.
    pub gigabytes_per_second: Option<f64>,
    pub gigaflops: Option<f64>,
    /// Our time divided by the peer's, both measured in the same way.
    pub ratio: Option<f64>,
    pub goal: Option<f64>,
    /// The error, if any.
    pub problem: Option<String>,
}

impl Report {
    pub fn new(device: &DeviceInfo, effort: Effort) -> Report {
        Report {
            device: format!("{} ({})", device.name, device.platform),
            driver: device.driver.clone(),
            effort,
            rows: Vec::new(),
        }
    }
}

impl Row {
    fn new(benchmark: &Benchmark, program: &str) -> Row {
        Row {
            benchmark: benchmark.name.clone(),
            size: benchmark.size(),
            program: program.to_owned(),
            kind: None,
            times: None,
            gigabytes_per_second: None,
            gigaflops: None,
            ratio: None,
            goal: None,
            problem: None,
        }
    }

    pub fn failed(benchmark: &Benchmark, program: &str, why: String) -> Row {
        Row { problem: Some(why), ..Row::new(benchmark, program) }
    }

    pub fn ours(benchmark: &Benchmark, times: Times) -> Row {
        Row::new(benchmark, "Lift").timed(benchmark, times)
    }

    pub fn peer(
        benchmark: &Benchmark,
        kind: Kind,
        name: &str,
        times: Times,
        ours: Times,
        agreement: Result<(), String>,
    ) -> Row {
        // Prefer back-to-back times, if both have them; Futhark's programs report only wall times.
        let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
        Row {
            kind: Some(kind),
            ratio: ratio(ours.each, times.each).or_else(|| ratio(ours.wall, times.wall)),
            goal: benchmark.goals.iter().find(|(k, _)| *k == kind).map(|(_, goal)| *goal),
            problem: agreement.err().map(|why| format!("another result than ours: {why}")),
            ..Row::new(benchmark, name).timed(benchmark, times)
        }
    }

    fn timed(self, benchmark: &Benchmark, times: Times) -> Row {
        let per_second = |amount: f64| {
            let best = times.each.or(times.device).or(times.wall)?;
            (amount > 0.0).then(|| amount / best / 1e3)
        };
        Row {
            times: Some(times),
            gigabytes_per_second: per_second(benchmark.bytes),
            gigaflops: per_second(benchmark.operations),
            ..self
        }
    }

    pub fn is_right(&self) -> bool {
        self.problem.is_none()
    }
}

const HEAD: &str = "\
| benchmark | size | program | device µs | wall µs | each µs | GB/s | Gop/s | Lift's time by it | goal |
|---|---|---|---:|---:|---:|---:|---:|---:|---:|";

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}, driver {}; medians of {} runs\n", self.device, self.driver, self.effort.runs)?;
        writeln!(f, "{HEAD}")?;
        self.rows.iter().try_for_each(|row| writeln!(f, "{row}"))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} | {} | {} |", self.benchmark, self.size, self.program)?;
        if let Some(problem) = &self.problem {
            return write!(f, " **{}** |", problem.lines().next().unwrap_or_default());
        }
        let number = |n: Option<f64>| match n {
            None => String::new(),
            Some(n) if n >= 100.0 => format!("{n:.0}"),
            Some(n) if n >= 10.0 => format!("{n:.1}"),
            Some(n) => format!("{n:.2}"),
        };
        let (device, wall, each) = self.times.map_or((None, None, None), |t| (t.device, t.wall, t.each));
        for n in [device, wall, each, self.gigabytes_per_second, self.gigaflops] {
            write!(f, " {} |", number(n))?;
        }
        let missed = self.ratio.zip(self.goal).is_some_and(|(ratio, goal)| ratio > goal);
        match self.ratio {
            Some(ratio) if missed => write!(f, " **{ratio:.2}** |")?,
            Some(ratio) => write!(f, " {ratio:.2} |")?,
            None => write!(f, " |")?,
        }
        match self.goal {
            Some(goal) => write!(f, " ≤ {goal:.2} |"),
            None => write!(f, " |"),
        }
    }
}
