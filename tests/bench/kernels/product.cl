// C = A B: tiles of 16 x 16 in local memory, one result an item. Source: the shared-memory product of NVIDIA's CUDA C
// Programming Guide. n is a multiple of 16.
#ifndef T
#define T float
#endif
#define E 16
__kernel __attribute__((reqd_work_group_size(E,E,1)))
void product(const __global T* restrict a, const __global T* restrict b, __global T* restrict c, int n){
  __local T as[E][E], bs[E][E];
  int x=get_local_id(0), y=get_local_id(1), column=get_group_id(0)*E+x, row=get_group_id(1)*E+y;
  T sum=0;
  for(int k=0;k<n;k+=E){
    as[y][x]=a[row*n+k+x]; bs[y][x]=b[(k+y)*n+column];
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for(int i=0;i<E;i++) sum=fma(as[y][i],bs[i][x],sum);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row*n+column]=sum;
}
