//! Renames all uses of a name, unless that would change the meaning of the program.

use super::locate::{View, form_at};
use super::navigation::{Symbol, references, symbol_at};
use super::{FileRange, SourceChange, TextEdit};
use crate::db::{Db, Form, SourceFile, Sym, is_builtin};
use crate::hir::*;
use crate::lower::lower;
use crate::names::{Resolution, forms_with_words, mentions, resolve};
use lift_syntax::{SyntaxKind, TextRange, TextSize, lex};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The range and text of the name at an offset, or why it cannot be renamed.
pub(super) fn prepare(db: &dyn Db, file: SourceFile, offset: TextSize) -> Result<(TextRange, String), String> {
    let nothing = || "there is no name here".to_owned();
    let view = form_at(db, file, offset).ok_or_else(nothing)?;
    let node = view.node_at(TextRange::empty(offset)).ok_or_else(nothing)?;
    let symbol = symbol_at(&view, node).ok_or_else(nothing)?;
    if let Symbol::Global(resolution) = symbol {
        let builtin = match resolution {
            Resolution::Primitive(_) => true,
            Resolution::Form(form) => is_builtin(db, form.file(db)),
        };
        if builtin {
            return Err("this name is built in: it cannot be renamed".into());
        }
    } else if is_builtin(db, file) {
        return Err("this file ships with the program: it cannot be changed".into());
    }
    // Of all uses, take the one at the cursor: a node may be larger than the name in it.
    let places = references(db, file, offset);
    let path = file.path(db);
    let own = places.iter().find(|place| place.path == *path && place.range.contains_inclusive(offset));
    let range = own.ok_or_else(nothing)?.range;
    // A pattern as a whole has no name.
    if file.text(db)[range].starts_with(['(', '[']) {
        return Err(nothing());
    }
    Ok((range, file.text(db)[range].to_owned()))
}

pub(super) fn rename(db: &dyn Db, file: SourceFile, offset: TextSize, new: &str) -> Result<SourceChange, String> {
    let (_, old) = prepare(db, file, offset)?;
    check_name(new)?;
    if new == old {
        return Ok(SourceChange::default());
    }
    let view = form_at(db, file, offset).ok_or("there is no name here")?;
    let node = view.node_at(TextRange::empty(offset)).ok_or("there is no name here")?;
    let symbol = symbol_at(&view, node).ok_or("there is no name here")?;
    if let Symbol::Global(resolution @ Resolution::Form(form)) = symbol {
        check_free(db, form, resolution, &old, new)?;
    }
    let mut by_file: BTreeMap<Arc<str>, Vec<TextRange>> = BTreeMap::new();
    for FileRange { path, range } in references(db, file, offset) {
        by_file.entry(path).or_default().push(range);
    }
    let mut change = SourceChange::default();
    for (path, mut ranges) in by_file {
        ranges.sort_by_key(|range| range.start());
        ranges.dedup();
        let Some(file) = crate::db::file_by_path(db, Sym::new(db, path.clone())) else { continue };
        check_meaning(db, file, &ranges, &old, new, matches!(symbol, Symbol::Global(_)))?;
        let edits = ranges.into_iter().map(|range| TextEdit { range, new_text: new.to_owned() }).collect();
        change.files.push((path, edits));
    }
    Ok(change)
}

fn check_name(new: &str) -> Result<(), String> {
    let tokens = lex(new);
    if tokens.len() != 1 || tokens.kind(0) != SyntaxKind::IDENT {
        return Err(format!(
            "`{new}` is not a name: a name has no spaces, brackets, quotes or `;` and starts with no digit or `#`"
        ));
    }
    if lift_syntax::EXPRESSION_WORDS.contains(&new) {
        return Err(format!("`{new}` is a word of the language"));
    }
    Ok(())
}

/// Checks that a definition can have the new name wherever it is visible.
fn check_free(db: &dyn Db, form: Form, resolution: Resolution, old: &str, new: &str) -> Result<(), String> {
    let name = |text: &str| Sym::new(db, Name::from(text));
    let defined = |file: SourceFile| match resolve(db, file, name(new)) {
        Some(Resolution::Form(other)) if !is_builtin(db, other.file(db)) => {
            Err(format!("`{new}` is defined already, in {}", other.file(db).path(db)))
        }
        _ => Ok(()),
    };
    defined(form.file(db))?;
    for &file in crate::db::Files::get(db).by_path(db).values() {
        // Skip files in which the old name means something else.
        if resolve(db, file, name(old)) != Some(resolution) {
            continue;
        }
        defined(file)?;
        for user in forms_with_words(db, file, &[Name::from(new)]) {
            if mentions(db, user).iter().any(|mentioned| **mentioned == *new) {
                let by = user.name(db).as_ref().map_or("a form".to_owned(), |name| format!("`{name}`"));
                return Err(format!(
                    "{by} in {} uses another `{new}` already, which would become this one",
                    file.path(db)
                ));
            }
        }
    }
    Ok(())
}

/// Checks that every changed form keeps its meaning: the same binders at the same nodes.
fn check_meaning(
    db: &dyn Db,
    file: SourceFile,
    ranges: &[TextRange],
    old: &str,
    new: &str,
    global: bool,
) -> Result<(), String> {
    let mut rest = ranges;
    while let Some(first) = rest.first() {
        let Some(view) = form_at(db, file, first.start()) else { return Ok(()) };
        let count = rest.iter().take_while(|range| view.whole().contains_range(**range)).count();
        let (own, others) = rest.split_at(count.max(1));
        rest = others;
        let mut text = view.text().to_owned();
        for range in own.iter().rev() {
            let range = *range - view.start;
            text.replace_range(std::ops::Range::<usize>::from(range), new);
        }
        let after = lower(&text, is_builtin(db, file));
        if !same_meaning(&view, &after.body, old, new, global) {
            return Err(format!("`{new}` is another name already where `{old}` is used"));
        }
    }
    Ok(())
}

fn same_meaning(view: &View<'_>, after: &Body, old: &str, new: &str, global: bool) -> bool {
    let renamed = |name: &Name| if global && **name == *old { Name::from(new) } else { name.clone() };
    let exprs = view.body.exprs.iter().map(|expr| match expr {
        Expr::Global(name) => Expr::Global(renamed(name)),
        other => other.clone(),
    });
    exprs.eq(after.exprs.iter().cloned())
        && view.body.sizes == after.sizes
        && view.body.types == after.types
        && view.body.size_params == after.size_params
}
