//! How often each query runs after an edit. What is counted is what an edit costs.

use super::Fixture;
use expect_test::{Expect, expect};

const PROGRAM: &str = "\
(define (twice x) (+ x x))
(define (four-times x) (twice (twice x)))
(define (pos x) (> x 0.0f))
(lift main (N) ((array-type float N)) (lambda (xs) (map four-times (filter pos xs))))
";

/// The queries that run again for the diagnostics of the file, of those that stand for the work.
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
    let counted = ["forms", "lower_form", "infer", "signature", "placement", "form_diagnostics", "file_diagnostics"];
    let lines = counted.iter().filter_map(|query| counts.get(*query).map(|n| format!("{query} {n}\n")));
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn a_comment_infers_nothing() {
    check(
        |text| text.replace("(+ x x)", "; the sum\n (+ x x)"),
        expect![[r#"
        forms 1
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
        forms 1
        lower_form 1
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn a_new_line_at_the_top_splits_and_nothing_else() {
    check(
        |text| format!("\n{text}"),
        expect![[r#"
        forms 1
    "#]],
    );
}

#[test]
fn a_literal_written_differently_infers_nothing() {
    check(
        |text| text.replace("0.0f", "0.00f"),
        expect![[r#"
        forms 1
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
        forms 1
        lower_form 1
        infer 1
        signature 1
        placement 2
        form_diagnostics 1
    "#]],
    );
}

#[test]
fn a_type_that_changes_reaches_those_that_use_it() {
    check(
        |text| text.replace("(+ x x)", "(* x 2.0f)"),
        expect![[r#"
        forms 1
        lower_form 1
        infer 3
        signature 3
        placement 2
        form_diagnostics 3
        file_diagnostics 1
    "#]],
    );
}

#[test]
fn a_new_definition_disturbs_nobody() {
    check(
        |text| format!("(define (unrelated x) x)\n{text}"),
        expect![[r#"
        forms 1
        lower_form 1
        infer 1
        signature 1
        placement 1
        form_diagnostics 1
        file_diagnostics 1
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
        forms 1
        lower_form 1
        infer 1
        signature 1
    "#]],
    );
    check_files(
        files,
        |text| text.replace("(+ x x)", "(+ x 1)"),
        expect![[r#"
        forms 1
        lower_form 1
        infer 2
        signature 2
        form_diagnostics 1
        file_diagnostics 1
    "#]],
    );
}

#[test]
fn an_equal_text_is_no_edit() {
    check(|text| text.to_owned(), expect![""]);
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
        // Also when what was inferred is checked again, from the other end.
        fixture.host.set_file("main.lift", format!("{text}(define last (f9999 1))\n").into());
        let at = lift_syntax::TextRange::empty((text.len() as u32 + 9).into());
        let hover = fixture.analysis().hover("main.lift", at).unwrap().unwrap();
        assert_eq!(hover.plain.lines().next(), Some("Int"));
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(check).unwrap().join().unwrap();
}
