//! Rows that are copied element by element, and loops that are joined to one, compared with the interpreter.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};
use lift_analysis::size::{Assumption, Size};

fn everywhere(kernel: &Kernel, inputs: &[Vec<Value>]) -> Vec<String> {
    let of = |target: &Target| {
        let program = match compile(kernel, target) {
            Ok(program) => program,
            Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
        };
        inputs.iter().for_each(|values| {
            if let Err(problem) = agree(kernel, &program, values) {
                panic!("{problem}");
            }
        });
        program.opencl.text.clone()
    };
    [Target::gpu(), Target::nvidia()].iter().map(of).collect()
}

#[test]
fn rows_by_number() {
    let mut b = Builder::new("rows by number");
    let (v, d, n) = (b.size("V"), b.size("D"), b.size("N"));
    let table = b.param("table", array(array(float(), &d), &v));
    let ids = b.param("ids", array(int(), &n));
    let found = b.map(Level::Auto, &ids, |b, i| b.aref(&table, i));
    let kernel = b.finish(&found);
    let at = |ids: &[i32]| Value::Array(ArrayValue::Int(ids.to_vec()));
    let inputs = [(3, 5, vec![2, 0, 1, 1]), (2, 300, vec![1, 0]), (4, 1, vec![]), (3, 4, vec![0, 7]), (3, 4, vec![-1])];
    let inputs: Vec<_> = inputs.iter().map(|(v, d, ids)| vec![rows(*v, *d), at(ids)]).collect();
    for text in everywhere(&kernel, &inputs) {
        assert!(text.contains("get_global_id(1)"), "{text}");
    }
}

#[test]
fn rows_that_pass() {
    let mut b = Builder::new("rows that pass");
    let (n, m) = (b.size("N"), b.size("M"));
    let xss = b.param("xss", array(array(float(), &m), &n));
    let kept = b.filter(Level::Auto, &xss, |b, row| {
        let sum = b.reduce(Level::Auto, 0.0f32, row, |b, a, x| b.add(a, x));
        let sum = b.view(Prim::Head, &[], &[sum]);
        b.gt(sum, 1.2f32)
    });
    let (lens, ys) = b.unpack(&kept);
    let sums = b.map(Level::Auto, &ys, |b, row| {
        let sum = b.reduce(Level::Auto, 0.0f32, row, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    let (packed, sums) = (b.pack(&ys, &lens), b.pack(&sums, &lens));
    let both = b.tuple(&[packed, sums]);
    let inputs: Vec<_> = [(7, 3), (1, 1), (5, 40)].iter().map(|(n, m)| vec![rows(*n, *m)]).collect();
    everywhere(&b.finish(&both), &inputs);
}

#[test]
fn nests_of_maps_are_one_range_of_elements() {
    let mut b = Builder::new("all pairs");
    let (n, m) = (b.size("N"), b.size("M"));
    let (xs, ys) = (b.param("xs", array(int(), &n)), b.param("ys", array(int(), &m)));
    let pairs = b.map(Level::Auto, &xs, |b, x| {
        b.map(Level::Auto, &ys, |b, y| {
            let product = b.mul(x, y);
            b.op(ScalarOp::Add, &[product, y.clone()])
        })
    });
    let kernel = b.finish(&pairs);
    let inputs: Vec<_> = [(0, 3), (1, 1), (33, 31), (3, 1025)].iter().map(|(n, m)| vec![ints(*n), ints(*m)]).collect();
    for text in everywhere(&kernel, &inputs) {
        assert!(!text.contains("get_global_id(1)"), "{text}");
    }
}

#[test]
fn windows_of_each_plane_with_weights_of_its_own() {
    let mut b = Builder::new("weighted");
    let (c, h) = (b.size("C"), b.size("H"));
    let image = b.param("image", array(array(float(), &h), &c));
    let weights = b.param("weights", array(array(float(), &Size::int(3)), &c));
    b.assume(Assumption::AtMost(Size::int(3), h.clone()));
    let both = b.zip(&[image, weights]);
    let result = b.map(Level::Auto, &both, |b, pair| {
        let (row, weights) = (b.proj(pair, 0), b.proj(pair, 1));
        let windows = b.slide(3, 1, &row);
        b.map(Level::Auto, &windows, |b, window| {
            let both = b.zip(&[window.clone(), weights.clone()]);
            let products = b.map(Level::Auto, &both, |b, p| {
                let (x, w) = (b.proj(p, 0), b.proj(p, 1));
                b.mul(x, w)
            });
            let sum = b.reduce(Level::Auto, 0.0f32, &products, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[sum])
        })
    });
    let kernel = b.finish(&result);
    let inputs: Vec<_> = [(2, 3), (5, 40), (1, 300)].iter().map(|(c, h)| vec![rows(*c, *h), rows(*c, 3)]).collect();
    everywhere(&kernel, &inputs);
}

/// A function that joins what it computed: neighbouring work-items compute and copy neighbouring elements.
#[test]
fn rows_joined_of_computed_parts_are_the_work_of_many() {
    let kernel = |name: &str, together: fn(&mut Builder, &Atom) -> Atom| {
        let mut b = Builder::new(name);
        let (n, m) = (b.size("N"), b.size("M"));
        let xs = b.param("xs", array(array(float(), &m), &n));
        let result = b.map(Level::Auto, &xs, together);
        crate::core::simplify::simplify(b.finish(&result))
    };
    let both: fn(&mut Builder, &Atom) -> Atom = |b, row| {
        let pairs = b.map(Level::Auto, row, |b, x| {
            let (root, e) = (b.op(ScalarOp::Sqrt, &[x.clone()]), b.op(ScalarOp::Exp, &[x.clone()]));
            b.tuple(&[root, e])
        });
        let first = b.map(Level::Auto, &pairs, |b, p| b.proj(p, 0));
        let second = b.map(Level::Auto, &pairs, |b, p| b.proj(p, 1));
        b.view(Prim::Concat, &[], &[first, second])
    };
    let beside: fn(&mut Builder, &Atom) -> Atom = |b, row| {
        let more = b.map(Level::Auto, row, |b, x| b.op(ScalarOp::Exp, &[x.clone()]));
        b.view(Prim::Concat, &[], &[row.clone(), more])
    };
    let reversed: fn(&mut Builder, &Atom) -> Atom = |b, row| {
        let roots = b.map(Level::Auto, row, |b, x| b.op(ScalarOp::Sqrt, &[x.clone()]));
        b.view(Prim::Reverse, &[], &[roots])
    };
    for kernel in [kernel("both", both), kernel("beside", beside), kernel("reversed", reversed)] {
        let program = compile(&kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("{}: {}", kernel.name, e[0]));
        assert!(!program.opencl.text.contains("item = "), "{}\n{}", kernel.name, program.opencl.text);
        assert_eq!(program.report.cliffs, [], "{}", kernel.name);
        for (n, m) in [(1, 1), (3, 0), (2, 3), (5, 64), (3, 129), (70, 33)] {
            if let Err(problem) = agree(&kernel, &program, &[rows(n, m)]) {
                panic!("{n}×{m}: {problem}");
            }
        }
    }
}
