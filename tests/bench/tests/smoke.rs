//! Runs the benchmarks at tiny sizes: every program runs and agrees with every peer. Times are ignored.

use lift_tests::{kernels, sample};
use std::path::Path;
use std::process::Command;

/// Builds the C peers like `tests/bench/run`, but with less optimization.
fn build_peers(folder: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/openmp.cpp");
    let output = Command::new("g++").args(["-O1", "-fopenmp", "-o"]).arg(folder.join("openmp")).arg(source).output();
    let output = output.expect("g++ builds the peers in C: install it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn every_benchmark_runs_and_agrees_with_its_peers() {
    let folder = tempfile::tempdir().expect("a folder for the peers");
    build_peers(folder.path());
    let json = folder.path().join("report.json");
    let output = Command::new(env!("CARGO_BIN_EXE_lift-bench"))
        .args(["cpu", "--small", "--peers"])
        .arg(folder.path())
        .arg("--json")
        .arg(&json)
        .env("OMP_NUM_THREADS", "1")
        .output()
        .expect("the benchmarks start");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    let report = std::fs::read_to_string(&json).expect("the report is written");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    let rows = report["rows"].as_array().expect("a report has rows");
    let has = |benchmark: &str, wanted: &dyn Fn(&str) -> bool| {
        let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        rows.iter().any(|row| text(row, "benchmark") == benchmark && wanted(&text(row, "program")))
    };
    let mut benchmarks: Vec<_> = rows.iter().filter_map(|row| row["benchmark"].as_str()).collect();
    benchmarks.dedup();
    let is_taken = |benchmark: &str| sample::takes(benchmark, kernels::ONE_IN);
    let least = if std::env::var_os(sample::SEED).is_some() { 5 } else { 30 };
    assert!(benchmarks.len() > least, "only {benchmarks:?}");
    for benchmark in benchmarks {
        assert!(has(benchmark, &|program| program == "Lift"), "{benchmark} without Lift:\n{printed}");
        // The only peer of these benchmarks is PyTorch or Futhark, so here they run without comparison.
        if !["nested-", "rows-", "firsts-", "apl-"].iter().any(|set| benchmark.starts_with(set)) {
            assert!(
                has(benchmark, &|program| program.starts_with("by hand")),
                "{benchmark} without a peer:\n{printed}"
            );
        }
    }
    for benchmark in ["sum", "filter-map", "matmul", "jacobi2d", "nbody"].into_iter().filter(|b| is_taken(b)) {
        assert!(has(benchmark, &|program| program == "C, OpenMP"), "{benchmark} without C:\n{printed}");
    }
}

#[test]
fn the_compiler_is_timed_on_the_examples() {
    let output = Command::new(env!("CARGO_BIN_EXE_lift-bench"))
        .args(["compile", "gallery/sum", "papers/fig22", "euler/07", "--runs", "2"])
        .output()
        .expect("the benchmarks start");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for row in ["| gallery/sum.lift | 1 |", "| papers/fig22.lift | 1 |", "| euler/07.lift | 1 |", "| all 3 | |"] {
        assert!(printed.contains(row), "no row `{row}` in\n{printed}");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let output = Command::new(env!("CARGO_BIN_EXE_lift-bench"))
        .args(["cpu", "--small", "no-such-benchmark"])
        .output()
        .expect("the benchmarks start");
    assert!(!output.status.success());
    let why = String::from_utf8_lossy(&output.stderr);
    assert!(why.contains("no benchmark begins with no-such-benchmark"), "{why}");
}
