//! Index expressions as sums of products of names.

use crate::opencl::{BinaryOp, CType, Expr, Stmt, StmtKind};
use lift_analysis::hir::Name;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The factors of each product, and how often it occurs. The product without factors is the constant.
pub type Sum = BTreeMap<Vec<Name>, i64>;

/// The values of the constants that statements declare.
#[derive(Default)]
pub struct Known(FxHashMap<Name, Sum>);

impl Known {
    /// The constants of these statements, not of those inside of them.
    pub fn of(stmts: &[Stmt]) -> Known {
        let mut known = Known::default();
        for stmt in stmts {
            if let StmtKind::Declare { constant: true, ty: CType::Int, name, init: Some(init) } = &stmt.kind
                && let Some(sum) = known.sum(init)
            {
                known.0.insert(name.clone(), sum);
            }
        }
        known
    }

    /// An expression as a sum, if it is one.
    pub fn sum(&self, e: &Expr) -> Option<Sum> {
        let binary = |a: &Expr, b: &Expr| Some((self.sum(a)?, self.sum(b)?));
        let mut sum = match e {
            Expr::Int { value, .. } => Sum::from([(Vec::new(), *value)]),
            Expr::Var(name) => self.0.get(name).cloned().unwrap_or_else(|| Sum::from([(vec![name.clone()], 1)])),
            Expr::Cast(CType::Int, of) if !matches!(**of, Expr::Cast(..)) => self.sum(of)?,
            Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                let (mut a, b) = binary(a, b)?;
                let sign = if *op == BinaryOp::Add { 1 } else { -1 };
                for (product, n) in b {
                    let all = a.entry(product).or_insert(0);
                    *all = all.checked_add(n.checked_mul(sign)?)?;
                }
                a
            }
            Expr::Binary(BinaryOp::Mul, a, b) => {
                let (a, b) = binary(a, b)?;
                product(&a, &b)?
            }
            _ => return None,
        };
        sum.retain(|_, n| *n != 0);
        Some(sum)
    }
}

/// The product of two sums.
pub fn product(a: &Sum, b: &Sum) -> Option<Sum> {
    let mut all = Sum::new();
    for (x, n) in a {
        for (y, m) in b {
            let mut product: Vec<Name> = x.iter().chain(y).cloned().collect();
            product.sort();
            let sum = all.entry(product).or_insert(0);
            *sum = sum.checked_add(n.checked_mul(*m)?)?;
        }
    }
    Some(all)
}

/// A sum as `name·factor + rest`, neither of which contains the name.
pub fn linear_in(sum: &Sum, name: &Name) -> Option<(Sum, Sum)> {
    let (mut factor, mut rest) = (Sum::new(), Sum::new());
    for (product, n) in sum {
        match product.iter().position(|part| part == name) {
            None => {
                rest.insert(product.clone(), *n);
            }
            Some(at) => {
                let mut others = product.clone();
                others.remove(at);
                if others.contains(name) {
                    return None;
                }
                factor.insert(others, *n);
            }
        }
    }
    Some((factor, rest))
}

/// The sum as an expression; the products with positive sign come first.
pub fn expr_of(sum: &Sum) -> Expr {
    let of_names = |names: &[Name]| names.iter().map(|name| Expr::Var(name.clone())).reduce(Expr::mul);
    let term = |names: &[Name], n: i64| match of_names(names) {
        None => Expr::int(n),
        Some(product) if n == 1 => product,
        Some(product) => product.mul(Expr::int(n)),
    };
    let positive = sum.iter().filter(|(_, n)| **n > 0).map(|(names, n)| term(names, *n)).reduce(Expr::add);
    let negative = sum.iter().filter(|(_, n)| **n < 0);
    negative.fold(positive.unwrap_or_else(|| Expr::int(0)), |all, (names, n)| all.sub(term(names, n.saturating_neg())))
}
