//! Stencils on a CPU: the interior of a padded array is computed apart from its borders.

use super::tiles::windows;
use super::*;
use crate::core::builder::*;
use crate::core::simplify::simplify;
use crate::core::{Atom, Level, PadMode, Prim};
use crate::schedule::Schedule;
use expect_test::{Expect, expect};
use lift_analysis::size::{Assumption, Size};

/// Compiles for a CPU and checks the results for these inputs.
fn right(kernel: &Kernel, inputs: &[Vec<Value>]) -> Program {
    let program = match compile(kernel, &Target::cpu()) {
        Ok(program) => program,
        Err(errors) => panic!("{} does not compile: {}", kernel.name, errors[0]),
    };
    for inputs in inputs {
        if let Err(problem) = agree(kernel, &program, inputs) {
            panic!("{problem}");
        }
    }
    program
}

/// Sums of windows of `size` elements, `step` apart, over a padded array.
fn line(size: i64, step: i64, pads: [i64; 2], mode: PadMode, padded_again: bool) -> Kernel {
    let mut b = Builder::new("line");
    let n = b.size("N");
    b.assume(Assumption::AtMost(Size::int(size), n.clone()));
    let xs = b.param("xs", array(int(), &n));
    let mut padded = b.view(Prim::Pad(mode), &pads.map(Size::int), &[xs]);
    if padded_again {
        padded = b.view(Prim::Pad(PadMode::Clamp), &[Size::one(), Size::one()], &[padded]);
    }
    let all = b.slide(Size::int(size), Size::int(step), &padded);
    let sums = b.map(Level::Auto, &all, |b, w| {
        let sum = b.reduce(Level::Seq, 0, w, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    });
    simplify(b.finish(&sums))
}

fn body(program: &Program) -> &str {
    let text = &program.opencl.text;
    text.find(")\n{").map_or(text.as_str(), |at| &text[at + 2..])
}

#[test]
fn the_middle_of_a_line_is_not_clamped() {
    let program = right(&line(3, 1, [1, 1], PadMode::Clamp, false), &[3, 4, 5, 100].map(|n| vec![ints(n)]));
    let expected: Expect = expect![[r#"
        {
          if (get_global_id(0) == 0) {
            int x = 0;
            x = (int)((uint)x + (uint)xs[0]);
            x = (int)((uint)x + (uint)xs[0]);
            x = (int)((uint)x + (uint)xs[1]);
            result[0] = x;
          }
          const int piece = (N - 2) / (int)get_global_size(0) + (int)((N - 2) % (int)get_global_size(0) != 0);
          const int from = (int)min((long)get_global_id(0) * piece, (long)(N - 2));
          const int to = from + min(piece, N - 2 - from);
          for (int i = from; i < to; i++) {
            int x1 = 0;
            x1 = (int)((uint)x1 + (uint)xs[i]);
            x1 = (int)((uint)x1 + (uint)xs[i + 1]);
            x1 = (int)((uint)x1 + (uint)xs[i + 2]);
            result[i + 1] = x1;
          }
          if (get_global_id(0) == 0) {
            int x2 = 0;
            x2 = (int)((uint)x2 + (uint)xs[N - 2]);
            x2 = (int)((uint)x2 + (uint)xs[N - 1]);
            x2 = (int)((uint)x2 + (uint)xs[N - 1]);
            result[N - 1] = x2;
          }
        }
    "#]];
    expected.assert_eq(body(&program));
}

#[test]
fn every_padding_and_step() {
    for mode in [PadMode::Clamp, PadMode::Wrap, PadMode::Mirror] {
        for (size, step, pads) in [(2, 1, [0, 1]), (5, 3, [4, 3]), (9, 1, [4, 4])] {
            for again in [false, true] {
                let padded = pads[0] + pads[1] + if again { 2 } else { 0 };
                // Whole windows only.
                let fits = |n: &usize| (*n as i64 + padded - size) % step == 0;
                let inputs: Vec<Vec<Value>> = (9..70).filter(fits).step_by(19).map(|n| vec![ints(n)]).collect();
                right(&line(size, step, pads, mode, again), &inputs);
            }
        }
    }
}

#[test]
fn grids_of_every_size() {
    let sum = |b: &mut Builder, w: &Atom| {
        let all = b.join(w);
        let sum = b.reduce(Level::Seq, 0.0f32, &all, |b, a, x| b.add(a, x));
        b.view(Prim::Head, &[], &[sum])
    };
    // Fewer elements than the border, as many, and more; also more in one dimension only.
    let grids = || [(1, 1), (1, 7), (2, 3), (3, 2), (3, 40), (9, 64), (17, 33)].map(|(n, m)| vec![rows(n, m)]);
    let kernel = simplify(windows("sums", (3, 3), [PadMode::Clamp, PadMode::Clamp], sum));
    right(&kernel, &grids());
    right(&simplify(windows("wide", (5, 4), [PadMode::Clamp, PadMode::Clamp], sum)), &grids());
    let cross = |b: &mut Builder, w: &Atom| {
        let at = |b: &mut Builder, i: i32, j: i32| {
            let row = b.aref(w, i);
            b.aref(&row, j)
        };
        let (up, left, down) = (at(b, 0, 1), at(b, 1, 0), at(b, 2, 1));
        let both = b.add(&up, &left);
        b.sub(&both, &down)
    };
    right(&simplify(windows("cross", (3, 3), [PadMode::Clamp, PadMode::Clamp], cross)), &grids());
    let rules: Vec<&str> = Schedule::new(&kernel, &Target::cpu()).applied.iter().map(|a| a.rule.name).collect();
    assert!(rules.contains(&"map-rows"), "{rules:?}");
}
