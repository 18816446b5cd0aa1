//! `lift build --cost`: golden reports of some examples, and comparison of the numbers with `oclgrind`, a simulator
//! that counts executed instructions.
//!
//! The simulator is an OpenCL driver, so each program runs in a child process with that driver only, which prints the
//! counts.

use libtest_mimic::Trial;
use lift_analysis::size::Size;
use lift_codegen::cost::{Amount, Cost};
use lift_codegen::lower;
use lift_codegen::run::{self, RunOptions};
use lift_codegen::target::Target;
use lift_server::engine;
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const DRIVER: &str = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";
/// Environment variable with the task of a child process.
const TASK: &str = "LIFT_COUNTED";

/// Example, kernel and target of each golden report.
const REPORTS: [(&str, &str, &str); 13] = [
    ("saxpy", "saxpy", "portable"),
    ("saxpy", "saxpy", "gpu"),
    ("dot", "scalar-product", "portable"),
    ("matmul", "multiply", "portable"),
    ("stencil", "smooth2D", "portable"),
    ("histogram", "histogram", "portable"),
    ("papers/fig22", "fig22", "portable"),
    ("papers/fig22", "fig22", "nvidia"),
    ("gallery/jacobi2d", "sweeps", "portable"),
    ("gallery/sum", "sum-of", "cpu"),
    ("gallery/spmv", "by-rows", "portable"),
    ("irregular/triangle", "product", "portable"),
    ("irregular/triangle", "product", "gpu"),
];

/// Example, kernel, target and run line.
const COUNTED: [(&str, &str, &str, &str); 22] = [
    ("saxpy", "saxpy", "portable", "a=2 xs=iota ys=iota N=300"),
    ("saxpy", "saxpy", "gpu", "a=2 xs=iota ys=iota N=1300"),
    ("saxpy", "saxpy", "cpu", "a=2 xs=iota ys=iota N=300"),
    ("matmul", "multiply", "portable", "a=random b=random N=9 M=17 K=5"),
    ("papers/fig22", "fig22", "portable", "xs=random N=3000"),
    ("gallery/sum", "sum-of", "portable", "xs=iota N=3000"),
    ("gallery/sum", "sum-of", "cpu", "xs=iota N=3000"),
    ("gallery/jacobi2d", "jacobi2d", "portable", "grid=random N=20 M=19"),
    ("gallery/jacobi2d", "sweeps", "portable", "grid=random N=20 M=19 T=3"),
    ("gallery/gemv", "gemv", "portable", "a=random x=random y=random alpha=2 beta=3 N=40 M=30"),
    ("gallery/gemv", "gemv", "gpu", "a=random x=random y=random alpha=2 beta=3 N=5 M=300"),
    ("gallery/transpose", "exchange", "portable", "a=random N=20 M=33"),
    ("gallery/scan", "running-sums", "portable", "xs=iota N=3000"),
    ("histogram", "histogram", "portable", "xs=random N=50 B=7"),
    ("rows", "above", "portable", "rows=random threshold=0.5 M=30 N=11"),
    ("irregular/triangle", "product", "portable", "matrix=[[1],[2,3],[4,5,6],[7,8,9,10]] vector=[1,2,3,4]"),
    ("../tests/bench/programs/sort", "ascending", "gpu", "xs=random N=5000"),
    ("../tests/bench/programs/sort", "ascending", "portable", "xs=random N=3000"),
    ("../tests/bench/programs/sort", "ascending-floats", "gpu", "xs=random N=3000"),
    ("../tests/bench/programs/sort", "order", "gpu", "xs=random N=4500"),
    ("gallery/histogram", "histogram", "gpu", "xs=random N=5000 B=16"),
    ("gallery/kmeans", "step", "portable", "points=random centroids=random N=300 K=5 D=3"),
];

/// Limits on the static cost of a composition of rows on a GPU.
struct Budget {
    /// The file without its extension.
    file: &'static str,
    kernel: &'static str,
    sizes: &'static [(&'static str, i64)],
    /// Maximal global memory traffic of loads and stores, before caches, in bytes.
    bytes: f64,
    /// Maximal number of arithmetic operations.
    operations: f64,
    /// Minimal number of work-items of the most expensive launch.
    items: i64,
}

const ROWS: &[(&str, i64)] = &[("N", 8192), ("M", 4096)];
const ELEMENTS: f64 = 8192.0 * 4096.0;
const PRODUCTS: f64 = 64.0 * 512.0 * 512.0 * 512.0;
/// Number of work-items that occupy a GPU of 132 compute units, with 8 elements in flight each.
const BUSY: i64 = 132 * 256;

const NESTED: &str = "bench/programs/nested";
const COMPOSITIONS: &str = "cost/compositions";
const SHORT: &[(&str, i64)] = &[("N", 1 << 20), ("M", 32)];

/// Each array is read and written about once; products read their inputs once per tile of 64 rows and columns. In a
/// fold of a row by a work-group, each work-item adds the sums of 16 blocks, so a fold of rows of 4096 elements has
/// almost two operations per element. Of several versions of a launch, only the one that the host selects for these
/// sizes counts. Sums of columns have no budget: the cost counts each slice of a column as a whole column.
const BUDGETS: &[Budget] = &[
    Budget {
        file: NESTED,
        kernel: "softmax",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 7.1 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: NESTED,
        kernel: "layernorm",
        sizes: ROWS,
        bytes: 16.1 * ELEMENTS,
        operations: 11.5 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: NESTED,
        kernel: "attention",
        sizes: &[("N", 4096), ("D", 64)],
        bytes: 1.0e9,
        operations: 5.0 * 4096.0 * 4096.0 * 64.0,
        // One work-group per 64 rows.
        items: 64 * 256,
    },
    Budget {
        file: NESTED,
        kernel: "row-scans",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 5.0 * ELEMENTS,
        items: BUSY,
    },
    // The code uses each element twice: in the comparison and in the result.
    Budget {
        file: NESTED,
        kernel: "row-argmax",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 3.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: NESTED,
        kernel: "batched-product",
        sizes: &[("B", 64), ("N", 512), ("M", 512), ("K", 512)],
        bytes: 0.2 * PRODUCTS,
        operations: 2.1 * PRODUCTS,
        items: BUSY,
    },
    Budget {
        file: NESTED,
        kernel: "bincount",
        sizes: &[("N", 1 << 22), ("B", 1_000_000)],
        bytes: 16.0 * 4_194_304.0,
        operations: 10.0 * 4_194_304.0,
        items: BUSY,
    },
    // Three elements are read and one written; each work-item reads the iteration number and the failure flag.
    Budget {
        file: NESTED,
        kernel: "shortest-paths",
        sizes: &[("N", 512)],
        bytes: 512.0 * 24.1 * 512.0 * 512.0,
        operations: 512.0 * 4.0 * 512.0 * 512.0,
        items: BUSY,
    },
    Budget {
        file: NESTED,
        kernel: "softmax",
        sizes: SHORT,
        bytes: 8.1 * ELEMENTS,
        operations: 9.0 * ELEMENTS,
        items: BUSY,
    },
    // Each fold reads a row once more, and so does the final write.
    Budget {
        file: NESTED,
        kernel: "softmax",
        sizes: &[("N", 2048), ("M", 16384)],
        bytes: 16.1 * ELEMENTS,
        operations: 10.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "log-softmax",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 9.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "rms-norm",
        sizes: ROWS,
        bytes: 12.1 * ELEMENTS,
        operations: 7.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "cosines",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 12.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "masked-rows",
        sizes: ROWS,
        bytes: 8.3 * ELEMENTS,
        operations: 5.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "distribution-functions",
        sizes: ROWS,
        bytes: 8.1 * ELEMENTS,
        operations: 9.0 * ELEMENTS,
        items: BUSY,
    },
    Budget {
        file: COMPOSITIONS,
        kernel: "sums-second",
        sizes: &[("A", 256), ("B", 256), ("C", 512)],
        bytes: 4.1 * ELEMENTS,
        operations: 1.1 * ELEMENTS,
        items: BUSY,
    },
    // Every window is read for each output channel, from caches.
    Budget {
        file: COMPOSITIONS,
        kernel: "conv1d",
        sizes: &[("C", 16), ("O", 64), ("L", 4096)],
        bytes: 8.1 * 16.0 * 64.0 * 4096.0 * 5.0,
        operations: 3.1 * 16.0 * 64.0 * 4096.0 * 5.0,
        items: BUSY,
    },
];

/// Checks that the cost of a kernel is within its budget.
fn affordable(budget: &Budget) -> Result<(), String> {
    let runnable = example(&format!("../tests/{}", budget.file))
        .kernels()
        .into_iter()
        .find(|k| k.name == budget.kernel)
        .ok_or("no such kernel")?;
    let core = runnable.core?;
    let compiled = lower::compile(&core, &Target::nvidia()).map_err(|errors| format!("{errors:?}"))?;
    let sizes = core.sizes.iter().filter_map(|v| {
        let (_, n) = budget.sizes.iter().find(|(name, _)| *name == &*v.name)?;
        Some((v.clone(), *n))
    });
    let cost = Cost::at(&compiled, &sizes.collect());
    let number = |size: &Size| cost.value(size).map_or(f64::INFINITY, |n| n as f64);
    let (mut bytes, mut operations, mut most, mut items) = (0.0, 0.0, 0.0, 0);
    for launch in &cost.launches {
        let times = number(&launch.times);
        let [moved, done] = [
            [&launch.work.read, &launch.work.written].map(|a| number(&a.size)).iter().sum::<f64>() * times,
            [&launch.work.float, &launch.work.special].map(|a| number(&a.size)).iter().sum::<f64>() * times,
        ];
        (bytes, operations) = (bytes + moved, operations + done);
        if moved + done > most {
            let groups: f64 = launch.groups.iter().map(number).product();
            (most, items) =
                (moved + done, (groups as i64) * launch.items.iter().map(|n| i64::from(*n)).product::<i64>());
        }
    }
    let within = bytes <= budget.bytes && operations <= budget.operations && items >= budget.items;
    let kernel = budget.kernel;
    let found = format!("{kernel}: {bytes:e} bytes, {operations:e} operations, {items} work-items");
    let wanted = format!("{:e} bytes, {:e} operations, {} work-items", budget.bytes, budget.operations, budget.items);
    if within { Ok(()) } else { Err(format!("{found}; at most {wanted} at least\n{}", compiled.opencl.text)) }
}

fn main() {
    if let Ok(task) = std::env::var(TASK) {
        if let Err(why) = run_counted(&task) {
            eprintln!("{why}");
            std::process::exit(1);
        }
        return;
    }
    let reports = REPORTS.iter().map(|(example, kernel, target)| {
        Trial::test(format!("report {kernel} {target}"), move || report(example, kernel, target).map_err(Into::into))
    });
    let counted = COUNTED.iter().enumerate().map(|(i, (_, kernel, target, _))| {
        Trial::test(format!("counted {kernel} {target} {i}"), move || counted(i).map_err(Into::into))
    });
    let examples = files::root().join("examples");
    let all = files::below(&examples, ".lift").into_iter().map(|path| path.display().to_string());
    // To simulate the programs of these two folders takes minutes.
    let is_short = |path: &String| !["/euler/", "/suite/"].iter().any(|folder| path.contains(folder));
    let all = all.filter(|path| is_short(path) && at(path).is_well_typed()).map(|path| {
        let name = path.trim_start_matches(&*examples.display().to_string()).to_owned();
        Trial::test(format!("never below {name}"), move || never_below(&path).map_err(Into::into))
    });
    let budgets = BUDGETS
        .iter()
        .map(|b| Trial::test(format!("budget {} {:?}", b.kernel, b.sizes), move || affordable(b).map_err(Into::into)));
    let slow = std::iter::once(Trial::test("slow parts", || slow_parts().map_err(Into::into)));
    let trials = reports.chain(slow).chain(counted).chain(all).chain(budgets).collect();
    libtest_mimic::run(&libtest_mimic::Arguments::from_args(), trials).exit();
}

fn example(name: &str) -> Program {
    at(&files::root().join("examples").join(format!("{name}.lift")).display().to_string())
}
fn at(path: &str) -> Program {
    Program::new(&files::root().join("examples"), path, &files::read(Path::new(path)))
}

fn report(name: &str, kernel: &str, target: &str) -> Result<(), String> {
    let program = example(name);
    let path: Arc<str> = program.path().into();
    let target_class: Target = target.parse()?;
    let report = engine::cost(&program.analysis(), &path, kernel, &target_class, &[]).map_err(|_| "stopped")?;
    let report = report.map_err(|problems| format!("{problems:?}"))?;
    let file = format!("{}.{kernel}.{target}.txt", name.replace('/', "-"));
    golden::check_file(&files::root().join("tests/cost").join(file), &report.to_string())
}

/// Output of `--explain` for `slow.lift` at sample sizes, and of `--cost` at sizes at which few rows are slow.
fn slow_parts() -> Result<(), String> {
    let folder = files::root().join("tests/cost");
    let program = at(&folder.join("slow.lift").display().to_string());
    let path: Arc<str> = program.path().into();
    let analysis = program.analysis();
    let mut out = String::new();
    for kernel in program.kernels() {
        let explained =
            engine::explanation(&analysis, &path, &kernel.name, &Target::nvidia()).map_err(|_| "stopped")?;
        out.push_str(&format!("{}\n", kernel.name));
        for part in explained.map_err(|problems| format!("{problems:?}"))?.slow {
            let line = part.place.map_or(0, |place| place.range.start.line + 1);
            out.push_str(&format!("  line {line}: {}\n", part.message));
        }
        let core = kernel.core?;
        let few: Vec<_> =
            core.sizes.iter().map(|var| (var.clone(), if &*var.name == "N" { 1 << 24 } else { 4 })).collect();
        let cost = engine::cost(&analysis, &path, &kernel.name, &Target::nvidia(), &few).map_err(|_| "stopped")?;
        for part in cost.map_err(|problems| format!("{problems:?}"))?.slow {
            out.push_str(&format!("  with short rows: {}\n", part.message));
        }
    }
    golden::check_file(&folder.join("slow.txt"), &out)
}

/// A compiled program with its arguments.
type Task = (lift_codegen::plan::Program, kernels::Arguments);

/// Returns an entry of [`COUNTED`].
fn task(i: usize) -> Result<Task, String> {
    let (name, kernel, target, run_line) = COUNTED.get(i).ok_or("no such task")?;
    let runnable = example(name).kernels().into_iter().find(|k| k.name == *kernel).ok_or("no such kernel")?;
    let core = runnable.core?;
    let arguments = kernels::arguments(&core, run_line, Path::new("."))?;
    let compiled =
        lower::compile(&core, &kernels::simulated(target.parse()?)).map_err(|errors| format!("{errors:?}"))?;
    Ok((compiled, arguments))
}

/// Returns the kernel of an example by index, with its own run line; `None` without a run line or if it does not
/// compile.
fn as_written(path: &str, at_place: usize) -> Result<Option<Task>, String> {
    let runnable = at(path).kernels().into_iter().nth(at_place).ok_or("no such kernel")?;
    let Some(run_line) = &runnable.run_line else { return Ok(None) };
    let core = runnable.core?;
    let arguments = kernels::arguments_within(&core, run_line, &runnable.folder, kernels::most_simulated())?;
    Ok(kernels::compiled(&core).ok().map(|compiled| (compiled, arguments)))
}

/// Runs a task in the child process.
fn run_counted(task_name: &str) -> Result<(), String> {
    let found = match task_name.split_once(' ') {
        Some((kernel, path)) => as_written(path, kernel.parse().map_err(|_| "no number")?)?,
        None => Some(task(task_name.parse().map_err(|_| "no number")?)?),
    };
    let (program, arguments) = found.ok_or("nothing to run")?;
    let device = kernels::unoptimized_device();
    if !device.info.platform.contains("Oclgrind") {
        return Err(format!("this runs on {}, not on oclgrind", device.info.platform));
    }
    let outcome = run::run(&program, &arguments.values, &arguments.sizes, device, &RunOptions::default());
    outcome.map(|_| ()).map_err(|e| e.to_string())
}

/// Work of a function's work-items: bytes of global memory read and written, and barriers.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Counts {
    read: i64,
    written: i64,
    barriers: i64,
}

/// Returns the simulator's counts for each function.
fn seen(task_name: &str) -> Result<BTreeMap<String, Counts>, String> {
    if !Path::new(DRIVER).exists() {
        return Err(format!("{DRIVER} is missing: install the package oclgrind"));
    }
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join("oclgrind.icd"), DRIVER).map_err(|e| e.to_string())?;
    let output = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
        .env(TASK, task_name)
        .env("OCL_ICD_VENDORS", folder.path())
        .env("OCLGRIND_INST_COUNTS", "1")
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    counts(&String::from_utf8_lossy(&output.stdout))
}

/// Returns the predicted counts for each function, and which of them are exact.
fn told((program, arguments): &Task) -> Result<BTreeMap<String, (Counts, [bool; 3])>, String> {
    let cost = Cost::at(program, &arguments.sizes);
    let mut all: BTreeMap<String, (Counts, [bool; 3])> = BTreeMap::new();
    for launch in cost.launches.iter() {
        let Some(function) = &launch.function else { continue };
        // The rounds of a loop of the host may depend on data: then, as for an unbounded amount, there is no value.
        let times = launch.times.as_const();
        let value = |amount: &Amount| match (cost.value(&amount.size), times) {
            (Some(n), Some(times)) => n.saturating_mul(times),
            _ => i64::MAX,
        };
        let work = &launch.work;
        let items: i64 = launch.items.iter().map(|n| i64::from(*n)).product();
        let (counts, exact) = all.entry(function.clone()).or_insert((Counts::default(), [true; 3]));
        counts.read = counts.read.saturating_add(value(&work.read));
        counts.written = counts.written.saturating_add(value(&work.written));
        counts.barriers = counts.barriers.saturating_add(value(&work.barriers).saturating_mul(items));
        for (exact, amount) in exact.iter_mut().zip([&work.read, &work.written, &work.barriers]) {
            *exact &= amount.exact && times.is_some() && !cost.is_guess(&amount.size);
        }
    }
    Ok(all)
}

/// Checks that exact predictions equal the simulator's counts, and that the others are upper bounds.
fn counted(i: usize) -> Result<(), String> {
    compare(&task(i)?, &seen(&i.to_string())?, true)
}

/// Checks that predictions are upper bounds. The simulator's compiler may remove loads of known values, so exact ones
/// may be higher.
fn never_below(path: &str) -> Result<(), String> {
    for i in 0..at(path).kernels().len() {
        if let Some(task) = as_written(path, i)? {
            compare(&task, &seen(&format!("{i} {path}"))?, false)?;
        }
    }
    Ok(())
}

fn compare(task: &Task, seen: &BTreeMap<String, Counts>, same: bool) -> Result<(), String> {
    for (function, (told, exact)) in &told(task)? {
        let seen = seen.get(function).copied().unwrap_or_default();
        let all = [
            ("bytes read", told.read, seen.read),
            ("bytes written", told.written, seen.written),
            ("barriers", told.barriers, seen.barriers),
        ];
        for ((what, told, seen), exact) in all.into_iter().zip(exact) {
            let fits = if *exact && same { told == seen } else { told >= seen };
            if !fits {
                let at_most = if *exact { "" } else { "at most " };
                let text = &task.0.opencl.text;
                return Err(format!("{function}: {at_most}{told} {what} told, {seen} seen\n{text}"));
            }
        }
    }
    Ok(())
}

/// Parses `Instructions executed for kernel 't':` and the lines below it, such as `  5 - load global (20 bytes)`.
fn counts(printed: &str) -> Result<BTreeMap<String, Counts>, String> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let mut current = None;
    for line in printed.lines() {
        if let Some(rest) = line.strip_prefix("Instructions executed for kernel '") {
            current = rest.split('\'').next().map(str::to_owned);
            continue;
        }
        let (Some(function), Some((times, what))) = (&current, line.split_once(" - ")) else { continue };
        let counts = all.entry(function.clone()).or_default();
        let number = |text: &str| text.replace(',', "").trim().parse::<i64>().map_err(|e| format!("{line}: {e}"));
        let bytes = || number(what.split(['(', ' ']).rev().nth(1).unwrap_or_default());
        if what.starts_with("load global") {
            counts.read += bytes()?;
        } else if what.starts_with("store global") {
            counts.written += bytes()?;
        } else if what.contains("barrier") {
            counts.barriers += number(times)?;
        }
    }
    if all.is_empty() { Err(format!("nothing was counted:\n{printed}")) } else { Ok(all) }
}
