//! Copies statements and functions. In a kernel each variable, opened length and index variable has one binder, so a copy
//! binds its own, with the names of the originals.

use super::{Atom, Block, Kernel, Lambda, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::{Size, Var};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashMap;

/// Copies terms in the order of their scopes: a statement after those that bind its operands.
pub struct Copier<'a> {
    pub vars: &'a mut Vec<VarInfo>,
    /// What replaces variables: given for free ones, then added for those that are copied.
    pub atoms: FxHashMap<VarId, Atom>,
    pub sizes: FxHashMap<Var, Size>,
    /// Greater than the ids of all opened lengths and index variables but those of copies.
    pub next: &'a mut u32,
}

/// A first value for [`Copier::next`].
pub fn next_length(kernel: &Kernel) -> u32 {
    let mut next = 0;
    let mut taken = |v: &Var| next = next.max(v.id + 1);
    for info in &kernel.vars {
        info.ty.any(&mut |t| {
            t.as_array().and_then(|a| a.position.as_ref()).into_iter().for_each(&mut taken);
            false
        });
    }
    kernel.body.visit(&mut |stmt| {
        stmt.binds.iter().for_each(&mut taken);
        if let Rhs::Prim(call) = &stmt.rhs {
            call.funs.iter().filter_map(|f| f.position.as_ref()).for_each(&mut taken);
        }
    });
    next
}

impl<'a> Copier<'a> {
    /// For copies in which all free variables stay.
    pub fn new(vars: &'a mut Vec<VarInfo>, next: &'a mut u32) -> Copier<'a> {
        Copier { vars, atoms: FxHashMap::default(), sizes: FxHashMap::default(), next }
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
        *self.next += 1;
        let new = Var::new(v.kind, *self.next, v.name.clone());
        self.sizes.insert(v.clone(), Size::var(new.clone()));
        new
    }

    pub fn lambda(&mut self, f: &Lambda) -> Lambda {
        let position = f.position.as_ref().map(|p| self.length(p));
        let params = f.params.iter().map(|p| self.var(*p)).collect();
        Lambda { position, params, body: self.block(&f.body), origin: f.origin.clone() }
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
        let stmts = block.stmts.iter().map(|stmt| self.stmt(stmt)).collect();
        Block { stmts, result: self.atom(&block.result) }
    }

    pub fn stmt(&mut self, stmt: &Stmt) -> Stmt {
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
            Rhs::If(c, a, b) => Rhs::If(self.atom(c), self.block(a), self.block(b)),
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
            funs: call.funs.iter().map(|f| self.lambda(f)).collect(),
        }
    }
}
