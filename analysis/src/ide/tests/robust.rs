//! No text and no edit makes a feature fail.

use super::{Fixture, Stopped};
use crate::ide::Analysis;
use lift_syntax::{TextRange, TextSize};
use proptest::prelude::*;

const SEED: &str = "\
(import \"lib.lift\")
;;; Keeps what is positive.
(define (pos x) (> x 0.0f))
(define (f p (xs (array-type float (* 2 n)))) (let ys (filter p xs) (zip (map sqrt ys) (: ys (array-type float 4)))))
(lift main (N M) ((array-type (array-type float N) M)) (lambda (xss)
  (map (lambda (row) (unpack (X ys) (filter pos row) (pack (o (map sqrt) reverse ys)))) (filter (lambda (r) (pos (head r))) xss))))
(lift (N) (int (exists (K) (array-type int K))) (lambda (k ks) (if (< k 3) (tuple (iota k) ks) (tuple ks (take #1 ks)))))
(define (g xs) (iterate #3 (lambda (ys) (join (mapSeq (reduceSeq 0.0f +) (split #2 ys)))) xs))
";

/// Requests every feature, at some offsets.
fn ask_all(analysis: &Analysis, text: &str) -> Result<(), Stopped> {
    let path = "main.lift";
    let whole = TextRange::up_to(TextSize::of(text));
    let inside = |range: TextRange| assert!(whole.contains_range(range), "{range:?} of {whole:?}");
    for diagnostic in analysis.diagnostics(path)?.into_iter().chain(analysis.explicit_diagnostics(path)?) {
        inside(diagnostic.range);
        assert!(crate::ide::explain::page(diagnostic.code).is_some(), "{}", diagnostic.code);
        assert!(!diagnostic.message.is_empty());
    }
    for hint in analysis.inlay_hints(path, whole)? {
        inside(TextRange::empty(hint.offset));
    }
    for symbol in analysis.symbols(path)? {
        inside(symbol.range);
        inside(symbol.focus);
    }
    let tokens = analysis.semantic_tokens(path, whole)?;
    assert!(tokens.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));
    analysis.folds(path)?.iter().for_each(|fold| inside(fold.range));
    analysis.links(path)?.iter().for_each(|(range, _)| inside(*range));
    analysis.workspace_symbols("m")?;
    analysis.kernels(path)?;
    analysis.types(path)?;
    analysis.imports(path)?;
    analysis.format(path)?;
    analysis.elaborated(path)?;
    // Fewer offsets in a large text, where each request costs more.
    let count = if text.len() > 10_000 { 5 } else { 40 };
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for (index, at) in places.step_by(1 + text.len() / count).enumerate() {
        let at = TextSize::new(at as u32);
        if let Some(hover) = analysis.hover(path, TextRange::empty(at))? {
            inside(hover.range);
            assert!(!hover.markdown.is_empty() && !hover.markdown.contains("```lift\n?\n```"), "{}", hover.markdown);
        }
        analysis.goto_definition(path, at)?;
        analysis.references(path, at)?;
        // The following requests are expensive.
        if index % 8 > 0 {
            continue;
        }
        analysis.highlights(path, at)?.iter().for_each(|highlight| inside(highlight.range));
        analysis.selection_ranges(path, at)?.iter().for_each(|range| inside(*range));
        analysis.type_definition(path, at)?;
        if let Some(help) = analysis.signature_help(path, at)? {
            assert!(help.parameters.iter().all(|range| help.label.is_char_boundary(range.end)));
        }
        if let Some(item) = analysis.call_item(path, at)? {
            analysis.incoming_calls(&item.path, item.symbol.focus.start())?;
            analysis.outgoing_calls(&item.path, item.symbol.focus.start())?;
        }
        if let Ok(change) = analysis.rename(path, at, "another-name")? {
            change.files.iter().filter(|(file, _)| **file == *path).flat_map(|(_, e)| e).for_each(|e| inside(e.range));
        }
        let completions = analysis.completions(path, at)?;
        inside(completions.replace);
        completions.items.iter().flat_map(|item| &item.additional).for_each(|edit| inside(edit.range));
    }
    let at = TextSize::new(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at) as u32);
    for action in analysis.code_actions(path, TextRange::empty(at))? {
        for (_, edits) in action.change.files {
            assert!(edits.windows(2).all(|pair| pair[0].range.end() <= pair[1].range.start()));
            edits.iter().for_each(|edit| inside(edit.range));
        }
    }
    Ok(())
}

/// An edit of a text: where, the number of characters removed, and the text inserted.
fn edit() -> impl Strategy<Value = (prop::sample::Index, usize, String)> {
    let pieces = "[()\\[\\]#;]|N|xs|\\(filter p xs\\)|\\(pack |\\(unpack ys |\\(let |0|\\(: |\"|\n|λ|\u{0}|\\(define \\(h x\\) x\\)";
    (any::<prop::sample::Index>(), 0usize..12, prop::string::string_regex(pieces).unwrap())
}

fn apply(text: &mut String, (at, len, piece): &(prop::sample::Index, usize, String)) {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let start = at.index(places.len());
    let end = (start + len).min(places.len() - 1);
    text.replace_range(places[start]..places[end], piece);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn edits_one_after_another(edits in prop::collection::vec(edit(), 1..6)) {
        let mut text = SEED.to_owned();
        let mut fixture = Fixture::new(&text);
        for edit in &edits {
            apply(&mut text, edit);
            fixture.host.set_file("main.lift", text.as_str().into());
            prop_assert!(ask_all(&fixture.analysis(), &text).is_ok());
        }
        // The cached results equal those of a fresh start.
        let fresh = Fixture::new("");
        let mut fresh = fresh;
        fresh.host.set_file("main.lift", text.as_str().into());
        prop_assert_eq!(
            fixture.analysis().diagnostics("main.lift").unwrap(),
            fresh.analysis().diagnostics("main.lift").unwrap()
        );
    }
}

#[test]
fn hostile_texts() {
    let texts = [
        String::new(),
        "\u{feff}\u{0}\u{0}(".into(),
        "(".repeat(100_000),
        format!("(define f {}x{})", "(g ".repeat(100_000), ")".repeat(100_000)),
        format!("(define f (+ 1 {}))", "1 ".repeat(50_000)),
        format!("(define (f {}) 1)", (0..2_000).map(|i| format!("x{i} ")).collect::<String>()),
        "(define f #(pow 9 (pow 9 (pow 9 9))))".into(),
        "(define (f (xs (array-type float (pow (+ a b c d) 1000)))) xs)".into(),
        "(define x x)(define x (x x))(lift (x) (x) (lambda (x) x))".into(),
        "(define f (λ (λ) λ))".into(),
    ];
    let check = move || {
        for text in texts {
            let mut fixture = Fixture::new("");
            fixture.host.set_file("main.lift", text.as_str().into());
            ask_all(&fixture.analysis(), &text).unwrap();
        }
    };
    // The stack size of a worker thread of the server.
    std::thread::Builder::new().stack_size(64 << 20).spawn(check).unwrap().join().unwrap();
}

#[test]
fn a_request_can_be_cancelled_and_an_edit_cancels_it() {
    let mut text = String::new();
    for i in 0..3_000 {
        text +=
            &format!("(define (f{i} (xs (array-type float n))) (map sqrt (filter (lambda (x) (> x {i}.0f)) xs)))\n");
    }
    let mut fixture = Fixture::new(&text);
    let reader = |fixture: &Fixture| {
        let analysis = fixture.analysis();
        let token = analysis.cancellation_token();
        (token, std::thread::spawn(move || analysis.diagnostics("main.lift").map(|found| found.len())))
    };
    let (token, thread) = reader(&fixture);
    token.cancel();
    // The request either finished before or was cancelled.
    assert!(matches!(thread.join().unwrap(), Ok(0) | Err(Stopped::ByRequest)));
    let (_, thread) = reader(&fixture);
    fixture.host.set_file("main.lift", "(define one 1)\n".into());
    assert!(matches!(thread.join().unwrap(), Ok(0) | Err(Stopped::ByEdit)));
    assert_eq!(fixture.analysis().diagnostics("main.lift").unwrap(), []);
}

/// A segment of unknown length, after a mistake: whether its rows depend on the index is decided once, so inference
/// ends.
#[test]
fn pieces_of_unknown_lengths_come_to_an_end() {
    let fixture = Fixture::new(
        "(lift split-both (N M) ((array-type (array-type float M) N))
  (lambda (grid)
    (join
      (mapSeq
        (mapGlb1
          (lambda (row)
            (join
              (mapSeq
                (mapGlb0 (lambda (window) (head (reduceSeq 0.0f + (join window)))))
                (partition #3 (caseSplit 1 (- M 2) 1) row)))))
        (partition #3 (lambda (i) (caseSplit 1 (- N 2) 1 i)) (slide2D #3 #1 (pad2D #1 #1 clamp grid)))))))",
    );
    let found = fixture.analysis().diagnostics(fixture.main()).unwrap();
    let codes: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["needs-arguments"]);
}
