//! Maps with a strategy for the shape of their function, on the devices that have one, compared with the interpreter.

use super::tiles::{not_tiled, tiled};
use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, PadMode, Prim};

/// For each x, folds a function of x and each y: an index of y, so that all differ, and its components.
fn meetings(level: Level, parts: usize) -> Kernel {
    let mut b = Builder::new("meetings");
    let (n, k) = (b.size("N"), b.size("K"));
    let xs = b.param("xs", array(int(), &n));
    let columns: Vec<Atom> = (0..parts).map(|i| b.param(&format!("y{i}"), array(int(), &k))).collect();
    let ys = if parts == 1 { columns[0].clone() } else { b.zip(&columns) };
    let result = b.map(Level::Auto, &xs, |b, x| {
        let met = b.map(Level::Auto, &ys, |b, y| {
            let mut sum = x.clone();
            for i in 0..parts {
                let part = if parts == 1 { y.clone() } else { b.proj(y, i) };
                sum = b.mul(&sum, 3);
                sum = b.add(&sum, &part);
            }
            sum
        });
        // Neither commutative nor associative: the order of all elements matters.
        let fold = b.fold(Prim::Reduce(level), &[], 7, &met, |b, a, y| {
            let a = b.mul(a, 5);
            b.sub(&a, y)
        });
        let fold = b.view(Prim::Head, &[], &[fold]);
        b.add(&fold, x)
    });
    b.finish(&result)
}

#[test]
fn pairs_meet_in_local_memory() {
    for parts in [1, 3, 5] {
        let kernel = meetings(Level::Seq, parts);
        // Chunks have 256 elements: one, none, less than one, whole ones, a remainder.
        let inputs = [(3, 1), (5, 0), (300, 255), (2, 256), (257, 257), (1, 700)].map(|(n, k)| {
            let mut inputs = vec![ints(n)];
            inputs.extend((0..parts).map(|_| ints(k)));
            inputs
        });
        tiled(&kernel, "map: pairs", &inputs);
    }
}

/// An `iterate` over an array of `n` elements for each number.
fn rounds(n: u64, k: u64, round: impl Fn(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new("rounds");
    let xs_len = b.size("N");
    let xs = b.param("xs", array(int(), &xs_len));
    let result = b.map(Level::Auto, &xs, |b, x| {
        let places = b.iota(n);
        let start = b.map(Level::Auto, &places, |b, i| b.mul(i, x));
        let f = b.lambda(&[array(int(), &n.into())], |b, values| round(b, &values[0]));
        let end = b.prim(Prim::Iterate, &[k.into()], vec![f], &[start]);
        let first = b.view(Prim::Head, &[], &[end.clone()]);
        let last = b.view(Prim::Last, &[], &[end]);
        b.sub(&first, &last)
    });
    b.finish(&result)
}

/// Combines each element with its neighbours at distance `reach`, repeating the edges.
fn spread(reach: u64) -> impl Fn(&mut Builder, &Atom) -> Atom {
    move |b, values| {
        let padded = b.view(Prim::Pad(PadMode::Clamp), &[reach.into(), reach.into()], &[values.clone()]);
        let windows = b.slide(2 * reach + 1, 1, &padded);
        b.map(Level::Auto, &windows, |b, w| {
            let (left, right) = (b.aref(w, 0), b.aref(w, i32::try_from(2 * reach).unwrap_or(0)));
            let both = b.sub(&left, &right);
            let here = b.aref(w, i32::try_from(reach).unwrap_or(0));
            b.add(&both, &here)
        })
    }
}

#[test]
fn rounds_stay_in_registers() {
    let inputs = [vec![ints(1)], vec![ints(40)], vec![ints(0)]];
    for (n, k) in [(32, 3), (96, 0), (512, 17)] {
        let turned = rounds(n, k, |b, values| {
            let turned = b.view(Prim::Reverse, &[], &[values.clone()]);
            let pairs = b.zip(&[values.clone(), turned]);
            b.map(Level::Auto, &pairs, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let twice = b.mul(&y, 2);
                b.sub(&twice, &x)
            })
        });
        tiled(&turned, "map: rounds in registers", &inputs);
    }
    not_tiled(&rounds(100, 2, spread(1)), "map: rounds in registers", &[ints(7)]);
}

#[test]
fn rounds_hand_on_what_neighbours_read() {
    let inputs = [vec![ints(1)], vec![ints(40)]];
    for (n, k, reach) in [(32, 5, 1), (64, 5, 3), (512, 4, 40)] {
        let shifted = rounds(n, k, |b, values| {
            let rest = b.view(Prim::Drop, &[reach.into()], &[values.clone()]);
            let begin = b.view(Prim::Take, &[reach.into()], &[values.clone()]);
            let shifted = b.view(Prim::Concat, &[], &[rest, begin]);
            let pairs = b.zip(&[values.clone(), shifted]);
            b.map(Level::Auto, &pairs, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let thrice = b.mul(&y, 3);
                b.sub(&thrice, &x)
            })
        });
        tiled(&shifted, "map: rounds in registers", &inputs);
        tiled(&rounds(n, k, spread(reach)), "map: rounds in registers", &inputs);
    }
}

#[test]
fn short_rows_are_read_once() {
    let mut b = Builder::new("nearest");
    let (n, k, d) = (b.size("N"), b.size("K"), b.size("D"));
    let points = b.param("points", array(array(float(), &d), &n));
    let others = b.param("others", array(array(float(), &d), &k));
    let result = b.map(Level::Auto, &points, |b, point| {
        let distances = b.map(Level::Auto, &others, |b, other| {
            let pairs = b.zip(&[point.clone(), other.clone()]);
            let squares = b.map(Level::Auto, &pairs, |b, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let d = b.sub(&x, &y);
                b.mul(&d, &d)
            });
            let sum = b.reduce(Level::Auto, 0.0f32, &squares, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[sum])
        });
        let all = b.fold(Prim::Reduce(Level::Seq), &[], 1000.0f32, &distances, |b, a, x| {
            let less = b.lt(x, a);
            b.if_(&less, |_| x.clone(), |_| a.clone())
        });
        b.view(Prim::Head, &[], &[all])
    });
    let kernel = b.finish(&result);
    // Lengths with and without their own version; rows that do not start at multiples of four.
    let inputs = [1, 2, 3, 4, 5, 8, 9, 16, 17]
        .into_iter()
        .flat_map(|d| [(130, 3, d), (1, 1, d), (7, 5, d)])
        .map(|(n, k, d)| vec![rows(n, d), rows(k, d)]);
    tiled(&kernel, "map: short rows in registers", &inputs.collect::<Vec<_>>());
}

/// For each length, the sum of that many elements of xs, which may have fewer.
fn sums_of_first() -> Kernel {
    let mut b = Builder::new("sums");
    let (n, m) = (b.size("N"), b.size("M"));
    let lengths = b.param("lengths", array(int(), &n));
    let xs = b.param("xs", array(int(), &m));
    let result = b.map(Level::Auto, &lengths, |b, length| {
        let places = b.prim(Prim::Iota, &[], vec![], &[length.clone()]);
        let (_, places) = b.unpack(&places);
        let read = b.map(Level::Auto, &places, |b, i| b.aref(&xs, i));
        let sum = b.reduce(Level::Auto, 0, &read, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    b.finish(&result)
}

/// A team's loop has branch-free checks; the failure is reported as usual, for few rows and for many, which have
/// different group sizes.
#[test]
fn teams_tell_what_is_out_of_range() {
    let kernel = sums_of_first();
    let lengths = |n: usize, one: i32| {
        let of = |i: usize| if i == n / 2 { one } else { (i % 7) as i32 };
        Value::Array(ArrayValue::Int((0..n).map(of).collect()))
    };
    for target in [Target::nvidia(), Target { compute_units: 1, ..Target::gpu() }] {
        let program = compile(&kernel, &target).unwrap_or_else(|errors| panic!("does not compile: {}", errors[0]));
        let text = &program.opencl.text;
        assert!(text.contains("wrong = wrong | !inside;") && text.contains("if (wrong) {"), "{text}");
        assert!(text.contains("reqd_work_group_size(128,") && text.contains("reqd_work_group_size(256,"), "{text}");
        for n in [1, 2, 127, 128, 129, 400] {
            for (one, xs) in [(7, 7), (0, 7), (8, 7), (60, 59), (60, 60), (300, 7), (-1, 7), (3, 0)] {
                let inputs = [lengths(n, one), ints(xs)];
                if let Err(problem) = agree(&kernel, &program, &inputs) {
                    panic!("{n} rows, {one} of {xs}: {problem}");
                }
            }
            // The only missing element.
            let sizes = interp::bind_sizes(&kernel, &[lengths(n, 8), ints(7)], &[]).expect("they fit");
            let options = RunOptions::default();
            let outcome = run(&program, &[lengths(n, 8), ints(7)], &sizes, &crate::testing::device(), &options);
            let failure = outcome.map(|o| o.value).expect_err("there is no eighth element").to_string();
            assert!(failure.contains("index 7 is out of range: the length is 7"), "{failure}");
        }
    }
}

/// Another failure in the loop is reported where it occurs, not after a replaced element.
#[test]
fn teams_that_may_divide_by_zero() {
    let mut b = Builder::new("quotients");
    let (n, m) = (b.size("N"), b.size("M"));
    let lengths = b.param("lengths", array(int(), &n));
    let xs = b.param("xs", array(int(), &m));
    let result = b.map(Level::Auto, &lengths, |b, length| {
        let places = b.prim(Prim::Iota, &[], vec![], &[length.clone()]);
        let (_, places) = b.unpack(&places);
        let read = b.map(Level::Auto, &places, |b, i| {
            let x = b.aref(&xs, i);
            b.div(100, &x)
        });
        let sum = b.reduce(Level::Auto, 0, &read, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    let kernel = b.finish(&result);
    let program = compile(&kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("does not compile: {}", e[0]));
    assert!(!program.opencl.text.contains("wrong"), "{}", program.opencl.text);
}

#[test]
fn rows_of_hidden_lengths_by_teams() {
    for commutes in [true, false] {
        let mut b = Builder::new("rows");
        let (n, m) = (b.size("N"), b.size("M"));
        let lengths = b.param("lengths", array(int(), &n));
        let xs = b.param("xs", array(int(), &m));
        let result = b.map(Level::Auto, &lengths, |b, length| {
            let longest = b.add(length, 50);
            let places = b.prim(Prim::Iota, &[], vec![], &[longest]);
            let (_, places) = b.unpack(&places);
            let read = b.map(Level::Auto, &places, |b, i| {
                let x = b.aref(&xs, i);
                b.mul(&x, length)
            });
            // Both are associative; the second one keeps the last element other than 0.
            let fold = b.reduce(Level::Auto, 0, &read, |b, a, x| {
                if commutes {
                    return b.add(a, x);
                }
                let none = b.eq(x, 0);
                b.if_(&none, |_| a.clone(), |_| x.clone())
            });
            let fold = b.view(Prim::Head, &[], &[fold]);
            b.sub(&fold, length)
        });
        let kernel = b.finish(&result);
        let inputs = [1, 3, 64, 1000].map(|n| vec![ints(n), ints(101)]);
        tiled(&kernel, "map: a row by several work-items", &inputs);
        // A row that reads out of bounds, and no row.
        let program = compile(&kernel, &Target::nvidia()).expect("it compiles");
        for inputs in [[ints(9), ints(20)], [ints(0), ints(20)]] {
            if let Err(problem) = agree(&kernel, &program, &inputs) {
                panic!("{problem}");
            }
        }
    }
}

#[test]
fn windows_in_three_dimensions() {
    let mut b = Builder::new("mean");
    let (n, m, k) = (b.size("N"), b.size("M"), b.size("K"));
    let grid = b.param("grid", array(array(array(int(), &k), &m), &n));
    let one = || [1.into(), 1.into()];
    let pad = |b: &mut Builder, xs: &Atom| b.view(Prim::Pad(PadMode::Clamp), &one(), &[xs.clone()]);
    let planes = pad(&mut b, &grid);
    let rows = b.map(Level::Auto, &planes, |b, plane| {
        let rows = b.map(Level::Auto, plane, |b, row| b.view(Prim::Pad(PadMode::Clamp), &one(), &[row.clone()]));
        b.view(Prim::Pad(PadMode::Clamp), &one(), &[rows])
    });
    let slide2 = |b: &mut Builder, plane: &Atom| {
        let rows = b.map(Level::Auto, plane, |b, row| b.slide(3, 1, row));
        let rows = b.slide(3, 1, &rows);
        b.map(Level::Auto, &rows, |b, r| b.transpose(r))
    };
    let windows = b.map(Level::Auto, &rows, |b, plane| slide2(b, plane));
    let cubes = b.slide(3, 1, &windows);
    let cubes = b.map(Level::Auto, &cubes, |b, three| {
        let turned = b.transpose(three);
        b.map(Level::Auto, &turned, |b, r| b.transpose(r))
    });
    let result = b.map(Level::Auto, &cubes, |b, plane| {
        b.map(Level::Auto, plane, |b, row| {
            b.map(Level::Auto, row, |b, w| {
                let mut at = |i: i32, j: i32, k: i32| {
                    let plane = b.aref(w, i);
                    let row = b.aref(&plane, j);
                    b.aref(&row, k)
                };
                let all = [at(1, 1, 1), at(0, 1, 1), at(2, 1, 1), at(1, 0, 2), at(1, 2, 1), at(0, 0, 0)];
                let mut sum: Atom = 0.into();
                for x in &all {
                    sum = b.mul(&sum, 3);
                    sum = b.add(&sum, x);
                }
                sum
            })
        })
    });
    let kernel = crate::core::simplify::simplify(b.finish(&result));
    let cube = |n: usize, m: usize, k: usize| {
        let plane = |p: usize| {
            let row = |r: usize| Value::Array(ArrayValue::Int((0..k).map(|i| (p * 100 + r * 10 + i) as i32).collect()));
            Value::Array(ArrayValue::Values((0..m).map(row).collect()))
        };
        vec![Value::Array(ArrayValue::Values((0..n).map(plane).collect()))]
    };
    let inputs = [(1, 1, 1), (2, 3, 4), (6, 9, 20), (3, 12, 264), (7, 8, 9)].map(|(n, m, k)| cube(n, m, k));
    tiled(&kernel, "map: blocks of planes", &inputs);
}
