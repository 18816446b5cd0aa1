// For processors: each work-item has a stretch of its own, and three launches do what a look-back does in one. The count
// or sum of each stretch, their running sums, and the stretches again. Source: Blelloch, Prefix Sums and Their
// Applications (1990).
// Sums of int, or with MAXIMA the maxima of floats.
#ifdef MAXIMA
#define T float
#define NONE (-INFINITY)
#define OP(a,b) fmax(a,b)
#else
#define T int
#define NONE 0
#define OP(a,b) ((a)+(b))
#endif
__kernel void scan_count(const __global T* restrict x, __global T* restrict part, int n, int per){
  int c=get_global_id(0); T s=NONE;
  for(int i=c*per;i<min(n,(c+1)*per);i++) s=OP(s,x[i]);
  part[c]=s;
}
__kernel void offsets(__global T* restrict part, __global T* restrict total, int chunks){
  T s=NONE;
  for(int i=0;i<chunks;i++){ T p=part[i]; part[i]=s; s=OP(s,p); }
  total[0]=s;
}
__kernel void scan_write(const __global T* restrict x, const __global T* restrict part, __global T* restrict y, int n, int per){
  int c=get_global_id(0); T s=part[c];
  for(int i=c*per;i<min(n,(c+1)*per);i++){ s=OP(s,x[i]); y[i]=s; }
}
#ifndef PRED
#define PRED(x) ((x)>0.5f)
#endif
#ifndef FUN
#define FUN(x) ((x)*2.0f)
#endif
__kernel void filter_count(const __global float* restrict x, __global int* restrict part, int n, int per){
  int c=get_global_id(0), s=0;
  for(int i=c*per;i<min(n,(c+1)*per);i++) s+=PRED(x[i]);
  part[c]=s;
}
__kernel void filter_write(const __global float* restrict x, const __global int* restrict part, __global float* restrict y, int n, int per){
  int c=get_global_id(0), s=part[c];
  for(int i=c*per;i<min(n,(c+1)*per);i++) if(PRED(x[i])) y[s++]=FUN(x[i]);
}
