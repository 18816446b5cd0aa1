//! Measures the compiler: from the source of an example, without caches, to OpenCL text and plan of all its kernels.

use crate::Problem;
use crate::source;
use lift_codegen::core::Kernel;
use lift_codegen::lower;
use lift_codegen::target::Target;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

/// In milliseconds.
const GOAL: f64 = 30.0;

/// Returns a table of the slowest examples and of the total over all examples.
pub fn run(examples: &Path, names: &[String], runs: u32) -> Result<String, Problem> {
    let target = Target::nvidia();
    let mut all = Vec::new();
    let mut by_example = Vec::new();
    for path in source::programs(examples)? {
        let name = path.strip_prefix(examples).unwrap_or(&path).display().to_string();
        if !names.is_empty() && !names.iter().any(|n| name.starts_with(&**n)) {
            continue;
        }
        let text = source::read(&path)?;
        let mut times = Vec::new();
        let mut kernels = 0;
        for _ in 0..runs {
            let start = Instant::now();
            // Examples with errors and unsupported kernels count, too, with the time to report the problem.
            let found = source::kernels(examples, &name, &text)?;
            let cores: Vec<&Kernel> = found.iter().filter_map(|kernel| kernel.core.as_deref().ok()).collect();
            kernels = cores.len();
            std::hint::black_box(lower::compile_all(&cores, &target));
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        all.extend_from_slice(&times);
        by_example.push((name, kernels, percentile(&times, 50.0), percentile(&times, 99.0)));
    }
    if all.is_empty() {
        return Err(format!("no example begins with {}", names.join(", ")));
    }
    all.sort_by(f64::total_cmp);
    by_example.sort_by(|a, b| b.3.total_cmp(&a.3));
    let mut out = String::from("| example | kernels | p50 ms | p99 ms |\n|---|---:|---:|---:|\n");
    for (name, kernels, p50, p99) in by_example.iter().take(10) {
        let _ = writeln!(out, "| {name} | {kernels} | {p50:.2} | {p99:.2} |");
    }
    let (p50, p99) = (percentile(&all, 50.0), percentile(&all, 99.0));
    let _ = writeln!(out, "| all {} | | {p50:.2} | {p99:.2} |", by_example.len());
    let _ = writeln!(out, "\nThe goal is a p99 of {GOAL:.0} ms for any example.");
    Ok(out)
}

/// Returns the percentile of sorted numbers by nearest rank.
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let rank = (percent / 100.0 * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_the_nearest_rank() {
        let numbers: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(percentile(&numbers, 50.0), 100.0);
        assert_eq!(percentile(&numbers, 99.0), 198.0);
        assert_eq!(percentile(&[7.0], 99.0), 7.0);
    }
}
