//! Separates products from the rest of what a function computes from each row and column.
//!
//! * `map (λx. map (λy. g (dot x (get1 y)) (dot x (get2 y))) ys) xs`: its folds become one, of pairs
//! * `map (λ(x,z). map (λ(y,w). g (dot x y) w) (zip ys z)) A = map (λ(x,z). map (λ(p,w). g p w) (zip (map (λy. dot x y) ys) z)) A`
//!
//! So every row meets every column in a nest, which is computed in tiles; what else is read with a result of it is read
//! once.

use super::free;
use super::nest::{self, inner};
use super::nested::array_of;
use super::pass::within;
use super::together;
use super::versions::fresh;
use super::{Applied, host_blocks, rules, uses};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId};
use crate::target::{Class, Target};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Rewrites products to nests of their own.
pub fn products(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    within(kernel, |kernel, lengths, body| Writer { kernel, lengths, applied, splits: true }.block(body))
}

/// Makes one fold of the products of a nest, whose rows are stored now.
pub fn paired(kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    within(kernel, |kernel, lengths, body| Writer { kernel, lengths, applied, splits: false }.block(body))
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    lengths: &'a mut Lengths,
    applied: &'a mut Vec<Applied>,
    /// Whether what depends on the row alone becomes a map of its own.
    splits: bool,
}

/// The array of a nest's inner map: the arrays that are zipped in it, or the array alone.
struct Columns {
    /// The statement of the `zip`, in the outer function.
    zip: Option<usize>,
    parts: Vec<Atom>,
    /// By part, whether it depends on the row.
    of_row: Vec<bool>,
}

impl Writer<'_> {
    fn block(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            if is_map(&stmt.rhs)
                && let Rhs::Prim(call) = &mut stmt.rhs
            {
                call.funs.iter_mut().for_each(|f| self.function(f, 0));
                continue;
            }
            host_blocks(self.kernel, stmt).into_iter().for_each(|inner| self.block(inner));
        }
    }

    /// Rewrites products in a function and in the maps of which it consists.
    fn function(&mut self, f: &mut Lambda, around: usize) {
        for at in (0..f.body.stmts.len()).rev() {
            if let Some(new) = self.with_product_at(f, at) {
                *f = new;
                return;
            }
        }
        if around < nest::MOST_BATCHES
            && let Some(last) = f.body.stmts.last_mut()
            && is_map(&last.rhs)
            && let Rhs::Prim(call) = &mut last.rhs
        {
            call.funs.iter_mut().for_each(|f| self.function(f, around + 1));
        }
    }

    /// The function `f` of a row, in which the products of the map at this statement form a nest; what follows reads its result.
    fn with_product_at(&mut self, f: &Lambda, at: usize) -> Option<Lambda> {
        let made = f.body.stmts[at].var;
        if !is_map(&f.body.stmts[at].rhs) || !f.body.stmts[..=at].iter().all(|s| s.binds.is_empty()) {
            return None;
        }
        let body = Block { stmts: f.body.stmts[..=at].to_vec(), result: Atom::Var(made) };
        let mut new = self.with_product(&Lambda { body, ..f.clone() })?;
        let rest = &f.body.stmts[at + 1..];
        let kept = |v: VarId| new.body.stmts.iter().any(|s| s.var == v);
        // What follows may read what comes before, too.
        if f.body.stmts[..=at].iter().any(|s| !kept(s.var) && uses_of(rest, s.var)) {
            return None;
        }
        new.body.stmts.extend(rest.iter().cloned());
        new.body.result = f.body.result.clone();
        Some(new)
    }

    /// The function `f` of a row, rewritten so that its products form a nest. `None` if they do already, or cannot.
    fn with_product(&mut self, f: &Lambda) -> Option<Lambda> {
        let (call, g) = inner(f)?;
        let last = f.body.stmts.last()?;
        let plain = f.params.len() == 1 && f.position.is_none() && g.params.len() == 1 && g.position.is_none();
        if !plain
            || !is_map(&last.rhs)
            || f.body.result != Atom::Var(last.var)
            || nest::recognise(self.kernel, f).is_some()
        {
            return None;
        }
        let columns = self.columns(f, call)?;
        let folds = g.body.stmts.iter().filter(|s| is_fold(s)).count();
        let apart = columns.of_row.iter().any(|of_row| *of_row);
        if folds == 0 || (folds == 1 && !apart) || (apart && !self.splits) || !self.of_row_and_column(f, g) {
            return None;
        }
        let known = self.kernel.vars.len();
        let mut added = Vec::new();
        let mut g = g.clone();
        together::in_function(self.kernel, &mut g, &mut added);
        let made = match g.body.stmts.iter().filter(|s| is_fold(s)).count() {
            1 if apart => self.apart(f, &g, &columns),
            1 => {
                let mut new = f.clone();
                if let Some(Rhs::Prim(call)) = new.body.stmts.last_mut().map(|s| &mut s.rhs) {
                    call.funs = vec![g];
                }
                Some((new.clone(), new))
            }
            _ => None,
        };
        let Some((_, new)) =
            made.filter(|(product, _)| nest::recognise(self.kernel, product).is_some_and(|n| n.matrix))
        else {
            self.kernel.vars.truncate(known);
            return None;
        };
        self.applied.append(&mut added);
        if apart {
            self.applied.push(Applied { rule: &rules::PRODUCT_APART, origin: last.origin.clone() });
        }
        Some(new)
    }

    /// Whether each fold needs both the row and the column. A fold of only one of them is computed once for all of the
    /// others.
    fn of_row_and_column(&self, f: &Lambda, g: &Lambda) -> bool {
        let (of_row, of_column) = (uses::dependent(self.kernel, f), uses::dependent(self.kernel, g));
        g.body.stmts.iter().filter(|s| is_fold(s)).all(|fold| {
            let mut needed = FxHashSet::from_iter([fold.var]);
            collect(fold, &g.body.stmts, &mut needed);
            let reads_row = |s: &Stmt| uses::mentions(s, &|v| of_row.contains(&v));
            let needs_row = g.body.stmts.iter().any(|s| needed.contains(&s.var) && reads_row(s));
            of_column.contains(&fold.var) && needs_row
        })
    }

    fn columns(&self, f: &Lambda, call: &PrimCall) -> Option<Columns> {
        let [Atom::Var(source)] = call.args.as_slice() else { return None };
        let depend = uses::dependent(self.kernel, f);
        let zip = f.body.stmts.iter().position(|s| s.var == *source);
        let parts = match zip.map(|at| &f.body.stmts[at].rhs) {
            Some(Rhs::Prim(PrimCall { prim: Prim::Zip, args, .. })) => args.clone(),
            _ if depend.contains(source) => return None,
            _ => return Some(Columns { zip: None, parts: call.args.clone(), of_row: vec![false] }),
        };
        let of_row: Vec<bool> = parts.iter().map(|a| matches!(a, Atom::Var(v) if depend.contains(v))).collect();
        let reads_again = f.body.stmts.iter().filter(|s| uses::mentions(s, &|v| v == *source)).count() > 1;
        (!reads_again && of_row.iter().any(|of_row| !of_row)).then_some(Columns { zip, parts, of_row })
    }

    /// The function of a row that computes only the product, and the one that maps the rest over its results. `None`
    /// if the rest needs more of the fold than its result.
    fn apart(&mut self, f: &Lambda, g: &Lambda, columns: &Columns) -> Option<(Lambda, Lambda)> {
        let q = *g.params.first()?;
        let stmts = &g.body.stmts;
        let fold = stmts.iter().position(is_fold)?;
        let heads: Vec<usize> = (0..stmts.len()).filter(|at| is_head_of(&stmts[*at], stmts[fold].var)).collect();
        let [head] = heads.as_slice() else { return None };
        let component = |s: &Stmt| match &s.rhs {
            Rhs::Proj(Atom::Var(of), k) if *of == q => Some(*k),
            _ => None,
        };
        // What the fold needs, and what is left. A component of the parameter may be in both.
        let mut needed = FxHashSet::from_iter([stmts[*head].var]);
        collect(&stmts[*head], stmts, &mut needed);
        let (mut of_fold, mut rest) = (Vec::new(), Vec::new());
        let kept: Vec<usize> = (0..columns.parts.len()).filter(|k| !columns.of_row[*k]).collect();
        let types: Vec<Ty> = columns
            .parts
            .iter()
            .map(|a| Some(self.kernel.atom_ty(a).as_array()?.element.clone()))
            .collect::<Option<_>>()?;
        let len = self.kernel.atom_ty(columns.parts.first()?).as_array()?.len.clone();
        let result_ty = self.kernel.ty(stmts[*head].var).clone();
        let own = |ks: &[usize]| match ks {
            [k] => types[*k].clone(),
            ks => Ty::tuple(ks.iter().map(|k| types[*k].clone()).collect()),
        };
        let with_result = Ty::tuple(std::iter::once(result_ty.clone()).chain(types.iter().cloned()).collect());
        let vars = &mut self.kernel.vars;
        let column = fresh(vars, q, own(&kept));
        let both = fresh(vars, q, with_result.clone());
        for (at, stmt) in stmts.iter().enumerate() {
            match component(stmt) {
                Some(k) => {
                    if needed.contains(&stmt.var) {
                        let at = kept.iter().position(|kept| *kept == k)?;
                        let of_column = Atom::Var(column);
                        let rhs = if kept.len() == 1 { Rhs::Atom(of_column) } else { Rhs::Proj(of_column, at) };
                        of_fold.push(Stmt { rhs, ..stmt.clone() });
                    }
                    rest.push(Stmt { rhs: Rhs::Proj(Atom::Var(both), k + 1), ..stmt.clone() });
                }
                None if uses::mentions(stmt, &|v| v == q) => return None,
                None if needed.contains(&stmt.var) => {
                    of_fold.push(stmt.clone());
                    if at == *head {
                        rest.push(Stmt { rhs: Rhs::Proj(Atom::Var(both), 0), ..stmt.clone() });
                    } else if free::is_free(&stmt.rhs) && !is_array(self.kernel, stmt) {
                        rest.push(stmt.clone());
                    }
                }
                None => rest.push(stmt.clone()),
            }
        }
        let lambda = |param, stmts, result, like: &Lambda| Lambda {
            position: None,
            params: vec![param],
            body: Block { stmts, result },
            origin: like.origin.clone(),
        };
        let of_fold = lambda(column, of_fold, Atom::Var(stmts[*head].var), g);
        let of_fold = Copier::new(&mut self.kernel.vars, self.lengths).lambda(&of_fold);
        let of_rest = lambda(both, rest, g.body.result.clone(), g);
        let last = f.body.stmts.last()?;
        let vars = &mut self.kernel.vars;
        let [zipped, product, zipped_again] =
            [array_of(&own(&kept), &len), array_of(&result_ty, &len), array_of(&with_result, &len)]
                .map(|ty| fresh(vars, last.var, ty));
        let at = |var: VarId, rhs: Rhs| Stmt { var, binds: Vec::new(), rhs, origin: last.origin.clone() };
        let prim = |prim, funs, args| Rhs::Prim(PrimCall { prim, sizes: Vec::new(), funs, args });
        let mut before: Vec<Stmt> = f.body.stmts[..f.body.stmts.len() - 1].to_vec();
        before.remove(columns.zip?);
        let mut stmts = Vec::new();
        let source = match kept.as_slice() {
            [k] => columns.parts[*k].clone(),
            ks => {
                stmts.push(at(
                    zipped,
                    prim(Prim::Zip, Vec::new(), ks.iter().map(|k| columns.parts[*k].clone()).collect()),
                ));
                Atom::Var(zipped)
            }
        };
        stmts.push(at(product, prim(Prim::Map(Level::Auto), vec![of_fold], vec![source])));
        let depend = uses::dependent(self.kernel, f);
        let of_row = |s: &Stmt| nest::is_of_row(f, s) && uses_of(&stmts, s.var);
        let others = |s: &Stmt| !uses::mentions(s, &|v| depend.contains(&v)) && !depend.contains(&s.var);
        let own_stmts = before.iter().filter(|s| of_row(s) || others(s)).chain(&stmts).cloned().collect();
        let alone = Lambda { body: Block { stmts: own_stmts, result: Atom::Var(product) }, ..f.clone() };
        let args = std::iter::once(Atom::Var(product)).chain(columns.parts.iter().cloned()).collect();
        before.extend(stmts);
        before.push(at(zipped_again, prim(Prim::Zip, Vec::new(), args)));
        let rhs = prim(Prim::Map(Level::Auto), vec![of_rest], vec![Atom::Var(zipped_again)]);
        before.push(Stmt { rhs, ..last.clone() });
        Some((alone, Lambda { body: Block { stmts: before, result: f.body.result.clone() }, ..f.clone() }))
    }
}

fn is_map(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), .. }))
}

fn is_fold(stmt: &Stmt) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Reduce(Level::Auto), .. }))
}

pub fn is_head_of(stmt: &Stmt, fold: VarId) -> bool {
    matches!(&stmt.rhs, Rhs::Prim(PrimCall { prim: Prim::Head, args, .. }) if args.as_slice() == [Atom::Var(fold)])
}

fn is_array(kernel: &Kernel, stmt: &Stmt) -> bool {
    kernel.ty(stmt.var).any(&mut |t| t.as_array().is_some())
}

fn uses_of(stmts: &[Stmt], v: VarId) -> bool {
    stmts.iter().any(|s| uses::mentions(s, &|w| w == v))
}

/// Adds the statements of its block that a statement needs, directly or through others.
fn collect(stmt: &Stmt, among: &[Stmt], needed: &mut FxHashSet<VarId>) {
    for other in among {
        if other.var != stmt.var && uses::mentions(stmt, &|v| v == other.var) && needed.insert(other.var) {
            collect(other, among, needed);
        }
    }
}
