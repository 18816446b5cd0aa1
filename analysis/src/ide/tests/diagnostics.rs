//! Diagnostics as an editor shows them: ranges, related locations, fixes.

use super::{Fixture, describe};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let found = fixture.analysis().diagnostics(fixture.main()).unwrap();
    expected.assert_eq(&describe(&fixture, fixture.main(), &found));
}

#[test]
fn places_are_those_of_the_file() {
    check(
        "; a comment\n\n(define one 1)\n\n;;; doc\n(define (f (x float)) (* x 2))\n",
        expect![[r#"
            type-mismatch 6:`2`: `*` needs `Float` as its second argument, but this is `Int`
              6:`x`: `Float` comes from `x`
              fix: Write `2.0f`
        "#]],
    );
}

#[test]
fn syntax_errors_and_type_errors_stand_together_in_order() {
    check(
        "(define (f (x float)) (* x 2))\n(define (g x) (if x 1)\n(define (h x) (* (toFloat x) 2))\n",
        expect![[r#"
            type-mismatch 1:`2`: `*` needs `Float` as its second argument, but this is `Int`
              1:`x`: `Float` comes from `x`
              fix: Write `2.0f`
            syntax/unclosed 2:`)`: `)` is missing
              2:`(`: this bracket is not closed
            type-mismatch 3:`2`: `*` needs `Float` as its second argument, but this is `Int`
              3:`(toFloat x)`: `Float` comes from `(toFloat x)`
              fix: Write `2.0f`
        "#]],
    );
}

#[test]
fn a_name_that_is_nearly_one_in_sight() {
    check(
        "(define (f xs) (mapsSeq id (filtr id xs)))\n",
        expect![[r#"
        unknown-name 1:`mapsSeq`: there is no `mapsSeq` here; did you mean `mapSeq`?
          fix?: Change to `mapSeq`
        unknown-name 1:`filtr`: there is no `filtr` here; did you mean `filter`?
          fix?: Change to `filter`
    "#]],
    );
    check(
        "(define (twice x) (+ x x))\n(define (f values) (twcie valeus))\n",
        expect![[r#"
        information unused-name 2:`values`: the parameter `values` is never used
          fix?: Rename to `_values`
        unknown-name 2:`twcie`: there is no `twcie` here; did you mean `twice`?
          fix?: Change to `twice`
        unknown-name 2:`valeus`: there is no `valeus` here; did you mean `values`?
          fix?: Change to `values`
    "#]],
    );
}

#[test]
fn two_definitions_of_one_name() {
    check(
        "(define (f x) x)\n(define (g x) (f x))\n(define f 1)\n(lift f () () (lambda () 1))\n",
        expect![[r#"
        duplicate-definition 3:`f`: `f` is defined above already; that definition counts
          1:`f`: the first definition
        duplicate-definition 4:`f`: `f` is defined above already; that definition counts
          1:`f`: the first definition
    "#]],
    );
    check(
        "(lift () () (lambda () 1))\n(lift () () (lambda () 2))\n(lift () () (lambda () 3))\n",
        expect![[r#"
        duplicate-definition 2:`lift`: only one kernel of a file can be without a name, since it is called after the file
    "#]],
    );
}

#[test]
fn a_cycle_is_reported_once_where_it_starts() {
    check(
        "(define (a x) (b x))\n(define (b x) (c x))\n(define (c x) (a x))\n(define (d x) (a x))\n",
        expect![[r#"
            recursion 1:`b`: recursion is not possible in Lift: `a` uses `b` uses `c` uses `a`; `reduceSeq`, `iterate` and `iterateWhile` repeat a function
        "#]],
    );
    check(
        "(define (a x) (+ (a x) (a x)))\n",
        expect![[r#"
            recursion 1:`a`: recursion is not possible in Lift: `a` uses `a`; `reduceSeq`, `iterate` and `iterateWhile` repeat a function
        "#]],
    );
}

/// An unknown name may look like that of the definition itself, or of one that needs its type.
#[test]
fn an_unknown_name_like_that_of_the_definition() {
    check(
        "(define (folded f z xs) (foldd + z xs))\n(define (other xs) (folde + 0 xs))\n(define (again xs) (othe 0 + xs))\n",
        expect![[r#"
            information unused-name 1:`f`: the parameter `f` is never used
              fix?: Rename to `_f`
            unknown-name 1:`foldd`: there is no `foldd` here; did you mean `folded`?
              fix?: Change to `folded`
            unknown-name 2:`folde`: there is no `folde` here; did you mean `folded`?
              fix?: Change to `folded`
            unknown-name 3:`othe`: there is no `othe` here; did you mean `other`?
              fix?: Change to `other`
        "#]],
    );
}

#[test]
fn imports() {
    check(
        "(import \"lib/a.lift\")\n(define (f x) (twice x))\n;;- lib/a.lift\n(import \"../lib/b.lift\")\n(define (twice x) (two-times x))\n;;- lib/b.lift\n(define (two-times x) (+ x x))\n",
        expect![""],
    );
    check(
        "(import \"nowhere.lift\")\n(import \"/etc/passwd\")\n(import \"../up.lift\")\n(import \"a\\b.lift\")\n(import \"used.lift\")\n(import \"used.lift\")\n(import \"unused.lift\")\n(define (f x) (twice x))\n;;- used.lift\n(define (twice x) (+ x x))\n;;- unused.lift\n(define (thrice x) (+ x (+ x x)))\n",
        expect![[r#"
            missing-import 1:`"nowhere.lift"`: there is no file `nowhere.lift`
            import-path 2:`"/etc/passwd"`: an import is relative to the importing file: `lib/stencil.lift`
            import-path 3:`"../up.lift"`: `../up.lift` leads out of the folder that the program is in
            import-path 4:`"a\b.lift"`: the parts of an import are separated by `/`
              fix: Write `/`
            information unused-import 6:`"used.lift"`: `used.lift` is imported above already
            information unused-import 7:`"unused.lift"`: nothing of `unused.lift` is used here
        "#]],
    );
}

#[test]
fn of_two_imports_that_define_a_name_the_first_counts_and_this_is_said() {
    let libraries =
        ";;- a.lift\n(define (f x) (+ x 1))\n(define (g x) x)\n;;- b.lift\n(define (f x) (+ x 2))\n(define (h x) x)\n";
    let program = |body: &str| format!("(import \"a.lift\")\n(import \"b.lift\")\n{body}\n{libraries}");
    check(
        &program("(define (k x) (f (h x)))"),
        expect![[r#"
            warning ambiguous-import 2:`"b.lift"`: `b.lift` defines `f` too, which here is that of `a.lift`: of two imports the first one counts; rename one of them
        "#]],
    );
    check(&program("(define (k x) (g (h x)))"), expect![""]);
    check(&program("(define (f x) x)\n(define (k x) (f (g (h x))))"), expect![""]);
}

#[test]
fn a_file_sees_what_it_imports_and_nothing_beyond() {
    check(
        "(import \"a.lift\")\n(define (f x) (four-times x))\n(define (g x) (two-times x))\n;;- a.lift\n(import \"b.lift\")\n(define (four-times x) (two-times (two-times x)))\n;;- b.lift\n(define (two-times x) (+ x x))\n",
        expect![[r#"
            unknown-name 3:`two-times`: there is no `two-times` here
        "#]],
    );
}

#[test]
fn imports_that_go_in_a_circle() {
    check(
        "(import \"a.lift\")\n(define (f x) (g x))\n;;- a.lift\n(import \"b.lift\")\n(define (g x) (h x))\n;;- b.lift\n(import \"main.lift\")\n(define (h x) (f x))\n",
        expect![[r#"
            import-cycle 1:`"a.lift"`: imports form a cycle: `main.lift` imports `a.lift` imports `b.lift` imports `main.lift`
        "#]],
    );
    check(
        "(import \"main.lift\")\n(define (f x) x)\n",
        expect![[r#"
            import-cycle 1:`"main.lift"`: imports form a cycle: `main.lift` imports `main.lift`
        "#]],
    );
}

#[test]
fn an_own_definition_goes_before_the_prelude_and_the_primitives() {
    check("(define (map x) (+ x 1))\n(define (sum x) (map x))\n(lift f () (int) (lambda (x) (sum x)))\n", expect![""]);
}

#[test]
fn related_places_in_other_forms() {
    check(
        "(define (f x) x)\n\n\n(define (f y) y)\n",
        expect![[r#"
        duplicate-definition 4:`f`: `f` is defined above already; that definition counts
          1:`f`: the first definition
    "#]],
    );
}

#[test]
fn explicit_mode_inserts_nothing() {
    let fixture = Fixture::new(
        "(define (double ys) (mapSeq (lambda (y) (* y 2.0f)) ys))\n(lift f (N) ((array-type float N)) (lambda (xs) (double (filterSeq (lambda (x) (< x 0.5f)) xs))))\n(lift g (N) ((array-type float N)) (lambda (xs) (unpack ys (filterSeq (lambda (x) (< x 0.5f)) xs) (pack (double ys)))))\n",
    );
    let found = fixture.analysis().explicit_diagnostics(fixture.main()).unwrap();
    expect![[r#"
        hidden-length 2:`(filterSeq (lambda (x) (< x 0.5f)) xs)`: the length of this array is hidden: `<∃X, Array[Float,X]>`; it must be opened with `unpack` before it is used
    "#]].assert_eq(&describe(&fixture, fixture.main(), &found));
    assert_eq!(fixture.analysis().diagnostics(fixture.main()).unwrap(), []);
}

#[test]
fn a_file_that_goes_away_is_missed() {
    let mut fixture =
        Fixture::new("(import \"a.lift\")\n(define (f x) (twice x))\n;;- a.lift\n(define (twice x) (+ x x))\n");
    assert_eq!(fixture.analysis().diagnostics("main.lift").unwrap(), []);
    fixture.host.remove_file("a.lift");
    let found = fixture.analysis().diagnostics("main.lift").unwrap();
    expect![[r#"
        missing-import 1:`"a.lift"`: there is no file `a.lift`
    "#]]
    .assert_eq(&describe(&fixture, "main.lift", &found));
    fixture.host.set_file("a.lift", "(define (twice x) (* 2 x))".into());
    assert_eq!(fixture.analysis().diagnostics("main.lift").unwrap(), []);
}

#[test]
fn an_unknown_path_has_an_empty_answer() {
    let fixture = Fixture::new("(define one 1)\n");
    assert_eq!(fixture.analysis().diagnostics("other.lift").unwrap(), []);
    assert_eq!(fixture.analysis().text("other.lift").unwrap(), None);
}
