// Reverse, four elements an item. Source: as map.cl. n is a multiple of 4.
#ifndef T4
#define T4 float4
#endif
__kernel void reverse_v4(const __global T4* restrict a, __global T4* restrict o, uint n4){
  uint i=get_global_id(0);
  if(i<n4) o[n4-1-i]=a[i].wzyx;
}
