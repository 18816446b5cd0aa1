// Box filter of DIA x DIA points, edges repeated: 4 wide and RB tall results an item, from registers. Source: this
// project's measurements of stencils on an H200. W is a multiple of 4*LX, H of LY*RB.
#ifndef RAD
#define RAD 1
#endif
#define DIA (2*RAD+1)
#define INV (1.0f/(float)(DIA*DIA))
#ifndef LX
#define LX 32
#define LY 8
#endif
#ifndef RB
#define RB 8
#endif
#define CL(v,hi) clamp((v),0,(hi)-1)
#if RAD>4
#define HALO 8
#else
#define HALO 4
#endif
#define ROW (4+2*HALO)
// accumulate one input row (HALO values left, 4 centre, HALO right) into the outputs it touches
inline void addrow(float* acc /*RB*4*/, const float* v, int i /*input row index 0..RB+2RAD-1*/){
  #pragma unroll
  for(int r=0;r<RB;r++) if(i-r>=0 && i-r<DIA){
    #pragma unroll
    for(int c=0;c<4;c++){
      #pragma unroll
      for(int d=0;d<DIA;d++) acc[r*4+c]+=v[HALO-RAD+c+d]; } }
}
// registers: 4 wide x RB tall outputs a work-item, straight from global (cache)
__kernel __attribute__((reqd_work_group_size(LX,LY,1)))
void st_reg(const __global float* restrict a, __global float* restrict o, int W, int H){
  int x=get_global_id(0)*4, y=get_global_id(1)*RB;
  int x0=get_group_id(0)*LX*4, y0=get_group_id(1)*LY*RB;
  float acc[RB*4];
  #pragma unroll
  for(int i=0;i<RB*4;i++) acc[i]=0.f;
  if(x0>=HALO && x0+LX*4+HALO<=W && y0>=RAD && y0+LY*RB+RAD<=H){
    #pragma unroll
    for(int i=0;i<RB+2*RAD;i++){
      const __global float* p=a+(y+i-RAD)*W+x;
      float v[ROW];
#if RAD==1
      float4 c=*(const __global float4*)p; v[4]=c.x;v[5]=c.y;v[6]=c.z;v[7]=c.w;
      v[3]=p[-1]; v[8]=p[4];
#else
      #pragma unroll
      for(int q=0;q<ROW/4;q++){ float4 c=*(const __global float4*)(p-HALO+4*q); v[4*q]=c.x;v[4*q+1]=c.y;v[4*q+2]=c.z;v[4*q+3]=c.w; }
#endif
      addrow(acc,v,i);
    }
  } else {
    #pragma unroll
    for(int i=0;i<RB+2*RAD;i++){
      const __global float* p=a+CL(y+i-RAD,H)*W;
      float v[ROW];
      #pragma unroll
      for(int d=HALO-RAD;d<HALO+4+RAD;d++) v[d]=p[CL(x+d-HALO,W)];
      addrow(acc,v,i);
    }
  }
  #pragma unroll
  for(int r=0;r<RB;r++){ float4 s=(float4)(acc[r*4],acc[r*4+1],acc[r*4+2],acc[r*4+3])*INV; *(__global float4*)(o+(y+r)*W+x)=s; }
}
