//! Random programs with hidden lengths: elaborated programs check to the same types.

use super::harness::{Form, program};
use crate::diagnostics::Severity;
use crate::infer::Mode;
use proptest::prelude::*;

/// An expression of type `Array[Float,_]`, with any length; `vars` are the names of arrays in scope.
fn array(depth: u32, vars: Vec<String>) -> BoxedStrategy<String> {
    let name = proptest::sample::select(vars.clone()).boxed();
    if depth == 0 {
        return name;
    }
    let sub = || array(depth - 1, vars.clone());
    let fresh = format!("a{}", vars.len());
    let inner = {
        let mut more = vars.clone();
        more.push(fresh.clone());
        move || array(depth - 1, more.clone())
    };
    let (f1, f2, f3, f4, f5) = (fresh.clone(), fresh.clone(), fresh.clone(), fresh.clone(), fresh.clone());
    prop_oneof![
        2 => name,
        3 => sub().prop_map(|a| format!("(filter pos {a})")),
        2 => sub().prop_map(|a| format!("(map abs {a})")),
        2 => (sub(), inner()).prop_map(move |(a, b)| format!("(let {f1} {a} {b})")),
        1 => (sub(), inner()).prop_map(move |(a, b)| format!("((lambda ({f2}) {b}) {a})")),
        1 => (sub(), inner()).prop_map(move |(a, b)| format!("(unpack {f3} (filter pos {a}) {b})")),
        1 => (sub(), inner()).prop_map(move |(a, b)| format!("(unpack (L {f4}) (filter pos {a}) {b})")),
        1 => sub().prop_map(|a| format!("(pack {a})")),
        2 => (sub(), sub()).prop_map(|(a, b)| format!("(if c {a} {b})")),
        1 => (sub(), sub()).prop_map(|(a, b)| format!("(concat {a} {b})")),
        1 => (sub(), sub()).prop_map(|(a, b)| format!("(get1 (tuple {a} {b}))")),
        1 => (sub(), sub()).prop_map(|(a, b)| format!("(map (lambda (p) (get2 p)) (zip {a} {b}))")),
        1 => sub().prop_map(|a| format!("(o (map abs) (filter pos) {a})")),
        1 => sub().prop_map(|a| format!("((o (map abs) (filter pos)) {a})")),
        1 => inner().prop_map(move |b| format!("(join (map (lambda ({f5}) (reduce 0.0f + {b})) rows))")),
        1 => sub().prop_map(|a| format!("(head (map (filter pos) (fill #3 {a})))")),
        1 => (sub(), sub()).prop_map(|(a, b)| format!("(let k (lambda (z) (filter pos z)) (concat (k {a}) (k {b})))")),
        1 => sub().prop_map(|a| format!("(: {a} (array-type float N))")),
    ]
    .boxed()
}

fn types(forms: &[Form]) -> Vec<String> {
    forms.iter().map(|f| f.inference.scheme.as_ref().map(|s| s.ty.to_string()).unwrap_or_default()).collect()
}
fn errors(forms: &[Form]) -> String {
    let broken = |f: &&Form| f.inference.diagnostics.iter().any(|d| d.severity == Severity::Error);
    forms.iter().filter(broken).map(Form::describe).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_checks_also_checks_written_out(body in array(4, vec!["xs".into(), "ys".into()])) {
        let text = format!("(define (pos x) (> x 0.0f))
(lift f (N M) ((array-type float N) (array-type float M) (array-type (array-type float M) N) bool) (lambda (xs ys rows c) {body}))");
        let forms = program(&text, Mode::Insert);
        if errors(&forms).is_empty() {
            let elaborated: Vec<String> = forms.iter().map(Form::elaborated).collect();
            let elaborated = elaborated.join("\n");
            for mode in [Mode::Explicit, Mode::Insert] {
                let again = program(&elaborated, mode);
                prop_assert_eq!(errors(&again), "", "{:?} of\n{}\nwritten out:\n{}", mode, &text, &elaborated);
                prop_assert_eq!(types(&again), types(&forms), "{:?} of\n{}\nwritten out:\n{}", mode, &text, &elaborated);
            }
        }
        // A program that checks without insertion also checks with it.
        let explicit = program(&text, Mode::Explicit);
        if errors(&explicit).is_empty() {
            prop_assert_eq!(errors(&forms), "", "explicit, but not by insertion:\n{}", &text);
        }
    }
}
