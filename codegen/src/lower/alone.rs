//! Records for [`super::cliffs`] whether one work-item runs an operator or a group shares it.

use super::function::FunctionBuilder;
use crate::core::Prim;
use crate::report::Cliff;
use crate::schedule::nested::LONG_VIEW;
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::size::Size;

impl FunctionBuilder<'_, '_> {
    /// Records that all work-items of a group share the current operator.
    pub fn runs_together(&mut self) {
        let origin = self.origin();
        self.program_mut().cliffs.shared.push(origin);
    }

    /// Records that one work-item runs an operator over `len` elements. Not recorded if work-items come from several
    /// nested maps, or if those of a group have different ones, because then they are many.
    pub fn runs_alone(&mut self, operator: Prim, len: &Size) {
        let schedule = self.schedule();
        let origin = self.origin();
        let placed = [&rules::REDUCE_SEQ, &rules::SCAN_SEQ, &rules::FILTER_SEQ];
        let left_open = matches!(operator, Prim::Sort | Prim::Argsort)
            || schedule.applied.iter().any(|a| a.origin == origin && placed.contains(&a.rule));
        let short = self.facts().simplify(len).as_const().is_some_and(|n| n < LONG_VIEW);
        let several = self.grid().used().glb.iter().filter(|d| **d).count() > 1;
        // Each work-item of the group has one of its own.
        let shared = self.position().active().lcl != [false; 3] && !self.position().leads();
        if self.target().class != Class::Gpu || !left_open || short || several || !self.grid().used().any() {
            return;
        }
        if shared {
            return self.runs_together();
        }
        let because_of = schedule.obstacles.iter().find(|(of, _)| of == self.grid().origin()).map(|(_, label)| *label);
        let operator = operator.label();
        self.program_mut().cliffs.alone.push(Cliff { operator, len: len.clone(), because_of, origin });
    }
}
