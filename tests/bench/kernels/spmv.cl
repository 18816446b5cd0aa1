// CSR: T items a row, a tree in local memory. Source: Bell and Garland, Implementing Sparse Matrix-Vector Multiplication
// on Throughput-Oriented Processors (2009), the vector kernel with a part of a warp a row.
#define T 8
#define WG 128
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void spmv(const __global int* restrict starts, const __global int* restrict columns, const __global float* restrict values,
          const __global float* restrict x, __global float* restrict out, int n){
  __local float t[WG];
  int row=get_global_id(0)/T, lane=get_local_id(0)%T, l=get_local_id(0);
  float s=0;
  if(row<n) for(int k=starts[row]+lane;k<starts[row+1];k+=T) s+=values[k]*x[columns[k]];
  t[l]=s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=T/2;d>0;d>>=1){ if(lane<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if(lane==0 && row<n) out[row]=t[l];
}
// The same where all rows have k entries; any numbers are columns.
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void ell(const __global int* restrict columns, const __global float* restrict values, const __global float* restrict x,
         __global float* restrict out, int n, int k, int m){
  __local float t[WG];
  int row=get_global_id(0)/T, lane=get_local_id(0)%T, l=get_local_id(0);
  float s=0;
  if(row<n) for(int j=lane;j<k;j+=T) s+=values[row*k+j]*x[abs(columns[row*k+j])%m];
  t[l]=s;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=T/2;d>0;d>>=1){ if(lane<d) t[l]+=t[l+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if(lane==0 && row<n) out[row]=t[l];
}
