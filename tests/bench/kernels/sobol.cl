// Sobol numbers in the order of the Gray code, each item a stretch of them: one exclusive or a number. Source: Bratley and
// Fox, Algorithm 659 (1988), in the parallel form of NVIDIA's SobolQRNG sample.
#ifndef T
#define T float
#endif
#define WG 256
#define PER 64
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void sobol(__global int* restrict part, int n){
  __local int t[WG];
  uint d1[30], d2[30];
  d2[0]=1u<<29;
  for(int j=0;j<30;j++){ d1[j]=1u<<(29-j); if(j>0) d2[j]=d2[j-1]^(d2[j-1]>>1); }
  int from=get_global_id(0)*PER, inside=0;
  uint g=from^(from>>1), a=0, b=0;
  for(int j=0;j<30;j++) if((g>>j)&1u){ a^=d1[j]; b^=d2[j]; }
  for(int i=from;i<from+PER && i<n;i++){
    T x=a/(T)1073741824, y=b/(T)1073741824;
    if(x*x+y*y<(T)1) inside++;
    int z=31-clz((i+1)&-(i+1));
    a^=1u<<(29-z);
    uint q=1u<<29; for(int j=0;j<z;j++) q^=q>>1;
    b^=q;
  }
  int l=get_local_id(0); t[l]=inside;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=WG/2;d>0;d>>=1){ if(l<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if(l==0) part[get_group_id(0)]=t[0];
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void sobol_all(const __global int* restrict part, __global T* restrict out, int groups, int n){
  __local int t[WG];
  int l=get_local_id(0), s=0;
  for(int i=l;i<groups;i+=WG) s+=part[i];
  t[l]=s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=WG/2;d>0;d>>=1){ if(l<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if(l==0) out[0]=(T)4*t[0]/n;
}
