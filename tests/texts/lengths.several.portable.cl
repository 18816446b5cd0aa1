// several: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// length (one work-item)
__kernel void v_length(
    __global const int* restrict k,
    __global int* restrict L2_found)
{
  const int k_value = k[0];
  const int t = (int)((uint)k_value + 1u);
  L2_found[0] = t;
}

// map
__kernel void b(
    __global int* restrict result_2,
    __global int* restrict result_len,
    __global int* restrict result_len1,
    __global int* restrict result_len2,
    int L2,
    int L1)
{
  for (int i = get_global_id(0); i < L2; i += get_global_size(0)) {
    result_2[i] = (int)((uint)i * (uint)i);
  }
  if (get_global_id(0) == 0) {
    result_len[0] = L1;
  }
  if (get_global_id(0) == 0) {
    result_len1[0] = L2;
  }
  if (get_global_id(0) == 0) {
    result_len2[0] = L1 + L2;
  }
}

// copy
__kernel void copy(
    __global const int* restrict result_2,
    __global int* restrict result_3,
    int L2)
{
  for (int i = get_global_id(0); i < L2; i += get_global_size(0)) {
    result_3[i] = result_2[i];
  }
}

// copy
__kernel void copy1(
    __global int* restrict result_3,
    int L1,
    int L2)
{
  for (int i = get_global_id(0); i < L1; i += get_global_size(0)) {
    result_3[L2 + i] = i;
  }
}

// copy
__kernel void copy2(
    __global int* restrict result_1,
    int L1)
{
  for (int i = get_global_id(0); i < L1; i += get_global_size(0)) {
    result_1[i] = i;
  }
}
