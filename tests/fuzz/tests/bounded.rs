//! The fuzz cases of continuous integration: fixed cases, some new ones, and kernels that once failed on devices
//! (`memory.rs` has the texts that once failed). A failure reports the seeds, the minimized programs, and a command to
//! repeat each; `tests/fuzz/run` tries more.
//!
//! The seed of the new cases is `LIFT_SEED`, or taken from the clock.

use lift_codegen::target::Target;
use lift_fuzz::{Case, Counts, Wrong, checks, differential, fronts, large, outer, soundness, text, try_all, written};
use lift_tests::check::Program;
use lift_tests::kernels::unoptimized_device;
use lift_tests::{files, sample};
use std::path::Path;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// The seed of the fixed cases.
const FIXED: u64 = 1;

/// One in so many fixed cases is tried by a run that takes a sample.
const ONE_IN: u64 = 3;

/// Whether so many are more than expected of all cases; of a sample, less is expected.
fn more(found: u64, than: u64) -> bool {
    if lift_tests::takes_all() { found > than } else { found >= (than / (2 * ONE_IN)).saturating_sub(5) }
}

/// Number of new cases per mode: at most a hundredth of the number tried without failure since the mode's last failure
/// was fixed or the mode was extended (counts are in tests/fuzz/LOG.md). A failure therefore most likely comes from a
/// recent change.
const FRESH: [(&str, u64); 11] = [
    ("checks", 1),
    ("outer", 1),
    ("large", 2),
    ("soundness", 3),
    ("written", 1),
    ("text", 0),
    ("apl", 0),
    ("fcl", 20),
    ("differential", 0),
    ("rules", 0),
    ("failing", 0),
];

/// Returns the first seed of the new cases.
fn fresh() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    *SEED.get_or_init(|| {
        let said = std::env::var("LIFT_SEED").ok();
        let clock = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
        match &said {
            Some(seed) => seed.parse().unwrap_or_else(|_| panic!("LIFT_SEED={seed} is not a number")),
            None => clock(),
        }
    })
}

#[track_caller]
fn none_wrong(mode: &str, count: u64, seed: u64, try_one: fn(u64) -> Case) -> Counts {
    let mut wrong = Vec::new();
    let mut report = |seed, Wrong { program, why }: &Wrong| {
        wrong.push(format!("seed {seed}\n{program}\n{why}\nagain: tests/fuzz/run {mode} 1 {seed}"));
    };
    // A sample has some of the fixed cases.
    let is_taken = |case: &u64| seed != FIXED || sample::takes(&(mode, case), ONE_IN);
    let seeds: Vec<u64> = (0..count).map(|i| seed.wrapping_add(i)).filter(is_taken).collect();
    let mut counts = Counts::default();
    for seed in &seeds {
        let one = try_all(1, *seed, try_one, &mut report);
        counts.tried += one.tried;
        counts.accepted += one.accepted;
        counts.rejected += one.rejected;
        counts.wrong += one.wrong;
    }
    assert!(
        wrong.is_empty(),
        "{} of {count} cases from seed {seed} on are wrong; LIFT_SEED={seed} tries the same new ones again\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert_eq!(counts.tried, seeds.len() as u64);
    counts
}

#[track_caller]
fn some_new(mode: &str, try_one: fn(u64) -> Case) {
    if let Some((_, count)) = FRESH.iter().find(|(name, _)| *name == mode) {
        none_wrong(mode, *count, fresh(), try_one);
    }
}

#[test]
fn types_are_true() {
    let counts = none_wrong("soundness", 300, FIXED, soundness::try_one);
    // If all near-misses were accepted, or all rejected, they would test nothing.
    assert!(more(counts.accepted, 100) && more(counts.rejected, 60), "{counts:?}");
    some_new("soundness", soundness::try_one);
}

#[test]
fn near_misses_in_other_languages_are_rejected_or_sound() {
    for (mode, try_one) in [("apl", fronts::try_apl as fn(u64) -> Case), ("fcl", fronts::try_fcl)] {
        let counts = none_wrong(mode, 150, FIXED, try_one);
        assert!(more(counts.accepted, 5) && more(counts.rejected, 40), "{mode}: {counts:?}");
        some_new(mode, try_one);
    }
}

#[test]
fn how_it_is_written_changes_nothing() {
    none_wrong("written", 100, FIXED, written::try_one);
    some_new("written", written::try_one);
}

#[test]
fn every_pair_of_branches_may_be_written_out() {
    written::pairs_of_branches().unwrap_or_else(|why| panic!("{why}"));
}

/// A sample of the tables: checks inside every primitive that takes a function, with all lengths and positions.
#[test]
fn checks_fail_alike_under_every_function() {
    let step = 97;
    let some: Vec<checks::Case> = (0..checks::Case::number()).step_by(step).map(checks::Case::nth).collect();
    checks::all_on_interpreter(&some).unwrap_or_else(|why| panic!("{why}"));
    none_wrong("checks", 10, FIXED, checks::try_one);
    some_new("checks", checks::try_one);
}

/// The tables contain every primitive that takes a function and every one with an assumption, and all combinations are
/// cases.
#[test]
fn no_pair_of_a_function_and_a_check_is_missing() {
    assert_eq!(checks::missing(), [] as [&str; 0]);
    let tried: std::collections::HashSet<_> = (0..checks::Case::number())
        .map(checks::Case::nth)
        .map(|case| (case.used, case.check, case.position, case.length))
        .collect();
    let (uses, checks) = (checks::USES.len(), checks::CHECKS.len());
    assert_eq!(tried.len(), uses * checks * checks::POSITIONS.len() * checks::LENGTHS.len());
}

/// A sample of the kernels that work-items share, of the outer lengths and of the targets, at all sizes.
#[test]
fn shared_kernels_take_any_outer_length() {
    let counts = none_wrong("outer", 6, FIXED, outer::try_one);
    assert!(more(counts.accepted, 3), "most are compiled: {counts:?}");
    some_new("outer", outer::try_one);
}

/// A sample of the views, of what is computed from them, of the lengths and of the targets.
#[test]
fn lengths_near_powers_of_two_are_right_or_refused() {
    let counts = none_wrong("large", 20, FIXED, large::try_one);
    assert!(more(counts.accepted, 3) && more(counts.rejected, 3), "{counts:?}");
    some_new("large", large::try_one);
}

#[test]
fn whatever_means_the_same_does_the_same() {
    let counts = none_wrong("differential", 15, FIXED, differential::try_one);
    assert!(more(counts.accepted, 5), "most are compiled: {counts:?}");
    some_new("differential", differential::try_one);
}

#[test]
fn rules_keep_what_programs_mean() {
    let counts = none_wrong("rules", 15, FIXED, differential::try_shape);
    assert!(more(counts.accepted, 10), "most are compiled: {counts:?}");
    some_new("rules", differential::try_shape);
}

#[test]
fn failed_checks_are_told_and_do_no_harm() {
    let counts = none_wrong("failing", 8, FIXED, differential::try_failing);
    assert!(more(counts.accepted, 5), "most are compiled: {counts:?}");
    some_new("failing", differential::try_failing);
}

#[test]
fn texts_are_survived() {
    let counts = none_wrong("text", 30, FIXED, text::try_one);
    assert!(more(counts.accepted, 2) && more(counts.rejected, 10), "{counts:?}");
    some_new("text", text::try_one);
}

/// Trees are lossless for all texts of the repository and for random ones.
#[test]
fn the_tree_is_lossless() {
    let folders = ["examples", "tests", "analysis/prelude"];
    let there: Vec<_> = folders.iter().flat_map(|folder| files::below(&files::root().join(folder), ".lift")).collect();
    assert!(there.len() > 100, "the programs are there");
    let random = (0..200).chain((0..100).map(|i| fresh().wrapping_add(i)));
    let texts = there.iter().map(|file| (file.display().to_string(), files::read(file)));
    for (name, text) in texts.chain(random.map(|seed| (format!("seed {seed}"), text::text_of(seed)))) {
        // An unfinished text can end anywhere.
        let half = (text.len() / 2..text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        for text in [text.as_str(), &text[..half], &text[half..]] {
            text::lossless(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        }
    }
}

/// A failing case is reported with a command that repeats it.
#[test]
fn what_is_wrong_can_be_tried_again() {
    fn odd_is_wrong(seed: u64) -> Case {
        match seed % 2 {
            0 => Case::Accepted,
            _ => Case::Wrong(Wrong { program: format!("({seed})"), why: "it is odd".to_owned() }),
        }
    }
    let failed = std::panic::catch_unwind(|| none_wrong("soundness", 3, 1000, odd_is_wrong)).expect_err("one is wrong");
    let said = failed.downcast_ref::<String>().expect("a text");
    assert_eq!(
        said,
        "1 of 3 cases from seed 1000 on are wrong; LIFT_SEED=1000 tries the same new ones again\n\
         seed 1001\n(1001)\nit is odd\nagain: tests/fuzz/run soundness 1 1001"
    );
}

/// For a sample of the kernels and classes of devices, the device gives the interpreter's result or failure.
#[test]
fn what_devices_did_wrong_once_is_right() {
    let of_file = |file: &str| {
        let program = Program::new(Path::new("."), file, &files::read(&files::root().join(file)));
        let kernels = program.kernels();
        assert!(kernels.len() > 10, "the programs of {file} are there: {}", program.outcome());
        kernels
    };
    let kernels = ["tests/fuzz/corpus/devices.lift", "tests/fuzz/corpus/counters.lift"].into_iter().flat_map(of_file);
    let kernels: Vec<_> = kernels.collect();
    let targets = [
        ("portable", Target::portable()),
        ("gpu", Target::gpu()),
        ("nvidia", Target::nvidia()),
        ("cpu", Target::cpu()),
    ];
    let mut wrong = Vec::new();
    for (name, target) in targets {
        let some = kernels.iter().filter(|kernel| sample::takes(&(name, &kernel.name), 3));
        let outcomes = some.map(|kernel| kernel.outcome_for(unoptimized_device(), &target, u64::MAX));
        let is_wrong = |o: &String| ["on OpenCL:", "not compiled:", "no core:"].iter().any(|what| o.contains(what));
        wrong.extend(outcomes.filter(is_wrong).map(|outcome| format!("{name}: {outcome}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
