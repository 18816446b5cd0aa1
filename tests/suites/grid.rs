//! The static half of the grid: what the compiler counts of each cell says that it is as fast as the device, or the table
//! of known misses says why it is not. `--table` prints what is found of each cell.

use libtest_mimic::{Arguments, Failed, Trial};
use lift_codegen::cost::{Cost, Verdict, Why};
use lift_codegen::lower;
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::files;
use lift_tests::grid::{Cell, cells};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;

const MISSES: &str = "tests/cost/misses.txt";
/// Times as many bytes as are necessary, and operations as the program asks for, at most.
const BYTES: f64 = 1.3;
const WORK: f64 = 2.0;
/// Operations on integers for an element that are not arithmetic of the program.
const HANDLING: f64 = 16.0;

/// Why a cell misses, by the kind of reason, with what was found.
type Found = BTreeMap<&'static str, String>;

fn main() {
    let all = cells();
    if std::env::args().any(|a| a == "--table") {
        return table(&all);
    }
    let known = match misses() {
        Ok(known) => known,
        Err(why) => {
            eprintln!("{MISSES}: {why}");
            std::process::exit(1);
        }
    };
    let names: BTreeSet<String> = all.iter().map(Cell::to_string).collect();
    let unknown: Vec<String> = known.keys().filter(|name| !names.contains(*name)).cloned().collect();
    let listed = Trial::test("every miss is a cell", move || match unknown.as_slice() {
        [] => Ok(()),
        all => Err(Failed::from(format!("no cells: {}", all.join(", ")))),
    });
    let trial = |cell: Cell| {
        let kinds = known.get(&cell.to_string()).cloned().unwrap_or_default();
        Trial::test(format!("cell {cell}"), move || judged(&cell, &kinds).map_err(Failed::from))
    };
    let trials = all.into_iter().map(trial).chain([listed]).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// The kinds of misses that the table has for cells.
fn misses() -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let text = files::read(&files::root().join(MISSES));
    let mut known = BTreeMap::new();
    let mut reason = None;
    for line in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
        let Some(entry) = line.strip_prefix("  ") else {
            reason = Some(line);
            continue;
        };
        let (cell, kinds) = entry.split_once(": ").ok_or_else(|| format!("`{line}` has no kinds"))?;
        reason.ok_or_else(|| format!("`{cell}` has no reason"))?;
        if known.insert(cell.to_owned(), kinds.split(", ").map(str::to_owned).collect()).is_some() {
            return Err(format!("`{cell}` twice"));
        }
    }
    Ok(known)
}

fn judged(cell: &Cell, known: &BTreeSet<String>) -> Result<(), String> {
    let found = found_or_error(cell);
    let kinds: BTreeSet<String> = found.keys().map(|k| (*k).to_owned()).collect();
    if kinds == *known {
        return Ok(());
    }
    let list = |all: &BTreeSet<String>| all.iter().cloned().collect::<Vec<_>>().join(", ");
    let (new, gone) = (list(&kinds), list(known));
    Err(format!("{cell} misses [{new}], and {MISSES} has [{gone}]: {found:?}\n{}", cell.text()))
}

fn found_or_error(cell: &Cell) -> Found {
    let found = std::panic::catch_unwind(|| found(cell)).unwrap_or_else(|_| Err("the compiler panicked".to_owned()));
    found.unwrap_or_else(|why| Found::from([("error", why)]))
}

/// Why a cell is slower than it has to be; nothing if it is not.
fn found(cell: &Cell) -> Result<Found, String> {
    let program = Program::new(&files::root(), "cell.lift", &cell.text());
    let kernel = program.kernels().into_iter().next().ok_or("no kernel")?;
    let core = kernel.core.map_err(|why| format!("{why}\n{}", program.outcome()))?;
    let target = Target::nvidia();
    let compiled = lower::compile(&core, &target).map_err(|errors| format!("{errors:?}"))?;
    let values = cell.sizes();
    let sizes = core.sizes.iter().filter_map(|v| {
        let (_, n) = values.iter().find(|(name, _)| *name == &*v.name)?;
        Some((v.clone(), *n))
    });
    let Verdict { necessary, moved, asked, done, slow, .. } =
        Cost::at(&compiled, &sizes.collect()).verdict(target.busy());
    let mut found = Found::new();
    let times = moved / cell.necessary(necessary);
    if times > BYTES {
        found.insert("bytes", format!("{times:.2}"));
    }
    if let Some(asked) = asked
        && done > WORK * asked + HANDLING * cell.elements()
    {
        found.insert("work", format!("{:.2}", done / asked));
    }
    for part in slow {
        let (kind, what) = match part.why {
            Why::Apart(bytes) => ("apart", bytes.to_string()),
            Why::Few(items) => ("few", items.to_string()),
            Why::Again(times) => ("work", format!("{times:.2}")),
        };
        found.insert(kind, what);
    }
    if let Some(cliff) = compiled.report.cliffs.first() {
        found.insert("alone", cliff.operator.to_owned());
    }
    Ok(found)
}

/// A line for each cell, and what comes of all.
fn table(all: &[Cell]) {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with("--")).unwrap_or_default();
    let wanted: Vec<&Cell> = all.iter().filter(|c| c.to_string().contains(&filter)).collect();
    let lines = Mutex::new(BTreeMap::new());
    let next = Mutex::new(wanted.iter().enumerate());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((i, cell)) = next.lock().ok().and_then(|mut next| next.next()) {
                    let found = found_or_error(cell);
                    if let Ok(mut lines) = lines.lock() {
                        lines.insert(i, found);
                    }
                }
            });
        }
    });
    let lines = lines.into_inner().unwrap_or_default();
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, found) in &lines {
        let told: Vec<String> = found.iter().map(|(kind, what)| format!("{kind} {what}")).collect();
        println!("{}: {}", wanted[*i], if told.is_empty() { "fast".to_owned() } else { told.join(", ") });
        found.keys().for_each(|kind| *kinds.entry(kind).or_default() += 1);
    }
    let fast = lines.values().filter(|found| found.is_empty()).count();
    let kinds: Vec<String> = kinds.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    println!("{} cells, {fast} fast; {}", lines.len(), kinds.join(", "));
}
