//! Coverage of the generator: fuzzing says nothing about language features that are never generated.

use lift_analysis::prims;
use lift_codegen::lower::compile;
use lift_codegen::schedule::rules;
use lift_codegen::target::Target;
use lift_fuzz::checks;
use lift_fuzz::choices::Random;
use lift_fuzz::differential;
use lift_fuzz::differential::{COMPUTE_UNITS, Failing, MOST_IN_GROUP, PER_ITEM, SIZES, Way, targets};
use lift_fuzz::outer;
use lift_fuzz::program::shapes::failing::{CHECKS, WORK};
use lift_fuzz::program::shapes::orders::{DISORDERS, LEXICOGRAPHIC, NUMBERS, ORDERS};
use lift_fuzz::program::{Breadth, inputs, program};
use lift_fuzz::ran::{Ran, on_interpreter};
use lift_fuzz::tree::{Tree, parse};
use lift_tests::files;
use std::collections::{BTreeSet, HashMap, HashSet};

const PROGRAMS: u64 = 2500;

/// Returns for each word the number of programs that contain it.
fn programs_with_each_word(breadth: Breadth) -> HashMap<String, u64> {
    fn words(tree: &Tree, found: &mut Vec<String>) {
        match tree {
            Tree::Word(word) => found.push(word.clone()),
            Tree::List(parts) => parts.iter().for_each(|part| words(part, found)),
        }
    }
    let mut counts = HashMap::new();
    for seed in 0..PROGRAMS {
        let choices = Random::new(seed).choices(220);
        let mut found = Vec::new();
        parse(&program(&choices, breadth)).iter().for_each(|form| words(form, &mut found));
        found.sort();
        found.dedup();
        for word in found {
            *counts.entry(word).or_insert(0) += 1;
        }
    }
    counts
}

/// Returns the primitives that fewer than `least` programs contain, under any of their names.
fn rare(breadth: Breadth, least: u64) -> Vec<&'static str> {
    let counts = programs_with_each_word(breadth);
    let count = |p: &prims::Primitive| -> u64 {
        std::iter::once(&p.name).chain(&p.aliases).filter_map(|name| counts.get(&**name)).sum()
    };
    prims::all().iter().filter(|p| count(p) < least).map(|p| &*p.name).collect()
}

#[test]
fn every_primitive_is_in_programs() {
    assert_eq!(rare(Breadth::Whole, 5), [] as [&str; 0]);
}

/// Excluded are primitives that are not exact on every device, or supported in some places only.
#[test]
fn every_primitive_that_is_the_same_on_every_device_is_in_programs_that_are_compiled() {
    let left_out = [
        "exp",
        "log",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "atan2",
        "filterWrg",
        "filterLcl",
        "scatter",
    ];
    assert_eq!(rare(Breadth::Compiled, 5), left_out);
}

/// Every comparison function is applied to every kind of number.
#[test]
fn every_order_is_of_every_kind_of_numbers() {
    let joined =
        |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(").replace(" )", ")");
    let orders = ORDERS.iter().map(|order| format!("(argsort {order} "));
    let orders = orders.chain(DISORDERS.iter().map(|order| format!("(sort < (argsort {order} ")));
    let pairs = orders.flat_map(|order| NUMBERS.map(|number| format!("{order}(map (lambda (x) {number}) ")));
    let of_pairs = NUMBERS.map(|number| format!("(argsort {LEXICOGRAPHIC} (zip (map (lambda (x) {number}) "));
    let mut missing: BTreeSet<String> = pairs.chain(of_pairs).collect();
    for seed in 0..PROGRAMS {
        // No definitions before the shape, and the shape `orders`.
        let choices = [vec![0, 21], Random::new(seed).choices(40)].concat();
        let text = joined(&program(&choices, Breadth::Shapes));
        missing.retain(|pair| !text.contains(pair));
        if missing.is_empty() {
            return;
        }
    }
    panic!("in no program: {missing:#?}");
}

/// All options of differential cases occur: every value, and every combination of work-group size and number of compute
/// units.
#[test]
fn every_way_to_compile_is_tried() {
    const WAYS: u64 = 2000;
    let mut counts: HashMap<String, u64> = HashMap::new();
    for seed in 0..WAYS {
        let (way, _) = Way::of(seed);
        let target = way.target;
        let sizes = way.sizes().map(|(n, m)| format!("N={n} M={m}"));
        let options = [
            format!("checked {}", target.checked),
            format!("per item {}", target.per_item),
            format!("group {} units {}", target.most_in_group, target.compute_units),
        ];
        for what in sizes.chain(options) {
            *counts.entry(what).or_insert(0) += 1;
        }
    }
    let groups = MOST_IN_GROUP.iter().flat_map(|g| COMPUTE_UNITS.map(|u| format!("group {g} units {u}")));
    let elements = PER_ITEM.iter().map(|n| format!("per item {n}"));
    let sizes = SIZES.iter().map(|(n, m)| format!("N={n} M={m}"));
    let checks = [true, false].map(|checked| format!("checked {checked}"));
    for what in groups.chain(elements).chain(sizes).chain(checks) {
        let count = counts.get(&what).copied().unwrap_or(0);
        assert!(count >= WAYS / 100, "{what}: {count} of {WAYS}");
    }
}

/// Every failing check is followed by all work on every target; the checks include every primitive that assumes or checks
/// something, fail for some sizes and hold for others.
#[test]
fn every_failing_check_is_followed_by_all_work_on_every_target() {
    let all: HashSet<Failing> = (0..Failing::number()).map(Failing::nth).collect();
    assert_eq!(all.len(), CHECKS.len() * WORK.len() * targets().len());
    let words = |text: &str| -> String {
        let words = text.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|word| !word.is_empty());
        words.map(|word| format!(" {word} ")).collect()
    };
    // The longest part without a letter that stands for something else.
    let part = |text: &str| words(text.split(['F', 'G', 'H', 'P']).max_by_key(|part| part.len()).unwrap_or_default());
    let has = |name: &str| match name {
        "cast" => CHECKS.iter().any(|check| check.contains("(: ")),
        name => CHECKS.iter().any(|check| words(check).contains(&format!(" {name} "))),
    };
    let missing: BTreeSet<&str> = checks::CHECKS.iter().map(|check| check.uses).filter(|name| !has(name)).collect();
    assert!(missing.is_empty(), "checks of no program: {missing:?}");
    for i in 0..CHECKS.len().max(WORK.len()) {
        let (check, work) = (i % CHECKS.len(), i % WORK.len());
        // After check and work: at the top, with a filter that keeps what is above 2.
        for work in [0, work] {
            let text = program(&Failing { check, work, target: 0 }.choices(&[]), Breadth::Failing);
            let (said, (check_part, work_part)) = (words(&text), (part(CHECKS[check]), part(WORK[work])));
            assert!(said.contains(&check_part) && said.contains(&work_part), "{check_part} {work_part}:\n{text}");
            let kernel = differential::kernel(&text).unwrap_or_else(|why| panic!("{why}\n{text}"));
            let runs = || [(0, 3), (1, 1), (5, 2), (7, 5), (8, 2)].into_iter();
            let fails = |(n, m)| matches!(on_interpreter(&kernel, inputs(n, m), 5_000_000), Ran::Failed { .. });
            let failed = runs().filter(|size| fails(*size)).count();
            assert!(failed > 0, "it never fails:\n{text}");
            assert!(failed < runs().count(), "it never holds:\n{text}");
        }
    }
}

/// Rules that need rows side by side in memory, an outer length that is a size, or a padding that the host knows. What is
/// computed instead is compared with the interpreter like everything else.
const NEVER: [(&str, &[&str]); 11] = [
    ("short-rows", &["what a filter kept"]),
    ("map-parts", &["a branch", "a number", "a part", "what a filter kept"]),
    ("map-tables-wrg", &["a branch", "a number", "a part", "what a filter kept"]),
    ("tile-parts", &["a branch", "a number", "a part", "what a filter kept"]),
    ("unroll-and-jam", &["a branch", "a number", "a part", "what a filter kept"]),
    ("tile-fold", &["a branch", "a number", "a part", "what a filter kept"]),
    ("map-turned", &["a branch", "a number", "a part", "what a filter kept"]),
    ("tile-pairs", &["a branch", "a number", "a part", "what a filter kept"]),
    ("blocks", &["what a filter kept"]),
    ("column-teams", &["what a filter kept"]),
    ("tile-transpose", &["what a filter kept"]),
];

/// Every rule for tiles, and every other one that a skeleton is there for, is applied under every kind of outer length; and
/// each kernel runs with nothing, one and many of each dimension.
#[test]
fn every_shared_kernel_meets_every_outer_length() {
    let tiling = rules::ALL.iter().filter(|rule| rule.chapter == rules::Chapter::Tiling).map(|rule| rule.name);
    let named: BTreeSet<&str> = outer::SKELETONS.iter().flat_map(|skeleton| skeleton.rules.iter().copied()).collect();
    let without: Vec<&str> = tiling.filter(|rule| !named.contains(rule)).collect();
    assert_eq!(without, [] as [&str; 0], "no skeleton is there for these rules");
    let outers: Vec<&str> = outer::OUTERS.iter().filter(|outer| !outer.inside).map(|outer| outer.name).collect();
    let pairs = named.iter().flat_map(|rule| outers.iter().map(|outer| (*rule, *outer)));
    let never = |rule: &str, kind: &str| NEVER.iter().any(|(named, kinds)| *named == rule && kinds.contains(&kind));
    let mut missing: BTreeSet<(&str, &str)> = pairs.filter(|(rule, kind)| !never(rule, kind)).collect();
    for case in (0..outer::Case::number()).map(outer::Case::nth) {
        let (skeleton, kind) = (&outer::SKELETONS[case.skeleton], outer::OUTERS[case.outer].name);
        if skeleton.rules.iter().any(|rule| missing.contains(&(*rule, kind))) {
            let Ok(applied) = case.rules() else { continue };
            missing.retain(|(rule, of)| *of != kind || !applied.contains(rule));
        }
    }
    let missing: Vec<String> = missing.iter().map(|(rule, kind)| format!("{rule} under {kind}")).collect();
    assert!(missing.is_empty(), "in no program:\n{}", missing.join("\n"));
    for (n, m) in [0, 1, 2].into_iter().flat_map(|n| [0, 1, 2].map(|m| (n, m))) {
        assert!(outer::SIZES.iter().any(|size| (size.0.min(2), size.1.min(2)) == (n, m)), "{n} × {m}");
    }
}

#[test]
fn sizes_are_where_programs_go_wrong() {
    let has = |n: usize| SIZES.iter().any(|size| size.0 == n);
    let is_prime = |n: usize| n > 1 && (2..n).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    assert!([0, 1, 2].into_iter().all(has));
    for power in [64, 128, 256] {
        assert!([power - 1, power, power + 1].into_iter().all(has), "{power}");
    }
    assert!(SIZES.iter().filter(|size| is_prime(size.0)).count() >= 6);
    // Several work-groups of each size, with the last one partly filled.
    for group in MOST_IN_GROUP.into_iter().skip(1).map(|group| group as usize) {
        assert!(SIZES.iter().filter(|(n, _)| *n > group && !n.is_multiple_of(group)).count() >= 5, "{group}");
    }
    assert!(SIZES.iter().any(|(_, m)| *m == 0));
}

/// Returns the rules that apply to the program of a seed, for its device or for an NVIDIA GPU.
fn rules_applied(seed: u64) -> BTreeSet<&'static str> {
    let (way, mut random) = Way::of(seed);
    let breadth = if seed.is_multiple_of(8) { Breadth::Compiled } else { Breadth::Shapes };
    let text = program(&random.choices(180), breadth);
    let kernel = differential::kernel(&text).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    let compiled = [way.target, Target::nvidia()].map(|target| compile(&kernel, &target).ok());
    compiled.iter().flatten().flat_map(|c| c.report.applied.iter().map(|applied| applied.rule.name)).collect()
}

/// Every rule of the compiler applies to some program on some device. `rules.txt` has the seeds that showed it last;
/// `UPDATE_EXPECT=1` searches them again, which saves a minute of each run after a change of the generator.
#[test]
fn every_rule_is_applied_to_programs() {
    const MOST: u64 = 5000;
    let file = files::root().join("tests/fuzz/rules.txt");
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let known = known.lines().filter_map(|line| line.parse().ok());
    // A `mapLcl` outside `mapWrg` is an error.
    let names = rules::ALL.iter().map(|rule| rule.name).filter(|name| *name != "map-wrg");
    let mut missing: BTreeSet<&str> = names.collect();
    let mut useful: Vec<u64> = Vec::new();
    for seed in known.chain(0..MOST) {
        let applied = rules_applied(seed);
        let before = missing.len();
        missing.retain(|name| !applied.contains(name));
        if missing.len() < before {
            useful.push(seed);
        }
        if missing.is_empty() {
            break;
        }
    }
    assert!(missing.is_empty(), "in no program of {MOST}: {missing:?}");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let lines: String = useful.iter().map(|seed| format!("{seed}\n")).collect();
        std::fs::write(&file, lines).expect("the file is written");
    }
}
