//! Edits that follow a typed character. `$0` is the cursor after it.

use super::Fixture;
use expect_test::{Expect, expect};

/// Compares the program after the edits.
fn check(typed: &str, text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, at) = fixture.marked();
    let edits = fixture.analysis().on_type(path, at.start(), typed).unwrap();
    let change = super::SourceChange { files: vec![(path.into(), edits)] };
    expected.assert_eq(&fixture.apply(&change));
}

#[test]
fn a_new_line_is_indented_as_the_formatter_would() {
    check(
        "\n",
        "(define (f xs)\n$0)\n",
        expect![[r#"
        (define (f xs)
        )
    "#]],
    );
    check(
        "\n",
        "(define (f xs)\n$0(map g xs))\n",
        expect![[r#"
        (define (f xs)
          (map g xs))
    "#]],
    );
    check(
        "\n",
        "(define (f xs)\n  (map (lambda (x)\n      $0 (* x x)) xs))\n",
        expect![[r#"
        (define (f xs)
          (map (lambda (x)
                 (* x x)) xs))
    "#]],
    );
    check(
        "\n",
        "(define (f xs)\n  (zip (map g xs)\n$0(map h xs)))\n",
        expect![[r#"
        (define (f xs)
          (zip (map g xs)
               (map h xs)))
    "#]],
    );
    check(
        "\n",
        "(define (f xs)\n  (zip3 (map g xs)\n      ys\n$0zs))\n",
        expect![[r#"
        (define (f xs)
          (zip3 (map g xs)
              ys
              zs))
    "#]],
    );
    check(
        "\n",
        "(define (f xs)\n  (map\n$0g xs))\n",
        expect![[r#"
        (define (f xs)
          (map
            g xs))
    "#]],
    );
    check(
        "\n",
        "(lift f (N) ((array-type float N)\n$0(array-type float N)) (lambda (xs ys) xs))\n",
        expect![[r#"
        (lift f (N) ((array-type float N)
                     (array-type float N)) (lambda (xs ys) xs))
    "#]],
    );
    check(
        "\n",
        "(define x 1)\n   $0\n(define y 2)\n",
        expect![[r#"
        (define x 1)

        (define y 2)
    "#]],
    );
    check(
        "\n",
        "\u{1d4b3}(let y\u{301} (f x)\n$0y)\n",
        expect![[r#"
            𝒳(let ý (f x)
               y)
        "#]],
    );
    check("\n", "$0", expect![[r#""#]]);
}

#[test]
fn a_closing_bracket_on_a_line_of_its_own_stands_below_its_opening_one() {
    check(
        ")",
        "(define (f xs)\n  (map g xs)\n    )$0\n",
        expect![[r#"
        (define (f xs)
          (map g xs)
        )
    "#]],
    );
    check(
        ")",
        "(define (f xs)\n  (map g xs\n )$0)\n",
        expect![[r#"
        (define (f xs)
          (map g xs
          ))
    "#]],
    );
    check(
        ")",
        "(define (f xs) (map g xs)$0)\n",
        expect![[r#"
        (define (f xs) (map g xs))
    "#]],
    );
    check(
        ")",
        "(define x 1))$0\n",
        expect![[r#"
        (define x 1))
    "#]],
    );
}

#[test]
fn a_pair_of_brackets_has_one_shape() {
    check(
        "]",
        "(define (f xs) (map g xs]$0)\n",
        expect![[r#"
        (define (f xs) (map g xs))
    "#]],
    );
    check(
        "[",
        "(define (f xs) [$0map g xs))\n",
        expect![[r#"
        (define (f xs) [map g xs])
    "#]],
    );
    check(
        "(",
        "(define (f xs) ($0map g [id xs]])\n",
        expect![[r#"
        (define (f xs) (map g [id xs]))
    "#]],
    );
    // The bracket is not closed yet, so its closing bracket is unknown.
    check(
        "[",
        "(define (f xs) [$0map g xs)\n",
        expect![[r#"
        (define (f xs) [map g xs)
    "#]],
    );
}

#[test]
fn a_local_name_changes_everywhere_at_once() {
    let linked = |text: &str, expected: Expect| {
        let fixture = Fixture::new(text);
        let (path, at) = fixture.marked();
        let ranges = fixture.analysis().linked_ranges(path, at.start()).unwrap();
        let mut shown = fixture.files[0].1.clone();
        for range in ranges.iter().rev() {
            shown.insert(usize::from(range.end()), '\u{203a}');
            shown.insert(usize::from(range.start()), '\u{2039}');
        }
        expected.assert_eq(&shown);
    };
    linked(
        "(define (f xs) (let y$0s (id xs) (zip ys (lambda (ys) ys) ys)))\n",
        expect![[r#"
        (define (f xs) (let ‹ys› (id xs) (zip ‹ys› (lambda (ys) ys) ‹ys›)))
    "#]],
    );
    linked(
        "(lift f (N) ((array-type float N)) (lambda (xs) (split #N$0 xs)))\n",
        expect![[r#"
        (lift f (‹N›) ((array-type float ‹N›)) (lambda (xs) (split #‹N› xs)))
    "#]],
    );
    // A definition may be used in other files.
    linked(
        "(define (f$0 xs) xs)\n(define g f)\n",
        expect![[r#"
        (define (f xs) xs)
        (define g f)
    "#]],
    );
}

#[test]
fn only_the_forms_of_a_range_are_laid_out() {
    let fixture = Fixture::new("(define x   1)\n(define $0y   2)\n\n\n(define$0 z   3)\n(define w   4)\n");
    let (path, range) = fixture.marked();
    let edits = fixture.analysis().format_range(path, range).unwrap();
    let change = super::SourceChange { files: vec![(path.into(), edits)] };
    expect![[r#"
        (define x   1)
        (define y 2)

        (define z 3)
        (define w   4)
    "#]]
    .assert_eq(&fixture.apply(&change));
}
