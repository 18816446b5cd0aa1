//! Every example is formatted, and its types, its elaborated text, and its result on the interpreter and on OpenCL are
//! those in `tests/examples/NAME.expected`.

use libtest_mimic::{Arguments, Trial};
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels};
use std::path::Path;

fn main() {
    let examples = files::root().join("examples");
    let trials = files::below(&examples, ".lift").into_iter().map(|path| {
        let name = path.strip_prefix(&examples).unwrap_or(&path).display().to_string();
        let examples = examples.clone();
        Trial::test(name.clone(), move || test(&examples, &name, &path).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn test(examples: &Path, name: &str, path: &Path) -> Result<(), String> {
    let text = files::read(path);
    if lift_syntax::format(&text) != text {
        return Err(format!("`lift fmt` changes {name}"));
    }
    let program = Program::new(examples, name, &text);
    program.check_invariants(examples)?;
    let mut outcome = program.outcome();
    if program.is_well_typed() {
        let device = kernels::device();
        for kernel in program.kernels() {
            if kernel.run_line.is_none() {
                return Err(format!("`{}` has no line `;;; run:`", kernel.name));
            }
            outcome += &kernel.outcome(device);
        }
    }
    let expected = files::root().join("tests/examples").join(name).with_extension("expected");
    golden::check_file(&expected, &outcome)
}
