//! How time is taken, the same way of every program that runs through our queue:
//!
//! * **device**: what the device says it took for the kernels of one run (profiling events), waiting after each run;
//! * **wall**: the host's clock from the first command to the end of the last, on a queue that does not profile;
//! * **each**: runs enqueued back to back and one wait, divided by their number: what a run costs in a longer program.
//!
//! Each is the median of many runs after some that do not count.

use crate::Problem;
use lift_codegen::run::Device;
use lift_codegen::run::device::{HostData, Session};
use serde::Serialize;
use std::time::Instant;

/// Microseconds. What could not be measured of another program is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Times {
    pub device: Option<f64>,
    pub wall: Option<f64>,
    pub each: Option<f64>,
}

/// Microseconds on the device.
const SLOW: f64 = 50_000.0;

/// How often.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Effort {
    pub warmup: u32,
    pub runs: u32,
    /// Back-to-back runs take about this long together, in microseconds; 0 if only the device's own times are wanted.
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

/// Something that runs on a session: one run can be enqueued, and its result be read.
pub trait Runner {
    fn enqueue(&mut self) -> Result<(), Problem>;
    /// Nanoseconds on the device since the last time this was asked.
    fn nanoseconds(&mut self) -> Result<u64, Problem>;
    fn result(&mut self) -> Result<Vec<HostData>, Problem>;
}

/// Makes a program ready on a session; twice, for the session that profiles and for the one that does not.
pub trait Make {
    fn make<'s>(&'s self, session: &'s Session) -> Result<Box<dyn Runner + 's>, Problem>;
}

/// The result, and the times of a program. `same` compares the result of the last run with that of the first, which has
/// found poisoned memory.
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

    // Of what takes long, the host's clock needs fewer looks: launching is no part of it that could be seen.
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
    // Of slow programs it is known by then.
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
