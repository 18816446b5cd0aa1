// reduce by key: parts
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void folded(
    __global const int* restrict xs,
    __global int* restrict folded_parts,
    int N,
    int parts)
{
  __local int table[128];
  const int even = N / parts + (int)(N % parts != 0);
  const int in_part = (int)min((long)(even / 2048 + (int)(even % 2048 != 0)) * 2048, (long)N);
  for (int g = get_group_id(0); g < parts; g += get_num_groups(0)) {
    const int turn = g % 1;
    const int part = g;
    const int begin = (int)min((long)part * in_part, (long)N);
    const int end = begin + min(in_part, N - begin);
    const int first = turn * 10;
    const int here = min(10, 10 - first);
    for (int i = get_local_id(0); i < 120; i += 256) {
      table[i] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int slot = (int)get_local_id(0);
    const int copy = slot % 12;
    const int lane = copy;
    int i1 = begin + slot;
    while (i1 + 256 * 7 < end) {
      const int key = xs[i1];
      const int key1 = xs[i1 + 256];
      const int key2 = xs[i1 + 512];
      const int key3 = xs[i1 + 768];
      const int key4 = xs[i1 + 1024];
      const int key5 = xs[i1 + 1280];
      const int key6 = xs[i1 + 1536];
      const int key7 = xs[i1 + 1792];
      if (key >= first && key < first + here) {
        const int at = (key - first) * 12 + lane;
        atomic_add(&table[at], 1);
      }
      if (key1 >= first && key1 < first + here) {
        const int at1 = (key1 - first) * 12 + lane;
        atomic_add(&table[at1], 1);
      }
      if (key2 >= first && key2 < first + here) {
        const int at2 = (key2 - first) * 12 + lane;
        atomic_add(&table[at2], 1);
      }
      if (key3 >= first && key3 < first + here) {
        const int at3 = (key3 - first) * 12 + lane;
        atomic_add(&table[at3], 1);
      }
      if (key4 >= first && key4 < first + here) {
        const int at4 = (key4 - first) * 12 + lane;
        atomic_add(&table[at4], 1);
      }
      if (key5 >= first && key5 < first + here) {
        const int at5 = (key5 - first) * 12 + lane;
        atomic_add(&table[at5], 1);
      }
      if (key6 >= first && key6 < first + here) {
        const int at6 = (key6 - first) * 12 + lane;
        atomic_add(&table[at6], 1);
      }
      if (key7 >= first && key7 < first + here) {
        const int at7 = (key7 - first) * 12 + lane;
        atomic_add(&table[at7], 1);
      }
      i1 += 256 * 8;
    }
    while (i1 < end) {
      const int key8 = xs[i1];
      if (key8 >= first && key8 < first + here) {
        const int at8 = (key8 - first) * 12 + lane;
        atomic_add(&table[at8], 1);
      }
      i1 += 256;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i2 = get_local_id(0); i2 < 10; i2 += 256) {
      if (i2 < here) {
        const int start = i2 * 12;
        const int first_copy = i2 % 12;
        int acc = table[start + first_copy];
        for (int c = 1; c < 12; c++) {
          const int turned = first_copy + c;
          acc = (int)((uint)acc + (uint)table[start + (turned < 12 ? turned : turned - 12)]);
        }
        folded_parts[(first + i2) * parts + part] = acc;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// reduce by key: result
__attribute__((reqd_work_group_size(256, 1, 1)))
__kernel void folded1(
    __global const int* restrict folded_parts,
    __global int* restrict result,
    int parts)
{
  __local int slots[256];
  for (int g = get_group_id(0); g < 2; g += get_num_groups(0)) {
    const int id = (int)get_local_id(0);
    const int cell = g * 8 + id / 32;
    const int member = id % 32;
    if (cell < 10) {
      int acc = 0;
      const int start = cell * parts;
      for (int p = member; p < parts; p += 32) {
        acc = (int)((uint)acc + (uint)folded_parts[start + p]);
      }
      slots[id] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 16 && cell < 10) {
      slots[id] = (int)((uint)slots[id] + (uint)slots[id + 16]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 8 && cell < 10) {
      slots[id] = (int)((uint)slots[id] + (uint)slots[id + 8]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 4 && cell < 10) {
      slots[id] = (int)((uint)slots[id] + (uint)slots[id + 4]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 2 && cell < 10) {
      slots[id] = (int)((uint)slots[id] + (uint)slots[id + 2]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 1 && cell < 10) {
      slots[id] = (int)((uint)slots[id] + (uint)slots[id + 1]);
    }
    if (member == 0 && cell < 10) {
      const int bucket = cell;
      result[bucket] = slots[id];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
