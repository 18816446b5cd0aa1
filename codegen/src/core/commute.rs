//! Which operators of folds do not depend on the order of their two arguments.

use super::{Atom, Block, Kernel, Lambda, Rhs, ScalarOp, VarId};
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

/// Maximum terms that a choice compares: their orders are tried, three for each term.
const MOST_TERMS: usize = 5;

impl Lambda {
    /// Whether the order of the two arguments does not matter: see [`Lambda::combines_components`], or a [`Choice`] that
    /// takes the same element in both orders.
    pub fn is_commutative(&self, kernel: &Kernel) -> bool {
        self.combines_components() || Choice::of(self).is_some_and(|choice| choice.is_total(kernel, self))
    }

    /// Whether the body is a commutative operator of the language applied to the two parameters, or a tuple of such
    /// operators, each applied to the same component of both.
    pub fn combines_components(&self) -> bool {
        use ScalarOp::*;
        let [a, b] = self.params.as_slice() else { return false };
        // For each parameter, the variables that are the parameter itself (`None`) or a component of it.
        let mut parts: [Vec<(VarId, Option<usize>)>; 2] = [vec![(*a, None)], vec![(*b, None)]];
        let mut symmetric: Vec<VarId> = Vec::new();
        let is_symmetric = |a: &Atom, known: &[VarId]| matches!(a, Atom::Var(v) if known.contains(v));
        for stmt in &self.body.stmts {
            match &stmt.rhs {
                Rhs::Proj(Atom::Var(of), k) => {
                    for of_one in parts.iter_mut().filter(|p| p[0].0 == *of) {
                        of_one.push((stmt.var, Some(*k)));
                    }
                }
                Rhs::Scalar(Add | Mul | Min | Max | And | Or | BitAnd | BitOr | BitXor, args) => {
                    let [Atom::Var(x), Atom::Var(y)] = args.as_slice() else { return false };
                    let part = |side: usize, v: &VarId| parts[side].iter().find(|(w, _)| w == v).map(|(_, k)| *k);
                    let same = |x, y| part(0, x).is_some_and(|k| part(1, y) == Some(k));
                    if same(x, y) || same(y, x) {
                        symmetric.push(stmt.var);
                    }
                }
                Rhs::Tuple(all) if all.iter().all(|a| is_symmetric(a, &symmetric)) => symmetric.push(stmt.var),
                _ => return false,
            }
        }
        is_symmetric(&self.body.result, &symmetric)
    }
}

/// An operator that returns one of its two arguments, unchanged: the second if a condition on comparisons holds, each
/// of which compares a term of one argument with the same term of the other.
#[derive(Debug)]
pub struct Choice {
    terms: Vec<Term>,
    /// Which terms are compared, by number.
    compared: Vec<usize>,
    second: Condition,
}

/// The argument chosen when both are equal in the compared terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ties {
    First,
    Second,
}

/// A value that depends on one argument only. Operands are indices of terms.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    Whole,
    Part(usize, usize),
    Applied(ScalarOp, Vec<Operand>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Operand {
    Term(usize),
    Shared(Atom),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Condition {
    Known(bool),
    /// The comparison of the first argument's term with the second's.
    Compares(ScalarOp, usize),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    If(Box<Condition>, Box<Condition>, Box<Condition>),
}

/// The value of a variable of the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// A term of the second argument if the condition holds, else the same term of the first.
    Of(Condition, usize),
    Condition(Condition),
}

impl Choice {
    pub fn of(f: &Lambda) -> Option<Choice> {
        let [a, b] = f.params.as_slice() else { return None };
        let mut reader = Reader { terms: vec![Term::Whole], compared: Vec::new(), values: FxHashMap::default() };
        reader.values.insert(*a, Value::Of(Condition::Known(false), 0));
        reader.values.insert(*b, Value::Of(Condition::Known(true), 0));
        let Value::Of(second, 0) = reader.block(&f.body)? else { return None };
        let Reader { terms, compared, .. } = reader;
        (compared.len() <= MOST_TERMS && !matches!(second, Condition::Known(_))).then_some(Choice {
            terms,
            compared,
            second,
        })
    }

    /// Whether the order of the arguments never matters: arguments that compare equal are equal. Comparing floats does
    /// not suffice, because 0 and −0 compare equal.
    fn is_total(&self, kernel: &Kernel, f: &Lambda) -> bool {
        let mut whole = true;
        let mut exact = false;
        self.scalars(kernel.ty(f.params[0]), 0, &mut |ty, term| {
            whole &= term.is_some_and(|t| self.compared.contains(&t));
            exact |= ty.as_scalar().is_some_and(|s| !s.is_floating());
        });
        whole && exact && self.orders().all(|signs| self.ties_of(&signs).is_none())
    }

    /// The choice in ties, if it is the same in all of them.
    pub fn ties(&self) -> Option<Ties> {
        let mut found = None;
        for signs in self.orders().chain([vec![Ordering::Equal; self.compared.len()]]) {
            match (found, self.ties_of(&signs)) {
                (Some(a), Some(b)) if a != b => return None,
                (None, Some(b)) => found = Some(b),
                _ => {}
            }
        }
        found
    }

    /// The components of the argument that the choice compares as they are: paths of projections.
    pub fn compares(&self, path: &[usize]) -> bool {
        let term = path.iter().try_fold(0, |of, k| self.terms.iter().position(|t| *t == Term::Part(of, *k)));
        term.is_some_and(|t| self.compared.contains(&t))
    }

    /// All orders of the compared terms but the one in which all are equal.
    fn orders(&self) -> impl Iterator<Item = Vec<Ordering>> {
        let count = self.compared.len();
        (0..3usize.pow(count as u32))
            .map(move |n| {
                (0..count)
                    .map(|k| match n / 3usize.pow(k as u32) % 3 {
                        0 => Ordering::Equal,
                        1 => Ordering::Less,
                        _ => Ordering::Greater,
                    })
                    .collect::<Vec<_>>()
            })
            .filter(|signs| signs.iter().any(|s| s.is_ne()))
    }

    /// The choice in a tie, if the two orders of the arguments give different results.
    fn ties_of(&self, signs: &[Ordering]) -> Option<Ties> {
        let swapped: Vec<Ordering> = signs.iter().map(|s| s.reverse()).collect();
        match (self.holds(&self.second, signs), self.holds(&self.second, &swapped)) {
            (false, false) => Some(Ties::First),
            (true, true) => Some(Ties::Second),
            _ => None,
        }
    }

    fn holds(&self, condition: &Condition, signs: &[Ordering]) -> bool {
        match condition {
            Condition::Known(known) => *known,
            Condition::Compares(op, term) => {
                let sign = self.compared.iter().position(|t| t == term).map_or(Ordering::Equal, |at| signs[at]);
                match op {
                    ScalarOp::Lt => sign.is_lt(),
                    ScalarOp::Le => sign.is_le(),
                    ScalarOp::Gt => sign.is_gt(),
                    ScalarOp::Ge => sign.is_ge(),
                    ScalarOp::Eq => sign.is_eq(),
                    _ => sign.is_ne(),
                }
            }
            Condition::Not(c) => !self.holds(c, signs),
            Condition::And(a, b) => self.holds(a, signs) && self.holds(b, signs),
            Condition::Or(a, b) => self.holds(a, signs) || self.holds(b, signs),
            Condition::If(c, a, b) => self.holds(if self.holds(c, signs) { a } else { b }, signs),
        }
    }

    /// The scalars of the argument with their terms, if the operator mentions them.
    fn scalars(&self, ty: &Ty, term: usize, each: &mut dyn FnMut(&Ty, Option<usize>)) {
        match ty.kind() {
            TyKind::Tuple(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    match self.terms.iter().position(|t| *t == Term::Part(term, k)) {
                        Some(inner) => self.scalars(part, inner, each),
                        None => each(part, None),
                    }
                }
            }
            _ => each(ty, Some(term)),
        }
    }
}

struct Reader {
    terms: Vec<Term>,
    compared: Vec<usize>,
    values: FxHashMap<VarId, Value>,
}

impl Reader {
    fn block(&mut self, block: &Block) -> Option<Value> {
        for stmt in &block.stmts {
            let value = self.rhs(&stmt.rhs)?;
            self.values.insert(stmt.var, value);
        }
        self.value(&block.result)
    }

    fn value(&self, atom: &Atom) -> Option<Value> {
        match atom {
            Atom::Var(v) => self.values.get(v).cloned(),
            Atom::Lit(lift_analysis::hir::Literal::Bool(known)) => Some(Value::Condition(Condition::Known(*known))),
            _ => None,
        }
    }

    fn term(&mut self, term: Term) -> usize {
        match self.terms.iter().position(|t| *t == term) {
            Some(at) => at,
            None => {
                self.terms.push(term);
                self.terms.len() - 1
            }
        }
    }

    fn rhs(&mut self, rhs: &Rhs) -> Option<Value> {
        match rhs {
            Rhs::Atom(a) => self.value(a),
            Rhs::Proj(of, k) => {
                let Value::Of(which, term) = self.value(of)? else { return None };
                Some(Value::Of(which, self.term(Term::Part(term, *k))))
            }
            Rhs::Tuple(parts) => {
                let mut whole = None;
                for (k, part) in parts.iter().enumerate() {
                    let Value::Of(which, term) = self.value(part)? else { return None };
                    let Term::Part(of, at) = self.terms[term] else { return None };
                    let this = Value::Of(which, of);
                    if at != k || whole.as_ref().is_some_and(|w| *w != this) {
                        return None;
                    }
                    whole = Some(this);
                }
                whole
            }
            Rhs::Scalar(op, args) => self.scalar(*op, args),
            Rhs::If(c, then, otherwise) => {
                let Value::Condition(c) = self.value(c)? else { return None };
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                match (then, otherwise) {
                    (Value::Of(a, s), Value::Of(b, t)) if s == t => Some(Value::Of(choose(c, a, b), s)),
                    (Value::Condition(a), Value::Condition(b)) => Some(Value::Condition(choose(c, a, b))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn scalar(&mut self, op: ScalarOp, args: &[Atom]) -> Option<Value> {
        let conditions: Option<Vec<Condition>> = args
            .iter()
            .map(|a| match self.value(a) {
                Some(Value::Condition(c)) => Some(c),
                _ => None,
            })
            .collect();
        if let Some(conditions) = conditions {
            let mut each = conditions.into_iter().map(Box::new);
            let made = match (op, each.next()?, each.next()) {
                (ScalarOp::Not, c, None) => Condition::Not(c),
                (ScalarOp::And, a, Some(b)) => Condition::And(a, b),
                (ScalarOp::Or, a, Some(b)) => Condition::Or(a, b),
                _ => return None,
            };
            return Some(Value::Condition(made));
        }
        let mut side = None;
        let mut both = false;
        let mut operands = Vec::new();
        for a in args {
            match self.value(a) {
                Some(Value::Of(Condition::Known(second), term)) => {
                    both |= side.is_some_and(|s| s != second);
                    side.get_or_insert(second);
                    operands.push(Operand::Term(term));
                }
                // A literal, a size, or a variable from outside.
                None => operands.push(Operand::Shared(a.clone())),
                Some(_) => return None,
            }
        }
        let side = side?;
        if !both {
            return Some(Value::Of(Condition::Known(side), self.term(Term::Applied(op, operands))));
        }
        let [Operand::Term(x), Operand::Term(y)] = operands.as_slice() else { return None };
        let op = match (op, side) {
            (ScalarOp::Eq | ScalarOp::Ne | ScalarOp::Lt | ScalarOp::Le | ScalarOp::Gt | ScalarOp::Ge, false) => op,
            (ScalarOp::Eq | ScalarOp::Ne, true) => op,
            (ScalarOp::Lt, true) => ScalarOp::Gt,
            (ScalarOp::Le, true) => ScalarOp::Ge,
            (ScalarOp::Gt, true) => ScalarOp::Lt,
            (ScalarOp::Ge, true) => ScalarOp::Le,
            _ => return None,
        };
        if x != y {
            return None;
        }
        if !self.compared.contains(x) {
            self.compared.push(*x);
        }
        Some(Value::Condition(Condition::Compares(op, *x)))
    }
}

fn choose(c: Condition, a: Condition, b: Condition) -> Condition {
    match (&a, &b) {
        _ if a == b => a,
        (Condition::Known(true), Condition::Known(false)) => c,
        _ => Condition::If(Box::new(c), Box::new(a), Box::new(b)),
    }
}
