//! Maps that are computed in blocks on the devices with a strategy for them, compared with the interpreter.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, PadMode, Prim, ScalarOp};
use lift_analysis::hir::Scalar;
use lift_analysis::ty::Ty;

/// One device for each strategy, and one with little local memory.
fn targets() -> [Target; 3] {
    [Target::gpu(), Target::nvidia(), Target { local_memory: 20 * 1024, ..Target::gpu() }]
}

pub(super) fn compiled(kernel: &Kernel, target: &Target) -> Program {
    compile(kernel, target).unwrap_or_else(|errors| panic!("{} does not compile: {}", kernel.name, errors[0]))
}

/// Checks that the kernel is computed in blocks of this kind, and its results.
pub fn tiled(kernel: &Kernel, label: &str, inputs: &[Vec<Value>]) {
    let mut seen = Vec::new();
    for target in targets() {
        let program = compiled(kernel, &target);
        let text = &program.opencl.text;
        if seen.contains(text) {
            continue;
        }
        seen.push(text.clone());
        assert!(text.contains(&format!("// {label}\n")), "{} is no `{label}`:\n{text}", kernel.name);
        for inputs in inputs {
            if let Err(problem) = agree(kernel, &program, inputs) {
                panic!("{problem}");
            }
        }
    }
}

/// Checks that the kernel is computed in cache-sized tiles on CPUs, with or without vectors of columns, and its
/// results.
fn tiled_for_cores(kernel: &Kernel, vectors: bool, inputs: &[Vec<Value>]) {
    let program = compiled(kernel, &Target::cpu());
    let text = &program.opencl.text;
    assert!(text.contains("// map: tiles for caches\n"), "{} is no tile for caches:\n{text}", kernel.name);
    assert_eq!(text.contains("vload"), vectors, "{}:\n{text}", kernel.name);
    for inputs in inputs {
        if let Err(problem) = agree(kernel, &program, inputs) {
            panic!("{problem}");
        }
    }
}

/// Checks that the kernel is not computed in blocks of this kind, and its results.
pub fn not_tiled(kernel: &Kernel, label: &str, inputs: &[Value]) {
    let program = compiled(kernel, &Target::nvidia());
    let text = &program.opencl.text;
    assert!(!text.contains(&format!("// {label}\n")), "{} is a `{label}`:\n{text}", kernel.name);
    if let Err(problem) = agree(kernel, &program, inputs) {
        panic!("{problem}");
    }
}

pub(super) fn matrix(element: Ty, columns: &lift_analysis::size::Size, rows: &lift_analysis::size::Size) -> Ty {
    array(array(element, columns), rows)
}

/// `n` rows, `k` iterations, `m` columns: one, none, few, around a tile of 64 or 128 with 8 or 16 iterations.
const SIZES: [(usize, usize, usize); 7] =
    [(1, 1, 1), (3, 0, 2), (64, 8, 64), (65, 17, 63), (129, 33, 127), (4, 40, 132), (9, 130, 17)];

/// Rows of `a` meet columns of `b`, which is given as it is or transposed.
pub(super) fn product(
    name: &str,
    element: fn() -> Ty,
    columns_given: bool,
    fold: impl Fn(&mut Builder, &Atom, &Atom) -> Atom,
) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m, k) = (b.size("N"), b.size("M"), b.size("K"));
    let xs = b.param("xs", matrix(element(), &k, &n));
    let ys = b.param("ys", if columns_given { matrix(element(), &k, &m) } else { matrix(element(), &m, &k) });
    let columns = if columns_given { ys } else { b.transpose(&ys) };
    let result = b.map(Level::Auto, &xs, |b, row| b.map(Level::Auto, &columns, |b, column| fold(b, row, column)));
    b.finish(&result)
}

pub(super) fn dot(b: &mut Builder, level: Level, z: impl Into<Atom>, row: &Atom, column: &Atom) -> Atom {
    let pairs = b.zip(&[row.clone(), column.clone()]);
    let products = b.map(Level::Auto, &pairs, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        b.mul(&x, &y)
    });
    let sum = b.reduce(level, z, &products, |b, a, x| b.add(a, x));
    b.view(Prim::Head, &[], &[sum])
}

fn int_rows(m: usize, n: usize) -> Value {
    let row =
        |r: usize| Value::Array(ArrayValue::Int((0..n).map(|i| ((i * 37 + r * 17 + 11) % 101) as i32 - 50).collect()));
    Value::Array(ArrayValue::Values((0..m).map(row).collect()))
}

#[test]
fn products_of_matrices() {
    for columns_given in [false, true] {
        let kernel = product("product", float, columns_given, |b, x, y| dot(b, Level::Auto, 0.0f32, x, y));
        let inputs = SIZES
            .iter()
            .filter(|(_, k, _)| columns_given || *k > 0)
            .map(|&(n, k, m)| vec![rows(n, k), if columns_given { rows(m, k) } else { rows(k, m) }]);
        let inputs = inputs.collect::<Vec<_>>();
        tiled(&kernel, "map: tiles", &inputs);
        tiled_for_cores(&kernel, true, &inputs);
    }
}

/// Twelve products in a row are the text of one: a matrix times itself is a product of two matrices, and no product
/// has a check of its own for the iterations left of its tiles.
#[test]
fn the_text_of_twelve_products_is_that_of_one() {
    const KIB: usize = 1 << 10;
    let mut b = Builder::new("chain");
    let n = b.size("N");
    let xs = b.param("xs", matrix(float(), &n, &n));
    let power = (0..12).fold(xs.clone(), |power, _| {
        let columns = b.transpose(&xs);
        b.map(Level::Auto, &power, |b, row| {
            b.map(Level::Auto, &columns, |b, column| dot(b, Level::Auto, 0.0f32, row, column))
        })
    });
    let program =
        compile(&b.finish(&power), &Target::nvidia()).unwrap_or_else(|e| panic!("it does not compile: {}", e[0]));
    let text = &program.opencl.text;
    assert!(text.len() <= 64 * KIB, "{} bytes", text.len());
    assert!(!text.contains("lift_check_count"), "{text}");
}

fn launch_of(step: &crate::plan::Step) -> Option<&crate::plan::Launch> {
    match step {
        crate::plan::Step::Launch(launch) => Some(launch),
        _ => None,
    }
}

/// If the lengths are the required multiples, all tiles are whole; the host makes one of the two launches.
#[test]
fn products_of_whole_tiles() {
    let sizes = [(3, 0, 4), (1, 16, 4), (64, 16, 64), (127, 48, 132), (129, 32, 128), (260, 80, 8)];
    for columns_given in [false, true] {
        let kernel = product("product", float, columns_given, |b, x, y| dot(b, Level::Auto, 0.0f32, x, y));
        let inputs = sizes
            .iter()
            .filter(|(_, k, _)| columns_given || *k > 0)
            .map(|&(n, k, m)| vec![rows(n, k), if columns_given { rows(m, k) } else { rows(k, m) }]);
        tiled(&kernel, "map: whole tiles", &inputs.collect::<Vec<_>>());
        for target in targets() {
            let program = compiled(&kernel, &target);
            // Both report the same tiles.
            let stored = &program.report.stored;
            assert!(stored.iter().enumerate().all(|(i, s)| !stored[..i].contains(s)), "{stored:?}");
            let launched = |n: i64, k: i64, m: i64| -> Vec<&str> {
                let value = |size: &lift_analysis::size::Size| {
                    let of = |v: &lift_analysis::size::Var| match &*v.name {
                        "N" => Some(n),
                        "K" => Some(k),
                        _ => Some(m),
                    };
                    size.eval_int(&of).expect("it is a number")
                };
                let launches = program.plan.steps.iter().filter_map(launch_of);
                launches.filter(|l| l.only_if.iter().all(|s| value(s) > 0)).map(|l| &*l.label).collect()
            };
            assert_eq!(launched(7, 32, 8), ["map: whole tiles"]);
            assert_eq!(launched(7, 36, 8), ["map: tiles"]);
            assert_eq!(launched(8, 32, 7), ["map: tiles"]);
            assert_eq!(launched(8, 1024, 8), ["map: parts of whole tiles", "map: results of the parts"]);
        }
    }
    // Known to have a remainder, or to have none.
    let whole: &[&str] = &["map: whole tiles", "map: tiles"];
    for (rounds, labels) in [(18i64, &["map: tiles"][..]), (32, whole)] {
        let k = lift_analysis::size::Size::int(rounds);
        let mut b = Builder::new("known");
        let n = b.size("N");
        let xs = b.param("xs", matrix(float(), &k, &n));
        let result = b.map(Level::Auto, &xs, |b, x| b.map(Level::Auto, &xs, |b, y| dot(b, Level::Auto, 0.0f32, x, y)));
        let kernel = b.finish(&result);
        let program = compiled(&kernel, &Target::nvidia());
        // Large tiles, or small ones if there are few.
        let launches = program.plan.steps.iter().filter_map(launch_of);
        let launches: Vec<&crate::plan::Launch> = launches.filter(|l| l.label != "map: narrow tiles").collect();
        // Nothing else: so few rounds are not divided. The columns may be no multiple of four.
        assert_eq!(launches.iter().map(|l| &*l.label).collect::<Vec<_>>(), labels.repeat(2));
        for n in [1, 67, 5000] {
            // Columns are as many as rows, so that narrow tiles are few.
            let taken = |l: &&&crate::plan::Launch| {
                l.only_if.iter().all(|s| s.eval_int(&|_| Some(n)).expect("it is a number") > 0)
            };
            assert_eq!(launches.iter().filter(taken).count(), 1, "{n}");
        }
        tiled(&kernel, labels[0], &[vec![rows(67, rounds as usize)]]);
    }
}

/// Where tiles are few and rounds many, groups fold parts of the rounds, in any order only if the program says so.
#[test]
fn rounds_of_few_tiles_are_divided() {
    let sizes = [(3, 1100, 5), (65, 1041, 2), (1, 1536, 4)];
    let kernel = product("product", float, true, |b, x, y| dot(b, Level::Auto, 0.0f32, x, y));
    let inputs: Vec<Vec<Value>> = sizes.iter().map(|&(n, k, m)| vec![rows(n, k), rows(m, k)]).collect();
    tiled(&kernel, "map: results of the parts", &inputs);
    let kernel = product("ordered", float, true, |b, x, y| dot(b, Level::Seq, 0.0f32, x, y));
    not_tiled(&kernel, "map: results of the parts", &inputs[0]);
}

/// Each element of a map around has its own parts; what follows the fold follows that of the parts.
#[test]
fn rounds_of_products_in_maps_are_divided() {
    let mut b = Builder::new("batched");
    let (l, n, m, k) = (b.size("L"), b.size("N"), b.size("M"), b.size("K"));
    let xs = b.param("xs", array(matrix(int(), &k, &n), &l));
    let ys = b.param("ys", array(array(Ty::tuple(vec![array(int(), &k), int()]), &m), &l));
    let both = b.zip(&[xs, ys]);
    let result = b.map(Level::Auto, &both, |b, p| {
        let (rows, columns) = (b.proj(p, 0), b.proj(p, 1));
        b.map(Level::Auto, &rows, |b, x| {
            b.map(Level::Auto, &columns, |b, c| {
                let (y, bias) = (b.proj(c, 0), b.proj(c, 1));
                let folded = dot(b, Level::Auto, 0, x, &y);
                b.mul(&folded, &bias)
            })
        })
    });
    let kernel = b.finish(&result);
    let column = |c: i32| {
        let row = (0..1100).map(|i| (i * 31 + c * 7) % 53 - 26).collect();
        Value::Tuple(vec![Value::Array(ArrayValue::Int(row)), Value::Int(c - 1)])
    };
    let columns = Value::Array(ArrayValue::Values((0..3).map(column).collect()));
    let all = |x: Value| Value::Array(ArrayValue::Values(vec![x.clone(), x]));
    tiled(&kernel, "map: results of the parts", &[vec![all(int_rows(2, 1100)), all(columns)]]);
}

#[test]
fn products_of_matrices_of_ints() {
    let kernel = product("product", int, false, |b, x, y| dot(b, Level::Seq, 1, x, y));
    let inputs = SIZES.iter().filter(|(_, k, _)| *k > 0).map(|&(n, k, m)| vec![int_rows(n, k), int_rows(k, m)]);
    let inputs = inputs.collect::<Vec<_>>();
    tiled(&kernel, "map: tiles", &inputs);
    tiled_for_cores(&kernel, false, &inputs);
}

/// Any function of two elements and any fold: the number of differences and the last one, for all pairs of rows.
#[test]
fn any_fold_of_pairs_of_rows() {
    let mut b = Builder::new("distances");
    let (n, k) = (b.size("N"), b.size("K"));
    let xs = b.param("xs", matrix(int(), &k, &n));
    let result = b.map(Level::Auto, &xs, |b, x| {
        b.map(Level::Auto, &xs, |b, y| {
            let pairs = b.zip(&[x.clone(), y.clone()]);
            let z = b.tuple(&[0.into(), 7.into()]);
            let folded = b.fold(Prim::Reduce(Level::Seq), &[], &z, &pairs, |b, acc, p| {
                let (x, y) = (b.proj(p, 0), b.proj(p, 1));
                let (count, last) = (b.proj(acc, 0), b.proj(acc, 1));
                let differ = b.op(ScalarOp::Lt, &[x.clone(), y.clone()]);
                let count = b.if_(&differ, |b| b.add(&count, 1), |_| count.clone());
                let twice = b.mul(&last, 2);
                let last = b.add(&twice, &y);
                b.tuple(&[count, last])
            });
            let pair = b.view(Prim::Head, &[], &[folded]);
            let (count, last) = (b.proj(&pair, 0), b.proj(&pair, 1));
            b.sub(&count, &last)
        })
    });
    let kernel = b.finish(&result);
    let inputs = [(1, 0), (1, 1), (5, 3), (65, 17), (130, 20)].map(|(n, k)| vec![int_rows(n, k)]);
    tiled(&kernel, "map: tiles", &inputs);
    tiled_for_cores(&kernel, false, &inputs);
}

/// Rows in another order are those of a view.
#[test]
fn reversed_rows() {
    let kernel = product("reversed", float, true, |b, x, y| {
        let y = b.view(Prim::Reverse, &[], &[y.clone()]);
        dot(b, Level::Auto, 0.0f32, x, &y)
    });
    tiled(&kernel, "map: tiles", &[vec![rows(5, 7), rows(3, 7)], vec![rows(65, 33), rows(70, 33)]]);
}

/// Rows that are read out of step are not tiled.
#[test]
fn rows_out_of_step() {
    let kernel = product("first", float, true, |b, x, y| {
        let first = b.view(Prim::Head, &[], &[y.clone()]);
        let all = dot(b, Level::Auto, 0.0f32, x, y);
        b.add(&all, &first)
    });
    not_tiled(&kernel, "map: tiles", &[rows(5, 7), rows(3, 7)]);
}

/// Folds of rows whose elements and results are transformed.
fn folded_rows(name: &str, transposed: bool, fold: impl Fn(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", matrix(int(), &m, &n));
    let xs = if transposed { b.transpose(&xs) } else { xs };
    let result = b.map(Level::Auto, &xs, |b, row| fold(b, row));
    b.finish(&result)
}

fn sum_of_squares(b: &mut Builder, level: Level, row: &Atom) -> Atom {
    let squares = b.map(Level::Auto, row, |b, x| b.mul(x, x));
    let sum = b.reduce(level, 0, &squares, |b, a, x| b.add(a, x));
    let sum = b.view(Prim::Head, &[], &[sum]);
    b.add(&sum, 1)
}

const SEVERAL: &str = "map: a row by several work-items";

/// Few and many rows; rows shorter than a team, as long, longer, and empty.
const SHAPES: [(usize, usize); 9] =
    [(1, 0), (1, 1), (3, 15), (5, 16), (7, 17), (300, 2), (257, 40), (3, 5000), (2, 4096)];

#[test]
fn folds_of_rows() {
    let kernel = folded_rows("squares", false, |b, row| sum_of_squares(b, Level::Auto, row));
    tiled(&kernel, SEVERAL, &SHAPES.map(|(n, m)| vec![int_rows(n, m)]));
}

/// The composition of x ↦ ax + b is associative, but the order matters.
#[test]
fn folds_of_rows_whose_order_matters() {
    let kernel = folded_rows("composed", false, |b, row| {
        let lines = b.map(Level::Auto, row, |b, x| {
            let odd = b.rem(x, 3);
            b.tuple(&[odd, x.clone()])
        });
        let z = b.tuple(&[1.into(), 0.into()]);
        let all = b.reduce(Level::Auto, &z, &lines, |b, f, g| {
            let (a1, b1, a2, b2) = (b.proj(f, 0), b.proj(f, 1), b.proj(g, 0), b.proj(g, 1));
            let a = b.mul(&a1, &a2);
            let c = b.mul(&a1, &b2);
            let c = b.add(&c, &b1);
            b.tuple(&[a, c])
        });
        let all = b.view(Prim::Head, &[], &[all]);
        b.proj(&all, 1)
    });
    tiled(&kernel, SEVERAL, &SHAPES.map(|(n, m)| vec![int_rows(n, m)]));
}

/// Columns are adjacent: neighbouring work-items have different columns, and slices of a column are folded separately.
#[test]
fn folds_of_columns() {
    let columns = folded_rows("columns", true, |b, row| sum_of_squares(b, Level::Auto, row));
    tiled(&columns, SEVERAL, &SHAPES.map(|(n, m)| vec![int_rows(n, m)]));
}

/// One work-item computes a fold that keeps the order of the program.
#[test]
fn folds_that_one_work_item_does() {
    let in_order = folded_rows("in order", false, |b, row| {
        let last = b.reduce(Level::Seq, 1, row, |b, a, x| {
            let tripled = b.mul(a, 3);
            b.add(&tripled, x)
        });
        b.view(Prim::Head, &[], &[last])
    });
    not_tiled(&in_order, SEVERAL, &[int_rows(40, 300)]);
}

/// A matrix and a vector.
#[test]
fn matrix_times_vector() {
    let mut b = Builder::new("gemv");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", matrix(float(), &m, &n));
    let v = b.param("v", array(float(), &m));
    let result = b.map(Level::Auto, &xs, |b, row| dot(b, Level::Auto, 0.0f32, &v, row));
    let kernel = b.finish(&result);
    tiled(&kernel, SEVERAL, &[(1, 1), (5, 33), (70, 300)].map(|(n, m)| vec![rows(n, m), floats(m)]));
}

const SQUARES: &str = "transpose: tiles";

/// No columns, one, around a square of 32 or 64.
const MATRICES: [(usize, usize); 6] = [(1, 0), (1, 1), (2, 33), (63, 65), (64, 128), (129, 3)];

#[test]
fn transposed_matrices() {
    for work in [false, true] {
        let mut b = Builder::new("transposed");
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xs", matrix(float(), &m, &n));
        let mut result = b.transpose(&xs);
        if work {
            result = b.map(Level::Auto, &result, |b, row| b.map(Level::Auto, row, |b, x| b.mul(x, 2.0f32)));
        }
        let kernel = b.finish(&result);
        tiled(&kernel, SQUARES, &MATRICES.map(|(n, m)| vec![rows(n, m)]));
    }
}

/// Around a square of 64, and with sides for which no square is used.
const BOXES: [(usize, usize, usize); 5] = [(1, 1, 1), (2, 65, 3), (3, 20, 40), (33, 2, 70), (2, 5, 5)];

/// Read backwards, beside an array in the order of the result, and with dimensions that continue where others end.
#[test]
fn loads_that_are_turned() {
    let square = |b: &mut Builder| {
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xs", matrix(float(), &m, &n));
        b.transpose(&xs)
    };
    let mut b = Builder::new("rotated");
    let turned = square(&mut b);
    let result = b.map(Level::Auto, &turned, |b, row| {
        let back = b.view(Prim::Reverse, &[], &[row.clone()]);
        b.map(Level::Auto, &back, |_, x| x.clone())
    });
    tiled(&b.finish(&result), SQUARES, &MATRICES.map(|(n, m)| vec![rows(n, m)]));

    let mut b = Builder::new("beside");
    let n = b.size("N");
    let xs = b.param("xs", matrix(float(), &n, &n));
    let turned = b.transpose(&xs);
    let both = b.zip(&[xs, turned]);
    let result = b.map(Level::Auto, &both, |b, rows| {
        let (a, c) = (b.proj(rows, 0), b.proj(rows, 1));
        let pairs = b.zip(&[a, c]);
        b.map(Level::Auto, &pairs, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            b.sub(&x, &y)
        })
    });
    tiled(&b.finish(&result), SQUARES, &[1, 17, 64, 70].map(|n| vec![rows(n, n)]));

    let mut b = Builder::new("last to first");
    let (l, n, m) = (b.size("L"), b.size("N"), b.size("M"));
    let xs = b.param("xs", array(matrix(float(), &m, &n), &l));
    // Elements [m][n][l], of which m and n are one dimension in memory.
    let inner = b.map(Level::Auto, &xs, |b, plane| b.transpose(plane));
    let outer = b.transpose(&inner);
    let result = b.map(Level::Auto, &outer, |b, plane| {
        let turned = b.transpose(plane);
        b.map(Level::Auto, &turned, |b, row| b.map(Level::Auto, row, |b, x| b.add(x, 1.0f32)))
    });
    let boxes = |(l, n, m): (usize, usize, usize)| {
        vec![Value::Array(ArrayValue::Values((0..l).map(|i| super::teams::cut(rows(n, m + i), m)).collect()))]
    };
    tiled(&b.finish(&result), SQUARES, &BOXES.map(boxes));
}

/// Contiguous rows are copied as they are.
#[test]
fn matrices_that_are_not_transposed() {
    let mut b = Builder::new("copied");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", matrix(float(), &m, &n));
    let result = b.view(Prim::Reverse, &[], &[xs]);
    let kernel = b.finish(&result);
    not_tiled(&kernel, SQUARES, &[rows(5, 7)]);
    assert!(!compiled(&kernel, &Target::portable()).opencl.text.contains("one work-item"));
}

pub(super) const BLOCKS: &str = "map: blocks";

/// `map (map f)` over the windows of `d` by `a` elements of a padded matrix.
pub(super) fn windows(
    name: &str,
    (d, a): (i64, i64),
    modes: [PadMode; 2],
    f: impl Fn(&mut Builder, &Atom) -> Atom,
) -> Kernel {
    windows_of(name, float(), (d, a), modes, f)
}

pub(super) fn windows_of(
    name: &str,
    element: Ty,
    (d, a): (i64, i64),
    modes: [PadMode; 2],
    f: impl Fn(&mut Builder, &Atom) -> Atom,
) -> Kernel {
    use lift_analysis::size::{Assumption, Size};
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    b.assume(Assumption::Positive(n.clone()));
    b.assume(Assumption::Positive(m.clone()));
    let xs = b.param("xs", matrix(element, &m, &n));
    let pads = |len: i64| [Size::int((len - 1) / 2), Size::int(len / 2)];
    let rows = b.view(Prim::Pad(modes[0]), &pads(d), &[xs]);
    let padded = b.map(Level::Auto, &rows, |b, row| b.view(Prim::Pad(modes[1]), &pads(a), &[row.clone()]));
    let across = b.map(Level::Auto, &padded, |b, row| b.slide(Size::int(a), 1, row));
    let down = b.slide(Size::int(d), 1, &across);
    let all = b.map(Level::Auto, &down, |b, rows| b.transpose(rows));
    let result = b.map(Level::Auto, &all, |b, row| b.map(Level::Auto, row, |b, w| f(b, w)));
    b.finish(&result)
}

fn sum(b: &mut Builder, level: Level, w: &Atom) -> Atom {
    let all = b.join(w);
    let sum = b.reduce(level, 0.0f32, &all, |b, a, x| b.add(a, x));
    b.view(Prim::Head, &[], &[sum])
}

/// Smaller than a window; no whole block; with and without whole vectors; interior and edges.
const GRIDS: [(usize, usize); 7] = [(1, 1), (2, 3), (3, 40), (9, 64), (17, 261), (40, 16), (20, 300)];

#[test]
fn sums_of_windows() {
    for (extent, modes) in [((3, 3), [PadMode::Clamp, PadMode::Clamp]), ((2, 3), [PadMode::Wrap, PadMode::Mirror])] {
        let kernel = windows("sums", extent, modes, |b, w| sum(b, Level::Seq, w));
        let wide_enough = |n: &usize, e: i64| *n as i64 > e;
        let grids = GRIDS.iter().filter(|(n, m)| {
            modes == [PadMode::Clamp, PadMode::Clamp] || (wide_enough(n, extent.0) && wide_enough(m, extent.1))
        });
        tiled(&kernel, BLOCKS, &grids.map(|&(n, m)| vec![rows(n, m)]).collect::<Vec<_>>());
    }
}

/// A function with a condition that reads only some elements.
#[test]
fn some_elements_of_windows() {
    let kernel = windows("steepest", (3, 3), [PadMode::Clamp, PadMode::Clamp], |b, w| {
        let at = |b: &mut Builder, i: i32, j: i32| {
            let row = b.aref(w, i);
            b.aref(&row, j)
        };
        let (up, down, here) = (at(b, 0, 1), at(b, 2, 1), at(b, 1, 1));
        let rising = b.lt(&up, &down);
        let rest = at(b, 1, 2);
        b.if_(&rising, |b| b.sub(&down, &here), |b| b.add(&here, &rest))
    });
    tiled(&kernel, BLOCKS, &GRIDS.map(|(n, m)| vec![rows(n, m)]));
}

/// A long function is not unrolled for each element in each result of a block, which took minutes to compile.
#[test]
fn what_is_long_for_each_element_is_not_written_out() {
    for (extent, rounds) in [((3, 3), 100), ((5, 5), 4)] {
        let kernel = windows("long", extent, [PadMode::Clamp, PadMode::Clamp], |b, w| {
            let all = b.join(w);
            let all = b.map(Level::Auto, &all, |b, x| {
                let rounds = b.iota(rounds);
                let start = b.op(ScalarOp::To(Scalar::Int), &[x.clone()]);
                let sum = b.reduce(Level::Seq, &start, &rounds, |b, a, i| b.add(a, i));
                let sum = b.view(Prim::Head, &[], &[sum]);
                let even = b.lt(&sum, 3);
                b.if_(&even, |_| x.clone(), |b| b.add(x, x))
            });
            let sum = b.reduce(Level::Seq, 0.0f32, &all, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[sum])
        });
        // Without blocks, no code depends on the sizes; the interpreter takes long for each element.
        [(1, 1), (9, 14)].iter().for_each(|&(n, m)| not_tiled(&kernel, BLOCKS, &[rows(n, m)]));
        assert!(compiled(&kernel, &Target::gpu()).opencl.text.len() < 20_000);
    }
}

/// The code for large windows is not unrolled.
#[test]
fn sums_of_large_windows() {
    for (extent, modes) in [((9, 9), [PadMode::Clamp; 2]), ((4, 11), [PadMode::Clamp; 2])] {
        let kernel = windows("large", extent, modes, |b, w| {
            let sum = sum(b, Level::Seq, w);
            b.div(&sum, 81.0f32)
        });
        tiled(&kernel, "map: folds of windows", &[(1, 1), (3, 40), (40, 24), (33, 301)].map(|(n, m)| vec![rows(n, m)]));
    }
}

/// Elements are weighted by their index in the window.
#[test]
fn weighted_windows() {
    let kernel = windows("weighted", (7, 7), [PadMode::Clamp; 2], |b, w| {
        let all = b.join(w);
        let weights = b.iota(lift_analysis::size::Size::int(49));
        let pairs = b.zip(&[all, weights]);
        let products = b.map(Level::Auto, &pairs, |b, p| {
            let (x, i) = (b.proj(p, 0), b.proj(p, 1));
            let i = b.op(ScalarOp::To(Scalar::Float), &[i]);
            b.mul(&x, &i)
        });
        let sum = b.reduce(Level::Auto, 0.0f32, &products, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    tiled(&kernel, "map: folds of windows", &[(3, 40), (40, 24), (17, 301)].map(|(n, m)| vec![rows(n, m)]));
}
