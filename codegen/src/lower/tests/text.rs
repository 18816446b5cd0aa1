//! The generated text of small programs.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, ScalarOp};
use expect_test::expect;
use lift_analysis::size::Size;

#[test]
fn a_map_over_the_device() {
    let mut b = Builder::new("twice");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let ys = b.map(Level::Auto, &xs, |b, x| b.mul(x, 2.0f32));
    expect![[r#"
        // map
        __kernel void mapped(
            __global const float* restrict xs,
            __global float* restrict result,
            int N)
        {
          for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
            result[i] = xs[i] * 2.0f;
          }
        }
    "#]]
    .assert_eq(&opencl(&b.finish(&ys)));
}

/// An index of several dimensions has a clamped position several times; the code computes it once.
#[test]
fn a_clamped_index_has_a_name() {
    let mut b = Builder::new("left");
    let n = b.size("N");
    let xss = b.param("xss", array(array(float(), &n), &n));
    let last = Atom::Size(n.sub(&Size::one()));
    let positions = b.iota(n.clone());
    let clamped = |b: &mut Builder, i: &Atom| {
        let before = b.sub(i, 1);
        let inside = b.op(ScalarOp::Max, &[0.into(), before]);
        b.op(ScalarOp::Min, &[last.clone(), inside])
    };
    let result = b.map(Level::Auto, &positions, |b, i| {
        let row = clamped(b, i);
        b.map(Level::Auto, &positions, |b, j| {
            let column = clamped(b, j);
            let row = b.aref(&xss, &row);
            b.aref(&row, &column)
        })
    });
    let kernel = b.finish(&result);
    expect![[r#"
        // map
        __kernel void mapped(
            __global const float* restrict xss,
            __global float* restrict result,
            int N)
        {
          for (int j = get_global_id(1); j < N; j += get_global_size(1)) {
            const int most = max(j - 1, 0);
            for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
              const int most1 = max(i - 1, 0);
              result[N * j + i] = xss[N * most + most1];
            }
          }
        }
    "#]]
    .assert_eq(&opencl(&kernel));
    agrees(&kernel, &[rows(5, 5)]);
}

#[test]
fn filter_then_map() {
    let mut b = Builder::new("flagship");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let kept = b.filter(Level::Glb(0), &xs, |b, x| b.gt(x, 0.5f32));
    let (lens, ys) = b.unpack(&kept);
    let zs = b.map(Level::Glb(0), &ys, |b, x| b.mul(x, 2.0f32));
    let zs = b.pack(&zs, &lens);
    expect![[r#"
        // filter: count
        __kernel void kept_count(
            __global const float* restrict xs,
            __global int* restrict kept_counts,
            int chunks,
            int N)
        {
          __local int sums[256];
          const int chunk = N / chunks + (int)(N % chunks != 0);
          for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
            const int begin = (int)min((long)g * chunk, (long)N);
            const int end = begin + min(chunk, N - begin);
            int count = 0;
            for (int i = begin + get_local_id(0); i < end; i += get_local_size(0)) {
              if (xs[i] > 0.5f) {
                count++;
              }
            }
            int total;
            lift_group_scan(sums, count, &total);
            if (get_local_id(0) == 0) {
              kept_counts[g] = total;
            }
          }
        }

        // filter: compact
        __kernel void kept(
            __global const int* restrict kept_counts,
            __global const float* restrict xs,
            __global float* restrict result,
            __global int* restrict result_len,
            int chunks,
            int N)
        {
          __local int sums[256];
          const int chunk = N / chunks + (int)(N % chunks != 0);
          for (int g = get_group_id(0); g < chunks; g += get_num_groups(0)) {
            const int begin = (int)min((long)g * chunk, (long)N);
            const int end = begin + min(chunk, N - begin);
            int part = 0;
            for (int j = get_local_id(0); j < g; j += get_local_size(0)) {
              part += kept_counts[j];
            }
            int total;
            lift_group_scan(sums, part, &total);
            int offset = total;
            for (int base = begin; base < end; base += get_local_size(0)) {
              const int i = base + get_local_id(0);
              bool keep = false;
              float kept = 0.0f;
              if (i < end) {
                const float x = xs[i];
                keep = x > 0.5f;
                kept = x;
              }
              int total1;
              const int before = lift_group_scan(sums, (int)keep, &total1);
              if (keep) {
                const int at = offset + before;
                result[at] = kept * 2.0f;
              }
              offset += total1;
            }
            if (g == chunks - 1 && get_local_id(0) == 0) {
              result_len[0] = offset;
            }
          }
        }
    "#]]
    .assert_eq(&opencl(&b.finish(&zs)));
}

#[test]
fn rows_by_tiles() {
    let mut b = Builder::new("tiles");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &(n * 64)));
    let tiles = b.split(64u64, &xs);
    let ys = b.map(Level::Wrg(0), &tiles, |b, tile| {
        let here = b.map(Level::Lcl(0), tile, |b, x| b.mul(x, x));
        let here = b.store(Space::Local, &here);
        let there = b.view(Prim::Reverse, &[], &[here]);
        b.map(Level::Lcl(0), &there, |b, x| b.add(x, 1.0f32))
    });
    let ys = b.join(&ys);
    expect![[r#"
        // map
        __attribute__((reqd_work_group_size(64, 1, 1)))
        __kernel void mapped(
            __global const float* restrict xs,
            __global float* restrict result,
            int N)
        {
          __local float mapped[64];
          for (int g = get_group_id(0); g < N; g += get_num_groups(0)) {
            const int l = get_local_id(0);
            const float x = xs[g * 64 + l];
            mapped[l] = x * x;
            barrier(CLK_LOCAL_MEM_FENCE);
            const int l1 = get_local_id(0);
            result[g * 64 + l1] = mapped[63 - l1] + 1.0f;
            barrier(CLK_LOCAL_MEM_FENCE);
          }
        }
    "#]]
    .assert_eq(&opencl(&b.finish(&ys)));
}

#[test]
fn sums_of_rows() {
    let mut b = Builder::new("sums");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xss", array(array(float(), &m), &n));
    let ys = b.map(Level::Auto, &xs, |b, row| {
        let squares = b.map(Level::Auto, row, |b, x| b.mul(x, x));
        b.reduce(Level::Auto, 0.0f32, &squares, |b, a, x| b.add(a, x))
    });
    let ys = b.join(&ys);
    expect![[r#"
        // map
        __kernel void mapped(
            __global const float* restrict xss,
            __global float* restrict result,
            int N,
            int M)
        {
          for (int i = get_global_id(0); i < N; i += get_global_size(0)) {
            float x = 0.0f;
            for (int i1 = 0; i1 < M; i1++) {
              const float x1 = xss[M * i + i1];
              x += x1 * x1;
            }
            result[i] = x;
          }
        }
    "#]]
    .assert_eq(&opencl(&b.finish(&ys)));
}

#[test]
fn a_program_of_one_work_item() {
    let mut b = Builder::new("extract");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let kept = b.filter(Level::Seq, &xs, |b, x| b.lt(x, 0.5f32));
    let (lens, ys) = b.unpack(&kept);
    let zs = b.map(Level::Seq, &ys, |b, x| b.mul(x, 2.0f32));
    let zs = b.pack(&zs, &lens);
    expect![[r#"
        // the whole program (one work-item)
        __kernel void extract(
            __global const float* restrict xs,
            __global float* restrict result,
            __global int* restrict result_len,
            int N)
        {
          int count = 0;
          for (int i = 0; i < N; i++) {
            const float x = xs[i];
            if (x < 0.5f) {
              result[count] = x * 2.0f;
              count++;
            }
          }
          result_len[0] = count;
        }
    "#]]
    .assert_eq(&opencl(&b.finish(&zs)));
}

/// Four iterations with many divisions and calls stay a loop instead of being unrolled.
#[test]
fn long_rounds_stay_a_loop() {
    for (calls, pragma) in [(2, "#pragma unroll\n"), (6, "#pragma unroll 1\n")] {
        let mut b = Builder::new("calls");
        let n = b.size("N");
        let xs = b.param("xs", array(float(), &n));
        let result = b.map(Level::Auto, &xs, |b, x| {
            (0..calls).fold(x.clone(), |x, _| {
                let y = b.op(ScalarOp::Sqrt, &[x]);
                b.add(&y, 1.0f32)
            })
        });
        let kernel = b.finish(&result);
        let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|e| panic!("does not compile: {}", e[0]));
        assert!(program.opencl.text.contains(pragma), "{}", program.opencl.text);
        for n in LENGTHS {
            if let Err(problem) = agree(&kernel, &program, &[floats(n)]) {
                panic!("{problem}");
            }
        }
    }
}
