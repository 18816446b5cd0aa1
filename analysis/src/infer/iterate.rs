//! `iterate #k f x`: the type of the value that the rounds carry.
//!
//! The function is checked once, for arrays whose lengths are inference variables. If its result has the type of its
//! argument at the lengths that `x` has, it keeps the type, and those are the lengths. Otherwise the value is an array
//! whose length is followed from round to round ([`rounds`]), and the function works at every length.

use super::cause::Cause;
use super::constraint::Constraint;
use super::context::Infer;
use super::result::*;
use super::rounds;
use super::table::Key;
use crate::diagnostics::Problem;
use crate::hir::{ExprId, Node};
use crate::size::{Size, Var, VarKind};
use crate::ty::{Ty, TyKind};

/// The type of the function of a loop, and of what it is applied to first.
struct Loop {
    /// `None` until the function says it.
    start: Ty,
    argument: Ty,
    result: Ty,
    /// Lengths of the argument, and what they are in `start`.
    lengths: Vec<(Size, Size)>,
}

impl Infer<'_> {
    pub fn iterate(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], note: impl Fn(&mut Self, &Ty)) -> Ty {
        let cause = |index: usize| Cause::Argument { apply: id, callee, index, arg: args[index] };
        let count = self.static_size(args[0]);
        let number = count.as_ref().map_or_else(Ty::int, |count| Ty::new(TyKind::Size(count.clone())));
        match &count {
            Some(_) => self.expr_types[args[0]] = Some(number.clone()),
            None => {
                self.argument(args[0], &number, &cause(0));
            }
        }
        // The value first, where it stands here: its type helps to check the function.
        let start = self.fresh();
        if let Some(&x) = args.get(2) {
            self.argument(x, &start, &cause(2));
            self.solve();
        }
        let mistakes = self.out.diagnostics.len();
        self.scopes.deepen();
        let mut this = self.loop_of(start);
        let f = Ty::fun(this.argument.clone(), this.result.clone());
        self.argument(args[1], &f, &cause(1));
        self.solve();
        self.array_of_function(&mut this, &cause(1));
        note(self, &Ty::funs([number, f.clone(), this.start.clone()], Ty::error()));
        if self.out.diagnostics.len() > mistakes {
            self.scopes.undeepen();
            self.infer_all(args.get(3..).unwrap_or_default());
            return Ty::error();
        }
        let (length, value) = match self.changing(&this, count.as_ref(), &cause(1)) {
            None => {
                let keeps = Ty::fun(this.start.clone(), this.start.clone());
                self.scopes.undeepen();
                self.unify(&keeps, &f, &cause(1));
                (None, this.start.clone())
            }
            Some(next) => {
                let symbol = self.fresh_skolem(None, Some("m".into()));
                let element = this.start.as_array().map_or_else(Ty::error, |a| a.element.clone());
                let array = |len: &Size| Ty::array(element.clone(), len.clone());
                self.unify(&Ty::fun(array(&Size::var(symbol.clone())), array(&next)), &f, &cause(1));
                self.solve();
                self.scopes.undeepen();
                let [next, start] = [&next, &this.lengths[0].1].map(|size| self.table.zonk_size(size));
                let Some(count) = &count else {
                    self.error(Node::Expr(args[1]), &Problem::IterateUncounted { next });
                    return Ty::error();
                };
                let Some(result) = rounds::after_all(&next, &symbol, count, &start) else {
                    self.error(Node::Expr(args[1]), &Problem::IterateLength { next, count: count.clone() });
                    return Ty::error();
                };
                if next.as_var() != Some(&symbol) {
                    self.constants.push((count.clone(), args[0]));
                }
                (Some(RoundLength { symbol, next, start }), Ty::array(element, result))
            }
        };
        self.out.iterations.insert(id, Iteration { count, length });
        match args.get(3..) {
            None => Ty::fun(this.start, value),
            Some(more) => self.call(id, callee, value, more, 3),
        }
    }

    /// What the function takes and gives, one level further in than the value itself.
    fn loop_of(&mut self, start: Ty) -> Loop {
        let start = self.table.zonk(&start);
        let mut lengths = Vec::new();
        let argument = match start.kind() {
            TyKind::Unknown(_) => self.fresh(),
            _ => self.with_any_lengths(&start, &mut lengths),
        };
        let result = match start.kind() {
            TyKind::Unknown(_) => self.fresh(),
            _ if !lengths.is_empty() => self.fresh(),
            _ => start.clone(),
        };
        Loop { start, argument, result, lengths }
    }

    /// A type whose arrays have any lengths, which are told with those in the type.
    fn with_any_lengths(&mut self, ty: &Ty, lengths: &mut Vec<(Size, Size)>) -> Ty {
        match ty.kind() {
            TyKind::Array(a) if a.position.is_none() => {
                let any = self.fresh_size();
                lengths.push((any.clone(), a.len.clone()));
                Ty::array(a.element.clone(), any)
            }
            TyKind::Tuple(parts) => Ty::tuple(parts.iter().map(|p| self.with_any_lengths(p, lengths)).collect()),
            _ => ty.clone(),
        }
    }

    /// Where nothing was known of the value, the function says whether it is an array.
    fn array_of_function(&mut self, this: &mut Loop, cause: &Cause) {
        if !matches!(self.table.shallow(&this.start).kind(), TyKind::Unknown(_)) {
            return;
        }
        self.is_not_hidden(&this.argument, cause);
        if !matches!(self.table.shallow(&this.argument).kind(), TyKind::Array(_)) {
            return;
        }
        let (element, any) = (self.fresh(), self.fresh_size());
        self.unify(&Ty::array(element.clone(), any.clone()), &this.argument, cause);
        let start = self.table.fresh_size(self.scopes.level() - 1);
        let value = Ty::array(element, start.clone());
        self.unify(&this.start, &value, cause);
        this.start = value;
        this.lengths.push((any, start));
    }

    /// A value of unknown type that a loop carries hides no length: as what it is used opened, that it is.
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

    /// The length of the array that the function gives, if it works at every length and does not keep it.
    fn changing(&mut self, this: &Loop, count: Option<&Size>, cause: &Cause) -> Option<Size> {
        let [(argument, _)] = this.lengths.as_slice() else { return None };
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
        // In no round at all nothing is assumed of the length.
        let keeps =
            argument.as_var().is_some_and(|any| next.subst(&mut |v| (v == any).then(|| start.clone())) == start);
        (!keeps || count.is_some_and(Size::is_zero)).then_some(next)
    }
}
