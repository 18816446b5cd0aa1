//! Facts about the statements at the top of a kernel during the analysis.

use super::{Refusal, ValueId};
use crate::core::copy::Lengths;
use crate::core::{Atom, Kernel, Lambda, Prim, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, LengthCheck, Size, Var, VarKind};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Known {
    pub kernel: Kernel,
    /// The variables of the kernel, and new ones.
    pub vars: Vec<VarInfo>,
    pub facts: Facts,
    /// The statements of variables that are computed where they are needed.
    pub defs: FxHashMap<VarId, Stmt>,
    /// Variables that are equal to another one.
    pub same: FxHashMap<VarId, VarId>,
    /// Arrays that are divided into blocks.
    pub spread: FxHashSet<VarId>,
    /// Tuples with a spread component.
    pub tuples: FxHashMap<VarId, Vec<Atom>>,
    /// The results of earlier steps, in blocks and whole.
    pub blocks: FxHashMap<VarId, ValueId>,
    pub wholes: FxHashMap<VarId, ValueId>,
    /// The number of uses of each variable.
    pub uses: FxHashMap<VarId, usize>,
    /// For each skolem, the array with that length.
    pub opened: FxHashMap<Var, VarId>,
    /// Skolems that a step has measured.
    pub measured: FxHashSet<Var>,
    /// The lengths of the kernel. A kernel of blocks starts with a copy and adds its own.
    pub lengths: Lengths,
}

/// First id of new size variables, above all ids of the kernel.
const FIRST_NEW: u32 = 1 << 24;

impl Known {
    pub fn new(kernel: &Kernel) -> Known {
        let mut facts = Facts::new();
        kernel.assumptions.iter().for_each(|(assumption, _)| facts.assume(assumption));
        // A cast in a branch says nothing about runs that do not take it.
        for stmt in &kernel.body.stmts {
            if let Rhs::Cast(_, checks) = &stmt.rhs {
                checks.iter().for_each(|check| facts.assume(&LengthCheck::assumption(check)));
            }
        }
        Known {
            kernel: kernel.clone(),
            vars: kernel.vars.clone(),
            facts,
            defs: FxHashMap::default(),
            same: FxHashMap::default(),
            spread: FxHashSet::default(),
            tuples: FxHashMap::default(),
            blocks: FxHashMap::default(),
            wholes: FxHashMap::default(),
            uses: FxHashMap::default(),
            opened: FxHashMap::default(),
            measured: FxHashSet::default(),
            lengths: Lengths::above(FIRST_NEW, kernel.assumptions.clone()),
        }
    }

    pub fn ty(&self, v: VarId) -> &Ty {
        &self.vars[v.0 as usize].ty
    }

    pub fn atom_ty(&self, a: &Atom) -> Ty {
        match a {
            Atom::Var(v) => self.ty(*v).clone(),
            other => self.kernel.atom_ty(other),
        }
    }

    pub fn name(&self, v: VarId) -> &str {
        &self.vars[v.0 as usize].name
    }

    pub fn var(&mut self, name: &str, ty: Ty) -> VarId {
        self.vars.push(VarInfo { name: name.into(), ty });
        VarId(self.vars.len() as u32 - 1)
    }

    /// The first variable that is equal to this one.
    pub fn root(&self, mut v: VarId) -> VarId {
        while let Some(other) = self.same.get(&v) {
            v = *other;
        }
        v
    }

    pub fn is_spread(&self, v: VarId) -> bool {
        self.spread.contains(&self.root(v))
    }

    /// The array type of a value, possibly inside hidden lengths.
    pub fn array(&self, v: VarId) -> Option<&ArrayTy> {
        match self.ty(v).kind() {
            TyKind::Exists(_, body) => body.as_array(),
            _ => self.ty(v).as_array(),
        }
    }

    /// The outermost length of an array; a skolem if it has been opened.
    pub fn len(&self, v: VarId) -> Size {
        self.array(v).map_or_else(Size::zero, |a| a.len.clone())
    }
}

/// Whether a length is known only at run time.
pub fn is_hidden(size: &Size) -> bool {
    size.any_var(&mut |v| matches!(v.kind, VarKind::Skolem | VarKind::Bound))
}

/// Whether values of the type consist of scalars.
pub fn is_scalar(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Vec(..) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_scalar),
        _ => false,
    }
}

/// Whether a function computes anything, rather than only changing how elements are addressed.
pub fn computes(f: &Lambda) -> bool {
    let mut found = false;
    f.body.visit(&mut |stmt| {
        found |= match &stmt.rhs {
            Rhs::Scalar(..) | Rhs::If(..) => true,
            Rhs::Prim(call) => !call.prim.is_view() && !matches!(call.prim, Prim::Map(_)),
            _ => false,
        }
    });
    found
}

/// A value that a kernel of blocks needs and does not have yet.
pub enum Need {
    /// Block lengths must be a multiple of this, because the array consists of such rows.
    Unit(Size, VarId),
    /// The value is needed in blocks, or whole.
    Blocks(VarId),
    Whole(VarId),
    /// The value of a skolem is needed.
    Length(Var),
    Refused(Refusal),
}

pub fn refusal(message: String, advice: &str, origin: &Origin) -> Refusal {
    Refusal { message, advice: advice.into(), origin: Some(origin.clone()) }
}

/// The conditions that mention only these sizes.
pub fn about<'a>(
    assumptions: &'a [(Assumption, Origin)],
    known: &'a dyn Fn(&Var) -> bool,
) -> impl Iterator<Item = &'a (Assumption, Origin)> {
    assumptions.iter().filter(move |(a, _)| a.vars().iter().all(known))
}

/// The refusal of a primitive that processes an array in order.
pub fn refusal_in_order(prim: Prim, origin: &Origin) -> Refusal {
    let message = format!("`{}` goes over a spread array from the first element to the last", prim.name());
    let advice =
        "if the operator is associative, write `reduce` or `scan`; else do it in the program around the kernel";
    refusal(message, advice, origin)
}
