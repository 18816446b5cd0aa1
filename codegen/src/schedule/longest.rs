//! Maximum lengths of arrays whose length is computed inside functions, found before the function that needs them runs.
//!
//! In `map (λx. … iota k …) xs`, if the array of length `k` is stored, it needs room for the largest `k`. The code that
//! computes `k` runs once more, separately, for each element, and the maximum is taken:
//! `longest = head (reduce max 0 (map (λx. … k) xs))`. The host reads this number before it allocates.

use super::on_the_host;
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, ScalarOp, Stmt, VarId, VarInfo};
use lift_analysis::hir::Literal;
use lift_analysis::origin::Origin;
use lift_analysis::size::{LengthCheck, Size, Var};
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Adds statements that compute the given lengths where these occur inside a function. Each length is identified by the
/// variable of its statement (`iota k` and the like). Returns the host-level variables that hold the maxima.
pub fn find(kernel: &Kernel, lengths: &BTreeSet<VarId>) -> (Kernel, FxHashMap<VarId, VarId>) {
    let (vars, own) = (kernel.vars.clone(), Lengths::of(kernel));
    let mut finder = Finder { vars, lengths: own, found: FxHashMap::default() };
    let mut body = kernel.body.clone();
    finder.host_block(kernel, &mut body, lengths);
    let Finder { vars, lengths, found } = finder;
    (Kernel { vars, body, assumptions: lengths.assumptions, ..kernel.clone() }, found)
}

/// Whether the blocks of `stmt` contain the statement of `length`.
fn contains(stmt: &Stmt, length: VarId) -> bool {
    let mut found = false;
    stmt.rhs.blocks().into_iter().for_each(|b| b.visit(&mut |s| found |= s.var == length));
    found
}

struct Finder {
    vars: Vec<VarInfo>,
    lengths: Lengths,
    found: FxHashMap<VarId, VarId>,
}

impl Finder {
    fn host_block(&mut self, kernel: &Kernel, block: &mut Block, lengths: &BTreeSet<VarId>) {
        let mut out = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.host_block(kernel, a, lengths);
                    self.host_block(kernel, b, lengths);
                }
                Rhs::Prim(call) if on_the_host(kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.host_block(kernel, &mut f.body, lengths));
                }
                _ => {
                    for length in lengths.iter().filter(|v| contains(&stmt, **v)) {
                        let Some((stmts, Atom::Var(longest))) = self.greatest(&stmt, *length) else { continue };
                        let mut copier = Copier::new(&mut self.vars, &mut self.lengths);
                        out.extend(stmts.iter().map(|s| copier.stmt(s)));
                        let longest = copier.copy_of(longest);
                        self.found.insert(longest, *length);
                    }
                }
            }
            out.push(stmt);
        }
        block.stmts = out;
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    /// Statements that compute the maximum of a length during one execution of `stmt`.
    fn greatest(&mut self, stmt: &Stmt, length: VarId) -> Option<(Vec<Stmt>, Atom)> {
        let origin = &stmt.origin;
        match &stmt.rhs {
            Rhs::Prim(call) if stmt.var == length => Some((Vec::new(), call.args.first()?.clone())),
            Rhs::If(condition, then, otherwise) => {
                let mut branch =
                    |block: &Block| self.in_block(block, length).unwrap_or(Block { stmts: Vec::new(), result: zero() });
                let (then, otherwise) = (branch(then), branch(otherwise));
                let var = self.fresh("longest", Ty::int());
                Some((vec![at(var, Rhs::If(condition.clone(), then, otherwise), origin)], Atom::Var(var)))
            }
            Rhs::Prim(call) => self.of_function(call, length, origin),
            _ => None,
        }
    }

    fn in_block(&mut self, block: &Block, length: VarId) -> Option<Block> {
        let at = block.stmts.iter().position(|s| s.var == length || contains(s, length))?;
        let (own, result) = self.greatest(&block.stmts[at], length)?;
        let stmts = block.stmts[..at].iter().cloned().chain(own).collect();
        Some(self.needed(stmts, result))
    }

    /// The maximum over all elements of a function's argument, if elements can be computed independently.
    fn of_function(&mut self, call: &PrimCall, length: VarId, origin: &Origin) -> Option<(Vec<Stmt>, Atom)> {
        let inside = |f: &&Lambda| {
            let mut found = false;
            f.body.visit(&mut |s| found |= s.var == length);
            found
        };
        let f = call.funs.iter().find(inside)?;
        let body = self.in_block(&f.body, length)?;
        let (each, rhs) = match call.prim {
            Prim::Map(_) | Prim::Filter(_) | Prim::LSearch => (f.params.clone(), None),
            Prim::Generate if !call.sizes.is_empty() => (f.params.clone(), Some(call.sizes.clone())),
            // The elements of a fold are independent if the length does not depend on the accumulator.
            Prim::Reduce(_) | Prim::Scan(_) | Prim::ScanExcl(_) | Prim::ReduceWhileSeq => {
                let [acc, x] = f.params.as_slice() else { return None };
                if mentions(&body, *acc) {
                    return None;
                }
                (vec![*x], None)
            }
            _ => return None,
        };
        let each = Lambda { position: f.position.clone(), params: each, body, origin: f.origin.clone() };
        let (count, rhs) = match rhs {
            Some(sizes) => {
                (sizes.first()?.clone(), PrimCall { prim: Prim::Generate, sizes, funs: vec![each], args: Vec::new() })
            }
            None => {
                let xs = call.args.last()?.clone();
                let Atom::Var(v) = &xs else { return None };
                let count = self.vars[v.0 as usize].ty.as_array()?.len.clone();
                let prim = Prim::Map(Level::Auto);
                (count, PrimCall { prim, sizes: Vec::new(), funs: vec![each], args: vec![xs] })
            }
        };
        let all = self.fresh("lengths", Ty::array(Ty::int(), count));
        let (a, b, greater) =
            (self.fresh("a", Ty::int()), self.fresh("b", Ty::int()), self.fresh("greater", Ty::int()));
        let max = at(greater, Rhs::Scalar(ScalarOp::Max, vec![Atom::Var(a), Atom::Var(b)]), origin);
        let max = Lambda {
            position: None,
            params: vec![a, b],
            body: Block { stmts: vec![max], result: Atom::Var(greater) },
            origin: origin.clone(),
        };
        let reduced = self.fresh("longest", Ty::array(Ty::int(), Size::one()));
        let reduce = PrimCall {
            prim: Prim::Reduce(Level::Auto),
            sizes: Vec::new(),
            funs: vec![max],
            args: vec![zero(), Atom::Var(all)],
        };
        let longest = self.fresh("longest", Ty::int());
        let head = PrimCall { prim: Prim::Head, sizes: Vec::new(), funs: Vec::new(), args: vec![Atom::Var(reduced)] };
        let stmts = vec![
            at(all, Rhs::Prim(rhs), origin),
            at(reduced, Rhs::Prim(reduce), origin),
            at(longest, Rhs::Prim(head), origin),
        ];
        Some((stmts, Atom::Var(longest)))
    }

    /// Keeps the statements that the result needs.
    fn needed(&self, stmts: Vec<Stmt>, result: Atom) -> Block {
        let mut names = Names::default();
        names.atom(&result);
        let mut kept = Vec::new();
        for stmt in stmts.into_iter().rev() {
            if names.vars.contains(&stmt.var) || stmt.binds.iter().any(|b| names.lengths.contains(b)) {
                names.stmt(&stmt, &self.vars);
                kept.push(stmt);
            }
        }
        kept.reverse();
        Block { stmts: kept, result }
    }
}

fn zero() -> Atom {
    Atom::Lit(Literal::Int(0))
}

fn at(var: VarId, rhs: Rhs, origin: &Origin) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() }
}

fn mentions(block: &Block, var: VarId) -> bool {
    let mut names = Names::default();
    names.block(block, &[]);
    names.vars.contains(&var)
}

/// All variables and lengths mentioned.
#[derive(Default)]
struct Names {
    vars: FxHashSet<VarId>,
    lengths: FxHashSet<Var>,
}

impl Names {
    fn size(&mut self, s: &Size) {
        self.lengths.extend(s.vars());
    }
    fn atom(&mut self, a: &Atom) {
        match a {
            Atom::Var(v) => {
                self.vars.insert(*v);
            }
            Atom::Size(s) => self.size(s),
            Atom::Lit(_) => {}
        }
    }
    fn var(&mut self, v: VarId, vars: &[VarInfo]) {
        if let Some(info) = vars.get(v.0 as usize) {
            info.ty.any_size_var(&mut |v| {
                self.lengths.insert(v.clone());
                false
            });
        }
    }
    fn block(&mut self, block: &Block, vars: &[VarInfo]) {
        block.stmts.iter().for_each(|s| self.stmt(s, vars));
        self.atom(&block.result);
    }
    fn stmt(&mut self, stmt: &Stmt, vars: &[VarInfo]) {
        self.var(stmt.var, vars);
        stmt.rhs.operands().iter().for_each(|a| self.atom(a));
        match &stmt.rhs {
            Rhs::Pack(_, witnesses) => witnesses.iter().for_each(|s| self.size(s)),
            Rhs::Cast(_, checks) => checks.iter().flat_map(LengthCheck::sizes).for_each(|size| self.size(size)),
            Rhs::Prim(call) => {
                call.sizes.iter().for_each(|s| self.size(s));
                call.funs.iter().flat_map(|f| &f.params).for_each(|p| self.var(*p, vars));
            }
            _ => {}
        }
        stmt.rhs.blocks().into_iter().for_each(|b| self.block(b, vars));
    }
}
