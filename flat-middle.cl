// flat-middle: generated from Lift.
//
// Every kernel is right for any number of work-items; the host plan says how many are useful.
#pragma OPENCL FP_CONTRACT OFF

// map
__kernel void mapped(
    __global const float* restrict x,
    __global float* restrict result,
    int A,
    int C,
    int B)
{
  __local float slots[256];
  for (int g = get_group_id(0); g < A * C; g += get_num_groups(0)) {
    float acc = 0.0f;
    const int items = get_local_size(0);
    int i = get_local_id(0);
    while (i + items * 7 < B) {
      const float x1 = x[B * g + C * i + g % C - B * (g % C)];
      const float x2 = x[B * g + C * items + C * i + g % C - B * (g % C)];
      const float x3 = x[B * g + C * items * 2 + C * i + g % C - B * (g % C)];
      const float x4 = x[B * g + C * items * 3 + C * i + g % C - B * (g % C)];
      const float x5 = x[B * g + C * items * 4 + C * i + g % C - B * (g % C)];
      const float x6 = x[B * g + C * items * 5 + C * i + g % C - B * (g % C)];
      const float x7 = x[B * g + C * items * 6 + C * i + g % C - B * (g % C)];
      const float x8 = x[B * g + C * items * 7 + C * i + g % C - B * (g % C)];
      acc += x1;
      acc += x2;
      acc += x3;
      acc += x4;
      acc += x5;
      acc += x6;
      acc += x7;
      acc += x8;
      i += items * 8;
    }
    if (i < B) {
      const float x9 = x[B * g + C * i + g % C - B * (g % C)];
      const int at = items + i;
      const int there = min(at, B - 1);
      const float x10 = x[B * g + C * there + g % C - B * (g % C)];
      const float x11 = at < B ? x10 : 0.0f;
      const int at1 = items * 2 + i;
      const int there1 = min(at1, B - 1);
      const float x12 = x[B * g + C * there1 + g % C - B * (g % C)];
      const float x13 = at1 < B ? x12 : 0.0f;
      const int at2 = items * 3 + i;
      const int there2 = min(at2, B - 1);
      const float x14 = x[B * g + C * there2 + g % C - B * (g % C)];
      const float x15 = at2 < B ? x14 : 0.0f;
      const int at3 = items * 4 + i;
      const int there3 = min(at3, B - 1);
      const float x16 = x[B * g + C * there3 + g % C - B * (g % C)];
      const float x17 = at3 < B ? x16 : 0.0f;
      const int at4 = items * 5 + i;
      const int there4 = min(at4, B - 1);
      const float x18 = x[B * g + C * there4 + g % C - B * (g % C)];
      const float x19 = at4 < B ? x18 : 0.0f;
      const int at5 = items * 6 + i;
      const int there5 = min(at5, B - 1);
      const float x20 = x[B * g + C * there5 + g % C - B * (g % C)];
      const float x21 = at5 < B ? x20 : 0.0f;
      const int at6 = items * 7 + i;
      const int there6 = min(at6, B - 1);
      const float x22 = x[B * g + C * there6 + g % C - B * (g % C)];
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
    slots[get_local_id(0)] = acc;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int group_size = get_local_size(0);
    for (int d = 1; d < group_size; d *= 2) {
      if ((get_local_id(0) & (uint)(d * 2 - 1)) == 0 && get_local_id(0) + d < group_size) {
        acc += slots[get_local_id(0) + d];
        slots[get_local_id(0)] = acc;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc = slots[0];
    if (get_local_id(0) == 0) {
      result[g] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
