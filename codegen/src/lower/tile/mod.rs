//! Maps whose elements are computed in blocks; [`crate::schedule::tile`] finds the candidates.
//!
//! | module | job |
//! |---|---|
//! | [`matrix`] | every row meets every column: blocks of both in local memory, a block of results in registers |
//! | [`cores`] | the same on CPUs: cache-sized tiles, a vector of columns at a time |
//! | [`blocks`] | overlapping windows: a block of results in registers |
//! | [`windows`] | folds of large windows, row by row |
//! | [`transpose`] | transposed copies, through squares in local memory |
//! | [`rows`] | each row is folded by several work-items |
//! | [`pairs`] | every element meets every element of another array, which passes through local memory |
//! | [`roots`] | reciprocal roots in long sums |
//! | [`rounds`] | iterations over a short array, whose elements stay in registers |
//! | [`short`] | short rows, read into registers once |
//! | [`loads`] | elements of buffers in registers |
//! | [`operand`] | rows or columns, from global memory to registers |
//! | [`divided`] | quotients in the addresses of such rows |
//! | [`memo`] | cached queries about sizes |
//! | [`across`] | which of two maps gets neighbouring work-items |
//! | [`access`] | addresses of elements, to load several neighbours at once |

mod access;
mod across;
pub mod blocks;
mod cores;
mod divided;
pub mod loads;
mod matrix;
pub mod memo;
mod operand;
mod pairs;
mod roots;
pub mod rounds;
mod rows;
mod short;
mod transpose;
mod windows;

use super::Result;
use super::function::FunctionBuilder;
use super::host::Host;
use super::value::{Dest, Env, Layout, Memory, Root, ScalarValue, Value};
use crate::core::{PrimCall, Stmt};
use crate::opencl::{self, BinaryOp, CType, Expr, Step, StmtKind, Storage, names};
use crate::report::Kind;
use crate::schedule::rules;
use crate::schedule::tile::Tiling;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;
use std::sync::Arc;

impl<'k> Host<'k> {
    /// Computes a `map` in blocks; `false` if that does not pay for the layout of its arrays.
    pub fn tiled(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        tiling: Tiling,
    ) -> Result<bool> {
        match tiling {
            Tiling::Matrix(nest, batches) => self.matrix(stmt, call, env, dest, nest, batches),
            Tiling::Folded(folded) => self.matrix_folded(stmt, call, env, dest, &folded),
            Tiling::Rows(nest, around) => self.rows(stmt, call, env, dest, (nest, around)),
            Tiling::Team(fold) => self.teams(stmt, call, env, dest, fold),
            Tiling::Pairs(pairs) => self.pairs(stmt, call, env, dest, pairs),
            Tiling::Rounds(iterate) => self.rounds(stmt, call, env, dest, iterate),
            Tiling::ShortRows(length) => self.short_rows(stmt, call, env, dest, &length),
            Tiling::Blocks => {
                Ok(self.map_transposed(stmt, call, env, dest)? || self.blocks(stmt, call, env, dest, None)?)
            }
            Tiling::Planes => Ok(self.map_transposed(stmt, call, env, dest)? || self.planes(stmt, call, env, dest)?),
            Tiling::Windows(nest) => self.blocks(stmt, call, env, dest, Some(nest)),
        }
    }
}

/// Bytes of a value whose type consists of scalars.
fn bytes_of(ty: &Ty) -> u64 {
    match ty.kind() {
        TyKind::Scalar(s) => s.bytes(),
        TyKind::Tuple(parts) => parts.iter().map(bytes_of).sum(),
        _ => 0,
    }
}

impl<'k> FunctionBuilder<'_, 'k> {
    /// An array of `len` elements whose type consists of scalars, as one C array per scalar.
    fn arrays(&mut self, ty: &Ty, name: &str, storage: Storage, len: u64) -> Result<Rc<Layout>> {
        Ok(match ty.kind() {
            TyKind::Scalar(s) => {
                self.note_double(*s);
                let local = storage != Storage::Private;
                if local {
                    self.own_mut().declare_local(len * s.bytes());
                    let origin = self.origin();
                    self.program_mut().stored(name, Kind::Local, *s, &Size::nat(len), &origin);
                }
                let name = self.declare_array(name, storage, CType::stored(*s), len);
                Layout::Scalar(Memory { root: Root::Array { name, local }, scalar: *s }).into()
            }
            TyKind::Tuple(parts) => {
                let mut all = Vec::new();
                for (i, part) in parts.iter().enumerate() {
                    all.push(self.arrays(part, &format!("{name}_{}", i + 1), storage, len)?);
                }
                Layout::Tuple(all).into()
            }
            _ => return Err(self.error("", format!("values of type `{ty}` cannot be kept in tiles"))),
        })
    }

    /// A loop of a constant number of iterations that the device's compiler unrolls.
    pub fn unrolled(&mut self, name: &str, n: i64, mut body: impl FnMut(&mut Self, &Size) -> Result<()>) -> Result<()> {
        if n == 1 {
            return body(self, &Size::zero());
        }
        self.emit(StmtKind::Unroll);
        self.for_range(name, Expr::int(0), &Size::int(n), Step::Increment, body)
    }

    /// As [`Self::unrolled`], but a loop stays one if an iteration calls a function of many instructions: a compiler would
    /// take minutes for the copies.
    pub fn unrolled_unless_long(
        &mut self,
        name: &str,
        n: i64,
        body: impl FnMut(&mut Self, &Size) -> Result<()>,
    ) -> Result<()> {
        let (stmts, ()) = self.scope(|f| f.for_range(name, Expr::int(0), &Size::int(n), Step::Increment, body))?;
        self.emit(if calls_long(&stmts) { StmtKind::Roll } else { StmtKind::Unroll });
        self.emit_all(stmts);
        Ok(())
    }

    /// A computed number as a size, with the fact `0 <= name <= most`.
    fn number(&mut self, name: &str, value: Expr, most: &Size) -> Size {
        let value = if value.is_atom() { value } else { self.bind(name, CType::Int, value) };
        let var = self.index_var(name, value);
        self.known_mut().assume_range(var.clone(), Some(Size::zero()), Some(most.clone()));
        Size::var(var)
    }

    /// `a·b + c` as a fused multiply-add, where a reduction may be reordered anyway.
    pub fn contracted(&mut self, v: Value<'k>) -> Value<'k> {
        match v {
            Value::Scalar(ScalarValue::Computed { ty, expr }) if ty.is_floating() => {
                Value::computed(ty, contracted_sum(self, expr))
            }
            Value::Tuple(parts) => Value::Tuple(parts.into_iter().map(|p| self.contracted(p)).collect()),
            other => other,
        }
    }

    /// Statements under a condition; unconditional if it certainly holds.
    pub(in crate::lower) fn when(&mut self, condition: Expr, body: impl FnOnce(&mut Self) -> Result<()>) -> Result<()> {
        let (stmts, ()) = self.scope(body)?;
        match condition {
            Expr::Bool(true) => self.emit_all(stmts),
            condition => self.emit_if(condition, stmts, Vec::new()),
        }
        Ok(())
    }
}

/// A size as a number under a name, at most `most`.
fn number_of(f: &mut FunctionBuilder, name: &str, value: &Size, most: &Size) -> Result<Size> {
    let value = f.size(value)?;
    Ok(f.number(name, value, most))
}

/// Writes the result in a row and a column.
fn write_result<'k>(
    f: &mut FunctionBuilder<'_, 'k>,
    value: &Value<'k>,
    [r, c]: [&Size; 2],
    dest: &Dest<'k>,
) -> Result<()> {
    let to = f.dest_at(dest, r)?;
    let to = f.dest_at(&to, c)?;
    f.copy(value, &to)
}

fn contracted_sum(f: &mut FunctionBuilder, e: Expr) -> Expr {
    let Expr::Binary(BinaryOp::Add, a, b) = e else { return e };
    // The product may have been bound to a name.
    let product = |e: &Expr| match e {
        Expr::Binary(BinaryOp::Mul, x, y) => Some((x.clone(), y.clone())),
        Expr::Var(name) => match f.initial(name) {
            Some(Expr::Binary(BinaryOp::Mul, x, y)) if x.is_atom() && y.is_atom() => Some((x.clone(), y.clone())),
            _ => None,
        },
        _ => None,
    };
    let (x, y, sum) = match (product(&a), product(&b)) {
        (_, Some((x, y))) => (x, y, a),
        (Some((x, y)), None) => (x, y, b),
        (None, None) => return Expr::Binary(BinaryOp::Add, a, b),
    };
    let origin = f.origin();
    f.program_mut().applied(&rules::CONTRACT, &origin);
    Expr::call("fma", [x, y, sum].map(Arc::unwrap_or_clone))
}

fn local_id() -> Expr {
    Expr::call("get_local_id", [Expr::int(0)])
}

fn min(a: Expr, b: Expr) -> Expr {
    Expr::call("min", [a, b])
}

/// Whether statements call a function of many instructions.
fn calls_long(stmts: &[opencl::Stmt]) -> bool {
    let of = |e: &Expr| e.any(&mut |e| matches!(e, Expr::Call(name, _) if names::is_long(name)));
    stmts.iter().any(|s| match &s.kind {
        StmtKind::Declare { init, .. } => init.as_ref().is_some_and(of),
        StmtKind::Assign(to, value) => of(to) || of(value),
        StmtKind::Expr(e) => of(e),
        StmtKind::If { condition, then, otherwise } => of(condition) || calls_long(then) || calls_long(otherwise),
        StmtKind::For { body, .. } | StmtKind::While { body, .. } | StmtKind::Block(body) => calls_long(body),
        _ => false,
    })
}
