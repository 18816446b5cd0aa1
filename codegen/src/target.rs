//! Targets: classes of devices, described by data.
//!
//! The meaning of a program does not depend on its target, nor does the correctness of the generated code, except for
//! [`Target::single_pass`], which promises more than OpenCL does. A device gets that property only if the table of this
//! module lists it ([`Target::of`]); all others affect speed alone.

use crate::device::{DeviceInfo, DeviceKind};
use lift_analysis::parameters::{Parameter, Settings, TargetName};
use std::fmt;
use std::str::FromStr;

/// Dimensions of a grid in OpenCL.
pub const GRID: usize = 3;
/// Bytes of local memory that OpenCL guarantees (`CL_DEVICE_LOCAL_MEM_SIZE`).
pub const LEAST_LOCAL: i64 = 32 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub class: Class,
    /// Elements that one work-item of a streaming kernel (`map`, `reduce`, `scan`, `filter` over the device) takes at a
    /// time. On a GPU they are a group's size apart, so that neighbouring work-items read neighbouring elements; on a
    /// CPU they are consecutive.
    pub per_item: u32,
    /// Whether work-groups may wait for values that earlier work-groups publish: 64-bit atomics
    /// (`cl_khr_int64_base_atomics`) are visible between groups, and a group that has started keeps running. OpenCL
    /// promises neither; without them a program hangs.
    pub single_pass: bool,
    /// Whether code has the sizes of groups as numbers, so that the compiler unrolls loops with such steps further, and
    /// loads more at the same time. Others know the sizes by `reqd_work_group_size`; pocl 3.1 makes loops with such numbers
    /// that run too far.
    pub group_in_numbers: bool,
    /// Work-items of a group, unless the program says.
    pub group: u32,
    /// Maximum work-items of a group.
    pub most_in_group: u32,
    /// Processors that run work-groups in parallel; each may keep several groups.
    pub compute_units: u32,
    /// Bytes of local memory per group.
    pub local_memory: u64,
    /// Elements that an array of hidden length may be given for each element of the inputs. If it could need more, the
    /// host waits for the length and allocates that much.
    pub room_per_input: u32,
    /// Whether indices, divisions and computed lengths are checked on the device. Otherwise a wrong one is undefined
    /// behaviour.
    pub checked: bool,
    /// Parameters that override both their defaults and the program's settings.
    pub settings: Settings,
    /// The program's settings by `with`; `settings` override them.
    pub written: Settings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Any device with OpenCL 1.2.
    Portable,
    /// Thousands of work-items; neighbours should read neighbouring elements.
    Gpu,
    /// A few threads, each of which runs the work-items of a group as a loop.
    Cpu,
}

/// Groups, and work-items, that a compute unit of a large GPU runs at once.
const GROUPS_OF_UNIT: u32 = 32;
const ITEMS_OF_UNIT: u32 = 2048;

impl Target {
    /// The maximum number of groups that run at once, if each needs its own global memory.
    pub fn groups_at_once(&self) -> u32 {
        self.compute_units * GROUPS_OF_UNIT
    }

    /// The number of such groups of this many work-items.
    pub fn groups_of(&self, items: u32) -> u32 {
        (self.compute_units * ITEMS_OF_UNIT / items.max(1)).clamp(1, self.groups_at_once())
    }

    /// The number of work-items that fill the device, with a few elements in flight each.
    pub fn busy(&self) -> i64 {
        i64::from(self.compute_units) * i64::from(self.get(Parameter::UnitItems))
    }

    /// The longest array that one work-item sorts faster than many do.
    pub fn sorted_by_one(&self) -> i64 {
        match self.class {
            Class::Cpu => 1 << 16,
            Class::Portable => 1 << 11,
            Class::Gpu => 0,
        }
    }

    /// Correct on every device, and slow on none.
    pub const fn portable() -> Target {
        Target {
            class: Class::Portable,
            per_item: 1,
            single_pass: false,
            group_in_numbers: false,
            group: 128,
            most_in_group: 256,
            compute_units: 32,
            local_memory: 32 * 1024,
            room_per_input: 64,
            checked: true,
            settings: Settings::DEFAULT,
            written: Settings::DEFAULT,
        }
    }
    /// Any GPU.
    pub const fn gpu() -> Target {
        Target { class: Class::Gpu, per_item: 4, ..Target::portable() }
    }
    /// NVIDIA GPUs. Their groups run to completion, and 64-bit atomics act on the cache that all groups share.
    pub const fn nvidia() -> Target {
        Target {
            single_pass: true,
            group_in_numbers: true,
            compute_units: 132,
            local_memory: 48 * 1024,
            ..Target::gpu()
        }
    }
    /// Any CPU.
    pub const fn cpu() -> Target {
        Target { class: Class::Cpu, compute_units: 8, ..Target::portable() }
    }
    /// CPUs under pocl, which turns the work-items between two barriers into a loop.
    pub const fn pocl() -> Target {
        Target::cpu()
    }

    /// The targets that can be selected by name; the portable one first.
    pub fn named() -> [(&'static str, Target); 4] {
        TargetName::ALL.map(|name| (name.as_str(), Target::from(name)))
    }

    /// The target for a device, chosen from the device's properties.
    pub fn of(device: &DeviceInfo) -> Target {
        let row = TABLE.iter().find(|row| row.fits(device));
        row.map_or(Target::portable(), |row| (row.target)()).fitted(device)
    }

    /// This target within the limits of a device.
    pub fn fitted(self, device: &DeviceInfo) -> Target {
        let mut target = self;
        let limits = &device.limits;
        target.compute_units = limits.compute_units.max(1);
        target.local_memory = limits.local_memory;
        let largest = limits.work_group_size.min(limits.work_item_sizes[0]).max(1);
        target.most_in_group = target.most_in_group.min(u32::try_from(largest).unwrap_or(u32::MAX));
        target.group = target.group.min(target.most_in_group);
        if !device.long_atomics {
            target.single_pass = false;
        }
        target
    }

    /// The value of a parameter.
    pub fn get(&self, parameter: Parameter) -> u32 {
        match parameter {
            Parameter::Group => self.group,
            Parameter::PerItem => self.per_item,
            _ => {
                let set = self.settings.get(parameter).or_else(|| self.written.get(parameter));
                set.unwrap_or(parameter.entry().default)
            }
        }
    }

    /// This target with another value of a parameter.
    pub fn with(mut self, parameter: Parameter, value: u32) -> Target {
        self.take(parameter, value);
        self.settings.set(parameter, value);
        self
    }

    fn take(&mut self, parameter: Parameter, value: u32) {
        match parameter {
            Parameter::Group => self.group = value.clamp(1, self.most_in_group),
            Parameter::PerItem => self.per_item = value.max(1),
            _ => {}
        }
    }

    /// A named target with the limits of this one; the program cannot change the class.
    #[must_use]
    pub fn pinned(self, name: TargetName) -> Target {
        let mut target = self.of_class(name);
        target.settings.target = Some(name);
        target
    }

    /// This target as a program's `with` wants it.
    #[must_use]
    pub fn written(mut self, settings: &Settings) -> Target {
        if let Some(name) = settings.target
            && self.settings.target.is_none()
            && self.written.target != Some(name)
        {
            self = self.of_class(name);
        }
        for (entry, value) in settings.all() {
            if self.settings.get(entry.parameter).is_none() {
                self.take(entry.parameter, value);
            }
        }
        self.written = settings.inside(&self.written);
        self
    }

    /// A named target with the limits of this one. Groups wait for each other only if both allow it.
    fn of_class(self, name: TargetName) -> Target {
        let named = Target::from(name);
        let mut target = Target { class: named.class, per_item: named.per_item, ..self };
        target.single_pass &= named.single_pass;
        target.group = named.group.min(self.most_in_group);
        for parameter in [Parameter::Group, Parameter::PerItem] {
            if let Some(value) = self.settings.get(parameter) {
                target.take(parameter, value);
            }
        }
        target
    }

    /// This target with work-groups of at most `most` work-items; `None` if its groups are not larger.
    pub fn with_groups_of(&self, most: u32) -> Option<Target> {
        (most < self.most_in_group).then(|| Target {
            most_in_group: most.max(1),
            group: self.group.min(most.max(1)),
            ..*self
        })
    }
}

/// The known devices, most specific first.
const TABLE: &[Row] = &[
    Row { platform: "oclgrind", kind: None, target: Target::portable },
    Row { platform: "nvidia cuda", kind: Some(DeviceKind::Gpu), target: Target::nvidia },
    Row { platform: "portable computing language", kind: Some(DeviceKind::Cpu), target: Target::pocl },
    Row { platform: "", kind: Some(DeviceKind::Gpu), target: Target::gpu },
    Row { platform: "", kind: Some(DeviceKind::Cpu), target: Target::cpu },
];

/// Conditions on a device, and its target.
struct Row {
    /// Part of the platform's name, in lower case.
    platform: &'static str,
    kind: Option<DeviceKind>,
    target: fn() -> Target,
}

impl Row {
    fn fits(&self, device: &DeviceInfo) -> bool {
        device.platform.to_lowercase().contains(self.platform) && self.kind.is_none_or(|kind| kind == device.kind)
    }
}

impl From<TargetName> for Target {
    fn from(name: TargetName) -> Target {
        match name {
            TargetName::Portable => Target::portable(),
            TargetName::Gpu => Target::gpu(),
            TargetName::Nvidia => Target::nvidia(),
            TargetName::Cpu => Target::cpu(),
        }
    }
}

impl FromStr for Target {
    type Err = String;
    fn from_str(text: &str) -> Result<Target, String> {
        TargetName::named(text).map(Target::from).ok_or_else(|| {
            let names = TargetName::ALL.map(|name| format!("`{}`", name.as_str()));
            format!("there is no target `{text}`; there are {}", names.join(", "))
        })
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Class::Portable => "portable",
            Class::Gpu => "gpu",
            Class::Cpu => "cpu",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceLimits;

    fn device(platform: &str, kind: DeviceKind, work_group_size: usize, long_atomics: bool) -> DeviceInfo {
        DeviceInfo {
            index: 0,
            name: "a device".into(),
            vendor: "a vendor".into(),
            platform: platform.into(),
            driver: "1".into(),
            version: "OpenCL 3.0".into(),
            kind,
            limits: DeviceLimits {
                compute_units: 7,
                work_group_size,
                work_item_sizes: [work_group_size; 3],
                global_memory: 1 << 30,
                allocation: 1 << 28,
                local_memory: 1 << 15,
                address_bits: 64,
            },
            doubles: true,
            exact_division: true,
            long_atomics,
        }
    }

    #[test]
    fn only_a_device_that_is_known_lets_groups_wait() {
        let single_pass = |platform, kind, atomics| Target::of(&device(platform, kind, 256, atomics)).single_pass;
        assert!(single_pass("NVIDIA CUDA", DeviceKind::Gpu, true));
        assert!(!single_pass("NVIDIA CUDA", DeviceKind::Gpu, false));
        assert!(!single_pass("Another", DeviceKind::Gpu, true));
        assert!(!single_pass("Portable Computing Language", DeviceKind::Cpu, true));
        assert!(!single_pass("Oclgrind", DeviceKind::Gpu, true));
    }

    #[test]
    fn the_class_is_that_of_the_device_and_groups_fit_it() {
        let gpu = Target::of(&device("Another", DeviceKind::Gpu, 64, false));
        assert_eq!((gpu.class, gpu.group, gpu.most_in_group, gpu.compute_units), (Class::Gpu, 64, 64, 7));
        assert_eq!(Target::of(&device("Another", DeviceKind::Cpu, 4096, true)).class, Class::Cpu);
        assert_eq!(Target::of(&device("Another", DeviceKind::Other, 4096, true)).class, Class::Portable);
    }

    #[test]
    fn parameters_have_defaults_until_they_are_set() {
        let target = Target::gpu().with(Parameter::RowsTeam, 16).with(Parameter::Group, 1024);
        assert_eq!((target.group, target.get(Parameter::RowsTeam), target.get(Parameter::RowsEach)), (256, 16, 16));
        let (group, item) = (Parameter::Group.entry().default, Parameter::PerItem.entry().default);
        assert_eq!((group, item), (Target::portable().group, Target::portable().per_item));
    }

    #[test]
    fn targets_have_names() {
        assert_eq!("nvidia".parse(), Ok(Target::nvidia()));
        let unknown = "tpu".parse::<Target>();
        assert_eq!(unknown, Err("there is no target `tpu`; there are `portable`, `gpu`, `nvidia`, `cpu`".into()));
    }
}
