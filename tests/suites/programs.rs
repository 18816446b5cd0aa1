//! Every program of `programs/` has the outcome in its last lines: types, messages, elaborated text, and the results of
//! kernels with a `;;; run:` line.

use libtest_mimic::{Arguments, Trial};
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels};
use std::path::Path;

fn main() {
    let folder = files::root().join("tests/programs");
    let trials = files::below(&folder, ".lift").into_iter().map(|path| {
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        let folder = folder.clone();
        Trial::test(name.clone(), move || test(&folder, &name, &path).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn test(folder: &Path, name: &str, path: &Path) -> Result<(), String> {
    let text = files::read(path);
    let (program, _) = golden::split_trailing(&text);
    let program = Program::new(folder, name, program);
    program.check_invariants(folder)?;
    let mut outcome = program.outcome();
    if program.is_well_typed() {
        outcome.extend(program.kernels().iter().map(|kernel| kernel.outcome(kernels::device())));
    }
    golden::check_trailing(path, &text, &outcome)
}
