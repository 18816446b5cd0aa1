//! Writes a sum of terms as an expression: gathers fractions, factors out common factors, sorts into reading order.

use super::{Node, Style, Viewer, factor};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Mono, Term};
use crate::size::ratio::{Ratio, gcd, lcm};
use std::borrow::Cow;
use std::rc::Rc;

/// Maximum length of a sum whose common factors are sought.
pub(super) const MAX_FACTORED: usize = 16;

/// A summand of an [`Node::Add`] under construction.
struct Item {
    negative: bool,
    constant: bool,
    key: Key,
    node: Node,
}

/// Sort key of a monomial in a sum: higher degrees first, then the keys of the atoms.
type Key = (std::cmp::Reverse<i64>, Vec<Rc<str>>);

impl Viewer {
    /// Writes a polynomial with patterns already found.
    pub(super) fn polynomial(&mut self, size: &Size) -> Node {
        let is_whole = |t: &Term| t.coeff.is_integer() && t.mono.0.iter().all(|(_, e)| *e > 0);
        let (whole, fractional): (Vec<Term>, Vec<Term>) = size.terms().iter().cloned().partition(is_whole);
        if fractional.is_empty() {
            return self.whole(&whole);
        }
        let mut items: Vec<Item> = whole.iter().map(|term| self.item(term)).collect();
        for group in self.group(fractional) {
            let Some(item) = self.fraction(&group) else {
                return Node::TooLarge;
            };
            items.push(item);
        }
        let apart = sum_of(items);
        // 1 - 1/(N+1) reads better as N/(N+1).
        if !whole.is_empty()
            && let Some(together) = self.fraction(size.terms())
        {
            let together = sum_of(vec![together]);
            if together.cost(self.style) < apart.cost(self.style) {
                return together;
            }
        }
        apart
    }

    /// Groups fractions that must stay together: with the same symbolic denominator, or with numbers that share a
    /// factor.
    fn group(&self, fractional: Vec<Term>) -> Vec<Vec<Term>> {
        if self.style == Style::Exact {
            return vec![fractional];
        }
        let mut groups: Vec<(Mono, i128, Vec<Term>)> = Vec::new();
        for term in fractional {
            let mono = term.mono.retain(|_, e| e < 0);
            let mut den = term.coeff.den();
            let mut terms = vec![term];
            // A new fraction may merge several groups.
            groups.retain_mut(|(other, other_den, members)| {
                let related = !mono.is_one() || gcd(den, *other_den) > 1;
                if *other != mono || !related {
                    return true;
                }
                den = lcm(den, *other_den).unwrap_or(den);
                let mut joined = std::mem::take(members);
                joined.append(&mut terms);
                terms = joined;
                false
            });
            groups.push((mono, den, terms));
        }
        groups.into_iter().map(|(_, _, terms)| terms).collect()
    }

    /// The sum of terms without fractions.
    fn whole(&mut self, terms: &[Term]) -> Node {
        let expanded = self.expanded(terms);
        match self.factored(terms) {
            Some(factored) if factored.cost(self.style) < expanded.cost(self.style) => factored,
            _ => expanded,
        }
    }

    /// Factors out common factors: `N·(N-1)` for `N·N - N`.
    pub(super) fn factored(&mut self, terms: &[Term]) -> Option<Node> {
        if !(2..=MAX_FACTORED).contains(&terms.len()) || !self.may_try() {
            return None;
        }
        let common = Term { mono: poly::common_mono(terms), coeff: Ratio::ONE };
        let mut rest = Cow::Borrowed(terms);
        let mut factors = Vec::new();
        if !common.mono.is_one() {
            rest = Cow::Owned(poly::mul(terms, &[common.recip()?]).ok()?);
            factors = self.factors(&common.mono);
        }
        while let Some((factor, quotient)) = factor::linear_factor(&rest) {
            factors.push(self.expanded(&factor));
            rest = Cow::Owned(quotient);
        }
        if factors.is_empty() {
            return None;
        }
        let mut negative = false;
        match &*rest {
            [one] if one.mono.is_one() && one.coeff.is_one() => {}
            _ => match self.expanded(&rest) {
                Node::Neg(rest) => {
                    negative = true;
                    factors.push(*rest);
                }
                rest => factors.push(rest),
            },
        }
        let product = Node::Mul(factors);
        Some(if negative { Node::Neg(Box::new(product)) } else { product })
    }

    fn expanded(&mut self, terms: &[Term]) -> Node {
        sum_of(terms.iter().map(|term| self.item(term)).collect())
    }

    /// The sum of `terms` as one fraction.
    fn fraction(&mut self, terms: &[Term]) -> Option<Item> {
        let den = poly::denominator(terms)?;
        let mut num = poly::mul(terms, std::slice::from_ref(&den)).ok()?;
        let expanded = Size::from_terms(num.clone()).expand_groups();
        if expanded.is_integral() {
            num = expanded.terms().to_vec();
        }
        let negative = num.iter().all(|term| term.coeff.is_negative());
        if negative {
            for term in &mut num {
                term.coeff = term.coeff.neg();
            }
        }
        let expanded = self.expanded(&num);
        let numerator = match self.factored(&num) {
            Some(factored) if factored.cost(self.style) <= expanded.cost(self.style) => factored,
            _ => expanded,
        };
        let key = num.first().map(|term| self.key(&term.mono)).unwrap_or_default();
        let denominator = self.product(&den);
        let node = Node::ExactDiv(Box::new(numerator), Box::new(denominator));
        Some(Item { negative, constant: false, key, node })
    }

    fn item(&mut self, term: &Term) -> Item {
        let positive = Term { mono: term.mono.clone(), coeff: term.coeff.abs() };
        Item {
            negative: term.coeff.is_negative(),
            constant: term.mono.is_one(),
            key: self.key(&term.mono),
            node: self.product(&positive),
        }
    }

    /// A term with a positive integer coefficient and without negative exponents.
    fn product(&mut self, term: &Term) -> Node {
        let mut factors = self.factors(&term.mono);
        if !term.coeff.is_one() || factors.is_empty() {
            factors.insert(0, Node::Int(term.coeff.num()));
        }
        if factors.len() == 1 { factors.swap_remove(0) } else { Node::Mul(factors) }
    }

    fn factors(&mut self, mono: &Mono) -> Vec<Node> {
        // 2ᵏ·3ᵏ is 6ᵏ, and the square of 2ᵏ is 4ᵏ.
        let mut powers: Vec<(Size, Size)> = Vec::new();
        let mut factors: Vec<(Rc<str>, Node)> = Vec::new();
        for (atom, e) in &*mono.0 {
            if let Atom::Pow(base, exponent) = atom {
                let base = base.pow_const(*e);
                match powers.iter_mut().find(|(_, other)| other == exponent) {
                    Some((product, _)) if base.as_ratio().is_some() && product.as_ratio().is_some() => {
                        *product = product.mul(&base);
                    }
                    _ => powers.push((base, exponent.clone())),
                }
                continue;
            }
            let reading = self.atom(atom);
            let (key, node) = (reading.key(), reading.node.clone());
            match *e {
                1 => factors.push((key, node)),
                2 => factors.extend([(key.clone(), node.clone()), (key, node)]),
                e => {
                    let power = Node::Pow(Box::new(node), Box::new(Node::Int(i128::from(e))));
                    factors.push((key, power));
                }
            }
        }
        factors.sort_by(|a, b| a.0.cmp(&b.0));
        let mut nodes: Vec<Node> = factors.into_iter().map(|(_, node)| node).collect();
        for (base, exponent) in powers {
            nodes.push(Node::Pow(self.boxed(&base), self.boxed(&exponent)));
        }
        nodes
    }

    fn key(&mut self, mono: &Mono) -> Key {
        let degree = mono.0.iter().map(|(_, e)| i64::from(*e)).sum();
        let mut names: Vec<Rc<str>> = mono.0.iter().map(|(atom, _)| self.atom(atom).key()).collect();
        names.sort();
        (std::cmp::Reverse(degree), names)
    }
}

/// Positive summands first, the constant last: `N-M+1`, `k-i`, but `5-N`.
fn sum_of(mut items: Vec<Item>) -> Node {
    items.sort_by(|a, b| (a.constant, a.negative, &a.key).cmp(&(b.constant, b.negative, &b.key)));
    if items.first().is_some_and(|item| item.negative)
        && let Some(at) = items.iter().position(|item| !item.negative)
    {
        let first = items.remove(at);
        items.insert(0, first);
    }
    let mut items = items.into_iter();
    let mut sum = match items.next() {
        None => return Node::Int(0),
        Some(first) if first.negative => match first.node {
            Node::Int(value) => Node::Int(-value),
            node => Node::Neg(Box::new(node)),
        },
        Some(first) => first.node,
    };
    for item in items {
        sum = match (sum, item.negative) {
            (sum, true) => Node::Sub(Box::new(sum), Box::new(item.node)),
            (Node::Add(mut all), false) => {
                all.push(item.node);
                Node::Add(all)
            }
            (sum, false) => Node::Add(vec![sum, item.node]),
        };
    }
    sum
}
