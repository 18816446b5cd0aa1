//! Completion of names and glyphs in APL.

use super::{binds, program, scope_of, tokens, translation, type_of};
use crate::db::{Db, SourceFile};
use crate::ide::completion::{CompletionItem, CompletionKind, Completions, Snippet};
use lift_syntax::apl::glyphs::{Glyph, GlyphKind, PREFIX, characters, glyph_of};
use lift_syntax::apl::{AplKind, AplNode};
use lift_syntax::{TextRange, TextSize};

/// The names assigned around an offset, each once.
fn in_sight(tree: &AplNode, offset: TextSize) -> Vec<(String, TextRange)> {
    let Some(first) = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased() else {
        return Vec::new();
    };
    let scopes = first.parent_ancestors().filter(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File));
    let mut found: Vec<(String, TextRange)> = Vec::new();
    for scope in scopes {
        for token in tokens(&scope).filter(|token| binds(token) && token.text_range().end() < offset) {
            if scope_of(&token).as_ref() == Some(&scope) && !found.iter().any(|(name, _)| name == token.text()) {
                found.push((token.text().to_owned(), token.text_range()));
            }
        }
    }
    found
}

/// The names in sight, and the characters whose name or whose key after the prefix key is typed.
pub fn completions(db: &dyn Db, file: SourceFile, offset: TextSize) -> Completions {
    let (Some((_, tree)), Some(program)) = (program(db, file), translation(db, file)) else {
        return Completions::default();
    };
    let left = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased();
    if left.as_ref().is_some_and(|token| {
        matches!(token.kind(), AplKind::Comment | AplKind::String | AplKind::BadString)
            && (token.text_range().end() > offset || token.kind() != AplKind::String)
    }) {
        return Completions::default();
    }
    let text = file.text(db);
    let before = &text[..usize::from(offset).min(text.len())];
    let start = before.rfind(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '∆' | '⍙'));
    let start = start.map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let typed = |from: usize| TextRange::new(TextSize::new(from as u32), offset);
    let item =
        |label: String, kind, detail: String, insert: String, filter: Option<String>, documented: Option<String>| {
            CompletionItem {
                label,
                kind,
                detail,
                source: None,
                insert: Snippet::call(&insert, &[], false),
                additional: Vec::new(),
                filter,
                documented: documented.map(|name| name.as_str().into()),
            }
        };
    // The prefix key, perhaps with the key of a character after it.
    let key = before.chars().next_back().filter(|c| *c != PREFIX);
    let prefixed = match key {
        None => before.strip_suffix(PREFIX),
        Some(key) => before[..before.len() - key.len_utf8()].strip_suffix(PREFIX),
    };
    if let Some(rest) = prefixed {
        let found = characters().filter(|(symbol, key, _)| symbol != key);
        let items = found.map(|(symbol, key, names)| {
            let label = format!("{symbol} {PREFIX}{key}");
            let filter = Some(format!("{PREFIX}{key}"));
            item(label, CompletionKind::Word, names.join(", "), symbol.to_string(), filter, Some(symbol.to_string()))
        });
        return Completions { replace: typed(rest.len()), items: items.collect(), complete: true };
    }
    let own = in_sight(&tree, TextSize::new(start as u32)).into_iter().map(|(name, at)| {
        let ty = type_of(&program, at).unwrap_or_default().to_owned();
        item(name.clone(), CompletionKind::Local, ty, name, None, None)
    });
    let mut items: Vec<CompletionItem> = own.collect();
    for (symbol, _, names) in characters().filter(|(symbol, ..)| !symbol.is_ascii()) {
        for name in names {
            let (label, filter) = (format!("{name} {symbol}"), Some(name.to_owned()));
            let kind = CompletionKind::Primitive;
            items.push(item(label, kind, symbol.to_string(), symbol.to_string(), filter, Some(symbol.to_string())));
        }
    }
    Completions { replace: typed(start), items, complete: true }
}

/// The documentation of a glyph.
pub fn documentation(name: &str) -> Option<String> {
    let glyph = name.chars().next().and_then(glyph_of)?;
    Some(page(glyph))
}

/// The meanings of a glyph with one and with two arguments, and an example.
fn page(glyph: &Glyph) -> String {
    let mut text = format!("`{}` {}\n", glyph.glyph, glyph.names.join(", "));
    let function = matches!(glyph.kind, GlyphKind::Function | GlyphKind::Both);
    for (effect, shape) in [(glyph.one, format!("{}⍵", glyph.glyph)), (glyph.two, format!("⍺{}⍵", glyph.glyph))] {
        if !effect.is_empty() {
            let shape = if function { format!("`{shape}`: ") } else { String::new() };
            text += &format!("\n{shape}{effect}\n");
        }
    }
    if glyph.example.is_empty() {
        text + "\nNot supported yet.\n"
    } else {
        text + &format!("\n```apl\n{}\n```\n", glyph.example)
    }
}
