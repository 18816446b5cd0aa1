//! What is known about the variables of sizes, and what follows from it.
//!
//! Facts are assumptions: ranges, inequalities, equalities and divisibility. All answers are sound:
//! [`Truth::Yes`] and [`Truth::No`] hold for every value of the variables for which the facts hold;
//! [`Truth::Unknown`] says nothing. Every question costs a bounded number of steps.

mod bounds;
mod divides;
mod prove;
mod rewrite;
mod simplify;

use super::Size;
use super::assumption::Assumption;
use super::ratio::Ratio;
use super::var::Var;
use rewrite::Rewrite;
use std::collections::BTreeMap;

/// What is known of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// It holds for all values of the variables.
    Yes,
    /// It holds for none.
    No,
    /// It may hold for some values and not for others, or the proof was not found.
    Unknown,
}

impl Truth {
    pub fn is_yes(self) -> bool {
        self == Truth::Yes
    }

    pub fn is_no(self) -> bool {
        self == Truth::No
    }
}

/// A set of assumptions about variables.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Inclusive lower bounds; each of several holds.
    lower: BTreeMap<Var, Vec<Size>>,
    /// Inclusive upper bounds.
    upper: BTreeMap<Var, Vec<Size>>,
    /// Sizes that are at least zero.
    nonneg: Vec<Size>,
    /// `(k, n)`: k is positive and divides n.
    divides: Vec<(Size, Size)>,
    /// Equalities, each turned into a rule that removes its left side.
    rewrites: Vec<Rewrite>,
}

impl Facts {
    /// Nothing but that variables are natural numbers.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// The same facts, and `lo <= var <= hi`.
    #[must_use]
    pub fn with_range(mut self, var: Var, lo: Option<Size>, hi: Option<Size>) -> Facts {
        self.assume_range(var, lo, hi);
        self
    }

    /// `lo <= var <= hi`.
    pub fn assume_range(&mut self, var: Var, lo: Option<Size>, hi: Option<Size>) {
        if let Some(lo) = lo
            && !lo.contains(&var)
        {
            self.lower.entry(var.clone()).or_default().push(lo);
        }
        if let Some(hi) = hi
            && !hi.contains(&var)
        {
            self.upper.entry(var).or_default().push(hi);
        }
    }

    /// `k` is positive and divides `n`.
    pub fn assume_divides(&mut self, k: Size, n: Size) {
        self.assume_le(Size::one(), k.clone());
        self.divides.push((k, n));
    }

    /// `a <= b`.
    pub fn assume_le(&mut self, a: Size, b: Size) {
        if let Some(var) = a.as_var() {
            self.assume_range(var.clone(), None, Some(b.clone()));
        }
        if let Some(var) = b.as_var() {
            self.assume_range(var.clone(), Some(a.clone()), None);
        }
        let difference = b.sub(&a);
        if !difference.is_natural() {
            self.nonneg.push(difference);
        }
    }

    /// `a = b`.
    pub fn assume_eq(&mut self, a: Size, b: Size) {
        let difference = self.rewrite(&a.sub(&b));
        if difference.is_zero() {
            return;
        }
        if let Some(rewrite) = Rewrite::orient(&difference) {
            if let Some(var) = rewrite.variable()
                && var.is_natural()
            {
                self.nonneg.push(rewrite.right().clone());
            }
            self.rewrites.push(rewrite);
        } else {
            self.nonneg.push(difference.neg());
            self.nonneg.push(difference);
        }
    }

    /// Takes the assumption as a fact.
    pub fn assume(&mut self, assumption: &Assumption) {
        match assumption {
            Assumption::Divides { divisor, value } => {
                self.assume_divides(divisor.clone(), value.clone());
            }
            Assumption::NonNegative(a) => self.assume_le(Size::zero(), a.clone()),
            Assumption::Positive(a) => self.assume_le(Size::one(), a.clone()),
            Assumption::AtMost(a, b) => self.assume_le(a.clone(), b.clone()),
            Assumption::Equal(a, b) => self.assume_eq(a.clone(), b.clone()),
        }
    }

    /// `a = b`? `No` means: different for every value of the variables.
    pub fn equal(&self, a: &Size, b: &Size) -> Truth {
        if a == b {
            return Truth::Yes;
        }
        let difference = self.rewrite(&a.sub(b));
        if difference.is_zero() || self.simplify(&difference).is_zero() {
            return Truth::Yes;
        }
        let one = Size::one();
        if self.never_zero(&difference)
            || self.proves_nonneg(&difference.sub(&one))
            || self.proves_nonneg(&difference.neg().sub(&one))
        {
            return Truth::No;
        }
        if self.zero_in_all_cases(&difference) { Truth::Yes } else { Truth::Unknown }
    }

    /// `a <= b`?
    pub fn le(&self, a: &Size, b: &Size) -> Truth {
        if self.proves_nonneg(&b.sub(a)) {
            Truth::Yes
        } else if self.proves_nonneg(&a.sub(b).sub(&Size::one())) {
            Truth::No
        } else {
            Truth::Unknown
        }
    }

    /// `a < b`?
    pub fn lt(&self, a: &Size, b: &Size) -> Truth {
        self.le(&a.add(&Size::one()), b)
    }

    /// Does the assumption follow from the facts?
    pub fn proves(&self, assumption: &Assumption) -> Truth {
        match assumption {
            Assumption::Divides { divisor, value } => self.divides(divisor, value),
            Assumption::NonNegative(a) => self.le(&Size::zero(), a),
            Assumption::Positive(a) => self.lt(&Size::zero(), a),
            Assumption::AtMost(a, b) => self.le(a, b),
            Assumption::Equal(a, b) => self.equal(a, b),
        }
    }

    /// `2·N = 2·M + 1` has no solution: the constant is no multiple of the gcd of the others.
    fn never_zero(&self, difference: &Size) -> bool {
        let Some((num, _)) = difference.as_fraction() else {
            return false;
        };
        let mut gcd = 0;
        let mut constant = 0;
        for term in num.terms() {
            let Some(coeff) = term.coeff.to_integer() else {
                return false;
            };
            if term.mono.is_one() {
                constant = coeff;
            } else {
                gcd = super::ratio::gcd(gcd, coeff);
            }
        }
        if gcd == 0 { constant != 0 } else { constant % gcd != 0 }
    }

    /// The greatest constant known to be a lower bound of the variable.
    fn constant_lower(&self, var: &Var) -> Option<i128> {
        let stated = self.lower.get(var).into_iter().flatten();
        let natural = var.is_natural().then_some(0);
        stated.filter_map(|lo| lo.as_ratio().map(ceil)).chain(natural).max()
    }
}

fn ceil(value: Ratio) -> i128 {
    -value.neg().floor()
}
