// folded-to-a-tuple: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// reduce: chunks
__kernel void reduced_chunks(
    __global const int* restrict xs,
    __global int* restrict reduced_parts_1,
    __global int* restrict reduced_parts_2,
    int chunks,
    int N)
{
  __local int slots[256];
  __local int slots1[256];
  const int chunk = N / chunks + (int)(N % chunks != 0);
  for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
    const int begin = (int)min((long)g * chunk, (long)N);
    const int end = begin + min(chunk, N - begin);
    int acc_1 = 2147483647;
    int acc_2 = (-2147483647 - 1);
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      const int x = xs[i];
      acc_1 = min(acc_1, x);
      acc_2 = max(acc_2, x);
    }
    slots[get_local_id(0)] = acc_1;
    slots1[get_local_id(0)] = acc_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc_1 = min(acc_1, slots[get_local_id(0) + d]);
        acc_2 = max(acc_2, slots1[get_local_id(0) + d]);
        slots[get_local_id(0)] = acc_1;
        slots1[get_local_id(0)] = acc_2;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc_1 = slots[0];
    acc_2 = slots1[0];
    if (get_local_id(0) == 0) {
      reduced_parts_1[g] = acc_1;
      reduced_parts_2[g] = acc_2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// reduce: result
__kernel void reduced(
    __global const int* restrict reduced_parts_1,
    __global const int* restrict reduced_parts_2,
    __global int* restrict reduced_1,
    __global int* restrict reduced_2,
    int n)
{
  __local int slots[256];
  __local int slots1[256];
  const int chunk = n;
  if (get_group_id(0) == 0) {
    const int begin = (int)min(0L * chunk, (long)n);
    const int end = begin + min(chunk, n - begin);
    int acc_1 = 2147483647;
    int acc_2 = (-2147483647 - 1);
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      acc_1 = min(acc_1, reduced_parts_1[i]);
      acc_2 = max(acc_2, reduced_parts_2[i]);
    }
    slots[get_local_id(0)] = acc_1;
    slots1[get_local_id(0)] = acc_2;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc_1 = min(acc_1, slots[get_local_id(0) + d]);
        acc_2 = max(acc_2, slots1[get_local_id(0) + d]);
        slots[get_local_id(0)] = acc_1;
        slots1[get_local_id(0)] = acc_2;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc_1 = slots[0];
    acc_2 = slots1[0];
    if (get_local_id(0) == 0) {
      reduced_1[0] = acc_1;
      reduced_2[0] = acc_2;
    }
  }
}

// copy (one work-item)
__kernel void copy(
    __global const int* restrict reduced_1,
    __global const int* restrict reduced_2,
    __global int* restrict result_1,
    __global int* restrict result_2)
{
  const int t_1 = reduced_1[0];
  const int t_2 = reduced_2[0];
  const int t = min(100, t_1);
  const int t1 = max(0, t_2);
  result_1[0] = t;
  result_2[0] = t1;
}
