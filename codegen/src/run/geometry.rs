//! Chooses the number of work-items of a launch on a device.
//!
//! Kernels use grid-stride loops, so fewer work-items than requested do the same work. A plan sets `exact_local` where
//! a kernel relies on the size of its work-groups.

use super::device::{DeviceKind, DeviceLimits};

/// The requested launch size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wish {
    pub groups: [u64; 3],
    pub local: [u32; 3],
    pub exact_local: bool,
}

/// The actual launch size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    pub groups: [usize; 3],
    pub local: [usize; 3],
}

/// Maximum work-groups in the second and third dimension on a GPU: the smallest usual limit (NVIDIA's).
const GROUPS_IN_UPPER_DIMENSIONS: u64 = 65_535;
/// Maximum work-items in one dimension. With at most [`crate::plan::LONGEST`] elements, a grid-stride loop then does
/// not overflow `int` after its last iteration.
const WORK_ITEMS: u64 = i32::MAX as u64 - crate::plan::LONGEST as u64;

/// Why a request for an exact size cannot be met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Maximum work-items of a group.
    pub most: u32,
    pub message: String,
}

impl TooLarge {
    fn new(most: usize, message: String) -> TooLarge {
        TooLarge { most: u32::try_from(most).unwrap_or(u32::MAX), message }
    }
}

/// Reduces the request to the limits of the device and the kernel (`kernel_group_size` work-items per group); launches
/// at least one work-group.
pub fn fit(
    wish: Wish,
    device: &DeviceLimits,
    kind: DeviceKind,
    kernel_group_size: usize,
) -> Result<Geometry, TooLarge> {
    let most = device.work_group_size.min(kernel_group_size).max(1);
    let mut local = wish.local.map(|n| n.max(1) as usize);
    let product = |local: &[usize; 3]| local.iter().fold(1usize, |a, &b| a.saturating_mul(b));
    if wish.exact_local {
        if let Some(d) = (0..3).find(|&d| local[d] > device.work_item_sizes[d]) {
            let allowed = device.work_item_sizes[d];
            let asked = local[d];
            let message =
                format!("needs work-groups of {asked} work-items in dimension {d}; the device allows {allowed}");
            return Err(TooLarge::new(allowed.min(most), message));
        }
        if product(&local) > most {
            let message = format!("needs work-groups of {} work-items; the device allows {most}", product(&local));
            return Err(TooLarge::new(most, message));
        }
    } else {
        for (local, allowed) in local.iter_mut().zip(device.work_item_sizes) {
            *local = (*local).min(allowed).max(1);
        }
        // Halve the largest dimension, so that a square group stays nearly square.
        while product(&local) > most {
            let largest = (0..3).rev().max_by_key(|&d| local[d]).unwrap_or(0);
            local[largest] = (local[largest] / 2).max(1);
        }
    }
    let mut groups = [1; 3];
    for d in 0..3 {
        let by_hardware = if d > 0 && kind == DeviceKind::Gpu { GROUPS_IN_UPPER_DIMENSIONS } else { u64::MAX };
        let by_ids = (WORK_ITEMS / local[d] as u64).max(1);
        groups[d] = wish.groups[d].clamp(1, by_hardware.min(by_ids)) as usize;
    }
    Ok(Geometry { groups, local })
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: DeviceLimits = DeviceLimits {
        compute_units: 4,
        work_group_size: 256,
        work_item_sizes: [256, 256, 64],
        global_memory: 1 << 30,
        allocation: 1 << 28,
        local_memory: 1 << 15,
        address_bits: 64,
    };

    fn fitted(groups: [u64; 3], local: [u32; 3], exact_local: bool, kernel: usize) -> String {
        match fit(Wish { groups, local, exact_local }, &DEVICE, DeviceKind::Gpu, kernel) {
            Ok(g) => format!("{:?} x {:?}", g.groups, g.local),
            Err(e) => format!("{}: at most {}", e.message, e.most),
        }
    }

    #[test]
    fn a_wish_that_fits_is_granted() {
        assert_eq!(fitted([10, 1, 1], [128, 1, 1], true, 256), "[10, 1, 1] x [128, 1, 1]");
    }

    #[test]
    fn groups_are_cut_to_the_device_and_to_the_kernel() {
        assert_eq!(fitted([10, 1, 1], [1024, 1, 1], false, 256), "[10, 1, 1] x [256, 1, 1]");
        assert_eq!(fitted([10, 1, 1], [16, 16, 1], false, 100), "[10, 1, 1] x [8, 8, 1]");
        assert_eq!(fitted([10, 1, 1], [16, 1, 128], false, 256), "[10, 1, 1] x [16, 1, 16]");
    }

    #[test]
    fn an_exact_group_that_is_too_large_is_an_error() {
        assert_eq!(
            fitted([1, 1, 1], [512, 1, 1], true, 1024),
            "needs work-groups of 512 work-items in dimension 0; the device allows 256: at most 256"
        );
        assert_eq!(
            fitted([1, 1, 1], [256, 1, 1], true, 64),
            "needs work-groups of 256 work-items; the device allows 64: at most 64"
        );
    }

    #[test]
    fn something_is_launched_even_for_no_work_and_never_too_much() {
        assert_eq!(fitted([0, 0, 0], [0, 64, 0], false, 256), "[1, 1, 1] x [1, 64, 1]");
        assert_eq!(fitted([u64::MAX, 1_000_000, 1], [256, 1, 1], false, 256), "[524287, 65535, 1] x [256, 1, 1]");
    }
}
