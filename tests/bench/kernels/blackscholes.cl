// Black-Scholes, one option an item. Source: Podlozhnyuk, Black-Scholes option pricing (NVIDIA SDK, 2007).
inline float normal(float x){
  float k=1.0f/(1.0f+0.2316419f*fabs(x));
  float p=k*(0.31938153f+k*(-0.356563782f+k*(1.781477937f+k*(-1.821255978f+k*1.330274429f))));
  float tail=0.39894228f*exp(-0.5f*x*x)*p;
  return x<0.0f?tail:1.0f-tail;
}
__kernel void prices(const __global float* restrict stock, const __global float* restrict strike,
                     const __global float* restrict years, const __global float* restrict rate,
                     const __global float* restrict volatility, __global float* restrict call, __global float* restrict put,
                     int n){
  int i=get_global_id(0);
  if(i>=n) return;
  float s=stock[i], x=strike[i], t=years[i], r=rate[0], v=volatility[0];
  float spread=v*sqrt(t), d1=(log(s/x)+(r+0.5f*v*v)*t)/spread, d2=d1-spread, disc=x*exp(-r*t);
  float c=s*normal(d1)-disc*normal(d2);
  call[i]=c; put[i]=c+disc-s;
}
