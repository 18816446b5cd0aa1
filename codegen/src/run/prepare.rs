//! Evaluates a plan for given sizes, before a device is touched.
//!
//! All errors of the sizes are found here: false assumptions, numbers too large for the generated code, more memory
//! than there is. Only checks that depend on a length computed on the device are deferred.

use super::device::{DeviceInfo, bytes_of};
use super::failure::{RunFailure, bytes_text};
use super::geometry::Wish;
use crate::plan::{Arg, Buffer, BufferId, BufferRole, Count, LONGEST, Launch, Plan, Step};
use crate::sizes::SizeValues;
use lift_analysis::hir::Scalar;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, EvalError, Size, Var};

pub struct Prepared<'a> {
    /// In elements, by buffer; `None` if the capacity depends on a length that is measured during the run.
    pub capacities: Vec<Option<usize>>,
    pub room: Room,
    pub launches: Vec<PreparedLaunch<'a>>,
    pub steps: Vec<PreparedStep>,
    pub failure_buffer: Option<BufferId>,
}

pub struct PreparedLaunch<'a> {
    pub plan: &'a Launch,
    /// `None` if they depend on a length that is measured during the run, or on the index of a loop.
    pub numbers: Option<Numbers>,
}

/// The arguments and the requested size of a launch.
pub struct Numbers {
    pub args: Vec<PreparedArg>,
    pub wish: Wish,
    /// Otherwise the launch is skipped.
    pub needed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PreparedArg {
    Buffer(BufferId),
    Int(i32),
    Long(i64),
    Local(usize),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreparedStep {
    /// Index into [`Prepared::launches`].
    Launch(usize),
    Zero(BufferId),
    Repeat(Size, Vec<PreparedStep>),
    For {
        index: Var,
        count: Size,
        steps: Vec<PreparedStep>,
    },
    While {
        test: Vec<PreparedStep>,
        flag: BufferId,
        steps: Vec<PreparedStep>,
    },
    Swap(BufferId, BufferId),
    Measure {
        var: Var,
        from: BufferId,
        negative: usize,
    },
}

/// Evaluates `plan` for a device. `memory` is an optional limit in bytes below that of the device.
pub fn prepare<'a>(
    plan: &'a Plan,
    sizes: &SizeValues,
    device: &DeviceInfo,
    memory: Option<u64>,
) -> Result<Prepared<'a>, RunFailure> {
    check_sizes(plan, sizes)?;
    check_assumptions(&plan.checks, sizes, &plan.input_lengths())?;
    // Lengths of inputs may not be known yet; those measured during the run are never known here.
    let later: Vec<Var> = plan.input_lengths().into_iter().filter(|v| sizes.get(v).is_none()).collect();
    let measured = plan.measured();
    let indices = plan.indices();
    let known = |size: &Size| !size.any_var(&mut |v| measured.contains(v) || later.contains(v) || indices.contains(v));
    let mut room = Room::new(device, memory);
    let mut capacities = Vec::with_capacity(plan.buffers.len());
    for buffer in &plan.buffers {
        let now = known(&buffer.capacity).then(|| room.of(buffer, sizes));
        capacities.push(now.transpose()?);
    }
    room.check()?;
    let mut failure_buffer = None;
    for (i, buffer) in plan.buffers.iter().enumerate() {
        if buffer.role == BufferRole::Failure {
            if failure_buffer.is_some() || buffer.element != Scalar::Int || capacities[i].is_none_or(|n| n < 4) {
                return Err(RunFailure::plan("there is one failure buffer, of four ints or more"));
            }
            failure_buffer = Some(BufferId(i as u32));
        }
    }
    let mut launches = Vec::new();
    let steps = Steps { plan, sizes, known: &known }.prepare(&plan.steps, &mut launches)?;
    Ok(Prepared { capacities, room, launches, steps, failure_buffer })
}

fn check_sizes(plan: &Plan, sizes: &SizeValues) -> Result<(), RunFailure> {
    for var in &plan.sizes {
        let message = match sizes.get(var) {
            None => format!("the size {var} has no value"),
            Some(value) if value < 0 => format!("the size {var} = {value} is negative"),
            // Sizes are Ints in the language.
            Some(value) if value > i64::from(i32::MAX) => {
                format!("the size {var} = {value} is too large: an Int is at most {}", i32::MAX)
            }
            Some(_) => continue,
        };
        return Err(RunFailure::Input { message });
    }
    Ok(())
}

/// Checks conditions on sizes. `later` are the lengths that are not known before the run.
pub fn check_assumptions(checks: &[(Assumption, Origin)], sizes: &SizeValues, later: &[Var]) -> Result<(), RunFailure> {
    for (assumption, origin) in checks {
        let holds = match assumption.check(&|var| sizes.get(var)) {
            Ok(holds) => holds,
            // Lengths of inputs that do not exist yet: the run itself checks it.
            Err(EvalError::Unbound(var)) if later.contains(&var) => continue,
            // Lengths that only the device knows: kernels should check it.
            Err(EvalError::Unbound(var)) => {
                let message = format!("`{assumption}` is to be checked before the run, but {var} is not known then");
                return Err(RunFailure::plan(message));
            }
            // A condition that cannot be evaluated counts as false.
            Err(_) => false,
        };
        if !holds {
            let values = assumption.vars().into_iter().filter_map(|v| Some((v.to_string(), sizes.get(&v)?))).collect();
            let assumption = assumption.clone();
            return Err(RunFailure::Assumption { assumption, values, origin: origin.clone() });
        }
    }
    Ok(())
}

/// The memory of a run: what it uses, and the limits.
#[derive(Debug, Clone)]
pub struct Room {
    /// Bytes used.
    total: u128,
    buffers: usize,
    most: u64,
    allocation: u64,
    /// Sources of the limits, for messages.
    limiter: &'static str,
    allocator: &'static str,
}

impl Room {
    fn new(device: &DeviceInfo, memory: Option<u64>) -> Room {
        let limits = &device.limits;
        let (most, limiter) = match memory {
            Some(memory) if memory < limits.global_memory => (memory, "the limit for this run"),
            _ => (limits.global_memory, "the device"),
        };
        let allocator = if limits.allocation <= most { "the device" } else { limiter };
        Room { total: 0, buffers: 0, most, allocation: limits.allocation.min(most), limiter, allocator }
    }

    /// Reserves memory for a buffer under these sizes; returns its capacity in elements.
    pub fn of(&mut self, buffer: &Buffer, sizes: &SizeValues) -> Result<usize, RunFailure> {
        let name = &buffer.name;
        let elements = where_used(sizes.eval(&buffer.capacity)).map_err(|e| RunFailure::Memory {
            message: format!("the capacity {} of buffer `{name}` cannot be computed: {e}", buffer.capacity),
        })?;
        let bytes = elements.max(1) as u128 * bytes_of(buffer.element) as u128;
        self.total += bytes;
        self.buffers += 1;
        let allocation = u128::from(self.allocation);
        if bytes > allocation {
            return Err(RunFailure::Memory {
                message: format!(
                    "the run needs {} in buffer `{name}` ({elements} elements of {}); {} allows {} for one buffer",
                    bytes_text(bytes),
                    buffer.element,
                    self.allocator,
                    bytes_text(allocation),
                ),
            });
        }
        if elements > i64::from(LONGEST) {
            return Err(RunFailure::Memory {
                message: format!(
                    "buffer `{name}` needs {elements} elements; generated code can index at most {LONGEST}"
                ),
            });
        }
        Ok(elements as usize)
    }

    /// Reserves the rest of a buffer that is larger than it has to be.
    pub fn grow(&mut self, from: usize, to: usize, element: Scalar) {
        let elements = to.max(1) - from.max(1).min(to.max(1));
        self.total += elements as u128 * bytes_of(element) as u128;
    }

    /// Releases the memory of a buffer.
    pub fn free(&mut self, elements: usize, element: Scalar) {
        self.total = self.total.saturating_sub(elements.max(1) as u128 * bytes_of(element) as u128);
        self.buffers = self.buffers.saturating_sub(1);
    }

    /// Checks that the reserved memory is within the limit.
    pub fn check(&self) -> Result<(), RunFailure> {
        if self.total <= u128::from(self.most) {
            return Ok(());
        }
        Err(RunFailure::Memory {
            message: format!(
                "the run needs {} in {} buffers; {} has {}",
                bytes_text(self.total),
                self.buffers,
                self.limiter,
                bytes_text(self.most.into())
            ),
        })
    }
}

struct Steps<'a, 's> {
    plan: &'a Plan,
    sizes: &'s SizeValues,
    /// Whether a size can be evaluated before the run.
    known: &'s dyn Fn(&Size) -> bool,
}

impl<'a> Steps<'a, '_> {
    fn buffer(&self, id: BufferId) -> Result<&'a Buffer, RunFailure> {
        let missing = || RunFailure::plan(format!("there is no buffer {}", id.0));
        self.plan.buffers.get(id.0 as usize).ok_or_else(missing)
    }

    /// Checks that a number of iterations can be computed, if it is known before the run.
    fn check_rounds(&self, count: &Size) -> Result<(), RunFailure> {
        if (self.known)(count) { rounds(count, self.sizes).map(|_| ()) } else { Ok(()) }
    }

    fn prepare(
        &self,
        steps: &'a [Step],
        launches: &mut Vec<PreparedLaunch<'a>>,
    ) -> Result<Vec<PreparedStep>, RunFailure> {
        steps.iter().map(|step| self.step(step, launches)).collect()
    }

    fn step(&self, step: &'a Step, launches: &mut Vec<PreparedLaunch<'a>>) -> Result<PreparedStep, RunFailure> {
        Ok(match step {
            Step::Launch(launch) => {
                let mut now = launch.groups.iter().all(|count| (self.known)(&count.wish));
                now &= launch.only_if.iter().all(self.known);
                for arg in &launch.args {
                    match arg {
                        Arg::Buffer(id) => now &= (self.known)(&self.buffer(*id)?.capacity),
                        Arg::Size { value, .. } | Arg::Local { bytes: value } => now &= (self.known)(value),
                    }
                }
                let numbers = now.then(|| launch_numbers(launch, self.sizes)).transpose()?;
                launches.push(PreparedLaunch { plan: launch, numbers });
                PreparedStep::Launch(launches.len() - 1)
            }
            Step::Zero(id) => {
                self.buffer(*id)?;
                PreparedStep::Zero(*id)
            }
            Step::Repeat { count, steps } => {
                self.check_rounds(count)?;
                PreparedStep::Repeat(count.clone(), self.prepare(steps, launches)?)
            }
            Step::For { index, count, steps } => {
                self.check_rounds(count)?;
                PreparedStep::For { index: index.clone(), count: count.clone(), steps: self.prepare(steps, launches)? }
            }
            Step::While { test, flag, steps } => {
                if self.buffer(*flag)?.element != Scalar::Bool {
                    return Err(RunFailure::plan("whether a loop goes on is not read from a buffer of Booleans"));
                }
                let (test, steps) = (self.prepare(test, launches)?, self.prepare(steps, launches)?);
                PreparedStep::While { test, flag: *flag, steps }
            }
            Step::Swap(a, b) => {
                let [first, second] = [self.buffer(*a)?, self.buffer(*b)?];
                let alike = first.capacity == second.capacity
                    || !(self.known)(&first.capacity) && !(self.known)(&second.capacity);
                if first.element != second.element || !alike {
                    let [a, b] = [&first.name, &second.name];
                    return Err(RunFailure::plan(format!("buffers `{a}` and `{b}` are exchanged but differ in size")));
                }
                PreparedStep::Swap(*a, *b)
            }
            Step::Measure { var, from, negative } => {
                if self.buffer(*from)?.element != Scalar::Int || *negative >= self.plan.failures.len() {
                    return Err(RunFailure::plan(format!("the size {var} is not read from a buffer of ints")));
                }
                PreparedStep::Measure { var: var.clone(), from: *from, negative: *negative }
            }
        })
    }
}

/// Evaluates the numbers of a launch for these sizes.
pub fn launch_numbers(launch: &Launch, sizes: &SizeValues) -> Result<Numbers, RunFailure> {
    let mut needed = true;
    for size in &launch.only_if {
        needed &= argument(size, sizes)? > 0;
    }
    let mut args = Vec::with_capacity(launch.args.len());
    for arg in &launch.args {
        args.push(match arg {
            Arg::Buffer(id) => PreparedArg::Buffer(*id),
            Arg::Size { value, wide: true } => PreparedArg::Long(argument(value, sizes)?),
            Arg::Size { value, wide: false } => {
                let n = argument(value, sizes)?;
                let fits = i32::try_from(n).ok().filter(|n| n.unsigned_abs() <= LONGEST.unsigned_abs());
                // The arguments of a skipped launch do not matter.
                let fits = fits.or((!needed).then_some(0));
                PreparedArg::Int(fits.ok_or_else(|| RunFailure::Memory {
                    message: format!("the size {value} is {n} here; generated code counts to {LONGEST} at most"),
                })?)
            }
            Arg::Local { bytes } => {
                PreparedArg::Local(usize::try_from(number(bytes, sizes, "an amount of local memory")?).unwrap_or(0))
            }
        });
    }
    let mut groups = [1; 3];
    for (groups, count) in groups.iter_mut().zip(&launch.groups) {
        *groups = prepare_count(count, sizes)?;
    }
    let wish = Wish { groups, local: launch.local, exact_local: launch.exact_local };
    Ok(Numbers { args, wish, needed })
}

/// Replaces an undefined quotient by 0: it is not used in a branch that is taken, because there its assumption was
/// checked.
fn where_used(value: Result<i64, EvalError>) -> Result<i64, EvalError> {
    match value {
        Err(EvalError::DivisionByZero | EvalError::NotIntegral) => Ok(0),
        value => value,
    }
}

/// Evaluates an argument of a kernel. It may be negative, as part of an index.
fn argument(size: &Size, sizes: &SizeValues) -> Result<i64, RunFailure> {
    let value = size.eval_int(&|var| sizes.get(var));
    where_used(value).map_err(|e| RunFailure::Memory { message: format!("a size, {size}, cannot be computed: {e}") })
}

/// The number of iterations of a loop.
pub fn rounds(count: &Size, sizes: &SizeValues) -> Result<i64, RunFailure> {
    number(count, sizes, "the number of rounds")
}

fn prepare_count(count: &Count, sizes: &SizeValues) -> Result<u64, RunFailure> {
    let wish = number(&count.wish, sizes, "a number of work-groups")? as u64;
    Ok(wish.next_multiple_of(u64::from(count.multiple_of.max(1))))
}

fn number(size: &Size, sizes: &SizeValues, what: &str) -> Result<i64, RunFailure> {
    let value = where_used(sizes.eval(size));
    value.map_err(|e| RunFailure::Memory { message: format!("{what}, {size}, cannot be computed: {e}") })
}
