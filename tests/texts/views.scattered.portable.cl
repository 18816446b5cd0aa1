// scattered: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// Records the first failure: that there is one, which, and two operands for its message.
void lift_fail(__global int* failure, int which, int a, int b)
{
  if (atomic_cmpxchg((volatile __global int*)failure, 0, 1) == 0) {
    failure[1] = which;
    failure[2] = a;
    failure[3] = b;
  }
}

// the whole program (one work-item)
__kernel void scattered(
    __global int* restrict hits,
    __global const int* restrict xs,
    __global int* restrict failure,
    __global int* restrict result,
    int N)
{
  for (int i = 0; i < N; i++) {
    hits[i] = 0;
  }
  for (int i1 = 0; i1 < N; i1++) {
    const int beyond = i1 + 1;
    const int beyond1 = i1 + 1;
    const int hit = hits[beyond < N ? beyond : beyond - N];
    hits[beyond < N ? beyond : beyond - N] = 1;
    if (0 < hit) {
      lift_fail(failure, 0, beyond1 < N ? beyond1 : beyond1 - N, 0);
    }
    const int beyond2 = i1 + 1;
    result[beyond2 < N ? beyond2 : beyond2 - N] = xs[i1];
  }
}
