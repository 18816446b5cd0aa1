// in-local-memory: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__attribute__((reqd_work_group_size(3, 1, 1)))
__kernel void mapped(
    __global const int* restrict xs,
    __global int* restrict result,
    int N_3)
{
  __local int mapped[3];
  for (int g = get_group_id(0); g < N_3; g += get_num_groups(0)) {
    const int l = get_local_id(0);
    mapped[l] = xs[g * 3 + l];
    barrier(CLK_LOCAL_MEM_FENCE);
    const int l1 = get_local_id(0);
    result[g * 3 + l1] = (int)((uint)mapped[l1] * 2u);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
