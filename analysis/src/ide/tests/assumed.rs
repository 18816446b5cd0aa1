//! Hovers on assumptions: those of every run, those under a condition on sizes, and those of branches.

use super::hover::check;
use expect_test::expect;

/// A kernel of `k` and `xs` with this body, which has the marks.
fn kernel(body: &str) -> String {
    format!("(lift f (N) (int (array-type int N)) (lambda (k xs)\n  {body}))\n")
}

#[test]
fn a_condition_on_sizes_is_checked_before_a_run() {
    check(
        &kernel("(if (> N 1) $0(take #3 xs)$0 xs)"),
        expect![[r#"
        at 2:`(take #3 xs)`
        Array[Int,3]

        Packed as `<∃X, Array[Int,X]>`, which hides `3`.

        Assumes that `3 is at most N`: checked only where `N > 1`."#]],
    );
    check(
        &kernel("(if (and (> N 1) (< N 9)) $0(take #3 xs)$0 xs)"),
        expect![[r#"
        at 2:`(take #3 xs)`
        Array[Int,3]

        Packed as `<∃X, Array[Int,X]>`, which hides `3`.

        Assumes that `3 is at most N`: checked only where `N > 1 and N < 9`."#]],
    );
    check(
        &kernel("(if (= N 0) 0 (if (>= (length xs) 2) (head (drop #4 $0xs)) 1))"),
        expect![[r#"
        at 2:`xs`
        Array[Int,N]

        `N`: a size of the kernel, the length of `xs`; assumes that `N-4 is positive where N > 0 and N > 1`, `4 is at most N where N > 0 and N > 1`, checked before a run.

        `xs` is a parameter."#]],
    );
}

#[test]
fn a_condition_on_numbers_is_checked_where_the_branch_is_taken() {
    check(
        &kernel("(if (> k 1) $0(take #3 xs)$0 xs)"),
        expect![[r#"
        at 2:`(take #3 xs)`
        Array[Int,3]

        Packed as `<∃X, Array[Int,X]>`, which hides `3`.

        Assumes that `3 is at most N`: checked only where this branch is taken."#]],
    );
    check(
        &kernel("(if (> k 1) (take #3 $0xs) xs)"),
        expect![[r#"
        at 2:`xs`
        Array[Int,N]

        `N`: a size of the kernel, the length of `xs`; assumes that `3 is at most N`, checked only where that branch is taken.

        `xs` is a parameter."#]],
    );
    check(
        &kernel("(tuple (slide #2 #1 xs) (if (and (> k 1) (> N 5)) (take #7 $0xs) xs))"),
        expect![[r#"
        at 2:`xs`
        Array[Int,N]

        `N`: a size of the kernel, the length of `xs`; at least `2`; assumes that `2 is at most N`, checked before a run; assumes that `7 is at most N where N > 5`, checked only where that branch is taken.

        `xs` is a parameter."#]],
    );
}

#[test]
fn a_branch_in_a_function_says_which_position_or_round() {
    check(
        "(lift f (N) ((array-type (i) (array-type int (+ i 1)) N)) (lambda (t)\n  \
         (map (lambda (r) (if (> (head r) 0) (sumi $0(take #3 r)$0) 0)) t)))\n",
        expect![[r#"
            at 2:`(take #3 r)`
            Array[Int,3]

            Assumes that `3 is at most i+1`: checked only where this branch is taken."#]],
    );
    check(
        &kernel("(iterate #2 (lambda (ys) (tail (if (> k 0) (map (+ (sumi $0(take #3 ys)$0)) ys) ys))) xs)"),
        expect![[r#"
            at 2:`(take #3 ys)`
            Array[Int,3]

            Assumes that `3 is at most m`: checked only where this branch is taken."#]],
    );
}

/// The type of a definition shows what each use assumes; the assumption of a branch is checked where it is taken.
#[test]
fn a_definition_with_a_branch() {
    check(
        "(define (first-three (xs (array-type int n))) (if (> $0n 1) (sumi (take #3 xs)) 0))\n",
        expect![[r#"
            at 1:`n`
            Int

            `n`: any length, the length of `xs`; assumes that `3 is at most n where n > 1`, checked before a run."#]],
    );
    check(
        "(define (first-three c xs) (if c (sumi (take #3 xs)) 0))\n\
         (lift f (N) (bool (array-type int N)) (lambda (c xs) ($0first-three c xs)))\n",
        expect![[r#"
            at 2:`first-three`
            Bool -> Array[Int,N] -> Int

            first-three : Bool -> Array[Int,n] -> Int"#]],
    );
}

#[test]
fn lengths_that_a_condition_says_are_equal() {
    check(
        &kernel("(let ys (filter (< 0) xs) (if (and (> k 1) (= (length ys) N)) (zip xs $0ys) (zip xs xs)))"),
        expect![[r#"
            at 2:`ys`
            <∃X, Array[Int,X]>

            Opened here as `Array[Int,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter (< 0)` at 2:11 kept; at most `N`.

            `ys` is bound by `let`.

            Equal here: `X1 = N`, since `(= (length ys) N)` holds."#]],
    );
    check(
        &kernel("(let ys (filter (< 0) xs) (if (!= N (length ys)) (zip xs xs) (zip xs $0(map neg ys)$0)))"),
        expect![[r#"
            at 2:`(map neg ys)`
            Array[Int,X1]

            `X1`: how many elements `filter (< 0)` at 2:11 kept; at most `N`.

            Equal here: `X1 = N`, since `(!= N (length ys))` does not hold."#]],
    );
    check(
        &kernel("(if (= N 3) $0(: xs (array-type int 3))$0 xs)"),
        expect![[r#"
        at 2:`(: xs (array-type int 3))`
        Array[Int,3]

        Packed as `<∃X, Array[Int,X]>`, which hides `3`.

        Equal here: `N = 3`, since `(= N 3)` holds."#]],
    );
}
