// Filter x > 0.5, then x*2, in one launch: decoupled look-back, as scan.cl.
#define INL inline

// filter (x>0.5) then (*2). K float4 per work-item.
#ifndef WG
#define WG 256
#endif
#ifndef K
#define K 4
#endif
#ifndef LBW
#define LBW 32
#endif
#define SPIN
#define TILE (WG*K*4)
#define NF ((K+3)/4)
#define NM ((K+7)/8)
#define STY(p,v) (*(p)=(v))
#define LDX(p) (*(p))
#ifndef PRED
#define PRED(x) ((x)>0.5f)
#endif
#ifndef FUN
#define FUN(x) ((x)*2.0f)
#endif
#define NSLEEP
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define STLD(p) (*(p))
#define STST(p,v) atom_xchg((volatile __global ulong*)(p),(ulong)(v))
#define NVST(p,v) nv_st_relaxed(p,v)
#define FLAG_A 1u
#define FLAG_P 2u
#define PACK(f,v) (((ulong)((epoch<<2)|(f))<<32)|(ulong)(uint)(v))
#define VALID(s) (((uint)((s)>>34))==epoch && (((uint)((s)>>32))&3u))
#define ISP(s) ((((uint)((s)>>32))&3u)==FLAG_P)
INL uint lookback(volatile __global ulong* status, uint tile, uint agg, uint epoch, __local ulong* l_win, __local uint* l_sh){
  uint lid=get_local_id(0);
  // portable: LBW work-items read LBW predecessors; nearest inclusive prefix by local atomic_min, sum by local atomic_add
  if(tile==0){ barrier(CLK_LOCAL_MEM_FENCE); return 0; }
  uint pfx=0; int base=(int)tile-1;
  for(;;){
    if(lid==0){ l_sh[0]=LBW; l_sh[1]=0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong s=PACK(FLAG_P,0);
    if(lid<LBW){ int idx=base-(int)lid; if(idx>=0) do { s=STLD(status+idx); } while(!VALID(s) SPIN); if(ISP(s)) atomic_min(&l_sh[0],lid); }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first=l_sh[0];
    if(lid<LBW && lid<=first && (uint)s!=0u) atomic_add(&l_sh[1],(uint)s);
    barrier(CLK_LOCAL_MEM_FENCE);
    pfx+=l_sh[1];
    if(first<LBW) break;
    base-=LBW;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if(lid==0) STST(status+tile,PACK(FLAG_P,pfx+agg));
  return pfx;
}
INL ulong wg_scan(ulong v, __local ulong* buf){
  uint l=get_local_id(0); uint o=0;
  #pragma unroll
  for(uint d=1; d<WG; d*=4){
    __local ulong* b=buf+o; b[l]=v; barrier(CLK_LOCAL_MEM_FENCE);
    if(l>=d) v+=b[l-d];
    if(l>=2*d) v+=b[l-2*d];
    if(l>=3*d) v+=b[l-3*d];
    o^=WG;
  }
  return v;
}
#define VBASE(tile,lid) ((tile)*(TILE/4)+(lid))
#define VSTR WG
INL void load_tile(const __global float* restrict x, uint tile, uint n, float4* v, uint* m){
  const __global float4* x4=(const __global float4*)x;
  uint vb=VBASE(tile,get_local_id(0)); 
  #pragma unroll
  for(int i=0;i<NM;i++) m[i]=0;
  if((tile+1)*TILE<=n){
    #pragma unroll
    for(int k=0;k<K;k++) v[k]=LDX(x4+vb+k*VSTR);
    #pragma unroll
    for(int k=0;k<K;k++) m[k/8]|=((uint)PRED(v[k].x)|((uint)PRED(v[k].y)<<1)|((uint)PRED(v[k].z)<<2)|((uint)PRED(v[k].w)<<3))<<(4*(k%8));
  } else {
    #pragma unroll
    for(int k=0;k<K;k++){
      uint i=(vb+k*VSTR)*4;
      v[k].x=i<n?x[i]:0.f; v[k].y=i+1<n?x[i+1]:0.f; v[k].z=i+2<n?x[i+2]:0.f; v[k].w=i+3<n?x[i+3]:0.f;
      uint q=(uint)(i<n&&PRED(v[k].x))|((uint)(i+1<n&&PRED(v[k].y))<<1)|((uint)(i+2<n&&PRED(v[k].z))<<2)|((uint)(i+3<n&&PRED(v[k].w))<<3);
      m[k/8]|=q<<(4*(k%8));
    }
  }
}
// exclusive rank inside the tile of each vector's first kept element; returns the tile's count
INL uint tile_rank(const uint* m, uint* ex, __local ulong* buf, __local uint* l_w){
  uint lid=get_local_id(0);
  uint run=0;
  #pragma unroll
  for(int h=0;h<NF;h++){
    ulong c=0;
    #pragma unroll
    for(int k=0;k<4;k++) if(h*4+k<K) c|=(ulong)popcount((m[(h*4+k)/8]>>(4*((h*4+k)%8)))&15u)<<(16*k);
    ulong in=wg_scan(c,buf);
    barrier(CLK_LOCAL_MEM_FENCE);
    if(lid==WG-1) buf[0]=in;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong tot=buf[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong e=in-c;
    #pragma unroll
    for(int k=0;k<4;k++) if(h*4+k<K){ ex[h*4+k]=run+((uint)(e>>(16*k))&0xffffu); run+=(uint)(tot>>(16*k))&0xffffu; }
  }
  return run;
}
INL void compact(const uint* m, const float4* v, const uint* ex, __local float* lout){
  #pragma unroll
  for(int k=0;k<K;k++){
    uint r=ex[k];
    if(m[k/8]&(1u<<(4*(k%8)))) lout[r++]=FUN(v[k].x);
    if(m[k/8]&(2u<<(4*(k%8)))) lout[r++]=FUN(v[k].y);
    if(m[k/8]&(4u<<(4*(k%8)))) lout[r++]=FUN(v[k].z);
    if(m[k/8]&(8u<<(4*(k%8)))) lout[r++]=FUN(v[k].w);
  }
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void filter_lb(const __global float* restrict x, __global float* restrict y, uint n, volatile __global ulong* status, uint epoch, volatile __global uint* counter, uint cbase, __global uint* restrict result_size){
  __local float lout[TILE];
  __local ulong buf[2*WG]; __local uint l_sh[4]; __local ulong l_win[LBW]; __local uint l_w[32];
  uint lid=get_local_id(0);
  if(lid==0) l_sh[2]=atomic_inc(counter)-cbase;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint tile=l_sh[2];
  float4 v[K]; uint ex[K];
  uint m[NM]; load_tile(x,tile,n,v,m);
  uint agg=tile_rank(m,ex,buf,l_w);
  if(lid==0) STST(status+tile,PACK(tile==0?FLAG_P:FLAG_A,agg));
  compact(m,v,ex,lout);
  uint pfx=lookback(status,tile,agg,epoch,l_win,l_sh);  // has a barrier
  for(uint i=lid;i<agg;i+=WG) STY(y+pfx+i,lout[i]);
  if(lid==0 && (tile+1)*TILE>=n && tile*TILE<n) *result_size=pfx+agg;
}
