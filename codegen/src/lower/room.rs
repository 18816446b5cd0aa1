//! Whether the worst case of an array's length is too much memory to allocate without knowing the length.
//!
//! A filter of N elements may keep all of them, so its outer product may need N² elements. If the worst case grows
//! faster than the inputs, or provably exceeds [`Target::room_per_input`] times their elements, the host reads the
//! length where it is opened ([`super::measure`]), and gives the array what it needs. A wait costs less than memory that
//! the device does not have; for all other arrays the worst case is allocated, and the host does not wait.
//!
//! [`Target::room_per_input`]: crate::target::Target::room_per_input

use super::program::{ProgramBuilder, units};
use crate::core::VarId;
use crate::schedule::bounds;
use lift_analysis::size::{Node, Size};
use lift_analysis::ty::{Ty, TyKind};

impl ProgramBuilder<'_> {
    /// Adds the elements of an input.
    pub fn is_given(&mut self, elements: &Size) {
        self.given = self.given.add(elements);
    }

    /// Requests the lengths that decide about the memory of a variable, `instances` times, if the worst case is too
    /// much.
    pub fn prefer_exact(&self, var: VarId, instances: &Size) {
        let finest = &self.schedule.finest;
        let mut hidden = finest.get(var).iter().cloned();
        let Some(totals) = self.totals(&self.with_lengths(self.kernel.ty(var)), &mut hidden, instances) else { return };
        for total in totals {
            let unread: Vec<VarId> = self.lengths_in(&total).into_iter().filter(|v| self.may_read(*v)).collect();
            if !unread.is_empty() && self.at_worst(&total).is_none_or(|worst| self.is_too_much(&worst)) {
                self.want(unread);
            }
        }
    }

    /// Requests the opened lengths in a length of the program.
    pub fn want_opened(&self, length: &Size) {
        let size = length.subst(&mut |v| self.schedule.finest.value_of(v).map(Size::var));
        self.want(self.lengths_in(&size).into_iter().filter(|v| self.may_read(*v)).collect());
    }

    /// Whether a length is opened at host level, and not read yet.
    fn may_read(&self, length: VarId) -> bool {
        let schedule = self.schedule;
        schedule.finest.is_opened(length) && !schedule.lengths.contains(&length) && schedule.is_at_host_level(length)
    }

    /// The type with the size variables of opened lengths in their place.
    fn with_lengths(&self, ty: &Ty) -> Ty {
        ty.subst_sizes(&mut |v| self.schedule.finest.value_of(v).map(Size::var))
    }

    /// The elements of each scalar of a type, if all lengths that are opened are read.
    fn totals(&self, ty: &Ty, hidden: &mut dyn Iterator<Item = Option<Size>>, instances: &Size) -> Option<Vec<Size>> {
        Some(match ty.kind() {
            TyKind::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.totals(part, hidden, instances));
                parts.collect::<Option<Vec<_>>>()?.concat()
            }
            TyKind::Exists(vars, body) => {
                let mut body = body.clone();
                for var in vars {
                    body = body.subst_size(var, &hidden.next()??);
                }
                self.totals(&body, hidden, instances)?
            }
            TyKind::Array(a) if a.position.is_none() => {
                let len = bounds::upper(&self.facts, &a.len)?;
                self.totals(&a.element, hidden, &instances.mul(&len))?
            }
            TyKind::Array(_) => {
                let (_, all) = units(ty)?;
                vec![instances.mul(&bounds::upper(&self.facts, &all)?)]
            }
            _ => vec![instances.clone()],
        })
    }

    /// The value of a size if all lengths in it are as great as they can be; `None` if nothing is known of one.
    fn at_worst(&self, size: &Size) -> Option<Size> {
        let mut worst = size.clone();
        loop {
            let Some(length) = self.lengths_in(&worst).into_iter().find(|v| self.schedule.finest.is_opened(*v)) else {
                return Some(worst);
            };
            let most = self.schedule.finest.of_opened(length)?;
            let var = self.schedule.finest.length(length)?;
            worst = worst.subst_var(var, most);
        }
    }

    fn is_too_much(&self, elements: &Size) -> bool {
        let each = Size::nat(self.target.room_per_input.into());
        let some = if self.given.is_zero() { each } else { self.given.mul(&each) };
        degree(&elements.node()) > degree(&self.given.node()).max(1) || self.facts.le(&some, elements).is_yes()
    }
}

/// How fast a size grows if all its variables do: the degree of a polynomial.
fn degree(node: &Node) -> i64 {
    let greatest = |all: &[Node]| all.iter().map(degree).max().unwrap_or(0);
    match node {
        Node::Int(_) | Node::TooLarge => 0,
        Node::Var(_) => 1,
        Node::Neg(a) => degree(a),
        Node::Add(all) | Node::Max(all) => greatest(all),
        Node::Sub(a, b) => degree(a).max(degree(b)),
        Node::Mul(all) => all.iter().map(degree).fold(0, i64::saturating_add),
        Node::ExactDiv(a, b) => (degree(a) - degree(b)).max(0),
        Node::FloorDiv { num, den, .. } => (degree(num) - degree(den)).max(0),
        Node::Mod { den, .. } => degree(den),
        Node::Min(all) => all.iter().map(degree).min().unwrap_or(0),
        Node::Pow(base, exponent) => match &**exponent {
            Node::Int(n) => degree(base).saturating_mul(i64::try_from(*n).unwrap_or(i64::MAX)),
            // Faster than any polynomial.
            _ => i64::MAX,
        },
        Node::Sum { count, body, .. } => degree(count).saturating_add(degree(body)),
        Node::IfLe { then, otherwise, .. } => degree(then).max(degree(otherwise)),
    }
}
