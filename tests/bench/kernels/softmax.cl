// Rows of M floats, a group a row, which stays in registers: each element is read once and written once. Source: the
// softmax of FasterTransformer (NVIDIA, 2019), with a tree in local memory in place of shuffles. M is a multiple of 4 WG.
#define V (M/(4*WG))
inline float tree(float v, __local float* t, int maximum){
  uint l=get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  t[l]=v; barrier(CLK_LOCAL_MEM_FENCE);
  #pragma unroll
  for(uint d=WG/2; d>0; d>>=1){
    if(l<d) t[l]=maximum ? fmax(t[l],t[l+d]) : t[l]+t[l+d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return t[0];
}
inline void load(const __global float4* restrict x, float4* v){
  #pragma unroll
  for(int i=0;i<V;i++) v[i]=x[(size_t)get_group_id(0)*(M/4)+i*WG+get_local_id(0)];
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void log_softmax(const __global float4* restrict x, __global float4* restrict y){
  __local float t[WG];
  float4 v[V], a; float m=-INFINITY, z=0.f;
  load(x,v);
  #pragma unroll
  for(int i=0;i<V;i++) m=fmax(m,fmax(fmax(v[i].x,v[i].y),fmax(v[i].z,v[i].w)));
  m=tree(m,t,1);
  #pragma unroll
  for(int i=0;i<V;i++){ a=exp(v[i]-m); z+=(a.x+a.y)+(a.z+a.w); }
  z=m+log(tree(z,t,0));
  #pragma unroll
  for(int i=0;i<V;i++) y[(size_t)get_group_id(0)*(M/4)+i*WG+get_local_id(0)]=v[i]-z;
}
// Each row divided by its length.
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void normed(const __global float4* restrict x, __global float4* restrict y){
  __local float t[WG];
  float4 v[V]; float s=0.f;
  load(x,v);
  #pragma unroll
  for(int i=0;i<V;i++) s+=dot(v[i],v[i]);
  s=1.f/sqrt(1e-6f+tree(s,t,0));
  #pragma unroll
  for(int i=0;i<V;i++) y[(size_t)get_group_id(0)*(M/4)+i*WG+get_local_id(0)]=v[i]*s;
}
