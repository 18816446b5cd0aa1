//! Products of matrices and stencils of Doubles are computed in blocks, as those of Floats are.

use super::tiles::{BLOCKS, compiled, dot, product, windows_of};
use super::*;
use crate::core::builder::*;
use crate::core::{Level, PadMode, Prim};

fn rows_of_doubles(m: usize, n: usize) -> Value {
    let row = |r: usize| {
        Value::Array(ArrayValue::Double((0..n).map(|i| ((i * 37 + r * 17 + 11) % 101) as f64 / 100.0).collect()))
    };
    Value::rows((0..m).map(row))
}

/// Checks that GPUs with 32 KiB of local memory and with more have the same strategy; runs the code for the former.
fn tiled(kernel: &Kernel, label: &str, inputs: &[Vec<Value>]) {
    for target in [Target::gpu(), Target::nvidia()] {
        let run = target.local_memory == Target::gpu().local_memory;
        let program = compiled(kernel, &target);
        let text = &program.opencl.text;
        assert!(text.contains(&format!("// {label}\n")), "{} is no `{label}`:\n{text}", kernel.name);
        for inputs in inputs.iter().filter(|_| run) {
            if let Err(problem) = agree(kernel, &program, inputs) {
                panic!("{problem}");
            }
        }
    }
}

#[test]
fn products_of_doubles() {
    let kernel = product("product", double, false, |b, x, y| dot(b, Level::Seq, 0.0f64, x, y));
    let inputs = [(3, 5, 4), (65, 17, 66)].map(|(n, k, m)| vec![rows_of_doubles(n, k), rows_of_doubles(k, m)]);
    tiled(&kernel, "map: tiles", &inputs);
}

#[test]
fn stencils_of_doubles() {
    for (extent, label) in [((3, 3), BLOCKS), ((9, 9), "map: folds of windows")] {
        let kernel = windows_of("sums", double(), extent, [PadMode::Clamp; 2], |b, w| {
            let all = b.join(w);
            let sum = b.reduce(Level::Seq, 0.0f64, &all, |b, a, x| b.add(a, x));
            b.view(Prim::Head, &[], &[sum])
        });
        tiled(&kernel, label, &[(3, 40), (17, 70)].map(|(n, m)| vec![rows_of_doubles(n, m)]));
    }
}
