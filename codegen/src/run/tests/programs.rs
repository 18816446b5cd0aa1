//! Features of plans.

use super::*;

#[test]
fn a_map_doubles_every_element_at_every_size() {
    for len in [0usize, 1, 2, 7, 64, 1000, 4096] {
        let xs: Vec<f32> = (0..len).map(|i| i as f32).collect();
        let ys: Vec<f32> = xs.iter().map(|x| 2.0 * x).collect();
        assert_eq!(map().run(&[floats(&xs)], &sizes(&[("N", len as i64)])), Ok(floats(&ys)), "N = {len}");
    }
}

#[test]
fn a_filter_leaves_its_length_on_the_device_for_the_next_kernel() {
    // One work-item filters; the next kernel reads the length on the device.
    let text = "
kernel void evens(global const int* xs, global int* ys, global int* length, int n) {
    int k = 0;
    for (int i = 0; i < n; i++) if (xs[i] % 2 == 0) ys[k++] = xs[i];
    length[0] = k;
}
kernel void squares(global const int* ys, global const int* length, global int* zs) {
    for (int i = get_global_id(0); i < length[0]; i += get_global_size(0)) zs[i] = ys[i] * ys[i];
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let xs = b.input("xs", Scalar::Int, n());
    let ys = b.buffer("ys", Scalar::Int, n(), BufferRole::Temporary);
    let length = b.buffer("ys_length", Scalar::Int, Size::one(), BufferRole::Output);
    let zs = b.buffer("zs", Scalar::Int, n(), BufferRole::Output);
    let args = vec![Arg::Buffer(xs), Arg::Buffer(ys), Arg::Buffer(length), size_arg(n())];
    b.step(launch("evens", args, Size::one(), 1));
    b.step(launch("squares", vec![Arg::Buffer(ys), Arg::Buffer(length), Arg::Buffer(zs)], Size::nat(2), 32));
    let ty = Ty::exists(vec![x()], Ty::array(Ty::int(), Size::var(x())));
    b.result(ty, exists(length, n(), array_of(Size::var(x()), Layout::Scalar(zs))));
    assert_eq!(b.run(&[ints(&[3, 4, 5, 6, 8])], &sizes(&[("N", 5)])), Ok(ints(&[16, 36, 64])));
    assert_eq!(b.run(&[ints(&[3, 5])], &sizes(&[("N", 2)])), Ok(ints(&[])));
    assert_eq!(b.run(&[ints(&[])], &sizes(&[("N", 0)])), Ok(ints(&[])));
    assert_eq!(b.run(&[ints(&[2, 4])], &sizes(&[("N", 2)])), Ok(ints(&[4, 16])));
}

#[test]
fn an_array_of_dynamic_rows_has_one_length_a_row() {
    // Row r keeps the elements greater than r.
    let text = "
kernel void rows(global const int* xs, global int* ys, global int* lengths, int m, int n) {
    for (int r = get_global_id(0); r < m; r += get_global_size(0)) {
        int k = 0;
        for (int i = 0; i < n; i++) if (xs[r * n + i] > r) ys[r * n + k++] = xs[r * n + i];
        lengths[r] = k;
    }
}
";
    let mut b = Builder::new(text).sizes(&["N", "M"]);
    let xs = b.buffer("xs", Scalar::Int, m() * n(), BufferRole::Input);
    let ty = Ty::array(Ty::array(Ty::int(), n()), m());
    let layout = array_of(m(), array_of(n(), Layout::Scalar(xs)));
    b.plan().inputs.push(PlanInput { name: "xs".to_string(), ty, layout });
    let ys = b.buffer("ys", Scalar::Int, m() * n(), BufferRole::Output);
    let lengths = b.buffer("ys_lengths", Scalar::Int, m(), BufferRole::Output);
    let args = vec![Arg::Buffer(xs), Arg::Buffer(ys), Arg::Buffer(lengths), size_arg(m()), size_arg(n())];
    b.step(launch("rows", args, Size::nat(1), 4));
    let row = exists(lengths, n(), array_of(Size::var(x()), Layout::Scalar(ys)));
    let ty = Ty::array(Ty::exists(vec![x()], Ty::array(Ty::int(), Size::var(x()))), m());
    b.result(ty, array_of(m(), row));
    let table = |rows: &[&[i32]]| Value::Array(ArrayValue::Values(rows.iter().map(|r| ints(r)).collect()));
    let input = table(&[&[0, 1, 2], &[0, 1, 1], &[3, 4, 5]]);
    let result = table(&[&[1, 2], &[], &[3, 4, 5]]);
    assert_eq!(b.run(&[input], &sizes(&[("N", 3), ("M", 3)])), Ok(result));
    assert_eq!(b.run(&[table(&[])], &sizes(&[("N", 3), ("M", 0)])), Ok(table(&[])));
    assert_eq!(b.run(&[table(&[&[], &[]])], &sizes(&[("N", 0), ("M", 2)])), Ok(table(&[&[], &[]])));
    // Rows so wide that each is read separately.
    let wide: Vec<i32> = (0..100_000).map(|i| i32::from(i == 70_000)).collect();
    let input = Value::Array(ArrayValue::Values(vec![ints(&wide), ints(&vec![2; 100_000])]));
    let result = table(&[&[1], &vec![2; 100_000]]);
    assert_eq!(b.run(&[input], &sizes(&[("N", 100_000), ("M", 2)])), Ok(result));
}

#[test]
fn a_loop_with_two_buffers_exchanges_them() {
    let text = "
kernel void turn(global const int* xs, global int* ys, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) ys[i] = xs[(i + 1) % n];
}
";
    let mut b = Builder::new(text).sizes(&["N", "M"]);
    let xs = b.input("xs", Scalar::Int, n());
    let ys = b.buffer("ys", Scalar::Int, n(), BufferRole::Temporary);
    let rotate = launch("turn", vec![Arg::Buffer(xs), Arg::Buffer(ys), size_arg(n())], Size::one(), 8);
    b.step(Step::Repeat { count: m(), steps: vec![rotate, Step::Swap(xs, ys)] });
    b.result(Ty::array(Ty::int(), n()), array_of(n(), Layout::Scalar(xs)));
    let rotated = |rounds| b.run(&[ints(&[0, 1, 2, 3, 4])], &sizes(&[("N", 5), ("M", rounds)]));
    assert_eq!(rotated(0), Ok(ints(&[0, 1, 2, 3, 4])));
    assert_eq!(rotated(1), Ok(ints(&[1, 2, 3, 4, 0])));
    assert_eq!(rotated(3), Ok(ints(&[3, 4, 0, 1, 2])));
    // Measuring runs the program several times, each time from the initial state although the input was overwritten;
    // and one run has more launches than may be in flight.
    let options = RunOptions { profile: true, warmup: 1, repeats: 3, ..RunOptions::default() };
    let outcome = b.run_with(&[ints(&[0, 1, 2, 3, 4])], &sizes(&[("N", 5), ("M", 5001)]), &options).expect("runs");
    assert_eq!(outcome.value, ints(&[1, 2, 3, 4, 0]));
    let [time] = &outcome.profile[..] else { panic!("one launch: {:?}", outcome.profile) };
    assert_eq!((&*time.kernel, &*time.label, time.launches), ("turn", "test: turn", 5001));
    assert!(time.microseconds > 0.0);
    assert_eq!(outcome.wall_microseconds.len(), 3);
}

#[test]
fn tuples_vectors_and_all_scalars_go_in_and_come_out() {
    let text = "
kernel void f(global const int* a, global const long* b, global const uchar* c, global const float* v,
              global int* a2, global long* b2, global uchar* c2, global float* v2, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        a2[i] = a[i] + 1;
        b2[i] = b[i] + 1;
        c2[i] = !c[i];
        vstore2(-vload2(i, v), i, v2);
    }
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let parts = [Scalar::Int, Scalar::Long, Scalar::Bool, Scalar::Float];
    let mut buffers = |prefix: &str, role| {
        let wide = |s| if s == Scalar::Float { Size::nat(2) * n() } else { n() };
        parts.map(|s| b.buffer(&format!("{prefix}{s}"), s, wide(s), role))
    };
    let (from, to) = (buffers("in", BufferRole::Input), buffers("out", BufferRole::Output));
    let layout = |ids: [BufferId; 4]| {
        let vector = Layout::Vec { buffer: ids[3], width: 2 };
        let parts = vec![Layout::Scalar(ids[0]), Layout::Scalar(ids[1]), Layout::Scalar(ids[2]), vector];
        array_of(n(), Layout::Tuple(parts))
    };
    b.plan().inputs.push(PlanInput { name: "xs".to_string(), ty: Ty::int(), layout: layout(from) });
    let args = from.iter().chain(&to).map(|id| Arg::Buffer(*id)).chain([size_arg(n())]).collect();
    b.step(launch("f", args, Size::one(), 16));
    b.result(Ty::int(), layout(to));
    let element = |a, b, c, x: f32| {
        Value::Tuple(vec![
            Value::Int(a),
            Value::Long(b),
            Value::Bool(c),
            Value::Vec(vec![Value::Float(x), Value::Float(-x)]),
        ])
    };
    let table = |rows: Vec<Value>| Value::Array(ArrayValue::Values(rows));
    let input = table(vec![element(1, 1 << 40, true, 0.5), element(i32::MAX, -1, false, 2.0)]);
    let result = table(vec![element(2, (1 << 40) + 1, false, -0.5), element(i32::MIN, 0, true, -2.0)]);
    assert_eq!(b.run(&[input], &sizes(&[("N", 2)])), Ok(result));
}

#[test]
fn zeroed_memory_and_local_memory() {
    let text = "
kernel void count(global const int* xs, global int* bins, int n, local int* tmp) {
    int l = get_local_id(0);
    tmp[l] = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) tmp[l] += xs[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int sum = 0;
        for (int i = 0; i < get_local_size(0); i++) sum += tmp[i];
        atomic_add(bins, sum);
    }
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let xs = b.input("xs", Scalar::Int, n());
    let sum = b.buffer("sum", Scalar::Int, Size::one(), BufferRole::Output);
    b.step(Step::Zero(sum));
    let local = Arg::Local { bytes: Size::nat(4 * 32) };
    b.step(launch("count", vec![Arg::Buffer(xs), Arg::Buffer(sum), size_arg(n()), local], Size::nat(3), 32));
    b.result(Ty::int(), Layout::Scalar(sum));
    let values: Vec<i32> = (0..1000).collect();
    assert_eq!(b.run(&[ints(&values)], &sizes(&[("N", 1000)])), Ok(Value::Int(499_500)));
}

#[test]
fn a_work_group_that_is_too_large_is_cut_with_a_notice() {
    let mut b = map();
    if let Step::Launch(launch) = &mut b.plan().steps[0] {
        launch.local = [1 << 20, 1, 1];
    }
    let outcome = b.run_with(&[floats(&[1.0])], &sizes(&[("N", 1)]), &RunOptions::default()).expect("runs");
    assert_eq!(outcome.value, floats(&[2.0]));
    let [notice] = &outcome.notices[..] else { panic!("one notice: {:?}", outcome.notices) };
    assert!(notice.starts_with("`test: twice` runs with work-groups of "), "{notice}");
}

#[test]
fn an_input_may_be_the_result() {
    let mut b = Builder::new("kernel void nothing(int n) {}").sizes(&["N"]);
    let xs = b.input("xs", Scalar::Float, n());
    let whole = array_of(n(), Layout::Scalar(xs));
    b.result(Ty::int(), Layout::Tuple(vec![whole.clone(), whole]));
    let pair = Value::Tuple(vec![floats(&[1.0, 2.0]), floats(&[1.0, 2.0])]);
    assert_eq!(b.run(&[floats(&[1.0, 2.0])], &sizes(&[("N", 2)])), Ok(pair));
}

#[test]
fn an_input_of_dynamic_length_brings_its_length() {
    let text = "
kernel void sums(global const int* xs, global const int* lengths, global int* sums, int m, int n) {
    for (int r = get_global_id(0); r < m; r += get_global_size(0)) {
        int s = 0;
        for (int i = 0; i < lengths[r]; i++) s += xs[r * n + i];
        sums[r] = s;
    }
}
";
    let mut b = Builder::new(text).sizes(&["N", "M"]);
    let xs = b.buffer("xs", Scalar::Int, m() * n(), BufferRole::Input);
    let lengths = b.buffer("xs_lengths", Scalar::Int, m(), BufferRole::Input);
    let sums = b.buffer("sums", Scalar::Int, m(), BufferRole::Output);
    let row = exists(lengths, n(), array_of(Size::var(x()), Layout::Scalar(xs)));
    b.plan().inputs.push(PlanInput { name: "xs".to_string(), ty: Ty::int(), layout: array_of(m(), row) });
    let args = vec![Arg::Buffer(xs), Arg::Buffer(lengths), Arg::Buffer(sums), size_arg(m()), size_arg(n())];
    b.step(launch("sums", args, Size::one(), 4));
    b.result(Ty::int(), array_of(m(), Layout::Scalar(sums)));
    let rows = |rows: &[&[i32]]| [Value::Array(ArrayValue::Values(rows.iter().map(|r| ints(r)).collect()))];
    let at = sizes(&[("N", 4), ("M", 3)]);
    assert_eq!(b.run(&rows(&[&[1, 2], &[], &[3, 4, 5, 6]]), &at), Ok(ints(&[3, 0, 18])));
    let failure = b.failure(&rows(&[&[1], &[1, 2, 3, 4, 5], &[]]), &at);
    expect_test::expect!["the input `xs` is not of type Int: its length is 5; at most N = 4 is allowed"]
        .assert_eq(&failure.to_string());
}

#[test]
fn a_run_builds_only_the_kernels_that_its_sizes_need() {
    let broken = "kernel void broken(global const float* xs, global float* ys, int n) { no such thing }\n";
    let mut b = Builder::new(&format!("{MAP}{broken}")).sizes(&["N"]);
    let at = MAP.len() as u32;
    b.program.opencl.kernels = vec![("twice".into(), 0..at), ("broken".into(), at..at + broken.len() as u32)];
    let xs = b.input("xs", Scalar::Float, n());
    let ys = b.buffer("ys", Scalar::Float, n(), BufferRole::Output);
    b.result(Ty::array(Ty::scalar(Scalar::Float), n()), array_of(n(), Layout::Scalar(ys)));
    for (kernel, only_if) in [("twice", Size::one()), ("broken", n().sub(&Size::nat(3)))] {
        let args = vec![Arg::Buffer(xs), Arg::Buffer(ys), size_arg(n())];
        let Step::Launch(launch) = launch(kernel, args, n(), 1) else { unreachable!("it is a launch") };
        b.step(Step::Launch(Launch { only_if: vec![only_if], ..launch }));
    }
    let (few, many) = ([floats(&[1.0, 2.0, 3.0])], [floats(&[1.0; 4])]);
    assert_eq!(b.run(&few, &sizes(&[("N", 3)])), Ok(floats(&[2.0, 4.0, 6.0])));
    assert!(matches!(b.failure(&many, &sizes(&[("N", 4)])), RunFailure::Build { .. }));
    let all = RunOptions { built: Built::All, ..RunOptions::default() };
    assert!(matches!(b.run_with(&few, &sizes(&[("N", 3)]), &all), Err(RunFailure::Build { .. })));
}
