//! Stops launches after a failed check.
//!
//! Later code relies on the condition that a check found false: lengths become negative, memory stays unwritten. So
//! every launch that may follow one that records failures begins by testing for a failure, and returns. No launch has
//! to be safe on its own.
//!
//! Within a launch, the work-item that found the failure stops ([`middle`]).
//!
//! Work-items that must take the same decision share the test. During a launch that records no failures the flag does
//! not change, so each work-item reads it. In a launch that does, one work-item reads it for its group if the group has
//! barriers. If groups wait for each other, all read a copy that a separate launch has made before.
//!
//! | module | job |
//! |---|---|
//! | [`buffer`] | the buffer in which launches record failures |
//! | [`middle`] | stops in the middle of a function |

pub mod buffer;
pub mod middle;

use self::buffer::{COPY, ELEMENTS, NAME};
use super::Result;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use crate::failure::Message;
use crate::opencl::{BinaryOp, CType, Expr, Function, Helper, Param, ParamType, Stmt, StmtKind, Storage, joins};
use crate::plan::{Arg, BufferId, BufferRole, Count, Launch, Step};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use rustc_hash::{FxHashMap, FxHashSet};

/// The function that makes the copy. Names of programs never start with `lift_`.
const COPIER: &str = "lift_stop";

impl FunctionBuilder<'_, '_> {
    /// Records a failure and ends the work-item, because the code that follows relies on the check.
    pub fn stop_if(&mut self, wrong: Expr, message: &Message, values: [Expr; 2]) -> Result<()> {
        self.fail_if(wrong, message, values, &[StmtKind::Stop])
    }

    /// Records a failure; the work-item goes on.
    pub fn record_if(&mut self, wrong: Expr, message: &Message, values: [Expr; 2]) -> Result<()> {
        self.fail_if(wrong, message, values, &[])
    }

    fn fail_if(&mut self, wrong: Expr, message: &Message, values: [Expr; 2], next: &[StmtKind]) -> Result<()> {
        let which = self.failure(message);
        let (then, ()) = self.scope(|f| {
            let buffer = f.failure_buffer();
            let [first, second] = values;
            let call = f.call_helper(Helper::Fail, [buffer, Expr::int(which), first, second]);
            f.emit(StmtKind::Expr(call));
            next.iter().for_each(|stmt| f.emit(stmt.clone()));
            Ok(())
        })?;
        self.emit_if(wrong, then, Vec::new());
        Ok(())
    }
}

impl ProgramBuilder<'_> {
    /// Adds the tests to the launches of the plan.
    pub fn stop_after_failures(&mut self) {
        let Some(failure) = self.failure_buffer else { return };
        let mut after = FxHashSet::default();
        let failed = followers(&self.setup, failure, false, &mut after);
        followers(&self.steps, failure, failed, &mut after);
        if after.is_empty() {
            return;
        }
        let states = self.buffers.iter().map(|b| b.role == BufferRole::State).collect();
        let mut pass = Pass { failure, states, functions: &mut self.functions, after, tested: FxHashMap::default() };
        let copier = pass.steps(&mut self.setup) | pass.steps(&mut self.steps);
        if copier && let Some(origin) = self.functions.last().map(|f| f.origin.clone()) {
            self.buffers[failure.0 as usize].capacity = Size::nat(ELEMENTS + 1);
            self.functions.push(copier_function(&origin));
        }
    }
}

/// Whether a launch may record a failure; only then its function gets the buffer.
fn records(launch: &Launch, failure: BufferId) -> bool {
    launch.args.contains(&Arg::Buffer(failure))
}

fn any_records(steps: &[Step], failure: BufferId) -> bool {
    steps.iter().any(|step| match step {
        Step::Launch(launch) => records(launch, failure),
        step => step.inside().into_iter().any(|inner| any_records(inner, failure)),
    })
}

/// Collects the functions of launches that may follow a failure. `failed`: one may have occurred before these steps.
/// Returns whether one may have occurred after them.
fn followers(steps: &[Step], failure: BufferId, mut failed: bool, found: &mut FxHashSet<String>) -> bool {
    for step in steps {
        match step {
            Step::Launch(launch) => {
                if failed {
                    found.insert(launch.kernel.clone());
                }
                failed |= records(launch, failure);
            }
            // An iteration may follow a failure of the previous one.
            step => {
                let inside = step.inside();
                failed |= inside.iter().any(|steps| any_records(steps, failure));
                inside.into_iter().for_each(|steps| {
                    followers(steps, failure, failed, found);
                });
            }
        }
    }
    failed
}

/// How a function tests for earlier failures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Test {
    /// The function records no failures; the buffer is added for the test.
    Given,
    Recording,
    /// The function reads the copy of the buffer.
    Copied,
}

struct Pass<'a> {
    failure: BufferId,
    /// By buffer: whether groups wait for each other through it.
    states: Vec<bool>,
    functions: &'a mut [Function],
    after: FxHashSet<String>,
    tested: FxHashMap<String, Test>,
}

impl Pass<'_> {
    /// Adds the tests to launches; returns whether the flag is copied somewhere.
    fn steps(&mut self, steps: &mut Vec<Step>) -> bool {
        let mut copied = false;
        let mut all = Vec::with_capacity(steps.len());
        for mut step in std::mem::take(steps) {
            match &mut step {
                Step::Launch(launch) if self.after.contains(&launch.kernel) => {
                    if self.test(launch) {
                        copied = true;
                        all.push(Step::Launch(copy_launch(&launch.origin, self.failure)));
                    }
                }
                Step::Repeat { steps, .. } | Step::For { steps, .. } => copied |= self.steps(steps),
                Step::While { test, steps, .. } => copied |= self.steps(test) | self.steps(steps),
                Step::Launch(_) | Step::Zero(_) | Step::Swap(..) | Step::Measure { .. } => {}
            }
            all.push(step);
        }
        *steps = all;
        copied
    }

    /// Adds the test to a launch; returns whether the flag must be copied before it.
    fn test(&mut self, launch: &mut Launch) -> bool {
        let test = match self.tested.get(&launch.kernel) {
            Some(test) => *test,
            None => {
                let Some(function) = self.functions.iter_mut().find(|f| *f.name == *launch.kernel) else {
                    return false;
                };
                let is_state = |arg: &Arg| matches!(arg, Arg::Buffer(id) if self.states[id.0 as usize]);
                let test = match (records(launch, self.failure), launch.args.iter().any(is_state)) {
                    (false, _) => Test::Given,
                    (true, false) => Test::Recording,
                    (true, true) => Test::Copied,
                };
                add_test(function, launch, test);
                self.tested.insert(launch.kernel.clone(), test);
                test
            }
        };
        if test == Test::Given {
            launch.args.insert(buffers(launch), Arg::Buffer(self.failure));
        }
        test == Test::Copied
    }
}

fn buffers(launch: &Launch) -> usize {
    launch.args.iter().take_while(|arg| matches!(arg, Arg::Buffer(_))).count()
}

fn flag(at: i64) -> Expr {
    Expr::Var(NAME.into()).index(Expr::int(at))
}

fn add_test(function: &mut Function, launch: &Launch, test: Test) {
    if test == Test::Given {
        function.params.insert(buffers(launch), param(true));
    }
    let shared = test == Test::Recording && function.body.iter().any(joins::meets);
    match (test, first_of_group(launch.local).filter(|_| shared)) {
        (Test::Copied, _) => stop_if(function, Vec::new(), flag(COPY)),
        (_, Some(first)) => stop_group(function, first, flag(0)),
        (_, None) => {
            if shared {
                // Each group has one work-item, which decides for itself.
                function.group_size = Some([1; 3]);
            }
            stop_if(function, Vec::new(), flag(0));
        }
    }
}

/// The function that copies the flag.
fn copier_function(origin: &Origin) -> Function {
    Function {
        name: COPIER.into(),
        doc: "whether a launch before has failed (one work-item)".into(),
        origin: origin.clone(),
        params: vec![param(false)],
        group_size: None,
        body: vec![StmtKind::Assign(flag(COPY), flag(0)).at(origin)],
        parts: Default::default(),
    }
}

fn copy_launch(origin: &Origin, failure: BufferId) -> Launch {
    Launch {
        kernel: COPIER.into(),
        args: vec![Arg::Buffer(failure)],
        groups: [(); 3].map(|()| Count { wish: Size::one(), multiple_of: 1 }),
        local: [1; 3],
        exact_local: false,
        only_if: Vec::new(),
        origin: origin.clone(),
        label: "stop".into(),
    }
}

fn param(constant: bool) -> Param {
    Param { name: NAME.into(), ty: ParamType::Buffer { element: CType::Int, constant } }
}

/// The condition that selects one work-item of a group; `None` if the group has only one.
fn first_of_group(local: [u32; 3]) -> Option<Expr> {
    let ids = (0..3).filter(|d| local[*d] > 1).map(|d| Expr::call("get_local_id", [Expr::int(d as i64)]));
    ids.map(|id| id.eq(Expr::int(0))).reduce(Expr::and)
}

/// Inserts `before; if (flag != 0) return;` at the start of a function.
fn stop_if(function: &mut Function, before: Vec<Stmt>, flag: Expr) {
    let origin = &function.origin;
    let condition = Expr::binary(BinaryOp::Ne, flag, Expr::int(0));
    let then = vec![StmtKind::Stop.at(origin)];
    let stop = StmtKind::If { condition, then, otherwise: Vec::new() }.at(origin);
    let body = std::mem::take(&mut function.body);
    function.body = before.into_iter().chain([stop]).chain(body).collect();
}

/// Lets one work-item read the flag for its group.
fn stop_group(function: &mut Function, first: Expr, flag: Expr) {
    let origin = function.origin.clone();
    let name = Name::from("lift_stopped");
    let shared = Expr::Var(name.clone()).index(Expr::int(0));
    let read = vec![StmtKind::Assign(shared.clone(), flag).at(&origin)];
    let before = vec![
        StmtKind::DeclareArray { storage: Storage::Local, ty: CType::Int, name, len: 1 }.at(&origin),
        StmtKind::If { condition: first, then: read, otherwise: Vec::new() }.at(&origin),
        StmtKind::Barrier { local: true, global: false }.at(&origin),
    ];
    stop_if(function, before, shared);
}
