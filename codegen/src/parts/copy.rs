//! Copies terms under new names: a statement may occur in several kernels of blocks, and twice in one.

use crate::core::{Atom, Block, Kernel, Lambda, PrimCall, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::size::{LengthCheck, Size, Var};
use lift_analysis::ty::Ty;
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Copier<'a> {
    pub vars: &'a mut Vec<VarInfo>,
    /// Replacements of free variables.
    pub atoms: FxHashMap<VarId, Atom>,
    pub sizes: FxHashMap<Var, Size>,
    /// The id of the next size variable.
    pub next: &'a mut u32,
}

impl Copier<'_> {
    pub fn ty(&self, ty: &Ty) -> Ty {
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

/// Collects the free variables of a block.
pub fn free(block: &Block, bound: &mut FxHashSet<VarId>, found: &mut Vec<VarId>) {
    for stmt in &block.stmts {
        let operands = stmt.rhs.operands();
        operands.into_iter().for_each(|a| used(a, bound, found));
        match &stmt.rhs {
            Rhs::Prim(call) => call.funs.iter().for_each(|f| free_of(f, bound, found)),
            rhs => rhs.blocks().into_iter().for_each(|b| free(b, bound, found)),
        }
        bound.insert(stmt.var);
    }
    used(&block.result, bound, found);
}

pub fn free_of(f: &Lambda, bound: &mut FxHashSet<VarId>, found: &mut Vec<VarId>) {
    bound.extend(&f.params);
    free(&f.body, bound, found);
}

fn used(atom: &Atom, bound: &FxHashSet<VarId>, found: &mut Vec<VarId>) {
    if let Atom::Var(v) = atom
        && !bound.contains(v)
        && !found.contains(v)
    {
        found.push(*v);
    }
}

/// The variables that a statement uses, including the free variables of its functions and branches.
pub fn used_by(stmt: &Stmt) -> Vec<VarId> {
    let mut found = Vec::new();
    let block = Block { stmts: vec![stmt.clone()], result: Atom::Var(stmt.var) };
    free(&block, &mut FxHashSet::default(), &mut found);
    found
}

/// The size variables that a kernel mentions.
pub fn mentioned(kernel: &Kernel) -> Vec<Var> {
    let mut found: Vec<Var> = Vec::new();
    let mut add = |v: Var| {
        if !found.contains(&v) {
            found.push(v);
        }
    };
    for info in &kernel.vars {
        info.ty.any_size_var(&mut |v| {
            add(v.clone());
            false
        });
    }
    kernel.result.any_size_var(&mut |v| {
        add(v.clone());
        false
    });
    in_block(&kernel.body, &mut add);
    found
}

fn in_block(block: &Block, add: &mut dyn FnMut(Var)) {
    let mut size = |s: &Size| s.vars().into_iter().for_each(&mut *add);
    for stmt in &block.stmts {
        for operand in stmt.rhs.operands() {
            if let Atom::Size(s) = operand {
                size(s);
            }
        }
        match &stmt.rhs {
            Rhs::Prim(call) => call.sizes.iter().for_each(&mut size),
            Rhs::Pack(_, witnesses) => witnesses.iter().for_each(&mut size),
            Rhs::Cast(_, checks) => checks.iter().flat_map(LengthCheck::sizes).for_each(&mut size),
            _ => {}
        }
    }
    if let Atom::Size(s) = &block.result {
        size(s);
    }
    for stmt in &block.stmts {
        stmt.rhs.blocks().into_iter().for_each(|b| in_block(b, add));
    }
}
