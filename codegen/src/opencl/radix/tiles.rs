//! A move in one pass over the keys, where groups may wait for each other: a group takes the next tile, publishes how often each
//! digit is in it, and adds up what the tiles before it published (Adinets and Merrill, *Onesweep*, 2022). So the digits of
//! the whole array are counted once, for all moves, when the keys are stored.
//!
//! A word of `state` is that of a digit of a tile, flag and number together, as in [`crate::opencl::stream`].

pub const HISTOGRAMS: &str = "\
// Adds how often each digit of each byte was met by this group to how often it is in all.
static inline __attribute__((always_inline)) void lift_histograms(__global int* totals, __local int* own, int digits)
{
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_local_id(0); i < 256 * digits; i += get_local_size(0)) {
    if (own[i] != 0) {
      atomic_add((volatile __global int*)totals + i, own[i]);
    }
  }
}
";

pub const DIGIT_SUMS: &str = "\
// From how often a digit of each byte is in all keys, to where the first such key belongs.
static inline __attribute__((always_inline)) void lift_digit_sums(__global int* totals, __local int* sums, int digits)
{
  const int n = get_local_size(0);
  for (int d = get_group_id(0); d < digits; d += get_num_groups(0)) {
    int base = 0;
    for (int from = 0; from < 256; from += n) {
      const int i = from + (int)get_local_id(0);
      int all;
      const int own = i < 256 ? totals[256 * d + i] : 0;
      const int before = lift_group_scan(sums, own, &all);
      if (i < 256) {
        totals[256 * d + i] = base + before;
      }
      base += all;
    }
  }
}
";

/// The helpers for keys of `BITS` (32 or 64) bits.
pub const DIGITS_IN_ALL: &str = "\
// Counts the digits of a key in the table of each byte.
static inline __attribute__((always_inline)) void lift_digits_in_all_BITS(__local int* own, KEY key)
{
  #pragma unroll
  for (int d = 0; d < BITS / 8; d++) {
    atomic_inc((volatile __local int*)own + 256 * d + (int)((uint)(key >> 8 * d) & 255u));
  }
}
";

pub const MOVE_TILES: &str = "\
// Moves the keys of each tile to where their digits belong; with pairs the positions beside them, too. A work-item has `each`
// keys of a tile. firsts: where the first key of each digit belongs. The group is a power of two or at least 256. moved has
// room for a tile and for 512 words a band, starts for 768.
static inline __attribute__((always_inline)) void lift_move_tiles_BITS(__global const STORED* from, __global STORED* to, __global const int* from_at,
    __global int* to_at, __global const int* firsts, volatile __global long* state, __local STORED* moved, __local int* starts, __local int* shared,
    int n, int tiles, int each, int group, int shift, int order, int pairs)
{
  const int l = get_local_id(0);
  const int band = min(group, 32);
  const int bands = group / band;
  const int lane = l % band;
  const int first = l / band * band * each + lane;
  // Work-items that sum up, with so many digits each.
  const int most = min(group, 256);
  const int digits = 256 / most;
  __local int* sums = starts + 256;
  // Of each band how often a digit was met, and which work-items meet it now.
  volatile __local uint* ranks = (volatile __local uint*)moved;
  volatile __local uint* met = ranks + l / band * 256;
  volatile __local uint* masks = met + bands * 256;
  const uint lower = (1u << lane) - 1u;
  if (l == 0) {
    shared[2] = shift;
  }
  bool more = true;
  while (more) {
    const int t = lift_next_tile(state, shared, tiles);
    // With a group for each tile, none is left.
    more = t < tiles && (int)get_num_groups(0) < tiles;
    const int begin = t * (each * group);
    const int left = t < tiles ? n - begin : 0;
    if (left <= 0) {
      continue;
    }
    const ulong round = (ulong)shared[1] << 34;
    volatile __global ulong* words = (volatile __global ulong*)state + 16 + 256ul * (ulong)t;
    KEY keys[24];
    int places[24];
    const bool whole = left >= each * group;
    if (whole) {
      #pragma unroll
      for (int j = 0; j < each; j++) {
        keys[j] = (KEY)from[begin + first + j * band];
      }
    } else {
      // Behind the end stand keys that stay there.
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = first + j * band;
        keys[j] = (KEY)(i < left ? from[begin + i] : (STORED)(order == 1 ? HIGH : HIGH - 1));
      }
    }
    for (int i = l; i < 512 * bands; i += group) {
      ranks[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int j = 0; j < each; j++) {
      atomic_inc(met + ((uint)(lift_sortable_BITS(keys[j], order) >> shift) & 255u));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int own = 0;
    if (l < most) {
      #pragma unroll
      for (int d = 0; d < digits; d++) {
        const int digit = l * digits + d;
        uint total = 0;
        for (int b = 0; b < bands; b++) {
          const uint here = ranks[b * 256 + digit];
          ranks[b * 256 + digit] = total;
          total += here;
        }
        atom_xchg(words + digit, round | (t == 0 ? 2ul << 32 : 1ul << 32) | total);
        starts[digit] = (int)total;
        own += (int)total;
      }
    }
    SUM_BEFORE
    if (l < most) {
      int start = before;
      #pragma unroll
      for (int d = 0; d < digits; d++) {
        for (int b = 0; b < bands; b++) {
          ranks[b * 256 + l * digits + d] += (uint)start;
        }
        start += starts[l * digits + d];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Loaded, so that digits are computed again: to keep them takes as many registers as the keys do.
    const int again = ((volatile __local int*)shared)[2];
    #pragma unroll
    for (int j = 0; j < each; j++) {
      const uint d = (uint)(lift_sortable_BITS(keys[j], order) >> again) & 255u;
      atomic_or(masks + d, 1u << lane);
      barrier(CLK_LOCAL_MEM_FENCE);
      const uint same = masks[d];
      const uint before = met[d];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (same >> lane == 1u) {
        met[d] = before + popcount(same);
        masks[d] = 0;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      places[j] = (int)(before + popcount(same & lower));
    }
    if (l < most) {
      #pragma unroll
      for (int d = 0; d < digits; d++) {
        const int digit = l * digits + d;
        const int total = starts[digit];
        int sum = 0;
        volatile __global ulong* word = words + digit;
        for (int u = t; u > 0; u--) {
          word -= 256;
          ulong found;
          do {
            found = *word;
          } while (found >> 34 != round >> 34);
          sum += (int)(uint)found;
          if ((found >> 32 & 3) == 2) {
            break;
          }
        }
        if (t > 0) {
          atom_xchg(words + digit, round | 2ul << 32 | (uint)(sum + total));
        }
        starts[digit] = firsts[digit] + sum - before;
        before += total;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (int j = 0; j < each; j++) {
      moved[places[j]] = (STORED)keys[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (pairs) {
      int at[24];
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        const STORED key = moved[i];
        at[j] = starts[(uint)(lift_sortable_BITS((KEY)key, order) >> shift) & 255u] + i;
        if (i < left) {
          to[at[j]] = key;
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = first + j * band;
        moved[places[j]] = (STORED)(i < left ? from_at[begin + i] : 0);
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      #pragma unroll
      for (int j = 0; j < each; j++) {
        if (j * group + l < left) {
          to_at[at[j]] = (int)moved[j * group + l];
        }
      }
    } else if (whole) {
      #pragma unroll
      for (int j = 0; j < each; j++) {
        const int i = j * group + l;
        const STORED key = moved[i];
        to[starts[(uint)(lift_sortable_BITS((KEY)key, order) >> shift) & 255u] + i] = key;
      }
    } else {
      for (int i = l; i < left; i += group) {
        const STORED key = moved[i];
        to[starts[(uint)(lift_sortable_BITS((KEY)key, order) >> shift) & 255u] + i] = key;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
";
