//! Sums, differences and products.

use super::Size;
use super::atom::Atom;
use super::poly::{self, Mono, Term, Terms};
use super::ratio::Ratio;
use super::var::Var;
use super::work::TooLarge;

/// Maximum weight of a product that grows by multiplying out; heavier ones are kept as factors.
const MAX_EXPANDED: u32 = 1500;

impl Size {
    #[must_use]
    pub fn add(&self, other: &Size) -> Size {
        self.add_scaled(Ratio::ONE, other)
    }

    #[must_use]
    pub fn sub(&self, other: &Size) -> Size {
        self.add_scaled(Ratio::MINUS_ONE, other)
    }

    #[must_use]
    pub fn neg(&self) -> Size {
        self.scale(Ratio::MINUS_ONE)
    }

    fn add_scaled(&self, factor: Ratio, other: &Size) -> Size {
        if other.is_zero() {
            return self.clone();
        }
        let factor = Term::constant(factor);
        let sum = poly::add_scaled(self.terms(), &factor, other.terms()).and_then(poly::reduce_groups);
        Size::build(sum, || {
            let left = self.as_factor();
            let right = other.as_factor().mul(&factor).ok_or(TooLarge);
            let terms = right.and_then(|right| poly::collect(vec![left, right]));
            Size::build(terms, || Size::too_large(&("+", factor.coeff), &[self, other]))
        })
    }

    /// The size multiplied by a rational.
    pub(crate) fn scale(&self, factor: Ratio) -> Size {
        if factor.is_one() {
            return self.clone();
        }
        match poly::scale(self.terms(), factor).and_then(poly::reduce_groups) {
            Ok(terms) => Size::from_terms(terms).merge_powers(),
            Err(TooLarge) => self.product(&Size::ratio(factor)),
        }
    }

    /// The whole size as one unexpanded factor.
    fn as_factor(&self) -> Term {
        match self.terms() {
            [term] => term.clone(),
            _ => Term { mono: Mono::atom(Atom::Group(self.clone()), 1), coeff: Ratio::ONE },
        }
    }

    #[must_use]
    pub fn mul(&self, other: &Size) -> Size {
        match (self.as_ratio(), other.as_ratio()) {
            (_, Some(factor)) => self.scale(factor),
            (Some(factor), None) => other.scale(factor),
            (None, None) => self.product(other),
        }
    }

    /// The general case of [`Size::mul`].
    fn product(&self, other: &Size) -> Size {
        let product = poly::mul(self.terms(), other.terms()).and_then(poly::reduce_groups);
        let product = product.and_then(|terms| {
            let product = Size::from_terms(terms);
            // A product that grows much by multiplying out is kept as factors.
            let too_large = product.weight() > MAX_EXPANDED;
            let grown = product.weight() > (self.weight() + other.weight()) / 2 * 3;
            if product.is_given_up() || too_large && grown { Err(TooLarge) } else { Ok(product) }
        });
        let product = product.unwrap_or_else(|TooLarge| match self.as_factor().mul(&other.as_factor()) {
            Some(term) => Size::term(term),
            None => Size::too_large(&"*", &[self, other]),
        });
        product.merge_powers()
    }

    /// `selfᵉ` for a constant exponent, multiplied out while it stays small.
    pub(crate) fn pow_const(&self, exponent: i32) -> Size {
        let whole = || {
            let factor = self.as_factor();
            match (factor.mono.pow(exponent), factor.coeff.pow(exponent)) {
                (Some(mono), Some(coeff)) => Size::term(Term { mono, coeff }),
                _ => Size::atom(Atom::Pow(self.clone(), Size::int(i64::from(exponent)))),
            }
        };
        match (self.terms(), exponent) {
            (_, 0) => Size::one(),
            ([_], 1) => self.merge_powers(),
            (_, 1) => self.clone(),
            ([], 1..) => Size::zero(),
            ([_], _) => whole().merge_powers(),
            (_, 1..=16) => {
                let mut product: Terms = self.terms().to_vec();
                for _ in 1..exponent {
                    match poly::mul(&product, self.terms()).and_then(poly::reduce_groups) {
                        Ok(next) => product = next,
                        Err(TooLarge) => return whole(),
                    }
                }
                Size::from_terms(product)
            }
            (_, 1..) => whole(),
            (_, _) => Size::one().div_exact(&self.pow_const(exponent.saturating_neg())),
        }
    }
}

impl std::ops::Neg for &Size {
    type Output = Size;
    fn neg(self) -> Size {
        Size::neg(self)
    }
}

impl std::ops::Neg for Size {
    type Output = Size;
    fn neg(self) -> Size {
        Size::neg(&self)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl std::ops::$trait<&Size> for &Size {
            type Output = Size;
            fn $method(self, other: &Size) -> Size {
                Size::$method(self, other)
            }
        }
        impl std::ops::$trait<Size> for Size {
            type Output = Size;
            fn $method(self, other: Size) -> Size {
                Size::$method(&self, &other)
            }
        }
        impl std::ops::$trait<&Size> for Size {
            type Output = Size;
            fn $method(self, other: &Size) -> Size {
                Size::$method(&self, other)
            }
        }
        impl std::ops::$trait<Size> for &Size {
            type Output = Size;
            fn $method(self, other: Size) -> Size {
                Size::$method(self, &other)
            }
        }
        impl std::ops::$trait<i64> for Size {
            type Output = Size;
            fn $method(self, other: i64) -> Size {
                Size::$method(&self, &Size::int(other))
            }
        }
        impl std::ops::$trait<i64> for &Size {
            type Output = Size;
            fn $method(self, other: i64) -> Size {
                Size::$method(self, &Size::int(other))
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);

impl From<u64> for Size {
    fn from(value: u64) -> Size {
        Size::nat(value)
    }
}

impl From<Var> for Size {
    fn from(var: Var) -> Size {
        Size::var(var)
    }
}
