// chosen: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__kernel void mapped(
    __global const int* restrict xs,
    __global int* restrict result,
    int N)
{
  const int group_size = get_local_size(0);
  const int tile = group_size * 4;
  for (uint begin = get_group_id(0) * tile; begin < (uint)N; begin += get_num_groups(0) * tile) {
    const int left = N - (int)begin;
    if (left >= tile) {
      #pragma unroll
      for (int k = 0; k < 4; k++) {
        const int i = (int)begin + (k * group_size + get_local_id(0));
        result[i] = (int)((uint)xs[i] * 2u);
      }
    } else {
      for (int o = get_local_id(0); o < left; o += group_size) {
        const int i = (int)begin + o;
        result[i] = (int)((uint)xs[i] * 2u);
      }
    }
  }
}
