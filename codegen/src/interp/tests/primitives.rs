//! Every primitive.

use super::*;
use expect_test::expect;
use lift_analysis::hir::Scalar;

fn add(b: &mut Builder, x: &Atom, y: &Atom) -> Atom {
    b.add(x, y)
}

#[test]
fn map_at_every_level() {
    for level in [Level::Auto, Level::Seq, Level::Glb(1), Level::Wrg(0), Level::Lcl(2)] {
        let result = on_ints([1, 2, 3], |b, xs| b.map(level, xs, |b, x| b.mul(x, x)));
        assert_eq!(result, "[1, 4, 9]");
    }
    assert_eq!(on_ints([], |b, xs| b.map(Level::Auto, xs, |b, x| b.mul(x, x))), "[]");
}

#[test]
fn map_may_change_the_element_type() {
    let result = on_ints([1, -2], |b, xs| {
        b.map(Level::Auto, xs, |b, x| {
            let positive = b.gt(x, 0);
            let half = b.op(ScalarOp::To(Scalar::Float), &[x.clone()]);
            b.tuple(&[positive, half])
        })
    });
    assert_eq!(result, "[(true, 1.0), (false, -2.0)]");
}

#[test]
fn reduce_is_a_left_fold_with_the_first_argument_in_front() {
    let folded = |prim: Prim, m: &[u64]| {
        on_ints(1..=6, |b, xs| {
            b.fold(prim, &sizes(m), 1, xs, |b, acc, x| {
                let ten = b.mul(acc, 10);
                b.add(&ten, x)
            })
        })
    };
    assert_eq!(folded(Prim::Reduce(Level::Auto), &[]), "[1123456]");
    assert_eq!(folded(Prim::Scan(Level::Auto), &[]), "[11, 112, 1123, 11234, 112345, 1123456]");
    assert_eq!(folded(Prim::ScanExcl(Level::Auto), &[]), "[1, 11, 112, 1123, 11234, 112345]");
    assert_eq!(folded(Prim::PartRed, &[2]), "[1123, 1456]");
}

#[test]
fn folds_of_nothing() {
    assert_eq!(on_ints([], |b, xs| b.reduce(Level::Seq, 7, xs, add)), "[7]");
    assert_eq!(on_ints([], |b, xs| b.fold(Prim::Scan(Level::Seq), &[], 7, xs, add)), "[]");
    assert_eq!(on_ints([], |b, xs| b.fold(Prim::ScanExcl(Level::Auto), &[], 7, xs, add)), "[]");
    assert_eq!(on_ints([], |b, xs| b.fold(Prim::PartRed, &sizes(&[3]), 7, xs, add)), "[7, 7, 7]");
}

#[test]
fn the_accumulator_of_a_sequential_reduction_has_a_type_of_its_own() {
    let result = on_array(float(), Value::from(vec![1.0f32, -1.0, 2.0]), |b, xs| {
        b.reduce(Level::Seq, 0, xs, |b, count, x| {
            let positive = b.gt(x, 0.0f32);
            let count = count.clone();
            b.if_(&positive, |b| b.add(&count, 1), |_| count.clone())
        })
    });
    assert_eq!(result, "[2]");
}

#[test]
fn reduce_while_tests_before_each_element() {
    let result = |limit: i32| {
        on_ints([5, 6, 7], |b, xs| {
            let test = b.lambda(&[int()], |b, acc| b.lt(&acc[0], limit));
            let f = b.lambda(&[int(), int()], |b, p| b.add(&p[0], &p[1]));
            b.prim(Prim::ReduceWhileSeq, &[], vec![test, f], &[0.into(), xs.clone()])
        })
    };
    assert_eq!(result(6), "[11]");
    assert_eq!(result(0), "[0]");
    assert_eq!(result(100), "[18]");
}

#[test]
fn iterate_while_runs_as_long_as_the_test_holds() {
    let result = closed(|b| {
        let test = b.lambda(&[int()], |b, x| b.lt(&x[0], 100));
        let f = b.lambda(&[int()], |b, x| b.mul(&x[0], 2));
        b.prim(Prim::IterateWhile, &[], vec![test, f], &[3.into()])
    });
    assert_eq!(result, "192");
}

#[test]
fn filter_keeps_the_order() {
    let evens = |b: &mut Builder, x: &Atom| {
        let r = b.rem(x, 2);
        b.eq(&r, 0)
    };
    assert_eq!(on_ints([6, 1, 4, 3, 2], |b, xs| b.filter(Level::Glb(0), xs, evens)), "[6, 4, 2]");
    assert_eq!(on_ints([1, 3], |b, xs| b.filter(Level::Seq, xs, evens)), "[]");
}

#[test]
fn iterate_with_one_function_for_each_length() {
    let result = on_ints(1..=8, |b, _| {
        let xs = b.iota(8u64);
        let halving = |b: &mut Builder, n: u64| {
            b.lambda(&[array(int(), &n.into())], |b, p| {
                let pairs = b.split(2u64, &p[0]);
                let sums = b.map(Level::Seq, &pairs, |b, pair| b.reduce(Level::Seq, 0, pair, add));
                b.join(&sums)
            })
        };
        let funs = vec![halving(b, 8), halving(b, 4), halving(b, 2)];
        b.prim(Prim::Iterate, &sizes(&[3]), funs, &[xs])
    });
    assert_eq!(result, "[28]");
}

#[test]
fn iterate_with_one_function_for_all_rounds() {
    let mut b = Builder::new("test");
    let (n, k) = (b.size("N"), b.size("K"));
    let xs = b.param("xs", array(int(), &n));
    b.param("ks", array(int(), &k));
    let f = b.lambda(&[array(int(), &n)], |b, p| b.map(Level::Auto, &p[0], |b, x| b.mul(x, 3)));
    let ys = b.prim(Prim::Iterate, &[k], vec![f], &[xs]);
    let kernel = b.finish(&ys);
    assert_eq!(run_on(&kernel, vec![Value::from(vec![1, 2]), Value::from(vec![0; 4])]), "[81, 162]");
    assert_eq!(run_on(&kernel, vec![Value::from(vec![1, 2]), Value::from(vec![0; 0])]), "[1, 2]");
}

#[test]
fn zip_and_unzip() {
    let result = on_ints([1, 2], |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.gt(x, 1));
        b.zip(&[xs.clone(), ys, xs.clone()])
    });
    assert_eq!(result, "[(1, false, 1), (2, true, 2)]");
    let result = on_ints([1, 2], |b, xs| {
        let ys = b.map(Level::Auto, xs, |b, x| b.gt(x, 1));
        let zipped = b.zip(&[xs.clone(), ys]);
        b.view(Prim::Unzip, &[], &[zipped])
    });
    assert_eq!(result, "([1, 2], [false, true])");
}

#[test]
fn views_of_one_array() {
    let view = |prim: Prim, s: &[u64]| on_ints(0..6, |b, xs| b.view(prim, &sizes(s), &[xs.clone()]));
    expect!["[[0, 1, 2], [3, 4, 5]]"].assert_eq(&view(Prim::Split, &[3]));
    expect!["[[0, 1], [2, 3], [4, 5]]"].assert_eq(&view(Prim::Slide, &[2, 2]));
    expect!["[[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]"].assert_eq(&view(Prim::Slide, &[4, 1]));
    expect!["[[0, 1, 2, 3, 4, 5]]"].assert_eq(&view(Prim::Slide, &[6, 5]));
    expect!["[5, 4, 3, 2, 1, 0]"].assert_eq(&view(Prim::Reverse, &[]));
    expect!["[0, 2, 4, 1, 3, 5]"].assert_eq(&view(Prim::Stride, &[2]));
    expect!["[0, 1]"].assert_eq(&view(Prim::Take, &[2]));
    expect!["[4, 5]"].assert_eq(&view(Prim::Drop, &[4]));
    expect!["[]"].assert_eq(&view(Prim::Drop, &[6]));
    expect!["[2, 3, 4]"].assert_eq(&view(Prim::Slice, &[2, 3]));
    expect!["0"].assert_eq(&view(Prim::Head, &[]));
    expect!["5"].assert_eq(&view(Prim::Last, &[]));
    expect!["[1, 2, 3, 4, 5]"].assert_eq(&view(Prim::Tail, &[]));
    expect!["6"].assert_eq(&view(Prim::Length, &[]));
    expect!["[<0, 1>, <2, 3>, <4, 5>]"].assert_eq(&view(Prim::AsVector, &[2]));
}

#[test]
fn pad_in_every_mode_also_beyond_the_length_of_the_array() {
    let pad = |mode, l, r, n| on_ints(0..n, |b, xs| b.view(Prim::Pad(mode), &sizes(&[l, r]), &[xs.clone()]));
    expect!["[0, 0, 0, 1, 2, 2]"].assert_eq(&pad(PadMode::Clamp, 2, 1, 3));
    expect!["[1, 0, 0, 1, 2, 2]"].assert_eq(&pad(PadMode::Mirror, 2, 1, 3));
    expect!["[1, 2, 0, 1, 2, 0]"].assert_eq(&pad(PadMode::Wrap, 2, 1, 3));
    expect!["[0, 1, 1, 0, 0, 1, 1, 0, 0]"].assert_eq(&pad(PadMode::Mirror, 4, 3, 2));
    expect!["[0, 1, 0, 1, 0, 1, 0]"].assert_eq(&pad(PadMode::Wrap, 2, 3, 2));
    let constant = on_ints(1..3, |b, xs| b.view(Prim::PadConstant, &sizes(&[2, 1]), &[9.into(), xs.clone()]));
    assert_eq!(constant, "[9, 9, 1, 2, 9]");
    let empty = on_ints([], |b, xs| b.view(Prim::PadConstant, &sizes(&[1, 1]), &[9.into(), xs.clone()]));
    assert_eq!(empty, "[9, 9]");
}

#[test]
fn join_concat_and_transpose() {
    assert_eq!(
        on_ints(0..6, |b, xs| {
            let s = b.split(2u64, xs);
            b.join(&s)
        }),
        "[0, 1, 2, 3, 4, 5]"
    );
    assert_eq!(
        on_ints(0..6, |b, xs| {
            let s = b.split(2u64, xs);
            b.transpose(&s)
        }),
        "[[0, 2, 4], [1, 3, 5]]"
    );
    assert_eq!(on_ints(0..2, |b, xs| b.view(Prim::Concat, &[], &[xs.clone(), xs.clone()])), "[0, 1, 0, 1]");
}

#[test]
fn the_transpose_of_no_rows_has_as_many_as_the_type_says() {
    let mut b = Builder::new("test");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(int(), &m), &n));
    let yss = b.transpose(&xss);
    let kernel = b.finish(&yss);
    let given = [(kernel.sizes[1].clone(), 3)];
    assert_eq!(outcome(run(&kernel, vec![Value::rows([])], &given, Limits::default())), "[[], [], []]");
}

#[test]
fn permutations_read_and_write() {
    let rotated = |b: &mut Builder, i: &Atom| {
        let j = b.add(i, 1);
        b.rem(&j, 4)
    };
    assert_eq!(on_ints([10, 11, 12, 13], |b, xs| b.permute(Prim::Gather, xs, rotated)), "[11, 12, 13, 10]");
    assert_eq!(on_ints([10, 11, 12, 13], |b, xs| b.permute(Prim::Scatter, xs, rotated)), "[13, 10, 11, 12]");
}

#[test]
fn arrays_out_of_nothing() {
    assert_eq!(closed(|b| b.iota(4u64)), "[0, 1, 2, 3]");
    assert_eq!(closed(|b| b.iota(0u64)), "[]");
    assert_eq!(closed(|b| b.generate(3u64, |b, i| b.mul(i, i))), "[0, 1, 4]");
    assert_eq!(closed(|b| b.view(Prim::Fill, &sizes(&[2]), &[1.5f64.into()])), "[1.5, 1.5]");
}

#[test]
fn arrays_of_a_computed_length() {
    assert_eq!(closed(|b| b.view(Prim::Iota, &[], &[3.into()])), "[0, 1, 2]");
    assert_eq!(closed(|b| b.view(Prim::Fill, &[], &[2.into(), true.into()])), "[true, true]");
    let squares = closed(|b| {
        let f = b.lambda(&[int()], |b, i| b.mul(&i[0], &i[0]));
        b.prim(Prim::Generate, &[], vec![f], &[3.into()])
    });
    assert_eq!(squares, "[0, 1, 4]");
}

#[test]
fn aref_reads_one_element() {
    assert_eq!(on_ints([7, 8, 9], |b, xs| b.aref(xs, 2)), "9");
}

/// Sorts pairs by their first component, to show that the sort is stable.
fn sort_pairs(prim: Prim) -> String {
    on_ints([31, 12, 32, 11, 33, 20], |b, xs| {
        let f = b.lambda(&[int(), int()], |b, p| {
            let (x, y) = (b.div(&p[0], 10), b.div(&p[1], 10));
            b.lt(&x, &y)
        });
        b.prim(prim, &[], vec![f], &[xs.clone()])
    })
}

#[test]
fn sorting_is_stable() {
    assert_eq!(sort_pairs(Prim::Sort), "[12, 11, 20, 31, 32, 33]");
    assert_eq!(sort_pairs(Prim::Argsort), "[1, 3, 5, 0, 2, 4]");
}

#[test]
fn sorting_ends_also_with_a_function_that_is_no_order() {
    let result = on_ints([3, 1, 2], |b, xs| {
        let f = b.lambda(&[int(), int()], |_, _| true.into());
        b.prim(Prim::Sort, &[], vec![f], &[xs.clone()])
    });
    assert_eq!(result.len(), "[1, 2, 3]".len());
}

#[test]
fn searching() {
    let search = |prim: Prim, key: i32| {
        on_ints([10, 20, 30, 40, 50], |b, xs| {
            let f = b.lambda(&[int()], |b, x| b.sub(key, &x[0]));
            b.prim(prim, &[], vec![f], &[xs.clone()])
        })
    };
    for (key, at) in [(10, "0"), (30, "2"), (50, "4"), (35, "-1"), (0, "-1"), (60, "-1")] {
        assert_eq!(search(Prim::Search, key), at);
        assert_eq!(search(Prim::LSearch, key), at);
    }
}

#[test]
fn vectors() {
    let result = on_ints(0..4, |b, xs| {
        let vs = b.view(Prim::AsVector, &sizes(&[2]), &[xs.clone()]);
        let doubled = b.map(Level::Auto, &vs, |b, v| {
            let f = b.lambda(&[int(), int()], |b, p| b.add(&p[0], &p[1]));
            b.prim(Prim::Vectorize, &sizes(&[2]), vec![f], &[v.clone(), v.clone()])
        });
        b.view(Prim::AsScalar, &[], &[doubled])
    });
    assert_eq!(result, "[0, 2, 4, 6]");
}

#[test]
fn a_place_changes_nothing() {
    assert_eq!(on_ints([1, 2], |b, xs| b.store(Space::Local, xs)), "[1, 2]");
}

#[test]
fn a_million_elements() {
    let mut b = Builder::new("test");
    let n = b.size("N");
    let xs = b.param("xs", array(float(), &n));
    let ys = b.map(Level::Auto, &xs, |b, x| {
        let y = b.mul(x, 2.0f32);
        b.add(&y, 1.0f32)
    });
    let input = Value::from((0..1 << 20).map(|i| i as f32).collect::<Vec<_>>());
    let result = run(&b.finish(&ys), vec![input], &[], Limits::default());
    let expected = (0..1 << 20).map(|i| i as f32 * 2.0 + 1.0).collect::<Vec<f32>>();
    assert_eq!(result, Ok(Value::from(expected)));
}

/// The rule for `partRed` splits an array without elements into rows without elements.
#[test]
fn a_partial_reduction_of_nothing_is_what_it_is_rewritten_to() {
    let mut b = Builder::new("parts");
    let n = b.size("N");
    let xs = b.param("xs", array(int(), &n));
    let result = b.fold(Prim::PartRed, &sizes(&[3]), 7, &xs, add);
    let kernel = b.finish(&result);
    let stages = crate::schedule::after_each_rewrite(&kernel, &crate::target::Target::portable());
    let (_, rewritten) = stages.iter().find(|(rule, _)| *rule == "partRed").expect("the rule applies");
    let run = |k: &Kernel| run_on(k, vec![Value::from(Vec::<i32>::new())]);
    assert_eq!((run(rewritten), run(&kernel)), ("[7, 7, 7]".into(), "[7, 7, 7]".into()));
}
