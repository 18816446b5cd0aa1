//! Runs a kernel on a device, as `lift tune` found to be fastest.
//!
//! A rewritten program may assume more about lengths, and its source locations are not those of the program. So if
//! anything stops it, the original program runs instead.

use super::rewritten::recorded;
use super::{Compiled, MEASURE_FOR, Ran, Timing, Wanted, compile, core, named_sizes, run_error, run_failure};
use crate::places::Located;
use crate::program::texts;
use crate::tuned::records;
use lift_analysis::ide::Analysis;
use lift_analysis::origin::Origin;
use lift_codegen::core::Kernel;
use lift_codegen::core::print::meaning;
use lift_codegen::interp::RunError;
use lift_codegen::io::bind::Bound;
use lift_codegen::run::report::RunReport;
use lift_codegen::run::{self as device_run, Device, Outcome, RunFailure, RunOptions};
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::Target;
use lift_codegen::value::Value;
use std::path::Path;

pub(super) fn run(
    analysis: &Analysis,
    wanted: &Wanted,
    kernel: &Kernel,
    bound: Bound,
    device: &Device,
) -> Compiled<Ran> {
    let path = wanted.subject.path;
    let named = named_sizes(&bound);
    let mut notices = Vec::new();
    let mut record = None;
    if wanted.target.is_none() && !wanted.untuned {
        let fingerprint = format!("{:016x}", meaning(kernel));
        let program = Path::new(&**path);
        let key = records::Key { program, kernel: &kernel.name, meaning: &fingerprint, device: &device.info };
        let found = key.lookup(&named);
        notices.extend(found.notice);
        record = found.record;
    }
    let mut rewritten = None;
    if let Some(found) = &record {
        match recorded(&texts(analysis, path)?, path, found)? {
            Ok(now) => rewritten = now,
            Err(why) => {
                notices.push(records::unused(Path::new(&**path), &why));
                record = None;
            }
        }
    }
    let choice = record.map(|record| record.choice).unwrap_or_default();
    let suited = choice.on(&device.info).unwrap_or_else(|_| Target::of(&device.info));
    let target = Target { checked: !wanted.unchecked, ..wanted.target.unwrap_or(suited) };
    let sizes = bound.sizes.clone();
    let mut inputs = Inputs { bound: Some(bound), values: Vec::new() };
    let on = OnDevice { wanted, device, target, sizes: &sizes };
    let located = Located::default();
    let report = |outcome: &Outcome, locate: &dyn Fn(&Origin) -> Option<device_run::report::Place>| {
        RunReport::new(&kernel.name, outcome, &device.info, Some(0), locate)
    };
    let by_laws = match &rewritten {
        Some(now) => match core(&now.analysis, path, &kernel.name)? {
            Ok(kernel) => on.run(&now.analysis, &kernel, &mut inputs)?.ok().map(|outcome| (now, outcome)),
            Err(_) => None,
        },
        None => None,
    };
    let (about, outcome) = match by_laws {
        Some((now, outcome)) => {
            let locate = |origin: &Origin| located.answer(now.place(analysis, origin));
            (report(&outcome, &locate), outcome)
        }
        None => match on.run(analysis, kernel, &mut inputs)? {
            Ok(outcome) => (report(&outcome, &|origin| located.find(analysis, origin)), outcome),
            Err(problems) => return Ok(Err(problems)),
        },
    };
    let device = format!("opencl:{}, {}", device.info.index, about.device);
    notices.extend(outcome.notices);
    Ok(Ok(Ran {
        value: outcome.value,
        device,
        notices,
        profile: about.profile,
        busy: Vec::new(),
        runs: about.runs,
        total: about.total,
        sizes: named,
    }))
}

/// Where a run takes place.
struct OnDevice<'a> {
    wanted: &'a Wanted<'a>,
    device: &'a Device,
    target: Target,
    sizes: &'a SizeValues,
}

/// The inputs, made when a program that fits the device first needs them.
struct Inputs<'k> {
    bound: Option<Bound<'k>>,
    values: Vec<Value>,
}

impl Inputs<'_> {
    fn values(&mut self) -> Result<&[Value], RunError> {
        if let Some(bound) = self.bound.take() {
            self.values = bound.into_values()?;
        }
        Ok(&self.values)
    }
}

impl OnDevice<'_> {
    /// Runs a kernel of a program.
    fn run(&self, analysis: &Analysis, kernel: &Kernel, inputs: &mut Inputs) -> Compiled<Outcome> {
        let OnDevice { wanted, device, sizes, mut target } = *self;
        let mut program = match compile(analysis, wanted.subject.path, kernel, &target)? {
            Ok(program) => program,
            Err(problems) => {
                let advice = "`--device interpreter` runs what cannot be compiled";
                return Ok(Err(problems.into_iter().map(|p| p.note(advice)).collect()));
            }
        };
        let repeats = wanted.repeats.max(1);
        let options = RunOptions {
            profile: wanted.timing == Timing::RunsAndLaunches,
            timed: wanted.timing != Timing::Nothing,
            // Drivers finish compiling at the first launch.
            warmup: u32::from(repeats > 1),
            repeats,
            measure_for: Some(MEASURE_FOR),
            memory: wanted.memory,
            ..RunOptions::default()
        };
        // Check the plan before memory is spent on inputs.
        if let Err(failure) = device_run::check(&program, sizes, &device.info, &options) {
            return Ok(Err(vec![run_failure(analysis, wanted.subject, &failure)?]));
        }
        let values = match inputs.values() {
            Ok(values) => values,
            Err(e) => return Ok(Err(vec![run_error(analysis, wanted.subject, &e)?])),
        };
        (wanted.tell)(&format!("running on {}", device.info.name));
        loop {
            let failure = match device_run::run(&program, values, sizes, device, &options) {
                Ok(outcome) => return Ok(Ok(outcome)),
                Err(failure) => failure,
            };
            // A device's limit on the work-groups of a function is known only after the build.
            let smaller = match failure {
                RunFailure::Groups { most, .. } => target.with_groups_of(most),
                _ => None,
            };
            let Some(smaller) = smaller else { return Ok(Err(vec![run_failure(analysis, wanted.subject, &failure)?])) };
            target = smaller;
            program = match compile(analysis, wanted.subject.path, kernel, &target)? {
                Ok(program) => program,
                Err(problems) => return Ok(Err(problems)),
            };
        }
    }
}
