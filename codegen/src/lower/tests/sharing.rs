//! Iterations of folds that adjacent elements share: `shared-bits`.

use super::*;
use crate::core::builder::*;
use crate::core::{Atom, Level, Prim, ScalarOp};

/// The sum over `i < N` of the number of set bits of `i`, plus the result of `besides` for `i`.
fn bits_and(besides: impl FnOnce(&mut Builder, &Atom) -> Option<Atom>) -> Kernel {
    let mut b = Builder::new("bits of numbers");
    let n = b.size("N");
    let numbers = b.iota(n);
    let counted = b.map(Level::Auto, &numbers, |b, i| {
        let rounds = b.iota(30);
        let ones = b.reduce(Level::Seq, 0, &rounds, |b, acc, k| {
            let low = b.op(ScalarOp::Shr, &[i.clone(), k.clone()]);
            let bit = b.op(ScalarOp::BitAnd, &[low, 1.into()]);
            b.add(acc, &bit)
        });
        let ones = b.prim(Prim::Head, &[], vec![], &[ones]);
        match besides(b, i) {
            Some(more) => b.add(&ones, &more),
            None => ones,
        }
    });
    let sum = b.reduce(Level::Auto, 0, &counted, |b, x, y| b.add(x, y));
    crate::core::simplify::simplify(b.finish(&sum))
}

/// Whether `--explain` names the rule, and whether the text contains the shared iterations. Checks the results in any
/// case.
fn shares(kernel: &Kernel) -> [bool; 2] {
    let program = compile(kernel, &Target::nvidia()).unwrap_or_else(|e| panic!("it does not compile: {}", e[0]));
    for n in [1, 1000, 5000] {
        let sizes = SizeValues::from_iter([(kernel.sizes[0].clone(), n)]);
        let outcome = run(&program, &[], &sizes, &crate::testing::device(), &RunOptions::default()).unwrap();
        let meaning = interp::run(kernel, vec![], &[(kernel.sizes[0].clone(), n)], Limits::default()).unwrap();
        assert_eq!(outcome.value, meaning, "{n}:\n{}", program.opencl.text);
    }
    let named = program.report.applied.iter().any(|a| a.rule.name == "shared-bits");
    // The shared iterations start after those of the bits in which neighbours differ.
    let later = |from: i32| program.opencl.text.contains(&format!("= {from}; "));
    [named, (2..6).any(later)]
}

#[test]
fn rounds_are_shared() {
    assert_eq!(shares(&bits_and(|_, _| None)), [true, true]);
}

#[test]
fn what_else_is_computed_of_a_number_leaves_nothing_to_share_and_names_no_rule() {
    let kernel = bits_and(|b, i| {
        let again = b.lambda(&[int()], |b, at| b.lt(&at[0], 3));
        let next = b.lambda(&[int()], |b, at| b.add(&at[0], 1));
        let low = b.op(ScalarOp::BitAnd, &[i.clone(), 3.into()]);
        Some(b.prim(Prim::IterateWhile, &[], vec![again, next], &[low]))
    });
    assert_eq!(shares(&kernel), [false, false]);
}
