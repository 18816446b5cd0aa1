//! Background compilation of kernels: their cost, the placement chosen by the compiler, stored results, and remaining
//! checks.
//!
//! Compiling a kernel can take longer than a response or an edit may wait. It therefore runs on its own thread, without
//! a snapshot, and once per version of a kernel. It starts in a pause in typing: with few processors, a computing
//! thread delays every thread that wakes on its processor until the next scheduler tick, and after an edit all
//! responses are due. A request that comes too early gets no result; when everything requested is compiled, the client
//! is asked to refresh its hints.

use crate::report::cost::CostReport;
use lift_analysis::ide::Cancellable;
use lift_analysis::origin::Origin;
use lift_analysis::prims::{Level, PrimitiveId};
use lift_codegen::core::{Kernel, Rhs};
use lift_codegen::cost::{Cost, SlowPart, slow_parts};
use lift_codegen::failure;
use lift_codegen::lower;
use lift_codegen::report::Stored;
use lift_codegen::schedule::Schedule;
use lift_codegen::sizes::SizeValues;
use lift_codegen::target::{Class, Target};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// Niceness of the compiling thread: half of the maximum.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
/// Time after an edit until kernels are compiled.
const PAUSE: Duration = Duration::from_millis(50);
/// Capacity of the result cache, in kernels.
const MOST_KEPT: usize = 64;

/// The result of compiling a kernel.
#[derive(Debug, Default)]
pub struct Told {
    /// Primitives with the level that the compiler chose, and their origins.
    pub placed: Vec<(PrimitiveId, Level, Origin)>,
    pub stored: Vec<Stored>,
    /// Parts that are far slower than a GPU.
    pub slow: Vec<SlowPart>,
    /// Checks that a run still makes inside a launch.
    pub left_in: Vec<LeftIn>,
    /// A summary of the cost; `None` for a kernel that cannot be compiled.
    pub cost: Option<String>,
}

#[derive(Debug, PartialEq)]
pub struct LeftIn {
    pub kind: failure::Kind,
    pub message: String,
    pub origin: Origin,
}

/// File and name of a kernel.
pub type KernelName = (Arc<str>, String);

/// A kernel to compile for a class of devices.
#[derive(Debug, Clone)]
pub struct Question {
    /// A newer question about the same name replaces an older one.
    pub about: KernelName,
    pub kernel: Arc<Kernel>,
    pub target: Target,
}

impl Question {
    /// Unchanged kernels are the same value in memory, so addresses are compared.
    fn is(&self, other: &Question) -> bool {
        Arc::ptr_eq(&self.kernel, &other.kernel) && self.target == other.target
    }
}

/// The background compiler, shared by the snapshots of a session.
#[derive(Clone)]
pub struct Compiler(Arc<Shared>);

struct Shared {
    work: Mutex<Work>,
    /// Signals a new question or result.
    changed: Condvar,
    started: Once,
    /// Called when everything requested is compiled, if some request got no result.
    done: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Work {
    told: VecDeque<(Question, Arc<Told>)>,
    asked: VecDeque<Question>,
    /// The question being compiled.
    current: Option<Question>,
    /// Whether some request got no result, so the client is to refresh its hints.
    promised: bool,
    /// Time of the last edit.
    edited: Option<Instant>,
}

impl Work {
    fn find(&self, question: &Question) -> Option<Arc<Told>> {
        self.told.iter().find(|(known, _)| known.is(question)).map(|(_, told)| told.clone())
    }

    fn ask(&mut self, question: &Question) {
        if self.current.as_ref().is_some_and(|current| current.is(question)) {
            return;
        }
        self.asked.retain(|other| other.about != question.about);
        self.asked.push_back(question.clone());
    }

    /// Returns the time until typing counts as paused; `None` if it already does.
    fn until_pause(&self, now: Instant) -> Option<Duration> {
        let left = PAUSE.saturating_sub(now.saturating_duration_since(self.edited?));
        (!left.is_zero()).then_some(left)
    }
}

impl Compiler {
    /// A compiler that calls `done` when everything requested is compiled, if some request got no result.
    pub fn new(done: impl Fn() + Send + Sync + 'static) -> Compiler {
        let (work, changed, started) = (Mutex::default(), Condvar::new(), Once::new());
        Compiler(Arc::new(Shared { work, changed, started, done: Box::new(done) }))
    }

    /// Records an edit.
    pub fn edited(&self) {
        self.0.lock().edited = Some(Instant::now());
    }

    /// Whether compilation waits for a pause in typing.
    pub fn holds_back(&self) -> bool {
        self.0.lock().until_pause(Instant::now()).is_some()
    }

    /// Returns the cached result. Without one, schedules the compilation, after which the client refreshes its hints.
    pub fn ask(&self, question: &Question) -> Option<Arc<Told>> {
        let mut work = self.0.lock();
        let known = work.find(question);
        if known.is_none() {
            work.ask(question);
            work.promised = true;
            self.0.wake();
        }
        known
    }

    /// Waits for a result, at most for `patience`; compilation goes on after that.
    pub fn wait(&self, question: &Question, patience: Duration) -> Option<Arc<Told>> {
        let end = Instant::now() + patience;
        let mut work = self.0.lock();
        loop {
            if let Some(told) = work.find(question) {
                return Some(told);
            }
            // Another question about this kernel may have replaced this one.
            work.ask(question);
            self.0.wake();
            let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            work = self.0.changed.wait_timeout(work, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for a result until `end` or until `stopped` reports cancellation.
    pub fn wait_until(
        &self,
        question: &Question,
        end: Instant,
        stopped: impl Fn() -> Cancellable<()>,
    ) -> Cancellable<Option<Arc<Told>>> {
        // An edit waits for snapshots, so cancellation is checked at this interval.
        const STEP: Duration = Duration::from_millis(2);
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            if let Some(told) = self.wait(question, left.min(STEP)) {
                return Ok(Some(told));
            }
            stopped()?;
        }
    }
}

impl Shared {
    /// Ignores poisoning: the state is consistent at every moment, even after a panic.
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread at the first question; many sessions never need it.
    fn wake(self: &Arc<Shared>) {
        self.started.call_once(|| {
            let shared = self.clone();
            let thread = std::thread::Builder::new().name("compiler".into()).stack_size(crate::STACK);
            // If the thread cannot start, there are no results, and everything else works.
            drop(thread.spawn(move || shared.serve()));
        });
        self.changed.notify_all();
    }

    fn serve(&self) {
        // Responses and edits take priority. On Linux this is per thread; elsewhere it would affect the whole process.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::setpriority_process(None, NICE);
        let mut work = self.lock();
        loop {
            if let Some(left) = work.until_pause(Instant::now()) {
                work = self.changed.wait_timeout(work, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let Some(question) = work.asked.pop_front() else {
                if std::mem::take(&mut work.promised) {
                    (self.done)();
                }
                work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if work.find(&question).is_some() {
                continue;
            }
            work.current = Some(question.clone());
            drop(work);
            // A panic of the compiler yields an empty result; it is reported when the kernel is generated.
            let told = catch_unwind(AssertUnwindSafe(|| tell(&question.kernel, &question.target))).unwrap_or_default();
            work = self.lock();
            work.current = None;
            if work.told.len() >= MOST_KEPT {
                work.told.pop_front();
            }
            work.told.push_back((question, Arc::new(told)));
            self.changed.notify_all();
        }
    }
}

fn tell(kernel: &Kernel, target: &Target) -> Told {
    let mut told = Told::default();
    Schedule::new(kernel, target).kernel.body.visit(&mut |stmt| {
        if let Rhs::Prim(call) = &stmt.rhs
            && let Some((id, level)) = call.prim.placed()
        {
            told.placed.push((id, level, stmt.origin.clone()));
        }
    });
    // Unsupported kernels are reported elsewhere.
    let Ok(program) = lower::compile(kernel, target) else { return told };
    let class = target.class.to_string();
    told.cost = Some(CostReport::new(&Cost::of(&program), None, &class, &[], &|_| None).summary());
    // Code for every device is not written for GPUs, so it is judged as compiled for one.
    told.slow = match target.class {
        Class::Portable => {
            let gpu = Target::gpu();
            lower::compile(kernel, &gpu).map_or_else(|_| Vec::new(), |p| slow_parts(&p, &gpu, &SizeValues::new()))
        }
        _ => slow_parts(&program, target, &SizeValues::new()),
    };
    told.stored = program.report.stored;
    for failure in program.plan.failures {
        let left = LeftIn { kind: failure.kind, message: failure.message, origin: failure.origin };
        if !told.left_in.contains(&left) {
            told.left_in.push(left);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_compiled_until_a_pause_in_typing() {
        let now = Instant::now();
        let waits = |edited, after| Work { edited, ..Work::default() }.until_pause(now + after);
        assert_eq!(waits(None, Duration::ZERO), None);
        assert_eq!(waits(Some(now), Duration::ZERO), Some(PAUSE));
        assert_eq!(waits(Some(now), PAUSE / 2), Some(PAUSE / 2));
        assert_eq!(waits(Some(now), PAUSE), None);
    }
}
