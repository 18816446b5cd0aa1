//! Rules that rewrite core before placement ([`super::rules`] has their conditions).
//!
//! * `partRed m f z = join ∘ map (reduce f z) ∘ split (n/m)`
//! * `reduceSeq f z ∘ filter p = reduceSeq (λ(acc,x). if p x then f acc x else acc) z`
//! * `reduce f z ∘ filter p = reduce f z ∘ map (λx. if p x then x else z)`, with z neutral
//!
//! The last two do not store the kept elements.

use super::uses::{self, Uses, atom_mentions, stmt_mentions};
use super::{Applied, rules};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

pub fn rewrite(kernel: &Kernel, applied: &mut Vec<Applied>) -> Kernel {
    rewrite_at_most(kernel, usize::MAX, applied)
}

/// The kernel after the first `most` rule applications; used to bisect faults.
pub fn rewrite_at_most(kernel: &Kernel, most: usize, applied: &mut Vec<Applied>) -> Kernel {
    let most = applied.len().saturating_add(most);
    let mut rewriter = Rewriter { vars: kernel.vars.clone(), uses: uses::count(kernel), most, applied };
    let mut body = kernel.body.clone();
    rewriter.block(&mut body);
    let rewritten = Kernel { vars: rewriter.vars, body, ..kernel.clone() };
    let rewritten = super::by_key::rewrite(rewritten, most, applied);
    super::counted::rewrite(rewritten, most, applied)
}

pub(super) struct Rewriter<'a> {
    pub(super) vars: Vec<VarInfo>,
    uses: FxHashMap<VarId, Uses>,
    /// Maximum length of `applied`.
    most: usize,
    pub(super) applied: &'a mut Vec<Applied>,
}

impl Rewriter<'_> {
    fn ty(&self, a: &Atom) -> Option<Ty> {
        match a {
            Atom::Var(v) => Some(self.vars[v.0 as usize].ty.clone()),
            _ => None,
        }
    }
    fn fresh(&mut self, like: VarId, ty: Ty) -> VarId {
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

    fn block(&mut self, block: &mut Block) {
        self.maps_of_filters(block);
        self.reductions_of_filters(block);
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.block(a);
                    self.block(b);
                }
                Rhs::Prim(call) => call.funs.iter_mut().for_each(|f| self.block(&mut f.body)),
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

    /// Finds `t = filter p xs; ys = unpack t; r = reduce f z ys` where nothing else uses the kept elements or their
    /// number.
    fn reductions_of_filters(&mut self, block: &mut Block) {
        if !self.goes_on() {
            return;
        }
        for at in 0..block.stmts.len() {
            let Some((filter, unpack)) = self.filtered(block, at) else { continue };
            let Rhs::Prim(PrimCall { funs: tests, args: source, .. }) = &block.stmts[filter].rhs else { continue };
            let (test, out, source) = (tests[0].clone(), tests.get(1).cloned(), source[0].clone());
            let stmt = &mut block.stmts[at];
            let Rhs::Prim(reduce) = &mut stmt.rhs else { continue };
            let origin = stmt.origin.clone();
            let rule = if reduce.prim == Prim::Reduce(Level::Seq) {
                reduce.funs[0] = self.guarded(&reduce.funs[0], &test, out.as_ref());
                reduce.args[1] = source;
                &rules::FOLD_FILTER
            } else {
                let Some(masked) = self.masked(&test, out.as_ref(), &reduce.args[0], &source) else { continue };
                reduce.args[1] = Atom::Var(masked.var);
                block.stmts.insert(at, masked);
                &rules::REDUCE_FILTER
            };
            self.applied.push(Applied { rule, origin });
            // They are unused now.
            block.stmts.remove(unpack);
            block.stmts.remove(filter);
            return self.reductions_of_filters(block);
        }
    }

    fn filtered(&self, block: &Block, at: usize) -> Option<(usize, usize)> {
        let Rhs::Prim(PrimCall { prim: Prim::Reduce(reduce), args, .. }) = &block.stmts[at].rhs else { return None };
        let Atom::Var(ys) = args.get(1)? else { return None };
        let unpack = block.stmts[..at].iter().position(|s| s.var == *ys)?;
        let Rhs::Unpack(Atom::Var(t)) = &block.stmts[unpack].rhs else { return None };
        let filter = block.stmts[..unpack].iter().position(|s| s.var == *t)?;
        let Rhs::Prim(PrimCall { prim: Prim::Filter(level), .. }) = &block.stmts[filter].rhs else { return None };
        // A reduction by one work-item must not absorb the work of a device-wide filter.
        let as_placed = *reduce != Level::Seq || matches!(level, Level::Seq | Level::Auto);
        let length_used = block.stmts[unpack].binds.iter().any(|x| {
            let mut used = block.stmts[unpack + 1..].iter().any(|s| stmt_mentions(&self.vars, s, x));
            used |= atom_mentions(&block.result, x);
            used
        });
        (as_placed && self.used_once(*ys) && self.used_once(*t) && !length_used).then_some((filter, unpack))
    }

    /// `map (λx. if p x then x else z) xs`; if the filter has a second function, it is applied to `x`.
    fn masked(&mut self, test: &Lambda, out: Option<&Lambda>, z: &Atom, xs: &Atom) -> Option<Stmt> {
        let (array, x) = (self.ty(xs)?, test.params[0]);
        let array = array.as_array()?;
        let element = match out.map(|f| f.body.result.clone()) {
            Some(Atom::Var(y)) => self.vars[y.0 as usize].ty.clone(),
            // A constant has the type of the neutral value.
            Some(_) => self.ty(z)?,
            None => array.element.clone(),
        };
        let (result, masked) = (self.fresh(x, element.clone()), self.fresh(x, Ty::array(element, array.len.clone())));
        let branch = |a: Atom| Block { stmts: Vec::new(), result: a };
        let kept = self.kept(x, out);
        let mut stmts = test.body.stmts.clone();
        stmts.push(Stmt {
            var: result,
            binds: Vec::new(),
            rhs: Rhs::If(test.body.result.clone(), kept, branch(z.clone())),
            origin: test.origin.clone(),
        });
        let body = Block { stmts, result: Atom::Var(result) };
        let each = Lambda { position: None, params: vec![x], body, origin: test.origin.clone() };
        let call =
            PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![each], args: vec![xs.clone()] };
        Some(Stmt { var: masked, binds: Vec::new(), rhs: Rhs::Prim(call), origin: test.origin.clone() })
    }

    /// The element that a filter stores for the kept element `x`.
    fn kept(&self, x: VarId, out: Option<&Lambda>) -> Block {
        let Some(f) = out else { return Block { stmts: Vec::new(), result: Atom::Var(x) } };
        let mut stmts = f.params.first().map(|y| bound(*y, x, f)).into_iter().collect::<Vec<_>>();
        stmts.extend(f.body.stmts.iter().cloned());
        Block { stmts, result: f.body.result.clone() }
    }

    /// `λ(acc,x). if p x then f acc x else acc`; if the filter has a second function, it is applied to `x`.
    fn guarded(&mut self, f: &Lambda, test: &Lambda, out: Option<&Lambda>) -> Lambda {
        let (acc, y) = (f.params[0], f.params[1]);
        // The new function takes over the test's parameter.
        let x = test.params[0];
        let mut stmts = test.body.stmts.clone();
        let mut then = self.kept(x, out);
        then.stmts.push(Stmt { var: y, binds: Vec::new(), rhs: Rhs::Atom(then.result), origin: f.origin.clone() });
        then.stmts.extend(f.body.stmts.iter().cloned());
        then.result = f.body.result.clone();
        let ty = self.vars[acc.0 as usize].ty.clone();
        let result = self.fresh(acc, ty);
        let skip = Block { stmts: Vec::new(), result: Atom::Var(acc) };
        stmts.push(Stmt {
            var: result,
            binds: Vec::new(),
            rhs: Rhs::If(test.body.result.clone(), then, skip),
            origin: f.origin.clone(),
        });
        Lambda {
            position: f.position.clone(),
            params: vec![acc, x],
            body: Block { stmts, result: Atom::Var(result) },
            origin: f.origin.clone(),
        }
    }
}

/// The statement `y = x`, at the start of an inlined function.
fn bound(y: VarId, x: VarId, f: &Lambda) -> Stmt {
    Stmt { var: y, binds: Vec::new(), rhs: Rhs::Atom(Atom::Var(x)), origin: f.origin.clone() }
}
