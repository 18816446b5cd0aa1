// Mandelbrot, one point an item, groups of 16 x 16 points so that neighbours leave the loop together. Products and sums
// are rounded one by one, as in the program: rounded at once they give other numbers of rounds.
#pragma OPENCL FP_CONTRACT OFF
__kernel void mandelbrot(const __global int* restrict limit, __global int* restrict out, int w, int h){
  int i=get_global_id(0), j=get_global_id(1);
  if(i>=w || j>=h) return;
  float cx=3.0f*(float)i/(float)w-2.25f, cy=2.5f*(float)j/(float)h-1.25f, x=0, y=0;
  int n=0, most=limit[0];
  while(x*x+y*y<4.0f && n<most){ float t=x*x-y*y+cx; y=2.0f*(x*y)+cy; x=t; n++; }
  out[j*w+i]=n;
}
