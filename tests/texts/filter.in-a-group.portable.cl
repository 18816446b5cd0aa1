// in-a-group: generated from Lift.
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

// map
__kernel void mapped(
    __global const int* restrict xss,
    __global int* restrict kept1,
    __global int* restrict kept_len,
    __global int* restrict result,
    __global int* restrict result_len,
    int N,
    int M)
{
  __local int sums[256];
  const int group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  for (int g = get_group_id(0); g < N; g += get_num_groups(0)) {
    int count = 0;
    for (int base = 0; base < M; base += get_local_size(0)) {
      const int i = base + get_local_id(0);
      bool keep = false;
      int kept = 0;
      if (i < M) {
        const int x = xss[M * g + i];
        keep = x % 2 == 1;
        kept = x;
      }
      int total;
      const int before = lift_group_scan(sums, (int)keep, &total);
      if (keep) {
        const int at = count + before;
        kept1[M * group + at] = kept;
      }
      count += total;
    }
    if (get_local_id(0) == 0) {
      kept_len[group] = count;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    const int X = kept_len[group];
    for (int l = get_local_id(0); l < X; l += get_local_size(0)) {
      const int x1 = kept1[M * group + l];
      result[M * g + l] = (int)((uint)x1 * (uint)x1);
    }
    if (get_local_id(0) == 0) {
      result_len[g] = X;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}
