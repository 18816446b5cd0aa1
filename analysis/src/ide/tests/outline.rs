//! Symbols of a document.

use super::*;
use expect_test::expect;

const PROGRAM: &str = "\
(import \"lib/stencil.lift\")

;;; Keeps what is even.
;;; run: random 1000
(lift evens (N) ((array-type int N)) (lambda (xs) (filter even xs)))
(define (even x) (= (mod x 2) 0))
(define limit 10)
(lift (N M) ((array-type (array-type float N) M) int) (lambda (xss k) (tuple xss k)))
(broken)
;;- lib/stencil.lift
";

#[test]
fn types_are_one_line_a_form() {
    let fixture = Fixture::new(PROGRAM);
    let lines = fixture.analysis().types("main.lift").unwrap().into_iter().map(|t| format!("{} : {}\n", t.name, t.ty));
    expect![[r#"
        evens : Array[Int,N] -> <∃X, Array[Int,X]>
        even : Int -> Bool
        limit : Int
        main : Array[Array[Float,N],M] -> Int -> (Array[Array[Float,N],M], Int)
    "#]]
    .assert_eq(&lines.collect::<String>());
}

#[test]
fn symbols_are_what_the_file_defines() {
    let fixture = Fixture::new(PROGRAM);
    let symbols = fixture.analysis().symbols("main.lift").unwrap();
    let text = fixture.host.file_text("main.lift").unwrap();
    let lines = symbols.into_iter().map(|s| {
        assert!(text[s.range].starts_with('(') && s.range.contains_range(s.focus));
        format!("{:?} {} : {} at `{}`\n", s.kind, s.name, s.detail, &text[s.focus])
    });
    expect![[r#"
        Import lib/stencil.lift :  at `"lib/stencil.lift"`
        Kernel evens : Array[Int,N] -> <∃X, Array[Int,X]> at `evens`
        Function even : Int -> Bool at `even`
        Constant limit : Int at `limit`
        Kernel main : Array[Array[Float,N],M] -> Int -> (Array[Array[Float,N],M], Int) at `lift`
    "#]]
    .assert_eq(&lines.collect::<String>());
}

#[test]
fn kernels_say_how_they_are_run() {
    let fixture = Fixture::new(PROGRAM);
    let kernels = fixture.analysis().kernels("main.lift").unwrap();
    let lines = kernels.into_iter().map(|k| {
        let inputs: Vec<String> = k.inputs.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        format!("{} [{}] ({}) {:?}\n", k.name, k.sizes.join(" "), inputs.join(", "), k.run_line)
    });
    expect![[r#"
        evens [N] (xs: Array[Int,N]) Some("random 1000")
        main [N M] (xss: Array[Array[Float,N],M], k: Int) None
    "#]]
    .assert_eq(&lines.collect::<String>());
}

#[test]
fn an_origin_finds_its_expression() {
    let fixture = Fixture::new("(define (f x) x)\n(define (f y) (+ y 1))\n");
    let form = crate::origin::FormKey { file: "main.lift".into(), name: Some("f".into()), nth: 1 };
    let mut origin = crate::origin::Origin::new(form.into(), crate::hir::ExprId(3));
    let at = fixture.analysis().resolve_origin(&origin).unwrap().unwrap();
    expect!["2:`(+ y 1)`"].assert_eq(&fixture.show(&at));
    origin.expr = crate::hir::ExprId(99);
    assert_eq!(fixture.analysis().resolve_origin(&origin).unwrap(), None);
}
