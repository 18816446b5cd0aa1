//! Hidden lengths are opened and hidden where inference says.

use super::*;
use expect_test::expect;

fn on_ints(body: &str, inputs: impl IntoIterator<Item = i32>, expected: Expect) {
    let text = format!(
        "(define pos (filter (lambda (x) (> x 0))))
         (lift f (N) ((array-type int N)) (lambda (xs) {body}))"
    );
    check(&text, &[ints(inputs)], expected);
}

#[test]
fn nested_calls() {
    on_ints("(map neg (pos xs))", [1, -1, 2], expect!["[-1, -2]"]);
    on_ints("(reduce 0 + (map (* 2) (pos xs)))", [1, -1, 2], expect!["[6]"]);
    on_ints("(length (pos xs))", [1, -1, 2], expect!["2"]);
    on_ints("(pos (map neg (pos xs)))", [1, -1, 2], expect!["[]"]);
}

#[test]
fn explicit_pack_and_unpack() {
    on_ints("(unpack ys (pos xs) (pack (map neg ys)))", [1, -1, 2], expect!["[-1, -2]"]);
    on_ints("(unpack (K ys) (pos xs) (map (+ K) ys))", [1, -1, 2], expect!["[3, 4]"]);
    on_ints("(unpack (K ys) (pos xs) (+ K (head (reduceSeq 0 + ys))))", [1, -1, 2], expect!["5"]);
    on_ints("(pack xs)", [1, -1, 2], expect!["[1, -1, 2]"]);
    on_ints("(pack (pack xs))", [1, -1, 2], expect!["[1, -1, 2]"]);
}

#[test]
fn branches_of_different_lengths() {
    on_ints("(if (> (aref xs 0) 0) (pos xs) (map neg xs))", [1, -1, 2], expect!["[1, 2]"]);
    on_ints("(if (> (aref xs 0) 0) (pos xs) (map neg xs))", [-1, -1, 2], expect!["[1, 1, -2]"]);
    on_ints("(if (> (aref xs 0) 0) (take #1 xs) (drop #1 xs))", [-1, -1, 2], expect!["[-1, 2]"]);
    on_ints("(map neg (if (> (aref xs 0) 0) (take #1 xs) xs))", [-1, -1, 2], expect!["[1, 1, -2]"]);
    on_ints("(if (> (aref xs 0) 0) (tuple (pos xs) 1) (tuple xs 2))", [-1, -1, 2], expect!["([-1, -1, 2], 2)"]);
}

#[test]
fn several_hidden_lengths() {
    on_ints("(tuple (pos xs) (map neg (pos (map neg xs))))", [1, -1, 2], expect!["([1, 2], [-1])"]);
    on_ints("(let ys (pos xs) (tuple ys (map neg ys)))", [1, -1, 2], expect!["([1, 2], [-1, -2])"]);
    on_ints("(map (lambda (x) (pos xs)) (pos xs))", [1, -1, 2], expect!["[[1, 2], [1, 2]]"]);
    on_ints("(map pos (split #2 xs))", [1, -1, 2, 3], expect!["[[1], [2, 3]]"]);
    on_ints("(map (lambda (ys) (map neg ys)) (map pos (split #2 xs)))", [1, -1, 2, 3], expect!["[[-1], [-2, -3]]"]);
    on_ints("(let ys (pos xs) (transpose (map (lambda (x) ys) xs)))", [1, -1, 2], expect!["[[1, 1, 1], [2, 2, 2]]"]);
}

#[test]
fn lengths_computed_in_the_run() {
    on_ints("(iota (aref xs 0))", [3], expect!["[0, 1, 2]"]);
    on_ints("(map (lambda (x) (iota x)) xs)", [3, 0, 1], expect!["[[0, 1, 2], [], [0]]"]);
    on_ints("(map (lambda (x) (fill x x)) xs)", [3, 0, 1], expect!["[[3, 3, 3], [], [1]]"]);
    on_ints("(map (lambda (x) (reduce 0 + (generate x (* x)))) xs)", [3, 0, 1], expect!["[[9], [0], [0]]"]);
    on_ints("(iota (aref xs 0))", [-3], expect!["stopped: an array cannot have the length -3"]);
}

#[test]
fn a_size_that_was_named_is_a_number() {
    // The checker hides a length computed from a size that is used as an Int, even where the size is known here.
    on_ints("(map (lambda (x) (let v #2 (iota v))) xs)", [1], expect!["[[0, 1]]"]);
    on_ints("(map (lambda (x) ((lambda (v) (iota v)) #2)) xs)", [1], expect!["[[0, 1]]"]);
    on_ints("(let v #(* 2 N) (map (+ 1) (iota v)))", [1], expect!["[1, 2]"]);
    on_ints("(let v N (let w v (fill w (head xs))))", [1], expect!["[1]"]);
    on_ints("(let v #(length xs) (generate v (* 3)))", [1, 2], expect!["[0, 3]"]);
    on_ints("(iota (if (> (head xs) 0) #2 N))", [1], expect!["[0, 1]"]);
    on_ints("((lambda (f) (f #2)) (lambda (v) (iota v)))", [1], expect!["[0, 1]"]);
    on_ints("((o iota id) #2)", [1], expect!["[0, 1]"]);
    on_ints("(iota (id #2))", [1], expect!["[0, 1]"]);
    on_ints("(iota (get1 (tuple #2 xs)))", [1], expect!["[0, 1]"]);
    check(
        "(define (ramp k) (map (+ 1) (iota k)))
         (lift f (N) ((array-type int N)) (lambda (xs) (tuple (ramp #(* 2 N)) (map (lambda (x) (ramp N)) xs))))",
        &[ints(0..1)],
        expect!["([1, 2], [[1]])"],
    );
}

#[test]
fn casts() {
    on_ints("(: (pos xs) (array-type int 2))", [1, -1, 2], expect!["[1, 2]"]);
    on_ints("(: (pos xs) (array-type int 2))", [1, -1], expect!["stopped: a checked cast is false: `X1` is 1, not 2"]);
    on_ints("(zip xs (: (pos xs) (array-type int N)))", [1, 2], expect!["[(1, 1), (2, 2)]"]);
    on_ints(
        "(zip xs (: (pos xs) (array-type int N)))",
        [1, -2],
        expect!["stopped: a checked cast is false: `X1` is 1, but `N` is 2"],
    );
    on_ints(
        "(: xs (array-type int 4))",
        [1, -2],
        expect!["stopped: the program relies on `N equals 4`, which is false for N = 2"],
    );
    on_ints(
        "(length (: (pos xs) (array-type int 2)))",
        [1],
        expect!["stopped: a checked cast is false: `X1` is 1, not 2"],
    );
}

#[test]
fn inputs_of_hidden_length() {
    let hidden = "(array-type (exists (X) (array-type int X)) N)";
    let rows = Value::from(vec![vec![1, 2], vec![], vec![3]]);
    check(
        &format!("(lift f (N) ({hidden}) (lambda (xss) (map (lambda (xs) (reduce 0 + xs)) xss)))"),
        std::slice::from_ref(&rows),
        expect!["[[3], [0], [3]]"],
    );
    check(
        &format!("(lift f (N) ({hidden}) (lambda (xss) (map (lambda (xs) (map neg xs)) xss)))"),
        std::slice::from_ref(&rows),
        expect!["[[-1, -2], [], [-3]]"],
    );
    check(
        "(lift f () ((exists (X) (array-type int X))) (lambda (xs) (map neg xs)))",
        &[ints([1, 2])],
        expect!["[-1, -2]"],
    );
}

#[test]
fn definitions_that_take_hidden_lengths() {
    check(
        "(define (total (xs (exists (X) (array-type int X)))) (head (reduceSeq 0 + xs)))
         (lift f (N) ((array-type int N)) (lambda (xs) (tuple (total xs) (total (filter (< 0) xs)))))",
        &[ints([1, -1, 2])],
        expect!["(2, 3)"],
    );
}

#[test]
fn a_loop_over_an_array() {
    on_ints("(iterateWhile (lambda (ys) (< (head ys) 100)) (map (* 2)) xs)", [3, -1, 5], expect!["[192, -64, 320]"]);
    on_ints("(iterateWhile (lambda (ys) (< (head ys) 100)) (map (* 2)) (pos xs))", [3, -1, 5], expect!["[192, 320]"]);
}
