// sum-middle: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int B,
    int A,
    int C)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = B < 4097;
  if (!t1) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < C; g += get_num_groups(0)) {
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        const int i = k * 256 + (int)get_local_id(0);
        if (i < B) {
          acc += x[B * C * j + C * i + g];
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
    int B,
    int A,
    int C,
    int B_mod_2048)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = B < 4097;
  if (t1) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < C; g += get_num_groups(0)) {
      float acc = 0.0f;
      for (int base = 0; base < B - B_mod_2048; base += 2048) {
        const int i = base + (int)get_local_id(0);
        const float x1 = x[B * C * j + C * i + g];
        const float x2 = x[B * C * j + C * i + C * 256 + g];
        const float x3 = x[B * C * j + C * i + C * 512 + g];
        const float x4 = x[B * C * j + C * i + C * 768 + g];
        const float x5 = x[B * C * j + C * i + C * 1024 + g];
        const float x6 = x[B * C * j + C * i + C * 1280 + g];
        const float x7 = x[B * C * j + C * i + C * 1536 + g];
        const float x8 = x[B * C * j + C * i + C * 1792 + g];
        acc += x1;
        acc += x2;
        acc += x3;
        acc += x4;
        acc += x5;
        acc += x6;
        acc += x7;
        acc += x8;
      }
      const int i1 = B - B_mod_2048 + (int)get_local_id(0);
      if (i1 < B) {
        const float x9 = x[B * C * j + C * i1 + g];
        const int at = i1 + 256;
        const int there = min(at, B - 1);
        const float x10 = x[B * C * j + C * there + g];
        const float x11 = at < B ? x10 : 0.0f;
        const int at1 = i1 + 512;
        const int there1 = min(at1, B - 1);
        const float x12 = x[B * C * j + C * there1 + g];
        const float x13 = at1 < B ? x12 : 0.0f;
        const int at2 = i1 + 768;
        const int there2 = min(at2, B - 1);
        const float x14 = x[B * C * j + C * there2 + g];
        const float x15 = at2 < B ? x14 : 0.0f;
        const int at3 = i1 + 1024;
        const int there3 = min(at3, B - 1);
        const float x16 = x[B * C * j + C * there3 + g];
        const float x17 = at3 < B ? x16 : 0.0f;
        const int at4 = i1 + 1280;
        const int there4 = min(at4, B - 1);
        const float x18 = x[B * C * j + C * there4 + g];
        const float x19 = at4 < B ? x18 : 0.0f;
        const int at5 = i1 + 1536;
        const int there5 = min(at5, B - 1);
        const float x20 = x[B * C * j + C * there5 + g];
        const float x21 = at5 < B ? x20 : 0.0f;
        const int at6 = i1 + 1792;
        const int there6 = min(at6, B - 1);
        const float x22 = x[B * C * j + C * there6 + g];
        const float x23 = at6 < B ? x22 : 0.0f;
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
    int A,
    int C,
    int B)
{
  const bool t = size < 1;
  if (t) {
    return;
  }
  for (int j = get_global_id(1); j < A; j += get_global_size(1)) {
    for (int i = get_global_id(0); i < C; i += get_global_size(0)) {
      float x = 0.0f;
      for (int i1 = 0; i1 < B; i1++) {
        x += x1[B * C * j + C * i1 + i];
      }
      result[C * j + i] = x;
    }
  }
}
