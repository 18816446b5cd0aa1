//! Generated code under `oclgrind`: no access out of bounds, no read of what was never written, no data race, no barrier
//! that not all meet, no misuse of the API, and the interpreter's results.
//!
//! `oclgrind` simulates a device and reports what it finds in a log.

mod checked;

use checked::{Checker, Fault, Runs, Variant};
use lift_codegen::target::Target;
use std::path::Path;
use std::process::{Command, ExitCode};

const DRIVER: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// Bytes of local memory of the simulator, which adds up those of all kernels of a program: each alone needs less.
const LOCAL_MEMORY: &str = "262144";

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
    // One, odd, a power of two: simulated work-items are slow.
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
        // Where groups hand on what they found in one pass, one polls with a volatile load what another adds to
        // atomically. To the simulator that is a data race; it is the promise that only devices of the table make
        // (`Target::single_pass`). One thread runs the groups in their order, so that none waits for one that comes later.
        command.env("OCLGRIND_NUM_THREADS", "1");
    } else if runs == Runs::Through {
        // Where checks fail, work-items look for failures while others record them: who sees one late does what nobody
        // will see.
        command.env("OCLGRIND_DATA_RACES", "1");
    }
    let ended = checked::ended(command);
    let found = std::fs::read_to_string(&log).unwrap_or_default();
    if found.trim().is_empty() { ended } else { Err(found) }
}
