//! Help with the arguments of a function in FCL.

use super::{binding, name_of, noted, program};
use crate::db::{Db, SourceFile};
use crate::fcl::{Translated, about};
use crate::ide::signature_help::SignatureHelp;
use lift_syntax::TextSize;
use lift_syntax::fcl::{FclKind, FclNode, FclToken};

/// The type of the function around an offset, and which of its arguments is written there.
pub fn signature_help(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<SignatureHelp> {
    let (program, tree) = program(db, file)?;
    let mut token = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased()?;
    while token.kind().is_trivia() {
        token = token.prev_token()?;
    }
    let mut function = token.parent()?;
    // The whole application, and how many of its arguments end before the offset.
    let mut given = 0;
    while let Some(parent) = function.parent().filter(|node| node.kind() == FclKind::Apply) {
        let is_function = parent.first_child().as_ref() == Some(&function);
        function = if is_function { parent } else { parent.first_child()? };
        if is_function {
            break;
        }
    }
    while function.kind() == FclKind::Apply {
        let last = function.last_child()?;
        given += usize::from(last.text_range().end() < offset);
        function = function.first_child()?;
    }
    let name = name_of(&function).filter(|_| function.kind() == FclKind::NameUse)?;
    let (ty, text) = signature_of(&program, &tree, &name)?;
    let mut label = format!("{} : ", name.text());
    let mut parameters = Vec::new();
    let body = match ty.strip_prefix("forall ").and_then(|rest| rest.split_once(". ")) {
        Some((quantified, body)) => {
            label += &format!("forall {quantified}. ");
            body
        }
        None => &ty,
    };
    for (place, part) in arrows(body).into_iter().enumerate() {
        if place > 0 {
            label += " -> ";
        }
        parameters.push(label.len()..label.len() + part.len());
        label += part;
    }
    parameters.pop();
    (!parameters.is_empty()).then(|| SignatureHelp {
        label,
        active: given.min(parameters.len()),
        parameters,
        documentation: text,
    })
}

/// The type of a name where it is used, and its documentation.
fn signature_of(program: &Translated, tree: &FclNode, name: &FclToken) -> Option<(String, Option<String>)> {
    let Some(bound) = binding(program, tree, name.text_range().start()) else { return about(name.text()) };
    let defined = program.definitions.iter().find(|(at, ..)| *at == bound).map(|(_, _, ty)| ty.clone());
    let ty = defined.or_else(|| noted(&program.program.types, bound).map(str::to_owned))?;
    Some((ty, None))
}

/// The parts of a type between its outer arrows.
pub(super) fn arrows(ty: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in ty.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '-' if depth == 0 && ty[at..].starts_with("->") => {
                parts.push(ty[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(ty[start..].trim());
    parts
}
