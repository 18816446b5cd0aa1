//! Builds OpenCL text for a device; its kernels and their signatures.

use super::super::cache::{Cache, Key};
use super::super::handle::Handle;
use super::super::kept::Shared;
use super::super::{DeviceInfo, OpenClError};
use super::{KernelArg, Session};
use cl3::info_type::InfoType;
use lift_analysis::hir::Scalar;
use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

/// An OpenCL program built for the device of a session.
pub struct Program {
    handle: Arc<Shared>,
}

/// Why a program could not be built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// The device's compiler rejected the text; `log` is its output.
    Refused {
        log: String,
    },
    OpenCl(OpenClError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Refused { log } => write!(f, "the device's compiler refuses the text:\n{log}"),
            BuildError::OpenCl(e) => write!(f, "{e}"),
        }
    }
}

impl std::error::Error for BuildError {}

/// A kernel function of a built program.
pub struct Kernel {
    handle: Handle,
    pub name: String,
    pub arg_count: usize,
    /// Maximum work-items of a group of this kernel on this device.
    pub work_group_size: usize,
    /// The type of each argument, if the driver reports it.
    params: Option<Vec<Param>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Param {
    address: Address,
    /// The type as in the text: `float*`, `int`.
    ty: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Address {
    Global,
    Local,
    Private,
}

/// An argument that does not fit its parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgMismatch {
    pub kernel: String,
    /// As in "argument 2 is `global float*`, but a buffer of Int is passed".
    pub problem: String,
}

impl fmt::Display for ArgMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}`: {}", self.kernel, self.problem)
    }
}

/// Options of the device's compiler: the language version that every device supports, signatures of kernels, and
/// division rounded as on the host if the device can. Warnings are turned off; drivers that count them print to
/// standard error.
pub fn build_options(device: &DeviceInfo) -> String {
    let mut options = "-cl-std=CL1.2 -cl-kernel-arg-info -w".to_string();
    if device.exact_division {
        options.push_str(" -cl-fp32-correctly-rounded-divide-sqrt");
    }
    options
}

/// [`build_options`] for the device of a session.
fn options_of(session: &Session) -> CString {
    let mut options = build_options(&session.info);
    if !session.optimizes {
        options.push_str(" -cl-opt-disable");
    }
    CString::new(options).unwrap_or_default()
}

impl Program {
    /// Builds `text` with [`build_options`], or returns a kept or cached program.
    pub fn build(session: &Session, text: &str) -> Result<Program, BuildError> {
        if let Some(kept) = &session.kept {
            let build = if kept.on_disk { Program::build_cached } else { Program::compile };
            let handle = kept.program(text, || build(session, text).map(|program| program.handle))?;
            return Ok(Program { handle });
        }
        Program::build_cached(session, text)
    }

    /// Builds `text`, unless the cache on disk has it.
    fn build_cached(session: &Session, text: &str) -> Result<Program, BuildError> {
        let Some(cache) = Cache::from_environment() else { return Program::compile(session, text) };
        let key = Key::new(text, &options_of(session).to_string_lossy(), &session.info);
        if let Some(binary) = cache.get(&key) {
            if let Some(program) = Program::from_binary(session, &binary) {
                return Ok(program);
            }
            cache.remove(&key);
        }
        let program = Program::compile(session, text)?;
        if let Some(binary) = program.binary() {
            cache.put(&key, &binary);
        }
        Ok(program)
    }

    /// Creates a program from the output of [`Program::binary`]; `None` if the device rejects it.
    fn from_binary(session: &Session, binary: &[u8]) -> Option<Program> {
        let device = session.device_id();
        // SAFETY: context and device are alive and belong together; there is one binary for one device. Its key and
        // hash show that this device made it.
        let raw = unsafe { cl3::program::create_program_with_binary(session.context(), &[device], &[binary]) }.ok()?;
        // SAFETY: just created.
        let handle = Shared::new(unsafe { Handle::own(raw, cl3::program::release_program) });
        let options = options_of(session);
        cl3::program::build_program(handle.raw(), &[device], &options, None, ptr::null_mut()).ok()?;
        Some(Program { handle })
    }

    /// The binary for the session's only device.
    fn binary(&self) -> Option<Vec<u8>> {
        match cl3::program::get_program_info(self.handle.raw(), cl3::program::CL_PROGRAM_BINARIES) {
            Ok(InfoType::VecVecUchar(mut binaries)) => binaries.pop().filter(|b| !b.is_empty()),
            _ => None,
        }
    }

    /// Builds `text` with the device's compiler.
    fn compile(session: &Session, text: &str) -> Result<Program, BuildError> {
        let create = OpenClError::when("hand the program to the device's compiler");
        let raw = cl3::program::create_program_with_source(session.context(), &[text])
            .map_err(|code| BuildError::OpenCl(create(code)))?;
        // SAFETY: just created.
        let handle = Shared::new(unsafe { Handle::own(raw, cl3::program::release_program) });
        let options = options_of(session);
        let device = session.device_id();
        match cl3::program::build_program(handle.raw(), &[device], &options, None, ptr::null_mut()) {
            Ok(()) => Ok(Program { handle }),
            Err(code) => {
                let log = build_log(&handle, device);
                Err(if log.is_empty() {
                    BuildError::OpenCl(OpenClError::new("build the program for the device", code))
                } else {
                    BuildError::Refused { log }
                })
            }
        }
    }

    pub fn kernel(&self, session: &Session, name: &str) -> Result<Kernel, OpenClError> {
        let fail = |code| OpenClError::new(format!("find kernel `{name}` in the program"), code);
        let c_name = CString::new(name).map_err(|_| fail(-46))?;
        let raw = cl3::kernel::create_kernel(self.handle.raw(), &c_name).map_err(fail)?;
        // SAFETY: just created.
        let handle = unsafe { Handle::own(raw, cl3::kernel::release_kernel) };
        let arg_count = match cl3::kernel::get_kernel_info(raw, cl3::kernel::CL_KERNEL_NUM_ARGS).map_err(fail)? {
            InfoType::Uint(count) => count as usize,
            _ => 0,
        };
        let work_group_size = match cl3::kernel::get_kernel_work_group_info(
            raw,
            session.device_id(),
            cl3::kernel::CL_KERNEL_WORK_GROUP_SIZE,
        ) {
            Ok(InfoType::Size(size)) if size > 0 => size,
            _ => session.info.limits.work_group_size,
        };
        let params = (0..arg_count).map(|index| Param::ask(raw, index as u32)).collect();
        Ok(Kernel { handle, name: name.to_string(), arg_count, work_group_size, params })
    }
}

fn build_log(program: &Shared, device: *mut c_void) -> String {
    match cl3::program::get_program_build_info(program.raw(), device, cl3::program::CL_PROGRAM_BUILD_LOG) {
        Ok(InfoType::VecUchar(bytes)) => text(&bytes),
        _ => String::new(),
    }
}

/// A driver's string: it ends with a zero byte and is not always UTF-8.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches(['\0', '\n', ' ']).to_string()
}

impl Param {
    /// Queries a parameter; `None` if the driver does not report it, which is optional.
    fn ask(kernel: *mut c_void, index: u32) -> Option<Param> {
        use cl3::kernel::{
            CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE,
            CL_KERNEL_ARG_ADDRESS_QUALIFIER, CL_KERNEL_ARG_TYPE_NAME, get_kernel_arg_info,
        };
        let address = match get_kernel_arg_info(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER) {
            Ok(InfoType::Uint(CL_KERNEL_ARG_ADDRESS_GLOBAL)) => Address::Global,
            Ok(InfoType::Uint(CL_KERNEL_ARG_ADDRESS_LOCAL)) => Address::Local,
            Ok(InfoType::Uint(CL_KERNEL_ARG_ADDRESS_PRIVATE)) => Address::Private,
            _ => return None,
        };
        match get_kernel_arg_info(kernel, index, CL_KERNEL_ARG_TYPE_NAME) {
            // Drivers differ in spaces: `float*`, `float *`.
            Ok(InfoType::VecUchar(bytes)) => Some(Param { address, ty: text(&bytes).replace(' ', "") }),
            _ => None,
        }
    }

    fn takes(&self, arg: &KernelArg<'_>) -> bool {
        match arg {
            KernelArg::Buffer(b) => {
                let pointee = self.ty.strip_suffix('*').unwrap_or(&self.ty);
                // `float4*` also points to floats.
                let scalar = pointee.trim_end_matches(|c: char| c.is_ascii_digit());
                self.address == Address::Global && opencl_names(b.element()).contains(&scalar)
            }
            KernelArg::Int(_) => {
                self.address == Address::Private && ["int", "uint", "unsignedint"].contains(&&*self.ty)
            }
            KernelArg::Long(_) => {
                self.address == Address::Private && ["long", "ulong", "unsignedlong"].contains(&&*self.ty)
            }
            KernelArg::Local(_) => self.address == Address::Local,
        }
    }
}

/// Possible names of a buffer's element type in OpenCL.
fn opencl_names(element: Scalar) -> &'static [&'static str] {
    match element {
        Scalar::Short | Scalar::UShort | Scalar::Half => &["short", "ushort", "unsignedshort"],
        Scalar::Int | Scalar::UInt => &["int", "uint", "unsignedint"],
        Scalar::Long | Scalar::ULong => &["long", "ulong", "unsignedlong"],
        Scalar::Float => &["float"],
        Scalar::Double => &["double"],
        Scalar::Bool | Scalar::Byte | Scalar::UByte => &["uchar", "char", "unsignedchar"],
    }
}

impl fmt::Display for Param {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.address {
            Address::Global => write!(f, "global {}", self.ty),
            Address::Local => write!(f, "local {}", self.ty),
            Address::Private => write!(f, "{}", self.ty),
        }
    }
}

impl fmt::Display for KernelArg<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KernelArg::Buffer(b) => write!(f, "a buffer of {}", b.element()),
            KernelArg::Int(_) => f.write_str("an int"),
            KernelArg::Long(_) => f.write_str("a long"),
            KernelArg::Local(_) => f.write_str("local memory"),
        }
    }
}

impl Kernel {
    pub(super) fn raw(&self) -> *mut c_void {
        self.handle.raw()
    }

    /// Checks that the arguments fit the signature in number and, as far as the driver reports them, in type. OpenCL
    /// itself compares only sizes and accepts any buffer for any pointer.
    pub fn check(&self, args: &[KernelArg<'_>]) -> Result<(), ArgMismatch> {
        let mismatch = |problem| Err(ArgMismatch { kernel: self.name.clone(), problem });
        if args.len() != self.arg_count {
            return mismatch(format!("it takes {} arguments, but {} are passed", self.arg_count, args.len()));
        }
        let params = self.params.iter().flatten();
        match params.zip(args).enumerate().find(|(_, (param, arg))| !param.takes(arg)) {
            Some((i, (param, arg))) => mismatch(format!("argument {i} is `{param}`, but {arg} is passed")),
            None => Ok(()),
        }
    }
}
