//! Moves parallel operators out of the branches of a function, so that all work-items of a group execute them. Where the
//! branch is not taken, they read nothing; only products of a row and a column, which meet in tiles, are computed everywhere.
//!
//! * `if c then … reduce f z (map g xs) … else b = let s = reduce f z (map (λx. if c then g x else z) xs) in if c then … s … else b`
//! * `if c then map f xs else map g ys = map (λ(x,y). if c then f x else g y) (zip xs ys)`

use super::fails::{may_fail, rhs_may_fail};
use super::flat::is_flat;
use super::free::{MOST_BRIEF, is_brief, is_free};
use super::nest::is_scalars;
use super::nested::{LONG, Work, is_known, is_loop, work_of};
use super::products::is_head_of;
use super::uses::mentions;
use super::{Applied, on_the_host, rules};
use crate::core::copy::{Copier, Lengths};
use crate::core::{Atom, Block, Kernel, Lambda, Level, Prim, PrimCall, Rhs, Stmt, VarId, VarInfo};
use crate::target::{Class, Target};
use lift_analysis::origin::Origin;
use lift_analysis::size::Size;
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Moves such operators out of branches in the functions of maps at host level.
pub fn branches(mut kernel: Kernel, target: &Target, applied: &mut Vec<Applied>) -> Kernel {
    if target.class != Class::Gpu {
        return kernel;
    }
    let (mut body, lengths) = (kernel.body.clone(), Lengths::of(&kernel));
    let mut writer = Writer { kernel: &mut kernel, applied, lengths, around: Vec::new() };
    writer.host(&mut body);
    let lengths = writer.lengths;
    Kernel { body, assumptions: lengths.assumptions, ..kernel }
}

struct Writer<'a> {
    kernel: &'a mut Kernel,
    applied: &'a mut Vec<Applied>,
    lengths: Lengths,
    /// For each function around a statement, from the outermost one: what depends on its element.
    around: Vec<FxHashSet<VarId>>,
}

/// A branch: its condition, and whether it is taken if the condition is true.
#[derive(Clone, Copy)]
struct Branch<'c> {
    condition: &'c Atom,
    then: bool,
}

impl Branch<'_> {
    /// `if c then taken else other`, or the reverse.
    fn choice(self, taken: Block, other: Block) -> Rhs {
        let (a, b) = if self.then { (taken, other) } else { (other, taken) };
        Rhs::If(self.condition.clone(), a, b)
    }
}

/// An array as a function applied to the elements of another array.
struct Elements {
    of: Atom,
    f: Option<Lambda>,
}

impl Writer<'_> {
    fn host(&mut self, block: &mut Block) {
        for stmt in &mut block.stmts {
            match &mut stmt.rhs {
                Rhs::If(_, a, b) => {
                    self.host(a);
                    self.host(b);
                }
                Rhs::Prim(call) if on_the_host(self.kernel, call) => {
                    call.funs.iter_mut().for_each(|f| self.host(&mut f.body));
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => self.function(&mut call.funs[0]),
                _ => {}
            }
        }
    }

    /// Moves the operators out of all branches of a function and of functions inside it.
    fn function(&mut self, f: &mut Lambda) {
        self.around.push(f.params.iter().copied().collect());
        self.statements(&mut f.body);
        self.around.pop();
    }

    fn statements(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            for element in &mut self.around {
                if mentions(&stmt, &|v| element.contains(&v)) {
                    element.insert(stmt.var);
                }
            }
            match &mut stmt.rhs {
                Rhs::If(condition, a, b) => {
                    self.statements(a);
                    self.statements(b);
                    let condition = condition.clone();
                    for (branch, then) in [(&mut *a, true), (&mut *b, false)] {
                        let folds = self.folds(Branch { condition: &condition, then }, branch);
                        if !folds.is_empty() {
                            drop_unused(branch);
                        }
                        block.stmts.extend(folds);
                    }
                    if let Some(stmts) = self.rows(&stmt) {
                        block.stmts.extend(stmts);
                        continue;
                    }
                }
                Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto) => self.function(&mut call.funs[0]),
                _ => {}
            }
            block.stmts.push(stmt);
        }
    }

    /// Moves folds out of a branch if nothing that they need can stop the run.
    fn folds(&mut self, branch: Branch, block: &mut Block) -> Vec<Stmt> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < block.stmts.len() {
            match self.fold(branch, block, at).or_else(|| self.sort(block, at)) {
                Some(mut stmts) => {
                    let is_its_head = |s: &&Stmt| is_head_of(s, block.stmts[at].var);
                    stmts.extend(block.stmts.iter().filter(is_its_head).cloned());
                    self.applied.push(Applied { rule: &rules::FOLD_BRANCH, origin: block.stmts[at].origin.clone() });
                    let moved: FxHashSet<VarId> = stmts.iter().map(|s| s.var).collect();
                    let before = block.stmts[..at].iter().filter(|s| moved.contains(&s.var)).count();
                    block.stmts.retain(|s| !moved.contains(&s.var));
                    at -= before;
                    out.extend(stmts);
                }
                None => at += 1,
            }
        }
        out
    }

    /// The statements that compute the fold in front of the branch.
    fn fold(&mut self, branch: Branch, block: &Block, at: usize) -> Option<Vec<Stmt>> {
        let stmt = &block.stmts[at];
        let Rhs::Prim(call @ PrimCall { prim: Prim::Reduce(Level::Auto), .. }) = &stmt.rhs else { return None };
        let long = matches!(work_of(self.kernel, stmt), Work::Together(_)) && !is_loop(self.kernel, call);
        if !long || may_fail(&self.kernel.vars, &call.funs[0].body) || call.funs[0].position.is_some() {
            return None;
        }
        let (z, xs) = (&call.args[0], self.elements(block, &call.args[1]));
        let len = self.kernel.atom_ty(&call.args[1]).as_array()?.len.clone();
        let ty = self.kernel.atom_ty(z);
        let before = &block.stmts[..at];
        let mut out = needed(self.kernel, before, |needs| {
            needs(z);
            needs(&xs.of);
            xs.f.iter().chain(&call.funs).for_each(|f| of_function(f, needs));
        })?;
        if self.is_product(&xs, &call.funs[0]) {
            let mut args = vec![z.clone(), xs.of.clone()];
            if let Some(f) = &xs.f {
                let given = self.fresh("x", self.kernel.atom_ty(&call.args[1]));
                let f = Copier::new(&mut self.kernel.vars, &mut self.lengths).lambda(f);
                out.push(made(given, map(f, xs.of), &stmt.origin));
                args[1] = Atom::Var(given);
            }
            out.push(Stmt { rhs: Rhs::Prim(PrimCall { args, ..call.clone() }), ..stmt.clone() });
            return Some(out);
        }
        let source = self.kernel.atom_ty(&xs.of);
        let x = self.fresh("x", source.as_array()?.element.clone());
        let element = self.applied(xs.f.as_ref(), x);
        let [masked, given] = [ty.clone(), Ty::array(ty, len)].map(|ty| self.fresh("x", ty));
        let otherwise = Block { stmts: Vec::new(), result: z.clone() };
        let body = vec![made(masked, branch.choice(element, otherwise), &stmt.origin)];
        let f = Lambda {
            position: None,
            params: vec![x],
            body: Block { stmts: body, result: Atom::Var(masked) },
            origin: stmt.origin.clone(),
        };
        out.push(made(given, map(f, xs.of), &stmt.origin));
        let args = vec![z.clone(), Atom::Var(given)];
        out.push(Stmt { rhs: Rhs::Prim(PrimCall { args, ..call.clone() }), ..stmt.clone() });
        Some(out)
    }

    /// The statements that sort in front of the branch, in the function of a map at host level, whose rows a group sorts. Rows
    /// whose branch is not taken are sorted in vain.
    fn sort(&self, block: &Block, at: usize) -> Option<Vec<Stmt>> {
        let stmt = &block.stmts[at];
        let Rhs::Prim(call @ PrimCall { prim: Prim::Sort | Prim::Argsort, .. }) = &stmt.rhs else { return None };
        let array = self.kernel.atom_ty(&call.args[0]).as_array().filter(|a| a.position.is_none())?.clone();
        let long = array.len.as_const().is_none_or(|n| n >= LONG) && is_scalars(&array.element);
        if !long || self.around.len() > 1 || may_fail(&self.kernel.vars, &call.funs[0].body) {
            return None;
        }
        let mut out = needed(self.kernel, &block.stmts[..at], |needs| {
            needs(&call.args[0]);
            call.funs.iter().for_each(|f| of_function(f, needs));
        })?;
        out.push(stmt.clone());
        Some(out)
    }

    /// Whether a fold combines elements of two surrounding maps, as in a matrix product: each is read for many
    /// results, and no element can stop the run.
    fn is_product(&self, xs: &Elements, fold: &Lambda) -> bool {
        let reads = |element: &FxHashSet<VarId>| {
            let mut found = false;
            let mut see = |a: &Atom| found |= matches!(a, Atom::Var(v) if element.contains(v));
            see(&xs.of);
            xs.f.iter().chain([fold]).for_each(|f| of_function(f, &mut see));
            found
        };
        let Some((own, outer)) = self.around.split_last() else { return false };
        let safe = xs.f.as_ref().is_none_or(|f| !may_fail(&self.kernel.vars, &f.body));
        safe && reads(own) && outer.iter().any(reads)
    }

    /// Replaces a choice between two rows by statements on their elements.
    fn rows(&mut self, stmt: &Stmt) -> Option<Vec<Stmt>> {
        let Rhs::If(condition, a, b) = &stmt.rhs else { return None };
        let ty = self.kernel.ty(stmt.var).clone();
        let array = ty.as_array().filter(|a| a.position.is_none() && is_flat(&a.element) && is_known(&a.len))?;
        // A cast stays, even if nothing reads its result.
        if [a, b].iter().any(|block| block.stmts.iter().any(|s| matches!(s.rhs, Rhs::Cast(..)))) {
            return None;
        }
        let mut out = Vec::new();
        let mut parts = Vec::new();
        for block in [a, b] {
            let row = self.elements(block, &block.result);
            let source = self.kernel.atom_ty(&row.of);
            // Both have one length, and the element function has no index variable.
            source.as_array().filter(|s| s.position.is_none() && s.len == array.len && is_flat(&s.element))?;
            out.extend(needed(self.kernel, &block.stmts, |needs| needs(&row.of))?);
            let of_elements = Needed::of(self.kernel, &block.stmts, |needs| {
                row.f.iter().for_each(|f| of_function(f, needs));
            })?;
            for stmt in of_elements.harmless {
                if !out.iter().any(|s| s.var == stmt.var) {
                    out.push(stmt);
                }
            }
            parts.push((row, of_elements.again));
        }
        let [(left, of_left), (right, of_right)] = parts.as_slice() else { return None };
        let element = |a: &Atom| self.kernel.atom_ty(a).as_array().map(|a| a.element.clone());
        let tys = [element(&left.of)?, element(&right.of)?];
        let origin = &stmt.origin;
        let mut body = Vec::new();
        let (source, param, [x, y]) = if left.of == right.of {
            let x = self.fresh("x", tys[0].clone());
            (left.of.clone(), x, [x, x])
        } else {
            let pair = Ty::tuple(tys.to_vec());
            let zipped = self.fresh("rows", Ty::array(pair.clone(), array.len.clone()));
            let args = vec![left.of.clone(), right.of.clone()];
            let zip = PrimCall { prim: Prim::Zip, sizes: Vec::new(), funs: Vec::new(), args };
            out.push(made(zipped, Rhs::Prim(zip), origin));
            let t = self.fresh("t", pair);
            let parts = tys.map(|ty| self.fresh("x", ty));
            body.extend(parts.iter().enumerate().map(|(k, v)| made(*v, Rhs::Proj(Atom::Var(t), k), origin)));
            (Atom::Var(zipped), t, parts)
        };
        let [then, otherwise] =
            [(left, of_left, x), (right, of_right, y)].map(|(row, again, x)| self.element_of(row, again, x));
        let result = self.fresh("x", array.element.clone());
        body.push(made(result, Rhs::If(condition.clone(), then, otherwise), origin));
        let body = Block { stmts: body, result: Atom::Var(result) };
        let f = Lambda { position: None, params: vec![param], body, origin: origin.clone() };
        out.push(Stmt { rhs: map(f, source), ..stmt.clone() });
        self.applied.push(Applied { rule: &rules::MAP_BRANCH, origin: origin.clone() });
        Some(out)
    }

    /// Looks through a `map` of the block, whose function is then computed in the branch.
    fn elements(&self, block: &Block, xs: &Atom) -> Elements {
        let found = block.stmts.iter().find(|s| *xs == Atom::Var(s.var)).map(|s| &s.rhs);
        match found {
            Some(Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), funs, args, .. }))
                if funs[0].position.is_none() && is_flat_array(&self.kernel.atom_ty(&args[0])) =>
            {
                Elements { of: args[0].clone(), f: Some(funs[0].clone()) }
            }
            _ => Elements { of: xs.clone(), f: None },
        }
    }

    /// Computes the element of a row from the element of its source, after some statements of the branch.
    fn element_of(&mut self, row: &Elements, again: &[Stmt], x: VarId) -> Block {
        let Some(f) = &row.f else { return self.applied(None, x) };
        let mut f = f.clone();
        f.body.stmts.splice(0..0, again.iter().cloned());
        self.applied(Some(&f), x)
    }

    /// Applies the function to a variable.
    fn applied(&mut self, f: Option<&Lambda>, x: VarId) -> Block {
        let Some(f) = f else { return Block { stmts: Vec::new(), result: Atom::Var(x) } };
        let mut copier = Copier::new(&mut self.kernel.vars, &mut self.lengths);
        copier.atoms.extend(f.params.first().map(|p| (*p, Atom::Var(x))));
        copier.block(&f.body)
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> VarId {
        self.kernel.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.kernel.vars.len() as u32 - 1)
    }
}

/// Drops the maps of a block that nothing reads any more.
fn drop_unused(block: &mut Block) {
    for at in (0..block.stmts.len()).rev() {
        let v = block.stmts[at].var;
        let read = block.stmts[at + 1..].iter().any(|s| mentions(s, &|w| w == v)) || block.result == Atom::Var(v);
        if !read && matches!(&block.stmts[at].rhs, Rhs::Prim(call) if call.prim == Prim::Map(Level::Auto)) {
            block.stmts.remove(at);
        }
    }
}

fn is_flat_array(ty: &Ty) -> bool {
    ty.as_array().is_some_and(|a| a.position.is_none() && is_flat(&a.element))
}

fn made(var: VarId, rhs: Rhs, origin: &Origin) -> Stmt {
    Stmt { var, binds: Vec::new(), rhs, origin: origin.clone() }
}

fn map(f: Lambda, xs: Atom) -> Rhs {
    Rhs::Prim(PrimCall { prim: Prim::Map(Level::Auto), sizes: Vec::new(), funs: vec![f], args: vec![xs] })
}

/// Calls `needs` with the variables from outside that a function may use.
fn of_function(f: &Lambda, needs: &mut dyn FnMut(&Atom)) {
    for stmt in &f.body.stmts {
        stmt.rhs.operands().iter().for_each(&mut *needs);
        if let Rhs::Prim(call) = &stmt.rhs {
            call.funs.iter().for_each(|f| of_function(f, needs));
        }
        if let Rhs::If(_, a, b) = &stmt.rhs {
            for block in [a, b] {
                block.visit(&mut |s| s.rhs.operands().iter().for_each(&mut *needs));
                needs(&block.result);
            }
        }
    }
    needs(&f.body.result);
}

/// The statements on which the elements of a row depend.
struct Needed {
    /// Statements that may be computed where the branch is not taken.
    harmless: Vec<Stmt>,
    /// The others: a few instructions that may stop the run, such as reading an element. Each element of the row repeats them
    /// inside the branch.
    again: Vec<Stmt>,
}

impl Needed {
    /// `None` if one of them is more than a few instructions.
    fn of(kernel: &Kernel, before: &[Stmt], operands: impl FnOnce(&mut dyn FnMut(&Atom))) -> Option<Needed> {
        let mut wanted: FxHashSet<VarId> = FxHashSet::default();
        operands(&mut |a| {
            if let Atom::Var(v) = a {
                wanted.insert(*v);
            }
        });
        let mut all = Vec::new();
        for stmt in before.iter().rev().filter(|s| s.binds.is_empty()) {
            if wanted.contains(&stmt.var) {
                wanted.extend(before.iter().map(|s| s.var).filter(|v| mentions(stmt, &|w| w == *v)));
                all.push(stmt);
            }
        }
        let (mut harmless, mut again) = (Vec::new(), Vec::<Stmt>::new());
        for stmt in all.into_iter().rev() {
            let inside = mentions(stmt, &|v| again.iter().any(|s| s.var == v));
            match !inside && is_harmless(kernel, stmt) {
                true => harmless.push(stmt.clone()),
                false if is_brief(stmt) && is_flat(kernel.ty(stmt.var)) => again.push(stmt.clone()),
                false => return None,
            }
        }
        (again.len() <= MOST_BRIEF).then_some(Needed { harmless, again })
    }
}

/// Whether a statement may be computed where the branch is not taken: it cannot stop the run and takes no time.
fn is_harmless(kernel: &Kernel, stmt: &Stmt) -> bool {
    let first = matches!(&stmt.rhs, Rhs::Prim(call)
        if call.prim == Prim::Head && kernel.atom_ty(&call.args[0]).as_array().is_some_and(|a| a.len == Size::one()));
    let scalar = matches!(&stmt.rhs, Rhs::Scalar(..)) && !rhs_may_fail(&kernel.vars, &stmt.rhs);
    stmt.binds.is_empty() && (first || scalar || is_free(&stmt.rhs))
}

/// The statements, in order, on which some operands depend; `None` if computing them where the branch is not taken
/// might stop the run, or is work.
fn needed(kernel: &Kernel, before: &[Stmt], operands: impl FnOnce(&mut dyn FnMut(&Atom))) -> Option<Vec<Stmt>> {
    let mut wanted: FxHashSet<VarId> = FxHashSet::default();
    operands(&mut |a| {
        if let Atom::Var(v) = a {
            wanted.insert(*v);
        }
    });
    let mut out = Vec::new();
    for stmt in before.iter().rev() {
        if !wanted.contains(&stmt.var) {
            continue;
        }
        if !is_harmless(kernel, stmt) {
            return None;
        }
        // All that its functions mention is found by asking for each variable.
        wanted.extend(before.iter().map(|s| s.var).filter(|v| mentions(stmt, &|w| w == *v)));
        out.push(stmt.clone());
    }
    out.reverse();
    Some(out)
}
