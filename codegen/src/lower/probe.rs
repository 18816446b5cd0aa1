//! Queries on a function that is then discarded.

use super::Result;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use lift_analysis::origin::Origin;

impl<'k> ProgramBuilder<'k> {
    /// Runs queries on a function that is then discarded; none if the program will be discarded, too.
    pub fn probe(
        &mut self,
        origin: &Origin,
        ask: impl FnOnce(&mut FunctionBuilder<'_, 'k>) -> Result<()>,
    ) -> Result<()> {
        if self.is_discarded() {
            return Ok(());
        }
        let noted = self.report.applied.len();
        let asked = self.with_own_vars(|program| ask(&mut FunctionBuilder::new(program, origin)));
        self.report.applied.truncate(noted);
        asked
    }
}
