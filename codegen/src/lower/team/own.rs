//! Rows in registers: work-item l of a team of w has the elements l, l + w, l + 2w and so on, a constant number of
//! them, in loops that the device's compiler unrolls.

use super::{item, times};
use crate::lower::Result;
use crate::lower::function::{FunctionBuilder, Grid};
use crate::opencl::{CType, Expr};
use crate::schedule::teams::{Own, Team};
use crate::target::Target;
use lift_analysis::hir::Name;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;

impl Grid {
    /// The distribution of rows over registers, if they are in registers.
    pub fn own_row(&self) -> Option<&Own> {
        self.team().and_then(|team| team.own.as_ref())
    }

    /// Whether an array of length `n` has one element for each of the row's.
    pub fn is_own_row(&self, n: &Size) -> bool {
        self.own_row().is_some_and(|own| own.row == *n)
    }

    /// Limits the number of groups: small groups compute several rows, because starting a group costs more than a row.
    pub fn as_many_as_are_busy(&mut self, team: &Team, target: &Target) {
        let units = i64::from(target.compute_units);
        let most = units * i64::from(target.get(Parameter::RowsStarted)) / i64::from(team.items * team.rows);
        let most = Size::int(most.max(1));
        self.limit_groups(&most);
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// A loop over this work-item's elements of the row.
    pub fn for_own_row(&mut self, n: &Size, body: impl FnOnce(&mut Self, &Size) -> Result<()>) -> Result<()> {
        let (items, each) = self
            .grid()
            .team()
            .map_or((1, 1), |team| (i64::from(team.items), team.own.as_ref().map_or(1, |own| own.each)));
        let end = self.size(n)?;
        self.in_own_rounds(|b| {
            b.written_out("k", each, |b, k| {
                let i = b.bind("i", CType::Int, times(k.clone(), items).add(item()));
                b.provided(i.clone().lt(end), |b| {
                    let i = b.index_below("i", i, n);
                    let outside = b.values_mut().take_in_hand(Some((i.clone(), k)));
                    let result = body(b, &i);
                    b.values_mut().take_in_hand(outside);
                    result
                })
            })
        })
    }

    /// The register of an element, which must be the current one.
    pub fn own_element(&mut self, name: &Name, at: &Size) -> Result<Expr> {
        let Some((i, k)) = self.values().at_hand() else {
            return Err(self.error("", "an element of a row in registers is read outside of its loop"));
        };
        if !self.facts().equal(at, &i).is_yes() {
            return Err(self.error("", "an element of a row in registers is read by another work-item"));
        }
        Ok(Expr::Var(name.clone()).index(k))
    }
}
