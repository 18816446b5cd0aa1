//! Random kernels: well formed before and after simplification, and with the same result.

use super::super::builder::*;
use super::super::check::problems;
use super::super::parse;
use super::super::simplify::simplify;
use crate::interp::{Limits, run};
use crate::value::Value;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use proptest::prelude::*;

/// Builds a random kernel from numbers: each chooses the next operation or an operand.
struct Choices<'a> {
    numbers: std::slice::Iter<'a, u8>,
    depth: u32,
}

impl Choices<'_> {
    fn next(&mut self, n: usize) -> usize {
        self.numbers.next().map_or(0, |x| usize::from(*x) % n.max(1))
    }
    fn is_empty(&self) -> bool {
        self.numbers.len() == 0
    }
    /// Picks a value whose type satisfies a condition.
    fn pick(&mut self, pool: &[Atom], b: &Builder, wanted: impl Fn(&Ty) -> bool) -> Option<Atom> {
        let fitting: Vec<&Atom> = pool.iter().filter(|a| wanted(&b.ty(*a))).collect();
        if fitting.is_empty() { None } else { Some(fitting[self.next(fitting.len())].clone()) }
    }
    fn int(&mut self, pool: &[Atom], b: &Builder) -> Atom {
        match self.next(3) {
            0 => Atom::from([0, 1, 2, -3, i32::MAX][self.next(5)]),
            _ => self.pick(pool, b, |t| *t == int()).unwrap_or_else(|| 1.into()),
        }
    }
    /// Builds an Int from `params` and values of the pool.
    fn body(&mut self, b: &mut Builder, pool: &[Atom], params: &[Atom]) -> Atom {
        let mut pool: Vec<Atom> = pool.iter().chain(params).cloned().collect();
        self.depth += 1;
        for _ in 0..self.next(4) {
            self.step(b, &mut pool);
        }
        self.depth -= 1;
        self.int(&pool, b)
    }

    fn step(&mut self, b: &mut Builder, pool: &mut Vec<Atom>) {
        let is_ints = |t: &Ty| t.as_array().is_some_and(|a| a.element == int());
        let new = match self.next(13) {
            0..3 => {
                use ScalarOp::*;
                let op = [Add, Sub, Mul, Div, Mod, Min, Max, BitAnd, Shl][self.next(9)];
                let operands = [self.int(pool, b), self.int(pool, b)];
                b.op(op, &operands)
            }
            3 => {
                let (x, y) = (self.int(pool, b), self.int(pool, b));
                b.lt(&x, &y)
            }
            4 => {
                let condition = self.pick(pool, b, |t| *t == boolean()).unwrap_or_else(|| true.into());
                if self.depth > 2 {
                    return;
                }
                // Both branches continue with the same numbers.
                let then = b.block(|b| self.body(b, pool, &[]));
                let otherwise = b.block(|b| self.body(b, pool, &[]));
                b.emit("t", int(), Vec::new(), crate::core::Rhs::If(condition, then, otherwise))
            }
            5 => {
                let parts = [self.int(pool, b), self.pick(pool, b, |_| true).unwrap_or_else(|| true.into())];
                b.tuple(&parts)
            }
            6 => {
                let Some(pair) = self.pick(pool, b, |t| matches!(t.kind(), TyKind::Tuple(_))) else { return };
                b.proj(&pair, self.next(2))
            }
            7 | 8 => {
                let Some(xs) = self.pick(pool, b, is_ints) else { return };
                if self.depth > 2 {
                    return;
                }
                b.map(Level::Auto, &xs, |b, x| self.body(b, pool, std::slice::from_ref(x)))
            }
            9 => {
                let Some(xs) = self.pick(pool, b, is_ints) else { return };
                let bound = self.int(pool, b);
                b.filter(Level::Auto, &xs, |b, x| b.lt(x, &bound))
            }
            10 => {
                let Some(packed) = self.pick(pool, b, |t| matches!(t.kind(), TyKind::Exists(..))) else { return };
                let (lengths, value) = b.unpack(&packed);
                pool.push(Atom::from(&lengths[0]));
                value
            }
            11 => {
                let Some(xs) = self.pick(pool, b, is_ints) else { return };
                let len = b.ty(&xs).as_array().map(|a| a.len.clone()).unwrap_or_else(Size::zero);
                // Hiding replaces every equal size in the type, so only variables are hidden, never constants.
                if len.as_var().is_none() {
                    return;
                }
                b.pack(&xs, &[len])
            }
            _ => {
                let Some(xs) = self.pick(pool, b, is_ints) else { return };
                let z = self.int(pool, b);
                let sum = b.reduce(Level::Seq, &z, &xs, |b, x, y| b.add(x, y));
                b.aref(&sum, 0)
            }
        };
        pool.push(new);
    }
}

fn kernel(numbers: &[u8]) -> super::super::Kernel {
    let mut choices = Choices { numbers: numbers.iter(), depth: 0 };
    let mut b = Builder::new("random");
    let n = b.size("N");
    let mut pool = vec![b.param("xs", array(int(), &n)), b.param("a", int())];
    while !choices.is_empty() {
        choices.step(&mut b, &mut pool);
    }
    // Return the last few values, so that most of the kernel is used.
    let mut result = Vec::new();
    for a in pool.iter().rev() {
        let local = b.ty(a).any_size_var(&mut |v| v.kind == lift_analysis::size::VarKind::Skolem);
        if !local && result.len() < 3 {
            result.push(a.clone());
        }
    }
    let result = b.tuple(&result);
    b.finish(&result)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]
    #[test]
    fn simplification_keeps_the_meaning(
        numbers in prop::collection::vec(any::<u8>(), 0..120),
        xs in prop::collection::vec(-3i32..20, 0..6),
        a in -3i32..4,
    ) {
        let kernel = kernel(&numbers);
        prop_assert_eq!(problems(&kernel), Vec::<String>::new(), "{}", kernel);
        let simple = simplify(kernel.clone());
        prop_assert_eq!(problems(&simple), Vec::<String>::new(), "{}\nof\n{}", simple, kernel);
        let inputs = vec![Value::from(xs), Value::from(a)];
        let before = run(&kernel, inputs.clone(), &[], Limits::default());
        let after = run(&simple, inputs, &[], Limits::default());
        match before {
            Ok(value) => prop_assert_eq!(after, Ok(value), "{}\nof\n{}", simple, kernel),
            // The operation that stopped the run may have been removed, but there is no new reason to stop.
            Err(stopped) => {
                if let Err(e) = after {
                    prop_assert_eq!(e.kind, stopped.kind, "{}\nof\n{}", simple, kernel);
                }
            }
        }
        // Printed kernels can be parsed.
        let printed = simple.to_string();
        let parsed = parse::kernel(&printed);
        prop_assert_eq!(parsed.as_ref().map(ToString::to_string), Ok(printed));
        prop_assert_eq!(parsed.map_or(Vec::new(), |kernel| problems(&kernel)), Vec::<String>::new(), "{}", simple);
        // Simplification is idempotent.
        prop_assert_eq!(simplify(simple.clone()).to_string(), simple.to_string());
    }
}
