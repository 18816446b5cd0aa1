//! Definitions and references.

use super::Fixture;
use expect_test::{Expect, expect};

fn definition(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let targets = fixture.analysis().goto_definition(path, range.start()).unwrap();
    let shown = targets.iter().map(|target| {
        let focus = super::FileRange { path: target.file.path.clone(), range: target.focus };
        assert!(target.file.range.contains_range(target.focus));
        fixture.show(&focus)
    });
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n"));
}

fn references(text: &str, expected: Expect) {
    let fixture = Fixture::new(text);
    let (path, range) = fixture.marked();
    let found = fixture.analysis().references(path, range.start()).unwrap();
    expected.assert_eq(&found.iter().map(|at| fixture.show(at)).collect::<Vec<_>>().join("\n"));
}

#[test]
fn definitions() {
    definition("(define (f x)\n(let x 1 (+ x$0 2)))\n", expect!["2:`x`"]);
    definition("(define one 1)\n(define two (+ on$0e one))\n", expect!["1:`one`"]);
    definition("(define (f (xs (array-type float n)))\n #$0n)\n", expect!["1:`n`"]);
    definition("(define (f p xs)\n(unpack (X ys) (filter p xs)\n#X$0))\n", expect!["2:`X`"]);
    definition("(define (f xs) (map$0Global id xs))\n", expect!["lift:primitives.lift:458:`mapGlb0`"]);
    definition("(define (f xs ys) (do$0t xs ys))\n", expect!["lift:prelude.lift:144:`dot`"]);
    definition("(define (f xs) (nowh$0ere xs))\n", expect![""]);
}

#[test]
fn definitions_in_other_files() {
    let lib = ";;- lib/a.lift\n; head\n(define (twice x) (+ x x))\n";
    definition(&format!("(import \"lib/a.lift\")\n(define (f x) (twi$0ce x))\n{lib}"), expect!["lib/a.lift:2:`twice`"]);
    definition(&format!("(import \"lib/a$0.lift\")\n(define (f x) (twice x))\n{lib}"), expect!["lib/a.lift:1:``"]);
}

#[test]
fn uses_of_locals() {
    references(
        "(define (f x y)\n (tuple x$0 (let x 1 x) x y))\n",
        expect![[r#"
        1:`x`
        2:`x`
        2:`x`"#]],
    );
    references(
        "(define (f (xs (array-type float n)) (ys (array-type float n)))\n (take #n$0 (zip xs ys)))\n",
        expect![[r#"
        1:`n`
        1:`n`
        2:`n`"#]],
    );
    references(
        "(define (f xs)\n (tuple #(length xs) xs$0))\n",
        expect![[r#"
            1:`xs`
            2:`xs`
            2:`xs`"#]],
    );
}

#[test]
fn uses_of_definitions_in_all_files() {
    let text = "(import \"a.lift\")\n(define (f twice) twice)\n(define (g x) (twice x))\n;;- a.lift\n(define (twi$0ce x) (+ x x))\n;;- b.lift\n(define (twice x) x)\n(define (h x) (twice x))\n;;- c.lift\n(import \"a.lift\")\n(define (k x) (o twice twice x))\n";
    references(
        text,
        expect![[r#"
        a.lift:1:`twice`
        c.lift:2:`twice`
        c.lift:2:`twice`
        3:`twice`"#]],
    );
}

#[test]
fn uses_of_a_primitive_under_any_of_its_names() {
    let fixture = Fixture::new("(define (f xs) (mapGl$0b id xs))\n(define (g xs) (mapGlobal id (mapGlb0 id xs)))\n");
    let (path, range) = fixture.marked();
    let found = fixture.analysis().references(path, range.start()).unwrap();
    let own: Vec<String> = found.iter().filter(|at| *at.path == *path).map(|at| fixture.show(at)).collect();
    expect![[r#"
        1:`mapGlb`
        2:`mapGlobal`
        2:`mapGlb0`"#]]
    .assert_eq(&own.join("\n"));
    assert_eq!(&*found[0].path, "lift:primitives.lift");
}

#[test]
fn where_types_are_written() {
    let types = |text: &str, expected: Expect| {
        let fixture = Fixture::new(text);
        let (path, range) = fixture.marked();
        let targets = fixture.analysis().type_definition(path, range.start()).unwrap();
        let shown: Vec<String> = targets.iter().map(|target| fixture.show(&target.file)).collect();
        expected.assert_eq(&shown.join("\n"));
    };
    types("(lift f (N) ((array-type float N)) (lambda (xs) (map sqrt x$0s)))\n", expect!["1:`(array-type float N)`"]);
    types("(define (f (xs (array-type float n))) (map sqrt x$0s))\n", expect!["1:`(array-type float n)`"]);
    types("(define (f p xs) (let ys (filter p xs) (map sqrt y$0s)))\n", expect!["1:`(filter p xs)`"]);
    types(
        "(define (f x) (sq$0rt x))\n",
        expect!["lift:primitives.lift:241:`(primitive sqrt () (-> a a) (where (floating a)) (common 28))`"],
    );
}

#[test]
fn uses_in_the_same_file() {
    let fixture = Fixture::new("(define (f x) (+ x$0 x))\n");
    let highlights = |fixture: &Fixture| {
        let (path, range) = fixture.marked();
        let found = fixture.analysis().highlights(path, range.start()).unwrap();
        found.iter().map(|h| (u32::from(h.range.start()), h.binds)).collect::<Vec<_>>()
    };
    assert_eq!(highlights(&fixture), [(11, true), (17, false), (19, false)]);
    let fixture =
        Fixture::new("(define one 1)\n(define two (+ one on$0e))\n;;- b.lift\n(define one 1)\n(define x one)\n");
    assert_eq!(highlights(&fixture), [(8, true), (30, false), (34, false)]);
    let fixture = Fixture::new("(define (f x) (+$0 x (+ x 1)))\n");
    assert_eq!(highlights(&fixture), [(15, false), (20, false)]);
}
