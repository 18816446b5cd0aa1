//! Adjacent elements, computed from their index, that share iterations of folds, so that one work-item computes these
//! once ([`crate::schedule::bits`] finds them).
//!
//! [`rounds`]: the folds that the current code shares.

pub mod rounds;

use self::rounds::SharedRounds;
use crate::core::VarId;
use crate::lower::Result;
use crate::lower::function::{FunctionBuilder, Values};
use crate::lower::value::{Array, Value, View};
use crate::opencl::StmtKind;
use crate::schedule::{bits, rules};
use lift_analysis::size::{Size, Var};
use rustc_hash::FxHashMap;

/// The part of a fold to be written.
pub enum Part<'k> {
    Whole,
    /// The iterations from this one on, whose result is to be recorded.
    From(i64),
    /// The iterations below this one, starting from the shared result.
    Below(i64, Value<'k>),
}

impl<'k> Values<'k> {
    /// The iterations of a fold to be written in a scope at this depth.
    pub fn part_of_rounds(&self, fold: VarId, depth: usize) -> Part<'k> {
        let Some(rounds) = self.rounds().filter(|r| r.depth == depth) else { return Part::Whole };
        match (rounds.first, rounds.found.get(&fold)) {
            (true, None) if rounds.folds.contains_key(&fold) => Part::From(rounds.own),
            (false, Some(found)) => Part::Below(rounds.own, found.clone()),
            _ => Part::Whole,
        }
    }

    pub fn found_by_rounds(&mut self, fold: VarId, value: Value<'k>) {
        if let Some(rounds) = self.rounds_mut() {
            rounds.found.insert(fold, value);
        }
    }

    pub fn no_rounds_shared(&mut self) {
        self.share(None);
    }
}

/// The folds that 2^`own` adjacent elements can share.
pub fn shared_folds<'k>(b: &FunctionBuilder<'_, 'k>, xs: &Array<'k>, own: i64) -> FxHashMap<VarId, i64> {
    let View::Mapped(f, of) = &*xs.view else { return FxHashMap::default() };
    if !matches!(&*of.view, View::Iota) {
        return FxHashMap::default();
    }
    let mut folds = bits::shared_folds(b.kernel(), f.lambda);
    folds.retain(|_, rounds| *rounds > own);
    folds
}

/// Writes the iterations shared by 2^`own` elements, the first of which is element `from`; returns whether there
/// are any.
pub fn share_rounds<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    xs: &Array<'k>,
    from: &Size,
    own: i64,
    folds: FxHashMap<VarId, i64>,
) -> Result<bool> {
    let noted = f.program_mut().report.applied.len();
    let (mut shared, rounds) = f.scope(|f| {
        let depth = f.depth();
        let rounds = SharedRounds { folds, own, found: FxHashMap::default(), first: true, depth };
        f.values_mut().share(Some(rounds));
        f.read(xs, from)?;
        f.without_unused_names();
        Ok(f.values_mut().share(None))
    })?;
    // Only the folds may remain in the scope; everything else of the function is unnamed expressions.
    let only_folds = |kind: &StmtKind| matches!(kind, StmtKind::Declare { .. } | StmtKind::For { .. });
    let Some(mut rounds) = rounds.filter(|r| !r.found.is_empty() && shared.iter().all(|s| only_folds(&s.kind))) else {
        // Discard the applied rules recorded meanwhile.
        f.program_mut().report.applied.truncate(noted);
        return Ok(false);
    };
    let origin = f.origin();
    f.program_mut().applied(&rules::SHARED_BITS, &origin);
    f.emit_all(std::mem::take(&mut shared));
    rounds.first = false;
    f.values_mut().share(Some(rounds));
    Ok(true)
}

/// Element `at`, computed in the current scope from the shared results.
pub fn sharing_element<'k>(f: &mut FunctionBuilder<'_, 'k>, xs: &Array<'k>, at: Var) -> Result<Value<'k>> {
    let depth = f.depth();
    if let Some(rounds) = f.values_mut().rounds_mut() {
        rounds.depth = depth;
    }
    f.read(xs, &Size::var(at))
}
