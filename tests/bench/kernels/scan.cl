// Inclusive scan in one launch: decoupled look-back (Merrill and Garland 2016), tickets, flag and value in one 64-bit word
// published by an atomic exchange. Sums of int, or with MAXIMA the maxima of floats. n is a multiple of 4. Needs forward
// progress between groups.
#define INL inline
#ifdef MAXIMA
// CODE keeps the order of floats in unsigned numbers, of which 0 stands for none.
#define T float
#define T4 float4
#define NONE (-INFINITY)
#define OP(a,b) fmax(a,b)
#define JOIN(p,v) atomic_max(p,v)
INL uint code(float x){ uint b=as_uint(x); return b&0x80000000u ? ~b : b|0x80000000u; }
INL float decode(uint c){ return as_float(c&0x80000000u ? c&0x7fffffffu : ~c); }
#define CODE(x) code(x)
#define DECODE(c) decode(c)
#else
#define T int
#define T4 int4
#define NONE 0
#define OP(a,b) ((a)+(b))
#define JOIN(p,v) atomic_add(p,v)
#define CODE(x) ((uint)(x))
#define DECODE(c) ((int)(c))
#endif

// K vectors of four per work-item.
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
#define STY4(p,v) (*(p)=(v))
#define LDX(p) (*(p))
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

INL T lookback(volatile __global ulong* status, uint tile, T agg, uint epoch, __local ulong* l_win, __local uint* l_sh){
  uint lid=get_local_id(0);
  // portable: LBW work-items read LBW predecessors; nearest inclusive prefix by local atomic_min, sum by a local atomic
  if(tile==0){ barrier(CLK_LOCAL_MEM_FENCE); return NONE; }
  T pfx=NONE; int base=(int)tile-1;
  for(;;){
    if(lid==0){ l_sh[0]=LBW; l_sh[1]=0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong s=PACK(FLAG_P,0);
    if(lid<LBW){ int idx=base-(int)lid; if(idx>=0) do { s=STLD(status+idx); } while(!VALID(s) SPIN); if(ISP(s)) atomic_min(&l_sh[0],lid); }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint first=l_sh[0];
    if(lid<LBW && lid<=first && (uint)s!=0u) JOIN(&l_sh[1],(uint)s);
    barrier(CLK_LOCAL_MEM_FENCE);
    pfx=OP(pfx,DECODE(l_sh[1]));
    if(first<LBW) break;
    base-=LBW;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if(lid==0) STST(status+tile,PACK(FLAG_P,CODE(OP(pfx,agg))));
  return pfx;
}
// portable inclusive scan of T4 over the group, radix-4, one barrier a round
INL T4 wg_scan4(T4 v, __local T4* buf){
  uint l=get_local_id(0); uint o=0;
  #pragma unroll
  for(uint d=1; d<WG; d*=4){
    __local T4* b=buf+o; b[l]=v; barrier(CLK_LOCAL_MEM_FENCE);
    if(l>=d) v=OP(v,b[l-d]);
    if(l>=2*d) v=OP(v,b[l-2*d]);
    if(l>=3*d) v=OP(v,b[l-3*d]);
    o^=WG;
  }
  return v;
}
#define ALL(v) OP(OP((v).x,(v).y),OP((v).z,(v).w))
// computes exclusive in-tile offsets for each vector k (ex[k]) and the tile total
INL T tile_scan(T4* v, T* ex, __local T4* buf){
  uint lid=get_local_id(0);
  T run=NONE;
  #pragma unroll
  for(int h=0;h<K;h+=4){
    T4 s; s.x=ALL(v[h]);
    s.y = ALL(v[h+1]);
    s.z = ALL(v[h+2]);
    s.w = ALL(v[h+3]);
    T4 in=wg_scan4(s,buf);
    barrier(CLK_LOCAL_MEM_FENCE);
    buf[lid]=in;
    barrier(CLK_LOCAL_MEM_FENCE);
    T4 t=buf[WG-1], e=lid>0?buf[lid-1]:(T4)(NONE);
    barrier(CLK_LOCAL_MEM_FENCE);
    ex[h]=OP(run,e.x); run=OP(run,t.x); ex[h+1]=OP(run,e.y); run=OP(run,t.y);
    ex[h+2]=OP(run,e.z); run=OP(run,t.z); ex[h+3]=OP(run,e.w); run=OP(run,t.w);
  }
  return run;
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void scan_lb(const __global T4* restrict x4, __global T4* restrict y4, uint n, volatile __global ulong* status, uint epoch, volatile __global uint* counter, uint cbase){
  __local T4 buf[2*WG]; __local uint l_sh[4]; __local ulong l_win[LBW];
  uint lid=get_local_id(0);
  if(lid==0) l_sh[2]=atomic_inc(counter)-cbase;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint tile=l_sh[2];
  T4 v[K]; T ex[K];
  uint n4=n/4; // n multiple of 4 in this benchmark
  uint wb=tile*(TILE/4)+lid; const uint vs=WG;
  if((tile+1)*TILE<=n){
    #pragma unroll
    for(int k=0;k<K;k++) v[k]=LDX(x4+wb+k*vs);
  } else {
    #pragma unroll
    for(int k=0;k<K;k++) v[k]=(wb+k*vs<n4)?x4[wb+k*vs]:(T4)(NONE);
  }
  T agg=tile_scan(v,ex,buf);
  if(lid==0) STST(status+tile,PACK(tile==0?FLAG_P:FLAG_A,CODE(agg)));
  T pfx=lookback(status,tile,agg,epoch,l_win,l_sh);
  #pragma unroll
  for(int k=0;k<K;k++){
    T4 o; o.x=OP(OP(pfx,ex[k]),v[k].x); o.y=OP(o.x,v[k].y); o.z=OP(o.y,v[k].z); o.w=OP(o.z,v[k].w);
    if(wb+k*vs<n4) STY4(y4+wb+k*vs,o);
  }
}
