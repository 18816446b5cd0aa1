//! State that a process keeps between runs of many programs: the device's context and the programs built last.
//!
//! pocl takes a tenth of a second to open a context, because it reads its library of builtins.

use super::handle::Handle;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A context or a program, usable from any thread.
pub(super) struct Shared(Handle);

// SAFETY: several threads may call all OpenCL functions at once, except those that set the arguments of a kernel
// (OpenCL 1.2, A.2); contexts and programs have no such function.
unsafe impl Send for Shared {}
// SAFETY: as above.
unsafe impl Sync for Shared {}

impl Shared {
    pub fn new(handle: Handle) -> Arc<Shared> {
        Arc::new(Shared(handle))
    }
    pub fn raw(&self) -> *mut std::ffi::c_void {
        self.0.raw()
    }
}

pub(super) struct Kept {
    objects: Mutex<Objects>,
    /// The number of programs kept, at least one.
    most: usize,
    /// Whether built programs are also cached on disk.
    pub on_disk: bool,
}

#[derive(Default)]
struct Objects {
    context: Option<Arc<Shared>>,
    /// The programs built last, with their texts; the oldest first.
    programs: VecDeque<(Box<str>, Arc<Shared>)>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kept")
    }
}

impl Kept {
    pub fn new(most: usize, on_disk: bool) -> Kept {
        Kept { objects: Mutex::default(), most: most.max(1), on_disk }
    }

    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn context<E>(&self, open: impl FnOnce() -> Result<Handle, E>) -> Result<Arc<Shared>, E> {
        let mut objects = self.objects();
        if let Some(context) = &objects.context {
            return Ok(context.clone());
        }
        Ok(objects.context.insert(Shared::new(open()?)).clone())
    }

    /// The program for a text: one that is kept, if its text is the same. Otherwise it is built, and other threads
    /// may build at the same time.
    pub fn program<E>(&self, text: &str, build: impl FnOnce() -> Result<Arc<Shared>, E>) -> Result<Arc<Shared>, E> {
        let known =
            self.objects().programs.iter().find(|(known, _)| **known == *text).map(|(_, program)| program.clone());
        if let Some(program) = known {
            return Ok(program);
        }
        let program = build()?;
        let mut objects = self.objects();
        while objects.programs.len() >= self.most {
            objects.programs.pop_front();
        }
        objects.programs.push_back((text.into(), program.clone()));
        Ok(program)
    }
}
