//! Renaming of names in APL.

use super::{occurrences, program, scope_of, token_at, tokens};
use crate::db::{Db, SourceFile};
use crate::ide::{SourceChange, TextEdit};
use lift_syntax::apl::{AplKind, tokens as lex};
use lift_syntax::{TextRange, TextSize};

/// The name at an offset and its range, or why it cannot be renamed.
pub fn prepare_rename(db: &dyn Db, file: SourceFile, offset: TextSize) -> Result<(TextRange, String), String> {
    let nothing = || "there is no name here".to_owned();
    let (_, tree) = program(db, file).ok_or_else(nothing)?;
    let token = token_at(&tree, offset).filter(|token| token.kind() == AplKind::Name).ok_or_else(nothing)?;
    if occurrences(&tree, offset).is_empty() {
        return Err(format!("`{}` is assigned nowhere", token.text()));
    }
    Ok((token.text_range(), token.text().to_owned()))
}

/// Renames a name and its uses, unless the new name has another meaning in its scope.
pub fn rename(db: &dyn Db, file: SourceFile, offset: TextSize, new: &str) -> Result<SourceChange, String> {
    let (range, _) = prepare_rename(db, file, offset)?;
    if !matches!(lex(new).as_slice(), [(AplKind::Name, _)]) {
        return Err(format!("`{new}` is not a name: a name has letters and digits, and starts with a letter"));
    }
    let Some((_, tree)) = program(db, file) else { return Ok(SourceChange::default()) };
    let scope = token_at(&tree, range.start()).and_then(|token| scope_of(&token));
    let own = scope.unwrap_or_else(|| tree.clone());
    if tokens(&own).any(|token| token.kind() == AplKind::Name && token.text() == new) {
        return Err(format!("`{new}` is another name already where this one is known"));
    }
    let found = occurrences(&tree, offset).into_iter();
    let edits = found.map(|token| TextEdit { range: token.text_range(), new_text: new.to_owned() }).collect();
    Ok(SourceChange { files: vec![(file.path(db).clone(), edits)] })
}
