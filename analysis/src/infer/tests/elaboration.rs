//! Elaborated programs, which check in explicit mode to the same types.

use super::harness::check_elaborated;
use expect_test::expect;

const HEAD: &str = "(define (pos x) (> x 0.0f))\n";

#[test]
fn an_argument_is_named_and_unpacked() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) (filter pos xs))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (pack (map (lambda (x) (* x 2.0f)) v1)))))"#]],
    );
}

#[test]
fn a_let_becomes_an_unpack() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) ; kept\n (zip (map (lambda (x) (* x 2.0f)) ys) ys))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) ; kept
             (pack (zip (map (lambda (x) (* x 2.0f)) ys) ys)))))"#]],
    );
}

#[test]
fn inner_filters_are_opened_first() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + (filter pos (filter (lambda (x) (< x 9.0f)) xs)))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter (lambda (x) (< x 9.0f)) xs) (unpack (X2 v2) (filter pos v1) (reduce 0.0f + v2)))))"#]],
    );
}

#[test]
fn a_let_in_an_argument_moves_out_with_what_it_opens() {
    check_elaborated(
        &format!("{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) (let ys (filter pos xs) (map abs ys)))))
(lift g (N) ((array-type float N)) (lambda (xs) (length (let a (map abs xs) (filter pos a)))))"),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) (pack (map (lambda (x) (* x 2.0f)) (map abs ys))))))
            (lift g (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (let a (map abs xs) (filter pos a)) (length v1))))"#]],
    );
}

#[test]
fn branches_are_packed_each() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N M) ((array-type float N) (array-type float M) bool) (lambda (xs ys b) (if b xs ys)))
(lift g (N) ((array-type float N) bool) (lambda (xs b) (if b xs (map abs (filter pos xs)))))
(lift h (N) ((array-type float N) bool) (lambda (xs b) (if b (filter pos xs) xs)))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type float N) (array-type float M) bool) (lambda (xs ys b) (if b (pack xs) (pack ys))))
            (lift g (N) ((array-type float N) bool) (lambda (xs b) (if b (pack xs) (unpack (X1 v1) (filter pos xs) (pack (map abs v1))))))
            (lift h (N) ((array-type float N) bool) (lambda (xs b) (if b (filter pos xs) (pack xs))))"#]],
    );
}

#[test]
fn parameters_of_hidden_length() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (r) (reduce 0.0f + r)) (map (filter pos) rows))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (r) (unpack (X1 r) r (reduce 0.0f + r))) (map (filter pos) rows))))"#]],
    );
}

#[test]
fn compositions_become_lambdas() {
    check_elaborated(
        &format!(
            "{HEAD}(define f (o (map abs) (filter pos)))
(lift g (N) ((array-type float N)) (lambda (xs) (o (map abs) (filter pos) (map abs) xs)))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (define f (lambda (v1) (unpack (X1 v2) (filter pos v1) (pack (map abs v2)))))
            (lift g (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos (map abs xs)) (pack (map abs v1)))))"#]],
    );
}

#[test]
fn functions_given_by_name_become_lambdas() {
    check_elaborated(
        &format!(
            "{HEAD}(define (sum xs) (head (reduce 0.0f + xs)))
(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map sum (map (map abs) (map (filter pos) rows)))))
(lift g (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (o sum (map abs)) (map (filter pos) rows))))
(lift h (N M) ((array-type (array-type float N) M) (array-type float M)) (lambda (rows xs) (map (scan (sum (filter pos xs)) +) (map (filter pos) rows))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (define (sum xs) (head (reduce 0.0f + xs)))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (v1) (unpack (X2 v1) v1 (sum v1))) (map (lambda (v2) (unpack (X1 v2) v2 (pack (map abs v2)))) (map (filter pos) rows)))))
            (lift g (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (v1) (unpack (X1 v1) v1 (sum (map abs v1)))) (map (filter pos) rows))))
            (lift h (N M) ((array-type (array-type float N) M) (array-type float M)) (lambda (rows xs) (unpack (X1 v1) (filter pos xs) (map (lambda (v2) (unpack (X2 v2) v2 (pack (scan (sum v1) + v2)))) (map (filter pos) rows)))))"#]],
    );
}

#[test]
fn tuples_and_two_lengths() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (tuple (filter pos xs) (filter pos xs))))
(lift g (N) ((array-type float N)) (lambda (xs) (let t (tuple (filter pos xs) xs) (get1 t))))
(define (two xs) (tuple (filter pos xs) (filter pos xs)))
(lift h (N) ((array-type float N)) (lambda (xs) (let t (two xs) (concat (get1 t) (get2 t)))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (unpack (X2 v2) (filter pos xs) (pack (tuple v1 v2))))))
            (lift g (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (let t (tuple v1 xs) (pack (get1 t))))))
            (define (two xs) (unpack (X1 v1) (filter pos xs) (unpack (X2 v2) (filter pos xs) (pack (tuple v1 v2)))))
            (lift h (N) ((array-type float N)) (lambda (xs) (unpack (X1 X2 t) (two xs) (pack (concat (get1 t) (get2 t))))))"#]],
    );
}

#[test]
fn nested_hiding() {
    check_elaborated(
        &format!("{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) (map (lambda (y) (filter pos ys)) ys))))
(lift g (N) ((array-type float N)) (lambda (xs) (unpack zs (filter pos xs) (let ys (filter pos xs) (tuple ys zs)))))
(lift h (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) (unpack zs (filter pos ys) (tuple ys zs)))))"),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) (pack (map (lambda (y) (filter pos ys)) ys)))))
            (lift g (N) ((array-type float N)) (lambda (xs) (unpack zs (filter pos xs) (unpack (X2 ys) (filter pos xs) (pack (tuple ys zs))))))
            (lift h (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) (unpack (X3 v1) (unpack zs (filter pos ys) (: (tuple ys zs) (exists (X) (tuple-type (array-type float X1) (array-type float X))))) (pack v1)))))"#]],
    );
}

#[test]
fn explicit_unpack_of_a_parameter() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (r) (unpack ys r (reduce 0.0f + ys))) (map (filter pos) rows))))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (r) (unpack ys r (reduce 0.0f + ys))) (map (filter pos) rows))))"#]],
    );
}

#[test]
fn a_defined_value_is_a_scope() {
    check_elaborated(
        "(define kept (filter (lambda (n) (!= n 4)) (iota #9)))\n\
         (define doubled (map (* 2) kept))\n\
         (define nested (let ys (map (* 2) kept) (zip ys (map neg ys))))",
        expect![[r#"
            (define kept (filter (lambda (n) (!= n 4)) (iota #9)))
            (define doubled (unpack (X1 v1) kept (pack (map (* 2) v1))))
            (define nested (unpack (X1 v1) kept (let ys (map (* 2) v1) (pack (zip ys (map neg ys))))))"#]],
    );
}

/// A `let` that moves outwards must not shadow another one of the same name.
#[test]
fn lets_of_one_name_that_move_out() {
    check_elaborated(
        "(define (pos x) (> x 0))\n\
         (lift f (N) ((array-type int N)) (lambda (xs) (concat (let a (filter pos xs) (map (+ #(length a)) a)) (let a (map neg xs) (filter pos a)))))\n\
         (lift g (N) ((array-type int N)) (lambda (xs) (let k (map neg xs) (concat (let k (filter pos xs) (map neg k)) k))))",
        expect![[r#"
            (define (pos x) (> x 0))
            (lift f (N) ((array-type int N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (unpack (X2 v2) (let a (map neg xs) (filter pos a)) (pack (concat (map (+ #(length v1)) v1) v2))))))
            (lift g (N) ((array-type int N)) (lambda (xs) (let k (map neg xs) (unpack (X1 v1) (filter pos xs) (pack (concat (map neg v1) k))))))"#]],
    );
}

/// The argument determines the parameter's type, so that the elaborated body can be checked.
#[test]
fn a_lambda_that_is_applied_at_once() {
    check_elaborated(
        &format!(
            "{HEAD}(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) ((lambda (v) (map (lambda (x) (tuple x x)) v)) (map (filter pos) rows))))\n\
             (lift g (N) ((array-type float N)) (lambda (xs) ((lambda (k) (let v (let h (filter pos xs) (tuple h (map (lambda (x) (floor k)) h))) (map neg (get2 v)))) 0.5f)))"
        ),
        expect![[r#"
            (define (pos x) (> x 0.0f))
            (lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) ((lambda (v) (map (lambda (x) (unpack (X1 x) x (pack (tuple x x)))) v)) (map (filter pos) rows))))
            (lift g (N) ((array-type float N)) (lambda (xs) ((lambda (k) (unpack (X1 h) (filter pos xs) (let v (tuple h (map (lambda (x) (floor k)) h)) (pack (map neg (get2 v)))))) 0.5f)))"#]],
    );
}

/// An inserted type can mention a length that the program itself unpacked.
#[test]
fn an_unpack_gets_a_name_for_its_length() {
    check_elaborated(
        "(lift f (N) ((array-type int N) (exists (H) (array-type int H))) (lambda (xs hid) (unpack kept (filter (lambda (x) (< x 3)) xs) (unpack more (filter (lambda (x) (< x 5)) (generate #(length hid) (lambda (i) i))) (tuple kept more)))))",
        expect![
            "(lift f (N) ((array-type int N) (exists (H) (array-type int H))) (lambda (xs hid) (unpack (X1 hid) hid (unpack (X2 kept) (filter (lambda (x) (< x 3)) xs) (unpack (X4 v1) (unpack more (filter (lambda (x) (< x 5)) (generate #(length hid) (lambda (i) i))) (: (tuple kept more) (exists (X) (tuple-type (array-type int X2) (array-type int X))))) (pack v1))))))"
        ],
    );
}

/// An opening of several lengths names each, even if the program has named some.
#[test]
fn an_unpack_of_several_lengths_names_them() {
    let head = "(define (two p q xs) (tuple (filter p xs) (filter q xs)))\n";
    let kernels = [
        "(lift inserted (N) (bool (array-type int N)) (lambda (c xs) (let t (two (< 0) (< 5) xs) (if c (tuple (get1 t) (get1 t)) t))))",
        "(lift written (N) (bool (array-type int N)) (lambda (c xs) (unpack t (two (< 0) (< 5) xs) (if c (tuple (get2 t) (get2 t)) t))))",
        "(lift one (N) (bool (array-type int N)) (lambda (c xs) (unpack (L t) (two (< 0) (< 5) xs) (if c (tuple (get2 t) (iota #L)) t))))",
        "(lift pattern (N) (bool (array-type int N)) (lambda (c xs) (let (tuple a b) (two (< 0) (< 5) xs) (if c (map (lambda (x) a) b) (map (lambda (x) b) a)))))",
        "(lift rows (N) (bool (array-type int N)) (lambda (c xs) (map (lambda (t) (if c (get1 t) (concat (get1 t) (get2 t)))) (map (lambda (x) (two (< x) (> x) xs)) xs))))",
    ];
    check_elaborated(
        &format!("{head}{}", kernels.join("\n")),
        expect![[r#"
        (define (two p q xs) (unpack (X1 v1) (filter p xs) (unpack (X2 v2) (filter q xs) (pack (tuple v1 v2)))))
        (lift inserted (N) (bool (array-type int N)) (lambda (c xs) (unpack (X1 X2 t) (two (< 0) (< 5) xs) (unpack (X3 v1) (if c (: (tuple (get1 t) (get1 t)) (exists (X) (tuple-type (array-type int X1) (array-type int X)))) (: t (exists (X) (tuple-type (array-type int X1) (array-type int X))))) (pack v1)))))
        (lift written (N) (bool (array-type int N)) (lambda (c xs) (unpack (X1 X2 t) (two (< 0) (< 5) xs) (unpack (X3 v1) (if c (: (tuple (get2 t) (get2 t)) (exists (X) (tuple-type (array-type int X) (array-type int X2)))) (: t (exists (X) (tuple-type (array-type int X) (array-type int X2))))) (pack v1)))))
        (lift one (N) (bool (array-type int N)) (lambda (c xs) (unpack (L t) (two (< 0) (< 5) xs) (if c (: (tuple (get2 t) (iota #L)) (exists (X Y) (tuple-type (array-type int X) (array-type int Y)))) (: t (exists (X Y) (tuple-type (array-type int X) (array-type int Y))))))))
        (lift pattern (N) (bool (array-type int N)) (lambda (c xs) (unpack (X1 X2 a-b) (two (< 0) (< 5) xs) (let (tuple a b) a-b (if c (: (map (lambda (x) a) b) (exists (X Y) (array-type (array-type int Y) X))) (: (map (lambda (x) b) a) (exists (X Y) (array-type (array-type int Y) X))))))))
        (lift rows (N) (bool (array-type int N)) (lambda (c xs) (map (lambda (t) (unpack (X1 X2 t) t (if c (pack (get1 t)) (pack (concat (get1 t) (get2 t)))))) (map (lambda (x) (two (< x) (> x) xs)) xs))))"#]],
    );
}

#[test]
fn further_bindings_and_patterns_are_written_out() {
    let kernel = |body: &str| format!("{HEAD}(lift f (N) ((array-type float N)) (lambda (xs) {body}))");
    check_elaborated(
        &kernel("(let a 1 ys (filter pos xs) b 2 (tuple (+ a b) (length ys)))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (let a 1 (unpack (X1 ys) (filter pos xs) (let b 2 (tuple (+ a b) (length ys)))))))"#]],
    );
    check_elaborated(
        &kernel("(let ys (filter pos xs) a 1 b 2 (tuple (+ a b) ys))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) (let a 1 b 2 (pack (tuple (+ a b) ys))))))"#]],
    );
    check_elaborated(
        &kernel("(let (tuple ys n) (tuple (filter pos xs) 1) zs ys (+ n (length zs)))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (let (tuple ys n) (tuple v1 1) zs ys (+ n (length zs))))))"#]],
    );
    check_elaborated(
        &kernel("(let (tuple n m) (let ys (filter pos xs) (tuple 1 (length ys))) (+ n m 1))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 ys) (filter pos xs) (let (tuple n m) (tuple 1 (length ys)) (+ n m 1)))))"#]],
    );
    check_elaborated(
        &kernel("(+ 1 (let (tuple n ys) (tuple 2 (filter pos xs)) (length ys)) (let n 3 n))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) (+ 1 (let (tuple n ys) (tuple 2 v1) (length ys)) (let n 3 n)))))"#]],
    );
    check_elaborated(
        &kernel("((lambda ((tuple ys n)) (+ n (length ys) 1)) (tuple (filter pos xs) 1))"),
        expect![[r#"
        (define (pos x) (> x 0.0f))
        (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter pos xs) ((lambda ((tuple ys n)) (+ n (length ys) 1)) (tuple v1 1)))))"#]],
    );
}
