// folded-to-a-tuple: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// the whole program (one work-item)
__kernel void folded_to_a_tuple(
    __global const int* restrict xs,
    __global int* restrict result_1,
    __global int* restrict result_2,
    int N)
{
  int p_1 = 100;
  int p_2 = 0;
  for (int i = 0; i < N; i++) {
    const int x = xs[i];
    p_1 = min(p_1, x);
    p_2 = max(p_2, x);
  }
  result_1[0] = p_1;
  result_2[0] = p_2;
}
