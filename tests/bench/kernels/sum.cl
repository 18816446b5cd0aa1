// Sum: every item several vectors of four at a time, one partial sum a group; a second launch adds these. Source:
// Harris, Optimizing Parallel Reduction in CUDA (2007), with the grid-stride loop of CUB. n is a multiple of 4.
#ifndef T
#define T float
#define T4 float4
#endif
#ifndef WG
#define WG 512
#endif
#ifndef U
#define U 8
#endif
inline T wg_sum(T s, __local T* t){
  uint l=get_local_id(0);
  t[l]=s; barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for(uint d=WG/2; d>0; d>>=1){ if(l<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  return t[0];
}
#ifdef DOT
#define AT(i) (x[i]*y[i])
#define ARGS const __global T4* restrict x, const __global T4* restrict y
#else
#define AT(i) (x[i])
#define ARGS const __global T4* restrict x
#endif
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void sum_part(ARGS, __global T* restrict part, uint n4){
  __local T t[WG];
  T4 a[U];
  #pragma unroll
  for(int u=0;u<U;u++) a[u]=(T4)(0);
  uint i=get_group_id(0)*(WG*U)+get_local_id(0), step=get_num_groups(0)*WG*U;
  for(; i+(U-1)*WG<n4; i+=step){
    T4 v[U];
    #pragma unroll
    for(int u=0;u<U;u++) v[u]=AT(i+u*WG);
    #pragma unroll
    for(int u=0;u<U;u++) a[u]+=v[u];
  }
  for(int u=0;u<U;u++) if(i+u*WG<n4) a[0]+=AT(i+u*WG);
  T4 s=a[0];
  #pragma unroll
  for(int u=1;u<U;u++) s+=a[u];
  T r=wg_sum((s.x+s.y)+(s.z+s.w),t);
  if(get_local_id(0)==0) part[get_group_id(0)]=r;
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void sum_all(const __global T* restrict part, __global T* restrict out, uint groups){
  __local T t[WG]; T s=0;
  for(uint i=get_local_id(0); i<groups; i+=WG) s+=part[i];
  s=wg_sum(s,t);
  if(get_local_id(0)==0) out[0]=s;
}
