//! Finds `mod`, `min`, `max` and conditionals in a polynomial without them.
//!
//! `x - b·⌊x/b⌋` is `x mod b`, so `⌊x/b⌋` may be read as `(x - m)/b` with `m = x mod b`; likewise `max(0, x-y)` as
//! `x - min(x, y)` or as `max(x, y) - y`; and so on. Each form of an atom is a candidate; the best candidate is applied
//! until none makes the whole expression shorter.

use super::{Condition, Node, Style, Viewer};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Term};
use crate::size::ratio::Ratio;
use crate::size::view::reading_order;

/// Larger polynomials are written without a search for patterns.
const MAX_TERMS: usize = 40;
const MAX_WEIGHT: u32 = 600;
/// Maximum number of patterns introduced into one polynomial.
const MAX_ROUNDS: usize = 12;

/// One form of an atom: `factor·pattern + shift`.
struct Candidate {
    /// The number of its [`Place`].
    place: usize,
    pattern: Pattern,
    /// The cost of the pattern, a lower bound for the polynomial.
    cost: usize,
    factor: Size,
    shift: Size,
}

/// The readable form of an atom. Most candidates are never written.
pub(super) enum Pattern {
    Mod { dividend: Size, divisor: Size },
    Floor { dividend: Size, divisor: Size },
    Min(Vec<Size>),
    Max(Vec<Size>),
    If { condition: Condition, then: Size, otherwise: Size },
}

/// An atom in a polynomial `factor·atom + rest`; both are `None` if the atom has other powers.
struct Place {
    number: usize,
    atom: Atom,
    linear: Option<(Size, Size)>,
}

impl Viewer {
    /// The polynomial with placeholders for its patterns, and its cost if already known.
    pub(super) fn with_patterns(&mut self, size: &Size) -> (Size, Option<usize>) {
        let mut current = size.clone();
        if size.terms().len() > MAX_TERMS || size.weight() > MAX_WEIGHT {
            return (current, None);
        }
        let mut shortest = None;
        for _ in 0..MAX_ROUNDS {
            if !self.may_try() {
                break;
            }
            let (places, candidates) = self.candidates(&current);
            if candidates.is_empty() {
                break;
            }
            let mut best = None;
            let mut least = shortest.unwrap_or_else(|| self.cost_of(&current, usize::MAX));
            for candidate in candidates {
                if !self.may_try() {
                    break;
                }
                let place = &places[candidate.place];
                if candidate.cost >= least || self.cost_with_at_least(&candidate, place) >= least {
                    continue;
                }
                let Candidate { pattern, cost, factor, shift, .. } = candidate;
                let value = factor.mul(&self.placeholder(pattern, cost)).add(&shift);
                let read = current.replace_atom(&place.atom, &value);
                let cost = self.cost_of(&read, least);
                if cost < least {
                    (best, least) = (Some(read), cost);
                }
            }
            shortest = Some(least);
            match best {
                Some(read) => current = read,
                None => break,
            }
        }
        (current, shortest)
    }

    /// A lower bound of the polynomial's cost with this candidate: the pattern does not occur elsewhere, so nothing
    /// merges with it.
    fn cost_with_at_least(&mut self, candidate: &Candidate, place: &Place) -> usize {
        let around = place.linear.as_ref().and_then(|(factor, rest)| {
            let shift = poly::mul(factor.terms(), candidate.shift.terms()).ok()?;
            poly::add_scaled(rest.terms(), &Term::constant(Ratio::ONE), &shift).ok()
        });
        match around.and_then(|terms| self.cost_at_least(&terms)) {
            Some(around @ 1..) => candidate.cost + 1 + around,
            _ => candidate.cost,
        }
    }

    /// Whether the part may be computed separately; a fraction may be integral only together with other terms.
    fn allows(&self, part: &Size) -> bool {
        self.style == Style::Reading || part.is_integral()
    }

    fn candidates(&mut self, size: &Size) -> (Vec<Place>, Vec<Candidate>) {
        let is_pattern = |atom: &Atom| matches!(atom, Atom::Floor(..) | Atom::Max(_) | Atom::Step(_));
        let factors = size.terms().iter().flat_map(|term| &*term.mono.0);
        let mut atoms: Vec<Atom> =
            factors.filter(|(atom, e)| *e > 0 && is_pattern(atom)).map(|(atom, _)| atom.clone()).collect();
        atoms.sort();
        atoms.dedup();
        let places: Vec<Place> = atoms
            .into_iter()
            .enumerate()
            .map(|(number, atom)| Place { number, linear: size.split_linear(&atom), atom })
            .collect();
        let mut found = Vec::new();
        for place in &places {
            match &place.atom {
                Atom::Floor(num, den) => {
                    self.remainders(num, den, size, place, &mut found);
                    self.shifted(num, den, place, &mut found);
                }
                Atom::Max(operands) => self.extrema(operands, place, &mut found),
                Atom::Step(condition) => self.conditionals(condition, place, &mut found),
                _ => {}
            }
        }
        (places, found)
    }

    /// Reads `⌊x/b⌋` as `(x - x mod b)/b`.
    fn remainders(&mut self, num: &Size, den: &Size, size: &Size, place: &Place, found: &mut Vec<Candidate>) {
        let mut readings = vec![(num.clone(), den.clone())];
        // If ⌊x/a⌋ occurs elsewhere, ⌊x/(a·b)⌋ may be read as ⌊⌊x/a⌋/b⌋.
        for (atom, _) in size.terms().iter().flat_map(|term| &*term.mono.0) {
            let Atom::Floor(inner, inner_den) = atom else {
                continue;
            };
            let (Some(ratio), Some(shift)) = (quotient(den, inner_den), quotient(&num.sub(inner), inner_den)) else {
                continue;
            };
            let dividend = Size::atom(atom.clone()).add(&shift);
            if *atom != place.atom
                && ratio.is_integral()
                && shift.is_integral()
                && dividend.div_floor(&ratio).as_atom() == Some(&place.atom)
            {
                readings.push((dividend, ratio));
            }
        }
        // In code, a fraction that remains is one more division.
        let whole = |divisor: &Size| match &place.linear {
            Some((factor, _)) => self.style == Style::Reading || factor.div_exact(divisor).is_integral(),
            None => true,
        };
        readings.retain(|(dividend, divisor)| self.allows(dividend) && whole(divisor));
        for (dividend, divisor) in readings {
            found.push(Candidate {
                place: place.number,
                cost: 1 + self.written(&dividend).cost + self.written(&divisor).cost,
                factor: Size::int(-1).div_exact(&divisor),
                shift: dividend.div_exact(&divisor),
                pattern: Pattern::Mod { dividend, divisor },
            });
        }
    }

    /// Reads `⌊(N+3)/4⌋` as `⌊(N-1)/4⌋ + 1`, where that cancels other terms.
    fn shifted(&mut self, num: &Size, den: &Size, place: &Place, found: &mut Vec<Candidate>) {
        let Some((factor, rest)) = &place.linear else {
            return;
        };
        let [factor] = factor.terms() else { return };
        let Some(recip) = factor.recip() else { return };
        let mut all = Size::zero();
        let mut shifts = Vec::new();
        for term in rest.terms() {
            let Some(shift) = term.mul(&recip).map(Size::term) else {
                continue;
            };
            let grown = shift.mul(den);
            let meets = |t: &Term| num.terms().iter().any(|n| n.mono == t.mono);
            if shift.is_integral() && grown.is_integral() && grown.terms().iter().all(meets) {
                all = all.add(&shift);
                shifts.push(shift);
            }
        }
        if shifts.len() > 1 {
            shifts.push(all);
        }
        for shift in shifts {
            let dividend = num.add(&shift.mul(den));
            let plain = self.written(&dividend);
            if self.style == Style::Exact && !is_natural(&self.node_of(&plain)) {
                continue;
            }
            let cost = 2 + plain.cost + self.written(den).cost;
            let pattern = Pattern::Floor { dividend, divisor: den.clone() };
            found.push(Candidate { place: place.number, pattern, cost, factor: Size::one(), shift: shift.neg() });
        }
    }

    /// Reads `max(0, operands…)` as the maximum of base, base + operand, … minus the base, or as the base minus the
    /// minimum of base, base - operand, ….
    fn extrema(&mut self, operands: &[Size], place: &Place, found: &mut Vec<Candidate>) {
        for maximum in [true, false] {
            let mut bases = Vec::new();
            if let Some((factor, rest)) = &place.linear {
                let times = if maximum { factor.clone() } else { factor.neg() };
                bases.extend(quotient(rest, &times));
                let terms = rest.terms().iter().map(|term| Size::term(term.clone()));
                bases.extend(terms.filter_map(|term| quotient(&term, &times)));
            }
            for operand in operands {
                let (positive, negative) = operand.by_sign();
                bases.push(if maximum { negative } else { positive });
            }
            for (at, base) in bases.iter().enumerate() {
                if bases[..at].contains(base) {
                    continue;
                }
                let mut all = vec![base.clone()];
                all.extend(operands.iter().map(|o| if maximum { base.add(o) } else { base.sub(o) }));
                if !all.iter().all(|operand| self.allows(operand)) {
                    continue;
                }
                let cost = 1 + all.iter().map(|operand| self.written(operand).cost).sum::<usize>();
                let place = place.number;
                found.push(if maximum {
                    let pattern = Pattern::Max(all);
                    Candidate { place, pattern, cost, factor: Size::one(), shift: base.neg() }
                } else {
                    let pattern = Pattern::Min(all);
                    Candidate { place, pattern, cost, factor: Size::int(-1), shift: base.clone() }
                });
            }
        }
    }

    /// Reads `factor·[condition >= 0] + rest` as a conditional, with part of the rest as the other branch.
    fn conditionals(&mut self, condition: &Size, place: &Place, found: &mut Vec<Candidate>) {
        let Some((factor, rest)) = &place.linear else {
            return;
        };
        let mut branches: Vec<Size> = rest.terms().iter().map(|t| Size::term(t.clone())).collect();
        branches.push(rest.clone());
        branches.push(Size::zero());
        let condition = self.condition(condition);
        for otherwise in branches {
            let then = factor.add(&otherwise);
            if !self.allows(&then) || !self.allows(&otherwise) {
                continue;
            }
            let branches = self.written(&then).cost + self.written(&otherwise).cost;
            found.push(Candidate {
                place: place.number,
                cost: condition.cost() + branches,
                factor: Size::one().div_exact(factor),
                shift: otherwise.neg().div_exact(factor),
                pattern: Pattern::If { condition: condition.clone(), then, otherwise },
            });
        }
    }
}

impl Viewer {
    /// Writes a pattern.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Node {
        match pattern {
            Pattern::Mod { dividend, divisor } => {
                Node::Mod { num: self.boxed(dividend), den: self.boxed(divisor), dividend: dividend.clone() }
            }
            Pattern::Floor { dividend, divisor } => {
                Node::FloorDiv { num: self.boxed(dividend), den: self.boxed(divisor), dividend: dividend.clone() }
            }
            Pattern::Min(all) => Node::Min(self.operands(all)),
            Pattern::Max(all) => Node::Max(self.operands(all)),
            Pattern::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.node(then), self.node(otherwise));
                self.conditional(condition, then, otherwise)
            }
        }
    }

    /// Writes operands in alphabetical order, numbers last.
    fn operands(&mut self, all: &[Size]) -> Vec<Node> {
        let mut nodes: Vec<Node> = all.iter().map(|operand| self.node(operand)).collect();
        nodes.sort_by_cached_key(|node| (matches!(node, Node::Int(_)), reading_order(node)));
        nodes
    }
}

/// The exact quotient as a polynomial, which may have negative exponents.
fn quotient(num: &Size, den: &Size) -> Option<Size> {
    match den.terms() {
        [den] => Some(num.mul(&Size::term(den.recip()?))),
        _ => match poly::divide(num.terms(), den.terms())? {
            (quotient, remainder) if remainder.is_empty() => Some(Size::from_terms(quotient)),
            _ => None,
        },
    }
}

/// Whether the expression contains nothing that could make it negative.
fn is_natural(node: &Node) -> bool {
    match node {
        Node::Int(value) => *value >= 0,
        Node::Var(var) => var.is_natural(),
        Node::Neg(_) | Node::Sub(..) | Node::TooLarge => false,
        Node::Add(all) | Node::Mul(all) | Node::Min(all) => all.iter().all(is_natural),
        Node::Max(all) => all.iter().any(is_natural),
        Node::ExactDiv(a, b) | Node::Pow(a, b) => is_natural(a) && is_natural(b),
        Node::FloorDiv { num, .. } => is_natural(num),
        Node::Mod { .. } => true,
        Node::Sum { body, .. } => is_natural(body),
        Node::IfLe { then, otherwise, .. } => is_natural(then) && is_natural(otherwise),
    }
}
