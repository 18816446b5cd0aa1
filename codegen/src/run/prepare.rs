//! A plan with its sizes put in: what a run needs to know before it touches a device.
//!
//! Everything that can be wrong with the sizes is found here: assumptions that do not hold, numbers too large for the
//! generated code, more memory than there is.

use super::device::{DeviceInfo, bytes_of};
use super::failure::{RunFailure, bytes_text};
use super::geometry::Wish;
use crate::plan::{Arg, BufferId, BufferRole, Count, Launch, Plan, Step};
use crate::sizes::SizeValues;
use lift_analysis::hir::Scalar;
use lift_analysis::size::{EvalError, Size};

/// The most elements of a buffer: kernels index with `int`.
const MOST_ELEMENTS: i64 = i32::MAX as i64;

pub struct Prepared<'a> {
    /// In elements, by buffer.
    pub capacities: Vec<usize>,
    pub launches: Vec<PreparedLaunch<'a>>,
    pub steps: Vec<PreparedStep>,
    pub failure_buffer: Option<BufferId>,
}

pub struct PreparedLaunch<'a> {
    pub plan: &'a Launch,
    pub args: Vec<PreparedArg>,
    pub wish: Wish,
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
    /// An index into [`Prepared::launches`].
    Launch(usize),
    Zero(BufferId),
    Repeat(u64, Vec<PreparedStep>),
    Swap(BufferId, BufferId),
}

/// Put `sizes` into `plan` for a device. `memory` is a limit in bytes below that of the device, if one is wanted.
pub fn prepare<'a>(
    plan: &'a Plan,
    sizes: &SizeValues,
    device: &DeviceInfo,
    memory: Option<u64>,
) -> Result<Prepared<'a>, RunFailure> {
    check_sizes(plan, sizes)?;
    check_assumptions(plan, sizes)?;
    let capacities = capacities(plan, sizes, device, memory)?;
    let mut failure_buffer = None;
    for (i, buffer) in plan.buffers.iter().enumerate() {
        if buffer.role == BufferRole::Failure {
            if failure_buffer.is_some() || buffer.element != Scalar::Int || capacities[i] < 4 {
                return Err(RunFailure::plan("there is one failure buffer, of four ints"));
            }
            failure_buffer = Some(BufferId(i as u32));
        }
    }
    let mut launches = Vec::new();
    let steps = prepare_steps(plan, &plan.steps, sizes, &capacities, &mut launches)?;
    Ok(Prepared { capacities, launches, steps, failure_buffer })
}

fn check_sizes(plan: &Plan, sizes: &SizeValues) -> Result<(), RunFailure> {
    for var in &plan.sizes {
        let message = match sizes.get(var) {
            None => format!("the size {var} has no value"),
            Some(value) if value < 0 => format!("the size {var} = {value} is negative"),
            // Size names are Ints in the language.
            Some(value) if value > i64::from(i32::MAX) => {
                format!("the size {var} = {value} is too large: an Int is at most {}", i32::MAX)
            }
            Some(_) => continue,
        };
        return Err(RunFailure::Input { message });
    }
    Ok(())
}

fn check_assumptions(plan: &Plan, sizes: &SizeValues) -> Result<(), RunFailure> {
    for (assumption, origin) in &plan.checks {
        let holds = match assumption.check(&|var| sizes.get(var)) {
            Ok(holds) => holds,
            // Lengths that only the device knows must be checked there.
            Err(EvalError::Unbound(var)) => {
                let message = format!("`{assumption}` is to be checked before the run, but {var} is not known then");
                return Err(RunFailure::plan(message));
            }
            // A condition that cannot be computed cannot be relied on.
            Err(_) => false,
        };
        if !holds {
            let values = assumption.vars().into_iter().filter_map(|v| Some((v.to_string(), sizes.get(&v)?))).collect();
            let assumption = assumption.to_string();
            return Err(RunFailure::Assumption { assumption, values, origin: origin.clone() });
        }
    }
    Ok(())
}

fn capacities(
    plan: &Plan,
    sizes: &SizeValues,
    device: &DeviceInfo,
    memory: Option<u64>,
) -> Result<Vec<usize>, RunFailure> {
    let limits = &device.limits;
    let (total_limit, limiter) = match memory {
        Some(memory) if memory < limits.global_memory => (memory, "the limit for this run"),
        _ => (limits.global_memory, "the device"),
    };
    let mut total = 0u128;
    let mut capacities = Vec::with_capacity(plan.buffers.len());
    for buffer in &plan.buffers {
        let name = &buffer.name;
        let elements = sizes.eval(&buffer.capacity).map_err(|e| RunFailure::Memory {
            message: format!("the capacity {} of buffer `{name}` cannot be computed: {e}", buffer.capacity),
        })?;
        let bytes = elements.max(1) as u128 * bytes_of(buffer.element) as u128;
        total += bytes;
        let allocation = u128::from(limits.allocation.min(total_limit));
        if bytes > allocation {
            return Err(RunFailure::Memory {
                message: format!(
                    "the run needs {} in buffer `{name}` ({elements} elements of {}); {} allows {} for one buffer",
                    bytes_text(bytes),
                    buffer.element,
                    if limits.allocation <= total_limit { "the device" } else { limiter },
                    bytes_text(allocation),
                ),
            });
        }
        if elements > MOST_ELEMENTS {
            return Err(RunFailure::Memory {
                message: format!(
                    "buffer `{name}` needs {elements} elements; generated code can index at most {MOST_ELEMENTS}"
                ),
            });
        }
        capacities.push(elements as usize);
    }
    if total > u128::from(total_limit) {
        return Err(RunFailure::Memory {
            message: format!(
                "the run needs {} in {} buffers; {limiter} has {}",
                bytes_text(total),
                plan.buffers.len(),
                bytes_text(total_limit.into())
            ),
        });
    }
    Ok(capacities)
}

fn prepare_steps<'a>(
    plan: &'a Plan,
    steps: &'a [Step],
    sizes: &SizeValues,
    capacities: &[usize],
    launches: &mut Vec<PreparedLaunch<'a>>,
) -> Result<Vec<PreparedStep>, RunFailure> {
    let known = |id: BufferId| match capacities.get(id.0 as usize) {
        Some(capacity) => Ok((*capacity, plan.buffers[id.0 as usize].element)),
        None => Err(RunFailure::plan(format!("there is no buffer {}", id.0))),
    };
    let mut prepared = Vec::with_capacity(steps.len());
    for step in steps {
        prepared.push(match step {
            Step::Launch(launch) => {
                for arg in &launch.args {
                    if let Arg::Buffer(id) = arg {
                        known(*id)?;
                    }
                }
                launches.push(prepare_launch(launch, sizes)?);
                PreparedStep::Launch(launches.len() - 1)
            }
            Step::Zero(id) => {
                known(*id)?;
                PreparedStep::Zero(*id)
            }
            Step::Repeat { count, steps } => {
                let count = number(count, sizes, "the number of rounds")?;
                PreparedStep::Repeat(count as u64, prepare_steps(plan, steps, sizes, capacities, launches)?)
            }
            Step::Swap(a, b) => {
                if known(*a)? != known(*b)? {
                    let [a, b] = [*a, *b].map(|id| &plan.buffer(id).name);
                    return Err(RunFailure::plan(format!("buffers `{a}` and `{b}` are exchanged but differ in size")));
                }
                PreparedStep::Swap(*a, *b)
            }
        });
    }
    Ok(prepared)
}

fn prepare_launch<'a>(launch: &'a Launch, sizes: &SizeValues) -> Result<PreparedLaunch<'a>, RunFailure> {
    let mut args = Vec::with_capacity(launch.args.len());
    for arg in &launch.args {
        args.push(match arg {
            Arg::Buffer(id) => PreparedArg::Buffer(*id),
            Arg::Size { value, wide: true } => PreparedArg::Long(number(value, sizes, "a size")?),
            Arg::Size { value, wide: false } => {
                let n = number(value, sizes, "a size")?;
                let n = i32::try_from(n).map_err(|_| RunFailure::Memory {
                    message: format!("the size {value} is {n} here; generated code counts to {} at most", i32::MAX),
                })?;
                PreparedArg::Int(n)
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
    Ok(PreparedLaunch { plan: launch, args, wish })
}

fn prepare_count(count: &Count, sizes: &SizeValues) -> Result<u64, RunFailure> {
    let wish = number(&count.wish, sizes, "a number of work-groups")? as u64;
    Ok(wish.next_multiple_of(u64::from(count.multiple_of.max(1))))
}

fn number(size: &Size, sizes: &SizeValues, what: &str) -> Result<i64, RunFailure> {
    sizes.eval(size).map_err(|e| RunFailure::Memory { message: format!("{what}, {size}, cannot be computed: {e}") })
}
