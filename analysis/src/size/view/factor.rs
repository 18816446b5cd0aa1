//! Linear factors of polynomials: `N·N - N` is `N·(N-1)`.

use super::super::Size;
use super::super::atom::Atom;
use super::super::poly::{self, Term};
use super::super::ratio::Ratio;

/// Maximum number of atoms; with more there are too many candidate factors.
const MAX_ATOMS: usize = 4;

/// A candidate factor: `scale·x + constant + sign·y`, with atoms `x` and, if any, `y` given by their indices.
#[derive(Clone, Copy)]
struct Linear {
    x: usize,
    scale: i64,
    constant: i64,
    other: Option<(i64, usize)>,
}

/// A linear factor of the polynomial and the cofactor. The factor is `c·x + d` for an atom `x` and small numbers `c`
/// and `d`, or `x - y` or `x + y`.
pub(super) fn linear_factor(terms: &[Term]) -> Option<(Vec<Term>, Vec<Term>)> {
    let mut atoms: Vec<&Atom> = terms.iter().flat_map(|t| &*t.mono.0).map(|(atom, _)| atom).collect();
    atoms.sort();
    atoms.dedup();
    if terms.len() < 2 || atoms.len() > MAX_ATOMS {
        return None;
    }
    let sample = Sample::of(terms, &atoms);
    let divides = |tried: Linear| {
        let decides = !matches!(atoms[tried.x], Atom::Step(_));
        if decides && sample.as_ref().is_some_and(|sample| !sample.vanishes_with(tried)) {
            return None;
        }
        let factor = tried.size(&atoms)?;
        let (quotient, remainder) = poly::divide(terms, factor.terms())?;
        let whole = quotient.iter().all(|t| t.coeff.is_integer() && t.mono.0.iter().all(|(_, e)| *e > 0));
        (remainder.is_empty() && whole && factor.terms() != terms).then(|| (factor.terms().to_vec(), quotient))
    };
    candidates(atoms.len()).find_map(divides)
}

/// All candidates, preferred ones first.
fn candidates(atoms: usize) -> impl Iterator<Item = Linear> {
    (0..atoms).flat_map(move |x| {
        let plain = Linear { x, scale: 1, constant: 0, other: None };
        let numbers = [(1, -1), (1, 1), (1, -2), (1, 2), (2, -1), (2, 1)];
        let with_numbers = numbers.into_iter().map(move |(scale, constant)| Linear { scale, constant, ..plain });
        let with_others = (x + 1..atoms).flat_map(move |y| {
            // x - y, y - x, x + y
            [(1, -1), (-1, 1), (1, 1)].map(|(scale, sign)| Linear { scale, other: Some((sign, y)), ..plain })
        });
        with_numbers.chain(with_others)
    })
}

impl Linear {
    fn size(self, atoms: &[&Atom]) -> Option<Size> {
        let times =
            |scale: i64, atom: usize| Some(Size::atom(atoms[atom].clone()).scale(Ratio::integer(i128::from(scale))?));
        let size = times(self.scale, self.x)?.add(&Size::int(self.constant));
        Some(match self.other {
            Some((sign, y)) => size.add(&times(sign, y)?),
            None => size,
        })
    }
}

/// A Mersenne prime, so that arithmetic modulo it fits in `u128`.
const PRIME: u64 = (1 << 61) - 1;

/// The polynomial at a fixed pseudo-random point, modulo a prime. A factor divides only if the polynomial vanishes wherever the
/// factor does; testing one such point takes a fraction of the time of a division, and nearly always rejects. Conditions are 1
/// there, which equals its square as they do; so it says nothing of factors that are solved for a condition.
struct Sample {
    /// By atom: the exponents of its powers, and their coefficients at the values of the other atoms.
    powers: Vec<Vec<(u32, u64)>>,
    /// The value of each atom.
    point: Vec<u64>,
}

impl Sample {
    /// `None` where a sample would say nothing: fractions, and powers, which depend on each other.
    fn of(terms: &[Term], atoms: &[&Atom]) -> Option<Sample> {
        if atoms.iter().any(|atom| matches!(atom, Atom::Pow(..))) {
            return None;
        }
        let value = |(i, atom): (u64, &&Atom)| match atom {
            Atom::Step(_) => 1,
            _ => (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) % PRIME,
        };
        let point: Vec<u64> = (0..).zip(atoms).map(value).collect();
        let mut powers: Vec<Vec<(u32, u64)>> = vec![Vec::new(); atoms.len()];
        for term in terms {
            let mut exponents = [0u32; MAX_ATOMS];
            for (atom, exponent) in &*term.mono.0 {
                exponents[atoms.binary_search(&atom).ok()?] = u32::try_from(*exponent).ok()?;
            }
            let coefficient = term.coeff.to_integer()?.rem_euclid(i128::from(PRIME));
            let coefficient = u64::try_from(coefficient).ok()?;
            for (x, powers) in powers.iter_mut().enumerate() {
                let others = (0..point.len()).filter(|y| *y != x && exponents[*y] > 0);
                let value = others.fold(coefficient, |value, y| times(value, power(point[y], exponents[y])));
                match powers.iter_mut().find(|(exponent, _)| *exponent == exponents[x]) {
                    Some((_, sum)) => *sum = reduced(*sum + value),
                    None => powers.push((exponents[x], value)),
                }
            }
        }
        Some(Sample { powers, point })
    }

    fn vanishes_with(&self, factor: Linear) -> bool {
        let signed = |n: i64| u64::try_from(n.rem_euclid(PRIME as i64)).unwrap_or(0);
        let rest = signed(factor.constant) + factor.other.map_or(0, |(sign, y)| times(signed(sign), self.point[y]));
        // scale·x = -rest
        let x = times(PRIME - rest % PRIME, inverse(signed(factor.scale)));
        let value = |(exponent, coefficient): &(u32, u64)| times(*coefficient, power(x, *exponent));
        self.powers[factor.x].iter().fold(0, |sum, term| reduced(sum + value(term))) == 0
    }
}

/// The product modulo the prime, for factors up to the prime: 2⁶¹ is congruent to 1, so higher bits are added to lower
/// ones.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let sum = (product as u64 & PRIME) + (product >> 61) as u64;
    reduced(sum)
}

/// Reduces a number below twice the prime.
fn reduced(n: u64) -> u64 {
    if n >= PRIME { n - PRIME } else { n }
}

fn power(mut base: u64, mut exponent: u32) -> u64 {
    if exponent == 1 {
        return base;
    }
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

/// The inverse of 1, -1 or 2, the only values needed.
fn inverse(n: u64) -> u64 {
    if n == 2 { PRIME / 2 + 1 } else { n }
}

#[cfg(test)]
mod tests {
    use super::super::super::var::{Var, VarKind};
    use super::*;

    fn var(id: u32, name: &str) -> Size {
        Size::var(Var { kind: VarKind::Param, id, name: name.into() })
    }

    #[test]
    fn every_factor_that_is_tried_is_found() {
        let (n, m) = (var(0, "N"), var(1, "M"));
        let cofactors =
            [n.mul(&m).add(&Size::int(3)), n.mul(&n).add(&m).add(&Size::int(7)), m.mul(&m).add(&Size::int(5))];
        let atoms = [n.as_atom().expect("an atom").clone(), m.as_atom().expect("an atom").clone()];
        let refs: Vec<&Atom> = atoms.iter().collect();
        for tried in candidates(2) {
            let factor = tried.size(&refs).expect("a small factor");
            for cofactor in &cofactors {
                let product = factor.mul(cofactor);
                let (found, quotient) = linear_factor(product.terms()).expect("a factor");
                let again = Size::from_terms(found).mul(&Size::from_terms(quotient));
                assert_eq!(again, product, "({factor})·({cofactor})");
            }
        }
    }

    #[test]
    fn factors_beside_conditions_are_found() {
        let (n, m) = (var(0, "N"), var(1, "M"));
        let step = Size::step(&n.sub(&m));
        let cofactors = [step.mul(&m).add(&Size::int(3)), step.add(&m.mul(&n)), step.mul(&n).sub(&m.mul(&step))];
        for factor in [n.sub(&Size::one()), n.add(&m), n.sub(&step)] {
            for cofactor in &cofactors {
                let product = factor.mul(cofactor);
                let (found, quotient) = linear_factor(product.terms()).expect("a factor");
                let again = Size::from_terms(found).mul(&Size::from_terms(quotient));
                assert_eq!(again, product, "({factor})·({cofactor})");
            }
        }
        assert!(linear_factor(step.mul(&n).add(&m).terms()).is_none());
    }

    #[test]
    fn what_has_no_linear_factor_has_none() {
        let (n, m) = (var(0, "N"), var(1, "M"));
        for size in [n.mul(&n).add(&Size::one()), n.mul(&m).add(&Size::int(3)), n.add(&m), n.add(&Size::int(5))] {
            assert!(linear_factor(size.terms()).is_none(), "{size}");
        }
    }
}
