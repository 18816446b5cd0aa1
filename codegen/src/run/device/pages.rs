//! Host memory in huge pages, for buffers of CPUs.
//!
//! A CPU driver allocates buffers in host memory, usually in pages of 4 KiB. Passes over large arrays then also wait
//! for address translation, for a time that varies with the placement of the pages. Linux gives huge pages on request
//! (`MADV_HUGEPAGE`, see transhuge.rst in its documentation).

use super::handle::Handle;
use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::ptr;

/// Bytes of a huge page on nearly all CPUs.
const PAGE: usize = 2 << 20;

/// Minimum size of a buffer, in bytes, for which huge pages pay.
const LARGE: usize = 2 * PAGE;

/// Mapped memory, unmapped when dropped.
struct Region {
    mapped: *mut c_void,
    bytes: usize,
}

impl Region {
    fn new(bytes: usize) -> Option<Region> {
        let bytes = bytes.checked_next_multiple_of(PAGE)?.checked_add(PAGE)?;
        // SAFETY: new memory at an address chosen by the system.
        let mapped =
            unsafe { mmap_anonymous(ptr::null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) };
        let region = Region { mapped: mapped.ok()?, bytes };
        // Huge pages are optional.
        // SAFETY: the range is the one just mapped, and the advice does not change its contents.
        let _ = unsafe { rustix::mm::madvise(region.mapped, bytes, rustix::mm::Advice::LinuxHugepage) };
        Some(region)
    }

    /// The start of the first whole huge page in the region.
    fn start(&self) -> *mut c_void {
        self.mapped.map_addr(|at| at.next_multiple_of(PAGE))
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` and unmapped once; no address in it is in use any more.
        let _ = unsafe { munmap(self.mapped, self.bytes) };
    }
}

/// Creates a buffer in its own memory; `None` if that does not pay or fails. The memory is released when the driver has
/// finished with the buffer and the last command that uses it.
pub(super) fn buffer(context: *mut c_void, bytes: usize) -> Option<Handle> {
    use cl3::memory::{CL_MEM_READ_WRITE, CL_MEM_USE_HOST_PTR, create_buffer};
    let region = if bytes < LARGE { None } else { Region::new(bytes) }?;
    // SAFETY: the caller's context is alive, and the region has `bytes` bytes from its start on.
    let made = unsafe { create_buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, bytes, region.start()) };
    // SAFETY: just created.
    let handle = unsafe { Handle::own(made.ok()?, cl3::memory::release_mem_object) };
    let region = Box::into_raw(Box::new(region));
    // SAFETY: `give_back` gets the region that it expects, and is called once.
    let kept = unsafe { cl3::memory::set_mem_object_destructor_callback(handle.raw(), give_back, region.cast()) };
    if kept.is_err() {
        drop(handle);
        // SAFETY: the driver did not take the region, and no command has seen the buffer.
        drop(unsafe { Box::from_raw(region) });
        return None;
    }
    Some(handle)
}

extern "C" fn give_back(_buffer: *mut c_void, region: *mut c_void) {
    // SAFETY: the box that `buffer` passed to the driver, which calls this once.
    drop(unsafe { Box::<Region>::from_raw(region.cast()) });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::single_range_in_vec_init, reason = "a list of one range is meant")]

    use super::super::{DeviceKind, HostData, ReadRequest, Session};
    use lift_analysis::hir::Scalar;

    /// Bytes of this process's memory in regions for which huge pages were requested.
    fn asked_for() -> usize {
        let said = std::fs::read_to_string("/proc/self/smaps").expect("Linux tells");
        let mut size = 0;
        let mut all = 0;
        for line in said.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("Size:") => size = words.next().and_then(|kib| kib.parse::<usize>().ok()).expect("a number") << 10,
                Some("VmFlags:") if words.any(|flag| flag == "hg") => all += size,
                _ => {}
            }
        }
        all
    }

    /// Runs in a process in which no other test has buffers.
    #[test]
    fn large_buffers_of_a_processor_are_in_large_pages_and_are_given_back() {
        const ALONE: &str = "LIFT_TEST_PAGES";
        const NAME: &str = concat!(
            "run::device::pages::tests::",
            "large_buffers_of_a_processor_are_in_large_pages_and_are_given_back"
        );
        if std::env::var_os(ALONE).is_none() {
            let mut child = std::process::Command::new(std::env::current_exe().expect("the test program"));
            let said = child.args(["--exact", NAME]).env(ALONE, "1").output().expect("runs");
            let text = String::from_utf8_lossy(&said.stdout);
            assert!(said.status.success() && text.contains("1 passed"), "{text}");
            return;
        }
        let device = crate::testing::device();
        assert_eq!(device.info.kind, DeviceKind::Cpu, "tests run on a processor");
        let session = Session::open(&device, false).expect("opens");
        let values: Vec<i32> = (0..3_000_000).collect();
        let before = asked_for();
        let large = session.allocate(Scalar::Int, values.len(), "large").expect("allocates");
        let small = session.allocate(Scalar::Int, 1000, "small").expect("allocates");
        assert!(asked_for() >= before + values.len() * 4, "{} after {before}", asked_for());
        session.write(&large, &HostData::Int(values.clone())).expect("writes");
        let all = ReadRequest { buffer: &large, ranges: vec![0..values.len()] };
        assert_eq!(session.read(&[all]).expect("reads"), [HostData::Int(values)]);
        drop((large, small));
        drop(session);
        assert_eq!(asked_for(), before);
    }
}
