//! A fold of neighbouring elements as partial folds, each of every [`LANES`]th element. A fold in order is one long
//! chain of operations; these are independent, so a processor computes them as a vector.

use super::super::Result;
use super::super::function::FunctionBuilder;
use super::super::stream::reduce::Reduction;
use super::super::value::{Array, Closure, Dest, Value};
use super::short;
use crate::core::{PrimCall, Stmt};
use crate::opencl::{BinaryOp, CType, Expr, Step, StmtKind, Storage, has_loop};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::size::Size;

/// Number of partial folds: several vectors of them, because each operation waits for the one before it.
const LANES: i64 = 32;
/// Number of partial folds that are folded one after the other at the end.
const LAST: i64 = 16;
/// Minimum elements for which partial folds are faster than one fold in order.
const FEWEST: i64 = LANES;

/// The elements `from <= i < to` of an array of `of` elements.
#[derive(Clone)]
pub struct Span {
    pub from: Expr,
    pub to: Expr,
    pub of: Size,
}

/// Folds an array on one work-item of a processor; `None` if its operator or its elements do not allow for vectors.
pub fn fold<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    (f, z, xs): (&Closure<'k>, &Value<'k>, &Array<'k>),
) -> Result<Option<Value<'k>>> {
    let kernel = b.kernel();
    let wanted = b.target().class == Class::Cpu
        && b.schedule().reorder.contains(&stmt.var)
        && f.lambda.is_commutative(kernel)
        && xs.len.as_const().is_none_or(|n| n >= FEWEST);
    if !wanted {
        return Ok(None);
    }
    let ty = kernel.atom_ty(&call.args[0]);
    let span = Span { from: Expr::int(0), to: b.length(&xs.len)?, of: xs.len.clone() };
    Reduction { xs, f, z, ty: &ty }.in_lanes(b, &span)
}

impl<'k> Reduction<'_, 'k> {
    /// Folds a span by partial folds; `None` if the accumulator is neither a scalar nor a tuple of them, or if an element
    /// takes a loop to compute.
    pub fn in_lanes(&self, b: &mut FunctionBuilder<'_, 'k>, span: &Span) -> Result<Option<Value<'k>>> {
        let acc = self.neutral(b)?;
        let count = span.to.clone().sub(span.from.clone());
        let (in_lanes, possible) = b.scope(|b| self.partial(b, span, &acc, &count))?;
        if !possible {
            return Ok(None);
        }
        let origin = b.origin();
        b.program_mut().applied(&rules::FOLD_LANES, &origin);
        let (in_order, ()) = b.scope(|b| self.in_order(b, span, &acc))?;
        b.emit_if(count.ge(Expr::int(FEWEST)), in_lanes, in_order);
        Ok(Some(acc))
    }

    /// Adds the elements to `acc`: those of whole rounds of the lanes by partial folds, and then the others.
    fn partial(&self, b: &mut FunctionBuilder<'_, 'k>, span: &Span, acc: &Value<'k>, count: &Expr) -> Result<bool> {
        let (lanes, last) = (Size::int(LANES), Size::int(LAST));
        let Some(accs) = b.element_arrays(self.ty, "lanes", Storage::Private, LANES) else { return Ok(false) };
        let slot = |b: &mut FunctionBuilder<'_, 'k>, j: &Size| {
            let j = b.size(j)?;
            Ok(b.slot_at(&accs, j))
        };
        let z = b.forced(self.z)?;
        b.for_each("j", &lanes, |b, j| {
            let to = slot(b, j)?;
            b.copy(&z, &Dest::Place(to))
        })?;
        let rounds = Expr::binary(BinaryOp::Div, count.clone(), Expr::int(LANES));
        let rounds = b.bind("rounds", CType::Int, rounds);
        let all = Size::var(b.index_var("rounds", rounds.clone()));
        let mut loops = false;
        b.for_range("r", Expr::int(0), &all, Step::Increment, |b, round| {
            let first = Expr::binary(BinaryOp::Mul, b.size(round)?, Expr::int(LANES));
            let first = b.bind("base", CType::Int, span.from.clone().add(first));
            b.for_each("j", &lanes, |b, j| {
                let at = first.clone().add(b.size(j)?);
                let i = b.index_var("i", at);
                b.known_mut().assume_index(&i, &span.of);
                let x = b.read(self.xs, &Size::var(i))?;
                let to = slot(b, j)?;
                let old = b.load(&to)?;
                let next = short::written_out(b, (&self.f.lambda.body, false), |b| b.call(self.f, &[old.clone(), x]))?;
                b.assign_registers(&old, &next)?;
                loops |= b.innermost().is_some_and(|stmts| has_loop(stmts));
                Ok(())
            })
        })?;
        b.for_range("from", Expr::int(LAST), &lanes, Step::Add(Expr::int(LAST)), |b, from| {
            b.for_each("j", &last, |b, j| {
                let (to, lane) = (slot(b, j)?, slot(b, &from.add(j))?);
                let (old, lane) = (b.load(&to)?, b.load(&lane)?);
                let next = b.call(self.f, &[old.clone(), lane])?;
                b.assign_registers(&old, &next)
            })
        })?;
        b.for_each("j", &last, |b, j| {
            let lane = slot(b, j)?;
            let lane = b.load(&lane)?;
            self.next(b, acc, lane)
        })?;
        let done = Expr::binary(BinaryOp::Mul, rounds, Expr::int(LANES));
        let done = b.bind("done", CType::Int, span.from.clone().add(done));
        self.in_order(b, &Span { from: done, ..span.clone() }, acc)?;
        Ok(!loops)
    }

    /// Adds the elements of a span to `acc`, one after the other.
    pub fn in_order(&self, b: &mut FunctionBuilder<'_, 'k>, span: &Span, acc: &Value<'k>) -> Result<()> {
        span.for_each(b, None, |b, i| {
            let x = b.read(self.xs, i)?;
            self.next(b, acc, x)
        })
    }

    /// Adds an element to `acc`.
    pub fn next(&self, b: &mut FunctionBuilder<'_, 'k>, acc: &Value<'k>, x: Value<'k>) -> Result<()> {
        let next = b.call(self.f, &[acc.clone(), x])?;
        b.assign_registers(acc, &next)
    }

    /// Registers that hold the neutral element.
    pub fn neutral(&self, b: &mut FunctionBuilder<'_, 'k>) -> Result<Value<'k>> {
        let z = b.force(self.z)?;
        match b.registers_with(&z, "acc")? {
            Some(registers) => Ok(registers),
            None => Err(b.error("reduce", "the accumulator is neither a scalar nor a tuple of scalars")),
        }
    }
}

impl Span {
    /// A loop over the elements while a condition holds.
    pub fn for_each<'k>(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        also: Option<Expr>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Size) -> Result<()>,
    ) -> Result<()> {
        let var = b.fresh_name("i");
        let (first, last) = (b.index_var("from", self.from.clone()), b.index_var("to", self.to.clone()));
        let i = b.index_var("i", Expr::Var(var.clone()));
        let (body, ()) = b.in_loop(|b| {
            b.scope(|b| {
                b.known_mut().assume_range(first.clone(), Some(Size::zero()), None);
                b.known_mut().assume_range(last.clone(), Some(Size::zero()), Some(self.of.clone()));
                b.known_mut().assume_range(i.clone(), Some(Size::var(first)), Some(Size::var(last).sub(&Size::one())));
                body(b, &Size::var(i))
            })
        })?;
        let below = Expr::Var(var.clone()).lt(self.to.clone());
        let condition = match also {
            Some(also) => below.and(also),
            None => below,
        };
        let from = self.from.clone();
        b.emit(StmtKind::For { ty: CType::Int, var, from, condition, step: Step::Increment, below: None, body });
        Ok(())
    }
}
