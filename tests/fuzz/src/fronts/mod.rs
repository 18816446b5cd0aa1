//! Programs in other languages: random well-formed ones, and near-misses of the fixtures in `tests/apl` and `tests/fcl`.
//!
//! For any text the tree is lossless, formatting keeps the program, every question of an editor has an answer, and no
//! message has a word of Lift. A program that the front end accepts becomes a kernel that Lift's types accept, which runs
//! on the interpreter with all lengths checked. A well-formed program is accepted; its translation to Lift and its
//! compiled code do the same.
//!
//! | module | programs |
//! |---|---|
//! | [`apl`] | in APL |
//! | [`fcl`] | in FCL |

pub mod apl;
pub mod fcl;

use crate::choices::{Random, shrink};
use crate::soundness::alike;
use crate::text::{editor, in_time};
use crate::{Case, Wrong, guarded, remember};
use lift_analysis::db::forms;
use lift_analysis::diagnostics::Severity;
use lift_analysis::prims;
use lift_analysis::queries::body;
use lift_codegen::core::{Kernel, build};
use lift_codegen::interp::{Limits, RunErrorKind, run_watched};
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use lift_syntax::Language;
use lift_tests::check::Program;
use lift_tests::files;
use lift_tests::kernels::{Arguments, compiled_for, run_on_device, unoptimized_device};
use std::path::Path;
use std::sync::OnceLock;

/// Limits of a run, because a wrong program may not terminate.
const LIMITS: Limits = Limits { steps: 3_000_000, bytes: 64 << 20, iterations: 10_000 };

/// Longest random stream of choices.
const MOST_CHOICES: usize = 120;

pub fn try_apl(seed: u64) -> Case {
    near(Language::Apl, seed)
}

pub fn try_fcl(seed: u64) -> Case {
    near(Language::Fcl, seed)
}

/// One of the languages for a seed.
pub fn language(seed: u64) -> Language {
    if Random::scattered(seed, 2) == 0 { Language::Apl } else { Language::Fcl }
}

/// The tokens of a text.
fn tokens(language: Language, text: &str) -> Vec<&str> {
    let ranges: Vec<_> = match language {
        Language::Fcl => lift_syntax::fcl::tokens(text).into_iter().map(|(_, range)| range).collect(),
        Language::Apl | Language::Lift => lift_syntax::apl::tokens(text).into_iter().map(|(_, range)| range).collect(),
    };
    ranges.into_iter().map(|range| &text[range]).collect()
}

/// The fixtures without mistakes, without their comments: an APL fixture is cut into programs of a few lines.
fn fixtures(language: Language) -> &'static [String] {
    static APL: OnceLock<Vec<String>> = OnceLock::new();
    static FCL: OnceLock<Vec<String>> = OnceLock::new();
    let (programs, mark) = match language {
        Language::Fcl => (&FCL, "-- wrong"),
        Language::Apl | Language::Lift => (&APL, "⍝ wrong"),
    };
    programs.get_or_init(|| {
        let folder = files::root().join("tests").join(language.ending().trim_start_matches('.'));
        let all = files::below(&folder, language.ending()).into_iter().map(|path| files::read(&path));
        let whole: Vec<String> = all.filter(|text| !text.contains(mark)).collect();
        if language == Language::Fcl {
            return whole;
        }
        let short = whole.iter().filter(|text| text.lines().count() < 40);
        short.cloned().collect()
    })
}

/// A fixture with one or two tokens changed.
fn near_miss(language: Language, random: &mut Random) -> String {
    let text = random.of(fixtures(language));
    let mut words = tokens(language, text);
    let is_word = |word: &&str| !word.trim().is_empty() && !word.starts_with("--") && !word.starts_with('⍝');
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

/// A near-miss: it is rejected, or it is sound.
pub fn near(language: Language, seed: u64) -> Case {
    let mut random = Random::new(seed);
    let text = near_miss(language, &mut random);
    match guarded(|| sound(language, &text)) {
        Ok(case) => case,
        Err(why) => {
            let program = fewer(language, &text, &mut |text| {
                guarded(|| sound(language, text)).is_err_and(|other| alike(&other, &why))
            });
            let why = guarded(|| sound(language, &program)).err().unwrap_or(why);
            Case::Wrong(Wrong { program, why })
        }
    }
}

/// A well-formed program: it is accepted and sound, and on a device, where `compiled`, it does the same.
pub fn well_formed(language: Language, seed: u64, compiled: bool) -> Case {
    let mut random = Random::new(seed);
    let target = *random.of(&crate::differential::targets());
    let choices = random.choices(MOST_CHOICES);
    let program = |choices: &[u16]| match language {
        Language::Fcl => fcl::program(choices),
        Language::Apl | Language::Lift => apl::program(choices),
    };
    let judge = |text: &str| {
        remember("fronts", text);
        if sound(language, text)? == Case::Rejected {
            return Err(format!("refused although well formed: {}", first_error(language, text)));
        }
        if compiled { agree(language, text, &target) } else { Ok(Case::Accepted) }
    };
    match guarded(|| judge(&program(&choices))) {
        Ok(case) => case,
        Err(why) => {
            let mut wrong = |c: &[u16]| guarded(|| judge(&program(c))).is_err_and(|other| alike(&other, &why));
            let choices = shrink(choices, if compiled { 100 } else { 400 }, &mut wrong);
            let smaller = program(&choices);
            let why = guarded(|| judge(&smaller)).err().unwrap_or(why);
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

/// A near-miss on which everything is asked that an editor asks, in time and on a small stack.
pub fn survived(language: Language, seed: u64) -> Case {
    let text = near_miss(language, &mut Random::new(seed));
    remember("fronts", &text);
    let asked = match language {
        Language::Fcl => in_time("", STACK, &text, asked_fcl),
        Language::Apl | Language::Lift => in_time("", STACK, &text, asked_apl),
    };
    asked.unwrap_or_else(|why| Case::Wrong(Wrong { program: text, why }))
}

/// The server's stack, on which it translates.
const STACK: usize = lift_server::STACK;

fn asked_apl(text: &str) -> Result<Case, String> {
    asked(Language::Apl, text)
}

fn asked_fcl(text: &str) -> Result<Case, String> {
    asked(Language::Fcl, text)
}

fn asked(language: Language, text: &str) -> Result<Case, String> {
    let accepted = editor::ask(&program(language, text), text)?;
    Ok(if accepted { Case::Accepted } else { Case::Rejected })
}

fn program(language: Language, text: &str) -> Program {
    Program::new(Path::new("."), &format!("random{}", language.ending()), text)
}

/// Removes tokens while the text stays wrong.
fn fewer(language: Language, text: &str, wrong: &mut dyn FnMut(&str) -> bool) -> String {
    let mut words: Vec<String> = tokens(language, text).into_iter().map(str::to_owned).collect();
    let mut tries = 400;
    let mut piece = words.len() / 2;
    while piece > 0 {
        let mut from = 0;
        while from < words.len() && tries > 0 {
            let mut shorter = words.clone();
            shorter.drain(from..(from + piece).min(words.len()));
            tries -= 1;
            if wrong(&shorter.concat()) { words = shorter } else { from += piece }
        }
        piece /= 2;
    }
    words.concat()
}

fn first_error(language: Language, text: &str) -> String {
    let problems = program(language, text).diagnostics();
    let first = problems.into_iter().find(|problem| problem.severity == Severity::Error);
    first.map_or_else(String::new, |problem| format!("{}: {}", problem.code, problem.message))
}

/// Whether a text is rejected, in the terms of its language, or accepted and sound.
fn sound(language: Language, text: &str) -> Result<Case, String> {
    formatted(language, text)?;
    let program = program(language, text);
    let problems = program.diagnostics();
    for problem in &problems {
        let mut quoted = problem.message.split('`').skip(1).step_by(2);
        let own = |word: &str| tokens(language, text).contains(&word);
        let leak =
            quoted.find(|word| word.starts_with(char::is_alphabetic) && prims::lookup(word).is_some() && !own(word));
        if let (Some(leak), Language::Apl) = (leak, language) {
            return Err(format!("a word of Lift in a message: `{leak}` in {}", problem.message));
        }
    }
    let kernel = kernel(&program)?;
    let error = problems.iter().find(|problem| problem.severity == Severity::Error);
    match (error, kernel) {
        (Some(problem), _) if of_front_end(language, text) => {
            Err(format!("the front end accepts what Lift's types do not: {}: {}", problem.code, problem.message))
        }
        (Some(_), _) => Ok(Case::Rejected),
        (None, None) => Ok(Case::Accepted),
        (None, Some(kernel)) if !kernel.params.is_empty() => Ok(Case::Accepted),
        (None, Some(kernel)) => match run_watched(&kernel, Vec::new(), &[], LIMITS) {
            Err(e) if matches!(e.kind, RunErrorKind::Unsound | RunErrorKind::Malformed) => Err(format!("unsound: {e}")),
            _ => Ok(Case::Accepted),
        },
    }
}

/// The translations of a text's kernels.
fn translated(language: Language, text: &str) -> Vec<lift_analysis::front::program::Translated> {
    match language {
        Language::Fcl => vec![lift_analysis::fcl::translate(text).program],
        Language::Apl | Language::Lift => {
            let kernels =
                lift_syntax::apl::kernels::split(text).into_iter().map(|form| form.name.map(|name| &text[name]));
            kernels.map(|kernel| lift_analysis::apl::translate_kernel(text, kernel).program).collect()
        }
    }
}

/// Whether the front end by itself finds no error.
fn of_front_end(language: Language, text: &str) -> bool {
    translated(language, text).iter().all(|program| program.errors.iter().all(|error| error.code.is_warning()))
}

/// The kernel of a program without errors; none if it has nothing to run.
fn kernel(program: &Program) -> Result<Option<std::sync::Arc<Kernel>>, String> {
    if program.diagnostics().iter().any(|problem| problem.severity == Severity::Error) {
        return Ok(None);
    }
    let analysis = program.analysis();
    let db = analysis.db();
    let form = db.file(program.path()).and_then(|file| forms(db, file).first().copied());
    let Some(form) = form.filter(|form| body(db, *form).root.is_some()) else { return Ok(None) };
    match build::kernel(db, form) {
        Ok(kernel) => Ok(Some(kernel)),
        // The limit is reported as such.
        Err(errors) if errors.iter().all(|e| e.to_string().contains("too large to be compiled")) => Ok(None),
        Err(errors) => Err(format!("accepted, but not built: {errors:?}")),
    }
}

/// The tree is the text; formatting changes white space alone, once, and keeps the meaning.
fn formatted(language: Language, text: &str) -> Result<(), String> {
    let (tree, edits) = match language {
        Language::Fcl => (lift_syntax::fcl::parse(text).syntax().text() == text, lift_syntax::fcl::format_edits(text)),
        Language::Apl | Language::Lift => {
            (lift_syntax::apl::parse(text).syntax().text() == text, lift_syntax::apl::format_edits(text))
        }
    };
    if !tree {
        return Err("the tree is not the text".to_owned());
    }
    let mut after = text.to_owned();
    for edit in edits.iter().rev() {
        after.replace_range(std::ops::Range::<usize>::from(edit.range), &edit.insert);
    }
    let again = match language {
        Language::Fcl => lift_syntax::fcl::format_edits(&after).is_empty(),
        Language::Apl | Language::Lift => lift_syntax::apl::format_edits(&after).is_empty(),
    };
    let [before, then] = [text, &after].map(|text| translated(language, text));
    let same = before.len() == then.len() && before.iter().zip(&then).all(|(a, b)| a.body == b.body);
    match (again, same) {
        (false, _) => Err(format!("formatting again changes it:\n{after}")),
        (true, false) => Err(format!("formatting changes the meaning:\n{after}")),
        (true, true) => Ok(()),
    }
}

/// The interpreter, the translation to Lift and a device do the same.
fn agree(language: Language, text: &str, target: &Target) -> Result<Case, String> {
    let program = program(language, text);
    let Some(kernel) = kernel(&program)? else { return Ok(Case::Rejected) };
    let ran = |kernel: &Kernel| run_watched(kernel, Vec::new(), &[], LIMITS);
    let meaning = ran(&kernel);
    let stopped = |_| "the analysis stopped";
    let names = program.analysis().kernels(program.path()).map_err(stopped)?;
    let name = names.into_iter().next().ok_or("no kernel has a name")?.name;
    let translated = program.analysis().as_lift(program.path(), &name).map_err(stopped)?;
    let again = crate::differential::kernel(&translated.unwrap_or_default())?;
    let differs = |other: &Result<Value, String>| match (&meaning, other) {
        (Ok(a), Ok(b)) => !crate::differential::equal(a, b),
        (Err(_), Err(_)) => false,
        _ => true,
    };
    let again = ran(&again).map_err(|e| e.to_string());
    if differs(&again) {
        return Err(format!("the translation differs: {meaning:?}\n{again:?}"));
    }
    let Ok(compiled) = compiled_for(&kernel, target) else { return Ok(Case::Rejected) };
    let none = Arguments { values: Vec::new(), sizes: Default::default() };
    let device = run_on_device(&compiled, &none, unoptimized_device()).map_err(|e| e.to_string());
    if differs(&device) {
        return Err(format!("the device differs: {meaning:?}\n{device:?}"));
    }
    Ok(Case::Accepted)
}
