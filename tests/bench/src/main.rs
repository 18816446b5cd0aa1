//! `lift-bench`: runs the programs of `examples/gallery` on a device and compares them with peers.
//!
//! A benchmark ([`catalog`]) is a kernel of the gallery on inputs of a size ([`data`]), with its peers: hand-written
//! kernels ([`by_hand`]) on the same device and queue, and external programs ([`external`]) in Futhark, CUDA, C with
//! OpenMP, NumPy and PyTorch. All get the same inputs. Results are compared ([`compare`]) before and after the
//! measurement ([`measure`]), and reported by [`report`]. [`compile_time`] measures the compiler itself.

mod by_hand;
mod catalog;
mod compare;
mod compile_time;
mod data;
mod external;
mod grid;
mod measure;
mod ours;
mod report;
mod source;

use catalog::{Benchmark, Scale};
use clap::{Parser, ValueEnum};
use external::External;
use lift_codegen::run::device::{self, Device};
use lift_codegen::run::{DeviceChoice, DeviceKind};
use lift_codegen::target::Target;
use lift_tests::{kernels, sample};
use measure::Effort;
use report::{Report, Row};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Why a measurement failed.
type Problem = String;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// The first GPU, with sizes for GPUs.
    Gpu,
    /// The first processor that OpenCL offers, with sizes for processors.
    Cpu,
    /// Compile time, from the source to the OpenCL text.
    Compile,
    /// The cells of the grid, on a device.
    Cells,
}

/// Runs the gallery's programs and their peers and prints a table.
#[derive(Debug, Parser)]
struct Options {
    mode: Mode,
    /// Only benchmarks whose names start with one of these.
    names: Vec<String>,
    /// The number of the device in `lift devices`.
    #[arg(long, value_name = "I")]
    device: Option<usize>,
    /// Tiny inputs and few runs, to check that everything works and agrees; a sample of the benchmarks if a seed is set.
    #[arg(long)]
    small: bool,
    /// Timed runs of each program.
    #[arg(long, default_value_t = 25, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The folder with the examples; default: that of the source tree.
    #[arg(long, value_name = "DIR")]
    examples: Option<PathBuf>,
    /// The folder with the external peers.
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// With `grid`, compare with the interpreter instead of measuring.
    #[arg(long)]
    check: bool,
    /// With `grid`, compile for this target instead of the device's own.
    #[arg(long)]
    target: Option<Target>,
    /// Start no benchmark after this many seconds.
    #[arg(long, value_name = "SECONDS")]
    budget: Option<u64>,
    /// Also write the measurements to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let examples =
        options.examples.clone().unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"));
    let result = match options.mode {
        Mode::Compile => compile_time::run(&examples, &options.names, options.runs).map(|report| {
            print!("{report}");
            true
        }),
        Mode::Gpu | Mode::Cpu => devices(&options, &examples),
        Mode::Cells => cells(&options),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the benchmarks; returns whether all results agree.
fn devices(options: &Options, examples: &Path) -> Result<bool, Problem> {
    let kind = if options.mode == Mode::Gpu { DeviceKind::Gpu } else { DeviceKind::Cpu };
    let choice = options.device.map_or(DeviceChoice::Kind(kind), DeviceChoice::Index);
    let device = device::choose(choice).map_err(|e| e.to_string())?;
    // Tiny runs are not timed: optimizing, and loading the driver's library for each program, take most of their time.
    let device = if options.small { device.keeping().unoptimized() } else { device };
    let scale = match (options.small, options.mode) {
        (true, _) => Scale::Small,
        (false, Mode::Gpu) => Scale::Gpu,
        (false, _) => Scale::Cpu,
    };
    let effort = if options.small { Effort::smoke() } else { Effort::of(options.runs) };
    let externals = options.peers.as_deref().map(External::in_folder).unwrap_or_default();
    let wanted = |b: &Benchmark| match options.names.is_empty() {
        true => !options.small || sample::takes(&*b.name, kernels::ONE_IN),
        false => options.names.iter().any(|n| b.name.starts_with(&**n)),
    };
    let mut report = Report::new(&device.info, effort);
    let started = std::time::Instant::now();
    for benchmark in catalog::all(scale) {
        if !wanted(&benchmark) {
            continue;
        }
        if options.budget.is_some_and(|budget| started.elapsed().as_secs() >= budget) {
            eprintln!("{}: left out, the time is up", benchmark.name);
            continue;
        }
        for row in measure_one(examples, &benchmark, &device, &externals, scale, effort) {
            eprintln!("{row}");
            report.rows.push(row);
        }
    }
    if report.rows.is_empty() {
        return Err(format!("no benchmark begins with {}", options.names.join(", ")));
    }
    println!("{report}");
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(&report).map_err(|e| e.to_string())?;
        std::fs::write(path, json + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(report.rows.iter().all(Row::is_right))
}

/// Measures the cells of the grid, or compares them with the interpreter; returns whether all are right.
fn cells(options: &Options) -> Result<bool, Problem> {
    let choice = options.device.map_or(DeviceChoice::Best, DeviceChoice::Index);
    let device = device::choose(choice).map_err(|e| e.to_string())?;
    let target = &options.target.unwrap_or_else(|| Target::of(&device.info));
    if options.check {
        let wrong = grid::check(&device, target, &options.names);
        wrong.iter().for_each(|line| println!("{line}"));
        return Ok(wrong.is_empty());
    }
    print!("{}", grid::measured(&device, target, &options.names, Effort::of(options.runs))?);
    Ok(true)
}

/// Measures our program, then its peers, and compares their results with ours.
fn measure_one(
    examples: &Path,
    benchmark: &Benchmark,
    device: &Device,
    externals: &[External],
    scale: Scale,
    effort: Effort,
) -> Vec<Row> {
    let inputs = (benchmark.inputs)();
    let mut rows = Vec::new();
    let (result, ours) = match ours::measure(examples, benchmark, &inputs, device, effort) {
        Ok(measured) => measured,
        Err(why) => {
            rows.push(Row::failed(benchmark, "Lift", why));
            return rows;
        }
    };
    rows.push(Row::ours(benchmark, ours));
    for peer in (benchmark.by_hand)(scale) {
        rows.push(match by_hand::measure(&peer, &inputs, device, effort) {
            Ok((theirs, times)) => {
                let agreement = benchmark.check.compare(&result, &theirs);
                Row::peer(benchmark, peer.kind, &peer.name, times, ours, agreement)
            }
            Err(why) => Row::failed(benchmark, &peer.name, why),
        });
    }
    for external in externals.iter().filter(|e| benchmark.external.contains(&e.kind)) {
        rows.push(match external.measure(&external.kind.entry(benchmark.entry()), &inputs, effort) {
            Ok((theirs, times)) => {
                let agreement = benchmark.check.compare(&result, &theirs);
                Row::peer(benchmark, external.kind, external.kind.name(), times, ours, agreement)
            }
            Err(why) => Row::failed(benchmark, external.kind.name(), why),
        });
    }
    rows
}
