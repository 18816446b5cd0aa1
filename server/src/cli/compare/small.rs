//! Compares two kernels on small random inputs, on the interpreter.

use super::{How, Pair, Wishes, first, shortened};
use crate::engine::{Ran, Where};
use crate::report::{Problem, codes};
use lift_analysis::scalar::Scalar;
use lift_analysis::ty::{Ty, TyKind};
use lift_codegen::difference::difference;
use lift_codegen::interp::Limits;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Sizes of the small inputs; all sizes are equal, or the later ones are larger.
const SMALL: [i64; 8] = [0, 1, 2, 3, 4, 6, 8, 16];
/// Random inputs for each choice of the sizes.
const RANDOM: [&str; 4] = ["random:0", "random:1", "signed:0", "signed:1"];
/// Time after which no further small input is tried; a kernel with long loops takes seconds for each.
const WITHIN: Duration = Duration::from_secs(3);

/// The result of comparing on small inputs.
#[derive(Default)]
pub(super) struct Small {
    /// Inputs on which both kernels gave the same result.
    pub equal: u32,
    /// Inputs on which both kernels stopped with the same error.
    pub stopped: u32,
    /// Inputs on which both kernels took too long, with the first: a phrase.
    pub late: u32,
    pub first_late: Option<String>,
    /// Inputs that one kernel refused, with the first: a sentence.
    pub refused: u32,
    pub first_refused: Option<String>,
    /// The first input on which the results differ: a sentence.
    pub differs: Option<String>,
}

impl Small {
    /// On how many inputs the kernels agree.
    pub(super) fn agreement(&self) -> String {
        let inputs = |n: u32| if n == 1 { "1 small random input".into() } else { format!("{n} small random inputs") };
        match (self.equal, self.stopped) {
            (0, 0) => "no small random input fits both kernels".to_owned(),
            (equal, 0) => format!("equal on {}", inputs(equal)),
            (0, stopped) => format!("no result was compared; on {} both stop with the same error", inputs(stopped)),
            (equal, 1) => format!("equal on {}; on 1 other both stop with the same error", inputs(equal)),
            (equal, n) => format!("equal on {}; on {n} others both stop with the same error", inputs(equal)),
        }
    }
}

/// Whether values of a type contain an `Int`, which may be an index.
fn has_ints(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(scalar) => *scalar == Scalar::Int,
        TyKind::Array(array) => has_ints(&array.element),
        TyKind::Vec(element, _) => has_ints(element),
        TyKind::Tuple(parts) => parts.iter().any(has_ints),
        TyKind::Exists(_, inner) => has_ints(inner),
        _ => false,
    }
}

impl Pair<'_> {
    /// The inputs for each choice of the sizes. Random integers are hardly ever indices of a small array, so in the last
    /// choice integers count from 0.
    fn choices(&self) -> Vec<Vec<String>> {
        let kernel = &self.old.kernel;
        let alike = RANDOM.iter().map(|word| vec![(*word).to_owned(); kernel.params.len()]);
        let indices = kernel.params.iter().map(|param| match has_ints(kernel.ty(*param)) {
            true => "iota".to_owned(),
            false => "signed:2".to_owned(),
        });
        alike.chain([indices.collect()]).collect()
    }

    /// Compares on small random inputs, on the interpreter; stops at the first difference or when the time is over.
    pub(super) fn small(&self) -> io::Result<Small> {
        let mut small = Small::default();
        let began = Instant::now();
        let choices = self.choices();
        let names: Vec<String> = self.old.kernel.sizes.iter().map(|v| v.name.to_string()).collect();
        let mut seen: Vec<BTreeMap<String, i64>> = Vec::new();
        for step in [0, 1] {
            for least in SMALL {
                let sizes = names.iter().zip(0..).map(|(name, nth)| (name.clone(), least + step * nth)).collect();
                if seen.contains(&sizes) {
                    continue;
                }
                for inputs in &choices {
                    let inputs = inputs.clone();
                    self.try_small(&Wishes { inputs, sizes: sizes.clone(), folder: PathBuf::from(".") }, &mut small)?;
                    if small.differs.is_some() || began.elapsed() > WITHIN {
                        return Ok(small);
                    }
                }
                seen.push(sizes);
            }
        }
        Ok(small)
    }

    fn try_small(&self, wishes: &Wishes, small: &mut Small) -> io::Result<()> {
        let how = How { device: Some(Where::Interpreter), limits: Limits::BRIEF, runs: 1 };
        let old = self.old.run(self.arguments, wishes, how)?;
        let new = self.new.run(self.arguments, &self.for_new(wishes), how)?;
        let given: Vec<String> = wishes.sizes.iter().map(|(name, n)| format!("{name}={n}")).collect();
        // One word if all inputs are generated in the same way.
        let alike = wishes.inputs.iter().all(|input| wishes.inputs.first() == Some(input));
        let inputs = wishes.inputs.iter().take(if alike { 1 } else { usize::MAX });
        let inputs: Vec<&str> = inputs.map(String::as_str).collect();
        let inputs = (!inputs.is_empty()).then(|| format!("inputs `{}`", inputs.join(" ")));
        let with = given.into_iter().chain(inputs).collect::<Vec<_>>().join(", ");
        // Nothing was computed: the input does not fit, or takes too long.
        let is_refusal = |problem: &Problem| {
            [codes::INPUT, codes::ASSUMPTION_FALSE, codes::RUN_LIMIT, codes::MEMORY].contains(&&*problem.code)
        };
        let refusal = |found: &Result<Ran, Vec<Problem>>| {
            found.as_ref().err().map(|all| all.first().is_some_and(is_refusal)).unwrap_or(false)
        };
        match (&old, &new) {
            (Ok(old), Ok(new)) => match difference(&new.value, &old.value) {
                Some(differs) => small.differs = Some(format!("with {with}: {}", shortened(&differs))),
                None => small.equal += 1,
            },
            (Err(a), Err(b)) if [a, b].iter().all(|all| first(all).0 == codes::RUN_LIMIT) => {
                small.late += 1;
                small.first_late.get_or_insert(format!("with {with}: {}", first(a).1));
            }
            (Err(_), Err(_)) if refusal(&old) && refusal(&new) => {}
            (Err(a), Err(b)) if first(a).0 == first(b).0 => small.stopped += 1,
            _ if refusal(&old) || refusal(&new) => {
                small.refused += 1;
                let (which, why) = if refusal(&old) { ("old", &old) } else { ("new", &new) };
                let why = why.as_ref().err().map_or("", |all| first(all).1);
                small.first_refused.get_or_insert(format!("only the {which} kernel refuses {with}: {why}"));
            }
            (Err(a), Err(b)) => {
                small.differs = Some(format!("with {with}: the old stops: {}; the new: {}", first(a).1, first(b).1));
            }
            (Err(a), Ok(_)) => small.differs = Some(format!("with {with}: only the old stops: {}", first(a).1)),
            (Ok(_), Err(b)) => small.differs = Some(format!("with {with}: only the new stops: {}", first(b).1)),
        }
        Ok(())
    }
}
