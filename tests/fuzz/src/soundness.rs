//! Soundness of types: programs that the checker accepts run while their lengths are checked.

use crate::choices::{Random, shrink};
use crate::fronts;
use crate::mutate::near_miss;
use crate::program::{Breadth, inputs, program};
use crate::tree::reduce;
use crate::{Case, Wrong, guarded, remember};
use lift_analysis::db::forms;
use lift_analysis::size::VarKind;
use lift_analysis::ty::{Ty, TyKind};
use lift_codegen::core::{Kernel, build, check, simplify};
use lift_codegen::interp::{Limits, RunError, RunErrorKind, run_watched};
use lift_codegen::value::Value;
use lift_syntax::FormKind;
use lift_tests::check::Program;
use lift_tests::kernels::close;
use std::path::Path;

/// Zero, one, few, primes, a power of two and its neighbours.
const SIZES: [(usize, usize); 7] = [(0, 0), (1, 1), (0, 3), (2, 1), (3, 4), (5, 2), (9, 7)];

/// Limits of a run, because a wrong program may not terminate.
const LIMITS: Limits = Limits { steps: 300_000, bytes: 64 << 20, iterations: 10_000 };

/// One third of the programs are well typed by construction; the others are near-misses. One in ten is in another
/// language, and well formed.
pub fn try_one(seed: u64) -> Case {
    if seed % 10 == 9 {
        return fronts::well_formed(fronts::language(seed), seed, false);
    }
    let mut random = Random::new(seed);
    let kind = random.below(3);
    let choices = random.choices(220);
    let text = program(&choices, Breadth::Whole);
    if kind == 0 {
        return match guarded(|| well_typed(&text)) {
            Ok(case) => case,
            Err(why) => {
                let wrong =
                    |c: &[u16]| guarded(|| well_typed(&program(c, Breadth::Whole))).is_err_and(|w| alike(&w, &why));
                let choices = shrink(choices, 600, &mut { wrong });
                let smaller = program(&choices, Breadth::Whole);
                let why = guarded(|| well_typed(&smaller)).err().unwrap_or(why);
                Case::Wrong(Wrong { program: smaller, why })
            }
        };
    }
    let text = near_miss(&text, &mut random);
    match guarded(|| rejected_or_fine(&text)) {
        Ok(case) => case,
        Err(why) => {
            let mut wrong = |text: &str| guarded(|| rejected_or_fine(text)).is_err_and(|w| alike(&w, &why));
            let smaller = reduce(&text, 1500, &mut wrong);
            let why = guarded(|| rejected_or_fine(&smaller)).err().unwrap_or(why);
            Case::Wrong(Wrong { program: smaller, why })
        }
    }
}

/// Whether two failures are of one kind: their texts agree up to the first `:` or backtick.
pub fn alike(a: &str, b: &str) -> bool {
    let kind = |text: &str| text.split([':', '`']).next().unwrap_or_default().to_owned();
    kind(a) == kind(b)
}

/// Checks that a program is accepted, and that its types are sound.
pub fn well_typed(text: &str) -> Result<Case, String> {
    remember("soundness", text);
    let program = Program::new(Path::new("."), "random.lift", text);
    if !program.is_well_typed() {
        let errors = program.diagnostics().into_iter().filter(|d| d.severity == ERROR);
        let first = errors.map(|d| format!("{} at `{}`: {}", d.code, &text[d.range], d.message)).next();
        return Err(format!("refused although well typed: {}", first.unwrap_or_default()));
    }
    let mut accepted = false;
    for kernel in kernels(&program)? {
        accepted = true;
        for (n, m) in SIZES {
            let result = watched(&kernel, inputs(n, m)).map_err(|why| format!("{why} with N={n} M={m}"))?;
            if let Err(e) = &result
                && matches!(e.kind, RunErrorKind::Input | RunErrorKind::Size)
            {
                return Err(format!("the inputs do not fit: {e} with N={n} M={m}"));
            }
        }
    }
    if accepted { Ok(Case::Accepted) } else { Err("there is no kernel".into()) }
}

/// Checks that a program is rejected, or sound if it is accepted.
pub fn rejected_or_fine(text: &str) -> Result<Case, String> {
    remember("soundness", text);
    let program = Program::new(Path::new("."), "random.lift", text);
    if !program.is_well_typed() {
        return Ok(Case::Rejected);
    }
    let kernels = match kernels(&program) {
        // Unsupported, and reported as such.
        Err(why) if why.contains("this is a function where data is needed") => return Ok(Case::Rejected),
        kernels => kernels?,
    };
    for kernel in kernels {
        for (n, m) in SIZES {
            // The change may affect an input's type, and then the program cannot run on these inputs.
            let values = inputs(n, m);
            let fit = kernel.params.iter().zip(&values).all(|(param, value)| fits(value, kernel.ty(*param)));
            if fit && kernel.params.len() == values.len() {
                let _ = watched(&kernel, inputs(n, m)).map_err(|why| format!("{why} with N={n} M={m}"))?;
            }
        }
    }
    Ok(Case::Accepted)
}

const ERROR: lift_analysis::diagnostics::Severity = lift_analysis::diagnostics::Severity::Error;

/// Whether the value has this type, ignoring lengths.
fn fits(value: &Value, ty: &Ty) -> bool {
    match (ty.kind(), value) {
        (TyKind::Exists(_, body), value) => fits(value, body),
        (TyKind::Array(a), Value::Array(values)) => {
            (0..values.len()).all(|i| values.get(i).is_some_and(|value| fits(&value, &a.element)))
        }
        (TyKind::Tuple(parts), Value::Tuple(values)) => {
            parts.len() == values.len() && parts.iter().zip(values).all(|(ty, value)| fits(value, ty))
        }
        (TyKind::Vec(lane, _), Value::Vec(values)) => values.iter().all(|value| fits(value, lane)),
        (TyKind::Scalar(scalar), value) => value.number().is_some_and(|number| number.scalar() == *scalar),
        _ => false,
    }
}

/// Returns the kernels as elaborated, before simplification; omits those that exceed a limit.
fn kernels(program: &Program) -> Result<Vec<Kernel>, String> {
    let analysis = program.analysis();
    let db = analysis.db();
    let Some(file) = db.file(program.path()) else { return Ok(Vec::new()) };
    let kernels = forms(db, file).iter().filter(|form| form.kind(db) == FormKind::Lift);
    let built = kernels.filter_map(|form| match build::elaborated_kernel(db, *form) {
        // The limit is reported as such.
        Err(e) if e.too_large => None,
        built => Some(built.map_err(|e| format!("accepted, but not built: {e}"))),
    });
    built.collect()
}

/// Whether the kernel has an assumption on an opened length.
fn assumes_of_hidden(kernel: &Kernel) -> bool {
    kernel.assumptions.iter().any(|(a, _)| a.vars().iter().any(|v| v.kind == VarKind::Skolem))
}

/// Runs the kernel, as it is and simplified, with all checks; an error is a violation.
fn watched(kernel: &Kernel, inputs: Vec<Value>) -> Result<Result<Value, RunError>, String> {
    let simple = simplify::simplify(kernel.clone());
    for (stage, kernel) in [("elaborated", kernel), ("simplified", &simple)] {
        if let Some(problem) = check::problems(kernel).first() {
            return Err(format!("not well formed when {stage}: {problem}"));
        }
    }
    let result = one_run(kernel, inputs.clone(), "elaborated")?;
    let again = one_run(&simple, inputs, "simplified")?;
    match (&result, &again) {
        (Ok(a), Ok(b)) if !close(a, b) => Err(format!("simplifying changes the result: {a} to {b}")),
        // An assumption on a hidden length that simplifies to a known size is checked before the run.
        (Ok(_), Err(e)) if e.kind == RunErrorKind::Assumption && assumes_of_hidden(kernel) => Ok(result),
        // Simplification may only remove failures; the limits count steps, which change.
        (Ok(_), Err(e)) if e.kind != RunErrorKind::Limit => Err(format!("simplifying makes it fail: {e}")),
        _ => Ok(result),
    }
}

fn one_run(kernel: &Kernel, inputs: Vec<Value>, stage: &str) -> Result<Result<Value, RunError>, String> {
    match run_watched(kernel, inputs, &[], LIMITS) {
        Err(e) if matches!(e.kind, RunErrorKind::Unsound | RunErrorKind::Malformed) => {
            Err(format!("unsound when {stage}: {e}"))
        }
        result => Ok(result),
    }
}
