//! An FCL program as plain data, read from its tree. Parts missing in the tree are [`ExprKind::Missing`].

use super::kind::FclKind;
use super::{FclNode, FclToken};
use crate::TextRange;
use std::rc::Rc;

/// A name and its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub text: Rc<str>,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LevelKind {
    Zero,
    Step(Box<LevelRef>),
    Name(Rc<str>),
}

/// A level as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelRef {
    pub kind: LevelKind,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeKind {
    /// A built-in type, such as `int` or `string`.
    Name(Rc<str>),
    /// `'a`, with its quote.
    Variable(Rc<str>),
    Arrow(Box<TypeRef>, Box<TypeRef>),
    Pair(Box<TypeRef>, Box<TypeRef>),
    Pull(Box<TypeRef>),
    Push(LevelRef, Box<TypeRef>),
    Program(LevelRef, Box<TypeRef>),
    Missing,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeRef {
    pub kind: TypeKind,
    pub range: TextRange,
}

/// `forall <l> 'a. type`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeRef {
    pub levels: Vec<Named>,
    pub types: Vec<Named>,
    pub ty: TypeRef,
}

/// An expression, cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr(pub Rc<ExprData>);

#[derive(Debug, PartialEq)]
pub struct ExprData {
    pub kind: ExprKind,
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    Int(i64),
    Double(f64),
    Bool(bool),
    String(Rc<str>),
    Unit,
    /// A name with its explicit levels.
    Name(Named, Vec<LevelRef>),
    Apply(Expr, Expr),
    /// An operator other than `|>`, with its range.
    Binary(Named, Expr, Expr),
    /// `value |> function`, with the range of the operator.
    Pipe(TextRange, Expr, Expr),
    Pair(Expr, Expr),
    If(Expr, Expr, Expr),
    Let(Rc<Definition>, Expr),
    Function(Named, Expr),
    Do(LevelRef, Vec<Statement>),
    Missing,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    pub name: Option<Named>,
    pub value: Expr,
}

/// A definition by `fun`, `val` or `let`.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    pub name: Named,
    pub levels: Vec<Named>,
    pub scheme: Option<SchemeRef>,
    /// The parameters' names; `body` already contains a function for each.
    pub params: Vec<Named>,
    pub body: Expr,
    pub range: TextRange,
}

/// A `sig` whose name differs from the definition that follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StraySignature {
    pub name: Named,
    pub scheme: SchemeRef,
    pub next: Option<Named>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Program {
    pub definitions: Vec<Rc<Definition>>,
    pub strays: Vec<StraySignature>,
}

impl Expr {
    pub fn kind(&self) -> &ExprKind {
        &self.0.kind
    }

    pub fn range(&self) -> TextRange {
        self.0.range
    }

    fn new(kind: ExprKind, range: TextRange) -> Expr {
        Expr(Rc::new(ExprData { kind, range }))
    }
}

/// Returns the function that an operator abbreviates.
pub fn function_of(operator: &str) -> &'static str {
    match operator {
        "+" => "addi",
        "-" => "subi",
        "*" => "muli",
        "/" => "divi",
        "%" => "modi",
        "==" => "eqi",
        "!=" => "neqi",
        "<<" => "sll",
        ">>" => "srl",
        _ => "andi",
    }
}

/// Reads the program from a tree.
pub fn program(file: &FclNode) -> Program {
    let mut program = Program::default();
    let mut signature: Option<(Named, SchemeRef)> = None;
    for node in file.children() {
        match node.kind() {
            FclKind::Signature => {
                stray(&mut program, signature.take(), None);
                signature = name(&node).zip(node.children().find_map(|node| scheme(&node)));
            }
            FclKind::Definition => {
                let Some(own) = name(&node) else { continue };
                let fits = signature.as_ref().is_some_and(|(name, _)| name.text == own.text);
                let given = if fits { signature.take().map(|(_, scheme)| scheme) } else { None };
                stray(&mut program, signature.take(), Some(&own));
                program.definitions.push(Rc::new(definition(&node, own, given)));
            }
            _ => {}
        }
    }
    stray(&mut program, signature, None);
    program
}

fn stray(program: &mut Program, signature: Option<(Named, SchemeRef)>, next: Option<&Named>) {
    if let Some((name, scheme)) = signature {
        program.strays.push(StraySignature { name, scheme, next: next.cloned() });
    }
}

fn tokens(node: &FclNode) -> impl Iterator<Item = FclToken> {
    node.children_with_tokens().filter_map(|part| part.into_token()).filter(|token| !token.kind().is_trivia())
}

fn named(token: &FclToken) -> Named {
    Named { text: token.text().into(), range: token.text_range() }
}

fn names(node: &FclNode, kind: FclKind) -> Vec<Named> {
    tokens(node).filter(|token| token.kind() == kind).map(|token| named(&token)).collect()
}

fn name(node: &FclNode) -> Option<Named> {
    names(node, FclKind::Name).into_iter().next()
}

fn level_names(node: &FclNode) -> Vec<Named> {
    let all = node.children().filter(|node| node.kind() == FclKind::LevelNames);
    all.flat_map(|node| names(&node, FclKind::Name)).collect()
}

/// Reads a definition from a node of `fun`, `val` or `let`; the second expression of a `let` is not part of it.
fn definition(node: &FclNode, own: Named, given: Option<SchemeRef>) -> Definition {
    let params: Vec<Named> = match node.kind() {
        FclKind::Definition => names(node, FclKind::Name).into_iter().skip(1).collect(),
        _ => Vec::new(),
    };
    let scheme = given.or_else(|| node.children().find_map(|node| scheme(&node)));
    let body = expressions(node).into_iter().next().unwrap_or_else(|| missing(node));
    let range = node.text_range();
    let body = params.iter().rev().fold(body, |body, param| {
        let range = param.range.cover(body.range());
        Expr::new(ExprKind::Function(param.clone(), body), range)
    });
    Definition { name: own, levels: level_names(node), scheme, params, body, range }
}

fn scheme(node: &FclNode) -> Option<SchemeRef> {
    if node.kind() != FclKind::Scheme {
        return None;
    }
    let ty = node.children().find_map(|node| ty(&node)).unwrap_or_else(|| no_type(node));
    Some(SchemeRef { levels: level_names(node), types: names(node, FclKind::TypeName), ty })
}

fn no_type(node: &FclNode) -> TypeRef {
    TypeRef { kind: TypeKind::Missing, range: TextRange::empty(node.text_range().end()) }
}

fn ty(node: &FclNode) -> Option<TypeRef> {
    let mut parts = node.children().filter_map(|node| ty(&node));
    let mut part = || Box::new(parts.next().unwrap_or_else(|| no_type(node)));
    let level = node.children().find(|node| node.kind() == FclKind::Levels).and_then(|levels| given(&levels).pop());
    let kind = match node.kind() {
        FclKind::ArrowType => TypeKind::Arrow(part(), part()),
        FclKind::TupleType => {
            let first = part();
            match parts.next() {
                Some(second) => TypeKind::Pair(first, Box::new(second)),
                None => first.kind,
            }
        }
        FclKind::ArrayType => match level {
            Some(level) => TypeKind::Push(level, part()),
            None => TypeKind::Pull(part()),
        },
        FclKind::ProgramType => match level {
            Some(level) => TypeKind::Program(level, part()),
            None => TypeKind::Missing,
        },
        FclKind::NamedType => {
            let token = tokens(node).next()?;
            match token.kind() {
                FclKind::TypeName => TypeKind::Variable(token.text().into()),
                _ => TypeKind::Name(token.text().into()),
            }
        }
        _ => return None,
    };
    Some(TypeRef { kind, range: node.text_range() })
}

/// Returns the levels of `<…>`.
fn given(node: &FclNode) -> Vec<LevelRef> {
    node.children().filter(|node| node.kind() == FclKind::Level).filter_map(|node| level(&node)).collect()
}

fn level(node: &FclNode) -> Option<LevelRef> {
    let own = tokens(node).find(|token| token.kind() == FclKind::Name)?;
    let steps = tokens(node).filter(|token| token.kind() == FclKind::Int).count();
    let range = node.text_range();
    let step = |inner: LevelRef| LevelRef { kind: LevelKind::Step(Box::new(inner)), range };
    let zero = || LevelRef { kind: LevelKind::Zero, range };
    let base = match own.text() {
        "Z" | "thread" => zero(),
        "block" => step(zero()),
        "grid" => step(step(zero())),
        other => LevelRef { kind: LevelKind::Name(other.into()), range },
    };
    Some((0..steps).fold(base, |inner, _| step(inner)))
}

fn missing(node: &FclNode) -> Expr {
    Expr::new(ExprKind::Missing, TextRange::empty(node.text_range().end()))
}

fn expressions(node: &FclNode) -> Vec<Expr> {
    node.children().filter_map(|node| expression(&node)).collect()
}

fn expression(node: &FclNode) -> Option<Expr> {
    let range = node.text_range();
    let parts = || expressions(node).into_iter();
    let or_missing = |part: Option<Expr>| part.unwrap_or_else(|| missing(node));
    let kind = match node.kind() {
        FclKind::Literal => literal(&tokens(node).next()?),
        FclKind::NameUse => {
            let levels = node.children().find(|node| node.kind() == FclKind::Levels);
            ExprKind::Name(name(node)?, levels.map_or(Vec::new(), |levels| given(&levels)))
        }
        FclKind::Apply => {
            let mut parts = parts();
            ExprKind::Apply(or_missing(parts.next()), or_missing(parts.next()))
        }
        FclKind::Binary => {
            let mut parts = parts();
            let (left, right) = (or_missing(parts.next()), or_missing(parts.next()));
            let operator = tokens(node).find(|token| token.kind() == FclKind::Operator)?;
            match operator.text() {
                "|>" => ExprKind::Pipe(operator.text_range(), left, right),
                _ => ExprKind::Binary(named(&operator), left, right),
            }
        }
        FclKind::Tuple => {
            let mut parts = parts();
            match (parts.next(), parts.next()) {
                (Some(first), Some(second)) => ExprKind::Pair(first, second),
                (Some(inner), None) => return Some(inner),
                _ => ExprKind::Unit,
            }
        }
        FclKind::If => {
            let mut parts = parts();
            ExprKind::If(or_missing(parts.next()), or_missing(parts.next()), or_missing(parts.next()))
        }
        FclKind::Let => {
            let body = or_missing(parts().nth(1));
            let mut definition = definition(node, name(node)?, None);
            definition.range = TextRange::new(range.start(), definition.body.range().end());
            ExprKind::Let(Rc::new(definition), body)
        }
        FclKind::Function => {
            let body = or_missing(parts().next());
            let params = names(node, FclKind::Name);
            let whole =
                params.iter().rev().fold(body, |body, param| Expr::new(ExprKind::Function(param.clone(), body), range));
            return Some(whole);
        }
        FclKind::Do => {
            let levels = node.children().find(|node| node.kind() == FclKind::Levels)?;
            let statement = |node: FclNode| {
                if node.kind() == FclKind::Bind {
                    let value = expressions(&node).into_iter().next().unwrap_or_else(|| missing(&node));
                    return Some(Statement { name: name(&node), value });
                }
                Some(Statement { name: None, value: expression(&node)? })
            };
            ExprKind::Do(given(&levels).pop()?, node.children().filter_map(statement).collect())
        }
        _ => return None,
    };
    Some(Expr::new(kind, range))
}

fn literal(token: &FclToken) -> ExprKind {
    let text = token.text();
    match token.kind() {
        FclKind::Int => {
            let (sign, digits) = text.strip_prefix('-').map_or((1, text), |digits| (-1, digits));
            let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
            let value = match hex {
                Some(hex) => i64::from_str_radix(hex, 16),
                None => digits.parse::<i64>(),
            };
            // A number that does not fit becomes too large for any type.
            ExprKind::Int(value.map_or(i64::MAX, |value| sign * value))
        }
        FclKind::Double => ExprKind::Double(text.parse().unwrap_or(f64::NAN)),
        FclKind::Text => {
            let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
            let mut plain = String::with_capacity(inner.len());
            let mut chars = inner.chars();
            while let Some(c) = chars.next() {
                plain.push(match c {
                    '\\' => match chars.next() {
                        Some('n') => '\n',
                        Some('t') => '\t',
                        Some(other) => other,
                        None => '\\',
                    },
                    c => c,
                });
            }
            ExprKind::String(plain.into())
        }
        _ => ExprKind::Bool(text == "true"),
    }
}
