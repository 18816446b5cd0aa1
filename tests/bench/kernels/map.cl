// map x*2, four elements an item. Source: this project's measurements of maps on an H200 (copy rate).
__kernel void map_v4(const __global float4* restrict x, __global float4* restrict y, uint n4){ size_t i=get_global_id(0); y[i]=x[i]*2.0f; }
