// scanned: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// scan: chunks
__kernel void scanned_chunks(
    __global const int* restrict xs,
    __global int* restrict scanned_parts,
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
      scanned_parts[g] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// scan: carry
__kernel void scanned(
    __global const int* restrict scanned_parts,
    __global const int* restrict xs,
    __global int* restrict result,
    int chunks,
    int N)
{
  __local int slots[256];
  const int chunk = N / chunks + (int)(N % chunks != 0);
  for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
    const int begin = (int)min((long)g * chunk, (long)N);
    const int end = begin + min(chunk, N - begin);
    int acc = 0;
    for (int i = get_local_id(0); i < g; i += get_local_size(0)) {
      acc = (int)((uint)acc + (uint)scanned_parts[i]);
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
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size1 = get_local_size(0);
    for (int base = begin; base < end; base += get_local_size(0)) {
      const int i1 = base + get_local_id(0);
      int here = 0;
      if (i1 < end) {
        here = xs[i1];
      }
      slots[get_local_id(0)] = here;
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int d1 = 1; d1 < group_size1; d1 *= 2) {
        if (get_local_id(0) >= d1) {
          const int before = slots[get_local_id(0) - d1];
          here = (int)((uint)before + (uint)here);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        slots[get_local_id(0)] = here;
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      if (i1 < end) {
        result[i1] = (int)((uint)acc + (uint)here);
      }
      acc = (int)((uint)acc + (uint)slots[group_size1 - 1]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}
