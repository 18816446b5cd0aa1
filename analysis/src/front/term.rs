//! Terms: the output of a front end, before nodes get ids.

use crate::failure::Wording;
use crate::scalar::Scalar;
use crate::size::{Size, Var, VarKind};
use lift_syntax::TextRange;
use std::rc::Rc;
use std::sync::Arc;

/// A name that a term binds. The number identifies it; the text is for people.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bound {
    pub id: u32,
    pub name: Arc<str>,
}

impl Bound {
    /// The bound name as a length variable.
    pub fn as_size(&self) -> Size {
        Size::var(Var::new(VarKind::Skolem, self.id, self.name.clone()))
    }
}

/// A node of a program, cheap to clone. A term used twice is emitted twice.
#[derive(Debug, Clone)]
pub struct Term(pub Rc<Node>);

#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    /// The source range, relative to the form.
    pub range: TextRange,
    /// How a failure of it is worded; `None`: in Lift's terms.
    pub wording: Option<Arc<Wording>>,
    /// The number of nodes in the term, itself included.
    pub weight: usize,
    /// The depth of the term in nodes.
    pub depth: usize,
}

#[derive(Debug)]
pub enum Kind {
    Local(Bound),
    /// A primitive, or a definition of the prelude.
    Global(&'static str),
    Int(i32),
    Double(f64),
    Bool(bool),
    /// A length as a value.
    Size(Size),
    Lambda(Vec<Bound>, Term),
    Apply(Term, Vec<Term>),
    Let(Bound, Term, Term),
    Unpack(Bound, Bound, Term, Term),
    If(Term, Term, Term),
    Tuple(Vec<Term>),
    /// A value with its type: an array of scalars of this shape.
    Ascribe(Term, Scalar, Vec<Size>),
    /// A value with one hidden length: its type, in which the name is that length.
    Hide(Bound, Term, Scalar, Vec<Size>),
}

impl Term {
    pub fn new(kind: Kind, range: TextRange) -> Term {
        let (mut weight, mut depth) = (0usize, 0usize);
        let mut part = |term: &Term| {
            weight = weight.saturating_add(term.weight());
            depth = depth.max(term.depth());
        };
        match &kind {
            Kind::Lambda(_, body) => part(body),
            Kind::Apply(callee, args) => {
                part(callee);
                args.iter().for_each(part);
            }
            Kind::Let(_, value, body) | Kind::Unpack(_, _, value, body) => {
                part(value);
                part(body);
            }
            Kind::If(condition, then, otherwise) => [condition, then, otherwise].into_iter().for_each(part),
            Kind::Tuple(parts) => parts.iter().for_each(part),
            Kind::Ascribe(value, ..) | Kind::Hide(_, value, ..) => part(value),
            Kind::Local(_) | Kind::Global(_) | Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Size(_) => {}
        }
        Term(Rc::new(Node { kind, range, wording: None, weight: weight.saturating_add(1), depth: depth + 1 }))
    }

    /// The term, newly made, with a wording of its failures.
    pub fn worded(mut self, wording: Option<Arc<Wording>>) -> Term {
        if let Some(node) = Rc::get_mut(&mut self.0) {
            node.wording = wording;
        }
        self
    }

    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub fn range(&self) -> TextRange {
        self.0.range
    }

    pub fn weight(&self) -> usize {
        self.0.weight
    }

    pub fn depth(&self) -> usize {
        self.0.depth
    }

    /// Whether both are one name.
    pub fn is_name_of(&self, other: &Term) -> bool {
        matches!((self.kind(), other.kind()), (Kind::Local(a), Kind::Local(b)) if a.id == b.id)
    }

    /// Whether emitting it twice is free.
    pub fn is_atom(&self) -> bool {
        matches!(self.kind(), Kind::Local(_) | Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Size(_))
    }
}

/// The bindings of one level of a program, in order: a body under construction.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    bound: Vec<Binding>,
}

#[derive(Debug, Clone)]
enum Binding {
    Let(Bound, Term),
    Unpack(Bound, Bound, Term),
}

impl Scope {
    pub fn bind(&mut self, name: Bound, value: Term) {
        self.bound.push(Binding::Let(name, value));
    }

    /// Opens a value of hidden length.
    pub fn unpack(&mut self, length: Bound, name: Bound, value: Term) {
        self.bound.push(Binding::Unpack(length, name, value));
    }

    /// The name that was bound last.
    pub fn last(&self) -> Option<Bound> {
        self.bound.last().map(|binding| match binding {
            Binding::Let(name, _) | Binding::Unpack(_, name, _) => name.clone(),
        })
    }

    /// The value of a name that a `let` binds.
    pub fn value(&self, of: &Bound) -> Option<&Term> {
        self.bound.iter().find_map(|binding| match binding {
            Binding::Let(name, value) if name.id == of.id => Some(value),
            Binding::Let(..) | Binding::Unpack(..) => None,
        })
    }

    /// A name whose value passes a test.
    pub fn name_of(&self, test: impl Fn(&Term) -> bool) -> Option<Bound> {
        self.bound.iter().find_map(|binding| match binding {
            Binding::Let(name, value) if test(value) => Some(name.clone()),
            Binding::Let(..) | Binding::Unpack(..) => None,
        })
    }

    /// The number of bound names.
    pub fn len(&self) -> usize {
        self.bound.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Wraps all bindings around the body.
    pub fn close(self, body: Term) -> Term {
        self.bound.into_iter().rev().fold(body, |body, binding| {
            let range = body.range();
            Term::new(
                match binding {
                    Binding::Let(name, value) => Kind::Let(name, value, body),
                    Binding::Unpack(length, name, value) => Kind::Unpack(length, name, value, body),
                },
                range,
            )
        })
    }
}
