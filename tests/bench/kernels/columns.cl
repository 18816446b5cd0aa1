// Sums of columns: an item sums four columns over a part of the rows, a second launch adds the parts. Source: the column
// reduction of CUB's and PyTorch's kernels. M is a multiple of 4 WG.
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void parts(const __global float4* restrict x, __global float4* restrict part, int n, int m4, int rows){
  int c=get_global_id(0), first=get_group_id(1)*rows, last=min(n,first+rows), i=first;
  float4 s[4];
  for(int u=0;u<4;u++) s[u]=(float4)(0.f);
  for(; i+3<last; i+=4){
    #pragma unroll
    for(int u=0;u<4;u++) s[u]+=x[(size_t)(i+u)*m4+c];
  }
  for(; i<last; i++) s[0]+=x[(size_t)i*m4+c];
  part[(size_t)get_group_id(1)*m4+c]=(s[0]+s[1])+(s[2]+s[3]);
}
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void add(const __global float4* restrict part, __global float4* restrict out, int m4, int parts){
  int c=get_global_id(0);
  float4 s=(float4)(0.f);
  for(int p=0;p<parts;p++) s+=part[(size_t)p*m4+c];
  out[c]=s;
}
