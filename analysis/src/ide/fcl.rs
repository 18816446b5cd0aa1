//! Editor features for FCL files: ranges come from the tree, types and uses of names from the translation.
//!
//! | module | job |
//! |---|---|
//! | [`signature_help`] | help with the arguments of a function in FCL |
//! | [`actions`] | code actions in FCL |
//! | [`completion`] | completion of names, levels and types in FCL |
//! | [`format`] | the formatter of FCL |
//! | `levels` | levels for people |
//! | [`rename`] | renaming of names in FCL |

pub mod actions;
pub mod completion;
pub mod format;
mod levels;
pub mod rename;
pub mod signature_help;

pub use levels::hints;

use super::structure::{Fold, FoldKind};
use super::{FileRange, FormType, Highlight, Hover, NavTarget, Symbol, SymbolKind};
use crate::bodies::fcl_program;
use crate::db::{Db, SourceFile, forms};
use crate::fcl::{Translated, about};
use lift_syntax::fcl::{FclKind, FclNode, FclToken, parse};
use lift_syntax::{TextRange, TextSize};
use std::fmt::Write;
use std::sync::Arc;

/// The program and its tree. The one form of the file is its whole text.
fn program(db: &dyn Db, file: SourceFile) -> Option<(Arc<Translated>, FclNode)> {
    let form = *forms(db, file).first()?;
    Some((fcl_program(db, form), parse(form.text(db)).syntax()))
}

/// The token at an offset; between two tokens, a name rather than a bracket or white space.
fn token_at(tree: &FclNode, offset: TextSize) -> Option<FclToken> {
    let offset = offset.min(tree.text_range().end());
    let weight = |token: &FclToken| match token.kind() {
        kind if kind.is_trivia() => 0,
        FclKind::Name | FclKind::TypeName => 3,
        FclKind::Int | FclKind::Double | FclKind::Operator | FclKind::Keyword => 2,
        _ => 1,
    };
    tree.token_at_offset(offset).max_by_key(weight).filter(|token| weight(token) > 0)
}

fn noted(notes: &[(TextRange, String)], range: TextRange) -> Option<&str> {
    notes.iter().rev().find(|(at, _)| *at == range).map(|(_, text)| text.as_str())
}

/// The hover at a range: type, meaning, and translation.
pub(super) fn hover(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Hover> {
    let (program, tree) = program(db, file)?;
    let types = &program.program.types;
    if !range.is_empty() {
        let mut around = tree.covering_element(range).ancestors();
        let at = around.find_map(|node| noted(types, node.text_range()).map(|_| node.text_range()))?;
        return told(&program, at, noted(types, at), None);
    }
    let token = token_at(&tree, range.start())?;
    let at = token.text_range();
    let parent = token.parent()?;
    let mut whole = at;
    let mut ty = noted(types, at);
    if ty.is_none() && matches!(parent.kind(), FclKind::NameUse | FclKind::Literal | FclKind::Do | FclKind::Binary) {
        // The type of a name with levels is recorded at its node.
        whole = parent.text_range();
        ty = noted(types, whole);
    }
    let builtin = token.kind() == FclKind::Name
        && parent.kind() == FclKind::NameUse
        && !program.uses.iter().any(|(used, _)| *used == at);
    let known = if builtin { about(token.text()) } else { None };
    let ty = ty.map(str::to_owned).or_else(|| known.as_ref().map(|(ty, _)| ty.clone()));
    // The translation of a function is recorded at its application.
    let applied = token.parent_ancestors().take_while(|node| node.text_range().start() == whole.start());
    let applied = applied.filter(|node| matches!(node.kind(), FclKind::Apply | FclKind::Binary));
    let mut places = std::iter::once(whole).chain(applied.map(|node| node.text_range()));
    let place = places.find(|at| noted(&program.becomes, *at).is_some()).unwrap_or(whole);
    let hover = told(&program, place, ty.as_deref(), known.and_then(|(_, text)| text))?;
    Some(Hover { range: at, ..hover })
}

fn told(program: &Translated, at: TextRange, ty: Option<&str>, about: Option<String>) -> Option<Hover> {
    let ty = ty?;
    let mut markdown = format!("```fcl\n{ty}\n```\n");
    let mut plain = format!("{ty}\n");
    let level = levels::level(ty).map(levels::told);
    for text in about.into_iter().chain(level).chain(levels::becomes(program, at)) {
        let _ = write!(markdown, "\n{text}\n");
        let _ = writeln!(plain, "{text}");
    }
    Some(Hover { range: at, markdown, plain })
}

/// The binder of the name at an offset.
fn binding(program: &Translated, tree: &FclNode, offset: TextSize) -> Option<TextRange> {
    let token = token_at(tree, offset).filter(|token| token.kind() == FclKind::Name)?;
    let at = token.text_range();
    if let Some((_, bound)) = program.uses.iter().find(|(used, _)| *used == at) {
        return Some(*bound);
    }
    let signature = token.parent().filter(|node| node.kind() == FclKind::Signature);
    if let Some(signature) = signature {
        let next = signature.next_sibling().filter(|node| node.kind() == FclKind::Definition)?;
        return name_of(&next).filter(|name| name.text() == token.text()).map(|name| name.text_range());
    }
    // A use that is bound nowhere in the program is of the library.
    let used = token.parent().is_some_and(|node| node.kind() == FclKind::NameUse);
    noted(&program.program.types, at).filter(|_| !used).map(|_| at)
}

/// The name of a definition or signature.
fn name_of(node: &FclNode) -> Option<FclToken> {
    node.children_with_tokens().filter_map(|part| part.into_token()).find(|token| token.kind() == FclKind::Name)
}

/// All ranges of the name at an offset, its binder first.
fn occurrences(program: &Translated, tree: &FclNode, offset: TextSize) -> Vec<TextRange> {
    let Some(bound) = binding(program, tree, offset) else { return Vec::new() };
    let mut found = vec![bound];
    let definition = token_at(tree, bound.start()).and_then(|token| token.parent());
    let signature = definition.and_then(|node| node.prev_sibling()).filter(|node| node.kind() == FclKind::Signature);
    let text = tree.text().slice(bound).to_string();
    let promised = signature.and_then(|node| name_of(&node)).filter(|name| name.text() == text);
    found.extend(promised.map(|name| name.text_range()));
    found.extend(program.uses.iter().filter(|(_, of)| *of == bound).map(|(used, _)| *used));
    found.sort_by_key(|range| (*range != bound, range.start()));
    found.dedup();
    found
}

pub(super) fn definition(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NavTarget> {
    let Some((program, tree)) = program(db, file) else { return Vec::new() };
    let target = binding(&program, &tree, offset).map(|focus| {
        let node = token_at(&tree, focus.start()).and_then(|token| token.parent());
        let range = node.map_or(focus, |node| node.text_range());
        NavTarget { file: FileRange { path: file.path(db).clone(), range }, focus }
    });
    target.into_iter().collect()
}

pub(super) fn references(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<FileRange> {
    let Some((program, tree)) = program(db, file) else { return Vec::new() };
    let place = |range| FileRange { path: file.path(db).clone(), range };
    occurrences(&program, &tree, offset).into_iter().map(place).collect()
}

pub(super) fn highlights(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let Some((program, tree)) = program(db, file) else { return Vec::new() };
    let bound = binding(&program, &tree, offset);
    let highlight = |range| Highlight { range, binds: Some(range) == bound };
    occurrences(&program, &tree, offset).into_iter().map(highlight).collect()
}

pub(super) fn symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let Some((program, tree)) = program(db, file) else { return Vec::new() };
    let symbol = |(focus, name, ty): &(TextRange, String, String)| {
        let node = token_at(&tree, focus.start()).and_then(|token| token.parent());
        let kind = match (&**name, ty.contains("->")) {
            ("main", _) => SymbolKind::Kernel,
            (_, true) => SymbolKind::Function,
            (_, false) => SymbolKind::Constant,
        };
        let range = node.map_or(*focus, |node| node.text_range());
        Symbol { name: name.clone(), detail: ty.clone(), kind, range, focus: *focus }
    };
    program.definitions.iter().map(symbol).collect()
}

/// The types of the program's names.
pub(super) fn types(db: &dyn Db, file: SourceFile) -> Vec<FormType> {
    let typed = symbols(db, file).into_iter();
    typed.map(|symbol| FormType { name: symbol.name, ty: symbol.detail, range: symbol.range }).collect()
}

/// Declarations and blocks that span several lines.
pub(super) fn folds(db: &dyn Db, file: SourceFile) -> Vec<Fold> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let long = tree
        .descendants()
        .filter(|node| matches!(node.kind(), FclKind::Definition | FclKind::Do) && node.text().contains_char('\n'));
    long.map(|node| Fold { range: node.text_range(), kind: FoldKind::Form }).collect()
}
