//! Laws as data, read from a program.
//!
//! A law is a definition whose body is a tuple of its two sides and whose documentation says what a rewriting does:
//!
//! ```lift
//! ;;; Two maps are one.
//! ;;; forwards: Fuse the maps
//! ;;; backwards: Split the map in two
//! (define (map-map f g xs)
//!   (tuple (map f (map g xs)) (map (lambda (x) (f (g x))) xs)))
//! ```
//!
//! The parameters are the pattern variables. `where:` lists conditions that types do not express, and `forwards where:`
//! and `backwards where:` those of one direction; `try:` lists values of a size that matching leaves open. Conditions on
//! lengths follow from the types.

use super::term::{Binding, Kind, Reader, Term, param_of};
use crate::node::Name;
use lift_syntax::TextRange;
use lift_syntax::ast::{self, AstNode};
use std::fmt;

#[derive(Debug, Clone)]
pub struct Law {
    pub name: Name,
    /// The pattern variables.
    pub params: Vec<Name>,
    pub left: Side,
    pub right: Side,
    /// The title of the rewriting from left to right; at least one direction has a title.
    pub forwards: Option<String>,
    pub backwards: Option<String>,
    pub conditions: Vec<Condition>,
    /// Conditions of one direction.
    pub directed: Vec<(Direction, Condition)>,
    /// Values to try for sizes that matching leaves open.
    pub tries: Vec<(Name, Vec<u64>)>,
    /// The documentation without the lines that this module reads, and without the example.
    pub docs: String,
    /// A definition to which the law applies.
    pub example: Option<String>,
    /// The definition, relative to the file.
    pub range: TextRange,
}

/// A direction of a law.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Forwards,
    Backwards,
}

impl Direction {
    pub const BOTH: [Direction; 2] = [Direction::Forwards, Direction::Backwards];
}

/// A side of a law.
#[derive(Debug, Clone)]
pub struct Side {
    pub term: Term,
    pub text: String,
}

/// A condition that types do not express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    Associative(Name),
    Commutative(Name),
    /// A neutral element on both sides of an operator.
    Neutral(Name, Name),
    /// Calling a function with these arguments, or with any, cannot fail.
    Total(Name, Vec<Name>),
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Associative(op) => write!(f, "`{op}` is associative"),
            Condition::Commutative(op) => write!(f, "`{op}` is commutative"),
            Condition::Neutral(z, op) => write!(f, "`{z}` is neutral for `{op}`"),
            Condition::Total(function, args) if args.is_empty() => write!(f, "`{function}` cannot fail"),
            Condition::Total(function, args) => write!(f, "`({function} {})` cannot fail", args.join(" ")),
        }
    }
}

/// A definition that looks like a law and is none.
#[derive(Debug, Clone)]
pub struct NoLaw {
    pub name: Name,
    pub why: String,
    pub range: TextRange,
}

/// Reads the laws of a program; other definitions are left out.
pub fn read(text: &str) -> Vec<Result<Law, NoLaw>> {
    let forms = lift_syntax::split(text);
    forms
        .into_iter()
        .filter_map(|raw| read_form(text.get(std::ops::Range::<usize>::from(raw.range))?, raw.range))
        .collect()
}

/// Reads one form; `None` if nothing says that it is a law.
pub fn read_form(text: &str, range: TextRange) -> Option<Result<Law, NoLaw>> {
    if !text.contains("forwards:") && !text.contains("backwards:") {
        return None;
    }
    let parse = lift_syntax::parse_form(text);
    let form = parse.form()?;
    let docs = form.doc()?;
    let clauses = Clauses::of(&docs);
    if clauses.forwards.is_none() && clauses.backwards.is_none() {
        return None;
    }
    let Some(ast::Item::Define(define)) = form.item() else { return None };
    let name: Name = define.name()?.text()?.into();
    let wrong = |why: String| NoLaw { name: name.clone(), why, range };
    Some(law(&define, &name, clauses, range).map_err(wrong))
}

fn law(define: &ast::Define, name: &Name, clauses: Clauses, range: TextRange) -> Result<Law, String> {
    let (variables, body) = match (define.head(), define.body()) {
        (Some(head), body) => (head.params().collect::<Vec<_>>(), body),
        (None, Some(ast::Expr::Lambda(lambda))) => {
            let list = lambda.param_list();
            (list.iter().flat_map(ast::ParamList::params).collect(), lambda.body())
        }
        (None, _) => return Err("the pattern variables of a law are its parameters: `(define (law x …) …)`".into()),
    };
    let bindings: Option<Vec<Binding>> = variables.iter().map(param_of).collect();
    let bindings = bindings.ok_or("a parameter has no name")?;
    let simple = |binding: &Binding| match binding {
        Binding::Name(name) => Some(vec![name.clone()]),
        Binding::Other { names, typed: true, .. } => Some(names.clone()),
        Binding::Other { .. } => None,
    };
    let params: Option<Vec<Vec<Name>>> = bindings.iter().map(simple).collect();
    let params = params.ok_or("a pattern variable is a name, not a tuple")?.concat();
    let shape = "the body of a law is a tuple of its two sides";
    let Some(ast::Expr::Tuple(tuple)) = body else { return Err(shape.into()) };
    let sides: Vec<ast::Expr> = tuple.components().collect();
    let [left, right] = sides.as_slice() else { return Err(shape.into()) };
    let side = |expr: &ast::Expr| {
        let term = Reader::new(params.clone(), &|_| false).expr(expr).ok_or("a side cannot be read")?;
        Ok::<Side, String>(Side { term: term.detached(), text: expr.syntax().text().to_string() })
    };
    let (left, right) = (side(left)?, side(right)?);
    if let Some(part) = opaque(&left.term).or_else(|| opaque(&right.term)) {
        return Err(format!("a side of a law has no `:`, `with`, `pack` or `unpack`: `{part}`"));
    }
    let conditions: Result<Vec<Condition>, String> =
        clauses.conditions.iter().map(|words| condition(words, &params)).collect();
    let mut directed = Vec::new();
    for (direction, words) in &clauses.directed {
        directed.push((*direction, condition(words, &params)?));
    }
    let tries: Result<Vec<(Name, Vec<u64>)>, String> =
        clauses.tries.iter().map(|words| values_to_try(words, &params)).collect();
    Ok(Law {
        name: name.clone(),
        left,
        right,
        forwards: clauses.forwards,
        backwards: clauses.backwards,
        conditions: conditions?,
        directed,
        tries: tries?,
        docs: clauses.docs,
        example: clauses.example,
        params,
        range,
    })
}

fn opaque(term: &Term) -> Option<String> {
    match &term.kind {
        Kind::Opaque(text, _) => Some(text.clone()),
        Kind::Around(..) => Some(term.print("")),
        _ => term.parts().into_iter().find_map(opaque),
    }
}

fn condition(words: &str, params: &[Name]) -> Result<Condition, String> {
    let known = |name: &str| match params.iter().find(|param| ***param == *name) {
        Some(param) => Ok(param.clone()),
        None => Err(format!("`where:` names `{name}`, which is not a parameter")),
    };
    match words.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["associative", op] => Ok(Condition::Associative(known(op)?)),
        ["commutative", op] => Ok(Condition::Commutative(known(op)?)),
        ["neutral", z, op] => Ok(Condition::Neutral(known(z)?, known(op)?)),
        ["total", function, args @ ..] => {
            Ok(Condition::Total(known(function)?, args.iter().map(|arg| known(arg)).collect::<Result<_, _>>()?))
        }
        _ => {
            Err(format!("`where:` takes (associative f), (commutative f), (neutral z f) and (total f), not ({words})"))
        }
    }
}

fn values_to_try(words: &str, params: &[Name]) -> Result<(Name, Vec<u64>), String> {
    let mut words = words.split_whitespace();
    let name = words.next().unwrap_or_default();
    let param = params.iter().find(|param| ***param == *name);
    let param = param.ok_or_else(|| format!("`try:` names `{name}`, which is not a parameter"))?;
    let values: Result<Vec<u64>, _> = words.map(str::parse).collect();
    match values {
        Ok(values) if !values.is_empty() => Ok((param.clone(), values)),
        _ => Err(format!("`try:` takes a parameter and numbers, as in `try: {name} 4 32`")),
    }
}

/// The lines of a law's documentation, sorted.
#[derive(Default)]
struct Clauses {
    forwards: Option<String>,
    backwards: Option<String>,
    conditions: Vec<String>,
    directed: Vec<(Direction, String)>,
    tries: Vec<String>,
    docs: String,
    example: Option<String>,
}

impl Clauses {
    fn of(docs: &str) -> Clauses {
        let mut clauses = Clauses::default();
        let (mut prose, mut in_code): (Vec<&str>, Option<Vec<&str>>) = (Vec::new(), None);
        for line in docs.lines() {
            let after = |word: &str| line.strip_prefix(word).map(|rest| rest.trim().to_owned());
            if line.starts_with("```") {
                match in_code.take() {
                    Some(code) => clauses.example = Some(code.join("\n")),
                    None => in_code = Some(Vec::new()),
                }
            } else if let Some(code) = &mut in_code {
                code.push(line);
            } else if let Some(title) = after("forwards:") {
                clauses.forwards = Some(title);
            } else if let Some(title) = after("backwards:") {
                clauses.backwards = Some(title);
            } else if let Some(list) = after("where:") {
                clauses.conditions.extend(parts(&list));
            } else if let Some(list) = after("forwards where:") {
                clauses.directed.extend(parts(&list).map(|part| (Direction::Forwards, part)));
            } else if let Some(list) = after("backwards where:") {
                clauses.directed.extend(parts(&list).map(|part| (Direction::Backwards, part)));
            } else if let Some(words) = after("try:") {
                clauses.tries.push(words);
            } else {
                prose.push(line);
            }
        }
        clauses.docs = prose.join("\n").trim().to_owned();
        clauses
    }
}

/// The conditions of a line.
fn parts(list: &str) -> impl Iterator<Item = String> + '_ {
    list.split(['(', ')']).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned)
}
