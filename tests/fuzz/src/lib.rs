//! `lift-fuzz`: searches for counterexamples with random cases.
//!
//! `./tests/fuzz/run MODE COUNT [SEED]` tries COUNT cases. Case i depends only on the seed SEED + i, so a failing case
//! is repeated with its own seed and a count of 1. Failing cases are minimized before they are shown. The tests of this
//! crate try a bounded number of cases of each mode, and every case of `corpus/`.
//!
//! | module | job |
//! |---|---|
//! | [`choices`] | random numbers, and minimization of choices |
//! | [`program`] | random well-typed programs over the whole language |
//! | [`tree`], [`mutate`] | programs as trees of brackets: minimization, near-misses |
//! | [`soundness`] | accepted programs run while their lengths are checked |
//! | [`written`] | formatting and elaboration preserve a program |
//! | [`differential`] | interpreter, device and every form of a program agree |
//! | [`checks`] | every assumption or check, inside every primitive that takes a function |
//! | [`outer`] | kernels shared by work-items, with outer lengths of every kind and empty dimensions |
//! | [`large`] | views that are stored nowhere, with lengths near 2^31 and 2^32 |
//! | [`ran`] | the outcome of a run, for comparison |
//! | [`parts`] | a kernel on blocks of its arrays computes the same |
//! | [`fronts`] | programs in APL and FCL, and near-misses of them |
//! | [`text`] | arbitrary text is processed without failure |

pub mod checks;
pub mod choices;
pub mod differential;
pub mod fronts;
pub mod large;
pub mod mutate;
pub mod outer;
pub mod parts;
pub mod program;
pub mod ran;
pub mod soundness;
pub mod text;
pub mod tree;
pub mod written;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// The outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// Accepted or run, without failure.
    Accepted,
    /// Rejected, which is allowed.
    Rejected,
    Wrong(Wrong),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The smallest failing program or session found.
    pub program: String,
    pub why: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    pub tried: u64,
    pub accepted: u64,
    pub rejected: u64,
    pub wrong: u64,
}

/// Tries `count` cases from `seed` on; passes failing ones to `report` with their seeds.
pub fn try_all(count: u64, seed: u64, try_one: fn(u64) -> Case, report: &mut dyn FnMut(u64, &Wrong)) -> Counts {
    let mut counts = Counts::default();
    for seed in (0..count).map(|i| seed.wrapping_add(i)) {
        counts.tried += 1;
        match try_one(seed) {
            Case::Accepted => counts.accepted += 1,
            Case::Rejected => counts.rejected += 1,
            Case::Wrong(wrong) => {
                counts.wrong += 1;
                report(seed, &wrong);
            }
        }
    }
    counts
}

/// Turns a panic into an error.
pub fn guarded<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

/// Writes the current case to `tests/output/`, for crashes that cannot be caught.
pub fn remember(mode: &str, text: &str) {
    let folder = lift_tests::files::root().join("tests/output");
    // If writing fails, the seed still identifies the case.
    let _ =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(format!("fuzz-{mode}.lift")), text));
}
