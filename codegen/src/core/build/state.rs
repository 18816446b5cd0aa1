//! Loops whose state hides the lengths that change from iteration to iteration.
//!
//! Each iteration opens the state, applies the function, and hides the lengths of its result again.

use super::super::typing::same_type;
use super::super::{Atom, Lambda, Prim, Rhs, ScalarOp};
use super::scope::Scope;
use super::scope::staged::Staged;
use super::{Build, Result};
use lift_analysis::hir::{ExprId, Literal};
use lift_analysis::infer::{Opening, Packing, Site, StateChange};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

/// A call of such a loop.
pub struct Changing<'c, 'db> {
    pub scope: &'c Rc<Scope<'db>>,
    pub call: ExprId,
    pub change: &'c StateChange,
}

/// Computes something of an opened state, in the scope of its lengths.
type OfState<'f, 'db> = dyn FnMut(&mut Build<'db>, &Rc<Scope<'db>>, Atom) -> Result<Atom> + 'f;

impl Changing<'_, '_> {
    fn opening(&self, lengths: &[Var]) -> Opening {
        let from = self.change.state.clone();
        let (site, lengths) = (Site::Expr(self.call), lengths.to_vec());
        Opening { site, lengths, to: from.clone(), from, scope: self.call, explicit: false }
    }
}

impl<'db> Build<'db> {
    /// `iterateWhile test f x`
    pub fn changing_while(
        &mut self,
        of: &Changing<'_, 'db>,
        [test, function]: [ExprId; 2],
        x: Atom,
    ) -> Result<Staged<'db>> {
        let origin = of.scope.origin(of.call);
        let start = self.initial_state(of, x)?;
        let test = self
            .lambda_of_state(of, &start, &of.change.test, &mut |this, scope, state| this.applied(scope, test, state))?;
        let step = self.lambda_of_state(of, &start, &of.change.step, &mut |this, scope, state| {
            let next = this.applied(scope, function, state)?;
            this.as_state(next, &start, &origin)
        })?;
        self.call(Prim::IterateWhile, Vec::new(), vec![test, step], vec![start.0], &origin)
    }

    /// `iterate #rounds f x`
    pub fn changing_rounds(
        &mut self,
        of: &Changing<'_, 'db>,
        rounds: Size,
        function: ExprId,
        x: Atom,
    ) -> Result<Staged<'db>> {
        let origin = of.scope.origin(of.call);
        let start = self.initial_state(of, x)?;
        let step = self.lambda_of_state(of, &start, &of.change.step, &mut |this, scope, state| {
            let next = this.applied(scope, function, state)?;
            this.as_state(next, &start, &origin)
        })?;
        self.call(Prim::Iterate, vec![rounds], vec![step], vec![start.0], &origin)
    }

    /// `iterate` with a number of iterations that only the run knows: the state has a counter.
    pub fn changing_counted(
        &mut self,
        of: &Changing<'_, 'db>,
        count: Staged<'db>,
        function: ExprId,
        x: Atom,
    ) -> Result<Staged<'db>> {
        let origin = of.scope.origin(of.call);
        let count = self.reify(count, &origin)?;
        let start = self.initial_state(of, x)?;
        let zero = Atom::Lit(Literal::Int(0));
        let first = self.opened(start.0.clone(), &origin)?;
        let first = self.pair(vec![zero, first], &origin)?;
        let TyKind::Exists(vars, body) = start.1.kind() else {
            return Err(self.internal(&origin, format!("`{}` hides no length", start.1)));
        };
        let counted = Ty::exists(vars.clone(), Ty::tuple(vec![Ty::int(), body.clone()]));
        let start = (self.hidden_as(first, &counted, &origin)?, counted);
        let test = self.lambda_of_state(of, &start, &of.change.step, &mut |this, _, state| {
            let round = this.projection(state, 0, &origin)?;
            this.emit.stmt(Ty::bool(), Rhs::Scalar(ScalarOp::Lt, vec![round, count.clone()]), &origin)
        })?;
        let step = self.lambda_of_state(of, &start, &of.change.step, &mut |this, scope, state| {
            let round = this.projection(state.clone(), 0, &origin)?;
            let value = this.projection(state, 1, &origin)?;
            let next = this.applied(scope, function, value)?;
            let next = this.opened(next, &origin)?;
            let one = Atom::Lit(Literal::Int(1));
            let round = this.emit.stmt(Ty::int(), Rhs::Scalar(ScalarOp::Add, vec![round, one]), &origin)?;
            let next = this.pair(vec![round, next], &origin)?;
            this.as_state(next, &start, &origin)
        })?;
        let last = self.call(Prim::IterateWhile, Vec::new(), vec![test, step], vec![start.0.clone()], &origin)?;
        let last = self.reify(last, &origin)?;
        let last = self.opened(last, &origin)?;
        let value = self.projection(last, 1, &origin)?;
        let state = Ty::exists(vars.clone(), body.clone());
        Ok(self.hidden_as(value, &state, &origin)?.into())
    }

    /// The initial value, and the type of the state.
    fn initial_state(&mut self, of: &Changing<'_, 'db>, x: Atom) -> Result<(Atom, Ty)> {
        for (own, start) in &of.change.kept {
            of.scope.set_length(own, of.scope.size(start, of.call)?);
        }
        let (hidden, to) = (of.change.start.clone(), of.change.state.clone());
        let packing = Packing { expr: of.call, hidden, from: to.clone(), to, explicit: false };
        let packed = self.pack(of.scope, &packing, x.into())?;
        let packed = self.reify(packed, &of.scope.origin(of.call))?;
        let ty = self.atom_ty(&packed);
        Ok((packed, ty))
    }

    /// A function of the state, which `body` gets opened.
    fn lambda_of_state(
        &mut self,
        of: &Changing<'_, 'db>,
        state: &(Atom, Ty),
        lengths: &[Var],
        body: &mut OfState<'_, 'db>,
    ) -> Result<Lambda> {
        let origin = of.scope.origin(of.call);
        let ty = self.fresh_binders(&state.1);
        let param = self.emit.var("s".into(), ty);
        self.emit.open(&origin)?;
        let scope = of.scope.inside(None);
        let opened = self.open(&scope, &of.opening(lengths), of.call, Staged::from(param))?;
        let opened = self.reify(opened, &origin)?;
        let result = body(self, &scope, opened)?;
        Ok(Lambda { position: None, params: vec![param], body: self.emit.close_block(result), origin })
    }

    fn applied(&mut self, scope: &Rc<Scope<'db>>, function: ExprId, state: Atom) -> Result<Atom> {
        let origin = scope.origin(function);
        let f = self.eval(scope, function)?;
        let value = self.apply(f, vec![state.into()], &origin)?;
        self.reify(value, &origin)
    }

    /// A value that may hide other lengths than the state, or none, as one of the state's type.
    fn as_state(&mut self, value: Atom, state: &(Atom, Ty), origin: &Origin) -> Result<Atom> {
        if same_type(&self.atom_ty(&value), &state.1, &|a, b| a == b) {
            return Ok(value);
        }
        let value = self.opened(value, origin)?;
        self.hidden_as(value, &state.1, origin)
    }

    /// The value with its lengths opened.
    fn opened(&mut self, value: Atom, origin: &Origin) -> Result<Atom> {
        let ty = self.atom_ty(&value);
        let TyKind::Exists(vars, body) = ty.kind() else { return Ok(value) };
        let lengths: Vec<Var> = vars.iter().map(|_| self.emit.opened_length(&super::lengths::unnamed())).collect();
        let to = body.subst_sizes(&mut |v| vars.iter().position(|w| w == v).map(|i| Size::var(lengths[i].clone())));
        self.emit.binding_stmt(to, lengths, Rhs::Unpack(value), origin)
    }

    /// The value with the lengths hidden that `ty` hides.
    fn hidden_as(&mut self, value: Atom, ty: &Ty, origin: &Origin) -> Result<Atom> {
        let (from, to) = (self.atom_ty(&value), self.fresh_binders(ty));
        let TyKind::Exists(vars, body) = to.kind() else { return Ok(value) };
        let lengths: Option<Vec<Size>> = vars.iter().map(|v| length_at(v, body, &from)).collect();
        let Some(lengths) = lengths else {
            return Err(self.internal(origin, format!("`{from}` is given to a loop as `{ty}`")));
        };
        self.emit.stmt(to, Rhs::Pack(value, lengths), origin)
    }

    fn pair(&mut self, parts: Vec<Atom>, origin: &Origin) -> Result<Atom> {
        let ty = Ty::tuple(parts.iter().map(|a| self.atom_ty(a)).collect());
        self.emit.stmt(ty, Rhs::Tuple(parts), origin)
    }

    fn projection(&mut self, tuple: Atom, part: usize, origin: &Origin) -> Result<Atom> {
        let ty = self.atom_ty(&tuple);
        let part_ty = match ty.kind() {
            TyKind::Tuple(parts) => parts.get(part).cloned(),
            _ => None,
        };
        match part_ty {
            Some(ty) => self.emit.stmt(ty, Rhs::Proj(tuple, part), origin),
            None => Err(self.internal(origin, format!("component {part} of `{ty}`"))),
        }
    }
}

/// The length in `ty` where `pattern`, a type of the same shape, has the variable.
fn length_at(v: &Var, pattern: &Ty, ty: &Ty) -> Option<Size> {
    match (pattern.kind(), ty.kind()) {
        (TyKind::Array(p), TyKind::Array(a)) => match p.len.as_var() == Some(v) {
            true => Some(a.len.clone()),
            false => length_at(v, &p.element, &a.element),
        },
        (TyKind::Tuple(ps), TyKind::Tuple(ts)) => ps.iter().zip(ts).find_map(|(p, t)| length_at(v, p, t)),
        _ => None,
    }
}
