//! Expressions as terms with names, for matching and rewriting.

use crate::node::Name;
use crate::prims::{self, PrimitiveId};
use lift_syntax::ast::{self, AstNode, SizeOperator};
use lift_syntax::{SyntaxKind, SyntaxNode, TextRange};
use std::collections::BTreeSet;

/// An expression. A term of a program has its range, so that unchanged parts keep their text.
#[derive(Debug, Clone)]
pub struct Term {
    pub kind: Kind,
    /// The range in the text of its form; `None` for a term that was built.
    pub range: Option<TextRange>,
}

#[derive(Debug, Clone)]
pub enum Kind {
    Name {
        name: Name,
        /// Whether the name is bound in the form.
        local: bool,
    },
    Literal(String),
    Size(SizeTerm),
    Lambda(Vec<Binding>, Box<Term>),
    /// A call; its function is not a call, and there is at least one argument.
    Apply(Box<Term>, Vec<Term>),
    Let(Binding, Box<Term>, Box<Term>),
    If(Box<[Term; 3]>),
    Tuple(Vec<Term>),
    /// A composition that is a function.
    Compose(Vec<Term>),
    /// An expression with settings, a type or a `pack` around it. Patterns look into it, but none matches the whole.
    Around(Wrapping, Box<Term>),
    /// An expression that no pattern looks into: its text, and the names in it.
    Opaque(String, BTreeSet<Name>),
}

/// The context of a term: the text before and after it, and the names in that text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrapping {
    before: String,
    after: String,
    pub names: BTreeSet<Name>,
}

/// The pattern of a lambda or a `let`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    Name(Name),
    /// A tuple, or a name with a type: its text and its names.
    Other {
        text: String,
        names: Vec<Name>,
        typed: bool,
    },
}

/// A size after `#`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SizeTerm {
    Nat(u64),
    Name(Name),
    Op(Operation, Vec<SizeTerm>),
    /// `(length xs)`
    Length(Name),
    /// `(sum (i n) …)`: its text and the names in it.
    Opaque(String, BTreeSet<Name>),
}

/// An operation on sizes, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub operator: SizeOperator,
    word: String,
}

impl Binding {
    pub fn names(&self) -> &[Name] {
        match self {
            Binding::Name(name) => std::slice::from_ref(name),
            Binding::Other { names, .. } => names,
        }
    }
}

impl Term {
    pub fn new(kind: Kind) -> Term {
        Term { kind, range: None }
    }
    pub fn name(name: &str, local: bool) -> Term {
        Term::new(Kind::Name { name: name.into(), local })
    }

    /// A call; a call of a call is one call, and a composition is applied.
    pub fn call(function: Term, mut args: Vec<Term>) -> Term {
        if args.is_empty() {
            return function;
        }
        match function.kind {
            Kind::Apply(inner, first) => Term::new(Kind::Apply(inner, first.into_iter().chain(args).collect())),
            Kind::Compose(parts) => {
                let rest = args.split_off(1);
                let value = parts.into_iter().rev().fold(args.remove(0), |value, part| Term::call(part, vec![value]));
                Term::call(value, rest)
            }
            _ => Term::new(Kind::Apply(Box::new(function), args)),
        }
    }

    /// Names, literals and sizes.
    pub fn is_atom(&self) -> bool {
        matches!(self.kind, Kind::Name { .. } | Kind::Literal(_) | Kind::Size(_))
    }

    /// Whether the term is a value as it is written: computing it does no work and cannot fail. A call of a primitive that
    /// awaits more arguments is a function.
    pub fn is_value(&self) -> bool {
        match &self.kind {
            Kind::Lambda(..) => true,
            Kind::Tuple(parts) | Kind::Compose(parts) => parts.iter().all(Term::is_value),
            Kind::Apply(function, args) => {
                let Kind::Name { name, local: false } = &function.kind else { return false };
                let awaits_more = |primitive: &prims::Primitive| primitive.awaits_more(args.len());
                prims::lookup(name).is_some_and(awaits_more) && args.iter().all(Term::is_value)
            }
            _ => self.is_atom(),
        }
    }

    /// Whether the term is a function that may skip operands after the first: `and` and `or`.
    pub fn skips_operands(&self) -> bool {
        let Kind::Name { name, .. } = &self.kind else { return false };
        prims::lookup(name).is_some_and(|p| matches!(p.id, PrimitiveId::And | PrimitiveId::Or))
    }

    /// The size that the term is as an argument of a primitive: `4`, `N` or `#(+ N 1)`.
    pub fn as_size(&self) -> Option<SizeTerm> {
        match &self.kind {
            Kind::Size(size) => Some(size.clone()),
            Kind::Literal(text) => text.parse().ok().map(SizeTerm::Nat),
            Kind::Name { name, .. } => Some(SizeTerm::Name(name.clone())),
            _ => None,
        }
    }

    /// The direct parts, in order.
    pub fn parts(&self) -> Vec<&Term> {
        match &self.kind {
            Kind::Name { .. } | Kind::Literal(_) | Kind::Size(_) | Kind::Opaque(..) => Vec::new(),
            Kind::Lambda(_, body) | Kind::Around(_, body) => vec![body],
            Kind::Apply(function, args) => std::iter::once(&**function).chain(args).collect(),
            Kind::Let(_, value, body) => vec![value, body],
            Kind::If(parts) => parts.iter().collect(),
            Kind::Tuple(parts) | Kind::Compose(parts) => parts.iter().collect(),
        }
    }

    /// The direct parts, in the order of [`Term::parts`].
    pub fn parts_mut(&mut self) -> Vec<&mut Term> {
        match &mut self.kind {
            Kind::Name { .. } | Kind::Literal(_) | Kind::Size(_) | Kind::Opaque(..) => Vec::new(),
            Kind::Lambda(_, body) | Kind::Around(_, body) => vec![body],
            Kind::Apply(function, args) => std::iter::once(&mut **function).chain(args).collect(),
            Kind::Let(_, value, body) => vec![value, body],
            Kind::If(parts) => parts.iter_mut().collect(),
            Kind::Tuple(parts) | Kind::Compose(parts) => parts.iter_mut().collect(),
        }
    }

    /// The names that occur free. Those of opaque parts are too many rather than too few.
    pub fn free(&self) -> BTreeSet<Name> {
        let mut found = BTreeSet::new();
        self.find_free(&mut Vec::new(), &mut found);
        found
    }

    /// Adds the names that occur free and are not bound around the term. One small frame for each level: terms are as
    /// deep as brackets can be.
    fn find_free<'a>(&'a self, around: &mut Vec<&'a Name>, found: &mut BTreeSet<Name>) {
        let outside = around.len();
        match &self.kind {
            Kind::Literal(_) => {}
            Kind::Name { name, .. } => add_unbound([name], around, found),
            Kind::Size(size) => {
                let mut names = BTreeSet::new();
                size.names(&mut names);
                add_unbound(&names, around, found);
            }
            Kind::Opaque(_, names) => add_unbound(names, around, found),
            Kind::Around(wrapping, body) => {
                add_unbound(&wrapping.names, around, found);
                body.find_free(around, found);
            }
            Kind::Lambda(params, body) => {
                around.extend(params.iter().flat_map(Binding::names));
                body.find_free(around, found);
            }
            Kind::Let(binding, value, body) => {
                value.find_free(around, found);
                around.extend(binding.names());
                body.find_free(around, found);
            }
            Kind::Apply(..) | Kind::If(_) | Kind::Tuple(_) | Kind::Compose(_) => {
                for part in self.parts() {
                    part.find_free(around, found);
                }
            }
        }
        around.truncate(outside);
    }

    /// Every name that is bound inside.
    pub fn bound(&self) -> BTreeSet<Name> {
        let mut found = BTreeSet::new();
        self.find_bound(&mut found);
        found
    }

    fn find_bound(&self, found: &mut BTreeSet<Name>) {
        match &self.kind {
            Kind::Lambda(params, _) => found.extend(params.iter().flat_map(Binding::names).cloned()),
            Kind::Let(binding, ..) => found.extend(binding.names().iter().cloned()),
            // Its names may be bound inside.
            Kind::Opaque(_, names) => found.extend(names.iter().cloned()),
            _ => {}
        }
        for part in self.parts() {
            part.find_bound(found);
        }
    }

    /// The names that the term uses from outside of its form, in order.
    pub fn globals(&self, found: &mut Vec<Name>) {
        if let Kind::Name { name, local: false } = &self.kind
            && !found.contains(name)
        {
            found.push(name.clone());
        }
        for part in self.parts() {
            part.globals(found);
        }
    }

    /// Removes the ranges, because the term moves to another text.
    pub fn detached(mut self) -> Term {
        self.range = None;
        for part in self.parts_mut() {
            *part = std::mem::replace(part, Term::name("", true)).detached();
        }
        self
    }

    /// Writes the term; parts with a range are copied from `text`.
    pub fn print(&self, text: &str) -> String {
        if let Some(kept) = self.range.and_then(|range| text.get(std::ops::Range::<usize>::from(range))) {
            return kept.to_owned();
        }
        let all = |parts: &[Term]| parts.iter().map(|part| part.print(text)).collect::<Vec<_>>().join(" ");
        match &self.kind {
            Kind::Name { name, .. } => name.to_string(),
            Kind::Literal(literal) => literal.clone(),
            Kind::Size(size) => match size.folded() {
                SizeTerm::Nat(n) => n.to_string(),
                size => format!("#{}", size.print()),
            },
            Kind::Lambda(params, body) => {
                let params: Vec<&str> = params.iter().map(Binding::text).collect();
                format!("(lambda ({}) {})", params.join(" "), body.print(text))
            }
            Kind::Apply(function, args) => format!("({} {})", function.print(text), all(args)),
            Kind::Let(binding, value, body) => {
                format!("(let {} {} {})", binding.text(), value.print(text), body.print(text))
            }
            Kind::If(parts) => format!("(if {})", all(&**parts)),
            Kind::Tuple(parts) => format!("(tuple {})", all(parts)),
            Kind::Compose(parts) => format!("(o {})", all(parts)),
            Kind::Around(wrapping, body) => format!("{}{}{}", wrapping.before, body.print(text), wrapping.after),
            Kind::Opaque(text, _) => text.clone(),
        }
    }
}

fn add_unbound<'a>(names: impl IntoIterator<Item = &'a Name>, around: &[&Name], found: &mut BTreeSet<Name>) {
    found.extend(names.into_iter().filter(|name| !around.contains(name)).cloned());
}

impl Binding {
    pub fn text(&self) -> &str {
        match self {
            Binding::Name(name) => name,
            Binding::Other { text, .. } => text,
        }
    }
}

impl SizeTerm {
    pub fn names(&self, found: &mut BTreeSet<Name>) {
        match self {
            SizeTerm::Nat(_) => {}
            SizeTerm::Name(name) | SizeTerm::Length(name) => found.extend([name.clone()]),
            SizeTerm::Op(_, parts) => parts.iter().for_each(|part| part.names(found)),
            SizeTerm::Opaque(_, names) => found.extend(names.iter().cloned()),
        }
    }

    pub fn print(&self) -> String {
        match self {
            SizeTerm::Nat(n) => n.to_string(),
            SizeTerm::Name(name) => name.to_string(),
            SizeTerm::Op(op, parts) => {
                let parts: Vec<String> = parts.iter().map(SizeTerm::print).collect();
                format!("({} {})", op.word, parts.join(" "))
            }
            SizeTerm::Length(name) => format!("(length {name})"),
            SizeTerm::Opaque(text, _) => text.clone(),
        }
    }

    /// Whether the size depends on a value of this name, not on a size.
    pub fn measures(&self, name: &Name) -> bool {
        match self {
            SizeTerm::Nat(_) | SizeTerm::Name(_) => false,
            SizeTerm::Op(_, parts) => parts.iter().any(|part| part.measures(name)),
            SizeTerm::Length(array) => array == name,
            SizeTerm::Opaque(_, names) => names.contains(name),
        }
    }

    /// Folds operations on constants.
    pub fn folded(&self) -> SizeTerm {
        let SizeTerm::Op(op, parts) = self else { return self.clone() };
        let parts: Vec<SizeTerm> = parts.iter().map(SizeTerm::folded).collect();
        let numbers: Option<Vec<u64>> =
            parts.iter().map(|part| if let SizeTerm::Nat(n) = part { Some(*n) } else { None }).collect();
        let folded = numbers.and_then(|numbers| {
            let (first, rest) = numbers.split_first()?;
            rest.iter().try_fold(*first, |a, b| match op.operator {
                SizeOperator::Add => a.checked_add(*b),
                SizeOperator::Sub => a.checked_sub(*b),
                SizeOperator::Mul => a.checked_mul(*b),
                SizeOperator::Div if *b > 0 && a % b == 0 => Some(a / b),
                SizeOperator::Min => Some(a.min(*b)),
                SizeOperator::Max => Some(a.max(*b)),
                _ => None,
            })
        });
        folded.map_or(SizeTerm::Op(op.clone(), parts), SizeTerm::Nat)
    }
}

/// Levels of a term at most. Walks over terms are recursive; brackets alone nest less, but a composition that is applied
/// is a call in a call for each of its functions.
const MOST_LEVELS: usize = 512;

/// Reads the terms of a form.
pub struct Reader<'a> {
    /// The names in scope, innermost last.
    scope: Vec<Name>,
    /// Whether the composition at a range is a value, with its last part as the argument.
    is_pipeline: &'a dyn Fn(TextRange) -> bool,
    /// The depth of the current term: at most [`MOST_LEVELS`].
    levels: usize,
}

impl<'a> Reader<'a> {
    pub fn new(scope: Vec<Name>, is_pipeline: &'a dyn Fn(TextRange) -> bool) -> Reader<'a> {
        Reader { scope, is_pipeline, levels: 0 }
    }

    /// `None` if a part is missing or wrong, or if the term would have too many levels.
    pub fn expr(&mut self, expr: &ast::Expr) -> Option<Term> {
        let around = self.levels;
        self.levels += match expr {
            ast::Expr::Compose(composition) => composition.functions().count(),
            _ => 1,
        };
        let term = if self.levels <= MOST_LEVELS { self.expr_inside(expr) } else { None };
        self.levels = around;
        term
    }

    fn expr_inside(&mut self, expr: &ast::Expr) -> Option<Term> {
        let node = expr.syntax();
        let kind = match expr {
            ast::Expr::NameRef(name) => {
                let name: Name = name.text()?.into();
                let local = self.scope.contains(&name);
                Kind::Name { name, local }
            }
            ast::Expr::Literal(literal) => Kind::Literal(literal.token()?.text().to_owned()),
            ast::Expr::SizeLit(size) => Kind::Size(size_term(&size.size()?)?),
            ast::Expr::Lambda(lambda) => {
                let params: Option<Vec<Binding>> =
                    lambda.param_list()?.params().map(|param| param_of(&param)).collect();
                let params = params?;
                let names: Vec<Name> = params.iter().flat_map(Binding::names).cloned().collect();
                Kind::Lambda(params, Box::new(self.under(&names, &lambda.body()?)?))
            }
            ast::Expr::App(app) => {
                let function = self.expr(&app.function()?)?;
                let args: Option<Vec<Term>> = app.args().map(|arg| self.expr(&arg)).collect();
                Term::call(function, args?).kind
            }
            ast::Expr::Let(binding) => {
                let value = self.expr(&binding.value()?)?;
                let bound = match binding.pattern() {
                    Some(pattern) => tuple_of(&pattern)?,
                    None => Binding::Name(binding.name()?.text()?.into()),
                };
                let names = bound.names().to_vec();
                Kind::Let(bound, Box::new(value), Box::new(self.under(&names, &binding.body()?)?))
            }
            ast::Expr::If(branches) => {
                let parts = [branches.condition()?, branches.then_branch()?, branches.else_branch()?];
                let [condition, then, otherwise] = parts.map(|part| self.expr(&part));
                Kind::If(Box::new([condition?, then?, otherwise?]))
            }
            ast::Expr::Tuple(tuple) => {
                let parts: Option<Vec<Term>> = tuple.components().map(|part| self.expr(&part)).collect();
                Kind::Tuple(parts?)
            }
            ast::Expr::Compose(composition) => {
                let parts: Option<Vec<Term>> = composition.functions().map(|part| self.expr(&part)).collect();
                let mut parts = parts?;
                if (self.is_pipeline)(node.text_range()) {
                    let value = parts.pop()?;
                    Term::call(Term::new(Kind::Compose(parts)), vec![value]).kind
                } else {
                    Kind::Compose(parts)
                }
            }
            ast::Expr::Ascribe(ascription) => self.around(node, &ascription.expr()?)?,
            ast::Expr::Pack(pack) => self.around(node, &pack.expr()?)?,
            ast::Expr::With(with) => self.around(node, &with.expr()?)?,
            ast::Expr::Unpack(_) => Kind::Opaque(node.text().to_string(), identifiers(node)),
            ast::Expr::Error(_) => return None,
        };
        Some(Term { kind, range: Some(node.text_range()) })
    }

    /// An expression with text around its only part.
    fn around(&mut self, node: &SyntaxNode, inner: &ast::Expr) -> Option<Kind> {
        let (text, start) = (node.text().to_string(), node.text_range().start());
        let range = inner.syntax().text_range() - start;
        let parts = (text.get(..range.start().into())?.to_owned(), text.get(range.end().into()..)?.to_owned());
        let mut names = BTreeSet::new();
        for token in node.descendants_with_tokens().filter_map(|part| part.into_token()) {
            if token.kind() == SyntaxKind::IDENT && !inner.syntax().text_range().contains_range(token.text_range()) {
                names.insert(token.text().into());
            }
        }
        Some(Kind::Around(Wrapping { before: parts.0, after: parts.1, names }, Box::new(self.expr(inner)?)))
    }

    fn under(&mut self, names: &[Name], body: &ast::Expr) -> Option<Term> {
        let before = self.scope.len();
        self.scope.extend_from_slice(names);
        let body = self.expr(body);
        self.scope.truncate(before);
        body
    }
}

/// Reads one expression; every name in `scope` is local.
pub fn parse(text: &str, scope: &[Name]) -> Option<Term> {
    let form = lift_syntax::parse_form(&format!("(define it {text})"));
    let ast::Item::Define(define) = form.form().filter(|_| form.errors.is_empty())?.item()? else { return None };
    Some(Reader::new(scope.to_vec(), &|_| false).expr(&define.body()?)?.detached())
}

/// The pattern of a parameter.
pub fn param_of(param: &ast::Param) -> Option<Binding> {
    match param.pattern() {
        Some(pattern) => tuple_of(&pattern),
        None => {
            let name: Name = param.name()?.text()?.into();
            Some(match param.ty() {
                None => Binding::Name(name),
                Some(_) => Binding::Other { text: param.syntax().text().to_string(), names: vec![name], typed: true },
            })
        }
    }
}

fn tuple_of(pattern: &ast::TuplePattern) -> Option<Binding> {
    fn names(pattern: &ast::TuplePattern, found: &mut Vec<Name>) -> Option<()> {
        for part in pattern.components() {
            match part {
                ast::Pattern::Name(name) => found.push(name.text()?.into()),
                ast::Pattern::Tuple(inner) => names(&inner, found)?,
            }
        }
        Some(())
    }
    let mut found = Vec::new();
    names(pattern, &mut found)?;
    Some(Binding::Other { text: pattern.syntax().text().to_string(), names: found, typed: false })
}

fn size_term(size: &ast::Size) -> Option<SizeTerm> {
    Some(match size {
        ast::Size::Nat(nat) => SizeTerm::Nat(nat.value()?),
        ast::Size::Name(name) => SizeTerm::Name(name.text()?.into()),
        ast::Size::Op(op) => match op.operator()? {
            SizeOperator::Length => SizeTerm::Length(op.array()?.text()?.into()),
            SizeOperator::Sum => SizeTerm::Opaque(op.syntax().text().to_string(), identifiers(op.syntax())),
            operator => {
                let parts: Option<Vec<SizeTerm>> = op.operands().map(|part| size_term(&part)).collect();
                SizeTerm::Op(Operation { operator, word: op.operator_token()?.text().to_owned() }, parts?)
            }
        },
        ast::Size::Error(_) => return None,
    })
}

fn identifiers(node: &SyntaxNode) -> BTreeSet<Name> {
    let tokens = node.descendants_with_tokens().filter_map(|part| part.into_token());
    tokens.filter(|token| token.kind() == SyntaxKind::IDENT).map(|token| token.text().into()).collect()
}
