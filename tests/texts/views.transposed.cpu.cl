// transposed: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// copy
__kernel void copy(
    __global const int* restrict xss,
    __global int* restrict result,
    int M,
    int N)
{
  for (int j = get_global_id(1); j < M; j += get_global_size(1)) {
    for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
      result[N * j + i] = xss[M * i + j];
    }
  }
}
