//! A choice of parameters written into a program: compiled without the choice, the program gives the text that the
//! original gives with it, byte for byte.

use libtest_mimic::{Arguments, Trial};
use lift_analysis::parameters::{Settings, TABLE};
use lift_codegen::target::Target;
use lift_server::engine;
use lift_server::program::{Program, Texts};
use lift_server::tune::written::{Place, Wish, Written, write};
use lift_server::tuned::choice::Choice;
use lift_tests::files;
use std::path::Path;
use std::sync::Arc;

/// Programs, and the kernel of each.
const PROGRAMS: [(&str, &str); 14] = [
    ("examples/gallery/matmul.lift", "multiply"),
    ("examples/gallery/box.lift", "box9"),
    ("examples/gallery/nbody.lift", "step"),
    ("examples/gallery/kmeans.lift", "assign"),
    ("examples/gallery/spmv.lift", "compressed"),
    ("examples/gallery/transpose.lift", "exchange"),
    ("examples/gallery/histogram.lift", "histogram"),
    ("examples/gallery/scan.lift", "running-sums"),
    ("examples/gallery/filter.lift", "keep-doubled"),
    ("examples/gallery/jacobi2d.lift", "jacobi2d"),
    ("examples/gallery/gemv.lift", "gemv"),
    ("examples/gallery/sum.lift", "sum-of"),
    ("examples/outliers.lift", "outliers"),
    ("examples/irregular/rows.lift", "banded"),
];

fn main() {
    let programs = PROGRAMS.iter().map(|(file, kernel)| {
        Trial::test(format!("{file}.{kernel}"), move || is_written(file, kernel).map_err(Into::into))
    });
    let own = Trial::test("parts-with-settings", || parts_have_settings().map_err(Into::into));
    let refused = Trial::test("definitions-with-settings", || definitions_have_settings().map_err(Into::into));
    libtest_mimic::run(&Arguments::from_args(), programs.chain([own, refused]).collect()).exit();
}

/// Records: few settings, and all of them at the ends of their ranges.
fn choices() -> Result<Vec<Choice>, String> {
    let ends = |of: fn(&[u32]) -> Option<&u32>| {
        let mut settings = Settings::DEFAULT;
        for entry in TABLE {
            if let Some(value) = of(entry.candidates) {
                settings.set(entry.parameter, *value);
            }
        }
        settings.to_string()
    };
    let all = [ends(|all| all.first()), ends(|all| all.last())];
    let few = "target=gpu rows.team=16 item.elements=2".to_owned();
    std::iter::once(few).chain(all).map(|text| Choice::parse(&text)).collect()
}

fn is_written(file: &str, kernel: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(files::root().join(file)).map_err(|e| e.to_string())?;
    let (mut texts, path) = one(&text);
    let mut program = load(&texts, &path)?;
    // Each choice is written over the one before; what that one sets besides is part of the program.
    for (nth, choice) in choices()?.into_iter().enumerate() {
        let target = [Target::nvidia(), Target::cpu(), Target::nvidia()][nth];
        let tuned = choice.of(target).ok_or("the device has all that the choice needs")?;
        let expected = text_for(&program, &path, kernel, &tuned)?;
        if nth == 0 {
            let copy = written(&program, &texts, &path, kernel, &choice, Place::Copy)??;
            let after = load(&one(&copy.text).0, &path)?;
            let found = text_for(&after, &path, &copy.kernel, &target)?.replacen(&copy.kernel, kernel, 1);
            equal(&expected, &found, &copy.text)?;
        }
        let changed = written(&program, &texts, &path, kernel, &choice, Place::Kernel)??;
        texts = one(&changed.text).0;
        program = load(&texts, &path)?;
        equal(&expected, &text_for(&program, &path, kernel, &target)?, &changed.text)?;
        if changed.text.matches("(with ").count() != 1 {
            return Err(format!("not one `with`:\n{}", changed.text));
        }
    }
    Ok(())
}

fn equal(expected: &str, found: &str, program: &str) -> Result<(), String> {
    if expected == found { Ok(()) } else { Err(format!("the code differs:\n{program}\n{expected}\n{found}")) }
}

fn load(texts: &Texts, path: &Arc<str>) -> Result<Program, String> {
    Program::load_texts(Path::new(&**path), texts).map_err(stopped)
}

/// Writes a choice, without the comparison of the code.
fn written(
    program: &Program,
    texts: &Texts,
    path: &Arc<str>,
    kernel: &str,
    choice: &Choice,
    place: Place,
) -> Result<Result<Written, String>, String> {
    written_on(program, texts, path, kernel, choice, place, &[])
}

fn written_on(
    program: &Program,
    texts: &Texts,
    path: &Arc<str>,
    kernel: &str,
    choice: &Choice,
    place: Place,
    targets: &[Target],
) -> Result<Result<Written, String>, String> {
    let kernels = program.analysis.kernels(path).map_err(stopped)?;
    let info = kernels.into_iter().find(|info| info.name == kernel).ok_or(format!("there is no kernel `{kernel}`"))?;
    let wish = Wish { path, kernel: &info, choice, place, found: "by a test" };
    write(texts, &wish, targets).map_err(stopped)
}

fn text_for(program: &Program, path: &Arc<str>, kernel: &str, target: &Target) -> Result<String, String> {
    match engine::program(&program.analysis, path, kernel, target).map_err(stopped)? {
        Ok(program) => Ok(program.opencl.text),
        Err(problems) => Err(problems.iter().map(|p| format!("{}\n", p.message)).collect()),
    }
}

fn stopped<T>(_: T) -> String {
    "analysis was stopped".to_owned()
}

fn one(text: &str) -> (Texts, Arc<str>) {
    let path: Arc<str> = "/program.lift".into();
    (Texts::from([(path.clone(), text.into())]), path)
}

/// Settings of parts of the kernel make way, those of other parameters stay.
fn parts_have_settings() -> Result<(), String> {
    let (texts, path) = one("\
;;; Keeps the positive ones.
;;; run: xs=[1,-2,3]
(lift kept (N) ((array-type int N))
  (lambda (xs)
    (with ((group 64))
      (map neg
           (with ((group 32) (filter.chunks 256)) (filter (< 0) (with ((group 32)) (map abs xs))))))))
");
    let choice = Choice::parse("group=256 map.pieces=2")?;
    let program = load(&texts, &path)?;
    let in_place = written(&program, &texts, &path, "kept", &choice, Place::Kernel)??;
    let expected = "\
;;; Keeps the positive ones.
;;; run: xs=[1,-2,3]
(lift kept (N) ((array-type int N))
  (lambda (xs)
    (with ((group 256) (map.pieces 2))
      (map neg
           (with ((filter.chunks 256)) (filter (< 0) (map abs xs)))))))
";
    if in_place.text != expected {
        return Err(in_place.text);
    }
    let copy = written(&program, &texts, &path, "kept", &choice, Place::Copy)??;
    let added = "
;;; `kept`, tuned: by a test.
;;; run: xs=[1,-2,3]
(lift kept-tuned (N) ((array-type int N))
  (lambda (xs)
    (with ((group 256) (map.pieces 2))
      (map neg
           (with ((filter.chunks 256)) (filter (< 0) (map abs xs)))))))
";
    let original = &texts[&path];
    if copy.text == format!("{original}{added}") { Ok(()) } else { Err(copy.text) }
}

/// A definition's own setting would override the choice, so the choice is refused.
fn definitions_have_settings() -> Result<(), String> {
    let (texts, path) = one("\
(define (roots xs) (with ((map.pieces 4)) (map sqrt xs)))
(lift all (N) ((array-type float N)) (lambda (xs) (roots xs)))
");
    let program = load(&texts, &path)?;
    let choice = Choice::parse("map.pieces=2")?;
    match written_on(&program, &texts, &path, "all", &choice, Place::Kernel, &[Target::cpu()])? {
        Err(why) if why.contains("definitions with a `with` of their own") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}
