//! Solves one equation for one variable.

use super::Size;
use super::assumption::Assumption;
use super::atom::Atom;
use super::facts::{Facts, Truth};
use super::poly::{self, Term};
use super::ratio::Ratio;
use super::var::Var;

/// The result of solving an equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// The only possible value, valid under these assumptions, of which provable ones are omitted.
    Unique(Size, Vec<Assumption>),
    /// No natural number solves the equation.
    None,
    /// The equation does not determine the variable, or the solver does not support it.
    Stuck,
}

/// Solves `lhs = rhs` for `unknown`.
///
/// `U/2 = M` gives `2*M`; `2*U = N` gives `N/2` if 2 divides N; `U+3 = N` gives `N-3` if that is not negative;
/// `2^U = 2^k` gives `k`.
pub fn solve(lhs: &Size, rhs: &Size, unknown: &Var, facts: &Facts) -> Solution {
    let (lhs, rhs) = (facts.simplify(lhs), facts.simplify(rhs));
    let difference = lhs.sub(&rhs);
    if !difference.contains(unknown) {
        return match facts.equal(&lhs, &rhs) {
            Truth::No => Solution::None,
            _ => Solution::Stuck,
        };
    }
    let Some(cleared) = clear_unknown(&difference, unknown) else {
        return Solution::Stuck;
    };
    if let Some(exponent) = logarithm(&cleared, unknown) {
        // b^e = b^r: the exponents are equal.
        return match exponent {
            Some((e, r)) => solve(&e, &r, unknown, facts),
            None => Solution::None,
        };
    }
    match cleared.linear_in(unknown) {
        Some((factor, rest)) if factor.leads_negative() => linear(&factor.neg(), &rest, &lhs, &rhs, unknown, facts),
        Some((factor, rest)) => linear(&factor, &rest.neg(), &lhs, &rhs, unknown, facts),
        None => visible_root(&cleared, unknown, facts).unwrap_or_else(|| root(&cleared, unknown)),
    }
}

/// Solves `factor·unknown = value`.
fn linear(factor: &Size, value: &Size, lhs: &Size, rhs: &Size, unknown: &Var, facts: &Facts) -> Solution {
    if factor.is_zero() {
        return Solution::Stuck;
    }
    let solution = value.div_exact(factor);
    // Facts take a denominator to be positive, so their answers about a quotient are valid only if the factor never
    // changes sign: `(m+2)/(k-4)` looks natural, but is negative at k = 1.
    let one_sign = has_one_sign(factor, facts);
    // If the factor may be zero, every number may solve the equation.
    let no_solution = || match facts.equal(factor, &Size::zero()) {
        Truth::No if one_sign => Solution::None,
        _ => Solution::Stuck,
    };
    let mut assumptions = Vec::new();
    if !is_whole(&solution, lhs, rhs, unknown) {
        let needed = divisibility(factor, value);
        match needed.as_ref().map(|needed| facts.proves(needed)) {
            Some(Truth::Yes) if one_sign => {}
            Some(Truth::No) | None => return no_solution(),
            // It includes that the divisor is positive.
            Some(_) => assumptions.extend(needed),
        }
    }
    if let Some(constant) = solution.as_ratio()
        && (constant.is_negative() || !constant.is_integer())
    {
        return no_solution();
    }
    let natural = Assumption::NonNegative(solution.clone());
    match facts.proves(&natural) {
        Truth::Yes if one_sign => {}
        Truth::No => return no_solution(),
        _ => assumptions.push(natural),
    }
    Solution::Unique(solution, assumptions)
}

/// Whether a rational size is nowhere negative or nowhere positive.
fn has_one_sign(size: &Size, facts: &Facts) -> bool {
    // Facts are about integers: `k/2-2/3 >= 0` counts as true once `k/2-2/3 > -1`. Denominators of the equation are
    // positive.
    let Some(denominator) = poly::denominator(size.terms()) else { return false };
    let whole = size.mul(&Size::term(denominator));
    facts.le(&Size::zero(), &whole).is_yes() || facts.le(&whole, &Size::zero()).is_yes()
}

/// Whether the solution is an integer whenever both sides of the equation are.
fn is_whole(solution: &Size, lhs: &Size, rhs: &Size, unknown: &Var) -> bool {
    if solution.is_integral() {
        return true;
    }
    // If one side is free of the unknown, and the other is integral apart from it, then the solution is a sum of
    // integer multiples of the first side and of integers.
    [(lhs, rhs), (rhs, lhs)].into_iter().any(|(with, without)| {
        if without.contains(unknown) {
            return false;
        }
        let Some((factor, rest)) = with.linear_in(unknown) else {
            return false;
        };
        let Some(factor) = factor.as_ratio().and_then(Ratio::recip) else {
            return false;
        };
        factor.is_integer() && rest.scale(factor).is_integral()
    })
}

/// The divisibility under which `value/factor` is an integer, with common factors cancelled.
fn divisibility(factor: &Size, value: &Size) -> Option<Assumption> {
    let quotient = value.div_exact(factor);
    let den = poly::denominator(quotient.terms())?;
    let (num, den) = match quotient.as_fraction() {
        Some((num, den)) if num.is_integral() => (num, den),
        _ => (quotient.mul(&Size::term(den.clone())), Size::term(den)),
    };
    // Terms that are multiples of the divisor are irrelevant: 2 divides 2·M - N if it divides N.
    let is_multiple = |term: &&Term| Size::term((*term).clone()).div_exact(&den).is_integral();
    let rest: Vec<Term> = num.terms().iter().filter(|term| !is_multiple(term)).cloned().collect();
    let value = Size::from_terms(rest);
    let value = if value.terms().iter().all(|term| term.coeff.is_negative()) { value.neg() } else { value };
    Some(Assumption::Divides { divisor: den, value })
}

/// Multiplies `size = 0` until the unknown is in no denominator.
fn clear_unknown(size: &Size, unknown: &Var) -> Option<Size> {
    let mut current = size.clone();
    for _ in 0..4 {
        let den = poly::denominator(current.terms())?;
        let concerned = den.mono.retain(|atom, _| atom.contains(unknown));
        if concerned.is_one() {
            return Some(current);
        }
        let factor = Size::term(Term { mono: concerned, coeff: Ratio::ONE });
        current = current.mul(&factor).expand_groups();
    }
    None
}

/// For `c·b^e = c·b^r` with a number `b` and the unknown in `e` only, `e` and `r`. `Some(None)` if the other side is
/// not a power of `b`.
fn logarithm(equation: &Size, unknown: &Var) -> Option<Option<(Size, Size)>> {
    let [first, second] = equation.terms() else {
        return None;
    };
    let (with, without) =
        if first.mono.0.iter().any(|(a, _)| a.contains(unknown)) { (first, second) } else { (second, first) };
    if without.mono.0.iter().any(|(a, _)| a.contains(unknown)) {
        return None;
    }
    // with + without = 0, so with/(-without) = 1.
    let ratio = with.mul(&without.recip()?)?;
    let coeff = ratio.coeff.neg();
    let mut base: Option<Size> = None;
    let mut exponent = Size::zero();
    for (atom, times) in &*ratio.mono.0 {
        let Atom::Pow(b, e) = atom else { return None };
        b.as_integer().filter(|b| *b >= 2)?;
        if base.as_ref().is_some_and(|other| other != b) {
            return None;
        }
        base = Some(b.clone());
        exponent = exponent.add(&e.scale(Ratio::integer(i128::from(*times))?));
    }
    // b^exponent·coeff = 1
    let base = base?;
    let number = base.as_integer()?;
    let target = coeff.recip()?;
    let (value, negative) = if target.is_integer() {
        (target.num(), false)
    } else if target.num() == 1 {
        (target.den(), true)
    } else {
        return Some(None);
    };
    let Some(log) = exact_log(number, value) else {
        return Some(None);
    };
    let log = Size::constant(if negative { -log } else { log });
    exponent.contains(unknown).then_some(Some((exponent, log)))
}

fn exact_log(base: i128, mut value: i128) -> Option<i128> {
    let mut log = 0;
    while value > 1 && value % base == 0 {
        value /= base;
        log += 1;
    }
    (value == 1).then_some(log)
}

/// A factor `unknown - r` of the equation, where `r` is another variable plus -1, 0 or 1, and the cofactor has no other
/// root: `U·(U+1)/2 = N·(N+1)/2` gives `N`.
fn visible_root(equation: &Size, unknown: &Var, facts: &Facts) -> Option<Solution> {
    let (num, _) = equation.as_fraction()?;
    let value = Size::var(unknown.clone());
    for var in num.vars().into_iter().filter(|var| var != unknown) {
        for shift in [0, -1, 1] {
            let root = Size::var(var.clone()).add(&Size::int(shift));
            let Some((quotient, remainder)) = poly::divide(num.terms(), value.sub(&root).terms()) else { continue };
            let quotient = Size::from_terms(quotient);
            if !remainder.is_empty() || quotient.is_zero() {
                continue;
            }
            let quotient = if quotient.leads_negative() { quotient.neg() } else { quotient };
            // The cofactor is zero nowhere, or only where both are zero.
            let no_root = facts.lt(&Size::zero(), &quotient) == Truth::Yes
                || root.is_natural() && quotient.sub(&value).sub(&root).is_natural();
            if no_root {
                let natural = Assumption::NonNegative(root.clone());
                return match facts.proves(&natural) {
                    Truth::Yes => Some(Solution::Unique(root, Vec::new())),
                    Truth::No => Some(Solution::None),
                    Truth::Unknown => Some(Solution::Unique(root, vec![natural])),
                };
            }
        }
    }
    None
}

/// Solves a quadratic equation with constant coefficients, if it has at most one natural root.
fn root(equation: &Size, unknown: &Var) -> Solution {
    let atom = Atom::Var(unknown.clone());
    let Some((num, _)) = equation.as_fraction() else {
        return Solution::Stuck;
    };
    let mut coefficients = [0i128; 3];
    for term in num.terms() {
        let power = term.mono.exponent(&atom);
        let (Ok(power), true, Some(coeff)) =
            (usize::try_from(power), term.mono.without(&atom).is_one(), term.coeff.to_integer())
        else {
            return Solution::Stuck;
        };
        match coefficients.get_mut(power) {
            Some(slot) => *slot = coeff,
            None => return Solution::Stuck,
        }
    }
    let [c, b, a] = coefficients;
    let discriminant = || b.checked_mul(b)?.checked_sub(a.checked_mul(c)?.checked_mul(4)?);
    let Some(discriminant) = discriminant() else {
        return Solution::Stuck;
    };
    if discriminant < 0 {
        return Solution::None;
    }
    let square_root = discriminant.isqrt();
    if a == 0 {
        return Solution::Stuck;
    }
    if square_root * square_root != discriminant {
        return Solution::None;
    }
    let mut roots: Vec<i128> = [square_root, -square_root]
        .into_iter()
        .filter_map(|r| Ratio::new(-b + r, 2 * a)?.to_integer())
        .filter(|root| *root >= 0)
        .collect();
    roots.dedup();
    match roots.as_slice() {
        [] => Solution::None,
        [root] => Solution::Unique(Size::constant(*root), Vec::new()),
        _ => Solution::Stuck,
    }
}
