//! `filter` by per-thread chunks, on CPUs.
//!
//! One launch counts the elements of each chunk that pass, another moves them. If the test and the kept value may be
//! computed for any element, some elements at a time are tested in a loop that the device's compiler vectorises, and
//! then compacted by the device's instruction for it ([`pack`]).

use super::piece::{ITEMS, LEAST, Piece, for_pieces};
use super::tile::bytes;
use crate::core::{PrimCall, Stmt};
use crate::lower::Result;
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::Title;
use crate::lower::value::{Array, Closure, Dest, Env, Layout, Value};
use crate::opencl::{CType, Expr, Helper, Step, StmtKind, Storage, pack};
use crate::plan::BufferRole;
use crate::schedule::fails;
use lift_analysis::hir::Scalar;
use lift_analysis::parameters::Parameter;
use lift_analysis::size::Size;
use lift_analysis::ty::{Ty, TyKind};
use std::rc::Rc;

/// Maximum elements that one work-item filters alone in a launch that does not count first, because another launch
/// and thread take longer to start.
const FEW: i64 = 16 * LEAST;

/// The elements that pass `p`, or their images under `out`.
struct Filter<'a, 'k> {
    xs: &'a Array<'k>,
    p: Closure<'k>,
    out: Option<Closure<'k>>,
}

impl<'k> Filter<'_, 'k> {
    /// The type of kept values, if they may be computed for every element and compacted afterwards.
    fn kept(&self, host: &Host<'k>, stmt: &Stmt, dest: &Dest<'k>) -> Option<Ty> {
        let may_fail = |f: &Closure<'k>| fails::may_fail(&host.program.kernel.vars, &f.lambda.body);
        let TyKind::Exists(_, body) = host.program.kernel.ty(stmt.var).kind() else { return None };
        let element = body.as_array()?.element.clone();
        let harmless = matches!(dest, Dest::Place(_)) && !may_fail(&self.p) && !self.out.as_ref().is_some_and(may_fail);
        (harmless && can_be_packed(&element)).then_some(element)
    }
}

/// Whether there is a helper to compact each of its scalars.
fn can_be_packed(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(s) => pack_of(*s).is_some(),
        TyKind::Tuple(parts) => !parts.is_empty() && parts.iter().all(can_be_packed),
        _ => false,
    }
}

fn pack_of(scalar: Scalar) -> Option<Helper> {
    match scalar {
        Scalar::Int => Some(Helper::PackInt),
        Scalar::Float => Some(Helper::PackFloat),
        Scalar::Long => Some(Helper::PackLong),
        Scalar::Double => Some(Helper::PackDouble),
        _ => None,
    }
}

impl<'k> Host<'k> {
    /// Filters by chunks if possible; returns whether it did. One launch counts, another moves; few elements are moved
    /// without counting.
    pub fn filter_in_pieces(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
        xs: &Array<'k>,
    ) -> Result<bool> {
        let element = self.program.kernel.atom_ty(&call.args[0]).as_array().map(|a| a.element.clone());
        let (Some(pieces), Some(_)) = (self.pieces(&xs.len), element.as_ref().and_then(bytes)) else {
            return Ok(false);
        };
        let p = Closure { lambda: &call.funs[0], env: env.clone() };
        let out = call.funs.get(1).map(|f| Closure { lambda: f, env: env.clone() });
        let filter = Filter { xs, p, out };
        let name = self.program.kernel.name_of(stmt.var).to_string();
        let title = Title { name: &name, label: "filter", origin: &stmt.origin };
        let kept = filter.kept(self, stmt, dest);
        let (few, many) = match (&kept, xs.len.as_const()) {
            (None, _) => (false, None),
            (Some(_), Some(n)) => (n <= FEW, None),
            (Some(_), None) => {
                let known = self.program.is_known_before(&xs.len);
                (known, known.then(|| xs.len.sub(&Size::int(FEW))))
            }
        };
        if let (true, Some(kept)) = (few, &kept) {
            let few: Vec<Size> = many.iter().map(|many| Size::one().sub(many)).collect();
            self.launch_if(&few, &title, Dims::default(), [None; 3], |f| {
                let body = f.dest_body(dest)?;
                let n = f.length(&xs.len)?;
                let at = Expr::Var(f.variable("at", CType::Int, Some(Expr::int(0))));
                let (from, to, of) = (Expr::int(0), n.clone(), xs.len.clone());
                let all = Piece { number: Size::zero(), from, to, of, last: Expr::Bool(true) };
                filter.keep_of_piece(f, kept, &all, &at, &n, &body)?;
                let len = f.index_var("at", at);
                f.dest_packed(dest, &[Size::var(len)])?;
                Ok(())
            })?;
            if many.is_none() {
                return Ok(true);
            }
        }
        let many: Vec<Size> = many.into_iter().collect();
        let counts = self.program.buffer(&format!("{name}_counts"), Scalar::Int, pieces.clone(), BufferRole::Temporary);
        let count_name = format!("{name}_count");
        let count_title = Title { name: &count_name, label: "filter: count", origin: &stmt.origin };
        self.launch_if(&many, &count_title, ITEMS, [None; 3], |f| {
            let counts = Expr::Var(f.use_buffer(counts, true));
            for_pieces(f, &xs.len, &pieces, |f, piece| {
                let count = Expr::Var(f.variable("count", CType::Int, Some(Expr::int(0))));
                piece.for_piece(f, |f, i| {
                    let x = f.read(xs, i)?;
                    let keep = filter.keeps(f, &x)?;
                    f.assign(count.clone(), count.clone().add(keep.cast(CType::Int)));
                    Ok(())
                })?;
                let at = f.size(&piece.number)?;
                f.assign(counts.index(at), count);
                Ok(())
            })
        })?;
        let title = Title { label: "filter: compact", ..title };
        self.launch_if(&many, &title, ITEMS, [None; 3], |f| {
            let counts = Expr::Var(f.use_buffer(counts, false));
            let body = f.dest_body(dest)?;
            for_pieces(f, &xs.len, &pieces, |f, piece| {
                let at = Expr::Var(f.variable("at", CType::Int, Some(Expr::int(0))));
                f.for_range("j", Expr::int(0), &piece.number, Step::Increment, |f, j| {
                    let j = f.size(j)?;
                    f.assign(at.clone(), at.clone().add(counts.clone().index(j)));
                    Ok(())
                })?;
                let own = f.size(&piece.number)?;
                let end = f.bind("end", CType::Int, at.clone().add(counts.index(own)));
                match &kept {
                    Some(kept) => filter.keep_of_piece(f, kept, piece, &at, &end, &body)?,
                    None => filter.move_kept(f, piece, &at, &end, &body)?,
                }
                f.provided(piece.last.clone(), |f| {
                    let len = f.index_var("end", end);
                    f.dest_packed(dest, &[Size::var(len)])?;
                    Ok(())
                })
            })
        })?;
        Ok(true)
    }
}

impl<'k> Filter<'_, 'k> {
    /// The condition that an element passes.
    fn keeps(&self, f: &mut FunctionBuilder<'_, 'k>, x: &Value<'k>) -> Result<Expr> {
        let keep = f.call(&self.p, std::slice::from_ref(x))?;
        let keep = f.scalar_of(&keep)?;
        f.scalar(&keep)
    }

    /// Moves the elements of a chunk that pass, one after the other, to index `at` and following, before `end`.
    fn move_kept(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        piece: &Piece,
        at: &Expr,
        end: &Expr,
        body: &Dest<'k>,
    ) -> Result<()> {
        let to = f.index_var("at", at.clone());
        f.known_mut().assume_index(&to, &self.xs.len);
        let enough = at.clone().lt(end.clone());
        piece.for_piece_while(f, Some(enough), |f, i| {
            let x = f.read(self.xs, i)?;
            let x = f.named_scalar(&x, "x")?;
            let keep = self.keeps(f, &x)?;
            let place = f.dest_at(body, &Size::var(to))?;
            f.provided(keep, |f| {
                self.kept_value(f, &x, &place)?;
                f.assign(at.clone(), at.clone().add(Expr::int(1)));
                Ok(())
            })
        })
    }

    fn kept_value(&self, f: &mut FunctionBuilder<'_, 'k>, x: &Value<'k>, to: &Dest<'k>) -> Result<()> {
        match &self.out {
            Some(g) => f.call_into(g, std::slice::from_ref(x), to),
            None => f.copy(x, to),
        }
    }

    /// Like [`Self::move_kept`], if values of type `element` may be computed for all elements, including those that do
    /// not pass: some at a time, without unpredictable branches, and compacted together. Values written after the last
    /// kept one, but before `end`, are overwritten later.
    fn keep_of_piece(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        element: &Ty,
        piece: &Piece,
        at: &Expr,
        end: &Expr,
        body: &Dest<'k>,
    ) -> Result<()> {
        // Enough to vectorise the tests, few enough to stay in the first-level cache.
        let tested = f.parameter(Parameter::FilterTested);
        let begin = f.fresh_name("begin");
        let own = Expr::Var(begin.clone());
        let condition = own.clone().lt(piece.to.clone()).and(at.clone().lt(end.clone()));
        let (stmts, ()) = f.in_loop(|f| {
            f.scope(|f| {
                let Some(values) = f.element_arrays(element, "kept", Storage::Private, tested) else {
                    return Err(f.error("filter", "these elements cannot be kept in registers"));
                };
                let keep = Expr::Var(f.declare_array("keep", Storage::Private, CType::Int, tested as u64));
                let count = Expr::call("min", [Expr::int(tested), piece.to.clone().sub(own.clone())]);
                let count = f.bind("count", CType::Int, count);
                let n = f.index_var("count", count.clone());
                f.known_mut().assume_range(n.clone(), Some(Size::one()), Some(Size::int(tested)));
                f.for_range("j", Expr::int(0), &Size::var(n.clone()), Step::Increment, |f, j| {
                    let j = f.size(j)?;
                    let i = f.bind("i", CType::Int, own.clone().add(j.clone()));
                    let i = f.index_var("i", i);
                    f.known_mut().assume_index(&i, &self.xs.len);
                    let x = f.read(self.xs, &Size::var(i))?;
                    let x = f.named_scalar(&x, "x")?;
                    let passes = self.keeps(f, &x)?;
                    f.assign(keep.clone().index(j.clone()), passes.cast(CType::Int));
                    let to = Dest::Place(f.slot_at(&values, j));
                    self.kept_value(f, &x, &to)
                })?;
                f.for_range("j", Expr::int(0), &Size::var(n), Step::Add(Expr::int(pack::TOGETHER)), |f, j| {
                    let j = f.size(j)?;
                    self.pack_some(f, &values, &keep, j, count, at, end, body)
                })
            })
        })?;
        f.emit(StmtKind::For {
            ty: CType::Int,
            var: begin,
            from: piece.from.clone(),
            condition,
            step: Step::Add(Expr::int(tested)),
            below: None,
            body: stmts,
        });
        Ok(())
    }

    /// Compacts the elements from `j` on, as many as one call moves; one after the other if there are fewer, or the
    /// space may not suffice.
    #[allow(clippy::too_many_arguments)]
    fn pack_some(
        &self,
        f: &mut FunctionBuilder<'_, 'k>,
        values: &Rc<Layout>,
        keep: &Expr,
        j: Expr,
        count: Expr,
        at: &Expr,
        end: &Expr,
        body: &Dest<'k>,
    ) -> Result<()> {
        let to = f.index_var("at", at.clone());
        f.known_mut().assume_index(&to, &self.xs.len);
        let next = j.clone().add(Expr::int(pack::TOGETHER));
        let room = at.clone().add(Expr::int(pack::TOGETHER)).le(end.clone());
        let (together, ()) = f.scope(|f| {
            let Dest::Place(place) = f.dest_at(body, &Size::var(to.clone()))? else {
                return Err(f.error("filter", "the kept elements have no destination"));
            };
            let moved = pack_leaves(f, values, &place.layout, &place.at, keep, &j)?;
            let Some(moved) = moved else { return Err(f.error("filter", "nothing is kept of an element")) };
            f.assign(at.clone(), at.clone().add(moved));
            Ok(())
        })?;
        let k = f.fresh_name("k");
        let (one, ()) = f.scope(|f| {
            let x = f.slot_at(values, Expr::Var(k.clone()));
            let x = f.load(&x)?;
            let place = f.dest_at(body, &Size::var(to))?;
            f.copy(&x, &place)?;
            f.assign(at.clone(), at.clone().add(keep.clone().index(Expr::Var(k.clone()))));
            Ok(())
        })?;
        let last = Expr::call("min", [next.clone(), count.clone()]);
        let one_by_one = StmtKind::For {
            ty: CType::Int,
            var: k.clone(),
            from: j,
            condition: Expr::Var(k).lt(last).and(at.clone().lt(end.clone())),
            step: Step::Increment,
            below: None,
            body: one,
        };
        let one_by_one = vec![one_by_one.at(&f.origin())];
        f.emit_if(next.le(count).and(room), together, one_by_one);
        Ok(())
    }
}

/// Calls the helper for each scalar of the elements; returns the number of kept elements, the same for all.
fn pack_leaves(
    f: &mut FunctionBuilder,
    values: &Layout,
    to: &Layout,
    at: &Size,
    keep: &Expr,
    j: &Expr,
) -> Result<Option<Expr>> {
    match (values, to) {
        (Layout::Scalar(from), Layout::Scalar(to)) => {
            let Some(helper) = pack_of(to.scalar) else { return Ok(None) };
            let to = f.pointer(to, true).add(f.size(at)?);
            let from = f.pointer(from, false).add(j.clone());
            let moved = f.call_helper(helper, [to, from, keep.clone().add(j.clone())]);
            Ok(Some(f.bind("moved", CType::Int, moved)))
        }
        (Layout::Tuple(values), Layout::Tuple(to)) => {
            let mut moved = None;
            for (values, to) in values.iter().zip(to) {
                moved = pack_leaves(f, values, to, at, keep, j)?.or(moved);
            }
            Ok(moved)
        }
        _ => Err(f.error("filter", "the kept elements and their destination have different layouts")),
    }
}
