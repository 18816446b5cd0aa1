// The benchmarks in C++ with OpenMP, as one writes them for gcc -O3: loops that it can vectorise, blocks where they matter.
#include "peer.h"
#include <cmath>
#include <omp.h>

typedef std::vector<Array> Arrays;
// Prepares everything that is no part of a run, and gives what one run is.
typedef std::function<void()> Run;
typedef Run (*Entry)(Arrays& in, Arrays& out);
#define PARALLEL _Pragma("omp parallel for schedule(static)")
// Rows with edges repeated.
static inline int64_t edge(int64_t i, int64_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

static Run scale(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({n})};
  const float* x = in[0].f(); float* y = out[0].f();
  return [=] { PARALLEL for (int64_t i = 0; i < n; i++) y[i] = x[i] * 2.0f; };
}
static Run reverse(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({n})};
  const float* x = in[0].f(); float* y = out[0].f();
  return [=] { PARALLEL for (int64_t i = 0; i < n; i++) y[i] = x[n - 1 - i]; };
}
static Run sum(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({})};
  const float* x = in[0].f(); float* y = out[0].f();
  return [=] {
    float s = 0;
    #pragma omp parallel for simd reduction(+:s) schedule(static)
    for (int64_t i = 0; i < n; i++) s += x[i];
    y[0] = s;
  };
}
static Run dot(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({})};
  const float *x = in[0].f(), *z = in[1].f(); float* y = out[0].f();
  return [=] {
    float s = 0;
    #pragma omp parallel for simd reduction(+:s) schedule(static)
    for (int64_t i = 0; i < n; i++) s += x[i] * z[i];
    y[0] = s;
  };
}
static Run scan(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {ints({n})};
  const int* x = in[0].i(); int* y = out[0].i();
  return [=] {
    std::vector<int> before(omp_get_max_threads() + 1, 0);
    #pragma omp parallel
    {
      int64_t t = omp_get_thread_num(), p = omp_get_num_threads(), a = n * t / p, b = n * (t + 1) / p;
      int s = 0;
      #pragma omp simd reduction(+:s)
      for (int64_t i = a; i < b; i++) s += x[i];
      before[t + 1] = s;
      #pragma omp barrier
      s = 0;
      for (int64_t i = 0; i <= t; i++) s += before[i];
      for (int64_t i = a; i < b; i++) { s += x[i]; y[i] = s; }
    }
  };
}
template <class F> static Run kept(Arrays& in, Arrays& out, F f) {
  int64_t n = in[0].size();
  out = {floats({n})};
  const float* x = in[0].f(); Array* result = &out[0]; float* y = result->f();
  return [=] {
    std::vector<int64_t> before(omp_get_max_threads() + 1, 0);
    #pragma omp parallel
    {
      int64_t t = omp_get_thread_num(), p = omp_get_num_threads(), a = n * t / p, b = n * (t + 1) / p, c = 0;
      #pragma omp simd reduction(+:c)
      for (int64_t i = a; i < b; i++) c += x[i] > 0.5f;
      before[t + 1] = c;
      #pragma omp barrier
      c = 0;
      for (int64_t i = 0; i <= t; i++) c += before[i];
      // Written always and kept sometimes: no branch to foresee. The last of a part may not write into the next one's.
      int64_t end = c + before[t + 1];
      for (int64_t i = a; i < b && c < end; i++) { y[c] = f(x[i]); c += x[i] > 0.5f; }
      if (t == p - 1) result->shape[0] = c;
    }
  };
}
static Run filter(Arrays& in, Arrays& out) { return kept(in, out, [](float x) { return x; }); }
static Run filter_map(Arrays& in, Arrays& out) { return kept(in, out, [](float x) { return x * 2.0f; }); }
static Run histogram(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {ints({256})};
  const int* x = in[0].i(); int* y = out[0].i();
  return [=] {
    memset(y, 0, 1024);
    #pragma omp parallel for reduction(+:y[:256]) schedule(static)
    for (int64_t i = 0; i < n; i++) y[x[i]]++;
  };
}
static Run transpose(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {floats({m, n})};
  const float* x = in[0].f(); float* y = out[0].f();
  return [=] {
    const int64_t B = 32;
    #pragma omp parallel for collapse(2) schedule(static)
    for (int64_t i = 0; i < n; i += B) for (int64_t j = 0; j < m; j += B)
      for (int64_t a = i; a < std::min(i + B, n); a++) for (int64_t b = j; b < std::min(j + B, m); b++) y[b * n + a] = x[a * m + b];
  };
}
static Run gemv(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {floats({n})};
  const float *a = in[0].f(), *x = in[1].f(), *z = in[2].f(); float *y = out[0].f(), alpha = in[3].f()[0], beta = in[4].f()[0];
  return [=] {
    PARALLEL for (int64_t i = 0; i < n; i++) {
      float s = 0;
      #pragma omp simd reduction(+:s)
      for (int64_t j = 0; j < m; j++) s += a[i * m + j] * x[j];
      y[i] = alpha * s + beta * z[i];
    }
  };
}
// Blocks of B for the caches, 4 rows of A at a time for the registers.
static Run matmul(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], k = in[0].shape[1], m = in[1].shape[1];
  out = {floats({n, m})};
  const float *a = in[0].f(), *b = in[1].f(); float* c = out[0].f();
  return [=] {
    const int64_t KB = 128, MB = 256;
    #pragma omp parallel
    {
      #pragma omp for schedule(static)
      for (int64_t i = 0; i < n; i++) memset(c + i * m, 0, 4 * m);
      for (int64_t k0 = 0; k0 < k; k0 += KB) for (int64_t m0 = 0; m0 < m; m0 += MB) {
        int64_t k1 = std::min(k0 + KB, k), m1 = std::min(m0 + MB, m);
        #pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i += 4) {
          int64_t rows = std::min<int64_t>(4, n - i);
          if (rows == 4) {
            for (int64_t j = m0; j < m1; j += 32) {
              float acc[4][32] = {};
              int64_t w = std::min<int64_t>(32, m1 - j);
              if (w == 32) for (int64_t l = k0; l < k1; l++) for (int r = 0; r < 4; r++) {
                float v = a[(i + r) * k + l];
                #pragma omp simd
                for (int q = 0; q < 32; q++) acc[r][q] += v * b[l * m + j + q];
              } else for (int64_t l = k0; l < k1; l++) for (int r = 0; r < 4; r++)
                for (int q = 0; q < w; q++) acc[r][q] += a[(i + r) * k + l] * b[l * m + j + q];
              for (int r = 0; r < 4; r++) for (int q = 0; q < w; q++) c[(i + r) * m + j + q] += acc[r][q];
            }
          } else for (int64_t r = i; r < i + rows; r++) for (int64_t l = k0; l < k1; l++)
            for (int64_t j = m0; j < m1; j++) c[r * m + j] += a[r * k + l] * b[l * m + j];
        }
      }
    }
  };
}
static Run spmv(Arrays& in, Arrays& out) {
  int64_t n = in[0].size() - 1;
  out = {floats({n})};
  const int *starts = in[0].i(), *columns = in[1].i(); const float *v = in[2].f(), *x = in[3].f(); float* y = out[0].f();
  return [=] {
    #pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
      float s = 0;
      for (int k = starts[i]; k < starts[i + 1]; k++) s += v[k] * x[columns[k]];
      y[i] = s;
    }
  };
}
template <int R> static Run box(Arrays& in, Arrays& out, float weight) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {floats({n, m})};
  const float* a = in[0].f(); float* y = out[0].f();
  return [=] {
    PARALLEL for (int64_t i = 0; i < n; i++) {
      const float* rows[2 * R + 1];
      for (int d = -R; d <= R; d++) rows[d + R] = a + edge(i + d, n) * m;
      auto point = [&](int64_t j) {
        float s = 0;
        for (int d = 0; d <= 2 * R; d++) for (int e = -R; e <= R; e++) s += rows[d][edge(j + e, m)];
        y[i * m + j] = weight * s;
      };
      for (int64_t j = 0; j < R; j++) point(j);
      #pragma omp simd
      for (int64_t j = R; j < m - R; j++) {
        float s = 0;
        for (int d = 0; d <= 2 * R; d++) for (int e = -R; e <= R; e++) s += rows[d][j + e];
        y[i * m + j] = weight * s;
      }
      for (int64_t j = m - R; j < m; j++) point(j);
    }
  };
}
static Run box3(Arrays& in, Arrays& out) { return box<1>(in, out, 0.11111111f); }
static Run box9(Arrays& in, Arrays& out) { return box<4>(in, out, 0.012345679f); }
// A row from the rows above, here and below; `f` sees them and three columns.
template <class F> static Run window(Arrays& in, Arrays& out, F f) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {floats({n, m})};
  const float* a = in[0].f(); float* y = out[0].f();
  return [=] {
    PARALLEL for (int64_t i = 0; i < n; i++) {
      const float *u = a + edge(i - 1, n) * m, *h = a + i * m, *d = a + edge(i + 1, n) * m;
      float* o = y + i * m;
      o[0] = f(u, h, d, 0, 0, edge(1, m), i * m);
      #pragma omp simd
      for (int64_t j = 1; j < m - 1; j++) o[j] = f(u, h, d, j - 1, j, j + 1, i * m);
      o[m - 1] = f(u, h, d, edge(m - 2, m), m - 1, m - 1, i * m);
    }
  };
}
static Run jacobi2d(Arrays& in, Arrays& out) {
  return window(in, out, [](const float* u, const float* h, const float* d, int64_t l, int64_t j, int64_t r, int64_t) {
    return 0.2f * (h[j] + ((u[j] + h[l]) + (h[r] + d[j])));
  });
}
static Run hotspot(Arrays& in, Arrays& out) {
  const float* p = in[1].f();
  return window(in, out, [p](const float* u, const float* h, const float* d, int64_t l, int64_t j, int64_t r, int64_t row) {
    float t = h[j];
    return t + 0.0068f * (p[row + j] + (0.1f * (u[j] + d[j] - 2 * t) + (0.1f * (h[l] + h[r] - 2 * t) + 0.0125f * (80 - t))));
  });
}
static Run blur(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {floats({n, m})};
  const float* a = in[0].f(); float* y = out[0].f();
  return [=] {
    #pragma omp parallel
    {
      std::vector<float> column(m + 4);
      #pragma omp for schedule(static)
      for (int64_t i = 0; i < n; i++) {
        const float* r[5];
        for (int d = 0; d < 5; d++) r[d] = a + edge(i + d - 2, n) * m;
        float* c = column.data() + 2;
        #pragma omp simd
        for (int64_t j = 0; j < m; j++) c[j] = (r[0][j] + r[4][j]) + (4.0f * (r[1][j] + r[3][j]) + 6.0f * r[2][j]);
        c[-1] = c[-2] = c[0];
        c[m] = c[m + 1] = c[m - 1];
        #pragma omp simd
        for (int64_t j = 0; j < m; j++) y[i * m + j] = ((c[j - 2] + c[j + 2]) + (4.0f * (c[j - 1] + c[j + 1]) + 6.0f * c[j])) / 256.0f;
      }
    }
  };
}
static Run life(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], m = in[0].shape[1];
  out = {ints({n, m})};
  const int* a = in[0].i(); int* y = out[0].i();
  return [=] {
    PARALLEL for (int64_t i = 0; i < n; i++) {
      const int *u = a + (i + n - 1) % n * m, *h = a + i * m, *d = a + (i + 1) % n * m;
      auto cell = [&](int64_t l, int64_t j, int64_t r) {
        int s = u[l] + u[j] + u[r] + h[l] + h[r] + d[l] + d[j] + d[r];
        return (int)(s == 3 || (s == 2 && h[j] == 1));
      };
      y[i * m] = cell(m - 1, 0, 1 % m);
      #pragma omp simd
      for (int64_t j = 1; j < m - 1; j++) y[i * m + j] = cell(j - 1, j, j + 1);
      y[i * m + m - 1] = cell(m - 2, m - 1, 0);
    }
  };
}
static Run jacobi3d(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], m = in[0].shape[1], k = in[0].shape[2];
  out = {floats({n, m, k})};
  const float* a = in[0].f(); float* y = out[0].f();
  return [=] {
    #pragma omp parallel for collapse(2) schedule(static)
    for (int64_t h = 0; h < n; h++) for (int64_t i = 0; i < m; i++) {
      const float *c = a + (h * m + i) * k, *b = a + (edge(h - 1, n) * m + i) * k, *f = a + (edge(h + 1, n) * m + i) * k,
                  *u = a + (h * m + edge(i - 1, m)) * k, *d = a + (h * m + edge(i + 1, m)) * k;
      float* o = y + (h * m + i) * k;
      auto cell = [&](int64_t l, int64_t j, int64_t r) { return (c[j] + (((b[j] + f[j]) + (u[j] + d[j])) + (c[l] + c[r]))) / 7.0f; };
      o[0] = cell(0, 0, edge(1, k));
      #pragma omp simd
      for (int64_t j = 1; j < k - 1; j++) o[j] = cell(j - 1, j, j + 1);
      o[k - 1] = cell(edge(k - 2, k), k - 1, k - 1);
    }
  };
}
static Run nbody(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  for (int i = 0; i < 7; i++) out.push_back(floats({n}));
  const float *x = in[0].f(), *y = in[1].f(), *z = in[2].f(), *m = in[3].f(); float dt = in[7].f()[0];
  Arrays *all = &in, *results = &out;
  return [=] {
    PARALLEL for (int64_t i = 0; i < n; i++) {
      float ax = 0, ay = 0, az = 0;
      #pragma omp simd reduction(+:ax,ay,az)
      for (int64_t j = 0; j < n; j++) {
        float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i], d2 = dx * dx + dy * dy + dz * dz + 0.01f, s = m[j] / (d2 * sqrtf(d2));
        ax += dx * s; ay += dy * s; az += dz * s;
      }
      float v[3] = {(*all)[4].f()[i] + dt * ax, (*all)[5].f()[i] + dt * ay, (*all)[6].f()[i] + dt * az};
      for (int d = 0; d < 3; d++) { (*results)[d].f()[i] = (*all)[d].f()[i] + dt * v[d]; (*results)[4 + d].f()[i] = v[d]; }
      (*results)[3].f()[i] = m[i];
    }
  };
}
static inline int closest(const float* p, const float* c, int64_t k, int64_t d) {
  float best = 3.0e38f; int at = 0;
  for (int64_t i = 0; i < k; i++) {
    float s = 0;
    for (int64_t j = 0; j < d; j++) { float e = p[j] - c[i * d + j]; s += e * e; }
    if (s < best) { best = s; at = i; }
  }
  return at;
}
static Run kmeans_assign(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], d = in[0].shape[1], k = in[1].shape[0];
  out = {ints({n})};
  const float *p = in[0].f(), *c = in[1].f(); int* y = out[0].i();
  return [=] { PARALLEL for (int64_t i = 0; i < n; i++) y[i] = closest(p + i * d, c, k, d); };
}
static Run kmeans(Arrays& in, Arrays& out) {
  int64_t n = in[0].shape[0], d = in[0].shape[1], k = in[1].shape[0];
  out = {floats({k, d})};
  const float *p = in[0].f(), *c = in[1].f(); float* y = out[0].f();
  return [=] {
    std::vector<float> sums(k * d, 0.0f); std::vector<int> counts(k, 0);
    float* s = sums.data(); int* q = counts.data();
    #pragma omp parallel for reduction(+:s[:k * d],q[:k]) schedule(static)
    for (int64_t i = 0; i < n; i++) {
      int at = closest(p + i * d, c, k, d);
      q[at]++;
      for (int64_t j = 0; j < d; j++) s[at * d + j] += p[i * d + j];
    }
    for (int64_t i = 0; i < k; i++) for (int64_t j = 0; j < d; j++) y[i * d + j] = q[i] ? s[i * d + j] / q[i] : c[i * d + j];
  };
}
static Run nearest(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({}), ints({})};
  const float *lat = in[0].f(), *lon = in[1].f(); float y = in[2].f()[0], x = in[3].f()[0], *d = out[0].f(); int* at = out[1].i();
  return [=] {
    float best = 3.0e38f; int64_t where = INT64_MAX;
    #pragma omp parallel
    {
      float b = 3.0e38f; int64_t w = INT64_MAX;
      #pragma omp for nowait schedule(static)
      for (int64_t i = 0; i < n; i++) {
        float dy = lat[i] - y, dx = lon[i] - x, v = dx * dx + dy * dy;
        if (v < b) { b = v; w = i; }
      }
      #pragma omp critical
      if (b < best || (b == best && w < where)) { best = b; where = w; }
    }
    d[0] = sqrtf(best); at[0] = where;
  };
}
static Run mriq(Arrays& in, Arrays& out) {
  int64_t n = in[0].size(), k = in[3].size();
  out = {floats({n}), floats({n})};
  Arrays* a = &in; float *re = out[0].f(), *im = out[1].f();
  return [=] {
    const float *x = (*a)[0].f(), *y = (*a)[1].f(), *z = (*a)[2].f(), *kx = (*a)[3].f(), *ky = (*a)[4].f(), *kz = (*a)[5].f(), *mag = (*a)[6].f();
    PARALLEL for (int64_t i = 0; i < n; i++) {
      float r = 0, s = 0;
      #pragma omp simd reduction(+:r,s)
      for (int64_t j = 0; j < k; j++) {
        float t = 6.2831853f * (kx[j] * x[i] + (ky[j] * y[i] + kz[j] * z[i]));
        r += mag[j] * cosf(t); s += mag[j] * sinf(t);
      }
      re[i] = r; im[i] = s;
    }
  };
}
static inline float normal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * x * x) * p;
  return x < 0 ? tail : 1 - tail;
}
static Run blackscholes(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({n}), floats({n})};
  const float *s = in[0].f(), *x = in[1].f(), *t = in[2].f(); float r = in[3].f()[0], v = in[4].f()[0], *call = out[0].f(), *put = out[1].f();
  return [=] {
    #pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++) {
      float spread = v * sqrtf(t[i]), d1 = (logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / spread, d2 = d1 - spread;
      float d = x[i] * expf(-r * t[i]), c = s[i] * normal(d1) - d * normal(d2);
      call[i] = c; put[i] = c + d - s[i];
    }
  };
}
static Run mandelbrot(Arrays& in, Arrays& out) {
  int limit = in[0].i()[0];
  int64_t n = limit == 50 ? 64 : limit == 100 ? 1024 : 4096;
  out = {ints({n, n})};
  int* o = out[0].i();
  return [=] {
    #pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < n; i++) for (int64_t j = 0; j < n; j++) {
      float cx = 3.0f * j / n - 2.25f, cy = 2.5f * i / n - 1.25f, x = 0, y = 0;
      int k = 0;
      while (x * x + y * y < 4.0f && k < limit) { float t = x * x - y * y + cx; y = 2.0f * (x * y) + cy; x = t; k++; }
      o[i * n + j] = k;
    }
  };
}
static Run option(Arrays& in, Arrays& out) {
  int64_t n = in[0].size();
  out = {floats({n})};
  const float *s = in[0].f(), *x = in[1].f(); float r = in[2].f()[0], v = in[3].f()[0], *y = out[0].f();
  return [=] {
    float dt = 1.0f / 255, f = v * sqrtf(dt), u = expf(f), p = (expf(r * dt) - 1 / u) / (u - 1 / u), d = expf(-r * dt);
    PARALLEL for (int64_t o = 0; o < n; o++) {
      float t[257];
      for (int i = 0; i < 256; i++) t[i] = fmaxf(0, s[o] * expf(f * (2 * i - 255)) - x[o]);
      for (int k = 255; k > 0; k--)
        #pragma omp simd
        for (int i = 0; i < k; i++) t[i] = d * (p * t[i + 1] + (1 - p) * t[i]);
      y[o] = t[0];
    }
  };
}

int main(int argc, char** argv) {
  static const std::map<std::string, Entry> entries = {
    {"b_scale", scale}, {"b_reverse", reverse}, {"b_sum", sum}, {"b_dot", dot}, {"b_scan", scan}, {"b_filter", filter},
    {"b_filter_map", filter_map}, {"b_histogram", histogram}, {"b_transpose", transpose}, {"b_gemv", gemv},
    {"b_matmul", matmul}, {"b_spmv", spmv}, {"b_box3", box3}, {"b_box9", box9}, {"b_jacobi2d", jacobi2d},
    {"b_hotspot", hotspot}, {"b_blur", blur}, {"b_life", life}, {"b_jacobi3d", jacobi3d}, {"b_nbody", nbody},
    {"b_kmeans_assign", kmeans_assign}, {"b_kmeans", kmeans}, {"b_nearest", nearest}, {"b_mriq", mriq},
    {"b_blackscholes", blackscholes}, {"b_mandelbrot", mandelbrot}, {"b_option", option},
  };
  Request r = request(argc, argv);
  auto entry = entries.find(r.entry);
  if (entry == entries.end()) { fprintf(stderr, "no entry %s\n", r.entry.c_str()); return 3; }
  Arrays in = read_all(stdin), out;
  Run run = entry->second(in, out);
  FILE* times = fopen(r.times.c_str(), "w");
  if (!times) die("the file of times cannot be written");
  for (int i = 0; i < 3; i++) run();
  for (int i = 0; i < r.runs; i++) { double t = now(); run(); fprintf(times, "wall %f\n", now() - t); }
  double t = now(); run(); int burst = std::max(1.0, std::min(200.0, 20000.0 / (now() - t)));
  for (int o = 0; o < 5; o++) { t = now(); for (int i = 0; i < burst; i++) run(); fprintf(times, "each %f\n", (now() - t) / burst); }
  fclose(times);
  if (r.entry.rfind("b_filter", 0) == 0) out[0].bytes.resize(4 * out[0].shape[0]);
  for (const Array& a : out) write_one(stdout, a);
}
