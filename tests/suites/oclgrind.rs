//! Generated code under `oclgrind`: no access out of bounds, no uninitialized read, no data race, no divergent barrier,
//! no misuse of the API, and the interpreter's results.
//!
//! `oclgrind` simulates a device and logs what it detects.

mod checked;

use checked::{Checker, Fault, Runs, Variant};
use lift_codegen::target::Target;
use std::path::Path;
use std::process::{Command, ExitCode};

const DRIVER: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// Local memory of the simulator in bytes. It adds up the kernels of a program; each alone needs less.
const LOCAL_MEMORY: &str = "1048576";

static OCLGRIND: Checker = Checker {
    platform: "Oclgrind",
    variants: &[
        Variant { name: "portable", target: Target::portable() },
        Variant { name: "nvidia", target: Target { single_pass: false, ..Target::nvidia() } },
        Variant { name: "nvidia in one pass", target: Target::nvidia() },
    ],
    failing: &[
        Variant { name: "portable", target: Target::portable() },
        Variant { name: "gpu", target: Target::gpu() },
        Variant { name: "cpu", target: Target::cpu() },
        Variant { name: "nvidia in one pass", target: Target::nvidia() },
    ],
    // One, odd, a power of two; few, because simulation is slow.
    sizes: &[(1, 1), (5, 2), (64, 3)],
    random: 12,
    random_failing: 3,
    faults: &[
        Fault {
            name: "a write behind a buffer",
            changes: &[("result[i] =", "result[i + 1] =")],
            found: "Invalid write of size 4",
        },
        Fault { name: "a data race", changes: &[("result[i] =", "result[0] =")], found: "Write-write data race" },
        Fault {
            name: "a barrier that one does not meet",
            changes: &[("    result[i] =", "    if (i > 0) barrier(CLK_LOCAL_MEM_FENCE);\n    result[i] =")],
            found: "Work-group divergence detected (barrier)",
        },
    ],
    run,
};

fn main() -> ExitCode {
    checked::main(&OCLGRIND)
}

fn run(mut command: Command, variant: &Variant, runs: Runs) -> Result<(), String> {
    if !Path::new(DRIVER).exists() {
        return Err(format!("{DRIVER} is missing: install the package oclgrind"));
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let log = folder.path().join("log");
    std::fs::write(folder.path().join("oclgrind.icd"), DRIVER).map_err(|e| e.to_string())?;
    command
        .env("OCL_ICD_VENDORS", folder.path())
        .env("OCLGRIND_CHECK_API", "1")
        .env("OCLGRIND_LOCAL_MEM_SIZE", LOCAL_MEMORY)
        .env("OCLGRIND_LOG", &log);
    if variant.target.single_pass {
        // In decoupled look-back, a work-group polls with volatile loads what another one updates atomically. The
        // simulator reports that as a data race; devices with `Target::single_pass` allow it. A single thread runs the
        // work-groups in order, so that none waits for a later one.
        command.env("OCLGRIND_NUM_THREADS", "1");
    } else if runs == Runs::Through {
        // Where checks fail, work-items read the failure flag while others write it: a work-item that sees it late does
        // work whose results are discarded.
        command.env("OCLGRIND_DATA_RACES", "1");
    }
    let ended = checked::ended(command);
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    if found.trim().is_empty() { ended } else { Err(found) }
}
