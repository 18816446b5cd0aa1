//! Start and end of forms.

use std::fmt::Write;

use expect_test::{Expect, expect};
use lift_syntax::split;

fn check(text: &str, expected: Expect) {
    let mut out = String::new();
    for form in split(text) {
        let name = form.name.map_or("-", |range| &text[range]);
        let _ = writeln!(out, "{:?} {name} {:?}", form.kind, &text[form.range]);
    }
    expected.assert_eq(&out);
}

#[test]
fn names_and_kinds() {
    check(
        "(import \"a\")(define a 1)\n[define [f x] x]\n(lift (N) () x) (lift k (N) () x)\n(primitive p () a)\n(foo bar)",
        expect![[r#"
            Import - "(import \"a\")"
            Define a "(define a 1)"
            Define f "[define [f x] x]"
            Lift - "(lift (N) () x)"
            Lift k "(lift k (N) () x)"
            Primitive p "(primitive p () a)"
            Unknown - "(foo bar)"
        "#]],
    );
}

#[test]
fn documentation_belongs_to_the_form_below() {
    check(
        ";;; one\n  ;;; two\n(define a 1)",
        expect![[r#"
        Define a ";;; one\n  ;;; two\n(define a 1)"
    "#]],
    );
    check(
        ";;; not directly above\n\n(define a 1)",
        expect![[r#"
        Define a "(define a 1)"
    "#]],
    );
    check(
        ";;; cut off\n; by this\n(define a 1)",
        expect![[r#"
        Define a "(define a 1)"
    "#]],
    );
    check(
        "(define a 1) ;;; not above b\n(define b 1)",
        expect![[r#"
        Define a "(define a 1)"
        Define b "(define b 1)"
    "#]],
    );
    check(
        ";;;; a line\n(define a 1)",
        expect![[r#"
        Define a "(define a 1)"
    "#]],
    );
    check(
        ";;; doc\r\n(define a 1)\r\n;;; doc\r(define b 1)",
        expect![[r#"
            Define a ";;; doc\r\n(define a 1)"
            Define b ";;; doc\r(define b 1)"
        "#]],
    );
}

#[test]
fn a_form_at_the_start_of_a_line_ends_what_is_open() {
    check(
        "(define a (f\n;;; doc\n(define b 2)\n (define c 3)",
        expect![[r#"
            Define a "(define a (f"
            Define b ";;; doc\n(define b 2)"
            Define c "(define c 3)"
        "#]],
    );
    check(
        "(define a (f\n(lift k () () x)\n(import \"b\")",
        expect![[r#"
            Define a "(define a (f"
            Lift k "(lift k () () x)"
            Import - "(import \"b\")"
        "#]],
    );
    check(
        "(define a (f\n(g 1)))",
        expect![[r#"
        Define a "(define a (f\n(g 1)))"
    "#]],
    );
    check(
        "(define a \"x\n(define b 1)",
        expect![[r#"
        Define a "(define a \"x"
        Define b "(define b 1)"
    "#]],
    );
}

#[test]
fn stray_tokens_are_one_form() {
    check(
        "a b ; c\n) 3\n(define d 1) ] e",
        expect![[r#"
        Stray - "a b ; c\n) 3"
        Define d "(define d 1)"
        Stray - "] e"
    "#]],
    );
}

#[test]
fn white_space_is_unicodes() {
    check(
        "\u{feff}(define\u{3000}a\u{a0}1)\u{2028}",
        expect![[r#"
        Define a "(define\u{3000}a\u{a0}1)"
    "#]],
    );
}

#[test]
fn nothing() {
    check("", expect![""]);
    check(" ; only a comment", expect![""]);
}
