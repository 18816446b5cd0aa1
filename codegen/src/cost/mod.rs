//! The cost of a compiled kernel: for each launch the bytes of global memory read and written, the arithmetic, the
//! barriers and the local memory, in terms of size parameters or, for given sizes, as numbers.
//!
//! The cost is counted on the syntax tree of the generated text, launch by launch, with the plan's arguments and
//! numbers of work-items. Loops are symbolic ranges ([`domain`]), C expressions are sizes ([`values`]), and a statement
//! is executed once for each element of the ranges around it ([`count`]). An amount is exact where the text alone
//! decides it. Otherwise it is an upper bound: under a condition on data, or in a loop whose end only the device knows.
//! The helpers of a sort are counted for a whole launch ([`sorting`]). The cost is that of a run without failures, on a
//! device that grants a launch the requested work-items; reads while groups wait for each other are not counted
//! ([`LaunchCost::waits`]).
//!
//! Invariant: with these two exceptions, an amount is never below that of a run.
//!
//! | module | job |
//! |---|---|
//! | `amount` | amounts: sizes that are exact counts or upper bounds |
//! | `ctypes` | types and constants of C that determine costs |
//! | `domain` | the executions of a statement, as ranges |
//! | `branches` | the executions of the two branches of a condition |
//! | `values` | evaluates integer expressions of C to sizes |
//! | `verdict` | whether a kernel can be as fast as the device |
//! | `slow` | what makes a kernel far slower than the device |
//! | `calls` | costs of the functions that generated text calls |
//! | `bounds` | upper bounds of integer expressions |
//! | `count` | counts the work of a function's statements |
//! | `sorting` | work of the radix sort's helpers |
//! | `conditions` | the executions in which a condition holds |
//! | `expressions` | counts the work of expressions |
//! | `loops` | counts the work of loops |

mod amount;
mod bounds;
mod branches;
mod calls;
mod conditions;
mod count;
mod ctypes;
mod domain;
mod expressions;
mod loops;
mod slow;
mod sorting;
mod values;
mod verdict;

pub use amount::{Amount, Work};
pub use slow::{SlowPart, slow_parts};
pub use verdict::{Apart, Slow, Verdict, Why};

use crate::opencl::{Function, Stmt, StmtKind};
use crate::plan::{Buffer, BufferRole, Launch, Program, Step};
use crate::report::Stored;
use crate::schedule::asked::Asked;
use crate::sizes::SizeValues;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashSet;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub kernel: String,
    /// In order of execution.
    pub launches: Vec<LaunchCost>,
    /// The variables in the amounts that are not size parameters: numbers that only the device knows.
    pub unknown: Vec<Unknown>,
    /// The intermediate and final results that are stored, with their bytes.
    pub stored: Vec<Stored>,
    /// Bytes of the inputs and of the results.
    pub necessary: Size,
    /// The arithmetic that the program asks for, if that is known.
    pub asked: Option<Asked>,
}

/// A launch, or a buffer cleared by the host (without a function).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCost {
    /// The work, for people: "filter: count".
    pub label: String,
    /// The name of the function in the OpenCL text.
    pub function: Option<String>,
    pub origin: Option<Origin>,
    /// Executions per run.
    pub times: Size,
    /// Work-groups, and work-items of a group, in each dimension, as the plan requests.
    pub groups: [Size; 3],
    pub items: [u32; 3],
    /// Bytes of local memory per group.
    pub local_memory: Size,
    /// The work of all work-items in one execution.
    pub work: Work,
    /// Whether work-groups wait for each other. Their reads while waiting are not counted.
    pub waits: bool,
    /// Accesses in which neighbouring work-items are far apart.
    pub apart: Vec<Apart>,
    /// The origins of the statements that run.
    pub origins: FxHashSet<Origin>,
}

/// A number that only the device knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The variable that stands for it in amounts.
    pub var: Var,
    pub what: What,
    pub at_most: Option<Size>,
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A length or another number in device memory.
    Value,
    /// The iterations of a loop, in the work-item with the most.
    Rounds,
    /// ⌈log₂⌉ of a size.
    Doublings(Size),
}

impl What {
    pub fn name(&self) -> &'static str {
        match self {
            What::Value => "a number that the device computes",
            What::Rounds => "the rounds of a loop",
            What::Doublings(_) => "the binary logarithm of a size, rounded up",
        }
    }
}

impl Cost {
    /// Counts the cost of a program in terms of its size parameters.
    pub fn of(program: &Program) -> Cost {
        Cost::at(program, &SizeValues::new())
    }

    /// Counts the cost of a program for the given sizes. Amounts are numbers, or mention the sizes that are missing.
    /// More of them are exact than those of [`Cost::of`].
    pub fn at(program: &Program, sizes: &SizeValues) -> Cost {
        let mut counter = count::Counter::new(program, sizes);
        let mut launches = Vec::new();
        steps(&mut counter, program, &program.plan.steps, &Size::one(), &mut launches);
        let unknown = counter.unknown;
        let used = |u: &Unknown| launches.iter().any(|l| l.work.mentions(&u.var));
        let unknown = unknown.into_iter().filter(used).collect();
        let stored = program.report.stored.iter().chain(&program.report.results);
        let given = |s: &Stored| Stored { bytes: s.bytes.subst(&mut |v| sizes.get(v).map(Size::int)), ..s.clone() };
        let stored = stored.map(given).collect();
        let value = |size: &Size| size.subst(&mut |v| sizes.get(v).map(Size::int));
        let necessary = necessary(program, sizes);
        let asked = program.report.asked.as_ref().map(|asked| asked.map(&value));
        Cost { kernel: program.plan.kernel.clone(), launches, unknown, stored, necessary, asked }
    }

    /// The number of launches of a run.
    pub fn launched(&self) -> Size {
        let launches = self.launches.iter().filter(|l| l.function.is_some());
        launches.fold(Size::zero(), |sum, l| sum.add(&l.times))
    }
    /// The work of all launches together.
    pub fn total(&self) -> Work {
        let mut total = Work::none();
        self.launches.iter().for_each(|l| total.add(&l.work.times(&l.times)));
        total
    }
    /// The maximum, over the launches, of local memory per group, in bytes.
    pub fn local_memory(&self) -> Size {
        self.launches.iter().fold(Size::zero(), |most, l| Size::max(&most, &l.local_memory))
    }

    /// Evaluates an amount, taking the maximum of numbers that only the device knows; `None` if one is unknown.
    pub fn value(&self, amount: &Size) -> Option<i64> {
        let value = |var: &Var| {
            let unknown = self.unknown.iter().find(|u| u.var == *var)?;
            match (&unknown.what, &unknown.at_most) {
                (What::Doublings(of), _) => of.as_const().map(doublings),
                (_, most) => most.as_ref()?.as_const(),
            }
        };
        amount.eval(&value).ok()
    }
    /// Whether an amount mentions a number that only the device knows.
    pub fn is_guess(&self, amount: &Size) -> bool {
        self.unknown.iter().any(|u| !matches!(u.what, What::Doublings(_)) && amount.contains(&u.var))
    }
}

/// Bytes of the inputs and results.
fn necessary(program: &Program, sizes: &SizeValues) -> Size {
    let outside = program.plan.buffers.iter().filter(|b| matches!(b.role, BufferRole::Input | BufferRole::Output));
    let capacity = |b: &Buffer| b.capacity.subst(&mut |v| sizes.get(v).map(Size::int));
    let bytes = outside.map(|b| capacity(b).mul(&Size::nat(b.element.bytes())));
    bytes.fold(Size::zero(), |sum, bytes| sum.add(&bytes))
}

/// ⌈log₂ n⌉; 0 unless n is positive.
fn doublings(n: i64) -> i64 {
    let below = u64::try_from(n).unwrap_or(0).saturating_sub(1);
    i64::from(u64::BITS - below.leading_zeros())
}

/// The origin of the first launch in the steps.
fn origin_of(all: &[Step]) -> Option<&Origin> {
    all.iter().find_map(|step| match step {
        Step::Launch(launch) => Some(&launch.origin),
        step => step.inside().into_iter().find_map(origin_of),
    })
}

/// 1 if a launch is made, 0 if it is skipped. A function that itself tests whether there is work counts as made unless
/// it is known to be skipped.
fn taken(counter: &count::Counter, launch: &Launch, function: &Function) -> Size {
    let leaves = |s: &Stmt| match &s.kind {
        StmtKind::If { then, .. } => matches!(then.last().map(|s| &s.kind), Some(StmtKind::Return)),
        _ => false,
    };
    let one = Size::one();
    let holds = |size: &Size| Size::max(&Size::zero(), &Size::min(&one, &counter.given(size)));
    let times = launch.only_if.iter().fold(one.clone(), |all, size| all.mul(&holds(size)));
    if function.body.iter().any(leaves) && !times.is_zero() { one } else { times }
}

fn steps(counter: &mut count::Counter, program: &Program, all: &[Step], times: &Size, out: &mut Vec<LaunchCost>) {
    for step in all {
        match step {
            Step::Launch(launch) => {
                let Some(function) = program.functions.iter().find(|f| *f.name == *launch.kernel) else { continue };
                let times = taken(counter, launch, function).mul(times);
                if !times.is_zero() {
                    out.push(counter.launch(launch, function, &times));
                }
            }
            Step::Zero(id) => {
                let buffer = program.plan.buffer(*id);
                let bytes = counter.given(&buffer.capacity).mul(&Size::nat(buffer.element.bytes()));
                let work = Work { written: Amount::exactly(bytes), ..Work::none() };
                out.push(LaunchCost {
                    label: format!("clear {}", buffer.name),
                    function: None,
                    origin: None,
                    times: counter.given(times),
                    groups: [(); 3].map(|()| Size::one()),
                    items: [1; 3],
                    local_memory: Size::zero(),
                    work,
                    waits: false,
                    apart: Vec::new(),
                    origins: FxHashSet::default(),
                });
            }
            Step::Repeat { count, steps: inner } | Step::For { count, steps: inner, .. } => {
                steps(counter, program, inner, &times.mul(count), out)
            }
            Step::While { test, steps: inner, .. } => {
                let rounds = Size::var(counter.unknown("rounds", What::Rounds, None, origin_of(inner)));
                steps(counter, program, test, &times.mul(&rounds.add(&Size::one())), out);
                steps(counter, program, inner, &times.mul(&rounds), out);
            }
            Step::Swap(..) | Step::Measure { .. } => {}
        }
    }
}
