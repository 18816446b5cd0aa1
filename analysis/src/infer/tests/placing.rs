//! Placement of parallel primitives.

use super::harness::program;
use crate::diagnostics::Severity;
use crate::hir::{Body, Node};
use crate::infer::{Definitions, Mode, check_placement};
use expect_test::{Expect, expect};
use std::sync::Arc;

struct Bodies(Vec<Arc<Body>>);
impl Definitions for Bodies {
    fn body_of(&self, name: &str) -> Option<Arc<Body>> {
        self.0.iter().find(|b| b.name.as_deref() == Some(name)).cloned()
    }
}

fn check(text: &str, expect: Expect) {
    let forms = program(text, Mode::Insert);
    let bodies = Bodies(forms.iter().map(|f| f.body.clone()).collect());
    let mut out = String::new();
    for f in forms.iter().filter(|f| f.body.kind == crate::hir::FormKind::Kernel) {
        out.push_str(&format!("{}\n", f.body.name.as_deref().unwrap_or("_")));
        for d in check_placement(&f.body, &bodies) {
            let r = f.map.range(d.at);
            assert!(matches!(d.at, Node::Expr(_)));
            let kind = if d.severity == Severity::Warning { "warning " } else { "" };
            let at = &f.text[usize::from(r.start())..usize::from(r.end())];
            out.push_str(&format!("  {kind}`{at}`: {}\n", d.message));
            d.fixes.iter().for_each(|fix| out.push_str(&format!("    fix: {}\n", fix.title)));
        }
    }
    expect.assert_eq(&out);
}

const G: &str = "(define (g x) (* x 2.0f))\n";

#[test]
fn legal_placements() {
    check(
        &format!("{G}(lift a (N) ((array-type float N)) (lambda (xs) (mapGlb g xs)))
(lift b (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg (mapLcl g) xs)))
(lift c (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg1 (lambda (r) (mapSeq g (mapLcl1 g r))) xs)))
(lift d (N) ((array-type (array-type float 8) N)) (lambda (xs) (let f (mapLcl g) (mapWrg f xs))))
(define (inside f xs) (mapWrg f xs))
(lift e (N) ((array-type (array-type float 8) N)) (lambda (xs) (inside (mapLcl g) xs)))
(lift f (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapGlb1 (mapGlb0 g) xs)))
(lift h (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg (lambda (r) (mapLcl g (toLocal (mapLcl g) r))) xs)))"),
        expect![[r#"
            a
            b
            c
            d
            e
            f
            h
        "#]],
    );
}

#[test]
fn a_definition_that_lacks_arguments_runs_where_it_gets_them() {
    check(
        "(define (scaled k) (mapLcl (* k)))
(define (both f k) (o (mapLcl f) (scaled k)))
(define (rows k xs) (mapWrg (scaled k) xs))
(lift a (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg (scaled 2.0f) xs)))
(lift b (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg (both (+ 1.0f) 2.0f) xs)))
(lift c (N) ((array-type (array-type float 8) N)) (lambda (xs) (let f (scaled 2.0f) (mapWrg f xs))))
(lift d (N) ((array-type (array-type float 8) N)) (lambda (xs) (rows 2.0f xs)))
(lift e (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapGlb (scaled 2.0f) xs)))
(lift f (N) ((array-type float N)) (lambda (xs) (scaled 2.0f xs)))",
        expect![[r#"
            a
            b
            c
            d
            e
              `scaled`: `mapLcl` spreads over the work-items of a group and is allowed only inside `mapWrg`
            f
              `scaled`: `mapLcl` spreads over the work-items of a group and is allowed only inside `mapWrg`
        "#]],
    );
}

#[test]
fn illegal_placements() {
    check(
        &format!(
            "{G}(lift a (N) ((array-type float N)) (lambda (xs) (mapLcl g xs)))
(lift b (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg1 (mapLcl g) xs)))
(lift c (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapGlb (mapGlb g) xs)))
(lift d (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapWrg (mapGlb g) xs)))
(lift e (N) ((array-type (array-type float 8) N)) (lambda (xs) (mapGlb (filterGlb (lambda (x) true)) xs)))
(define (inside xs) (mapLcl g xs))
(lift f (N) ((array-type float N)) (lambda (xs) (inside xs)))
(lift h (N) ((array-type float N)) (lambda (xs) ((toLocal (mapGlb g)) xs)))"
        ),
        expect![[r#"
            a
              `mapLcl`: `mapLcl` spreads over the work-items of a group and is allowed only inside `mapWrg`
            b
              `mapLcl`: `mapLcl` spreads over the work-items of a group and is allowed only inside `mapWrg`
            c
              `mapGlb`: `mapGlb` uses dimension 0 of the global work-items, which a map around it uses already
            d
              `mapGlb`: `mapGlb` spreads over all work-items of the device and cannot run inside a work-group; use `mapLcl` or `mapSeq`
            e
              `filterGlb`: `filterGlb` needs all work-items of the device and cannot run inside a global map; use `filterSeq`
            f
              `inside`: `mapLcl` spreads over the work-items of a group and is allowed only inside `mapWrg`
            h
              warning `toLocal`: `toLocal` stores in the memory of a work-group, but there is no `mapWrg` around it: the result is stored in global memory, as by `toGlobal`
                fix: Write `toGlobal`
        "#]],
    );
}

#[test]
fn what_is_named_behind_a_placed_primitive_runs_where_it_stands() {
    check(
        "(lift kept (N) (int (array-type float N) (array-type int N))
  (lambda (k ys zs)
    (let v (let w (filterGlb (lambda (x) (< x 0)) zs) (let n (length w) k))
      (filterGlb (lambda (y) (< v 1)) ys))))",
        expect![[r#"
            kept
        "#]],
    );
}
