//! Generated code compiled for this processor with clang's sanitizers: no access outside a buffer, local memory or an
//! array, no signed overflow, no conversion out of an integer's range, no misaligned access, no divergent barrier, and
//! the interpreter's results for any order of work-items.
//!
//! `sanitizers/driver.c` is the device, `sanitizers/builtins.cl` has the built-in functions.

mod checked;

use checked::{Checker, Fault, Runs, Variant};
use lift_codegen::target::Target;
use lift_tests::files;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

static SANITIZERS: Checker = Checker {
    platform: "Sanitizers",
    variants: &[
        Variant { name: "portable", target: Target::portable() },
        Variant { name: "nvidia", target: Target::nvidia() },
    ],
    failing: &[
        Variant { name: "portable", target: Target::portable() },
        Variant { name: "gpu", target: Target::gpu() },
        Variant { name: "cpu", target: Target::cpu() },
        Variant { name: "nvidia", target: Target::nvidia() },
    ],
    // Zero, one, odd, more than a work-group and not a multiple of one.
    sizes: &[(0, 3), (1, 1), (5, 2), (300, 3)],
    random: 12,
    random_failing: 4,
    faults: &[
        Fault {
            name: "a write behind a buffer",
            changes: &[("result[i] =", "result[i + 1] =")],
            found: "AddressSanitizer: heap-buffer-overflow",
        },
        Fault {
            name: "a read before a buffer",
            changes: &[("xs[i]", "xs[i - 1]")],
            found: "AddressSanitizer: heap-buffer-overflow",
        },
        Fault {
            name: "a write behind local memory",
            changes: &[("  for (", "  __local int sums[2];\n  for ("), ("result[i] =", "result[i] = sums[i] =")],
            found: "runtime error: index 2 out of bounds",
        },
        Fault {
            name: "an overflow",
            changes: &[("(uint)xs[i] + 1u", "xs[i] + 2147483647")],
            found: "runtime error: signed integer overflow",
        },
        Fault {
            name: "a conversion of what does not fit",
            changes: &[("(uint)xs[i] + 1u", "xs[i] * 1e10f")],
            found: "is outside the range of representable values",
        },
        Fault {
            name: "a barrier that one does not meet",
            changes: &[("    result[i] =", "    if (i > 0) barrier(CLK_LOCAL_MEM_FENCE);\n    result[i] =")],
            found: "barrier divergence",
        },
    ],
    run,
};

fn main() -> ExitCode {
    checked::main(&SANITIZERS)
}

/// The compiler and its runtime library, which must be loaded before all others.
struct Clang {
    compiler: String,
    library: String,
}

fn clang() -> Result<&'static Clang, String> {
    static CLANG: OnceLock<Option<Clang>> = OnceLock::new();
    let found = CLANG.get_or_init(|| {
        let names =
            std::iter::once("clang".to_owned()).chain((14..=22).rev().map(|version| format!("clang-{version}")));
        names.into_iter().find_map(|compiler| {
            let mut ask = Command::new(&compiler);
            let said = ask.arg("-print-file-name=libclang_rt.asan-x86_64.so").output().ok()?;
            let library = String::from_utf8(said.stdout).ok()?.trim().to_owned();
            // A relative name means that the library was not found.
            Path::new(&library).is_absolute().then_some(Clang { compiler, library })
        })
    });
    found
        .as_ref()
        .ok_or_else(|| "clang with its sanitizers is missing: install the packages clang and libclang-rt-dev".into())
}

fn source(name: &str) -> PathBuf {
    files::root().join("tests/sanitizers").join(name)
}

/// Compiles the device once for all tests.
fn driver() -> Result<&'static Path, String> {
    static DRIVER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let driver = DRIVER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (unfinished, driver) =
            (folder.join(format!("san{}.so", std::process::id())), folder.join("libsanitizers.so"));
        // The driver is compiled without sanitizers, because it switches stacks. Sanitizer functions come from the
        // preloaded library.
        let mut command = Command::new(&clang()?.compiler);
        command.args(["-shared", "-fPIC", "-Wall", "-Wextra", "-O1", "-g1"]);
        checked::ended({
            command.arg(source("driver.c")).arg("-o").arg(&unfinished);
            command
        })?;
        // Rename atomically, so that concurrent tests find the complete file or none.
        std::fs::rename(unfinished, &driver).map_err(|e| e.to_string())?;
        Ok(driver)
    });
    driver.as_deref().map_err(Clone::clone)
}

fn run(mut command: Command, _: &Variant, _: Runs) -> Result<(), String> {
    let (clang, driver) = (clang()?, driver()?);
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    command
        .env("OPENCL_DYLIB_PATH", driver)
        .env("SANITIZER_CLANG", &clang.compiler)
        .env("SANITIZER_BUILTINS", source("builtins.cl"))
        .env("SANITIZER_FOLDER", folder.path())
        .env("LD_PRELOAD", &clang.library)
        // Leaks at exit are not faults of the kernels, and the driver manages the stacks of work-items.
        .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=0")
        .env("UBSAN_OPTIONS", "print_stacktrace=1");
    checked::ended(command)
}
