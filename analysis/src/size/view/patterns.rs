//! Finds `mod`, `min`, `max` and conditionals in a polynomial that was written without them.
//!
//! `x - b·⌊x/b⌋` is `x mod b`; `x - max(0, x-y)` is `min(x, y)`; `y + max(0, x-y)` is `max(x, y)`; and
//! so on, each with a factor in front and more terms around. Every way to read an atom is a
//! candidate; as long as one makes the expression shorter, the best is taken.

use super::{Node, Style, Viewer};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::{self, Term};
use crate::size::ratio::Ratio;

/// Larger polynomials are shown as they are.
const MAX_TERMS: usize = 40;
const MAX_WEIGHT: u32 = 600;
/// No polynomial has more patterns looked for.
const MAX_ROUNDS: usize = 12;

/// `factor·pattern + rest`, one way to read a polynomial.
struct Candidate {
    pattern: Node,
    factor: Size,
    rest: Size,
}

impl Viewer {
    /// The polynomial with placeholders for the patterns found in it.
    pub(super) fn with_patterns(&mut self, size: &Size) -> Size {
        let mut current = size.clone();
        if size.terms().len() > MAX_TERMS || size.weight() > MAX_WEIGHT {
            return current;
        }
        for _ in 0..MAX_ROUNDS {
            let candidates = self.candidates(&current);
            if candidates.is_empty() {
                break;
            }
            let mut best = None;
            let mut least = self.polynomial(&current).cost();
            for candidate in candidates {
                let pattern = self.placeholder(candidate.pattern);
                let read = candidate.rest.add(&candidate.factor.mul(&pattern));
                let cost = self.polynomial(&read).cost();
                if cost < least {
                    (best, least) = (Some(read), cost);
                }
            }
            match best {
                Some(read) => current = read,
                None => break,
            }
        }
        current
    }

    fn candidates(&mut self, size: &Size) -> Vec<Candidate> {
        let mut atoms: Vec<&Atom> = size
            .terms()
            .iter()
            .flat_map(|term| &term.mono.0)
            .filter(|(atom, e)| *e == 1 && matches!(atom, Atom::Floor(..) | Atom::Max(_) | Atom::Step(_)))
            .map(|(atom, _)| atom)
            .collect();
        atoms.sort();
        atoms.dedup();
        let mut found = Vec::new();
        for atom in atoms {
            let Some((factor, rest)) = size.split_linear(atom) else {
                continue;
            };
            match atom {
                Atom::Floor(num, den) => self.remainders(num, den, &factor, &rest, &mut found),
                Atom::Max(operands) => self.extrema(operands, &factor, &rest, &mut found),
                Atom::Step(condition) => self.conditionals(condition, &factor, &rest, &mut found),
                _ => {}
            }
        }
        found
    }

    /// `factor·⌊num/den⌋ + rest` with a remainder, or with a part of `rest` moved into the numerator.
    fn remainders(&mut self, num: &Size, den: &Size, factor: &Size, rest: &Size, found: &mut Vec<Candidate>) {
        let mut readings = vec![(num.clone(), den.clone())];
        // ⌊x/a⌋ mod b, where the atom is ⌊x/(a·b)⌋.
        for (atom, _) in rest.terms().iter().flat_map(|term| &term.mono.0) {
            let Atom::Floor(inner, inner_den) = atom else {
                continue;
            };
            let (Some(ratio), Some(shift)) = (quotient(den, inner_den), quotient(&num.sub(inner), inner_den)) else {
                continue;
            };
            let dividend = Size::atom(atom.clone()).add(&shift);
            if ratio.is_integral()
                && shift.is_integral()
                && dividend.div_floor(&ratio).as_atom() == Some(&Atom::Floor(num.clone(), den.clone()))
            {
                readings.push((dividend, ratio));
            }
        }
        for (dividend, divisor) in readings {
            let Some(times) = quotient(&factor.neg(), &divisor) else {
                continue;
            };
            let pattern =
                Node::Mod { num: self.boxed(&dividend), den: self.boxed(&divisor), dividend: dividend.clone() };
            found.push(Candidate { pattern, rest: rest.sub(&times.mul(&dividend)), factor: times });
        }
        self.shifted(num, den, factor, rest, found);
    }

    /// `⌊(N+3)/4⌋ - 1` is `⌊(N-1)/4⌋`.
    fn shifted(&mut self, num: &Size, den: &Size, factor: &Size, rest: &Size, found: &mut Vec<Candidate>) {
        let Some(recip) = (match factor.terms() {
            [factor] => factor.recip(),
            _ => None,
        }) else {
            return;
        };
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
            let plain = self.node(&dividend);
            if self.style == Style::Exact && !is_natural(&plain) {
                continue;
            }
            let pattern = Node::FloorDiv { num: Box::new(plain), den: self.boxed(den), dividend: dividend.clone() };
            let rest = rest.sub(&shift.mul(factor));
            found.push(Candidate { pattern, factor: factor.clone(), rest });
        }
    }

    /// `factor·max(0, operands…) + rest` as a maximum or minimum of larger things.
    fn extrema(&mut self, operands: &[Size], factor: &Size, rest: &Size, found: &mut Vec<Candidate>) {
        // The maximum of base, base + operand, …; or the minimum of base, base - operand, ….
        for maximum in [true, false] {
            let times = if maximum { factor.clone() } else { factor.neg() };
            let mut bases = Vec::new();
            bases.extend(quotient(rest, &times));
            for term in rest.terms() {
                bases.extend(quotient(&Size::term(term.clone()), &times));
            }
            for operand in operands {
                let (positive, negative) = by_sign(operand);
                bases.push(if maximum { negative } else { positive });
            }
            for base in bases {
                let mut all = vec![base.clone()];
                for operand in operands {
                    all.push(if maximum { base.add(operand) } else { base.sub(operand) });
                }
                let mut nodes: Vec<Node> = all.iter().map(|operand| self.node(operand)).collect();
                nodes.sort_by_key(|node| (matches!(node, Node::Int(_)), node.to_string()));
                found.push(Candidate {
                    pattern: if maximum { Node::Max(nodes) } else { Node::Min(nodes) },
                    rest: rest.sub(&times.mul(&base)),
                    factor: times.clone(),
                });
            }
        }
    }

    /// `factor·[condition >= 0] + rest` with a part of the rest as the other branch.
    fn conditionals(&mut self, condition: &Size, factor: &Size, rest: &Size, found: &mut Vec<Candidate>) {
        let (left, right) = self.comparison(condition);
        let mut branches: Vec<Size> = rest.terms().iter().map(|t| Size::term(t.clone())).collect();
        branches.push(rest.clone());
        branches.push(Size::zero());
        for otherwise in branches {
            found.push(Candidate {
                pattern: Node::IfLe {
                    left: left.clone(),
                    right: right.clone(),
                    then: self.boxed(&factor.add(&otherwise)),
                    otherwise: self.boxed(&otherwise),
                },
                factor: Size::one(),
                rest: rest.sub(&otherwise),
            });
        }
    }
}

/// The quotient as a polynomial, negative exponents allowed, if there is one.
fn quotient(num: &Size, den: &Size) -> Option<Size> {
    match den.terms() {
        [den] => Some(num.mul(&Size::term(den.recip()?))),
        _ => match poly::divide(num.terms(), den.terms())? {
            (quotient, remainder) if remainder.is_empty() => Some(Size::from_terms(quotient)),
            _ => None,
        },
    }
}

/// The terms with a positive coefficient, and the others negated.
pub(super) fn by_sign(size: &Size) -> (Size, Size) {
    let (negative, positive): (Vec<Term>, Vec<Term>) =
        size.terms().iter().cloned().partition(|term| term.coeff.is_negative());
    (Size::from_terms(positive), Size::from_terms(negative).scale(Ratio::MINUS_ONE))
}

/// Is the expression free of anything that could make it negative?
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
