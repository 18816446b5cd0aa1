//! Helper functions for a radix sort over the whole device, least significant digit first.
//!
//! Keys are sorted stably by eight bits (a *digit*) at a time. The array is divided into chunks, one per group at a
//! time. Each digit takes three launches: a histogram of each chunk; the offset of each digit of each chunk (Zagha and
//! Blelloch, *Radix sort for vector multiprocessors*, 1991); and the move. In the move a group sorts its chunk tile by
//! tile in local memory, four bits at a time (Satish, Harris and Garland, *Designing efficient sorting algorithms for
//! manycore GPUs*, 2009), so that adjacent keys of a tile are written to adjacent locations. No group waits for another
//! one.
//!
//! The functions are `always_inline`, because otherwise LLVM 15's inliner crashes on the output of its other passes.
//!
//! Digits in which all keys agree are skipped. The device itself decides this, so the plan is the same for all data.

use std::sync::LazyLock;

/// Maximum keys per work-item.
pub const MOST_EACH: u32 = 16;
/// The number of values of a digit.
pub const DIGITS: i64 = 256;

pub const PLACES: &str = "\
// The place of each key of a work-item once a group of n has sorted its keys by four bits, stably: digits[j] becomes the
// place. A work-item has `each` keys, at most 16; sums has room for 8n. A barrier is due before the next call, none before
// memory is overwritten that was read before this one.
static inline __attribute__((always_inline)) void lift_places(__local ulong* sums, uint* digits, int each, int n)
{
  const int l = get_local_id(0);
  // Four bits for each digit, and then sixteen, four digits in a word.
  uint ranks[16];
  ulong few = 0;
  #pragma unroll
  for (int j = 0; j < each; j++) {
    ranks[j] = (uint)(few >> 4 * digits[j]) & 15u;
    if (j < 15) {
      few += 1ul << 4 * digits[j];
    }
  }
  ulong own[4];
  ulong up_to[4];
  #pragma unroll
  for (int q = 0; q < 4; q++) {
    const ulong four = few >> 16 * q;
    own[q] = (four & 15) | (four & 240) << 12 | (four & 3840) << 24 | (four & 61440) << 36;
    if (each > 15 && digits[15] >> 2 == q) {
      own[q] += 1ul << 16 * (digits[15] & 3);
    }
    up_to[q] = own[q];
  }
  int from = 0;
  for (int d = 1; d < n; d *= 4) {
    __local ulong* here = sums + from;
    #pragma unroll
    for (int q = 0; q < 4; q++) {
      here[q * n + l] = up_to[q];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int k = 1; k < 4; k++) {
      if (l >= k * d) {
        #pragma unroll
        for (int q = 0; q < 4; q++) {
          up_to[q] += here[q * n + l - k * d];
        }
      }
    }
    from = 4 * n - from;
  }
  if (l == n - 1) {
    #pragma unroll
    for (int q = 0; q < 4; q++) {
      sums[from + q] = up_to[q];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  // Before a digit come all keys with a lower one, and those of the work-items before.
  const ulong ones = 0x0001000100010001ul;
  ulong lower = 0;
  #pragma unroll
  for (int q = 0; q < 4; q++) {
    const ulong totals = sums[from + q] * ones;
    up_to[q] += (totals << 16) + lower * ones - own[q];
    lower += totals >> 48;
  }
  #pragma unroll
  for (int j = 0; j < each; j++) {
    const uint d = digits[j];
    const ulong before = d < 8 ? (d < 4 ? up_to[0] : up_to[1]) : (d < 12 ? up_to[2] : up_to[3]);
    digits[j] = ranks[j] + ((uint)(before >> 16 * (d & 3)) & 65535u);
  }
}
";

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
// The order of keys as an order of unsigned numbers. order: 1 for the greatest first, 2 for floating-point numbers, of which
// the two zeros are equal and what is no number comes last.
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
// How often each digit is in each chunk of so many keys, and in all of them. own has room for 256.
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

const MOVE: &str = "\
// Moves the keys of each chunk to where their digits belong, tile by tile; with pairs the positions beside them, too. A
// work-item has `each` keys of a tile. counts: where the first key of each digit in each chunk belongs. sums has room for
// 8 a work-item, moved for a tile and a sixteenth of it, starts for 512.
static inline __attribute__((always_inline)) void lift_move_BITS(__global const STORED* from, __global STORED* to, __global const int* from_at,
    __global int* to_at, __global const int* counts, __local ulong* sums, __local STORED* moved, __local int* starts,
    int n, int size, int chunks, int each, int group, int shift, int order, int pairs)
{
  const int l = get_local_id(0);
  const int tile = each * group;
  __local int* next = starts + 256;
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
      uint digits[16];
      barrier(CLK_LOCAL_MEM_FENCE);
      // Behind the end stand keys that stay there.
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        moved[i + (i >> 4)] = i < left ? from[begin + i] : (STORED)(order == 1 ? HIGH : HIGH - 1);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = l * each + j;
        keys[j] = (KEY)moved[i + (i >> 4)];
      }
      if (pairs) {
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < each; j++) {
          const int i = j * group + l;
          moved[i + (i >> 4)] = i < left ? from_at[begin + i] : 0;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < each; j++) {
          const int i = l * each + j;
          places[j] = (int)moved[i + (i >> 4)];
        }
      }
      #pragma unroll
      for (int half_digit = 0; half_digit < 8; half_digit += 4) {
        #pragma unroll
        for (int j = 0; j < each; j++) {
          digits[j] = (uint)(lift_sortable_BITS(keys[j], order) >> (shift + half_digit)) & 15u;
        }
        lift_places(sums, digits, each, group);
        if (pairs) {
          #pragma unroll
          for (int j = 0; j < each; j++) {
            moved[digits[j] + (digits[j] >> 4)] = places[j];
          }
          barrier(CLK_LOCAL_MEM_FENCE);
          #pragma unroll
          for (int j = 0; j < each; j++) {
            const int i = half_digit == 0 ? l * each + j : j * group + l;
            places[j] = (int)moved[i + (i >> 4)];
          }
          barrier(CLK_LOCAL_MEM_FENCE);
        }
        #pragma unroll
        for (int j = 0; j < each; j++) {
          moved[digits[j] + (digits[j] >> 4)] = (STORED)keys[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (int j = 0; j < each; j++) {
          const int i = half_digit == 0 ? l * each + j : j * group + l;
          keys[j] = (KEY)moved[i + (i >> 4)];
        }
      }
      // Now keys[j] is key j * group + l of the sorted tile.
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        digits[j] = (uint)(lift_sortable_BITS(keys[j], order) >> shift) & 255u;
        bool first = i == 0;
        if (!first) {
          const KEY before = (KEY)moved[i - 1 + ((i - 1) >> 4)];
          first = ((uint)(lift_sortable_BITS(before, order) >> shift) & 255u) != digits[j];
        }
        if (first) {
          starts[digits[j]] = i;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      uint ends = 0;
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        if (i < left) {
          const int at = next[digits[j]] + i - starts[digits[j]];
          to[at] = (STORED)keys[j];
          if (pairs) {
            to_at[at] = places[j];
          }
          bool last = i == left - 1 || i == tile - 1;
          if (!last) {
            const KEY after = (KEY)moved[i + 1 + ((i + 1) >> 4)];
            last = ((uint)(lift_sortable_BITS(after, order) >> shift) & 255u) != digits[j];
          }
          ends |= last ? 1u << j : 0u;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        if (ends >> j & 1) {
          next[digits[j]] += j * group + l + 1 - starts[digits[j]];
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
    pub shift: String,
}

fn of_width(bits: &str, key: &str, stored: &str, infinity: &str, high: &str) -> OfWidth {
    let text = |template: &str| {
        template
            .replace("BITS", bits)
            .replace("KEY", key)
            .replace("STORED", stored)
            .replace("INFINITY", infinity)
            .replace("HIGH", high)
    };
    OfWidth { sortable: text(SORTABLE), note: text(NOTE), count: text(COUNT), shift: text(MOVE) }
}

pub static OF_32: LazyLock<OfWidth> = LazyLock::new(|| of_width("32", "uint", "int", "0xff000000u", "0x80000000u"));
pub static OF_64: LazyLock<OfWidth> =
    LazyLock::new(|| of_width("64", "ulong", "long", "0xffe0000000000000ul", "0x8000000000000000ul"));
