//! Mistakes: each gives one message at the right location, and the rest keeps its types.

use super::harness::{check, program};
use crate::infer::context::Infer;
use crate::infer::given::Given;
use crate::infer::solve::work::{MOST_ASSUMED, PARTS_PER_STEP, WORK_LIMIT};
use crate::infer::table::unknown_size;
use crate::infer::{Env, Lookup, Mode};
use crate::size::{Size, work};
use crate::ty::Scheme;
use expect_test::expect;

#[test]
fn literals_of_the_wrong_type() {
    check(
        "(define (f (x float)) (* x 2))
(define (g (x float)) (* 2 x))
(define (h (x float)) (+ x 1.5))
(define (k (x double)) (+ x 1.5f))
(define (l (x int)) (+ x 1.5))
(define (m (x float)) (min x -inf))
(define (n (x float)) (min x NaN))",
        expect![[r#"
            f : Float -> Float
              type-mismatch at `2`: `*` needs `Float` as its second argument, but this is `Int`
                `x`: `Float` comes from `x`
                fix: Write `2.0f`
            g : Float -> Int
              type-mismatch at `2`: `2` is `Int`, but it meets `Float` here
                `x`: `x` is `Float`
                fix: Write `2.0f`
            h : Float -> Float
              type-mismatch at `1.5`: `+` needs `Float` as its second argument, but this is `Double`
                `x`: `Float` comes from `x`
                fix: Write `1.5f`
            k : Double -> Double
              type-mismatch at `1.5f`: `+` needs `Double` as its second argument, but this is `Float`
                `x`: `Double` comes from `x`
                fix: Write `1.5`
            l : Int -> Int
              type-mismatch at `1.5`: `+` needs `Int` as its second argument, but this is `Double`; `(toDouble x)` converts it
                `x`: `Int` comes from `x`
                fix: Write `(toDouble x)`
            m : Float -> Float
              type-mismatch at `-inf`: `min` needs `Float` as its second argument, but this is `Double`
                `x`: `Float` comes from `x`
                fix: Write `-inff`
            n : Float -> Float
              unknown-name at `NaN`: there is no `NaN` here; it is called `nan`
                fix: Change to `nan`
        "#]],
    );
}

#[test]
fn operators_on_what_they_do_not_take() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (+ xs xs)))
(define (g (x float)) (mod x 2.0f))
(define (h b) (not (+ b 1)))",
        expect![[r#"
            f : Array[Float,N] -> ?
              wrong-operand at `xs`: `+` works on numbers, but this is `Array[Float,N]`; `(zipWith + xs xs)` maps over both arrays
                fix: Write `(zipWith + xs xs)`
            g : Float -> ?
              wrong-operand at `x`: `mod` works on integers, but this is `Float`; `floorMod` is the remainder of all numbers
            h : Int -> Bool
              type-mismatch at `(+ b 1)`: `not` needs `Bool` as its first argument, but this is `Int`
        "#]],
    );
}

#[test]
fn wrong_arguments() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map xs xs)))
(lift g (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (and x true)) xs)))
(lift h (N) ((array-type float N)) (lambda (xs) (split xs)))
(lift k (N) ((array-type float N)) (lambda (xs) (length xs xs)))
(lift l (N) ((array-type float N)) (lambda (xs) (xs 1)))
(lift m (N) ((array-type float N) int) (lambda (xs k) (split k xs)))
(lift n (N) ((array-type float N)) (lambda (xs) (if (aref xs 0) 1 2)))
(lift o2 (N) ((array-type float N)) (lambda (xs) (get3 (tuple 1 2))))",
        expect![[r#"
            f : Array[Float,N] -> ?
              type-mismatch at `xs`: `map` needs `_ -> _` as its first argument, but this is `Array[Float,N]`
            g : Array[Float,N] -> Array[Bool,N]
              type-mismatch at `x`: `and` needs `Bool` as its first argument, but this is `Float`
            h : Array[Float,N] -> ?
              missing-argument at `xs`: `split` takes a number before `xs`, but it is missing
            k : Array[Float,N] -> ?
              too-many-arguments at `xs`: `length` takes one argument, but it is given 2
                `length`: `length` has the type `Array[_,_] -> Int`
            l : Array[Float,N] -> ?
              not-a-function at `xs`: `xs` is applied here, but it is not a function: its type is `Array[Float,N]`; an element is `(aref xs 1)`
                fix: Write `(aref xs 1)`
            m : Array[Float,N] -> Int -> Array[Array[Float,?],N/?]
              needs-size at `k`: `split` needs a size here: a natural number, a size name such as `N`, `#(…)`, or the length of an array; an Int `k` becomes one by `(let ks (iota k) … (length ks) …)`
            n : Array[Float,N] -> Int
              type-mismatch at `(aref xs 0)`: a condition is `Bool`, but this is `Float`; `(!= (aref xs 0) 0.0f)` compares it
                fix: Write `(!= (aref xs 0) 0.0f)`
            o2 : Array[Float,N] -> ?
              no-component at `get3`: `get3` of a tuple of 2 components, `(Int, Int)`
        "#]],
    );
}

#[test]
fn names_and_recursion() {
    check(
        "(define (f x) (g x))
(define (g x) (f x))
(define (h x) (nowhere x))
(define (omega x) (x x))",
        expect![[r#"
            f : a -> ?
            g : a -> ?
              recursion at `f`: recursion is not possible in Lift: `f` uses `g` uses `f`; `reduceSeq`, `iterate` and `iterateWhile` repeat a function
            h : a -> ?
              unknown-name at `nowhere`: there is no `nowhere` here
            omega : (a -> b) -> ?
              infinite-type at `x`: this would need a type that contains itself: it is part of `_ -> _`
        "#]],
    );
}

#[test]
fn one_mistake_one_error() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs)
  (let a (map (lambda (x) (* x 2)) xs)
    (let b (zip a (nowhere xs))
      (map (lambda (p) (+ (get1 p) (get2 p))) b)))))
(lift g (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (+ x 1.0f)) xs)))",
        expect![[r#"
            f : Array[Float,N] -> Array[Float,N]
              type-mismatch at `2`: `*` needs `Float` as its second argument, but this is `Int`
                `x`: `Float` comes from `x`
                fix: Write `2.0f`
              unknown-name at `nowhere`: there is no `nowhere` here
            g : Array[Float,N] -> Array[Float,N]
        "#]],
    );
}

/// Each text is short. The type of the first two doubles with each `let`; that of the third is as deep as the text.
#[test]
fn types_that_grow_without_bound_are_given_up() {
    let doubled: String = (1..16).map(|i| format!("(let x{i} (tuple x{0} x{0}) ", i - 1)).collect();
    let zipped: String = (1..16).map(|i| format!("(let x{i} (zip x{0} x{0}) ", i - 1)).collect();
    let deep = "(split #2 ".repeat(100);
    for text in [
        format!("(define (f x0) {doubled}x15{})", ")".repeat(15)),
        format!("(define (f (x0 (array-type int N))) {zipped}x15{})", ")".repeat(15)),
        format!("(define (f xs) {deep}xs{})", ")".repeat(100)),
    ] {
        let forms = program(&text, Mode::Insert);
        let codes: Vec<&str> = forms[0].inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
        assert!(codes.contains(&"too-complex"), "{codes:?}");
    }
}

/// Each type is small at first, and grows as its variables are resolved.
#[test]
fn types_that_grow_when_they_are_learnt_are_given_up() {
    let branches: String = (1..40).map(|i| format!("(let x{i} (if c (tuple x{0} x{0}) x{1}) ", i - 1, i / 2)).collect();
    let opened: String = (1..40).map(|i| format!("(let x{i} (unpack y x{} (tuple y y)) ", i - 1)).collect();
    let applied = (1..40).rev().fold("x39".to_owned(), |body, i| {
        format!("((lambda (x{i}) {body}) (if c (tuple x{0} x{0}) x{1}))", i - 1, i / 2)
    });
    let projected: String = (1..40).map(|i| format!("(let x{i} (tuple (get1 x{0}) (get1 x{0})) ", i - 1)).collect();
    let close = ")".repeat(39);
    for text in [
        format!("(define (f x0 c) {branches}x39{close})"),
        format!("(define (f c) (let x0 1 {branches}x39{close}))"),
        format!("(define (f x0) {opened}x39{close})"),
        format!("(define (f x0 c) {applied})"),
        format!("(define (f x0) {projected}(let y (tuple x0 1) x39){close})"),
    ] {
        for mode in [Mode::Insert, Mode::Explicit] {
            let codes: Vec<_> = program(&text, mode)[0].inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
            assert!(!codes.is_empty(), "{text}");
        }
    }
}

/// Wide types: thousands of parameters and arguments.
#[test]
fn functions_of_thousands_of_parameters_are_given_up() {
    let ones = "1 ".repeat(20_000);
    let names: String = (0..20_000).map(|i| format!("x{i} ")).collect();
    for text in [
        format!("(define (f x) (+ x {ones}))"),
        format!("(define (f g) (g {ones}))"),
        format!("(define (f {names}) x1)"),
        format!("(define f (lambda ({names}) x1))"),
        format!("(define (f (g (-> {} int))) g)", "int ".repeat(20_000)),
        format!("(define (f x) (partition #2 (caseSplit {ones}) x))"),
        format!("(define (f x) (zip {}))", "x ".repeat(20_000)),
        format!("(define (f x) (tuple {}))", "x ".repeat(20_000)),
    ] {
        let form = &program(&text, Mode::Insert)[0];
        let codes: Vec<_> = form.inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
        assert!(codes.contains(&"too-complex"), "{codes:?} of {}", &text[..40]);
    }
    // The largest allowed number of parameters is accepted.
    let names: String = (0..450).map(|i| format!("x{i} ")).collect();
    let form = &program(&format!("(define (f {names}) (+ x1 1))"), Mode::Insert)[0];
    let codes: Vec<_> =
        form.inference.diagnostics.iter().map(|d| d.code.as_str()).filter(|c| *c != "unused-name").collect();
    assert!(codes.is_empty(), "{codes:?}");
}

/// Each definition assumes twice as much as the previous one. Exceeding the limit is reported once.
#[test]
fn assumptions_that_double_are_given_up() {
    let text: String = (1..24).map(|i| format!("(define (d{i} xs) (d{0} (tail (d{0} xs))))\n", i - 1)).collect();
    let forms = program(&format!("(define (d0 xs) (tail xs))\n{text}"), Mode::Insert);
    let codes = |i: usize| forms[i].inference.diagnostics.iter().map(|d| d.code.as_str()).collect::<Vec<_>>();
    let assumed: Vec<usize> = forms.iter().map(|form| form.inference.assumed.len()).collect();
    assert!(assumed[..9].windows(2).all(|two| two[1] > two[0]), "{assumed:?}");
    assert!(assumed.iter().all(|n| *n <= MOST_ASSUMED), "{assumed:?}");
    let wrong: Vec<(usize, Vec<&str>)> =
        (0..forms.len()).map(|i| (i, codes(i))).filter(|(_, c)| !c.is_empty()).collect();
    assert_eq!(wrong, [(10, vec!["too-complex"])], "{assumed:?}");
}

/// Each division doubles the terms of its length. After the limit nothing takes long, including the end of inference.
#[test]
fn divisions_in_one_another_are_given_up() {
    let names: Vec<String> = (0..40).map(|i| format!("K{i}")).collect();
    let length = (0..40).fold(String::from("1"), |below, i| format!("(/ (* K{i} {below}) (+ K{} 1))", (i + 1) % 40));
    let text =
        format!("(lift g ({}) ((array-type int {length})) (lambda (xs) (zip xs (concat xs xs))))", names.join(" "));
    work::take();
    let forms = program(&text, Mode::Insert);
    let codes: Vec<&str> = forms[0].inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["too-complex"]);
    assert!(forms[0].inference.assumed.is_empty());
}

/// The result of each function is the parameter of the next: a chain of inference variables as long as the composition.
#[test]
fn long_compositions_are_checked() {
    for (function, times, ty) in
        [("id", 500, "a -> a"), ("sqrt", 500, "a -> a"), ("reverse", 50, "Array[a,n] -> Array[a,n]")]
    {
        let forms = program(&format!("(define g (o {}))", format!("{function} ").repeat(times)), Mode::Insert);
        assert_eq!(forms[0].inference.diagnostics, []);
        assert_eq!(forms[0].inference.scheme.as_ref().map(ToString::to_string).as_deref(), Some(ty));
    }
    // The element type at one index is propagated to every requested index, which exceeds the limit.
    let forms = program(&format!("(define g (o {}))", "reverse ".repeat(3000)), Mode::Insert);
    let codes: Vec<_> = forms[0].inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["too-complex"]);
}

/// Arithmetic on lengths counts against the form that does it, not against its users.
#[test]
fn sizes_that_take_long_are_given_up() {
    struct NoNames;
    impl Env for NoNames {
        fn lookup(&self, _: &str) -> Lookup {
            Lookup::Unknown { similar: None }
        }
        fn given(&self, _: &str, _: &Given) -> Option<Scheme> {
            None
        }
        fn wrong_with_given(&self, _: &str, _: &Given) -> Option<String> {
            None
        }
        fn primitive(&self, _: &str) -> Option<&'static crate::prims::Primitive> {
            None
        }
        fn word(&self, _: &str) -> Option<Scheme> {
            None
        }
    }
    let form = &program("(define (f xs) xs)", Mode::Insert)[0];
    work::take();
    let mut infer = Infer::new(&form.body, &NoNames, Mode::Insert);
    let n = |name| Size::var(unknown_size(name));
    let sum = (0..40).fold(Size::one(), |sum, name| sum.add(&n(name)));
    let _ = sum.mul(&sum);
    assert!(!infer.over_budget());
    let steps = infer.budget.steps();
    assert!(steps > 100, "a product of 41 terms by 41: {steps}");
    work::apart(u64::MAX, || {
        let _ = sum.mul(&sum);
    });
    let before = infer.budget.steps();
    assert!(!infer.over_budget());
    assert_eq!(infer.budget.steps(), before + 1);
    // Visited type nodes count as well.
    infer.table.look_at(10 * PARTS_PER_STEP as u32);
    assert!(!infer.over_budget());
    assert_eq!(infer.budget.steps(), before + 1 + 11);
    // Exceeding the limit is reported, however it happens.
    infer.budget.spend(WORK_LIMIT);
    assert!(infer.over_budget() && infer.over_budget());
    let codes: Vec<&str> = infer.found.so_far().diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert_eq!(codes, ["too-complex"]);
}

/// Each part of this size can be printed in many ways. A search for the shortest text took minutes.
#[test]
fn what_is_long_to_read_is_written_as_it_stands() {
    let value = "(mod (mod (min (min (/ (+ M 0) (* 3 3)) (mod (/ K 7) (pow 3 9))) (pow (+ (pow 2 1000000) \
                 (sum (i) 1 4294967296)) 9)) (min (pow (* (- 0 7) (* 3 7)) 9) (- (mod (max 2 M) (min 2 0)) 7))) \
                 (- 0 9223372036854775807))";
    let form = &program(&format!("(lift f (K M N) ((array-type int {value})) (lambda (xs) xs))"), Mode::Insert)[0];
    let ty = &form.inference.scheme.as_ref().expect("a type").ty;
    work::take();
    let text = ty.to_string();
    assert!(text.contains("max("), "it is written: {text}");
    let terms = work::take();
    assert!((50_000..600_000).contains(&terms), "it is tried, and given up: {terms}");
}

/// `sort` makes the elements independent of their index, but a variable created for another index had lost that
/// restriction.
#[test]
fn a_position_that_is_forbidden_twice_is_forbidden() {
    let text = "(lift k (N) ((array-type int N)) (lambda (xs)
  (sort (lambda (a) (let b 0 1)) (transpose (map (map id) (generate #N (filter p xs)))))))";
    let forms = program(text, Mode::Insert);
    let codes: Vec<&str> = forms[0].inference.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert!(codes.contains(&"unknown-name"), "{codes:?}");
}

#[test]
fn a_mistake_in_a_definition_is_none_of_its_uses() {
    check(
        "(define (chunks k xs) (map (reduceSeq true +) (split k xs)))
(lift f (N) ((array-type int N)) (lambda (xs) (chunks 4 xs)))
(lift g (N) ((array-type int N)) (lambda (xs) (zip (chunks 4 xs) (chunks 2 xs))))",
        expect![[r#"
            chunks : #n -> Array[?,m] -> Array[Array[Bool,1],m/n]
              assumes n divides m
              wrong-operand at `+`: `+` works on numbers, but here it gets `Bool`; `(if b 1 0)` is a number, and `(count p xs)` counts the elements for which `p` holds
            f : Array[Int,N] -> Array[Array[Bool,1],N/4]
              assumes 4 divides N
            g : Array[Int,N] -> Array[(Array[Bool,1], Array[Bool,1]),N/4]
              assumes 4 divides N
              assumes 2 divides N
              unequal-lengths at `(chunks 2 xs)`: `zip` needs two arrays of one length: the first has length `N/4` (the length of `(chunks 4 xs)`), the second `N/2` (the length of `(chunks 2 xs)`); nothing says that they are equal
                `(chunks 4 xs)`: length `N/4` comes from here
                `(chunks 2 xs)`: length `N/2` comes from here
                fix: Check at run time that the lengths are equal
        "#]],
    );
}

#[test]
fn arguments_that_have_changed_places() {
    check(
        "(lift a (N) ((array-type float N)) (lambda (xs) (reduce + 0.0f xs)))
(lift b (N) ((array-type float N)) (lambda (xs) (map xs (lambda (x) (* x 2.0f)))))
(lift c (N) ((array-type float N)) (lambda (xs) (filter (map xs (+ 1.0f)) xs)))
(define (twice f x) (f (f x)))
(lift d () (float) (lambda (x) (twice x sqrt)))
(lift e (N) ((array-type int N)) (lambda (xs) (reduceWhileSeq 0 (lambda (a) (< a 3)) + xs)))",
        expect![[r#"
            a : Array[Float,N] -> Array[Float,1]
              argument-order at `+`: `reduce` takes the value first and then the function: `+` and `0.0f` have changed places
                `0.0f`: the value is here
                fix: Exchange the two arguments
            b : Array[Float,N] -> Array[Float,N]
              argument-order at `xs`: `map` takes the function first and then the value: `xs` and `(lambda …)` have changed places
                `(lambda (x) (* x 2.0f))`: the function is here
                fix: Exchange the two arguments
            c : Array[Float,N] -> ?
              argument-order at `xs`: `map` takes the function first and then the value: `xs` and `(+ 1.0f)` have changed places
                `(+ 1.0f)`: the function is here
                fix: Exchange the two arguments
              type-mismatch at `(map xs (+ 1.0f))`: `filter` needs `_ -> Bool` as its first argument, but this is `Array[Float,N]`
            twice : (a -> a) -> a -> a
            d : Float -> Float
              argument-order at `x`: `twice` takes the function first and then the value: `x` and `sqrt` have changed places
                `sqrt`: the function is here
                fix: Exchange the two arguments
            e : Array[Int,N] -> Array[Int,1]
              argument-order at `0`: `reduceWhileSeq` takes the function first and then the value: `0` and `(lambda …)` have changed places
                `(lambda (a) (< a 3))`: the function is here
                fix: Exchange the two arguments
        "#]],
    );
}

/// A use of such a definition could not determine the size.
#[test]
fn size_names_that_nothing_determines() {
    check(
        "(define (keep p xs) (filter p (: xs (array-type int N))))
(define (same (xs (array-type int N))) (filter (lambda (x) (< x 3)) (: xs (array-type int N))))
(define (to xs) (: xs (array-type int N)))
(define (plus xs) (: xs (array-type int +)))",
        expect![[r#"
            keep : (Int -> Bool) -> Array[Int,n] -> <∃X, Array[Int,X]>
              assumes n equals N
              unknown-size-name at `N`: the size `N` is not determined: the type of this definition, `(Int -> Bool) -> Array[Int,n] -> <∃X, Array[Int,X]>`, does not mention it; a size name of a `define` is introduced by the type of a parameter, as in `(xs (array-type float N))`
            same : Array[Int,N] -> <∃X, Array[Int,X]>
            to : Array[Int,n] -> Array[Int,N]
              assumes n equals N
            plus : Array[Int,n] -> Array[Int,m]
              assumes n equals m
              unknown-size-name at `+`: `+` is an operation on sizes, not a size: it needs its operands
        "#]],
    );
}

#[test]
fn a_pattern_takes_a_tuple_of_its_width_apart() {
    check(
        "(define (f (x (tuple-type int float bool))) (let (tuple a b) x (+ a 1)))
(define (g (x int)) (let (tuple _a _b) x 1))
(define h (map (lambda ((tuple a a)) a) (zip (iota #2) (iota #2))))",
        expect![[r#"
            f : (Int, Float, Bool) -> ?
              type-mismatch at `(tuple a b)`: the pattern destructures `(_, _)`, but the value is `(Int, Float, Bool)`
            g : Int -> Int
              type-mismatch at `(tuple _a _b)`: the pattern destructures `(_, _)`, but the value is `Int`
            h : Array[Int,2]
              duplicate-parameter at `a`: two names are called `a`
                `a`: the first `a`
        "#]],
    );
}
