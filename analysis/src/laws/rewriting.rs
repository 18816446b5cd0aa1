//! Applying laws to the terms of a form.

use super::building::built;
use super::conditions::{Known, called, declared, known, may_round};
use super::failing::Failing;
use super::law::{Condition, Direction, Law};
use super::matching::{Found, Matcher};
use super::term::{Kind, Reader, SizeTerm, Term};
use crate::node::Name;
use crate::size::{Size, Var, VarKind};
use lift_syntax::TextRange;
use lift_syntax::ast::{self, SizeOperator};
use std::collections::{BTreeMap, BTreeSet};

impl Law {
    /// The title of the rewriting in a direction; `None` if the law does not allow that direction.
    pub fn title(&self, direction: Direction) -> Option<&str> {
        match direction {
            Direction::Forwards => self.forwards.as_deref(),
            Direction::Backwards => self.backwards.as_deref(),
        }
    }

    /// The conditions of a rewriting in a direction.
    pub fn conditions_of(&self, direction: Direction) -> impl Iterator<Item = &Condition> {
        let directed = self.directed.iter().filter(move |(of, _)| *of == direction);
        self.conditions.iter().chain(directed.map(|(_, condition)| condition))
    }

    /// The sides, from and to.
    pub fn sides(&self, direction: Direction) -> [&Term; 2] {
        match direction {
            Direction::Forwards => [&self.left.term, &self.right.term],
            Direction::Backwards => [&self.right.term, &self.left.term],
        }
    }
}

/// A form that laws rewrite.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    pub text: &'a str,
    /// The term of the text, by [`root`].
    pub root: &'a Term,
    /// Whether a name of the law means in this form what it means in the law.
    pub same_global: &'a dyn Fn(&Name, &Name) -> bool,
    pub failing: &'a Failing<'a>,
}

/// A rewritten form.
#[derive(Debug, Clone)]
pub struct Rewritten {
    pub direction: Direction,
    /// The part of the form that was rewritten.
    pub range: TextRange,
    /// The text of the form, not laid out.
    pub text: String,
    /// The sizes that were chosen.
    pub chosen: Vec<(Name, u64)>,
    /// Conditions that the programmer has to know.
    pub assumed: Vec<String>,
    pub rounds: bool,
}

/// Choices of sizes that are tried for one match.
const MOST_CHOICES: usize = 16;

/// The term of a form; `None` if it is neither a definition nor a kernel, or has syntax errors.
pub fn root(text: &str, is_pipeline: &dyn Fn(TextRange) -> bool) -> Option<Term> {
    let parse = lift_syntax::parse_form(text);
    let form = parse.form().filter(|_| parse.errors.is_empty())?;
    match form.item()? {
        ast::Item::Define(define) => {
            let mut names = Vec::new();
            for param in define.head().into_iter().flat_map(|head| head.params()) {
                names.extend(super::term::param_of(&param)?.names().iter().cloned());
            }
            Reader::new(names, is_pipeline).expr(&define.body()?)
        }
        ast::Item::Lift(kernel) => {
            let sizes = kernel.size_params().into_iter().flat_map(|sizes| sizes.names());
            let sizes: Option<Vec<Name>> = sizes.map(|name| Some(name.text()?.into())).collect();
            Reader::new(sizes?, is_pipeline).expr(&kernel.body()?)
        }
        _ => None,
    }
}

impl Subject<'_> {
    /// The rewritings by a law of terms around a selection, inner terms first. The selection must be in a part that the
    /// law's pattern spells out, not in the term of a variable.
    pub fn at(&self, law: &Law, selection: TextRange) -> Vec<Rewritten> {
        self.around(selection).iter().flat_map(|path| self.rewritten(law, path, Some(selection))).collect()
    }

    /// The ways to the terms around a selection, inner terms first.
    fn around(&self, selection: TextRange) -> Vec<Vec<usize>> {
        let holds = |term: &Term| term.span().is_some_and(|span| span.contains_range(selection));
        let (mut path, mut found, mut term) = (Vec::new(), Vec::new(), self.root);
        while holds(term) {
            found.push(path.clone());
            let Some((nth, part)) = term.parts().into_iter().enumerate().find(|(_, part)| holds(part)) else { break };
            path.push(nth);
            term = part;
        }
        found.reverse();
        found
    }

    /// The rewritings by a law anywhere in the form.
    pub fn anywhere(&self, law: &Law) -> Vec<Rewritten> {
        self.paths().iter().flat_map(|path| self.rewritten(law, path, None)).collect()
    }

    /// The ways to the terms, outer terms first.
    fn paths(&self) -> Vec<Vec<usize>> {
        fn walk(term: &Term, path: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
            found.push(path.clone());
            for (nth, part) in term.parts().into_iter().enumerate() {
                path.push(nth);
                walk(part, path, found);
                path.pop();
            }
        }
        let mut found = Vec::new();
        walk(self.root, &mut Vec::new(), &mut found);
        found
    }

    fn term_at(&self, path: &[usize]) -> Option<&Term> {
        path.iter().try_fold(self.root, |term, &nth| term.parts().into_iter().nth(nth))
    }

    fn rewritten(&self, law: &Law, path: &[usize], selection: Option<TextRange>) -> Vec<Rewritten> {
        let mut out = Vec::new();
        let Some(term) = self.term_at(path) else { return out };
        for direction in Direction::BOTH {
            if law.title(direction).is_none() {
                continue;
            }
            let [from, to] = law.sides(direction);
            let matcher = Matcher { vars: &law.params, same_global: self.same_global };
            let Some(found) = matcher.matched(from, term) else { continue };
            if selection.is_some_and(|selection| found.terms.values().any(|term| term.holds(selection))) {
                continue;
            }
            let names = found.names.clone();
            for (found, chosen) in completed(law, to, found) {
                out.extend(self.by(law, direction, path, (&found, &names), chosen));
            }
        }
        out
    }

    fn by(
        &self,
        law: &Law,
        direction: Direction,
        path: &[usize],
        (found, names): (&BTreeMap<Name, Term>, &BTreeMap<Name, Name>),
        chosen: Vec<(Name, u64)>,
    ) -> Option<Rewritten> {
        let [from, to] = law.sides(direction);
        let mut assumed = Vec::new();
        for condition in law.conditions_of(direction) {
            match known(condition, found, self.failing) {
                Known::Holds => {}
                Known::Fails => return None,
                Known::Assumed if declared(condition, from) => {}
                Known::Assumed => assumed.push(self.shown(condition, found)),
            }
        }
        let new = built(to, found, names)?;
        // The names in the law must have the same meaning here.
        let mut globals = Vec::new();
        to.globals(&mut globals);
        let hidden = self.scope_at(path);
        if globals.iter().any(|name| hidden.contains(name) || !(self.same_global)(name, name)) {
            return None;
        }
        let (range, new) = self.replaced(path, new)?;
        let bytes = std::ops::Range::<usize>::from(range);
        let new = new.print(self.text);
        let old = self.text.get(bytes.clone())?;
        // Nothing changes, or a comment would be lost.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if words(old) == words(&new) || old.matches(';').count() > new.matches(';').count() {
            return None;
        }
        let mut text = self.text.to_owned();
        text.replace_range(bytes, &new);
        let rounds = may_round(&law.conditions, found, self.failing);
        Some(Rewritten { direction, range, text, chosen, assumed, rounds })
    }

    /// The nearest term with a range around a path, and its replacement when the term at the path is replaced.
    fn replaced(&self, path: &[usize], new: Term) -> Option<(TextRange, Term)> {
        let mut around = path.len();
        while self.term_at(&path[..around])?.range.is_none() {
            around = around.checked_sub(1)?;
        }
        let mut outer = self.term_at(&path[..around])?.clone();
        let range = outer.range?;
        let mut place = &mut outer;
        for &nth in &path[around..] {
            place.range = None;
            place = place.parts_mut().into_iter().nth(nth)?;
        }
        *place = new;
        Some((range, outer))
    }

    /// The names that are bound around a term.
    fn scope_at(&self, path: &[usize]) -> BTreeSet<Name> {
        let mut names = BTreeSet::new();
        for depth in 0..path.len() {
            match self.term_at(&path[..depth]).map(|term| &term.kind) {
                Some(Kind::Lambda(params, _)) => {
                    names.extend(params.iter().flat_map(super::term::Binding::names).cloned());
                }
                Some(Kind::Let(binding, ..)) => names.extend(binding.names().iter().cloned()),
                _ => {}
            }
        }
        names
    }

    fn shown(&self, condition: &Condition, found: &BTreeMap<Name, Term>) -> String {
        let text = |name: &Name| found.get(name).map_or_else(|| name.to_string(), |term| term.print(self.text));
        match condition {
            Condition::Associative(op) => format!("{} is associative", text(op)),
            Condition::Commutative(op) => format!("{} is commutative", text(op)),
            Condition::Neutral(z, op) => format!("{} is neutral for {}", text(z), text(op)),
            Condition::Total(function, _) => match called(condition, found) {
                Some(term) => format!("{} cannot fail", term.print(self.text)),
                None => format!("{} cannot fail", text(function)),
            },
        }
    }
}

impl Term {
    /// From the first to the last part with a range.
    fn span(&self) -> Option<TextRange> {
        self.range.or_else(|| self.parts().into_iter().filter_map(Term::span).reduce(TextRange::cover))
    }

    /// Whether a selection is inside the term.
    fn holds(&self, selection: TextRange) -> bool {
        match self.range {
            Some(range) => range.contains_range(selection),
            None => self.parts().into_iter().any(|part| part.holds(selection)),
        }
    }
}

/// The terms of the variables, and the chosen sizes.
type Complete = (BTreeMap<Name, Term>, Vec<(Name, u64)>);

/// Chooses the sizes that the other side needs and matching left open, then compares the computed sizes.
fn completed(law: &Law, to: &Term, found: Found) -> Vec<Complete> {
    let free = to.free();
    let mut wanted: BTreeSet<Name> = law.params.iter().filter(|name| free.contains(*name)).cloned().collect();
    let mut in_sizes = BTreeSet::new();
    found.sizes.iter().for_each(|(pattern, _)| pattern.names(&mut in_sizes));
    wanted.extend(in_sizes);
    let mut choices = vec![(found, Vec::new())];
    for (name, values) in &law.tries {
        if !wanted.contains(name) {
            continue;
        }
        let open = |(found, _): &(Found, Vec<(Name, u64)>)| !found.terms.contains_key(name);
        choices = choices
            .into_iter()
            .flat_map(|choice| match open(&choice) {
                false => vec![choice],
                true => {
                    let with = |value: &u64| {
                        let (mut found, mut chosen) = choice.clone();
                        found.terms.insert(name.clone(), Term::new(Kind::Size(SizeTerm::Nat(*value))));
                        chosen.push((name.clone(), *value));
                        (found, chosen)
                    };
                    values.iter().map(with).collect()
                }
            })
            .take(MOST_CHOICES)
            .collect();
    }
    let complete = |(found, chosen): (Found, Vec<(Name, u64)>)| {
        let terms = solved(law, found)?;
        wanted.iter().all(|name| terms.contains_key(name)).then_some((terms, chosen))
    };
    choices.into_iter().filter_map(complete).collect()
}

/// Compares computed sizes; the one variable that is still open in a size takes the value that makes it equal.
fn solved(law: &Law, found: Found) -> Option<BTreeMap<Name, Term>> {
    let mut terms = found.terms;
    for (pattern, size) in &found.sizes {
        let mut names = BTreeSet::new();
        pattern.names(&mut names);
        let open: Vec<Name> =
            names.into_iter().filter(|name| law.params.contains(name) && !terms.contains_key(name)).collect();
        let value = |name: &Name| match terms.get(name) {
            Some(term) => value(&term.as_size()?, &|name| Some(Size::var(variable(name))), &|name| Some(name.clone())),
            None => Some(Size::var(Var::new(VarKind::Generic, 0, &**name))),
        };
        // `(length xs)` is of the array that the pattern's `xs` is.
        let array = |name: &Name| match terms.get(name).map(|term| &term.kind) {
            Some(Kind::Name { name, .. }) => Some(name.clone()),
            _ => None,
        };
        let have = self::value(pattern, &value, &array)?;
        let own = |name: &Name| Some(Size::var(variable(name)));
        let wanted = self::value(size, &own, &|name| Some(name.clone()))?;
        match open.as_slice() {
            [] if have == wanted => {}
            [name] => {
                let (slope, rest) = have.linear_in(&Var::new(VarKind::Generic, 0, &**name))?;
                if !slope.is_one() {
                    return None;
                }
                let solution = crate::infer::size_source(&wanted.sub(&rest), &|_| false)?;
                terms.insert(name.clone(), super::term::parse(&format!("#{solution}"), &[])?);
            }
            _ => return None,
        }
    }
    Some(terms)
}

/// A size name of the program, for comparison only.
fn variable(name: &Name) -> Var {
    Var::new(VarKind::Param, 0, &**name)
}

/// The value of a size, from the values of names and of arrays whose lengths it mentions.
fn value(size: &SizeTerm, of: &dyn Fn(&Name) -> Option<Size>, array: &dyn Fn(&Name) -> Option<Name>) -> Option<Size> {
    Some(match size {
        SizeTerm::Nat(n) => Size::nat(*n),
        SizeTerm::Name(name) => of(name)?,
        SizeTerm::Op(op, parts) => {
            let parts: Option<Vec<Size>> = parts.iter().map(|part| value(part, of, array)).collect();
            let mut parts = parts?.into_iter();
            let first = parts.next()?;
            match op.operator {
                SizeOperator::Add => parts.fold(first, |a, b| a.add(&b)),
                SizeOperator::Sub => parts.fold(first, |a, b| a.sub(&b)),
                SizeOperator::Mul => parts.fold(first, |a, b| a.mul(&b)),
                _ => return None,
            }
        }
        SizeTerm::Length(name) => Size::var(Var::new(VarKind::Param, 0, SizeTerm::Length(array(name)?).print())),
        SizeTerm::Opaque(..) => Size::var(Var::new(VarKind::Param, 0, size.print())),
    })
}
