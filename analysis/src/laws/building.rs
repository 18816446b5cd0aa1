//! Builds a side of a law from the terms of its pattern variables.
//!
//! A function that the law applies is applied at once. An argument replaces its name if this neither repeats nor skips
//! work; otherwise it becomes a `let`.

use super::matching::unlike;
use super::term::{Binding, Kind, SizeTerm, Term};
use crate::node::Name;
use std::collections::{BTreeMap, BTreeSet};

/// The side with its variables replaced; `None` if a size cannot be written. `names` are those that the program has for
/// binders of the law.
pub fn built(side: &Term, terms: &BTreeMap<Name, Term>, names: &BTreeMap<Name, Name>) -> Option<Term> {
    let mut globals = Vec::new();
    side.globals(&mut globals);
    let avoid: BTreeSet<Name> = terms.values().flat_map(Term::free).chain(globals).collect();
    let mut inner = BTreeSet::new();
    for term in terms.values() {
        if let Kind::Lambda(params, body) = &term.kind {
            inner.extend(body.bound());
            // Several parameters are replaced one after the other.
            if params.len() > 1 {
                inner.extend(params.iter().flat_map(Binding::names).cloned());
            }
        }
    }
    Builder { terms, names, avoid, inner }.term(side, &BTreeMap::new())
}

struct Builder<'a> {
    terms: &'a BTreeMap<Name, Term>,
    names: &'a BTreeMap<Name, Name>,
    /// Names that the law must not bind.
    avoid: BTreeSet<Name>,
    /// Names that functions of the program bind; where the law binds one, too, an argument becomes a `let`.
    inner: BTreeSet<Name>,
}

/// New names of the law's binders.
type Renamed = BTreeMap<Name, Name>;

impl Builder<'_> {
    fn term(&self, side: &Term, renamed: &Renamed) -> Option<Term> {
        let all = |parts: &[Term]| parts.iter().map(|part| self.term(part, renamed)).collect::<Option<Vec<Term>>>();
        Some(Term::new(match &side.kind {
            Kind::Name { name, local } => match (renamed.get(name), self.terms.get(name)) {
                (Some(renamed), _) => Kind::Name { name: renamed.clone(), local: true },
                (None, Some(term)) => return Some(term.clone()),
                (None, None) => Kind::Name { name: name.clone(), local: *local },
            },
            Kind::Literal(text) => Kind::Literal(text.clone()),
            Kind::Size(size) => Kind::Size(self.size(size)?.folded()),
            Kind::Lambda(params, body) => {
                let (params, inner) = self.bound(params, body, renamed)?;
                return Some(eta(params, self.term(body, &inner)?));
            }
            Kind::Apply(function, args) => return Some(applied(self.term(function, renamed)?, all(args)?)),
            Kind::Let(binding, value, body) => {
                let value = self.term(value, renamed)?;
                let (mut bindings, inner) = self.bound(std::slice::from_ref(binding), body, renamed)?;
                let (binding, body) = (bindings.pop()?, self.term(body, &inner)?);
                if value.is_atom() {
                    return Some(bind(binding, value, body));
                }
                Kind::Let(binding, Box::new(value), Box::new(body))
            }
            Kind::If(parts) => Kind::If(Box::new(all(&**parts)?.try_into().ok()?)),
            Kind::Tuple(parts) => Kind::Tuple(all(parts)?),
            Kind::Compose(parts) => Kind::Compose(all(parts)?),
            Kind::Around(..) | Kind::Opaque(..) => return None,
        }))
    }

    /// Names the binders of the law: as the program's function names the parameter that takes the value of a binder, or
    /// else as the law does.
    fn bound(&self, params: &[Binding], body: &Term, renamed: &Renamed) -> Option<(Vec<Binding>, Renamed)> {
        let mut inner = renamed.clone();
        let mut out = Vec::new();
        for param in params {
            let Binding::Name(name) = param else { return None };
            let taken: BTreeSet<Name> = self.avoid.iter().chain(inner.values()).cloned().collect();
            let theirs = self.parameter(name, body).filter(|theirs| !taken.contains(theirs));
            let new = theirs.unwrap_or_else(|| {
                unlike(self.names.get(name).unwrap_or(name), &self.inner.union(&taken).cloned().collect())
            });
            inner.insert(name.clone(), new.clone());
            out.push(Binding::Name(new));
        }
        Some((out, inner))
    }

    /// The name of the parameter of a function of the program that the law applies to a binder.
    fn parameter(&self, binder: &Name, body: &Term) -> Option<Name> {
        if let Kind::Apply(function, args) = &body.kind
            && let Kind::Name { name, .. } = &function.kind
            && let Some(Kind::Lambda(params, _)) = self.terms.get(name).map(|term| &term.kind)
        {
            let is_binder = |arg: &Term| matches!(&arg.kind, Kind::Name { name, local: true } if name == binder);
            for (param, arg) in params.iter().zip(args) {
                if let Binding::Name(theirs) = param
                    && is_binder(arg)
                {
                    return Some(theirs.clone());
                }
            }
        }
        body.parts().into_iter().find_map(|part| self.parameter(binder, part))
    }

    fn size(&self, size: &SizeTerm) -> Option<SizeTerm> {
        Some(match size {
            SizeTerm::Nat(n) => SizeTerm::Nat(*n),
            SizeTerm::Name(name) => match self.terms.get(name) {
                Some(term) => term.as_size()?,
                None => return None,
            },
            SizeTerm::Op(op, parts) => {
                let parts: Option<Vec<SizeTerm>> = parts.iter().map(|part| self.size(part)).collect();
                SizeTerm::Op(op.clone(), parts?)
            }
            // `(length xs)` can be written of a name only.
            SizeTerm::Length(array) => match &self.terms.get(array)?.kind {
                Kind::Name { name, .. } => SizeTerm::Length(name.clone()),
                _ => return None,
            },
            SizeTerm::Opaque(..) => return None,
        })
    }
}

/// `(lambda (x) (f x))` as `f`.
fn eta(params: Vec<Binding>, body: Term) -> Term {
    if let ([Binding::Name(param)], Kind::Apply(function, args)) = (params.as_slice(), &body.kind)
        && let Some((last, first)) = args.split_last()
        && matches!(&last.kind, Kind::Name { name, local: true } if name == param)
    {
        let rest = Term::call((**function).clone(), first.to_vec());
        if !rest.free().contains(param) && first.iter().all(Term::is_value) {
            return rest;
        }
    }
    Term::new(Kind::Lambda(params, Box::new(body)))
}

/// Applies a function to arguments.
pub fn applied(function: Term, mut args: Vec<Term>) -> Term {
    let (params, mut body) = match function.kind {
        Kind::Lambda(params, body) => (params, *body),
        _ => return Term::call(function, args),
    };
    if args.len() < params.len() || params.iter().any(|p| matches!(p, Binding::Other { typed: true, .. })) {
        return Term::call(Term::new(Kind::Lambda(params, Box::new(body))), args);
    }
    let rest = args.split_off(params.len());
    // A `let` for one parameter must not catch a name of an argument for another.
    let catches =
        |nth: usize, name: &Name| args.iter().enumerate().any(|(other, arg)| other != nth && arg.free().contains(name));
    if params.iter().enumerate().any(|(nth, param)| param.names().iter().any(|name| catches(nth, name))) {
        return Term::call(Term::new(Kind::Lambda(params, Box::new(body))), args.into_iter().chain(rest).collect());
    }
    for (param, arg) in params.into_iter().zip(args).rev() {
        let is_itself = matches!((&param, &arg.kind), (Binding::Name(own), Kind::Name { name, .. }) if own == name);
        if !is_itself {
            body = bind(param, arg, body);
        }
    }
    if rest.is_empty() { body } else { applied(body, rest) }
}

/// The body with a name bound to a value: substituted, or by `let`.
fn bind(binding: Binding, value: Term, body: Term) -> Term {
    if let Binding::Name(name) = &binding {
        let free = value.free();
        let uses = Uses::of(&body, name);
        let catches = body.bound().iter().any(|bound| free.contains(bound));
        // A function does no work before it is applied.
        let once = matches!(value.kind, Kind::Lambda(..)) && uses.count <= 1;
        let moves = uses.count == 0 || value.is_atom() || once || (uses.count == 1 && !uses.deep);
        let writable = !uses.opaque && (!uses.in_size || value.as_size().is_some());
        if moves && !catches && writable {
            return replaced(body, name, &value);
        }
    }
    Term::new(Kind::Let(binding, Box::new(value), Box::new(body)))
}

/// How a term uses a name.
#[derive(Debug, Clone, Copy, Default)]
struct Uses {
    count: usize,
    /// Whether a use is in a function or in a branch, where it may happen more or less than once.
    deep: bool,
    /// Whether an opaque part may use it.
    opaque: bool,
    /// Whether a size uses it.
    in_size: bool,
}

impl Uses {
    fn of(term: &Term, name: &Name) -> Uses {
        let mut uses = Uses::default();
        uses.look(term, name, false);
        uses
    }

    fn look(&mut self, term: &Term, name: &Name, deep: bool) {
        match &term.kind {
            Kind::Name { name: other, .. } if other == name => {
                self.count += 1;
                self.deep |= deep;
            }
            Kind::Size(size) => {
                let mut names = BTreeSet::new();
                size.names(&mut names);
                self.count += usize::from(names.contains(name));
                self.in_size |= names.contains(name);
                self.opaque |= size.measures(name);
            }
            Kind::Around(wrapping, body) => {
                self.opaque |= wrapping.names.contains(name);
                self.look(body, name, deep);
            }
            Kind::Opaque(_, names) => {
                self.opaque |= names.contains(name);
                self.count += usize::from(names.contains(name));
            }
            Kind::Lambda(params, body) => {
                if !params.iter().any(|param| param.names().contains(name)) {
                    self.look(body, name, true);
                }
            }
            Kind::Let(binding, value, body) => {
                self.look(value, name, deep);
                if !binding.names().contains(name) {
                    self.look(body, name, deep);
                }
            }
            Kind::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.look(condition, name, deep);
                self.look(then, name, true);
                self.look(otherwise, name, true);
            }
            // The second operand of `and` and `or` may be skipped.
            Kind::Apply(function, args) => {
                self.look(function, name, deep);
                let lazy = function.skips_operands();
                args.iter().enumerate().for_each(|(nth, arg)| self.look(arg, name, deep || (lazy && nth > 0)));
            }
            _ => term.parts().into_iter().for_each(|part| self.look(part, name, deep)),
        }
    }
}

/// Replaces a name. The term binds no name of the value.
fn replaced(mut term: Term, name: &Name, value: &Term) -> Term {
    if Uses::of(&term, name).count == 0 {
        return term;
    }
    term.range = None;
    match &mut term.kind {
        Kind::Name { .. } => return value.clone(),
        Kind::Size(size) => {
            if let Some(value) = value.as_size() {
                *size = in_size(size, name, &value).folded();
            }
        }
        Kind::Let(binding, bound, body) => {
            let take = |part: &mut Box<Term>| std::mem::replace(&mut **part, Term::name("", true));
            **bound = replaced(take(bound), name, value);
            if !binding.names().contains(name) {
                **body = replaced(take(body), name, value);
            }
        }
        Kind::Apply(function, args) => {
            let function = replaced((**function).clone(), name, value);
            let args: Vec<Term> = args.drain(..).map(|arg| replaced(arg, name, value)).collect();
            // A function took the place of a name that was applied.
            return applied(function, args);
        }
        _ => {
            for part in term.parts_mut() {
                *part = replaced(std::mem::replace(part, Term::name("", true)), name, value);
            }
        }
    }
    term
}

fn in_size(size: &SizeTerm, name: &Name, value: &SizeTerm) -> SizeTerm {
    match size {
        SizeTerm::Name(own) if own == name => value.clone(),
        SizeTerm::Op(op, parts) => {
            SizeTerm::Op(op.clone(), parts.iter().map(|part| in_size(part, name, value)).collect())
        }
        _ => size.clone(),
    }
}
