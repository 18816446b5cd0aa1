// chosen: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

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

// filter: count
__kernel void kept_count(
    __global const int* restrict xs,
    __global int* restrict kept_counts,
    int chunks,
    int N)
{
  __local int sums[256];
  const int chunk = N / chunks + (int)(N % chunks != 0);
  for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
    const int begin = (int)min((long)g * chunk, (long)N);
    const int end = begin + min(chunk, N - begin);
    int count = 0;
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      if (xs[i] % 2 == 1) {
        count++;
      }
    }
    int total;
    lift_group_scan(sums, count, &total);
    if (get_local_id(0) == 0) {
      kept_counts[g] = total;
    }
  }
}

// filter: compact
__kernel void kept(
    __global const int* restrict kept_counts,
    __global const int* restrict xs,
    __global int* restrict result,
    __global int* restrict result_len,
    int chunks,
    int N)
{
  __local int sums[256];
  const int chunk = N / chunks + (int)(N % chunks != 0);
  for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
    const int begin = (int)min((long)g * chunk, (long)N);
    const int end = begin + min(chunk, N - begin);
    int part = 0;
    for (int j = get_local_id(0); j < g; j += get_local_size(0)) {
      part += kept_counts[j];
    }
    int total;
    lift_group_scan(sums, part, &total);
    int offset = total;
    for (int base = begin; base < end; base += get_local_size(0)) {
      const int i = base + get_local_id(0);
      bool keep = false;
      int kept = 0;
      if (i < end) {
        const int x = xs[i];
        keep = x % 2 == 1;
        kept = x;
      }
      int total1;
      const int before = lift_group_scan(sums, (int)keep, &total1);
      if (keep) {
        const int at = offset + before;
        result[at] = kept;
      }
      offset += total1;
    }
    if (g == chunks - 1 && get_local_id(0) == 0) {
      result_len[0] = offset;
    }
  }
}
