//! The statements emitted so far.

use super::super::{Atom, Block, Rhs, Stmt, UNNAMED, VarId, VarInfo};
use super::{BuildError, Result};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Var, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Limit on nested functions and branches. No real program comes near, and recursive passes over kernels stay within
/// their stack.
const DEEPEST: usize = 200;
/// Limit on statements; more come only from an explosion of inlined definitions.
const MOST_STATEMENTS: usize = 20_000;

/// First id of index variables made here.
const POSITIONS: u32 = 1 << 20;

pub struct Emit {
    vars: Vec<VarInfo>,
    /// The open blocks, outermost first.
    open: Vec<Vec<Stmt>>,
    statements: usize,
    next_length: u32,
    /// The last number given to a skolem whose preferred name was taken.
    opened: u32,
    length_names: FxHashSet<Name>,
}

impl Default for Emit {
    fn default() -> Emit {
        Emit {
            vars: Vec::new(),
            open: vec![Vec::new()],
            statements: 0,
            next_length: 0,
            opened: 0,
            length_names: FxHashSet::default(),
        }
    }
}

impl Emit {
    /// Declares a variable; an empty name may be set later by [`Emit::name`].
    pub fn var(&mut self, name: Name, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name, ty });
        VarId(self.vars.len() as u32 - 1)
    }
    pub fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }
    /// Names a variable as the program does, unless it already has a name.
    pub fn name(&mut self, v: VarId, name: &Name) {
        let info = &mut self.vars[v.0 as usize];
        if info.name.is_empty() && &**name != "_" {
            info.name = name.clone();
        }
    }
    /// Takes all variables; unnamed ones get the name [`UNNAMED`].
    pub fn take_vars(&mut self) -> Vec<VarInfo> {
        let mut vars = std::mem::take(&mut self.vars);
        for v in vars.iter_mut().filter(|v| v.name.is_empty()) {
            v.name = UNNAMED.into();
        }
        vars
    }

    pub fn stmt(&mut self, ty: Ty, rhs: Rhs, origin: &Origin) -> Result<Atom> {
        self.binding_stmt(ty, Vec::new(), rhs, origin)
    }
    pub fn binding_stmt(&mut self, ty: Ty, binds: Vec<Var>, rhs: Rhs, origin: &Origin) -> Result<Atom> {
        self.statements += 1;
        if self.statements > MOST_STATEMENTS {
            let message = "with all definitions inlined, this kernel is too large to compile".into();
            return Err(BuildError { too_large: true, ..BuildError::new(message, Some(origin.clone())) });
        }
        let var = self.var("".into(), ty);
        if let Some(block) = self.open.last_mut() {
            block.push(Stmt { var, binds, rhs, origin: origin.clone() });
        }
        Ok(Atom::Var(var))
    }
    pub fn open(&mut self, origin: &Origin) -> Result<()> {
        if self.open.len() > DEEPEST {
            let message = format!("functions and branches are nested too deeply: at most {DEEPEST}");
            return Err(BuildError::new(message, Some(origin.clone())));
        }
        self.open.push(Vec::new());
        Ok(())
    }
    pub fn close(&mut self) -> Vec<Stmt> {
        self.open.pop().unwrap_or_default()
    }
    pub fn close_block(&mut self, result: Atom) -> Block {
        Block { stmts: self.close(), result }
    }

    /// Appends the statements of a block to the open block and returns the block's result.
    pub fn take_in(&mut self, block: Block) -> Atom {
        if let Some(open) = self.open.last_mut() {
            open.extend(block.stmts);
        }
        block.result
    }

    /// Makes a skolem that is unique in the kernel, with the preferred name unless another has it.
    pub fn opened_length(&mut self, wish: &Name) -> Var {
        let mut name = wish.clone();
        // Names are never reused, so the search starts after the last number given.
        while !self.length_names.insert(name.clone()) {
            self.opened += 1;
            name = format!("X{}", self.opened).into();
        }
        self.length(VarKind::Skolem, name)
    }
    /// Makes an index variable for one function or type.
    pub fn position(&mut self, name: &Name) -> Var {
        // Disjoint from the ids of inference, which sizes mention until they are substituted.
        let var = self.length(VarKind::Position, name.clone());
        Var { id: POSITIONS + var.id, ..var }
    }
    pub fn bound_length(&mut self, name: &Name) -> Var {
        self.length(VarKind::Bound, name.clone())
    }
    fn length(&mut self, kind: VarKind, name: Name) -> Var {
        self.next_length += 1;
        Var::new(kind, self.next_length - 1, name)
    }
}
