// until: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// the whole program (one work-item)
__kernel void until(
    __global const int* restrict xs,
    __global int* restrict result,
    int N)
{
  int x = 0;
  for (int i = 0; i < N; i++) {
    if (!(x < 5)) {
      break;
    }
    x = (int)((uint)x + (uint)xs[i]);
  }
  result[0] = x;
}
