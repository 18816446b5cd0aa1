//! The code of a function for several elements. Statements are written for one lane after the other, so that their
//! loads are kept; a fold is one loop for all lanes.

use super::super::Result;
use super::super::function::FunctionBuilder;
use super::super::instructions::FEW_ROUNDS;
use super::super::pieces::few_pieces;
use super::super::tile::loads::Loads;
use super::super::value::{Array, Closure, Dest, Env, Value, View};
use super::super::write;
use super::alike::{alike, alike_arrays};
use crate::core::scalar::neutral_of;
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::opencl::Expr;
use crate::schedule::flat::is_flat;
use crate::schedule::{neutral, uses};
use lift_analysis::hir::Scalar;
use lift_analysis::size::Size;
use rustc_hash::FxHashSet;

/// One of the elements that a work-item computes.
#[derive(Debug, Clone)]
pub struct Lane<'k> {
    pub env: Env<'k>,
    pub dest: Dest<'k>,
    /// The condition that the element is inside the array, not a repetition of the last one.
    pub inside: Expr,
}

/// A fold in a function.
struct Fold<'k> {
    stmt: &'k Stmt,
    call: &'k PrimCall,
    /// The initial values of the registers.
    start: &'k Atom,
}

/// Computes the elements of all lanes, and writes them.
pub fn elements_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, body: &'k Block, mut lanes: Vec<Lane<'k>>) -> Result<()> {
    f.keeping_loads(Some(Loads::default()), |b| stmts_in_lanes(b, &body.stmts, &mut lanes))?;
    for lane in &lanes {
        let value = f.atom(&body.result, &lane.env)?;
        f.when(lane.inside.clone(), |b| b.copy(&value, &lane.dest))?;
    }
    Ok(())
}

/// Binds the values of statements in each lane.
pub fn stmts_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, stmts: &'k [Stmt], lanes: &mut [Lane<'k>]) -> Result<()> {
    let mut envs: Vec<Env<'k>> = lanes.iter().map(|lane| lane.env.clone()).collect();
    bind_in_lanes(f, stmts, &mut envs)?;
    for (lane, env) in lanes.iter_mut().zip(envs) {
        lane.env = env;
    }
    Ok(())
}

impl<'k> Fold<'k> {
    /// Folds rows of one length, one for each lane, into registers.
    fn fold_into(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        envs: &[Env<'k>],
        rows: &[Array<'k>],
        accs: &[Value<'k>],
    ) -> Result<()> {
        let rounds = rows[0].len.clone();
        f.runs_alone(self.call.prim, &rounds);
        let contract = f.schedule().reorder.contains(&self.stmt.var);
        let round = |b: &mut FunctionBuilder<'_, 'k>, i: &Size| {
            if self.folds_on(b, rows, i, accs)? {
                return Ok(());
            }
            let xs = read_in_lanes(b, rows, i)?;
            let operator = |env: &Env<'k>| Closure { lambda: &self.call.funs[0], env: env.clone() }.at(i);
            let args = accs.iter().zip(xs).map(|(acc, x)| vec![acc.clone(), x]).collect();
            let next = call_in_lanes(b, &envs.iter().map(operator).collect::<Vec<_>>(), args)?;
            for (acc, next) in accs.iter().zip(next) {
                let next = if contract { b.contracted(next) } else { next };
                b.assign_registers(acc, &next)?;
            }
            Ok(())
        };
        match rounds.as_const() {
            // The loads of all iterations can be in flight.
            Some(n @ 2..=FEW_ROUNDS) => f.unrolled("i", n, round),
            _ => f.in_rows(&rounds, rows[0].scattered_rows(), round),
        }
    }

    /// Where an element is itself a fold with the same operator, goes on with it from the registers:
    /// `reduce f z ∘ map (reduce f z ∘ g) = reduceSeq (λ(acc,x). reduceSeq f acc (g x)) z`.
    fn folds_on(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        rows: &[Array<'k>],
        i: &Size,
        accs: &[Value<'k>],
    ) -> Result<bool> {
        let all: Vec<&Array<'k>> = rows.iter().collect();
        let Some((fs, of)) = functions(&all, i) else { return Ok(false) };
        let Some((inner, before)) = self.inner_fold(f, fs[0].lambda) else { return Ok(false) };
        let args = read_in_lanes(f, &of, i)?.into_iter().map(|x| vec![x]).collect();
        let mut envs = entered_in_lanes(f, &fs, args)?;
        bind_in_lanes(f, before, &mut envs)?;
        let mut rows = Vec::new();
        for env in &envs {
            let xs = f.atom(&inner.call.args[1], env)?;
            rows.push(f.array(&xs)?);
        }
        if rows.iter().all(|xs| xs.len == rows[0].len && few_pieces(xs).is_none()) {
            inner.fold_into(f, &envs, &rows, accs)?;
            return Ok(true);
        }
        for (env, acc) in envs.iter().zip(accs) {
            let x = f.fold(inner.stmt, inner.call, env)?;
            let next = f.call(&Closure { lambda: &self.call.funs[0], env: env.clone() }, &[acc.clone(), x])?;
            f.assign_registers(acc, &next)?;
        }
        Ok(true)
    }

    /// The fold whose result a function returns, and the statements before it, if it may go on with another one that
    /// folds its results: both are in any order, and start with the neutral element of one operator.
    fn inner_fold(&self, b: &FunctionBuilder<'_, 'k>, f: &'k Lambda) -> Option<(Fold<'k>, &'k [Stmt])> {
        let [before @ .., stmt, head] = f.body.stmts.as_slice() else { return None };
        let (Rhs::Prim(call), Rhs::Prim(first)) = (&stmt.rhs, &head.rhs) else { return None };
        let schedule = b.schedule();
        let returned = f.body.result == Atom::Var(head.var)
            && first.prim == Prim::Head
            && first.args == [Atom::Var(stmt.var)]
            && schedule.uses(stmt.var).count == 1;
        let any_order = [self.stmt, stmt].iter().all(|s| schedule.reorder.contains(&s.var));
        if !returned || !any_order || call.prim != Prim::Reduce(Level::Seq) {
            return None;
        }
        let operator = neutral::operator(&call.funs[0])?;
        let start = call.args.first()?;
        let ty = b.kernel().atom_ty(start);
        let is_neutral = ty.as_scalar().and_then(|s| neutral_of(operator, s)).map(Atom::Lit).as_ref() == Some(start);
        let same = neutral::operator(&self.call.funs[0]) == Some(operator)
            && matches!(start, Atom::Lit(_))
            && (is_neutral || start == self.start);
        same.then_some((Fold { stmt, call, start: self.start }, before))
    }
}

fn bind_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, stmts: &'k [Stmt], envs: &mut [Env<'k>]) -> Result<()> {
    for stmt in stmts {
        let origin = stmt.origin.clone();
        let values = f.at(&origin, |b| stmt_in_lanes(b, stmt, envs))?;
        for (env, value) in envs.iter_mut().zip(values) {
            if let Value::Scalar(super::super::value::ScalarValue::Computed { expr, .. }) = &value {
                f.note_part(expr, &origin);
            }
            env.bind(stmt.var, value);
        }
    }
    Ok(())
}

fn stmt_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, stmt: &'k Stmt, envs: &mut [Env<'k>]) -> Result<Vec<Value<'k>>> {
    let leaders = leaders(stmt, envs);
    let leading: Vec<usize> = (0..envs.len()).filter(|at| leaders[*at] == *at).collect();
    let folded = match &stmt.rhs {
        Rhs::Prim(call @ PrimCall { prim: Prim::Reduce(Level::Seq), .. }) if leading.len() > 1 => {
            let envs: Vec<Env<'k>> = leading.iter().map(|at| envs[*at].clone()).collect();
            fold_jammed(f, stmt, call, &envs)?
        }
        Rhs::If(c, a, b) if leading.len() > 1 => {
            let envs: Vec<Env<'k>> = leading.iter().map(|at| envs[*at].clone()).collect();
            chosen_in_lanes(f, stmt, (c, [a, b]), &envs)?
        }
        _ => None,
    };
    let mut found: Vec<Option<Value<'k>>> = vec![None; envs.len()];
    match folded {
        Some(values) => leading.iter().zip(values).for_each(|(at, value)| found[*at] = Some(value)),
        None => {
            for at in leading {
                found[at] = Some(f.eval_stmt(stmt, &mut envs[at], None)?);
            }
        }
    }
    let all = leaders.iter().map(|at| found[*at].clone());
    all.collect::<Option<Vec<_>>>().ok_or_else(|| f.error("map", "an element was not computed"))
}

/// `if` in each lane, as one branch for the lanes with the same condition, if it chooses numbers.
fn chosen_in_lanes<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    (c, blocks): (&'k Atom, [&'k Block; 2]),
    envs: &[Env<'k>],
) -> Result<Option<Vec<Value<'k>>>> {
    let ty = f.kernel().ty(stmt.var);
    // What is known of an index is different in each lane.
    if !is_flat(ty) || ty.as_scalar() == Some(Scalar::Int) {
        return Ok(None);
    }
    let conditions: Vec<Value<'k>> = envs.iter().map(|env| f.atom(c, env)).collect::<Result<_>>()?;
    let first = |at: usize| (0..at).find(|before| alike(&conditions[*before], &conditions[at])).unwrap_or(at);
    let firsts: Vec<usize> = (0..envs.len()).map(first).collect();
    if firsts.iter().enumerate().all(|(at, first)| at == *first) {
        return Ok(None);
    }
    let mut found: Vec<Option<Value<'k>>> = vec![None; envs.len()];
    for at in (0..envs.len()).filter(|at| firsts[*at] == *at) {
        let lanes: Vec<usize> = (0..envs.len()).filter(|lane| firsts[*lane] == at).collect();
        let condition = f.scalar_of(&conditions[at])?;
        let condition = f.scalar(&condition)?;
        let branch = |f: &mut FunctionBuilder<'_, 'k>, holds: bool| {
            let block = if holds { blocks[0] } else { blocks[1] };
            f.branch_where(&condition, holds, |f| {
                let mut envs: Vec<Env<'k>> = lanes.iter().map(|lane| envs[*lane].clone()).collect();
                bind_in_lanes(f, &block.stmts, &mut envs)?;
                let values = envs.iter().map(|env| f.atom(&block.result, env));
                values.collect::<Result<Vec<_>>>().map(Value::Tuple)
            })
        };
        let Value::Tuple(values) = f.choose(condition.clone(), |f| branch(f, true), |f| branch(f, false))? else {
            return Err(f.error("if", "the values of several elements are not together"));
        };
        lanes.iter().zip(values).for_each(|(lane, value)| found[*lane] = Some(value));
    }
    Ok(found.into_iter().collect())
}

/// `reduceSeq` in each lane, if the accumulators are registers and all folds have the same number of iterations.
fn fold_jammed<'k>(
    b: &mut FunctionBuilder<'_, 'k>,
    stmt: &'k Stmt,
    call: &'k PrimCall,
    envs: &[Env<'k>],
) -> Result<Option<Vec<Value<'k>>>> {
    let (mut rows, mut starts) = (Vec::new(), Vec::new());
    for env in envs {
        let (z, xs) = (b.atom(&call.args[0], env)?, b.atom(&call.args[1], env)?);
        starts.push(b.forced(&z)?);
        rows.push(b.array(&xs)?);
    }
    let rounds = rows[0].len.clone();
    let registers = starts.iter().all(write::is_flat);
    if !registers || rows.iter().any(|xs| xs.len != rounds || few_pieces(xs).is_some()) {
        return Ok(None);
    }
    let f = &call.funs[0];
    let name = f.params.first().map_or("acc", |p| b.kernel().name_of(*p)).to_string();
    let mut accs = Vec::new();
    for z in &starts {
        accs.extend(b.registers_with(z, &name)?);
    }
    Fold { stmt, call, start: &call.args[0] }.fold_into(b, envs, &rows, &accs)?;
    let one = |acc: Value<'k>| Value::Array(Array::new(Size::one(), View::Fill(acc)));
    Ok(Some(accs.into_iter().map(one).collect()))
}

/// The results of one function with the environment and the arguments of each lane.
fn call_in_lanes<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    fs: &[Closure<'k>],
    args: Vec<Vec<Value<'k>>>,
) -> Result<Vec<Value<'k>>> {
    let Some(lambda) = fs.first().map(|f| f.lambda) else { return Ok(Vec::new()) };
    let mut envs = entered_in_lanes(f, fs, args)?;
    bind_in_lanes(f, &lambda.body.stmts, &mut envs)?;
    envs.iter().map(|env| f.atom(&lambda.body.result, env)).collect()
}

/// The environments of one function with the arguments of each lane.
fn entered_in_lanes<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    fs: &[Closure<'k>],
    args: Vec<Vec<Value<'k>>>,
) -> Result<Vec<Env<'k>>> {
    let mut envs = Vec::new();
    for (of, args) in fs.iter().zip(args) {
        let mut env = of.env.clone();
        for (param, arg) in of.lambda.params.iter().zip(&args) {
            let arg = f.name_param(*param, arg)?;
            env.bind(*param, arg);
        }
        envs.push(env);
    }
    Ok(envs)
}

/// Element `i` of an array in each lane. Arrays that are alike are read once.
fn read_in_lanes<'k>(f: &mut FunctionBuilder<'_, 'k>, arrays: &[Array<'k>], i: &Size) -> Result<Vec<Value<'k>>> {
    let leaders: Vec<usize> = (0..arrays.len())
        .map(|at| (0..at).find(|before| alike_arrays(&arrays[*before], &arrays[at])).unwrap_or(at))
        .collect();
    let leading: Vec<usize> = (0..arrays.len()).filter(|at| leaders[*at] == *at).collect();
    let distinct: Vec<&Array<'k>> = leading.iter().map(|at| &arrays[*at]).collect();
    let mut values = read_distinct(f, &distinct, i)?;
    if distinct.len() < arrays.len() {
        for value in &mut values {
            *value = f.named_scalar(value, "x")?;
        }
    }
    let of = |at: &usize| leading.iter().position(|l| l == at).and_then(|at| values.get(at).cloned());
    leaders.iter().map(of).collect::<Option<Vec<_>>>().ok_or_else(|| f.error("map", "an element was not read"))
}

fn read_distinct<'k>(f: &mut FunctionBuilder<'_, 'k>, arrays: &[&Array<'k>], i: &Size) -> Result<Vec<Value<'k>>> {
    if let Some((fs, of)) = functions(arrays, i) {
        let args = read_in_lanes(f, &of, i)?.into_iter().map(|x| vec![x]).collect();
        return call_in_lanes(f, &fs, args);
    }
    if let Some(zipped) = each(arrays, |view| match view {
        View::Zip(parts) => Some(parts),
        _ => None,
    }) && zipped.iter().all(|parts| parts.len() == zipped[0].len())
    {
        let mut tuples = vec![Vec::new(); arrays.len()];
        for k in 0..zipped[0].len() {
            let parts: Vec<Array<'k>> = zipped.iter().map(|parts| parts[k].clone()).collect();
            let values = read_in_lanes(f, &parts, i)?;
            tuples.iter_mut().zip(values).for_each(|(tuple, value)| tuple.push(value));
        }
        return Ok(tuples.into_iter().map(Value::Tuple).collect());
    }
    arrays.iter().map(|a| f.read(a, i)).collect()
}

/// The function that computes element `i` of all arrays, with the environment and the argument of each.
fn functions<'k>(arrays: &[&Array<'k>], i: &Size) -> Option<(Vec<Closure<'k>>, Vec<Array<'k>>)> {
    let mapped = each(arrays, |view| match view {
        View::Mapped(f, of) => Some((f, of.clone())),
        _ => None,
    })?;
    let (first, _) = mapped.first()?;
    let same = mapped.iter().all(|(f, _)| std::ptr::eq(f.lambda, first.lambda));
    same.then(|| mapped.into_iter().map(|(f, of)| (f.at(i), of)).unzip())
}

/// Applies a function to the views of all arrays.
fn each<'a, 'k, T>(arrays: &[&'a Array<'k>], of: impl Fn(&'a View<'k>) -> Option<T>) -> Option<Vec<T>> {
    arrays.iter().map(|a| of(&a.view)).collect()
}

/// For each lane, the first lane in which the statement has the same value.
fn leaders(stmt: &Stmt, envs: &[Env<'_>]) -> Vec<usize> {
    let mut read: FxHashSet<VarId> = FxHashSet::default();
    uses::variables(stmt, &mut read);
    let same = |a: &Env<'_>, b: &Env<'_>| {
        a.has_sizes_of(b)
            && read.iter().all(|v| match (a.get(*v), b.get(*v)) {
                (Some(x), Some(y)) => alike(x, y),
                (None, None) => true,
                _ => false,
            })
    };
    // The lengths that it opens are bound in each environment.
    let shared = stmt.binds.is_empty();
    (0..envs.len()).map(|at| (0..at).find(|before| shared && same(&envs[*before], &envs[at])).unwrap_or(at)).collect()
}
