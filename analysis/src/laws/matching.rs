//! Matching a side of a law against a term.
//!
//! An applied pattern variable matches a function. Applied to names that the pattern binds, it matches any term with
//! these names (Miller, *A logic programming language with lambda-abstraction*, 1991); applied to something else, for
//! the function of a call, or for a call with one argument left out.

use super::term::{Binding, Kind, SizeTerm, Term};
use crate::node::Name;
use lift_syntax::TextRange;
use std::collections::{BTreeMap, BTreeSet};

/// The terms that the pattern variables matched.
#[derive(Debug, Clone, Default)]
pub struct Found {
    pub terms: BTreeMap<Name, Term>,
    /// Computed sizes of the pattern, with the sizes of the term that they must equal.
    pub sizes: Vec<(SizeTerm, SizeTerm)>,
    /// The names that the program has for binders of the pattern.
    pub names: BTreeMap<Name, Name>,
}

pub struct Matcher<'a> {
    /// The pattern variables.
    pub vars: &'a [Name],
    /// Whether a name of the law and one of the program, neither of them local, mean the same.
    pub same_global: &'a dyn Fn(&Name, &Name) -> bool,
}

/// Names bound by the pattern, with the names that the term binds there; innermost last.
type Bound = Vec<(Name, Name)>;

impl Matcher<'_> {
    /// Matches a whole term.
    pub fn matched(&self, pattern: &Term, term: &Term) -> Option<Found> {
        self.term(pattern, term, &Vec::new(), Found::default())
    }

    fn is_var(&self, name: &Name, bound: &Bound) -> bool {
        self.vars.contains(name) && !bound.iter().any(|(own, _)| own == name)
    }

    fn term(&self, pattern: &Term, term: &Term, bound: &Bound, found: Found) -> Option<Found> {
        match (&pattern.kind, &term.kind) {
            (Kind::Name { name, .. }, _) if self.is_var(name, bound) => self.bind(name, term, bound, found),
            (Kind::Name { name, local: true }, Kind::Name { name: other, local: true }) => {
                let own = bound.iter().rfind(|(own, _)| own == name)?;
                // An inner binder of the term may hide the name.
                let innermost = bound.iter().rfind(|(_, theirs)| theirs == other)?;
                (own == innermost).then_some(found)
            }
            (Kind::Name { name, local: false }, Kind::Name { name: other, local: false }) => {
                (self.same_global)(name, other).then_some(found)
            }
            (Kind::Literal(a), Kind::Literal(b)) if a == b => Some(found),
            (Kind::Size(size), _) => self.size(size, &term.as_size()?, found),
            (Kind::Lambda(params, body), _) => self.lambda(params, body, term, bound, found),
            (Kind::Apply(function, args), _) => match &function.kind {
                Kind::Name { name, .. } if self.is_var(name, bound) => self.applied(name, args, term, bound, found),
                _ => {
                    let Kind::Apply(other, others) = &term.kind else { return None };
                    if args.len() != others.len() {
                        return None;
                    }
                    let found = self.term(function, other, bound, found)?;
                    self.all(args, others, bound, found)
                }
            },
            (Kind::If(a), Kind::If(b)) => self.all(&**a, &**b, bound, found),
            (Kind::Tuple(a), Kind::Tuple(b)) if a.len() == b.len() => self.all(a, b, bound, found),
            (Kind::Let(Binding::Name(name), value, body), Kind::Let(Binding::Name(other), its, inner)) => {
                let found = self.term(value, its, bound, found)?;
                let mut bound = bound.clone();
                bound.push((name.clone(), other.clone()));
                self.term(body, inner, &bound, found)
            }
            _ => None,
        }
    }

    fn all(&self, patterns: &[Term], terms: &[Term], bound: &Bound, found: Found) -> Option<Found> {
        patterns.iter().zip(terms).try_fold(found, |found, (pattern, term)| self.term(pattern, term, bound, found))
    }

    fn size(&self, pattern: &SizeTerm, size: &SizeTerm, mut found: Found) -> Option<Found> {
        match pattern {
            SizeTerm::Nat(_) => (pattern.folded() == size.folded()).then_some(found),
            SizeTerm::Name(name) => self.bind(name, &Term::new(Kind::Size(size.clone())), &Vec::new(), found),
            _ => {
                found.sizes.push((pattern.clone(), size.clone()));
                Some(found)
            }
        }
    }

    /// A function: a lambda with as many parameters, or any other, which is applied to new names.
    fn lambda(&self, params: &[Binding], body: &Term, term: &Term, bound: &Bound, mut found: Found) -> Option<Found> {
        let own: Vec<Name> = params.iter().flat_map(Binding::names).cloned().collect();
        // `(lambda (x) (f x))` is `f`.
        if let Kind::Apply(function, args) = &body.kind
            && let Kind::Name { name, .. } = &function.kind
            && self.is_var(name, bound)
            && args.len() == own.len()
            && args.iter().zip(&own).all(|(arg, own)| arg.is_local(own))
        {
            return self.bind(name, term, bound, found);
        }
        let mut inner = bound.clone();
        match &term.kind {
            Kind::Lambda(theirs, its) => {
                if theirs.len() != params.len() {
                    return None;
                }
                for (own, theirs) in own.iter().zip(theirs) {
                    let Binding::Name(name) = theirs else { return None };
                    found.names.entry(own.clone()).or_insert_with(|| name.clone());
                    inner.push((own.clone(), name.clone()));
                }
                self.term(body, its, &inner, found)
            }
            Kind::Name { .. } | Kind::Apply(..) | Kind::Compose(_) => {
                let taken = term.free();
                let mut args = Vec::new();
                for own in &own {
                    let name = unlike(own, &taken);
                    args.push(Term::name(&name, true));
                    inner.push((own.clone(), name));
                }
                self.term(body, &Term::call(term.clone(), args), &inner, found)
            }
            _ => None,
        }
    }

    /// A pattern variable that is applied.
    fn applied(&self, var: &Name, args: &[Term], term: &Term, bound: &Bound, found: Found) -> Option<Found> {
        // The names that the term binds, where all arguments are different names that the pattern binds.
        let theirs: Option<Vec<Name>> = args.iter().map(|arg| partner(arg, bound)).collect();
        if let Some(names) = theirs.filter(|names| names.iter().collect::<BTreeSet<_>>().len() == names.len()) {
            // A function that only returns an argument would make a law do nothing.
            if names.iter().any(|name| term.is_local(name)) {
                return None;
            }
            if let Some(function) = without_last(term, &names) {
                return self.bind(var, &function, bound, found);
            }
            let params = names.into_iter().map(Binding::Name).collect();
            let function = Term::new(Kind::Lambda(params, Box::new(term.clone())));
            return self.bind(var, &function, bound, found);
        }
        if let Some(found) = self.invariant(var, args, term, bound, &found) {
            return Some(found);
        }
        let Kind::Apply(function, others) = &term.kind else { return None };
        // What `and` and `or` may skip would be computed for each element.
        let skips = |nth: usize| nth > 0 && function.skips_operands();
        if others.len() >= args.len() && !skips(others.len() - 1) {
            let (first, last) = others.split_at(others.len() - args.len());
            let function = Term::call((**function).clone(), first.to_vec());
            let matched = self.bind(var, &function, bound, found.clone());
            if let Some(matched) = matched.and_then(|found| self.all(args, last, bound, found)) {
                return Some(matched);
            }
        }
        // A call in which one argument is left out: the only part with a name that the term binds.
        let [arg] = args else { return None };
        let mentions = |term: &Term| {
            let free = term.free();
            bound.iter().any(|(_, theirs)| free.contains(theirs))
        };
        let mut with: Vec<usize> = (0..others.len()).filter(|nth| mentions(&others[*nth])).collect();
        let nth = with.pop().filter(|nth| with.is_empty() && !mentions(function) && !skips(*nth))?;
        let name = unlike(&"v".into(), &term.free());
        let mut left = others.clone();
        let part = std::mem::replace(&mut left[nth], Term::name(&name, true));
        let body = Term::call((**function).clone(), left);
        let function = Term::new(Kind::Lambda(vec![Binding::Name(name)], Box::new(body)));
        let found = self.bind(var, &function, bound, found)?;
        self.term(arg, &part, bound, found)
    }

    /// `(f e x)` where `e` mentions nothing that the pattern binds and `x` is bound: a part that mentions no bound name.
    fn invariant(&self, var: &Name, args: &[Term], term: &Term, bound: &Bound, found: &Found) -> Option<Found> {
        let (first, rest) = args.split_first()?;
        let names: Vec<Name> = rest.iter().map(|arg| partner(arg, bound)).collect::<Option<_>>()?;
        if names.is_empty() || bound.iter().any(|(own, _)| first.free().contains(own)) {
            return None;
        }
        let matched = |part: &Term| {
            let free = part.free();
            let fixed = !part.is_atom() && !bound.iter().any(|(_, theirs)| free.contains(theirs));
            fixed.then(|| self.term(first, part, bound, found.clone())).flatten()
        };
        let (part, matched) = first_part(term, &matched)?;
        let name = unlike(&"v".into(), &term.free());
        let body = with_name(term.clone(), part, &name);
        let params = std::iter::once(name).chain(names).map(Binding::Name).collect();
        self.bind(var, &Term::new(Kind::Lambda(params, Box::new(body))), bound, matched)
    }

    fn bind(&self, var: &Name, term: &Term, bound: &Bound, mut found: Found) -> Option<Found> {
        let free = term.free();
        if bound.iter().any(|(_, theirs)| free.contains(theirs)) {
            return None;
        }
        match found.terms.get(var) {
            Some(before) => same(before, term).then_some(found),
            None => {
                found.terms.insert(var.clone(), term.clone());
                Some(found)
            }
        }
    }
}

impl Term {
    fn is_local(&self, wanted: &Name) -> bool {
        matches!(&self.kind, Kind::Name { name, local: true } if name == wanted)
    }
}

/// The first part of a term for which `find` succeeds, outer parts first. Parts under a binder are skipped, because
/// they may mention bound names.
fn first_part<'t, T>(term: &'t Term, find: &dyn Fn(&Term) -> Option<T>) -> Option<(&'t Term, T)> {
    if let Some(found) = find(term) {
        return Some((term, found));
    }
    match &term.kind {
        Kind::Lambda(..) => None,
        Kind::Let(_, value, _) => first_part(value, find),
        // A branch is computed only if it is taken.
        Kind::If(parts) => first_part(&parts[0], find),
        _ => term.parts().into_iter().find_map(|part| first_part(part, find)),
    }
}

/// The term with a name in place of one of its parts.
fn with_name(term: Term, part: &Term, name: &Name) -> Term {
    if term.range == part.range && same(&term, part) {
        return Term::name(name, true);
    }
    let mut term = Term { range: None, ..term };
    for inner in term.parts_mut() {
        let holds =
            |range: Option<TextRange>| range.zip(part.range).is_none_or(|(outer, inner)| outer.contains_range(inner));
        if holds(inner.range) {
            *inner = with_name(std::mem::replace(inner, Term::name("", true)), part, name);
        }
    }
    term
}

/// The term's name for a name that the pattern binds.
fn partner(arg: &Term, bound: &Bound) -> Option<Name> {
    let Kind::Name { name, .. } = &arg.kind else { return None };
    bound.iter().rfind(|(own, _)| own == name).map(|(_, theirs)| theirs.clone())
}

/// The function of a call whose last arguments are just these names, in this order, if nothing else mentions them.
fn without_last(term: &Term, names: &[Name]) -> Option<Term> {
    let Kind::Apply(function, args) = &term.kind else { return None };
    let (first, last) = args.split_at(args.len().checked_sub(names.len())?);
    // Otherwise the arguments before would be computed although the function is never called.
    if !first.iter().all(Term::is_value) {
        return None;
    }
    let rest = Term::call((**function).clone(), first.to_vec());
    let free = rest.free();
    let fits = last.iter().zip(names).all(|(arg, name)| arg.is_local(name));
    (fits && !names.iter().any(|name| free.contains(name))).then_some(rest)
}

/// A name that is not among others: itself, or with a number.
pub fn unlike(name: &Name, taken: &BTreeSet<Name>) -> Name {
    let numbered = (1u32..).map(|n| Name::from(format!("{name}{n}")));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_else(|| name.clone())
}

/// Whether two terms are equal up to the names that they bind, and to `(f x)` beside `f`.
pub fn same(a: &Term, b: &Term) -> bool {
    let matcher = Matcher { vars: &[], same_global: &|a, b| a == b };
    matcher.same(a, b, &Vec::new())
}

impl Matcher<'_> {
    fn same(&self, a: &Term, b: &Term, bound: &Bound) -> bool {
        let all = |a: &[Term], b: &[Term]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(a, b, bound));
        match (&a.kind, &b.kind) {
            (Kind::Name { name: a, local: x }, Kind::Name { name: b, local: y }) => {
                let left = bound.iter().rposition(|(own, _)| own == a);
                let right = bound.iter().rposition(|(_, theirs)| theirs == b);
                x == y && left == right && (left.is_some() || a == b)
            }
            (Kind::Literal(a), Kind::Literal(b)) => a == b,
            (Kind::Size(_), _) | (_, Kind::Size(_)) => {
                a.as_size().zip(b.as_size()).is_some_and(|(a, b)| a.folded() == b.folded())
            }
            (Kind::Lambda(params, body), Kind::Lambda(theirs, its)) => {
                let mut inner = bound.clone();
                params.len() == theirs.len()
                    && params.iter().zip(theirs).all(|(a, b)| match (a, b) {
                        (Binding::Name(a), Binding::Name(b)) => {
                            inner.push((a.clone(), b.clone()));
                            true
                        }
                        (a, b) => {
                            inner.extend(a.names().iter().cloned().zip(b.names().iter().cloned()));
                            a == b
                        }
                    })
                    && self.same(body, its, &inner)
            }
            (Kind::Let(x, value, body), Kind::Let(y, its, inner)) => {
                let mut names = bound.clone();
                names.extend(x.names().iter().cloned().zip(y.names().iter().cloned()));
                let like = matches!((x, y), (Binding::Name(_), Binding::Name(_))) || x == y;
                like && self.same(value, its, bound) && self.same(body, inner, &names)
            }
            (Kind::Apply(f, xs), Kind::Apply(g, ys)) => self.same(f, g, bound) && all(xs, ys),
            (Kind::If(a), Kind::If(b)) => all(&**a, &**b),
            (Kind::Tuple(a), Kind::Tuple(b)) | (Kind::Compose(a), Kind::Compose(b)) => all(a, b),
            (Kind::Around(a, inner), Kind::Around(b, its)) => a == b && self.same(inner, its, bound),
            (Kind::Opaque(a, _), Kind::Opaque(b, _)) => a == b,
            _ => false,
        }
    }
}
