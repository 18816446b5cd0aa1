// Transpose through a padded tile of local memory. Source: Ruetsch and Micikevicius, Optimizing Matrix Transpose in
// CUDA (2009), with tiles of 64 x 64 and 8 rows of items. Sizes are multiples of 64.
#ifndef T
#define T float
#endif
#ifndef TD
#define TD 32
#define TR 8
#endif
// in: H x W -> out: W x H ; local (TD,TR)
__kernel __attribute__((reqd_work_group_size(TD,TR,1)))
void transpose_lm(const __global T* restrict a, __global T* restrict o, int W, int H){
  __local T t[TD][TD+1];
  int lx=get_local_id(0), ly=get_local_id(1);
  int x0=get_group_id(0)*TD, y0=get_group_id(1)*TD;
  #pragma unroll
  for(int r=0;r<TD;r+=TR) t[ly+r][lx]=a[(y0+ly+r)*W + x0+lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for(int r=0;r<TD;r+=TR) o[(x0+ly+r)*H + y0+lx]=t[lx][ly+r];
}
