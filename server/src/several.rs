//! Runs a kernel in parts on several devices, for the command line.

use crate::engine::{
    Compiled, MEASURE_FOR, Ran, Timing, Wanted, named_sizes, no_device, problem_in, run_error, run_failure,
};
use crate::parts;
use crate::places::{Located, with_places};
use crate::report::codes;
use lift_analysis::ide::{Analysis, Cancellable};
use lift_analysis::origin::Origin;
use lift_analysis::size::Var;
use lift_codegen::core::Kernel;
use lift_codegen::io::bind::{Argument, measure};
use lift_codegen::parts::Parts;
use lift_codegen::run::report::{Busy, ProfileEntry, spread};
use lift_codegen::run::several::{DeviceList, Several, SeveralFailure, Times};
use lift_codegen::run::{Built, Device, RunOptions};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use std::time::Instant;

/// Runs a kernel on all devices of a list. A kernel that cannot be computed on blocks is an error.
pub fn run(
    analysis: &Analysis,
    wanted: &Wanted,
    list: &DeviceList,
    kernel: &Kernel,
    arguments: Vec<Argument>,
    given: &[(Var, i64)],
) -> Compiled<Ran> {
    let subject = wanted.subject;
    let parts = match parts::of_kernel(analysis, subject.path, kernel)? {
        Ok(parts) => parts,
        Err(problems) => {
            let advice = "one device computes it: `--device opencl`";
            return Ok(Err(problems.into_iter().map(|p| p.note(advice)).collect()));
        }
    };
    let bound = match measure(kernel, arguments, given) {
        Ok(bound) => bound,
        Err(e) => return Ok(Err(vec![run_error(analysis, subject, &e)?])),
    };
    (wanted.tell)("looking for the devices");
    let devices = match list.open() {
        Ok(devices) => devices,
        Err(why) => return Ok(Err(vec![no_device(subject, &why)])),
    };
    let target = |device: &Device| {
        let target = wanted.target.unwrap_or_else(|| Target::of(&device.info));
        Target { checked: !wanted.unchecked, ..target }
    };
    let targets: Vec<Target> = devices.iter().map(|(device, _)| target(device)).collect();
    let names: Vec<String> = devices
        .iter()
        .map(|(d, _)| format!("opencl:{}, {} ({}, {})", d.info.index, d.info.name, d.info.kind, d.info.platform))
        .collect();
    let numbers: Vec<String> = devices.iter().map(|(d, _)| format!("opencl:{}", d.info.index)).collect();
    // Each measured run is a run of all steps, so the steps themselves are not repeated. Devices run concurrently, so
    // only their launches are timed.
    let timed = wanted.timing != Timing::Nothing;
    let options = RunOptions { profile: timed, memory: wanted.memory, built: Built::All, ..RunOptions::default() };
    let several = match Several::new(&parts, devices, &targets, options) {
        Ok(several) => several,
        Err(errors) => {
            let problem = |e: &lift_codegen::lower::LowerError| {
                problem_in(analysis, subject.path, codes::NOT_SUPPORTED, e.to_string(), Some(&e.origin))
            };
            return Ok(Err(errors.iter().map(problem).collect::<Cancellable<_>>()?));
        }
    };
    let (named, sizes) = (named_sizes(&bound), bound.sizes.clone());
    let inputs = match bound.into_values() {
        Ok(inputs) => inputs,
        Err(e) => return Ok(Err(vec![run_error(analysis, subject, &e)?])),
    };
    (wanted.tell)(&format!("running on {}", numbers.join(" and ")));
    let (value, rounds) = match rounds(&several, wanted, inputs, &sizes) {
        Ok(done) => done,
        Err(SeveralFailure { device, failure }) => {
            let problem = run_failure(analysis, subject, &failure)?;
            let on = device.and_then(|device| names.get(device));
            return Ok(Err(vec![match on {
                Some(name) => problem.note(format!("on {name}")),
                None => problem,
            }]));
        }
    };
    let mut notices = not_spread(analysis, &parts)?;
    notices.extend(rounds.last().iter().flat_map(|times| times.notices.clone()));
    let located = Located::default();
    let (profile, busy) = if timed { profile(&rounds, &numbers, &located, analysis) } else { Default::default() };
    let total = if timed { of_rounds(&rounds, |times| Some(times.longest)) } else { None };
    if let Some(stopped) = located.stopped.into_inner() {
        return Err(stopped);
    }
    let runs = if timed { rounds.len().try_into().unwrap_or(u32::MAX) } else { 0 };
    Ok(Ok(Ran { value, device: names.join(" and "), notices, profile, busy, runs, total, sizes: named }))
}

/// Runs all steps as often as is wanted; the value is that of the last run. Of several runs the first is not measured:
/// drivers finish compiling in it.
fn rounds(
    several: &Several,
    wanted: &Wanted,
    inputs: Vec<Value>,
    sizes: &SizeValues,
) -> Result<(Value, Vec<Times>), SeveralFailure> {
    let mut rounds = Vec::new();
    let mut value = several.run(inputs.clone(), sizes)?;
    if wanted.repeats <= 1 {
        return Ok((value, vec![several.take_times()]));
    }
    several.take_times();
    let start = Instant::now();
    for _ in 0..wanted.repeats {
        value = several.run(inputs.clone(), sizes)?;
        rounds.push(several.take_times());
        if start.elapsed() > MEASURE_FOR {
            break;
        }
    }
    Ok((value, rounds))
}

/// Returns a notice for each operation that moves more between devices than the elements of its blocks.
fn not_spread(analysis: &Analysis, parts: &Parts) -> Cancellable<Vec<String>> {
    with_places(analysis, |place| {
        let mut notices: Vec<String> = Vec::new();
        for told in parts.told.iter().filter(|told| told.notice) {
            let at = Some(place(&told.origin)).filter(|at| !at.is_empty()).map(|at| format!("{at}: "));
            let notice = format!("{}`{}`: {}", at.unwrap_or_default(), told.what, told.how);
            if !notices.contains(&notice) {
                notices.push(notice);
            }
        }
        notices
    })
}

/// Median, least and greatest of a time of each round.
fn of_rounds(rounds: &[Times], time: impl Fn(&Times) -> Option<f64>) -> Option<[f64; 3]> {
    spread(&rounds.iter().filter_map(time).collect::<Vec<f64>>())
}

/// The launches of each device, and the time of each device, over the rounds.
fn profile(
    rounds: &[Times],
    numbers: &[String],
    located: &Located,
    analysis: &Analysis,
) -> (Vec<ProfileEntry>, Vec<Busy>) {
    let mut entries = Vec::new();
    let mut busy = Vec::new();
    let locate = |origin: &Origin| located.find(analysis, origin);
    let Some(last) = rounds.last() else { return (entries, busy) };
    for (at, (number, launches)) in numbers.iter().zip(&last.launches).enumerate() {
        for launch in launches {
            let same = |times: &Times| {
                let found =
                    times.launches.get(at)?.iter().find(|l| l.kernel == launch.kernel && l.label == launch.label);
                found.map(|l| l.microseconds)
            };
            let [microseconds, least, greatest] = of_rounds(rounds, same).unwrap_or_default();
            entries.push(ProfileEntry {
                name: format!("{number}: {}", launch.label),
                kernel: launch.kernel.clone(),
                launches: launch.launches,
                microseconds,
                spread: [least, greatest],
                place: locate(&launch.origin),
                origin: Some((&launch.origin).into()),
            });
        }
        let [microseconds, ..] = of_rounds(rounds, |times| times.busy.get(at).copied()).unwrap_or_default();
        busy.push(Busy { device: number.clone(), microseconds });
    }
    (entries, busy)
}
