// counted: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// copy
__kernel void copy(
    __global int* restrict result_len,
    __global int* restrict result,
    int L1)
{
  if (get_global_id(0) == 0) {
    result_len[0] = L1;
  }
  for (int i = get_global_id(0); i < L1; i += get_global_size(0)) {
    result[i] = i;
  }
}
