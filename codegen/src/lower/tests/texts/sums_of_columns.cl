reduce by key: parts
__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void folded5(
    __global const int* restrict clusters,
    __global const float* restrict points,
    __global float* restrict folded_parts1,
    int size,
    int N,
    int parts,
    int lanes,
    int columns_of_table,
    int v_round,
    int tasks,
    int turns,
    int turns_of_columns,
    int most_buckets,
    int buckets,
    int columns,
    int in_table,
    int team,
    int copies,
    int cells_of_table)
{
  __local float table[4096];
  const bool folded = size < 1;
  if (!folded) {
    return;
  }
  const int even = N / parts + (int)(N % parts != 0);
  const int in_part = (int)min((long)(even / v_round + (int)(even % v_round != 0)) * v_round, (long)N);
  for (int g = get_group_id(0); g < tasks; g += get_num_groups(0)) {
    const int turn = g % turns;
    const int part = g / turns;
    const int begin = (int)min((long)part * in_part, (long)N);
    const int end = begin + min(in_part, N - begin);
    const int first = turn / turns_of_columns * most_buckets;
    const int here = min(most_buckets, buckets - first);
    const int first_column = turn % turns_of_columns * columns_of_table;
    const int columns_here = min(columns_of_table, columns - first_column);
    for (int i = get_local_id(0); i < in_table; i += 4) {
      table[i] = 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int slot = (int)get_local_id(0) / team;
    const int column = (int)get_local_id(0) % team;
    const int lane = slot * columns_of_table;
    if (slot < copies) {
      int i1 = begin + slot;
      while (i1 + copies * 7 < end) {
        const int key = clusters[i1];
        const int key1 = clusters[copies + i1];
        const int key2 = clusters[copies * 2 + i1];
        const int key3 = clusters[copies * 3 + i1];
        const int key4 = clusters[copies * 4 + i1];
        const int key5 = clusters[copies * 5 + i1];
        const int key6 = clusters[copies * 6 + i1];
        const int key7 = clusters[copies * 7 + i1];
        for (int j = column; j < columns_here; j += team) {
          const float x = key >= first && key < first + here ? points[columns * i1 + first_column + j] : 0.0f;
          const float x1 = key1 >= first && key1 < first + here ? points[columns * copies + columns * i1 + first_column + j] : 0.0f;
          const float x2 = key2 >= first && key2 < first + here ? points[columns * copies * 2 + columns * i1 + first_column + j] : 0.0f;
          const float x3 = key3 >= first && key3 < first + here ? points[columns * copies * 3 + columns * i1 + first_column + j] : 0.0f;
          const float x4 = key4 >= first && key4 < first + here ? points[columns * copies * 4 + columns * i1 + first_column + j] : 0.0f;
          const float x5 = key5 >= first && key5 < first + here ? points[columns * copies * 5 + columns * i1 + first_column + j] : 0.0f;
          const float x6 = key6 >= first && key6 < first + here ? points[columns * copies * 6 + columns * i1 + first_column + j] : 0.0f;
          const float x7 = key7 >= first && key7 < first + here ? points[columns * copies * 7 + columns * i1 + first_column + j] : 0.0f;
          if (key >= first && key < first + here) {
            const int at = (key - first) * lanes + (lane + j);
            table[at] += x;
          }
          if (key1 >= first && key1 < first + here) {
            const int at1 = (key1 - first) * lanes + (lane + j);
            table[at1] += x1;
          }
          if (key2 >= first && key2 < first + here) {
            const int at2 = (key2 - first) * lanes + (lane + j);
            table[at2] += x2;
          }
          if (key3 >= first && key3 < first + here) {
            const int at3 = (key3 - first) * lanes + (lane + j);
            table[at3] += x3;
          }
          if (key4 >= first && key4 < first + here) {
            const int at4 = (key4 - first) * lanes + (lane + j);
            table[at4] += x4;
          }
          if (key5 >= first && key5 < first + here) {
            const int at5 = (key5 - first) * lanes + (lane + j);
            table[at5] += x5;
          }
          if (key6 >= first && key6 < first + here) {
            const int at6 = (key6 - first) * lanes + (lane + j);
            table[at6] += x6;
          }
          if (key7 >= first && key7 < first + here) {
            const int at7 = (key7 - first) * lanes + (lane + j);
            table[at7] += x7;
          }
        }
        i1 += copies * 8;
      }
      while (i1 < end) {
        const int key8 = clusters[i1];
        for (int j1 = column; j1 < columns_here; j1 += team) {
          const float x8 = key8 >= first && key8 < first + here ? points[columns * i1 + first_column + j1] : 0.0f;
          if (key8 >= first && key8 < first + here) {
            const int at8 = (key8 - first) * lanes + (lane + j1);
            table[at8] += x8;
          }
        }
        i1 += copies;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i2 = get_local_id(0); i2 < cells_of_table; i2 += 4) {
      const int bucket = i2 / columns_of_table;
      const int column1 = i2 % columns_of_table;
      if (bucket < here && column1 < columns_here) {
        const int start = bucket * lanes + column1;
        const int first_copy = bucket % copies;
        float acc = table[start + first_copy * columns_of_table];
        for (int c = 1; c < copies; c++) {
          const int turned = first_copy + c;
          acc += table[start + (turned < copies ? turned : turned - copies) * columns_of_table];
        }
        folded_parts1[((first + bucket) * columns + (first_column + column1)) * parts + part] = acc;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// reduce by key: result
__attribute__((reqd_work_group_size(4, 1, 1)))
__kernel void folded6(
    __global const float* restrict folded_parts1,
    __global float* restrict folded1,
    int size,
    int parts,
    int cells,
    int columns)
{
  __local float slots[4];
  const bool folded = size < 1;
  if (!folded) {
    return;
  }
  for (int g = get_group_id(0); g < cells; g += get_num_groups(0)) {
    const int id = (int)get_local_id(0);
    const int cell = g + id / 4;
    const int member = id % 4;
    if (cell < cells) {
      float acc = 0.0f;
      const int start = cell * parts;
      for (int p = member; p < parts; p += 4) {
        acc += folded_parts1[start + p];
      }
      slots[id] = acc;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 2 && cell < cells) {
      slots[id] += slots[id + 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (member < 1 && cell < cells) {
      slots[id] += slots[id + 1];
    }
    if (member == 0 && cell < cells) {
      const int bucket = cell / columns;
      const int column = cell % columns;
      folded1[columns * bucket + column] = slots[id];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
