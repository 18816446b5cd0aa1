//! Inlay hints, shown within the text.

use super::{Fixture, HintKind};
use expect_test::{Expect, expect};
use lift_syntax::{TextRange, TextSize};

/// Compares the program with every hint in its place, between `‹` and `›`, followed by the targets.
fn check(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let mut shown = fixture.files[0].1.clone();
    let whole = TextRange::up_to(TextSize::of(shown.as_str()));
    let hints = fixture.analysis().inlay_hints(fixture.main(), whole).unwrap();
    let mut targets = String::new();
    for hint in hints.iter().rev() {
        let label: String = hint.parts.iter().map(|part| part.text.as_str()).collect();
        let (left, right) = (if hint.padding_left { " " } else { "" }, if hint.padding_right { " " } else { "" });
        shown.insert_str(usize::from(hint.offset), &format!("{left}‹{label}›{right}"));
        for part in &hint.parts {
            if let Some(target) = &part.target {
                targets += &format!("{} -> {}\n", part.text, fixture.show(target));
            }
        }
        assert!(!hint.tooltip.is_empty() && (hint.kind != HintKind::Type || label.starts_with(": ")));
    }
    expected.assert_eq(&(shown + &targets));
}

#[test]
fn what_a_mistake_leaves_open_is_not_shown() {
    check(
        "(lift k (N) ((array-type float N)) (lambda (xs)
  (let zs (nosuch xs)
    (let ws (map (lambda (z) (* z 2.0f)) zs)
      (zip ws zs)))))
",
        expect![[r#"
            (lift k (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›)
              (let zs (nosuch xs)
                (let ws (map (lambda (z‹: Float›) (* z 2.0f)) zs)
                  (zip ws zs)))))
            N -> 1:`N`
        "#]],
    );
}

#[test]
fn where_lengths_are_opened_and_hidden() {
    check(
        "(define (pos x) (> x 0.0f))
(lift direct (N) ((array-type float N)) (lambda (xs) (mapSeq sqrt (filter pos xs))))
(lift named (N) ((array-type float N)) (lambda (xs)
  (let ys (filter pos xs)
    (zip (map sqrt ys) ys))))
(lift rows (N M) ((array-type (array-type float N) M)) (lambda (xss)
  (map (lambda (row) (map sqrt (filter pos row))) xss)))
(lift reduced (N) ((array-type float N)) (lambda (xs) (reduce 0.0f + (filter pos xs))))
",
        expect![[r#"
            (define (pos x‹: Float›) (> x 0.0f))
            (lift direct (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›) ‹pack› (mapSeq sqrt ‹unpack X1› (filter pos xs))))
            (lift named (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›)
              (let ys‹: Array[Float,X1]› ‹unpack X1› (filter pos xs)
                ‹pack› (zip (map sqrt ys) ys))))
            (lift rows (N M) ((array-type (array-type float N) M)) (lambda (xss‹: Array[Array[Float,N],M]›)
              (map (lambda (row‹: Array[Float,N]›) ‹pack› (map sqrt ‹unpack X1› (filter pos row))) xss)))
            (lift reduced (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›) (reduce 0.0f + ‹unpack X1› (filter pos xs))))
            unpack -> 8:`(filter pos xs)`
            X1 -> 8:`(filter pos xs)`
            N -> 8:`N`
            unpack -> 7:`(filter pos row)`
            X1 -> 7:`(filter pos row)`
            pack -> 7:`(filter pos row)`
            N -> 6:`N`
            N -> 6:`N`
            M -> 6:`M`
            pack -> 4:`(filter pos xs)`
            unpack -> 4:`(filter pos xs)`
            X1 -> 4:`(filter pos xs)`
            X1 -> 4:`(filter pos xs)`
            N -> 3:`N`
            unpack -> 2:`(filter pos xs)`
            X1 -> 2:`(filter pos xs)`
            pack -> 2:`(filter pos xs)`
            N -> 2:`N`
        "#]],
    );
}

#[test]
fn a_parameter_that_is_opened() {
    check(
        "(define (f (xs (exists (X) (array-type float X)))) (map sqrt xs))\n",
        expect![[r#"
            (define (f (xs ‹unpack X1› (exists (X) (array-type float X)))) ‹pack› (map sqrt xs))
            pack -> 1:`xs`
            unpack -> 1:`xs`
            X1 -> 1:`xs`
        "#]],
    );
}

#[test]
fn nothing_is_shown_for_what_is_written() {
    check(
        "(define (pos (x float)) (> x 0.0f))
(define (f (xs (array-type float n))) (unpack ys (filter pos xs) (pack (map sqrt ys))))
",
        expect![[r#"
            (define (pos (x float)) (> x 0.0f))
            (define (f (xs (array-type float n))) (unpack ys‹: Array[Float,X1]› (filter pos xs) (pack (map sqrt ys))))
            X1 -> 2:`(filter pos xs)`
        "#]],
    );
}

#[test]
fn a_check_that_is_left_to_the_run() {
    check(
        "(lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs (: ys (array-type float N)))))\n",
        expect![[r#"
            (lift f (N M) ((array-type float N) (array-type float M)) (lambda (xs‹: Array[Float,N]› ys‹: Array[Float,M]›) (zip xs (: ys (array-type float N)) ‹checks M = N›)))
            M -> 1:`M`
            N -> 1:`N`
            M -> 1:`M`
            N -> 1:`N`
        "#]],
    );
}

#[test]
fn no_type_of_what_is_broken() {
    check(
        "(define (f x) (let y (nowhere x) y))\n",
        expect![[r#"
        (define (f x‹: a›) (let y (nowhere x) y))
    "#]],
    );
}

#[test]
fn an_operator_whose_type_nothing_decides() {
    check(
        "(lift f () (int) (lambda (x) ((lambda (g) x) +)))\n",
        expect![[r#"
            (lift f () (int) (lambda (x‹: Int›) ((lambda (g‹: Int -> Int -> Int›) x) +‹: Int -> Int -> Int›)))
        "#]],
    );
}

/// Compares the program after a double click on the n-th hint.
fn written(text: &str, index: usize, expected: Expect) {
    let fixture = Fixture::new(text);
    let whole = TextRange::up_to(TextSize::of(text));
    let analysis = fixture.analysis();
    let hints = analysis.inlay_hints(fixture.main(), whole).unwrap();
    let hint = &hints[index];
    let label: String = hint.parts.iter().map(|part| part.text.as_str()).collect();
    let edits = analysis.hint_edits(fixture.main(), hint.offset, hint.kind, &label).unwrap();
    let change = crate::ide::SourceChange { files: vec![(fixture.main().into(), edits)] };
    expected.assert_eq(&format!("{label}\n{}", fixture.apply(&change)));
}

#[test]
fn a_hint_can_be_written() {
    let program = "(lift f (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x x)) (filter (lambda (y) (> y 0.0f)) xs))))\n";
    for (index, expected) in
        [expect![[r#"
            : Array[Float,N]
            (lift f (N) ((array-type float N)) (lambda ((xs (array-type float N))) (map (lambda (x) (* x x)) (filter (lambda (y) (> y 0.0f)) xs))))
        "#]], expect![[r#"
            pack
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter (lambda (y) (> y 0.0f)) xs)
                                                              (pack (map (lambda (x) (* x x)) v1)))))
        "#]], expect![[r#"
            : Float
            (lift f (N) ((array-type float N)) (lambda (xs) (map (lambda ((x float)) (* x x)) (filter (lambda (y) (> y 0.0f)) xs))))
        "#]], expect![[r#"
            unpack X1
            (lift f (N) ((array-type float N)) (lambda (xs) (unpack (X1 v1) (filter (lambda (y) (> y 0.0f)) xs)
                                                              (pack (map (lambda (x) (* x x)) v1)))))
        "#]], expect![[r#"
            : Float
            (lift f (N) ((array-type float N)) (lambda (xs) (map (lambda (x) (* x x)) (filter (lambda ((y float)) (> y 0.0f)) xs))))
        "#]]].into_iter().enumerate()
    {
        written(program, index, expected);
    }
    written(
        "(define (f x) (let y (tuple x 1) (get1 y)))\n",
        0,
        expect![[r#"
        : a
        (define (f x) (let y (tuple x 1) (get1 y)))
    "#]],
    );
}

#[test]
fn positions_of_rows_of_different_lengths() {
    check(
        "(lift sums (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (rows)
  (map (lambda (row) (map (lambda (x) (* x 2.0f)) row)) rows)))
(lift pieces (N) ((array-type float (* 2 N))) (lambda (xs) (partition #N (lambda (k) 2) xs)))
(lift prefixes (N) ((array-type float N)) (lambda (xs) (generate #N (lambda (k) (take #k xs)))))
",
        expect![[r#"
            (lift sums (N) ((array-type (i) (array-type float (+ i 1)) N)) (lambda (rows‹: Array[i => Array[Float,i+1],N]›)
              (map (lambda (‹i =>› row‹: Array[Float,i+1]›) (map (lambda (x‹: Float›) (* x 2.0f)) row)) rows)))
            (lift pieces (N) ((array-type float (* 2 N))) (lambda (xs‹: Array[Float,2*N]›) (partition #N (lambda (k‹: Int›) 2) xs)))
            (lift prefixes (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›) (generate #N (lambda (‹i =>› k‹: Int›) (take #k xs)))))
            N -> 4:`N`
            N -> 3:`N`
            i -> 1:`i`
            i => -> 2:`rows`
            N -> 1:`N`
        "#]],
    );
}

#[test]
fn lengths_that_would_have_to_be_equal() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs)
  (zip (filter (lambda (x) (> x 0.0f)) xs) (filter (lambda (x) (> x 1.0f)) xs))))
(lift g (N M) ((array-type float N) (array-type float M)) (lambda (xs ys) (zip xs ys)))
",
        expect![[r#"
            (lift f (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›)
              ‹pack› (zip ‹unpack X1› (filter (lambda (x‹: Float›) (> x 0.0f)) xs) ‹unpack X2› (filter (lambda (x‹: Float›) (> x 1.0f)) xs) ‹✗ X1 = X2›)))
            (lift g (N M) ((array-type float N) (array-type float M)) (lambda (xs‹: Array[Float,N]› ys‹: Array[Float,M]›) (zip xs ys ‹✗ N = M›)))
            N -> 3:`N`
            M -> 3:`M`
            M -> 3:`M`
            N -> 3:`N`
            X1 -> 2:`(filter (lambda (x) (> x 0.0f)) xs)`
            X2 -> 2:`(filter (lambda (x) (> x 1.0f)) xs)`
            unpack -> 2:`(filter (lambda (x) (> x 1.0f)) xs)`
            X2 -> 2:`(filter (lambda (x) (> x 1.0f)) xs)`
            unpack -> 2:`(filter (lambda (x) (> x 0.0f)) xs)`
            X1 -> 2:`(filter (lambda (x) (> x 0.0f)) xs)`
            pack -> 2:`(filter (lambda (x) (> x 0.0f)) xs)`
            N -> 1:`N`
        "#]],
    );
}

#[test]
fn what_is_assumed_is_checked_before_a_run() {
    check(
        "(lift f (N) ((array-type float N)) (lambda (xs) (map (reduce 0.0f +) (split #4 xs))))\n",
        expect![[r#"
            (lift f (N) ((array-type float N)) (lambda (xs‹: Array[Float,N]›) (map (reduce 0.0f +) (split #4 xs) ‹checks 4 divides N›)))
            N -> 1:`N`
            N -> 1:`N`
        "#]],
    );
}

#[test]
fn a_default_can_be_written() {
    written(
        "(lift f () (int) (lambda (x) ((lambda (g) x) +)))\n",
        2,
        expect![[r#"
        : Int -> Int -> Int
        (lift f () (int) (lambda (x) ((lambda (g) x) (: + (-> int int int)))))
    "#]],
    );
}

/// Only some of the conditions assumed by one use are shown: there may be thousands of long ones.
#[test]
fn of_many_conditions_of_one_use_some_are_shown() {
    let splits: Vec<String> = (2..32).map(|k| format!("(let v{k} (split #{k} xs)")).collect();
    let all = format!("(define (all (xs (array-type int n))) {} xs{})", splits.join(" "), ")".repeat(30));
    let fixture = Fixture::new(&format!("{all}\n(define (use xs) (all xs))"));
    let whole = TextRange::up_to(TextSize::of(fixture.files[0].1.as_str()));
    let second = TextSize::try_from(all.len()).unwrap();
    let hints = fixture.analysis().inlay_hints(fixture.main(), whole).unwrap();
    let checks = hints.iter().filter(|hint| hint.kind == HintKind::RuntimeCheck && hint.offset > second);
    assert_eq!(checks.count(), 16);
}
