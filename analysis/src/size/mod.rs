//! Sizes: exact arithmetic on natural numbers with variables.
//!
//! A [`Size`] is always in normal form: a sum of monomials with rational coefficients over atoms (variables, floor
//! divisions, maxima, powers, finite sums). So `==` tests equality for all values of the variables, as far as the rules
//! of the normal form reach. [`Facts`] hold further knowledge (ranges, divisibility, inequalities), answer whether
//! sizes are equal, ordered or divisible, and simplify. [`solve()`] solves for one variable.
//!
//! The conventions, for every function here:
//! * Variables are natural numbers, except those of kind [`VarKind::Index`].
//! * A divisor is positive. [`Size::div_exact`] assumes that the division leaves no remainder;
//!   floor division and `mod` round towards minus infinity, so that their laws hold for all integers.
//! * Nothing panics, and nothing grows without bound: a size has at most 512 terms and some thousands of nodes. A
//!   larger one is kept as unexpanded factors, or becomes a size that equals only itself (see [`Size::is_too_large`]).
//!
//! The module is a library of its own: it knows no types, no syntax and no database.
//!
//! | module | job |
//! |---|---|
//! | `ratio` | exact rational numbers with checked arithmetic |
//! | `var` | variables of sizes, with their kinds and orders |
//! | `atom` | the indivisible parts of the normal form |
//! | [`work`] | thread-local fuel for arithmetic on sizes |
//! | `poly` | the normal form |
//! | `eval` | evaluates a size under an assignment of its variables |
//! | `assumption` | conditions on lengths under which a program is valid |
//! | `facts` | facts about the variables of sizes, and what follows from them |
//! | `arith` | sums, differences and products |
//! | `divide` | exact division, floor division and remainder |
//! | `extremum` | minimum, maximum and conditionals |
//! | `length_check` | run-time checks of lengths |
//! | `power` | powers with a symbolic exponent |
//! | `solve` | solves one equation for one variable |
//! | `subst` | traversals: collecting and replacing the variables of a size |
//! | `sums` | finite sums `Σ body` over `0 <= i < count`, and their closed forms |
//! | `print` | sizes as text |
//! | `view` | converts the normal form to an expression as a person would write it |

mod arith;
mod assumption;
mod atom;
mod divide;
mod eval;
mod extremum;
mod facts;
mod length_check;
mod poly;
mod power;
mod print;
mod ratio;
mod solve;
mod subst;
mod sums;
mod var;
mod view;
pub mod work;

#[cfg(test)]
mod tests;

pub use assumption::Assumption;
pub use eval::EvalError;
pub use facts::{Facts, Truth};
pub use length_check::LengthCheck;
pub use solve::{Solution, solve};
pub use sums::closed_form;
use var::Marks;
pub use var::{Var, VarKind};
pub use view::{Node, Writer};

use poly::{Mono, Term, Terms};
use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use work::TooLarge;

use atom::Atom;
use ratio::Ratio;

/// Maximum weight of a size, in nodes of the expression as a tree.
const MAX_WEIGHT: u32 = 8192;
/// Maximum nesting of atoms.
const MAX_DEPTH: u32 = 40;

/// The least preallocated constant.
const LEAST_SMALL: i128 = -2;

thread_local! {
    /// Preallocated constants from `LEAST_SMALL` on: half of all operands. Per thread, to avoid contention on reference
    /// counts.
    static SMALL: [Size; 12] = std::array::from_fn(|n| Size::made_constant(n as i128 + LEAST_SMALL));
}

/// A size in normal form. Cheap to clone; `==` compares normal forms.
#[derive(Clone)]
pub struct Size(Arc<Repr>);

struct Repr {
    /// 0 until first computed, which most sizes never need.
    hash: AtomicU64,
    weight: u32,
    depth: u32,
    sum_depth: u32,
    natural: bool,
    /// The marks of all variables, also of bound ones.
    marks: Marks,
    terms: Terms,
}

impl Size {
    pub fn nat(value: u64) -> Size {
        Size::constant(i128::from(value))
    }

    pub fn int(value: i64) -> Size {
        Size::constant(i128::from(value))
    }

    pub fn zero() -> Size {
        Size::constant(0)
    }

    pub fn one() -> Size {
        Size::constant(1)
    }

    pub fn var(var: Var) -> Size {
        Size::atom(Atom::Var(var))
    }

    pub(crate) fn constant(value: i128) -> Size {
        let small = value.checked_sub(LEAST_SMALL).and_then(|from_least| usize::try_from(from_least).ok());
        let known = |small: usize| SMALL.try_with(|sizes| sizes.get(small).cloned()).ok().flatten();
        small.and_then(known).unwrap_or_else(|| Size::made_constant(value))
    }

    fn made_constant(value: i128) -> Size {
        match Ratio::integer(value) {
            Some(ratio) => Size::ratio(ratio),
            None => Size::too_large(&value, &[]),
        }
    }

    pub(crate) fn ratio(value: Ratio) -> Size {
        Size::from_terms(if value.is_zero() { Vec::new() } else { vec![Term::constant(value)] })
    }

    pub(crate) fn atom(atom: Atom) -> Size {
        Size::factor(atom, 1)
    }

    /// `atom^exponent`, without simplification.
    pub(crate) fn factor(atom: Atom, exponent: i32) -> Size {
        Size::term(Term { mono: Mono::atom(atom, exponent), coeff: Ratio::ONE })
    }

    pub(crate) fn term(term: Term) -> Size {
        Size::from_terms(vec![term])
    }

    /// The size with these terms, which must be sorted.
    pub(crate) fn from_terms(terms: Terms) -> Size {
        let (mut weight, mut depth, mut sum_depth, mut natural) = (0u32, 0, 0, true);
        let mut marks = Marks::default();
        for term in &terms {
            weight = weight.saturating_add(1);
            natural &= !term.coeff.is_negative();
            for (atom, exponent) in &*term.mono.0 {
                weight = weight.saturating_add(1);
                if let Atom::Var(var) = atom {
                    marks = marks.and(Marks::of(var));
                    natural &= var.is_natural() || exponent % 2 == 0;
                    continue;
                }
                natural &= atom.is_natural() || exponent % 2 == 0;
                sum_depth = sum_depth.max(atom.sum_depth());
                for operand in atom.operands() {
                    weight = weight.saturating_add(operand.0.weight);
                    depth = depth.max(operand.0.depth + 1);
                    marks = marks.and(operand.0.marks);
                }
            }
        }
        let size = Size(Arc::new(Repr { hash: AtomicU64::new(0), weight, depth, sum_depth, natural, marks, terms }));
        if weight > MAX_WEIGHT || depth > MAX_DEPTH {
            return Size::too_large(&"size", &[&size]);
        }
        size
    }

    /// The size with these terms, or a replacement if they are too many.
    pub(crate) fn build(terms: Result<Terms, TooLarge>, otherwise: impl FnOnce() -> Size) -> Size {
        match terms {
            Ok(terms) => Size::from_terms(terms),
            Err(TooLarge) => otherwise(),
        }
    }

    /// Placeholder for an expression too large to keep: `operation` applied to `operands`.
    pub(crate) fn too_large(operation: &dyn std::fmt::Debug, operands: &[&Size]) -> Size {
        let digest = |seed: u8| {
            // The keys of this hasher are fixed, so equal expressions get equal digests.
            let mut hasher = std::hash::DefaultHasher::new();
            hasher.write_u8(seed);
            hasher.write(format!("{operation:?}").as_bytes());
            for operand in operands {
                operand.0.terms.hash(&mut hasher);
            }
            u128::from(hasher.finish())
        };
        Size::atom(Atom::TooLarge(digest(1) << 64 | digest(2)))
    }

    fn hash_value(&self) -> u64 {
        match self.0.hash.load(Relaxed) {
            0 => {
                // A racing thread stores the same value.
                let hash = rustc_hash::FxBuildHasher.hash_one(&self.0.terms).max(1);
                self.0.hash.store(hash, Relaxed);
                hash
            }
            known => known,
        }
    }

    /// Whether both share one allocation. Equal sizes may not.
    pub fn ptr_eq(&self, other: &Size) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether the size is only the placeholder of an expression too large to keep.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(self.as_atom(), Some(Atom::TooLarge(_)))
    }

    pub(crate) fn terms(&self) -> &[Term] {
        &self.0.terms
    }

    pub(crate) fn marks(&self) -> Marks {
        self.0.marks
    }

    pub fn weight(&self) -> u32 {
        self.0.weight
    }

    pub(crate) fn sum_depth(&self) -> u32 {
        self.0.sum_depth
    }

    /// Whether the size is non-negative for all values of its variables.
    pub fn is_natural(&self) -> bool {
        self.0.natural
    }

    /// Whether the leading coefficient is negative.
    pub(crate) fn leads_negative(&self) -> bool {
        self.terms().first().is_some_and(|term| term.coeff.is_negative())
    }

    pub fn is_zero(&self) -> bool {
        self.0.terms.is_empty()
    }

    pub fn is_one(&self) -> bool {
        self.as_ratio().is_some_and(Ratio::is_one)
    }

    pub(crate) fn as_ratio(&self) -> Option<Ratio> {
        match self.terms() {
            [] => Some(Ratio::ZERO),
            [term] if term.mono.is_one() => Some(term.coeff),
            _ => None,
        }
    }

    pub(crate) fn as_integer(&self) -> Option<i128> {
        self.as_ratio()?.to_integer()
    }

    /// The value of a constant size, if it fits.
    pub fn as_const(&self) -> Option<i64> {
        self.as_integer()?.try_into().ok()
    }

    pub(crate) fn as_atom(&self) -> Option<&Atom> {
        match self.terms() {
            [Term { mono, coeff }] if coeff.is_one() => match &*mono.0 {
                [(atom, 1)] => Some(atom),
                _ => None,
            },
            _ => None,
        }
    }

    /// The variable, if the size is just one.
    pub fn as_var(&self) -> Option<&Var> {
        match self.as_atom()? {
            Atom::Var(var) => Some(var),
            _ => None,
        }
    }

    /// Whether the size is an integer for all values of the variables.
    pub fn is_integral(&self) -> bool {
        self.terms().iter().all(|term| {
            term.coeff.is_integer()
                && term.mono.0.iter().all(|(atom, e)| {
                    *e > 0
                        && match atom {
                            Atom::Group(inner) => inner.is_integral(),
                            _ => true,
                        }
                })
        })
    }

    /// Whether the size is a sum of products of variables.
    pub fn is_polynomial(&self) -> bool {
        !self.any_atom(&mut |atom| !matches!(atom, Atom::Var(_)))
    }

    /// Whether part of the size was dropped for being too large. Such a size equals only itself, and has no value.
    pub fn is_too_large(&self) -> bool {
        self.any_atom(&mut |atom| matches!(atom, Atom::TooLarge(_)))
    }
}

impl PartialEq for Size {
    fn eq(&self, other: &Size) -> bool {
        if Arc::ptr_eq(&self.0, &other.0) {
            return true;
        }
        let (a, b) = (self.0.hash.load(Relaxed), other.0.hash.load(Relaxed));
        let differ = self.0.weight != other.0.weight || (a != b && a != 0 && b != 0);
        !differ && self.0.terms == other.0.terms
    }
}

impl Eq for Size {}

impl Hash for Size {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash_value());
    }
}

impl PartialOrd for Size {
    fn partial_cmp(&self, other: &Size) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An order for sorted collections, unrelated to values.
impl Ord for Size {
    fn cmp(&self, other: &Size) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.terms.cmp(&other.0.terms) }
    }

    // `a.max(b)` on owned sizes finds these methods before the inherent ones; the order of sorted collections is never
    // what the caller means.

    fn max(self, other: Size) -> Size {
        Size::max(&self, &other)
    }

    fn min(self, other: Size) -> Size {
        Size::min(&self, &other)
    }
}
