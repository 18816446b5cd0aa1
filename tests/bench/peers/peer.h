// What our peers in C and CUDA have in common: the command line and the binary format of programs made by Futhark
// (`PEER -e ENTRY -r RUNS -t TIMES -b`), in which src/external.rs speaks with them.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

static inline void die(const char* why) { fprintf(stderr, "%s\n", why); exit(1); }
static inline double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
static inline double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  size_t n = v.size();
  return n == 0 ? 0 : n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// An array or a scalar (no dimensions) of elements of four or eight bytes.
struct Array {
  char type[5] = {0};
  std::vector<int64_t> shape;
  std::vector<char> bytes;
  int64_t size() const { int64_t n = 1; for (int64_t d : shape) n *= d; return n; }
  int64_t width() const { return type[2] == '6' ? 8 : 4; }
  template <class T> T* as() { return reinterpret_cast<T*>(bytes.data()); }
  float* f() { return as<float>(); }
  int* i() { return as<int>(); }
};
static inline Array made(const char* type, std::vector<int64_t> shape) {
  Array a;
  memcpy(a.type, type, 4);
  a.shape = shape;
  a.bytes.resize(a.width() * a.size());
  return a;
}
static inline Array floats(std::vector<int64_t> shape) { return made(" f32", shape); }
static inline Array ints(std::vector<int64_t> shape) { return made(" i32", shape); }

static inline std::vector<Array> read_all(FILE* in) {
  std::vector<Array> all;
  for (;;) {
    unsigned char head[3];
    if (fread(head, 1, 1, in) != 1) return all;
    if (head[0] != 'b' || fread(head + 1, 1, 2, in) != 2 || head[1] != 2) die("the input is not in the binary format");
    Array a;
    if (fread(a.type, 1, 4, in) != 4) die("the input ends early");
    a.shape.resize(head[2]);
    for (int64_t& d : a.shape) if (fread(&d, 8, 1, in) != 1) die("the input ends early");
    a.bytes.resize(a.width() * a.size());
    if (fread(a.bytes.data(), 1, a.bytes.size(), in) != a.bytes.size()) die("the input ends early");
    all.push_back(std::move(a));
  }
}
static inline void write_one(FILE* out, const Array& a) {
  unsigned char head[3] = {'b', 2, (unsigned char)a.shape.size()};
  fwrite(head, 1, 3, out);
  fwrite(a.type, 1, 4, out);
  fwrite(a.shape.data(), 8, a.shape.size(), out);
  fwrite(a.bytes.data(), 1, a.bytes.size(), out);
}

struct Request { std::string entry, times; int runs = 1; };
static inline Request request(int argc, char** argv) {
  Request r;
  for (int i = 1; i < argc; i++) {
    std::string a = argv[i];
    if (a == "-b") continue;
    if (i + 1 >= argc) die("an option without its value");
    if (a == "-e") r.entry = argv[++i];
    else if (a == "-r") r.runs = atoi(argv[++i]);
    else if (a == "-t") r.times = argv[++i];
    else die("usage: PEER -e ENTRY -r RUNS -t TIMES -b < inputs > results");
  }
  return r;
}
