//! Converts the normal form to an expression as a person would write it.
//!
//! The normal form has no `mod`, `min` or conditional; [`patterns`] restores them. Then terms are gathered into
//! fractions and put in reading order ([`polynomial`]).
//!
//! The *reading* style keeps fractions with unlike denominators apart, as in `N/2+M/3`. The *exact* style, for
//! generated code, combines them into one fraction, numerator first, so that its single division is exact whenever the
//! size has a value.
//!
//! | module | job |
//! |---|---|
//! | `factor` | linear factors of polynomials |
//! | `polynomial` | writes a sum of terms as an expression |
//! | `cost` | the cost of a form to the reader |
//! | `patterns` | finds `mod`, `min`, `max` and conditionals in a polynomial without them |

mod cost;
mod factor;
mod patterns;
mod polynomial;

use super::Size;
use super::atom::Atom;
use super::poly::{self, Term};
use super::ratio::Ratio;
use super::var::{Var, VarKind};
use super::work;
use patterns::Pattern;
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// A size as an expression tree, for printing or translation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    Int(i128),
    Var(Var),
    Neg(Box<Node>),
    Add(Vec<Node>),
    Sub(Box<Node>, Box<Node>),
    Mul(Vec<Node>),
    /// An exact division, if the size has a value.
    ExactDiv(Box<Node>, Box<Node>),
    /// Division rounded towards minus infinity. `dividend` is the numerator as a size: a target whose division
    /// truncates must prove that it is non-negative ([`super::Facts::le`]).
    FloorDiv {
        num: Box<Node>,
        den: Box<Node>,
        dividend: Size,
    },
    /// The remainder of that division; non-negative.
    Mod {
        num: Box<Node>,
        den: Box<Node>,
        dividend: Size,
    },
    Min(Vec<Node>),
    Max(Vec<Node>),
    Pow(Box<Node>, Box<Node>),
    /// The sum of `body` over `0 <= index < count`.
    Sum {
        index: Var,
        count: Box<Node>,
        body: Box<Node>,
    },
    /// `then` if `left <= right`, otherwise `otherwise`.
    IfLe {
        left: Box<Node>,
        right: Box<Node>,
        then: Box<Node>,
        otherwise: Box<Node>,
    },
    /// A part too large to keep; it has no value.
    TooLarge,
}

/// Sort key for operands of sums, products, minima and maxima where no other rule applies: names by
/// [`Var::reading_key`], then everything else by its text.
fn reading_order(node: &Node) -> String {
    match node {
        Node::Var(var) => var.reading_key(),
        node => format!("9{node}"),
    }
}

impl Size {
    /// The expression to compute: all fractions together are one exact division of the complete numerator, and
    /// everything else is integer arithmetic.
    pub fn node(&self) -> Node {
        Viewer::new(Style::Exact).node(self)
    }

    /// The expression to read.
    pub(crate) fn reading(&self) -> Node {
        Viewer::new(Style::Reading).node(self)
    }

    /// The summands, coefficient times monomial; the coefficient is `numerator/denominator` in lowest terms, and the
    /// monomial is the product of all other factors.
    pub fn summands(&self) -> Vec<Summand> {
        self.terms()
            .iter()
            .map(|term| Summand {
                numerator: term.coeff.num(),
                denominator: term.coeff.den(),
                monomial: Size::term(Term { mono: term.mono.clone(), coeff: Ratio::ONE }),
            })
            .collect()
    }

    /// `(c, r)` with `self = c·var + r`, where `var` occurs in neither; `None` if the size is not linear in it.
    pub fn linear_in(&self, var: &Var) -> Option<(Size, Size)> {
        let (coefficient, rest) = self.split_linear(&Atom::Var(var.clone()))?;
        (!coefficient.contains(var) && !rest.contains(var)).then_some((coefficient, rest))
    }

    /// The terms with positive coefficients, and the negated others.
    pub(crate) fn by_sign(&self) -> (Size, Size) {
        let (negative, positive): (Vec<Term>, Vec<Term>) =
            self.terms().iter().cloned().partition(|term| term.coeff.is_negative());
        (Size::from_terms(positive), Size::from_terms(negative).neg())
    }

    /// `(c, r)` with `self = c·atom + r`, if no term has another power of the atom.
    pub(crate) fn split_linear(&self, atom: &Atom) -> Option<(Size, Size)> {
        let (mut with, mut without) = (Vec::new(), Vec::new());
        for term in self.terms() {
            match term.mono.exponent(atom) {
                0 => without.push(term.clone()),
                1 => with.push(Term { mono: term.mono.without(atom), coeff: term.coeff }),
                _ => return None,
            }
        }
        Some((Size::from_terms(poly::collect(with).ok()?), Size::from_terms(without)))
    }
}

/// One summand of a size: `numerator/denominator · monomial`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summand {
    pub numerator: i128,
    pub denominator: i128,
    pub monomial: Size,
}

/// Budget of the search for shorter forms, in terms computed with and nodes written on trial. Each part of a size may
/// have many forms, whose parts have many in turn; once the budget is spent, parts are written as they are, which is
/// correct but longer.
const MAX_WORK: u64 = 1 << 18;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Reading,
    Exact,
}

/// The form of a size. For most, only its cost is needed, because the surrounding expression has a shorter form.
struct Written {
    /// The polynomial with placeholders for its patterns.
    plain: Size,
    cost: usize,
    node: OnceCell<Rc<Node>>,
}

/// The readable form of an atom.
struct Reading {
    node: Node,
    /// Sort key within a product.
    key: OnceCell<Rc<str>>,
}

/// Writes many sizes, and reuses the forms of shared parts.
pub struct Writer(Viewer);

impl Writer {
    /// Writes expressions to compute, like [`Size::node`].
    pub fn to_compute() -> Writer {
        Writer(Viewer::new(Style::Exact))
    }

    /// Writes expressions to read, as sizes are printed.
    pub fn to_read() -> Writer {
        Writer(Viewer::new(Style::Reading))
    }

    pub fn node(&mut self, size: &Size) -> Rc<Node> {
        let viewer = &mut self.0;
        (viewer.begun, viewer.tried) = (work::so_far(), 0);
        let written = viewer.written(size);
        let node = viewer.node_of(&written);
        if !viewer.may_try() {
            // A part abandoned for lack of budget may be short when given more.
            *viewer = Viewer::new(viewer.style);
        }
        node
    }
}

/// `left <= right`, or its negation.
#[derive(Clone)]
struct Condition {
    left: Rc<Written>,
    right: Rc<Written>,
    negated: bool,
}

impl Condition {
    /// The cost without the branches.
    fn cost(&self) -> usize {
        2 + self.left.cost + self.right.cost
    }
}

struct Viewer {
    style: Style,
    memo: FxHashMap<Size, Rc<Written>>,
    /// Cached because every form of the surrounding expression needs them.
    atoms: FxHashMap<Atom, Rc<Reading>>,
    costs: FxHashMap<Atom, usize>,
    /// The pattern and its cost for each placeholder variable that [`patterns`] puts into polynomials.
    placeholders: FxHashMap<Var, Rc<(Pattern, usize)>>,
    /// The name of placeholders.
    mark: Arc<str>,
    /// Fuel used on this thread before the search began.
    begun: u64,
    /// Nodes written on trial.
    tried: u64,
}

impl Viewer {
    fn new(style: Style) -> Viewer {
        Viewer {
            style,
            memo: FxHashMap::default(),
            atoms: FxHashMap::default(),
            costs: FxHashMap::default(),
            placeholders: FxHashMap::default(),
            mark: Arc::from("#"),
            begun: work::so_far(),
            tried: 0,
        }
    }

    /// Whether budget remains for the search for shorter forms.
    fn may_try(&self) -> bool {
        work::so_far().saturating_sub(self.begun) + self.tried < MAX_WORK
    }

    fn written(&mut self, size: &Size) -> Rc<Written> {
        if let Some(written) = self.memo.get(size) {
            return written.clone();
        }
        let (plain, cost) = self.with_patterns(size);
        let cost = cost.unwrap_or_else(|| self.cost_of(&plain, usize::MAX));
        let written = Rc::new(Written { plain, cost, node: OnceCell::new() });
        self.memo.insert(size.clone(), written.clone());
        written
    }

    fn node_of(&mut self, written: &Written) -> Rc<Node> {
        if let Some(node) = written.node.get() {
            return node.clone();
        }
        let node = Rc::new(self.polynomial(&written.plain));
        written.node.get_or_init(|| node).clone()
    }

    fn node(&mut self, size: &Size) -> Node {
        let written = self.written(size);
        Node::clone(&self.node_of(&written))
    }

    fn boxed(&mut self, size: &Size) -> Box<Node> {
        Box::new(self.node(size))
    }

    fn placeholder(&mut self, pattern: Pattern, cost: usize) -> Size {
        let id = u32::try_from(self.placeholders.len()).unwrap_or(u32::MAX);
        let var = Var { kind: VarKind::Index, id, name: self.mark.clone() };
        self.placeholders.insert(var.clone(), Rc::new((pattern, cost)));
        Size::var(var)
    }

    fn atom(&mut self, atom: &Atom) -> Rc<Reading> {
        if let Some(reading) = self.atoms.get(atom) {
            return reading.clone();
        }
        let node = self.atom_node(atom);
        let reading = Rc::new(Reading { node, key: OnceCell::new() });
        self.atoms.insert(atom.clone(), reading.clone());
        reading
    }

    fn atom_node(&mut self, atom: &Atom) -> Node {
        match atom {
            Atom::Var(var) => match self.placeholders.get(var).cloned() {
                Some(known) => self.pattern(&known.0),
                None => Node::Var(var.clone()),
            },
            Atom::Floor(num, den) => {
                Node::FloorDiv { num: self.boxed(num), den: self.boxed(den), dividend: num.clone() }
            }
            Atom::Max(operands) => {
                let mut all: Vec<Node> = operands.iter().map(|operand| self.node(operand)).collect();
                all.push(Node::Int(0));
                Node::Max(all)
            }
            Atom::Step(condition) => {
                let condition = self.condition(condition);
                self.conditional(&condition, Node::Int(1), Node::Int(0))
            }
            Atom::Pow(base, exponent) => Node::Pow(self.boxed(base), self.boxed(exponent)),
            Atom::Sum { index, count, body } => self.sum(index, count, body),
            Atom::Group(inner) => self.node(inner),
            Atom::TooLarge(_) => Node::TooLarge,
        }
    }

    /// `condition >= 0`, without minus signs, in the shorter of both orientations.
    fn condition(&mut self, condition: &Size) -> Condition {
        let opposite = condition.neg().sub(&Size::one());
        let (more, less) = condition.by_sign();
        let plain = (self.written(&less), self.written(&more));
        let (more, less) = opposite.by_sign();
        let negated = (self.written(&less), self.written(&more));
        let cost = |(left, right): &(Rc<Written>, Rc<Written>)| left.cost + right.cost;
        if cost(&plain) <= cost(&negated) {
            Condition { left: plain.0, right: plain.1, negated: false }
        } else {
            Condition { left: negated.0, right: negated.1, negated: true }
        }
    }

    fn conditional(&mut self, condition: &Condition, then: Node, otherwise: Node) -> Node {
        let mut boxed = |side: &Written| Box::new(Node::clone(&self.node_of(side)));
        let (left, right) = (boxed(&condition.left), boxed(&condition.right));
        let (then, otherwise) = if condition.negated { (otherwise, then) } else { (then, otherwise) };
        Node::IfLe { left, right, then: Box::new(then), otherwise: Box::new(otherwise) }
    }

    /// A sum whose index is renamed to a name unused in it.
    fn sum(&mut self, index: &Var, count: &Size, body: &Size) -> Node {
        let taken: Vec<Var> = body.vars().into_iter().filter(|var| var != index).collect();
        let mut names = ["i", "j", "k"].map(String::from).into_iter().chain((1..).map(|n| format!("i{n}")));
        let name = names.find(|name| taken.iter().all(|var| *var.name != **name));
        let name = Arc::from(name.unwrap_or_default());
        let named = Var { kind: VarKind::Position, id: index.id, name };
        let body = body.subst_var(index, &Size::var(named.clone()));
        Node::Sum { index: named, count: self.boxed(count), body: self.boxed(&body) }
    }
}

impl Reading {
    fn key(&self) -> Rc<str> {
        self.key.get_or_init(|| reading_order(&self.node).into()).clone()
    }
}
