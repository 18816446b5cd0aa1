// Stencils with small windows, edges repeated (life: continued at the other end): 4 wide and RB tall results an item, rows
// kept in registers. Source: box.cl. W is a multiple of 4, H of RB.
#ifndef RB
#define RB 4
#endif
#ifdef LIFE
#define T int
#define T4 int4
#define EDGE(v,n) (((v)+(n))%(n))
#else
#define T float
#define T4 float4
#define EDGE(v,n) clamp((v),0,(n)-1)
#endif
// Columns x-R to x+3+R of a row.
inline void row(const __global T* restrict a, int y, int x, int W, int H, int R, T* v){
  const __global T* p=a+EDGE(y,H)*W;
  T4 c=*(const __global T4*)(p+x);
  v[R]=c.x; v[R+1]=c.y; v[R+2]=c.z; v[R+3]=c.w;
  for(int d=1;d<=R;d++){ v[R-d]=p[EDGE(x-d,W)]; v[R+3+d]=p[EDGE(x+3+d,W)]; }
}
#define STORE(o,r,s) *(__global T4*)((o)+(y+(r))*W+x)=(T4)((s)[0],(s)[1],(s)[2],(s)[3])
__kernel void jacobi2d(const __global T* restrict a, __global T* restrict o, int W, int H){
  int x=get_global_id(0)*4, y=get_global_id(1)*RB;
  if(x>=W || y>=H) return;
  T v[3][6];
  row(a,y-1,x,W,H,1,v[0]); row(a,y,x,W,H,1,v[1]);
  #pragma unroll
  for(int r=0;r<RB;r++){
    T s[4]; const T *u=v[r%3], *m=v[(r+1)%3]; T* d=v[(r+2)%3];
    row(a,y+r+1,x,W,H,1,d);
    #pragma unroll
    for(int c=0;c<4;c++) s[c]=0.2f*(m[c+1]+((u[c+1]+m[c])+(m[c+2]+d[c+1])));
    STORE(o,r,s);
  }
}
__kernel void hotspot(const __global T* restrict a, const __global T* restrict power, __global T* restrict o, int W, int H){
  int x=get_global_id(0)*4, y=get_global_id(1)*RB;
  if(x>=W || y>=H) return;
  T v[3][6];
  row(a,y-1,x,W,H,1,v[0]); row(a,y,x,W,H,1,v[1]);
  #pragma unroll
  for(int r=0;r<RB;r++){
    T s[4]; const T *u=v[r%3], *m=v[(r+1)%3]; T* d=v[(r+2)%3];
    row(a,y+r+1,x,W,H,1,d);
    T4 p4=*(const __global T4*)(power+(y+r)*W+x); T p[4]={p4.x,p4.y,p4.z,p4.w};
    #pragma unroll
    for(int c=0;c<4;c++){
      T h=m[c+1];
      s[c]=h+0.0068f*(p[c]+(0.1f*((u[c+1]+d[c+1])-2.0f*h)+(0.1f*((m[c]+m[c+2])-2.0f*h)+0.0125f*(80.0f-h))));
    }
    STORE(o,r,s);
  }
}
__kernel void life(const __global T* restrict a, __global T* restrict o, int W, int H){
  int x=get_global_id(0)*4, y=get_global_id(1)*RB;
  if(x>=W || y>=H) return;
  T v[3][6];
  row(a,y-1,x,W,H,1,v[0]); row(a,y,x,W,H,1,v[1]);
  #pragma unroll
  for(int r=0;r<RB;r++){
    T s[4]; const T *u=v[r%3], *m=v[(r+1)%3]; T* d=v[(r+2)%3];
    row(a,y+r+1,x,W,H,1,d);
    #pragma unroll
    for(int c=0;c<4;c++){
      T n=u[c]+u[c+1]+u[c+2]+m[c]+m[c+2]+d[c]+d[c+1]+d[c+2];
      s[c]=(n==3 || (n==2 && m[c+1]==1))?1:0;
    }
    STORE(o,r,s);
  }
}
#define ROWSUM(v,c) (((v)[c]+(v)[(c)+4])+(4.0f*((v)[(c)+1]+(v)[(c)+3])+6.0f*(v)[(c)+2]))
__kernel void blur(const __global T* restrict a, __global T* restrict o, int W, int H){
  int x=get_global_id(0)*4, y=get_global_id(1)*RB;
  if(x>=W || y>=H) return;
  T h[5][4], v[8];
  #pragma unroll
  for(int i=0;i<4;i++){
    row(a,y+i-2,x,W,H,2,v);
    #pragma unroll
    for(int c=0;c<4;c++) h[i][c]=ROWSUM(v,c);
  }
  #pragma unroll
  for(int r=0;r<RB;r++){
    row(a,y+r+2,x,W,H,2,v);
    T s[4];
    #pragma unroll
    for(int c=0;c<4;c++){
      h[(r+4)%5][c]=ROWSUM(v,c);
      s[c]=((h[r%5][c]+h[(r+4)%5][c])+(4.0f*(h[(r+1)%5][c]+h[(r+3)%5][c])+6.0f*h[(r+2)%5][c]))/256.0f;
    }
    STORE(o,r,s);
  }
}
// Three dimensions: a column of planes an item, the plane before and behind in registers.
__kernel void jacobi3d(const __global T* restrict a, __global T* restrict o, int K, int M, int N){
  int k=get_global_id(0), j=get_global_id(1), plane=M*K, at=j*K+k;
  if(k>=K || j>=M) return;
  int up=max(j-1,0)*K+k, down=min(j+1,M-1)*K+k, left=j*K+max(k-1,0), right=j*K+min(k+1,K-1);
  T before=a[at], here=before;
  int from=get_global_id(2)*RB, to=min(from+RB,N);
  here=a[from*plane+at]; before=a[max(from-1,0)*plane+at];
  for(int i=from;i<to;i++){
    const __global T* p=a+i*plane;
    T behind=a[min(i+1,N-1)*plane+at];
    o[i*plane+at]=(here+(((before+behind)+(p[up]+p[down]))+(p[left]+p[right])))/7.0f;
    before=here; here=behind;
  }
}
