//! Types and levels as a program writes them.

use super::{Checker, Environment};
use crate::fcl::types::{Base, Level, Scheme, Ty};
use lift_syntax::SyntaxErrorCode::FclName;
use lift_syntax::fcl::ast::{LevelKind, LevelRef, Program, SchemeRef, TypeKind, TypeRef};
use std::rc::Rc;

impl Checker<'_> {
    pub(super) fn level(&mut self, level: &LevelRef) -> Level {
        let from = Some(level.range);
        match &level.kind {
            LevelKind::Zero => Level { base: Base::Zero, steps: 0, from },
            LevelKind::Step(inner) => {
                let inner = self.level(inner);
                Level { steps: inner.steps + 1, from, ..inner }
            }
            LevelKind::Name(name) => match self.levels.iter().rev().find(|(known, _)| known == name) {
                Some((_, known)) => Level { from, ..known.clone() },
                None => {
                    let message =
                        format!("the level `{name}` is not known: `thread`, `block`, `grid`, or one in `<…>`");
                    self.error(FclName, level.range, message, None);
                    Level::any()
                }
            },
        }
    }

    fn ty(&mut self, ty: &TypeRef, names: &[(Rc<str>, Ty)]) -> Ty {
        match &ty.kind {
            TypeKind::Name(name) => match &**name {
                "int" => Ty::Int,
                "double" => Ty::Double,
                "bool" => Ty::Bool,
                "string" => Ty::String,
                "unit" => Ty::Unit,
                _ => {
                    self.error(FclName, ty.range, format!("there is no type `{name}`"), None);
                    Ty::Any
                }
            },
            TypeKind::Variable(name) => match names.iter().find(|(known, _)| known == name) {
                Some((_, known)) => known.clone(),
                None => {
                    let message = format!("`{name}` is not known: `forall {name}. …` makes it one");
                    self.error(FclName, ty.range, message, None);
                    Ty::Any
                }
            },
            TypeKind::Arrow(a, b) => Ty::fun(self.ty(a, names), self.ty(b, names)),
            TypeKind::Pair(a, b) => Ty::Pair(Rc::new(self.ty(a, names)), Rc::new(self.ty(b, names))),
            TypeKind::Pull(a) => Ty::Pull(Rc::new(self.ty(a, names))),
            TypeKind::Push(level, a) => Ty::Push(self.level(level), Rc::new(self.ty(a, names))),
            TypeKind::Program(level, a) => Ty::program(self.level(level), self.ty(a, names)),
            TypeKind::Missing => Ty::Any,
        }
    }

    /// A signature, with its type and level variables by id.
    pub(super) fn scheme(&mut self, scheme: &SchemeRef, levels: Vec<(u32, Rc<str>)>) -> Scheme {
        let mut names = Vec::new();
        let mut types = Vec::new();
        for name in &scheme.types {
            let id = self.unknowns.number();
            types.push(id);
            names.push((name.text.clone(), Ty::Rigid(id, name.text.clone())));
        }
        let outer = self.levels.len();
        for (name, (id, _)) in scheme.levels.iter().zip(&levels) {
            let base = Base::Name(*id, name.text.clone());
            self.levels.push((name.text.clone(), Level { base, steps: 0, from: None }));
        }
        let ty = self.ty(&scheme.ty, &names);
        self.levels.truncate(outer);
        Scheme { levels, types, ty }
    }

    /// A declaration of the library.
    fn declared(&mut self, scheme: &SchemeRef) -> Scheme {
        let levels = scheme.levels.iter().map(|name| (self.unknowns.number(), name.text.clone())).collect();
        self.scheme(scheme, levels)
    }
}

/// The types that signatures without definitions declare: those of the library.
pub fn declarations(program: &Program) -> Environment {
    let before = Environment::default();
    let mut checker = Checker::new(&before);
    let declared = program.strays.iter();
    declared.map(|stray| (stray.name.text.clone(), checker.declared(&stray.scheme))).collect()
}
