//! Random programs over hidden lengths. A program that passes the checker has a well-formed kernel of the type that the
//! checker shows; its meaning stays the same when it is simplified and when the program's insertions are written out.

use super::*;
use crate::interp::RunErrorKind;
use lift_analysis::diagnostics::Severity;
use lift_analysis::infer::elaborate::explicit_text;
use lift_analysis::queries::{infer, lower_form};
use proptest::prelude::*;

/// An expression of type `Array[Int,_]`, whatever its length. `vars` are the names in scope of this type.
fn array(depth: u32, vars: Vec<String>) -> BoxedStrategy<String> {
    let name = proptest::sample::select(vars.clone()).boxed();
    if depth == 0 {
        return name;
    }
    let sub = || array(depth - 1, vars.clone());
    let number = || number(depth - 1, vars.clone());
    let fresh = format!("a{}", vars.len());
    let mut more = vars.clone();
    more.push(fresh.clone());
    let inner = || array(depth - 1, more.clone());
    let with = move |template: &'static str| {
        let fresh = fresh.clone();
        move |(a, b): (String, String)| template.replace("#v", &fresh).replace("#a", &a).replace("#b", &b)
    };
    let one = |template: &'static str| move |a: String| template.replace("#a", &a);
    let two = |template: &'static str| move |(a, b): (String, String)| template.replace("#a", &a).replace("#b", &b);
    prop_oneof![
        2 => name,
        3 => sub().prop_map(one("(filter pos #a)")),
        1 => sub().prop_map(one("(positives #a)")),
        2 => sub().prop_map(one("(map neg #a)")),
        1 => (number(), sub()).prop_map(two("(map (+ #a) #b)")),
        2 => (sub(), inner()).prop_map(with("(let #v #a #b)")),
        1 => (sub(), inner()).prop_map(with("((lambda (#v) #b) #a)")),
        1 => (sub(), inner()).prop_map(with("(unpack #v (filter pos #a) #b)")),
        1 => (sub(), inner()).prop_map(with("(unpack (L #v) (filter pos #a) #b)")),
        1 => sub().prop_map(one("(pack #a)")),
        2 => (sub(), sub()).prop_map(two("(if c #a #b)")),
        1 => sub().prop_map(one("((if c (map neg) (o (map neg) (map abs))) #a)")),
        1 => sub().prop_map(one("((choose c (map neg) (map abs)) #a)")),
        1 => (sub(), sub()).prop_map(two("(concat #a #b)")),
        1 => (sub(), sub()).prop_map(two("(get1 (tuple #a #b))")),
        1 => (sub(), sub()).prop_map(two("(map (lambda (p) (get2 p)) (zip #a #b))")),
        1 => sub().prop_map(one("(o (map neg) (filter pos) #a)")),
        1 => sub().prop_map(one("((o (map neg) (filter pos)) #a)")),
        1 => inner().prop_map(|b| ("rows".to_string(), b)).prop_map(with("(join (map (lambda (#v) (reduce 0 + #b)) #a))")),
        1 => sub().prop_map(one("(head (map (filter pos) (fill #3 #a)))")),
        1 => (sub(), sub()).prop_map(two("(let k (lambda (z) (filter pos z)) (concat (k #a) (k #b)))")),
        1 => (sub(), sub()).prop_map(two("(let k (o (map neg) (filter pos)) (concat (k #a) (k #b)))")),
        1 => sub().prop_map(one("(: #a (array-type int N))")),
        1 => sub().prop_map(one("(iterate #2 (map (* 2)) #a)")),
        1 => sub().prop_map(one("(iterate #2 (lambda (z) (concat z z)) #a)")),
        1 => number().prop_map(one("(iota (bitand 7 #a))")),
        1 => sub().prop_map(one("(join (split #2 #a))")),
        1 => sub().prop_map(one("(reverse (drop #1 #a))")),
    ]
    .boxed()
}

/// An expression of type Int.
fn number(depth: u32, vars: Vec<String>) -> BoxedStrategy<String> {
    let sub = move || array(depth.saturating_sub(1), vars.clone());
    if depth == 0 {
        return prop_oneof![Just("1".to_string()), Just("N".to_string())].boxed();
    }
    prop_oneof![
        2 => Just("-2".to_string()),
        1 => Just("N".to_string()),
        2 => sub().prop_map(|a| format!("(length {a})")),
        2 => sub().prop_map(|a| format!("(total {a})")),
    ]
    .boxed()
}

const DEFINITIONS: &str = "(define (pos x) (> x 0))
(define positives (filter pos))
(define (total (xs (exists (X) (array-type int X)))) (head (reduceSeq 0 + xs)))
(define (choose c f g) (if c f g))
";

fn outcome(kernel: &Kernel, flag: bool) -> Result<Value, RunErrorKind> {
    let inputs =
        vec![ints([3, -1, 4]), ints([-5, 9, 2, 6]), Value::from(vec![vec![1, -2, 3, 4]; 3]), Value::from(flag)];
    run(kernel, inputs, &[], Limits::default()).map_err(|e| e.kind)
}

/// The program with the checker's insertions in its last form written out; `None` if it has errors.
fn written_out(text: &str) -> Option<String> {
    let mut db = RootDatabase::default();
    db.set_file("test.lift", text.into());
    let forms = forms(&db, db.file("test.lift")?);
    let form = *forms.last()?;
    let inference = infer(&db, form);
    if inference.diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return None;
    }
    let lowered = lower_form(&db, form);
    let explicit = explicit_text(&lowered.body, &lowered.map, form.text(&db), &inference, &|_| true);
    Some(format!("{DEFINITIONS}{explicit}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_checks_is_a_kernel_of_one_meaning(body in array(4, vec!["xs".into(), "ys".into()])) {
        let text = format!("{DEFINITIONS}(lift f (N M) ((array-type int N) (array-type int M) (array-type (array-type int M) N) bool)
  (lambda (xs ys rows c) {body}))");
        if let Some(explicit) = written_out(&text) {
            let (kernel, simple) = build(&text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            let (other, _) = build(&explicit).map_err(|e| TestCaseError::fail(format!("{e}\n{explicit}")))?;
            for flag in [true, false] {
                let result = outcome(&kernel, flag);
                // Simplification may remove the operation that stopped the run, and moves assumptions about lengths
                // that turn out to be known before the run.
                let simplified = outcome(&simple, flag);
                if result.is_ok() && simplified != Err(RunErrorKind::Assumption) {
                    prop_assert_eq!(&simplified, &result, "{}\nsimplified:\n{}\nof\n{}", &text, &simple, &kernel);
                }
                // If a run has several reasons to stop, the order of evaluation chooses one.
                prop_assert_eq!(outcome(&other, flag).ok(), result.ok(), "{}\nwritten out:\n{}", &text, &explicit);
            }
        }
    }
}
