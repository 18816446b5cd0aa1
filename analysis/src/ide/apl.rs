//! Editor features for APL files: ranges, names and glyphs come from the tree, types from the translation.

pub mod editing;

use super::structure::Fold;
use super::{FileRange, FormType, Highlight, Hover, NavTarget, Symbol, SymbolKind};
use crate::apl::Translated;
use crate::bodies::apl_program;
use crate::db::{Db, Form, SourceFile, forms};
use lift_syntax::apl::glyphs::{GlyphKind, glyph_of};
use lift_syntax::apl::{AplKind, AplNode, AplToken, parse};
use lift_syntax::{TextRange, TextSize};
use std::fmt::Write;

/// The program and its tree. The whole text of a file is one form.
fn program(db: &dyn Db, file: SourceFile) -> Option<(Form, AplNode)> {
    let form = *forms(db, file).first()?;
    Some((form, parse(form.text(db)).syntax()))
}

pub(super) fn tokens(tree: &AplNode) -> impl Iterator<Item = AplToken> {
    tree.descendants_with_tokens().filter_map(|part| part.into_token())
}

/// The token at an offset; between two tokens, a name or glyph rather than a bracket or white space.
fn token_at(tree: &AplNode, offset: TextSize) -> Option<AplToken> {
    let offset = offset.min(tree.text_range().end());
    let weight = |token: &AplToken| match token.kind() {
        kind if kind.is_trivia() => 0,
        AplKind::ParenOpen | AplKind::ParenClose | AplKind::BraceOpen | AplKind::BraceClose => 1,
        _ => 2,
    };
    tree.token_at_offset(offset).max_by_key(weight).filter(|token| weight(token) > 0)
}

/// The last type recorded for a range: that of the last call.
fn type_of(program: &Translated, range: TextRange) -> Option<&str> {
    let noted = program.program.types.iter().rev().find(|(at, _)| *at == range);
    noted.map(|(_, text)| text.as_str())
}

/// The hover of a token: its type, the meaning of its glyph there, and the origins of its lengths.
pub(super) fn hover(db: &dyn Db, file: SourceFile, range: TextRange) -> Option<Hover> {
    let (form, tree) = program(db, file)?;
    let program = apl_program(db, form);
    let token =
        if range.is_empty() { token_at(&tree, range.start())? } else { tree.covering_element(range).into_token()? };
    let at = token.text_range();
    let ty = type_of(&program, if range.is_empty() { at } else { range }).or_else(|| type_of(&program, at));
    let glyph = (token.kind() == AplKind::Glyph).then(|| token.text().chars().next()).flatten();
    let about = glyph.and_then(|glyph| about(&program, at, glyph));
    let quad = (token.text() == "⎕IO").then(|| "The number of the first element: 1, or 0 after `⎕IO←0`.".to_owned());
    let text = about.or(quad);
    if ty.is_none() && text.is_none() {
        return None;
    }
    let mut markdown = ty.map_or(String::new(), |ty| format!("```lift\n{ty}\n```\n"));
    let mut plain = ty.map_or(String::new(), |ty| format!("{ty}\n"));
    if let Some(text) = &text {
        let _ = write!(markdown, "\n{text}\n");
        let _ = writeln!(plain, "{text}");
    }
    for (name, from, what) in &program.program.hidden {
        if ty.is_some_and(|ty| mentions(ty, name)) {
            let source = form.text(db).get(std::ops::Range::<usize>::from(*from)).unwrap_or_default();
            let source = source.lines().next().unwrap_or_default();
            let _ = write!(markdown, "\n`{name}` is {what}, known only at run time: `{source}`.\n");
            let _ = writeln!(plain, "{name} is {what}, known only at run time: {source}");
        }
    }
    Some(Hover { range: at, markdown, plain })
}

/// Whether a type mentions a length.
fn mentions(ty: &str, name: &str) -> bool {
    ty.split(|c: char| !c.is_alphanumeric()).any(|word| word == name)
}

/// The names and the meaning of a glyph at a range.
fn about(program: &Translated, at: TextRange, glyph: char) -> Option<String> {
    let known = glyph_of(glyph)?;
    let applied = program.valences.iter().rev().find(|(range, of, _)| *range == at && *of == glyph);
    let names = known.names.join(", ");
    let mut text = format!("`{glyph}` {names}: ");
    match (applied, known.kind) {
        (Some((_, _, true)), _) => text += known.two,
        (Some((_, _, false)), _) => text += known.one,
        (None, GlyphKind::Function) => {
            let parts: Vec<&str> = [known.one, known.two].into_iter().filter(|part| !part.is_empty()).collect();
            text += &parts.join(" With two arguments: ");
        }
        (None, _) => text += known.one,
    }
    if known.one.is_empty() && known.two.is_empty() {
        text += "not supported yet.";
    } else {
        let _ = write!(text, " `{}`", known.example);
    }
    Some(text)
}

/// Whether the token is a name to which a value is assigned.
pub(super) fn binds(token: &AplToken) -> bool {
    let mut next = token.next_token();
    while let Some(after) = &next
        && after.kind().is_trivia()
    {
        next = after.next_token();
    }
    token.kind() == AplKind::Name && next.is_some_and(|next| next.kind() == AplKind::Arrow)
}

/// The innermost dfn around a token, or the file.
fn around(token: &AplToken) -> Option<AplNode> {
    token.parent_ancestors().find(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File))
}

/// The scope of a name: the innermost dfn, or the file, that assigns to it.
fn scope_of(token: &AplToken) -> Option<AplNode> {
    let same = |other: &AplToken| other.text() == token.text() && binds(other);
    let scopes = token.parent_ancestors().filter(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File));
    let mut scopes = scopes;
    scopes.find(|scope| tokens(scope).any(|other| same(&other) && around(&other).as_ref() == Some(scope)))
}

/// All tokens of the name at an offset.
fn occurrences(tree: &AplNode, offset: TextSize) -> Vec<AplToken> {
    let Some(token) = token_at(tree, offset).filter(|token| token.kind() == AplKind::Name) else { return Vec::new() };
    let Some(scope) = scope_of(&token) else { return Vec::new() };
    let same = |other: &AplToken| {
        other.kind() == AplKind::Name && other.text() == token.text() && scope_of(other).as_ref() == Some(&scope)
    };
    tokens(&scope).filter(same).collect()
}

/// The assignment to the name at an offset.
pub(super) fn definition(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<NavTarget> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let first = occurrences(&tree, offset).into_iter().find(binds);
    let target = first.map(|token| {
        let statement = token.parent().map_or(token.text_range(), |node| node.text_range());
        let file = FileRange { path: file.path(db).clone(), range: statement };
        NavTarget { file, focus: token.text_range() }
    });
    target.into_iter().collect()
}

pub(super) fn references(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<FileRange> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let mut found = occurrences(&tree, offset);
    // The definition first.
    found.sort_by_key(|token| (!binds(token), token.text_range().start()));
    let path = |token: AplToken| FileRange { path: file.path(db).clone(), range: token.text_range() };
    found.into_iter().map(path).collect()
}

pub(super) fn highlights(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<Highlight> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let highlight = |token: AplToken| Highlight { range: token.text_range(), binds: binds(&token) };
    occurrences(&tree, offset).into_iter().map(highlight).collect()
}

/// The names assigned at top level: token, whether it is a function, type (empty if unknown), and statement.
fn names(db: &dyn Db, file: SourceFile) -> Vec<(AplToken, bool, String, TextRange)> {
    let Some((form, tree)) = program(db, file) else { return Vec::new() };
    let program = apl_program(db, form);
    let mut found: Vec<(AplToken, bool, String, TextRange)> = Vec::new();
    for statement in tree.children().filter(|node| node.kind() == AplKind::Statement) {
        for token in statement.children_with_tokens().filter_map(|part| part.into_token()).filter(binds) {
            let dfn = statement.children().any(|node| node.kind() == AplKind::Dfn);
            let ty = type_of(&program, token.text_range());
            let function = dfn && ty.is_none();
            found.push((token, function, ty.unwrap_or_default().to_owned(), statement.text_range()));
        }
    }
    found
}

pub(super) fn symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let symbol = |(token, function, detail, range): (AplToken, bool, String, TextRange)| Symbol {
        name: token.text().to_owned(),
        detail,
        kind: if function { SymbolKind::Function } else { SymbolKind::Constant },
        range,
        focus: token.text_range(),
    };
    names(db, file).into_iter().map(symbol).collect()
}

/// The types of named arrays.
pub(super) fn types(db: &dyn Db, file: SourceFile) -> Vec<FormType> {
    let typed = names(db, file).into_iter().filter(|(_, _, ty, _)| !ty.is_empty());
    typed.map(|(token, _, ty, range)| FormType { name: token.text().to_owned(), ty, range }).collect()
}

/// The dfns that span several lines.
pub(super) fn folds(db: &dyn Db, file: SourceFile) -> Vec<Fold> {
    let Some((_, tree)) = program(db, file) else { return Vec::new() };
    let dfns = tree.descendants().filter(|node| node.kind() == AplKind::Dfn && node.text().contains_char('\n'));
    dfns.map(|node| Fold { range: node.text_range(), kind: super::structure::FoldKind::Form }).collect()
}
