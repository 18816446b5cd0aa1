//! `filter` by the work-items of a group.

use super::*;
use crate::core::builder::*;

/// A kernel over the rows of a matrix, one group each; for few and many elements, and for a constant length.
fn of_rows(name: &str, row: impl Fn(&mut Builder, &Atom) -> Atom) {
    for dimension in [0, 1] {
        let mut b = Builder::new(name);
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let result = b.map(Level::Wrg(dimension), &xss, &row);
        let kernel = b.finish(&result);
        for (n, m) in [(1, 0), (1, 1), (3, 5), (5, 128), (4, 129), (2, 1000), (300, 3)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
    let mut b = Builder::new(name);
    let n = b.size("N");
    let xss = b.param("xss", array(array(float(), &40u64.into()), &n));
    let result = b.map(Level::Wrg(0), &xss, &row);
    let kernel = b.finish(&result);
    for n in [1, 5, 130] {
        agrees(&kernel, &[rows(n, 40)]);
    }
}

fn kept(b: &mut Builder, row: &Atom) -> Atom {
    b.filter(Level::Lcl(0), row, |b, x| b.gt(x, 0.5f32))
}

#[test]
fn a_group_filters_its_row() {
    of_rows("rows", kept);
    of_rows("unplaced", |b, row| b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32)));
    of_rows("nothing", |b, row| b.filter(Level::Lcl(0), row, |b, x| b.gt(x, 5.0f32)));
    of_rows("everything", |b, row| b.filter(Level::Lcl(0), row, |b, x| b.lt(x, 5.0f32)));
}

#[test]
fn what_a_group_kept_is_read_by_all_its_work_items() {
    of_rows("mapped", |b, row| {
        let kept = kept(b, row);
        let (lengths, kept) = b.unpack(&kept);
        let reversed = b.view(Prim::Reverse, &[], &[kept]);
        let doubled = b.map(Level::Lcl(0), &reversed, |b, x| b.add(x, x));
        b.pack(&doubled, &lengths)
    });
    of_rows("summed", |b, row| {
        let kept = kept(b, row);
        let (lengths, kept) = b.unpack(&kept);
        let sum = b.reduce(Level::Seq, 0.0f32, &kept, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        let shares = b.map(Level::Lcl(0), &kept, |b, x| b.div(x, &sum));
        b.pack(&shares, &lengths)
    });
    of_rows("filtered again", |b, row| {
        let first = kept(b, row);
        let (_, first) = b.unpack(&first);
        b.filter(Level::Lcl(0), &first, |b, x| b.lt(x, 0.75f32))
    });
}

/// The same for maps that no program places, with the lengths at which another version is taken.
#[test]
fn a_group_is_given_rows_that_are_filtered() {
    let shares = |b: &mut Builder, row: &Atom| {
        let kept = b.filter(Level::Auto, row, |b, x| b.gt(x, 0.5f32));
        let (lengths, kept) = b.unpack(&kept);
        let sum = b.reduce(Level::Auto, 0.0f32, &kept, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        let shares = b.map(Level::Auto, &kept, |b, x| b.div(x, &sum));
        b.pack(&shares, &lengths)
    };
    for columns in [false, true] {
        let mut b = Builder::new("shares of what is kept");
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let given = if columns { b.transpose(&xss) } else { xss };
        let result = b.map(Level::Auto, &given, shares);
        let kernel = b.finish(&result);
        let target = Target { compute_units: 1, ..Target::nvidia() };
        let program = compile(&kernel, &target).expect("it compiles");
        assert!(program.report.applied.iter().any(|a| a.rule.name == "map-ragged-wrg"));
        for (n, m) in [(1, 0), (1, 1), (3, 300), (40, 127), (40, 128), (130, 2)] {
            if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
                panic!("{n}×{m}: {problem}");
            }
        }
    }
}

#[test]
fn beside_other_results_of_the_group() {
    of_rows("two", |b, row| {
        let high = kept(b, row);
        let low = b.filter(Level::Lcl(0), row, |b, x| b.lt(x, 0.25f32));
        b.tuple(&[high, low])
    });
    of_rows("filtered and mapped", |b, row| {
        let high = kept(b, row);
        let squares = b.map(Level::Lcl(0), row, |b, x| b.mul(x, x));
        b.tuple(&[high, squares])
    });
}

#[test]
fn pairs_and_rows_are_kept_too() {
    of_rows("pairs", |b, row| {
        let reversed = b.view(Prim::Reverse, &[], &[row.clone()]);
        let pairs = b.zip(&[row.clone(), reversed]);
        b.filter(Level::Lcl(0), &pairs, |b, p| {
            let (x, y) = (b.proj(p, 0), b.proj(p, 1));
            b.lt(&x, &y)
        })
    });
    // Each group keeps rows of its block.
    let mut b = Builder::new("blocks");
    let (k, n, m) = (b.size("K"), b.size("N"), b.size("M"));
    let blocks = b.param("blocks", array(array(array(float(), &m), &n), &k));
    let result = b.map(Level::Wrg(0), &blocks, |b, block| {
        b.filter(Level::Lcl(0), block, |b, row| {
            let sum = b.reduce(Level::Seq, 0.0f32, row, |b, a, x| b.add(a, x));
            let sum = b.view(Prim::Head, &[], &[sum]);
            b.gt(&sum, 1.2f32)
        })
    });
    let kernel = b.finish(&result);
    for (k, n, m) in [(1, 1, 1), (3, 7, 3), (2, 200, 2)] {
        let blocks = (0..k).map(|_| rows(n, m)).collect();
        agrees(&kernel, &[Value::Array(ArrayValue::Values(blocks))]);
    }
}

#[test]
fn in_a_group_of_two_dimensions_one_work_item_filters() {
    let mut b = Builder::new("square");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(float(), &m), &n));
    let result = b.map(Level::Wrg(0), &xss, |b, row| {
        let kept = kept(b, row);
        let table = b.map(Level::Lcl(1), row, |b, x| {
            let x = x.clone();
            b.map(Level::Lcl(0), row, |b, y| b.mul(&x, y))
        });
        b.tuple(&[kept, table])
    });
    let kernel = b.finish(&result);
    for (n, m) in [(1, 1), (3, 20)] {
        agrees(&kernel, &[rows(n, m)]);
    }
}

#[test]
fn a_filter_over_the_device_inside_of_a_function_is_done_by_a_work_item() {
    for (outer, inner) in [
        (Level::Auto, Level::Glb(0)),
        (Level::Glb(0), Level::Glb(0)),
        (Level::Seq, Level::Glb(0)),
        (Level::Auto, Level::Wrg(0)),
        (Level::Wrg(1), Level::Wrg(0)),
    ] {
        let mut b = Builder::new("rows");
        let (n, m) = (b.size("N"), b.size("M"));
        let xss = b.param("xss", array(array(float(), &m), &n));
        let result = b.map(outer, &xss, |b, row| b.filter(inner, row, |b, x| b.gt(x, 0.5f32)));
        let kernel = b.finish(&result);
        for (n, m) in [(1, 0), (3, 5), (130, 3)] {
            agrees(&kernel, &[rows(n, m)]);
        }
    }
}
