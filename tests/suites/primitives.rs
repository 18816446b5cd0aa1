//! Every primitive is used by a small program in `primitives/`, whose last lines are the expected result, on the
//! interpreter and on OpenCL. Unsupported kernels are in one file, with their messages.

use libtest_mimic::{Arguments, Trial};
use lift_analysis::prims;
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The only file whose kernels do not compile.
const NOT_COMPILED: &str = "not-compiled.lift";

/// Primitives without a program here: the checker rejects `partition`.
const NOT_CHECKED: &[&str] = &["partition"];

fn main() {
    let folder = files::root().join("tests/primitives");
    let paths = files::below(&folder, ".lift");
    let mut trials: Vec<Trial> = Vec::new();
    for path in &paths {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let (folder, path) = (folder.clone(), path.clone());
        trials.push(Trial::test(name.clone(), move || test(&folder, &name, &path).map_err(Into::into)));
    }
    trials.push(Trial::test("every primitive has a program", move || covered(&paths).map_err(Into::into)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn test(folder: &Path, name: &str, path: &Path) -> Result<(), String> {
    let text = files::read(path);
    let (source, _) = golden::split_trailing(&text);
    let program = Program::new(folder, name, source);
    if !program.is_well_typed() {
        return Err(program.outcome());
    }
    let device = kernels::unoptimized_device();
    let mut outcome = String::new();
    let mut wrong = String::new();
    for kernel in program.kernels() {
        let result = kernel.outcome(device);
        let compiles = kernel.core.as_ref().is_ok_and(|core| kernels::compiled(core).is_ok());
        let agrees = !result.contains("\non OpenCL:\n");
        if kernel.run_line.is_none() || compiles == (name == NOT_COMPILED) || !agrees {
            wrong += &result;
        }
        outcome += &result;
    }
    golden::check_trailing(path, &text, &outcome)?;
    if wrong.is_empty() { Ok(()) } else { Err(format!("not the same on both:\n{wrong}")) }
}

/// Checks that every name of every primitive occurs in a program.
fn covered(paths: &[PathBuf]) -> Result<(), String> {
    let mut used = BTreeSet::new();
    for path in paths {
        let text = files::read(path);
        let tokens = lift_syntax::lex(&text);
        used.extend((0..tokens.len()).map(|token| text[tokens.range(token)].to_owned()));
    }
    let missing: Vec<&str> =
        prims::names().filter(|name| !used.contains(*name) && !NOT_CHECKED.contains(name)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no program uses {}", missing.join(", "))) }
}
