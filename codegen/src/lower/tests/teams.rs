//! Maps whose functions have parallel work: every version, at lengths on both sides of each threshold, agrees with the
//! interpreter.

use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Level, Prim};

fn sum(b: &mut Builder, xs: &Atom) -> Atom {
    let sum = b.reduce(Level::Auto, 0.0f32, xs, |b, x, y| b.add(x, y));
    b.view(Prim::Head, &[], &[sum])
}

/// Divides each element of a row by the row's sum, after a map that both read.
fn shares(b: &mut Builder, row: &Atom) -> Atom {
    let more = b.map(Level::Auto, row, |b, x| b.add(x, 0.5f32));
    let all = sum(b, &more);
    let all = b.add(&all, 1.0f32);
    b.map(Level::Auto, &more, |b, x| b.div(x, &all))
}

fn dot(b: &mut Builder, xs: &Atom, ys: &Atom) -> Atom {
    let pairs = b.zip(&[xs.clone(), ys.clone()]);
    let products = b.map(Level::Auto, &pairs, |b, p| {
        let (x, y) = (b.proj(p, 0), b.proj(p, 1));
        b.mul(&x, &y)
    });
    sum(b, &products)
}

/// A map of this function over the rows of an N×M matrix, or over its columns.
fn of_rows(name: &str, columns: bool, f: impl Fn(&mut Builder, &Atom) -> Atom) -> Kernel {
    let mut b = Builder::new(name);
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let rows = if columns { b.transpose(&xs) } else { xs };
    let result = b.map(Level::Auto, &rows, |b, row| f(b, row));
    simplify(b.finish(&result))
}

fn sorted(b: &mut Builder, row: &Atom, prim: Prim) -> Atom {
    let before = b.lambda(&[float(), float()], |b, xs| b.lt(&xs[0], &xs[1]));
    b.prim(prim, &[], vec![before], &[row.clone()])
}

/// A scan with an associative but not commutative operator: the composition of x ↦ p·x + q.
fn composed(b: &mut Builder, row: &Atom, prim: Prim) -> Atom {
    let maps = b.map(Level::Auto, row, |b, x| b.tuple(&[0.5f32.into(), x.clone()]));
    let pair = b.ty(&maps).as_array().map(|a| a.element.clone()).expect("an array");
    let f = b.lambda(&[pair.clone(), pair], |b, ab| {
        let (p, q, r, s) = (b.proj(&ab[0], 0), b.proj(&ab[0], 1), b.proj(&ab[1], 0), b.proj(&ab[1], 1));
        let moved = b.mul(&q, &r);
        let (p, q) = (b.mul(&p, &r), b.add(&moved, &s));
        b.tuple(&[p, q])
    });
    let z = b.tuple(&[1.0f32.into(), 0.0f32.into()]);
    let all = b.prim(prim, &[], vec![f], &[z, maps]);
    b.map(Level::Auto, &all, |b, p| b.proj(p, 1))
}

/// The index of the greatest element.
pub fn greatest(b: &mut Builder, row: &Atom) -> Atom {
    let n = b.ty(row).as_array().map(|a| a.len.clone()).expect("an array");
    let numbers = b.iota(n);
    let pairs = b.zip(&[row.clone(), numbers]);
    let z = b.tuple(&[(-1.0f32).into(), (-1).into()]);
    let found = b.reduce(Level::Auto, &z, &pairs, |b, x, y| {
        let (p, q) = (b.proj(x, 0), b.proj(y, 0));
        let greater = b.gt(&q, &p);
        b.if_(&greater, |_| y.clone(), |_| x.clone())
    });
    let found = b.view(Prim::Head, &[], &[found]);
    b.proj(&found, 1)
}

/// A fold and a scan that keep the order, and maps of their results: all may be in registers.
fn by_greatest(b: &mut Builder, row: &Atom) -> Atom {
    let at = greatest(b, row);
    let all = composed(b, row, Prim::Scan(Level::Auto));
    let n = b.ty(row).as_array().map(|a| a.len.clone()).expect("an array");
    let numbers = b.iota(n);
    let each = b.zip(&[row.clone(), all, numbers]);
    b.map(Level::Auto, &each, |b, p| {
        let (x, y, i) = (b.proj(p, 0), b.proj(p, 1), b.proj(p, 2));
        let before = b.lt(&i, &at);
        b.if_(&before, |_| x.clone(), |_| y.clone())
    })
}

/// Scans of what other scans made, from the other end each time: their tiles share local memory.
fn there_and_back(b: &mut Builder, row: &Atom) -> Atom {
    let ends = [Prim::Scan(Level::Auto), Prim::ScanExcl(Level::Auto), Prim::Scan(Level::Auto), Prim::Scan(Level::Auto)];
    ends.into_iter().fold(row.clone(), |row, prim| {
        let all = composed(b, &row, prim);
        b.view(Prim::Reverse, &[], &[all])
    })
}

/// A fold beside a map of another fold, which is a row of one element: the quotient depends on both folds.
fn through_a_row_of_one(b: &mut Builder, row: &Atom) -> Atom {
    let one = sum(b, row);
    let more = b.map(Level::Auto, row, |b, x| b.add(x, 0.5f32));
    let other = b.reduce(Level::Auto, 0.0f32, &more, |b, x, y| b.add(x, y));
    let other = b.map(Level::Auto, &other, |b, x| b.add(x, 1.0f32));
    let other = b.view(Prim::Head, &[], &[other]);
    b.div(&one, &other)
}

fn kernels() -> Vec<Kernel> {
    let median = |b: &mut Builder, row: &Atom| {
        let row = sorted(b, row, Prim::Sort);
        let all = sum(b, &row);
        b.map(Level::Auto, &row, |b, x| b.sub(x, &all))
    };
    // The products of a row with all rows, divided by the row's sum: a nest beside a fold.
    let mut b = Builder::new("products");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let products = b.map(Level::Auto, &xs, |b, row| {
        let all = sum(b, row);
        let all = b.add(&all, 1.0f32);
        let found = b.map(Level::Auto, &xs, |b, other| dot(b, row, other));
        let most = b.reduce(Level::Auto, 0.0f32, &found, |b, x, y| b.op(ScalarOp::Max, &[x.clone(), y.clone()]));
        let most = b.view(Prim::Head, &[], &[most]);
        let both = b.mul(&most, &all);
        b.map(Level::Auto, &found, |b, x| b.div(x, &both))
    });
    let products = simplify(b.finish(&products));
    // Code that is the same for all rows: a nest of maps, and a fold of its result.
    let mut b = Builder::new("by the sum of all");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let by_all = b.map(Level::Auto, &xs, |b, row| {
        let sums = b.map(Level::Auto, &xs, sum);
        let all = sum(b, &sums);
        let all = b.add(&all, 1.0f32);
        b.map(Level::Auto, row, |b, x| b.div(x, &all))
    });
    let by_all = simplify(b.finish(&by_all));
    vec![
        by_all,
        of_rows("by the greatest and the scan", false, by_greatest),
        of_rows("those of columns", true, by_greatest),
        of_rows("shares", false, shares),
        of_rows("shares of columns", true, shares),
        of_rows("sums", false, sum),
        of_rows("sums of columns", true, sum),
        of_rows("greatest", false, greatest),
        of_rows("greatest of columns", true, greatest),
        of_rows("inclusive", false, |b, row| composed(b, row, Prim::Scan(Level::Auto))),
        of_rows("exclusive", false, |b, row| composed(b, row, Prim::ScanExcl(Level::Auto))),
        of_rows("there and back", false, there_and_back),
        of_rows("sorted", false, |b, row| sorted(b, row, Prim::Sort)),
        of_rows("order", false, |b, row| sorted(b, row, Prim::Argsort)),
        of_rows("beside the sum", false, median),
        of_rows("through a row of one", false, through_a_row_of_one),
        products,
    ]
}

#[test]
fn every_version_agrees() {
    // Few work-items keep a device with one compute unit busy, so both versions run; rows too long for local memory.
    let targets = [
        Target::nvidia(),
        Target { compute_units: 1, ..Target::gpu() },
        Target { local_memory: 20 * 1024, ..Target::nvidia() },
    ];
    let sizes =
        [(3, 0), (1, 1), (2, 15), (40, 3), (40, 17), (9, 64), (3, 257), (2, 1025), (70, 16), (3, 513), (1, 5000)];
    for kernel in kernels() {
        for (i, target) in targets.iter().enumerate() {
            let program = match compile(&kernel, target) {
                Ok(program) => program,
                Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
            };
            // The others differ only in their thresholds.
            for (n, m) in sizes.iter().skip(if i == 0 { 0 } else { 2 }) {
                if let Err(problem) = agree(&kernel, &program, &[rows(*n, *m)]) {
                    panic!("{n}×{m}: {problem}");
                }
            }
        }
    }
}

#[test]
fn groups_share_rows_with_several_scans() {
    let schedule = Schedule::new(&of_rows("there and back", false, there_and_back), &Target::nvidia());
    assert!(!schedule.teams.is_empty(), "{}", schedule.kernel);
}

/// Sums of a box along one of its dimensions, of floats or pairs.
fn sums_of_box(name: &str, dimension: usize, pairs: bool) -> Kernel {
    let mut b = Builder::new(name);
    let (l, n, m) = (b.size("L"), b.size("N"), b.size("M"));
    let mut xs = b.param("xs", array(array(array(float(), &m), &n), &l));
    if dimension == 0 {
        xs = b.transpose(&xs);
    }
    let result = b.map(Level::Auto, &xs, |b, plane| {
        let rows = if dimension < 2 { b.transpose(plane) } else { plane.clone() };
        b.map(Level::Auto, &rows, |b, row| if pairs { greatest(b, row) } else { sum(b, row) })
    });
    simplify(b.finish(&result))
}

#[test]
fn folds_below_two_maps_agree() {
    let boxes = |l: usize, n: usize, m: usize| {
        Value::Array(ArrayValue::Values((0..l).map(|i| rows(n, m + i)).map(|plane| cut(plane, m)).collect()))
    };
    for (dimension, pairs) in [(0, false), (1, false), (2, false), (0, true), (2, true)] {
        let kernel = sums_of_box("box", dimension, pairs);
        for target in [Target::gpu(), Target::nvidia()] {
            let rules: Vec<&str> = Schedule::new(&kernel, &target).applied.iter().map(|a| a.rule.name).collect();
            assert!(!rules.contains(&"map-folds-wrg"), "{rules:?}");
            let program = match compile(&kernel, &target) {
                Ok(program) => program,
                Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
            };
            for (l, n, m) in [(2, 3, 0), (1, 1, 1), (3, 7, 33), (33, 2, 5), (2, 257, 3), (1, 3, 9001)] {
                if let Err(problem) = agree(&kernel, &program, &[boxes(l, n, m)]) {
                    panic!("{l}×{n}×{m}: {problem}");
                }
            }
        }
    }
}

/// The shares of the columns of each plane, as columns again; the maps are perfectly nested but for a transposition.
#[test]
fn columns_of_planes_agree() {
    let mut b = Builder::new("columns of planes");
    let (l, n, m) = (b.size("L"), b.size("N"), b.size("M"));
    let xs = b.param("xs", array(array(array(float(), &m), &n), &l));
    let result = b.map(Level::Auto, &xs, |b, plane| {
        let columns = b.transpose(plane);
        let made = b.map(Level::Auto, &columns, shares);
        b.transpose(&made)
    });
    let kernel = simplify(b.finish(&result));
    for target in [Target::gpu(), Target::nvidia()] {
        let schedule = Schedule::new(&kernel, &target);
        let rules: Vec<&str> = schedule.applied.iter().map(|a| a.rule.name).collect();
        assert!(rules.contains(&"map-map-map-glb"), "{rules:?}");
        let program = match compile(&kernel, &target) {
            Ok(program) => program,
            Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
        };
        // Neighbouring work-items have neighbouring columns, so none of them is alone or reads far apart.
        assert_eq!(program.report.cliffs, Vec::new());
        for (l, n, m) in [(2, 3, 0), (1, 1, 1), (3, 7, 33), (2, 257, 3), (1, 600, 17)] {
            let planes = (0..l).map(|i| rows(n, m + i)).map(|plane| cut(plane, m)).collect();
            if let Err(problem) = agree(&kernel, &program, &[Value::Array(ArrayValue::Values(planes))]) {
                panic!("{l}×{n}×{m}: {problem}");
            }
        }
    }
}

/// More maps than a grid has dimensions, with a view between them: neighbouring work-items have neighbouring elements.
#[test]
fn four_maps_are_one_range() {
    let mut b = Builder::new("kronecker");
    let (n, m, k, l) = (b.size("N"), b.size("M"), b.size("K"), b.size("L"));
    let xs = b.param("xs", array(array(float(), &m), &n));
    let ys = b.param("ys", array(array(float(), &l), &k));
    let result = b.map(Level::Auto, &xs, |b, r| {
        b.map(Level::Auto, &ys, |b, s| {
            let made = b.map(Level::Auto, r, |b, x| b.map(Level::Auto, s, |b, y| b.mul(x, y)));
            b.view(Prim::Join, &[], &[made])
        })
    });
    let kernel = simplify(b.finish(&result));
    for target in [Target::gpu(), Target::nvidia()] {
        let program = match compile(&kernel, &target) {
            Ok(program) => program,
            Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
        };
        assert_eq!(program.report.cliffs, Vec::new());
        assert_eq!(program.opencl.text.matches("get_global_id(1)").count(), 0, "{}", program.opencl.text);
        for (n, m, k, l) in [(1, 0, 2, 3), (1, 1, 1, 1), (3, 5, 7, 2), (2, 17, 3, 33)] {
            if let Err(problem) = agree(&kernel, &program, &[rows(n, m), rows(k, l)]) {
                panic!("{n}×{m}, {k}×{l}: {problem}");
            }
        }
    }
}

/// The last elements of each row.
pub(super) fn cut(rows: Value, m: usize) -> Value {
    let Value::Array(all) = &rows else { return rows };
    let last = |i: usize| match all.get(i) {
        Some(Value::Array(ArrayValue::Float(row))) => Value::Array(ArrayValue::Float(row[row.len() - m..].to_vec())),
        _ => panic!("a row of floats"),
    };
    Value::Array(ArrayValue::Values((0..all.len()).map(last).collect()))
}

#[test]
fn a_nest_and_a_fold_are_maps_of_their_own() {
    let rules = |kernel: &Kernel, target: Target| -> Vec<&str> {
        Schedule::new(kernel, &target).applied.iter().map(|a| a.rule.name).collect()
    };
    let all = kernels();
    let products = all.last().expect("there are some");
    assert!(rules(products, Target::gpu()).contains(&"map-parts"));
    assert!(rules(products, Target::gpu()).contains(&"map-folds-wrg"));
    assert!(rules(products, Target::cpu()).contains(&"map-parts"));
    assert!(!rules(products, Target::cpu()).contains(&"map-folds-wrg"));
}

/// Few work-items share each of some more rows of what all rows read: between 32 and 96 of them on one compute unit.
#[test]
fn few_work_items_fold_what_all_rows_read() {
    let mut b = Builder::new("outer");
    let (n, m) = (b.size("N"), b.size("M"));
    let xs = b.param("xs", array(float(), &n));
    let ys = b.param("ys", array(float(), &m));
    let result = b.map(Level::Auto, &xs, |b, x| {
        let apart = b.map(Level::Auto, &ys, |b, y| b.sub(y, x));
        sum(b, &apart)
    });
    let kernel = simplify(b.finish(&result));
    let program = match compile(&kernel, &Target { compute_units: 1, ..Target::gpu() }) {
        Ok(program) => program,
        Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
    };
    assert!(program.opencl.text.contains("reqd_work_group_size(32, 8, 1)"), "{}", program.opencl.text);
    let row = |n: usize| match rows(1, n) {
        Value::Array(ArrayValue::Values(mut rows)) => rows.remove(0),
        other => panic!("rows: {other:?}"),
    };
    for (n, m) in [(31, 1024), (32, 1024), (40, 1023), (41, 1300), (95, 1024), (96, 1025)] {
        if let Err(problem) = agree(&kernel, &program, &[row(n), row(m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}

/// A cheap element that is read twice is computed twice, not stored by each group.
#[test]
fn what_is_zipped_with_itself_is_not_stored() {
    let kernel = of_rows("lengths", true, |b, column| {
        let all = sum(b, column);
        let moved = b.map(Level::Auto, column, |b, x| b.sub(x, &all));
        dot(b, &moved, &moved)
    });
    let program = compile(&kernel, &Target::gpu()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let parts = program.report.stored.iter().filter(|s| s.memory == crate::report::Kind::GlobalParts);
    assert_eq!(parts.map(|s| &*s.name).collect::<Vec<_>>(), Vec::<&str>::new());
    for (n, m) in [(300, 3), (5, 40)] {
        if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
            panic!("{n}×{m}: {problem}");
        }
    }
}
