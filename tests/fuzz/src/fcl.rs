//! Near-misses of FCL programs: the fixtures of `tests/fcl` with some tokens exchanged, doubled or left out.
//!
//! Whatever the text: the tree is lossless, formatting keeps the program, and a program that FCL's types accept becomes a
//! kernel that Lift's types accept. A mistake is told once, in FCL's words.

use crate::choices::Random;
use crate::{Case, Wrong, guarded};
use lift_analysis::diagnostics::Severity;
use lift_analysis::fcl::translate;
use lift_analysis::ide::AnalysisHost;
use lift_syntax::fcl::{FclKind, format_edits, parse, tokens};
use lift_tests::files;
use std::sync::OnceLock;

fn programs() -> &'static [String] {
    static PROGRAMS: OnceLock<Vec<String>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let folder = files::root().join("tests/fcl");
        let all = files::below(&folder, ".fcl");
        all.iter().map(|path| files::read(path)).filter(|text| !text.contains("-- wrong")).collect()
    })
}

/// A program with one or two tokens changed.
fn near_miss(random: &mut Random) -> String {
    let text = random.of(programs());
    let mut words: Vec<&str> = tokens(text).into_iter().map(|(_, range)| &text[range]).collect();
    let is_word = |word: &&str| !word.trim().is_empty() && !word.starts_with("--");
    for _ in 0..1 + random.below(2) {
        let places: Vec<usize> = (0..words.len()).filter(|at| is_word(&words[*at])).collect();
        let at = *random.of(&places);
        let first = |word: &str| word.chars().next().map(|c| (c.is_alphabetic(), c.is_ascii_digit()));
        let alike: Vec<usize> = places.iter().copied().filter(|from| first(words[*from]) == first(words[at])).collect();
        let any = random.one_in(4);
        let from = *random.of(if any { &places } else { &alike });
        match random.below(10) {
            0 => drop(words.remove(at)),
            1 => words.insert(at, words[from]),
            2 => words.swap(at, from),
            _ => words[at] = words[from],
        }
    }
    words.concat()
}

pub fn try_one(seed: u64) -> Case {
    let text = near_miss(&mut Random::new(seed));
    match guarded(|| judge(&text)) {
        Ok(true) => Case::Accepted,
        Ok(false) => Case::Rejected,
        Err(why) => Case::Wrong(Wrong { program: text, why }),
    }
}

/// Whether the program is accepted, or what is wrong with how it is treated.
fn judge(text: &str) -> Result<bool, String> {
    let parsed = parse(text);
    if parsed.syntax().text() != text {
        return Err("the tree is not the text".to_owned());
    }
    let program = translate(text).program;
    let edits = format_edits(text);
    let mut formatted = text.to_owned();
    for edit in edits.iter().rev() {
        formatted.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    if !format_edits(&formatted).is_empty() {
        return Err(format!("formatting again changes it:\n{formatted}"));
    }
    let meant = |text: &str| tokens(text).into_iter().filter(|(kind, _)| *kind != FclKind::Space).count();
    if meant(&formatted) != meant(text) {
        return Err(format!("formatting changes the tokens:\n{formatted}"));
    }
    if program.errors.iter().any(|error| !error.code.is_warning()) {
        return Ok(false);
    }
    if translate(&formatted).program.body != program.body {
        return Err(format!("formatting changes the meaning:\n{formatted}"));
    }
    let mut host = AnalysisHost::default();
    host.set_file("/p.fcl", text.into());
    let problems = host.snapshot().diagnostics("/p.fcl").map_err(|_| "the analysis stopped")?;
    let foreign = problems.iter().find(|problem| problem.severity == Severity::Error);
    match foreign {
        Some(problem) => Err(format!("{}: {}", problem.code, problem.message)),
        None => Ok(true),
    }
}
