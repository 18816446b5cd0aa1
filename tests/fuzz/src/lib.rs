//! `lift-fuzz`: machines that look for counterexamples, for as long as one wants.
//!
//! `./tests/fuzz/run MODE COUNT [SEED]` tries COUNT cases; case i is made from the seed SEED + i alone, so each wrong one
//! is tried again by its own seed and a count of 1. What is wrong is made smaller before it is shown. The tests of this
//! crate try a bounded number of each mode, and every case of `corpus/`.
//!
//! | module | job |
//! |---|---|
//! | [`choices`] | random numbers, and shrinking what was chosen |
//! | [`program`] | random well-typed programs over the whole language |
//! | [`tree`], [`mutate`] | programs as trees of brackets: smaller ones, near-misses |
//! | [`soundness`] | accepted programs run with their lengths watched |
//! | [`written`] | a program formatted, or with what is inserted written out, is the same program |
//! | [`differential`] | interpreter, device and every form of a program do the same |
//! | [`checks`] | whatever assumes or checks, under every primitive that takes a function |
//! | [`text`] | any text is survived |

pub mod checks;
pub mod choices;
pub mod differential;
pub mod mutate;
pub mod program;
pub mod soundness;
pub mod text;
pub mod tree;
pub mod written;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Case {
    /// Accepted, or run, and all is as it should be.
    Accepted,
    /// Rejected, as it may be.
    Rejected,
    Wrong(Wrong),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// The smallest program, or session, that was found.
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

/// Tries `count` cases from `seed` on; each wrong one is given to `report` with its seed.
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

/// A panic is an error like others here.
pub fn guarded<T>(f: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("panic: {}", text.unwrap_or("without a message")))
    })
}

/// A crash that cannot be caught leaves what it crashed on, in `tests/output/`.
pub fn remember(mode: &str, text: &str) {
    let folder = lift_tests::files::root().join("tests/output");
    // Where nothing can be written, only the seed says what it was.
    let _ =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join(format!("fuzz-{mode}.lift")), text));
}
