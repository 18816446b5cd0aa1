//! The formatter of APL.

use crate::db::{Db, SourceFile};
use crate::ide::TextEdit;
use lift_syntax::TextRange;
use lift_syntax::apl::format_edits;

/// The edits that format the white space of a range, or of the whole file.
pub fn format(db: &dyn Db, file: SourceFile, range: Option<TextRange>) -> Vec<TextEdit> {
    let edits = format_edits(file.text(db)).into_iter();
    let touched = edits.filter(|edit| range.is_none_or(|range| range.intersect(edit.range).is_some()));
    touched.map(|edit| TextEdit { range: edit.range, new_text: edit.insert }).collect()
}
