//! Rules about the elements that `filter` keeps: functions applied to them, and consecutive tests.

use super::flat::is_flat;
use super::place::block_levels;
use super::rewrite::Rewriter;
use super::uses::{atom_mentions, stmt_mentions};
use super::{Applied, is_parallel, rules};
use crate::core::{Atom, Block, Lambda, Level, Prim, PrimCall, Rhs, Space, Stmt, VarId};
use lift_analysis::ty::{Ty, TyKind};

/// The statements `t = filter p xs; ys = unpack t; zs = map f ys`, by their indices in a block.
struct Chain {
    filter: usize,
    unpack: usize,
    user: usize,
}

impl Rewriter<'_> {
    /// `map f ∘ filter p` becomes one filter, with f as the second function of `filter`.
    pub(super) fn maps_of_filters(&mut self, block: &mut Block) {
        while self.goes_on()
            && let Some(chain) = (0..block.stmts.len()).find_map(|at| self.mapped_filter(block, at))
        {
            let map = block.stmts.remove(chain.user);
            let Rhs::Prim(PrimCall { funs, .. }) = map.rhs else { return };
            let Some(f) = funs.into_iter().next() else { return };
            let Rhs::Prim(PrimCall { funs: of_filter, .. }) = &mut block.stmts[chain.filter].rhs else { return };
            let out = match of_filter.pop() {
                Some(first) if !of_filter.is_empty() => composed(first, f),
                Some(test) => {
                    of_filter.push(test);
                    f
                }
                None => return,
            };
            of_filter.push(out);
            self.applied.push(Applied { rule: &rules::MAP_FILTER, origin: map.origin });
            // The filter now has the result type of the map.
            let element = self.ty_of(map.var).as_array().map(|a| a.element.clone());
            let filter = block.stmts[chain.filter].var;
            if let Some(element) = element {
                self.vars[filter.0 as usize].ty = with_element(self.ty_of(filter), element);
            }
            block.stmts[chain.unpack].var = map.var;
            self.stored_by_filter(block, chain.unpack);
        }
    }

    /// Drops a `toGlobal` of a device-wide filter's result, which is stored in global memory anyway.
    fn stored_by_filter(&mut self, block: &mut Block, unpack: usize) {
        let kept = block.stmts[unpack].var;
        let store = block.stmts.iter().position(|s| s.rhs == Rhs::Store(Space::Global, Atom::Var(kept)));
        if let Some(store) = store
            && self.used_once(kept)
        {
            block.stmts[unpack].var = block.stmts.remove(store).var;
        }
    }

    fn mapped_filter(&self, block: &Block, user: usize) -> Option<Chain> {
        let Rhs::Prim(PrimCall { prim: Prim::Map(map_level), funs, args, .. }) = &block.stmts[user].rhs else {
            return None;
        };
        let chain = self.kept_by_filter(block, args.first()?, user)?;
        let Rhs::Prim(PrimCall { prim: Prim::Filter(level), .. }) = &block.stmts[chain.filter].rhs else { return None };
        let (level, map_level) = (*level, *map_level);
        let over_the_device =
            matches!(level, Level::Auto | Level::Glb(0)) && matches!(map_level, Level::Auto | Level::Glb(0));
        let by_one = level == Level::Seq && map_level == Level::Seq;
        let flat = |v: VarId| self.ty_of(v).as_array().is_some_and(|a| is_flat(&a.element));
        let Atom::Var(kept) = args.first()? else { return None };
        let f = funs.first()?;
        let fits = (over_the_device || by_one)
            && f.position.is_none()
            && flat(*kept)
            && flat(block.stmts[user].var)
            && !block_levels(&f.body).iter().any(|l| is_parallel(*l))
            && self.can_move_up(block, f, &chain);
        fits.then_some(chain)
    }

    /// The filter and the `unpack` that produce this array, if nothing else uses them.
    fn kept_by_filter(&self, block: &Block, xs: &Atom, user: usize) -> Option<Chain> {
        let Atom::Var(ys) = xs else { return None };
        let unpack = block.stmts[..user].iter().position(|s| s.var == *ys)?;
        let Rhs::Unpack(Atom::Var(t)) = &block.stmts[unpack].rhs else { return None };
        let filter = block.stmts[..unpack].iter().position(|s| s.var == *t)?;
        let is_filter = matches!(&block.stmts[filter].rhs, Rhs::Prim(PrimCall { prim: Prim::Filter(_), .. }));
        (is_filter && self.used_once(*ys) && self.used_once(*t)).then_some(Chain { filter, unpack, user })
    }

    /// Whether a function can be evaluated at the filter: it uses nothing that is bound after it.
    fn can_move_up(&self, block: &Block, f: &Lambda, chain: &Chain) -> bool {
        let later: Vec<VarId> = block.stmts[chain.filter..chain.user].iter().map(|s| s.var).collect();
        let mut lengths = block.stmts[chain.filter..chain.user].iter().flat_map(|s| &s.binds);
        let length_used = lengths
            .any(|x| f.body.stmts.iter().any(|s| stmt_mentions(&self.vars, s, x)) || atom_mentions(&f.body.result, x));
        !length_used && !uses_any(&f.body, &later)
    }

    fn ty_of(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }
}

/// `g ∘ f`
fn composed(f: Lambda, g: Lambda) -> Lambda {
    let mut stmts = f.body.stmts;
    let origin = g.origin.clone();
    if let Some(y) = g.params.first() {
        stmts.push(Stmt { var: *y, binds: Vec::new(), rhs: Rhs::Atom(f.body.result), origin });
    }
    stmts.extend(g.body.stmts);
    Lambda { position: f.position, params: f.params, body: Block { stmts, result: g.body.result }, origin: g.origin }
}

fn with_element(ty: &Ty, element: Ty) -> Ty {
    match ty.kind() {
        TyKind::Exists(vars, body) => Ty::exists(vars.to_vec(), with_element(body, element)),
        TyKind::Array(a) => Ty::array(element, a.len.clone()),
        _ => ty.clone(),
    }
}

fn uses_any(block: &Block, vars: &[VarId]) -> bool {
    let used = |a: &Atom| matches!(a, Atom::Var(v) if vars.contains(v));
    used(&block.result)
        || block.stmts.iter().any(|s| {
            s.rhs.operands().iter().any(used)
                || match &s.rhs {
                    Rhs::If(_, a, b) => uses_any(a, vars) || uses_any(b, vars),
                    Rhs::Prim(call) => call.funs.iter().any(|f| uses_any(&f.body, vars)),
                    _ => false,
                }
        })
}
