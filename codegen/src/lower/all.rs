//! Compiles several kernels in parallel, one per thread.

use super::{LowerError, compile};
use crate::core::Kernel;
use crate::plan::Program;
use crate::target::Target;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

type Compiled = Result<Program, Vec<LowerError>>;

/// Stack in bytes that suffices to compile any program that the checker accepts, or to refuse it with an error.
pub const STACK: usize = 64 << 20;

/// Compiles kernels for a target; the results are in the same order. If no thread can be started, the current one
/// compiles all of them.
pub fn compile_all(kernels: &[&Kernel], target: &Target) -> Vec<Compiled> {
    let jobs: Vec<(&Kernel, Target)> = kernels.iter().map(|kernel| (*kernel, *target)).collect();
    compile_each(&jobs)
}

/// Compiles kernels, each for a target of its own.
pub fn compile_each(kernels: &[(&Kernel, Target)]) -> Vec<Compiled> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Compiled)>> = Mutex::new(Vec::with_capacity(kernels.len()));
    let work = || {
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some((kernel, target)) = kernels.get(i) else { return };
            let compiled = compile(kernel, target);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((i, compiled));
        }
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 1..processors.min(kernels.len()) {
            let helper = thread::Builder::new().name("compiler".into()).stack_size(STACK);
            if helper.spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, compiled)| compiled).collect()
}
