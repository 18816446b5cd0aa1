// sum-last: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__attribute__((reqd_work_group_size(2, 32, 1)))
__kernel void mapped(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int C,
    int A,
    int size1,
    int B)
{
  __local float slots[64];
  __local float firsts[32];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = C < 17;
  if (!t1) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < size1; g += get_num_groups(0)) {
      const int row = min(g * 32 + (int)get_local_id(1), B - 1);
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 8; k++) {
        const int i = k * 2 + (int)get_local_id(0);
        if (i < C) {
          acc += x[B * C * j + C * row + i];
        }
      }
      slots[(int)get_local_id(1) * 2 + (int)get_local_id(0)] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      acc = slots[(int)get_local_id(1) * 2];
      acc += slots[(int)get_local_id(1) * 2 + 1];
      if (get_local_id(0) == 0) {
        result[B * j + row] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void mapped1(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int C,
    int A,
    int size1,
    int B)
{
  __local float slots[64];
  __local float firsts[8];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = C < 17;
  if (t1) {
    return;
  }
  const bool t2 = C < 65;
  if (!t2) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < size1; g += get_num_groups(0)) {
      const int row = min(g * 8 + (int)get_local_id(1), B - 1);
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 8; k++) {
        const int i = k * 8 + (int)get_local_id(0);
        if (i < C) {
          acc += x[B * C * j + C * row + i];
        }
      }
      slots[(int)get_local_id(1) * 8 + (int)get_local_id(0)] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      acc = slots[(int)get_local_id(1) * 8];
      #pragma unroll
      for (int j1 = 0; j1 < 7; j1++) {
        acc += slots[(int)get_local_id(1) * 8 + j1 + 1];
      }
      if (get_local_id(0) == 0) {
        result[B * j + row] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__attribute__((reqd_work_group_size(32, 2, 1)))
__kernel void mapped2(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int C,
    int A,
    int size1,
    int B)
{
  __local float slots[64];
  __local float firsts[4];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = C < 17;
  if (t1) {
    return;
  }
  const bool t2 = C < 65;
  if (t2) {
    return;
  }
  const bool t3 = C < 513;
  if (!t3) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < size1; g += get_num_groups(0)) {
      const int row = min(g * 2 + (int)get_local_id(1), B - 1);
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        const int i = k * 32 + (int)get_local_id(0);
        if (i < C) {
          acc += x[B * C * j + C * row + i];
        }
      }
      slots[(int)get_local_id(1) * 32 + (int)get_local_id(0)] = acc;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (get_local_id(0) < 2) {
        float v_all = slots[(int)get_local_id(1) * 32 + (int)get_local_id(0) * 16];
        #pragma unroll
        for (int j1 = 0; j1 < 15; j1++) {
          v_all += slots[(int)get_local_id(1) * 32 + ((int)get_local_id(0) * 16 + j1 + 1)];
        }
        firsts[(int)get_local_id(1) * 2 + (int)get_local_id(0)] = v_all;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
      acc = firsts[(int)get_local_id(1) * 2];
      acc += firsts[(int)get_local_id(1) * 2 + 1];
      if (get_local_id(0) == 0) {
        result[B * j + row] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped3(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int C,
    int A,
    int B)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = C < 17;
  if (t1) {
    return;
  }
  const bool t2 = C < 65;
  if (t2) {
    return;
  }
  const bool t3 = C < 513;
  if (t3) {
    return;
  }
  const bool t4 = C < 4097;
  if (!t4) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < B; g += get_num_groups(0)) {
      float acc = 0.0f;
      #pragma unroll
      for (int k = 0; k < 16; k++) {
        const int i = k * 256 + (int)get_local_id(0);
        if (i < C) {
          acc += x[B * C * j + C * g + i];
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
        result[B * j + g] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped4(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int C,
    int A,
    int B,
    int C_mod_2048)
{
  __local float slots[256];
  __local float firsts[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = C < 17;
  if (t1) {
    return;
  }
  const bool t2 = C < 65;
  if (t2) {
    return;
  }
  const bool t3 = C < 513;
  if (t3) {
    return;
  }
  const bool t4 = C < 4097;
  if (t4) {
    return;
  }
  for (int j = get_group_id(1); j < A; j += get_num_groups(1)) {
    for (int g = get_group_id(0); g < B; g += get_num_groups(0)) {
      float acc = 0.0f;
      for (int base = 0; base < C - C_mod_2048; base += 2048) {
        const int i = base + (int)get_local_id(0);
        const float x1 = x[B * C * j + C * g + i];
        const float x2 = x[B * C * j + C * g + i + 256];
        const float x3 = x[B * C * j + C * g + i + 512];
        const float x4 = x[B * C * j + C * g + i + 768];
        const float x5 = x[B * C * j + C * g + i + 1024];
        const float x6 = x[B * C * j + C * g + i + 1280];
        const float x7 = x[B * C * j + C * g + i + 1536];
        const float x8 = x[B * C * j + C * g + i + 1792];
        acc += x1;
        acc += x2;
        acc += x3;
        acc += x4;
        acc += x5;
        acc += x6;
        acc += x7;
        acc += x8;
      }
      const int i1 = C - C_mod_2048 + (int)get_local_id(0);
      if (i1 < C) {
        const float x9 = x[B * C * j + C * g + i1];
        const int at = i1 + 256;
        const int there = min(at, C - 1);
        const float x10 = x[B * C * j + C * g + there];
        const float x11 = at < C ? x10 : 0.0f;
        const int at1 = i1 + 512;
        const int there1 = min(at1, C - 1);
        const float x12 = x[B * C * j + C * g + there1];
        const float x13 = at1 < C ? x12 : 0.0f;
        const int at2 = i1 + 768;
        const int there2 = min(at2, C - 1);
        const float x14 = x[B * C * j + C * g + there2];
        const float x15 = at2 < C ? x14 : 0.0f;
        const int at3 = i1 + 1024;
        const int there3 = min(at3, C - 1);
        const float x16 = x[B * C * j + C * g + there3];
        const float x17 = at3 < C ? x16 : 0.0f;
        const int at4 = i1 + 1280;
        const int there4 = min(at4, C - 1);
        const float x18 = x[B * C * j + C * g + there4];
        const float x19 = at4 < C ? x18 : 0.0f;
        const int at5 = i1 + 1536;
        const int there5 = min(at5, C - 1);
        const float x20 = x[B * C * j + C * g + there5];
        const float x21 = at5 < C ? x20 : 0.0f;
        const int at6 = i1 + 1792;
        const int there6 = min(at6, C - 1);
        const float x22 = x[B * C * j + C * g + there6];
        const float x23 = at6 < C ? x22 : 0.0f;
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
        result[B * j + g] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  }
}

// map
__kernel void mapped5(
    __global const float* restrict x1,
    __global float* restrict result,
    int size,
    int A,
    int B,
    int C)
{
  const bool t = size < 1;
  if (t) {
    return;
  }
  for (int j = get_global_id(1); j < A; j += get_global_size(1)) {
    for (int i = get_global_id(0); i < B; i += get_global_size(0)) {
      float x = 0.0f;
      for (int i1 = 0; i1 < C; i1++) {
        x += x1[B * C * j + C * i + i1];
      }
      result[B * j + i] = x;
    }
  }
}
