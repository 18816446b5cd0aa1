// Primes below n by trial with the odd numbers up to the root, one number an item: a flag each.
__kernel void primes(__global int* restrict flag, int n){
  int x=get_global_id(0);
  if(x>=n) return;
  int p=x==2 || (x>2 && (x&1));
  for(int d=3;p && d*d<=x;d+=2) p=x%d!=0;
  flag[x]=p;
}
__kernel void count(const __global int* restrict flag, __global int* restrict part, int n, int per){
  int c=get_global_id(0), s=0;
  for(int i=c*per;i<min(n,(c+1)*per);i++) s+=flag[i];
  part[c]=s;
}
__kernel __attribute__((reqd_work_group_size(1,1,1)))
void offsets(__global int* restrict part, __global int* restrict total, int chunks){
  int s=0;
  for(int i=0;i<chunks;i++){ int p=part[i]; part[i]=s; s+=p; }
  total[0]=s;
}
__kernel void write(const __global int* restrict flag, const __global int* restrict part, __global int* restrict out, int n, int per){
  int c=get_global_id(0), s=part[c];
  for(int i=c*per;i<min(n,(c+1)*per);i++) if(flag[i]) out[s++]=i;
}
