//! Simplification: rewrites that need no knowledge of the device and never make a program slower.
//!
//! It looks through copies and known tuples, folds operations on literals, takes known branches, removes a `pack`
//! together with the `unpack` that opens it again, and drops unused statements. A run that gives a result gives the
//! same one afterwards. A run that stops may no longer stop if the result of the failing operation is unused, but
//! checked casts always stay. An assumption about a skolem that turns out to be a known size is checked before the run,
//! like every assumption about known sizes.

use super::scalar::fold;
use super::typing::same_type;
use super::{Atom, Block, Kernel, Lambda, Prim, PrimCall, Rhs, Stmt, UNNAMED, VarId, VarInfo};
use lift_analysis::hir::Literal;
use lift_analysis::size::{LengthCheck, Size, Var, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub fn simplify(mut kernel: Kernel) -> Kernel {
    let mut forward = Forward {
        vars: std::mem::take(&mut kernel.vars),
        copies: FxHashMap::default(),
        known: FxHashMap::default(),
        lengths: FxHashMap::default(),
    };
    let body = forward.block(kernel.body);
    for (assumption, _) in &mut kernel.assumptions {
        *assumption = assumption.subst(&mut |v| forward.lengths.get(v).cloned());
    }
    kernel.vars = forward.vars;
    kernel.body = body;
    drop_dead(&mut kernel);
    renumber(&mut kernel);
    kernel.result = kernel.atom_ty(&kernel.body.result);
    kernel
}

/// A property of a variable's value that its definition implies.
enum Known {
    Tuple(Vec<Atom>),
    /// The arrays of the components of an array's tuples.
    Unzipped(Atom),
    /// One of these arrays.
    Component(Atom, usize),
    /// An array of tuples of the elements of arrays.
    Zipped(Vec<Atom>),
    Packed(Atom, Vec<Size>),
    /// The packed value and the skolems it was opened to.
    Opened(Atom, Vec<Var>),
}

/// The forward pass.
struct Forward {
    vars: Vec<VarInfo>,
    copies: FxHashMap<VarId, Atom>,
    known: FxHashMap<VarId, Known>,
    /// Skolems that turned out to be known sizes.
    lengths: FxHashMap<Var, Size>,
}

impl Forward {
    fn block(&mut self, block: Block) -> Block {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let result = self.block_into(block, &mut stmts);
        Block { stmts, result }
    }

    fn block_into(&mut self, block: Block, out: &mut Vec<Stmt>) -> Atom {
        for stmt in block.stmts {
            self.stmt(stmt, out);
        }
        self.atom(block.result)
    }

    fn stmt(&mut self, stmt: Stmt, out: &mut Vec<Stmt>) {
        let Stmt { var, binds, rhs, origin } = stmt;
        self.retype(var);
        let rhs = match rhs {
            Rhs::Atom(a) => return self.copy(var, a),
            Rhs::Tuple(parts) => {
                let parts: Vec<Atom> = parts.into_iter().map(|a| self.atom(a)).collect();
                self.known.insert(var, Known::Tuple(parts.clone()));
                Rhs::Tuple(parts)
            }
            Rhs::Proj(tuple, i) => {
                let tuple = self.atom(tuple);
                match self.component(var, &tuple, i) {
                    Some(part) => return self.copy(var, part),
                    None => Rhs::Proj(tuple, i),
                }
            }
            Rhs::Scalar(op, operands) => {
                let operands: Vec<Atom> = operands.into_iter().map(|a| self.atom(a)).collect();
                if let Some(value) = fold(op, &operands) {
                    return self.copy(var, value);
                }
                Rhs::Scalar(op, operands)
            }
            Rhs::If(condition, then, otherwise) => match self.atom(condition) {
                Atom::Lit(Literal::Bool(holds)) => {
                    let result = self.block_into(if holds { then } else { otherwise }, out);
                    return self.copy(var, result);
                }
                condition => Rhs::If(condition, self.block(then), self.block(otherwise)),
            },
            Rhs::Prim(call) => {
                let call = self.call(call);
                match self.paired(var, &call) {
                    Some(array) => return self.copy(var, array),
                    None => Rhs::Prim(call),
                }
            }
            Rhs::Store(space, a) => Rhs::Store(space, self.atom(a)),
            Rhs::Pack(a, witnesses) => {
                let a = self.atom(a);
                let witnesses: Vec<Size> = witnesses.iter().map(|w| self.size(w)).collect();
                if let Some(packed) = self.packed_again(var, &a, &witnesses) {
                    return self.copy(var, packed);
                }
                self.known.insert(var, Known::Packed(a.clone(), witnesses.clone()));
                Rhs::Pack(a, witnesses)
            }
            Rhs::Unpack(a) => {
                let a = self.atom(a);
                if let Some(Known::Packed(value, witnesses)) = self.knowledge(&a)
                    && witnesses.len() == binds.len()
                {
                    let value = value.clone();
                    let known: Vec<(Var, Size)> = binds.into_iter().zip(witnesses.iter().cloned()).collect();
                    self.lengths.extend(known);
                    return self.copy(var, value);
                }
                self.known.insert(var, Known::Opened(a.clone(), binds.clone()));
                Rhs::Unpack(a)
            }
            Rhs::Cast(a, checks) => {
                let a = self.atom(a);
                let checks: Vec<LengthCheck> = checks.iter().map(|check| check.map(&mut |s| self.size(s))).collect();
                if checks.iter().all(LengthCheck::is_needless) {
                    return self.copy(var, a);
                }
                Rhs::Cast(a, checks)
            }
        };
        out.push(Stmt { var, binds, rhs, origin });
    }

    /// Component `i` of a tuple that was made here, or of `unzip` of `zip`. Remembers a component of another array.
    fn component(&mut self, var: VarId, tuple: &Atom, i: usize) -> Option<Atom> {
        let array = match self.knowledge(tuple)? {
            Known::Tuple(parts) => return parts.get(i).cloned(),
            Known::Unzipped(array) => array.clone(),
            _ => return None,
        };
        if let Some(Known::Zipped(parts)) = self.knowledge(&array)
            && let Some(part) = parts.get(i).cloned()
        {
            return Some(part);
        }
        self.known.insert(var, Known::Component(array, i));
        None
    }

    fn call(&mut self, mut call: PrimCall) -> PrimCall {
        call.sizes = call.sizes.iter().map(|s| self.size(s)).collect();
        call.args = call.args.into_iter().map(|a| self.atom(a)).collect();
        call.funs = call.funs.into_iter().map(|f| self.lambda(f)).collect();
        call
    }

    /// The array that `zip` puts together from its components again. Remembers other calls of `zip` and `unzip`.
    fn paired(&mut self, var: VarId, call: &PrimCall) -> Option<Atom> {
        match (call.prim, call.args.as_slice()) {
            (Prim::Zip, parts) => {
                if let Some(array) = self.taken_apart(parts, var) {
                    return Some(array);
                }
                self.known.insert(var, Known::Zipped(parts.to_vec()));
            }
            (Prim::Unzip, [array]) => {
                self.known.insert(var, Known::Unzipped(array.clone()));
            }
            _ => {}
        }
        None
    }

    /// The packed value from which `a` was opened, if packing it with these lengths gives that back.
    fn packed_again(&self, var: VarId, a: &Atom, witnesses: &[Size]) -> Option<Atom> {
        let Some(Known::Opened(packed, lengths)) = self.knowledge(a) else { return None };
        let is_same = witnesses.iter().all(|w| w.as_var().is_some_and(|v| lengths.contains(v)))
            && same_type(&self.ty(packed), &self.vars[var.0 as usize].ty, &|a, b| a == b);
        is_same.then(|| packed.clone())
    }

    /// The array of which these are the components, all of them and in order.
    fn taken_apart(&self, parts: &[Atom], zipped: VarId) -> Option<Atom> {
        let component = |(k, part): (usize, &Atom)| match self.knowledge(part)? {
            Known::Component(array, of) if *of == k => Some(array),
            _ => None,
        };
        let mut arrays = parts.iter().enumerate().map(component);
        let array = arrays.next()??;
        let same = arrays.all(|other| other == Some(array));
        (same && same_type(&self.ty(array), &self.vars[zipped.0 as usize].ty, &|a, b| a == b)).then(|| array.clone())
    }

    fn copy(&mut self, var: VarId, of: Atom) {
        let of = self.atom(of);
        // Prefer the name that the program gives to a generated one.
        if let Atom::Var(v) = of
            && &*self.vars[v.0 as usize].name == UNNAMED
        {
            self.vars[v.0 as usize].name = self.vars[var.0 as usize].name.clone();
        }
        self.copies.insert(var, of);
    }

    fn lambda(&mut self, f: Lambda) -> Lambda {
        for p in &f.params {
            self.retype(*p);
        }
        let body = self.block(f.body);
        Lambda { position: f.position, params: f.params, body, origin: f.origin }
    }

    fn retype(&mut self, v: VarId) {
        if !self.lengths.is_empty() {
            let ty = self.vars[v.0 as usize].ty.subst_sizes(&mut |v| self.lengths.get(v).cloned());
            self.vars[v.0 as usize].ty = ty;
        }
    }

    /// Copies are already resolved to their source, so one step is enough.
    fn atom(&self, a: Atom) -> Atom {
        match a {
            Atom::Var(v) => self.copies.get(&v).cloned().unwrap_or(a),
            Atom::Size(s) => Atom::Size(self.size(&s)),
            Atom::Lit(_) => a,
        }
    }
    fn size(&self, s: &Size) -> Size {
        if self.lengths.is_empty() { s.clone() } else { s.subst(&mut |v| self.lengths.get(v).cloned()) }
    }
    fn knowledge(&self, a: &Atom) -> Option<&Known> {
        match a {
            Atom::Var(v) => self.known.get(v),
            _ => None,
        }
    }
    fn ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.vars[v.0 as usize].ty.clone(),
            Atom::Lit(l) => Ty::scalar(l.scalar()),
            Atom::Size(_) => Ty::int(),
        }
    }
}

/// Variables and skolems in use.
#[derive(Default)]
struct Live {
    vars: FxHashSet<VarId>,
    lengths: FxHashSet<Var>,
}

fn drop_dead(kernel: &mut Kernel) {
    let mut live = Live::default();
    let body = std::mem::replace(&mut kernel.body, Block { stmts: Vec::new(), result: Atom::Lit(Literal::Int(0)) });
    kernel.body = live.block(body, &kernel.vars);
    // Drop the assumptions about skolems that are no longer opened.
    let mut opened = FxHashSet::default();
    kernel.body.visit(&mut |stmt| opened.extend(stmt.binds.iter().cloned()));
    kernel.assumptions.retain(|(a, _)| a.vars().iter().all(|v| v.kind != VarKind::Skolem || opened.contains(v)));
}

impl Live {
    /// Drops dead statements, from the last to the first.
    fn block(&mut self, block: Block, vars: &[VarInfo]) -> Block {
        self.atom(&block.result);
        let mut kept = Vec::with_capacity(block.stmts.len());
        for mut stmt in block.stmts.into_iter().rev() {
            let used = self.vars.contains(&stmt.var) || stmt.binds.iter().any(|v| self.lengths.contains(v));
            if !used && !checks(&stmt.rhs) {
                continue;
            }
            self.ty(&vars[stmt.var.0 as usize].ty);
            stmt.rhs = self.rhs(stmt.rhs, vars);
            kept.push(stmt);
        }
        kept.reverse();
        Block { stmts: kept, result: block.result }
    }

    fn rhs(&mut self, rhs: Rhs, vars: &[VarInfo]) -> Rhs {
        match rhs {
            Rhs::If(condition, then, otherwise) => {
                self.atom(&condition);
                Rhs::If(condition, self.block(then, vars), self.block(otherwise, vars))
            }
            Rhs::Prim(mut call) => {
                call.args.iter().for_each(|a| self.atom(a));
                call.sizes.iter().for_each(|s| self.size(s));
                let funs = call.funs.into_iter().map(|f| {
                    f.params.iter().for_each(|p| self.ty(&vars[p.0 as usize].ty));
                    let body = self.block(f.body, vars);
                    Lambda { position: f.position, params: f.params, body, origin: f.origin }
                });
                call.funs = funs.collect();
                Rhs::Prim(call)
            }
            Rhs::Atom(ref a) | Rhs::Proj(ref a, _) | Rhs::Store(_, ref a) | Rhs::Unpack(ref a) => {
                self.atom(a);
                rhs
            }
            Rhs::Tuple(ref atoms) | Rhs::Scalar(_, ref atoms) => {
                atoms.iter().for_each(|a| self.atom(a));
                rhs
            }
            Rhs::Pack(ref a, ref witnesses) => {
                self.atom(a);
                witnesses.iter().for_each(|w| self.size(w));
                rhs
            }
            Rhs::Cast(ref a, ref checks) => {
                self.atom(a);
                checks.iter().flat_map(LengthCheck::sizes).for_each(|size| self.size(size));
                rhs
            }
        }
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
    fn size(&mut self, s: &Size) {
        self.lengths.extend(s.vars().into_iter().filter(|v| v.kind == VarKind::Skolem));
    }
    fn ty(&mut self, ty: &Ty) {
        ty.any_size_var(&mut |v| {
            if v.kind == VarKind::Skolem {
                self.lengths.insert(v.clone());
            }
            false
        });
    }
}

/// Whether the right-hand side contains a checked cast.
fn checks(rhs: &Rhs) -> bool {
    matches!(rhs, Rhs::Cast(..)) || rhs.blocks().iter().any(|b| b.stmts.iter().any(|s| checks(&s.rhs)))
}

/// Removes unused variables from [`Kernel::vars`].
fn renumber(kernel: &mut Kernel) {
    let mut order = kernel.params.clone();
    bound_in(&kernel.body, &mut order);
    let new: FxHashMap<VarId, VarId> = order.iter().enumerate().map(|(i, v)| (*v, VarId(i as u32))).collect();
    kernel.vars = order.iter().map(|v| kernel.vars[v.0 as usize].clone()).collect();
    let renamed = |v: &mut VarId| {
        if let Some(n) = new.get(v) {
            *v = *n;
        }
    };
    kernel.params.iter_mut().for_each(renamed);
    rename(&mut kernel.body, &renamed);
}

/// Appends the variables bound in a block, including those in its functions and branches.
pub fn bound_in(block: &Block, order: &mut Vec<VarId>) {
    for stmt in &block.stmts {
        order.push(stmt.var);
        if let Rhs::Prim(call) = &stmt.rhs {
            for f in &call.funs {
                order.extend(&f.params);
            }
        }
        stmt.rhs.blocks().into_iter().for_each(|b| bound_in(b, order));
    }
}

/// Renames every variable of a block.
pub fn rename(block: &mut Block, renamed: &dyn Fn(&mut VarId)) {
    let atom = |a: &mut Atom| {
        if let Atom::Var(v) = a {
            renamed(v);
        }
    };
    for stmt in &mut block.stmts {
        renamed(&mut stmt.var);
        stmt.rhs.operands_mut().iter_mut().for_each(atom);
        if let Rhs::Prim(call) = &mut stmt.rhs {
            call.funs.iter_mut().flat_map(|f| &mut f.params).for_each(renamed);
        }
        stmt.rhs.blocks_mut().into_iter().for_each(|inner| rename(inner, renamed));
    }
    atom(&mut block.result);
}
