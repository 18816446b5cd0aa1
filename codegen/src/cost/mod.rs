//! What a compiled kernel costs: for each launch the bytes of global memory read and written, the arithmetic, the
//! barriers and the local memory, as sizes of the program and, for given sizes, as numbers.
//!
//! It is counted in the syntax tree of the generated text, launch by launch, with the arguments and the numbers of
//! work-items of the plan: loops are symbolic ranges ([`domain`]), C expressions are sizes ([`values`]), and a statement
//! counts as often as there are elements in the ranges around it ([`count`]). An amount is exact where the text alone
//! decides it, and else the most that a run can have: under a condition on data, in a loop up to a number that only the
//! device knows. What the functions of a sort do is told for a whole launch ([`sorting`]). Counted is a run without failures, on a device that gives a launch the work-items that the plan asks
//! for; what work-groups read while they wait for each other is not ([`LaunchCost::waits`]).
//!
//! Invariant: an amount is never below what a run does, but for those two.

mod amount;
mod calls;
mod conditions;
mod count;
mod domain;
mod expressions;
mod loops;
mod sorting;
mod values;

pub use amount::{Amount, Work};

use crate::lower::scalar_bytes;
use crate::opencl::{Function, Stmt, StmtKind};
use crate::plan::{Launch, Program, Step};
use crate::report::Stored;
use crate::sizes::SizeValues;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cost {
    pub kernel: String,
    /// In the order in which they are done.
    pub launches: Vec<LaunchCost>,
    /// The numbers in the amounts that are no sizes of the program: only the device knows them.
    pub unknown: Vec<Unknown>,
    /// Results that are stored on the way, the program's result, and their bytes.
    pub stored: Vec<Stored>,
}

/// A launch, or the clearing of a buffer by the host (without a function).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchCost {
    /// What it does: "filter: count".
    pub label: String,
    /// The function in the OpenCL text.
    pub function: Option<String>,
    pub origin: Option<Origin>,
    /// How often it is done in a run.
    pub times: Size,
    /// Work-groups and work-items of a group in each dimension, as the plan asks for.
    pub groups: [Size; 3],
    pub items: [u32; 3],
    /// Bytes of local memory of a group.
    pub local_memory: Size,
    /// Of all work-items, each time.
    pub work: Work,
    /// Work-groups wait for each other; what they read meanwhile is not counted.
    pub waits: bool,
}

/// A number that only the device knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// By which amounts mention it.
    pub var: Var,
    pub what: What,
    pub at_most: Option<Size>,
    pub origin: Option<Origin>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A length or another number that is read from device memory.
    Value,
    /// The rounds of a loop, in that work-item that has most.
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
    /// Counts what a program does, as sizes.
    pub fn of(program: &Program) -> Cost {
        Cost::at(program, &SizeValues::new())
    }

    /// Counts what a program does where its sizes have these values; amounts are numbers then, or mention what is
    /// missing. More of them are exact than those of [`Cost::of`].
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
        Cost { kernel: program.plan.kernel.clone(), launches, unknown, stored }
    }

    /// The number of launches of a run.
    pub fn launched(&self) -> Size {
        let launches = self.launches.iter().filter(|l| l.function.is_some());
        launches.fold(Size::zero(), |sum, l| sum.add(&l.times))
    }
    /// All launches together.
    pub fn total(&self) -> Work {
        let mut total = Work::none();
        self.launches.iter().for_each(|l| total.add(&l.work.times(&l.times)));
        total
    }
    /// The most bytes of local memory that a group of one of the launches has.
    pub fn local_memory(&self) -> Size {
        self.launches.iter().fold(Size::zero(), |most, l| Size::max(&most, &l.local_memory))
    }

    /// The number that an amount is, if it is one: with the greatest value of what only the device knows.
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

/// ⌈log₂ n⌉, 0 for what is no positive number.
fn doublings(n: i64) -> i64 {
    let below = u64::try_from(n).unwrap_or(0).saturating_sub(1);
    i64::from(u64::BITS - below.leading_zeros())
}

/// Where the first launch of steps comes from.
fn origin_of(all: &[Step]) -> Option<&Origin> {
    all.iter().find_map(|step| match step {
        Step::Launch(launch) => Some(&launch.origin),
        step => step.inside().into_iter().find_map(origin_of),
    })
}

/// 1 where a launch is not left out, else 0. A function that returns by itself is counted so, unless it is known that it is
/// left out.
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
                let bytes = counter.given(&buffer.capacity).mul(&Size::nat(scalar_bytes(buffer.element)));
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
                });
            }
            Step::Repeat { count, steps: inner } => steps(counter, program, inner, &times.mul(count), out),
            Step::While { test, steps: inner, .. } => {
                let rounds = Size::var(counter.unknown("rounds", What::Rounds, None, origin_of(inner)));
                steps(counter, program, test, &times.mul(&rounds.add(&Size::one())), out);
                steps(counter, program, inner, &times.mul(&rounds), out);
            }
            Step::Swap(..) | Step::Measure { .. } => {}
        }
    }
}
