// on-each-lane: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__kernel void mapped(
    __global const int* restrict xs,
    __global int* restrict result,
    int N_2)
{
  for (int i = get_global_id(0); i < N_2; i += get_global_size(0)) {
    const int2 v = vload2(i, xs);
    const int2 v1 = (int2)((int)((uint)v.s0 * 3u), (int)((uint)v.s1 * 3u));
    result[i * 2] = v1.s0;
    result[i * 2 + 1] = v1.s1;
  }
}
