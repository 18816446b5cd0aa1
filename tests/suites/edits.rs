//! Every edit that the editor offers is valid: applied to an example or a random program, each hint's and each action's
//! edit keeps the program well typed, with the same types. Writing out or removing `pack` and `unpack` keeps the OpenCL
//! text, except that removal may change names taken from the program.
//!
//! The random programs are fixed; `LIFT_SEED=… LIFT_CASES=…` tries others, or more. Twelve positions per example are
//! tried; `LIFT_PLACES=50` tries more.

use lift_analysis::ide::{EXPLICIT_FILE, EXPLICIT_FORM, EXPLICIT_HERE, HintKind, IMPLICIT, QUICK_FIX, SourceChange};
use lift_fuzz::choices::Random;
use lift_fuzz::program::{Breadth, program};
use lift_syntax::{SyntaxKind, TextRange, TextSize, lex};
use lift_tests::check::Program;
use lift_tests::kernels::{Runnable, compiled};
use lift_tests::{files, sample};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Returns ranges for requests: bracketed groups as selections, names as cursor positions.
fn places(text: &str, most: usize) -> Vec<TextRange> {
    let tokens = lex(text);
    let (mut open, mut places) = (Vec::new(), Vec::new());
    for token in 0..tokens.len() {
        let (kind, range) = (tokens.kind(token), tokens.range(token));
        if kind.is_opener() {
            open.push(range);
        } else if kind.is_closer() {
            places.extend(open.pop().map(|opener: TextRange| opener.cover(range)));
        } else if kind == SyntaxKind::IDENT {
            places.push(TextRange::empty(range.start()));
        }
    }
    let step = 1 + places.len() / most;
    places.into_iter().step_by(step).collect()
}

/// Returns the text of the program's own file after a change; `None` if the change affects another file.
fn applied(text: &str, path: &str, change: &SourceChange) -> Option<String> {
    let [(file, _)] = change.files.as_slice() else { return None };
    (**file == *path).then(|| change.applied(path, text))
}

/// Removes white space and comments, which contain line numbers of the program.
fn code(text: &str) -> String {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    code.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(")
}

/// Replaces generated names and names from the program, which are short or contain digits or `_`: a written `unpack`
/// names a value that has no name otherwise.
fn without_names(code: &str) -> String {
    let mut out = String::new();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for piece in code.split_inclusive(|c| !is_word(c)) {
        let word = piece.trim_end_matches(|c| !is_word(c));
        let named = word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && (word.len() < 3 || !word.chars().all(|c| c.is_ascii_lowercase()));
        out += if named { "name" } else { word };
        out += &piece[word.len()..];
    }
    out
}

/// Caches OpenCL texts by printed core, because an edit of one kernel leaves the others unchanged.
#[derive(Default)]
struct Compiler {
    texts: HashMap<String, String>,
}

impl Compiler {
    /// Returns the OpenCL text of each kernel; empty if it cannot be compiled.
    fn opencl(&mut self, program: &Program) -> Vec<String> {
        let text = |kernel: Runnable| match kernel.core {
            Ok(core) => {
                let make = || compiled(&core).map(|plan| code(&plan.opencl.text)).unwrap_or_default();
                self.texts.entry(core.to_string()).or_insert_with(make).clone()
            }
            Err(_) => String::new(),
        };
        program.kernels().into_iter().map(text).collect()
    }
}

/// The property of the OpenCL text that an edit must preserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keeps {
    Nothing,
    Code,
    CodeButNames,
}

/// An offered edit.
struct Offer {
    /// Its title and location.
    what: String,
    change: SourceChange,
    keeps: Keeps,
}

/// Returns every edit offered in a program, without duplicates.
fn offers(program: &Program, path: &str, text: &str, most: usize) -> Vec<Offer> {
    let never = "no edit, no cancellation";
    let analysis = program.analysis();
    let mut offers: Vec<Offer> = Vec::new();
    let mut offer = |what: String, change: SourceChange, keeps: Keeps| {
        if !offers.iter().any(|other| other.change == change) {
            offers.push(Offer { what, change, keeps });
        }
    };
    for place in places(text, most) {
        for action in analysis.code_actions(path, place).expect(never) {
            let keeps = match action.kind {
                EXPLICIT_HERE | EXPLICIT_FORM | EXPLICIT_FILE => Keeps::Code,
                IMPLICIT => Keeps::CodeButNames,
                _ => Keeps::Nothing,
            };
            if action.kind != QUICK_FIX {
                offer(format!("{} at {place:?}", action.title), action.change, keeps);
            }
        }
    }
    let whole = TextRange::up_to(TextSize::of(text));
    let hints = analysis.inlay_hints(path, whole).expect(never);
    let step = 1 + hints.len() / most;
    for hint in hints.into_iter().step_by(step) {
        let label: String = hint.parts.iter().map(|part| part.text.as_str()).collect();
        let found = analysis.hint_edits(path, hint.offset, hint.kind, &label).expect(never);
        let change = SourceChange { files: vec![(path.into(), found)] };
        let keeps = if hint.kind == HintKind::PackUnpack { Keeps::Code } else { Keeps::Nothing };
        offer(format!("the hint `{label}` at {:?}", hint.offset), change, keeps);
    }
    offers
}

/// Applies and checks every edit; returns their number. All are applied in one session, as in an editor, so that only
/// changed parts are checked again.
fn check(folder: &Path, path: &str, text: &str, most: usize) -> Result<usize, String> {
    let mut program = Program::new(folder, path, text);
    if !program.is_well_typed() {
        return Ok(0);
    }
    let mut compiler = Compiler::default();
    let (types, before) = (program.types(), compiler.opencl(&program));
    let types: BTreeSet<&str> = types.lines().collect();
    let offers = offers(&program, path, text, most);
    let mut tried = 0;
    for Offer { what, change, keeps } in &offers {
        let Some(after) = applied(text, path, change) else { continue };
        let wrong = |why: &str| Err(format!("{path}: {what}: {why}\n{after}"));
        program.set_text(&after);
        if !program.is_well_typed() {
            return wrong(&program.outcome());
        }
        let now = program.types();
        if !types.is_subset(&now.lines().collect()) {
            return wrong(&format!("types changed to\n{now}"));
        }
        let code = if *keeps == Keeps::Nothing { Vec::new() } else { compiler.opencl(&program) };
        let differ = |(before, after): &(&String, &String)| match keeps {
            Keeps::CodeButNames => without_names(before) != without_names(after),
            Keeps::Code | Keeps::Nothing => before != after,
        };
        if let Some((before, after)) = before.iter().zip(&code).find(differ) {
            return wrong(&format!("the OpenCL text was\n{before}\nand is\n{after}"));
        }
        tried += 1;
    }
    Ok(tried)
}

#[test]
fn in_every_example() {
    let folder = files::root().join("examples");
    let places = std::env::var("LIFT_PLACES").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let mut tried = 0;
    for file in files::below(&folder, ".lift") {
        let path = file.strip_prefix(&folder).expect("it is below").to_string_lossy().into_owned();
        if !sample::takes(&path, 3) {
            continue;
        }
        match check(&folder, &path, &files::read(&file), places) {
            Ok(count) => tried += count,
            Err(why) => panic!("{why}"),
        }
    }
    assert!(tried > if lift_tests::takes_all() { 500 } else { 50 }, "only {tried} edits were offered");
}

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// The programs are fixed; `LIFT_CASES` sets their number, and `LIFT_SEED` the first seed.
#[test]
fn in_random_programs() {
    let (first, cases) = (number("LIFT_SEED", 1), number("LIFT_CASES", 35));
    let mut tried = 0;
    for seed in first..first + cases {
        let text = program(&Random::new(seed).choices(100), Breadth::Compiled);
        match check(Path::new("."), "random.lift", &text, 5) {
            Ok(count) => tried += count,
            Err(why) => panic!("LIFT_SEED={seed} LIFT_CASES=1\n{why}"),
        }
    }
    assert!(tried as u64 >= cases, "only {tried} edits were offered");
}
