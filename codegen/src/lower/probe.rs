//! Queries on a function that is then discarded.

use super::Result;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use lift_analysis::origin::Origin;

impl<'k> ProgramBuilder<'k> {
    /// Runs queries on a function that is then discarded.
    pub fn probe(
        &mut self,
        origin: &Origin,
        ask: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        let noted = self.report.applied.len();
        let asked = ask(&mut FunctionBuilder::new(self, origin));
        self.report.applied.truncate(noted);
        asked
    }
}
