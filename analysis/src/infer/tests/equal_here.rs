//! Lengths that are equal by the conditions around a call.

use super::harness::{check, check_elaborated, check_explicit};
use expect_test::expect;

const TWO: &str = "(N M) ((array-type int N) (array-type int M))";

fn kernels(bodies: &[(&str, &str)]) -> String {
    const TOTAL: &str = "(define (total ps) (head (reduce 0 + (map (lambda (p) (* (get1 p) (get2 p))) ps))))\n";
    let kernel = |(name, body): &(&str, &str)| format!("(lift {name} {TWO} (lambda (a b) {body}))");
    TOTAL.to_string() + &bodies.iter().map(kernel).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_branch_knows_equal_lengths() {
    let text = kernels(&[
        ("names", "(if (= N M) (zip a b) (zip a a))"),
        ("lengths", "(if (= (length a) (length b)) (total (zip a b)) 0)"),
        ("second-first", "(if (= N M) (total (zip b a)) 0)"),
        ("both", "(if (and (> N 0) (= M N)) (total (zip a b)) 0)"),
        ("right-side", "(and (= N M) (= 0 (total (zip a b))))"),
        ("right-side-of-or", "(or (!= N M) (= 0 (total (zip a b))))"),
        ("named", "(let same (= N M) (if same (total (zip a b)) 0))"),
        ("unless", "(if (!= N M) 0 (total (zip a b)))"),
        ("unless-not", "(if (not (= N M)) 0 (total (zip a b)))"),
        ("number", "(if (= N 3) (total (zip a (iota #3))) 0)"),
        ("twice", "(if (= M (* 2 N)) (total (zip (concat a a) b)) 0)"),
        ("one-more", "(if (= M (+ N 1)) (total (zip a (tail b))) 0)"),
        ("at-most-each", "(if (and (<= N M) (<= M N)) (total (zip a b)) 0)"),
        ("in-a-function", "(if (= N M) (map (lambda (x) (+ x (total (zip a b)))) a) a)"),
        ("function-inside", "(map (lambda (x) (if (= N M) (+ x (total (zip a b))) x)) a)"),
        ("three", "(if (= N M) (zip a b a) (zip a a a))"),
        ("rows", "(if (= N M) (map (lambda (r) (total (zip r b))) (fill #2 a)) (fill #2 0))"),
        ("columns", "(if (= N M) (zip (fill #2 a) (fill #2 b)) (zip (fill #2 a) (fill #2 a)))"),
        ("pair", "(let f (lambda ((tuple x y)) (total (zip x y))) (if (= N M) (f (tuple a b)) (f (tuple a a))))"),
        (
            "kept",
            "(let p (filter (< 0) a) (let q (filter (> 0) b) (if (= (length p) (length q)) (total (zip p q)) 0)))",
        ),
        ("cast", "(if (= N M) (total (zip a (: b (array-type int N)))) 0)"),
    ]);
    check(
        &text,
        expect![[r#"
            total : Array[(Int, Int),n] -> Int
            names : Array[Int,N] -> Array[Int,M] -> Array[(Int, Int),N]
            lengths : Array[Int,N] -> Array[Int,M] -> Int
            second-first : Array[Int,N] -> Array[Int,M] -> Int
            both : Array[Int,N] -> Array[Int,M] -> Int
            right-side : Array[Int,N] -> Array[Int,M] -> Bool
            right-side-of-or : Array[Int,N] -> Array[Int,M] -> Bool
            named : Array[Int,N] -> Array[Int,M] -> Int
            unless : Array[Int,N] -> Array[Int,M] -> Int
            unless-not : Array[Int,N] -> Array[Int,M] -> Int
            number : Array[Int,N] -> Array[Int,M] -> Int
            twice : Array[Int,N] -> Array[Int,M] -> Int
            one-more : Array[Int,N] -> Array[Int,M] -> Int
            at-most-each : Array[Int,N] -> Array[Int,M] -> Int
            in-a-function : Array[Int,N] -> Array[Int,M] -> Array[Int,N]
            function-inside : Array[Int,N] -> Array[Int,M] -> Array[Int,N]
            three : Array[Int,N] -> Array[Int,M] -> Array[(Int, Int, Int),N]
            rows : Array[Int,N] -> Array[Int,M] -> Array[Int,2]
            columns : Array[Int,N] -> Array[Int,M] -> <∃X, Array[(Array[Int,N], Array[Int,X]),2]>
            pair : Array[Int,N] -> Array[Int,M] -> Int
            kept : Array[Int,N] -> Array[Int,M] -> Int
            cast : Array[Int,N] -> Array[Int,M] -> Int
        "#]],
    );
}

#[test]
fn functions_are_given_and_give_equal_lengths() {
    let text = kernels(&[
        ("composed", "(if (= N M) ((o total (zip a)) b) 0)"),
        ("piped", "(if (= N M) (o total (zip a) b) 0)"),
        ("first-part", "(if (= N M) ((o (zip a) (map (+ 1))) b) (zip a a))"),
        ("of-parameter", "(let ap (lambda (x f) (f x)) (if (= N M) (total (ap b (zip a))) 0))"),
        (
            "of-two",
            "(let ap (lambda (x y f) (f y x)) (if (= N M) (ap b b (lambda (x y) (total (zip x (zip-first y a))))) 0))",
        ),
        ("folded", "(if (= N M) (head (reduceSeq a (lambda (acc x) b) a)) a)"),
        ("iterated", "(if (= N M) (iterate #3 (zipWith + a) b) b)"),
        ("as-long-as", "(if (= N M) (iterateWhile (lambda (x) (< (head (reduce 0 + x)) 9)) (zipWith + a) b) b)"),
        ("elsewhere", "(if (= N M) 0 ((o total (zip a)) b))"),
    ]);
    check(
        &format!("(define (zip-first x y) (map get1 (zip x y)))\n{text}"),
        expect![[r#"
            zip-first : Array[a,n] -> Array[b,n] -> Array[a,n]
            total : Array[(Int, Int),n] -> Int
            composed : Array[Int,N] -> Array[Int,M] -> Int
            piped : Array[Int,N] -> Array[Int,M] -> Int
            first-part : Array[Int,N] -> Array[Int,M] -> Array[(Int, Int),N]
            of-parameter : Array[Int,N] -> Array[Int,M] -> Int
            of-two : Array[Int,N] -> Array[Int,M] -> Int
            folded : Array[Int,N] -> Array[Int,M] -> Array[Int,N]
            iterated : Array[Int,N] -> Array[Int,M] -> Array[Int,M]
              unknown-name at `zipWith`: there is no `zipWith` here
            as-long-as : Array[Int,N] -> Array[Int,M] -> Array[Int,M]
              unknown-name at `zipWith`: there is no `zipWith` here
            elsewhere : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `(o total (zip a))`: the lengths `N` (the length of `a`) and `M` (the length of `b`) would have to be equal; nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Give `0` instead of `((o …) b)` where the lengths differ
        "#]],
    );
}

#[test]
fn a_wrong_condition_is_one_error() {
    check(
        &kernels(&[
            ("word", "(if (== N M) (total (zip a b)) 0)"),
            ("order", "(if (N = M) (total (zip a b)) 0)"),
            ("in-a-part", "(and (== N M) (= 0 (total (zip a b))))"),
            ("beside", "(+ (if (== N M) 1 0) (total (zip a b)))"),
        ]),
        expect![[r#"
            total : Array[(Int, Int),n] -> Int
            word : Array[Int,N] -> Array[Int,M] -> Int
              unknown-name at `==`: there is no `==` here; it is called `=`
                fix: Change to `=`
            order : Array[Int,N] -> Array[Int,M] -> Int
              not-a-function at `N`: `N` is applied here, but it is not a function: its type is `Int`; the function comes first: `(= N M)`
                fix: Write `(= N M)`
            in-a-part : Array[Int,N] -> Array[Int,M] -> Bool
              unknown-name at `==`: there is no `==` here; it is called `=`
                fix: Change to `=`
            beside : Array[Int,N] -> Array[Int,M] -> Int
              unknown-name at `==`: there is no `==` here; it is called `=`
                fix: Change to `=`
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
        "#]],
    );
}

#[test]
fn explicit_programs_know_them_too() {
    check_explicit(
        &kernels(&[("names", "(if (= N M) (total (zip a b)) 0)"), ("other", "(if (!= N M) 0 (total (zip a b)))")]),
        expect![[r#"
            total : Array[(Int, Int),n] -> Int
            names : Array[Int,N] -> Array[Int,M] -> Int
            other : Array[Int,N] -> Array[Int,M] -> Int
        "#]],
    );
}

#[test]
fn a_definition_works_for_two_lengths() {
    check(
        &format!(
            "(define (inner a b) (if (= (length a) (length b)) (total (zip a b)) 0))
(define (always a b) (+ (total (zip a b)) (inner a b)))
{}",
            kernels(&[
                ("same", "(inner a b)"),
                ("hidden", "(inner (filter (< 0) a) (filter (> 0) b))"),
                ("bound", "(let f (lambda (x y) (if (= (length x) (length y)) (total (zip x y)) 0)) (f a b))"),
            ])
        ),
        expect![[r#"
            inner : Array[Int,n] -> Array[Int,m] -> Int
            always : Array[Int,n] -> Array[Int,n] -> Int
            total : Array[(Int, Int),n] -> Int
            same : Array[Int,N] -> Array[Int,M] -> Int
            hidden : Array[Int,N] -> Array[Int,M] -> Int
            bound : Array[Int,N] -> Array[Int,M] -> Int
        "#]],
    );
}

#[test]
fn elsewhere_lengths_differ() {
    check(
        &kernels(&[
            ("other-branch", "(if (= N M) 0 (total (zip a b)))"),
            ("afterwards", "(let x (if (= N M) 1 0) (+ x (total (zip a b))))"),
            ("other-side", "(or (= N M) (= 0 (total (zip a b))))"),
            ("at-most", "(if (<= N M) (total (zip a b)) 0)"),
            ("another", "(if (= N (+ M 1)) (total (zip a b)) 0)"),
            ("wraps", "(if (= M (* 4 N)) (total (zip (concat a (concat a (concat a a))) b)) 0)"),
            ("one-of", "(if (or (= N M) (> N 3)) (total (zip a b)) 0)"),
            ("a-number", "(if (= (head a) M) (total (zip a b)) 0)"),
        ]),
        expect![[r#"
            total : Array[(Int, Int),n] -> Int
            other-branch : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            afterwards : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            other-side : Array[Int,N] -> Array[Int,M] -> Bool
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            at-most : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            another : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            wraps : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `4*N` (the length of `(concat a (concat a (…)))`), the second `M` (the length of `b`); nothing says that they are equal
                `(concat a (concat a (concat a a)))`: length `4*N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
            one-of : Array[Int,N] -> Array[Int,M] -> Int
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
            a-number : Array[Int,N] -> Array[Int,M] -> Int
              assumes N is positive
              unequal-lengths at `b`: `zip` needs two arrays of one length: the first has length `N` (the length of `a`), the second `M` (the length of `b`); nothing says that they are equal
                `a`: length `N` comes from here
                `b`: length `M` comes from here
                fix: Check at run time that the lengths are equal
                fix: Give `0` instead of `(total (zip a b))` where the lengths differ
        "#]],
    );
}

#[test]
fn nothing_is_inserted_for_them() {
    check_elaborated(
        &kernels(&[(
            "kept",
            "(let p (filter (< 0) a) (let q (filter (> 0) b) (if (= (length p) (length q)) (total (zip p q)) 0)))",
        )]),
        expect![[r#"
            (define (total ps) (head (reduce 0 + (map (lambda (p) (* (get1 p) (get2 p))) ps))))
            (lift kept (N M) ((array-type int N) (array-type int M)) (lambda (a b) (unpack (X1 p) (filter (< 0) a) (unpack (X2 q) (filter (> 0) b) (if (= (length p) (length q)) (total (zip p q)) 0)))))"#]],
    );
}
