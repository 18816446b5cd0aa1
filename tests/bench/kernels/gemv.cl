// alpha A x + beta y: one group a row, float4 loads, a tree in local memory. After Bell and Garland's CSR-vector kernel
// (2009) for dense rows. M is a multiple of 4.
#define WG 128
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void gemv(const __global float4* restrict a, const __global float4* restrict x, const __global float* restrict y,
          const __global float* restrict alpha, const __global float* restrict beta, __global float* restrict out, int m4){
  __local float t[WG];
  int row=get_group_id(0), l=get_local_id(0);
  const __global float4* p=a+(size_t)row*m4;
  float4 s=(float4)(0.f);
  for(int i=l;i<m4;i+=WG) s+=p[i]*x[i];
  t[l]=(s.x+s.y)+(s.z+s.w);
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=WG/2;d>0;d>>=1){ if(l<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if(l==0) out[row]=alpha[0]*t[0]+beta[0]*y[row];
}
