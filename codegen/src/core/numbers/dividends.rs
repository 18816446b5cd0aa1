//! The ranges of sums whose remainder is taken, such as the place of a neighbour in a ring, `(mod (+ i N -1) N)`.
//!
//! Such a sum wraps if arrays are very long, and the index is wrong. So the kernel assumes that it fits an `Int`. Then the
//! remainder needs no division and no check.

use super::is_known;
use crate::core::{Atom, Lambda, Prim, PrimCall, Rhs, ScalarOp, VarId};
use lift_analysis::hir::Literal;
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashMap;

/// A length up to which sums of a few lengths fit an `Int`.
const SHORT: i64 = 1 << 28;

/// What is known of a value: the least and the greatest value of a number.
#[derive(Debug, Clone)]
pub enum Known {
    Number(Size, Size),
    Tuple(Vec<Option<Known>>),
}

/// What is known of values, and of the elements of arrays.
#[derive(Debug, Default)]
pub struct Ranges<'k> {
    values: FxHashMap<VarId, Known>,
    elements: FxHashMap<VarId, Known>,
    positions: FxHashMap<Var, Size>,
    sums: FxHashMap<VarId, &'k [Atom]>,
}

impl<'k> Ranges<'k> {
    /// Learns of a variable with this value. Inner blocks come later.
    pub fn learn(&mut self, var: VarId, rhs: &'k Rhs) {
        let known = match rhs {
            Rhs::Atom(a) => self.value(a),
            Rhs::Tuple(parts) => Some(Known::Tuple(parts.iter().map(|a| self.value(a)).collect())),
            Rhs::Proj(a, k) => match self.value(a) {
                Some(Known::Tuple(mut parts)) if *k < parts.len() => parts.swap_remove(*k),
                _ => None,
            },
            Rhs::Scalar(op @ (ScalarOp::Add | ScalarOp::Sub), operands) => {
                self.sums.insert(var, operands);
                self.sum(*op, operands)
            }
            Rhs::Prim(call) => {
                if let Some(element) = self.element_of(call) {
                    self.elements.insert(var, element);
                }
                call.funs.iter().for_each(|f| self.function(call, f));
                None
            }
            _ => None,
        };
        if let Some(known) = known {
            self.values.insert(var, known);
        }
    }

    /// Learns of the parameters of a call's function.
    fn function(&mut self, call: &PrimCall, f: &Lambda) {
        if let (Some(position), Some(n)) = (&f.position, call.sizes.first())
            && matches!(call.prim, Prim::Generate)
        {
            self.positions.insert(position.clone(), n.clone());
        }
        let source = match call.prim {
            Prim::Map(_) => call.args.first(),
            Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_) => call.args.get(1),
            _ => None,
        };
        let element = match source {
            Some(Atom::Var(xs)) => self.elements.get(xs).cloned(),
            _ => None,
        };
        if let (Some(element), Some(x)) = (element, f.params.last()) {
            self.values.insert(*x, element);
        }
    }

    fn element_of(&self, call: &PrimCall) -> Option<Known> {
        match call.prim {
            Prim::Iota => {
                let last = call.sizes.first()?.sub(&Size::one());
                is_known(&last).then(|| Known::Number(Size::zero(), last))
            }
            Prim::Zip => {
                let part = |a: &Atom| if let Atom::Var(v) = a { self.elements.get(v).cloned() } else { None };
                Some(Known::Tuple(call.args.iter().map(part).collect()))
            }
            _ => None,
        }
    }

    fn value(&self, a: &Atom) -> Option<Known> {
        match a {
            Atom::Var(v) => self.values.get(v).cloned(),
            _ => self.range(a).map(|(least, most)| Known::Number(least, most)),
        }
    }

    fn range(&self, a: &Atom) -> Option<(Size, Size)> {
        match a {
            Atom::Lit(Literal::Int(n)) => Some((Size::int((*n).into()), Size::int((*n).into()))),
            Atom::Lit(_) => None,
            Atom::Size(size) if is_known(size) => Some((size.clone(), size.clone())),
            // A position, and a distance.
            Atom::Size(size) => {
                let [position] = &size.vars()[..] else { return None };
                let (n, (by, rest)) = (self.positions.get(position)?, size.linear_in(position)?);
                (by.is_one() && is_known(n)).then(|| (rest.clone(), n.sub(&Size::one()).add(&rest)))
            }
            Atom::Var(v) => match self.values.get(v)? {
                Known::Number(least, most) => Some((least.clone(), most.clone())),
                Known::Tuple(_) => None,
            },
        }
    }

    fn sum(&self, op: ScalarOp, operands: &[Atom]) -> Option<Known> {
        let [a, b] = operands else { return None };
        let ((a0, a1), (b0, b1)) = (self.range(a)?, self.range(b)?);
        Some(match op {
            ScalarOp::Add => Known::Number(a0.add(&b0), a1.add(&b1)),
            _ => Known::Number(a0.sub(&b1), a1.sub(&b0)),
        })
    }

    /// The greatest values of a sum whose remainder by a length is taken, and of the sums in it, if they fit an `Int`
    /// unless lengths are beyond [`SHORT`].
    pub fn greatest_of_dividend(&self, rhs: &Rhs) -> Vec<Size> {
        let mut out = Vec::new();
        if let Rhs::Scalar(ScalarOp::Mod | ScalarOp::FloorMod, operands) = rhs
            && let [dividend, Atom::Size(_)] = operands.as_slice()
        {
            self.greatest(dividend, &mut out);
        }
        out
    }

    fn greatest(&self, sum: &Atom, out: &mut Vec<Size>) {
        let Atom::Var(v) = sum else { return };
        let Some(operands) = self.sums.get(v) else { return };
        if let Some((_, most)) = self.range(sum) {
            let short = most.subst(&mut |_| Some(Size::int(SHORT)));
            if short.as_const().is_some_and(|n| n <= i32::MAX.into()) && !out.contains(&most) {
                out.push(most);
            }
        }
        operands.iter().for_each(|a| self.greatest(a, out));
    }
}
