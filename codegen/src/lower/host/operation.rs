//! Primitives at host level: each is a view, one or several launches, or a value that every kernel computes.

use super::Host;
use crate::core::{Level, Prim, PrimCall, Stmt};
use crate::failure::Message;
use crate::lower::copies::{copy_dims, copy_dims_of, copy_in_parallel};
use crate::lower::dests::{self, Assigned};
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::group::local_size_of;
use crate::lower::launch::{Title, dims_of};
use crate::lower::program::assume_hidden;
use crate::lower::value::{Closure, Deferred, Dest, Env, Hits, LengthSource, Memory, Root, ScalarValue, Value};
use crate::lower::{Result, views};
use crate::plan::{BufferRole, Step};
use crate::schedule::tile::Tiling;
use crate::schedule::{bounds, flat, is_parallel, on_the_host, place};
use lift_analysis::hir::{Literal, Scalar};
use lift_analysis::size::{Size, Var, VarKind};
use std::cell::Cell;
use std::rc::Rc;

impl<'k> Host<'k> {
    /// Computes a statement by a launch of one work-item.
    pub(super) fn by_one(&mut self, stmt: &'k Stmt, label: &str, env: &mut Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let name = self.program.kernel.name_of(stmt.var);
        let title = Title { name, label, origin: &stmt.origin };
        let mut env = env.clone();
        self.launch(&title, Dims::default(), [None; 3], |f| {
            f.eval_stmt(stmt, &mut env, Some(&Assigned::Write(dest.clone())))?;
            Ok(())
        })
    }

    pub(super) fn prim(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &mut Env<'k>,
        dest: Option<&Dest<'k>>,
        used: bool,
    ) -> Result<Value<'k>> {
        let lazy = self.program.schedule.lazy.contains(&stmt.var);
        let as_view = match call.prim {
            Prim::Map(_) => lazy && dest.is_none(),
            // All work-items compute its elements where they copy them.
            Prim::Generate => lazy,
            prim => prim.is_view(),
        };
        let runtime_length = call.sizes.is_empty() && matches!(call.prim, Prim::Iota | Prim::Generate | Prim::Fill);
        if runtime_length {
            let value = self.of_runtime_length(stmt, call, env)?;
            return self.deliver(stmt, value, dest);
        }
        if as_view && used {
            let value = self.view(stmt, call, env)?;
            return self.deliver(stmt, value, dest);
        }
        if let Some(value) = self.without_place(stmt, call, env, dest, used)? {
            return Ok(value);
        }
        let own;
        let dest = match dest {
            Some(d) => d,
            None => {
                own = Dest::Place(self.allocate(stmt, env)?);
                &own
            }
        };
        match call.prim {
            Prim::Map(Level::Host) => return self.each_in_turn(stmt, call, env, dest),
            Prim::Scan(Level::Host) => return self.scan_in_turn(stmt, call, env, dest),
            _ => {}
        }
        if let Some(tiling) = self.program.schedule.tilings.get(&stmt.var).cloned()
            && self.tiled(stmt, call, env, dest, tiling)?
        {
            return self.written(dest);
        }
        match call.prim {
            Prim::Filter(level) if is_parallel(level) => self.filter(stmt, call, env, dest)?,
            Prim::Reduce(level) if is_parallel(level) => self.reduce(stmt, call, env, dest)?,
            Prim::Scan(level) if is_parallel(level) => self.scan(stmt, call, env, dest, true)?,
            Prim::ScanExcl(level) if is_parallel(level) => self.scan(stmt, call, env, dest, false)?,
            Prim::ReduceByKey(_) => self.reduce_by_key(stmt, call, env, dest)?,
            Prim::Sort => self.sort(stmt, call, env, dest, false)?,
            Prim::Argsort => self.sort(stmt, call, env, dest, true)?,
            prim if place::stmt_levels(stmt).iter().any(|l| is_parallel(*l)) || matches!(prim, Prim::Scatter) => {
                self.in_parallel(stmt, call, env, dest)?
            }
            Prim::Head | Prim::Last | Prim::Aref => self.row_by_all(stmt, call, env, dest)?,
            Prim::Update => {
                let xs = self.atom(&call.args[0], env);
                self.copy(&xs, dest, &stmt.origin)?;
                self.change(stmt, call, env, dest)?;
            }
            prim => self.by_one(stmt, prim.label(), env, dest)?,
        }
        self.written(dest)
    }

    /// An array as a view of the arguments.
    fn view(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Result<Value<'k>> {
        let kernel = self.program.kernel;
        let ty = kernel.ty(stmt.var);
        if let Prim::Pad(_) = call.prim
            && let Value::Array(xs) = self.atom(&call.args[0], env)
        {
            self.not_empty(stmt, &xs.len, &env.size(&call.sizes[0].add(&call.sizes[1])))?;
        }
        let args = call.args.iter().map(|a| self.atom(a, env)).collect();
        let funs = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
        let of = call.args.last().map(|a| kernel.atom_ty(a));
        let sizes = call.sizes.iter().map(|s| env.size(s)).collect();
        let Some(value) = views::view(call.prim, sizes, funs, args, ty, of.as_ref(), env) else {
            return Err(self.error(stmt, call.prim.label(), "this form of it is not compiled yet"));
        };
        Ok(value)
    }

    /// The value of an operation that needs no place for its result, or chooses one itself; `None` of all others.
    fn without_place(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &mut Env<'k>,
        dest: Option<&Dest<'k>>,
        used: bool,
    ) -> Result<Option<Value<'k>>> {
        let kernel = self.program.kernel;
        let is_flat = flat::is_flat(kernel.ty(stmt.var));
        let value = match call.prim {
            Prim::Head | Prim::Last | Prim::Aref if is_flat && !used => {
                return self.for_its_failures(stmt, env).map(Some);
            }
            Prim::Head | Prim::Last | Prim::Aref | Prim::Vectorize if is_flat => self.deferred(stmt, env),
            Prim::Head | Prim::Last | Prim::Aref if used && let Some(row) = self.row(stmt, call, env) => row,
            Prim::Update | Prim::Map(_) if let Some(place) = self.staying(stmt, call, env) => {
                let at = Dest::Place(place.clone());
                self.change(stmt, call, env, &at)?;
                return match dest {
                    Some(Dest::Place(to)) if *to == place => self.written(&at).map(Some),
                    _ => {
                        let value = self.load(&place)?;
                        self.deliver(stmt, value, dest).map(Some)
                    }
                };
            }
            Prim::Reduce(Level::Host) => self.reduce_in_turn(stmt, call, env)?,
            Prim::Iterate if on_the_host(kernel, call) => self.iterate(stmt, call, env)?,
            Prim::IterateWhile if on_the_host(kernel, call) => self.rounds_while(stmt, call, env)?,
            Prim::Iterate | Prim::IterateWhile | Prim::Reduce(_) | Prim::ReduceWhileSeq
                if self.program.schedule.in_place.loops.contains_key(&stmt.var) =>
            {
                return self.loop_in_place(stmt, call, env, dest).map(Some);
            }
            _ => return Ok(None),
        };
        self.deliver(stmt, value, dest).map(Some)
    }

    /// An element that is an array, as a view; `None` if the host does not know that there is one, and where.
    fn row(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>) -> Option<Value<'k>> {
        let Value::Array(xs) = self.atom(&call.args[0], env) else { return None };
        let at = match (call.prim, call.sizes.as_slice()) {
            (Prim::Head, _) => Size::zero(),
            (Prim::Last, _) => xs.len.sub(&Size::one()),
            (_, [at]) => env.size(at),
            _ => match self.atom(&call.args[1], env) {
                Value::Scalar(ScalarValue::Size(at)) => at,
                Value::Scalar(ScalarValue::Literal(Literal::Int(at))) => Size::int(at.into()),
                _ => return None,
            },
        };
        let facts = &self.program.facts;
        let inside = facts.le(&Size::zero(), &at).is_yes() && facts.lt(&at, &xs.len).is_yes();
        if !inside || !self.program.is_known_here(&at) || !self.program.is_known_here(&xs.len) {
            return None;
        }
        let outside = facts.clone();
        let row = self.element(&xs, &at, self.program.kernel.ty(stmt.var), env);
        self.program.facts = outside;
        let message = match call.prim {
            Prim::Aref => Message::out_of_range(),
            prim => Message::of_an_empty_array(prim.label()),
        };
        if row.is_some() {
            self.program.needless(&message, &stmt.origin);
        }
        row
    }

    /// Copies an element that is an array; each work-item finds whether there is one.
    fn row_by_all(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &Env<'k>, dest: &Dest<'k>) -> Result<()> {
        let kernel = self.program.kernel;
        let title = Title { name: kernel.name_of(stmt.var), label: call.prim.label(), origin: &stmt.origin };
        let mut env = env.clone();
        self.launch(&title, copy_dims_of(kernel.ty(stmt.var)), [None; 3], |f| {
            let row = f.eval_stmt(stmt, &mut env, None)?;
            copy_in_parallel(f, &row, dest)
        })
    }

    /// Computes a statement whose functions determine the distribution of work.
    pub(super) fn in_parallel(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<()> {
        let kernel = self.program.kernel;
        let name = kernel.name_of(stmt.var);
        let title = Title { name, label: call.prim.label(), origin: &stmt.origin };
        if call.prim == Prim::Scatter {
            let xs = self.atom(&call.args[0], env);
            let Value::Array(a) = &xs else { return Err(self.error(stmt, "scatter", "its argument is not an array")) };
            let len = a.len.clone();
            let most = self.most(stmt, &len)?;
            let hits = format!("{name}_hits");
            let hits = self.program.buffer(&hits, Scalar::Int, most, BufferRole::Temporary);
            self.program.steps.push(Step::Zero(hits));
            let hits = Hits {
                memory: Memory { root: Root::Buffer(hits), scalar: Scalar::Int },
                base: Size::zero(),
                atomic: true,
            };
            let f = Closure { lambda: &call.funs[0], env: env.clone() };
            let to = dests::scattered(f, len, hits, dest.clone(), stmt);
            return self
                .launch(&title, copy_dims(self.program.schedule, &xs), [None; 3], |f| copy_in_parallel(f, &xs, &to));
        }
        let dims = dims_of(stmt);
        let team = self.program.schedule.teams.get(&stmt.var).cloned();
        let open = team.is_none() && self.program.schedule.unplaced.contains(&stmt.var);
        // These were tried with squares before their blocks.
        let tried = matches!(self.program.schedule.tilings.get(&stmt.var), Some(Tiling::Blocks | Tiling::Planes));
        if open && !tried && dims.glb[..2] == [true; 2] && self.map_transposed(stmt, call, env, dest)? {
            return Ok(());
        }
        let mut env = env.clone();
        let local = match &team {
            Some(team) => [Some(team.items), Some(team.rows), Some(1)],
            None => local_size_of(stmt, &self.program.target, &|a| kernel.atom_ty(a)),
        };
        let dims = match team {
            Some(_) => dims.union(Dims { lcl: [true, false, false], ..Dims::default() }),
            None => dims,
        };
        let across = self.neighbours_lie_across(stmt, call, &env, dest)?;
        let mut alone = env.clone();
        let without = |f: &mut FunctionBuilder<'_, 'k>| {
            f.grid_mut().lie_across(across);
            f.eval_stmt(stmt, &mut alone, Some(&Assigned::Write(dest.clone()))).map(drop)
        };
        if team.is_none() && self.jammed(stmt, call, &env, dest, across, without)? {
            return Ok(());
        }
        self.launch(&title, dims, local, |f| {
            f.grid_mut().lie_across(across);
            f.grid_mut().share_by(team.clone());
            f.eval_stmt(stmt, &mut env, Some(&Assigned::Write(dest.clone())))?;
            if let Some(team) = team.filter(|team| team.own.is_some() && team.rows > 1) {
                let target = *f.target();
                f.grid_mut().as_many_as_are_busy(&team, &target);
            }
            Ok(())
        })
    }

    /// Whether the size is a length such that no iteration of a loop changes the memory for it.
    fn is_length(&self, size: &Size) -> bool {
        let counted =
            |v: &Var| v.kind == VarKind::Param && (bounds::FIRST_COUNTED..bounds::FIRST_STATE).contains(&v.id);
        !size.any_var(&mut |v| counted(v)) && self.program.facts.le(&Size::zero(), size).is_yes()
    }

    /// `(iota k)` and the like, with a length computed on the device.
    fn of_runtime_length(&mut self, stmt: &'k Stmt, call: &'k PrimCall, env: &mut Env<'k>) -> Result<Value<'k>> {
        let schedule = self.program.schedule;
        let length = Deferred { stmt, env: env.clone(), computed: Cell::new(false), is_length: true };
        let length = Rc::new(length);
        let len = match self.atom(&call.args[0], env) {
            value if schedule.lengths.contains(&stmt.var) => self.measure(stmt, &value, stmt.var, env)?,
            Value::Scalar(ScalarValue::Size(s)) if self.is_length(&s) => s,
            Value::Scalar(ScalarValue::Literal(Literal::Int(n))) => {
                if n < 0 {
                    self.to_check.push(length);
                }
                Size::int(n.max(0).into())
            }
            value => {
                self.to_check.push(length.clone());
                let var = self.program.fresh_var("len");
                let bound = schedule.bounds.get(stmt.var).first().cloned().flatten().map(|b| env.size(&b));
                assume_hidden(&mut self.program.facts, &var, bound);
                self.program.lengths.insert(var.clone(), LengthSource::Value(value, length));
                Size::var(var)
            }
        };
        let len = self.program.facts.simplify(&len);
        let value = call.args.get(1).map(|a| self.atom(a, env));
        let funs = call.funs.iter().map(|f| Closure { lambda: f, env: env.clone() }).collect();
        match views::of_length(call.prim, len.clone(), funs, value.as_ref()) {
            Some(array) => Ok(Value::Packed { sizes: vec![len], body: Box::new(Value::Array(array)) }),
            None => Err(self.error(stmt, call.prim.label(), "this form of it is not compiled yet")),
        }
    }
}
