//! A device in use: a context with one in-order queue, its buffers, transfers and launches.
//!
//! [`program`]: builds OpenCL text for a session.

pub mod program;

use self::program::Kernel;
use super::handle::Handle;
use super::host::{HostData, bytes_of};
use super::kept::{Kept, Shared};
use super::{Device, DeviceInfo, OpenClError};
use cl3::command_queue as queue;
use cl3::types::{CL_BLOCKING, CL_NON_BLOCKING};
use lift_analysis::hir::Scalar;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// An open device. Commands run in the order of enqueueing, so each sees the effects of earlier ones.
pub struct Session {
    // Fields drop in order: the queue is released before the context.
    queue: Handle,
    context: Arc<Shared>,
    pub(super) kept: Option<Arc<Kept>>,
    pub(super) optimizes: bool,
    device: opencl3::device::Device,
    pub info: DeviceInfo,
    profiling: bool,
}

/// Memory on the device for `len` elements.
pub struct Buffer {
    handle: Handle,
    element: Scalar,
    len: usize,
}

/// An argument of a launch. [`Kernel::check`] compares it with the kernel's parameter.
pub enum KernelArg<'a> {
    Buffer(&'a Buffer),
    Int(i32),
    Long(i64),
    /// Bytes of local memory.
    Local(usize),
}

/// The elements to read: sorted, disjoint ranges of a buffer.
pub struct ReadRequest<'a> {
    pub buffer: &'a Buffer,
    pub ranges: Vec<Range<usize>>,
}

/// A launch whose time is available after it has finished.
pub struct LaunchEvent(Handle);

/// Maximum gap, in bytes, between two ranges that are read in one transfer: the fixed cost of a transfer is that of
/// about this many bytes.
const GAP_READ_ALONG: usize = 64 * 1024;

impl Session {
    /// Opens `device`. With `profiling`, launches can be timed.
    pub fn open(device: &Device, profiling: bool) -> Result<Session, OpenClError> {
        let raw = device.raw;
        let open = || {
            let context = cl3::context::create_context(&[raw.id()], ptr::null(), None, ptr::null_mut())
                .map_err(|code| OpenClError::new(format!("open the device {}", device.info.name), code))?;
            // SAFETY: just created.
            Ok(unsafe { Handle::own(context, cl3::context::release_context) })
        };
        let context = match &device.kept {
            Some(kept) => kept.context(open)?,
            None => Shared::new(open()?),
        };
        let properties = if profiling { queue::CL_QUEUE_PROFILING_ENABLE } else { 0 };
        // The function of OpenCL 1.2, which every device supports. SAFETY: context and device are alive and belong
        // together.
        let queue = unsafe {
            queue::create_command_queue(context.raw(), raw.id(), properties)
                .map(|queue| Handle::own(queue, queue::release_command_queue))
        }
        .map_err(OpenClError::when("create a command queue"))?;
        let (kept, info) = (device.kept.clone(), device.info.clone());
        Ok(Session { queue, context, kept, optimizes: device.optimizes, device: raw, info, profiling })
    }

    pub(super) fn context(&self) -> *mut c_void {
        self.context.raw()
    }

    pub(super) fn device_id(&self) -> *mut c_void {
        self.device.id()
    }

    /// Allocates a buffer. OpenCL has no empty buffers: one of no elements gets memory for one. `what` is its name, for
    /// errors.
    pub fn allocate(&self, element: Scalar, len: usize, what: &str) -> Result<Buffer, OpenClError> {
        let bytes = len.max(1).saturating_mul(bytes_of(element));
        #[cfg(target_os = "linux")]
        if self.info.kind == super::DeviceKind::Cpu
            && let Some(handle) = super::pages::buffer(self.context.raw(), bytes)
        {
            return Ok(Buffer { handle, element, len });
        }
        // SAFETY: the context is alive, and no host memory is passed.
        unsafe {
            cl3::memory::create_buffer(self.context.raw(), cl3::memory::CL_MEM_READ_WRITE, bytes, ptr::null_mut())
                .map(|mem| Handle::own(mem, cl3::memory::release_mem_object))
        }
        .map(|handle| Buffer { handle, element, len })
        .map_err(|code| OpenClError::new(format!("allocate {bytes} bytes for buffer `{what}`"), code))
    }

    /// Copies `data` to the start of `buffer`. Returns when the data has been copied from host memory.
    pub fn write(&self, buffer: &Buffer, data: &HostData) -> Result<(), OpenClError> {
        const CL_INVALID_VALUE: i32 = -30;
        if data.element() != buffer.element || data.len() > buffer.len {
            return Err(OpenClError::new("write data into a buffer that it does not fit", CL_INVALID_VALUE));
        }
        if data.is_empty() {
            return Ok(());
        }
        let bytes = data.len() * bytes_of(buffer.element);
        // SAFETY: `data` has `bytes` bytes, the buffer at least as many, and the call returns after the copy.
        unsafe {
            queue::enqueue_write_buffer(
                self.queue.raw(),
                buffer.handle.raw(),
                CL_BLOCKING,
                0,
                bytes,
                data.as_ptr(),
                0,
                ptr::null(),
            )
            .map(own_event)
        }
        .map(drop)
        .map_err(OpenClError::when("copy data to the device"))
    }

    /// Enqueues setting every byte of `buffer` to `byte`.
    pub fn fill(&self, buffer: &Buffer, byte: u8) -> Result<(), OpenClError> {
        let size = bytes_of(buffer.element);
        let pattern = [byte; 8];
        // SAFETY: the pattern has at least `size` bytes and is copied by the call; the size is that of the buffer.
        unsafe {
            queue::enqueue_fill_buffer(
                self.queue.raw(),
                buffer.handle.raw(),
                pattern.as_ptr().cast(),
                size,
                0,
                buffer.len.max(1) * size,
                0,
                ptr::null(),
            )
            .map(own_event)
        }
        .map(drop)
        .map_err(OpenClError::when("fill a buffer"))
    }

    /// Waits for all earlier commands and reads: for each request the elements of its ranges, concatenated.
    pub fn read(&self, requests: &[ReadRequest<'_>]) -> Result<Vec<HostData>, OpenClError> {
        const CL_INVALID_VALUE: i32 = -30;
        let mut all = Vec::with_capacity(requests.len());
        for request in requests {
            let mut at = 0;
            for range in &request.ranges {
                if range.start < at || range.end < range.start || range.end > request.buffer.len {
                    return Err(OpenClError::new("read outside of a buffer", CL_INVALID_VALUE));
                }
                at = range.end;
            }
            let spans = spans(&request.ranges, GAP_READ_ALONG / bytes_of(request.buffer.element));
            let mut data = HostData::new(request.buffer.element);
            data.resize(spans.iter().map(|s| s.len()).sum());
            all.push((data, spans));
        }
        let mut result = Ok(());
        for (request, (data, spans)) in requests.iter().zip(&mut all) {
            let mut at = 0;
            for span in spans {
                result = result.and_then(|()| self.enqueue_read(request.buffer, span.clone(), data, at));
                at += span.len();
            }
        }
        // Even after an error: enqueued reads write to `all` until they finish.
        if let Err(error) = self.finish() {
            // The reads may still be running, and nothing will tell when they finish, so their memory is leaked.
            std::mem::forget(all);
            return Err(result.err().unwrap_or(error));
        }
        result?;
        Ok(requests.iter().zip(all).map(|(request, (data, spans))| compact(data, &spans, &request.ranges)).collect())
    }

    /// Enqueues reading `span` to `data` from element `at` on. `data` must not move until [`Session::finish`].
    fn enqueue_read(
        &self,
        buffer: &Buffer,
        span: Range<usize>,
        data: &mut HostData,
        at: usize,
    ) -> Result<(), OpenClError> {
        let size = bytes_of(buffer.element);
        if span.is_empty() {
            return Ok(());
        }
        // SAFETY: `data` is long enough for all spans, lives until the queue is finished in `read`, and is not accessed
        // before; the span is within the buffer.
        unsafe {
            queue::enqueue_read_buffer(
                self.queue.raw(),
                buffer.handle.raw(),
                CL_NON_BLOCKING,
                span.start * size,
                span.len() * size,
                data.as_mut_ptr(at),
                0,
                ptr::null(),
            )
            .map(own_event)
        }
        .map(drop)
        .map_err(OpenClError::when("copy results from the device"))
    }

    /// Enqueues `groups` work-groups of `local` work-items. Returns an event if the session profiles.
    pub fn launch(
        &self,
        kernel: &Kernel,
        args: &[KernelArg<'_>],
        groups: [usize; 3],
        local: [usize; 3],
    ) -> Result<Option<LaunchEvent>, OpenClError> {
        let fail = |code| OpenClError::new(format!("launch kernel `{}`", kernel.name), code);
        for (index, arg) in args.iter().enumerate() {
            let index = index as u32;
            // SAFETY: the size is that of the value pointed to, which the call copies; a buffer is passed as the
            // address of its handle, local memory as a size alone.
            unsafe {
                match arg {
                    KernelArg::Buffer(b) => {
                        let mem = b.handle.raw();
                        set_arg(kernel, index, &mem)
                    }
                    KernelArg::Int(v) => set_arg(kernel, index, v),
                    KernelArg::Long(v) => set_arg(kernel, index, v),
                    KernelArg::Local(bytes) => {
                        cl3::kernel::set_kernel_arg(kernel.raw(), index, (*bytes).max(1), ptr::null())
                    }
                }
            }
            .map_err(fail)?;
        }
        let global: [usize; 3] = std::array::from_fn(|d| groups[d].saturating_mul(local[d]));
        if !self.profiling {
            // SAFETY: both arrays have three dimensions; all arguments of the kernel are set.
            return unsafe { enqueue_untold(self.queue.raw(), kernel.raw(), &global, &local) }
                .map_err(fail)
                .map(|()| None);
        }
        // SAFETY: as above.
        let event = unsafe {
            queue::enqueue_nd_range_kernel(
                self.queue.raw(),
                kernel.raw(),
                3,
                ptr::null(),
                global.as_ptr(),
                local.as_ptr(),
                0,
                ptr::null(),
            )
            .map(own_event)
        }
        .map_err(fail)?;
        Ok(Some(LaunchEvent(event)))
    }

    /// Submits enqueued commands to the device without waiting.
    pub fn flush(&self) -> Result<(), OpenClError> {
        queue::flush(self.queue.raw()).map_err(OpenClError::when("start the commands on the device"))
    }

    /// Waits until all enqueued commands have finished.
    pub fn finish(&self) -> Result<(), OpenClError> {
        queue::finish(self.queue.raw()).map_err(OpenClError::when("finish the commands on the device"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Not every driver keeps a buffer alive while commands still use it.
        let _ = self.finish();
    }
}

impl Buffer {
    pub fn element(&self) -> Scalar {
        self.element
    }
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl LaunchEvent {
    /// Device time in nanoseconds; the session must be finished.
    pub fn nanoseconds(&self) -> Result<u64, OpenClError> {
        use cl3::event::{CL_PROFILING_COMMAND_END, CL_PROFILING_COMMAND_START};
        let ask = |what| match cl3::event::get_event_profiling_info(self.0.raw(), what) {
            Ok(cl3::info_type::InfoType::Ulong(t)) => Ok(t),
            Ok(_) => Ok(0),
            Err(code) => Err(OpenClError::new("ask for the time of a launch", code)),
        };
        Ok(ask(CL_PROFILING_COMMAND_END)?.saturating_sub(ask(CL_PROFILING_COMMAND_START)?))
    }
}

/// Enqueues a launch without an event, which `cl3` always requests. With NVIDIA's driver an unused event costs 1.6 to
/// 1.9 µs per launch, a quarter of the time of short ones.
///
/// # Safety
/// Queue and kernel are alive and belong together, and all arguments of the kernel are set.
unsafe fn enqueue_untold(
    queue: *mut c_void,
    kernel: *mut c_void,
    global: &[usize; 3],
    local: &[usize; 3],
) -> Result<(), i32> {
    let none = ptr::null_mut();
    let library = cl3::load_library().as_ref().map_err(|_| cl3::error_codes::DLOPEN_RUNTIME_LOAD_FAILED)?;
    let (global, local) = (global.as_ptr(), local.as_ptr());
    let code = library.clEnqueueNDRangeKernel(queue, kernel, 3, ptr::null(), global, local, 0, ptr::null(), none);
    match code.ok_or(cl3::error_codes::DLOPEN_FUNCTION_NOT_AVAILABLE)? {
        cl3::error_codes::CL_SUCCESS => Ok(()),
        code => Err(code),
    }
}

fn own_event(event: *mut c_void) -> Handle {
    // SAFETY: called with events that an enqueue has just created.
    unsafe { Handle::own(event, cl3::event::release_event) }
}

/// # Safety
/// `T` is the type of the kernel's argument `index` in memory.
unsafe fn set_arg<T>(kernel: &Kernel, index: u32, value: &T) -> Result<(), i32> {
    // SAFETY: as the caller promises; size and address belong to the same value.
    unsafe { cl3::kernel::set_kernel_arg(kernel.raw(), index, size_of::<T>(), ptr::from_ref(value).cast()) }
}

/// Joins ranges that are at most `gap` apart.
fn spans(ranges: &[Range<usize>], gap: usize) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for range in ranges.iter().filter(|r| !r.is_empty()) {
        match spans.last_mut() {
            Some(last) if range.start - last.end <= gap => last.end = range.end,
            _ => spans.push(range.clone()),
        }
    }
    spans
}

/// Keeps those elements of `spans` that are in `ranges`.
fn compact(mut data: HostData, spans: &[Range<usize>], ranges: &[Range<usize>]) -> HostData {
    let mut spans = spans.iter();
    let (mut span, mut span_at, mut to) = (0..0, 0, 0);
    for range in ranges.iter().filter(|r| !r.is_empty()) {
        while range.start >= span.end {
            span_at += span.len();
            match spans.next() {
                Some(next) => span = next.clone(),
                None => return data,
            }
        }
        let from = span_at + (range.start - span.start);
        if from != to {
            data.move_down(from..from + range.len(), to);
        }
        to += range.len();
    }
    data.resize(to);
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_near_each_other_are_read_in_one_go_and_the_gaps_dropped() {
        let ranges = [0..2, 5..6, 6..6, 100..102];
        let spans = spans(&ranges, 10);
        assert_eq!(spans, [0..6, 100..102]);
        let data = HostData::Int(vec![0, 1, 2, 3, 4, 5, 100, 101]);
        assert_eq!(compact(data, &spans, &ranges), HostData::Int(vec![0, 1, 5, 100, 101]));
    }

    #[test]
    fn nothing_to_read_is_nothing_read() {
        let ranges = [3..3, 5..5];
        assert_eq!(compact(HostData::Float(vec![]), &spans(&ranges, 1), &ranges), HostData::Float(vec![]));
    }
}
