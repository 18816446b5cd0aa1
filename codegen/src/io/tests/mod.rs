//! Reading, generating and printing values.

mod properties;

use super::generate::{Generator, generate};
use super::*;
use crate::testing::param;
use crate::value::{ArrayValue, Value};
use expect_test::{Expect, expect};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::{Size, Var, VarKind};
use lift_analysis::ty::bound;

fn n() -> Size {
    Size::var(param(0, "N"))
}
fn scalar_ty(s: Scalar) -> Ty {
    Ty::scalar(s)
}
/// `Array[s,N]`
fn vector(s: Scalar) -> Ty {
    Ty::array(Ty::scalar(s), n())
}
/// `Array[Array[s,M],N]`
fn matrix(s: Scalar) -> Ty {
    Ty::array(Ty::array(Ty::scalar(s), Size::var(param(1, "M"))), n())
}
/// `Array[<∃X, Array[s,X]>,N]`
fn ragged(s: Scalar) -> Ty {
    let x = bound(0, "X");
    Ty::array(Ty::exists(vec![x.clone()], Ty::array(Ty::scalar(s), Size::var(x))), n())
}
/// `Array[(Int, Float),N]`
fn pairs() -> Ty {
    Ty::array(Ty::tuple(vec![Ty::int(), Ty::scalar(Scalar::Float)]), n())
}
fn vec_ty(width: u64) -> Ty {
    Ty::new(TyKind::Vec(Ty::scalar(Scalar::Float), Size::nat(width)))
}
fn at(n: i64, m: i64) -> impl Fn(&Var) -> Option<i64> {
    move |v| match &*v.name {
        "N" => Some(n),
        "M" => Some(m),
        _ => None,
    }
}

/// A value on one line.
fn show(value: &Value) -> String {
    let list = |parts: Vec<String>| format!("[{}]", parts.join(","));
    match value {
        Value::Array(a) => list((0..a.len()).filter_map(|i| a.get(i)).map(|v| show(&v)).collect()),
        Value::Vec(parts) => format!("<{}>", parts.iter().map(show).collect::<Vec<_>>().join(",")),
        Value::Tuple(parts) => format!("({})", parts.iter().map(show).collect::<Vec<_>>().join(",")),
        scalar => scalar.number().map_or(String::new(), |number| Literal::from(number).to_string()),
    }
}

fn shown(result: Result<Value>) -> String {
    match result {
        Ok(value) => show(&value),
        Err(e) => e.to_string(),
    }
}
fn literal(ty: Ty, text: &str) -> String {
    shown(literal::parse(&ty, text))
}
fn text(ty: Ty, text: &str) -> String {
    shown(text::parse(&ty, text))
}
fn flat(ty: Ty, dims: &[usize], data: ArrayValue) -> String {
    shown(flat::value_from_flat(&ty, FlatArray { dims: dims.to_vec(), data }))
}
fn int_data(n: usize) -> ArrayValue {
    ArrayValue::Int((0..n as i32).collect())
}

#[test]
fn a_word_is_a_literal_a_generator_or_a_file() {
    let source = |word| format!("{:?}", InputSource::parse(word));
    assert_eq!(source("iota"), "Ok(Generated(Iota))");
    assert_eq!(source("random"), "Ok(Generated(Random { seed: 0 }))");
    assert_eq!(source("random:17"), "Ok(Generated(Random { seed: 17 }))");
    assert_eq!(source("signed"), "Ok(Generated(Signed { seed: 0 }))");
    assert_eq!(source("signed:17"), "Ok(Generated(Signed { seed: 17 }))");
    assert!(source("signed:x").contains("`signed:SEED` takes"), "{}", source("signed:x"));
    assert!(source("random:x").contains("`x` is not a seed"), "{}", source("random:x"));
    assert!(source("").contains("nothing is given"), "{}", source(""));
    for word in
        ["0.5", "-1", ".5", "+3", "-.5f", "[1,2]", "(1, 2)", "true", "false", "inf", "-inf", "NaN", "-inff", "nanf"]
    {
        assert_eq!(source(word), format!("Ok(Literal({word:?}))"));
    }
    for word in ["a.npy", "./iota", "randomly", "trueish", "-", "-x", "nan.npy", ".", "../x.txt"] {
        assert_eq!(source(word), format!("Ok(File({word:?}))"));
    }
}

#[test]
fn literals_are_read_by_their_type() {
    use Scalar::*;
    assert_eq!(literal(scalar_ty(Float), " 0.5 "), "0.5f");
    assert_eq!(literal(scalar_ty(Float), "2.0f"), "2.0f");
    assert_eq!(literal(scalar_ty(Float), "3"), "3.0f");
    assert_eq!(literal(scalar_ty(Double), "-1e3"), "-1000.0");
    assert_eq!(literal(scalar_ty(Long), "3L"), "3L");
    assert_eq!(literal(scalar_ty(Bool), "true"), "true");
    assert_eq!(literal(scalar_ty(Float), "inf"), "inff");
    assert_eq!(literal(scalar_ty(Float), "-inff"), "-inff");
    assert_eq!(literal(scalar_ty(Double), "inff"), "1:1: `inff` is not a Double");
    assert_eq!(literal(vector(Int), "[1, 2 3,]"), "[1,2,3]");
    assert_eq!(literal(vector(Int), "[]"), "[]");
    assert_eq!(literal(matrix(Int), "[[1,2],[3,4]]"), "[[1,2],[3,4]]");
    assert_eq!(literal(ragged(Int), "[[1],[],[3,4]]"), "[[1],[],[3,4]]");
    assert_eq!(literal(pairs(), "[(1, 2.5) (3, 4)]"), "[(1,2.5f),(3,4.0f)]");
    assert_eq!(literal(Ty::array(vec_ty(2), n()), "[[1,2],[3,4]]"), "[<1.0f,2.0f>,<3.0f,4.0f>]");
}

#[test]
fn literals_that_are_wrong_say_where() {
    use Scalar::*;
    let check = |ty: Ty, text: &str, expected: Expect| expected.assert_eq(&literal(ty, text));
    check(scalar_ty(Int), "0.5", expect!["1:1: `0.5` is not an Int"]);
    check(scalar_ty(Int), "3000000000", expect!["1:1: `3000000000` does not fit Int (-2147483648 to 2147483647)"]);
    check(scalar_ty(Float), "1e99", expect!["1:1: `1e99` does not fit Float"]);
    check(scalar_ty(Float), "0.5d", expect!["1:1: `0.5d` is not a Float"]);
    check(scalar_ty(Bool), "maybe", expect!["1:1: `maybe` is not a Bool (`true` or `false`)"]);
    check(vector(Int), "5", expect!["1:1: `Array[Int,N]` is expected, not `5`"]);
    check(scalar_ty(Int), "[5]", expect!["1:1: `Int` is expected, not an array of 1 element"]);
    check(vector(Int), "[1, x]", expect!["1:5: `x` is not an Int"]);
    check(vector(Int), "[1, [2]]", expect!["1:5: `Int` is expected, not an array of 1 element"]);
    check(matrix(Int), "[[1,2],[3]]", expect!["1:8: the rows are not equally long: row 0 has 2 elements, row 1 has 1"]);
    check(pairs(), "[(1, 2, 3)]", expect!["1:2: `(Int, Float)` has 2 parts, not 3"]);
    check(vec_ty(4), "[1,2]", expect!["1:1: `Vec[Float,4]` has 4 elements, not 2"]);
    check(vector(Int), "[1,,2]", expect!["1:4: a value is expected before `,`"]);
    check(vector(Int), "[,1]", expect!["1:2: a value is expected before `,`"]);
    check(scalar_ty(Int), "1,", expect!["1:2: `,` follows the value"]);
    check(vector(Int), "[1, 2", expect!["1:6: `]` is missing"]);
    check(vector(Int), "[1, 2)", expect!["1:6: `]` is expected, not `)`"]);
    check(vector(Int), "[1] 2", expect!["1:5: `2` follows the value"]);
    check(vector(Int), "", expect!["1:1: a value is expected"]);
    check(vector(Int), "]", expect!["1:1: a value is expected before `]`"]);
    check(vector(Int), &"[".repeat(100_000), expect!["1:65: more than 64 brackets in one another"]);
    check(vector(Int), "[é", expect!["1:3: `]` is missing"]);
}

#[test]
fn text_is_read_by_its_type() {
    use Scalar::*;
    assert_eq!(text(vector(Float), "1 2\n3.5\n\n"), "[1.0f,2.0f,3.5f]");
    assert_eq!(text(vector(Float), ""), "[]");
    assert_eq!(text(scalar_ty(Int), "\n 7 \n"), "7");
    assert_eq!(text(vector(Int), "; a comment\n1 ; one\n2"), "[1,2]");
    assert_eq!(text(vector(Int), "1\r\n2\r\n"), "[1,2]");
    assert_eq!(text(vector(Bool), "true false 1 0"), "[true,false,true,false]");
    assert_eq!(text(matrix(Int), "1 2\n\n3 4\n"), "[[1,2],[3,4]]");
    assert_eq!(text(matrix(Int), "\n\n"), "[[],[]]");
    assert_eq!(text(matrix(Int), ""), "[]");
    assert_eq!(text(ragged(Int), "1 2\n\n3\n"), "[[1,2],[],[3]]");
    assert_eq!(text(pairs(), "1 0.5\n2 1.5\n"), "[(1,0.5f),(2,1.5f)]");
    assert_eq!(text(Ty::tuple(vec![Ty::int(), Ty::bool()]), "1\ntrue"), "(1,true)");
    assert_eq!(text(Ty::array(vec_ty(2), n()), "1 2\n3 4"), "[<1.0f,2.0f>,<3.0f,4.0f>]");
    let cube = Ty::array(matrix(Int), Size::nat(2));
    assert_eq!(text(cube.clone(), "\n1 2\n3 4\n\n\n5 6\n7 8\n\n"), "[[[1,2],[3,4]],[[5,6],[7,8]]]");
    let four = Ty::array(cube, Size::nat(2));
    assert_eq!(text(four, "1\n\n2\n\n\n3\n\n4\n"), "[[[[1]],[[2]]],[[[3]],[[4]]]]");
    // A length hidden outside all rows is the same for all.
    let x = bound(0, "X");
    let same = Ty::exists(vec![x.clone()], Ty::array(Ty::array(Ty::int(), Size::var(x)), n()));
    expect!["2:1: the rows are not equally long: this line has 1 element, line 1 has 2 elements"]
        .assert_eq(&text(same, "1 2\n3"));
}

#[test]
fn text_that_is_wrong_says_where() {
    use Scalar::*;
    let check = |ty: Ty, input: &str, expected: Expect| expected.assert_eq(&text(ty, input));
    check(vector(Int), "1 2\n  x 4", expect!["2:3: `x` is not an Int"]);
    check(vector(Int), "1,2", expect!["1:1: `1,2` is not an Int; numbers are separated by white space"]);
    check(vector(Float), "1 é 2", expect!["1:3: `é` is not a Float"]);
    check(
        matrix(Int),
        "1 2\n3\n",
        expect!["2:1: the rows are not equally long: this line has 1 element, line 1 has 2 elements"],
    );
    check(pairs(), "1 0.5\n2\n", expect!["2:1: an element has 2 numbers; 1 are left over at the end of the line"]);
    check(pairs(), "1 0.5 2 1.5\n", expect!["1:1: an element has 2 numbers, this line 4"]);
    check(scalar_ty(Int), "", expect!["one `Int` is expected, but there is nothing"]);
    check(scalar_ty(Int), "1 2", expect!["one `Int` is expected, not 2"]);
    check(
        vector(Int),
        &format!("1 {}", "9".repeat(1000)),
        expect!["1:3: `9999999999999999999999999999999999999999…` does not fit Int (-2147483648 to 2147483647)"],
    );
    let odd = Ty::array(Ty::tuple(vec![Ty::int(), vector(Int)]), n());
    check(
        odd,
        "1",
        expect![
            "a value of type `Array[(Int, Array[Int,N]),N]` cannot be read from text; write it as a literal: `[(1, [2, 3])]`"
        ],
    );
}

#[test]
fn regular_arrays_become_values_of_their_type() {
    use Scalar::*;
    assert_eq!(flat(vector(Int), &[3], int_data(3)), "[0,1,2]");
    assert_eq!(flat(matrix(Int), &[2, 3], int_data(6)), "[[0,1,2],[3,4,5]]");
    assert_eq!(flat(matrix(Int), &[0, 3], int_data(0)), "[]");
    assert_eq!(flat(matrix(Int), &[2, 0], int_data(0)), "[[],[]]");
    assert_eq!(flat(scalar_ty(Int), &[], int_data(1)), "0");
    assert_eq!(flat(scalar_ty(Int), &[1], int_data(1)), "0");
    assert_eq!(flat(ragged(Int), &[2, 2], int_data(4)), "[[0,1],[2,3]]");
    let same = Ty::array(Ty::tuple(vec![Ty::int(), Ty::int()]), n());
    assert_eq!(flat(same, &[2, 2], int_data(4)), "[(0,1),(2,3)]");
    let floats = ArrayValue::Float(vec![0.0, 1.0, 2.0, 3.0]);
    assert_eq!(flat(Ty::array(vec_ty(2), n()), &[2, 2], floats), "[<0.0f,1.0f>,<2.0f,3.0f>]");
}

#[test]
fn arrays_of_another_form_or_type_are_refused() {
    use Scalar::*;
    let check = |ty: Ty, dims: &[usize], data: ArrayValue, expected: Expect| expected.assert_eq(&flat(ty, dims, data));
    check(
        vector(Float),
        &[2],
        ArrayValue::Double(vec![0.0; 2]),
        expect![[
            r#"Float (NumPy's float32) is expected, but the elements are Double (float64); convert them, as in `xs.astype("float32")`"#
        ]],
    );
    check(
        vector(Int),
        &[2, 3],
        int_data(6),
        expect!["`Array[Int,N]` is expected, which has 1 dimension; the array has shape (2, 3)"],
    );
    check(
        matrix(Int),
        &[6],
        int_data(6),
        expect!["`Array[Array[Int,M],N]` is expected, which has 2 dimensions; the array has shape (6,)"],
    );
    check(
        scalar_ty(Int),
        &[2],
        int_data(2),
        expect!["`Int` is expected, which has 0 dimensions; the array has shape (2,)"],
    );
    check(
        Ty::array(vec_ty(4), n()),
        &[2, 3],
        ArrayValue::Float(vec![0.0; 6]),
        expect!["`Vec[Float,4]` has 4 numbers; the array has shape (2, 3), where the last dimension is 3"],
    );
    check(
        vector(Int),
        &[usize::MAX, 2],
        int_data(6),
        expect!["the shape (18446744073709551615, 2) does not go with 6 elements"],
    );
    check(
        pairs(),
        &[3, 2],
        int_data(6),
        expect![[
            r#"Float (NumPy's float32) is expected, but the elements are Int (int32); convert them, as in `xs.astype("float32")`"#
        ]],
    );
}

#[test]
fn values_become_regular_arrays_where_they_are() {
    use Scalar::*;
    let back = |ty: Ty, text: &str| {
        let value = literal::parse(&ty, text).expect("reads");
        match flat::flat_from_value(&ty, &value) {
            Ok(flat) => format!("{:?} {}", flat.dims, show(&Value::Array(flat.data))),
            Err(e) => e.to_string(),
        }
    };
    assert_eq!(back(scalar_ty(Float), "1"), "[] [1.0f]");
    assert_eq!(back(vector(Bool), "[true,false]"), "[2] [true,false]");
    assert_eq!(back(matrix(Int), "[[1,2],[3,4]]"), "[2, 2] [1,2,3,4]");
    assert_eq!(back(matrix(Int), "[]"), "[0, 0] []");
    assert_eq!(back(Ty::array(vec_ty(4), n()), "[]"), "[0, 4] []");
    assert_eq!(back(ragged(Int), "[[1,2],[3,4]]"), "[2, 2] [1,2,3,4]");
    expect!["the rows of the result are not equally long (row 0 has 2 elements, row 2 has 0 elements), as they are in `.npy` files and pictures; write it as `.npz`, as Arrow or as text"]
        .assert_eq(&back(ragged(Int), "[[1,2],[1,2],[]]"));
    expect!["a value of type `Array[(Int, Float),N]` is not a regular array of one element type, as `.npy` files and pictures are; write it as `.npz`, as Arrow or as text"]
        .assert_eq(&back(pairs(), "[]"));
}

#[test]
fn iota_counts_in_row_major_order() {
    use Scalar::*;
    let iota = |ty: Ty| shown(generate(Generator::Iota, &ty, &at(3, 2)));
    assert_eq!(iota(vector(Int)), "[0,1,2]");
    assert_eq!(iota(matrix(Float)), "[[0.0f,1.0f],[2.0f,3.0f],[4.0f,5.0f]]");
    assert_eq!(iota(vector(Bool)), "[false,true,false]");
    assert_eq!(iota(scalar_ty(Long)), "0L");
    assert_eq!(iota(pairs()), "[(0,0.0f),(1,1.0f),(2,2.0f)]");
    assert_eq!(iota(Ty::array(vec_ty(2), n())), "[<0.0f,1.0f>,<2.0f,3.0f>,<4.0f,5.0f>]");
    let rows_of_pairs = Ty::array(Ty::array(Ty::tuple(vec![Ty::int(), vec_ty(2)]), Size::nat(2)), Size::nat(2));
    assert_eq!(iota(rows_of_pairs), "[[(0,<0.0f,1.0f>),(1,<2.0f,3.0f>)],[(2,<4.0f,5.0f>),(3,<6.0f,7.0f>)]]");
    // Array[i => Array[Int,i+1],N]
    let i = Var::new(VarKind::Position, 0, "i");
    let row = Ty::array(Ty::int(), Size::var(i.clone()) + Size::one());
    assert_eq!(iota(Ty::dependent_array(i, row, n())), "[[0],[1,2],[3,4,5]]");
}

#[test]
fn what_cannot_be_made_is_an_error() {
    let iota = |ty: Ty, n, m| shown(generate(Generator::Iota, &ty, &at(n, m)));
    expect!["the length of a `<∃X, Array[Int,X]>` is not known, so it cannot be generated; give a file or a literal"]
        .assert_eq(&iota(ragged(Scalar::Int), 2, 2));
    expect!["10000000000 numbers would have to be made; at most 1073741824 can be"].assert_eq(&iota(
        matrix(Scalar::Int),
        100_000,
        100_000,
    ));
    expect!["1000000000000 numbers would have to be made; at most 1073741824 can be"].assert_eq(&iota(
        matrix(Scalar::Int),
        1_000_000_000_000,
        0,
    ));
    let unknown = Ty::array(Ty::int(), Size::var(param(2, "K")));
    expect!["the length K is not known: K has no value"].assert_eq(&iota(unknown, 2, 2));
}

#[test]
fn random_values_depend_on_the_seed_only_and_are_spread() {
    let random = |seed, s| generate(Generator::Random { seed }, &vector(s), &at(10_000, 0)).expect("made");
    assert_eq!(random(1, Scalar::Float), random(1, Scalar::Float));
    assert_ne!(random(1, Scalar::Float), random(2, Scalar::Float));
    let (Value::Array(ArrayValue::Float(xs)), Value::Array(ArrayValue::Int(ks))) =
        (random(0, Scalar::Float), random(0, Scalar::Int))
    else {
        panic!("arrays of the type asked for")
    };
    assert!(xs.iter().all(|x| (0.0..1.0).contains(x)) && ks.iter().all(|k| (0..1000).contains(k)));
    let mean = xs.iter().sum::<f32>() / 10_000.0;
    assert!((mean - 0.5).abs() < 0.02, "{mean}");
    let small = ks.iter().filter(|k| **k < 500).count();
    assert!((4_700..5_300).contains(&small), "{small}");
}

#[test]
fn signed_values_are_on_both_sides_of_zero_in_types_that_have_them() {
    let signed = |s| generate(Generator::Signed { seed: 3 }, &vector(s), &at(10_000, 0)).expect("made");
    let bounds = |s| {
        let numbers: Vec<f64> = match signed(s) {
            Value::Array(ArrayValue::Float(xs)) => xs.iter().map(|x| f64::from(*x)).collect(),
            Value::Array(ArrayValue::Double(xs)) => xs,
            Value::Array(ArrayValue::Int(xs)) => xs.iter().map(|x| f64::from(*x)).collect(),
            Value::Array(ArrayValue::Byte(xs)) => xs.iter().map(|x| f64::from(*x)).collect(),
            Value::Array(ArrayValue::UByte(xs)) => xs.iter().map(|x| f64::from(*x)).collect(),
            other => panic!("{other}"),
        };
        let negative = numbers.iter().filter(|x| **x < 0.0).count();
        let (least, most) = numbers.iter().fold((0.0f64, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
        (least, most, (4_700..5_300).contains(&negative))
    };
    for s in [Scalar::Float, Scalar::Double] {
        let (least, most, even) = bounds(s);
        assert!((-1.0..-0.99).contains(&least) && (0.99..1.0).contains(&most) && even, "{s:?}: {least} {most}");
    }
    assert_eq!(bounds(Scalar::Int), (-999.0, 999.0, true));
    assert_eq!(bounds(Scalar::Byte), (-128.0, 127.0, true));
    assert_eq!(bounds(Scalar::UByte), (0.0, 255.0, false));
    let unsigned = |g| generate(g, &vector(Scalar::UInt), &at(100, 0)).expect("made");
    assert_eq!(unsigned(Generator::Signed { seed: 3 }), unsigned(Generator::Random { seed: 3 }));
}

#[test]
fn results_print_as_lines() {
    let check = |ty: Ty, text: &str, expected: Expect| {
        expected.assert_eq(&print::to_text(&literal::parse(&ty, text).expect("reads")));
    };
    use Scalar::*;
    check(
        scalar_ty(Float),
        "2",
        expect![[r#"
        2.0
    "#]],
    );
    check(
        vector(Float),
        "[1e-7, 0.1, 1e20, nan, -inf, 16777216, -0]",
        expect![[r#"
        1e-7
        0.1
        1e20
        NaN
        -inf
        16777216.0
        -0.0
    "#]],
    );
    check(
        vector(Bool),
        "[true, false]",
        expect![[r#"
        true
        false
    "#]],
    );
    check(vector(Int), "[]", expect![[""]]);
    check(
        matrix(Int),
        "[[1,2],[3,4]]",
        expect![[r#"
        1 2
        3 4
    "#]],
    );
    check(
        ragged(Int),
        "[[1,2],[],[3]]",
        expect![[r#"
        1 2

        3
    "#]],
    );
    check(
        pairs(),
        "[(1, 0.5), (2, 1.5)]",
        expect![[r#"
        1 0.5
        2 1.5
    "#]],
    );
    check(
        Ty::array(matrix(Int), n()),
        "[[[1,2],[3,4]],[[5,6],[7,8]]]",
        expect![[r#"
        1 2
        3 4

        5 6
        7 8
    "#]],
    );
    check(
        Ty::array(vec_ty(2), n()),
        "[[1,2],[3,4]]",
        expect![[r#"
        1.0 2.0
        3.0 4.0
    "#]],
    );
    check(
        Ty::tuple(vec![Ty::int(), Ty::bool()]),
        "(1, true)",
        expect![[r#"
        1 true
    "#]],
    );
    check(
        Ty::tuple(vec![vector(Int), matrix(Int), Ty::int()]),
        "([1,2], [[3,4]], 5)",
        expect![[r#"
        1
        2

        3 4

        5
    "#]],
    );
}

#[test]
fn a_long_result_is_cut_on_demand() {
    let value = literal::parse(&vector(Scalar::Int), "[1,2,3]").expect("reads");
    let head = |lines| {
        let mut out = Vec::new();
        let cut = print::write(&mut out, &value, Some(lines)).expect("a vector takes everything");
        (String::from_utf8_lossy(&out).into_owned(), cut)
    };
    assert_eq!(head(2), ("1\n2\n".to_string(), true));
    assert_eq!(head(3), ("1\n2\n3\n".to_string(), false));
}

#[test]
fn printed_text_reads_back_as_the_same_value() {
    let cube = Ty::array(matrix(Scalar::Double), Size::nat(3));
    for (ty, n, m) in [(vector(Scalar::Float), 100, 0), (matrix(Scalar::Long), 5, 7), (cube, 4, 2), (pairs(), 9, 0)] {
        let value = generate(Generator::Random { seed: 5 }, &ty, &at(n, m)).expect("made");
        assert_eq!(text::parse(&ty, &print::to_text(&value)), Ok(value), "{ty}");
    }
}
