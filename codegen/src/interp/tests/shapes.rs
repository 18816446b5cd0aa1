//! Sizes from the shapes of inputs, and inputs that do not match their types.

use super::*;
use expect_test::{Expect, expect};
use lift_analysis::size::{Assumption, Size, Var, VarKind};
use lift_analysis::ty::Ty;

/// Binds the sizes of a kernel with these size and array parameters.
fn bind(
    names: &[&str],
    params: impl FnOnce(&[Size]) -> Vec<(&'static str, Ty)>,
    inputs: Vec<Value>,
    given: &[(&str, i64)],
    expected: Expect,
) {
    let mut b = Builder::new("k");
    let sizes: Vec<Size> = names.iter().map(|n| b.size(n)).collect();
    for (name, ty) in params(&sizes) {
        b.param(name, ty);
    }
    let kernel = b.finish(0);
    let given: Vec<(Var, i64)> = given
        .iter()
        .map(|(name, value)| {
            let id = names.iter().position(|n| n == name).unwrap_or(99) as u32;
            (Var::new(VarKind::Param, id, *name), *value)
        })
        .collect();
    let found = match super::super::bind_sizes(&kernel, &inputs, &given) {
        Ok(env) => {
            let all = kernel.sizes.iter().map(|v| format!("{} = {}", v.name, env.get(v).unwrap_or(-1)));
            all.collect::<Vec<_>>().join(", ")
        }
        Err(e) => format!("{:?}: {e}", e.kind),
    };
    expected.assert_eq(&found);
}

fn ints(n: usize) -> Value {
    Value::from(vec![0i32; n])
}

#[test]
fn from_lengths_and_rows() {
    bind(
        &["N", "M"],
        |s| vec![("xss", array(array(int(), &s[1]), &s[0])), ("ys", array(int(), &s[1]))],
        vec![Value::from(vec![vec![1, 2, 3], vec![4, 5, 6]]), ints(3)],
        &[],
        expect!["N = 2, M = 3"],
    );
}

#[test]
fn from_expressions() {
    let even = |s: &[Size]| vec![("xs", array(int(), &(&s[0] * 2i64)))];
    bind(&["N"], even, vec![ints(6)], &[], expect!["N = 3"]);
    bind(
        &["N"],
        even,
        vec![ints(5)],
        &[],
        expect!["Size: `xs` has 5 elements, but by its type that number is `2*N`, which it is for no `N`"],
    );
    let three_less = |s: &[Size]| vec![("xs", array(int(), &(&s[0] - 3i64)))];
    bind(&["N"], three_less, vec![ints(0)], &[], expect!["N = 3"]);
    let three_more = |s: &[Size]| vec![("xs", array(int(), &(&s[0] + 3i64)))];
    bind(
        &["N"],
        three_more,
        vec![ints(2)],
        &[],
        expect!["Size: `xs` has 2 elements, but by its type that number is `N+3`, which it is for no `N`"],
    );
    let triangle = |s: &[Size]| vec![("xs", array(int(), &(&s[0] * (&s[0] + 1i64)).div_exact(&Size::nat(2))))];
    bind(&["N"], triangle, vec![ints(10)], &[], expect!["N = 4"]);
    bind(&["N"], triangle, vec![ints(0)], &[], expect!["N = 0"]);
    bind(
        &["N"],
        triangle,
        vec![ints(11)],
        &[],
        expect!["Size: `xs` has 11 elements, but by its type that number is `N*(N+1)/2`, which it is for no `N`"],
    );
}

#[test]
fn one_size_after_the_other() {
    let both = |s: &[Size]| vec![("xs", array(int(), &(&s[0] * &s[1]))), ("ys", array(int(), &s[1]))];
    bind(&["N", "M"], both, vec![ints(12), ints(4)], &[], expect!["N = 3, M = 4"]);
    bind(
        &["N", "M"],
        both,
        vec![ints(12), ints(5)],
        &[],
        expect!["Size: `xs` has 12 elements, but by its type that number is `N*M`, which it is for no `N` with M = 5"],
    );
    bind(
        &["N", "M"],
        both,
        vec![ints(0), ints(0)],
        &[],
        expect![
            "Size: the size `N` does not follow from the shapes of the inputs: `xs` has 0 elements, which is `N*M`; give it, as in `--size N=16`"
        ],
    );
    let at_least = |s: &[Size]| vec![("xs", array(int(), &Size::max(&Size::nat(5), &s[0])))];
    bind(&["N"], at_least, vec![ints(7)], &[], expect!["N = 7"]);
    bind(
        &["N"],
        at_least,
        vec![ints(5)],
        &[],
        expect![
            "Size: the size `N` does not follow from the shapes of the inputs: `xs` has 5 elements, which is `max(N,5)`; give it, as in `--size N=16`"
        ],
    );
    bind(&["N"], at_least, vec![ints(5)], &[("N", 2)], expect!["N = 2"]);
    bind(
        &["N"],
        at_least,
        vec![ints(4)],
        &[],
        expect!["Size: `xs` has 4 elements, but by its type that number is `max(N,5)`, which it is for no `N`"],
    );
    bind(&["N", "M"], both, vec![ints(0), ints(0)], &[("N", 7)], expect!["N = 7, M = 0"]);
}

#[test]
fn sizes_that_disagree_name_both_parameters() {
    let same = |s: &[Size]| vec![("xs", array(int(), &s[0])), ("ys", array(int(), &s[0]))];
    bind(
        &["N"],
        same,
        vec![ints(4), ints(5)],
        &[],
        expect!["Size: the sizes disagree: `N` is 4 by `xs`, but `ys` has 5 elements"],
    );
    bind(
        &["N"],
        same,
        vec![ints(4), ints(4)],
        &[("N", 3)],
        expect!["Size: the sizes disagree: `N` is given as 3, but `xs` has 4 elements"],
    );
    let double = |s: &[Size]| vec![("xs", array(int(), &s[0])), ("ys", array(int(), &(&s[0] * 2i64)))];
    bind(
        &["N"],
        double,
        vec![ints(4), ints(4)],
        &[],
        expect!["Size: the sizes disagree: `N` is 4 by `xs`, so that `2*N` is 8, but `ys` has 4 elements"],
    );
    let rows = |s: &[Size]| vec![("xs", array(int(), &s[0])), ("yss", array(array(int(), &s[0]), &s[0]))];
    bind(
        &["N"],
        rows,
        vec![ints(2), Value::from(vec![vec![1, 2, 3], vec![4, 5, 6]])],
        &[],
        expect!["Size: the sizes disagree: `N` is 2 by `xs`, but the rows of `yss` have 3 elements"],
    );
    let fixed = |_: &[Size]| vec![("xs", array(int(), &Size::nat(3)))];
    bind(&[], fixed, vec![ints(4)], &[], expect!["Size: `xs` has 4 elements, but its type says 3"]);
}

#[test]
fn given_sizes() {
    let none = |_: &[Size]| Vec::new();
    bind(&["N"], none, Vec::new(), &[("N", 5)], expect!["N = 5"]);
    bind(
        &["N"],
        none,
        Vec::new(),
        &[],
        expect!["Size: the size `N` does not follow from the shapes of the inputs; give it, as in `--size N=16`"],
    );
    bind(
        &["N"],
        none,
        Vec::new(),
        &[("N", -5)],
        expect!["Size: the size `N` is given as -5, but a size is not negative"],
    );
    bind(&["N"], none, Vec::new(), &[("N", 5), ("N", 6)], expect!["Size: the size `N` is given twice, as 5 and as 6"]);
    bind(&["N"], none, Vec::new(), &[("N", 5), ("K", 6)], expect!["Size: `k` has no size parameter `K`"]);
}

#[test]
fn rows_of_different_lengths_where_equal_ones_are_declared() {
    let rows = |s: &[Size]| vec![("xss", array(array(int(), &s[1]), &s[0]))];
    bind(
        &["N", "M"],
        rows,
        vec![Value::from(vec![vec![1, 2], vec![3, 4], vec![5]])],
        &[],
        expect![
            "Input: input `xss` does not fit its type `Array[Array[Int,M],N]`: its rows are not equally long: row 0 has 2 elements, row 2 has 1"
        ],
    );
    bind(
        &["N", "M"],
        rows,
        vec![Value::rows([])],
        &[],
        expect!["Size: the size `M` does not follow from the shapes of the inputs; give it, as in `--size M=16`"],
    );
    bind(&["N", "M"], rows, vec![Value::rows([])], &[("M", 2)], expect!["N = 0, M = 2"]);
}

#[test]
fn position_dependent_rows() {
    let i = Var::new(VarKind::Position, 0, "i");
    let triangle = |s: &[Size]| {
        vec![("xss", Ty::dependent_array(i.clone(), array(int(), &(Size::var(i.clone()) + 1i64)), s[0].clone()))]
    };
    bind(&["N"], triangle, vec![Value::from(vec![vec![1], vec![1, 2], vec![1, 2, 3]])], &[], expect!["N = 3"]);
    bind(
        &["N"],
        triangle,
        vec![Value::from(vec![vec![1], vec![1]])],
        &[],
        expect!["Size: the rows of `xss` have 1 element, but its type says 2"],
    );
}

#[test]
fn hidden_lengths_bind_nothing() {
    let rows = |s: &[Size]| vec![("xss", array(dynamic_array(int()), &s[0]))];
    bind(&["N"], rows, vec![Value::from(vec![vec![1, 2], vec![3]])], &[], expect!["N = 2"]);
}

#[test]
fn inputs_of_other_types() {
    let floats = |s: &[Size]| vec![("xs", array(float(), &s[0]))];
    bind(
        &["N"],
        floats,
        vec![ints(3)],
        &[],
        expect![
            "Input: input `xs` does not fit its type `Array[Float,N]`: `Array[Float,N]` is expected, but this is an array of 3 `Int`"
        ],
    );
    bind(
        &["N"],
        floats,
        vec![Value::from(2.0f32)],
        &[],
        expect![
            "Input: input `xs` does not fit its type `Array[Float,N]`: `Array[Float,N]` is expected, but this is a `Float`"
        ],
    );
    bind(
        &["N"],
        floats,
        vec![Value::from(vec![vec![2.0f32]])],
        &[],
        expect![
            "Input: input `xs` does not fit its type `Array[Float,N]`: in row 0, `Float` is expected, but this is an array of 1 `Float`"
        ],
    );
    let rows = |s: &[Size]| vec![("xss", array(array(float(), &s[0]), &s[0]))];
    bind(
        &["N"],
        rows,
        vec![Value::from(vec![2.0f32, 3.0])],
        &[],
        expect![
            "Input: input `xss` does not fit its type `Array[Array[Float,N],N]`: `Array[Array[Float,N],N]` is expected, but this is an array of 2 `Float`"
        ],
    );
    let pair = |_: &[Size]| vec![("p", Ty::tuple(vec![int(), float()]))];
    bind(&[], pair, vec![Value::Tuple(vec![1.into(), 2.0f32.into()])], &[], expect![""]);
    bind(
        &[],
        pair,
        vec![Value::Tuple(vec![1.into()])],
        &[],
        expect![
            "Input: input `p` does not fit its type `(Int, Float)`: `(Int, Float)` is expected, but this is a tuple of 1"
        ],
    );
}

#[test]
fn too_many_or_too_few_inputs() {
    let two = |s: &[Size]| vec![("xs", array(int(), &s[0])), ("ys", array(int(), &s[0]))];
    bind(&["N"], two, vec![ints(1)], &[], expect!["Input: `k` takes 2 inputs (`xs`, `ys`), but one is given"]);
    bind(
        &["N"],
        two,
        vec![ints(1), ints(1), ints(1)],
        &[],
        expect!["Input: `k` takes 2 inputs (`xs`, `ys`), but 3 are given"],
    );
    bind(&[], |_| Vec::new(), vec![ints(1)], &[], expect!["Input: `k` takes no inputs, but one is given"]);
}

#[test]
fn assumptions_are_checked_before_anything_is_evaluated() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    b.assume(Assumption::Divides { divisor: Size::nat(4), value: n.clone() });
    let ys = b.map(Level::Auto, &xs, |b, x| b.div(1, x));
    let yss = b.split(4u64, &ys);
    let kernel = b.finish(&yss);
    expect!["error: the program relies on `4 divides N`, which is false for N = 6"]
        .assert_eq(&run_on(&kernel, vec![ints(6)]));
    expect!["error: division by zero"].assert_eq(&run_on(&kernel, vec![ints(8)]));
    expect!["[[1, 1, 0, 0]]"].assert_eq(&run_on(&kernel, vec![Value::from(vec![1, 1, 2, 3])]));
}

#[test]
fn scalars_and_empty_arrays_of_any_writing() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let (xs, a) = (b.param("xs", array(float(), &n)), b.param("a", float()));
    let ys = b.map(Level::Auto, &xs, |b, x| b.mul(x, &a));
    let kernel = b.finish(&ys);
    assert_eq!(run_on(&kernel, vec![Value::from(vec![1.0f32, 2.0]), Value::from(0.5f32)]), "[0.5, 1.0]");
    assert_eq!(run_on(&kernel, vec![Value::rows([]), Value::from(0.5f32)]), "[]");
    assert_eq!(run_on(&kernel, vec![ints(0), Value::from(0.5f32)]), "[]");
}
