//! Executes the steps of a plan on a device.

use super::collect::{Collector, Wanted};
use super::device::{Buffer, Device, DeviceInfo, HostData, Kernel, KernelArg, LaunchEvent, ReadRequest, Session};
use super::failure::RunFailure;
use super::geometry::Geometry;
use super::kernels::{Built, build, fit};
use super::pour::{pour, with_lengths};
use super::prepare::{
    Numbers, Prepared, PreparedArg, PreparedLaunch, PreparedStep, Room, launch_numbers, prepare, rounds,
};
use crate::failure::fill;
use crate::plan::{BufferId, BufferRole, Plan, Program};
use crate::sizes::SizeValues;
use crate::value::Value;
use lift_analysis::origin::Origin;
use lift_analysis::size::Var;
use std::time::{Duration, Instant};

#[derive(Debug, Clone)]
pub struct RunOptions {
    /// Measure the time of each launch.
    pub profile: bool,
    /// Measure the time of each run.
    pub timed: bool,
    /// Unmeasured runs before the measured ones. (Drivers finish compiling at the first launch.)
    pub warmup: u32,
    /// Measured runs, at least one; the value is that of the last one.
    pub repeats: u32,
    /// Start no further run when this much time has passed since the start of the first measured one.
    pub measure_for: Option<Duration>,
    /// Limit of device memory in bytes, if below that of the device.
    pub memory: Option<u64>,
    /// Fill uninitialised buffers with a pattern that no sound program computes, to find elements that no kernel
    /// writes. For tests.
    pub poison: bool,
    pub built: Built,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            profile: false,
            timed: false,
            warmup: 0,
            repeats: 1,
            measure_for: None,
            memory: None,
            poison: false,
            built: Built::Needed,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    pub value: Value,
    /// One entry for each launch of the plan, in order; empty unless requested.
    pub profile: Vec<LaunchTime>,
    /// Host time of each measured run, in microseconds, from the first command to the end of the last launch, without
    /// building and transfers. Empty for a single run that is neither timed nor warmed up.
    pub wall_microseconds: Vec<f64>,
    /// Notices for people, such as that a work-group was reduced.
    pub notices: Vec<String>,
}

/// The device time of one launch of the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchTime {
    /// "filter: count"
    pub label: String,
    /// The name of the function in the OpenCL text.
    pub kernel: String,
    pub origin: Origin,
    /// Launches per run of the program; more than one inside a loop.
    pub launches: u32,
    /// The total over the launches of a run; the median if there are several runs.
    pub microseconds: f64,
    /// The minimum and maximum over the measured runs.
    pub spread: [f64; 2],
}

/// A buffer is kept if it has up to this many times the elements that it needs now, or few. Allocation takes longer
/// than most iterations of a loop whose state grows.
const SPACIOUS: usize = 2;
const SMALL: usize = 4096;

/// Maximum commands in flight before the host waits, because drivers keep memory for each.
const PENDING_COMMANDS: usize = 4096;
/// Byte to fill uninitialised memory: NaN as Float and Double, and an unlikely integer.
const POISON: u8 = 0xff;

/// Checks whether a run with these sizes can start on a device: everything that [`run`] checks before the inputs.
pub fn check(
    program: &Program,
    sizes: &SizeValues,
    device: &DeviceInfo,
    options: &RunOptions,
) -> Result<(), RunFailure> {
    prepare(&program.plan, sizes, device, options.memory).map(|_| ())
}

/// Runs `program` on `device`.
pub fn run(
    program: &Program,
    inputs: &[Value],
    sizes: &SizeValues,
    device: &Device,
    options: &RunOptions,
) -> Result<Outcome, RunFailure> {
    let sizes = &with_lengths(&program.plan, inputs, sizes);
    let prepared = prepare(&program.plan, sizes, &device.info, options.memory)?;
    let data = pour(&program.plan, inputs, sizes)?;
    let session = Session::open(device, options.profile)?;
    let mut run = Run::new(program, prepared, &data, &session, options.built)?;

    // The host waits for the launches only to measure them; otherwise the first read waits.
    let measuring = options.profile || options.timed || options.warmup > 0 || options.repeats > 1;
    let mut wall_microseconds = Vec::new();
    let mut times: Vec<Vec<u64>> = vec![Vec::new(); run.kernels.len()];
    let mut began = None;
    for round in 0..options.warmup.saturating_add(options.repeats.max(1)) {
        run.reset(&data, sizes, options.poison)?;
        let start = Instant::now();
        run.enqueue(&data)?;
        session.flush()?;
        if measuring {
            session.finish()?;
        }
        let wall = start.elapsed();
        if measuring {
            run.take_times()?;
        }
        let enough = options.measure_for.is_some_and(|limit| match round.checked_sub(options.warmup) {
            Some(_) => *began.get_or_insert(start) + limit < Instant::now(),
            // Launch times exclude the drivers' work at the first launch, so a run that takes this long without it was
            // its own warm-up.
            None => u128::from(run.nanoseconds.iter().sum::<u64>()) > limit.as_nanos(),
        });
        if measuring && (round >= options.warmup || enough) {
            wall_microseconds.push(wall.as_secs_f64() * 1e6);
            for (times, nanoseconds) in times.iter_mut().zip(&run.nanoseconds) {
                times.push(*nanoseconds);
            }
        }
        if enough {
            break;
        }
    }
    let value = run.collect()?;
    let profile = if options.profile { run.profile(&mut times) } else { Vec::new() };
    Ok(Outcome { value, profile, wall_microseconds, notices: run.notices })
}

/// Checks that the marshalled inputs fit the buffers, that is, that capacities and layouts of the plan agree.
fn check_data(plan: &Plan, prepared: &Prepared<'_>, data: &[(BufferId, HostData)]) -> Result<(), RunFailure> {
    for (id, data) in data {
        let capacity = prepared.capacities.get(id.0 as usize).copied().flatten().unwrap_or(0);
        if data.len() > capacity {
            let name = &plan.buffer(*id).name;
            let len = data.len();
            return Err(RunFailure::plan(format!("buffer `{name}` has room for {capacity} elements, not for {len}")));
        }
    }
    Ok(())
}

/// A program on a device, with its kernels built and its buffers allocated.
pub(super) struct Run<'a> {
    plan: &'a Plan,
    prepared: Prepared<'a>,
    session: &'a Session,
    /// By launch, like `geometry`, `nanoseconds` and `launched`; `None` where the sizes do not need it.
    kernels: Vec<Option<Kernel>>,
    geometry: Vec<Option<Geometry>>,
    /// `None` while the capacity depends on an unknown length.
    buffers: Vec<Option<Buffer>>,
    /// For each buffer of the plan its current index in `buffers`; swaps change it.
    bound: Vec<usize>,
    events: Vec<(usize, LaunchEvent)>,
    pending: usize,
    nanoseconds: Vec<u64>,
    launched: Vec<u32>,
    notices: Vec<String>,
    /// Size parameters, and the lengths measured so far.
    sizes: SizeValues,
    room: Room,
    poison: bool,
    /// Whether the inputs have been copied to their buffers.
    filled: bool,
}

impl<'a> Run<'a> {
    /// `data` has the contents of the input buffers, which must fit them.
    pub(super) fn new(
        program: &'a Program,
        prepared: Prepared<'a>,
        data: &[(BufferId, HostData)],
        session: &'a Session,
        built: Built,
    ) -> Result<Run<'a>, RunFailure> {
        let plan = &program.plan;
        check_data(plan, &prepared, data)?;
        let kernels = build(program, &prepared, session, built)?;
        let mut buffers = Vec::with_capacity(plan.buffers.len());
        for (buffer, capacity) in plan.buffers.iter().zip(&prepared.capacities) {
            let made = capacity.map(|capacity| session.allocate(buffer.element, capacity, &buffer.name));
            let made = made.transpose()?;
            if let (Some(made), BufferRole::State) = (&made, buffer.role) {
                session.fill(made, 0)?;
            }
            buffers.push(made);
        }
        let mut notices = Vec::new();
        let mut geometry = Vec::with_capacity(prepared.launches.len());
        for (launch, kernel) in prepared.launches.iter().zip(&kernels) {
            let known = launch.numbers.as_ref().zip(kernel.as_ref());
            let fitted = known.map(|(n, kernel)| fit(launch.plan, n, kernel, session, &mut notices));
            geometry.push(fitted.transpose()?);
        }
        let run = Run {
            plan,
            session,
            geometry,
            bound: (0..buffers.len()).collect(),
            buffers,
            events: Vec::new(),
            pending: 0,
            nanoseconds: vec![0; kernels.len()],
            launched: vec![0; kernels.len()],
            kernels,
            sizes: SizeValues::new(),
            room: prepared.room.clone(),
            poison: false,
            filled: false,
            prepared,
            notices,
        };
        run.check_args()?;
        Ok(run)
    }

    fn buffer(&self, id: BufferId) -> Result<&Buffer, RunFailure> {
        let early = || {
            let name = &self.plan.buffer(id).name;
            RunFailure::plan(format!("buffer `{name}` is used before the length that decides about its size is known"))
        };
        self.buffers[self.bound[id.0 as usize]].as_ref().ok_or_else(early)
    }

    fn args(&self, numbers: &Numbers) -> Result<Vec<KernelArg<'_>>, RunFailure> {
        let arg = |arg: &PreparedArg| {
            Ok(match arg {
                PreparedArg::Buffer(id) => KernelArg::Buffer(self.buffer(*id)?),
                PreparedArg::Int(n) => KernelArg::Int(*n),
                PreparedArg::Long(n) => KernelArg::Long(*n),
                PreparedArg::Local(bytes) => KernelArg::Local(*bytes),
            })
        };
        numbers.args.iter().map(arg).collect()
    }

    fn check_args(&self) -> Result<(), RunFailure> {
        for (launch, kernel) in self.prepared.launches.iter().zip(&self.kernels) {
            if let (Some(numbers), Some(kernel)) = (&launch.numbers, kernel) {
                kernel.check(&self.args(numbers)?).map_err(|e| RunFailure::plan(e.to_string()))?;
            }
        }
        Ok(())
    }

    /// Restores the state before a run. Copies an input only if an earlier run may have overwritten it.
    pub(super) fn reset(
        &mut self,
        data: &[(BufferId, HostData)],
        sizes: &SizeValues,
        poison: bool,
    ) -> Result<(), RunFailure> {
        self.bound = (0..self.buffers.len()).collect();
        self.nanoseconds.fill(0);
        self.launched.fill(0);
        self.events.clear();
        self.sizes = sizes.clone();
        self.poison = poison;
        for (buffer, plan) in self.buffers.iter().zip(&self.plan.buffers) {
            self.poison(buffer.as_ref(), plan.role)?;
        }
        if let Some(id) = self.prepared.failure_buffer {
            self.session.fill(self.buffer(id)?, 0)?;
        }
        for (id, data) in data {
            if !self.filled || self.plan.overwrites(*id) {
                self.session.write(self.buffer(*id)?, data)?;
            }
        }
        self.filled = true;
        Ok(())
    }

    fn poison(&self, buffer: Option<&Buffer>, role: BufferRole) -> Result<(), RunFailure> {
        match buffer {
            Some(buffer) if self.poison && matches!(role, BufferRole::Output | BufferRole::Temporary) => {
                Ok(self.session.fill(buffer, POISON)?)
            }
            _ => Ok(()),
        }
    }

    /// Measures a length and allocates the buffers whose capacity depends on it.
    fn measure(
        &mut self,
        var: &Var,
        from: BufferId,
        negative: usize,
        data: &[(BufferId, HostData)],
    ) -> Result<(), RunFailure> {
        let value = self.measured(from, data)?;
        if value < 0 {
            return Err(failed(self.plan, negative, value, 0));
        }
        self.sizes.insert(var.clone(), value.into());
        let measured = self.plan.measured();
        for (i, buffer) in self.plan.buffers.iter().enumerate() {
            let vars = buffer.capacity.vars();
            let known = |v: &Var| !measured.contains(v) || self.sizes.get(v).is_some();
            if !vars.contains(var) || !vars.iter().all(known) {
                continue;
            }
            // A swap may have given the name another memory.
            let slot = self.bound[i];
            let old = self.buffers[slot].as_ref().map(Buffer::len);
            if let Some(old) = old {
                self.room.free(old, buffer.element);
            }
            let capacity = self.room.of(buffer, &self.sizes)?;
            match old.filter(|old| (capacity..=capacity.saturating_mul(SPACIOUS).max(SMALL)).contains(old)) {
                Some(old) => self.room.grow(capacity, old, buffer.element),
                None => {
                    // Release the old buffer first.
                    self.buffers[slot] = None;
                    self.room.check()?;
                    let made = self.session.allocate(buffer.element, capacity, &buffer.name)?;
                    if buffer.role == BufferRole::State {
                        self.session.fill(&made, 0)?;
                    }
                    self.buffers[slot] = Some(made);
                }
            }
            self.poison(self.buffers[slot].as_ref(), buffer.role)?;
        }
        self.room.check()
    }

    /// The first number of a buffer; an error if the run has failed by now.
    fn measured(&mut self, from: BufferId, data: &[(BufferId, HostData)]) -> Result<i32, RunFailure> {
        let given = data.iter().find(|(id, _)| *id == from && self.bound[id.0 as usize] == id.0 as usize);
        if let Some((_, HostData::Int(values))) = given
            && let Some(value) = values.first()
        {
            return Ok(*value);
        }
        match self.first_of(from)? {
            HostData::Int(values) if !values.is_empty() => Ok(values[0]),
            _ => Err(RunFailure::plan("a length was not read")),
        }
    }

    /// Waits, and reads the first element of a buffer; an error if the run has failed by now.
    fn first_of(&mut self, from: BufferId) -> Result<HostData, RunFailure> {
        let first = |id: BufferId, n| {
            Ok::<_, RunFailure>(ReadRequest { buffer: self.buffer(id)?, ranges: std::iter::once(0..n).collect() })
        };
        let mut requests = vec![first(from, 1)?];
        if let Some(id) = self.prepared.failure_buffer {
            requests.push(first(id, 4)?);
        }
        let mut read = self.session.read(&requests)?.into_iter();
        self.pending = 0;
        let found = read.next();
        if let Some(HostData::Int(flag)) = read.next() {
            check_flag(self.plan, &flag)?;
        }
        found.ok_or_else(|| RunFailure::plan("a number was not read"))
    }

    /// Enqueues one run. Waits only for lengths that determine capacities. `data` has the contents of the input
    /// buffers.
    pub(super) fn enqueue(&mut self, data: &[(BufferId, HostData)]) -> Result<(), RunFailure> {
        let steps = std::mem::take(&mut self.prepared.steps);
        let result = self.steps(&steps, data);
        self.prepared.steps = steps;
        result
    }

    fn steps(&mut self, steps: &[PreparedStep], data: &[(BufferId, HostData)]) -> Result<(), RunFailure> {
        for step in steps {
            match step {
                PreparedStep::Launch(launch) => self.launch(*launch)?,
                PreparedStep::Zero(id) => {
                    self.session.fill(self.buffer(*id)?, 0)?;
                    self.enqueued()?;
                }
                PreparedStep::Repeat(count, steps) => {
                    for _ in 0..rounds(count, &self.sizes)? {
                        self.steps(steps, data)?;
                    }
                }
                PreparedStep::For { index, count, steps } => {
                    for i in 0..rounds(count, &self.sizes)? {
                        self.sizes.insert(index.clone(), i);
                        self.steps(steps, data)?;
                    }
                }
                PreparedStep::While { test, flag, steps } => loop {
                    self.steps(test, data)?;
                    match self.first_of(*flag)? {
                        HostData::Bool(again) if again.first().is_some_and(|b| *b != 0) => self.steps(steps, data)?,
                        _ => break,
                    }
                },
                PreparedStep::Swap(a, b) => self.bound.swap(a.0 as usize, b.0 as usize),
                PreparedStep::Measure { var, from, negative } => self.measure(var, *from, *negative, data)?,
            }
        }
        Ok(())
    }

    fn launch(&mut self, launch: usize) -> Result<(), RunFailure> {
        let prepared = &self.prepared.launches[launch];
        // The sizes do not need the others.
        let Some(kernel) = &self.kernels[launch] else { return Ok(()) };
        let event = match (&prepared.numbers, self.geometry[launch]) {
            (Some(Numbers { needed: false, .. }), _) => return Ok(()),
            (Some(numbers), Some(Geometry { groups, local })) => {
                self.session.launch(kernel, &self.args(numbers)?, groups, local)?
            }
            _ => {
                let numbers = launch_numbers(prepared.plan, &self.sizes)?;
                if !numbers.needed {
                    return Ok(());
                }
                let Geometry { groups, local } = fit(prepared.plan, &numbers, kernel, self.session, &mut self.notices)?;
                let args = self.args(&numbers)?;
                kernel.check(&args).map_err(|e| RunFailure::plan(e.to_string()))?;
                self.session.launch(kernel, &args, groups, local)?
            }
        };
        self.launched[launch] = self.launched[launch].saturating_add(1);
        if let Some(event) = event {
            self.events.push((launch, event));
        }
        self.enqueued()
    }

    /// Limits the number of commands in flight.
    fn enqueued(&mut self) -> Result<(), RunFailure> {
        self.pending += 1;
        if self.pending >= PENDING_COMMANDS {
            self.session.finish()?;
            self.take_times()?;
            self.pending = 0;
        }
        Ok(())
    }

    /// Nanoseconds of device time of all launches since the last call; they must have finished.
    pub(super) fn take_nanoseconds(&mut self) -> Result<u64, RunFailure> {
        self.take_times()?;
        let sum = self.nanoseconds.iter().sum();
        self.nanoseconds.fill(0);
        Ok(sum)
    }

    /// Adds the times of finished launches.
    fn take_times(&mut self) -> Result<(), RunFailure> {
        for (launch, event) in std::mem::take(&mut self.events) {
            self.nanoseconds[launch] += event.nanoseconds()?;
        }
        Ok(())
    }

    pub(super) fn collect(&self) -> Result<Value, RunFailure> {
        self.read()?.build().map_err(RunFailure::plan)
    }

    /// Reads the failure flag, then the lengths, outermost first, then the elements, with as few waits as possible.
    pub(super) fn read(&self) -> Result<Collector, RunFailure> {
        let mut collector = Collector::new(self.plan, &self.sizes).map_err(RunFailure::plan)?;
        let mut flag = self.prepared.failure_buffer;
        loop {
            let wanted = collector.wanted().map_err(RunFailure::plan)?;
            if wanted.is_empty() && flag.is_none() {
                break;
            }
            let request = |w: &Wanted| Ok(ReadRequest { buffer: self.buffer(w.buffer)?, ranges: w.ranges.clone() });
            let mut requests = wanted.iter().map(request).collect::<Result<Vec<_>, RunFailure>>()?;
            if let Some(id) = flag {
                requests.push(ReadRequest { buffer: self.buffer(id)?, ranges: std::iter::once(0..4).collect() });
            }
            let mut data = self.session.read(&requests)?;
            if flag.take().is_some()
                && let Some(HostData::Int(flag)) = data.pop()
            {
                check_flag(self.plan, &flag)?;
            }
            for (wanted, data) in wanted.iter().zip(data) {
                collector.give(wanted, data);
            }
        }
        Ok(collector)
    }

    fn profile(&self, times: &mut [Vec<u64>]) -> Vec<LaunchTime> {
        let launches = self.prepared.launches.iter().zip(&self.launched).zip(times);
        let time = |((launch, launched), times): ((&PreparedLaunch<'_>, &u32), &mut Vec<u64>)| LaunchTime {
            label: launch.plan.label.clone(),
            kernel: launch.plan.kernel.clone(),
            origin: launch.plan.origin.clone(),
            launches: *launched,
            microseconds: median(times) as f64 / 1e3,
            // Sorted by `median`.
            spread: [times.first(), times.last()].map(|t| t.copied().unwrap_or(0) as f64 / 1e3),
        };
        launches.map(time).collect()
    }
}

/// Converts the contents of the failure buffer to an error.
fn check_flag(plan: &Plan, flag: &[i32]) -> Result<(), RunFailure> {
    let [code, index, first, second] = flag else { return Ok(()) };
    if *code == 0 {
        return Ok(());
    }
    match usize::try_from(*index) {
        Ok(index) => Err(failed(plan, index, *first, *second)),
        Err(_) => Err(RunFailure::plan(format!("a kernel reported failure {index}, which the plan does not know"))),
    }
}

/// A failure of the plan, with its operands.
fn failed(plan: &Plan, index: usize, first: i32, second: i32) -> RunFailure {
    match plan.failures.get(index) {
        Some(failure) => RunFailure::Check {
            kind: failure.kind,
            message: fill(&failure.message, first.into(), second.into()),
            origin: failure.origin.clone(),
        },
        None => RunFailure::plan(format!("a kernel reported failure {index}, which the plan does not know")),
    }
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    match values.len() {
        0 => 0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2,
    }
}
