// A bitonic sort (Batcher, Sorting networks and their applications, 1968) of keys with their positions, which make it
// stable; the size is a power of two, and what is behind the end stays there.
__kernel void start(const __global T* restrict xs, __global T* restrict keys, __global int* restrict at, int n, int size){
  int i=get_global_id(0); if(i<size){ keys[i]= i<n ? xs[i] : 0; at[i]=i<n ? i : 2147483647-size+i; } }
__kernel void exchange(__global T* restrict keys, __global int* restrict at, int width, int d, int size){
  int i=get_global_id(0), j=i^d; if(i>=size || j<=i) return;
  T a=keys[i], b=keys[j]; int p=at[i], q=at[j]; int last=2147483647-size;
  bool after = (p>=last || q>=last) ? p>q : (b<a || (a==b && p>q));
  if(after == ((i&width)==0)){ keys[i]=b; keys[j]=a; at[i]=q; at[j]=p; } }
#ifdef POSITIONS
__kernel void end(const __global T* restrict keys, const __global int* restrict at, __global int* restrict out, int n){ int i=get_global_id(0); if(i<n) out[i]=at[i]; }
#else
__kernel void end(const __global T* restrict keys, const __global int* restrict at, __global T* restrict out, int n){ int i=get_global_id(0); if(i<n) out[i]=keys[i]; }
#endif
