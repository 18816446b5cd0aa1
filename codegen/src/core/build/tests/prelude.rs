//! The definitions of the prelude.

use super::*;
use expect_test::expect;

#[test]
fn reductions() {
    check(
        "(lift f (N) ((array-type float N) (array-type float N)) (lambda (xs ys)
           (tuple (dot xs ys) (sum xs) (maximum xs) (average ys) (count (< 1.5f) xs))))",
        &[floats([1.0, 2.0, 3.0]), floats([4.0, 5.0, 6.0])],
        expect!["(32.0, 6.0, 3.0, 5.0, 2)"],
    );
}

#[test]
fn matrices() {
    let matrix = |rows: &[&[f32]]| Value::from(rows.iter().map(|r| r.to_vec()).collect::<Vec<_>>());
    check(
        "(lift f (N M K) ((array-type (array-type float K) N) (array-type (array-type float M) K))
           (lambda (xss yss) (matmul xss yss)))",
        &[matrix(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]), matrix(&[&[1.0, 0.0], &[0.0, 2.0]])],
        expect!["[[1.0, 4.0], [3.0, 8.0], [5.0, 12.0]]"],
    );
    check(
        "(lift f (N M) ((array-type (array-type float M) N)) (lambda (xss)
           (map2D (o sum join) (slide2D #2 #1 xss))))",
        &[matrix(&[&[1.0, 2.0], &[3.0, 4.0]])],
        expect!["[[10.0]]"],
    );
}

#[test]
fn what_stops_in_the_prelude_stops_where_the_program_calls_it() {
    let text = "(define (largest xs) (maximum xs)) (lift f (N) ((array-type float N)) (lambda (xs) (largest xs)))";
    let (_, kernel) = build(text).unwrap_or_else(|problem| panic!("{problem}"));
    let stopped = run(&kernel, vec![floats([])], &[], Limits::default());
    let place = stopped.map_err(|e| {
        let form = e.origin.map(|o| format!("{}: {}", o.form.file, o.form.name.as_deref().unwrap_or("_")));
        format!("{} [{}]", e.message, form.unwrap_or_default())
    });
    expect!["the program relies on `N is positive`, which is false for N = 0 [test.lift: f]"]
        .assert_eq(&place.map_or_else(|e| e, |v| v.to_string()));
}
