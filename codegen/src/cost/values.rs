//! Evaluates integer expressions of C to sizes.

use super::domain::{self, Domain};
use crate::opencl::{BinaryOp, CType, Expr, Helper, UnaryOp};
use lift_analysis::hir::Name;
use lift_analysis::size::Size;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// The values of `get_group_id` and the like in a launch.
#[derive(Debug, Clone)]
pub struct Grid {
    /// The ids of this group and of this work-item in it, in terms of the domain's indices.
    pub group: [Size; 3],
    pub item: [Size; 3],
    pub groups: [Size; 3],
    pub items: [Size; 3],
    /// `[min, a, b]`: sizes that are minima.
    pub least: RefCell<Vec<[Size; 3]>>,
    /// `[to, from, most]`: an end, the start from which it was computed, and an upper bound of their difference.
    pub spans: RefCell<Vec<[Size; 3]>>,
    /// `[q, a, b]`: quotients rounded up, `q = ⌈a/b⌉`.
    pub rounded: RefCell<Vec<[Size; 3]>>,
}

/// The values of variables at a point of a function.
pub type Names = FxHashMap<Name, Size>;

/// The value of an expression; `None` if it is read from memory or not an integer.
pub fn eval(e: &Expr, names: &Names, grid: &Grid, domain: &mut Domain) -> Option<Size> {
    let size = raw(e, names, grid, domain)?;
    domain.known(&size)
}

fn raw(e: &Expr, names: &Names, grid: &Grid, domain: &mut Domain) -> Option<Size> {
    Some(match e {
        Expr::Int { value, .. } => Size::int(*value),
        Expr::UInt(value) => Size::int(i64::try_from(*value).ok()?),
        Expr::Var(name) => names.get(name)?.clone(),
        Expr::Unary(UnaryOp::Neg, a) => eval(a, names, grid, domain)?.neg(),
        Expr::Cast(ty, a) => match (ty, &**a) {
            (CType::Int | CType::UInt | CType::Long | CType::ULong, _) => eval(a, names, grid, domain)?,
            _ => return None,
        },
        Expr::Binary(BinaryOp::Add, a, b) => {
            if let Some(rounded) = rounded_up(a, b, names, grid, domain) {
                return Some(rounded);
            }
            let (x, y) = (eval(a, names, grid, domain)?, eval(b, names, grid, domain)?);
            // `x + min(a, b)` is the minimum of two ends.
            match least(b, names, grid, domain) {
                Some((p, q)) => {
                    let parts = grid.least.borrow().iter().find(|[min, ..]| *min == x).cloned();
                    let first = match parts {
                        Some([_, a, b]) => lesser(domain, grid, &a.add(&p), &b.add(&p)),
                        None => x.add(&p),
                    };
                    let end = lesser(domain, grid, &first, &x.add(&q));
                    grid.spans.borrow_mut().push([end.clone(), x, p]);
                    end
                }
                None => x.add(&y),
            }
        }
        Expr::Binary(BinaryOp::Sub, a, b) => eval(a, names, grid, domain)?.sub(&eval(b, names, grid, domain)?),
        Expr::Binary(BinaryOp::Mul, a, b) => eval(a, names, grid, domain)?.mul(&eval(b, names, grid, domain)?),
        Expr::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) => {
            let (a, b) = (eval(a, names, grid, domain)?, eval(b, names, grid, domain)?);
            divided(domain, &a, &b, *op == BinaryOp::Div)?
        }
        Expr::Binary(BinaryOp::Shl, a, b) => {
            let by = eval(b, names, grid, domain)?.as_const().filter(|n| (0..31).contains(n))?;
            eval(a, names, grid, domain)?.mul(&Size::int(1 << by))
        }
        Expr::Call(name, args) => call(name, args, names, grid, domain)?,
        _ => return None,
    })
}

fn call(name: &str, args: &[Expr], names: &Names, grid: &Grid, domain: &mut Domain) -> Option<Size> {
    let dimension = || args.first().and_then(Expr::as_int).and_then(|d| usize::try_from(d).ok()).filter(|d| *d < 3);
    let global = |d: usize| grid.items[d].mul(&grid.group[d]).add(&grid.item[d]);
    Some(match name {
        "get_global_id" => global(dimension()?),
        "get_global_size" => grid.items[dimension()?].mul(&grid.groups[dimension()?]),
        "get_group_id" => grid.group[dimension()?].clone(),
        "get_num_groups" => grid.groups[dimension()?].clone(),
        "get_local_id" => grid.item[dimension()?].clone(),
        "get_local_size" => grid.items[dimension()?].clone(),
        "min" | "max" => {
            let [a, b] = args else { return None };
            let (a, b) = (eval(a, names, grid, domain)?, eval(b, names, grid, domain)?);
            if name == "min" { lesser(domain, grid, &a, &b) } else { lesser(domain, grid, &a.neg(), &b.neg()).neg() }
        }
        // In a run without failures, checked conditions hold.
        _ if name == Helper::CheckCount.name() => eval(args.get(2)?, names, grid, domain)?,
        _ if name == Helper::FloorDiv.name() || name == Helper::FloorMod.name() => {
            let [a, b] = args else { return None };
            let (a, b) = (eval(a, names, grid, domain)?, eval(b, names, grid, domain)?);
            if name == Helper::FloorDiv.name() { a.div_floor(&b) } else { a.rem(&b) }
        }
        _ => return None,
    })
}

fn lesser(domain: &Domain, grid: &Grid, a: &Size, b: &Size) -> Size {
    let parts = |size: &Size| {
        let found = grid.least.borrow().iter().find(|[min, ..]| min == size).cloned();
        found.map_or_else(|| vec![size.clone()], |[_, a, b]| vec![a, b])
    };
    // Drop operands of the minimum that are at least another operand.
    let mut all: Vec<Size> = parts(a);
    for part in parts(b) {
        if all.iter().any(|other| domain.is_at_most(other, &part)) {
            continue;
        }
        all.retain(|other| !domain.is_at_most(&part, other));
        all.push(part);
    }
    match all.as_slice() {
        [only] => only.clone(),
        [a, b] => {
            let min = Size::min(a, b);
            grid.least.borrow_mut().push([min.clone(), a.clone(), b.clone()]);
            min
        }
        many => many.iter().skip(1).fold(many[0].clone(), |min, part| Size::min(&min, part)),
    }
}

/// C rounds towards zero; sizes agree only if nothing is negative.
fn divided(domain: &mut Domain, a: &Size, b: &Size, quotient: bool) -> Option<Size> {
    if let Some(by) = b.as_const()
        && let Some((upper, lower)) = domain.cut(a, by)
    {
        return Some(if quotient { upper } else { lower });
    }
    let whole = domain.is_at_most(&Size::zero(), a) && domain.is_at_most(&Size::zero(), b);
    whole.then(|| domain.simplify(&if quotient { a.div_floor(b) } else { a.rem(b) }))
}

/// Recognises `a / b + (int)(a % b != 0)`.
fn rounded_up(a: &Expr, b: &Expr, names: &Names, grid: &Grid, domain: &mut Domain) -> Option<Size> {
    let Expr::Binary(BinaryOp::Div, num, den) = a else { return None };
    let Expr::Cast(CType::Int, rest) = b else { return None };
    let Expr::Binary(BinaryOp::Ne, rem, zero) = &**rest else { return None };
    let Expr::Binary(BinaryOp::Rem, num2, den2) = &**rem else { return None };
    if num != num2 || den != den2 || zero.as_int() != Some(0) {
        return None;
    }
    let (num, den) = (eval(num, names, grid, domain)?, eval(den, names, grid, domain)?);
    let all = domain::rounded_up(&num, &den);
    domain.assume_at_most(&num, &all.mul(&den));
    grid.rounded.borrow_mut().push([all.clone(), num, den]);
    Some(all)
}

/// The operands of a minimum.
fn least(e: &Expr, names: &Names, grid: &Grid, domain: &mut Domain) -> Option<(Size, Size)> {
    match e {
        Expr::Call(name, args) if &**name == "min" => match args.as_slice() {
            [a, b] => Some((eval(a, names, grid, domain)?, eval(b, names, grid, domain)?)),
            _ => None,
        },
        Expr::Cast(CType::Int | CType::Long, inner) => least(inner, names, grid, domain),
        _ => None,
    }
}
