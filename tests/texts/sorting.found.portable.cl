// found: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__kernel void mapped(
    __global const int* restrict keys,
    __global const int* restrict xs,
    __global int* restrict result,
    int M,
    int N)
{
  for (int i = get_global_id(0); i < M; i += get_global_size(0)) {
    const int key = keys[i];
    int found = -1;
    int low = 0;
    int high = N;
    while (low < high) {
      const int middle = low + (high - low) / 2;
      const int order = (int)((uint)key - (uint)xs[middle]);
      if (order == 0) {
        found = middle;
        break;
      } else if (order < 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    result[i] = found;
  }
}
