//! Ownership of one reference to an OpenCL object.

use std::ffi::c_void;

/// An owned reference to an OpenCL object, released when dropped. A failed release is ignored, because nobody can
/// handle it and the object belongs to the driver. (The wrappers of the `opencl3` crate panic.)
pub(super) struct Handle {
    raw: *mut c_void,
    release: Release,
}

pub(super) type Release = unsafe fn(*mut c_void) -> Result<(), i32>;

impl Handle {
    /// # Safety
    /// `raw` is a live OpenCL object, the caller hands over one reference to it, and `release` is the function for its
    /// type.
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
