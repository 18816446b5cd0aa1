// p07: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// Records the first failure: that there is one, which, and two operands for its message.
void lift_fail(__global int* failure, int which, int a, int b)
{
  if (atomic_cmpxchg((volatile __global int*)failure, 0, 1) == 0) {
    failure[1] = which;
    failure[2] = a;
    failure[3] = b;
  }
}

int lift_mod_int(__global int* failure, int which, int a, int b)
{
  if (b == 0) {
    lift_fail(failure, which, a, b);
    return 0;
  }
  return b == -1 ? 0 : a % b;
}

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
__kernel void v1_count(
    __global int* restrict failure,
    __global int* restrict v1_counts,
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
      int d = 2;
      while (true) {
        const int t = lift_mod_int(failure, 0, i, d);
        if (!((int)((uint)d * (uint)d) <= i && t != 0)) {
          break;
        }
        d = (int)((uint)d + 1u);
      }
      if (i > 1 && (int)((uint)d * (uint)d) > i) {
        count++;
      }
    }
    int total;
    lift_group_scan(sums, count, &total);
    if (get_local_id(0) == 0) {
      v1_counts[g] = total;
    }
  }
}

// filter: compact
__kernel void v1(
    __global const int* restrict v1_counts,
    __global int* restrict failure,
    __global int* restrict v1,
    __global int* restrict v1_len,
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
      part += v1_counts[j];
    }
    int total;
    lift_group_scan(sums, part, &total);
    int offset = total;
    for (int base = begin; base < end; base += get_local_size(0)) {
      const int i = base + get_local_id(0);
      bool keep = false;
      int kept = 0;
      if (i < end) {
        int d = 2;
        while (true) {
          const int t = lift_mod_int(failure, 0, i, d);
          if (!((int)((uint)d * (uint)d) <= i && t != 0)) {
            break;
          }
          d = (int)((uint)d + 1u);
        }
        keep = i > 1 && (int)((uint)d * (uint)d) > i;
        kept = i;
      }
      int total1;
      const int before = lift_group_scan(sums, (int)keep, &total1);
      if (keep) {
        const int at = offset + before;
        v1[at] = kept;
      }
      offset += total1;
    }
    if (g == chunks - 1 && get_local_id(0) == 0) {
      v1_len[0] = offset;
    }
  }
}

// copy (one work-item)
__kernel void copy(
    __global const int* restrict n,
    __global const int* restrict v1_len,
    __global const int* restrict v1,
    __global int* restrict failure,
    __global int* restrict result)
{
  const int n_value = n[0];
  const int t = (int)((uint)n_value - 1u);
  const int X = v1_len[0];
  int element = 0;
  if (t >= 0 && t < X) {
    element = v1[t];
  } else {
    lift_fail(failure, 1, t, X);
  }
  result[0] = element;
}
