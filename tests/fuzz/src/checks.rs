//! What is assumed or checked, under every function of functions: a check that fails is the same error, at the same
//! place, on the interpreter and on every device, and a check that holds changes nothing.
//!
//! The programs are made of three tables. A [`USES`] is a primitive that takes a function, with data; a [`CHECKS`] is a
//! use of something that assumes or checks, written as an `Int` that is 0 where the check holds; a [`Position`] says how
//! the one comes to stand in the other. Besides, the array may be an input or what a `filter` kept, and its length may be
//! known to the checker. [`Case::number`] counts all of them.

use crate::{Case as Outcome, Wrong, guarded, remember};
use lift_analysis::db::forms;
use lift_analysis::diagnostics::Severity;
use lift_analysis::origin::Origin;
use lift_analysis::prims;
use lift_codegen::core::{Kernel, build};
use lift_codegen::failure::Kind;
use lift_codegen::interp::{self, Limits, RunErrorKind, bind_sizes};
use lift_codegen::lower::compile;
use lift_codegen::run::{self, RunFailure, RunOptions};
use lift_codegen::target::Target;
use lift_codegen::value::{ArrayValue, Value};
use lift_syntax::FormKind;
use lift_tests::check::Program;
use lift_tests::kernels::{close, device};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// A primitive that takes a function, in use. `$u` is a function from `Int` to `Int` that adds the check to its argument,
/// `$f` one from an array of the length that is checked to the check, `$z` an array of `Int`s, `$y` the array.
pub struct Use {
    pub primitive: &'static str,
    pub text: &'static str,
}

const fn of(primitive: &'static str, text: &'static str) -> Use {
    Use { primitive, text }
}

pub const USES: &[Use] = &[
    of("map", "(map $u $z)"),
    of("map", "(map $f (map (lambda (z) $y) $z))"),
    of("mapSeq", "(mapSeq $u $z)"),
    of("mapGlb0", "(mapGlb0 $u $z)"),
    of("mapGlb0", "(mapGlb0 $f (map (lambda (z) $y) $z))"),
    of("mapGlb1", "(mapGlb1 (mapGlb0 $u) (split #1 $z))"),
    of("mapGlb2", "(mapGlb2 (mapGlb0 $u) (split #1 $z))"),
    of("mapWrg0", "(mapWrg0 (mapLcl0 $u) (split #1 $z))"),
    of("mapWrg1", "(mapWrg1 (mapWrg0 (mapLcl0 $u)) (split #1 (split #1 $z)))"),
    of("mapWrg2", "(mapWrg2 (mapWrg0 (mapLcl0 $u)) (split #1 (split #1 $z)))"),
    of("mapLcl0", "(join (mapWrg0 (mapLcl0 $u) (split #1 $z)))"),
    of("mapLcl1", "(mapWrg1 (mapWrg0 (mapLcl1 (mapLcl0 $u))) (split #1 (split #1 (split #1 $z))))"),
    of("mapLcl2", "(mapWrg2 (mapWrg0 (mapLcl2 (mapLcl0 $u))) (split #1 (split #1 (split #1 $z))))"),
    of("filter", "(filter (lambda (a) (< 0 ($u a))) $z)"),
    of("filterSeq", "(filterSeq (lambda (a) (< 0 ($u a))) $z)"),
    of("filterGlb", "(filterGlb (lambda (a) (< 0 ($u a))) $z)"),
    of("filterWrg", "(filterWrg (lambda (a) (< 0 ($u a))) $z)"),
    of(
        "filterLcl",
        "(mapWrg0 (lambda (row) (head (reduceSeq 0 + (filterLcl (lambda (a) (< 0 ($u a))) row)))) (split #1 $z))",
    ),
    of("reduce", "(reduce 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("reduceSeq", "(reduceSeq 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("partRed", "(partRed #1 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("reduceWhileSeq", "(reduceWhileSeq (lambda (a) (< ($u a) 100)) 0 + $z)"),
    of("reduceWhileSeq", "(reduceWhileSeq (lambda (a) (< a 100)) 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("iterateWhile", "(iterateWhile (lambda (a) (< ($u a) 3)) (+ 1) 0)"),
    of("iterateWhile", "(iterateWhile (lambda (a) (< a 3)) (lambda (a) (+ 1 ($u a))) 0)"),
    of("scan", "(scan 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("scanSeq", "(scanSeq 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("scanExcl", "(scanExcl 0 (lambda (a b) (+ a ($u b))) $z)"),
    of("iterate", "(iterate #2 (map $u) $z)"),
    of("iterate", "(iterate #1 (lambda (vs) (map (+ ($f vs)) vs)) $y)"),
    of("iterate", "(iterate #2 (lambda (vs) (concat vs (map (+ ($f vs)) vs))) $y)"),
    of("reorder", "(reorder (lambda (i) (min 1 ($u i))) $z)"),
    of("scatter", "(scatter (lambda (i) ($u i)) $z)"),
    of("generate", "(generate #2 $u)"),
    of("sort", "(sort (lambda (a b) (< ($u a) ($u b))) $z)"),
    of("argsort", "(argsort (lambda (a b) (< ($u a) ($u b))) $z)"),
    of("search", "(search (lambda (a) ($u a)) $z)"),
    of("lsearch", "(lsearch (lambda (a) (- ($u a) 1)) $z)"),
    of("vectorize", "(asScalar (map (vectorize #2 $u) (asVector #2 $z)))"),
    of("mapVec", "(asScalar (map (mapVec $u) (asVector #2 $z)))"),
    of("toGlobal", "((toGlobal (mapGlb0 $u)) $z)"),
    of("toLocal", "(mapWrg0 (o (mapLcl0 id) (toLocal (mapLcl0 $u))) (split #1 $z))"),
    of("toPrivate", "(mapGlb0 (o (mapSeq id) (toPrivate (mapSeq $u))) (split #1 $z))"),
];

/// Primitives with a function for a parameter that runs nothing: a mode by its name, and a rule for lengths.
pub const WITHOUT_A_FUNCTION_THAT_RUNS: [&str; 2] = ["pad", "partition"];

/// Something that assumes or checks. `text` is of `ys`.
pub struct Check {
    pub uses: &'static str,
    pub text: &'static str,
    /// Lengths of `ys` at which it holds and fails. All elements are 0.
    pub holds: usize,
    pub fails: usize,
    /// Whether it is a condition on lengths, which the checker refutes where they are known.
    pub of_lengths: bool,
}

const fn assumes(uses: &'static str, text: &'static str, holds: usize, fails: usize) -> Check {
    Check { uses, text, holds, fails, of_lengths: true }
}
const fn checks(uses: &'static str, text: &'static str, holds: usize, fails: usize) -> Check {
    Check { uses, text, holds, fails, of_lengths: false }
}

pub const CHECKS: &[Check] = &[
    assumes("take", "(head (take #3 ys))", 4, 2),
    assumes("drop", "(head (reduceSeq 0 + (drop #3 ys)))", 4, 2),
    assumes("slice", "(head (slice #1 #2 ys))", 4, 2),
    assumes("head", "(head ys)", 1, 0),
    assumes("last", "(last ys)", 1, 0),
    assumes("tail", "(head (reduceSeq 0 + (tail ys)))", 1, 0),
    assumes("split", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (split #2 ys))))", 4, 3),
    assumes("stride", "(head (reduceSeq 0 + (stride #2 ys)))", 4, 3),
    assumes("slide", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (slide #3 #1 ys))))", 4, 2),
    assumes("slide", "(head (reduceSeq 0 + (map (lambda (r) (head r)) (slide #1 #2 ys))))", 3, 4),
    assumes("partRed", "(head (reduceSeq 0 + (partRed #2 0 + ys)))", 4, 3),
    assumes("pad", "(head (pad #1 #1 clamp ys))", 1, 0),
    assumes("asVector", "(head (reduceSeq 0 + (asScalar (asVector #2 ys))))", 4, 3),
    assumes(
        "partition",
        "(head (reduceSeq 0 + (map (lambda (p) (head (reduceSeq 0 + p))) (partition #2 (caseSplit #(- (length ys) 2) 2) ys))))",
        4,
        1,
    ),
    assumes("-", "(- (head (reduceSeq 0 max (iota #(- (length ys) 3)))) (- (length ys) 4))", 5, 2),
    assumes("/", "(* 0 (length (iota #(/ (length ys) 2))))", 4, 3),
    assumes("mod", "(head (reduceSeq 0 + (iota #(mod 1 (length ys)))))", 3, 0),
    checks("cast", "(head (reduceSeq 0 + (: ys (array-type int 3))))", 3, 4),
    checks("aref", "(aref ys (+ 1 (bitand (length ys) 1)))", 3, 1),
    checks("/", "(/ 0 (- (length ys) 2))", 3, 2),
    checks("mod", "(mod 0 (- (length ys) 2))", 3, 2),
    checks("iota", "(* 0 (length (iota (- (length ys) 3))))", 3, 2),
    checks("generate", "(* 0 (length (generate (- (length ys) 3) (+ 1))))", 3, 2),
    checks("fill", "(* 0 (length (fill (- (length ys) 3) 1)))", 3, 2),
];

/// How what is checked comes to stand in the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    Argument,
    Partial,
    Composition,
    Define,
    Branch,
}
pub const POSITIONS: [Position; 5] =
    [Position::Argument, Position::Partial, Position::Composition, Position::Define, Position::Branch];

/// What is known of the length that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Length {
    /// The checker knows that the check holds.
    Holds,
    /// The checker knows that it fails.
    Fails,
    /// A size of the input: both are tried.
    Input,
    /// What a filter kept: both are tried.
    Hidden,
}
pub const LENGTHS: [Length; 4] = [Length::Holds, Length::Fails, Length::Input, Length::Hidden];

/// One program, by its places in the tables.
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

    /// For every use, check and position one of the lengths, each as often.
    pub fn of_each() -> impl Iterator<Item = Case> {
        let all = (0..Case::number()).map(Case::nth);
        all.filter(|c| LENGTHS[(c.used + c.check + c.position as usize) % LENGTHS.len()] == c.length)
    }

    pub fn check(&self) -> &'static Check {
        &CHECKS[self.check]
    }

    /// The kernel `k` with the definitions that it uses, all with `suffix` in their names.
    pub fn forms(&self, suffix: &str) -> String {
        let check = self.check().text;
        // Of the array that is checked, in each of the five positions.
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

    /// Which lengths are tried, and whether the check holds.
    fn runs(&self) -> Vec<(usize, bool)> {
        let Check { holds, fails, .. } = *self.check();
        match self.length {
            Length::Holds => vec![(holds, true)],
            Length::Fails => vec![(fails, false)],
            Length::Input | Length::Hidden => vec![(holds, true), (fails, false)],
        }
    }
}

/// What became of one run, so that it can be compared.
#[derive(Debug, Clone, PartialEq)]
enum Ran {
    Value(Value),
    Failed { kind: RunErrorKind, origin: Option<Origin>, message: String },
}

impl Ran {
    fn is_like(&self, other: &Ran) -> bool {
        match (self, other) {
            (Ran::Value(a), Ran::Value(b)) => close(a, b),
            (Ran::Failed { kind, origin, .. }, Ran::Failed { kind: k, origin: o, .. }) => kind == k && origin == o,
            _ => false,
        }
    }
}

/// Zeros, so that every check that holds is 0, and numbers of which the function makes something.
fn inputs(length: usize, branch: i32) -> Vec<Value> {
    let zeros = Value::Array(ArrayValue::Int(vec![0; length]));
    vec![zeros.clone(), Value::Array(ArrayValue::Int(vec![0, 1])), Value::Int(branch), zeros]
}

fn on_interpreter(kernel: &Kernel, inputs: Vec<Value>) -> Ran {
    match interp::run_watched(kernel, inputs, &[], Limits { steps: 300_000, bytes: 64 << 20, iterations: 10_000 }) {
        Ok(value) => Ran::Value(value),
        Err(e) => Ran::Failed { kind: e.kind, origin: e.origin, message: e.message },
    }
}

/// `None`: not compiled for this target, which says so.
fn on_device(kernel: &Kernel, target: &Target, inputs: &[Value]) -> Option<Result<Ran, String>> {
    let program = compile(kernel, target).ok()?;
    let sizes = match bind_sizes(kernel, inputs, &[]) {
        Ok(sizes) => sizes,
        Err(e) => return Some(Err(e.message)),
    };
    let options = RunOptions { poison: true, ..RunOptions::default() };
    Some(match run::run(&program, inputs, &sizes, device(), &options) {
        Ok(outcome) => Ok(Ran::Value(outcome.value)),
        Err(RunFailure::Assumption { origin, assumption, .. }) => {
            Ok(Ran::Failed { kind: RunErrorKind::Assumption, origin: Some(origin), message: assumption })
        }
        Err(RunFailure::Check { kind, message, origin }) => {
            let kind = match kind {
                Kind::Index => RunErrorKind::Index,
                Kind::DivisionByZero => RunErrorKind::DivisionByZero,
                Kind::Argument => RunErrorKind::Argument,
                Kind::Cast => RunErrorKind::Cast,
                Kind::Assumption => RunErrorKind::Assumption,
            };
            Ok(Ran::Failed { kind, origin: Some(origin), message })
        }
        Err(other) => Err(other.to_string()),
    })
}

/// A case's kernel; none where the checker refused it; what went wrong otherwise.
type Built = Result<Option<Arc<Kernel>>, String>;

/// The kernel of each case, or `None` where the checker refuses it because of lengths; all in one program.
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

/// Whether a case is as it should be on the interpreter, and on a device for each of these targets. How many of the
/// targets it is compiled for.
fn is_right(case: &Case, kernel: Option<&Kernel>, targets: &[Target]) -> Result<usize, String> {
    let Some(kernel) = kernel else {
        // What is refused fails whatever the sizes are.
        let fails = case.length == Length::Fails && case.check().of_lengths || case.check().uses == "cast";
        return if fails { Ok(0) } else { Err("it is refused".to_owned()) };
    };
    let mut compiled = BTreeSet::new();
    for (length, holds) in case.runs() {
        let branches: &[i32] = if case.position == Position::Branch { &[0, 1] } else { &[0] };
        for &branch in branches {
            let ran = on_interpreter(kernel, inputs(length, branch));
            let fine = match &ran {
                Ran::Value(_) => holds || branch == 1,
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
            // The checker says what the lengths must be: the interpreter never gets to see that they are wrong.
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

/// Every case of these on the interpreter. `Err` says all that is wrong.
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

/// One case, and all targets.
pub fn try_one(seed: u64) -> Outcome {
    // Far from one another, so that a few seeds see much of the tables.
    let case = Case::nth((seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24) as usize % Case::number());
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

/// Primitives that the tables leave out: those that take a function, and those that assume something of lengths.
pub fn missing() -> Vec<&'static str> {
    let takes_a_function = |p: &prims::Primitive| {
        p.scheme.ty.uncurry().0.iter().any(|param| matches!(param.kind(), lift_analysis::ty::TyKind::Fun(..)))
    };
    let used = |p: &prims::Primitive| {
        USES.iter().any(|u| *u.primitive == *p.name) || WITHOUT_A_FUNCTION_THAT_RUNS.contains(&&*p.name)
    };
    let checked = |p: &prims::Primitive| CHECKS.iter().any(|c| *c.uses == *p.name);
    let missing = prims::all()
        .iter()
        .filter(|p| takes_a_function(p) && !used(p) || !p.scheme.assumptions.is_empty() && !checked(p));
    missing.map(|p| &*p.name).collect()
}
