//! Exact division, floor division and remainder.

use super::Size;
use super::atom::Atom;
use super::poly::{self, Mono, Term};
use super::ratio::{Ratio, gcd};

impl Size {
    /// The quotient, assumed to be exact. `n/k·k` is `n`, also for symbolic `k`.
    #[must_use]
    pub fn div_exact(&self, other: &Size) -> Size {
        if other.is_one() {
            return self.clone();
        }
        if other.is_zero() {
            return self.mul(&Size::factor(Atom::Group(Size::zero()), -1));
        }
        let give_up = || {
            let den = Size::factor(Atom::Group(other.clone()), -1);
            self.mul(&den)
        };
        if let [term] = other.terms() {
            // Where `i` is negative, `-i` is positive: the divisor keeps its sign.
            if term.coeff.is_negative() && !term.mono.is_one() {
                return give_up();
            }
            return match term.recip() {
                Some(recip) => self.mul(&Size::term(recip)),
                None => give_up(),
            };
        }
        // Splits the divisor into content and primitive part. The content is positive, therefore the primitive part is
        // too.
        let Some((content, primitive)) = other.primitive_part() else {
            return give_up();
        };
        let Some(recip) = content.recip() else {
            return give_up();
        };
        let den = Size::factor(Atom::Group(primitive), -1);
        self.mul(&Size::term(recip)).mul(&den)
    }

    /// Splits the size into positive content and primitive part, which has neither a common factor nor negative
    /// exponents.
    pub(crate) fn primitive_part(&self) -> Option<(Term, Size)> {
        let content = poly::content(self.terms())?;
        let primitive = poly::mul(self.terms(), &[content.recip()?]).ok()?;
        Some((content, Size::from_terms(primitive)))
    }

    /// Numerator and denominator, with integer coefficients and without negative exponents.
    pub(crate) fn as_fraction(&self) -> Option<(Size, Size)> {
        if self.is_integral() {
            return Some((self.clone(), Size::one()));
        }
        let (mut num, mut den) = (self.clone(), Size::one());
        // Multiplying out a group may introduce new fractions.
        for _ in 0..4 {
            let next = poly::denominator(num.terms())?;
            if next.mono.is_one() && next.coeff.is_one() {
                return Some((num, den.expand_groups()));
            }
            let next = Size::term(next);
            num = num.mul(&next).expand_groups();
            den = den.mul(&next);
        }
        None
    }

    /// Multiplies out positive powers of groups while the result stays small.
    pub(crate) fn expand_groups(&self) -> Size {
        let is_group = |atom: &Atom| matches!(atom, Atom::Group(_));
        if !self.terms().iter().any(|t| t.mono.0.iter().any(|(a, e)| *e > 0 && is_group(a))) {
            return self.clone();
        }
        let mut sum = Size::zero();
        for term in self.terms() {
            let mut plain = Vec::new();
            let mut product = Size::one();
            for (atom, e) in &*term.mono.0 {
                match atom {
                    Atom::Group(group) if *e > 0 => product = product.mul(&group.pow_const(*e)),
                    _ => plain.push((atom.clone(), *e)),
                }
            }
            let plain = Term { mono: Mono(plain.into()), coeff: term.coeff };
            sum = sum.add(&product.mul(&Size::term(plain)));
        }
        sum
    }

    /// `self mod other`; non-negative.
    #[must_use]
    pub fn rem(&self, other: &Size) -> Size {
        self.sub(&other.mul(&self.div_floor(other)))
    }

    /// `⌈self/other⌉`.
    #[must_use]
    pub fn div_ceil(&self, other: &Size) -> Size {
        self.neg().div_floor(other).neg()
    }

    /// `⌊self/other⌋`.
    #[must_use]
    pub fn div_floor(&self, other: &Size) -> Size {
        if other.is_one() {
            return self.clone();
        }
        let raw = || Size::atom(Atom::Floor(self.clone(), other.clone()));
        if other.is_zero() {
            return raw();
        }
        // Over a common denominator, all coefficients are integers.
        let (Some((num, num_den)), Some((den, den_den))) = (self.as_fraction(), other.as_fraction()) else {
            return raw();
        };
        let division = Floor { whole: Size::zero(), num: num.mul(&den_den), den: den.mul(&num_den) };
        division.reduce()
    }
}

impl Size {
    /// Whether the size is an integer-valued polynomial in one atom, such as n(n-1)/2: an integer at degree + 1
    /// consecutive points.
    pub(crate) fn is_integer_valued(&self) -> bool {
        let Some(lead) = self.terms().first() else { return true };
        let &[(ref atom, degree @ 1..=8)] = &*lead.mono.0 else { return false };
        let powers = |term: &Term| term.mono.0.iter().all(|(other, e)| other == atom && *e > 0);
        if !self.terms().iter().all(powers) {
            return false;
        }
        (0..=i128::from(degree)).all(|x| {
            let value = |term: &Term| Ratio::integer(x)?.pow(term.mono.exponent(atom))?.mul(term.coeff);
            let sum = self.terms().iter().try_fold(Ratio::ZERO, |sum, term| sum.add(value(term)?));
            sum.is_some_and(Ratio::is_integer)
        })
    }
}

/// `whole + ⌊num/den⌋`, where numerator and denominator have integer coefficients.
struct Floor {
    whole: Size,
    num: Size,
    den: Size,
}

impl Floor {
    fn reduce(mut self) -> Size {
        for _ in 0..32 {
            let before = (self.num.clone(), self.den.clone());
            if !self.den.is_natural() && self.den.neg().is_natural() {
                (self.num, self.den) = (self.num.neg(), self.den.neg());
            }
            self.cancel();
            if self.num.is_zero() {
                return self.whole;
            }
            if self.den.is_one() {
                return self.whole.add(&self.num);
            }
            if self.den.as_ratio().is_some_and(|den| !den.is_zero()) {
                let quotient = self.num.div_exact(&self.den);
                if quotient.is_integer_valued() {
                    return self.whole.add(&quotient);
                }
            }
            self.divide_out();
            self.pull_multiples();
            self.cancel_around_constant();
            self.flatten();
            if self.is_proper_by_nature() {
                return self.whole;
            }
            if (&self.num, &self.den) == (&before.0, &before.1) {
                break;
            }
        }
        self.whole.add(&Size::atom(Atom::Floor(self.num, self.den)))
    }

    /// `(g·a)/(g·b) = a/b`.
    fn cancel(&mut self) {
        let (Some(num), Some(den)) = (poly::content(self.num.terms()), poly::content(self.den.terms())) else {
            return;
        };
        let Some(coeff) = num.coeff.gcd(den.coeff) else {
            return;
        };
        // Only positive factors are cancelled, so that the divisor stays positive.
        let mono = poly::common(&num.mono, &den.mono);
        let mono = mono.retain(|atom, _| atom.is_natural());
        if coeff.is_one() && mono.is_one() {
            return;
        }
        let Some(recip) = (Term { mono, coeff }).recip().map(Size::term) else {
            return;
        };
        self.num = self.num.mul(&recip);
        self.den = self.den.mul(&recip);
    }

    /// If one of the two is a polynomial multiple of the other, leaves only the quotient.
    fn divide_out(&mut self) {
        if self.den.terms().len() < 2 {
            return;
        }
        let exact = |a: &Size, b: &Size| match poly::divide(a.terms(), b.terms()) {
            Some((quotient, remainder)) if remainder.is_empty() => Size::from_terms(quotient).as_fraction(),
            _ => None,
        };
        if let Some((num, den)) = exact(&self.num, &self.den) {
            (self.num, self.den) = (num, den);
        } else if self.num.as_ratio().is_none()
            && let Some((den, num)) = exact(&self.den, &self.num)
            && den.is_natural()
        {
            (self.num, self.den) = (num, den);
        }
    }

    /// `(q·n + r)/n = q + r/n`; coefficients of `r` lie between 0 and that of `n`.
    fn pull_multiples(&mut self) {
        let (quotient, remainder) = match self.den.terms() {
            [den] => self.split_by_term(den),
            _ => match poly::divide(self.num.terms(), self.den.terms()) {
                Some((q, r)) => (Size::from_terms(q), Size::from_terms(r)),
                None => return,
            },
        };
        let single = self.den.terms().len() == 1;
        if quotient.is_zero() || !quotient.is_integral() || !remainder.is_integral() {
            return;
        }
        // With a sum as divisor, multiples are extracted only if the remaining numerator does not turn negative.
        if single || remainder.is_natural() || !self.num.is_natural() {
            self.whole = self.whole.add(&quotient);
            self.num = remainder;
        }
    }

    fn split_by_term(&self, den: &Term) -> (Size, Size) {
        let (mut quotient, mut remainder) = (Vec::new(), Vec::new());
        for term in self.num.terms() {
            let split = term.mono.div(&den.mono).and_then(|mono| {
                let (c, d) = (term.coeff.to_integer()?, den.coeff.to_integer()?);
                let (q, r) = (c.checked_div_euclid(d)?, c.checked_rem_euclid(d)?);
                Some((mono, Ratio::integer(q)?, Ratio::integer(r)?))
            });
            let Some((mono, q, r)) = split else {
                remainder.push(term.clone());
                continue;
            };
            quotient.push(Term { mono, coeff: q });
            remainder.push(Term { mono: term.mono.clone(), coeff: r });
        }
        let size = |operation: &str, terms| {
            Size::build(poly::collect(terms), || Size::too_large(&operation, &[&self.num, &self.den]))
        };
        (size("floor", quotient), size("mod", remainder))
    }

    /// `⌊(g·a + c)/(g·b)⌋ = ⌊(a + ⌊c/g⌋)/b⌋` for numbers `g` and `c`.
    fn cancel_around_constant(&mut self) {
        let Some(den) = poly::content(self.den.terms()).and_then(|c| c.coeff.to_integer()) else {
            return;
        };
        let mut divisor = den;
        let mut constant = 0;
        for term in self.num.terms() {
            let Some(coeff) = term.coeff.to_integer() else {
                return;
            };
            if term.mono.is_one() {
                constant = coeff;
            } else {
                divisor = gcd(divisor, coeff);
            }
        }
        if divisor <= 1 || constant == 0 {
            return;
        }
        let rest = self.num.sub(&Size::constant(constant.rem_euclid(divisor)));
        let Some(recip) = Ratio::new(1, divisor) else {
            return;
        };
        self.num = rest.scale(recip);
        self.den = self.den.scale(recip);
    }

    /// `⌊(⌊x/a⌋ + c)/b⌋ = ⌊(x + a·c)/(a·b)⌋`, if the numerator contains exactly one `⌊x/a⌋`.
    fn flatten(&mut self) {
        let mut found: Option<(&Term, &Size, &Size)> = None;
        for term in self.num.terms() {
            if let ([(Atom::Floor(x, a), 1)], true) = (&*term.mono.0, term.coeff.is_one()) {
                if found.is_some() {
                    return;
                }
                found = Some((term, x, a));
            }
        }
        if let Some((term, x, a)) = found {
            let rest = self.num.sub(&Size::term(term.clone()));
            let num = x.add(&a.mul(&rest));
            self.den = a.mul(&self.den);
            self.num = num;
        }
    }

    /// `⌊a/b⌋ = 0` for `0 <= a < b`, where the normal form alone shows the bounds.
    fn is_proper_by_nature(&self) -> bool {
        self.num.is_natural() && self.den.sub(&self.num).sub(&Size::one()).is_natural()
    }
}
