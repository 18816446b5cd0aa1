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
        let (applied, stored) = (self.report.applied.len(), self.report.stored.len());
        let (buffers, failure) = (self.buffers.len(), self.failure_buffer);
        let asked = self.with_own_vars(|program| ask(&mut FunctionBuilder::new(program, origin)));
        self.report.applied.truncate(applied);
        self.report.stored.truncate(stored);
        // A launch would have given each buffer the length that it needs.
        self.buffers.truncate(buffers);
        self.failure_buffer = failure;
        asked
    }
}
