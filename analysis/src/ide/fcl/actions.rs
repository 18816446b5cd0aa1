//! Code actions in FCL: written signatures.

use super::{name_of, program};
use crate::db::{Db, SourceFile};
use crate::ide::{CodeAction, SourceChange, TextEdit, actions};
use lift_syntax::TextRange;
use lift_syntax::fcl::{FclKind, FclNode};

/// Writes the type of a definition above it.
pub fn code_actions(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<CodeAction> {
    let Some((program, tree)) = program(db, file) else { return Vec::new() };
    if !program.program.errors.iter().all(|error| error.code.is_warning()) {
        return Vec::new();
    }
    let bare = |node: &FclNode| {
        let signature = node.prev_sibling().filter(|before| before.kind() == FclKind::Signature);
        signature.and_then(|before| name_of(&before)).map(|name| name.text().to_owned())
            != name_of(node).map(|name| name.text().to_owned())
    };
    let definitions = tree.children().filter(|node| node.kind() == FclKind::Definition);
    let touched = definitions.filter(|node| node.text_range().intersect(range).is_some() && bare(node));
    let action = |node: FclNode| {
        let name = name_of(&node)?;
        let (_, _, ty) = program.definitions.iter().find(|(at, ..)| *at == name.text_range())?;
        let new_text = format!("sig {} : {ty}\n", name.text());
        let edit = TextEdit { range: TextRange::empty(node.text_range().start()), new_text };
        Some(CodeAction {
            title: format!("Write the signature of `{}`", name.text()),
            kind: actions::kinds::ANNOTATE,
            change: SourceChange { files: vec![(file.path(db).clone(), vec![edit])] },
            preferred: false,
        })
    };
    touched.filter_map(action).collect()
}
