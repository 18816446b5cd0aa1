//! Robustness on arbitrary text: splitter, parser, formatter, checker, editor features, compiler.
//!
//! A text is random, or constructed so that some pass takes exponential or high polynomial time or memory. Required: no
//! panic, no lost byte, idempotent formatting, answers of bounded size, and all within [`PATIENCE`] on a thread with
//! the default stack. Accepted programs are also compiled, within [`PATIENCE`] on a thread with the compiler's stack.
//! `tests/fuzz/run text` limits memory to 4 GiB.
//!
//! | module | texts |
//! |---|---|
//! | [`noise`] | bytes, tokens, half-typed programs, nested brackets |
//! | [`sizes`] | lengths that explode when expanded |
//! | [`towers`] | steps that use the previous one twice: types, functions, arrays, definitions |
//! | [`hidden`] | hidden lengths, assumptions, size names, rows of different lengths |
//! | [`wide`] | many arguments, definitions, errors, characters |

pub mod editor;
mod hidden;
mod noise;
mod sizes;
mod towers;
mod wide;

use crate::choices::Random;
use crate::fronts;
use crate::tree::reduce;
use crate::{Case, Wrong, guarded, remember};
use lift_analysis::db::forms;
use lift_codegen::core::build;
use lift_codegen::lower::compile;
use lift_codegen::target::Target;
use lift_syntax::{FormKind, SyntaxKind, format, lex, parse_form, split};
use lift_tests::check::Program;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Limit on the time for a text of a few kilobytes, and again for compiling it; usually it takes milliseconds. It is
/// CPU time, so that other processes do not matter, and larger in debug builds.
const PATIENCE: Duration = Duration::from_secs(if cfg!(debug_assertions) { 120 } else { 10 });

/// Time after which a thread is abandoned.
const GIVEN_UP: Duration = Duration::from_secs(PATIENCE.as_secs() * 3);

/// Returns the text of a seed.
pub fn text_of(seed: u64) -> String {
    any_text(&mut Random::new(seed))
}

/// Maximum texts that are tried to make a wrong one smaller.
const MOST_TRIES: u64 = 400;

/// One text in six is in another language.
pub fn try_one(seed: u64) -> Case {
    if seed % 6 == 5 {
        return fronts::survived(fronts::language(seed), seed);
    }
    let text = text_of(seed);
    let begun = Instant::now();
    match survived(&text) {
        Ok(case) => case,
        Err(why) => {
            let kind = |why: &str| why.split(':').next().map(str::to_owned);
            // A text that takes long is tried a few times.
            let took = begun.elapsed().as_millis().max(1) as u64;
            let tries = match kind(&why).as_deref() {
                Some("no end") => 0,
                _ => (PATIENCE.as_millis() as u64 / took).clamp(12, MOST_TRIES) as u32,
            };
            let mut wrong = |text: &str| survived(text).is_err_and(|w| kind(&w) == kind(&why));
            let smaller = if tries == 0 { text } else { reduce(&text, tries, &mut wrong) };
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

/// Checks everything about a text; an error is a failure.
pub fn survived(text: &str) -> Result<Case, String> {
    remember("text", text);
    // The default stack for analysis, the server's stack for the compiler.
    let case = in_time("", 2 << 20, text, ask)?;
    if case == Case::Accepted {
        in_time(" to compile", lift_server::STACK, text, compiled)?;
    }
    Ok(case)
}

/// Runs `f` on a thread of its own, with the time limit.
pub fn in_time<T: Send + 'static>(
    what: &str,
    stack: usize,
    text: &str,
    f: fn(&str) -> Result<T, String>,
) -> Result<T, String> {
    let (said, answer) = channel();
    let text = text.to_owned();
    let thread = std::thread::Builder::new().stack_size(stack).spawn(move || {
        let begun = Instant::now();
        // On Linux, `/proc` shows a thread's CPU time to other threads.
        let _ = said.send(Told::Itself(std::fs::read_link("/proc/thread-self").ok()));
        let told = guarded(|| f(&text));
        let took = time_of(Path::new("/proc/thread-self")).unwrap_or(begun.elapsed());
        let _ = said.send(Told::Answer(told, took));
    });
    thread.map_err(|e| e.to_string())?;
    let begun = Instant::now();
    let mut itself = None;
    loop {
        match answer.recv_timeout(Duration::from_millis(500)) {
            Ok(Told::Itself(thread)) => itself = thread.map(|thread| Path::new("/proc").join(thread)),
            Ok(Told::Answer(told, took)) => {
                let told = told?;
                let slow = took > PATIENCE;
                return if slow { Err(format!("too slow{what}: {} s", took.as_secs())) } else { Ok(told) };
            }
            Err(RecvTimeoutError::Timeout) => {
                let took = itself.as_deref().and_then(time_of).unwrap_or(begun.elapsed());
                if took > GIVEN_UP {
                    return Err(format!("no end{what}: {} s", took.as_secs()));
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Err("panic: in a thread".into()),
        }
    }
}

enum Told<T> {
    Itself(Option<PathBuf>),
    Answer(Result<T, String>, Duration),
}

/// Returns the CPU time of a thread, from its folder in `/proc`.
fn time_of(thread: &Path) -> Option<Duration> {
    let said = std::fs::read_to_string(thread.join("schedstat")).ok()?;
    said.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Checks that the trees contain every byte of the forms in order, and that only white space and comments are between
/// forms.
pub fn lossless(text: &str) -> Result<(), String> {
    let between = |from: usize, to: usize| {
        let tokens = lex(&text[from..to]);
        let lost = (0..tokens.len()).any(|i| !matches!(tokens.kind(i), SyntaxKind::WHITESPACE | SyntaxKind::COMMENT));
        if lost { Err(format!("lost between forms: {:?}", &text[from..to])) } else { Ok(()) }
    };
    let mut end = 0;
    for form in split(text) {
        let range = std::ops::Range::<usize>::from(form.range);
        if range.start < end || range.is_empty() {
            return Err("forms overlap".into());
        }
        between(end, range.start)?;
        end = range.end;
        if parse_form(&text[range.clone()]).syntax().text() != text[range].to_string().as_str() {
            return Err("the tree lost a byte".into());
        }
    }
    between(end, text.len())
}

fn ask(text: &str) -> Result<Case, String> {
    lossless(text)?;
    let formatted = format(text);
    if format(&formatted) != formatted {
        return Err("formatting again changes the text".into());
    }
    let visible = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if visible(&formatted) != visible(text) {
        return Err("formatting changes more than white space".into());
    }
    let program = Program::new(Path::new("."), NAME, text);
    Ok(if editor::ask(&program, text)? { Case::Accepted } else { Case::Rejected })
}

const NAME: &str = "text.lift";

/// Compiles the kernels for one class of devices; an unsupported kernel must be reported as such.
fn compiled(text: &str) -> Result<(), String> {
    let program = Program::new(Path::new("."), NAME, text);
    let analysis = program.analysis();
    let db = analysis.db();
    let file = db.file(program.path()).ok_or("the file was added")?;
    let targets = [Target::portable(), Target::gpu(), Target::cpu(), Target::nvidia()];
    let target = targets[text.len() % targets.len()];
    for form in forms(db, file).iter().filter(|form| form.kind(db) == FormKind::Lift) {
        let messages: Vec<String> = match build::kernel(db, *form) {
            Ok(kernel) => match compile(&kernel, &target) {
                Ok(_) => Vec::new(),
                Err(errors) => errors.iter().map(ToString::to_string).collect(),
            },
            Err(errors) => errors.iter().map(ToString::to_string).collect(),
        };
        if let Some(message) = messages.iter().find(|message| message.contains("internal error")) {
            return Err(format!("not compiled: {message}"));
        }
    }
    Ok(())
}

fn any_text(random: &mut Random) -> String {
    match random.below(12) {
        0 => noise::bytes(random),
        1 => noise::soup(random),
        2 | 3 => noise::half_typed(random),
        4 => noise::nested(random),
        5 => sizes::explosive(random),
        6..=8 => towers::tower(random),
        9 | 10 => hidden::lengths(random),
        _ => wide::much(random),
    }
}
