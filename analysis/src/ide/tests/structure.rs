//! Folding, selections, links.

use super::Fixture;
use expect_test::{Expect, expect};

#[test]
fn folds() {
    let text = "\
(import \"a.lift\")
(import \"b.lift\")

; One line.

; Two
; lines.

;;; Documented,
;;; twice.
(define (f x)
  (let y (+ x 1)
    (* y 2)))
(define g 1) ; here
; A comment
;;; and documentation.
(define h
  ; One.
  ; Two.
  1)
; The
; end.
";
    let fixture = Fixture::new(text);
    let folds = fixture.analysis().folds("main.lift").unwrap();
    let line = |at: lift_syntax::TextSize| text[..usize::from(at)].matches('\n').count() + 1;
    let shown: Vec<String> = folds
        .iter()
        .map(|fold| format!("{}-{} {:?}", line(fold.range.start()), line(fold.range.end()), fold.kind))
        .collect();
    expect![[r#"
        1-2 Imports
        6-7 Comment
        9-10 Comment
        11-13 Form
        12-13 Form
        15-16 Comment
        17-20 Form
        18-19 Comment
        21-22 Comment"#]]
    .assert_eq(&shown.join("\n"));
}

fn selections(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let text = fixture.host.file_text(path).unwrap();
    let ranges = fixture.analysis().selection_ranges(path, range.start()).unwrap();
    assert!(ranges.windows(2).all(|pair| pair[1].contains_range(pair[0]) && pair[0] != pair[1]));
    let shown: Vec<&str> = ranges.iter().map(|range| &text[*range]).collect();
    expected.assert_eq(&shown.join("\n---\n"));
}

#[test]
fn what_a_selection_grows_to() {
    selections(
        ";;; Docs.\n(define (f x) (+ (* $0xs 2) 1))\n(define g 1)\n",
        expect![[r#"
        xs
        ---
        * xs 2
        ---
        (* xs 2)
        ---
        + (* xs 2) 1
        ---
        (+ (* xs 2) 1)
        ---
        define (f x) (+ (* xs 2) 1)
        ---
        (define (f x) (+ (* xs 2) 1))
        ---
        ;;; Docs.
        (define (f x) (+ (* xs 2) 1))
        ---
        ;;; Docs.
        (define (f x) (+ (* xs 2) 1))
        (define g 1)
    "#]],
    );
    selections(
        "(define g 1) ; com$0ment\n",
        expect![[r#"
        (define g 1) ; comment
    "#]],
    );
}

#[test]
fn imports_are_links() {
    let fixture =
        Fixture::new("(import \"a.lift\")\n(import \"nowhere.lift\")\n(define x y)\n;;- a.lift\n(define y 1)\n");
    let links = fixture.analysis().links("main.lift").unwrap();
    let shown: Vec<String> =
        links.iter().map(|(range, path)| format!("{} -> {path}", &fixture.files[0].1[*range])).collect();
    expect![[r#""a.lift" -> a.lift"#]].assert_eq(&shown.join("\n"));
}
