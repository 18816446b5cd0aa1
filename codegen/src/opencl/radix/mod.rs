//! Helper functions for a radix sort over the whole device, least significant digit first.
//!
//! Keys are sorted stably by eight bits (a *digit*) at a time. The array is divided into chunks, one per group at a
//! time. Each digit takes three launches: a histogram of each chunk; the offset of each digit of each chunk (Zagha and
//! Blelloch, *Radix sort for vector multiprocessors*, 1991); and the move. In the move a group sorts its chunk tile by
//! tile in local memory, so that adjacent keys of a tile are written to adjacent locations. A *band* is up to
//! 32 work-items. Each takes one key at a time and sets its bit in the mask of the key's digit. The key's place is the
//! number of keys with that digit that the band has had, plus the number of lower bits in the mask (Adinets and Merrill,
//! *Onesweep*, 2022). Their bands are warps; OpenCL 1.2 has no barrier for a warp, so ours are those of the group. A group
//! of one work-item, as on a CPU, writes each key of its chunk where it belongs. No group waits for another one;
//! where groups may wait, [`tiles`] moves all keys in one launch.
//!
//! The functions are `always_inline`, because otherwise LLVM 15's inliner crashes on the output of its other passes.
//!
//! Digits in which all keys agree are skipped. The device itself decides this, so the plan is the same for all data.
//!
//! | module | job |
//! |---|---|
//! | [`tiles`] | moves in one launch |

pub mod tiles;

use std::sync::LazyLock;

/// Maximum keys per work-item, where a group counts its chunk before.
pub const MOST_EACH: u32 = 16;
/// Maximum keys per work-item, where a group takes one tile after the other.
pub const MOST_OF_TILE: u32 = 24;
/// Maximum work-items of a band: bits of a mask.
pub const BAND: u32 = 32;
/// The number of values of a digit.
pub const DIGITS: i64 = 256;

pub const DIFFERS: &str = "\
// Whether not all keys agree in a digit.
static inline __attribute__((always_inline)) bool lift_differs(__global const int* differ, int digit)
{
  return (differ[digit / 4] >> 8 * (digit % 4) & 255) != 0;
}

// How often the keys were moved for the digits below this one.
static inline __attribute__((always_inline)) int lift_moves(__global const int* differ, int digit)
{
  int moves = 0;
  for (int d = 0; d < digit; d++) {
    moves += lift_differs(differ, d);
  }
  return moves;
}
";

pub const OFFSETS: &str = "\
// From how often a digit is in each chunk, to where the first of the chunk belongs. totals: how often it is in all.
static inline __attribute__((always_inline)) void lift_offsets(__global int* counts, __global const int* totals, __local int* sums, int chunks)
{
  const int l = get_local_id(0);
  const int n = get_local_size(0);
  for (int b = get_group_id(0); b < 256; b += get_num_groups(0)) {
    int own = 0;
    for (int i = l; i < b; i += n) {
      own += totals[i];
    }
    int base;
    lift_group_scan(sums, own, &base);
    for (int from = 0; from < chunks; from += n) {
      const int i = from + l;
      int all;
      const int before = lift_group_scan(sums, i < chunks ? counts[b * chunks + i] : 0, &all);
      if (i < chunks) {
        counts[b * chunks + i] = base + before;
      }
      base += all;
    }
  }
}
";

/// The helpers for keys of `BITS` (32 or 64) bits.
const SORTABLE: &str = "\
// The order of keys as an order of unsigned numbers. order: 1 for the greatest first, 2 for floating-point numbers,
// whose two zeros are equal; NaN comes last.
static inline __attribute__((always_inline)) KEY lift_sortable_BITS(KEY key, int order)
{
  if (order & 2) {
    if (key << 1 > INFINITY) {
      return ~(KEY)0;
    }
    key = key << 1 == 0 ? HIGH : key >= HIGH ? ~key : key | HIGH;
  } else {
    key ^= HIGH;
  }
  return order & 1 ? ~key : key;
}
";

const NOTE: &str = "\
// Notes in which bits keys differ. All work-items must call it.
static inline __attribute__((always_inline)) void lift_note_BITS(__global int* differ, __local int* own, KEY bits)
{
  const uint low = (uint)bits;
  const uint high = (uint)((ulong)bits >> 32);
  if (get_local_id(0) == 0) {
    own[0] = 0;
    own[1] = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (low != 0) {
    atomic_or((volatile __local int*)own, (int)low);
  }
  if (high != 0) {
    atomic_or((volatile __local int*)own + 1, (int)high);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    if (own[0] != 0) {
      atomic_or((volatile __global int*)differ, own[0]);
    }
    if (own[1] != 0) {
      atomic_or((volatile __global int*)differ + 1, own[1]);
    }
  }
}
";

const COUNT: &str = "\
// The histogram of digits in each chunk of keys, and in all chunks. own has room for 256.
static inline __attribute__((always_inline)) void lift_digits_BITS(__global const STORED* keys, __global int* counts, __global int* totals,
    __local int* own, int n, int size, int chunks, int shift, int order)
{
  const int l = get_local_id(0);
  const int group = get_local_size(0);
  for (int c = get_group_id(0); c < chunks; c += get_num_groups(0)) {
    for (int b = l; b < 256; b += group) {
      own[b] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int end = min(n, c * size + size);
    int i = c * size + l;
    for (; i + 3 * group < end; i += 4 * group) {
      KEY keys_here[4];
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        keys_here[k] = (KEY)keys[i + k * group];
      }
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        atomic_inc((volatile __local int*)own + ((uint)(lift_sortable_BITS(keys_here[k], order) >> shift) & 255u));
      }
    }
    for (; i < end; i += group) {
      atomic_inc((volatile __local int*)own + ((uint)(lift_sortable_BITS((KEY)keys[i], order) >> shift) & 255u));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < 256; b += group) {
      counts[b * chunks + c] = own[b];
      if (own[b] != 0) {
        atomic_add((volatile __global int*)totals + b, own[b]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
";

const COUNT_ALONE: &str = "\
// The histogram of digits in each chunk of keys, and in all chunks; by groups of one work-item.
static inline __attribute__((always_inline)) void lift_digits_alone_BITS(__global const STORED* keys, __global int* counts,
    __global int* totals, int n, int size, int chunks, int shift, int order)
{
  for (int c = get_group_id(0); c < chunks; c += get_num_groups(0)) {
    int own[256];
    for (int b = 0; b < 256; b++) {
      own[b] = 0;
    }
    const int end = c * size + min(n - c * size, size);
    for (int i = c * size; i < end; i++) {
      own[(uint)(lift_sortable_BITS((KEY)keys[i], order) >> shift) & 255u]++;
    }
    for (int b = 0; b < 256; b++) {
      counts[b * chunks + c] = own[b];
      if (own[b] != 0) {
        atomic_add((volatile __global int*)totals + b, own[b]);
      }
    }
  }
}
";

const MOVE_ALONE: &str = "\
// Moves the keys of each chunk to where their digits belong, with pairs the positions beside them, too; by groups of one
// work-item. counts: where the first key of each digit in each chunk belongs.
static inline __attribute__((always_inline)) void lift_move_alone_BITS(__global const STORED* from, __global STORED* to,
    __global const int* from_at, __global int* to_at, __global const int* counts, int n, int size, int chunks, int shift,
    int order, int pairs)
{
  for (int c = get_group_id(0); c < chunks; c += get_num_groups(0)) {
    int next[256];
    for (int b = 0; b < 256; b++) {
      next[b] = counts[b * chunks + c];
    }
    const int end = c * size + min(n - c * size, size);
    for (int i = c * size; i < end; i++) {
      const STORED key = from[i];
      const int at = next[(uint)(lift_sortable_BITS((KEY)key, order) >> shift) & 255u]++;
      to[at] = key;
      if (pairs) {
        to_at[at] = from_at[i];
      }
    }
  }
}
";

/// `before`: the sum of what the work-items before this one `own`, of the first `most` work-items. All must come here.
const SUM_BEFORE: &str = "\
int before = own;
int side = 0;
for (int d = 1; d < most; d *= 4) {
  if (l < most) {
    sums[side + l] = before;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l < most) {
    #pragma unroll
    for (int k = 1; k < 4; k++) {
      if (l >= k * d) {
        before += sums[side + l - k * d];
      }
    }
  }
  side = 256 - side;
}
before -= own;
";

/// A template with these lines where it names them, as far to the right.
fn with_sums(template: &str) -> String {
    let lines = template.lines().map(|line| match line.strip_suffix("SUM_BEFORE") {
        Some(margin) => SUM_BEFORE.lines().map(|line| format!("{margin}{line}\n")).collect(),
        None => format!("{line}\n"),
    });
    lines.collect()
}

const MOVE: &str = "\
// Moves the keys of each chunk to where their digits belong, tile by tile; with pairs the positions beside them, too. A
// work-item has `each` keys of a tile. counts: where the first key of each digit in each chunk belongs. The group is a
// power of two or at least 256. moved has room for a tile and for 512 words a band, starts for 1024.
static inline __attribute__((always_inline)) void lift_move_BITS(__global const STORED* from, __global STORED* to, __global const int* from_at,
    __global int* to_at, __global const int* counts, __local STORED* moved, __local int* starts,
    int n, int size, int chunks, int each, int group, int shift, int order, int pairs)
{
  const int l = get_local_id(0);
  const int tile = each * group;
  const int band = min(group, 32);
  const int bands = group / band;
  const int lane = l % band;
  const uint lower = (1u << lane) - 1u;
  const int first = l / band * band * each + lane;
  // Work-items that add up counts, and digits of each.
  const int most = min(group, 256);
  const int digits = 256 / most;
  __local int* next = starts + 256;
  __local int* sums = starts + 512;
  // Of each band how often a digit was met, and which work-items meet it now.
  __local uint* ranks = (__local uint*)moved;
  __local uint* met = ranks + l / band * 256;
  __local uint* masks = met + bands * 256;
  for (int c = get_group_id(0); c < chunks; c += get_num_groups(0)) {
    const int stop = min(n - c * size, size);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = l; b < 256; b += group) {
      next[b] = counts[b * chunks + c];
    }
    for (int done = 0; done < stop; done += tile) {
      const int begin = c * size + done;
      const int left = stop - done;
      KEY keys[16];
      int places[16];
      int others[16];
      // Keys after the end are padding, which stays there.
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = first + j * band;
        keys[j] = (KEY)(i < left ? from[begin + i] : (STORED)(order == 1 ? HIGH : HIGH - 1));
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = l; i < 512 * bands; i += group) {
        ranks[i] = 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const uint d = (uint)(lift_sortable_BITS(keys[j], order) >> shift) & 255u;
        atomic_or((volatile __local uint*)masks + d, 1u << lane);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint before = met[d];
        const uint same = masks[d];
        places[j] = (int)(before + popcount(same & lower));
        barrier(CLK_LOCAL_MEM_FENCE);
        if (same >> lane == 1u) {
          met[d] = before + popcount(same);
          masks[d] = 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (pairs) {
        #pragma unroll
        for (int j = 0; j < each; j++) {
          const int i = first + j * band;
          others[j] = i < left ? from_at[begin + i] : 0;
        }
      }
      // From how often a band met a digit to where in the tile its first one belongs.
      int own = 0;
      if (l < most) {
        for (int d = l * digits; d < l * digits + digits; d++) {
          uint total = 0;
          for (int b = 0; b < bands; b++) {
            const uint here = ranks[b * 256 + d];
            ranks[b * 256 + d] = total;
            total += here;
          }
          starts[d] = (int)total;
          own += (int)total;
        }
      }
      SUM_BEFORE
      if (l < most) {
        for (int d = l * digits; d < l * digits + digits; d++) {
          const int total = starts[d];
          for (int b = 0; b < bands; b++) {
            ranks[b * 256 + d] += (uint)before;
          }
          starts[d] = next[d] - before;
          next[d] += total;
          before += total;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        places[j] += (int)met[(uint)(lift_sortable_BITS(keys[j], order) >> shift) & 255u];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        moved[places[j]] = (STORED)keys[j];
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      int at[16];
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        const STORED key = moved[i];
        at[j] = starts[(uint)(lift_sortable_BITS((KEY)key, order) >> shift) & 255u] + i;
        if (i < left) {
          to[at[j]] = key;
        }
      }
      if (pairs) {
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < each; j++) {
          moved[places[j]] = (STORED)others[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < each; j++) {
          if (j * group + l < left) {
            to_at[at[j]] = (int)moved[j * group + l];
          }
        }
      }
    }
  }
}
";

/// The helper texts for keys of one width.
pub struct OfWidth {
    pub sortable: String,
    pub note: String,
    pub count: String,
    pub count_alone: String,
    pub shift: String,
    pub shift_alone: String,
    pub digits_in_all: String,
    pub move_tiles: String,
}

fn of_width(bits: &str, key: &str, stored: &str, infinity: &str, high: &str) -> OfWidth {
    let text = |template: &str| {
        with_sums(template)
            .replace("BITS", bits)
            .replace("KEY", key)
            .replace("STORED", stored)
            .replace("INFINITY", infinity)
            .replace("HIGH", high)
    };
    OfWidth {
        sortable: text(SORTABLE),
        note: text(NOTE),
        count: text(COUNT),
        count_alone: text(COUNT_ALONE),
        shift: text(MOVE),
        shift_alone: text(MOVE_ALONE),
        digits_in_all: text(tiles::DIGITS_IN_ALL),
        move_tiles: text(tiles::MOVE_TILES),
    }
}

pub static OF_32: LazyLock<OfWidth> = LazyLock::new(|| of_width("32", "uint", "int", "0xff000000u", "0x80000000u"));
pub static OF_64: LazyLock<OfWidth> =
    LazyLock::new(|| of_width("64", "ulong", "long", "0xffe0000000000000ul", "0x8000000000000000ul"));
