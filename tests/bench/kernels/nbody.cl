// N-body, all pairs: tiles of bodies through local memory. Source: Nyland, Harris and Prins, Fast N-Body Simulation with
// CUDA (GPU Gems 3, 2007). n is a multiple of WG.
#define WG 256
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void nbody(const __global float* restrict x, const __global float* restrict y, const __global float* restrict z,
           const __global float* restrict m, const __global float* restrict vx, const __global float* restrict vy,
           const __global float* restrict vz, const __global float* restrict dt, __global float* restrict ox,
           __global float* restrict oy, __global float* restrict oz, __global float* restrict om,
           __global float* restrict ovx, __global float* restrict ovy, __global float* restrict ovz, int n){
  __local float4 t[WG];
  int i=get_global_id(0), l=get_local_id(0);
  float px=x[i], py=y[i], pz=z[i], ax=0, ay=0, az=0;
  for(int b=0;b<n;b+=WG){
    t[l]=(float4)(x[b+l],y[b+l],z[b+l],m[b+l]);
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll 8
    for(int j=0;j<WG;j++){
      float4 q=t[j];
      float dx=q.x-px, dy=q.y-py, dz=q.z-pz;
      float r=rsqrt(dx*dx+dy*dy+(dz*dz+0.01f));
      float s=q.w*r*r*r;
      ax+=dx*s; ay+=dy*s; az+=dz*s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  float h=dt[0], wx=vx[i]+h*ax, wy=vy[i]+h*ay, wz=vz[i]+h*az;
  ox[i]=px+h*wx; oy[i]=py+h*wy; oz[i]=pz+h*wz; om[i]=m[i];
  ovx[i]=wx; ovy[i]=wy; ovz[i]=wz;
}
