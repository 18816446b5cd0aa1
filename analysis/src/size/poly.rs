//! The normal form: sums of monomials with rational coefficients, sorted, leading term first.
//!
//! Monomials are ordered by total degree, then lexicographically. This order is compatible with multiplication, so
//! division has a unique result. Exponents may be negative: `n/k` is the monomial n·k⁻¹, and n·k⁻¹·k is n again.

use super::atom::Atom;
use super::ratio::{Ratio, lcm};
use super::work::{self, TooLarge};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::sync::Arc;

/// Maximum number of terms of a polynomial; a larger one is kept as a product of factors.
pub(crate) const MAX_TERMS: usize = 512;
/// Maximum number of intermediate terms of one multiplication.
const MAX_PRODUCTS: usize = 4096;
/// Maximum number of steps of one division.
const MAX_DIVISION_STEPS: usize = 1024;
/// Maximum number of terms visited by one division, or by all divisions by groups for one size. Hand-written sizes need
/// some hundreds.
const MAX_DIVISION_TERMS: usize = 1 << 16;

/// A product of powers of atoms, sorted by atom, without zero exponents. Sums share the monomials of their operands.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Mono(pub Arc<[(Atom, i32)]>);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Term {
    pub mono: Mono,
    pub coeff: Ratio,
}

pub(crate) type Terms = Vec<Term>;

/// The factors of a monomial under construction.
type Factors<'a> = SmallVec<[(&'a Atom, i32); 8]>;

impl Mono {
    pub fn one() -> Mono {
        Mono::default()
    }

    pub fn atom(atom: Atom, exponent: i32) -> Mono {
        let exponent = atom.normal_exponent(exponent);
        if exponent == 0 { Mono::one() } else { Mono(Arc::new([(atom, exponent)])) }
    }

    pub fn is_one(&self) -> bool {
        self.0.is_empty()
    }

    pub fn exponent(&self, atom: &Atom) -> i32 {
        match self.0.binary_search_by(|(a, _)| a.cmp(atom)) {
            Ok(at) => self.0[at].1,
            Err(_) => 0,
        }
    }

    fn degree(&self) -> i64 {
        self.0.iter().map(|&(_, e)| i64::from(e)).sum()
    }

    /// The product of `self` and `other` raised to `power`.
    pub fn mul_pow(&self, other: &Mono, power: i32) -> Option<Mono> {
        if other.is_one() {
            return Some(self.clone());
        }
        if self.is_one() && power == 1 {
            return Some(other.clone());
        }
        let mut factors = Factors::new();
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => return Some(Mono::of(&factors)),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let mut factor: Option<(&Atom, i32)> = None;
            if order != Ordering::Greater {
                factor = left.next().map(|(atom, e)| (atom, *e));
            }
            if order != Ordering::Less
                && let Some((atom, exponent)) = right.next()
            {
                let exponent = exponent.checked_mul(power)?;
                factor = Some(match factor {
                    Some((atom, e)) => (atom, e.checked_add(exponent)?),
                    None => (atom, exponent),
                });
            }
            if let Some((atom, exponent)) = factor {
                let exponent = atom.normal_exponent(exponent);
                if exponent != 0 {
                    factors.push((atom, exponent));
                }
            }
        }
    }

    /// The product of these powers, which must be sorted.
    fn of(factors: &[(&Atom, i32)]) -> Mono {
        if factors.is_empty() {
            return Mono::one();
        }
        Mono(factors.iter().map(|(atom, e)| ((*atom).clone(), *e)).collect())
    }

    pub fn mul(&self, other: &Mono) -> Option<Mono> {
        self.mul_pow(other, 1)
    }

    /// Every exponent multiplied by `power`.
    pub fn pow(&self, power: i32) -> Option<Mono> {
        Mono::one().mul_pow(self, power)
    }

    /// `self/other`, if no exponent of an atom in `other` turns negative.
    pub fn div(&self, other: &Mono) -> Option<Mono> {
        if other.0.iter().any(|(atom, e)| self.exponent(atom) < *e) {
            return None;
        }
        self.mul_pow(other, -1)
    }

    /// The monomial without `atom`.
    pub fn without(&self, atom: &Atom) -> Mono {
        self.retain(|a, _| a != atom)
    }

    /// Keeps the powers that satisfy `pred`.
    pub fn retain(&self, pred: impl Fn(&Atom, i32) -> bool) -> Mono {
        let kept: Factors<'_> = self.0.iter().filter(|(atom, e)| pred(atom, *e)).map(|(atom, e)| (atom, *e)).collect();
        if kept.len() == self.0.len() { self.clone() } else { Mono::of(&kept) }
    }
}

impl PartialOrd for Mono {
    fn partial_cmp(&self, other: &Mono) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Mono {
    fn cmp(&self, other: &Mono) -> Ordering {
        if Arc::ptr_eq(&self.0, &other.0) {
            return Ordering::Equal;
        }
        let by_degree = self.degree().cmp(&other.degree());
        if by_degree != Ordering::Equal {
            return by_degree;
        }
        let (mut left, mut right) = (self.0.iter(), other.0.iter());
        loop {
            match (left.next(), right.next()) {
                (None, None) => return Ordering::Equal,
                (Some((_, e)), None) => return e.cmp(&0),
                (None, Some((_, e))) => return 0.cmp(e),
                (Some((a, e)), Some((b, f))) => match a.cmp(b) {
                    Ordering::Equal if e == f => {}
                    Ordering::Equal => return e.cmp(f),
                    Ordering::Less => return e.cmp(&0),
                    Ordering::Greater => return 0.cmp(f),
                },
            }
        }
    }
}

impl Term {
    pub fn constant(coeff: Ratio) -> Term {
        Term { mono: Mono::one(), coeff }
    }

    pub fn mul(&self, other: &Term) -> Option<Term> {
        Some(Term { mono: self.mono.mul(&other.mono)?, coeff: self.coeff.mul(other.coeff)? })
    }

    pub fn recip(&self) -> Option<Term> {
        Some(Term { mono: self.mono.pow(-1)?, coeff: self.coeff.recip()? })
    }
}

/// The cost of processing the terms: 1 each, plus 1 for every four factors.
fn extent(terms: &[Term]) -> usize {
    terms.iter().map(|term| 1 + term.mono.0.len() / 4).sum()
}

/// Sorts the terms and merges those of equal monomials.
pub(crate) fn collect(mut terms: Terms) -> Result<Terms, TooLarge> {
    work::spend(extent(&terms))?;
    let in_order = terms.windows(2).all(|two| two[0].mono > two[1].mono);
    if in_order && terms.len() <= MAX_TERMS && terms.iter().all(|term| !term.coeff.is_zero()) {
        return Ok(terms);
    }
    terms.sort_by(|a, b| b.mono.cmp(&a.mono));
    let mut result: Terms = Vec::with_capacity(terms.len());
    for term in terms {
        match result.last_mut() {
            Some(last) if last.mono == term.mono => {
                last.coeff = last.coeff.add(term.coeff).ok_or(TooLarge)?;
            }
            _ => {
                if result.last().is_some_and(|last| last.coeff.is_zero()) {
                    result.pop();
                }
                result.push(term);
            }
        }
    }
    if result.last().is_some_and(|last| last.coeff.is_zero()) {
        result.pop();
    }
    if result.len() > MAX_TERMS { Err(TooLarge) } else { Ok(result) }
}

/// `left + factor·right`, both sorted.
pub(crate) fn add_scaled(left: &[Term], factor: &Term, right: &[Term]) -> Result<Terms, TooLarge> {
    if factor.mono.is_one() {
        return add_times(left, factor.coeff, right);
    }
    let mut terms = Vec::with_capacity(left.len() + right.len());
    terms.extend_from_slice(left);
    for term in right {
        terms.push(term.mul(factor).ok_or(TooLarge)?);
    }
    collect(terms)
}

/// `left + factor·right` for a rational factor.
fn add_times(left: &[Term], factor: Ratio, right: &[Term]) -> Result<Terms, TooLarge> {
    work::spend(extent(left) + extent(right))?;
    let mut terms = Vec::with_capacity(left.len() + right.len());
    let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Greater,
            (None, Some(_)) => Ordering::Less,
            (Some(a), Some(b)) => a.mono.cmp(&b.mono),
        };
        let left = if order == Ordering::Less { None } else { a.next() };
        let right = if order == Ordering::Greater { None } else { b.next() };
        let Some(term) = left.or(right) else { break };
        let mut coeff = left.map_or(Ratio::ZERO, |term| term.coeff);
        if let Some(right) = right {
            coeff = right.coeff.mul(factor).and_then(|times| coeff.add(times)).ok_or(TooLarge)?;
        }
        if !coeff.is_zero() {
            terms.push(Term { mono: term.mono.clone(), coeff });
        }
    }
    if terms.len() > MAX_TERMS { Err(TooLarge) } else { Ok(terms) }
}

pub(crate) fn mul(left: &[Term], right: &[Term]) -> Result<Terms, TooLarge> {
    if left.len() * right.len() > MAX_PRODUCTS || work::exhausted() {
        return Err(TooLarge);
    }
    let mut terms = Vec::with_capacity(left.len() * right.len());
    for a in left {
        for b in right {
            terms.push(a.mul(b).ok_or(TooLarge)?);
        }
    }
    collect(terms)
}

/// The terms multiplied by a rational; keeps the order.
pub(crate) fn scale(terms: &[Term], factor: Ratio) -> Result<Terms, TooLarge> {
    work::spend(extent(terms))?;
    if factor.is_zero() {
        return Ok(Vec::new());
    }
    let mut scaled = Vec::with_capacity(terms.len());
    for term in terms {
        let coeff = term.coeff.mul(factor).ok_or(TooLarge)?;
        scaled.push(Term { mono: term.mono.clone(), coeff });
    }
    Ok(scaled)
}

/// Division with remainder: `num = quotient·den + remainder`, where the leading monomial of `den` divides no term of
/// the remainder. `None` when it exceeds its budget.
pub(crate) fn divide(num: &[Term], den: &[Term]) -> Option<(Terms, Terms)> {
    divide_within(num, den, &mut { MAX_DIVISION_TERMS })
}

/// Division that visits at most `budget` terms, and subtracts them from it.
fn divide_within(num: &[Term], den: &[Term], budget: &mut usize) -> Option<(Terms, Terms)> {
    let lead = den.first()?;
    let mut rest = num.to_vec();
    let (mut quotient, mut remainder) = (Vec::new(), Vec::new());
    for _ in 0..MAX_DIVISION_STEPS {
        let Some(first) = rest.first() else {
            return Some((collect(quotient).ok()?, collect(remainder).ok()?));
        };
        *budget = budget.checked_sub(rest.len())?;
        work::spend(1).ok()?;
        if let Some(mono) = first.mono.div(&lead.mono) {
            let factor = Term { mono, coeff: first.coeff.div(lead.coeff)? };
            let minus = Term { mono: factor.mono.clone(), coeff: factor.coeff.neg() };
            rest = add_scaled(&rest, &minus, den).ok()?;
            quotient.push(factor);
        } else {
            remainder.push(rest.remove(0));
        }
    }
    None
}

/// The greatest factor common to all terms: the gcd of the coefficients (positive) times the
/// least power of every atom.
pub(crate) fn content(terms: &[Term]) -> Option<Term> {
    let (first, others) = terms.split_first()?;
    let mut coeff = first.coeff.abs();
    for term in others {
        coeff = coeff.gcd(term.coeff)?;
    }
    Some(Term { mono: common_mono(terms), coeff })
}

/// The least power of every atom in all terms.
pub(crate) fn common_mono(terms: &[Term]) -> Mono {
    let Some((first, others)) = terms.split_first() else { return Mono::one() };
    others.iter().fold(first.mono.clone(), |mono, term| common(&mono, &term.mono))
}

/// The least power of every atom in two monomials; absent atoms have power 0.
pub(crate) fn common(a: &Mono, b: &Mono) -> Mono {
    if Arc::ptr_eq(&a.0, &b.0) {
        return a.clone();
    }
    let least = a.0.iter().map(|(atom, e)| (atom, (*e).min(b.exponent(atom))));
    let mut factors: Factors<'_> = least.filter(|(_, e)| *e != 0).collect();
    let of_a = factors.len();
    let others = b.0.iter().filter(|(atom, e)| *e < 0 && a.exponent(atom) == 0);
    factors.extend(others.map(|(atom, e)| (atom, *e)));
    if factors.len() > of_a {
        factors.sort_by(|x, y| x.0.cmp(y.0));
    }
    Mono::of(&factors)
}

/// The least common denominator of all terms: an integer times powers of atoms.
pub(crate) fn denominator(terms: &[Term]) -> Option<Term> {
    let mut den = 1;
    let mut mono = Mono::one();
    for term in terms {
        den = lcm(den, term.coeff.den())?;
        mono = common(&mono, &term.mono);
    }
    // `common` with the empty monomial keeps the negative powers only.
    Some(Term { mono: mono.pow(-1)?, coeff: Ratio::integer(den)? })
}

/// Replaces `p·g⁻ᵉ` by `q·g⁻ᵉ⁺¹ + r·g⁻ᵉ` with `p = q·g + r`, for every group `g` in a denominator, so that
/// `(N·N - 1)/(N + 1)` is always `N - 1`.
pub(crate) fn reduce_groups(mut terms: Terms) -> Result<Terms, TooLarge> {
    let is_divided = |(atom, e): &(Atom, i32)| *e < 0 && matches!(atom, Atom::Group(_));
    if !terms.iter().any(|term| term.mono.0.iter().any(is_divided)) {
        return Ok(terms);
    }
    let mut budget = MAX_DIVISION_TERMS;
    'rounds: for _ in 0..16 {
        let factors = terms.iter().flat_map(|term| &*term.mono.0);
        let mut groups: Vec<(Atom, i32)> = factors.filter(|factor| is_divided(factor)).cloned().collect();
        if groups.is_empty() {
            return Ok(terms);
        }
        groups.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        groups.dedup();
        for (atom, exponent) in groups {
            let Atom::Group(group) = &atom else { continue };
            work::spend(extent(&terms))?;
            let (with, without): (Terms, Terms) =
                terms.iter().cloned().partition(|t| t.mono.exponent(&atom) == exponent);
            let num: Terms = with.iter().map(|t| Term { mono: t.mono.without(&atom), coeff: t.coeff }).collect();
            let Some((quotient, remainder)) = divide_within(&collect(num)?, group.terms(), &mut budget) else {
                continue;
            };
            if quotient.is_empty() {
                continue;
            }
            let back = |e: i32| Term { mono: Mono::atom(atom.clone(), e), coeff: Ratio::ONE };
            let reduced = add_scaled(&without, &back(exponent + 1), &quotient)?;
            terms = add_scaled(&reduced, &back(exponent), &remainder)?;
            continue 'rounds;
        }
        return Ok(terms);
    }
    Ok(terms)
}
