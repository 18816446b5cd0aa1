// global-2D: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__kernel void mapped(
    __global const int* restrict xss,
    __global int* restrict result,
    int N,
    int M)
{
  for (int j = get_global_id(1); j < N; j += get_global_size(1)) {
    for (int i = get_global_id(0); i < M; i += get_global_size(0)) {
      result[M * j + i] = (int)((uint)xss[M * j + i] * 2u);
    }
  }
}
