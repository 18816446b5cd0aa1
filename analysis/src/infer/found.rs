//! The findings of an inference so far.
//!
//! Invariants: findings stay, except the openings and assumptions that a later step replaces as a whole; a
//! node has one diagnostic of each code; a used name occurs once. Types and lengths may contain inference variables
//! until [`Found::complete`].

use super::given::{Functions, Given};
use super::lets::Lets;
use super::result::*;
use crate::diagnostics::{Diagnostic, Fix, Severity};
use crate::hir::*;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Scheme, Ty};
use rustc_hash::FxHashMap;

#[derive(Debug)]
pub struct Found {
    types: IdVec<ExprId, Option<Ty>>,
    /// Sizes that must be constant, with the expression that requires it.
    constants: Vec<(Size, ExprId)>,
    lets: Lets,
    /// The function arguments checked for each index variable, by its id.
    functions_at: FxHashMap<u32, Vec<ExprId>>,
    /// Whether a used definition has a type with gaps left by an error.
    uses_broken: bool,
    given_locals: FxHashMap<BinderId, Given>,
    /// Names that nothing binds, which one diagnostic takes for parameters.
    meant_as_parameters: Vec<ExprId>,
    out: Inference,
}

impl Found {
    /// The state before the walk over a body with `exprs` expressions.
    pub fn new(exprs: usize) -> Found {
        Found {
            types: vec![None; exprs].into(),
            constants: Vec::new(),
            lets: Lets::default(),
            functions_at: FxHashMap::default(),
            uses_broken: false,
            given_locals: FxHashMap::default(),
            meant_as_parameters: Vec::new(),
            out: Inference::default(),
        }
    }

    /// The result so far.
    pub fn so_far(&self) -> &Inference {
        &self.out
    }

    // --- types

    /// The type of an expression itself, before an opening; `None` before the walk reaches it.
    pub fn ty(&self, e: ExprId) -> Option<&Ty> {
        self.types[e].as_ref()
    }
    pub fn set_type(&mut self, e: ExprId, ty: Ty) {
        self.types[e] = Some(ty);
    }
    pub fn types(&self) -> &IdVec<ExprId, Option<Ty>> {
        &self.types
    }
    pub fn instantiated(&mut self, at: ExprId, instance: Instance) {
        self.out.instances.insert(at, instance);
    }
    /// Records a literal or operator with a default type.
    pub fn defaulted(&mut self, exprs: Vec<ExprId>) {
        self.out.defaulted.extend(exprs);
    }

    // --- names

    pub fn uses(&mut self, name: &Name) {
        if !self.out.uses.contains(name) {
            self.out.uses.push(name.clone());
        }
    }
    /// Records the use of a definition of this type.
    pub fn uses_type(&mut self, ty: &Ty) {
        self.uses_broken |= ty.has_gaps();
    }
    pub fn lets(&self) -> &Lets {
        &self.lets
    }
    pub fn generalized(&mut self, binder: BinderId, scheme: LetScheme) {
        self.out.let_schemes.insert(binder, scheme);
    }
    pub fn quantify_let(&mut self, types: &[Option<crate::ty::Class>], sizes: &[Var]) {
        self.lets.add(types, sizes);
    }

    /// Records names as parameters that are not bound.
    pub fn meant_as_parameters(&mut self, uses: Vec<ExprId>) {
        self.meant_as_parameters.extend(uses);
    }
    pub fn is_meant_as_parameter(&self, e: ExprId) -> bool {
        self.meant_as_parameters.contains(&e)
    }

    /// Records the size that a `let` names.
    pub fn names_size(&mut self, binder: BinderId, size: Size) {
        self.out.named_sizes.insert(binder, size);
    }

    // --- opening and hiding

    pub fn opened(&mut self, opening: Opening) {
        self.out.openings.push(opening);
    }
    /// The lengths of the last opening.
    pub fn last_opened(&self) -> &[Var] {
        self.out.openings.last().map_or(&[], |o| &o.lengths)
    }
    pub fn set_functions(&mut self, functions: Functions) {
        self.out.openers = functions.openers;
        self.out.given = functions.definitions;
        self.given_locals = functions.locals;
    }
    /// The arguments of a function bound by `let`.
    pub fn given_to(&self, local: BinderId) -> Option<&Given> {
        self.given_locals.get(&local)
    }
    pub fn forget_opening(&mut self, site: Site) {
        self.out.openings.retain(|o| o.site != site);
    }
    /// The opening that introduced a length.
    pub fn opening_of(&self, length: &Var) -> Option<&Opening> {
        self.out.openings.iter().find(|o| o.lengths.contains(length))
    }
    pub fn packed(&mut self, packing: Packing) {
        self.out.packings.push(packing);
    }
    pub fn cast(&mut self, cast: CheckedCast) {
        self.out.casts.push(cast);
    }

    // --- assumptions

    pub fn assume(&mut self, assumed: Assumed) {
        self.out.assumed.push(assumed);
    }
    pub fn assumed(&self) -> &[Assumed] {
        &self.out.assumed
    }
    pub fn set_assumed(&mut self, assumed: Vec<Assumed>) {
        self.out.assumed = assumed;
    }
    pub fn take_assumed(&mut self) -> Vec<Assumed> {
        self.take_assumed_from(0)
    }
    /// Takes the assumptions from the `first` on.
    pub fn take_assumed_from(&mut self, first: usize) -> Vec<Assumed> {
        self.out.assumed.split_off(first)
    }
    pub fn assume_all(&mut self, assumed: Vec<Assumed>) {
        self.out.assumed.extend(assumed);
    }
    /// Records a size that must be constant.
    pub fn require_constant(&mut self, size: Size, at: ExprId) {
        self.constants.push((size, at));
    }
    pub fn constants(&self) -> &[(Size, ExprId)] {
        &self.constants
    }
    pub fn take_constants(&mut self) -> Vec<(Size, ExprId)> {
        std::mem::take(&mut self.constants)
    }

    // --- loops

    pub fn iterates(&mut self, call: ExprId, iteration: Iteration) {
        self.out.iterations.insert(call, iteration);
    }
    pub fn changes(&mut self, call: ExprId, change: StateChange) {
        self.out.changes.insert(call, change);
    }
    /// How often, and how, the length with this symbol changes.
    pub fn iteration_of(&self, symbol: &Var) -> Option<(&Size, &RoundLength)> {
        if symbol.kind != VarKind::Skolem {
            return None;
        }
        let mut lengths = self.out.iterations.values().filter_map(|i| Some((i.count.as_ref()?, i.length.as_ref()?)));
        lengths.find(|(_, length)| length.symbol == *symbol)
    }
    /// The value of a length of a loop's state that every iteration keeps.
    pub fn kept_length(&self, own: &Var) -> Option<Size> {
        let of = |change: &StateChange| change.kept.iter().find(|(v, _)| v == own).map(|(_, start)| start.clone());
        self.out.changes.values().find_map(of)
    }
    /// The call of the loop that opens this length of its state in each iteration.
    pub fn loop_that_opens(&self, length: &Var) -> Option<ExprId> {
        let opens = |change: &StateChange| change.step.contains(length) || change.test.contains(length);
        self.out.changes.iter().find(|(_, change)| opens(change)).map(|(call, _)| *call)
    }

    // --- indices

    /// Records that a function argument is checked for these index variables.
    pub fn checked_at(&mut self, positions: &[Var], function: ExprId) {
        for position in positions {
            self.functions_at.entry(position.id).or_default().push(function);
        }
    }
    /// The function arguments checked for an index variable.
    pub fn functions_at(&self, position: &Var) -> &[ExprId] {
        self.functions_at.get(&position.id).map_or(&[], Vec::as_slice)
    }
    /// Records that a lambda is applied to each element, at this index.
    pub fn applied_at(&mut self, lambda: ExprId, position: Var) {
        self.out.positions.insert(lambda, AtPosition { position, count: None });
    }
    pub fn partitioned(&mut self, call: ExprId, pieces: Pieces) {
        self.out.partitions.insert(call, pieces);
    }
    pub fn generated(&mut self, call: ExprId, position: Var) {
        self.out.generated.insert(call, position);
    }
    pub fn indexed(&mut self, call: ExprId, index: Size) {
        self.out.indices.insert(call, index);
    }

    // --- calls

    /// Records a composition that ends in a value.
    pub fn pipes(&mut self, compose: ExprId) {
        self.out.pipelines.insert(compose);
    }
    /// Records the second argument of an `and` or `or`.
    pub fn right_side(&mut self, e: ExprId) {
        self.out.right_sides.insert(e);
    }

    // --- diagnostics

    /// Adds what is not the same mistake as one before: at the same place, or mended by the same edits.
    pub fn diagnostic(&mut self, d: Diagnostic) {
        let edits = d.fixes.first().map(|fix| &fix.edits);
        let is_same = |o: &Diagnostic| {
            (o.at == d.at && o.code == d.code) || (edits.is_some() && o.fixes.first().map(|fix| &fix.edits) == edits)
        };
        if !self.out.diagnostics.iter().any(is_same) {
            self.out.diagnostics.push(d);
        }
    }
    pub fn diagnostics(&mut self, all: impl IntoIterator<Item = Diagnostic>) {
        all.into_iter().for_each(|d| self.diagnostic(d));
    }
    /// Adds fixes to the diagnostics with these indices.
    pub fn add_fixes(&mut self, fixes: Vec<(usize, Fix)>) {
        for (index, fix) in fixes {
            self.out.diagnostics[index].fixes.push(fix);
        }
    }
    /// Puts one diagnostic in the place of those after the first `first`.
    pub fn replace_mistakes(&mut self, first: usize, d: Diagnostic) {
        self.out.diagnostics.truncate(first);
        self.diagnostic(d);
    }
    /// The number of diagnostics so far.
    pub fn mistakes(&self) -> usize {
        self.out.diagnostics.len()
    }
    /// Whether an error was found here, or in the type of a used definition.
    pub fn has_errors(&self) -> bool {
        self.uses_broken || self.out.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }

    // --- the end

    /// Replaces the result by one without inference variables.
    pub fn complete(&mut self, complete: Inference) {
        self.types = complete.expr_types.iter().cloned().map(Some).collect();
        self.out = complete;
    }
    pub fn set_scheme(&mut self, scheme: Option<Scheme>) {
        self.out.scheme = scheme;
    }
    pub fn set_lengths(&mut self, lengths: Vec<LengthOrigin>) {
        self.out.lengths = lengths;
    }
    /// The result, with the diagnostics of lowering first.
    pub fn into_inference(mut self, lowered: &[Diagnostic]) -> Inference {
        self.out.diagnostics.splice(0..0, lowered.iter().cloned());
        self.out
    }
    /// The schemes of generalised `let`s.
    pub fn into_let_schemes(self) -> FxHashMap<BinderId, LetScheme> {
        self.out.let_schemes
    }
}
