//! Assumptions and checks inside every primitive that takes a function. A failing check must give the same error at the
//! same location on the interpreter and on every device; a check that holds must change nothing.
//!
//! Programs combine three tables: [`USES`] has applications of primitives that take a function; [`CHECKS`] has
//! expressions with an assumption or check, of type `Int` and value 0 where it holds; [`Position`] is the way in which
//! the check gets into the function. In addition, the array is an input or the result of a `filter`, and the checker
//! may know its length. [`Case::number`] is the number of combinations.

mod tables;

use crate::choices::Random;
use crate::ran::{Ran, on_device, on_interpreter};
use crate::{Case as Outcome, Wrong, guarded, remember};
use lift_analysis::db::forms;
use lift_analysis::diagnostics::Severity;
use lift_codegen::core::{Kernel, build};
use lift_codegen::interp::RunErrorKind;
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_syntax::FormKind;
use lift_tests::check::Program;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
pub use tables::{CHECKS, Check, LENGTHS, Length, POSITIONS, Position, USES, missing};

/// A program, as a combination of the tables' entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub used: usize,
    pub check: usize,
    pub position: Position,
    pub length: Length,
}

const NAME: &str = "checks.lift";

impl Case {
    pub fn number() -> usize {
        USES.len() * CHECKS.len() * POSITIONS.len() * LENGTHS.len()
    }

    pub fn nth(n: usize) -> Case {
        let (n, length) = (n / LENGTHS.len(), LENGTHS[n % LENGTHS.len()]);
        let (n, position) = (n / POSITIONS.len(), POSITIONS[n % POSITIONS.len()]);
        Case { used: n / CHECKS.len() % USES.len(), check: n % CHECKS.len(), position, length }
    }

    /// Returns one case for each use, check and position; their lengths occur about equally often.
    pub fn of_each() -> impl Iterator<Item = Case> {
        let all = (0..Case::number()).map(Case::nth);
        all.filter(|c| LENGTHS[(c.used + c.check + c.position as usize) % LENGTHS.len()] == c.length)
    }

    pub fn check(&self) -> &'static Check {
        &CHECKS[self.check]
    }

    /// Returns the kernel `k` and its definitions; `suffix` is appended to all names.
    pub fn forms(&self, suffix: &str) -> String {
        let check = self.check().text;
        // The definition, and functions with the check of a number and of an array, for each position.
        let (define, of_number, of_array) = match self.position {
            Position::Partial => (
                format!("(define (add{suffix} ys x) (+ x {check}))\n(define (sum{suffix} k ys) (+ k {check}))\n"),
                format!("(add{suffix} ys)"),
                format!("(sum{suffix} 0)"),
            ),
            Position::Composition => (
                format!("(define (add{suffix} ys x) (+ x {check}))\n(define (sum{suffix} ys) {check})\n"),
                format!("(o (+ 0) (add{suffix} ys))"),
                format!("(o (+ 0) sum{suffix})"),
            ),
            Position::Inside => {
                let inside = |then: &str, other| format!("(if (< c 1) {then} {other})");
                let of_number = inside(&format!("(+ x {check})"), "x");
                (String::new(), format!("(lambda (x) {of_number})"), format!("(lambda (ys) {})", inside(check, "0")))
            }
            Position::Guard => {
                let guarded = |then: &str, other| format!("(if (= (length ys) {}) {then} {other})", self.check().holds);
                let of_number = guarded(&format!("(+ x {check})"), "x");
                (String::new(), format!("(lambda (x) {of_number})"), format!("(lambda (ys) {})", guarded(check, "0")))
            }
            _ => (String::new(), format!("(lambda (x) (+ x {check}))"), format!("(lambda (ys) {check})")),
        };
        let text = |u: &str, f: &str| {
            let text = USES[self.used].text.replace("$u", u).replace("$f", f);
            text.replace("$z", "zs").replace("$y", "ys")
        };
        let used = text(&of_number, &of_array);
        let (define, body) = match self.position {
            Position::Define => (format!("(define (all{suffix} ys zs) {used})\n"), format!("(all{suffix} ys zs)")),
            Position::Branch => {
                let other = text("(+ 0)", "(lambda (_vs) 0)");
                (define, format!("(if (< c 1) {used} {other})"))
            }
            _ => (define, used),
        };
        let length = match self.length {
            Length::Holds => self.check().holds.to_string(),
            Length::Fails => self.check().fails.to_string(),
            Length::Input | Length::Hidden => "N".to_owned(),
        };
        let array = if self.length == Length::Hidden { "(filter (= 0) xs)" } else { "xs" };
        format!(
            "{define}(lift k{suffix} (N M) ((array-type int {length}) (array-type int M) int (array-type int N))\n\
             (lambda (xs zs c ns) (let ys {array} {body})))\n"
        )
    }

    /// Returns the lengths to try, and whether the check holds for each.
    fn runs(&self) -> Vec<(usize, bool)> {
        let Check { holds, fails, .. } = *self.check();
        match self.length {
            Length::Holds => vec![(holds, true)],
            Length::Fails => vec![(fails, false)],
            Length::Input | Length::Hidden => vec![(holds, true), (fails, false)],
        }
    }
}

/// Returns arrays of zeros, for which every check that holds has the value 0, and other arguments of the kernel.
fn inputs(length: usize, branch: i32) -> Vec<Value> {
    let zeros = Value::Array(ArrayValue::Int(vec![0; length]));
    vec![zeros.clone(), Value::Array(ArrayValue::Int(vec![0, 1])), Value::Int(branch), zeros]
}

/// A case's kernel; `None` if the checker rejected it for its lengths; an error for any other failure.
type Built = Result<Option<Arc<Kernel>>, String>;

/// Builds the kernels of all cases in one program.
fn kernels(cases: &[Case]) -> Result<Vec<Built>, String> {
    let (mut text, mut ranges) = (String::new(), Vec::new());
    for (i, case) in cases.iter().enumerate() {
        let start = text.len();
        text += &case.forms(&i.to_string());
        ranges.push(start..text.len());
    }
    remember("checks", &text);
    let program = Program::new(Path::new("."), NAME, &text);
    let mut refused = vec![Ok(false); cases.len()];
    for d in program.diagnostics().into_iter().filter(|d| d.severity == Severity::Error) {
        let at = usize::from(d.range.start());
        let i = ranges.iter().position(|r| r.contains(&at)).unwrap_or(0);
        refused[i] = match d.code {
            "assumption-false" | "annotation-false" => Ok(true),
            code => Err(format!("{code}: {}", d.message)),
        };
    }
    let analysis = program.analysis();
    let db = analysis.db();
    let file = db.file(program.path()).ok_or("no file")?;
    let kernels = forms(db, file).iter().filter(|form| form.kind(db) == FormKind::Lift);
    let mut built = Vec::new();
    for (form, refused) in kernels.zip(refused) {
        let kernel = || {
            build::kernel(db, *form).map(Some).map_err(|e| {
                let why: Vec<String> = e.iter().map(ToString::to_string).collect();
                format!("not built: {}", why.join("; "))
            })
        };
        built.push(refused.and_then(|refused| if refused { Ok(None) } else { kernel() }));
    }
    Ok(built)
}

/// Tests a case on the interpreter, and on a device for each target. Returns the number of targets that support the
/// kernel.
fn is_right(case: &Case, kernel: Option<&Kernel>, targets: &[Target]) -> Result<usize, String> {
    let Some(kernel) = kernel else {
        // Rejection is right only if the check fails for all sizes.
        let fails = case.length == Length::Fails && case.check().of_lengths || case.check().uses == "cast";
        return if fails && case.position != Position::Guard { Ok(0) } else { Err("it is refused".to_owned()) };
    };
    let mut compiled = BTreeSet::new();
    for (length, holds) in case.runs() {
        let branches: &[i32] = match case.position {
            Position::Branch | Position::Inside => &[0, 1],
            _ => &[0],
        };
        for &branch in branches {
            let ran = on_interpreter(kernel, inputs(length, branch), 300_000);
            // What is in a branch that is not taken holds as well.
            let holds = holds || case.position == Position::Guard || branch == 1;
            let fine = match &ran {
                Ran::Value(_) => holds,
                Ran::Failed { kind, .. } => {
                    !holds
                        && matches!(
                            kind,
                            RunErrorKind::Assumption
                                | RunErrorKind::Cast
                                | RunErrorKind::Index
                                | RunErrorKind::DivisionByZero
                                | RunErrorKind::Argument
                        )
                }
            };
            if !fine {
                return Err(format!("length {length}, c={branch}: the interpreter gives {ran:?}"));
            }
            // A condition on lengths must become an assumption of the checker, so that the interpreter never reaches
            // the failure.
            if let Ran::Failed { kind, .. } = &ran
                && case.check().of_lengths
                && *kind != RunErrorKind::Assumption
            {
                return Err(format!("length {length}, c={branch}: nothing is assumed: {ran:?}"));
            }
            for (i, target) in targets.iter().enumerate() {
                let Some(result) = on_device(kernel, target, &inputs(length, branch)) else { continue };
                compiled.insert(i);
                let same = result.as_ref().is_ok_and(|result| ran.is_like(result));
                if !same {
                    return Err(format!(
                        "length {length}, c={branch}: the interpreter gives {ran:?}\n{:?} gives {result:?}",
                        target.class
                    ));
                }
            }
        }
    }
    Ok(compiled.len())
}

/// Tests cases on the interpreter. An error lists all failures.
pub fn all_on_interpreter(cases: &[Case]) -> Result<(), String> {
    let mut wrong = Vec::new();
    for some in cases.chunks(100) {
        match guarded(|| kernels(some)) {
            Err(why) => wrong.push(why),
            Ok(kernels) => {
                for (case, kernel) in some.iter().zip(kernels) {
                    if let Err(why) = guarded(|| is_right(case, kernel?.as_deref(), &[])) {
                        wrong.push(format!("{}{why}", case.forms("")));
                    }
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(format!("{} are wrong\n{}", wrong.len(), wrong.join("\n\n"))) }
}

/// Tests one case for all targets.
pub fn try_one(seed: u64) -> Outcome {
    let case = Case::nth(Random::scattered(seed, Case::number()));
    let targets = [Target::portable(), Target::cpu(), Target::gpu(), Target::nvidia()];
    let result = guarded(|| {
        let kernel = kernels(&[case])?.pop().transpose()?.flatten();
        is_right(&case, kernel.as_deref(), &targets)
    });
    match result {
        Ok(0) => Outcome::Rejected,
        Ok(_) => Outcome::Accepted,
        Err(why) => Outcome::Wrong(Wrong { program: case.forms(""), why }),
    }
}
