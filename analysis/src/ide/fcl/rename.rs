//! Renaming of names in FCL.

use super::{occurrences, program, token_at};
use crate::db::{Db, SourceFile};
use crate::fcl::{about, translate};
use crate::ide::{SourceChange, TextEdit};
use lift_syntax::fcl::{FclKind, is_keyword, tokens};
use lift_syntax::{TextRange, TextSize};

/// The name at an offset and its range, or why it cannot be renamed.
pub fn prepare_rename(db: &dyn Db, file: SourceFile, offset: TextSize) -> Result<(TextRange, String), String> {
    let nothing = || "there is no name here".to_owned();
    let (program, tree) = program(db, file).ok_or_else(nothing)?;
    let token = token_at(&tree, offset).filter(|token| token.kind() == FclKind::Name).ok_or_else(nothing)?;
    if occurrences(&program, &tree, offset).is_empty() {
        return Err(match about(token.text()) {
            Some(_) => "this name belongs to FCL's library: it cannot be renamed".to_owned(),
            None => nothing(),
        });
    }
    Ok((token.text_range(), token.text().to_owned()))
}

/// Renames a name and its uses, unless some name would then mean another one.
pub fn rename(db: &dyn Db, file: SourceFile, offset: TextSize, new: &str) -> Result<SourceChange, String> {
    let (_, old) = prepare_rename(db, file, offset)?;
    if !matches!(tokens(new).as_slice(), [(FclKind::Name, _)]) {
        return Err(match is_keyword(new) {
            true => format!("`{new}` is a word of the language"),
            false => format!("`{new}` is not a name: a name has letters and digits, and starts with a letter"),
        });
    }
    let Some((program, tree)) = program(db, file) else { return Ok(SourceChange::default()) };
    let mut ranges = occurrences(&program, &tree, offset);
    ranges.sort_by_key(|range| range.start());
    let mut after = file.text(db).to_string();
    for range in ranges.iter().rev() {
        after.replace_range(std::ops::Range::<usize>::from(*range), new);
    }
    // Where a place of the text is after the edits.
    let moved = |at: TextRange| {
        let before = ranges.iter().filter(|range| range.end() <= at.start()).count() as i64;
        let start = i64::from(u32::from(at.start())) + before * (new.len() as i64 - old.len() as i64);
        let len = if ranges.contains(&at) { TextSize::of(new) } else { at.len() };
        TextRange::at(TextSize::new(start.max(0) as u32), len)
    };
    let uses: Vec<_> = program.uses.iter().map(|(used, bound)| (moved(*used), moved(*bound))).collect();
    if translate(&after).uses != uses {
        return Err(format!("`{new}` is another name already where `{old}` is used"));
    }
    let edits = ranges.iter().map(|range| TextEdit { range: *range, new_text: new.to_owned() }).collect();
    Ok(SourceChange { files: vec![(file.path(db).clone(), edits)] })
}
