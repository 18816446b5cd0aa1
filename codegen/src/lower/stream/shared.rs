//! Elements that are computed from their number, some beside each other by one work-item, so that what they have in
//! common is computed once ([`crate::schedule::bits`] says what).

use crate::core::VarId;
use crate::lower::Result;
use crate::lower::function::FunctionBuilder;
use crate::lower::value::{Array, Value, View};
use crate::opencl::StmtKind;
use crate::schedule::{bits, rules};
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashMap;

/// Folds whose rounds are done in two parts.
#[derive(Debug, Clone)]
pub struct SharedRounds<'k> {
    /// How many rounds they have.
    folds: FxHashMap<VarId, i64>,
    /// The first rounds depend on which of the elements it is.
    pub own: i64,
    /// What the others found.
    found: FxHashMap<VarId, Value<'k>>,
    /// The others are being written.
    first: bool,
    /// Where the function of an element stands: inside of its branches and loops nothing is shared.
    depth: usize,
}

/// What is to be done of a fold.
pub enum Part<'k> {
    Whole,
    /// The rounds from here on; then it is to be noted what they found.
    From(i64),
    /// The rounds below, from what the others found.
    Below(i64, Value<'k>),
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// The folds by which 2^`own` elements beside each other are computed that can share rounds.
    pub fn shared_folds(&self, xs: &Array<'k>, own: i64) -> FxHashMap<VarId, i64> {
        let View::Mapped(f, of) = &*xs.view else { return FxHashMap::default() };
        if !matches!(&*of.view, View::Iota) {
            return FxHashMap::default();
        }
        let mut folds = bits::shared_folds(self.program.kernel, f.lambda);
        folds.retain(|_, rounds| *rounds > own);
        folds
    }

    /// Writes the rounds that 2^`own` elements share, the first of which is element `from`; whether there are any.
    pub fn share_rounds(
        &mut self,
        xs: &Array<'k>,
        from: &Size,
        own: i64,
        folds: FxHashMap<VarId, i64>,
    ) -> Result<bool> {
        let noted = self.program.report.applied.len();
        let (mut shared, rounds) = self.scope(|f| {
            f.rounds = Some(SharedRounds { folds, own, found: FxHashMap::default(), first: true, depth: f.depth() });
            f.read(xs, from)?;
            f.without_unused_names();
            Ok(f.rounds.take())
        })?;
        // Of the rest of the function nothing is left but what it computes without a name.
        let only_folds = |kind: &StmtKind| matches!(kind, StmtKind::Declare { .. } | StmtKind::For { .. });
        let Some(mut rounds) = rounds.filter(|r| !r.found.is_empty() && shared.iter().all(|s| only_folds(&s.kind)))
        else {
            // What was noted of it goes with it.
            self.program.report.applied.truncate(noted);
            return Ok(false);
        };
        let origin = self.origin();
        self.program.applied(&rules::SHARED_BITS, &origin);
        self.emit_all(std::mem::take(&mut shared));
        rounds.first = false;
        self.rounds = Some(rounds);
        Ok(true)
    }

    /// Element `at` of them, in the scope at hand.
    pub fn sharing_element(&mut self, xs: &Array<'k>, at: Var) -> Result<Value<'k>> {
        let depth = self.depth();
        if let Some(rounds) = &mut self.rounds {
            rounds.depth = depth;
        }
        self.read(xs, &Size::var(at))
    }

    /// Which rounds of a fold are to be written here.
    pub fn part_of_rounds(&self, fold: VarId) -> Part<'k> {
        let Some(rounds) = self.rounds.as_ref().filter(|r| r.depth == self.depth()) else { return Part::Whole };
        match (rounds.first, rounds.found.get(&fold)) {
            (true, None) if rounds.folds.contains_key(&fold) => Part::From(rounds.own),
            (false, Some(found)) => Part::Below(rounds.own, found.clone()),
            _ => Part::Whole,
        }
    }

    pub fn found_by_rounds(&mut self, fold: VarId, value: Value<'k>) {
        if let Some(rounds) = &mut self.rounds {
            rounds.found.insert(fold, value);
        }
    }

    pub fn no_rounds_shared(&mut self) {
        self.rounds = None;
    }
}
