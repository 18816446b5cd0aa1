// while-an-array-changes: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// copy
__kernel void copy(
    __global const int* restrict xs,
    __global int* restrict iterated_1,
    __global int* restrict iterated_2,
    int N)
{
  for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
    iterated_1[i] = xs[i];
  }
  if (get_global_id(0) == 0) {
    iterated_2[0] = 2;
  }
}

// copy (one work-item)
__kernel void copy1(
    __global const int* restrict iterated_2,
    __global uchar* restrict iterated_again)
{
  const int iterated_2_value = iterated_2[0];
  const bool t = iterated_2_value > 1;
  iterated_again[0] = t;
}

// map
__kernel void ys(
    __global const int* restrict iterated_1,
    __global int* restrict iterated_1_1,
    int N)
{
  for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
    int x = 0;
    for (int i1 = 0; i1 < 3; i1++) {
      x = (int)((uint)x + (uint)iterated_1[max(N - max(N, i + i1), min(N, i + i1) - 1)]);
    }
    iterated_1_1[i] = x / 3;
  }
}

// reduce: chunks
__kernel void reduced_chunks(
    __global const int* restrict iterated_1_1,
    __global const int* restrict iterated_1,
    __global int* restrict reduced_parts,
    int chunks,
    int N)
{
  __local int slots[256];
  const int chunk = N / chunks + (int)(N % chunks != 0);
  for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
    const int begin = (int)min((long)g * chunk, (long)N);
    const int end = begin + min(chunk, N - begin);
    int acc = 0;
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      acc = max(acc, (int)abs((int)((uint)iterated_1_1[i] - (uint)iterated_1[i])));
    }
    slots[get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc = max(acc, slots[get_local_id(0) + d]);
        slots[get_local_id(0)] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc = slots[0];
    if (get_local_id(0) == 0) {
      reduced_parts[g] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// reduce: result
__kernel void reduced(
    __global const int* restrict reduced_parts,
    __global int* restrict reduced,
    int n)
{
  __local int slots[256];
  const int chunk = n;
  if (get_group_id(0) == 0) {
    const int begin = (int)min(0L * chunk, (long)n);
    const int end = begin + min(chunk, n - begin);
    int acc = 0;
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      acc = max(acc, reduced_parts[i]);
    }
    slots[get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc = max(acc, slots[get_local_id(0) + d]);
        slots[get_local_id(0)] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc = slots[0];
    if (get_local_id(0) == 0) {
      reduced[0] = acc;
    }
  }
}

// copy (one work-item)
__kernel void copy2(
    __global const int* restrict reduced,
    __global int* restrict iterated_2_1)
{
  const int t = reduced[0];
  iterated_2_1[0] = t;
}

// copy
__kernel void copy3(
    __global const int* restrict iterated_1,
    __global int* restrict result,
    int N)
{
  for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
    result[i] = iterated_1[i];
  }
}
