//! Converts the value `main` to the inputs and the result of a kernel.

use super::arrays::stored;
use super::eval::{Env, eval};
use super::store::{force, new_length};
use super::types::{Base, Ty, TypePrinter};
use super::value::{Elem, Ev, Input, Int, Pull, Push, PushKind, Res, Value, fail};
use crate::front::term::{Kind, Term};
use crate::scalar::Scalar;
use crate::size::Size;
use lift_syntax::SyntaxErrorCode::FclType;
use lift_syntax::fcl::ast::{Definition, Named};
use std::rc::Rc;

/// Evaluates the program whose kernel is the last `main` in `definitions`: the result, and whether the program itself
/// prints it.
pub fn kernel(ev: &mut Ev, definitions: &[Rc<Definition>], main: &Named, ty: &Ty) -> Res<(Term, usize)> {
    let mut env = Env::default();
    env.own = true;
    let mut value = None;
    for definition in definitions {
        if definition.name.range == main.range {
            ev.at = main.range;
            value = Some(eval(ev, &definition.body, &env)?);
            break;
        }
        env = env.define(definition);
    }
    let Some(mut value) = value else { return fail(FclType, main.range, "there is no `main`") };
    let main_definition = definitions.iter().find(|definition| definition.name.range == main.range);
    let params = main_definition.map_or(&[][..], |definition| &definition.params);
    let mut ty = ty.clone();
    let mut names = params.iter();
    while let Ty::Fun(from, to) = &ty {
        let name = names.next().cloned().unwrap_or_else(|| Named { text: "input".into(), range: main.range });
        let argument = parameter(ev, &name, from)?;
        value = value.fun(ev)?(ev, argument)?;
        ty = (**to).clone();
    }
    if let Ty::Program(level, _) = &ty {
        if !matches!(level.base, Base::Zero) || level.steps != 2 {
            let message = format!("`main` is a program of the level `{level}`, not of the grid");
            return fail(FclType, main.range, message);
        }
        ev.unused = true;
        value = value.program(ev)?(ev)?;
        ev.unused = false;
    }
    ev.at = main.range;
    let shown = std::mem::take(&mut ev.shown);
    let count = shown.len();
    let body = match <[Term; 1]>::try_from(shown) {
        Ok([one]) => one,
        Err(shown) if shown.is_empty() => {
            let count = usize::from(!matches!(value, Value::Unit));
            return Ok((result(ev, &value)?, count));
        }
        Err(shown) => ev.term(Kind::Tuple(shown)),
    };
    Ok((body, count))
}

/// The value of a program that prints nothing.
fn result(ev: &mut Ev, value: &Value) -> Res<Term> {
    match value {
        Value::Unit => Ok(ev.int(0)),
        Value::Pull(xs) => {
            let push = Push { level: 2, kind: Rc::new(PushKind::Pull(xs.clone())), at: ev.at };
            result(ev, &Value::Push(push))
        }
        Value::Push(push) => {
            let len = super::arrays::length(ev, push)?;
            if len.known() == Some(1) {
                // Of one element, the array is wanted all the same.
                let (term, _) = super::store::array(ev, push, None)?;
                return Ok(term);
            }
            let xs = force(ev, push)?;
            let last = ev.scopes.last().and_then(|scope| scope.last());
            match last {
                Some(bound) => Ok(ev.local(&bound)),
                None => result(ev, &Value::Pull(xs)),
            }
        }
        Value::Pair(pair) => {
            let parts = vec![result(ev, &pair.0)?, result(ev, &pair.1)?];
            Ok(ev.term(Kind::Tuple(parts)))
        }
        scalar => Ok(ev.scalar(scalar)?.0),
    }
}

/// A parameter of the kernel.
fn parameter(ev: &mut Ev, name: &Named, ty: &Ty) -> Res<Value> {
    let mut shape: Vec<Size> = Vec::new();
    let mut inner = ty.clone();
    while let Ty::Pull(of) = &inner {
        shape.push(new_length(ev));
        inner = (**of).clone();
    }
    let (scalar, elem) = match inner {
        Ty::Int => (Scalar::Int, Elem::Int),
        Ty::Double => (Scalar::Double, Elem::Double),
        Ty::Bool => (Scalar::Bool, Elem::Bool),
        Ty::Var(_) | Ty::Rigid(..) => {
            let like = format!("{}int{}", "[".repeat(shape.len()), "]".repeat(shape.len()));
            let (name, range) = (&name.text, name.range);
            let message = format!("any type fits `{name}`: a `sig` of `main` says which, such as `{like}`");
            return fail(FclType, range, message);
        }
        _ => {
            let mut printer = TypePrinter::new();
            let makes = match &inner {
                Ty::Push(level, _) if shape.is_empty() => {
                    format!("; `push<{level}> {}` makes one of an array", name.text)
                }
                _ => String::new(),
            };
            let message = format!(
                "a parameter of `main` is a number or an array of numbers, but `{}` is `{}`{makes}",
                name.text,
                printer.ty(ty)
            );
            return fail(FclType, name.range, message);
        }
    };
    let bound = ev.fresh(&name.text);
    let input = Input { name: bound.clone(), scalar, shape: shape.clone(), range: name.range, source: None };
    ev.inputs.push(input);
    let term = ev.local(&bound);
    match shape.as_slice() {
        [] => ev.value(term, &elem),
        [len] => Ok(Value::Pull(stored(&bound, len, elem, ev))),
        lengths => Ok(rows(ev, term, lengths, elem)),
    }
}

/// An array of arrays of the kernel's input.
fn rows(ev: &Ev, of: Term, lengths: &[Size], elem: Elem) -> Value {
    let Some((len, inner)) = lengths.split_first() else { return Value::Unit };
    let inner = inner.to_vec();
    let get = move |ev: &mut Ev, i: &Int| {
        let row = ev.app("aref", [of.clone(), i.term.clone()]);
        if inner.is_empty() { ev.value(row, &elem) } else { Ok(rows(ev, row, &inner, elem.clone())) }
    };
    Value::Pull(Pull { len: ev.of_size(len), get: Rc::new(get) })
}
