//! `map (λx. … iterate k (map h ∘ w) ys …) xs` with few ys: the work-items of a small group keep the elements in
//! registers, adjacent ones in one work-item, and exchange through local memory only those that others read.
//!
//! [`held`]: the elements in registers.

pub mod held;

use self::held::Held;
use super::super::barriers::touches_nothing;
use super::super::function::{Dims, FunctionBuilder};
use super::super::host::Host;
use super::super::launch::Title;
use super::super::value::{Array, Closure, Dest, Env, Layout, Place, Root, Value, View};
use super::super::{LowerError, Result};
use super::local_id;
use crate::core::{Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::opencl::{Expr, Step, Storage};
use crate::schedule::rules;
use crate::schedule::shapes::ROUND_ITEMS;
use lift_analysis::hir::Name;
use lift_analysis::size::Size;
use std::collections::BTreeSet;
use std::rc::Rc;

struct Rounds<'k> {
    call: &'k PrimCall,
    iterate: &'k Stmt,
    env: Env<'k>,
    xs: Array<'k>,
    /// Elements per work-item.
    each: i64,
}

impl<'k> Host<'k> {
    pub(super) fn rounds(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        iterate: VarId,
    ) -> Result<bool> {
        if i64::from(self.program.target.most_in_group) < ROUND_ITEMS {
            return Ok(false);
        }
        let kernel = self.program.kernel;
        let wrong = || LowerError::new(&stmt.origin, "iterate", "iterations changed after they were recognised");
        let iterate = call.funs[0].body.stmts.iter().find(|s| s.var == iterate).ok_or_else(wrong)?;
        let n = kernel.ty(iterate.var).as_array().and_then(|a| a.len.as_const()).ok_or_else(wrong)?;
        let xs = self.array_arg(stmt, &call.args[0], env)?;
        let rounds = Rounds { call, iterate, env: env.clone(), xs, each: n / ROUND_ITEMS };
        let title = Title { name: kernel.name_of(stmt.var), label: "map: rounds in registers", origin: &stmt.origin };
        self.program.applied(&rules::ROUNDS, &iterate.origin);
        let used = Dims { wrg: [true, false, false], lcl: [true, false, false], ..Dims::default() };
        self.launch(&title, used, [Some(ROUND_ITEMS as u32), Some(1), Some(1)], |b| rounds.all_rounds(b, dest))?;
        Ok(true)
    }
}

impl FunctionBuilder<'_, '_> {
    /// An element of an array in local memory of which work-items keep parts in registers: the register, or the
    /// element's address during the iterations. `None` for other arrays, and if elements are stored in order.
    pub fn held_element(&mut self, array: &Name, at: &Size) -> Result<Option<Expr>> {
        let Some(held) = self.values().held() else { return Ok(None) };
        let Some((_, registers)) = held.arrays.iter().find(|(name, _)| name == array) else { return Ok(None) };
        let distance = self.facts().simplify(&at.sub(&held.first)).as_const();
        let register = distance.and_then(|d| registers.get(usize::try_from(d).ok()?)).cloned();
        if register.is_some() {
            return Ok(register);
        }
        let (each, spread, item) = (registers.len() as i64, held.spread, held.item.clone());
        if let Some(held) = self.values_mut().held_mut() {
            held.missed.insert(distance);
        }
        let Some(d) = distance.filter(|_| spread) else { return Ok(None) };
        let place = item.add(&Size::int(d.rem_euclid(each) * ROUND_ITEMS + d.div_euclid(each)));
        Ok(Some(Expr::Var(array.clone()).index(self.size(&place)?)))
    }
}

impl<'k> Rounds<'k> {
    fn all_rounds(&self, f: &mut FunctionBuilder<'_, 'k>, dest: &Dest<'k>) -> Result<()> {
        let item = f.number("item", local_id(), &Size::int(ROUND_ITEMS - 1));
        let kernel = f.kernel();
        let wrong =
            || LowerError::new(&self.iterate.origin, "iterate", "iterations changed after they were recognised");
        let ty = kernel.ty(self.iterate.var).as_array().map(|a| a.element.clone()).ok_or_else(wrong)?;
        let values = f.arrays(&ty, "values", Storage::Local, (self.each * ROUND_ITEMS) as u64)?;
        let lambda = &self.call.funs[0];
        f.by_items(|f| {
            f.for_level(Level::Wrg(0), &self.xs.len.clone(), |f, g| {
                f.share_memory();
                let mut env = self.env.clone();
                let x = f.read(&self.xs, g)?;
                let x = f.name_param(lambda.params[0], &x)?;
                env.enter(lambda, g, x);
                for s in &lambda.body.stmts {
                    let origin = s.origin.clone();
                    let value = f.at(&origin, |f| match &s.rhs {
                        _ if s.var == self.iterate.var => self.go_round(f, &values, &item, &env),
                        // Computed where the iterations start.
                        Rhs::Prim(map) if matches!(map.prim, Prim::Map(_)) => {
                            let of = f.atom(&map.args[0], &env)?;
                            let of = f.array(&of)?;
                            let g = Closure { lambda: &map.funs[0], env: env.clone() };
                            Ok(Value::Array(Array::new(of.len.clone(), View::Mapped(g, of))))
                        }
                        _ => f.eval_stmt(s, &mut env, None),
                    })?;
                    env.bind(s.var, value);
                }
                let value = f.atom(&lambda.body.result, &env)?;
                let leads = f.size(&item)?.eq(Expr::int(0));
                f.when(leads, |f| {
                    let to = f.dest_at(dest, g)?;
                    f.copy(&value, &to)
                })
            })
        })
    }

    /// The array after all iterations, in local memory.
    fn go_round(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        values: &Rc<Layout>,
        item: &Size,
        env: &Env<'k>,
    ) -> Result<Value<'k>> {
        let Rhs::Prim(iterate) = &self.iterate.rhs else { return Ok(Value::Written) };
        let first = item.mul(&Size::int(self.each));
        let at = |j: i64| first.add(&Size::int(j));
        let start = f.atom(&iterate.args[0], env)?;
        let start = f.array(&start)?;
        let mut kept = Vec::new();
        for j in 0..self.each {
            let value = f.read(&start, &at(j))?;
            match f.registers_with(&value, "kept")? {
                Some(kept_value) => kept.push(kept_value),
                None => return Err(f.error("iterate", "its elements are neither scalars nor tuples of them")),
            }
        }
        let mut memories = Vec::new();
        values.memories(&mut memories);
        let mut arrays: Vec<(Name, Vec<Expr>)> = Vec::new();
        for m in &memories {
            if let Root::Array { name, .. } = &m.root {
                arrays.push((name.clone(), Vec::new()));
            }
        }
        for value in &kept {
            let mut scalars = Vec::new();
            f.flatten(value, &mut scalars)?;
            for ((_, registers), (scalar, _)) in arrays.iter_mut().zip(scalars) {
                registers.push(scalar);
            }
        }
        let count = iterate.sizes.first().map(|k| env.size(k)).unwrap_or_else(Size::zero);
        let held = Held { item: item.clone(), first: first.clone(), spread: false, arrays, missed: BTreeSet::new() };
        // Find the elements of others that an iteration reads; the code is discarded.
        let outside = f.values_mut().hold(Some(held));
        let probe = f.scope(|f| self.one_round(f, iterate, values, &at, env));
        let missed = f.values_mut().held_mut().map(|h| std::mem::take(&mut h.missed)).unwrap_or_default();
        probe?;
        let spread = !missed.contains(&None);
        if let Some(held) = f.values_mut().held_mut() {
            held.spread = spread;
        }
        let shared = |j: i64| missed.iter().any(|d| d.is_none_or(|d| d.rem_euclid(self.each) == j));
        let place = |at: Size| Dest::Place(Place { layout: values.clone(), at });
        let result = f.for_range("round", Expr::int(0), &count, Step::Increment, |f, _| {
            let (round, next) = f.scope(|f| self.one_round(f, iterate, values, &at, env))?;
            // A round may name an element of another work-item and not use it.
            let alone = touches_nothing(&round);
            for j in (0..self.each).filter(|j| !alone && shared(*j)) {
                let to = if spread { item.add(&Size::int(j * ROUND_ITEMS)) } else { at(j) };
                f.copy(&kept[j as usize], &place(to))?;
            }
            if !alone {
                f.barrier(true, false);
            }
            f.emit_all(round);
            if !alone {
                f.barrier(true, false);
            }
            kept.iter().zip(&next).try_for_each(|(to, value)| f.assign_registers(to, value))
        });
        f.values_mut().hold(outside);
        result?;
        for j in 0..self.each {
            f.copy(&kept[j as usize], &place(at(j)))?;
        }
        f.barrier(true, false);
        let len = Size::int(self.each * ROUND_ITEMS);
        Ok(Value::Array(Array::new(len, View::Stored { element: values.clone(), base: Size::zero() })))
    }

    /// The next values of this work-item's elements.
    fn one_round(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        iterate: &'k PrimCall,
        values: &Rc<Layout>,
        at: &impl Fn(i64) -> Size,
        env: &Env<'k>,
    ) -> Result<Vec<Value<'k>>> {
        let round = &iterate.funs[0];
        let mut env = env.clone();
        let stored = View::Stored { element: values.clone(), base: Size::zero() };
        env.bind(round.params[0], Value::Array(Array::new(Size::int(self.each * ROUND_ITEMS), stored)));
        let Some((last, before)) = round.body.stmts.split_last() else { return Ok(Vec::new()) };
        for s in before {
            let value = f.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        let Rhs::Prim(map) = &last.rhs else { return Ok(Vec::new()) };
        let xs = f.atom(&map.args[0], &env)?;
        let xs = f.array(&xs)?;
        let h = Closure { lambda: &map.funs[0], env };
        let mut next = Vec::new();
        for j in 0..self.each {
            let x = f.read(&xs, &at(j))?;
            let value = f.call(&h, &[x])?;
            next.push(f.named_scalar(&value, "next")?);
        }
        Ok(next)
    }
}
