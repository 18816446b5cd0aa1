// k-means, assignment: one point an item, centroids from constant-cached global memory. After Rodinia's kmeans (Che et
// al. 2009), which keeps the features of all points side by side; here they are rows.
__kernel void assign(const __global float* restrict points, const __global float* restrict centroids,
                     __global int* restrict out, int n, int k, int d){
  int i=get_global_id(0);
  if(i>=n) return;
  float p[D];
  for(int j=0;j<D;j++) p[j]=points[i*D+j];
  float best=3.0e38f; int at=0;
  for(int c=0;c<k;c++){
    float s=0;
    for(int j=0;j<D;j++){ float e=p[j]-centroids[c*D+j]; s+=e*e; }
    if(s<best){ best=s; at=c; }
  }
  out[i]=at;
}
// Update: one group for each centroid and coordinate.
#define WG 256
__kernel __attribute__((reqd_work_group_size(WG,1,1)))
void update(const __global float* restrict points, const __global float* restrict centroids,
            const __global int* restrict clusters, __global float* restrict out, int n){
  __local float s[WG]; __local int c[WG];
  int l=get_local_id(0), at=get_group_id(0), cluster=at/D, j=at%D;
  float sum=0; int count=0;
  for(int i=l;i<n;i+=WG) if(clusters[i]==cluster){ sum+=points[i*D+j]; count++; }
  s[l]=sum; c[l]=count;
  barrier(CLK_LOCAL_MEM_FENCE);
  for(int d=WG/2;d>0;d>>=1){ if(l<d){ s[l]+=s[l+d]; c[l]+=c[l+d]; } barrier(CLK_LOCAL_MEM_FENCE); }
  if(l==0) out[at]=c[0]==0?centroids[at]:s[0]/c[0];
}
