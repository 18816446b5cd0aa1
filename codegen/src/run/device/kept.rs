//! State that a process keeps between runs of many programs: the device's context and the program built last.
//!
//! pocl takes a tenth of a second to open a context, because it reads its library of builtins.

use super::handle::Handle;
use std::sync::{Arc, Mutex, PoisonError};

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

#[derive(Default)]
pub(super) struct Kept(Mutex<Objects>);

#[derive(Default)]
struct Objects {
    context: Option<Arc<Shared>>,
    /// The program built last, with its text.
    program: Option<(Box<str>, Arc<Shared>)>,
}

impl std::fmt::Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Kept")
    }
}

impl Kept {
    pub fn context<E>(&self, open: impl FnOnce() -> Result<Handle, E>) -> Result<Arc<Shared>, E> {
        let mut objects = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(context) = &objects.context {
            return Ok(context.clone());
        }
        Ok(objects.context.insert(Shared::new(open()?)).clone())
    }

    /// The program for a text: the one built last, if its text is the same. Otherwise it is built, and other threads
    /// may build at the same time.
    pub fn program<E>(&self, text: &str, build: impl FnOnce() -> Result<Arc<Shared>, E>) -> Result<Arc<Shared>, E> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).program.clone();
        if let Some((_, program)) = known.filter(|(known, _)| **known == *text) {
            return Ok(program);
        }
        let program = build()?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).program = Some((text.into(), program.clone()));
        Ok(program)
    }
}
