//! The division of an array among groups and work-items in a radix sort.

use crate::opencl::radix::{BAND, DIGITS, MOST_EACH, MOST_OF_TILE};
use crate::target::{Class, Target};
use lift_analysis::hir::Scalar;

/// Work-items of a group that one CPU thread runs; more take longer to compile.
const ITEMS_OF_THREAD: u32 = 32;
/// Keys of a tile of a group of one work-item.
const TILE_ALONE: u32 = 4096;
/// Work-items of a group on a GPU that counts or moves keys, and those of one that copies them.
const MOVING: u32 = 512;
const COPYING: u32 = 256;

/// The sizes of groups and tiles.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Work-items of a group that counts or moves keys: a power of two. A group of one work-item processes its chunk
    /// sequentially, as is best on CPUs.
    pub group: u32,
    /// Keys of a tile per work-item.
    pub each: u32,
    /// Work-items of a group that copies keys.
    pub copying: u32,
}

impl Shape {
    /// The largest groups whose tiles fit local memory; with `pairs` positions accompany keys.
    pub fn of(target: &Target, key: Scalar, pairs: bool) -> Shape {
        if target.class == Class::Cpu {
            let copying = target.most_in_group.min(ITEMS_OF_THREAD);
            return Shape { group: 1, each: TILE_ALONE, copying };
        }
        let copying = target.most_in_group.min(COPYING);
        let most = target.most_in_group.clamp(1, MOVING).ilog2();
        if target.single_pass {
            return Shape::of_tiles(target, key, pairs);
        }
        // Keys that positions accompany are written to more places: the longer the runs of a tile, the better.
        let eaches: &[u32] = if pairs { &[MOST_EACH, 8, 4] } else { &[12, 8, 4] };
        let shapes = (1..=most).rev().flat_map(|log| eaches.iter().map(move |each| (1 << log, *each)));
        let mut shapes = shapes.map(|(group, each)| Shape { group, each, copying });
        let alone = Shape { group: 1, each: TILE_ALONE, copying };
        shapes.find(|s| s.local_bytes(key) <= target.local_memory).unwrap_or(alone)
    }

    /// The largest tiles that fit local memory, each the next of a group. The larger a tile, the longer its runs of keys with one
    /// digit, and the fewer wait for each other.
    fn of_tiles(target: &Target, key: Scalar, pairs: bool) -> Shape {
        let copying = target.most_in_group.min(COPYING);
        let eaches: &[u32] = if pairs { &[20, 16, 12, 8, 4] } else { &[MOST_OF_TILE, 20, 16, 12, 8, 4] };
        let groups = (1..=target.most_in_group.clamp(1, MOVING).ilog2()).rev().map(|log| 1 << log);
        let mut shapes = groups.flat_map(|group| eaches.iter().map(move |each| Shape { group, each: *each, copying }));
        let alone = Shape { group: 1, each: TILE_ALONE, copying };
        shapes.find(|s| s.local_bytes(key) <= target.local_memory).unwrap_or(alone)
    }
    pub fn alone(self) -> bool {
        self.group == 1
    }
    pub fn tile(self) -> u64 {
        u64::from(self.group) * u64::from(self.each)
    }
    /// The length of the local array for the keys of a tile. While work-items find places, the same memory holds a count
    /// and a mask for each digit of each band.
    pub fn moved(self, key: Scalar) -> u64 {
        let bands = u64::from(self.group.div_ceil(BAND));
        self.tile().max(bands * 2 * DIGITS as u64 * 4 / key_bytes(key))
    }
    fn local_bytes(self, key: Scalar) -> u64 {
        self.moved(key) * key_bytes(key) + 4 * DIGITS as u64 * 4 + 64
    }
    pub fn local(self) -> [Option<u32>; 3] {
        [Some(self.group), Some(1), Some(1)]
    }
    pub fn local_of_copies(self) -> [Option<u32>; 3] {
        [Some(self.copying), Some(1), Some(1)]
    }
}

/// Bytes of a stored key.
pub(super) fn key_bytes(key: Scalar) -> u64 {
    if is_wide(key) { 8 } else { 4 }
}
pub(super) fn is_wide(key: Scalar) -> bool {
    key.bytes() == 8
}
