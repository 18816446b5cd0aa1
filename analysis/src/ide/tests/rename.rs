//! Renames, and refused ones.

use super::Fixture;
use expect_test::{Expect, expect};

fn check(text: &str, new: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let analysis = fixture.analysis();
    let shown = match analysis.rename(path, range.start(), new).unwrap() {
        Ok(change) => {
            let (place, name) = analysis.prepare_rename(path, range.start()).unwrap().unwrap();
            assert!(place.contains_inclusive(range.start()));
            assert!(
                change
                    .files
                    .iter()
                    .flat_map(|(_, edits)| edits)
                    .all(|edit| edit.range.len() == lift_syntax::TextSize::of(&*name))
            );
            fixture.apply(&change)
        }
        Err(why) => why,
    };
    expected.assert_eq(&shown);
}

#[test]
fn locals() {
    check(
        "(define (f x y)\n (tuple x$0 (let x 1 x) x y))\n",
        "z",
        expect![[r#"
        (define (f z y)
         (tuple z (let x 1 x) z y))
    "#]],
    );
    check(
        "(define (f (xs (array-type float n)) (ys (array-type float n)))\n (take #n$0 (zip xs ys)))\n",
        "m",
        expect![[r#"
        (define (f (xs (array-type float m)) (ys (array-type float m)))
         (take #m (zip xs ys)))
    "#]],
    );
    check(
        "(define (f xs$0)\n (tuple #(length xs) xs))\n",
        "values",
        expect![[r#"
        (define (f values)
         (tuple #(length values) values))
    "#]],
    );
    check(
        "(lift f (N$0) ((array-type float N)) (lambda (xs) (iota N)))\n",
        "K",
        expect![[r#"
        (lift f (K) ((array-type float K)) (lambda (xs) (iota K)))
    "#]],
    );
    check(
        "(define (f p xs) (unpack (X$0 ys) (filter p xs) (take #X ys)))\n",
        "Kept",
        expect![[r#"
        (define (f p xs) (unpack (Kept ys) (filter p xs) (take #Kept ys)))
    "#]],
    );
}

#[test]
fn definitions_in_all_files() {
    check(
        "(import \"a.lift\")\n(define (f twice) twice)\n(define (g x) (twice$0 x))\n;;- a.lift\n(define (twice x) (+ x x))\n;;- b.lift\n(define (twice x) x)\n;;- c.lift\n(import \"a.lift\")\n(define (k x) (o twice twice x))\n",
        "double",
        expect![[r#"
            ;;- a.lift
            (define (double x) (+ x x))
            ;;- c.lift
            (import "a.lift")
            (define (k x) (o double double x))
            (import "a.lift")
            (define (f twice) twice)
            (define (g x) (double x))
        "#]],
    );
    check(
        "(lift ker$0nel () (int) (lambda (x) x))\n(define y (kernel 1))\n",
        "run",
        expect![[r#"
        (lift run () (int) (lambda (x) x))
        (define y (run 1))
    "#]],
    );
}

#[test]
fn what_would_mean_something_else_is_refused() {
    check("(define (f x$0 y) (tuple x y))\n", "y", expect!["`y` is another name already where `x` is used"]);
    check("(define (f x$0) (let y 1 (tuple x y)))\n", "y", expect!["`y` is another name already where `x` is used"]);
    check("(define (f x$0) (sqrt x))\n", "sqrt", expect!["`sqrt` is another name already where `x` is used"]);
    check("(define one$0 1)\n(define two 2)\n", "two", expect!["`two` is defined already, in main.lift"]);
    check(
        "(define one$0 1)\n(define (f xs) (map id xs))\n",
        "map",
        expect!["`f` in main.lift uses another `map` already, which would become this one"],
    );
    check(
        "(define one$0 1)\n(define (f two) (+ one two))\n",
        "two",
        expect!["`two` is another name already where `one` is used"],
    );
    check(
        "(import \"a.lift\")\n(define two 2)\n(define three (+ one two))\n;;- a.lift\n(define on$0e 1)\n",
        "two",
        expect!["`two` is defined already, in main.lift"],
    );
}

#[test]
fn a_name_that_another_file_has_already() {
    check(
        "(import \"a.lift\")\n(define two (on$0e 1))\n;;- a.lift\n(define (one x) x)\n",
        "two",
        expect!["`two` is defined already, in main.lift"],
    );
}

#[test]
fn what_has_no_name_to_give() {
    check("(define (f xs) (ma$0p id xs))\n", "apply", expect!["this name is built in: it cannot be renamed"]);
    check("(define (f xs) $0(map id xs))\n", "apply", expect!["there is no name here"]);
    check(
        "(define (f x$0) x)\n",
        "a b",
        expect!["`a b` is not a name: a name has no spaces, brackets, quotes or `;` and starts with no digit or `#`"],
    );
    check(
        "(define (f x$0) x)\n",
        "3x",
        expect!["`3x` is not a name: a name has no spaces, brackets, quotes or `;` and starts with no digit or `#`"],
    );
    check("(define (f x$0) x)\n", "let", expect!["`let` is a word of the language"]);
    check("(define (f x$0) x)\n", "x", expect![[""]]);
}
