//! Each program of `apl/` prints its expected output on the interpreter and on OpenCL; so does its translation to Lift.
//! Errors have locations. Every prefix of a program has a lossless tree.

use libtest_mimic::{Arguments, Trial};
use lift_analysis::apl::{Output, translate};
use lift_analysis::ide::AnalysisHost;
use lift_codegen::core::build;
use lift_codegen::io::apl;
use lift_codegen::value::Value;
use lift_syntax::ColumnEncoding;
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels};
use std::path::Path;

fn main() {
    let folder = files::root().join("tests/apl");
    let mut trials = Vec::new();
    for path in files::below(&folder, ".apl") {
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        trials.push(Trial::test(name, move || test(&path).map_err(Into::into)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn test(path: &Path) -> Result<(), String> {
    let text = files::read(path);
    prefixes(&text)?;
    let mut host = AnalysisHost::default();
    host.set_file("/p.apl", text.as_str().into());
    let analysis = host.snapshot();
    let stopped = |_| "stopped".to_owned();
    let index = analysis.line_index("/p.apl").map_err(stopped)?.ok_or("no file")?;
    let mut outcome = String::new();
    for problem in analysis.diagnostics("/p.apl").map_err(stopped)? {
        let at = index.position(problem.range.start(), ColumnEncoding::Utf32);
        outcome += &format!("{}:{} {}: {}\n", at.line + 1, at.column + 1, problem.code, problem.message);
        for related in problem.related {
            let at = index.position(related.at.range.start(), ColumnEncoding::Utf32);
            outcome += &format!("  {}:{} {}\n", at.line + 1, at.column + 1, related.message);
        }
    }
    let mut wrong = String::new();
    let line = text.lines().find_map(|line| line.strip_prefix("⍝ run: ")).unwrap_or_default();
    if outcome.is_empty() {
        let outputs = analysis.apl_outputs("/p.apl").map_err(stopped)?.unwrap_or_default();
        let translated = analysis.as_lift("/p.apl").map_err(stopped)?.unwrap_or_default();
        let db = analysis.db();
        let file = db.file("/p.apl").ok_or("no file")?;
        let form = *lift_analysis::db::forms(db, file).first().ok_or("no form")?;
        let core = build::kernel(db, form).map_err(|errors| format!("no core: {errors:?}"))?;
        let arguments = kernels::arguments(&core, line, Path::new("."))?;
        let meaning = kernels::on_interpreter(&core, &arguments);
        let shown = |result: &Result<Value, String>| match result {
            Ok(value) => printed(&outputs, value),
            Err(why) => format!("error: {why}\n"),
        };
        outcome = shown(&meaning);
        let program = Program::new(Path::new("."), "main.lift", &translated);
        match program.kernels().first().map(|kernel| kernel.core.clone()) {
            // The inputs of the translation have other names.
            Some(Ok(_)) if !line.is_empty() => {}
            Some(Ok(core)) => {
                let again = kernels::on_interpreter(&core, &arguments);
                // Names of lengths in messages may differ.
                if meaning.is_ok() != again.is_ok() || meaning.is_ok() && shown(&again) != outcome {
                    wrong += &format!("in Lift:\n{}{translated}", shown(&again));
                }
            }
            _ => wrong += &format!("in Lift:\n{}\n{translated}", program.outcome()),
        }
        match kernels::compiled(&core) {
            Ok(program) => {
                let device = kernels::on_device(&program, &arguments, kernels::device());
                let same = match (&meaning, &device) {
                    (Ok(meaning), Ok(result)) => kernels::close(meaning, result),
                    (Err(_), Err(_)) => true,
                    _ => false,
                };
                if !same {
                    wrong += &format!("on OpenCL:\n{}", shown(&device));
                }
            }
            Err(why) => wrong += &format!("not compiled: {why}\n"),
        }
    }
    golden::check_file(&path.with_extension("out"), &outcome)?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

fn printed(outputs: &[Output], value: &Value) -> String {
    let texts: Vec<Option<&str>> = outputs.iter().map(Output::text).collect();
    let mut out = Vec::new();
    match apl::write(&mut out, &texts, value) {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(e) => e.to_string(),
    }
}

/// No prefix of a text causes a panic or loses a byte.
fn prefixes(text: &str) -> Result<(), String> {
    for (place, (at, _)) in text.char_indices().enumerate() {
        let part = &text[..at];
        let tree = lift_syntax::apl::parse(part).syntax();
        if tree.text() != part {
            return Err(format!("the tree of the first {at} bytes is not their text"));
        }
        // Translating a prefix costs as much as the whole text, so only some are tried.
        if place % 11 == 0 {
            translate(part);
        }
    }
    Ok(())
}
