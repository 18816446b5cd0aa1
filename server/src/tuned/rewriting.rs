//! Rewritings by laws: the part of a choice that changes the program instead of the code that is generated for it.
//!
//! A step names a law and one of the places where it applies; the steps of a choice are applied one after the other.
//! Only laws without conditions for the programmer to check are steps, so each preserves the meaning wherever its
//! assumptions about lengths hold.

use crate::align::Edited;
use crate::places::place_of;
use crate::program::{Program, Texts};
use lift_analysis::ide::{Analysis, Cancellable, FileRange};
use lift_analysis::origin::Origin;
use lift_codegen::run::report::Place;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Maximum rewritings in a row; each doubles the number of attempts.
pub const MOST: usize = 3;

/// A rewriting: `split-join` is the first that this law offers in the kernel and the definitions that it uses,
/// `split-join:2` the second.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Step {
    law: String,
    /// From 1.
    nth: usize,
}

impl Step {
    pub fn parse(text: &str) -> Result<Step, String> {
        let wrong = || format!("`{text}` is not a rewriting, such as `map-map` or `map-map:2`");
        let (law, nth) = match text.split_once(':') {
            Some((law, nth)) => (law, nth.parse().map_err(|_| wrong())?),
            None => (text, 1),
        };
        if law.is_empty() || nth == 0 {
            return Err(wrong());
        }
        Ok(Step { law: law.to_owned(), nth })
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nth {
            1 => write!(f, "{}", self.law),
            nth => write!(f, "{}:{nth}", self.law),
        }
    }
}

/// A program after rewriting.
pub struct Rewritten {
    pub analysis: Analysis,
    pub texts: Texts,
    path: Arc<str>,
}

/// The steps that are possible in a kernel.
pub fn steps(analysis: &Analysis, path: &str, kernel: &str) -> Cancellable<Vec<Step>> {
    let mut out: Vec<Step> = Vec::new();
    for (law, _) in analysis.rewrites_of_kernel(path, kernel)? {
        let nth = 1 + out.iter().filter(|step| *step.law == *law).count();
        out.push(Step { law: law.to_string(), nth });
    }
    Ok(out)
}

/// Applies steps to a kernel; the inner error says why that is not possible.
pub fn apply(texts: &Texts, path: &Arc<str>, kernel: &str, steps: &[Step]) -> Cancellable<Result<Rewritten, String>> {
    let mut texts = texts.clone();
    let load = |texts: &Texts| Program::load_texts(Path::new(&**path), texts);
    let mut program = load(&texts)?;
    for step in steps {
        let rewrites = program.analysis.rewrites_of_kernel(path, kernel)?;
        let by_law = rewrites.iter().filter(|(law, _)| **law == *step.law);
        let Some((_, change)) = by_law.into_iter().nth(step.nth.saturating_sub(1)) else {
            return Ok(Err(format!("the law `{step}` does not apply to `{kernel}`")));
        };
        let Some(before) = texts.get(path) else { return Ok(Err(format!("{path} is not loaded"))) };
        let after = change.applied(path, before);
        texts.insert(path.clone(), after.as_str().into());
        program = load(&texts)?;
    }
    Ok(Ok(Rewritten { analysis: program.analysis, texts, path: path.clone() }))
}

impl Rewritten {
    /// The source location, in the original program (with analysis `before`), of an origin of the rewritten program;
    /// `None` if a step wrote it.
    pub fn place(&self, before: &Analysis, origin: &Origin) -> Cancellable<Option<Place>> {
        let Some(at) = self.analysis.resolve_origin(origin)? else { return Ok(None) };
        if at.path != self.path {
            return place_of(before, &at);
        }
        let (Some(old), Some(new)) = (before.text(&at.path)?, self.texts.get(&at.path)) else { return Ok(None) };
        match Edited::between(&old, new).backward(at.range) {
            Some(range) => place_of(before, &FileRange { range, ..at }),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lift_codegen::target::Target;

    const PATH: &str = "f.lift";
    const TEXT: &str = "\
(define (roots xs) (map sqrt (map abs xs)))
(define (unused xs) (map sqrt (map abs xs)))
(lift f (N) ((array-type float N)) (lambda (xs) (map abs (roots xs))))
";

    #[test]
    fn steps_are_text() {
        let step = |text: &str| Step::parse(text).map(|step| step.to_string());
        assert_eq!(step("map-map"), Ok("map-map".to_owned()));
        assert_eq!(step("map-map:2"), Ok("map-map:2".to_owned()));
        for wrong in ["", ":2", "map-map:", "map-map:0", "map-map:-1", "map-map:x"] {
            assert!(step(wrong).is_err(), "{wrong}");
        }
    }

    /// No step makes an array of functions, which no device can hold.
    #[test]
    fn rewritten_products_compile() {
        let text = "(lift f (N M) ((array-type int N) (array-type int M))
  (lambda (xs ys) (map (lambda (x) (map (lambda (y) (* x y)) ys)) xs)))\n";
        let texts = Texts::from([(PATH.into(), text.into())]);
        let path: Arc<str> = PATH.into();
        let program = Program::load_texts(Path::new(PATH), &texts).expect("nothing stops it");
        let all = steps(&program.analysis, PATH, "f").expect("nothing stops it");
        assert!(all.len() > 8, "{all:?}");
        for step in all {
            let now = apply(&texts, &path, "f", std::slice::from_ref(&step)).expect("nothing stops it");
            let now = now.expect("it applies");
            let compiled = crate::engine::program(&now.analysis, &path, "f", &Target::portable());
            let compiled = compiled.expect("nothing stops it");
            assert!(compiled.is_ok(), "{step}: {}", now.texts[&path]);
        }
    }

    #[test]
    fn a_kernel_and_what_it_uses_are_rewritten() {
        let texts = Texts::from([(PATH.into(), TEXT.into())]);
        let path: Arc<str> = PATH.into();
        let program = Program::load_texts(Path::new(PATH), &texts).expect("nothing stops it");
        let all = steps(&program.analysis, PATH, "f").expect("nothing stops it");
        let fuse = Step::parse("map-map").expect("a step");
        assert!(all.contains(&fuse), "{all:?}");
        let done =
            apply(&texts, &path, "f", std::slice::from_ref(&fuse)).expect("nothing stops it").expect("it applies");
        let now = &done.texts[&path];
        assert!(now.starts_with("(define (roots xs) (map (lambda (x) (sqrt (abs x))) xs))\n"), "{now}");
        assert!(now.ends_with(TEXT.split_once('\n').expect("lines").1), "{now}");
        let turn = Step::parse("transpose-transpose").expect("a step");
        let wrong = apply(&texts, &path, "f", &[fuse, turn]).expect("nothing stops it");
        assert_eq!(wrong.err().as_deref(), Some("the law `transpose-transpose` does not apply to `f`"));
    }
}
