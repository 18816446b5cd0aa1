//! Facts about sizes and memory at the current position of a function under construction.

use crate::lower::program::assume_hidden;
use crate::lower::symbolic;
use crate::lower::tile::loads::Loads;
use crate::lower::tile::memo::answers::Memo;
use crate::opencl::{BinaryOp, Expr, UnaryOp};
use lift_analysis::size::{Assumption, Facts, Size, Truth, Var};
use rustc_hash::FxHashMap;

/// Facts, and what follows from them. Invariant: `facts`, `extrema`, `quotients`, `loads` and `memo` hold until the end of the scope,
/// which restores those outside of it ([`Self::open`], [`Self::close`]); the expressions of variables and conditions stay.
pub struct Knowledge {
    facts: Facts,
    /// The C expressions of variables.
    indices: FxHashMap<Var, Expr>,
    /// What follows from the value of each condition.
    compared: FxHashMap<Expr, Compared>,
    /// Sizes below 2^32 of which computed numbers are the values modulo 2^32.
    totals: FxHashMap<Expr, Size>,
    extrema: Extrema,
    quotients: Quotients,
    /// Elements of buffers that are kept in registers.
    loads: Option<Loads>,
    /// Cached queries about sizes.
    memo: Option<Memo>,
}

/// The comparison of two sizes that a condition makes.
#[derive(Clone)]
pub(super) enum Compared {
    AtMost(Size, Size),
    Equal(Size, Size),
    Different(Size, Size),
}

/// Quotients that have been computed, each with its variable; and the sizes that the code asks for, if that is of interest.
/// Invariant: they were computed in the scopes that are open.
#[derive(Default)]
pub(in crate::lower) struct Quotients {
    known: Vec<(Size, Var)>,
    asked: Option<Vec<Size>>,
}

impl Quotients {
    /// The size with the variables of quotients in their place.
    pub(in crate::lower) fn named(&mut self, size: Size) -> Size {
        if let Some(asked) = &mut self.asked {
            asked.push(size.clone());
        }
        if self.known.is_empty() {
            return size;
        }
        size.with_quotients(&|q| self.known.iter().find(|(known, _)| known == q).map(|(_, var)| Size::var(var.clone())))
    }
    pub(in crate::lower) fn add(&mut self, quotient: Size, var: Var) {
        self.known.push((quotient, var));
    }
    /// Notes from here on what is asked for; returns what was noted before.
    pub(in crate::lower) fn note(&mut self, asked: Option<Vec<Size>>) -> Option<Vec<Size>> {
        std::mem::replace(&mut self.asked, asked)
    }
}

/// The extrema that have a name here, each with its variable. Invariant: they were declared in the scopes that are open.
#[derive(Default)]
pub(super) struct Extrema(Vec<(Size, Var)>);

impl Extrema {
    fn count(&self) -> usize {
        self.0.len()
    }
    /// The variable of an extremum.
    pub(super) fn find(&self, size: &Size) -> Option<&Var> {
        self.0.iter().find(|(named, _)| named == size).map(|(_, var)| var)
    }
    pub(super) fn add(&mut self, size: Size, var: Var) {
        self.0.push((size, var));
    }
    /// Forgets those after the first `count`, whose scope is closed.
    fn keep(&mut self, count: usize) {
        self.0.truncate(count);
    }
}

/// The state that a scope restores at its end.
pub(super) struct Outside {
    facts: Facts,
    loads: Option<Loads>,
    memo: Option<Memo>,
    extrema: usize,
    quotients: usize,
}

/// State of the interrupted code that code at the start of the function does not share.
pub(super) struct Interrupted {
    extrema: Extrema,
    quotients: Quotients,
    loads: Option<Loads>,
    memo: Option<Memo>,
}

impl Knowledge {
    pub(super) fn new(facts: Facts) -> Knowledge {
        Knowledge {
            facts,
            indices: FxHashMap::default(),
            compared: FxHashMap::default(),
            totals: FxHashMap::default(),
            extrema: Extrema::default(),
            quotients: Quotients::default(),
            loads: None,
            memo: None,
        }
    }

    pub(super) fn open(&self) -> Outside {
        let (loads, memo) = (self.loads.clone(), self.memo.clone());
        let (extrema, quotients) = (self.extrema.count(), self.quotients.known.len());
        Outside { facts: self.facts.clone(), loads, memo, extrema, quotients }
    }
    pub(super) fn close(&mut self, outside: Outside) {
        (self.facts, self.loads, self.memo) = (outside.facts, outside.loads, outside.memo);
        self.extrema.keep(outside.extrema);
        self.quotients.known.truncate(outside.quotients);
    }
    pub(super) fn interrupt(&mut self) -> Interrupted {
        let (extrema, quotients) = (std::mem::take(&mut self.extrema), std::mem::take(&mut self.quotients));
        Interrupted { extrema, quotients, loads: self.loads.take(), memo: self.memo.take() }
    }
    pub(super) fn resume(&mut self, at: Interrupted) {
        (self.loads, self.memo, self.extrema, self.quotients) = (at.loads, at.memo, at.extrema, at.quotients);
    }

    // ---- facts

    pub fn facts(&self) -> &Facts {
        &self.facts
    }
    pub(super) fn facts_mut(&mut self) -> &mut Facts {
        &mut self.facts
    }
    pub(super) fn replace_facts(&mut self, facts: Facts) -> Facts {
        std::mem::replace(&mut self.facts, facts)
    }
    pub fn assume(&mut self, assumption: &Assumption) {
        self.facts.assume(assumption);
    }
    pub fn assume_range(&mut self, var: Var, least: Option<Size>, most: Option<Size>) {
        self.facts.assume_range(var, least, most);
    }
    /// Assumes that a new variable has the value, and so the bounds, of a size.
    pub fn assume_value(&mut self, var: &Var, size: &Size) {
        let (least, most) = self.facts.bounds(size);
        self.facts.assume_range(var.clone(), least, most);
        self.facts.assume_named(var, size);
    }
    /// Assumes `0 <= var < n`.
    pub fn assume_index(&mut self, var: &Var, n: &Size) {
        let last = n.sub(&Size::one());
        // An index is an `int`, whatever is known of the length.
        if n.as_var().is_none() && !self.fits_int(&last) {
            self.facts.assume_range(var.clone(), None, Some(Size::int(i32::MAX.into())));
        }
        self.facts.assume_range(var.clone(), Some(Size::zero()), Some(last));
    }
    pub fn assume_le(&mut self, least: Size, most: Size) {
        self.facts.assume_le(least, most);
    }
    pub fn assume_eq(&mut self, a: Size, b: Size) {
        self.facts.assume_eq(a, b);
    }
    pub fn assume_divides(&mut self, divisor: Size, size: Size) {
        self.facts.assume_divides(divisor, size);
    }
    /// Assumes that a hidden length is natural and has a bound.
    pub fn assume_hidden(&mut self, length: &Var, at_most: Option<Size>) {
        assume_hidden(&mut self.facts, length, at_most);
    }

    /// Whether `0 <= i < n` is provable.
    pub fn in_range(&self, i: &Size, n: &Size) -> bool {
        self.not_negative(i) && self.facts.lt(i, n).is_yes()
    }
    pub fn not_negative(&self, s: &Size) -> bool {
        self.facts.le(&Size::zero(), s).is_yes()
    }
    /// Whether the size, and all intermediate results of its C expression, provably fit an `int`.
    pub fn fits_int(&self, s: &Size) -> bool {
        symbolic::fits_int(&self.facts, s)
    }
    pub fn divides(&self, divisor: i64, s: &Size) -> Truth {
        self.facts.divides(&Size::int(divisor), s)
    }
    /// The simplified form of a size under the current facts.
    pub fn simplify(&mut self, s: &Size) -> Size {
        if let Some(known) = self.memo.as_ref().and_then(|m| m.simplified(s)) {
            return known.clone();
        }
        let simple = self.facts.simplify(s);
        if let Some(memo) = &mut self.memo {
            memo.learn_simplified(s, &simple);
        }
        simple
    }

    // ---- variables and conditions

    /// The C expression of a variable.
    pub fn expr_of(&self, var: &Var) -> Option<&Expr> {
        self.indices.get(var)
    }
    /// A variable with this C expression.
    pub(super) fn var_of(&self, expr: &Expr) -> Option<&Var> {
        self.indices.iter().find(|(_, e)| *e == expr).map(|(var, _)| var)
    }
    /// Gives the C expression for a variable of the program, such as a skolem.
    pub fn alias(&mut self, var: &Var, expr: Expr) {
        self.indices.insert(var.clone(), expr);
    }
    /// Records what a condition compares.
    pub(super) fn note_condition(&mut self, condition: &Expr, compared: Compared) {
        self.compared.insert(condition.clone(), compared);
    }
    /// Records the size of which a computed number is the value modulo 2^32.
    pub(super) fn note_total(&mut self, computed: &Expr, size: Size) {
        self.totals.insert(computed.clone(), size);
    }
    pub(super) fn total(&self, computed: &Expr) -> Option<&Size> {
        self.totals.get(computed)
    }
    /// Records that a name has the value of an expression.
    pub fn note_name(&mut self, expr: &Expr, name: &Expr) {
        if let Some(known) = self.compared.get(expr).cloned() {
            self.compared.insert(name.clone(), known);
        }
        if let Some(size) = self.totals.get(expr).cloned() {
            self.totals.insert(name.clone(), size);
        }
    }
    /// Assumes, until the end of the scope, what follows from the value of a condition.
    pub fn assume_condition(&mut self, condition: &Expr, holds: bool) {
        match condition {
            Expr::Binary(BinaryOp::And, a, b) if holds => {
                [a, b].into_iter().for_each(|e| self.assume_condition(e, true))
            }
            Expr::Binary(BinaryOp::Or, a, b) if !holds => {
                [a, b].into_iter().for_each(|e| self.assume_condition(e, false));
            }
            Expr::Unary(UnaryOp::Not, a) => self.assume_condition(a, !holds),
            _ => {
                let Some(compared) = self.compared.get(condition).cloned() else { return };
                match (compared, holds) {
                    (Compared::AtMost(least, most), true) => self.facts.assume_le(least, most),
                    (Compared::AtMost(least, most), false) => self.facts.assume_le(most.add(&Size::one()), least),
                    (Compared::Equal(a, b), true) | (Compared::Different(a, b), false) => self.facts.assume_eq(a, b),
                    (Compared::Equal(..), false) | (Compared::Different(..), true) => {}
                }
            }
        }
    }
    pub(super) fn extrema(&self) -> &Extrema {
        &self.extrema
    }
    pub(super) fn extrema_mut(&mut self) -> &mut Extrema {
        &mut self.extrema
    }

    pub(in crate::lower) fn quotients_mut(&mut self) -> &mut Quotients {
        &mut self.quotients
    }

    // ---- caches

    pub fn loads(&self) -> Option<&Loads> {
        self.loads.as_ref()
    }
    pub fn loads_mut(&mut self) -> Option<&mut Loads> {
        self.loads.as_mut()
    }
    /// Keeps loaded elements from here on; returns what was kept before.
    pub fn keep_loads(&mut self, loads: Option<Loads>) -> Option<Loads> {
        std::mem::replace(&mut self.loads, loads)
    }
    pub fn memo(&self) -> Option<&Memo> {
        self.memo.as_ref()
    }
    pub fn memo_mut(&mut self) -> Option<&mut Memo> {
        self.memo.as_mut()
    }
    /// Starts to remember the answers to queries.
    pub fn remember(&mut self) {
        self.memo = Some(Memo::default());
    }
    pub fn take_memo(&mut self) -> Option<Memo> {
        self.memo.take()
    }
}
