//! Measures times, in the same way for every program that runs on our queue:
//!
//! * **device**: the time of a run's kernels as reported by the device (profiling events), waiting after each run;
//! * **wall**: the host's clock from the first command to the end of the last, on a queue without profiling;
//! * **each**: the time of many runs enqueued back to back with one wait, divided by their number: the cost of a run in
//!   a longer program.
//!
//! Each is the median of many runs after some warm-up runs.

use crate::Problem;
use lift_codegen::run::Device;
use lift_codegen::run::device::{HostData, Session};
use serde::Serialize;
use std::time::Instant;

/// In microseconds. `None` if the peer does not report it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    pub device: Option<f64>,
    pub wall: Option<f64>,
    pub each: Option<f64>,
}

/// Device time in microseconds above which a program gets fewer runs.
const SLOW: f64 = 50_000.0;

/// Numbers of runs.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Effort {
    pub warmup: u32,
    pub runs: u32,
    /// Total time of back-to-back runs, in microseconds; 0 to measure device times only.
    pub burst: f64,
}

impl Effort {
    pub fn of(runs: u32) -> Effort {
        Effort { warmup: 3, runs, burst: 20_000.0 }
    }
    pub fn smoke() -> Effort {
        Effort { warmup: 0, runs: 1, burst: 0.0 }
    }
}

/// A program on a session: runs can be enqueued, and the result read.
pub trait Runner {
    fn enqueue(&mut self) -> Result<(), Problem>;
    /// Returns the device time in nanoseconds since the last call.
    fn nanoseconds(&mut self) -> Result<u64, Problem>;
    fn result(&mut self) -> Result<Vec<HostData>, Problem>;
}

/// Prepares a program on a session; called twice, with and without profiling.
pub trait Make {
    fn make<'s>(&'s self, session: &'s Session) -> Result<Box<dyn Runner + 's>, Problem>;
}

/// Measures a program; returns the result and the times. `same` compares the result of the last run with that of the
/// first, which started with poisoned memory.
pub fn measure(
    make: &dyn Make,
    device: &Device,
    effort: Effort,
    same: impl Fn(&[HostData], &[HostData]) -> Result<(), String>,
) -> Result<(Vec<HostData>, Times), Problem> {
    let open = |profiling| Session::open(device, profiling).map_err(|e| e.to_string());
    let finish = |session: &Session| session.finish().map_err(|e| e.to_string());

    let session = open(true)?;
    let mut runner = make.make(&session)?;
    runner.enqueue()?;
    let result = runner.result()?;
    for _ in 0..effort.warmup {
        runner.enqueue()?;
        finish(&session)?;
    }
    runner.nanoseconds()?;
    let mut on_device = Vec::new();
    for _ in 0..effort.runs {
        runner.enqueue()?;
        finish(&session)?;
        on_device.push(runner.nanoseconds()? as f64 / 1e3);
    }
    same(&result, &runner.result()?).map_err(|why| format!("the last run has another result than the first: {why}"))?;
    if effort.burst == 0.0 {
        return Ok((result, Times { device: Some(median(&mut on_device)), wall: None, each: None }));
    }
    drop(runner);
    drop(session);

    // Slow programs need fewer runs by the host's clock, because launching is a negligible part of their time.
    let on_device = median(&mut on_device);
    let effort = if on_device > SLOW { Effort { warmup: 0, runs: effort.runs.min(5), ..effort } } else { effort };
    let session = open(false)?;
    let mut runner = make.make(&session)?;
    for _ in 0..=effort.warmup {
        runner.enqueue()?;
        finish(&session)?;
    }
    let mut wall = Vec::new();
    for _ in 0..effort.runs {
        let start = Instant::now();
        runner.enqueue()?;
        finish(&session)?;
        wall.push(start.elapsed().as_secs_f64() * 1e6);
    }
    let wall = median(&mut wall);
    let mut each = Vec::new();
    let count = (effort.burst / wall).clamp(4.0, 200.0) as u32;
    // A slow program needs only one burst.
    let bursts = if wall > effort.burst { 1 } else { 5 };
    for _ in 0..bursts {
        let start = Instant::now();
        for _ in 0..count {
            runner.enqueue()?;
        }
        finish(&session)?;
        each.push(start.elapsed().as_secs_f64() * 1e6 / f64::from(count));
    }
    same(&result, &runner.result()?).map_err(|why| format!("without profiling the result is another: {why}"))?;
    Ok((result, Times { device: Some(on_device), wall: Some(wall), each: Some(median(&mut each)) }))
}

pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}
