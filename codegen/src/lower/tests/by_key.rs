//! Folds by key: which programs contain one, and whether the rules and the device preserve their meaning.

use super::{agree, meaning};
use crate::core::build::elaborated_kernel;
use crate::core::check::problems;
use crate::core::simplify::simplify;
use crate::core::{Kernel, Prim, Rhs};
use crate::interp::{self, Limits};
use crate::lower::compile;
use crate::schedule::{Schedule, after_each_rewrite};
use crate::target::Target;
use crate::value::{ArrayValue, Value};
use lift_analysis::db::{Db, Form, RootDatabase, forms};
use lift_analysis::parameters::Parameter;

/// The last form of a program, as a kernel.
fn kernel(text: &str) -> Kernel {
    let mut db = RootDatabase::default();
    db.set_file("test.lift", text.into());
    let file = db.file("test.lift").expect("the file is there");
    let form: Form = *forms(&db, file).last().expect("there is a form");
    simplify(elaborated_kernel(&db as &dyn Db, form).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn ints(values: impl IntoIterator<Item = i32>) -> Value {
    Value::Array(ArrayValue::Int(values.into_iter().collect()))
}
fn floats(values: impl IntoIterator<Item = f32>) -> Value {
    Value::Array(ArrayValue::Float(values.into_iter().collect()))
}
fn rows(values: impl IntoIterator<Item = Value>) -> Value {
    Value::Array(ArrayValue::Values(values.into_iter().collect()))
}

/// The number of folds by key that the rules find in a program, and the names of the rules.
fn found(kernel: &Kernel) -> (usize, Vec<&'static str>) {
    let schedule = Schedule::new(kernel, &Target::nvidia());
    let mut folds = 0;
    schedule.kernel.body.visit(&mut |s| {
        folds += usize::from(matches!(&s.rhs, Rhs::Prim(call) if matches!(call.prim, Prim::ReduceByKey(_))));
    });
    let rules = ["fold-by-key", "by-key-sorted", "count-between", "count-below"];
    (folds, schedule.applied.iter().map(|a| a.rule.name).filter(|name| rules.contains(name)).collect())
}

/// Targets with local memory for some hundred numbers, so that larger tables take several turns.
fn targets() -> [(&'static str, Target); 4] {
    let small = |target: Target, items: u32, local_memory: u64| Target {
        group: items,
        most_in_group: items,
        compute_units: 2,
        local_memory,
        // This driver's groups need not run at the same time, so none may wait for another (`scan`).
        single_pass: false,
        ..target
    };
    [
        ("gpu, 16 items", small(Target::gpu(), 16, 1600)),
        ("nvidia, 7 items", small(Target::nvidia(), 7, 400)),
        ("portable, groups of 1", small(Target::portable(), 1, 100)),
        ("cpu", Target::cpu()),
    ]
}

/// The rules find these folds in the program; each stage and each device preserves its meaning.
fn by_key(text: &str, rules: &[&str], inputs: &[Vec<Value>]) {
    let kernel = kernel(text);
    assert_eq!(found(&kernel), (rules.len(), rules.to_vec()), "{kernel}");
    means_the_same(&kernel, &targets(), inputs);
}

fn means_the_same(kernel: &Kernel, targets: &[(&'static str, Target)], inputs: &[Vec<Value>]) {
    for (rule, stage) in after_each_rewrite(kernel, &Target::nvidia()) {
        assert_eq!(problems(&stage), Vec::<String>::new(), "after {rule}:\n{stage}");
        for inputs in inputs {
            let before = meaning(kernel, inputs);
            let after = interp::run(&stage, inputs.clone(), &[], Limits::default());
            match (&before, &after) {
                (Ok(a), Ok(b)) if super::close(a, b) => {}
                _ => panic!("after {rule}: {after:?} instead of {before:?}\n{stage}"),
            }
        }
    }
    for (name, target) in targets {
        let program = compile(kernel, target).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        for inputs in inputs {
            agree(kernel, &program, inputs).unwrap_or_else(|problem| panic!("{name}: {problem}"));
        }
    }
}

/// Keys within, below and above 0 to b - 1, including both ends of `Int`.
fn keys(n: usize, b: i32) -> Value {
    let strange = [i32::MIN, -1, b, b + 1, i32::MAX, i32::MAX - 1];
    ints((0..n).map(|i| match i % 11 {
        10 => strange[(i / 11) % strange.len()],
        _ => (i * 37 + i / 5) as i32 % b.max(1),
    }))
}

/// Keys and bucket numbers: for no part, one and several; for one bucket, some, and more than fit a small memory.
fn with_buckets() -> Vec<Vec<Value>> {
    let mut all = Vec::new();
    for (n, b) in [(0, 5), (1, 1), (7, 0), (300, 1), (300, 20), (2100, 4), (300, 150)] {
        all.push(vec![keys(n, b), ints(0..b)]);
    }
    all.push(vec![ints(vec![3; 2100]), ints(0..5)]);
    all
}

const BELOW: &str = "
(define (below (bound int) (sorted (array-type int n)))
  (search
    (lambda (pair) (if (< (get2 pair) bound) 1 (if (>= (get1 pair) bound) -1 0)))
    (zip (padConstant #1 #0 -1 sorted) (padConstant #0 #1 2147483647 sorted))))
";

#[test]
fn places_in_a_sorted_array_are_counts() {
    let text = "(lift k (N B) ((array-type int N) (array-type int B)) (lambda (xs bs)
        (let s (sort < xs) (map (lambda (c) (- (below (+ c 1) s) (below c s))) (iota B)))))";
    by_key(&format!("{BELOW}{text}"), &["count-between"], &with_buckets());
}

#[test]
fn places_of_all_bounds_are_sums_of_counts() {
    let text = |body: &str| {
        format!(
            "{BELOW}(lift k (N B) ((array-type int N) (array-type int B)) (lambda (xs bs)
             (let s (sort < xs) (map (lambda (c) {body}) (iota B)))))"
        )
    };
    let some = || [vec![keys(300, 9), ints(0..9)], vec![keys(0, 3), ints(0..3)], vec![keys(40, 60), ints(0..60)]];
    by_key(&text("(below c s)"), &["count-below"], &some());
    by_key(&text("(* 2 (below (+ 1 c) s))"), &["count-below"], &some());
    by_key(&text("(* (below (+ c 1) s) (below c s))"), &["count-below", "count-below"], &some());
    // The padding is not less than the bound -1, so that search stays, and with it the sort.
    by_key(&text("(- (below (+ c 1) s) (below (- c 1) s))"), &["count-below"], &some());
}

/// Variants of the same search: with `<=`, exchanged sides, `or`, and the middle case first.
#[test]
fn a_search_may_say_between_in_any_way() {
    let of = |f: &str, high: &str| {
        format!(
            "(lift k (N B) ((array-type int N) (array-type int B)) (lambda (xs bs)
              (let s (sort (lambda (a b) (> b a)) xs)
                (map (lambda (c) (search (lambda (p) {f}) (zip (padConstant #1 #0 -1 s) (padConstant #0 #1 {high} s))))
                     (iota B)))))"
        )
    };
    let most = "2147483647";
    for f in [
        "(if (<= (get2 p) c) 5 (if (> (get1 p) c) -7 0))",
        "(if (and (> c (get1 p)) (>= (get2 p) c)) 0 (if (> c (get2 p)) 1 -1))",
        "(if (not (or (<= c (get1 p)) (< (get2 p) c))) 0 (if (< (get1 p) c) 1 -2))",
    ] {
        by_key(&of(f, most), &["count-below"], &[vec![keys(200, 9), ints(0..9)], vec![keys(0, 1), ints(0..3)]]);
    }
    // The first index of an equal element is a different function; padding that lies between the bounds ends the search
    // there.
    for (f, high) in [
        ("(if (< (get2 p) c) 1 (if (> (get1 p) c) -1 0))", most),
        ("(if (< (get2 p) c) 1 (if (>= (get1 p) c) -1 0))", "100"),
        ("(if (< (get2 p) c) 1 (if (>= (get1 p) (+ c 1)) -1 0))", most),
        ("(if (< (get1 p) c) 1 (if (>= (get2 p) c) -1 0))", most),
    ] {
        assert_eq!(found(&kernel(&of(f, high))).0, 0, "{f}");
    }
}

#[test]
fn a_condition_on_the_number_is_a_key() {
    let text = |body: &str| {
        format!(
            "(lift k (N B) ((array-type int N) (array-type int B)) (lambda (xs bs)
               (map (lambda (c) {body}) (iota B))))"
        )
    };
    by_key(&text("(count (= c) xs)"), &["fold-by-key"], &with_buckets());
    by_key(
        &text("(head (reduce 0 + (map (lambda (x) (if (= (bitand x 3) c) x 0)) xs)))"),
        &["fold-by-key"],
        &with_buckets(),
    );
    by_key(&text("(head (reduce 7 max (map (lambda (x) (if (!= x c) 7 (+ x 1))) xs)))"), &["fold-by-key"], &[]);
    by_key(
        &text("(+ (count (= c) xs) (head (reduce 0 bitor (map (lambda (x) (if (= c x) x 0)) xs))))"),
        &["fold-by-key", "fold-by-key"],
        &with_buckets()[3..6],
    );
}

/// A fold that adds more than its neutral value to the others, one with an order, one whose key depends on the index.
#[test]
fn what_is_no_fold_by_key_stays() {
    for body in [
        "(head (reduce 0 + (map (lambda (x) (if (= x c) x 1)) xs)))",
        "(head (reduce 0 + (map (lambda (x) (if (< x c) x 0)) xs)))",
        "(head (reduce 0 + (map (lambda (x) (if (= (+ x c) c) x 0)) xs)))",
        "(head (reduce 0 + (map (lambda (x) (if (= x c) c 0)) xs)))",
        "(head (reduceSeq 0 + (map (lambda (x) (if (= x c) x 0)) xs)))",
    ] {
        let text = format!(
            "(lift k (N B) ((array-type int N) (array-type int B)) (lambda (xs bs) (map (lambda (c) {body}) (iota B))))"
        );
        assert_eq!(found(&kernel(&text)).0, 0, "{body}");
    }
}

/// OpenCL has no atomic operation for these.
#[test]
fn other_numbers_have_tables_of_their_own() {
    const BOTH: [&str; 2] = ["fold-by-key", "by-key-sorted"];
    let of = |ty: &str, fold: &str, z: &str| {
        format!(
            "(lift k (N B) ((array-type int N) (array-type {ty} N) (array-type int B)) (lambda (ks xs bs)
               (map (lambda (c) (head (reduce {z} {fold} (map (lambda (p) (if (= (get1 p) c) (get2 p) {z})) (zip ks xs)))))
                    (iota B))))"
        )
    };
    let exact = |n: usize| floats((0..n).map(|i| (i % 13) as f32 * 0.25 - 1.0));
    let some = |values: fn(usize) -> Value| {
        [(0, 3), (200, 1), (2100, 3), (150, 150)].map(|(n, b)| vec![keys(n, b), values(n), ints(0..b)])
    };
    by_key(&of("float", "+", "0.0f"), &BOTH, &some(|n| floats((0..n).map(|i| (i % 13) as f32 * 0.25 - 1.0))));
    // Bits of floats in order have an atomic operation.
    by_key(&of("float", "min", "100.0f"), &["fold-by-key"], &some(|n| floats((0..n).map(|i| (i % 17) as f32))));
    by_key(&of("int", "*", "1"), &BOTH, &some(|n| ints((0..n).map(|i| i as i32 % 5 - 2))));
    by_key(
        &of("long", "+", "0L"),
        &BOTH,
        &some(|n| Value::Array(ArrayValue::Long((0..n).map(|i| (i as i64) << 33).collect()))),
    );
    // NaN and infinities stay in their bucket.
    let strange = |i: usize| [1.5, f32::NAN, f32::INFINITY, -2.0, f32::NEG_INFINITY, 0.0][i % 6];
    let apart = vec![ints((0..600).map(|i| i % 6)), floats((0..600).map(strange)), ints(0..7)];
    by_key(&of("float", "+", "0.0f"), &BOTH, &[apart, vec![keys(40, 3), exact(40), ints(0..3)]]);
}

/// Tables that 32 work-items share, in one turn and in several, and one in global memory.
#[test]
fn many_keys_share_tables() {
    let target =
        Target { most_in_group: 256, compute_units: 2, local_memory: 3200, single_pass: false, ..Target::gpu() };
    let target = target.with(Parameter::KeyMasked, 2);
    let cases = [(0, 3), (300, 20), (100, 500), (60, 1200)];
    let strange = |i: usize| [1.5, f32::NAN, f32::INFINITY, -2.0, f32::NEG_INFINITY, 0.25][i % 6];
    for (fold, z) in [("+", "0.0f"), ("min", "inff"), ("max", "-inff")] {
        let text = format!(
            "(lift k (N B) ((array-type int N) (array-type float N) (array-type int B)) (lambda (ks xs bs)
               (reduceByKey #B {z} {fold} ks xs)))"
        );
        let value = |i: usize| if fold == "+" { (i % 13) as f32 * 0.25 - 1.0 } else { strange(i / 2) };
        let kernel = kernel(&text);
        let program = compile(&kernel, &target).unwrap_or_else(|e| panic!("{}", e[0]));
        for (n, b) in cases {
            let inputs = vec![keys(n, b), floats((0..n).map(value)), ints(0..b)];
            agree(&kernel, &program, &inputs).unwrap_or_else(|problem| panic!("{fold}, {n}, {b}: {problem}"));
        }
    }
}

/// An operator whose operands have an order, and one of tuples whose parts depend on each other. For few keys each is a pass.
#[test]
fn what_no_table_serves_is_sorted() {
    let of = |keys: &str, ty: &str, z: &str, fold: &str| {
        format!(
            "(lift k (N B) ((array-type int N) (array-type {ty} N) (array-type int B)) (lambda (ks xs bs)
               (reduceByKey {keys} {z} {fold} ks xs)))"
        )
    };
    let last = "(lambda (a b) (if (< b 0) a b))";
    let greatest = "(lambda ((tuple a i) (tuple b j)) (if (or (> b a) (and (= a b) (< j i))) (tuple b j) (tuple a i)))";
    let inputs = |values: fn(usize) -> Value| {
        [(0, 3), (1, 1), (150, 40), (600, 7)].map(|(n, b)| vec![keys(n, b), values(n), ints(0..b)])
    };
    let numbers = inputs(|n| ints((0..n).map(|i| i as i32 % 13)));
    let pairs = inputs(|n| {
        let pair = |i: usize| Value::Tuple(vec![Value::Float((i * 7 % 11) as f32), Value::Int(i as i32)]);
        rows((0..n).map(pair))
    });
    for (ty, z, fold, inputs) in
        [("int", "-1", last, numbers), ("(tuple-type float int)", "(tuple -inff 1000000)", greatest, pairs)]
    {
        let many = kernel(&of("#B", ty, z, fold));
        assert_eq!(found(&many), (1, vec!["fold-by-key", "by-key-sorted"]), "{many}");
        means_the_same(&many, &targets(), &inputs);
        assert_eq!(found(&kernel(&of("#4", ty, z, fold))).0, 0, "{fold}");
    }
}

const MEANS: &str =
    "(lift k (N K D) ((array-type int N) (array-type (array-type float D) N) (array-type (array-type float D) K))
  (lambda (clusters points centroids)
    (map (lambda (numbered)
           (let c (get1 numbered)
             (let size (count (= c) clusters)
               (zipWith (lambda (old coordinates)
                          (let total (sum (zipWith (lambda (k x) (if (= k c) x 0.0f)) clusters coordinates))
                            (if (= size 0) old (/ total (toFloat size)))))
                        (get2 numbered)
                        (transpose points)))))
         (enumerate centroids))))";

#[test]
fn columns_are_folded_together() {
    let inputs = |(n, k, d): (usize, i32, usize)| {
        let row = |i: usize| floats((0..d).map(|j| ((i * 7 + j * 3) % 16) as f32 * 0.5));
        vec![keys(n, k), rows((0..n).map(row)), rows((0..k as usize).map(row))]
    };
    let sizes = [(1, 1, 1), (90, 3, 2), (200, 3, 17), (30, 2, 150), (60, 20, 3), (2100, 2, 2)];
    by_key(MEANS, &["fold-by-key", "fold-by-key", "by-key-sorted"], &sizes.map(inputs));
    // A column is transformed before it is folded.
    let text = "(lift k (N K D) ((array-type int N) (array-type (array-type float N) D) (array-type int K))
      (lambda (ks columns bs)
        (map (lambda (c)
               (map (lambda (column)
                      (sum (map (lambda (p) (if (= (bitand (get1 p) 7) c) (* 2.0f (get2 p)) 0.0f)) (zip ks (reverse column)))))
                    columns))
             (iota K))))";
    let inputs = |(n, k, d): (usize, i32, usize)| {
        let column = |j: usize| floats((0..n).map(|i| ((i * 7 + j * 3) % 16) as f32 * 0.5));
        vec![keys(n, k), rows((0..d).map(column)), ints(0..k)]
    };
    let kernel = kernel(text);
    assert_eq!(found(&kernel).1, ["fold-by-key", "by-key-sorted"], "{kernel}");
    means_the_same(&kernel, &targets(), &[(1, 1, 1), (90, 3, 2), (200, 9, 3)].map(inputs));
}

/// Functions of a row `r` of 300 elements with so many comparisons that a table pays.
const OF_ROWS: [&str; 4] = [
    "(reduceByKey #120 0 + r (map (lambda (v) (mod v 7)) r))",
    "(let h (reduceByKey #150 0.0f + r (map toFloat r)) (let all (head (reduce 0.0f + h)) (map (lambda (x) (+ x all)) h)))",
    "(reduceByKey #110 -1 max (map (lambda (v) (- v 60)) r) (reverse r))",
    "(let h (reduceByKey #120 1 * (map (lambda (v) (mod v 150)) r) (map (lambda (v) (mod v 3)) r)) (head (reduce 0 max h)))",
];

/// A group has a table for each row: with atomic operations and without, in several turns where it is large, and with
/// work before and behind. Where a device has no room for it, one work-item folds the row.
#[test]
fn a_group_folds_a_row_by_key() {
    let inputs = |n: usize| vec![rows((0..n).map(|i| ints((0..300).map(|j| (i as i32 * 7 + j * 37) % 211 - 3))))];
    let few = targets().into_iter().find(|(name, _)| name.starts_with("nvidia"));
    let targets: Vec<_> = [("gpu", Target::gpu())].into_iter().chain(few).collect();
    for body in OF_ROWS {
        let kernel = kernel(&format!(
            "(lift k (N) ((array-type (array-type int 300) N)) (lambda (xs) (map (lambda (r) {body}) xs)))"
        ));
        let text = compile(&kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("{}", e[0])).opencl.text;
        assert!(text.contains("__local int table[4096]") || text.contains("__local float table[4096]"), "{text}");
        means_the_same(&kernel, &targets, &[inputs(2)]);
    }
}

/// The order in which floats are combined depends on lengths alone.
#[test]
fn floats_give_the_same_result_in_every_run() {
    let kernel = kernel(MEANS);
    let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|e| panic!("{}", e[0]));
    let row = |i: usize| floats((0..3).map(|j| 1.0 / (i * 7 + j * 3 + 1) as f32));
    let inputs = vec![keys(9000, 5), rows((0..9000).map(row)), rows((0..5).map(row))];
    let sizes = interp::bind_sizes(&kernel, &inputs, &[]).expect("the sizes are known");
    let options = crate::run::RunOptions::default();
    let run =
        || crate::run::run(&program, &inputs, &sizes, &crate::testing::device(), &options).expect("it runs").value;
    let first = run().to_string();
    for _ in 0..4 {
        assert_eq!(run().to_string(), first);
    }
}

/// The tables of the parts, and the fold over them.
#[test]
fn the_text_of_a_histogram() {
    let text = "(lift histogram (N) ((array-type int N)) (lambda (xs) (map (lambda (c) (count (= c) xs)) (iota #10))))";
    let program =
        compile(&kernel(text), &Target { local_memory: 1024, ..Target::gpu() }).unwrap_or_else(|e| panic!("{}", e[0]));
    let start = program.opencl.text.find("// reduce by key").unwrap_or(0);
    expect_test::expect_file!["texts/histogram.cl"].assert_eq(&program.opencl.text[start..]);
}

#[test]
fn the_text_of_sums_of_columns() {
    let program =
        compile(&kernel(MEANS), &Target { most_in_group: 4, ..Target::gpu() }).unwrap_or_else(|e| panic!("{}", e[0]));
    let tables: Vec<&str> = program.opencl.text.split("\n// ").collect();
    let columns = tables.iter().position(|launch| launch.contains("columns_of_table")).unwrap_or(0);
    expect_test::expect_file!["texts/sums_of_columns.cl"].assert_eq(&tables[columns..columns + 2].join("\n// "));
}
