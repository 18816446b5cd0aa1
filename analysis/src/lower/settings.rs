//! Lowering of `with`: parameters of the generated code for the primitives of an expression.

use super::{Lowerer, closest, range_of};
use crate::diagnostics::{Diagnostic, Edit, Problem, Title};
use crate::hir::*;
use crate::parameters::{Entry, TABLE, TargetName};
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SyntaxKind, SyntaxToken};
use rustc_hash::FxHashSet;

impl Lowerer {
    pub(super) fn with(&mut self, with: &ast::With) -> ExprId {
        let of = self.expr_in(with.expr(), with.syntax());
        let mut seen = FxHashSet::default();
        for setting in with.settings() {
            let id = self.body.settings.push(Setting { of, set: None });
            self.map.settings.push(range_of(setting.syntax()));
            let name = setting.name().and_then(|name| name.token());
            let value = setting.value().and_then(|value| value.token());
            // The parser has reported what is missing.
            let (Some(name), Some(value)) = (name, value) else { continue };
            match set(with, &name, &value) {
                Ok(_) if !seen.insert(name.text().to_owned()) => {
                    let problem = Problem::ParameterTwice { name: name.text().to_owned() };
                    self.report(Diagnostic::new(Node::Setting(id), &problem));
                }
                Ok(set) => self.body.settings[id].set = Some(set),
                Err(refused) => {
                    let (problem, meant) = *refused;
                    let mut diagnostic = Diagnostic::new(Node::Setting(id), &problem);
                    if let Some([name, value]) = meant {
                        let written = format!("({name} {value})");
                        let edits = vec![Edit::Replace(Node::Setting(id), written.clone())];
                        diagnostic = diagnostic.fix(Title::Write(written).certain(edits));
                    }
                    self.report(diagnostic);
                }
            }
        }
        of
    }
}

/// Why a setting is refused, and what is meant instead: a parameter and its value.
type Refused = Box<(Problem, Option<[String; 2]>)>;

fn set(with: &ast::With, name: &SyntaxToken, value: &SyntaxToken) -> Result<Set, Refused> {
    let (name, value) = (name.text(), value.text());
    let wrong = |values: Vec<String>| {
        let nearest = closest(value, values.iter().map(String::as_str)).map(|meant| [name.into(), meant.into()]);
        Box::new((Problem::ParameterValue { name: name.into(), value: value.into(), values }, nearest))
    };
    if name == TargetName::WORD {
        let names = || TargetName::ALL.iter().map(|target| target.as_str().to_owned()).collect();
        let target = TargetName::named(value).ok_or_else(|| wrong(names()))?;
        return match is_of_kernel(with) {
            true => Ok(Set::Target(target)),
            false => Err(Box::new((Problem::TargetOfPart, None))),
        };
    }
    let Some(entry) = Entry::named(name) else {
        let names = TABLE.iter().map(|entry| entry.name).chain([TargetName::WORD]);
        let meant = closest(name, names).map(|meant| [meant.into(), value.into()]);
        return Err(Box::new((Problem::UnknownParameter { name: name.into() }, meant)));
    };
    let number = value.parse::<u32>().ok().filter(|value| entry.allows(*value).is_ok());
    let number = number.ok_or_else(|| {
        let mut refused = wrong(entry.values().iter().map(u32::to_string).collect());
        refused.1 = None;
        refused
    })?;
    Ok(Set::Value(entry.parameter, number))
}

/// Whether the `with` is around all that a kernel computes.
fn is_of_kernel(with: &ast::With) -> bool {
    let passed = [SyntaxKind::WITH, SyntaxKind::LAMBDA];
    let mut around = with.syntax().ancestors().skip(1).skip_while(|node| passed.contains(&node.kind()));
    around.next().is_some_and(|node| node.kind() == SyntaxKind::LIFT)
}
