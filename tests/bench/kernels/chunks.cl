// For processors: each work-item has a stretch of its own, and three launches do what a look-back does in one. The count
// or sum of each stretch, their running sums, and the stretches again. Source: Blelloch, Prefix Sums and Their
// Applications (1990).
__kernel void scan_count(const __global int* restrict x, __global int* restrict part, int n, int per){
  int c=get_global_id(0), s=0;
  for(int i=c*per;i<min(n,(c+1)*per);i++) s+=x[i];
  part[c]=s;
}
__kernel void offsets(__global int* restrict part, __global int* restrict total, int chunks){
  int s=0;
  for(int i=0;i<chunks;i++){ int p=part[i]; part[i]=s; s+=p; }
  total[0]=s;
}
__kernel void scan_write(const __global int* restrict x, const __global int* restrict part, __global int* restrict y, int n, int per){
  int c=get_global_id(0), s=part[c];
  for(int i=c*per;i<min(n,(c+1)*per);i++){ s+=x[i]; y[i]=s; }
}
#ifndef FUN
#define FUN(x) ((x)*2.0f)
#endif
__kernel void filter_count(const __global float* restrict x, __global int* restrict part, int n, int per){
  int c=get_global_id(0), s=0;
  for(int i=c*per;i<min(n,(c+1)*per);i++) s+=x[i]>0.5f;
  part[c]=s;
}
__kernel void filter_write(const __global float* restrict x, const __global int* restrict part, __global float* restrict y, int n, int per){
  int c=get_global_id(0), s=part[c];
  for(int i=c*per;i<min(n,(c+1)*per);i++) if(x[i]>0.5f) y[s++]=FUN(x[i]);
}
