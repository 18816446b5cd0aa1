// The nearest place: distances reduced with their index, a partial result a group, then one group over these. After
// Rodinia's nn (Che et al. 2009), whose host looks for the minimum.
#define WG 256
inline void best(__local float* d, __local int* at, float v, int i){
  int l=get_local_id(0); d[l]=v; at[l]=i;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int s=WG/2;s>0;s>>=1){
    if(l<s && (d[l+s]<d[l] || (d[l+s]==d[l] && at[l+s]<at[l]))){ d[l]=d[l+s]; at[l]=at[l+s]; }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void nearest_part(const __global float* restrict lat, const __global float* restrict lon, const __global float* restrict y,
                  const __global float* restrict x, __global float* restrict pd, __global int* restrict pi, int n){
  __local float d[WG]; __local int at[WG];
  float b=3.0e38f; int bi=2147483647;
  for(int i=get_global_id(0);i<n;i+=get_global_size(0)){
    float dy=lat[i]-y[0], dx=lon[i]-x[0], v=sqrt(dx*dx+dy*dy);
    if(v<b){ b=v; bi=i; }
  }
  best(d,at,b,bi);
  if(get_local_id(0)==0){ pd[get_group_id(0)]=d[0]; pi[get_group_id(0)]=at[0]; }
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void nearest_all(const __global float* restrict pd, const __global int* restrict pi, __global float* restrict od,
                 __global int* restrict oi, int groups){
  __local float d[WG]; __local int at[WG];
  float b=3.0e38f; int bi=2147483647;
  for(int i=get_local_id(0);i<groups;i+=WG) if(pd[i]<b || (pd[i]==b && pi[i]<bi)){ b=pd[i]; bi=pi[i]; }
  best(d,at,b,bi);
  if(get_local_id(0)==0){ od[0]=d[0]; oi[0]=at[0]; }
}
