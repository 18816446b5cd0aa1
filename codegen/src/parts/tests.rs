//! What is known of a kernel whose casts may not run.

use super::known::Known;
use crate::core::builder::*;
use crate::core::{Kernel, Level};
use lift_analysis::size::{LengthCheck, Size, Truth};

/// The sums of the pairs of two arrays, which a cast says are equally long: everywhere, or in a branch.
fn sums(in_branch: bool) -> Kernel {
    let mut b = Builder::new("sums");
    let (n, m) = (b.size("N"), b.size("M"));
    let (xs, ys) = (b.param("xs", array(int(), &n)), b.param("ys", array(int(), &m)));
    let checks = [LengthCheck::new(m.clone(), n.clone())];
    let sums = |b: &mut Builder| {
        let zs = b.cast(&ys, array(int(), &n), &checks);
        let pairs = b.zip(&[xs.clone(), zs]);
        b.map(Level::Auto, &pairs, |b, pair| {
            let (x, z) = (b.proj(pair, 0), b.proj(pair, 1));
            b.add(&x, &z)
        })
    };
    let result = match in_branch {
        false => sums(&mut b),
        true => {
            let same = b.eq(&m, &n);
            b.if_(&same, sums, |_| xs.clone())
        }
    };
    b.finish(&result)
}

#[test]
fn a_cast_in_a_branch_says_nothing_about_other_runs() {
    for (in_branch, equal) in [(false, true), (true, false)] {
        let kernel = sums(in_branch);
        let [n, m] = [0, 1].map(|i| Size::var(kernel.sizes[i].clone()));
        let known = Known::new(&kernel).facts.equal(&n, &m);
        assert_eq!(known == Truth::Yes, equal, "in a branch: {in_branch}");
    }
}
