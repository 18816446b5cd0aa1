// sum-first: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int A,
    int B,
    int C)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = A < 4097;
  if (!t1) {
    return;
  }
  for (int j = get_group_id(1); j < B; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < C; g += get_num_groups(0)) {
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        const int i = k * 256 + (int)get_local_id(0);
        if (i < A) {
          acc += x[B * C * i + C * j + g];
        }
      }
      slots[(int)get_local_id(0)] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < 16) {
        float v_all = slots[(int)get_local_id(0) * 16];
        #pragma unroll
        for (int j1 = 0; j1 < 15; j1++) {
          v_all += slots[(int)get_local_id(0) * 16 + j1 + 1];
        }
        firsts[(int)get_local_id(0)] = v_all;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      acc = firsts[0];
      #pragma unroll
      for (int j2 = 0; j2 < 15; j2++) {
        acc += firsts[j2 + 1];
      }
      if (get_local_id(0) == 0) {
        result[C * j + g] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped1(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int A,
    int B,
    int C,
    int A_mod_2048)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = A < 4097;
  if (t1) {
    return;
  }
  for (int j = get_group_id(1); j < B; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < C; g += get_num_groups(0)) {
      float acc = 0.0f;
      for (int base = 0; base < A - A_mod_2048; base += 2048) {
        const int i = base + (int)get_local_id(0);
        const float x1 = x[B * C * i + C * j + g];
        const float x2 = x[B * C * i + B * C * 256 + C * j + g];
        const float x3 = x[B * C * i + B * C * 512 + C * j + g];
        const float x4 = x[B * C * i + B * C * 768 + C * j + g];
        const float x5 = x[B * C * i + B * C * 1024 + C * j + g];
        const float x6 = x[B * C * i + B * C * 1280 + C * j + g];
        const float x7 = x[B * C * i + B * C * 1536 + C * j + g];
        const float x8 = x[B * C * i + B * C * 1792 + C * j + g];
        acc += x1;
        acc += x2;
        acc += x3;
        acc += x4;
        acc += x5;
        acc += x6;
        acc += x7;
        acc += x8;
      }
      const int i1 = A - A_mod_2048 + (int)get_local_id(0);
      if (i1 < A) {
        const float x9 = x[B * C * i1 + C * j + g];
        const int at = i1 + 256;
        const int there = min(at, A - 1);
        const float x10 = x[B * C * there + C * j + g];
        const float x11 = at < A ? x10 : 0.0f;
        const int at1 = i1 + 512;
        const int there1 = min(at1, A - 1);
        const float x12 = x[B * C * there1 + C * j + g];
        const float x13 = at1 < A ? x12 : 0.0f;
        const int at2 = i1 + 768;
        const int there2 = min(at2, A - 1);
        const float x14 = x[B * C * there2 + C * j + g];
        const float x15 = at2 < A ? x14 : 0.0f;
        const int at3 = i1 + 1024;
        const int there3 = min(at3, A - 1);
        const float x16 = x[B * C * there3 + C * j + g];
        const float x17 = at3 < A ? x16 : 0.0f;
        const int at4 = i1 + 1280;
        const int there4 = min(at4, A - 1);
        const float x18 = x[B * C * there4 + C * j + g];
        const float x19 = at4 < A ? x18 : 0.0f;
        const int at5 = i1 + 1536;
        const int there5 = min(at5, A - 1);
        const float x20 = x[B * C * there5 + C * j + g];
        const float x21 = at5 < A ? x20 : 0.0f;
        const int at6 = i1 + 1792;
        const int there6 = min(at6, A - 1);
        const float x22 = x[B * C * there6 + C * j + g];
        const float x23 = at6 < A ? x22 : 0.0f;
        acc += x9;
        acc += x11;
        acc += x13;
        acc += x15;
        acc += x17;
        acc += x19;
        acc += x21;
        acc += x23;
      }
      slots[(int)get_local_id(0)] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < 16) {
        float v_all = slots[(int)get_local_id(0) * 16];
        #pragma unroll
        for (int j1 = 0; j1 < 15; j1++) {
          v_all += slots[(int)get_local_id(0) * 16 + j1 + 1];
        }
        firsts[(int)get_local_id(0)] = v_all;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      acc = firsts[0];
      #pragma unroll
      for (int j2 = 0; j2 < 15; j2++) {
        acc += firsts[j2 + 1];
      }
      if (get_local_id(0) == 0) {
        result[C * j + g] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__kernel void mapped2(
    __global const float* restrict x1,
    __global float* restrict result,
    int size,
    int B,
    int C,
    int A)
{
  const bool t = size < 1;
  if (t) {
    return;
  }
  for (int j = get_global_id(1); j < B; j += get_global_size(1)) {
    for (int i = get_global_id(0); i < C; i += get_global_size(0)) {
      float x = 0.0f;
      for (int i1 = 0; i1 < A; i1++) {
        x += x1[B * C * i1 + C * j + i];
      }
      result[C * j + i] = x;
    }
  }
}
