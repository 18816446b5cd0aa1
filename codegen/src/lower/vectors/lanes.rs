//! Neighbouring elements of a map, computed together: what they keep, and what their loops see.

use super::super::Result;
use super::super::function::FunctionBuilder;
use super::super::value::{Array, Closure, Dest, Env, Layout, Place, Value, View};
use super::along::Span;
use super::lines::Names;
use super::roles::{Role, Roles};
use super::short;
use crate::core::{Atom, Block, PrimCall, Rhs, Stmt, VarId};
use crate::opencl::{StmtKind, Storage};
use crate::schedule::uses;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Rows that are sorted together.
pub const WIDTH: i64 = 16;

/// A map in lanes, at some place in its function.
pub struct Lanes<'a, 'k> {
    pub f: &'a Closure<'k>,
    pub roles: &'a Roles,
    pub xs: &'a Array<'k>,
    pub dest: &'a Dest<'k>,
    /// The elements `first <= i < last` of the map are the lanes.
    pub span: Span,
    pub first: Size,
    pub width: i64,
    /// The values that lanes keep, by variable.
    pub kept: FxHashMap<VarId, Kept>,
    /// The loops around the current place, outermost first.
    pub around: Vec<Around<'k>>,
    pub names: Names,
}

/// The value that lanes keep of a statement.
pub enum Kept {
    /// The result of a fold, which is an array of one element: an array with an element for each lane.
    Folded(Rc<Layout>),
    /// A scalar.
    Scalar(Rc<Layout>),
    /// A sorted row of this length.
    Row(Columns, Size),
}

/// A fold, scan or map of a lane's function, in one of its rounds.
pub struct Around<'k> {
    pub stmt: &'k Stmt,
    pub call: &'k PrimCall,
    /// `None` for a map.
    pub acc: Option<Rc<Layout>>,
    pub round: Size,
}

/// The elements of the rows, or keys or positions of them: element `k` of a lane is at `k·WIDTH + lane`.
#[derive(Clone)]
pub struct Columns {
    pub place: Place,
}

impl<'a, 'k> Lanes<'a, 'k> {
    /// The element of a lane.
    pub fn slot(&self, array: &Rc<Layout>, i: &Size) -> Place {
        Place { layout: array.clone(), at: i.sub(&self.first) }
    }

    /// The block of the current function.
    pub fn block(&self) -> &'k Block {
        self.around.last().map_or(&self.f.lambda.body, |around| &around.call.funs[0].body)
    }

    /// The rounds of a fold, scan, map or sort, which are the same for all lanes.
    pub fn rounds(&self, b: &FunctionBuilder<'_, 'k>, call: &PrimCall) -> Size {
        let xs = call.args.last().map(|xs| b.kernel().atom_ty(xs));
        xs.as_ref().and_then(Ty::as_array).map_or(Size::zero(), |xs| self.f.env.size(&xs.len))
    }

    /// An array with an element for each lane; `None` unless elements are scalars or tuples of them.
    pub fn array(&mut self, b: &mut FunctionBuilder<'_, 'k>, ty: &Ty, name: &str) -> Option<Rc<Layout>> {
        let width = self.width;
        let before = b.innermost().map_or(0, |stmts| stmts.len());
        let array = b.element_arrays(ty, name, Storage::Private, width);
        let made = b.innermost().map(|stmts| stmts[before..].to_vec()).unwrap_or_default();
        self.names.own.extend(made.into_iter().filter_map(|s| match s.kind {
            StmtKind::DeclareArray { name, .. } => Some(name),
            _ => None,
        }));
        array
    }

    /// A loop over the lanes.
    pub fn each(
        &mut self,
        b: &mut FunctionBuilder<'_, 'k>,
        body: impl FnOnce(&mut FunctionBuilder<'_, 'k>, &Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let span = self.span.clone();
        short::written_out(b, (&self.f.lambda.body, true), |b| span.for_each(b, None, |b, i| body(b, self, i)))?;
        if let Some(StmtKind::For { var, .. }) = b.last_written() {
            self.names.lanes.insert(var.clone());
        }
        Ok(())
    }

    /// The values that the current function sees in a lane: its parameters, and what the functions around it compute.
    pub fn env(&self, b: &mut FunctionBuilder<'_, 'k>, i: &Size) -> Result<Env<'k>> {
        let mut env = self.f.env.clone();
        let x = b.read(self.xs, i)?;
        let x = b.name_param(self.f.lambda.params[0], &x)?;
        env.bind(self.f.lambda.params[0], x);
        let mut block = &self.f.lambda.body;
        for around in &self.around {
            self.needed(b, block, Some(around.stmt), &mut env, i)?;
            let f = &around.call.funs[0];
            let xs = b.atom(&around.call.args[around.call.args.len() - 1], &env)?;
            let xs = b.array(&xs)?;
            let x = b.read(&xs, &around.round)?;
            let mut args = Vec::new();
            if let Some(acc) = &around.acc {
                args.push(b.load(&self.slot(acc, i))?);
            }
            args.push(x);
            for (param, arg) in f.params.iter().zip(&args) {
                let arg = b.name_param(*param, arg)?;
                env.bind(*param, arg);
            }
            block = &f.body;
        }
        Ok(env)
    }

    /// The result of the current function in a lane.
    pub fn value(&self, b: &mut FunctionBuilder<'_, 'k>, block: &'k Block, i: &Size) -> Result<Value<'k>> {
        let mut env = self.env(b, i)?;
        self.needed(b, block, None, &mut env, i)?;
        let value = b.atom(&block.result, &env)?;
        b.forced(&value)
    }

    /// Binds the statements of a block that one of them needs, or its result.
    pub fn needed(
        &self,
        b: &mut FunctionBuilder<'_, 'k>,
        block: &'k Block,
        of: Option<&Stmt>,
        env: &mut Env<'k>,
        i: &Size,
    ) -> Result<()> {
        let mut needed = FxHashSet::default();
        let before = match of {
            Some(stmt) => {
                uses::variables(stmt, &mut needed);
                let at = block.stmts.iter().position(|s| s.var == stmt.var);
                &block.stmts[..at.unwrap_or(0)]
            }
            None => {
                needed.extend(match &block.result {
                    Atom::Var(v) => Some(*v),
                    _ => None,
                });
                &block.stmts[..]
            }
        };
        let mut wanted = Vec::new();
        for stmt in before.iter().rev().filter(|s| !self.kept.contains_key(&s.var)) {
            if needed.contains(&stmt.var) {
                uses::variables(stmt, &mut needed);
                wanted.push(stmt);
            }
        }
        for (var, kept) in self.kept.iter().filter(|(var, _)| needed.contains(var)) {
            let value = match kept {
                Kept::Folded(array) => {
                    let value = b.load(&self.slot(array, i))?;
                    Value::Array(Array::new(Size::one(), View::Fill(value)))
                }
                Kept::Scalar(array) => b.load(&self.slot(array, i))?,
                Kept::Row(columns, n) => Value::Array(columns.row(b, &i.sub(&self.first), n)?),
            };
            env.bind(*var, value);
        }
        for stmt in wanted.into_iter().rev() {
            let origin = stmt.origin.clone();
            let value = b.at(&origin, |b| match (self.roles.role_of(stmt), &stmt.rhs) {
                (Role::Again, Rhs::Prim(call)) => {
                    let xs = b.atom(&call.args[0], env)?;
                    let xs = b.array(&xs)?;
                    let f = Closure { lambda: &call.funs[0], env: env.clone() };
                    Ok(Value::Array(Array::new(xs.len.clone(), View::Mapped(f, xs))))
                }
                _ => b.eval_stmt(stmt, env, None),
            })?;
            env.bind(stmt.var, value);
        }
        Ok(())
    }
}

impl Columns {
    /// The row of a lane.
    pub fn row<'k>(&self, b: &mut FunctionBuilder<'_, 'k>, lane: &Size, n: &Size) -> Result<Array<'k>> {
        let all = b.load(&self.place)?;
        let all = b.array(&all)?;
        Ok(Array::new(n.clone(), View::Part { from: lane.clone(), step: Size::int(WIDTH), of: all }))
    }
}
