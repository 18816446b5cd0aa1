// y = L x for a lower triangle whose rows lie one after the other, row i from i(i+1)/2 on. A group takes a row from the top
// and its mirror image from the bottom, so that all groups have equally much to do; a work-item has U elements under way.
// Source: the best of several kernels that were tried on an H200 for this benchmark.
inline float row(const __global float* restrict L, const __global float* restrict x, uint i){
  uint lid=get_local_id(0), e=i+1, j=lid; const __global float* r=L+(i*(i+1)/2); float acc=0.f;
  for(; j+(U-1)*WG<e; j+=U*WG){
    float a[U], b[U];
    #pragma unroll
    for(int u=0;u<U;u++) a[u]=r[j+u*WG];
    #pragma unroll
    for(int u=0;u<U;u++) b[u]=x[j+u*WG];
    #pragma unroll
    for(int u=0;u<U;u++) acc+=a[u]*b[u];
  }
  for(; j<e; j+=WG) acc+=r[j]*x[j];
  return acc;
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void product(const __global float* restrict L, const __global float* restrict x, __global float* restrict y, uint n){
  uint lid=get_local_id(0), b=get_group_id(0), q=WG/2, r=lid/q, s=lid%q;
  __local float t[2][WG+1];
  t[1][lid]=row(L,x,n-b-1);
  t[0][lid]=row(L,x,b);
  barrier(CLK_LOCAL_MEM_FENCE);
  float v=t[r][s]+t[r][s+q];
  barrier(CLK_LOCAL_MEM_FENCE);
  t[r][s]=v;
  barrier(CLK_LOCAL_MEM_FENCE);
  if(s==0){ float w=0.f; for(uint i=0;i<q;i++) w+=t[r][i]; y[r==0? b : n-b-1]=w; }
}
