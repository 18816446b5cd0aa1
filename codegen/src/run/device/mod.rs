//! OpenCL devices behind a thin typed layer.
//!
//! The OpenCL library is loaded at the first call of a function of this module; without one, [`list`] returns an error
//! with advice. This is the only module with unsafe code: the calls of a C library. Its interface is safe, with one
//! exception that no wrapper can remove: a kernel may write anywhere and crash the process, so a process that must
//! survive runs kernels in a child process.
//!
//! Platforms and devices are queried through `opencl3`. All objects are created by functions of `cl3` and owned by
//! [`handle::Handle`], because `opencl3`'s own objects panic when a release fails, its launch helper panics on a wrong
//! argument, and its arguments are untyped. Here each argument is checked against the signature of the kernel in the
//! OpenCL text.
//!
//! Map: [`list`], [`choose`] devices · [`session`] a context with its queue, buffers, transfers and launches ·
//! [`pages`] host memory for buffers of CPUs · [`program`] building, the compiler's log, kernels and their signatures ·
//! [`cache`] binaries on disk · [`kept`] state of this process · [`error`] errors with advice.
//!
//! | module | job |
//! |---|---|
//! | `handle` | ownership of one reference to an OpenCL object |
//! | `error` | errors of the OpenCL library and its devices, with advice |
//! | `kept` | state that a process keeps between runs of many programs |
//! | `cache` | a cache on disk of binaries built by a device's compiler |
//! | `host` | host arrays of scalars that are copied to and from a device |
//! | `pages` | host memory in huge pages, for buffers of CPUs |
//! | `session` | a device in use, and programs built for it |
#![allow(unsafe_code, reason = "OpenCL is a C library; all calls of it are in this module")]

mod cache;
mod error;
mod handle;
mod host;
mod kept;
#[cfg(target_os = "linux")]
mod pages;
mod session;

pub use crate::device::{DeviceInfo, DeviceKind, DeviceLimits};
pub use error::{NoDevice, OpenClError};
pub use host::{HostData, bytes_of};
pub use session::program::{ArgMismatch, BuildError, Kernel, Program};
pub use session::{Buffer, KernelArg, LaunchEvent, ReadRequest, Session};

use kept::Kept;

use cl3::error_codes::{DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED};
use dlopen2::raw::Library;
use opencl3::device::{
    CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU,
    CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
};
use opencl3::error_codes::ClError;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

/// An OpenCL device that can be opened.
#[derive(Debug, Clone)]
pub struct Device {
    raw: opencl3::device::Device,
    pub info: DeviceInfo,
    kept: Option<Arc<Kept>>,
    /// Whether the device's compiler optimizes.
    optimizes: bool,
}

impl Device {
    /// Keeps the context and the program built last between runs, and nothing on disk. For processes that run many
    /// programs, like tests.
    #[must_use]
    pub fn keeping(self) -> Device {
        Device { kept: Some(Arc::new(Kept::new(1, false))), ..self }
    }
    /// Keeps the context and up to `count` programs between runs, also on disk. For a run of several kernels.
    #[must_use]
    pub fn keeping_programs(self, count: usize) -> Device {
        Device { kept: Some(Arc::new(Kept::new(count, true))), ..self }
    }
    /// Has the device's compiler optimize nothing, which saves most of its time. For tests of what programs compute.
    #[must_use]
    pub fn unoptimized(self) -> Device {
        Device { optimizes: false, ..self }
    }
}

/// The device that a person requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceChoice {
    /// A GPU if there is one, otherwise an accelerator, otherwise a CPU; the first of its kind.
    #[default]
    Best,
    Index(usize),
    /// The first device of this kind.
    Kind(DeviceKind),
}

/// The syntax of a device.
const DEVICES: &str =
    "`opencl`, `opencl:N` with the number of a device, `opencl:gpu`, `opencl:cpu` or `opencl:accelerator`";

/// Parses `opencl`, `opencl:2`, `opencl:gpu`, `opencl:cpu`, `opencl:accelerator`.
impl FromStr for DeviceChoice {
    type Err = String;
    fn from_str(text: &str) -> Result<DeviceChoice, String> {
        let rest = match text.strip_prefix("opencl") {
            Some("") => return Ok(DeviceChoice::Best),
            Some(rest) => rest.strip_prefix(':'),
            None => None,
        };
        match rest.map(str::to_ascii_lowercase).as_deref() {
            Some("gpu") => Ok(DeviceChoice::Kind(DeviceKind::Gpu)),
            Some("cpu") => Ok(DeviceChoice::Kind(DeviceKind::Cpu)),
            Some("accelerator") => Ok(DeviceChoice::Kind(DeviceKind::Accelerator)),
            Some(index) if index.bytes().all(|b| b.is_ascii_digit()) => {
                index.parse().map(DeviceChoice::Index).map_err(|_| format!("`{text}` names no device"))
            }
            Some(several) if several.contains([',', ':']) => Err(format!(
                "`{text}` is not a single device: `lift run --device opencl:0,1` runs on several, with shares as in \
                 `opencl:0:3,1:1`"
            )),
            _ => Err(format!("`{text}` names no OpenCL device: expected {DEVICES}")),
        }
    }
}

/// The next library or driver to be queried while devices are listed; the query may crash or hang.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asking<'a> {
    /// The OpenCL library, which loads the drivers.
    Library,
    /// The driver of the platform with this name.
    Platform(&'a str),
}

/// All OpenCL devices of this machine, in the library's order; never empty.
pub fn list() -> Result<Vec<Device>, NoDevice> {
    list_telling(&mut |_| ())
}

/// Like [`list`], but reports each query before it is made.
pub fn list_telling(tell: &mut dyn FnMut(Asking<'_>)) -> Result<Vec<Device>, NoDevice> {
    tell(Asking::Library);
    check_named_library()?;
    // pocl 3.1 reports no device to a thread that asks while another thread's first query is in progress.
    static FIRST: Mutex<()> = Mutex::new(());
    let _alone = FIRST.lock().unwrap_or_else(PoisonError::into_inner);
    let platforms = match opencl3::platform::get_platforms() {
        Ok(platforms) => platforms,
        Err(ClError(DLOPEN_RUNTIME_LOAD_FAILED)) => {
            // The code is not informative; cl3 has kept the system's message.
            let detail = match cl3::load_library() {
                Err(e) => e.to_string(),
                Ok(_) => "unknown reason".to_string(),
            };
            return Err(NoDevice::LibraryMissing { detail });
        }
        Err(ClError(DLOPEN_FUNCTION_NOT_AVAILABLE)) => {
            return Err(NoDevice::LibraryMissing { detail: "what was loaded is not an OpenCL library".to_string() });
        }
        Err(ClError(CL_PLATFORM_NOT_FOUND_KHR)) => return Err(NoDevice::NoDriver),
        Err(ClError(code)) => return Err(NoDevice::OpenCl(OpenClError::new("list the OpenCL platforms", code))),
    };
    if platforms.is_empty() {
        return Err(NoDevice::NoDriver);
    }
    let mut devices = Vec::new();
    let mut names = Vec::new();
    let mut failed = None;
    for platform in &platforms {
        let name = platform.name().unwrap_or_else(|_| "an unnamed platform".to_string());
        tell(Asking::Platform(&name));
        match platform.get_devices(CL_DEVICE_TYPE_ALL) {
            Ok(ids) => {
                for id in ids {
                    let raw = opencl3::device::Device::new(id);
                    // Skip a device that cannot even describe itself.
                    match describe(&raw, devices.len(), &name) {
                        Ok(info) => devices.push(Device { raw, info, kept: None, optimizes: true }),
                        Err(ClError(code)) => failed = Some(OpenClError::new("ask a device for its limits", code)),
                    }
                }
            }
            Err(ClError(CL_DEVICE_NOT_FOUND)) => {}
            Err(ClError(code)) => failed = Some(OpenClError::new(format!("list the devices of {name}"), code)),
        }
        names.push(name);
    }
    match failed {
        _ if !devices.is_empty() => Ok(devices),
        Some(error) => Err(NoDevice::OpenCl(error)),
        None => Err(NoDevice::NoneOffered { platforms: names }),
    }
}

const CL_PLATFORM_NOT_FOUND_KHR: i32 = -1001;
const CL_DEVICE_NOT_FOUND: i32 = -1;

/// Checks the files named by `OPENCL_DYLIB_PATH`. If none can be loaded, the library silently falls back to the
/// system's one, with other devices than the person asked for; and it takes an empty name for this program itself.
fn check_named_library() -> Result<(), NoDevice> {
    let Ok(path) = std::env::var("OPENCL_DYLIB_PATH") else { return Ok(()) };
    // The system searches for a name without a folder.
    let may_exist = |p: &&str| !p.is_empty() && (!p.contains(['/', '\\']) || Path::new(p).exists());
    if path.split(';').any(str::is_empty) {
        return Err(NoDevice::NamedLibraryMissing { path });
    }
    let mut why = None;
    for candidate in path.split(';').filter(may_exist) {
        match Library::open(candidate) {
            Ok(_open) => {
                // Load it permanently before it is closed here.
                let _ = cl3::load_library();
                return Ok(());
            }
            Err(e) => why = Some(e.to_string()),
        }
    }
    Err(match why {
        Some(detail) => NoDevice::NamedLibraryUnusable { path, detail },
        None => NoDevice::NamedLibraryMissing { path },
    })
}

/// The device that `choice` selects.
pub fn choose(choice: DeviceChoice) -> Result<Device, NoDevice> {
    let mut devices = list()?;
    let found = match choice {
        DeviceChoice::Best => devices.iter().enumerate().min_by_key(|(_, d)| d.info.kind).map(|(i, _)| i),
        DeviceChoice::Index(index) => (index < devices.len()).then_some(index),
        DeviceChoice::Kind(kind) => devices.iter().position(|d| d.info.kind == kind),
    };
    match (found, choice) {
        (Some(i), _) => Ok(devices.swap_remove(i)),
        (None, DeviceChoice::Index(index)) => Err(NoDevice::NoSuchIndex { index, count: devices.len() }),
        (None, DeviceChoice::Kind(kind)) => {
            let offered = devices.iter().map(|d| format!("{} ({})", d.info.name, d.info.kind)).collect();
            Err(NoDevice::NoneOfKind { kind, offered })
        }
        (None, DeviceChoice::Best) => Err(NoDevice::NoneOffered { platforms: Vec::new() }),
    }
}

fn describe(d: &opencl3::device::Device, index: usize, platform: &str) -> Result<DeviceInfo, ClError> {
    let ty = d.dev_type()?;
    let has = |bit| ty & bit != 0;
    let kind = if has(CL_DEVICE_TYPE_GPU) {
        DeviceKind::Gpu
    } else if has(CL_DEVICE_TYPE_ACCELERATOR) {
        DeviceKind::Accelerator
    } else if has(CL_DEVICE_TYPE_CPU) {
        DeviceKind::Cpu
    } else {
        DeviceKind::Other
    };
    let sizes = d.max_work_item_sizes()?;
    let size_of = |dim: usize| sizes.get(dim).copied().unwrap_or(1).max(1);
    Ok(DeviceInfo {
        index,
        name: trimmed(d.name()?),
        vendor: trimmed(d.vendor().unwrap_or_default()),
        platform: trimmed(platform.to_string()),
        driver: trimmed(d.driver_version().unwrap_or_default()),
        version: trimmed(d.version().unwrap_or_default()),
        kind,
        limits: DeviceLimits {
            compute_units: d.max_compute_units()?,
            work_group_size: d.max_work_group_size()?.max(1),
            work_item_sizes: [size_of(0), size_of(1), size_of(2)],
            global_memory: d.global_mem_size()?,
            allocation: d.max_mem_alloc_size()?,
            local_memory: d.local_mem_size()?,
            address_bits: d.address_bits()?,
        },
        // The query itself is an error on a device without doubles that supports only OpenCL 1.1.
        doubles: d.double_fp_config().is_ok_and(|config| config != 0),
        exact_division: d.single_fp_config()? & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT != 0,
        long_atomics: d.extensions()?.split_whitespace().any(|name| name == "cl_khr_int64_base_atomics"),
    })
}

/// Some drivers pad names with blanks.
fn trimmed(text: String) -> String {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\0').to_string()
}

#[cfg(test)]
mod tests;
