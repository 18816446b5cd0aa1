// padded: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// Rounds towards minus infinity; b is positive.
int lift_floor_div(int a, int b)
{
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

int lift_floor_mod(int a, int b)
{
  return a - lift_floor_div(a, b) * b;
}

// copy
__kernel void copy(
    __global const int* restrict xs,
    __global int* restrict result_1,
    __global int* restrict result_2,
    __global int* restrict result_3,
    int N,
    int v2_N)
{
  for (int i = get_global_id(0); i < N + 4; i += get_global_size(0)) {
    result_1[i] = xs[max(i, 2) - max(i - N + 1, 2)];
  }
  for (int i1 = get_global_id(0); i1 < N + 4; i1 += get_global_size(0)) {
    const int beyond = i1 - 2;
    const int folded = beyond < 0 ? beyond + v2_N : beyond < v2_N ? beyond : beyond - v2_N;
    const int mirrored = N <= folded ? N * 2 - folded - 1 : folded;
    result_2[i1] = xs[mirrored];
  }
  for (int i2 = get_global_id(0); i2 < N + 4; i2 += get_global_size(0)) {
    result_3[i2] = xs[lift_floor_mod(i2 - 2, N)];
  }
}
