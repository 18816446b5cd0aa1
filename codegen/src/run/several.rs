//! Runs a kernel in parts on several devices of this machine.
//!
//! [`Several`] has one entry for each device, with its context and its built programs; a kernel of the parts is
//! compiled once for each target. The blocks of a step run at the same time, one thread for each device. Between steps,
//! blocks are values of the host, so each device gets only the elements that its blocks read.
//!
//! Device `i` of the list computes block `i` of each array. [`DeviceList`] gives the length of its block, as a share.

use super::device::{Device, DeviceChoice, NoDevice, choose};
use super::execute::{LaunchTime, RunOptions, run};
use super::failure::RunFailure;
use super::prepare;
use crate::interp::{RunError, bind_sizes};
use crate::lower::{self, LowerError};
use crate::parts::execute::{Call, Cut, Runner};
use crate::parts::{self, KernelId, Parts};
use crate::plan::Program;
use crate::sizes::SizeValues;
use crate::target::Target;
use crate::value::Value;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

/// Several devices as a person lists them: at least two, all different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceList {
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    index: usize,
    /// `None`: the device's compute units.
    share: Option<u32>,
}

/// Parses `opencl:0,1`, and with shares `opencl:0:3,1:1`.
impl FromStr for DeviceList {
    type Err = String;
    fn from_str(text: &str) -> Result<DeviceList, String> {
        let names = text.strip_prefix("opencl:").filter(|names| names.contains(','));
        let Some(names) = names else {
            return Err(format!("`{text}` is not a list of devices: expected numbers, as in `opencl:0,1`"));
        };
        let mut entries: Vec<Entry> = Vec::new();
        for name in names.split(',') {
            let (index, share) = match name.split_once(':') {
                Some((index, share)) => (index, Some(share)),
                None => (name, None),
            };
            let wrong = |what: &str, word: &str| {
                format!(
                    "`{word}` in `{text}` is not a {what}: a list has numbers of `lift devices`, as in `opencl:0,1`, or \
                         numbers with shares, as in `opencl:0:3,1:1`"
                )
            };
            let index = digits(index).ok_or_else(|| wrong("device number", index))?;
            let share = match share {
                Some(share) => Some(digits(share).ok_or_else(|| wrong("share", share))?),
                None => None,
            };
            if entries.iter().any(|entry| entry.index == index) {
                return Err(format!("`{text}` names device {index} twice"));
            }
            entries.push(Entry { index, share });
        }
        if entries.iter().any(|e| e.share.is_some()) && entries.iter().any(|e| e.share.is_none()) {
            return Err(format!("`{text}` gives shares to some devices only: give each one, or none"));
        }
        if entries.iter().all(|e| e.share == Some(0)) {
            return Err(format!("`{text}` gives no device a share"));
        }
        Ok(DeviceList { entries })
    }
}

/// A natural number in digits alone.
fn digits<T: FromStr>(text: &str) -> Option<T> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

impl DeviceList {
    /// The devices, each with its share of an array.
    pub fn open(&self) -> Result<Vec<(Device, f64)>, NoDevice> {
        let open = |entry: &Entry| {
            let device = choose(DeviceChoice::Index(entry.index))?;
            let share = entry.share.unwrap_or(device.info.limits.compute_units);
            Ok((device, f64::from(share)))
        };
        self.entries.iter().map(open).collect()
    }
}

/// Why a run on several devices gave no result.
#[derive(Debug, Clone, PartialEq)]
pub struct SeveralFailure {
    /// Index into the devices; `None`: before or between their runs.
    pub device: Option<usize>,
    pub failure: RunFailure,
}

/// Devices with the kernels of some parts.
pub struct Several<'p> {
    parts: &'p Parts,
    places: Vec<Place>,
    cut: Cut,
    options: RunOptions,
    times: Mutex<Times>,
}

/// A device with its programs, by kernel.
struct Place {
    device: Device,
    target: Target,
    programs: Mutex<Vec<Arc<Program>>>,
}

/// The times since they were last taken.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// By device, each launch once, in the order of its first run.
    pub launches: Vec<Vec<LaunchTime>>,
    /// By device, the microseconds of its launches, measured by the host; transfers excluded.
    pub busy: Vec<f64>,
    /// The sum over the steps of the microseconds of the device that took longest.
    pub longest: f64,
    pub notices: Vec<String>,
}

/// A device's part of a step.
#[derive(Default)]
struct Done {
    values: Vec<(usize, Value)>,
    launches: Vec<LaunchTime>,
    microseconds: f64,
    notices: Vec<String>,
}

impl<'p> Several<'p> {
    /// Compiles the kernels of `parts`, once for each target. `targets` are those of the devices.
    pub fn new(
        parts: &'p Parts,
        devices: Vec<(Device, f64)>,
        targets: &[Target],
        options: RunOptions,
    ) -> Result<Several<'p>, Vec<LowerError>> {
        let kernels: Vec<_> = parts.kernels.iter().collect();
        let mut compiled: Vec<(Target, Vec<Arc<Program>>)> = Vec::new();
        let mut places = Vec::new();
        let mut shares = Vec::new();
        for ((device, share), target) in devices.into_iter().zip(targets) {
            let known = compiled.iter().find(|(known, _)| known == target).map(|(_, programs)| programs.clone());
            let programs = match known {
                Some(programs) => programs,
                None => {
                    let programs = lower::compile_all(&kernels, target).into_iter().map(|p| p.map(Arc::new));
                    let programs = programs.collect::<Result<Vec<_>, _>>()?;
                    compiled.push((*target, programs.clone()));
                    programs
                }
            };
            let device = device.keeping_programs(kernels.len());
            places.push(Place { device, target: *target, programs: Mutex::new(programs) });
            shares.push(share);
        }
        Ok(Several { parts, places, cut: Cut { shares }, options, times: Mutex::default() })
    }

    /// Checks the assumptions about sizes, then runs the steps.
    pub fn run(&self, inputs: Vec<Value>, sizes: &SizeValues) -> Result<Value, SeveralFailure> {
        let before = |failure| SeveralFailure { device: None, failure };
        prepare::check_assumptions(&self.parts.checks, sizes, &[]).map_err(before)?;
        parts::execute::run(self.parts, self, inputs, sizes, &self.cut)
    }

    /// Returns the times measured since the last call, and forgets them.
    pub fn take_times(&self) -> Times {
        let mut times = std::mem::take(&mut *self.times.lock().unwrap_or_else(PoisonError::into_inner));
        times.launches.resize_with(self.places.len(), Vec::new);
        times.busy.resize(self.places.len(), 0.0);
        times
    }

    /// The device that computes block `i` of `count`. Several blocks are divided in the order of the devices. A single
    /// block goes to the device with the largest share.
    fn place_of(&self, i: usize, count: usize) -> usize {
        if count > 1 {
            return i * self.places.len() / count;
        }
        let shares = self.cut.shares.iter().enumerate();
        // The first of equal ones.
        shares.rev().max_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(place, _)| place)
    }

    /// Runs calls of a kernel on a device, one after another. An error has the index of its call.
    fn work(&self, place: &Place, kernel: KernelId, calls: Vec<(usize, Call)>) -> Result<Done, (usize, RunFailure)> {
        let mut done = Done::default();
        for (i, call) in calls {
            let sizes = self.sizes(kernel, &call).map_err(|failure| (i, failure))?;
            let outcome = self.one(place, kernel, &call.inputs, &sizes).map_err(|failure| (i, failure))?;
            done.values.push((i, outcome.value));
            done.microseconds += outcome.wall_microseconds.iter().sum::<f64>();
            add(&mut done.launches, outcome.profile);
            done.notices.extend(outcome.notices);
        }
        Ok(done)
    }

    /// The sizes of a call: those given, and those that only the shapes of its inputs determine.
    fn sizes(&self, kernel: KernelId, call: &Call) -> Result<SizeValues, RunFailure> {
        let given: SizeValues = call.sizes.iter().cloned().collect();
        let Some(kernel) = self.parts.kernels.get(kernel.0 as usize) else { return Ok(given) };
        if kernel.sizes.iter().all(|var| given.get(var).is_some()) {
            return Ok(given);
        }
        let wrong = |e: RunError| RunFailure::plan(e.to_string());
        bind_sizes(kernel, &call.inputs, &call.sizes).map_err(wrong)
    }

    fn one(
        &self,
        place: &Place,
        kernel: KernelId,
        inputs: &[Value],
        sizes: &SizeValues,
    ) -> Result<super::Outcome, RunFailure> {
        let at = kernel.0 as usize;
        let unknown = || RunFailure::plan(format!("there is no kernel {at}"));
        let mut target = place.target;
        loop {
            let programs = place.programs.lock().unwrap_or_else(PoisonError::into_inner);
            let program = programs.get(at).ok_or_else(unknown)?.clone();
            drop(programs);
            let failure = match run(&program, inputs, sizes, &place.device, &self.options) {
                Ok(outcome) => return Ok(outcome),
                Err(failure) => failure,
            };
            // A device's limit on the work-groups of a function is known only after the build.
            let smaller = match &failure {
                RunFailure::Groups { most, .. } => target.with_groups_of(*most),
                _ => None,
            };
            let compiled = smaller.map(|smaller| {
                target = smaller;
                self.parts.kernels.get(at).map(|kernel| lower::compile(kernel, &smaller))
            });
            let Some(Some(Ok(program))) = compiled else { return Err(failure) };
            let mut programs = place.programs.lock().unwrap_or_else(PoisonError::into_inner);
            *programs.get_mut(at).ok_or_else(unknown)? = Arc::new(program);
        }
    }

    fn note_times(&self, done: &[(usize, Done)]) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        times.launches.resize_with(self.places.len(), Vec::new);
        times.busy.resize(self.places.len(), 0.0);
        times.longest += done.iter().map(|(_, done)| done.microseconds).fold(0.0, f64::max);
        for (place, done) in done {
            times.busy[*place] += done.microseconds;
            add(&mut times.launches[*place], done.launches.clone());
            for notice in &done.notices {
                if !times.notices.contains(notice) {
                    times.notices.push(notice.clone());
                }
            }
        }
    }
}

/// Adds the times of launches to those of the same launches.
fn add(known: &mut Vec<LaunchTime>, more: Vec<LaunchTime>) {
    for launch in more {
        match known.iter_mut().find(|k| k.kernel == launch.kernel && k.label == launch.label) {
            Some(known) => {
                known.launches += launch.launches;
                known.microseconds += launch.microseconds;
                known.spread = [known.microseconds; 2];
            }
            None => known.push(launch),
        }
    }
}

impl Runner for Several<'_> {
    type Error = SeveralFailure;

    fn run(&self, kernel: KernelId, calls: Vec<Call>) -> Result<Vec<Value>, SeveralFailure> {
        let count = calls.len();
        let mut given: Vec<Vec<(usize, Call)>> = self.places.iter().map(|_| Vec::new()).collect();
        for (i, call) in calls.into_iter().enumerate() {
            if let Some(of_place) = given.get_mut(self.place_of(i, count)) {
                of_place.push((i, call));
            }
        }
        let busy: Vec<(usize, Vec<(usize, Call)>)> =
            given.into_iter().enumerate().filter(|(_, calls)| !calls.is_empty()).collect();
        let work = |at: usize, calls| (at, self.work(&self.places[at], kernel, calls));
        let finished: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> =
                busy.into_iter().map(|(at, calls)| (at, scope.spawn(move || work(at, calls)))).collect();
            let lost = |at| (at, Err((count, RunFailure::plan("the thread of a device ended by a panic"))));
            threads.into_iter().map(|(at, thread)| thread.join().unwrap_or_else(|_| lost(at))).collect()
        });
        let mut done = Vec::new();
        // As on one device, the failure of the first elements is reported.
        let mut first: Option<(usize, SeveralFailure)> = None;
        for (at, result) in finished {
            match result {
                Ok(result) => done.push((at, result)),
                Err((i, failure)) if first.as_ref().is_none_or(|(known, _)| i < *known) => {
                    first = Some((i, SeveralFailure { device: Some(at), failure }));
                }
                Err(_) => {}
            }
        }
        if let Some((_, failure)) = first {
            return Err(failure);
        }
        self.note_times(&done);
        let mut values: Vec<_> = done.into_iter().flat_map(|(_, done)| done.values).collect();
        values.sort_by_key(|(i, _)| *i);
        Ok(values.into_iter().map(|(_, value)| value).collect())
    }

    fn wrong(&self, message: String) -> SeveralFailure {
        SeveralFailure { device: None, failure: RunFailure::Plan { message } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_different_devices_and_all_or_no_shares() {
        let list = |text: &str| {
            text.parse::<DeviceList>().map(|list| list.entries.iter().map(|e| (e.index, e.share)).collect::<Vec<_>>())
        };
        assert_eq!(list("opencl:0,1"), Ok(vec![(0, None), (1, None)]));
        assert_eq!(list("opencl:2:3,0:0"), Ok(vec![(2, Some(3)), (0, Some(0))]));
        for (text, why) in [
            ("opencl:0,0", "names device 0 twice"),
            ("opencl:0,cuda", "`cuda` in `opencl:0,cuda` is not a device number"),
            ("opencl:0,", "`` in `opencl:0,` is not a device number"),
            ("opencl:0:x,1:1", "`x` in `opencl:0:x,1:1` is not a share"),
            ("opencl:0:3,1", "gives shares to some devices only"),
            ("opencl:0:0,1:0", "gives no device a share"),
            ("opencl:", "is not a list of devices"),
            ("cuda:0,1", "is not a list of devices"),
        ] {
            let error = list(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
