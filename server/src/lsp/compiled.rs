//! Kernels compiled behind the editor's back: what they cost, where what is not placed runs, what is stored on the way,
//! and which checks are left in.
//!
//! To compile a kernel may take longer than an answer may wait, or an edit may be held up. So it is done on one thread of
//! its own, without a snapshot, and once until the kernel changes. It begins in a pause in typing: where there are few
//! processors, who computes on one of them holds up, until the next tick of the system, whoever wakes there, and after an edit
//! all wait for answers. Who asks too early hears that, and when all that was asked for is there, the client is asked to ask
//! again.

use super::main_loop::Handle;
use super::state::State;
use crate::report::cost::CostReport;
use lift_analysis::ide::Cancellable;
use lift_analysis::origin::Origin;
use lift_analysis::prims::{Level, PrimitiveId};
use lift_codegen::core::{Kernel, Rhs};
use lift_codegen::cost::Cost;
use lift_codegen::failure;
use lift_codegen::lower;
use lift_codegen::report::{Cliff, Stored};
use lift_codegen::schedule::Schedule;
use lift_codegen::target::Target;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::time::{Duration, Instant};

/// How much the thread that compiles gives way to the others: half of the most.
#[cfg(target_os = "linux")]
const NICE: i32 = 10;
/// So long after an edit a kernel is compiled.
const PAUSE: Duration = Duration::from_millis(50);
/// Kernels of which is kept what was told.
const MOST_KEPT: usize = 64;

/// What compiling a kernel tells.
#[derive(Debug, Default)]
pub struct Told {
    /// Placed primitives, and where they come from.
    pub placed: Vec<(PrimitiveId, Level, Origin)>,
    pub stored: Vec<Stored>,
    pub cliffs: Vec<Cliff>,
    /// What a run still checks inside of a launch.
    pub left_in: Vec<LeftIn>,
    /// A few lines; nothing for a kernel that is not supported.
    pub cost: Option<String>,
}

#[derive(Debug, PartialEq)]
pub struct LeftIn {
    pub kind: failure::Kind,
    pub message: String,
    pub origin: Origin,
}

/// The file and the name of a kernel.
pub type KernelName = (Arc<str>, String);

/// A kernel, and the devices for which it is compiled.
#[derive(Debug, Clone)]
pub struct Question {
    /// Of one kernel, only the last question counts.
    pub about: KernelName,
    pub kernel: Arc<Kernel>,
    pub target: Target,
}

impl Question {
    /// A kernel that did not change is the same value, so that it is found by its address.
    fn is(&self, other: &Question) -> bool {
        Arc::ptr_eq(&self.kernel, &other.kernel) && self.target == other.target
    }
}

/// Shared by the snapshots of one session.
#[derive(Clone)]
pub struct Compiler(Arc<Shared>);

struct Shared {
    work: Mutex<Work>,
    /// Something was asked, or told.
    changed: Condvar,
    started: Once,
    back: Handle,
}

#[derive(Default)]
struct Work {
    told: VecDeque<(Question, Arc<Told>)>,
    asked: VecDeque<Question>,
    /// What is being compiled.
    current: Option<Question>,
    /// Somebody was told that it is too early, and is to ask again.
    promised: bool,
    /// When a text changed last.
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

    /// How long it is until there is a pause in typing, if there is none.
    fn until_pause(&self, now: Instant) -> Option<Duration> {
        let left = PAUSE.saturating_sub(now.saturating_duration_since(self.edited?));
        (!left.is_zero()).then_some(left)
    }
}

impl Compiler {
    pub fn new(back: Handle) -> Compiler {
        Compiler(Arc::new(Shared { work: Mutex::default(), changed: Condvar::new(), started: Once::new(), back }))
    }

    /// A text changed.
    pub fn edited(&self) {
        self.0.lock().edited = Some(Instant::now());
    }

    /// Somebody is typing: nothing is compiled.
    pub fn holds_back(&self) -> bool {
        self.0.lock().until_pause(Instant::now()).is_some()
    }

    /// What is known of a kernel; if nothing is, it will be, and then the hints are asked for again.
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

    /// Waits for what a kernel tells, so long at most; what is not told by then will be.
    pub fn wait(&self, question: &Question, patience: Duration) -> Option<Arc<Told>> {
        let end = Instant::now() + patience;
        let mut work = self.0.lock();
        loop {
            if let Some(told) = work.find(question) {
                return Some(told);
            }
            // Another question about the kernel may have taken the place of this one.
            work.ask(question);
            self.0.wake();
            let left = end.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
            work = self.0.changed.wait_timeout(work, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until a kernel has told, but not beyond `end`, nor when `stopped` says that nobody wants to know any more.
    pub fn wait_until(
        &self,
        question: &Question,
        end: Instant,
        stopped: impl Fn() -> Cancellable<()>,
    ) -> Cancellable<Option<Arc<Told>>> {
        // An edit waits for whoever looks at the text.
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
    /// What is behind the lock is whole at every moment, also after a panic.
    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread with the first question: most sessions that only read never need it.
    fn wake(self: &Arc<Shared>) {
        self.started.call_once(|| {
            let shared = self.clone();
            let thread = std::thread::Builder::new().name("compiler".into()).stack_size(crate::STACK);
            // Without a thread nothing is ever told, and everything else goes on.
            drop(thread.spawn(move || shared.serve()));
        });
        self.changed.notify_all();
    }

    fn serve(&self) {
        // Answers and edits go first where there are few processors. Elsewhere this would be about the whole process.
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
                    self.back.write(State::compiled);
                }
                work = self.changed.wait(work).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            if work.find(&question).is_some() {
                continue;
            }
            work.current = Some(question.clone());
            drop(work);
            // A mistake of the compiler is told where a kernel is generated; here it only tells nothing.
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
    // What is not supported is said elsewhere.
    let Ok(program) = lower::compile(kernel, target) else { return told };
    let class = target.class.to_string();
    told.cost = Some(CostReport::new(&Cost::of(&program), None, &class, &[], &|_| None).summary());
    told.stored = program.report.stored;
    told.cliffs = program.report.cliffs;
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
