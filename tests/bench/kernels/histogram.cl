// A histogram of B buckets: one in local memory for each group, added to the result by atomics. Source: Podlozhnyuk,
// Histogram calculation in CUDA (NVIDIA SDK, 2007). The result is zero at the start.
#ifndef BUCKET
#define BUCKET(x) (x)
#endif
__kernel void zero(__global int* restrict out, int b){ int i=get_global_id(0); if(i<b) out[i]=0; }
__kernel void histogram(const __global int* restrict xs, __global int* restrict out, int n){
  __local int h[B];
  for(int i=get_local_id(0);i<B;i+=get_local_size(0)) h[i]=0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int i=get_global_id(0);i<n;i+=get_global_size(0)) atomic_inc(&h[BUCKET(xs[i])]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int i=get_local_id(0);i<B;i+=get_local_size(0)) if(h[i]) atomic_add(&out[i],h[i]);
}
