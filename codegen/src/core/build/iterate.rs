//! `iterate`: with a size as number of iterations, or with a counter.

use super::super::{Atom, Lambda, Prim, Rhs, ScalarOp};
use super::scope::Scope;
use super::scope::staged::Staged;
use super::state::Changing;
use super::{Build, BuildError, Result};
use lift_analysis::hir::{ExprId, Literal};
use lift_analysis::origin::Origin;
use lift_analysis::size::VarKind;
use lift_analysis::ty::Ty;
use std::rc::Rc;

impl<'db> Build<'db> {
    /// `iterate #k f x`: one function for each iteration, unless the type stays the same.
    pub fn iterate(
        &mut self,
        scope: &Rc<Scope<'db>>,
        call: ExprId,
        count: &Staged<'db>,
        function: ExprId,
        value: Atom,
    ) -> Result<Staged<'db>> {
        let origin = scope.origin(call);
        let cx = scope.cx.clone();
        let Some(iteration) = cx.inference.iterations.get(&call) else {
            return Err(self.internal(&origin, "nothing is known of an `iterate`".into()));
        };
        let rounds = iteration.count.as_ref().map(|count| scope.size(count, call)).transpose()?;
        if let Some(change) = cx.inference.changes.get(&call) {
            let changing = Changing { scope, call, change };
            return match rounds {
                Some(rounds) if !rounds.any_var(&mut |v| v.kind == VarKind::Skolem) => {
                    self.changing_rounds(&changing, rounds, function, value)
                }
                Some(rounds) => self.changing_counted(&changing, Staged::Size(rounds), function, value),
                None => self.changing_counted(&changing, count.clone(), function, value),
            };
        }
        let rounds = match rounds {
            Some(rounds) => rounds,
            None => return self.counting_rounds(scope, count.clone(), function, value, &origin),
        };
        if iteration.length.is_none() && rounds.any_var(&mut |v| v.kind == VarKind::Skolem) {
            return self.counting_rounds(scope, Staged::Size(rounds), function, value, &origin);
        }
        if rounds.is_zero() {
            return Ok(value.into());
        }
        let inner = scope.inside(None);
        let mut ty = self.atom_ty(&value);
        let mut funs = Vec::new();
        loop {
            if let Some(length) = &iteration.length {
                let Some(len) = ty.as_array().map(|a| a.len.clone()) else {
                    return Err(self.internal(&origin, format!("`iterate` of `{ty}`")));
                };
                inner.set_length(&length.symbol, len);
            }
            let f = self.eval(&inner, function)?;
            let lambda = self.lambda(&f, std::slice::from_ref(&ty), &origin)?;
            let next = self.atom_ty(&lambda.body.result);
            let keeps = next == ty;
            funs.push(lambda);
            ty = next;
            if funs.len() == 1 && keeps {
                break;
            }
            match rounds.as_const() {
                Some(k) if funs.len() as i64 >= k => break,
                Some(_) => {}
                None => {
                    let message = format!(
                        "`iterate` of `{rounds}` rounds with a function that changes the length is not supported: the \
                         number of rounds must be a number"
                    );
                    return Err(BuildError::new(message, Some(origin)));
                }
            }
        }
        let args = vec![value];
        self.call(Prim::Iterate, vec![rounds], funs, args, &origin)
    }

    /// `iterate` with a number that only the run knows: an `iterateWhile` over a pair whose first component counts.
    fn counting_rounds(
        &mut self,
        scope: &Rc<Scope<'db>>,
        count: Staged<'db>,
        function: ExprId,
        value: Atom,
        origin: &Origin,
    ) -> Result<Staged<'db>> {
        let count = self.reify(count, origin)?;
        let state = Ty::tuple(vec![Ty::int(), self.atom_ty(&value)]);
        let less = self.emit.var("s".into(), state.clone());
        self.emit.open(origin)?;
        let round = self.emit.stmt(Ty::int(), Rhs::Proj(Atom::Var(less), 0), origin)?;
        let again = self.emit.stmt(Ty::bool(), Rhs::Scalar(ScalarOp::Lt, vec![round, count]), origin)?;
        let test =
            Lambda { position: None, params: vec![less], body: self.emit.close_block(again), origin: origin.clone() };
        let before = self.emit.var("s".into(), state.clone());
        self.emit.open(origin)?;
        let round = self.emit.stmt(Ty::int(), Rhs::Proj(Atom::Var(before), 0), origin)?;
        let x = self.emit.stmt(self.atom_ty(&value), Rhs::Proj(Atom::Var(before), 1), origin)?;
        let f = self.eval(&scope.inside(None), function)?;
        let next = self.apply(f, vec![x.into()], origin)?;
        let next = self.reify(next, origin)?;
        let one = Atom::Lit(Literal::Int(1));
        let round = self.emit.stmt(Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![round, one]), origin)?;
        let after = self.emit.stmt(state.clone(), Rhs::Tuple(vec![round, next]), origin)?;
        let step =
            Lambda { position: None, params: vec![before], body: self.emit.close_block(after), origin: origin.clone() };
        let start = self.emit.stmt(state, Rhs::Tuple(vec![Atom::Lit(Literal::Int(0)), value.clone()]), origin)?;
        let last = self.call(Prim::IterateWhile, Vec::new(), vec![test, step], vec![start], origin)?;
        let last = self.reify(last, origin)?;
        Ok(self.emit.stmt(self.atom_ty(&value), Rhs::Proj(last, 1), origin)?.into())
    }
}
