//! Errors of the OpenCL library and its devices, with advice.

use cl3::error_codes::error_text;
use std::fmt;

/// Why there is no device to run on, with advice for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoDevice {
    /// The OpenCL loader could not be opened; `detail` is the system's message.
    LibraryMissing {
        detail: String,
    },
    /// None of the files named by the environment variable `OPENCL_DYLIB_PATH` exists.
    NamedLibraryMissing {
        path: String,
    },
    /// None of the files named by the environment variable `OPENCL_DYLIB_PATH` is a library; `detail` is the system's
    /// message about the last one.
    NamedLibraryUnusable {
        path: String,
        detail: String,
    },
    /// The loader is installed, but it has no driver.
    NoDriver,
    /// There are drivers, but they offer no device.
    NoneOffered {
        platforms: Vec<String>,
    },
    /// There is no device `I` for `opencl:I`.
    NoSuchIndex {
        index: usize,
        count: usize,
    },
    /// There is no device of the kind requested by `opencl:gpu` or the like.
    NoneOfKind {
        kind: super::DeviceKind,
        offered: Vec<String>,
    },
    OpenCl(OpenClError),
}

impl fmt::Display for NoDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ADVICE: &str = "for a driver that runs on the processor, `apt install pocl-opencl-icd`";
        match self {
            NoDevice::LibraryMissing { detail } => write!(
                f,
                "no OpenCL on this machine: the library could not be loaded ({detail}); \
                 install one (`apt install ocl-icd-libopencl1`) and a driver ({ADVICE})"
            ),
            NoDevice::NamedLibraryMissing { path } => write!(
                f,
                "no OpenCL: the environment variable OPENCL_DYLIB_PATH names `{path}`, which does not exist; \
                 correct it or unset it"
            ),
            NoDevice::NamedLibraryUnusable { path, detail } => write!(
                f,
                "no OpenCL: the environment variable OPENCL_DYLIB_PATH names `{path}`, which could not be loaded \
                 ({detail}); correct it or unset it"
            ),
            NoDevice::NoDriver => write!(
                f,
                "no OpenCL device: the OpenCL library is installed, but it knows no driver; \
                 install the one of your GPU's vendor ({ADVICE})"
            ),
            NoDevice::NoneOffered { platforms } => {
                write!(f, "no OpenCL device: the driver of {} offers none", platforms.join(" and of "))
            }
            NoDevice::NoSuchIndex { index, count: 1 } => {
                write!(f, "there is no OpenCL device {index}: the only one here is `opencl:0`")
            }
            NoDevice::NoSuchIndex { index, count } => {
                write!(f, "there is no OpenCL device {index}: those here are `opencl:0` to `opencl:{}`", count - 1)
            }
            NoDevice::NoneOfKind { kind, offered } => {
                write!(f, "there is no {kind} among the OpenCL devices here: {}", offered.join(", "))
            }
            NoDevice::OpenCl(e) => write!(f, "no OpenCL device: {e}"),
        }
    }
}

impl std::error::Error for NoDevice {}

/// A failed OpenCL call: the action and the error code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClError {
    /// Completes "could not …".
    pub doing: String,
    pub code: i32,
}

impl OpenClError {
    pub(super) fn new(doing: impl Into<String>, code: i32) -> OpenClError {
        OpenClError { doing: doing.into(), code }
    }
    /// Converts an error code, for `map_err`.
    pub(super) fn when(doing: &'static str) -> impl Fn(i32) -> OpenClError {
        move |code| OpenClError::new(doing, code)
    }

    /// The name of the code in the OpenCL headers.
    pub fn code_name(&self) -> &'static str {
        match self.code {
            -1001 => "CL_PLATFORM_NOT_FOUND_KHR",
            // Nonstandard: NVIDIA's driver reports it after a kernel read or wrote out of bounds.
            -9999 => "illegal read or write to a buffer",
            code => error_text(code),
        }
    }

    /// The usual cause of the error, unless its name says it.
    fn explanation(&self) -> Option<&'static str> {
        Some(match self.code {
            -4 => "the device has not enough free memory",
            -5 => "the device ran out of resources, or a kernel accessed memory out of bounds",
            -6 => "the host has not enough memory",
            -14 | -36 | -9999 => "a kernel failed on the device, for example by an access out of bounds",
            -54 => "the device does not allow a work-group of this size",
            -2001 => "the OpenCL library does not have this function",
            _ => return None,
        })
    }
}

impl fmt::Display for OpenClError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "could not {}: ", self.doing)?;
        if let Some(text) = self.explanation() {
            write!(f, "{text} ")?;
        }
        write!(f, "({}, OpenCL error {})", self.code_name(), self.code)
    }
}

impl std::error::Error for OpenClError {}
