//! The cost of an edit, as the number of times each query runs.

use super::Fixture;
use crate::ide::AnalysisHost;
use expect_test::{Expect, expect};

const PROGRAM: &str = "\
(define (twice x) (+ x x))
(define (four-times x) (twice (twice x)))
(define (pos x) (> x 0.0f))
(lift main (N) ((array-type float N)) (lambda (xs) (map four-times (filter pos xs))))
";

/// Compares the number of runs, after an edit, of the main queries for the diagnostics of a file.
fn check(edit: impl FnOnce(&str) -> String, expected: Expect) {
    check_files(PROGRAM, edit, expected);
}

fn check_files(text: &str, edit: impl FnOnce(&str) -> String, expected: Expect) {
    let mut fixture = Fixture::new(text);
    let before = fixture.analysis().diagnostics("main.lift").unwrap();
    fixture.analysis().db().take_executed();
    let (path, text) = fixture.files.last().unwrap().clone();
    fixture.host.set_file(&path, edit(&text).into());
    let after = fixture.analysis().diagnostics("main.lift").unwrap();
    assert_eq!(before.len(), after.len());
    let counts = fixture.analysis().db().take_executed();
    let counted = ["lower_form", "infer", "signature", "placement", "form_diagnostics"];
    let lines = counted.iter().filter_map(|query| counts.get(*query).map(|n| format!("{query} {n}\n")));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_comment_infers_nothing() {
    check(
        |text| text.replace("(+ x x)", "; the sum\n (+ x x)"),
        expect![[r#"
        lower_form 1
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn documentation_infers_nothing() {
    check(
        |text| format!(";;; Doubles.\n{text}"),
        expect![[r#"
        lower_form 1
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn a_new_line_at_the_top_changes_nothing() {
    check(|text| format!("\n{text}"), expect![""]);
}

#[test]
fn a_literal_written_differently_infers_nothing() {
    check(
        |text| text.replace("0.0f", "0.00f"),
        expect![[r#"
        lower_form 1
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn a_body_whose_type_stays_is_inferred_alone() {
    check(
        |text| text.replace("(+ x x)", "(+ (+ x x) x)"),
        expect![[r#"
        lower_form 1
        infer 1
        signature 1
        placement 2
        form_diagnostics 1
    "#]],
    );
}

/// The type of a definition's result for rows of hidden length is a separate query.
#[test]
fn a_body_given_rows_is_inferred_alone_if_its_types_stay() {
    let text = "\
(define (total rows) (map length rows))
(lift main (N) ((array-type float N)) (lambda (xs) (total (map (lambda (x) (filter (< x) xs)) xs))))
";
    let stays = |text: &str| text.replace("(map length rows)", "(map (lambda (r) (length r)) rows)");
    check_files(
        text,
        stays,
        expect![[r#"
        lower_form 1
        infer 2
        signature 1
        placement 2
        form_diagnostics 1
    "#]],
    );
    let changes = |text: &str| text.replace("(map length rows)", "(map sum rows)");
    check_files(
        text,
        changes,
        expect![[r#"
        lower_form 2
        infer 3
        signature 3
        placement 2
        form_diagnostics 2
    "#]],
    );
}

#[test]
fn a_type_that_changes_reaches_those_that_use_it() {
    check(
        |text| text.replace("(+ x x)", "(* x 2.0f)"),
        expect![[r#"
        lower_form 1
        infer 3
        signature 3
        placement 2
        form_diagnostics 3
    "#]],
    );
}

#[test]
fn a_new_definition_disturbs_nobody() {
    check(
        |text| format!("(define (unrelated x) x)\n{text}"),
        expect![[r#"
        lower_form 1
        infer 1
        signature 1
        placement 1
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn an_edit_in_an_imported_file_reaches_over_the_border_only_by_types() {
    let files =
        "(import \"a.lift\")\n(define (f x) (twice x))\n(define (g x) x)\n;;- a.lift\n(define (twice x) (+ x x))\n";
    check_files(
        files,
        |text| text.replace("(+ x x)", "(+ (+ x x) x)"),
        expect![[r#"
        lower_form 1
        infer 1
        signature 1
    "#]],
    );
    check_files(
        files,
        |text| text.replace("(+ x x)", "(+ x 1)"),
        expect![[r#"
        lower_form 1
        infer 2
        signature 2
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn an_equal_text_is_no_edit() {
    check(|text| text.to_owned(), expect![""]);
}

/// `count` definitions that use one another.
fn many(count: usize) -> String {
    let block = |i: usize| {
        let before = i.saturating_sub(1);
        format!(
            "(define (scale{i} by x) (* by (+ x {i}.5f)))\n\
             (lift kernel{i} (N) ((array-type float N) float)\n  \
             (lambda (xs by) (map (lambda (x) (scale{before} by (scale{i} by x))) xs)))\n\n"
        )
    };
    (0..count).map(block).collect()
}

/// The numbers of executed and of validated queries for all requests of an editor after an edit of the definition in
/// the middle.
fn work_of_an_edit(count: usize, edit: impl Fn(&str) -> String) -> (usize, usize) {
    let text = many(count);
    let mut fixture = Fixture::new(&text);
    let mut work = (0, 0);
    let middle = format!("(define (scale{} by x)", count / 2);
    // After the first edit all forms are requested, which evicts results that the second edit needs from bounded
    // caches. The third edit costs as much as any later one.
    let mut text = text;
    for kept in [false, true, true] {
        let at = text.find(&middle).unwrap();
        let end = at + text[at..].find('\n').unwrap();
        text.replace_range(at..end, &edit(&text[at..end]));
        fixture.host.set_file("main.lift", text.as_str().into());
        let analysis = fixture.analysis();
        analysis.db().take_executed();
        analysis.db().take_validated();
        analysis.diagnostics("main.lift").unwrap();
        let name = lift_syntax::TextRange::empty((at as u32 + 10).into());
        analysis.hover("main.lift", name).unwrap().unwrap();
        analysis.inlay_hints("main.lift", name).unwrap();
        analysis.semantic_tokens("main.lift", name).unwrap();
        let at_name = name.start();
        assert_eq!(analysis.goto_definition("main.lift", at_name).unwrap().len(), 1);
        assert_eq!(analysis.references("main.lift", at_name).unwrap().len(), 3);
        assert_eq!(analysis.highlights("main.lift", at_name).unwrap().len(), 3);
        analysis.type_definition("main.lift", at_name).unwrap();
        analysis.prepare_rename("main.lift", at_name).unwrap().unwrap();
        analysis.rename("main.lift", at_name, "another").unwrap().unwrap();
        let item = analysis.call_item("main.lift", at_name).unwrap().unwrap();
        assert_eq!(analysis.incoming_calls("main.lift", item.symbol.focus.start()).unwrap().len(), 2);
        analysis.outgoing_calls("main.lift", item.symbol.focus.start()).unwrap();
        let in_body = (at as u32 + text[at..].find("(+").unwrap() as u32 + 1).into();
        assert!(!analysis.completions("main.lift", in_body).unwrap().items.is_empty());
        analysis.signature_help("main.lift", in_body + lift_syntax::TextSize::new(2)).unwrap().unwrap();
        analysis.code_actions("main.lift", name).unwrap();
        analysis.code_actions("main.lift", lift_syntax::TextRange::empty(in_body)).unwrap();
        let kernel = analysis.kernel_using("main.lift", in_body).unwrap().unwrap();
        assert_eq!(kernel.name, format!("kernel{}", count / 2));
        analysis.selection_ranges("main.lift", in_body).unwrap();
        analysis.linked_ranges("main.lift", in_body).unwrap();
        analysis.format_range("main.lift", name).unwrap();
        assert_eq!(analysis.kernels_near("main.lift", name, 3).unwrap().len(), 3);
        // The output for a whole file grows with it, but the number of queries does not.
        let symbols = analysis.symbols("main.lift").unwrap().len();
        assert!(symbols >= 2 * count);
        assert_eq!(analysis.kernel_names("main.lift").unwrap().len(), count);
        assert!(analysis.folds("main.lift").unwrap().len() >= count);
        assert!(analysis.all_semantic_tokens("main.lift").unwrap().len() > symbols);
        let executed = analysis.db().take_executed();
        // These queries read all forms of the file.
        let all_forms = ["suspects", "cycles"];
        assert!(!kept || all_forms.iter().all(|query| !executed.contains_key(*query)), "{executed:?}");
        work = (executed.values().sum(), analysis.db().take_validated());
    }
    work
}

#[test]
fn an_edit_costs_the_same_in_a_long_file() {
    let body = |form: &str| form.replace("5f", "55f");
    let comment = |form: &str| form.replace("by x)", "by x) ; a comment\n");
    let unique = std::cell::Cell::new(0);
    let definition = |form: &str| format!("{form}\n(define new{} 1)", unique.replace(unique.get() + 1));
    for edit in [&body as &dyn Fn(&str) -> String, &comment, &definition] {
        let (short, long) = (work_of_an_edit(10, edit), work_of_an_edit(500, edit));
        assert!(short.0 > 0 && short.1 > 0, "nothing is counted");
        assert_eq!(short, long, "executed and looked at, in 10 forms and in 500");
    }
}

/// The least recently used results are evicted; that changes no answer, only its cost.
#[test]
fn a_pause_forgets_what_the_next_edit_would() {
    let mut fixture = Fixture::new(&many(300));
    let known = fixture.analysis().diagnostics("main.lift").unwrap();
    let lowered_for_the_form = |fixture: &Fixture, at: u32| {
        fixture.analysis().db().take_executed();
        fixture.analysis().hover("main.lift", lift_syntax::TextRange::empty(at.into())).unwrap().unwrap();
        fixture.analysis().db().take_executed().get("lower_form").copied().unwrap_or_default()
    };
    assert_eq!(lowered_for_the_form(&fixture, 10), 0, "everything is known");
    fixture.host.rest();
    fixture.analysis().db().take_executed();
    assert_eq!(fixture.analysis().diagnostics("main.lift").unwrap(), known);
    assert_eq!(fixture.analysis().db().take_executed().get("infer"), None, "what is kept in any case is still known");
    let second = many(300).find("(lift kernel0").unwrap() as u32 + 8;
    assert!(lowered_for_the_form(&fixture, second) > 0, "what was used least is forgotten");
}

#[test]
fn a_new_name_is_looked_up_and_infers_nobody_else() {
    let mut fixture = Fixture::new(&many(50));
    fixture.analysis().diagnostics("main.lift").unwrap();
    fixture.analysis().db().take_executed();
    fixture.host.set_file("main.lift", many(50).replace("(+ x 25.5f)", "(+ x (* by 25.5f))").into());
    fixture.analysis().diagnostics("main.lift").unwrap();
    assert_eq!(fixture.analysis().db().take_executed().get("infer"), Some(&1));
}

#[test]
fn what_is_kept_of_a_file_that_comes_and_goes_does_not_grow() {
    let mut host = AnalysisHost::default();
    let entities = |host: &AnalysisHost| {
        let analysis = host.snapshot();
        let file = analysis.db().file("a.lift").unwrap();
        file.members(analysis.db()).len() + file.spare(analysis.db()).len()
    };
    let mut most = 0;
    for round in 0..50 {
        // Each keystroke in a name changes the name, and a form appears and disappears.
        let name = "abcdefgh".get(..1 + round % 8).unwrap();
        let text =
            format!("{}(define ({name} x) x)\n{}", many(3), if round % 2 == 0 { "(lift k () () 1)" } else { "" });
        host.set_file("a.lift", text.into());
        host.snapshot().diagnostics("a.lift").unwrap();
        most = most.max(entities(&host));
        if round % 5 == 0 {
            host.remove_file("a.lift");
            host.set_file("a.lift", "".into());
        }
    }
    assert_eq!(most, 8);
}

#[test]
fn a_chain_of_ten_thousand_definitions_fits_on_a_small_stack() {
    let mut text = String::from("(define (f0 x) (+ x 1))\n");
    for i in 1..10_000 {
        text += &format!("(define (f{i} x) (f{} x))\n", i - 1);
    }
    let check = move || {
        let mut fixture = Fixture::new(&text);
        assert_eq!(fixture.analysis().diagnostics("main.lift").unwrap(), []);
        // The stack suffices also when results are validated from the last form.
        fixture.host.set_file("main.lift", format!("{text}(define last (f9999 1))\n").into());
        let at = lift_syntax::TextRange::empty((text.len() as u32 + 9).into());
        let hover = fixture.analysis().hover("main.lift", at).unwrap().unwrap();
        assert_eq!(hover.plain.lines().next(), Some("Int"));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
}
