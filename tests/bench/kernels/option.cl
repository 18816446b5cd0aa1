// Binomial options: one group an option, the tree in local memory, one barrier a step. Source: Podlozhnyuk, Binomial
// option pricing model (NVIDIA SDK, 2008).
#define STEPS 255
__kernel __attribute__((reqd_work_group_size(STEPS+1,1,1)))
void binomial(const __global float* restrict stock, const __global float* restrict strike, const __global float* restrict rate,
              const __global float* restrict volatility, __global float* restrict out){
  __local float t[2][STEPS+2];
  int l=get_local_id(0), o=get_group_id(0);
  float dt=1.0f/255.0f, f=volatility[0]*sqrt(dt), u=exp(f), d=1.0f/u, p=(exp(rate[0]*dt)-d)/(u-d), disc=exp(-rate[0]*dt);
  t[0][l]=fmax(0.0f,stock[o]*exp(f*(float)(2*l-STEPS))-strike[o]);
  barrier(CLK_LOCAL_MEM_FENCE);
  int b=0;
  for(int s=STEPS;s>0;s--){
    if(l<s) t[b^1][l]=disc*(p*t[b][l+1]+(1.0f-p)*t[b][l]);
    b^=1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if(l==0) out[o]=t[b][0];
}
