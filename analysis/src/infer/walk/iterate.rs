//! `iterate #k f x` and `iterateWhile p f x`: the type of the loop's state.
//!
//! The function is checked once, for arrays whose lengths are inference variables. If its result has the type of its
//! argument at the lengths that `x` has, it keeps the type, and those are the lengths. If the number of iterations is a
//! size and the state is an array whose next length is known, its length is followed from iteration to iteration
//! ([`rounds`]). Otherwise the type of the value hides the lengths that change ([`crate::infer::solve::state`]).

use crate::diagnostics::problem::Noun;
use crate::diagnostics::{Diagnostic, Note, Problem, Title};
use crate::hir::{ExprId, Node, Scalar};
use crate::infer::Openings;
use crate::infer::cause::Cause;
use crate::infer::constraint::Constraint;
use crate::infer::context::Infer;
use crate::infer::result::*;
use crate::infer::solve::state::Taken;
use crate::infer::table::Key;
use crate::infer::walk::order::exchanged;
use crate::infer::walk::rounds;
use crate::size::{Size, Var, VarKind};
use crate::ty::{Ty, TyKind};

/// The types of the function and of the initial value of an `iterate`.
struct Loop {
    /// `None` until the function says it.
    start: Ty,
    argument: Taken,
    result: Ty,
}

impl Infer<'_> {
    pub fn iterate(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], note: impl Fn(&mut Self, &Ty)) -> Ty {
        let cause = |index: usize| Cause::Argument { apply: id, callee, index, arg: args[index] };
        // A number of rounds that a `let` names or that is computed is an Int, so that lengths that change in other ways
        // can be hidden.
        let count = if self.is_named_or_computed(args[0]) { None } else { self.static_size(args[0]) };
        let number = count.as_ref().map_or_else(Ty::int, |count| Ty::new(TyKind::Size(count.clone())));
        match &count {
            Some(_) => self.found.set_type(args[0], number.clone()),
            None => {
                self.argument(args[0], &number, &cause(0));
            }
        }
        // Check a value written here first: its type helps to check the function.
        let start = self.fresh();
        if let Some(&x) = args.get(2) {
            self.argument(x, &start, &cause(2));
            self.solve();
        }
        let mistakes = self.found.mistakes();
        self.scopes.deepen();
        let mut this = self.loop_of(start);
        let f = Ty::fun(this.argument.state.clone(), this.result.clone());
        let first = self.agenda.len();
        self.argument(args[1], &f, &cause(1));
        self.solve();
        self.decide_openings(first, &this.result);
        self.array_of_function(&mut this, &cause(1));
        note(self, &Ty::funs([number, f.clone(), this.start.clone()], Ty::error()));
        if self.found.mistakes() > mistakes {
            self.scopes.undeepen();
            self.infer_all(args.get(3..).unwrap_or_default());
            return Ty::error();
        }
        let (length, value) = match self.changing(&this, count.as_ref(), &cause(1)) {
            None => {
                let change = self.changing_state(&this.argument, &this.result, None, &cause(1));
                self.scopes.undeepen();
                match change {
                    Some(change) => {
                        let state = change.state.clone();
                        self.found.changes(id, change);
                        (None, state)
                    }
                    None => {
                        let keeps = Ty::fun(this.start.clone(), this.start.clone());
                        self.unify(&keeps, &f, &cause(1));
                        (None, this.start.clone())
                    }
                }
            }
            Some(next) => {
                let symbol = self.fresh_skolem(None, Some("m".into()));
                let element = this.start.as_array().map_or_else(Ty::error, |a| a.element.clone());
                let array = |len: &Size| Ty::array(element.clone(), len.clone());
                self.unify(&Ty::fun(array(&Size::var(symbol.clone())), array(&next)), &f, &cause(1));
                self.solve();
                self.scopes.undeepen();
                let [next, start] = [&next, &this.argument.lengths[0].1].map(|size| self.table.zonk_size(size));
                let Some((count, result)) =
                    count.as_ref().and_then(|count| Some((count, rounds::after_all(&next, &symbol, count, &start)?)))
                else {
                    let Some(count) = &count else { return Ty::error() };
                    self.error(Node::Expr(args[1]), &Problem::IterateLength { next, count: count.clone() });
                    return Ty::error();
                };
                if next.as_var() != Some(&symbol) {
                    self.found.require_constant(count.clone(), args[0]);
                }
                (Some(RoundLength { symbol, next, start }), Ty::array(element, result))
            }
        };
        self.found.iterates(id, Iteration { count, length });
        match args.get(3..) {
            None => Ty::fun(this.start, value),
            Some(more) => self.call(id, callee, value, more, 3),
        }
    }

    /// Reports `(iterateWhile f p x)` as one mistake, in place of those after the first `mistakes`.
    fn test_after_function(&mut self, callee: ExprId, [first, second]: [ExprId; 2], mistakes: usize) {
        let is_test = |e: ExprId| {
            let ty = self.table.zonk(&self.results().operand_type(e)?);
            match ty.kind() {
                TyKind::Fun(_, result) if !matches!(result.kind(), TyKind::Unknown(_) | TyKind::Error) => {
                    Some(result.as_scalar() == Some(Scalar::Bool))
                }
                _ => None,
            }
        };
        if (is_test(first), is_test(second)) != (Some(false), Some(true)) {
            return;
        }
        let [first_text, second_text] = [first, second].map(|e| self.program.short(e));
        let wanted = [Noun::Test, Noun::Function];
        let callee = self.program.short(callee).into();
        let problem = Problem::ArgumentOrder { callee, wanted, first: first_text, second: second_text };
        let d = Diagnostic::new(Node::Expr(first), &problem)
            .related(Node::Expr(second), &Note::ArgumentHere { noun: Noun::Test })
            .fix(Title::ExchangeArguments.certain(exchanged(first, second)));
        self.found.replace_mistakes(mistakes, d);
    }

    /// `iterateWhile p f x …`
    pub fn iterate_while(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], note: impl Fn(&mut Self, &Ty)) -> Ty {
        let cause = |index: usize| Cause::Argument { apply: id, callee, index, arg: args[index] };
        let start = self.fresh();
        self.argument(args[2], &start, &cause(2));
        self.solve();
        let start = self.table.zonk(&start);
        let mistakes = self.found.mistakes();
        self.scopes.deepen();
        let unknown = matches!(start.kind(), TyKind::Unknown(_));
        let (mut argument, mut tested) = match unknown {
            true => (self.unknown_state(), self.unknown_state()),
            false => (self.taken(&start), self.taken(&start)),
        };
        let keeps = !unknown && argument.lengths.is_empty();
        let result = if keeps { start.clone() } else { self.fresh() };
        let test = Ty::fun(tested.state.clone(), Ty::bool());
        let f = Ty::fun(argument.state.clone(), result.clone());
        note(self, &Ty::funs([test.clone(), f.clone(), start.clone()], result.clone()));
        self.argument(args[0], &test, &cause(0));
        let first = self.agenda.len();
        self.argument(args[1], &f, &cause(1));
        self.solve();
        self.decide_openings(first, &result);
        if unknown && self.found.mistakes() == mistakes {
            self.state_of_function(&start, &mut argument, &mut tested, &cause(1));
        }
        if self.found.mistakes() > mistakes {
            self.test_after_function(callee, [args[0], args[1]], mistakes);
            self.scopes.undeepen();
            self.infer_all(args.get(3..).unwrap_or_default());
            return Ty::error();
        }
        let change = self.changing_state(&argument, &result, Some(&tested), &cause(1));
        self.scopes.undeepen();
        let value = match change {
            Some(change) => {
                let state = change.state.clone();
                self.found.changes(id, change);
                state
            }
            None => {
                self.unify(&Ty::fun(start.clone(), Ty::bool()), &test, &cause(0));
                self.unify(&Ty::fun(start.clone(), start.clone()), &f, &cause(1));
                start
            }
        };
        match args.get(3..) {
            None | Some([]) => value,
            Some(more) => self.call(id, callee, value, more, 3),
        }
    }

    fn unknown_state(&mut self) -> Taken {
        Taken { state: self.fresh(), lengths: Vec::new() }
    }

    /// Where nothing was known of the state, the function says which arrays it has.
    fn state_of_function(&mut self, start: &Ty, argument: &mut Taken, tested: &mut Taken, cause: &Cause) {
        self.is_not_hidden(&argument.state, cause);
        let state = self.table.zonk(&argument.state);
        if !matches!(state.kind(), TyKind::Array(_) | TyKind::Tuple(_)) {
            return;
        }
        let outside = self.scopes.level() - 1;
        let (value, lengths) = self.with_lengths_outside(&state, outside);
        self.unify(start, &value, cause);
        argument.lengths = lengths;
        let taken = self.taken(&value);
        self.unify(&tested.state, &taken.state, cause);
        tested.lengths = taken.lengths;
        self.solve();
    }

    /// The parameter and result types of the function, one level deeper than the value.
    fn loop_of(&mut self, start: Ty) -> Loop {
        let start = self.table.zonk(&start);
        let argument = match start.kind() {
            TyKind::Unknown(_) => self.unknown_state(),
            _ => self.taken(&start),
        };
        let result = match start.kind() {
            TyKind::Unknown(_) => self.fresh(),
            _ if !argument.lengths.is_empty() => self.fresh(),
            _ => start.clone(),
        };
        Loop { start, argument, result }
    }

    /// Makes an unknown initial value an array if the function takes one.
    fn array_of_function(&mut self, this: &mut Loop, cause: &Cause) {
        if !matches!(self.table.shallow(&this.start).kind(), TyKind::Unknown(_)) {
            return;
        }
        self.is_not_hidden(&this.argument.state, cause);
        if !matches!(self.table.shallow(&this.argument.state).kind(), TyKind::Array(_)) {
            return;
        }
        let (element, any) = (self.fresh(), self.fresh_size());
        self.unify(&Ty::array(element.clone(), any.clone()), &this.argument.state, cause);
        let start = self.table.fresh_size(self.scopes.level() - 1);
        let value = Ty::array(element, start.clone());
        self.unify(&this.start, &value, cause);
        this.start = value;
        this.argument.lengths.push((any, start));
    }

    /// A loop's state of unknown type hides no length: a use as an opened value makes it one.
    fn is_not_hidden(&mut self, ty: &Ty, cause: &Cause) {
        let TyKind::Unknown(value) = *self.table.shallow(ty).kind() else { return };
        let is_value = |from: &Ty| *self.table.shallow(from).kind() == TyKind::Unknown(value);
        let opened = self.agenda.open(0).filter_map(|(_, c)| match c {
            Constraint::Open { from, to, explicit: false, .. } if is_value(from) => Some(to.clone()),
            _ => None,
        });
        for to in opened.collect::<Vec<_>>() {
            self.unify(ty, &to, cause);
        }
        self.solve();
    }

    /// Decides that values of the function, whose constraints begin at `first`, hide no length, until the type of its
    /// result is known.
    fn decide_openings(&mut self, first: usize, result: &Ty) {
        if self.guesses.openings == Openings::Wait {
            return;
        }
        while matches!(self.table.shallow(result).kind(), TyKind::Unknown(_)) {
            let is_opening = |(_, c): &(usize, &Constraint)| matches!(c, Constraint::Open { explicit: false, .. });
            let Some((id, opening)) = self.agenda.open(first).find(is_opening) else { return };
            let opening = opening.clone();
            self.agenda.finish(id);
            self.decide(opening);
            self.solve();
        }
    }

    /// The length of the array that the function gives, if it works at every length and does not keep it.
    fn changing(&mut self, this: &Loop, count: Option<&Size>, cause: &Cause) -> Option<Size> {
        let [(argument, _)] = this.argument.lengths.as_slice() else { return None };
        let (start, argument) = (self.table.zonk(&this.start), self.table.zonk_size(argument));
        let from = start.as_array()?;
        let inside =
            |v: &Var| v.kind == VarKind::Unknown && self.table.key_level(Key::Size(v.id)) >= self.scopes.level();
        if !argument.any_var(&mut |v| inside(v)) || self.table.shallow(&this.result).as_array().is_none() {
            return None;
        }
        let next = self.fresh_size();
        if !self.unify(&Ty::array(from.element.clone(), next.clone()), &this.result, cause) {
            return None;
        }
        let (next, start) = (self.table.zonk_size(&next), self.table.zonk_size(&from.len));
        // Lengths that depend on a number of iterations known only to the run are hidden. A use of a definition may tell the
        // number that it takes.
        let of_run = |count: &Size| {
            let count = self.table.zonk_size(count);
            let known = |v: &Var| matches!(v.kind, VarKind::Param | VarKind::Skolem);
            self.program.is_kernel() && count.as_const().is_none() && count.vars().iter().all(known)
        };
        if count.is_none_or(of_run) && self.may_change(&next, &argument, &start) {
            return None;
        }
        // Without iterations nothing is assumed about the length.
        let keeps = !self.may_change(&next, &argument, &start);
        (!keeps || count.is_some_and(Size::is_zero)).then_some(next)
    }

    /// Whether the next length differs from this one, which is `start` in the first iteration.
    fn may_change(&self, next: &Size, any: &Size, start: &Size) -> bool {
        any.as_var().is_none_or(|any| next.subst(&mut |v| (v == any).then(|| start.clone())) != *start)
    }
}
