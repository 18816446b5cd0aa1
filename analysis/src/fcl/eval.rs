//! Evaluates expressions to values.

use super::library::library;
use super::value::{Elem, Ev, Fun, Res, Value, fail, not_supported};
use super::{prims, scalar};
use crate::front::term::{Kind, Term};
use lift_syntax::SyntaxErrorCode::FclName;
use lift_syntax::fcl::ast::{Definition, Expr, ExprKind, LevelKind, LevelRef, Named, Statement, function_of};
use std::cell::RefCell;
use std::rc::Rc;

/// The names in sight.
#[derive(Clone, Default)]
pub struct Env {
    names: Option<Rc<Node>>,
    /// Whether the evaluated code is the program's, not the library's, so that its source locations are reported.
    pub own: bool,
}

struct Node {
    name: Rc<str>,
    what: What,
    next: Option<Rc<Node>>,
}

enum What {
    Value(Value),
    /// Evaluated where it is used; cached if it depends on no scope.
    Definition(Rc<Definition>, RefCell<Option<Value>>),
    Level(u32),
}

impl Env {
    fn with(&self, name: &Rc<str>, what: What) -> Env {
        let node = Node { name: name.clone(), what, next: self.names.clone() };
        Env { names: Some(Rc::new(node)), own: self.own }
    }

    pub fn define(&self, definition: &Rc<Definition>) -> Env {
        self.with(&definition.name.text, What::Definition(definition.clone(), RefCell::default()))
    }

    fn value(&self, name: &Rc<str>, value: Value) -> Env {
        self.with(name, What::Value(value))
    }

    fn find(&self, name: &str) -> Option<&Rc<Node>> {
        let mut at = self.names.as_ref();
        while let Some(node) = at
            && *node.name != *name
        {
            at = node.next.as_ref();
        }
        at
    }
}

/// The steps above `thread` of a level.
fn level(ev: &Ev, level: &LevelRef, env: &Env) -> Res<u32> {
    match &level.kind {
        LevelKind::Zero => Ok(0),
        LevelKind::Step(inner) => Ok(1 + self::level(ev, inner, env)?),
        LevelKind::Name(name) => match env.find(name).map(|node| &node.what) {
            Some(What::Level(level)) => Ok(*level),
            _ => fail(FclName, ev.at, format!("the level `{name}` is not known")),
        },
    }
}

pub fn eval(ev: &mut Ev, expr: &Expr, env: &Env) -> Res<Value> {
    stacker::maybe_grow(256 << 10, 4 << 20, || {
        ev.step()?;
        if env.own {
            ev.at = expr.range();
        }
        inner(ev, expr, env)
    })
}

fn inner(ev: &mut Ev, expr: &Expr, env: &Env) -> Res<Value> {
    Ok(match expr.kind() {
        ExprKind::Int(n) => Value::Int(ev.number(*n)),
        ExprKind::Double(x) => Value::Double(ev.double(*x)),
        ExprKind::Bool(b) => Value::Bool(ev.boolean(*b)),
        ExprKind::String(text) => Value::Text(text.clone()),
        ExprKind::Unit => Value::Unit,
        ExprKind::Missing => return fail(FclName, ev.at, "an expression is missing"),
        ExprKind::Name(name, levels) => {
            let levels: Vec<u32> = levels.iter().map(|one| level(ev, one, env)).collect::<Res<_>>()?;
            return named(ev, name, &levels, env);
        }
        ExprKind::Apply(f, arg) | ExprKind::Pipe(_, arg, f) => {
            let f = eval(ev, f, env)?.fun(ev)?;
            let arg = eval(ev, arg, env)?;
            if env.own {
                ev.at = expr.range();
            }
            return f(ev, arg);
        }
        ExprKind::Binary(operator, left, right) => {
            let left = eval(ev, left, env)?;
            let right = eval(ev, right, env)?;
            if env.own {
                ev.at = expr.range();
            }
            return scalar::binary(ev, function_of(&operator.text), &left, &right);
        }
        ExprKind::Pair(a, b) => Value::Pair(Rc::new((eval(ev, a, env)?, eval(ev, b, env)?))),
        ExprKind::If(condition, then, otherwise) => {
            let condition = eval(ev, condition, env)?.number(ev)?;
            return choose(ev, condition, |ev| eval(ev, then, env), |ev| eval(ev, otherwise, env));
        }
        ExprKind::Let(definition, body) => {
            if definition.levels.is_empty() {
                let value = eval(ev, &definition.body, env)?;
                let value = kept(ev, value, &definition.name.text, body)?;
                return eval(ev, body, &env.value(&definition.name.text, value));
            }
            return eval(ev, body, &env.define(definition));
        }
        ExprKind::Function(param, body) => Value::Fun(closure(param, body, env)),
        ExprKind::Do(_, statements) => block(statements, env),
    })
}

/// The value of a name.
fn named(ev: &mut Ev, name: &Named, levels: &[u32], env: &Env) -> Res<Value> {
    let (definition, memo, env) = match env.find(&name.text) {
        Some(node) => match &node.what {
            What::Value(value) => return Ok(value.clone()),
            What::Level(_) => return fail(FclName, ev.at, format!("`{}` is a level", name.text)),
            What::Definition(definition, memo) => {
                (definition.clone(), Some(memo), Env { names: node.next.clone(), own: env.own })
            }
        },
        None => match library().definitions.get(&name.text) {
            Some(definition) => (definition.clone(), None, Env::default()),
            None => return prims::named(ev, &name.text, levels),
        },
    };
    if let Some(known) = memo.and_then(|memo| memo.borrow().clone()) {
        return Ok(known);
    }
    let mut inner = env;
    for (name, level) in definition.levels.iter().zip(levels) {
        inner = inner.with(&name.text, What::Level(*level));
    }
    let (before, at) = (ev.next, ev.at);
    let value = eval(ev, &definition.body, &inner)?;
    ev.at = at;
    if let Some(memo) = memo
        && levels.is_empty()
        && ev.next == before
    {
        *memo.borrow_mut() = Some(value.clone());
    }
    Ok(value)
}

fn closure(param: &Named, body: &Expr, env: &Env) -> Fun {
    let (param, body, env) = (param.clone(), body.clone(), env.clone());
    Rc::new(move |ev, value| {
        let value = kept(ev, value, &param.text, &body)?;
        eval(ev, &body, &env.value(&param.text, value))
    })
}

/// Binds a value that a body uses more than once, so that it is computed once. A value that may stop the run is
/// computed at its uses instead.
fn kept(ev: &mut Ev, value: Value, name: &Rc<str>, body: &Expr) -> Res<Value> {
    let term = match &value {
        Value::Int(int) => &int.term,
        Value::Double(term) | Value::Bool(term) => term,
        _ => return Ok(value),
    };
    if term.is_atom() || uses(body, name) < 2 || !scalar::is_total(term) && chooses(body) {
        return Ok(value);
    }
    ev.shared(&value, name)
}

fn parts(expr: &Expr) -> Vec<&Expr> {
    match expr.kind() {
        ExprKind::Apply(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Pipe(_, a, b) | ExprKind::Pair(a, b) => {
            vec![a, b]
        }
        ExprKind::If(a, b, c) => vec![a, b, c],
        ExprKind::Let(definition, body) => vec![&definition.body, body],
        ExprKind::Function(_, body) => vec![body],
        ExprKind::Do(_, statements) => statements.iter().map(|statement| &statement.value).collect(),
        _ => Vec::new(),
    }
}

/// The number of uses of a name in an expression; a use in a function counts twice, because it may run repeatedly.
fn uses(expr: &Expr, name: &str) -> usize {
    match expr.kind() {
        ExprKind::Name(own, _) => usize::from(*own.text == *name),
        ExprKind::Function(_, body) => 2 * uses(body, name).min(1000),
        _ => parts(expr).into_iter().map(|part| uses(part, name)).sum(),
    }
}

fn chooses(expr: &Expr) -> bool {
    matches!(expr.kind(), ExprKind::If(..)) || parts(expr).into_iter().any(chooses)
}

/// A choice between two values.
pub fn choose(
    ev: &mut Ev,
    condition: Term,
    then: impl FnOnce(&mut Ev) -> Res<Value>,
    otherwise: impl FnOnce(&mut Ev) -> Res<Value>,
) -> Res<Value> {
    match condition.kind() {
        Kind::Bool(true) => return then(ev),
        Kind::Bool(false) => return otherwise(ev),
        _ => {}
    }
    let at = ev.at;
    let branch = |ev: &mut Ev, value: &mut dyn FnMut(&mut Ev) -> Res<Value>| -> Res<(Term, Option<(Elem, Value)>)> {
        ev.scoped(|ev| {
            let value = value(ev)?;
            ev.at = at;
            if let Value::Unit = value {
                return Ok((ev.int(0), None));
            }
            let what = match &value {
                Value::Fun(_) | Value::Pull(_) | Value::Push(_) | Value::Program(_) | Value::Text(_) => {
                    let what = super::value::what(&value);
                    return not_supported(at, format!("an `if` whose branches are each {what}, decided by the run,"));
                }
                value => value.clone(),
            };
            let (term, elem) = ev.scalar(&value)?;
            Ok((term, Some((elem, what))))
        })
    };
    let (mut then, mut otherwise) = (Some(then), Some(otherwise));
    ev.branches += 1;
    let one = branch(ev, &mut |ev| match then.take() {
        Some(then) => then(ev),
        None => Ok(Value::Unit),
    });
    let other = branch(ev, &mut |ev| match otherwise.take() {
        Some(otherwise) => otherwise(ev),
        None => Ok(Value::Unit),
    });
    ev.branches -= 1;
    let (one, other) = (one?, other?);
    let (Some((elem, first)), Some((_, second))) = (one.1, other.1) else { return Ok(Value::Unit) };
    if let (Value::Int(a), Value::Int(b)) = (&first, &second)
        && let Some(known) = a.known().filter(|known| b.known() == Some(*known))
    {
        return Ok(Value::Int(ev.number(known)));
    }
    let chosen = ev.choose(condition, one.0, other.0);
    ev.value(chosen, &elem)
}

/// `do`: a sequence of programs.
fn block(statements: &[Statement], env: &Env) -> Value {
    let (statements, env) = (statements.to_vec(), env.clone());
    Value::Program(Rc::new(move |ev| {
        let unused = std::mem::take(&mut ev.unused);
        let mut env = env.clone();
        for (place, statement) in statements.iter().enumerate() {
            let last = place + 1 == statements.len();
            let value = eval(ev, &statement.value, &env)?;
            let program = match value {
                Value::Program(program) => program,
                // A single statement need not be a program.
                other if last && statements.len() == 1 => return Ok(other),
                other => other.program(ev)?,
            };
            ev.unused = if last { unused } else { statement.name.is_none() };
            let result = program(ev)?;
            ev.unused = false;
            if last {
                return Ok(result);
            }
            if let Some(name) = &statement.name {
                let result = match result {
                    scalar @ (Value::Int(_) | Value::Double(_) | Value::Bool(_)) => ev.shared(&scalar, &name.text)?,
                    other => other,
                };
                env = env.value(&name.text, result);
            }
        }
        Ok(Value::Unit)
    }))
}
