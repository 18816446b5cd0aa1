//! Ownership of one reference to an OpenCL object.

use std::ffi::c_void;

/// Releases its object when dropped. A release that fails is ignored: there is nobody to tell, and the object is the
/// driver's. (The wrappers of the `opencl3` crate panic there.)
pub(super) struct Handle {
    raw: *mut c_void,
    release: Release,
}

pub(super) type Release = unsafe fn(*mut c_void) -> Result<(), i32>;

impl Handle {
    /// # Safety
    /// `raw` is a live OpenCL object, one reference to it is handed over, and `release` is the function for its type.
    pub(super) unsafe fn own(raw: *mut c_void, release: Release) -> Handle {
        Handle { raw, release }
    }

    pub(super) fn raw(&self) -> *mut c_void {
        self.raw
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: by the contract of `own`; nothing else releases this reference.
        let _ = unsafe { (self.release)(self.raw) };
    }
}
