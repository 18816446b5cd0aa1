// groups: generated from Lift.
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
  for (int g = get_group_id(0); g < N_3; g += get_num_groups(0)) {
    const int l = get_local_id(0);
    result[g * 3 + l] = (int)((uint)xs[g * 3 + l] * 2u);
  }
}
