// softmax: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map: a row by several work-items
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void m(
    __global const float* restrict x,
    __global float* restrict m,
    int size,
    int size1,
    int N,
    int M)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  int team = 1;
  while (team < 256 && team * 16 < M) {
    team = team * 2;
  }
  const int in_team = item % team;
  const int number = item / team;
  const int teams = 256 / team;
  const int rounds = (N + teams - 1) / teams;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g * teams + number;
    float acc = (-1e30f);
    if (row < N) {
      for (int k1 = in_team; k1 < M; k1 += team) {
        acc = fmax(acc, x[M * row + k1]);
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < team; d *= 2) {
      if ((in_team & (d * 2 - 1)) == 0) {
        acc = fmax(acc, slots[item + d]);
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in_team == 0 && row < N) {
      m[row] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map: parts of rows
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void m1(
    __global const float* restrict x,
    __global float* restrict m_parts,
    int size,
    int size1,
    int parts,
    int all_parts,
    int N,
    int M)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  const int rounds = all_parts + 1 - 1;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g;
    float acc = (-1e30f);
    if (row < all_parts) {
      const int row1 = row % N;
      const int part = row / N;
      const int of_part = (M - 1) / parts + 1;
      const int first = min(part * of_part, M);
      const int last = first + min(of_part, M - first);
      for (int k1 = first + item; k1 < last; k1 += 256) {
        acc = fmax(acc, x[M * row1 + k1]);
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d *= 2) {
      if ((item & (d * 2 - 1)) == 0) {
        acc = fmax(acc, slots[item + d]);
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && row < all_parts) {
      const int row2 = row % N;
      const int part1 = row / N;
      m_parts[parts * row2 + part1] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map: what the parts gave
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void m2(
    __global const float* restrict m_parts,
    __global float* restrict m,
    int size,
    int size1,
    int N,
    int parts)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  int team = 1;
  while (team < 256 && team * 16 < parts) {
    team = team * 2;
  }
  const int in_team = item % team;
  const int number = item / team;
  const int teams = 256 / team;
  const int rounds = (N + teams - 1) / teams;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g * teams + number;
    float acc = (-1e30f);
    if (row < N) {
      for (int k1 = in_team; k1 < parts; k1 += team) {
        acc = fmax(acc, m_parts[parts * row + k1]);
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < team; d *= 2) {
      if ((in_team & (d * 2 - 1)) == 0) {
        acc = fmax(acc, slots[item + d]);
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in_team == 0 && row < N) {
      m[row] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map: a row by several work-items
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void z(
    __global const float* restrict m,
    __global const float* restrict x,
    __global float* restrict z,
    int size,
    int size1,
    int N,
    int M)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  int team = 1;
  while (team < 256 && team * 16 < M) {
    team = team * 2;
  }
  const int in_team = item % team;
  const int number = item / team;
  const int teams = 256 / team;
  const int rounds = (N + teams - 1) / teams;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g * teams + number;
    float acc = 0.0f;
    if (row < N) {
      const float m1 = m[row];
      for (int k1 = in_team; k1 < M; k1 += team) {
        acc += exp(x[M * row + k1] - m1);
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < team; d *= 2) {
      if ((in_team & (d * 2 - 1)) == 0) {
        acc += slots[item + d];
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in_team == 0 && row < N) {
      z[row] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map: parts of rows
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void z1(
    __global const float* restrict m,
    __global const float* restrict x,
    __global float* restrict z_parts,
    int size,
    int size1,
    int parts,
    int all_parts,
    int N,
    int M)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  const int rounds = all_parts + 1 - 1;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g;
    float acc = 0.0f;
    if (row < all_parts) {
      const int row1 = row % N;
      const int part = row / N;
      const float m1 = m[row1];
      const int of_part = (M - 1) / parts + 1;
      const int first = min(part * of_part, M);
      const int last = first + min(of_part, M - first);
      for (int k1 = first + item; k1 < last; k1 += 256) {
        acc += exp(x[M * row1 + k1] - m1);
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < 256; d *= 2) {
      if ((item & (d * 2 - 1)) == 0) {
        acc += slots[item + d];
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0 && row < all_parts) {
      const int row2 = row % N;
      const int part1 = row / N;
      z_parts[parts * row2 + part1] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map: what the parts gave
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void z2(
    __global const float* restrict m,
    __global const float* restrict z_parts,
    __global float* restrict z,
    int size,
    int size1,
    int N,
    int parts)
{
  __local float slots[256];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  const int item = get_local_id(0);
  int team = 1;
  while (team < 256 && team * 16 < parts) {
    team = team * 2;
  }
  const int in_team = item % team;
  const int number = item / team;
  const int teams = 256 / team;
  const int rounds = (N + teams - 1) / teams;
  for (int g = get_group_id(0); g < rounds; g += get_num_groups(0)) {
    const int row = g * teams + number;
    float acc = 0.0f;
    if (row < N) {
      const float m1 = m[row];
      for (int k1 = in_team; k1 < parts; k1 += team) {
        acc += z_parts[parts * row + k1];
      }
    }
    slots[item] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < team; d *= 2) {
      if ((in_team & (d * 2 - 1)) == 0) {
        acc += slots[item + d];
        slots[item] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (in_team == 0 && row < N) {
      z[row] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map
__kernel void mapped(
    __global const float* restrict m,
    __global const float* restrict z,
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int size1,
    int N,
    int M)
{
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (!t1) {
    return;
  }
  for (int j = get_global_id(1); j < N; j += get_global_size(1)) {
    const float m1 = m[j];
    const float z1 = z[j];
    for (int i = get_global_id(0); i < M; i += get_global_size(0)) {
      result[M * j + i] = exp(x[M * j + i] - m1) / z1;
    }
  }
}

// map
__attribute__((reqd_work_group_size(32, 8, 1)))
__kernel void mapped1(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int size1,
    int size2,
    int size3,
    int N,
    int M,
    __local float* restrict r,
    __local float* restrict e)
{
  __local float slots[256];
  __local float firsts[16];
  __local float slots1[256];
  __local float firsts1[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (t1) {
    return;
  }
  const bool t2 = size2 < 1;
  if (!t2) {
    return;
  }
  for (int g = get_group_id(0); g < size3; g += get_num_groups(0)) {
    const int row = min(g * 8 + (int)get_local_id(1), N - 1);
    const int row_of_group = (int)get_local_id(1);
    for (int l = get_local_id(0); l < M; l += get_local_size(0)) {
      r[M * row_of_group + l] = x[M * row + l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float acc = (-1e30f);
    for (int i = get_local_id(0); i < M; i += get_local_size(0)) {
      acc = fmax(acc, r[M * row_of_group + i]);
    }
    slots[(int)get_local_id(1) * 32 + (int)get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 2) {
      float v_all = slots[(int)get_local_id(1) * 32 + (int)get_local_id(0) * 16];
      #pragma unroll
      for (int j = 0; j < 15; j++) {
        v_all = fmax(v_all, slots[(int)get_local_id(1) * 32 + ((int)get_local_id(0) * 16 + j + 1)]);
      }
      firsts[(int)get_local_id(1) * 2 + (int)get_local_id(0)] = v_all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc = firsts[(int)get_local_id(1) * 2];
    acc = fmax(acc, firsts[(int)get_local_id(1) * 2 + 1]);
    const int row_of_group1 = (int)get_local_id(1);
    for (int l1 = get_local_id(0); l1 < M; l1 += get_local_size(0)) {
      e[M * row_of_group1 + l1] = exp(r[M * row_of_group + l1] - acc);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float acc1 = 0.0f;
    for (int i1 = get_local_id(0); i1 < M; i1 += get_local_size(0)) {
      acc1 += e[M * row_of_group1 + i1];
    }
    slots1[(int)get_local_id(1) * 32 + (int)get_local_id(0)] = acc1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 2) {
      float v_all1 = slots1[(int)get_local_id(1) * 32 + (int)get_local_id(0) * 16];
      #pragma unroll
      for (int j1 = 0; j1 < 15; j1++) {
        v_all1 += slots1[(int)get_local_id(1) * 32 + ((int)get_local_id(0) * 16 + j1 + 1)];
      }
      firsts1[(int)get_local_id(1) * 2 + (int)get_local_id(0)] = v_all1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc1 = firsts1[(int)get_local_id(1) * 2];
    acc1 += firsts1[(int)get_local_id(1) * 2 + 1];
    for (int l2 = get_local_id(0); l2 < M; l2 += get_local_size(0)) {
      result[M * row + l2] = e[M * row_of_group1 + l2] / acc1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped2(
    __global const float* restrict x,
    __global float* restrict result,
    int size,
    int size1,
    int size2,
    int size3,
    int N,
    int M,
    __local float* restrict r,
    __local float* restrict e)
{
  __local float slots[256];
  __local float firsts[16];
  __local float slots1[256];
  __local float firsts1[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (t1) {
    return;
  }
  const bool t2 = size2 < 1;
  if (t2) {
    return;
  }
  const bool t3 = size3 < 1;
  if (!t3) {
    return;
  }
  for (int g = get_group_id(0); g < N; g += get_num_groups(0)) {
    for (int l = get_local_id(0); l < M; l += get_local_size(0)) {
      r[l] = x[M * g + l];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float acc = (-1e30f);
    for (int i = get_local_id(0); i < M; i += get_local_size(0)) {
      acc = fmax(acc, r[i]);
    }
    slots[(int)get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) {
      float v_all = slots[(int)get_local_id(0) * 16];
      #pragma unroll
      for (int j = 0; j < 15; j++) {
        v_all = fmax(v_all, slots[(int)get_local_id(0) * 16 + j + 1]);
      }
      firsts[(int)get_local_id(0)] = v_all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc = firsts[0];
    #pragma unroll
    for (int j1 = 0; j1 < 15; j1++) {
      acc = fmax(acc, firsts[j1 + 1]);
    }
    for (int l1 = get_local_id(0); l1 < M; l1 += get_local_size(0)) {
      e[l1] = exp(r[l1] - acc);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float acc1 = 0.0f;
    for (int i1 = get_local_id(0); i1 < M; i1 += get_local_size(0)) {
      acc1 += e[i1];
    }
    slots1[(int)get_local_id(0)] = acc1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) {
      float v_all1 = slots1[(int)get_local_id(0) * 16];
      #pragma unroll
      for (int j2 = 0; j2 < 15; j2++) {
        v_all1 += slots1[(int)get_local_id(0) * 16 + j2 + 1];
      }
      firsts1[(int)get_local_id(0)] = v_all1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc1 = firsts1[0];
    #pragma unroll
    for (int j3 = 0; j3 < 15; j3++) {
      acc1 += firsts1[j3 + 1];
    }
    for (int l2 = get_local_id(0); l2 < M; l2 += get_local_size(0)) {
      result[M * g + l2] = e[l2] / acc1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// map
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void mapped3(
    __global const float* restrict x,
    __global float* restrict e,
    __global float* restrict result,
    int size,
    int size1,
    int size2,
    int size3,
    int N,
    int M)
{
  __local float slots[256];
  __local float firsts[16];
  __local float slots1[256];
  __local float firsts1[16];
  const bool t = size < 1;
  if (!t) {
    return;
  }
  const bool t1 = size1 < 1;
  if (t1) {
    return;
  }
  const bool t2 = size2 < 1;
  if (t2) {
    return;
  }
  const bool t3 = size3 < 1;
  if (t3) {
    return;
  }
  const int group = get_group_id(0) + get_num_groups(0) * (get_group_id(1) + get_num_groups(1) * get_group_id(2));
  for (int g = get_group_id(0); g < N; g += get_num_groups(0)) {
    float acc = (-1e30f);
    const int items = get_local_size(0);
    int i = get_local_id(0);
    while (i + items * 7 < M) {
      const float x1 = x[M * g + i];
      const float x2 = x[M * g + items + i];
      const float x3 = x[M * g + items * 2 + i];
      const float x4 = x[M * g + items * 3 + i];
      const float x5 = x[M * g + items * 4 + i];
      const float x6 = x[M * g + items * 5 + i];
      const float x7 = x[M * g + items * 6 + i];
      const float x8 = x[M * g + items * 7 + i];
      acc = fmax(acc, x1);
      acc = fmax(acc, x2);
      acc = fmax(acc, x3);
      acc = fmax(acc, x4);
      acc = fmax(acc, x5);
      acc = fmax(acc, x6);
      acc = fmax(acc, x7);
      acc = fmax(acc, x8);
      i += items * 8;
    }
    if (i < M) {
      const float x9 = x[M * g + i];
      const int at = items + i;
      const int there = min(at, M - 1);
      const float x10 = x[M * g + there];
      const float x11 = at < M ? x10 : (-1e30f);
      const int at1 = items * 2 + i;
      const int there1 = min(at1, M - 1);
      const float x12 = x[M * g + there1];
      const float x13 = at1 < M ? x12 : (-1e30f);
      const int at2 = items * 3 + i;
      const int there2 = min(at2, M - 1);
      const float x14 = x[M * g + there2];
      const float x15 = at2 < M ? x14 : (-1e30f);
      const int at3 = items * 4 + i;
      const int there3 = min(at3, M - 1);
      const float x16 = x[M * g + there3];
      const float x17 = at3 < M ? x16 : (-1e30f);
      const int at4 = items * 5 + i;
      const int there4 = min(at4, M - 1);
      const float x18 = x[M * g + there4];
      const float x19 = at4 < M ? x18 : (-1e30f);
      const int at5 = items * 6 + i;
      const int there5 = min(at5, M - 1);
      const float x20 = x[M * g + there5];
      const float x21 = at5 < M ? x20 : (-1e30f);
      const int at6 = items * 7 + i;
      const int there6 = min(at6, M - 1);
      const float x22 = x[M * g + there6];
      const float x23 = at6 < M ? x22 : (-1e30f);
      acc = fmax(acc, x9);
      acc = fmax(acc, x11);
      acc = fmax(acc, x13);
      acc = fmax(acc, x15);
      acc = fmax(acc, x17);
      acc = fmax(acc, x19);
      acc = fmax(acc, x21);
      acc = fmax(acc, x23);
    }
    slots[(int)get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) {
      float v_all = slots[(int)get_local_id(0) * 16];
      #pragma unroll
      for (int j = 0; j < 15; j++) {
        v_all = fmax(v_all, slots[(int)get_local_id(0) * 16 + j + 1]);
      }
      firsts[(int)get_local_id(0)] = v_all;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc = firsts[0];
    #pragma unroll
    for (int j1 = 0; j1 < 15; j1++) {
      acc = fmax(acc, firsts[j1 + 1]);
    }
    for (int l = get_local_id(0); l < M; l += get_local_size(0)) {
      e[M * group + l] = exp(x[M * g + l] - acc);
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    float acc1 = 0.0f;
    const int items1 = get_local_size(0);
    int i1 = get_local_id(0);
    while (i1 + items1 * 7 < M) {
      const float x24 = e[M * group + i1];
      const float x25 = e[M * group + items1 + i1];
      const float x26 = e[M * group + items1 * 2 + i1];
      const float x27 = e[M * group + items1 * 3 + i1];
      const float x28 = e[M * group + items1 * 4 + i1];
      const float x29 = e[M * group + items1 * 5 + i1];
      const float x30 = e[M * group + items1 * 6 + i1];
      const float x31 = e[M * group + items1 * 7 + i1];
      acc1 += x24;
      acc1 += x25;
      acc1 += x26;
      acc1 += x27;
      acc1 += x28;
      acc1 += x29;
      acc1 += x30;
      acc1 += x31;
      i1 += items1 * 8;
    }
    if (i1 < M) {
      const float x32 = e[M * group + i1];
      const int at7 = items1 + i1;
      const int there7 = min(at7, M - 1);
      const float x33 = e[M * group + there7];
      const float x34 = at7 < M ? x33 : 0.0f;
      const int at8 = items1 * 2 + i1;
      const int there8 = min(at8, M - 1);
      const float x35 = e[M * group + there8];
      const float x36 = at8 < M ? x35 : 0.0f;
      const int at9 = items1 * 3 + i1;
      const int there9 = min(at9, M - 1);
      const float x37 = e[M * group + there9];
      const float x38 = at9 < M ? x37 : 0.0f;
      const int at10 = items1 * 4 + i1;
      const int there10 = min(at10, M - 1);
      const float x39 = e[M * group + there10];
      const float x40 = at10 < M ? x39 : 0.0f;
      const int at11 = items1 * 5 + i1;
      const int there11 = min(at11, M - 1);
      const float x41 = e[M * group + there11];
      const float x42 = at11 < M ? x41 : 0.0f;
      const int at12 = items1 * 6 + i1;
      const int there12 = min(at12, M - 1);
      const float x43 = e[M * group + there12];
      const float x44 = at12 < M ? x43 : 0.0f;
      const int at13 = items1 * 7 + i1;
      const int there13 = min(at13, M - 1);
      const float x45 = e[M * group + there13];
      const float x46 = at13 < M ? x45 : 0.0f;
      acc1 += x32;
      acc1 += x34;
      acc1 += x36;
      acc1 += x38;
      acc1 += x40;
      acc1 += x42;
      acc1 += x44;
      acc1 += x46;
    }
    slots1[(int)get_local_id(0)] = acc1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 16) {
      float v_all1 = slots1[(int)get_local_id(0) * 16];
      #pragma unroll
      for (int j2 = 0; j2 < 15; j2++) {
        v_all1 += slots1[(int)get_local_id(0) * 16 + j2 + 1];
      }
      firsts1[(int)get_local_id(0)] = v_all1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    acc1 = firsts1[0];
    #pragma unroll
    for (int j3 = 0; j3 < 15; j3++) {
      acc1 += firsts1[j3 + 1];
    }
    for (int l1 = get_local_id(0); l1 < M; l1 += get_local_size(0)) {
      result[M * g + l1] = e[M * group + l1] / acc1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

// map
__kernel void mapped4(
    __global const float* restrict x1,
    __global float* restrict e1,
    __global float* restrict result,
    int size,
    int N,
    int M)
{
  const bool t = size < 1;
  if (t) {
    return;
  }
  const int item = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
    float x = (-1e30f);
    for (int i1 = 0; i1 < M; i1++) {
      x = fmax(x, x1[M * i + i1]);
    }
    for (int i2 = 0; i2 < M; i2++) {
      e1[M * item + i2] = exp(x1[M * i + i2] - x);
    }
    float x2 = 0.0f;
    for (int i3 = 0; i3 < M; i3++) {
      x2 += e1[M * item + i3];
    }
    for (int i4 = 0; i4 < M; i4++) {
      result[M * i + i4] = e1[M * item + i4] / x2;
    }
  }
}
