//! Rules that rewrite core before placement ([`super::rules`] has their conditions).
//!
//! `partRed m f z = join ∘ map (reduce f z) ∘ split (n/m)`, and those of [`super::neutral`], [`super::filters`], [`super::folded`],
//! [`super::by_key`] and [`super::counted`].

use super::uses::{self, Uses};
use super::{Applied, rules};
use crate::core::copy::Lengths;
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::Var;
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub fn rewrite(kernel: &Kernel, applied: &mut Vec<Applied>) -> Kernel {
    rewrite_at_most(kernel, usize::MAX, applied)
}

/// The kernel after the first `most` rule applications; used to bisect faults.
pub fn rewrite_at_most(kernel: &Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    let most = applied.len().saturating_add(most);
    let kernel = &super::neutral::rewrite(kernel.clone(), most, applied);
    let rewritten = filters_and_parts(kernel, most, applied);
    let before = applied.len();
    let mut rewritten = super::by_key::rewrite(rewritten, most, applied);
    if applied.len() > before {
        // Filters whose results are folded by key.
        rewritten = filters_and_parts(&rewritten, most, applied);
    }
    super::counted::rewrite(rewritten, most, applied)
}

/// Applies `partRed`, and the rules about what filters keep ([`super::filters`], [`super::folded`]).
fn filters_and_parts(kernel: &Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    let assumed = kernel.assumptions.iter().flat_map(|(assumption, _)| assumption.vars()).collect();
    let (vars, lengths) = (kernel.vars.clone(), Lengths::of(kernel));
    let mut rewriter = Rewriter { vars, lengths, uses: uses::count(kernel), assumed, most, applied };
    let mut body = kernel.body.clone();
    rewriter.block(&mut body, true);
    let Rewriter { vars, lengths, .. } = rewriter;
    let around = kernel.around(kernel.params.clone(), body);
    Kernel { vars, assumptions: lengths.assumptions, ..around }
}

pub(super) struct Rewriter<'a> {
    pub(super) vars: Vec<VarInfo>,
    pub(super) lengths: Lengths,
    uses: FxHashMap<VarId, Uses>,
    /// The lengths about which the kernel assumes something.
    pub(super) assumed: FxHashSet<Var>,
    /// Maximum length of `applied`.
    most: usize,
    pub(super) applied: &'a mut Vec<Applied>,
}

impl Rewriter<'_> {
    pub(super) fn ty(&self, a: &Atom) -> Option<Ty> {
        match a {
            Atom::Var(v) => Some(self.vars[v.0 as usize].ty.clone()),
            _ => None,
        }
    }
    pub(super) fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
        let name = self.vars[like.0 as usize].name.clone();
        self.vars.push(VarInfo { name, ty });
        VarId(self.vars.len() as u32 - 1)
    }
    /// Whether another rule may be applied.
    pub(super) fn goes_on(&self) -> bool {
        self.applied.len() < self.most
    }
    pub(super) fn used_once(&self, v: VarId) -> bool {
        self.uses.get(&v).is_some_and(|u| u.count == 1 && !u.in_loop)
    }

    /// `top`: the block is one of the kernel, not of a function.
    fn block(&mut self, block: &mut Block, top: bool) {
        self.maps_of_filters(block);
        self.folds_of_filters(block, top);
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a, top);
                    self.block(b, top);
                }
                Rhs::Prim(call) => call.funs.iter_mut().for_each(|f| self.block(&mut f.body, false)),
                _ => {}
            }
            match self.partial_reduction(&stmt) {
                Some(stmts) => out.extend(stmts),
                None => out.push(stmt),
            }
        }
        block.stmts = out;
    }

    fn partial_reduction(&mut self, stmt: &Stmt) -> Option<[Stmt; 3]> {
        let Rhs::Prim(PrimCall { prim: Prim::PartRed, sizes, funs, args }) = &stmt.rhs else { return None };
        if !self.goes_on() {
            return None;
        }
        let (m, f, z, xs) = (sizes.first()?, funs.first()?, args.first()?, args.get(1)?);
        let array = self.ty(xs)?;
        let array = array.as_array()?;
        let piece = array.len.div_exact(m);
        let result = self.vars[stmt.var.0 as usize].ty.as_array()?.element.clone();
        let row_ty = Ty::array(array.element.clone(), piece.clone());
        let one = Ty::array(result, lift_analysis::size::Size::one());
        let rows = self.fresh(stmt.var, Ty::array(row_ty.clone(), m.clone()));
        let row = self.fresh(stmt.var, row_ty);
        let folded = self.fresh(stmt.var, one.clone());
        let parts = self.fresh(stmt.var, Ty::array(one, m.clone()));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: stmt.origin.clone() };
        let prim = |prim, sizes, funs, args| Rhs::Prim(PrimCall { prim, sizes, funs, args });
        let fold = prim(Prim::Reduce(Level::Seq), Vec::new(), vec![f.clone()], vec![z.clone(), Atom::Var(row)]);
        let body = Block { stmts: vec![at(folded, fold)], result: Atom::Var(folded) };
        let each = Lambda { position: None, params: vec![row], body, origin: f.origin.clone() };
        self.applied.push(Applied { rule: &rules::PART_RED, origin: stmt.origin.clone() });
        Some([
            at(rows, prim(Prim::Split, vec![piece], Vec::new(), vec![xs.clone()])),
            at(parts, prim(Prim::Map(Level::Auto), Vec::new(), vec![each], vec![Atom::Var(rows)])),
            at(stmt.var, prim(Prim::Join, Vec::new(), Vec::new(), vec![Atom::Var(parts)])),
        ])
    }
}
