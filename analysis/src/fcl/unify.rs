//! Unification of FCL types.

use super::types::{Level, Ty};
use std::cell::Cell;

/// The values of inference variables.
#[derive(Default)]
pub struct Unknowns {
    found: Vec<Option<Ty>>,
    /// The nesting depth, in definitions, at which each variable was created.
    depths: Vec<u32>,
    /// Type nodes compared so far. Written out, a type can be exponentially larger than the program.
    steps: Cell<u32>,
}

/// Limit on the type nodes compared.
const MOST_STEPS: u32 = 2_000_000;

/// The reason why two types do not unify.
#[derive(Debug, Clone)]
pub enum Clash {
    Types,
    /// The level of the first, and of the second.
    Levels(Level, Level),
    /// A type would contain itself.
    Endless,
}

impl Unknowns {
    pub fn fresh(&mut self, depth: u32) -> Ty {
        self.found.push(None);
        self.depths.push(depth);
        Ty::Var(self.found.len() as u32 - 1)
    }

    /// A fresh number for a variable.
    pub fn number(&mut self) -> u32 {
        self.found.push(None);
        self.depths.push(0);
        self.found.len() as u32 - 1
    }

    pub fn depth(&self, id: u32) -> u32 {
        self.depths.get(id as usize).copied().unwrap_or(0)
    }

    /// Counts a step. Whether the limit is exceeded.
    fn tired(&self) -> bool {
        self.steps.set(self.steps.get().saturating_add(1));
        self.is_exhausted()
    }

    pub fn is_exhausted(&self) -> bool {
        self.steps.get() > MOST_STEPS
    }

    /// The type with its head resolved.
    pub fn head(&self, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        while let Ty::Var(id) = ty
            && let Some(Some(found)) = self.found.get(id as usize)
        {
            ty = found.clone();
        }
        ty
    }

    /// The type with all solved variables replaced.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        ty.map(
            &mut |ty| match ty {
                _ if self.tired() => Some(Ty::Any),
                Ty::Var(_) => match self.head(ty) {
                    Ty::Var(id) => Some(Ty::Var(id)),
                    found => Some(self.resolve(&found)),
                },
                _ => None,
            },
            &mut Level::clone,
        )
    }

    pub fn unify(&mut self, a: &Ty, b: &Ty) -> Result<(), Clash> {
        let (a, b) = (self.head(a), self.head(b));
        self.tired();
        match (&a, &b) {
            _ if self.steps.get() > MOST_STEPS => Ok(()),
            (Ty::Any, _) | (_, Ty::Any) => Ok(()),
            (Ty::Var(x), Ty::Var(y)) if x == y => Ok(()),
            (Ty::Var(x), other) | (other, Ty::Var(x)) => self.assign(*x, other),
            (Ty::Rigid(x, _), Ty::Rigid(y, _)) if x == y => Ok(()),
            (Ty::Int, Ty::Int)
            | (Ty::Double, Ty::Double)
            | (Ty::Bool, Ty::Bool)
            | (Ty::String, Ty::String)
            | (Ty::Unit, Ty::Unit) => Ok(()),
            (Ty::Fun(a1, a2), Ty::Fun(b1, b2)) | (Ty::Pair(a1, a2), Ty::Pair(b1, b2)) => {
                self.unify(a1, b1)?;
                self.unify(a2, b2)
            }
            (Ty::Pull(a), Ty::Pull(b)) => self.unify(a, b),
            (Ty::Push(l, a), Ty::Push(m, b)) | (Ty::Program(l, a), Ty::Program(m, b)) => {
                if !l.fits(m) {
                    return Err(Clash::Levels(l.clone(), m.clone()));
                }
                self.unify(a, b)
            }
            _ => Err(Clash::Types),
        }
    }

    fn assign(&mut self, id: u32, ty: &Ty) -> Result<(), Clash> {
        let depth = self.depth(id);
        self.fits_below(id, depth, ty)?;
        if let Some(place) = self.found.get_mut(id as usize) {
            *place = Some(ty.clone());
        }
        Ok(())
    }

    /// The occurs check: no inference variable is a part of its own type. The variables in the type get at most its depth.
    fn fits_below(&mut self, id: u32, depth: u32, ty: &Ty) -> Result<(), Clash> {
        if self.tired() {
            return Ok(());
        }
        match self.head(ty) {
            Ty::Var(other) if other == id => Err(Clash::Endless),
            Ty::Var(other) => {
                if let Some(known) = self.depths.get_mut(other as usize) {
                    *known = (*known).min(depth);
                }
                Ok(())
            }
            Ty::Fun(a, b) | Ty::Pair(a, b) => {
                self.fits_below(id, depth, &a)?;
                self.fits_below(id, depth, &b)
            }
            Ty::Pull(a) | Ty::Push(_, a) | Ty::Program(_, a) => self.fits_below(id, depth, &a),
            _ => Ok(()),
        }
    }
}
