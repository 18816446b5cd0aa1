//! The one thread that owns the state.
//!
//! Handlers send messages to it *before their first await*, so its queue has the order in which the client sent them.
//! Writes run on it immediately. Reads get a snapshot in the same order and run in a pool of threads with large stacks;
//! a newer edit, or dropping the request's future, cancels them. The main loop never waits for the client.
//!
//! [`state`]: the state of a session.

pub mod state;

use self::state::{Outgoing, State};
use super::outcome::{Failure, Outcome};
use super::snapshot::Snapshot;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use lift_analysis::ide::Stopped;
use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::{mpsc, oneshot};
use tower_lsp_server::jsonrpc::{Error, ErrorCode};

type Job = Box<dyn FnOnce() + Send>;
type Write = Box<dyn FnOnce(&mut State) + Send>;

/// Sends work to the main loop, which lives as long as the process.
#[derive(Clone)]
pub struct Handle(Sender<Write>);

/// The thread pool for reads.
#[derive(Clone)]
pub struct Pool(Sender<Job>);

impl Pool {
    fn spawn() -> io::Result<Pool> {
        let (tx, rx) = unbounded::<Job>();
        let threads = std::thread::available_parallelism().map_or(2, |n| n.get()).clamp(2, 8);
        for i in 0..threads {
            let rx: Receiver<Job> = rx.clone();
            let work = move || {
                for job in rx {
                    // Jobs report their own panics; the thread goes on.
                    let _ = catch_unwind(AssertUnwindSafe(job));
                }
            };
            std::thread::Builder::new().name(format!("worker {i}")).stack_size(crate::STACK).spawn(work)?;
        }
        Ok(Pool(tx))
    }
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let _ = self.0.send(Box::new(job));
    }
}

/// Starts the main loop; its messages for the client go to `outbox`.
pub fn spawn(outbox: mpsc::UnboundedSender<Outgoing>) -> io::Result<Handle> {
    let pool = Pool::spawn()?;
    let (tx, rx) = unbounded::<Write>();
    let handle = Handle(tx);
    let state = State::new(pool, handle.clone(), outbox);
    let main = move || {
        let _ = catch_unwind(AssertUnwindSafe(|| serve(state, &rx)));
        // An editor restarts a dead server, but would wait for a hung one.
        std::process::exit(101);
    };
    std::thread::Builder::new().name("main loop".into()).stack_size(crate::STACK).spawn(main)?;
    Ok(handle)
}

fn serve(mut state: State, writes: &Receiver<Write>) {
    loop {
        let message = match state.due() {
            Some(due) => writes.recv_deadline(due),
            None => writes.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let write: Write = match message {
            Ok(write) => write,
            Err(RecvTimeoutError::Timeout) => Box::new(State::act),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| write(&mut state))) {
            state.recover(&panic_text(&*panic));
        }
    }
}

impl Handle {
    /// Queues a write at the time of the call.
    pub fn write(&self, f: impl FnOnce(&mut State) + Send + 'static) {
        let _ = self.0.send(Box::new(f));
    }

    /// Runs work in the pool without a snapshot, so that it delays no edit.
    pub fn compute<T: Send + 'static>(
        &self,
        f: impl FnOnce() -> T + Send + 'static,
    ) -> impl Future<Output = Result<T, Error>> + Send {
        let (tx, rx) = oneshot::channel();
        self.write(move |state| {
            state.pool.run(move || {
                let _ = tx.send(catch_unwind(AssertUnwindSafe(f)));
            });
        });
        async move {
            match rx.await {
                Ok(Ok(value)) => Ok(value),
                Ok(Err(panic)) => Err(internal(&*panic)),
                Err(_) => Err(Error::request_cancelled()),
            }
        }
    }

    /// Runs a read on a snapshot. *Not* an `async fn`: the read is queued at the time of the call, not when its result
    /// is awaited. Dropping the future cancels the read.
    pub fn read<T, F>(&self, f: F) -> impl Future<Output = Result<T, Error>> + Send + use<T, F>
    where
        T: Send + 'static,
        F: FnOnce(&Snapshot) -> Outcome<T> + Send + 'static,
    {
        let (tx, rx) = oneshot::channel();
        let slot: Arc<Mutex<Slot>> = Arc::default();
        let job_slot = slot.clone();
        self.write(move |state| {
            let snapshot = state.snapshot();
            {
                let mut slot = lock(&job_slot);
                if slot.cancelled {
                    return;
                }
                slot.token = Some(snapshot.analysis.cancellation_token());
            }
            state.pool.run(move || {
                let result = if lock(&job_slot).cancelled {
                    Ok(Err(Failure::Stopped(Stopped::ByRequest)))
                } else {
                    catch_unwind(AssertUnwindSafe(|| f(&snapshot)))
                };
                drop(snapshot); // An edit waits for it, so drop it before sending.
                let _ = tx.send(result);
            });
        });
        let guard = CancelOnDrop(slot);
        async move {
            let _guard = guard;
            match rx.await {
                Ok(Ok(Ok(value))) => Ok(value),
                Ok(Ok(Err(failure))) => Err(failure.into_error()),
                Ok(Err(panic)) => Err(internal(&*panic)),
                Err(_) => Err(Error::request_cancelled()),
            }
        }
    }
}

fn internal(panic: &(dyn Any + Send)) -> Error {
    let message = format!("internal error: {}", panic_text(panic)).into();
    Error { code: ErrorCode::InternalError, message, data: None }
}

/// Shared by a request and its job, for cancellation.
#[derive(Default)]
struct Slot {
    cancelled: bool,
    token: Option<salsa::CancellationToken>,
}

struct CancelOnDrop(Arc<Mutex<Slot>>);
impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let mut slot = lock(&self.0);
        slot.cancelled = true;
        if let Some(token) = slot.token.take() {
            token.cancel();
        }
    }
}

/// Ignores poisoning: the locked values are consistent at every moment, even after a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(|s| &**s));
    text.unwrap_or("a panic without a message").to_owned()
}
