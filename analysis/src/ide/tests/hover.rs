//! Hovers as displayed.

use super::Fixture;
use expect_test::{Expect, expect};

pub(super) fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let shown = match fixture.analysis().hover(path, range).unwrap() {
        Some(hover) => {
            let at = fixture.show(&super::FileRange { path: path.into(), range: hover.range });
            format!("at {at}\n{}", hover.plain)
        }
        None => "nothing".into(),
    };
    expected.assert_eq(&shown);
}

const POSITIVE: &str = "(define (pos x) (> x 0.0f))\n";

/// A definition named `filter` is not the primitive.
#[test]
fn a_definition_named_like_filter() {
    check(
        "(define (filter-pairs p xs) (filter (lambda (x) (p x x)) xs))\n\
         (lift f (N) ((array-type float N)) (lambda (xs) (map sqrt $0(filter-pairs < xs))))\n",
        expect![[r#"
            at 2:`(filter-pairs < xs)`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: the length of what `filter-pairs` returns at 2:59."#]],
    );
}

#[test]
fn the_call_of_filter() {
    let program =
        |call: &str| format!("{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (mapSeq sqrt {call})))\n");
    check(
        &program("$0(filter pos xs)"),
        expect![[r#"
            at 2:`(filter pos xs)`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:62 kept; at most `N`."#]],
    );
    check(
        &program("(fil$0ter pos xs)"),
        expect![[r#"
            at 2:`filter`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:62 kept; at most `N`.

            filter : (a -> Bool) -> Array[a,n] -> <∃X, Array[a,X]>

            The elements for which the predicate holds, in their order. How many that are is known only at run time.
            The compiler chooses where it runs.
            (define (positives xs) (filter (lambda (x) (> x 0.0f)) xs))"#]],
    );
    check(
        &program("$0(filter pos xs)$0"),
        expect![[r#"
            at 2:`(filter pos xs)`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:62 kept; at most `N`."#]],
    );
}

#[test]
fn the_name_bound_to_a_dynamic_length_value() {
    let program = |name: &str, used: &str| {
        format!(
            "{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (let {name} (filter pos xs) (zip (map sqrt {used}) ys))))\n"
        )
    };
    check(
        &program("y$0s", "ys"),
        expect![[r#"
            at 2:`ys`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:57 kept; at most `N`.

            `ys` is bound by `let`."#]],
    );
    check(
        &program("ys", "y$0s"),
        expect![[r#"
            at 2:`ys`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:57 kept; at most `N`.

            `ys` is bound by `let`."#]],
    );
}

#[test]
fn the_value_bound_to_a_name() {
    check(
        &format!(
            "{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (let ys $0(filter pos xs) (map sqrt ys))))\n"
        ),
        expect![[r#"
            at 2:`(filter pos xs)`
            <∃X, Array[Float,X]>

            Opened here as `Array[Float,X1]`, with the hidden length named `X1`.

            `X1`: how many elements `filter pos` at 2:57 kept; at most `N`."#]],
    );
}

#[test]
fn what_an_inserted_pack_hides() {
    check(
        &format!(
            "{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (let ys (filter pos xs) $0(map sqrt ys))))\n"
        ),
        expect![[r#"
            at 2:`(map sqrt ys)`
            Array[Float,X1]

            `X1`: how many elements `filter pos` at 2:57 kept; at most `N`.

            Packed as `<∃X, Array[Float,X]>`, which hides `X1`."#]],
    );
}

#[test]
fn a_written_unpack() {
    check(
        &format!(
            "{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (unpack (Kept y$0s) (filter pos xs) #Kept)))\n"
        ),
        expect![[r#"
            at 2:`ys`
            <∃X, Array[Float,X]>

            Opened by `unpack` as `Array[Float,Kept]`, with the hidden length named `Kept`.

            `Kept`: how many elements `filter pos` at 2:67 kept; at most `N`.

            `ys` is bound by `unpack`."#]],
    );
    check(
        &format!(
            "{POSITIVE}(lift f (N) ((array-type float N)) (lambda (xs) (unpack (Kept ys) (filter pos xs) #K$0ept)))\n"
        ),
        expect![[r#"
            at 2:`Kept`
            Int

            `Kept` is the hidden length, named by `unpack`.

            `Kept`: how many elements `filter pos` at 2:67 kept; at most `N`."#]],
    );
}

#[test]
fn a_primitive_with_the_lengths_of_this_use() {
    check(
        "(lift f (N) ((array-type float (* 2 N))) (lambda (xs) (spl$0it #2 xs)))\n",
        expect![[r#"
        at 1:`split`
        #2 -> Array[Float,2*N] -> Array[Array[Float,2],N]

        split : #k -> Array[a,n] -> Array[Array[a,k],n/k]

        Assumes that `k divides n`: checked before a run.

        An array as an array of pieces of length k, at no cost. k must divide the length.
        (define (pairs xs) (split #2 xs))"#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map$0Glb (lambda (x) (+ x 1.0f)) xs)))\n",
        expect![[r#"
        at 1:`mapGlb`
        (Float -> Float) -> Array[Float,N] -> Array[Float,N]

        mapGlb0 : (a -> b) -> Array[a,n] -> Array[b,n]

        Also called `mapGlb`, `mapGlobal`, `mapGlobal0`.

        `map` over the global work-items of dimension 0: element i is the work of one item.
        (define (doubled xs) (mapGlb (lambda (x) (* x 2.0f)) xs))"#]],
    );
    check(
        "(define (f x) (+$0 x x))\n",
        expect![[r#"
            at 1:`+`
            a -> a -> a

            + : a -> a -> a

            `a` is a number.

            The sum of two numbers of one type. Integers wrap.
            (define (next x) (+ x 1))"#]],
    );
}

#[test]
fn a_definition_and_its_uses() {
    let program = "\
;;; Every other element.
(define (evens xs) (map head (split #2 xs)))
(lift f (N) ((array-type float (* 4 N))) (lambda (xs) (evens xs)))
";
    check(
        &program.replace("(evens xs) (map", "(ev$0ens xs) (map"),
        expect![[r#"
        at 2:`evens`
        Array[a,n] -> Array[a,n/2]

        Assumes that `2 divides n`: checked before a run.

        Every other element."#]],
    );
    check(
        &program.replace("(lambda (xs) (evens", "(lambda (xs) (eve$0ns"),
        expect![[r#"
        at 3:`evens`
        Array[Float,4*N] -> Array[Float,2*N]

        evens : Array[a,n] -> Array[a,n/2]

        Assumes that `2 divides n`: checked before a run.

        Every other element."#]],
    );
}

#[test]
fn parameters_sizes_and_literals() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (x$0s) xs))\n",
        expect![[r#"
            at 1:`xs`
            Array[Float,N]

            `N`: a size of the kernel, the length of `xs`.

            `xs` is a parameter."#]],
    );
    check(
        "(lift f (N) ((array-type float $0N)) (lambda (xs) xs))\n",
        expect![[r#"
            at 1:`N`
            Int

            `N`: a size of the kernel, the length of `xs`."#]],
    );
    check(
        "(lift f (N) ((array-type$0 float N)) (lambda (xs) xs))\n",
        expect![[r#"
        at 1:`(array-type float N)`
        Array[Float,N]"#]],
    );
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (+ N $02)))\n",
        expect![[r#"
        at 1:`2`
        Int"#]],
    );
    check(
        "(define (f (xs (array-type float n))) (take #(- $0n 1) xs))\n",
        expect![[r#"
            at 1:`n`
            Int

            `n`: any length, the length of `xs`; assumes that `n-1 is not negative`, checked before a run."#]],
    );
}

#[test]
fn a_generalised_let() {
    check(
        "(define f (let twi$0ce (lambda (x) (+ x x)) (tuple (twice 1) (twice 1.0f))))\n",
        expect![[r#"
        at 1:`twice`
        a -> a

        `twice` is bound by `let`."#]],
    );
    check(
        "(define f (let twice (lambda (x) (+ x x)) (tuple (twice 1) (twi$0ce 1.0f))))\n",
        expect![[r#"
        at 1:`twice`
        Float -> Float

        a -> a

        `twice` is bound by `let`."#]],
    );
}

#[test]
fn a_checked_cast() {
    check(
        "(lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs $0(: ys (array-type float N)))))\n",
        expect![[r#"
            at 1:`(: ys (array-type float N))`
            Array[Float,N]

            `N`: a size of the kernel, the length of `xs`; assumes that `M equals N`, checked before a run.

            Checked at run time: `M = N`."#]],
    );
}

#[test]
fn nothing_is_said_of_comments_and_white_space() {
    check("(define f 1) ; com$0ment\n", expect!["nothing"]);
    check("(define f 1)\n\n$0\n(define g 1)\n", expect!["nothing"]);
}

#[test]
fn what_is_broken_has_no_type_and_its_neighbours_have() {
    check(
        "(define (f (x float)) (let y (nowhere x) (* x$0 2.0f)))\n",
        expect![[r#"
        at 1:`x`
        Float

        `x` is a parameter."#]],
    );
    check("(define (f (x float)) (let y (now$0here x) (* x 2.0f)))\n", expect!["nothing"]);
}

#[test]
fn the_line_that_says_what_to_run_on_is_no_documentation() {
    check(
        ";;; Doubles.\n;;; run: xs=[1,2]\n(lift $0twice (N) ((array-type int N)) (lambda (xs) (map (lambda (x) (* 2 x)) xs)))",
        expect![[r#"
            at 3:`twice`
            Array[Int,N] -> Array[Int,N]

            Doubles."#]],
    );
    check(
        ";;; run: n=1\n(lift $0same () (int) (lambda (n) n))",
        expect![[r#"
        at 2:`same`
        Int -> Int"#]],
    );
}

#[test]
fn what_is_assumed_of_a_size_is_told_once() {
    let cast = |body: String, i: usize| {
        let to = match i % 3 {
            0 => format!("(min (* 2 K{}) K{})", i * 5 % 7, i * 3 % 7),
            1 => format!("(mod (* {i} N) (+ 1 K{}))", i * 2 % 7),
            _ => format!("K{}", i * 4 % 7),
        };
        format!("(: (: (concat (take #5 {body}) xs) (array-type int {to})) (array-type int K{}))", i % 7)
    };
    let body = (0..18).fold("xs".to_owned(), cast);
    let text = format!(
        "(lift g (N K0 K1 K2 K3 K4 K5 K6) ((array-type int N)) (lambda (xs) $0(: {body} (array-type int K0))$0))"
    );
    let fixture = Fixture::new(&text);
    let (path, range) = fixture.marked();
    let hover = fixture.analysis().hover(path, range).unwrap().expect("it has a type");
    let (_, assumed) = hover.plain.split_once("assumes that ").expect("much is assumed");
    let mut told: Vec<&str> = assumed.split("`, `").collect();
    let all = told.len();
    told.sort_unstable();
    told.dedup();
    assert!(all > 3 && told.len() == all, "{}", hover.plain);
}

#[test]
fn what_bounds_the_sizes_of_a_kernel() {
    let program = |xs: &str, body: &str| {
        format!(
            "(lift f (N M) ((array-type float N) (array-type float M)) (lambda ({xs} ys)\n  (tuple {body} (map (reduce 0.0f +) (split #4 ys)))))\n"
        )
    };
    check(
        &program("x$0s", "(slide #3 #1 xs)"),
        expect![[r#"
        at 1:`xs`
        Array[Float,N]

        `N`: a size of the kernel, the length of `xs`; at least `3`; assumes that `3 is at most N`, checked before a run.

        `xs` is a parameter."#]],
    );
    check(
        &program("xs", "(slide #3 #1 xs) (map (reduce 0.0f +) $0(split #4 ys)$0)"),
        expect![[r#"
        at 2:`(split #4 ys)`
        Array[Array[Float,4],M/4]

        `M`: a size of the kernel, the length of `ys`; assumes that `4 divides M`, checked before a run.

        Assumes that `4 divides M`: checked before a run."#]],
    );
    check(
        "(define (f (xs (array-type float $0n))) (split #4 xs))\n",
        expect![[r#"
        at 1:`n`
        Int

        `n`: any length, the length of `xs`; assumes that `4 divides n`, checked before a run."#]],
    );
}

/// A hover omits the parts of a type that an error left undetermined.
#[test]
fn names_of_which_an_error_leaves_the_type_open() {
    let broken = "(define (scale xs) (map (lambda (x) (* x nope)) xs))\n";
    check(
        &broken.replace("(scale", "(sca$0le"),
        expect![[r#"
        at 1:`scale`
        Array[?,n] -> Array[?,n]

        `?` marks a part that an error leaves unknown."#]],
    );
    check(
        &broken.replace("(x)", "($0x)"),
        expect![[r#"
        at 1:`x`
        `x` is a parameter."#]],
    );
    check(
        &broken.replace("(* x", "(* $0x"),
        expect![[r#"
        at 1:`x`
        `x` is a parameter."#]],
    );
    check(
        &broken.replace("(* x", "($0* x"),
        expect![[r#"
            at 1:`*`
            * : a -> a -> a

            `a` is a number.

            The product of two numbers of one type. Integers wrap.
            (define (square x) (* x x))"#]],
    );
    check(&broken.replace("nope", "no$0pe"), expect!["nothing"]);
    check(
        &broken.replace(" xs))", " x$0s))"),
        expect![[r#"
        at 1:`xs`
        Array[?,n]

        `xs` is a parameter.

        `?` marks a part that an error leaves unknown."#]],
    );
    let unknown = "(define (same x) (let y (nope x) (tuple y x)))\n";
    check(
        &unknown.replace("let y", "let $0y"),
        expect![[r#"
        at 1:`y`
        `y` is bound by `let`."#]],
    );
    check(
        &unknown.replace("tuple y", "tuple $0y"),
        expect![[r#"
        at 1:`y`
        `y` is bound by `let`."#]],
    );
    check(
        "(define (f$0 x) (+ x true))\n",
        expect![[r#"
        at 1:`f`
        An error in it leaves its type open."#]],
    );
    check(
        ";;; Documented all the same.\n(define (f$0 x) (+ x true))\n",
        expect![[r#"
        at 2:`f`
        An error in it leaves its type open.

        Documented all the same."#]],
    );
}

/// Rows of different lengths.
#[test]
fn the_rule_by_which_rows_differ() {
    let program = |sum: &str, rows: &str| {
        format!(
            "(lift sums (N) ((array-type (i) (array-type float (+ i 1)) N))\n  (lambda (rows) (map (lambda (row) {sum}) {rows})))\n"
        )
    };
    check(
        &program("(reduce 0.0f + row)", "ro$0ws"),
        expect![[r#"
        at 2:`rows`
        Array[i => Array[Float,i+1],N]

        `N`: a size of the kernel, the length of `rows`.

        `i`: the position of an element, from `0`, below `N`; at `i` is `Array[Float,i+1]`, at `0` `Array[Float,1]`.

        `rows` is a parameter."#]],
    );
    check(
        &program("(reduce 0.0f + ro$0w)", "rows"),
        expect![[r#"
        at 2:`row`
        Array[Float,i+1]

        `i`: the position of the element that is at hand, from `0`, below `N`.

        `row` is a parameter."#]],
    );
    check(
        &program("$0(map sqrt row)$0", "rows"),
        expect![[r#"
        at 2:`(map sqrt row)`
        Array[Float,i+1]

        `i`: the position of the element that is at hand, from `0`, below `N`."#]],
    );
    check(
        &program("$0(zip (map sqrt row) row)$0", "rows"),
        expect![[r#"
        at 2:`(zip (map sqrt row) row)`
        Array[(Float, Float),i+1]

        `i`: the position of the element that is at hand, from `0`, below `N`."#]],
    );
    check(
        &program("(map sqrt row)", "rows").replace("(map (lambda", "$0(map (lambda"),
        expect![[r#"
        at 2:`(map (lambda (row) (map sqrt row)) rows)`
        Array[i => Array[Float,i+1],N]

        `N`: a size of the kernel, the length of `rows`.

        `i`: the position of an element, from `0`, below `N`; at `i` is `Array[Float,i+1]`, at `0` `Array[Float,1]`."#]],
    );
    check(
        "(lift f (N) ((array-type (i) (array-type (j) (array-type float (+ i j)) 4) N)) (lambda ($0xs) (map (map (reduce 0.0f +)) xs)))\n",
        expect![[r#"
            at 1:`xs`
            Array[i => Array[j => Array[Float,i+j],4],N]

            `N`: a size of the kernel, the length of `xs`.

            `i`: the position of an element, from `0`, below `N`; at `i` is `Array[j => Array[Float,i+j],4]`, at `0` `Array[j => Array[Float,j],4]`.

            `j`: the position of an element, from `0`, below `4`; at `j` is `Array[Float,i+j]`, at `0` `Array[Float,i]`.

            `xs` is a parameter."#]],
    );
}

#[test]
fn a_parameter_of_the_generated_code() {
    let program =
        |setting: &str| format!("(lift f (N) ((array-type float N)) (lambda (xs) (with ({setting}) (map sqrt xs))))\n");
    check(
        &program("(rows.$0team 16)"),
        expect![[r#"
        at 1:`(rows.team 16)`
        `rows.team`: Work-items per row, if there are many rows of unknown length.

        One of 2, 4, 8, 16, 32; unless set, 8."#]],
    );
    check(
        &program("(target $0gpu)"),
        expect![[r#"
        at 1:`(target gpu)`
        `target`: The class of devices for which a kernel is compiled, on every device.

        One of `portable`, `gpu`, `nvidia`, `cpu`."#]],
    );
    check(&program("(rows.$0teams 16)"), expect!["nothing"]);
}
