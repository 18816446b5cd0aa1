//! Copies statements and functions. In a kernel each variable, opened length and index variable has one binder, so a copy
//! binds its own, with the names of the originals.

use super::{Atom, Block, Kernel, Lambda, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Size, Var, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Copies terms in the order of their scopes: a statement after those that bind its operands.
pub struct Copier<'a> {
    pub vars: &'a mut Vec<VarInfo>,
    /// Replacements of variables: given for free ones, then added for copied ones.
    pub atoms: FxHashMap<VarId, Atom>,
    pub sizes: FxHashMap<Var, Size>,
    pub lengths: &'a mut Lengths,
    /// The originals of lengths whose assumptions are still to be copied.
    copied: FxHashSet<Var>,
}

/// The opened lengths and index variables of a kernel to which copies add theirs.
#[derive(Debug, Clone)]
pub struct Lengths {
    /// Greater than all ids.
    next: u32,
    /// Assumptions about the lengths of the kernel and of copies. A pass that copies gives all of them to its kernel.
    pub assumptions: Vec<(Assumption, Origin)>,
}

impl Lengths {
    pub fn of(kernel: &Kernel) -> Lengths {
        let mut next = 0;
        let mut taken = |v: &Var| next = next.max(v.id + 1);
        // The body may be a part of the kernel's; the types of variables have the lengths that are opened elsewhere.
        for info in &kernel.vars {
            info.ty.any(&mut |t| {
                if let Some(array) = t.as_array() {
                    array.position.iter().for_each(&mut taken);
                    array.len.any_var(&mut |v| {
                        taken(v);
                        false
                    });
                }
                false
            });
        }
        kernel.body.visit(&mut |stmt| {
            stmt.binds.iter().for_each(&mut taken);
            if let Rhs::Prim(call) = &stmt.rhs {
                call.funs.iter().filter_map(|f| f.position.as_ref()).for_each(&mut taken);
            }
        });
        Lengths::above(next, kernel.assumptions.clone())
    }

    /// New lengths get ids greater than `id`.
    pub fn above(id: u32, assumptions: Vec<(Assumption, Origin)>) -> Lengths {
        Lengths { next: id, assumptions }
    }

    pub fn fresh(&mut self, kind: VarKind, name: impl Into<Arc<str>>) -> Var {
        self.next += 1;
        Var::new(kind, self.next, name)
    }
}

impl<'a> Copier<'a> {
    /// For copies in which all free variables stay.
    pub fn new(vars: &'a mut Vec<VarInfo>, lengths: &'a mut Lengths) -> Copier<'a> {
        let (atoms, sizes) = (FxHashMap::default(), FxHashMap::default());
        Copier { vars, atoms, sizes, lengths, copied: FxHashSet::default() }
    }

    fn ty(&self, ty: &Ty) -> Ty {
        if self.sizes.is_empty() {
            return ty.clone();
        }
        // The index variable of an array is that of a function, which is renamed.
        let mut renamed = |t: &Ty| {
            let array = t.as_array()?;
            let position = self.sizes.get(array.position.as_ref()?)?.as_var()?;
            Some(Ty::dependent_array(position.clone(), self.ty(&array.element), self.size(&array.len)))
        };
        ty.rewrite(&mut renamed, &mut |s| self.size(s))
    }

    fn size(&self, size: &Size) -> Size {
        if self.sizes.is_empty() { size.clone() } else { size.subst(&mut |v| self.sizes.get(v).cloned()) }
    }

    pub fn atom(&self, atom: &Atom) -> Atom {
        match atom {
            Atom::Var(v) => self.atoms.get(v).cloned().unwrap_or_else(|| atom.clone()),
            Atom::Size(size) => Atom::Size(self.size(size)),
            Atom::Lit(_) => atom.clone(),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<Atom> {
        atoms.iter().map(|a| self.atom(a)).collect()
    }

    /// The copy of a variable; the variable itself if it is bound outside.
    pub fn copy_of(&self, v: VarId) -> VarId {
        match self.atoms.get(&v) {
            Some(Atom::Var(copy)) => *copy,
            _ => v,
        }
    }

    fn var(&mut self, v: VarId) -> VarId {
        let info = &self.vars[v.0 as usize];
        let info = VarInfo { name: info.name.clone(), ty: self.ty(&info.ty) };
        self.vars.push(info);
        let new = VarId(self.vars.len() as u32 - 1);
        self.atoms.insert(v, Atom::Var(new));
        new
    }

    fn length(&mut self, v: &Var) -> Var {
        let new = self.lengths.fresh(v.kind, v.name.clone());
        self.sizes.insert(v.clone(), Size::var(new.clone()));
        self.copied.insert(v.clone());
        new
    }

    /// Repeats the assumptions about a length for its copies.
    fn assume(&mut self) {
        let copied = std::mem::take(&mut self.copied);
        if copied.is_empty() {
            return;
        }
        let about = |assumption: &Assumption| assumption.vars().iter().any(|v| copied.contains(v));
        let all = self.lengths.assumptions.iter().filter(|(assumption, _)| about(assumption));
        let of_copies: Vec<(Assumption, Origin)> = all
            .map(|(assumption, origin)| (assumption.subst(&mut |v| self.sizes.get(v).cloned()), origin.clone()))
            .collect();
        self.lengths.assumptions.extend(of_copies);
    }

    pub fn lambda(&mut self, f: &Lambda) -> Lambda {
        let f = self.function(f);
        self.assume();
        f
    }

    /// Copies a function whose indices count from `start`.
    pub fn lambda_from(&mut self, f: &Lambda, start: &Size) -> Lambda {
        let position = f.position.as_ref().map(|p| {
            let own = self.length(p);
            self.sizes.insert(p.clone(), Size::var(own.clone()).add(start));
            own
        });
        let inner = Lambda { position: None, ..f.clone() };
        Lambda { position, ..self.lambda(&inner) }
    }

    pub fn block(&mut self, block: &Block) -> Block {
        let block = self.inner(block);
        self.assume();
        block
    }

    pub fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let stmt = self.statement(stmt);
        self.assume();
        stmt
    }

    fn function(&mut self, f: &Lambda) -> Lambda {
        let position = f.position.as_ref().map(|p| self.length(p));
        let params = f.params.iter().map(|p| self.var(*p)).collect();
        Lambda { position, params, body: self.inner(&f.body), origin: f.origin.clone() }
    }

    fn inner(&mut self, block: &Block) -> Block {
        let stmts = block.stmts.iter().map(|stmt| self.statement(stmt)).collect();
        Block { stmts, result: self.atom(&block.result) }
    }

    fn statement(&mut self, stmt: &Stmt) -> Stmt {
        let rhs = self.rhs(&stmt.rhs);
        let binds = stmt.binds.iter().map(|v| self.length(v)).collect();
        Stmt { var: self.var(stmt.var), binds, rhs, origin: stmt.origin.clone() }
    }

    fn rhs(&mut self, rhs: &Rhs) -> Rhs {
        match rhs {
            Rhs::Atom(a) => Rhs::Atom(self.atom(a)),
            Rhs::Tuple(parts) => Rhs::Tuple(self.atoms(parts)),
            Rhs::Proj(a, i) => Rhs::Proj(self.atom(a), *i),
            Rhs::Scalar(op, operands) => Rhs::Scalar(*op, self.atoms(operands)),
            Rhs::If(c, a, b) => Rhs::If(self.atom(c), self.inner(a), self.inner(b)),
            Rhs::Prim(call) => Rhs::Prim(self.call(call)),
            Rhs::Store(space, a) => Rhs::Store(*space, self.atom(a)),
            Rhs::Pack(a, witnesses) => Rhs::Pack(self.atom(a), witnesses.iter().map(|s| self.size(s)).collect()),
            Rhs::Unpack(a) => Rhs::Unpack(self.atom(a)),
            Rhs::Cast(a, checks) => {
                let checks = checks.iter().map(|check| check.map(&mut |s| self.size(s))).collect();
                Rhs::Cast(self.atom(a), checks)
            }
        }
    }

    fn call(&mut self, call: &PrimCall) -> PrimCall {
        PrimCall {
            prim: call.prim,
            sizes: call.sizes.iter().map(|s| self.size(s)).collect(),
            args: self.atoms(&call.args),
            funs: call.funs.iter().map(|f| self.function(f)).collect(),
        }
    }
}
