//! A map whose function folds, on a processor: neighbouring elements are *lanes*, and each step of their folds is a
//! loop over all of them. Where neighbours read adjacent elements (columns, points that all meet the same others), these
//! loops are vectors, and memory is read in its order.
//!
//! What a step needs of the function's scalars and views is written anew in its loop. What a lane keeps from one loop
//! to the next, the accumulators and scalars that take long, is in arrays with an element for each lane.

use super::super::Result;
use super::super::function::{Dims, FunctionBuilder};
use super::super::instructions::FEW_ROUNDS;
use super::super::stream::each::span_of_item;
use super::super::value::{Array, Closure, Dest, Layout};
use super::along::Span;
use super::lanes::{Around, Kept, Lanes, WIDTH};
use super::lines::{self, Names};
use super::roles::{LONGEST, Role, Roles};
use crate::core::{Atom, Block, Level, Prim, PrimCall, Rhs, Stmt};
use crate::opencl::{self, CType, Expr, Step, StmtKind};
use crate::schedule::rules;
use crate::target::Class;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The code of `map f xs` in lanes, and the condition under which it is better, if that is known before a run only;
/// `None` if lanes do not make vectors.
pub fn map<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    level: Level,
    f: &Closure<'k>,
    xs: &Array<'k>,
    dest: &Dest<'k>,
) -> Result<Option<(Vec<opencl::Stmt>, Expr)>> {
    let streams = level == Level::Glb(0) && b.position().active() == Dims::default() && b.can_stream();
    let wanted = b.target().class == Class::Cpu
        && (streams || matches!(level, Level::Seq | Level::Auto))
        && f.lambda.position.is_none()
        && f.lambda.params.len() == 1
        && xs.len.as_const().is_none_or(|n| n > FEW_ROUNDS);
    let Some(roles) = Roles::of(b.schedule(), &f.lambda.body).filter(|_| wanted) else { return Ok(None) };
    let mut active = b.position().active();
    active.glb[0] |= streams;
    let (stmts, pays) = b.with_active(active, |b| {
        b.scope(|b| {
            let n = b.length(&xs.len)?;
            let all = match streams {
                true => span_of_item(b, &xs.len, n)?,
                false => Span { from: Expr::int(0), to: n, of: xs.len.clone() },
            };
            in_blocks(b, &roles, (f, xs, dest), &all)
        })
    })?;
    if !pays {
        return Ok(None);
    }
    if streams {
        b.grid_mut().one_item_per_group();
    }
    let origin = b.origin();
    b.program_mut().applied(if roles.sorts() { &rules::SORT_LANES } else { &rules::MAP_LANES }, &origin);
    let mut only_if = Expr::Bool(true);
    for n in roles.sorted_lengths(b.kernel(), &f.lambda.body) {
        let n = f.env.size(&n);
        if n.as_const().is_none() {
            only_if = only_if.and(b.length(&n)?.le(Expr::int(LONGEST)));
        }
    }
    Ok(Some((stmts, only_if)))
}

fn in_blocks<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    roles: &Roles,
    (f, xs, dest): (&Closure<'k>, &Array<'k>, &Dest<'k>),
    all: &Span,
) -> Result<bool> {
    let width = if roles.sorts() { WIDTH } else { b.parameter(Parameter::MapLanes) };
    let end = Size::var(b.index_var("to", all.to.clone()));
    let mut pays = false;
    b.for_range("first", all.from.clone(), &end, Step::Add(Expr::int(width)), |b, first| {
        let from = b.size(first)?;
        let left = all.to.clone().sub(from.clone());
        let last = b.bind("last", CType::Int, from.clone().add(Expr::call("min", [Expr::int(width), left])));
        let mut lanes = Lanes {
            f,
            roles,
            xs,
            dest,
            span: Span { from, to: last, of: all.of.clone() },
            first: first.clone(),
            width,
            kept: FxHashMap::default(),
            around: Vec::new(),
            names: Names::default(),
        };
        let possible = lanes.compute(b, &f.lambda.body)?;
        let better = |stmts: &mut Vec<opencl::Stmt>| lines::pay(stmts, &lanes.names);
        pays = possible && (roles.sorts() || b.innermost().is_some_and(better));
        Ok(())
    })?;
    Ok(pays)
}

impl<'k> Lanes<'_, 'k> {
    /// Computes a function for all lanes: its folds, and its result. `false` if an accumulator is neither a scalar nor a
    /// tuple of them.
    fn compute(&mut self, b: &mut FunctionBuilder<'_, 'k>, block: &'k Block) -> Result<bool> {
        for stmt in &block.stmts {
            let origin = stmt.origin.clone();
            let possible = b.at(&origin, |b| match (self.roles.role_of(stmt), &stmt.rhs) {
                (Role::Rounds, Rhs::Prim(call)) => self.rounds_of(b, stmt, call),
                (Role::Rows, Rhs::Prim(call)) => self.rows_of(b, stmt, call),
                (Role::Once, _) => self.once(b, stmt),
                (Role::Sorted, Rhs::Prim(call)) => {
                    let sorted = self.sort(b, stmt, call)?;
                    let n = self.rounds(b, call);
                    self.kept.insert(stmt.var, Kept::Row(sorted, n));
                    Ok(true)
                }
                _ => Ok(true),
            })?;
            if !possible {
                return Ok(false);
            }
        }
        if !self.around.is_empty() || matches!(&block.result, Atom::Var(v) if self.roles.is_row(*v)) {
            return Ok(true);
        }
        if let Some(row) = b.kernel().atom_ty(&block.result).as_array() {
            let n = self.f.env.size(&row.len);
            b.for_range("k", Expr::int(0), &n, Step::Increment, |b, k| {
                self.each(b, |b, lanes, i| {
                    let row = lanes.value(b, block, i)?;
                    let row = b.array(&row)?;
                    let x = b.read(&row, k)?;
                    let to = b.dest_at(lanes.dest, i)?;
                    let to = b.dest_at(&to, k)?;
                    b.copy(&x, &to)
                })
            })?;
            return Ok(true);
        }
        self.each(b, |b, lanes, i| {
            let value = lanes.value(b, block, i)?;
            let to = b.dest_at(lanes.dest, i)?;
            b.copy(&value, &to)
        })?;
        Ok(true)
    }

    /// A fold of all lanes.
    fn rounds_of(&mut self, b: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt, call: &'k PrimCall) -> Result<bool> {
        let Some(acc) = self.start(b, stmt, call)? else { return Ok(false) };
        let f = &call.funs[0];
        let n = self.rounds(b, call);
        let mut possible = true;
        b.for_range("k", Expr::int(0), &n, Step::Increment, |b, round| {
            self.around.push(Around { stmt, call, acc: Some(acc.clone()), round: round.clone() });
            possible = self.compute(b, &f.body)?;
            self.each(b, |b, lanes, i| {
                let next = lanes.value(b, &f.body, i)?;
                let old = b.load(&lanes.slot(&acc, i))?;
                b.assign_registers(&old, &next)
            })?;
            self.around.pop();
            Ok(())
        })?;
        self.kept.insert(stmt.var, Kept::Folded(acc));
        Ok(possible)
    }

    /// A map or scan of all lanes, which is their result.
    fn rows_of(&mut self, b: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt, call: &'k PrimCall) -> Result<bool> {
        let acc = match call.prim {
            Prim::Map(_) => None,
            _ => match self.start(b, stmt, call)? {
                Some(acc) => Some(acc),
                None => return Ok(false),
            },
        };
        let f = &call.funs[0];
        let n = self.rounds(b, call);
        let mut possible = true;
        b.for_range("k", Expr::int(0), &n, Step::Increment, |b, round| {
            self.around.push(Around { stmt, call, acc: acc.clone(), round: round.clone() });
            possible = self.compute(b, &f.body)?;
            self.each(b, |b, lanes, i| {
                let value = lanes.value(b, &f.body, i)?;
                let row = b.dest_at(lanes.dest, i)?;
                let to = b.dest_at(&row, round)?;
                let Some(acc) = &acc else { return b.copy(&value, &to) };
                let old = b.load(&lanes.slot(acc, i))?;
                if call.prim == Prim::ScanExcl(Level::Seq) {
                    b.copy(&old, &to)?;
                    return b.assign_registers(&old, &value);
                }
                b.assign_registers(&old, &value)?;
                b.copy(&old, &to)
            })?;
            self.around.pop();
            Ok(())
        })?;
        if let Some(StmtKind::For { var, .. }) = b.last_written() {
            self.names.row = Some(var.clone());
        }
        Ok(possible)
    }

    /// A scalar of each lane that later loops read.
    fn once(&mut self, b: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt) -> Result<bool> {
        let ty = b.kernel().ty(stmt.var).clone();
        let Some(array) = self.array(b, &ty, b.kernel().name_of(stmt.var)) else {
            return Ok(false);
        };
        self.each(b, |b, lanes, i| {
            let mut env = lanes.env(b, i)?;
            lanes.needed(b, lanes.block(), Some(stmt), &mut env, i)?;
            let value = b.eval_stmt(stmt, &mut env, None)?;
            b.copy(&value, &Dest::Place(lanes.slot(&array, i)))
        })?;
        self.kept.insert(stmt.var, Kept::Scalar(array));
        Ok(true)
    }

    /// Accumulators with their first values.
    fn start(
        &mut self,
        b: &mut FunctionBuilder<'_, 'k>,
        stmt: &'k Stmt,
        call: &'k PrimCall,
    ) -> Result<Option<Rc<Layout>>> {
        let kernel = b.kernel();
        let ty = kernel.atom_ty(&call.args[0]);
        let name = call.funs[0].params.first().map_or("acc", |p| kernel.name_of(*p));
        let Some(acc) = self.array(b, &ty, name) else { return Ok(None) };
        self.each(b, |b, lanes, i| {
            let mut env = lanes.env(b, i)?;
            lanes.needed(b, lanes.block(), Some(stmt), &mut env, i)?;
            let z = b.atom(&call.args[0], &env)?;
            b.copy(&z, &Dest::Place(lanes.slot(&acc, i)))
        })?;
        Ok(Some(acc))
    }
}
