//! Results cached from edit to edit equal those of a fresh start.

use super::Fixture;
use crate::ide::completion::Completions;
use crate::ide::semantic::SemanticToken;
use crate::ide::structure::Fold;
use crate::ide::{AnalysisHost, FileDiagnostic, Symbol, TextEdit};
use lift_syntax::{TextRange, TextSize};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Pieces of programs: definitions that use one another, shadow, recurse, are broken, share a name, are unknown or
/// imported.
const PIECES: &[&str] = &[
    "(define (f x) (+ x 1))\n",
    "(define (f x) (* x 2.0f))\n",
    "(define (g x) (f (f x)))\n",
    "(define (g f) (f f))\n",
    "(define (h x) (g (unknown x)))\n",
    "(define (unknwon x) x)\n",
    "(define (even n) (odd n))\n",
    "(define (odd n) (even n))\n",
    "(define (odd even) even)\n",
    "(define (self x) (self x))\n",
    "(import \"b.lift\")\n",
    "(import \"a.lift\")\n",
    "(import \"none.lift\")\n",
    "(define (p xs) (filter (lambda (x) (> x 0.5f)) xs))\n",
    "(lift k (N) ((array-type float N)) (lambda (xs) (map f (p xs))))\n",
    "(lift k (N) ((array-type float N)) (lambda (xs) (mapGlb (lambda (x) (h x)) xs)))\n",
    "(lift (N) ((array-type float N)) (lambda (xs) (mapGlb w xs)))\n",
    "(define (w x) (mapGlb f x))\n",
    "(define (w x) (g x))\n",
    "(define c 3)\n",
    "(define (t rows) (map length rows))\n",
    "(define (t rows) (transpose rows))\n",
    "(define (u rows) (t rows))\n",
    "(lift r (N) ((array-type float N)) (lambda (xs) (u (map (lambda (x) (p xs)) xs))))\n",
    ";;; About it.\n",
    "; a comment\n",
    "(define (f",
    ")",
    "\n",
    "f g\n",
    "(foo)\n",
];

/// Everything that the file index caches, as clients see it.
#[derive(Debug, PartialEq)]
struct Shown {
    diagnostics: Vec<FileDiagnostic>,
    symbols: Vec<Symbol>,
    tokens: Vec<SemanticToken>,
    folds: Vec<Fold>,
    completions: Completions,
}

fn shown(host: &AnalysisHost, path: &str, at: TextSize) -> Shown {
    let analysis = host.snapshot();
    Shown {
        tokens: analysis.all_semantic_tokens(path).unwrap(),
        symbols: analysis.symbols(path).unwrap(),
        diagnostics: analysis.diagnostics(path).unwrap(),
        folds: analysis.folds(path).unwrap(),
        completions: analysis.completions(path, at).unwrap(),
    }
}

/// An edit: whether in the second file, where, the number of characters removed, and the piece inserted.
type Edit = (bool, usize, usize, usize);

fn check(first: &[usize], second: &[usize], edits: &[Edit]) {
    let text = |pieces: &[usize]| pieces.iter().map(|piece| PIECES[piece % PIECES.len()]).collect::<String>();
    let mut texts = [("a.lift", text(first)), ("b.lift", text(second))];
    let mut host = AnalysisHost::default();
    for (path, text) in &texts {
        host.set_file(path, text.as_str().into());
    }
    for (index, &(other, at, gone, piece)) in edits.iter().enumerate() {
        let (path, text) = &mut texts[usize::from(other)];
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = at % places.len();
        let end = (start + gone).min(places.len() - 1);
        text.replace_range(places[start]..places[end], PIECES[piece % PIECES.len()]);
        // Remove the file and add it again.
        if piece % 11 == 0 {
            host.remove_file(path);
        }
        host.set_file(path, text.as_str().into());
        // Let some edits accumulate.
        if index % 3 == 2 {
            continue;
        }
        let mut fresh = AnalysisHost::default();
        // Add the files in the other order, which is another history.
        for (path, text) in texts.iter().rev() {
            fresh.set_file(path, text.as_str().into());
        }
        for (path, text) in &texts {
            let at = TextSize::of(&text[..text.floor_char_boundary(text.len() / 2)]);
            let now = shown(&host, path, at);
            assert_eq!(now, shown(&fresh, path, at), "{path} of {texts:#?}");
            let everything = TextRange::up_to(TextSize::of(text.as_str()));
            let all = fresh.snapshot().semantic_tokens(path, everything).unwrap();
            assert_eq!(now.tokens, all, "{path} of {texts:#?}");
            // Forms other than the neighbours do not affect the layout of a form.
            let range = TextRange::empty(at);
            let laid_out = host.snapshot().format_range(path, range).unwrap();
            let expected = lift_syntax::format_range(text, range).into_iter();
            let expected: Vec<TextEdit> =
                expected.map(|edit| TextEdit { range: edit.range, new_text: edit.insert }).collect();
            assert_eq!(laid_out, expected, "{range:?} of {text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 40, rng_seed: RngSeed::Fixed(4), failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn after_any_edits_what_is_shown_is_that_of_a_fresh_start(
        first in prop::collection::vec(any::<usize>(), 0..12),
        second in prop::collection::vec(any::<usize>(), 0..6),
        edits in prop::collection::vec((any::<bool>(), any::<usize>(), 0usize..30, any::<usize>()), 1..12),
    ) {
        check(&first, &second, &edits);
    }
}

#[test]
fn a_name_that_comes_repairs_its_users_in_other_files() {
    let mut fixture = Fixture::new("(import \"b.lift\")\n(define (g x) (f x))\n;;- b.lift\n(define (e x) x)\n");
    let codes = |fixture: &Fixture| -> Vec<&str> {
        fixture.analysis().diagnostics("main.lift").unwrap().iter().map(|found| found.code).collect()
    };
    assert_eq!(codes(&fixture), ["unused-import", "unknown-name"]);
    fixture.host.set_file("b.lift", "(define (f x) x)\n".into());
    assert_eq!(codes(&fixture), [] as [&str; 0]);
    fixture.host.set_file("b.lift", "(define (f x) (+ x true))\n".into());
    assert_eq!(codes(&fixture), [] as [&str; 0]);
    fixture.host.set_file("b.lift", "(define (f1 x) x)\n".into());
    assert_eq!(codes(&fixture), ["unused-import", "unknown-name"]);
}
