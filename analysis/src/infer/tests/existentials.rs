//! Existential lengths: opening, hiding, and which lengths are equal.

use super::harness::{check, check_explicit};
use expect_test::expect;

const PREDICATES: &str = "(define (pos x) (> x 0.0f))\n(define (small x) (< x 1.0f))\n";

#[test]
fn the_zip_of_two_filters_names_both_places() {
    check(
        &format!(
            "{PREDICATES}(lift bad (N) ((array-type float N)) (lambda (xs) (zip (filter pos xs) (filter small xs))))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            bad : Array[Float,N] -> <∃X, Array[(Float, Float),X]>
              unequal-lengths at `(filter small xs)`: `zip` needs two arrays of one length: the first has length `X1` (what `filter pos` kept), the second `X2` (what `filter small` kept); two filters may keep different numbers of elements
                `(filter pos xs)`: length `X1` comes from here
                `(filter small xs)`: length `X2` comes from here
                fix: Check at run time that the lengths are equal
        "#]],
    );
}

#[test]
fn a_filter_is_opened_mapped_and_packed() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x 2.0f)) (filter (lambda (x) (> x 0.5f)) xs))))",
        expect![[r#"
        f : Array[Float,N] -> <∃X, Array[Float,X]>
    "#]],
    );
}

#[test]
fn naming_once_keeps_one_length() {
    check(
        &format!(
            "{PREDICATES}(lift f (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) (zip (map small ys) ys))))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Float,N] -> <∃X, Array[(Bool, Float),X]>
        "#]],
    );
}

#[test]
fn a_reduction_needs_no_pack() {
    check(
        &format!("{PREDICATES}(lift f (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + (filter pos xs))))"),
        expect![[r#"
        pos : Float -> Bool
        small : Float -> Bool
        f : Array[Float,N] -> Array[Float,1]
    "#]],
    );
}

#[test]
fn rows_of_different_lengths() {
    check(
        &format!(
            "{PREDICATES}(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (map (lambda (r) (filter pos r)) rows)))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Array[Float,N],M] -> Array[<∃X, Array[Float,X]>,M]
        "#]],
    );
}

#[test]
fn rows_of_hidden_lengths_are_opened_in_the_lambda() {
    check(
        &format!(
            "{PREDICATES}(lift f (N M) ((array-type (array-type float N) M)) (lambda (rows) (let zs (map (filter pos) rows) (map (lambda (r) (map small r)) zs))))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Array[Float,N],M] -> Array[<∃X, Array[Bool,X]>,M]
        "#]],
    );
}

#[test]
fn the_type_of_a_function_may_be_learnt_later() {
    check(
        &format!(
            "{PREDICATES}(lift f (N) ((array-type float N)) (lambda (xs) ((lambda (f) (map small (f xs))) (filter pos))))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Float,N] -> <∃X, Array[Bool,X]>
        "#]],
    );
}

#[test]
fn branches_of_different_lengths() {
    check(
        &format!("{PREDICATES}(lift f (N M) ((array-type float N) (array-type float M) bool) (lambda (xs ys b) (if b xs ys)))
(lift g (N) ((array-type float N) bool) (lambda (xs b) (if b xs (filter pos xs))))
(lift h (N) ((array-type float N) bool) (lambda (xs b) (if b xs (map small xs))))
(lift k (N) ((array-type float N) bool) (lambda (xs b) (length (if b (filter pos xs) (filter small xs)))))"),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Float,N] -> Array[Float,M] -> Bool -> <∃X, Array[Float,X]>
            g : Array[Float,N] -> Bool -> <∃X, Array[Float,X]>
            h : Array[Float,N] -> Bool -> Array[Float,N]
              type-mismatch at `(map small xs)`: the branches of an `if` have one type; the first is `Array[Float,N]`, the second `Array[Bool,N]` (`Float` is not `Bool`)
                `xs`: this branch is `Array[Float,N]`
            k : Array[Float,N] -> Bool -> Int
        "#]],
    );
}

/// A length of a parameter is not known before the definition ends; it is never the length that a branch opened.
#[test]
fn branches_of_definitions_of_different_lengths() {
    check(
        &format!(
            "{PREDICATES}(define (f c xs) (if c xs (filter pos xs)))
(define (g c xs) (if c (filter pos xs) xs))
(define (h c xs) (if c xs (concat (filter pos xs) xs)))
(define (k c xs ys) (if c (concat xs ys) (filter pos xs)))
(define (l c xs ys) (if c (zip xs ys) (let kept (filter pos xs) (zip kept kept))))
(define (m c xs ys) (if c xs ys))
(define (o c xs) (if c xs (concat xs xs)))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Bool -> Array[Float,n] -> <∃X, Array[Float,X]>
            g : Bool -> Array[Float,n] -> <∃X, Array[Float,X]>
            h : Bool -> Array[Float,n] -> <∃X, Array[Float,X]>
            k : Bool -> Array[Float,n] -> Array[Float,m] -> <∃X, Array[Float,X]>
            l : Bool -> Array[Float,n] -> Array[Float,n] -> <∃X, Array[(Float, Float),X]>
            m : Bool -> a -> a -> a
            o : Bool -> Array[a,n] -> <∃X, Array[a,X]>
        "#]],
    );
}

/// The type of `zs` is inferred after the function: the branches are joined when the surrounding constraints are
/// solved.
#[test]
fn branches_of_a_length_that_is_learnt_later() {
    check(
        "(lift f (N) (bool (array-type int N))
          (lambda (c xs)
            ((lambda (zs)
               (let v (pack (concat zs zs))
                 (if c (map (lambda (x) c) v) (map (lambda (y) c) v))))
             xs)))",
        expect![[r#"
            f : Bool -> Array[Int,N] -> <∃X, Array[Bool,X]>
        "#]],
    );
}

#[test]
fn a_tuple_hides_two_lengths() {
    check(
        &format!(
            "{PREDICATES}(lift f (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) (tuple ys (filter small xs) (map small ys)))))"
        ),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            f : Array[Float,N] -> <∃X Y, (Array[Float,X], Array[Float,Y], Array[Bool,X])>
        "#]],
    );
}

#[test]
fn an_outer_array_cannot_have_an_inner_length() {
    check(
        &format!("{PREDICATES}(define (f a b) (zip (filter pos a) b))"),
        expect![[r#"
        pos : Float -> Bool
        small : Float -> Bool
        f : Array[Float,n] -> a -> <∃X, Array[(Float, b),X]>
          length-escapes at `b`: something from outside would have to have the length `X1` (what `filter pos` kept), which is known only inside this function
            `(filter pos a)`: `X1` comes from here
    "#]],
    );
}

#[test]
fn compositions_open_between_their_parts() {
    check(
        &format!("{PREDICATES}(define twice-pos (o (map (lambda (x) (* x 2.0f))) (filter pos)))
(lift f (N) ((array-type float N)) (lambda (xs) (twice-pos xs)))
(lift g (N) ((array-type float N)) (lambda (xs) (o join (mapSeq (lambda (ys) (mapSeq (lambda (y) (* y 2.0f)) ys))) (split #2) xs)))"),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            twice-pos : Array[Float,n] -> <∃X, Array[Float,X]>
            f : Array[Float,N] -> <∃X, Array[Float,X]>
            g : Array[Float,N] -> Array[Float,N]
              assumes 2 divides N
        "#]],
    );
}

#[test]
fn compositions_open_their_argument() {
    check(
        "(define (sumi xs) (head (reduce 0 + xs)))
(lift f (N M) ((array-type (array-type int N) M)) (lambda (rows) (map (o neg sumi (map (+ 1))) (map (filter (< 0)) rows))))
(lift g (N) ((array-type int N)) (lambda (xs) (o sumi (map (+ 1)) (filter (< 0) xs))))",
        expect![[r#"
            sumi : Array[Int,n] -> Int
            f : Array[Array[Int,N],M] -> Array[Int,M]
            g : Array[Int,N] -> Int
        "#]],
    );
}

#[test]
fn functions_given_by_name_open_their_argument() {
    check(
        "(define (kept xs) (filter (< 0) xs))
(define (sum xs) (head (reduce 0 + xs)))
(define (any p xs) (head (reduce false or (map p xs))))
(define (second t) (get2 t))
(lift sums (N M) ((array-type (array-type int N) M)) (lambda (rows) (map sum (map (map neg) (map (filter (< 0)) (map kept rows))))))
(lift sorted (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows) (map (sort <) rows)))
(lift some (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows) (filter (any (< 9)) rows)))
(lift parts (N) ((array-type int N)) (lambda (xs) (map second (map (lambda (x) (tuple x (iota x))) xs))))
(lift got (N) ((array-type int N)) (lambda (xs) (map get2 (map (lambda (x) (tuple x (iota x))) xs))))
(lift inner (N) ((array-type (exists (X) (array-type (exists (Y) (array-type int Y)) X)) N)) (lambda (rows) (map (map sum) rows)))
(lift wrong (N) ((array-type (exists (X) (array-type int X)) N)) (lambda (rows) (map sqrt (map sum rows))))",
        expect![[r#"
            kept : Array[Int,n] -> <∃X, Array[Int,X]>
            sum : Array[Int,n] -> Int
            any : (a -> Bool) -> Array[a,n] -> Bool
            second : (a, b) -> b
            sums : Array[Array[Int,N],M] -> Array[Int,M]
            sorted : Array[<∃X, Array[Int,X]>,N] -> Array[<∃X, Array[Int,X]>,N]
            some : Array[<∃X, Array[Int,X]>,N] -> <∃X, Array[<∃X, Array[Int,X]>,X]>
            parts : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
            got : Array[Int,N] -> Array[<∃X, Array[Int,X]>,N]
            inner : Array[<∃X, Array[<∃Y, Array[Int,Y]>,X]>,N] -> Array[<∃X, Array[Int,X]>,N]
            wrong : Array[<∃X, Array[Int,X]>,N] -> Array[?,N]
              wrong-operand at `(map sum rows)`: `sqrt` works on `Half`, `Float` or `Double`, but here it gets `Int`; `(map toFloat (map sum rows))` converts it
                fix: Write `(map toFloat (map sum rows))`
        "#]],
    );
}

#[test]
fn explicit_mode_inserts_nothing() {
    check_explicit(
        &format!("{PREDICATES}(lift a (N) ((array-type float N)) (lambda (xs) (map small (filter pos xs))))
(lift b (N) ((array-type float N)) (lambda (xs) (unpack ys (filter pos xs) (pack (map small ys)))))
(lift c (N M) ((array-type (array-type float N) M)) (lambda (xss) (map (lambda (xs) (unpack ys (filterSeq pos xs) ys)) xss)))"),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            a : Array[Float,N] -> ?
              hidden-length at `(filter pos xs)`: the length of this array is hidden: `<∃X, Array[Float,X]>`; it must be opened with `unpack` before it is used
            b : Array[Float,N] -> <∃X, Array[Bool,X]>
            c : Array[Array[Float,N],M] -> Array[?,M]
              length-escapes at `ys`: the type of this, `Array[Float,X1]`, mentions the length `X1`, which exists only inside; hide it with `(pack …)`
                `ys`: `X1` is opened here
                fix: Hide the length with `pack`
        "#]],
    );
}

#[test]
fn written_pack_and_unpack_are_not_doubled() {
    check(
        &format!("{PREDICATES}(lift b (N) ((array-type float N)) (lambda (xs) (unpack (L ys) (filter pos xs) (pack (map small ys)))))
(lift c (N) ((array-type float N)) (lambda (xs) (unpack (L ys) (filter pos xs) (map small ys))))
(lift d (N) ((array-type float N)) (lambda (xs) (unpack (L ys) (filter pos xs) (+ L 1))))
(lift e (N) ((array-type float N)) (lambda (xs) (pack xs)))
(lift g (N) ((array-type float N)) (lambda (xs) (unpack ys xs ys)))"),
        expect![[r#"
            pos : Float -> Bool
            small : Float -> Bool
            b : Array[Float,N] -> <∃X, Array[Bool,X]>
            c : Array[Float,N] -> <∃X, Array[Bool,X]>
            d : Array[Float,N] -> Int
            e : Array[Float,N] -> <∃X, Array[Float,X]>
            g : Array[Float,N] -> Array[Float,N]
              nothing-to-unpack at `xs`: `unpack` opens a hidden length, but the length of this array is already known: `N`
        "#]],
    );
}

#[test]
fn an_unpack_names_the_lengths_that_it_opens() {
    let head = "(define (two p xs) (tuple (filter p xs) (filter small xs)))\n";
    let kernel = |name: &str, body: &str| format!("(lift {name} (N) ((array-type float N)) (lambda (xs) {body}))\n");
    let kernels = [
        ("both", "(unpack (L K v) (two pos xs) (tuple (iota #K) (get2 v) (get1 v) (iota #L)))"),
        ("first", "(unpack (L v) (two pos xs) (zip (iota #L) (get1 v)))"),
        (
            "ordered",
            "(unpack (L K v) (: (two pos xs) (exists (B A) (tuple-type (array-type float A) (array-type float B)))) (zip (iota #L) (get1 v)))",
        ),
        ("three", "(unpack (L K M v) (two pos xs) (+ L K))"),
        ("later", "((lambda (f) (unpack (L K v) (f xs) (tuple (iota #K) (get2 v)))) (two pos))"),
        ("known", "(unpack (L K v) xs (+ L K))"),
    ];
    let kernels: String = kernels.iter().map(|(name, body)| kernel(name, body)).collect();
    check(
        &format!("{PREDICATES}{head}{kernels}"),
        expect![[r#"
        pos : Float -> Bool
        small : Float -> Bool
        two : (Float -> Bool) -> Array[Float,n] -> <∃X Y, (Array[Float,X], Array[Float,Y])>
        both : Array[Float,N] -> <∃X Y, (Array[Int,X], Array[Float,X], Array[Float,Y], Array[Int,Y])>
        first : Array[Float,N] -> <∃X, Array[(Int, Float),X]>
        ordered : Array[Float,N] -> <∃X, Array[(Int, Float),X]>
        three : Array[Float,N] -> Int
          nothing-to-unpack at `v`: `unpack` names 3 lengths here, but this value hides 2 lengths
        later : Array[Float,N] -> <∃X, (Array[Int,X], Array[Float,X])>
        known : Array[Float,N] -> Int
          nothing-to-unpack at `xs`: `unpack` opens a hidden length, but the length of this array is already known: `N`
    "#]],
    );
}

/// Lengths opened in a definition do not escape, even if it is not a function.
#[test]
fn a_defined_value_hides_what_it_opens() {
    check(
        "(define kept (filter (lambda (n) (!= n 4)) (iota #9)))
         (define doubled (map (* 2) kept))
         (define how-many (length kept))
         (define function (map (o (* 2) (* 3))))
         (lift g () (int) (lambda (x) (zip doubled kept)))",
        expect![[r#"
            kept : <∃X, Array[Int,X]>
            doubled : <∃X, Array[Int,X]>
            how-many : Int
            function : Array[Int,n] -> Array[Int,n]
            g : Int -> <∃X, Array[(Int, Int),X]>
              unequal-lengths at `kept`: `zip` needs two arrays of one length: the first has length `X1` (the hidden length of `doubled`), the second `X2` (the hidden length of `kept`); two hidden lengths are equal only if they come from one value
                `doubled`: length `X1` comes from here
                `kept`: length `X2` comes from here
                fix: Check at run time that the lengths are equal
        "#]],
    );
}

#[test]
fn the_state_of_a_loop_hides_the_lengths_that_change() {
    check(
        "(lift a (N) ((array-type float N))
  (lambda (xs) (iterateWhile (lambda (ys) (> (length ys) 3)) (lambda (ys) (filter (lambda (y) (> y 0.5f)) ys)) xs)))
(lift b (N) ((array-type float N))
  (lambda (xs) (iterateWhile (lambda (ys) (> (length ys) 3)) (filter (< 0.5f)) (filter (< 0.0f) xs))))
(lift c (N) ((array-type float N) (array-type int N))
  (lambda (xs ys) (iterateWhile (lambda (s) (< (get3 s) 3))
    (lambda (s) (tuple (tail (get1 s)) (map (+ 1) (get2 s)) (+ (get3 s) 1))) (tuple xs ys 0))))
(lift d (N) ((array-type float N)) (lambda (xs) (iterateWhile (lambda (s) (> (length s) 3)) (lambda (s) (if (> (head s) 0.0f) (tail s) s)) xs)))
(lift e (N) ((array-type float N) (array-type float N))
  (lambda (xs ys) (iterateWhile (lambda (s) (> (length s) 3)) (lambda (s) (filter (lambda (y) true) (map (lambda (p) (+ (get1 p) (get2 p))) (zip s ys)))) xs)))
(lift f (N) ((array-type float N)) (lambda (xs) (iterateWhile (lambda (s) (> (length s) 3)) (lambda (s) (filter (< 1) (map toInt s))) xs)))
(define (shorter p xs) (iterateWhile (lambda (s) (> (length s) 2)) (lambda (s) (filter p (tail s))) xs))
(lift g (N) ((array-type float N)) (lambda (xs) (map (+ 1.0f) (shorter (< 0.0f) xs))))
(define (until p f) (iterateWhile p (filter f)))",
        expect![[r#"
            a : Array[Float,N] -> <∃X, Array[Float,X]>
            b : Array[Float,N] -> <∃X, Array[Float,X]>
            c : Array[Float,N] -> Array[Int,N] -> <∃X, (Array[Float,X], Array[Int,N], Int)>
            d : Array[Float,N] -> <∃X, Array[Float,X]>
            e : Array[Float,N] -> Array[Float,N] -> Array[Float,N]
              hidden-length at `(lambda (s) (filter (lambda (y) true) (map (lambda (p) (+ (get1 p) (get2 p))) (zip s ys))))`: `iterateWhile` gives the result of this function to it again, whatever its length is: `<∃X, Array[Float,X]>`; so the function must take an array of every length, with elements of the same type
            f : Array[Float,N] -> Array[Float,N]
              type-mismatch at `(lambda (s) (filter (< 1) (map toInt s)))`: `iterateWhile` needs `<∃X, Array[Float,X]>` as its second argument, but this is `<∃X, Array[Int,X]>` (`Float` is not `Int`)
              hidden-length at `(lambda (s) (filter (< 1) (map toInt s)))`: `iterateWhile` gives the result of this function to it again, whatever its length is: `<∃X, Array[Int,X]>`; so the function must take an array of every length, with elements of the same type
            shorter : (a -> Bool) -> Array[a,n] -> <∃X, Array[a,X]>
            g : Array[Float,N] -> <∃X, Array[Float,X]>
            until : (Array[a,n] -> Bool) -> (a -> Bool) -> Array[a,n] -> Array[a,n]
              hidden-length at `(filter f)`: `iterateWhile` gives the result of this function to it again, whatever its length is: `<∃X, Array[_,X]>`; so the function must take an array of every length, with elements of the same type
        "#]],
    );
}

#[test]
fn no_lambda_makes_a_hidden_length_a_given_one() {
    check(
        "(lift f (N M) ((array-type (array-type float N) M) (array-type float N))
  (lambda (rows v) (map (lambda ((row (array-type float N))) (zip row v)) (map (filter (< 0.0f)) rows))))
(lift g (N M) ((array-type (array-type float N) M) (array-type float N))
  (lambda (rows v) (map (zip v) (map (filter (< 0.0f)) rows))))",
        expect![[r#"
            f : Array[Array[Float,N],M] -> Array[Float,N] -> Array[Array[(Float, Float),N],M]
              type-mismatch at `(lambda ((row (array-type float N))) (zip row v))`: `map` needs `<∃X, Array[Float,X]> -> Array[(Float, Float),N]` as its first argument, but this is `Array[Float,N] -> Array[(Float, Float),N]` (`<∃X, Array[Float,X]>` is not `Array[Float,N]`)
                `(map (filter (< 0.0f)) rows)`: `<∃X, Array[Float,X]>` comes from `(map (filter (…)) rows)`
            g : Array[Array[Float,N],M] -> Array[Float,N] -> Array[Array[(Float, ?),N],M]
              hidden-length at `(map (filter (< 0.0f)) rows)`: each row of this array has its own hidden length, `<∃X, Array[Float,X]>`, but `map` needs rows of one length here: open each row with `(map (lambda (row) …) …)`, or join them with `joinRows`
        "#]],
    );
}

/// A value computed from outer names may hide a length, if the type of the loop's function does.
#[test]
fn loops_of_definitions_keep_lengths() {
    check(
        "(define (changed xs x) (map (lambda (y) (if (= x y) x y)) xs))
(define (added xs ys) (map (lambda (p) (+ (get1 p) (get2 p))) (zip xs ys)))
(define (f g xs) (iterate 3 (lambda (ys) (changed ys (g 1))) xs))
(define (h rows xs) (iterate 3 (lambda (ys) (added ys (aref rows 0))) xs))
(define (i rows xs) (iterateWhile (lambda (ys) (> (aref ys 0) 0)) (lambda (ys) (added ys (head rows))) xs))
(define (j g xs) (get1 (iterate 3 (lambda ((tuple ys k)) (let v (g k) (tuple (changed ys v) (+ k 1)))) (tuple xs 0))))",
        expect![[r#"
            changed : Array[a,n] -> a -> Array[a,n]
            added : Array[a,n] -> Array[a,n] -> Array[a,n]
            f : (Int -> a) -> Array[a,n] -> Array[a,n]
            h : Array[Array[a,m],n] -> Array[a,m] -> Array[a,m]
            i : Array[Array[Int,m],n] -> Array[Int,m] -> Array[Int,m]
              assumes n is positive
            j : (Int -> a) -> Array[a,n] -> Array[a,n]
        "#]],
    );
}
