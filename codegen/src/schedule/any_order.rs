//! Converts folds in order to folds in any order, which the whole device computes. Their result is the same, because the
//! operator is exactly associative, or because the fold keeps the best element.
//!
//! * `reduceSeq (λ(a,x). op a (g x)) z xs = op z (reduce op n (map g xs))`, where n is the neutral element of op
//! * `reduceSeq (λ(a,x). if g x < a then g x else a) z xs = reduce (λ(a,b). if b < a then b else a) z (map g xs)`
//!
//! Sums of floats stay in order, because rounding depends on it. So do folds in branches and in placed functions.

use super::fails;
use super::flat::is_flat;
use super::invariant::is_placed;
use super::nested::{LONG_VIEW, array_of, rows_of};
use super::pass::alone;
use super::versions::fresh;
use super::{Applied, rules, uses};
use crate::core::scalar::neutral_of;
use crate::core::simplify::simplify;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId};
use crate::number::Number;
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use rustc_hash::FxHashSet;

/// The kernel with `reduce` in place of such a `reduceSeq`.
pub fn any_order(kernel: Kernel, applied: &mut Vec<Applied>) -> Kernel {
    let before = applied.len();
    let kernel = alone(kernel, |kernel, _, body| Writer { kernel, applied }.block(body));
    if applied.len() == before { kernel } else { simplify(kernel) }
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    applied: &'a mut Vec<Applied>,
}

/// A fold in order, as what it computes of each element and how it combines that.
struct Apart {
    /// The statements that compute what is folded of an element.
    stmts: Vec<Stmt>,
    combined: Combined,
}

enum Combined {
    /// For each component, an operator and what it takes of an element.
    Each(Vec<(ScalarOp, Atom)>),
    /// What is better at a component, by this comparison of the new one with the old one.
    Better { made: Atom, at: usize, op: ScalarOp, flipped: bool },
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            // In a branch that is not taken nothing is launched, whatever the lengths are.
            if let Rhs::Prim(call) = &mut stmt.rhs
                && !is_placed(call.prim)
            {
                call.funs.iter_mut().for_each(|f| self.block(&mut f.body));
            }
            match self.instead(&stmt) {
                Some(stmts) => {
                    self.applied.push(Applied { rule: &rules::FOLD_ANY_ORDER, origin: stmt.origin.clone() });
                    block.stmts.extend(stmts);
                }
                None => block.stmts.push(stmt),
            }
        }
    }

    /// The statements instead of a fold in order.
    fn instead(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Seq), funs, args, .. }) = &stmt.rhs else { return None };
        let ([f], [z, xs]) = (funs.as_slice(), args.as_slice()) else { return None };
        let ([acc, x], None) = (f.params.as_slice(), &f.position) else { return None };
        let (n, _) = rows_of(&self.kernel.atom_ty(xs))?;
        let state = self.kernel.atom_ty(z);
        let scalars = components(&state)?;
        // Loops over a few numbers, such as the bits of one, are one work-item's.
        let short = n.as_const().is_some_and(|n| n < LONG_VIEW);
        if short || !stmt.binds.is_empty() || fails::may_fail(&self.kernel.vars, &f.body) {
            return None;
        }
        let fold = Fold { acc: *acc, scalars: &scalars, body: &f.body };
        let Apart { stmts: mut of_element, combined } = fold.better().or_else(|| fold.each())?;
        let origin = &stmt.origin;
        let mut out = Vec::new();
        let (start, result) = match &combined {
            Combined::Better { made, .. } => (z.clone(), made.clone()),
            Combined::Each(steps) => {
                let neutral = steps.iter().zip(&scalars).map(|((op, _), s)| Some(Atom::Lit(neutral(*op, *s)?)));
                let neutral = neutral.collect::<Option<Vec<Atom>>>()?;
                let made = steps.iter().map(|(_, of)| of.clone()).collect();
                let start = self.tuple(stmt.var, &state, neutral, origin, &mut out);
                (start, self.tuple(stmt.var, &state, made, origin, &mut of_element))
            }
        };
        let mapped = fresh(&mut self.kernel.vars, stmt.var, array_of(&state, &n));
        let body = Block { stmts: of_element, result };
        let f = Lambda { position: None, params: vec![*x], body, origin: f.origin.clone() };
        out.push(at(mapped, call(Prim::Map(Level::Auto), vec![f], vec![xs.clone()]), origin));
        let op = self.operator(&combined, &scalars, &state, stmt);
        let reduce = call(Prim::Reduce(Level::Auto), vec![op], vec![start, Atom::Var(mapped)]);
        let Combined::Each(steps) = &combined else {
            out.push(at(stmt.var, reduce, origin));
            return Some(out);
        };
        let ty = self.kernel.ty(stmt.var).clone();
        let found = self.named(stmt.var, &ty, reduce, origin, &mut out);
        let all = self.named(stmt.var, &state, call(Prim::Head, Vec::new(), vec![found]), origin, &mut out);
        let last = self.each(steps, &scalars, (z, &all), &state, stmt, &mut out);
        let fill = PrimCall { prim: Prim::Fill, sizes: vec![Size::one()], funs: Vec::new(), args: vec![last] };
        out.push(at(stmt.var, Rhs::Prim(fill), origin));
        Some(out)
    }

    fn named(&mut self, like: VarId, ty: &Ty, rhs: Rhs, origin: &Origin, out: &mut Vec<Stmt>) -> Atom {
        let var = fresh(&mut self.kernel.vars, like, ty.clone());
        out.push(at(var, rhs, origin));
        Atom::Var(var)
    }

    /// A value of the accumulator's type, of its components.
    fn tuple(&mut self, like: VarId, ty: &Ty, mut parts: Vec<Atom>, origin: &Origin, out: &mut Vec<Stmt>) -> Atom {
        match (ty.kind(), parts.len()) {
            (TyKind::Tuple(_), _) => self.named(like, ty, Rhs::Tuple(parts), origin, out),
            _ => parts.swap_remove(0),
        }
    }

    /// The components of a value of the accumulator's type.
    fn parts(&mut self, of: &Atom, scalars: &[Scalar], ty: &Ty, stmt: &Stmt, out: &mut Vec<Stmt>) -> Vec<Atom> {
        match ty.kind() {
            TyKind::Tuple(_) => scalars
                .iter()
                .enumerate()
                .map(|(k, s)| self.named(stmt.var, &Ty::scalar(*s), Rhs::Proj(of.clone(), k), &stmt.origin, out))
                .collect(),
            _ => vec![of.clone()],
        }
    }

    /// Two values, combined component by component.
    fn each(
        &mut self,
        steps: &[(ScalarOp, Atom)],
        scalars: &[Scalar],
        (a, b): (&Atom, &Atom),
        ty: &Ty,
        stmt: &Stmt,
        out: &mut Vec<Stmt>,
    ) -> Atom {
        let [a, b] = [a, b].map(|of| self.parts(of, scalars, ty, stmt, out));
        let mut made = Vec::new();
        for (k, (op, _)) in steps.iter().enumerate() {
            let rhs = Rhs::Scalar(*op, vec![a[k].clone(), b[k].clone()]);
            made.push(self.named(stmt.var, &Ty::scalar(scalars[k]), rhs, &stmt.origin, out));
        }
        self.tuple(stmt.var, ty, made, &stmt.origin, out)
    }

    /// The function that combines two accumulators.
    fn operator(&mut self, combined: &Combined, scalars: &[Scalar], ty: &Ty, stmt: &Stmt) -> Lambda {
        let [a, b] = [0; 2].map(|_| fresh(&mut self.kernel.vars, stmt.var, ty.clone()));
        let mut stmts = Vec::new();
        let result = match combined {
            Combined::Each(steps) => self.each(steps, scalars, (&Atom::Var(a), &Atom::Var(b)), ty, stmt, &mut stmts),
            Combined::Better { at: k, op, flipped, .. } => {
                let old = self.parts(&Atom::Var(a), scalars, ty, stmt, &mut stmts)[*k].clone();
                let new = self.parts(&Atom::Var(b), scalars, ty, stmt, &mut stmts)[*k].clone();
                let sides = if *flipped { vec![old, new] } else { vec![new, old] };
                let truth = Ty::scalar(Scalar::Bool);
                let better = self.named(stmt.var, &truth, Rhs::Scalar(*op, sides), &stmt.origin, &mut stmts);
                let [new, old] = [b, a].map(|v| Block { stmts: Vec::new(), result: Atom::Var(v) });
                self.named(stmt.var, ty, Rhs::If(better, new, old), &stmt.origin, &mut stmts)
            }
        };
        Lambda { position: None, params: vec![a, b], body: Block { stmts, result }, origin: stmt.origin.clone() }
    }
}

/// The function of a fold in order.
struct Fold<'a> {
    acc: VarId,
    scalars: &'a [Scalar],
    body: &'a Block,
}

impl Fold<'_> {
    /// The component of the accumulator that an atom is, also in a branch with these statements.
    fn component(&self, a: &Atom, branch: &[Stmt]) -> Option<usize> {
        let Atom::Var(v) = a else { return None };
        if *v == self.acc && self.scalars.len() == 1 {
            return Some(0);
        }
        let stmt = self.body.stmts.iter().chain(branch).find(|s| s.var == *v)?;
        match &stmt.rhs {
            Rhs::Proj(Atom::Var(of), k) if *of == self.acc => Some(*k),
            Rhs::Atom(of) => self.component(of, branch),
            _ => None,
        }
    }

    /// Whether a block gives the accumulator as it is.
    fn keeps(&self, block: &Block) -> bool {
        let Atom::Var(v) = &block.result else { return false };
        let whole = *v == self.acc || self.scalars.len() == 1 && self.component(&block.result, &block.stmts).is_some();
        let is_same =
            |parts: &[Atom]| parts.iter().enumerate().all(|(k, part)| self.component(part, &block.stmts) == Some(k));
        let made = block.stmts.iter().chain(&self.body.stmts).find(|s| s.var == *v);
        whole || made.is_some_and(|s| matches!(&s.rhs, Rhs::Tuple(parts) if is_same(parts)))
    }

    /// The variables of the body that depend on the accumulator.
    fn depending(&self) -> FxHashSet<VarId> {
        let mut found = FxHashSet::from_iter([self.acc]);
        for stmt in &self.body.stmts {
            if uses::mentions(stmt, &|v| found.contains(&v)) {
                found.insert(stmt.var);
            }
        }
        found
    }

    /// The statements that do not depend on the accumulator.
    fn others(&self, depending: &FxHashSet<VarId>) -> Vec<Stmt> {
        self.body.stmts.iter().filter(|s| !depending.contains(&s.var)).cloned().collect()
    }

    /// A fold that keeps the first element that is better than those before it.
    fn better(&self) -> Option<Apart> {
        let Atom::Var(result) = &self.body.result else { return None };
        let choice = self.body.stmts.iter().find(|s| s.var == *result)?;
        let Rhs::If(condition, new, old) = &choice.rhs else { return None };
        let Atom::Var(condition) = condition else { return None };
        let Rhs::Scalar(op @ (ScalarOp::Lt | ScalarOp::Gt), sides) =
            &self.body.stmts.iter().find(|s| s.var == *condition)?.rhs
        else {
            return None;
        };
        let depending = self.depending();
        let free = |a: &Atom| !matches!(a, Atom::Var(v) if depending.contains(v));
        let (at, value, flipped) = match sides.as_slice() {
            [value, of] if free(value) => (self.component(of, &[])?, value, false),
            [of, value] if free(value) => (self.component(of, &[])?, value, true),
            _ => return None,
        };
        let plain = new.stmts.iter().all(|s| !uses::mentions(s, &|v| depending.contains(&v))) && free(&new.result);
        let others = self.others(&depending);
        let all: Vec<&Stmt> = new.stmts.iter().chain(&others).collect();
        // The value may be computed once for the comparison and once more.
        let is_value = |a: &Atom| are_same(&all, a, value);
        let same = match made(&all, &new.result) {
            Some(Rhs::Tuple(parts)) => parts.get(at).is_some_and(is_value),
            _ if self.scalars.len() == 1 => is_value(&new.result),
            _ => matches!(made(&all, value), Some(Rhs::Proj(of, k)) if *of == new.result && *k == at),
        };
        if !plain || !same || !self.keeps(old) {
            return None;
        }
        let stmts = others.iter().chain(&new.stmts).cloned().collect();
        Some(Apart { stmts, combined: Combined::Better { made: new.result.clone(), at, op: *op, flipped } })
    }

    /// A fold whose components are combined by an operator each.
    fn each(&self) -> Option<Apart> {
        let depending = self.depending();
        let mut stmts = self.others(&depending);
        let parts = match &self.body.result {
            Atom::Var(v) => match &self.body.stmts.iter().find(|s| s.var == *v)?.rhs {
                Rhs::Tuple(parts) if self.scalars.len() > 1 => parts.clone(),
                _ if self.scalars.len() == 1 => vec![self.body.result.clone()],
                _ => return None,
            },
            _ => return None,
        };
        let steps = parts.iter().enumerate().map(|(k, part)| self.step(k, part, &depending, &mut stmts));
        let steps = steps.collect::<Option<Vec<_>>>()?;
        Some(Apart { stmts, combined: Combined::Each(steps) })
    }

    /// The operator of a component of the accumulator, and its other operand, whose statements are added to `stmts`.
    fn step(
        &self,
        k: usize,
        part: &Atom,
        depending: &FxHashSet<VarId>,
        stmts: &mut Vec<Stmt>,
    ) -> Option<(ScalarOp, Atom)> {
        let Atom::Var(v) = part else { return None };
        let made = self.body.stmts.iter().find(|s| s.var == *v)?;
        let scalar = self.scalars[k];
        let combined = |rhs: &Rhs, branch: &[Stmt]| {
            let Rhs::Scalar(op, sides) = rhs else { return None };
            let free = |a: &Atom| !matches!(a, Atom::Var(v) if depending.contains(v));
            let [a, b] = sides.as_slice() else { return None };
            let of = match (self.component(a, branch) == Some(k), self.component(b, branch) == Some(k)) {
                (true, false) if free(b) => b,
                (false, true) if free(a) => a,
                _ => return None,
            };
            is_exact(*op, scalar).then(|| (*op, of.clone()))
        };
        if let Some(found) = combined(&made.rhs, &[]) {
            return Some(found);
        }
        let Rhs::If(condition, then, otherwise) = &made.rhs else { return None };
        let [then_keeps, else_keeps] =
            [then, otherwise].map(|b| b.stmts.is_empty() && self.component(&b.result, &[]) == Some(k));
        let changes = match (then_keeps, else_keeps) {
            (false, true) => then,
            (true, false) => otherwise,
            _ => return None,
        };
        if matches!(condition, Atom::Var(v) if depending.contains(v)) {
            return None;
        }
        let (last, before) = changes.stmts.split_last()?;
        let plain = before.iter().all(|s| !uses::mentions(s, &|v| depending.contains(&v)));
        if !plain || changes.result != Atom::Var(last.var) {
            return None;
        }
        let (op, of) = combined(&last.rhs, before)?;
        let unchanged = Block { stmts: Vec::new(), result: Atom::Lit(neutral(op, scalar)?) };
        let of = Block { stmts: before.to_vec(), result: of };
        let (then, otherwise) = if else_keeps { (of, unchanged) } else { (unchanged, of) };
        let rhs = Rhs::If(condition.clone(), then, otherwise);
        stmts.push(Stmt { rhs, ..made.clone() });
        Some((op, Atom::Var(made.var)))
    }
}

/// What a name is bound to by one of these statements.
fn made<'s>(stmts: &[&'s Stmt], name: &Atom) -> Option<&'s Rhs> {
    match name {
        Atom::Var(v) => stmts.iter().find(|s| s.var == *v).map(|s| &s.rhs),
        _ => None,
    }
}

/// Whether two names are one value, which scalar operators may have computed twice.
fn are_same(stmts: &[&Stmt], a: &Atom, b: &Atom) -> bool {
    let computed = || match (made(stmts, a)?, made(stmts, b)?) {
        (Rhs::Scalar(op, xs), Rhs::Scalar(other, ys)) if op == other && xs.len() == ys.len() => {
            Some(xs.iter().zip(ys).all(|(x, y)| are_same(stmts, x, y)))
        }
        (Rhs::Proj(x, k), Rhs::Proj(y, l)) if k == l => Some(are_same(stmts, x, y)),
        _ => None,
    };
    a == b || computed() == Some(true)
}

/// Whether an operator on numbers of this type gives the same in any order.
fn is_exact(op: ScalarOp, scalar: Scalar) -> bool {
    use ScalarOp::*;
    match op {
        Min | Max | And | Or | BitAnd | BitOr | BitXor => true,
        Add | Mul => !scalar.is_floating(),
        _ => false,
    }
}

/// The neutral element of such an operator.
fn neutral(op: ScalarOp, scalar: Scalar) -> Option<Literal> {
    let number = |n: i32| Number::from(Literal::Int(n)).converted(scalar).map(Literal::from);
    match op {
        ScalarOp::Min | ScalarOp::Max => neutral_of(op, scalar),
        ScalarOp::And => Some(Literal::Bool(true)),
        ScalarOp::Or => Some(Literal::Bool(false)),
        ScalarOp::Add | ScalarOp::BitOr | ScalarOp::BitXor => number(0),
        ScalarOp::Mul => number(1),
        ScalarOp::BitAnd => number(-1),
        _ => None,
    }
}

/// The scalar types in an accumulator.
fn components(ty: &Ty) -> Option<Vec<Scalar>> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(vec![*s]),
        TyKind::Tuple(parts) if is_flat(ty) => parts.iter().map(|t| t.as_scalar()).collect(),
        _ => None,
    }
}

fn call(prim: Prim, funs: Vec<Lambda>, args: Vec<Atom>) -> Rhs {
    Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args })
}

fn at(var: VarId, rhs: Rhs, origin: &Origin) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() }
}
