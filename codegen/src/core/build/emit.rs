//! The statements so far.

use super::super::{Atom, Block, Rhs, Stmt, UNNAMED, VarId, VarInfo};
use super::{BuildError, Result};
use lift_analysis::hir::Name;
use lift_analysis::origin::Origin;
use lift_analysis::size::{Var, VarKind};
use lift_analysis::ty::Ty;
use rustc_hash::FxHashSet;

/// Functions and branches inside others: more than any program has, and what all that walk over kernels can bear.
const DEEPEST: usize = 200;
/// More statements than this are not a program but an explosion.
const MOST_STATEMENTS: usize = 20_000;

/// The ids of positions start here.
const POSITIONS: u32 = 1 << 20;

pub struct Emit {
    vars: Vec<VarInfo>,
    /// The blocks that are open, outermost first.
    open: Vec<Vec<Stmt>>,
    statements: usize,
    next_length: u32,
    /// The last number of a length that was not named as wished.
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
    /// A variable; without a name yet if the name is empty.
    pub fn var(&mut self, name: Name, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name, ty });
        VarId(self.vars.len() as u32 - 1)
    }
    pub fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }
    /// Give a variable the name that the program has for it, if it has none so far.
    pub fn name(&mut self, v: VarId, name: &Name) {
        let info = &mut self.vars[v.0 as usize];
        if info.name.is_empty() && &**name != "_" {
            info.name = name.clone();
        }
    }
    /// All variables; those without a name are called [`UNNAMED`].
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
            let message = "with all definitions inlined, this kernel is too large to be compiled".into();
            return Err(BuildError { message, origin: Some(origin.clone()) });
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
            return Err(BuildError { message, origin: Some(origin.clone()) });
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

    /// The statements of a block where they stand now.
    pub fn take_in(&mut self, block: Block) -> Atom {
        if let Some(open) = self.open.last_mut() {
            open.extend(block.stmts);
        }
        block.result
    }

    /// A length that is unique in the kernel, named as wished if no other is named so.
    pub fn opened_length(&mut self, wish: &Name) -> Var {
        let mut name = wish.clone();
        // Names are never given back: none is looked for below the last one that was found.
        while !self.length_names.insert(name.clone()) {
            self.opened += 1;
            name = format!("X{}", self.opened).into();
        }
        self.length(VarKind::Skolem, name)
    }
    /// A position of one function or type.
    pub fn position(&mut self, name: &Name) -> Var {
        // Apart from the positions of inference, which sizes mention until they are known.
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
