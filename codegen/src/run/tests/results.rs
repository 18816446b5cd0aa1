//! Results with nested dynamic lengths.

use super::*;

/// `<∃X, Array[<∃Y, Array[Int,Y]>,X]>` with at most M rows of at most N elements.
#[test]
fn dynamic_rows_in_an_array_of_dynamic_length() {
    // Rows 1, 3, 5, …; row r has the r numbers below r.
    let text = "
kernel void rows(global int* ys, global int* lengths, global int* count, int m, int n) {
    int k = 0;
    for (int r = 1; r < m; r += 2) {
        int length = min(r, n);
        for (int i = 0; i < length; i++) ys[k * n + i] = i;
        lengths[k++] = length;
    }
    count[0] = k;
}
";
    let mut b = Builder::new(text).sizes(&["N", "M"]);
    let ys = b.buffer("ys", Scalar::Int, m() * n(), BufferRole::Output);
    let lengths = b.buffer("lengths", Scalar::Int, m(), BufferRole::Output);
    let count = b.buffer("count", Scalar::Int, Size::one(), BufferRole::Output);
    let args = vec![Arg::Buffer(ys), Arg::Buffer(lengths), Arg::Buffer(count), size_arg(m()), size_arg(n())];
    b.step(launch("rows", args, Size::one(), 1));
    let y = bound(1, "Y");
    let row = Layout::Exists {
        lengths: vec![DynamicLength { var: y.clone(), buffer: lengths, at_most: n() }],
        body: Box::new(array_of(Size::var(y), Layout::Scalar(ys))),
    };
    b.result(Ty::int(), exists(count, m(), array_of(Size::var(x()), row)));
    let rows = |rows: &[&[i32]]| Value::Array(ArrayValue::Values(rows.iter().map(|r| ints(r)).collect()));
    let at = |m, n| b.run(&[], &sizes(&[("N", n), ("M", m)]));
    assert_eq!(at(6, 4), Ok(rows(&[&[0], &[0, 1, 2], &[0, 1, 2, 3]])));
    assert_eq!(at(1, 4), Ok(rows(&[])));
    assert_eq!(at(0, 0), Ok(rows(&[])));
    assert_eq!(at(4, 0), Ok(rows(&[&[], &[]])));
}

/// `<∃X, (Array[Int,X], Array[Array[Float,2],X])>`: one length for two arrays, one of them with rows.
#[test]
fn one_length_for_several_arrays() {
    let text = "
kernel void f(global int* a, global float* b, global int* count, int n) {
    count[0] = n / 2;
    for (int i = 0; i < n / 2; i++) { a[i] = i; b[2 * i] = i; b[2 * i + 1] = -i; }
}
";
    let mut b = Builder::new(text).sizes(&["N"]);
    let first = b.buffer("a", Scalar::Int, n(), BufferRole::Output);
    let second = b.buffer("b", Scalar::Float, Size::nat(2) * n(), BufferRole::Output);
    let count = b.buffer("count", Scalar::Int, Size::one(), BufferRole::Output);
    b.step(launch(
        "f",
        vec![Arg::Buffer(first), Arg::Buffer(second), Arg::Buffer(count), size_arg(n())],
        Size::one(),
        1,
    ));
    let length = Size::var(x());
    let parts = vec![
        array_of(length.clone(), Layout::Scalar(first)),
        array_of(length, array_of(Size::nat(2), Layout::Scalar(second))),
    ];
    b.result(Ty::int(), exists(count, n(), Layout::Tuple(parts)));
    let rows = ArrayValue::Values(vec![floats(&[0.0, -0.0]), floats(&[1.0, -1.0])]);
    let pair = Value::Tuple(vec![ints(&[0, 1]), Value::Array(rows)]);
    assert_eq!(b.run(&[], &sizes(&[("N", 5)])), Ok(pair));
}

/// `Array[<∃X, Array[Array[Int,X],2]>,M]`: rows of a dynamic length inside an array of a fixed one.
#[test]
fn the_stride_of_a_dynamic_length_is_its_largest_value() {
    let text = "
kernel void f(global int* ys, global int* lengths, int m, int n) {
    for (int r = 0; r < m; r++) {
        lengths[r] = r % (n + 1);
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < r % (n + 1); i++) ys[(r * 2 + c) * n + i] = 100 * r + 10 * c + i;
    }
}
";
    let mut b = Builder::new(text).sizes(&["N", "M"]);
    let ys = b.buffer("ys", Scalar::Int, Size::nat(2) * m() * n(), BufferRole::Output);
    let lengths = b.buffer("lengths", Scalar::Int, m(), BufferRole::Output);
    b.step(launch("f", vec![Arg::Buffer(ys), Arg::Buffer(lengths), size_arg(m()), size_arg(n())], Size::one(), 1));
    let inner = array_of(Size::nat(2), array_of(Size::var(x()), Layout::Scalar(ys)));
    b.result(Ty::int(), array_of(m(), exists(lengths, n(), inner)));
    let table = |rows: Vec<Value>| Value::Array(ArrayValue::Values(rows));
    let expected = table(vec![
        table(vec![ints(&[]), ints(&[])]),
        table(vec![ints(&[100]), ints(&[110])]),
        table(vec![ints(&[200, 201]), ints(&[210, 211])]),
        table(vec![ints(&[]), ints(&[])]),
    ]);
    assert_eq!(b.run(&[], &sizes(&[("N", 2), ("M", 4)])), Ok(expected));
}
