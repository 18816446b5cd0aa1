// MRI-Q: one place an item, samples read by all items at once. After Parboil's mri-q (Stratton et al. 2012), whose samples
// lie in constant memory.
__kernel void q(const __global float* restrict x, const __global float* restrict y, const __global float* restrict z,
                const __global float* restrict kx, const __global float* restrict ky, const __global float* restrict kz,
                const __global float* restrict mag, __global float* restrict re, __global float* restrict im, int n, int k){
  int i=get_global_id(0);
  if(i>=n) return;
  float px=x[i], py=y[i], pz=z[i], r=0, s=0;
  for(int j=0;j<k;j++){
    float a=6.2831853f*(kx[j]*px+(ky[j]*py+kz[j]*pz));
    r+=mag[j]*cos(a); s+=mag[j]*sin(a);
  }
  re[i]=r; im[i]=s;
}
