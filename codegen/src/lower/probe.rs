//! Queries on a function that is then discarded, with its memory.

use super::Result;
use super::function::FunctionBuilder;
use super::program::ProgramBuilder;
use crate::plan::BufferId;
use lift_analysis::origin::Origin;

/// How much is allocated.
#[derive(Debug, Clone, Copy)]
pub struct Allocated {
    buffers: usize,
    stored: usize,
    tables: usize,
    failure: Option<BufferId>,
}

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
        let (applied, allocated) = (self.report.applied.len(), self.allocated());
        let asked = self.with_own_vars(|program| ask(&mut FunctionBuilder::new(program, origin)));
        self.report.applied.truncate(applied);
        self.free_since(allocated);
        asked
    }

    /// The memory that is allocated so far.
    pub fn allocated(&self) -> Allocated {
        Allocated {
            buffers: self.buffers.len(),
            stored: self.report.stored.len(),
            tables: self.tables.len(),
            failure: self.failure_buffer,
        }
    }

    /// Drops the memory of a function that is discarded: no launch gives its buffers the lengths that they need. Tables stay,
    /// and what was allocated with them: steps before the run compute them.
    pub fn free_since(&mut self, before: Allocated) {
        if self.tables.len() == before.tables {
            self.report.stored.truncate(before.stored);
            self.buffers.truncate(before.buffers);
            self.failure_buffer = before.failure;
        }
    }
}
