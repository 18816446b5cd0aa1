//! The executions in which a condition holds.

use super::branches::Branches;
use super::count::Counter;
use super::ctypes::is_zero;
use super::domain::{Domain, Narrowed};
use super::values::eval;
use crate::opencl::{BinaryOp, Expr, Helper, UnaryOp};
use lift_analysis::size::Size;
use std::sync::Arc;

impl Counter<'_> {
    pub fn branches(&mut self, condition: &Expr, domain: &mut Domain) -> Branches {
        match condition {
            Expr::Bool(true) => Branches::Known(Some(domain.clone()), None),
            Expr::Bool(false) => Branches::Known(None, Some(domain.clone())),
            // It is true in exactly one group; any one will do.
            Expr::Call(name, _) if **name == *Helper::LastGroup.name() => {
                let group = Expr::call("get_group_id", [Expr::int(0)]);
                self.branches(&group.eq(Expr::int(0)), domain)
            }
            Expr::Unary(UnaryOp::Not, inner) => match self.branches(inner, domain) {
                Branches::Known(yes, no) => Branches::Known(no, yes),
                _ => Branches::Either,
            },
            Expr::Binary(BinaryOp::And, a, b) => self.both(a, b, domain),
            Expr::Binary(BinaryOp::Or, a, b) => {
                let not = |e: &Arc<Expr>| Expr::Unary(UnaryOp::Not, e.clone());
                let neither = Expr::binary(BinaryOp::And, not(a), not(b));
                match self.branches(&neither, domain) {
                    Branches::Known(no, yes) => Branches::Known(yes, no),
                    _ => Branches::Either,
                }
            }
            Expr::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                let equal = self.where_equal(a, b, domain);
                let is_eq = matches!(condition, Expr::Binary(BinaryOp::Eq, ..));
                match equal {
                    Some((yes, no)) if is_eq => Branches::Known(yes, no),
                    Some((yes, no)) => Branches::Known(no, yes),
                    None => self.flag(condition, domain),
                }
            }
            Expr::Binary(op @ (BinaryOp::Lt | BinaryOp::Gt | BinaryOp::Le | BinaryOp::Ge), a, b) => {
                self.compared(*op, a, b, domain)
            }
            _ => self.flag(condition, domain),
        }
    }

    /// Where both hold: the second is computed where the first holds.
    fn both(&mut self, a: &Expr, b: &Expr, domain: &mut Domain) -> Branches {
        let Branches::Known(first, _) = self.branches(a, domain) else { return Branches::Either };
        let Some(mut first) = first else { return Branches::Known(None, Some(domain.clone())) };
        match self.branches(b, &mut first) {
            Branches::Known(Some(both), _) => {
                let rest = domain.without(&both.count());
                let none = rest.count().size.is_zero();
                Branches::Known(Some(both), (!none).then_some(rest))
            }
            Branches::Known(None, _) => Branches::Known(None, Some(domain.clone())),
            // At most those of the first operand.
            Branches::Either | Branches::Limited(_) => {
                first.exact = false;
                Branches::Limited(first)
            }
        }
    }

    /// Where a number is less than another, or greater, or equal too.
    fn compared(&self, op: BinaryOp, a: &Expr, b: &Expr, domain: &mut Domain) -> Branches {
        let start = match a {
            Expr::Var(name) => self.reached.get(name).cloned(),
            _ => None,
        };
        let value = |e: &Expr, domain: &mut Domain| eval(e, &self.names, &self.grid, domain);
        let (Some(a), Some(b)) = (value(a, domain), value(b, domain)) else { return Branches::Either };
        let one = Size::one();
        let d = match op {
            BinaryOp::Lt => b.sub(&a),
            BinaryOp::Gt => a.sub(&b),
            BinaryOp::Le => b.sub(&a).add(&one),
            _ => a.sub(&b).add(&one),
        };
        let narrowed = domain.where_positive(&d);
        // A counter is never less than its initial value.
        if let (Narrowed::Unknown, BinaryOp::Lt, Some(start)) = (&narrowed, op, start) {
            return match domain.where_positive(&b.sub(&start)) {
                Narrowed::Part(mut part) => {
                    part.exact = false;
                    Branches::Limited(*part)
                }
                Narrowed::Nothing => Branches::Known(None, Some(domain.clone())),
                _ => Branches::Either,
            };
        }
        match narrowed {
            Narrowed::All => Branches::Known(Some(domain.clone()), None),
            Narrowed::Nothing => Branches::Known(None, Some(domain.clone())),
            Narrowed::Unknown => Branches::Either,
            Narrowed::Part(yes) => {
                let no = match domain.where_positive(&one.sub(&d)) {
                    Narrowed::Part(no) => *no,
                    _ => domain.without(&yes.count()),
                };
                Branches::Known(Some(*yes), Some(no))
            }
        }
    }

    /// A condition on a flag holds at most as often as the flag was set.
    fn flag(&mut self, condition: &Expr, domain: &Domain) -> Branches {
        let name = match condition {
            Expr::Var(name) => name,
            // Bit `n`: `((bits >> n) & 1u) != 0u`.
            Expr::Binary(BinaryOp::Ne, bit, zero) if is_zero(zero) => match &**bit {
                Expr::Binary(BinaryOp::BitAnd, shifted, _) => match &**shifted {
                    Expr::Binary(BinaryOp::Shr, bits, _) => match &**bits {
                        Expr::Var(name) => name,
                        _ => return Branches::Either,
                    },
                    _ => return Branches::Either,
                },
                _ => return Branches::Either,
            },
            _ => return Branches::Either,
        };
        match self.set.get(name) {
            Some(total) => Branches::Limited(domain.limited(total.clone())),
            None => Branches::Either,
        }
    }

    /// Where two integers are equal, and where they are not.
    fn where_equal(&mut self, a: &Expr, b: &Expr, domain: &mut Domain) -> Option<(Option<Domain>, Option<Domain>)> {
        let right = eval(b, &self.names, &self.grid, domain)?;
        // `num % by == rest`, or `num & (by - 1)` for a power of two.
        let congruence = match a {
            Expr::Binary(BinaryOp::Rem, num, by) => Some((num, &**by, false)),
            Expr::Binary(BinaryOp::BitAnd, num, mask) => match &**mask {
                Expr::Cast(_, mask) => Some((num, &**mask, true)),
                mask => Some((num, mask, true)),
            },
            _ => None,
        };
        if let Some((num, by, mask)) = congruence
            && let (Some(num), Some(by), Some(rest)) = (
                eval(num, &self.names, &self.grid, domain),
                eval(by, &self.names, &self.grid, domain).and_then(|by| by.as_const()),
                right.as_const(),
            )
            && let by = if mask { by.wrapping_add(1) } else { by }
            && (!mask || (by > 0 && by.count_ones() == 1))
            && let Some(part) = domain.congruent(&num, by, rest)
        {
            let no = domain.without(&part.count());
            let none = no.count().size.is_zero();
            return Some((Some(part), (!none).then_some(no)));
        }
        let d = eval(a, &self.names, &self.grid, domain)?.sub(&right);
        let one = Size::one();
        let (at_least, all) = match domain.where_positive(&d.add(&one)) {
            Narrowed::All => (domain.clone(), true),
            Narrowed::Nothing => return Some((None, Some(domain.clone()))),
            Narrowed::Part(part) => (*part, false),
            Narrowed::Unknown => return None,
        };
        let equal = match at_least.where_positive(&one.sub(&d)) {
            // Known numbers do not need the count of the others, which may be only an upper bound.
            Narrowed::All if all => return Some((Some(at_least), None)),
            Narrowed::All => at_least,
            Narrowed::Nothing => return Some((None, Some(domain.clone()))),
            Narrowed::Part(part) => *part,
            Narrowed::Unknown => return None,
        };
        let no = domain.without(&equal.count());
        let none = no.count().size.is_zero();
        Some((Some(equal), (!none).then_some(no)))
    }
}
