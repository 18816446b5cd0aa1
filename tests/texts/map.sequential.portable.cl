// sequential: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// the whole program (one work-item)
__kernel void sequential(
    __global const int* restrict xs,
    __global int* restrict result,
    int N)
{
  for (int i = 0; i < N; i++) {
    result[i] = (int)((uint)xs[i] * 2u);
  }
}
