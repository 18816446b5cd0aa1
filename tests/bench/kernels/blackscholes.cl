// Black-Scholes, one option an item. Source: Podlozhnyuk, Black-Scholes option pricing (NVIDIA SDK, 2007).
#ifndef T
#define T float
#endif
inline T normal(T x){
  T k=(T)1.0/((T)1.0+(T)0.2316419*fabs(x));
  T p=k*((T)0.31938153+k*(-(T)0.356563782+k*((T)1.781477937+k*(-(T)1.821255978+k*(T)1.330274429))));
  T tail=(T)0.39894228*exp(-(T)0.5*x*x)*p;
  return x<(T)0.0?tail:(T)1.0-tail;
}
__kernel void prices(const __global T* restrict stock, const __global T* restrict strike,
                     const __global T* restrict years, const __global T* restrict rate,
                     const __global T* restrict volatility, __global T* restrict call, __global T* restrict put,
                     int n){
  int i=get_global_id(0);
  if(i>=n) return;
  T s=stock[i], x=strike[i], t=years[i], r=rate[0], v=volatility[0];
  T spread=v*sqrt(t), d1=(log(s/x)+(r+(T)0.5*v*v)*t)/spread, d2=d1-spread, disc=x*exp(-r*t);
  T c=s*normal(d1)-disc*normal(d2);
  call[i]=c; put[i]=c+disc-s;
}
