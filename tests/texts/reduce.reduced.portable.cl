// reduced: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// reduce: chunks
__kernel void reduced_chunks(
    __global const int* restrict xs,
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
      acc = (int)((uint)acc + (uint)xs[i]);
    }
    slots[get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc = (int)((uint)acc + (uint)slots[get_local_id(0) + d]);
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
    __global int* restrict result,
    int n)
{
  __local int slots[256];
  const int chunk = n;
  if (get_group_id(0) == 0) {
    const int begin = (int)min(0L * chunk, (long)n);
    const int end = begin + min(chunk, n - begin);
    int acc = 0;
    for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
      acc = (int)((uint)acc + (uint)reduced_parts[i]);
    }
    slots[get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc = (int)((uint)acc + (uint)slots[get_local_id(0) + d]);
        slots[get_local_id(0)] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc = slots[0];
    if (get_local_id(0) == 0) {
      result[0] = acc;
    }
  }
}
