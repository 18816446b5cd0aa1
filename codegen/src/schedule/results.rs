//! Moves a view of a map's element to the whole result, because the function is a nest without the view.
//!
//! `map (split k ∘ f) xs = map (split k) (map f xs)`

use super::nest;
use super::nested::array_of;
use super::pass::alone;
use super::versions::fresh;
use super::{Applied, host_blocks, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt};
use crate::target::{Class, Target};

/// Rewrites maps of products so that their functions return the product itself.
pub fn results(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    alone(kernel, |kernel, lengths, body| Writer { kernel, lengths, applied }.host(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            host_blocks(self.kernel, &mut stmt).into_iter().for_each(|inner| self.host(inner));
            out.extend(self.apart(stmt, 0));
        }
        block.stmts = out;
    }

    /// Splits a map of products into the products and their views; returns other statements unchanged.
    fn apart(&mut self, stmt: Stmt, around: usize) -> Vec<Stmt> {
        let Rhs::Prim(call @ PrimCall { prim: Prim::Map(Level::Auto), .. }) = &stmt.rhs else { return vec![stmt] };
        let mut call = call.clone();
        let f = &mut call.funs[0];
        if around < nest::MOST_BATCHES
            && let Some(at) = f.body.stmts.iter().rposition(|s| !is_view_of(f, s))
        {
            let inner = self.apart(f.body.stmts[at].clone(), around + 1);
            f.body.stmts.splice(at..=at, inner);
        }
        let whole = Stmt { rhs: Rhs::Prim(call.clone()), ..stmt };
        self.without_views(&whole, &call).unwrap_or_else(|| vec![whole])
    }

    fn without_views(&mut self, stmt: &Stmt, call: &PrimCall) -> Option<Vec<Stmt>> {
        let f = &call.funs[0];
        let at = f.body.stmts.iter().rposition(|s| !is_view_of(f, s))?;
        let (before, views) = f.body.stmts.split_at(at + 1);
        let made = before.last()?.var;
        let is_chain =
            |k: usize, s: &Stmt| s.rhs.operands() == [Atom::Var(if k == 0 { made } else { views[k - 1].var })];
        let chain = views.iter().enumerate().all(|(k, s)| is_chain(k, s));
        if f.position.is_some() || !chain || f.body.result != Atom::Var(views.last()?.var) {
            return None;
        }
        let body = Block { stmts: before.to_vec(), result: Atom::Var(made) };
        let alone = Lambda { body, ..f.clone() };
        let is_nest = nest::recognise(self.kernel, &alone).is_some_and(|n| n.matrix)
            || nest::batched(self.kernel, &alone).is_some();
        if !is_nest {
            return None;
        }
        self.applied.push(Applied { rule: &rules::VIEW_RESULTS, origin: stmt.origin.clone() });
        let n = self.kernel.atom_ty(&call.args[0]).as_array()?.len.clone();
        let row = self.kernel.ty(made).clone();
        let vars = &mut self.kernel.vars;
        let (all, x) = (fresh(vars, stmt.var, array_of(&row, &n)), fresh(vars, made, row));
        let mut copier = Copier::new(vars, self.lengths);
        copier.atoms.insert(made, Atom::Var(x));
        let body = copier.block(&Block { stmts: views.to_vec(), result: f.body.result.clone() });
        let shown = Lambda { position: None, params: vec![x], body, origin: f.origin.clone() };
        let map = |f: Lambda, xs: Atom| {
            Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
        };
        Some(vec![
            Stmt { var: all, binds: Vec::new(), rhs: map(alone, call.args[0].clone()), origin: stmt.origin.clone() },
            Stmt { rhs: map(shown, Atom::Var(all)), ..stmt.clone() },
        ])
    }
}

/// Whether a statement of a function is a view of what the function computes, and of nothing else.
fn is_view_of(f: &Lambda, stmt: &Stmt) -> bool {
    nest::rearranging(stmt).is_some() && !uses::mentions(stmt, &|v| f.params.contains(&v))
}
