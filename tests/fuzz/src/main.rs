//! `lift-fuzz MODE COUNT [SEED]` tries cases and prints the failing ones; the last line is `N tried, M wrong`.
//! `lift-fuzz program FILE…` and `lift-fuzz texts FILE…` try files like the modes `soundness` and `text`. `lift-fuzz
//! text-of SEED` prints the text of a seed, not minimized.

use lift_fuzz::{Case, checks, differential, fronts, large, outer, soundness, text, try_all, written};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

type TryOne = fn(u64) -> Case;

const MODES: &[(&str, TryOne)] = &[
    ("soundness", soundness::try_one),
    ("written", written::try_one),
    ("differential", differential::try_one),
    ("rules", differential::try_shape),
    ("failing", differential::try_failing),
    ("checks", checks::try_one),
    ("outer", outer::try_one),
    ("large", large::try_one),
    ("text", text::try_one),
    ("apl", fronts::try_apl),
    ("fcl", fronts::try_fcl),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.split_first() {
        Some((mode, files)) if mode == "program" => return of_files(files, soundness::rejected_or_fine),
        Some((mode, files)) if mode == "texts" => return of_files(files, text::survived),
        Some((mode, [seed])) if mode == "text-of" => {
            if let Ok(seed) = seed.parse() {
                print!("{}", text::text_of(seed));
                return ExitCode::SUCCESS;
            }
        }
        _ => {}
    }
    let asked = match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [mode, count] => Some((*mode, count.parse().ok(), Some(now()))),
        [mode, count, seed] => Some((*mode, count.parse().ok(), seed.parse().ok())),
        _ => None,
    };
    let found = asked.and_then(|(mode, count, seed)| {
        let (_, try_one) = MODES.iter().find(|(name, _)| *name == mode)?;
        Some((mode, *try_one, count?, seed?))
    });
    let Some((mode, try_one, count, seed)) = found else {
        let modes: Vec<&str> = MODES.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: run {} COUNT [SEED]", modes.join("|"));
        return ExitCode::from(2);
    };
    // Panics are reported with the program that caused them.
    std::panic::set_hook(Box::new(|_| ()));
    println!("seed {seed}");
    let counts = try_all(count, seed, try_one, &mut |seed, wrong| {
        println!("--- wrong, seed {seed}\n{}\n{}", wrong.program.trim_end(), wrong.why);
        println!("again: tests/fuzz/run {mode} 1 {seed}\n");
    });
    println!("{} accepted, {} rejected", counts.accepted, counts.rejected);
    println!("{} tried, {} wrong", counts.tried, counts.wrong);
    if counts.wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Applies a mode's check to programs in files.
fn of_files(files: &[String], check: fn(&str) -> Result<Case, String>) -> ExitCode {
    let mut all_well = true;
    for file in files {
        let said = std::fs::read_to_string(file).map_err(|e| e.to_string()).and_then(|text| check(&text));
        all_well &= said.is_ok();
        println!("{file}: {said:?}");
    }
    if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64)
}
