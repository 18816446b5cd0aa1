//! The cost of a form to the reader: its number of nodes, computed without writing it.

#[cfg(test)]
use super::Writer;
use super::polynomial::MAX_FACTORED;
use super::{Node, Style, Viewer};
use crate::size::Size;
use crate::size::atom::Atom;
use crate::size::poly::Term;
use smallvec::SmallVec;

/// Exceeds the cost of every form.
const GIVEN_UP: usize = 1 << 24;

impl Node {
    /// The number of nodes, in a style; of two forms, the one with fewer is preferred.
    pub(super) fn cost(&self, style: Style) -> usize {
        let cost = |node: &Node| node.cost(style);
        match self {
            Node::Int(_) | Node::Var(_) | Node::TooLarge => 1,
            Node::Neg(a) => 1 + cost(a),
            Node::Add(all) | Node::Mul(all) => all.len().saturating_sub(1) + all.iter().map(cost).sum::<usize>(),
            Node::Min(all) | Node::Max(all) => 1 + all.iter().map(cost).sum::<usize>(),
            Node::Sub(a, b) | Node::Pow(a, b) => 1 + cost(a) + cost(b),
            Node::ExactDiv(a, b) => style.exact_division() + cost(a) + cost(b),
            Node::FloorDiv { num, den, .. } => 2 + cost(num) + cost(den),
            Node::Mod { num, den, .. } => 1 + cost(num) + cost(den),
            Node::Sum { count, body, .. } => 3 + cost(count) + cost(body),
            Node::IfLe { left, right, then, otherwise } => 2 + cost(left) + cost(right) + cost(then) + cost(otherwise),
        }
    }
}

impl Style {
    /// The cost of an exact division itself. Its numerator may exceed an index, so it is computed in twice the width.
    fn exact_division(self) -> usize {
        match self {
            Style::Reading => 1,
            Style::Exact => 7,
        }
    }
}

impl Viewer {
    /// The cost of [`Viewer::polynomial`]; may stop without writing once it reaches `below`.
    pub(super) fn cost_of(&mut self, size: &Size, below: usize) -> usize {
        let cost = match self.cost_expanded(size.terms()) {
            Some(expanded) => match self.cost_factored_at_least(size.terms()) {
                Some(least) if least < expanded.min(below) => {
                    let factored = self.factored(size.terms());
                    factored.map_or(expanded, |factored| factored.cost(self.style).min(expanded))
                }
                _ => expanded,
            },
            None => match self.cost_at_least(size.terms()) {
                Some(least) if least >= below => least,
                _ => match self.polynomial(size) {
                    Node::TooLarge => return GIVEN_UP,
                    node => node.cost(self.style),
                },
            },
        };
        self.tried += cost as u64;
        cost
    }

    /// The cost of the terms written one after the other; `None` if writing them would combine terms.
    fn cost_expanded(&mut self, terms: &[Term]) -> Option<usize> {
        let mut cost = terms.len().saturating_sub(1);
        for term in terms {
            let numbered = !term.coeff.abs().is_one() || term.mono.is_one();
            let mut factors = usize::from(numbered);
            cost += factors;
            for (atom, e) in &*term.mono.0 {
                if *e < 1 || !term.coeff.is_integer() || matches!(atom, Atom::Pow(..)) {
                    return None;
                }
                let atom = self.cost_of_atom(atom);
                let (written, each) = if *e == 2 { (2, 2 * atom) } else { (1, atom + if *e > 2 { 2 } else { 0 }) };
                factors += written;
                cost += each;
            }
            if !term.coeff.is_integer() {
                return None;
            }
            cost += factors - 1;
        }
        let signed = terms.iter().all(|term| term.coeff.is_negative()) && terms.iter().any(|term| !term.mono.is_one());
        Some((cost + usize::from(signed)).max(1))
    }

    /// A lower bound of the cost of [`Viewer::factored`], if it succeeds: each atom occurs in one of the factors.
    fn cost_factored_at_least(&mut self, terms: &[Term]) -> Option<usize> {
        (2..=MAX_FACTORED).contains(&terms.len()).then(|| self.cost_of_atoms(terms))
    }

    /// A lower bound of the cost of the terms in any form; `None` where atoms may merge with others.
    pub(super) fn cost_at_least(&mut self, terms: &[Term]) -> Option<usize> {
        let mut factors = terms.iter().flat_map(|term| &*term.mono.0);
        let merges = |(atom, _): &(Atom, i32)| matches!(atom, Atom::Group(_) | Atom::Pow(..) | Atom::TooLarge(_));
        (!factors.any(merges)).then(|| self.cost_of_atoms(terms))
    }

    /// The cost of the distinct atoms of these terms, with their connecting operators.
    fn cost_of_atoms(&mut self, terms: &[Term]) -> usize {
        let mut atoms: SmallVec<[&Atom; 16]> = SmallVec::new();
        for (atom, _) in terms.iter().flat_map(|term| &*term.mono.0) {
            if !atoms.contains(&atom) {
                atoms.push(atom);
            }
        }
        let cost: usize = atoms.iter().map(|atom| self.cost_of_atom(atom)).sum();
        cost + atoms.len().saturating_sub(1)
    }

    fn cost_of_atom(&mut self, atom: &Atom) -> usize {
        if let Atom::Var(var) = atom {
            return self.placeholders.get(var).map_or(1, |known| known.1);
        }
        if let Some(cost) = self.costs.get(atom) {
            return *cost;
        }
        let cost = match atom {
            Atom::Floor(num, den) => 2 + self.written(num).cost + self.written(den).cost,
            Atom::Max(operands) => 2 + operands.iter().map(|operand| self.written(operand).cost).sum::<usize>(),
            Atom::Step(condition) => self.condition(condition).cost() + 2,
            Atom::Group(inner) => self.written(inner).cost,
            _ => {
                let style = self.style;
                self.atom(atom).node.cost(style)
            }
        };
        self.costs.insert(atom.clone(), cost);
        cost
    }
}

#[cfg(test)]
impl Writer {
    /// The predicted and the actual cost of a size; `None` if it is too large.
    pub(in crate::size) fn costs(&mut self, size: &Size) -> Option<(usize, usize)> {
        let found = self.0.written(size).cost;
        (found < GIVEN_UP).then(|| (found, self.node(size).cost(self.0.style)))
    }
}
