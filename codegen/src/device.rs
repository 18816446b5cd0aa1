//! An OpenCL device as data: its name, kind and limits.

use serde::{Deserialize, Serialize};
use std::fmt;

/// An OpenCL device as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// The index in [`list`]: the `I` of `opencl:I`.
    pub index: usize,
    pub name: String,
    pub vendor: String,
    pub platform: String,
    pub driver: String,
    /// The OpenCL version as the device reports it: "OpenCL 3.0 CUDA".
    pub version: String,
    pub kind: DeviceKind,
    pub limits: DeviceLimits,
    /// Whether the device supports `Double`.
    pub doubles: bool,
    /// Whether division and square root of `Float` can be rounded as on the host.
    pub exact_division: bool,
    /// Whether the device supports 64-bit atomics (`cl_khr_int64_base_atomics`).
    pub long_atomics: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    // In order of preference.
    Gpu,
    Accelerator,
    Cpu,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    pub compute_units: u32,
    /// Maximum work-items of a group, all dimensions together.
    pub work_group_size: usize,
    /// Maximum work-items of a group in each dimension.
    pub work_item_sizes: [usize; 3],
    /// Bytes.
    pub global_memory: u64,
    /// Maximum bytes of one buffer.
    pub allocation: u64,
    /// Bytes of local memory per work-group.
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

/// Formats as "0: NVIDIA H200 (GPU, NVIDIA CUDA)".
impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({}, {})", self.index, self.name, self.kind, self.platform)
    }
}
