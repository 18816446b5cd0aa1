//! The device half of the grid: whether its cells are right at odd sizes, and how far from the device's own rates they are
//! at their sizes.
//!
//! A cell's limit is the time of a copy of the bytes that it has to move, or of its products at the rate of a product of
//! matrices, whichever is longer; both rates are measured first, by the programs of this file.

use crate::Problem;
use crate::compare::Check;
use crate::data::Input;
use crate::measure::{Effort, measure};
use crate::ours::Compiled;
use crate::source;
use lift_codegen::core::Kernel;
use lift_codegen::cost::Cost;
use lift_codegen::difference::difference;
use lift_codegen::interp::{self, Limits};
use lift_codegen::io::generate::{Generator, generate};
use lift_codegen::lower;
use lift_codegen::plan::{BufferRole, Plan, Program};
use lift_codegen::run::device::HostData;
use lift_codegen::run::{self, Built, Device, RunOptions};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_tests::grid::{Cell, cells};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

/// Lengths at which results are compared with the interpreter's: of each map around, and of a row.
const ODD: [(i64, i64); 8] = [(0, 5), (3, 0), (1, 1), (2, 33), (5, 257), (33, 31), (7, 1025), (1, 20_011)];
/// A cell gets its full size if it takes at most this long, by a run with a fraction of its elements. In microseconds.
const PATIENCE: f64 = 1_000_000.0;
const FRACTION: i64 = 16;

/// The rates of a device, per microsecond.
struct Rates {
    bytes: f64,
    operations: f64,
}

/// The measurements of a cell.
struct Measured {
    cell: Cell,
    /// In microseconds; a lower bound if the cell was too slow for its size.
    time: f64,
    complete: bool,
    limit: f64,
}

impl Measured {
    fn ratio(&self) -> f64 {
        self.time / self.limit
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measured { cell, time, complete, limit } = self;
        let more = if *complete { "" } else { "≥ " };
        write!(f, "| {cell} | {more}{time:.1} | {limit:.1} | {more}{:.2} |", self.ratio())
    }
}

fn wanted(names: &[String]) -> Vec<Cell> {
    let chosen = |cell: &Cell| names.is_empty() || names.iter().any(|n| cell.to_string().starts_with(&**n));
    cells().into_iter().filter(chosen).collect()
}

/// Compares all chosen cells with the interpreter at odd sizes; returns a line for each that differs.
pub fn check(device: &Device, target: &Target, names: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    for cell in wanted(names) {
        match Prepared::new(&cell, target).and_then(|prepared| prepared.agrees(device)) {
            Ok(()) => eprintln!("{cell}: right"),
            Err(why) => {
                eprintln!("{cell}: {why}");
                wrong.push(format!("{cell}: {why}"));
            }
        }
    }
    wrong
}

/// Measures all chosen cells; returns the table, slowest first.
pub fn measured(device: &Device, target: &Target, names: &[String], effort: Effort) -> Result<String, Problem> {
    let rates = Rates::of(device, target, effort)?;
    eprintln!("a copy: {:.0} GB/s; a product of matrices: {:.0} Gop/s", rates.bytes / 1e3, rates.operations / 1e3);
    let mut all = Vec::new();
    let mut failed = Vec::new();
    for cell in wanted(names) {
        match Prepared::new(&cell, target).and_then(|prepared| prepared.measure(device, target, &rates, effort)) {
            Ok(measured) => {
                eprintln!("{measured}");
                all.push(measured);
            }
            Err(why) => {
                eprintln!("{cell}: {why}");
                failed.push(format!("{cell}: {why}"));
            }
        }
    }
    all.sort_by(|a, b| b.ratio().total_cmp(&a.ratio()));
    let mut table = format!(
        "{} ({}), driver {}: a copy moves {:.0} GB/s, a product of matrices does {:.0} Gop/s; medians of {} runs\n\n",
        device.info.name,
        device.info.platform,
        device.info.driver,
        rates.bytes / 1e3,
        rates.operations / 1e3,
        effort.runs
    );
    table += "| cell | device µs | limit µs | times the limit |\n|---|---:|---:|---:|\n";
    all.iter().for_each(|measured| table += &format!("{measured}\n"));
    failed.iter().for_each(|line| table += &format!("\n{line}"));
    let mut groups: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for measured in &all {
        let name = measured.cell.to_string();
        let op = name.split(' ').next().unwrap_or_default();
        groups.entry(op.to_owned()).or_default().push(measured.ratio());
        groups.entry("all".to_owned()).or_default().push(measured.ratio());
    }
    table += "\n| operator | cells | median | worst | at most 1.25 | at most 2 |\n|---|---:|---:|---:|---:|---:|\n";
    for (op, ratios) in &mut groups {
        ratios.sort_by(f64::total_cmp);
        let below = |bound: f64| ratios.iter().filter(|r| **r <= bound).count();
        let (median, worst) = (ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
        table +=
            &format!("| {op} | {} | {median:.2} | {worst:.2} | {} | {} |\n", ratios.len(), below(1.25), below(2.0));
    }
    Ok(table)
}

/// A compiled cell.
struct Prepared {
    cell: Cell,
    core: std::sync::Arc<Kernel>,
    program: Program,
}

fn compiled(text: &str, target: &Target) -> Result<(std::sync::Arc<Kernel>, Program), Problem> {
    let found = source::kernels(Path::new("."), "cell.lift", text)?;
    let core = found.into_iter().next().ok_or("no kernel")?.core?;
    let program = lower::compile(&core, target)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
    Ok((core, program))
}

fn values(kernel: &Kernel, of: &[(&'static str, i64)]) -> SizeValues {
    let value = |name: &str| of.iter().find(|(n, _)| *n == name).map_or(1, |(_, n)| *n);
    kernel.sizes.iter().map(|var| (var.clone(), value(&var.name))).collect()
}

/// Random contents of the input buffers.
fn inputs(plan: &Plan, sizes: &SizeValues) -> Result<Vec<HostData>, Problem> {
    let wanted = plan.buffers.iter().filter(|buffer| buffer.role == BufferRole::Input);
    let filled = wanted.enumerate().map(|(i, buffer)| {
        let n = sizes.eval(&buffer.capacity).map_err(|e| format!("{e:?}"))? as usize;
        Ok(Input::numbers(buffer.element, n, i as u64)?.data)
    });
    filled.collect()
}

fn time(program: &Program, sizes: &SizeValues, device: &Device, effort: Effort) -> Result<f64, Problem> {
    let compiled = Compiled { program, sizes: sizes.clone(), inputs: inputs(&program.plan, sizes)? };
    let (_, times) = measure(&compiled, device, Effort { burst: 0.0, ..effort }, |a, b| {
        if a.len() == b.len() {
            Check::Relative(1e-3).compare(a, b)
        } else {
            Err("another number of arrays".to_owned())
        }
    })?;
    times.device.ok_or_else(|| "no time".to_owned())
}

impl Rates {
    fn of(device: &Device, target: &Target, effort: Effort) -> Result<Rates, Problem> {
        let run = |text: &str, n: i64| {
            let (core, program) = compiled(text, target)?;
            time(&program, &values(&core, &[("N", n)]), device, effort)
        };
        let copy = "(lift copy (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (+ x 1.0f)) xs)))";
        let product = "(lift product (N) ((array-type (array-type float N) N) (array-type (array-type float N) N))
            (lambda (a b) (map (lambda (r) (map (lambda (c) (head (reduce 0.0f + (zipWith * r c)))) (transpose b))) a)))";
        let (elements, side) = (1i64 << 27, 4096i64);
        let bytes = 8.0 * elements as f64 / run(copy, elements)?;
        Ok(Rates { bytes, operations: 2.0 * (side * side * side) as f64 / run(product, side)? })
    }
}

impl Prepared {
    fn new(cell: &Cell, target: &Target) -> Result<Prepared, Problem> {
        let (core, program) = compiled(&cell.text(), target)?;
        Ok(Prepared { cell: *cell, core, program })
    }

    fn agrees(&self, device: &Device) -> Result<(), Problem> {
        for (around, row) in ODD {
            let of: Vec<_> =
                self.cell.sizes().iter().map(|(name, _)| (*name, if *name == "M" { row } else { around })).collect();
            let sizes = values(&self.core, &of);
            let at = || of.iter().map(|(name, n)| format!("{name}={n}")).collect::<Vec<_>>().join(" ");
            let env = |var: &_| sizes.get(var);
            let argument = |(seed, param): (u64, &_)| {
                generate(Generator::Random { seed }, self.core.ty(*param), &env).map_err(|e| e.to_string())
            };
            let arguments: Vec<_> = (0..).zip(&self.core.params).map(argument).collect::<Result<_, _>>()?;
            let list: Vec<_> = sizes.iter().map(|(var, n)| (var.clone(), n)).collect();
            let expected = interp::run(&self.core, arguments.clone(), &list, Limits::default());
            let options = RunOptions { poison: true, built: Built::All, ..RunOptions::default() };
            let found = run::run(&self.program, &arguments, &sizes, device, &options);
            match (expected, found) {
                (Ok(expected), Ok(found)) => {
                    if let Some(difference) = difference(&found.value, &expected) {
                        return Err(format!("at {}: {difference}", at()));
                    }
                }
                (Err(_), Err(_)) => {}
                (Err(error), Ok(_)) => return Err(format!("at {}: the interpreter stops: {error}", at())),
                (Ok(_), Err(error)) => return Err(format!("at {}: {error}", at())),
            }
        }
        Ok(())
    }

    fn measure(&self, device: &Device, target: &Target, rates: &Rates, effort: Effort) -> Result<Measured, Problem> {
        let of = self.cell.sizes();
        let sizes = values(&self.core, &of);
        let verdict = Cost::at(&self.program, &sizes).verdict(target.busy());
        let bytes = self.cell.necessary(verdict.necessary) / rates.bytes;
        let limit = bytes.max(self.cell.products() / rates.operations);
        // First a fraction of the elements: of the outermost map, or of the row.
        let first = of.first().map_or("", |(name, _)| name);
        let fraction: Vec<_> =
            of.iter().map(|(name, n)| (*name, if *name == first { (n / FRACTION).max(1) } else { *n })).collect();
        let brief = Effort { warmup: 0, runs: 1, burst: 0.0 };
        let part = time(&self.program, &values(&self.core, &fraction), device, brief)?;
        if part > PATIENCE / FRACTION as f64 {
            return Ok(Measured { cell: self.cell, time: part, complete: false, limit });
        }
        let time = time(&self.program, &sizes, device, effort)?;
        Ok(Measured { cell: self.cell, time, complete: true, limit })
    }
}
