// Reverse, four elements an item. Source: as map.cl. n is a multiple of 4.
__kernel void reverse_v4(const __global float4* restrict a, __global float4* restrict o, uint n4){
  uint i=get_global_id(0);
  if(i<n4) o[n4-1-i]=a[i].wzyx;
}
