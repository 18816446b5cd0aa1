//! Upper bounds of C's integer expressions whose value is unknown, or too long to count with.

use super::count::Counter;
use super::domain::Domain;
use super::values::eval;
use crate::opencl::{BinaryOp, CType, Expr, Stmt, StmtKind};
use lift_analysis::size::Size;

/// Maximum depth of declarations that a bound follows.
const DEEPEST: u32 = 20;

impl Counter<'_> {
    /// An upper bound for all values of the indices. Counted numbers in generated code are never negative.
    pub fn upper(&self, e: &Expr, domain: &mut Domain) -> Option<Size> {
        self.most(e, DEEPEST, domain)
    }

    fn most(&self, e: &Expr, depth: u32, domain: &mut Domain) -> Option<Size> {
        let depth = depth.checked_sub(1)?;
        let value = eval(e, &self.names, &self.grid, domain);
        if let Some(value) = value.as_ref().filter(|value| !domain.has_index(value)) {
            return Some(value.clone());
        }
        let known = value.and_then(|value| domain.most(&value));
        match (known, self.most_of_parts(e, depth, domain)) {
            (Some(a), Some(b)) => Some(Size::min(&a, &b)),
            (a, b) => a.or(b),
        }
    }

    fn most_of_parts(&self, e: &Expr, depth: u32, domain: &mut Domain) -> Option<Size> {
        let mut of = |e: &Expr| self.most(e, depth, domain);
        match e {
            Expr::Var(name) => of(self.declared.get(name)?),
            Expr::Cast(CType::Int | CType::UInt | CType::Long | CType::ULong, a) => of(a),
            Expr::Call(name, args) if &**name == "min" => match (of(args.first()?), of(args.get(1)?)) {
                (Some(a), Some(b)) => Some(Size::min(&a, &b)),
                (a, b) => a.or(b),
            },
            Expr::Call(name, args) if &**name == "max" => Some(Size::max(&of(args.first()?)?, &of(args.get(1)?)?)),
            Expr::Select(_, a, b) => Some(Size::max(&of(a)?, &of(b)?)),
            Expr::Binary(BinaryOp::Add, a, b) => Some(of(a)?.add(&of(b)?)),
            Expr::Binary(BinaryOp::Mul, a, b) => Some(of(a)?.mul(&of(b)?)),
            Expr::Binary(BinaryOp::Div, a, b) => {
                let by = b.as_int().filter(|by| *by > 0)?;
                Some(of(a)?.div_floor(&Size::int(by)))
            }
            Expr::Binary(BinaryOp::Rem, _, b) => b.as_int().filter(|by| *by > 0).map(|by| Size::int(by - 1)),
            Expr::Binary(BinaryOp::Sub, a, b) => self.difference(b, a, depth, domain),
            _ => None,
        }
    }

    /// An upper bound of `to - from`.
    pub fn longest_range(&self, from: &Expr, to: &Expr, domain: &mut Domain) -> Option<Size> {
        self.difference(from, to, DEEPEST, domain)
    }

    fn difference(&self, from: &Expr, to: &Expr, depth: u32, domain: &mut Domain) -> Option<Size> {
        let depth = depth.checked_sub(1)?;
        // One was computed from the other.
        match self.meaning(to) {
            Expr::Binary(BinaryOp::Add, a, more) if **a == *from => return self.most(more, depth, domain),
            Expr::Call(name, args) if &**name == "min" => {
                let [a, b] = args.as_slice() else { return None };
                let (a, b) = (self.difference(from, a, depth, domain), self.difference(from, b, depth, domain));
                return match (a, b) {
                    (Some(a), Some(b)) => Some(Size::min(&a, &b)),
                    (a, b) => a.or(b),
                };
            }
            _ => {}
        }
        match self.meaning(from) {
            Expr::Binary(BinaryOp::Sub, a, less) if **a == *to => return self.most(less, depth, domain),
            _ => {}
        }
        match (to, from) {
            // The remainder: `count - count % 8`.
            (a, Expr::Binary(BinaryOp::Rem, b, _)) if *a == **b => self.most(a, depth, domain),
            _ => self.most(to, depth, domain),
        }
    }

    fn meaning<'e>(&'e self, e: &'e Expr) -> &'e Expr {
        match e {
            Expr::Var(name) => self.declared.get(name).unwrap_or(e),
            e => e,
        }
    }

    /// The iterations of a binary search, `while (low < high) { m = low + (high - low) / 2; … }`, in which `low` or
    /// `high` becomes a number near m.
    pub fn halvings(&self, condition: &Expr, body: &[Stmt], domain: &mut Domain) -> Option<Size> {
        let Expr::Binary(BinaryOp::Lt, low, high) = condition else { return None };
        let StmtKind::Declare { init: Some(Expr::Binary(BinaryOp::Add, base, half)), .. } = &body.first()?.kind else {
            return None;
        };
        let Expr::Binary(BinaryOp::Div, width, two) = &**half else { return None };
        let whole = matches!(&**width, Expr::Binary(BinaryOp::Sub, a, b) if a == high && b == low);
        if **base != **low || two.as_int() != Some(2) || !whole {
            return None;
        }
        let most = self.upper(high, domain)?.as_const()?;
        Some(Size::int(super::doublings(most.max(1)) + 1))
    }
}
