//! An OpenCL device as data: what it is called, what kind it is, what it can do.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A device as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The place in [`list`]: the `I` of `opencl:I`.
    pub index: usize,
    pub name: String,
    pub vendor: String,
    pub platform: String,
    pub driver: String,
    /// The version of OpenCL, as the device says it: "OpenCL 3.0 CUDA".
    pub version: String,
    pub kind: DeviceKind,
    pub limits: DeviceLimits,
    /// Whether `Double` can be computed with.
    pub doubles: bool,
    /// Whether division and square root of `Float` can be asked to be rounded as on the host.
    pub exact_division: bool,
    /// Whether 64-bit atomics can be used (`cl_khr_int64_base_atomics`).
    pub long_atomics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    // In the order of preference.
    Gpu,
    Accelerator,
    Cpu,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    pub compute_units: u32,
    /// Work-items of a group, in all dimensions together.
    pub work_group_size: usize,
    /// Work-items of a group, in each dimension.
    pub work_item_sizes: [usize; 3],
    /// Bytes.
    pub global_memory: u64,
    /// Bytes of one buffer.
    pub allocation: u64,
    /// Bytes of local memory of a work-group.
    pub local_memory: u64,
    pub address_bits: u32,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeviceKind::Gpu => "GPU",
            DeviceKind::Accelerator => "accelerator",
            DeviceKind::Cpu => "CPU",
            DeviceKind::Other => "other",
        })
    }
}

/// "0: NVIDIA H200 (GPU, NVIDIA CUDA)"
impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}, {})", self.index, self.name, self.kind, self.platform)
    }
}
