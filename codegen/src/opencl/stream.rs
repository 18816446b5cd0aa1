//! Helper functions by which work-groups share a stream of tiles in a single pass (decoupled look-back).
//!
//! The groups of a launch, one for each tile, publish their values through `state` (Merrill and Garland, *Single-pass
//! parallel prefix scan with decoupled look-back*, 2016). The first element of `state` is a counter: the upper half
//! counts the finished launches, the lower half the groups of this launch that have started (or ended); the last group
//! resets it. From [`STATUS_AT`] on there is one word for each tile, with flag and value together, so that no fence is
//! needed: `(4·round + kind) << 32 | value`. Kind 1 marks the aggregate of the tile alone, kind 2 the inclusive prefix.
//! The round is the number of the launch on this memory, so nothing has to be cleared between launches; a zero word
//! belongs to no round. Words are written by an atomic exchange, which all groups see at once and which, measured on an
//! H200, is a quarter faster than a plain store.

/// Index in `state` of the first tile's word, on another cache line than the counter.
pub const STATUS_AT: u32 = 16;

pub const GROUP_SCAN: &str = "\
// The sum of the values of the work-items before this one in the group; total: that of all. All of them must call it.
int lift_group_scan(__local int* sums, int value, int* total)
{
  const int l = get_local_id(0);
  const int n = get_local_size(0);
  sums[l] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < n; d *= 2) {
    const int before = l >= d ? sums[l - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] += before;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const int result = sums[l] - value;
  *total = sums[n - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return result;
}
";

pub const GROUP_SUMS: &str = "\
// The sum of the values of the work-items up to this one in a group of n; sums has room for 2n.
static inline ulong lift_group_sums(__local ulong* sums, ulong value, int n)
{
  const int l = get_local_id(0);
  int from = 0;
  for (int d = 1; d < n; d *= 4) {
    __local ulong* here = sums + from;
    here[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l >= d) {
      value += here[l - d];
    }
    if (l >= 2 * d) {
      value += here[l - 2 * d];
    }
    if (l >= 3 * d) {
      value += here[l - 3 * d];
    }
    from = n - from;
  }
  return value;
}
";

pub const RANKS: &str = "\
// Bit 4k + j of keep: whether element j of the k-th four of this work-item is kept. ranks[k]: how many are kept of all
// before that four, where the k-th fours of a group of n follow each other. Gives the number of all; sums as above.
static inline int lift_ranks(__local ulong* sums, uint keep, int fours, int* ranks, int n)
{
  const int l = get_local_id(0);
  int all = 0;
  #pragma unroll
  for (int k = 0; k < fours; k += 4) {
    ulong mine = 0;
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      mine |= (ulong)popcount(keep >> (4 * (k + j)) % 32 & 15u & (k + j < fours ? 15u : 0u)) << 16 * j;
    }
    const ulong up_to = lift_group_sums(sums, mine, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == n - 1) {
      sums[0] = up_to;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong total = sums[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    const ulong before = up_to - mine;
    #pragma unroll
    for (int j = 0; j < 4; j++) {
      if (k + j < fours) {
        ranks[k + j] = all + (int)(before >> 16 * j & 65535);
        all += (int)(total >> 16 * j & 65535);
      }
    }
  }
  return all;
}
";

pub const LONG_ATOMICS: &str = "\
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
";

pub const NEXT_TILE: &str = "\
// The next tile that no group has taken yet, or a number from `tiles` on if there is none; in shared[1] the number of
// the launch. With a group for each tile every group takes one; fewer groups go on until there is none.
static inline int lift_next_tile(volatile __global long* state, __local int* shared, int tiles)
{
  if (get_local_id(0) == 0) {
    const ulong count = atom_inc((volatile __global ulong*)state);
    const uint groups = get_num_groups(0);
    const uint tickets = groups < (uint)tiles ? groups + (uint)tiles : groups;
    if ((uint)count == tickets - 1) {
      atom_add((volatile __global ulong*)state, (1ul << 32) - tickets);
    }
    shared[0] = (int)count;
    shared[1] = (int)((count >> 32) % 536870912 + 1);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[0];
}
";

pub const ROUND: &str = "\
// The number of the launch, for a group that has not ended.
static inline int lift_round(volatile __global long* state)
{
  return (int)(((ulong)*state >> 32) % 536870912 + 1);
}
";

pub const LAST_GROUP: &str = "\
// Whether all other groups of the launch have come here before.
static inline bool lift_last_group(volatile __global long* state, __local int* shared)
{
  if (get_local_id(0) == 0) {
    const uint groups = get_num_groups(0);
    const bool last = (uint)atom_inc((volatile __global ulong*)state) == groups - 1;
    if (last) {
      atom_add((volatile __global ulong*)state, (1ul << 32) - groups);
    }
    shared[0] = last;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return shared[0] != 0;
}
";

pub const SUM_BEFORE: &str = "\
// The sum of the values of all preceding tiles; n work-items wait for n tiles at a time.
static inline int lift_sum_before(volatile __global long* state, int tile, int round, __local int* shared, int n)
{
  const int l = get_local_id(0);
  int sum = 0;
  int last = tile - 1;
  while (last >= 0) {
    if (l == 0) {
      shared[0] = n;
      shared[1] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int value = 0;
    if (l < n && l <= last) {
      const ulong word = lift_status(state, last - l, round);
      value = (int)(uint)word;
      if ((word >> 32 & 3) == 2) {
        atomic_min((volatile __local int*)shared, l);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int nearest = shared[0];
    if (value != 0 && l <= nearest) {
      atomic_add((volatile __local int*)shared + 1, value);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum += shared[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    last = nearest < n ? -1 : last - n;
  }
  return sum;
}
";

pub const PUBLISH: &str = "\
static inline void lift_publish(volatile __global long* state, int tile, int round, int kind, uint value)
{
  const ulong word = (ulong)(4 * (uint)round + (uint)kind) << 32 | value;
  atom_xchg((volatile __global ulong*)(state + 16 + tile), word);
}
";

pub const STATUS: &str = "\
// The word of a tile, once it is of this launch.
static inline ulong lift_status(volatile __global long* state, int tile, int round)
{
  ulong word;
  do {
    word = (ulong)state[16 + tile];
  } while (word >> 34 != (ulong)round);
  return word;
}
";
