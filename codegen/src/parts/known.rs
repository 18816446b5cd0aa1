//! What is known of the statements at the top of a kernel while they are analysed.

use super::{Refusal, ValueId};
use crate::core::{Atom, Kernel, Lambda, Prim, Rhs, Stmt, VarId, VarInfo};
use lift_analysis::origin::Origin;
use lift_analysis::size::{Assumption, Facts, LengthCheck, Size, Var, VarKind};
use lift_analysis::ty::{ArrayTy, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

pub struct Known {
    pub kernel: Kernel,
    /// Those of the kernel, and new ones.
    pub vars: Vec<VarInfo>,
    pub facts: Facts,
    /// The statement of each variable that is computed where it is needed.
    pub defs: FxHashMap<VarId, Stmt>,
    /// Variables with the value of another.
    pub same: FxHashMap<VarId, VarId>,
    /// Arrays that lie in blocks.
    pub spread: FxHashSet<VarId>,
    /// Tuples of which some part is spread.
    pub tuples: FxHashMap<VarId, Vec<Atom>>,
    /// What earlier steps made, in blocks and whole.
    pub blocks: FxHashMap<VarId, ValueId>,
    pub wholes: FxHashMap<VarId, ValueId>,
    /// How often statements use a variable.
    pub uses: FxHashMap<VarId, usize>,
    /// The array whose length an opened length is.
    pub opened: FxHashMap<Var, VarId>,
    /// Opened lengths that a step has found.
    pub measured: FxHashSet<Var>,
    /// Gives new variables of sizes their numbers.
    pub next: u32,
}

/// Numbers of variables from here on are not those of the kernel.
const FIRST_NEW: u32 = 1 << 24;

impl Known {
    pub fn new(kernel: &Kernel) -> Known {
        let mut facts = Facts::new();
        kernel.assumptions.iter().for_each(|(assumption, _)| facts.assume(assumption));
        kernel.body.visit(&mut |stmt| {
            if let Rhs::Cast(_, checks) = &stmt.rhs {
                checks.iter().for_each(|check| facts.assume(&LengthCheck::assumption(check)));
            }
        });
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
            next: FIRST_NEW,
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

    /// The variable that has the value of this one and is not the same as another.
    pub fn root(&self, mut v: VarId) -> VarId {
        while let Some(other) = self.same.get(&v) {
            v = *other;
        }
        v
    }

    pub fn is_spread(&self, v: VarId) -> bool {
        self.spread.contains(&self.root(v))
    }

    /// The array that a value is, whether or not its length is hidden.
    pub fn array(&self, v: VarId) -> Option<&ArrayTy> {
        match self.ty(v).kind() {
            TyKind::Exists(_, body) => body.as_array(),
            _ => self.ty(v).as_array(),
        }
    }

    /// The outermost length of an array: opened, where that has happened.
    pub fn len(&self, v: VarId) -> Size {
        self.array(v).map_or_else(Size::zero, |a| a.len.clone())
    }
}

/// Whether a length is found by the run only.
pub fn is_hidden(size: &Size) -> bool {
    size.any_var(&mut |v| matches!(v.kind, VarKind::Skolem | VarKind::Bound))
}

/// Whether the value is one or several scalars.
pub fn is_scalar(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Vec(..) => true,
        TyKind::Tuple(parts) => parts.iter().all(is_scalar),
        _ => false,
    }
}

/// Whether a function computes anything, and not only changes how elements are addressed.
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

/// What a kernel of blocks lacks.
pub enum Need {
    /// A block must be this many times as long, since this array is of such rows.
    Unit(Size, VarId),
    /// This must be there in blocks, or whole.
    Blocks(VarId),
    Whole(VarId),
    /// An opened length as a number.
    Length(Var),
    Refused(Refusal),
}

pub fn refusal(message: String, advice: &str, origin: &Origin) -> Refusal {
    Refusal { message, advice: advice.into(), origin: Some(origin.clone()) }
}

/// Conditions that mention no size but these.
pub fn about<'a>(
    assumptions: &'a [(Assumption, Origin)],
    known: &'a dyn Fn(&Var) -> bool,
) -> impl Iterator<Item = &'a (Assumption, Origin)> {
    assumptions.iter().filter(move |(a, _)| a.vars().iter().all(known))
}

/// Why what goes over an array in order is refused.
pub fn refusal_in_order(prim: Prim, origin: &Origin) -> Refusal {
    let message = format!("`{}` goes over a spread array from the first element to the last", prim.name());
    let advice =
        "if the operator is associative, write `reduce` or `scan`; else do it in the program around the kernel";
    refusal(message, advice, origin)
}
