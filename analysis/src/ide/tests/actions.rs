//! Code actions: where each is offered, and the program after it.

use super::*;
use expect_test::{Expect, expect};

/// Compares the file after the first action of a kind.
fn check(kind: &str, text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let actions = fixture.analysis().code_actions(path, range).unwrap();
    let shown = match actions.iter().find(|action| action.kind == kind) {
        Some(action) => format!("{}\n{}", action.title, fixture.apply(&action.change)),
        None => "not offered".into(),
    };
    expected.assert_eq(&shown);
}

const TWO_SCOPES: &str = "\
(define (pos x) (> x 0.0f))
(lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
  (map (lambda (row) ; each row
         (map sqrt (filter pos row)))
       (filter (lambda (row) (pos (head row))) xss))))
(define (g (xs (array-type float n))) (map sqrt (filter pos xs)))
";

#[test]
fn make_explicit() {
    check(
        EXPLICIT_HERE,
        &TWO_SCOPES.replace("sqrt (filter pos row)", "sq$0rt (filter pos row)"),
        expect![[r#"
        Make pack/unpack explicit here
        (define (pos x) (> x 0.0f))
        (lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
          (map (lambda (row) ; each row
                 (unpack (X2 v1) (filter pos row) (pack (map sqrt v1))))
               (filter (lambda (row) (pos (head row))) xss))))
        (define (g (xs (array-type float n))) (map sqrt (filter pos xs)))
    "#]],
    );
    check(
        EXPLICIT_HERE,
        &TWO_SCOPES.replace("(pos (head", "(po$0s (head"),
        expect![[r#"
            Make pack/unpack explicit here
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
              (unpack (X1 v1) (filter (lambda (row) (pos (head row))) xss)
                (pack (map (lambda (row) ; each row
                             (map sqrt (filter pos row)))
                           v1)))))
            (define (g (xs (array-type float n))) (map sqrt (filter pos xs)))
        "#]],
    );
    check(
        EXPLICIT_FORM,
        &TWO_SCOPES.replace("sqrt (filter pos row)", "sq$0rt (filter pos row)"),
        expect![[r#"
            Make pack/unpack explicit in this form
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
              (unpack (X1 v2) (filter (lambda (row) (pos (head row))) xss)
                (pack (map (lambda (row) ; each row
                             (unpack (X2 v1) (filter pos row) (pack (map sqrt v1))))
                           v2)))))
            (define (g (xs (array-type float n))) (map sqrt (filter pos xs)))
        "#]],
    );
    check(
        EXPLICIT_FILE,
        &TWO_SCOPES.replace("(define (pos", "(define$0 (pos"),
        expect![[r#"
            Make pack/unpack explicit in the file
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
              (unpack (X1 v2) (filter (lambda (row) (pos (head row))) xss)
                (pack (map (lambda (row) ; each row
                             (unpack (X2 v1) (filter pos row) (pack (map sqrt v1))))
                           v2)))))
            (define (g (xs (array-type float n)))
              (unpack (X1 v1) (filter pos xs) (pack (map sqrt v1))))
        "#]],
    );
    check(EXPLICIT_FORM, &TWO_SCOPES.replace("(define (pos", "(define$0 (pos"), expect!["not offered"]);
}

#[test]
fn remove_redundant() {
    check(
        IMPLICIT,
        "(define (f p (xs (array-type float n))) (unpack ys (filter$0 p xs) (pack (map sqrt ys))))\n",
        expect![[r#"
            Remove redundant pack/unpack
            (define (f p (xs (array-type float n))) (let ys (filter p xs) (map sqrt ys)))
        "#]],
    );
    check(
        IMPLICIT,
        "(define (f p (xs (array-type float n))) (unpack (X ys) (filter$0 p xs) (tuple #X (pack (map sqrt ys)))))\n",
        expect![[r#"
            Remove redundant pack/unpack
            (define (f p (xs (array-type float n))) (unpack (X ys) (filter p xs) (tuple #X (map sqrt ys))))
        "#]],
    );
    check(IMPLICIT, "(define (f p (xs (array-type float n))) (map sq$0rt (filter p xs)))\n", expect!["not offered"]);
}

#[test]
fn what_was_made_explicit_can_be_made_implicit_again() {
    let explicit = Fixture::new(TWO_SCOPES).analysis().elaborated("main.lift").unwrap().unwrap();
    let before = Fixture::new(TWO_SCOPES).analysis().types("main.lift").unwrap();
    let fixture = Fixture::new(&explicit);
    let types = |types: Vec<FormType>| types.into_iter().map(|t| (t.name, t.ty)).collect::<Vec<_>>();
    assert_eq!(types(fixture.analysis().types("main.lift").unwrap()), types(before));
    assert_eq!(fixture.analysis().explicit_diagnostics("main.lift").unwrap(), []);
    let at = explicit.find("(lift f").unwrap() as u32;
    let actions = fixture.analysis().code_actions("main.lift", TextRange::empty(at.into())).unwrap();
    let action = actions.iter().find(|action| action.kind == IMPLICIT).unwrap();
    expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N M) ((array-type (array-type float N) M)) (lambda (xss)
          (let v2 (filter (lambda (row) (pos (head row))) xss)
            (map (lambda (row) ; each row
                   (let v1 (filter pos row) (map sqrt v1)))
                 v2))))
        (define (g (xs (array-type float n)))
          (unpack (X1 v1) (filter pos xs) (pack (map sqrt v1))))
    "#]]
    .assert_eq(&fixture.apply(&action.change));
}

#[test]
fn quick_fixes_of_what_is_under_the_cursor() {
    check(
        QUICK_FIX,
        "(define (f (x float)) (* x 2$0))\n(define (g (x float)) (* x 3))\n",
        expect![[r#"
        Write `2.0f`
        (define (f (x float)) (* x 2.0f))
        (define (g (x float)) (* x 3))
    "#]],
    );
    check(
        QUICK_FIX,
        "(define (f x) (if x 1 2$0)\n(define (g (x float)) x)\n",
        expect![[r#"
        Insert `)`
        (define (f x) (if x 1 2))
        (define (g (x float)) x)
    "#]],
    );
    check(
        QUICK_FIX,
        "(define (f (x flo$0t)) x)\n",
        expect![[r#"
        Write `float`
        (define (f (x float)) x)
    "#]],
    );
    check(QUICK_FIX, "(define (f (x fl$0oat)) x)\n", expect!["not offered"]);
}

#[test]
fn format() {
    let fixture = Fixture::new("(define   (f x)\n x )\n");
    let edits = fixture.analysis().format("main.lift").unwrap();
    let change = SourceChange { files: vec![("main.lift".into(), edits)] };
    expect![[r#"
        (define (f x)
          x)
    "#]]
    .assert_eq(&fixture.apply(&change));
}

#[test]
fn a_definition_of_another_file_is_inlined_where_its_names_mean_the_same() {
    let library = ";;- lib.lift\n(define (scale k xs) (map (lambda (x) (* x k)) xs))\n(define two 2.0f)\n(define (twice xs) (scale two xs))\n";
    check(
        "refactor.inline.lift",
        &format!(";;- main.lift\n(import \"lib.lift\")\n(define (f ys) (sc$0ale 3.0f ys))\n{library}"),
        expect![[r#"
            Inline the call of `scale`
            (import "lib.lift")
            (define (f ys) (let k 3.0f (let xs ys (map (lambda (x) (* x k)) xs))))
        "#]],
    );
    // Here `two` would be another number.
    check(
        "refactor.inline.lift",
        &format!(";;- main.lift\n(import \"lib.lift\")\n(define two 3.0f)\n(define (f ys) (tw$0ice ys))\n{library}"),
        expect!["not offered"],
    );
}

/// New text is formatted; existing text keeps its author's layout relative to its bracket.
#[test]
fn a_layout_of_ones_own_is_kept() {
    check(
        "refactor.rewrite.lift.explicit.form",
        "(lift f (N) ((array-type float N))
    (lambda (xs)
        (map (lambda (x)
                 (* x   2.0f))  ; twice
             $0(filter (lambda (x) (> x 0.0f))
                 xs))))
",
        expect![[r#"
            Make pack/unpack explicit in this form
            (lift f (N) ((array-type float N))
                (lambda (xs)
                    (unpack (X1 v1) (filter (lambda (x) (> x 0.0f))
                                        xs)
                      (pack (map (lambda (x)
                                   (* x 2.0f)) ; twice
                                 v1)))))
        "#]],
    );
    check(
        "refactor.rewrite.lift.explicit.form",
        "(define (g   p (xs (array-type float n))) (let ys (filter p xs)
 (zip (map sqrt ys)
   ys$0)))
",
        expect![[r#"
            Make pack/unpack explicit in this form
            (define (g   p (xs (array-type float n))) (unpack (X1 ys) (filter p xs)
                                                        (pack (zip (map sqrt ys)
                                                                ys))))
        "#]],
    );
}
