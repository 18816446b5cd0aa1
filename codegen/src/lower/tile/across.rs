//! Chooses which of the two innermost maps gets neighbouring work-items: the one whose neighbours access adjacent
//! memory more often.

use super::access::strides;
use super::operand::components;
use crate::core::{Block, Lambda, Level, Prim, PrimCall, Rhs, Stmt};
use crate::lower::Result;
use crate::lower::dests::{self, Assigned, Writer};
use crate::lower::function::{Dims, FunctionBuilder};
use crate::lower::host::Host;
use crate::lower::launch::dims_of;
use crate::lower::strides::transactions;
use crate::lower::value::{Array, Dest, Env, Layout, Place};
use crate::opencl::Expr;
use crate::schedule::nest;
use crate::target::Class;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;

/// Maximum dimensions of an element whose place is asked for.
const MOST_DIMENSIONS: usize = 4;

/// A map of a nest, and where its result is written.
struct OfMap<'k> {
    call: &'k PrimCall,
    env: Env<'k>,
    dest: Dest<'k>,
}

impl<'k> Host<'k> {
    /// Whether neighbouring elements of the outer one of the two innermost of some maps access memory in fewer transactions
    /// than those of the inner one.
    pub fn neighbours_lie_across(
        &mut self,
        stmt: &'k Stmt,
        call: &'k PrimCall,
        env: &Env<'k>,
        dest: &Dest<'k>,
    ) -> Result<bool> {
        let used = dims_of(stmt);
        let two = used.glb[..2] == [true; 2] && used == Dims { glb: used.glb, ..Dims::default() };
        if self.program.target.class != Class::Gpu || !two {
            return Ok(false);
        }
        if call.funs.iter().any(|f| has_loops(&f.body)) {
            let mut found = [0; 2];
            self.program.probe(&stmt.origin, |b| {
                b.grid_mut().distribute_over(used);
                let to = Assigned::Write(dest.clone());
                let (stmts, _) = b.scope(|b| b.eval_stmt(stmt, &mut env.clone(), Some(&to)))?;
                found = transactions(&stmts, [0, 1].map(|d| Expr::call("get_global_id", [Expr::int(d)])));
                Ok(())
            })?;
            return Ok(found[1] < found[0]);
        }
        let mut votes = 0;
        self.program.probe(&stmt.origin, |b| {
            let mut map = OfMap { call, env: env.clone(), dest: dest.clone() };
            while map.call.prim != Prim::Map(Level::Glb(1)) {
                let is_outer = matches!(map.call.prim, Prim::Map(Level::Glb(2) | Level::Seq));
                map = match map.below(b, &Size::zero())? {
                    Some(inner) if is_outer => inner,
                    _ => return Ok(()),
                };
            }
            let rows = b.atom(&map.call.args[0], &map.env)?;
            let rows = b.array(&rows)?;
            votes = votes_of(b, &rows, &map.call.funs[0]) + map.vote_of_results(b)?;
            Ok(())
        })?;
        Ok(votes > 0)
    }
}

/// Whether one work-item goes over elements in a block.
fn has_loops(block: &Block) -> bool {
    let mut found = false;
    block.visit(&mut |stmt| {
        found |= matches!(
            &stmt.rhs,
            Rhs::Prim(PrimCall {
                prim: Prim::Map(Level::Seq)
                    | Prim::Reduce(Level::Seq)
                    | Prim::Scan(Level::Seq)
                    | Prim::ScanExcl(Level::Seq)
                    | Prim::Iterate
                    | Prim::IterateWhile,
                ..
            })
        );
    });
    found
}

impl<'k> OfMap<'k> {
    /// The map that the function of this one returns, perhaps rearranged, for element `i`.
    fn below(&self, b: &mut FunctionBuilder<'_, 'k>, i: &Size) -> Result<Option<OfMap<'k>>> {
        let Some(f) = self.call.funs.first() else { return Ok(None) };
        let Some(at) = nest::returned(f) else { return Ok(None) };
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(_), .. }) = &f.body.stmts[at].rhs else { return Ok(None) };
        let xs = b.atom(&self.call.args[0], &self.env)?;
        let xs = b.array(&xs)?;
        let x = b.read(&xs, i)?;
        let mut env = self.env.clone();
        env.enter(f, i, x);
        let dest = b.dest_at(&self.dest, i)?;
        let mut assigned =
            dests::assign(b.kernel(), b.schedule(), &f.body, 0, Some(&dest), &env, false, Writer::Items)?;
        let Some(Assigned::Write(dest)) = assigned.remove(&f.body.stmts[at].var) else { return Ok(None) };
        for s in &f.body.stmts[..at] {
            let value = b.eval_stmt(s, &mut env, None)?;
            env.bind(s.var, value);
        }
        Ok(Some(OfMap { call, env, dest }))
    }

    fn elements(&self, b: &mut FunctionBuilder<'_, 'k>) -> Result<Size> {
        let xs = b.atom(&self.call.args[0], &self.env)?;
        Ok(b.array(&xs)?.len)
    }

    /// 1 if the results of neighbouring elements are adjacent, -1 if those of neighbouring elements of the map below are.
    fn vote_of_results(&self, b: &mut FunctionBuilder<'_, 'k>) -> Result<i32> {
        let [r, c] = ["r", "c"].map(|name| b.index_var(name, Expr::int(0)));
        let (one, rows) = (Size::one(), self.elements(b)?);
        // The next element is there, too.
        b.known_mut().assume_index(&r, &rows.sub(&one));
        let Some(below) = self.below(b, &Size::var(r.clone()))? else { return Ok(-1) };
        let columns = below.elements(b)?;
        b.known_mut().assume_index(&c, &columns.sub(&one));
        let [r, c] = [r, c].map(Size::var);
        let Some(first) = self.place_of_result(b, &r, &c)? else { return Ok(-1) };
        for (at, vote) in [([&r, &c.add(&one)], -1), ([&r.add(&one), &c], 1)] {
            if let Some(next) = self.place_of_result(b, at[0], at[1])?
                && b.facts().simplify(&next.sub(&first)).is_one()
            {
                return Ok(vote);
            }
        }
        Ok(0)
    }

    /// Where the first number of the result is that the map below makes of an element of this one.
    fn place_of_result(&self, b: &mut FunctionBuilder<'_, 'k>, r: &Size, c: &Size) -> Result<Option<Size>> {
        let Some(below) = self.below(b, r)? else { return Ok(None) };
        let mut dest = b.dest_at(&below.dest, c)?;
        for _ in 0..MOST_DIMENSIONS {
            dest = match dest {
                Dest::Place(Place { layout, at }) => match &*layout {
                    Layout::Scalar(_) => return Ok(Some(at)),
                    Layout::Tuple(parts) => match parts.first() {
                        Some(first) => Dest::Place(Place { layout: first.clone(), at }),
                        None => return Ok(None),
                    },
                    Layout::Array { .. } => b.dest_at(&Dest::Place(Place { layout, at }), &Size::zero())?,
                    _ => return Ok(None),
                },
                Dest::Tuple(parts) => match parts.into_iter().next() {
                    Some(first) => first,
                    None => return Ok(None),
                },
                Dest::Array(_) => b.dest_at(&dest, &Size::zero())?,
                Dest::Lane(..) | Dest::Nowhere => return Ok(None),
            };
        }
        Ok(None)
    }
}

/// How many more operands of a map over rows are adjacent along the rows' index than along the index in a row.
fn votes_of<'k>(b: &mut FunctionBuilder<'_, 'k>, rows: &Array<'k>, f: &Lambda) -> i32 {
    let ty = b.kernel().ty(f.params[0]);
    let of = |(rows, ty): (Array<'k>, Ty)| {
        let strides = if ty.as_array().is_some() { strides(b, &rows) } else { None };
        match strides.map(|s| (s.first.is_one(), s.second.is_one())) {
            Some((_, true)) => -1,
            Some((true, false)) => 1,
            _ => 0,
        }
    };
    components(rows, ty).into_iter().map(of).sum()
}
