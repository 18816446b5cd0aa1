//! Kernels on blocks of their arrays.

use lift_codegen::core::Kernel;
use lift_codegen::parts::execute::{Cut, run};
use lift_codegen::parts::{Parts, analyse};
use lift_fuzz::parts::{Interpreted, same};
use lift_tests::check::Program;
use lift_tests::files;
use lift_tests::kernels::arguments;
use std::path::Path;

/// The relative difference that sums of floats in another order may make in the examples.
const ROUNDING: f64 = 1e-5;

fn program(path: &Path) -> Program {
    let folder = path.parent().unwrap_or(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Program::new(folder, &name, &files::read(path))
}

/// The runs of all examples give the same results on blocks of several lengths.
#[test]
fn examples_give_the_same_in_parts() {
    let mut wrong = Vec::new();
    let mut refused = Vec::new();
    for path in files::below(&files::root().join("examples"), ".lift") {
        if path.components().any(|c| c.as_os_str() == "euler") {
            continue;
        }
        for runnable in program(&path).kernels() {
            let (Ok(kernel), Some(line)) = (&runnable.core, &runnable.run_line) else { continue };
            let Ok(arguments) = arguments(kernel, line, &runnable.folder) else { continue };
            let shown = format!("{}: {}", path.display(), kernel.name);
            let parts: Parts = match analyse::parts(kernel) {
                Ok(parts) => parts,
                Err(refusal) => {
                    refused.push(format!("{shown}: {}", refusal.message));
                    continue;
                }
            };
            {
                let cut = Cut { shares: vec![2.0, 0.0, 1.0, 3.0, 1.0] };
                if let Err(why) = same(kernel, &parts, arguments.values.clone(), &arguments.sizes, (&cut, ROUNDING)) {
                    wrong.push(format!("{shown} {cut:?}: {why}"));
                }
            }
        }
    }
    // Operations that need sequential order.
    assert_eq!(refused.len(), 9, "{}", refused.join("\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Random programs on blocks of arbitrary lengths.
#[test]
fn random_programs_give_the_same_in_parts() {
    let mut wrong = Vec::new();
    let count = std::env::var("LIFT_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(50);
    let counts = lift_fuzz::try_all(count, 1, lift_fuzz::parts::try_one, &mut |seed, found| {
        wrong.push(format!("seed {seed}\n{}\n{}", found.program, found.why));
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(counts.accepted > counts.rejected, "{counts:?}");
}

/// All files of the gallery are distributed, except the listed one.
#[test]
fn the_gallery_is_spread() {
    let (mut spread, mut whole) = (Vec::new(), Vec::new());
    for path in files::below(&files::root().join("examples/gallery"), ".lift") {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let kernels = program(&path).kernels();
        let is_spread =
            |kernel: &Kernel| analyse::parts(kernel).is_ok_and(|parts| parts.told.iter().any(|told| !told.notice));
        let all = kernels.iter().all(|k| k.core.as_ref().is_ok_and(|kernel| is_spread(kernel)));
        if all { spread.push(name) } else { whole.push(name) }
    }
    assert_eq!(whole, ["transpose"], "computed by one worker");
    assert_eq!(spread.len(), 25);
}

/// Refusals have a location and advice.
#[test]
fn refusals_have_a_place_and_advice() {
    let cases = [
        (
            "(lift k (N) ((array-type float N)) (lambda (xs) (reduceSeq 0.0f + xs)))",
            "`reduceSeq` goes over a spread array",
        ),
        ("(lift k (N) ((array-type int N)) (lambda (xs) (scanSeq 0 + xs)))", "`scanSeq` goes over a spread array"),
        (
            "(lift k (N) ((array-type int N)) (lambda (xs) (iterateWhile (lambda (ys) (< (head (sort < ys)) 9)) \
             (map (lambda (y) (+ y 1))) xs)))",
            "`iterateWhile` at the top",
        ),
    ];
    for (text, expected) in cases {
        let runnable = Program::new(Path::new("."), "k.lift", text).kernels().remove(0);
        let kernel = runnable.core.unwrap_or_else(|why| panic!("{text}: {why}"));
        let refusal = analyse::parts(&kernel).expect_err(text);
        assert!(refusal.message.contains(expected), "{}", refusal.message);
        assert!(!refusal.advice.is_empty() && refusal.origin.is_some(), "{text}");
    }
}

/// Assumptions of a function about a length that it opens are checked on each block.
#[test]
fn a_function_on_a_block_stops_at_what_it_assumes() {
    let text = "(lift k (N) ((array-type int N)) (lambda (zs) \
                (map (lambda (z) (reduce 0 + (tail (filter (< z) zs)))) zs)))";
    let runnable = Program::new(Path::new("."), "k.lift", text).kernels().remove(0);
    let kernel = runnable.core.unwrap_or_else(|why| panic!("{why}"));
    let arguments = arguments(&kernel, "zs=[1,2]", &runnable.folder).unwrap();
    let parts = analyse::parts(&kernel).unwrap();
    let cut = Cut { shares: vec![1.0, 1.0] };
    let found = run(&parts, &Interpreted(&parts), arguments.values, &arguments.sizes, &cut).unwrap_err();
    assert!(found.contains("`X1 is positive`"), "{found}");
}
