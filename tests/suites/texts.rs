//! The OpenCL text of small programs: one for each thing that the compiler makes of a primitive. What changes here changes
//! what everybody's programs become: read it before `UPDATE_EXPECT=1` accepts it.

use libtest_mimic::{Arguments, Trial};
use lift_codegen::lower;
use lift_codegen::target::Target;
use lift_tests::check::Program;
use lift_tests::{files, golden};

/// A file of `tests/primitives`, its kernel, and the target.
const TEXTS: [(&str, &str, &str); 20] = [
    ("map", "sequential", "portable"),
    ("map", "global-2D", "portable"),
    ("map", "groups", "portable"),
    ("map", "chosen", "gpu"),
    ("reduce", "reduced", "portable"),
    ("reduce", "folded-to-a-tuple", "portable"),
    ("reduce", "scanned", "portable"),
    ("reduce", "until", "portable"),
    ("filter", "chosen", "portable"),
    ("filter", "in-a-group", "portable"),
    ("lengths", "several", "portable"),
    ("lengths", "counted", "portable"),
    ("rows", "kept", "portable"),
    ("sorting", "found", "portable"),
    ("views", "padded", "portable"),
    ("views", "scattered", "portable"),
    ("views", "transposed", "cpu"),
    ("vectors", "on-each-lane", "portable"),
    ("memory", "in-local-memory", "portable"),
    ("loops", "while-an-array-changes", "portable"),
];

fn main() {
    let trials = TEXTS.iter().map(|(file, kernel, target)| {
        Trial::test(format!("{file}.{kernel}.{target}"), move || check(file, kernel, target).map_err(Into::into))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn check(file: &str, kernel: &str, target: &str) -> Result<(), String> {
    let folder = files::root().join("tests/primitives");
    let path = folder.join(format!("{file}.lift"));
    let text = files::read(&path);
    let program = Program::new(&folder, &format!("{file}.lift"), golden::split_trailing(&text).0);
    let found = program.kernels().into_iter().find(|k| k.name == kernel);
    let core = found.ok_or_else(|| format!("{file}.lift has no kernel `{kernel}`"))?.core?;
    let compiled = lower::compile(&core, &target.parse::<Target>()?).map_err(|errors| errors[0].to_string())?;
    golden::check_file(
        &files::root().join("tests/texts").join(format!("{file}.{kernel}.{target}.cl")),
        &compiled.opencl.text,
    )
}
