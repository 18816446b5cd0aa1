//! Construction of terms: fresh names, scopes, and index arithmetic.

use super::failure::{Failure, Res, fail};
use super::term::{Bound, Kind, Scope, Term};
use crate::failure::Wording;
use crate::size::{Node, Size};
use lift_syntax::{SyntaxErrorCode, TextRange};
use std::sync::Arc;

/// Limit on the nodes of the emitted program.
const MOST_NODES: usize = 60_000;
/// Limit on nested bindings.
const MOST_BOUND: usize = 300;

/// Builds the emitted program of a front end.
#[derive(Debug, Clone)]
pub struct Emitter {
    /// The open scopes, innermost last.
    pub scopes: Vec<Scope>,
    /// The number of the last fresh name.
    pub next: u32,
    /// The range in the text of the current computation.
    pub at: TextRange,
    /// Nodes emitted so far.
    pub nodes: usize,
    too_large: SyntaxErrorCode,
    wording: Words,
}

/// How failures of primitives, given by their names, are worded.
pub type Words = &'static [(&'static str, Arc<Wording>)];

const TOO_LARGE: &str = "the program becomes too large when its functions are written out";

impl Emitter {
    /// An emitter that reports a program that becomes too large with the code `too_large`, and words failures of
    /// primitives.
    pub fn new(too_large: SyntaxErrorCode, wording: Words) -> Emitter {
        Emitter { scopes: vec![Scope::default()], next: 0, at: TextRange::default(), nodes: 0, too_large, wording }
    }

    pub fn fresh(&mut self, name: &str) -> Bound {
        self.next += 1;
        Bound { id: self.next, name: name.into() }
    }

    pub fn term(&self, kind: Kind) -> Term {
        Term::new(kind, self.at)
    }

    pub fn local(&self, bound: &Bound) -> Term {
        self.term(Kind::Local(bound.clone()))
    }

    pub fn int(&self, n: i32) -> Term {
        self.term(Kind::Int(n))
    }

    pub fn double(&self, x: f64) -> Term {
        self.term(Kind::Double(x))
    }

    pub fn boolean(&self, b: bool) -> Term {
        self.term(Kind::Bool(b))
    }

    pub fn global(&self, name: &'static str) -> Term {
        self.term(Kind::Global(name))
    }

    /// A call of a Lift primitive.
    pub fn app(&self, name: &'static str, args: impl IntoIterator<Item = Term>) -> Term {
        let callee = self.global(name);
        let words = self.wording.iter().find(|(of, _)| *of == name).map(|(_, words)| words.clone());
        self.term(Kind::Apply(callee, args.into_iter().collect())).worded(words)
    }

    pub fn choose(&self, condition: Term, then: Term, otherwise: Term) -> Term {
        match condition.kind() {
            Kind::Bool(true) => then,
            Kind::Bool(false) => otherwise,
            _ => self.term(Kind::If(condition, then, otherwise)),
        }
    }

    /// A length as a size argument.
    pub fn size_argument(&self, size: &Size) -> Term {
        self.term(Kind::Size(size.clone()))
    }

    /// A length, or a difference of lengths, as an Int. A difference that may be negative is computed with Ints, because a
    /// size is assumed to be natural.
    pub fn size_term(&self, size: &Size) -> Term {
        match size.as_const().and_then(|n| i32::try_from(n).ok()) {
            Some(n) => self.int(n),
            None => {
                let node = size.node();
                let sum = if is_natural(&node) { None } else { self.arithmetic(&node) };
                sum.unwrap_or_else(|| self.size_argument(size))
            }
        }
    }

    fn arithmetic(&self, node: &Node) -> Option<Term> {
        let all = |name: &'static str, parts: &[Node]| {
            let mut terms = parts.iter().map(|part| self.arithmetic(part));
            let first = terms.next()??;
            terms.try_fold(first, |a, b| Some(self.app(name, [a, b?])))
        };
        match node {
            Node::Int(n) => i32::try_from(*n).ok().map(|n| self.int(n)),
            Node::Var(var) => Some(self.size_argument(&Size::var(var.clone()))),
            Node::Neg(part) => Some(self.minus(self.int(0), self.arithmetic(part)?)),
            Node::Sub(a, b) => Some(self.minus(self.arithmetic(a)?, self.arithmetic(b)?)),
            Node::Add(parts) => all("+", parts),
            Node::Mul(parts) => all("*", parts),
            Node::Min(parts) => all("min", parts),
            Node::Max(parts) => all("max", parts),
            Node::ExactDiv(a, b) => Some(self.app("/", [self.arithmetic(a)?, self.arithmetic(b)?])),
            _ => None,
        }
    }

    // ---- scopes

    /// Opens a scope for the bindings of a part of the program, until [`Emitter::close`].
    pub fn open(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes the innermost scope and returns its bindings.
    pub fn close(&mut self) -> Scope {
        self.scopes.pop().unwrap_or_default()
    }

    /// The term of the whole program, inside all bindings.
    pub fn finish(&mut self, body: Term) -> Term {
        let scope = std::mem::take(&mut self.scopes);
        scope.into_iter().rev().fold(body, |body, scope| scope.close(body))
    }

    /// Counts the nodes of an emitted term. Reports once that the program becomes too large; afterwards it only fails.
    pub fn spend(&mut self, term: &Term) -> Res<()> {
        let before = self.is_full();
        self.nodes = self.nodes.saturating_add(term.weight());
        match (before, self.is_full()) {
            (true, _) => Err(Failure::Reported),
            (false, true) => fail(self.too_large, self.at, TOO_LARGE),
            (false, false) => Ok(()),
        }
    }

    /// Whether the program is so large that no part should be duplicated.
    pub fn is_large(&self) -> bool {
        self.nodes > MOST_NODES / 8
    }

    fn is_full(&self) -> bool {
        self.nodes > MOST_NODES || self.scopes.iter().any(|scope| scope.len() >= MOST_BOUND)
    }

    /// Binds a term to a name, unless it is an atom.
    pub fn share(&mut self, term: Term, name: &str) -> Res<Term> {
        if term.is_atom() {
            return Ok(term);
        }
        let bound = self.bind(term, name)?;
        Ok(self.local(&bound))
    }

    pub fn bind(&mut self, term: Term, name: &str) -> Res<Bound> {
        self.spend(&term)?;
        let bound = self.fresh(name);
        if let Some(scope) = self.scopes.last_mut() {
            scope.bind(bound.clone(), term);
        }
        Ok(bound)
    }

    /// The value of a name that a `let` in sight binds.
    pub fn definition(&self, name: &Term) -> Option<&Term> {
        let Kind::Local(bound) = name.kind() else { return None };
        self.scopes.iter().rev().find_map(|scope| scope.value(bound))
    }

    /// A name in sight whose value passes a test.
    pub fn name_of(&self, test: impl Fn(&Term) -> bool) -> Option<Bound> {
        self.scopes.iter().rev().find_map(|scope| scope.name_of(&test))
    }

    /// Opens an array of hidden length, with names for length and array.
    pub fn unpack(&mut self, term: Term, length: &str, name: &str) -> Res<(Bound, Bound)> {
        self.spend(&term)?;
        let (length, bound) = (self.fresh(length), self.fresh(name));
        if let Some(scope) = self.scopes.last_mut() {
            scope.unpack(length.clone(), bound.clone(), term);
        }
        Ok((length, bound))
    }

    // ---- arithmetic of indices

    pub fn plus(&self, a: Term, b: Term) -> Term {
        use Kind::Int;
        match (a.kind(), b.kind()) {
            (Int(0), _) => b,
            (_, Int(0)) => a,
            (Int(x), Int(y)) => self.int(x.wrapping_add(*y)),
            _ => self.app("+", [a, b]),
        }
    }

    pub fn minus(&self, a: Term, b: Term) -> Term {
        use Kind::Int;
        match (a.kind(), b.kind()) {
            (_, Int(0)) => a,
            (Int(x), Int(y)) => self.int(x.wrapping_sub(*y)),
            _ => self.app("-", [a, b]),
        }
    }

    pub fn less(&self, a: Term, b: Term) -> Term {
        match (a.kind(), b.kind()) {
            (Kind::Int(x), Kind::Int(y)) => self.boolean(x < y),
            _ => self.app("<", [a, b]),
        }
    }

    pub fn times(&self, a: Term, b: Term) -> Term {
        use Kind::Int;
        match (a.kind(), b.kind()) {
            (Int(0), _) | (_, Int(1)) => a,
            (_, Int(0)) | (Int(1), _) => b,
            (Int(x), Int(y)) => self.int(x.wrapping_mul(*y)),
            _ => self.app("*", [a, b]),
        }
    }

    /// Quotient and remainder of two terms that are not negative.
    pub fn divide(&self, a: Term, b: Term) -> (Term, Term) {
        use Kind::Int;
        match (a.kind(), b.kind()) {
            (_, Int(1)) => (a, self.int(0)),
            (Int(x), Int(y)) if *y > 0 => (self.int(x / y), self.int(x % y)),
            _ => (self.app("/", [a.clone(), b.clone()]), self.app("mod", [a, b])),
        }
    }
}

/// Whether the form of a size shows that it is not negative.
fn is_natural(node: &Node) -> bool {
    match node {
        Node::Int(n) => *n >= 0,
        Node::Var(_) | Node::Mod { .. } => true,
        Node::Add(parts) | Node::Mul(parts) | Node::Min(parts) => parts.iter().all(is_natural),
        Node::Max(parts) => parts.iter().any(is_natural),
        Node::ExactDiv(a, b) | Node::Pow(a, b) => is_natural(a) && is_natural(b),
        Node::FloorDiv { num, den, .. } => is_natural(num) && is_natural(den),
        Node::Neg(_) | Node::Sub(..) | Node::Sum { .. } | Node::IfLe { .. } | Node::TooLarge => false,
    }
}
