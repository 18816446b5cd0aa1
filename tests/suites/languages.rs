//! Each program of `apl/` and `fcl/` prints its expected output on the interpreter and on OpenCL; so does its translation
//! to Lift. Errors have locations. Every prefix of a program has a lossless tree.

use libtest_mimic::{Arguments, Trial};
use lift_analysis::diagnostics::Severity;
use lift_analysis::front::program::Printed;
use lift_analysis::ide::{Analysis, AnalysisHost};
use lift_analysis::{apl, fcl, prims};
use lift_codegen::core::build;
use lift_codegen::io;
use lift_codegen::value::Value;
use lift_syntax::apl::AplKind;
use lift_syntax::{ColumnEncoding, Language, TextRange, TextSize};
use lift_tests::check::Program;
use lift_tests::{files, golden, kernels, sample};
use std::path::Path;

/// Bytes of a program of which each beginning is translated; of a longer one, every eleventh is.
const SMALL: usize = 400;

fn main() {
    let mut trials = Vec::new();
    for language in [Language::Apl, Language::Fcl] {
        let folder = files::root().join("tests").join(language.ending().trim_start_matches('.'));
        for path in files::below(&folder, language.ending()) {
            let name = path.strip_prefix(files::root().join("tests")).unwrap_or(&path).display().to_string();
            trials.push(Trial::test(name, move || test(&path, language).map_err(Into::into)));
        }
    }
    trials.push(Trial::test("apl/failures are in the terms of APL", || failures_in_apl().map_err(Into::into)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn test(path: &Path, language: Language) -> Result<(), String> {
    let text = files::read(path);
    prefixes(&text, language)?;
    if language == Language::Fcl {
        formatted(&text)?;
    }
    let name = format!("/p{}", language.ending());
    let mut host = AnalysisHost::default();
    host.set_file(&name, text.as_str().into());
    let analysis = host.snapshot();
    hovers(&analysis, &name, &text, language)?;
    types_of_names(&analysis, &name, &text)?;
    let stopped = |_| "stopped".to_owned();
    let index = analysis.line_index(&name).map_err(stopped)?.ok_or("no file")?;
    let mut outcome = String::new();
    let mut wrong_program = false;
    for problem in analysis.diagnostics(&name).map_err(stopped)? {
        wrong_program |= problem.severity == Severity::Error;
        let at = index.position(problem.range.start(), ColumnEncoding::Utf32);
        outcome += &format!("{}:{} {}: {}\n", at.line + 1, at.column + 1, problem.code, problem.message);
        for related in problem.related {
            let at = index.position(related.at.range.start(), ColumnEncoding::Utf32);
            outcome += &format!("  {}:{} {}\n", at.line + 1, at.column + 1, related.message);
        }
    }
    let mut wrong = String::new();
    let says = |line: &str| {
        line.split_once(" run: ").filter(|(mark, _)| matches!(*mark, "⍝" | "--")).map(|(_, line)| line.to_owned())
    };
    let line = text.lines().find_map(says).unwrap_or_default();
    let problems = std::mem::take(&mut outcome);
    if !wrong_program {
        let kernels = analysis.kernels(&name).map_err(stopped)?;
        let kernel = kernels.into_iter().next().ok_or("no kernel")?.name;
        let outputs = analysis.printed(&name, &kernel).map_err(stopped)?.ok_or("no program")?;
        let translated = analysis.as_lift(&name, &kernel).map_err(stopped)?.unwrap_or_default();
        let db = analysis.db();
        let file = db.file(&name).ok_or("no file")?;
        let form = *lift_analysis::db::forms(db, file).first().ok_or("no form")?;
        let core = build::kernel(db, form).map_err(|errors| format!("no core: {errors:?}"))?;
        let arguments = kernels::arguments(&core, &line, Path::new("."))?;
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
            Ok(program) if !sample::takes(&program.opencl.text, kernels::ONE_IN) => {}
            Ok(program) => {
                let device = kernels::on_device(&program, &arguments, kernels::unoptimized_device());
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
    golden::check_file(&path.with_extension("out"), &(problems + &outcome))?;
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Programs whose lengths and indices only the run knows, each changed at one token: neither a diagnostic nor a failure of
/// the run has a word of Lift.
fn failures_in_apl() -> Result<(), String> {
    let seeds = [
        "x←⍳20 ⋄ a←(x>3)/x ⋄ b←(x>4)/x ⋄ ⎕←a+(≢a)↑b,0",
        "x←⍳20 ⋄ i←+/x>3 ⋄ ⎕←x[i] ⋄ ⎕←⊃(x>9)/x ⋄ ⎕←⍳i-9",
        "x←⍳20 ⋄ a←(x>9)/x ⋄ ⎕←a+.×a ⋄ ⎕←-/a",
        "x←⍳20 ⋄ a←(x>9)/x ⋄ ⎕←a,[0.5]a ⋄ ⎕←a⊥a",
    ];
    let with = ["30", "-", "⍳", "1 2 3", "(x>12)", "+", "100"];
    let mut failed = 0;
    for seed in seeds {
        for (place, (_, range)) in lift_syntax::apl::tokens(seed).iter().enumerate() {
            let other = with[place % with.len()];
            let text = [&seed[..usize::from(range.start())], other, &seed[usize::from(range.end())..]].concat();
            let mut host = AnalysisHost::default();
            host.set_file("/p.apl", text.as_str().into());
            let analysis = host.snapshot();
            let problems = analysis.diagnostics("/p.apl").map_err(|_| "stopped")?;
            let mut messages: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            if messages.is_empty() {
                let db = analysis.db();
                let form = db.file("/p.apl").and_then(|file| lift_analysis::db::forms(db, file).first().copied());
                let core = build::kernel(db, form.ok_or("no form")?).map_err(|errors| format!("{text}: {errors:?}"))?;
                let arguments = kernels::arguments(&core, "", Path::new("."))?;
                messages.extend(kernels::on_interpreter(&core, &arguments).err());
                failed += messages.len();
            }
            for message in messages {
                let mut quoted = message.split('`').skip(1).step_by(2);
                // Some glyphs are primitives of Lift, too.
                let leaks = |word: &str| word.starts_with(char::is_alphabetic) && prims::lookup(word).is_some();
                if quoted.any(leaks) || message.contains("cast") {
                    return Err(format!("{text}: {message}"));
                }
            }
        }
    }
    if failed < 10 { Err(format!("only {failed} programs fail when they run")) } else { Ok(()) }
}

fn printed(printed: &Printed, value: &Value) -> String {
    let mut out = Vec::new();
    let done = match printed.language {
        Language::Fcl => io::fcl::write(&mut out, printed.outputs.len(), value),
        Language::Apl | Language::Lift => io::apl::write(&mut out, &printed.outputs, value),
    };
    match done {
        Ok(()) => String::from_utf8_lossy(&out).into_owned(),
        Err(e) => e.to_string(),
    }
}

/// Each token of a program that is right has a hover, and those that have a value tell its type.
fn hovers(analysis: &Analysis, name: &str, text: &str, language: Language) -> Result<(), String> {
    let problems = analysis.diagnostics(name).map_err(|_| "stopped")?;
    if language != Language::Apl || problems.iter().any(|problem| problem.severity == Severity::Error) {
        return Ok(());
    }
    for (kind, range) in lift_syntax::apl::tokens(text) {
        let token = &text[std::ops::Range::<usize>::from(range)];
        if kind.is_trivia() || matches!(kind, AplKind::Comment | AplKind::Newline) {
            continue;
        }
        let hover = analysis.hover(name, TextRange::empty(range.start())).map_err(|_| "stopped")?;
        let line = text[..usize::from(range.start())].matches('\n').count() + 1;
        let Some(hover) = hover else { return Err(format!("line {line}: nothing is told of `{token}`")) };
        let valued = matches!(kind, AplKind::Number | AplKind::String | AplKind::Zilde);
        let typed = ["Int", "Bool", "Double", "Char", "Complex"].iter().any(|kind| hover.plain.contains(kind));
        if valued && !typed {
            return Err(format!("line {line}: no type of `{token}`: {}", hover.plain));
        }
        let leak = ["aref", "lambda", "reduceSeq", "iota r", "unpack"].iter().find(|word| hover.plain.contains(**word));
        if let Some(leak) = leak {
            return Err(format!("line {line}: `{token}` is told by `{leak}`, a word of Lift: {}", hover.plain));
        }
    }
    Ok(())
}

/// The hover over a name of a program that is right tells the type that is listed for it.
fn types_of_names(analysis: &Analysis, name: &str, text: &str) -> Result<(), String> {
    let stopped = |_| "stopped".to_owned();
    if analysis.diagnostics(name).map_err(stopped)?.iter().any(|problem| problem.severity == Severity::Error) {
        return Ok(());
    }
    for listed in analysis.types(name).map_err(stopped)? {
        let from = usize::from(listed.range.start());
        // The program itself has the name of its file.
        let Some(at) = text[from..].find(&listed.name).filter(|_| !name.starts_with(&format!("/{}.", listed.name)))
        else {
            continue;
        };
        let at = TextRange::empty(TextSize::try_from(from + at).map_err(|e| e.to_string())?);
        let hover = analysis.hover(name, at).map_err(stopped)?.map(|hover| hover.plain).unwrap_or_default();
        if !hover.contains(&listed.ty) {
            return Err(format!("`{}` is listed as `{}`, but its hover tells: {hover}", listed.name, listed.ty));
        }
    }
    Ok(())
}

/// A formatted program has the same meaning, and is formatted.
fn formatted(text: &str) -> Result<(), String> {
    let format = |text: &str| {
        let mut after = text.to_owned();
        for edit in lift_syntax::fcl::format_edits(text).iter().rev() {
            after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
        }
        after
    };
    let spread = text.replace('(', " (  ").replace(',', " ,");
    for text in [text, spread.as_str()] {
        let after = format(text);
        if format(&after) != after {
            return Err(format!("formatting it again changes it:\n{after}"));
        }
        if fcl::translate(&after).program.body != fcl::translate(text).program.body {
            return Err(format!("formatting changes the meaning:\n{after}"));
        }
    }
    Ok(())
}

/// No beginning of a text panics or loses a byte, and each has at most one error for each mistake.
fn prefixes(text: &str, language: Language) -> Result<(), String> {
    let count = |part: &str| match language {
        Language::Fcl => lift_syntax::fcl::parse(part).errors.len(),
        Language::Apl | Language::Lift => lift_syntax::apl::parse(part).errors.len(),
    };
    let mistakes = |part: &str| {
        let errors = match language {
            Language::Fcl => fcl::translate(part).program.errors,
            Language::Apl | Language::Lift => apl::translate(part).program.errors,
        };
        errors.iter().filter(|error| !error.code.is_warning()).count()
    };
    let (most, most_mistakes) = (count(text) + 1, mistakes(text) + 1);
    for (place, (at, _)) in text.char_indices().enumerate() {
        let part = &text[..at];
        let kept = match language {
            Language::Fcl => lift_syntax::fcl::parse(part).syntax().text() == part,
            Language::Apl | Language::Lift => lift_syntax::apl::parse(part).syntax().text() == part,
        };
        if !kept {
            return Err(format!("the tree of the first {at} bytes is not their text"));
        }
        // A beginning has one error more than the whole at most: where it ends.
        let errors = count(part);
        if errors > most {
            let line = part.lines().last().unwrap_or_default();
            return Err(format!("the first {at} bytes, up to `{line}`, have {errors} errors of syntax"));
        }
        // Each costs as much as the whole.
        if text.len() <= SMALL || place % 11 == 0 {
            let errors = mistakes(part);
            if errors > most_mistakes {
                let line = part.lines().last().unwrap_or_default();
                let whole = most_mistakes - 1;
                return Err(format!("the first {at} bytes, up to `{line}`, have {errors} errors, the whole {whole}"));
            }
        }
    }
    Ok(())
}
