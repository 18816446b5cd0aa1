// C = A B: 128 x 128 tiles, 8 x 8 results an item, double-buffered local memory. After the tiling of Volkov and Demmel
// (2008) and of CUTLASS's SIMT kernels. M and N are multiples of 128, K of 16. -DTM=8 -DTN=8 -DBK=16 -DLR=4 -DWR=4
#ifndef T
#define T float
#define T4 float4
#endif
#ifndef KUN
#define KUN BK
#endif
#ifndef LR
#define LR 8
#endif
#define LC (32/LR)
#ifndef WR
#define WR 2
#endif
#define WC (8/WR)
#define GBM (WR*LR*TM)
#define GBN (WC*LC*TN)
#define GLA (GBM+4)
#define NA (GBM*BK/1024)
#define NB (GBN*BK/1024)
__kernel __attribute__((reqd_work_group_size(256,1,1)))
void sgemm_g(const __global T* restrict A, const __global T* restrict B, __global T* restrict C, int M, int N, int K){
  __local T As[2][BK*GLA] __attribute__((aligned(32)));
  __local T Bs[2][BK*GBN] __attribute__((aligned(32)));
  int t=get_local_id(0), bx=get_group_id(0), by=get_group_id(1);
  int w=t>>5, l=t&31;
  const int r0=(w/WC)*(LR*TM)+(l/LC)*4, c0=(w%WC)*(LC*TN)+(l%LC)*4;
  const int AQ=BK/4; int ar=t/AQ, ac=(t%AQ)*4; const int AR=256/AQ;
  const int BQ=GBN/4; int br=t/BQ, bc=(t%BQ)*4; const int BR=256/BQ;
  const __global T* Ap=A+(size_t)(by*GBM+ar)*K+ac;
  const __global T* Bp=B+(size_t)br*N+bx*GBN+bc;
  T4 pa[NA], pb[NB];
  T acc[TM][TN];
  #pragma unroll
  for(int i=0;i<TM;i++)
    #pragma unroll
    for(int j=0;j<TN;j++) acc[i][j]=0;
  #pragma unroll
  for(int i=0;i<NA;i++) pa[i]=*(const __global T4*)(Ap+(size_t)i*AR*K);
  #pragma unroll
  for(int i=0;i<NB;i++) pb[i]=*(const __global T4*)(Bp+(size_t)i*BR*N);
  #pragma unroll
  for(int i=0;i<NA;i++){ int rr=ar+i*AR; As[0][(ac+0)*GLA+rr]=pa[i].x; As[0][(ac+1)*GLA+rr]=pa[i].y; As[0][(ac+2)*GLA+rr]=pa[i].z; As[0][(ac+3)*GLA+rr]=pa[i].w; }
  #pragma unroll
  for(int i=0;i<NB;i++) *(__local T4*)(&Bs[0][(br+i*BR)*GBN+bc])=pb[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  int buf=0;
  for(int k0=0;k0<K;k0+=BK){
    int more=(k0+BK<K);
    if(more){ Ap+=BK; Bp+=(size_t)BK*N;
      #pragma unroll
      for(int i=0;i<NA;i++) pa[i]=*(const __global T4*)(Ap+(size_t)i*AR*K);
      #pragma unroll
      for(int i=0;i<NB;i++) pb[i]=*(const __global T4*)(Bp+(size_t)i*BR*N); }
    __local T* as=As[buf]; __local T* bs=Bs[buf];
    #pragma unroll KUN
    for(int k=0;k<BK;k++){
      T a[TM], b[TN];
      #pragma unroll
      for(int i=0;i<TM/4;i++){ T4 q=*(__local T4*)(as+k*GLA+r0+i*(4*LR)); a[i*4]=q.x; a[i*4+1]=q.y; a[i*4+2]=q.z; a[i*4+3]=q.w; }
      #pragma unroll
      for(int i=0;i<TN/4;i++){ T4 q=*(__local T4*)(bs+k*GBN+c0+i*(4*LC)); b[i*4]=q.x; b[i*4+1]=q.y; b[i*4+2]=q.z; b[i*4+3]=q.w; }
      #pragma unroll
      for(int i=0;i<TM;i++)
        #pragma unroll
        for(int j=0;j<TN;j++) acc[i][j]=fma(a[i],b[j],acc[i][j]);
    }
    if(more){ int nb=buf^1;
      #pragma unroll
      for(int i=0;i<NA;i++){ int rr=ar+i*AR; As[nb][(ac+0)*GLA+rr]=pa[i].x; As[nb][(ac+1)*GLA+rr]=pa[i].y; As[nb][(ac+2)*GLA+rr]=pa[i].z; As[nb][(ac+3)*GLA+rr]=pa[i].w; }
      #pragma unroll
      for(int i=0;i<NB;i++) *(__local T4*)(&Bs[nb][(br+i*BR)*GBN+bc])=pb[i];
      barrier(CLK_LOCAL_MEM_FENCE);
      buf=nb; }
  }
  #pragma unroll
  for(int i=0;i<TM;i++){
    int r=by*GBM+r0+(i&3)+(i>>2)*(4*LR);
    #pragma unroll
    for(int j=0;j<TN/4;j++) *(__global T4*)(C+(size_t)r*N+bx*GBN+c0+j*(4*LC))=(T4)(acc[i][j*4],acc[i][j*4+1],acc[i][j*4+2],acc[i][j*4+3]);
  }
}
