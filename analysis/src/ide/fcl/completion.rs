//! Completion of names, levels and types in FCL.

use super::{name_of, noted, program};
use crate::db::{Db, SourceFile};
use crate::fcl::{about, library_names};
use crate::ide::completion::{CompletionItem, CompletionKind, Completions, Snippet};
use lift_syntax::fcl::{FclKind, FclNode, FclToken, KEYWORDS};
use lift_syntax::{TextRange, TextSize};

/// The names bound around an offset, the nearest first, each with its kind and range.
fn in_sight(tree: &FclNode, offset: TextSize) -> Vec<(FclToken, CompletionKind)> {
    let mut found = Vec::new();
    let names = |node: &FclNode| -> Vec<FclToken> {
        let parts = node.children_with_tokens().filter_map(|part| part.into_token());
        parts.filter(|token| token.kind() == FclKind::Name).collect()
    };
    let levels = |node: &FclNode| -> Vec<FclToken> {
        node.children().filter(|child| child.kind() == FclKind::LevelNames).flat_map(|child| names(&child)).collect()
    };
    let Some(first) = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased() else { return found };
    for node in first.parent_ancestors() {
        match node.kind() {
            FclKind::Function => found.extend(names(&node).into_iter().map(|name| (name, CompletionKind::Local))),
            FclKind::Let => {
                // The name is in scope after `in`.
                let parts = node.children_with_tokens().filter_map(|part| part.into_token());
                let bound = parts.filter(|token| token.text() == "in").any(|word| word.text_range().end() <= offset);
                let own = names(&node).into_iter().filter(|_| bound);
                found.extend(own.map(|name| (name, CompletionKind::Local)));
                let sizes = levels(&node).into_iter().filter(|_| !bound);
                found.extend(sizes.map(|name| (name, CompletionKind::Size)));
            }
            FclKind::Do => {
                let binds = node.children().filter(|child| child.kind() == FclKind::Bind);
                let above = binds.filter(|bind| bind.text_range().end() < offset);
                found.extend(above.filter_map(|bind| Some((name_of(&bind)?, CompletionKind::Local))));
            }
            FclKind::Definition => {
                found.extend(names(&node).into_iter().skip(1).map(|name| (name, CompletionKind::Local)));
                found.extend(levels(&node).into_iter().map(|name| (name, CompletionKind::Size)));
            }
            FclKind::File => {
                let all = node.children().filter(|child| child.kind() == FclKind::Definition);
                let above: Vec<_> = all.filter(|child| child.text_range().end() < offset).collect();
                let above = above.iter().rev().filter_map(name_of);
                found.extend(above.map(|name| (name, CompletionKind::Definition)));
            }
            _ => {}
        }
    }
    found
}

/// The syntactic category at a position.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Expression,
    Type,
    Level,
    /// A name that is new.
    Binder,
}

fn place(tree: &FclNode, offset: TextSize) -> Place {
    let before = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased();
    let mut token = before.filter(|token| token.kind() != FclKind::Name || token.text_range().end() < offset);
    if token.is_none() {
        // The word that is typed does not count.
        let typed = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased();
        token = typed.and_then(|typed| typed.prev_token());
    }
    while let Some(trivia) = token.clone().filter(|token| token.kind().is_trivia()) {
        token = trivia.prev_token();
    }
    let Some(token) = token else { return Place::Expression };
    let around = token.parent_ancestors().map(|node| node.kind());
    match token.text() {
        "<" => Place::Level,
        "sig" | "fun" | "val" | "let" | "fn" => Place::Binder,
        ":" => Place::Type,
        "=" | "=>" | "<-" | "in" => Place::Expression,
        _ => {
            let mut kinds = around.skip_while(|kind| *kind == FclKind::Error);
            match kinds.find(|kind| {
                matches!(
                    kind,
                    FclKind::Scheme | FclKind::Signature | FclKind::Definition | FclKind::Levels | FclKind::Level
                )
            }) {
                Some(FclKind::Levels | FclKind::Level) if token.text() != ">" => Place::Level,
                Some(FclKind::Scheme | FclKind::Signature) => Place::Type,
                _ => Place::Expression,
            }
        }
    }
}

const LEVELS: [(&str, &str); 3] = [
    ("thread", "one work-item"),
    ("block", "the work-items of one work-group"),
    ("grid", "all work-items of the device"),
];

const TYPES: [(&str, &str); 6] = [
    ("int", "a whole number of 32 bits"),
    ("double", "a number of 64 bits"),
    ("bool", "`true` or `false`"),
    ("unit", "`()`"),
    ("Program", "a computation of a level: `Program <l> 'a`"),
    ("forall", "the levels and types that a signature takes"),
];

pub fn completions(db: &dyn Db, file: SourceFile, offset: TextSize) -> Completions {
    let Some((program, tree)) = program(db, file) else { return Completions::default() };
    let comment = |token: &FclToken| matches!(token.kind(), FclKind::Comment | FclKind::Text | FclKind::BadComment);
    let left = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased();
    let typed = left.clone().filter(|token| matches!(token.kind(), FclKind::Name | FclKind::Keyword));
    let typed = typed.map_or(TextRange::empty(offset), |token| TextRange::new(token.text_range().start(), offset));
    let mut items: Vec<CompletionItem> = Vec::new();
    let mut offer = |label: &str, kind, detail: String, documented: bool| {
        if items.iter().any(|item| item.label == label) {
            return;
        }
        items.push(CompletionItem {
            label: label.to_owned(),
            kind,
            detail,
            source: documented.then(|| "FCL's library".to_owned()),
            insert: Snippet::call(label, &[], false),
            additional: Vec::new(),
            filter: None,
            documented: documented.then(|| label.into()),
        });
    };
    let place = if left.as_ref().is_some_and(comment) { Place::Binder } else { place(&tree, offset) };
    let own = in_sight(&tree, typed.start());
    match place {
        Place::Binder => {}
        Place::Level => {
            for (name, kind) in own.iter().filter(|(_, kind)| *kind == CompletionKind::Size) {
                offer(name.text(), *kind, "a level".to_owned(), false);
            }
            LEVELS.iter().for_each(|(level, text)| offer(level, CompletionKind::Size, (*text).to_owned(), false));
        }
        Place::Type => {
            TYPES.iter().for_each(|(name, text)| offer(name, CompletionKind::Type, (*text).to_owned(), false));
        }
        Place::Expression => {
            for (name, kind) in own.iter().filter(|(_, kind)| *kind != CompletionKind::Size) {
                let ty = noted(&program.program.types, name.text_range()).map(str::to_owned);
                let defined = program.definitions.iter().find(|(at, ..)| *at == name.text_range());
                let ty = ty.or_else(|| defined.map(|(_, _, ty)| ty.clone())).unwrap_or_default();
                offer(name.text(), *kind, ty, false);
            }
            for (name, ty) in library_names() {
                offer(&name, CompletionKind::Primitive, ty, true);
            }
            for word in KEYWORDS.iter().filter(|word| !matches!(**word, "int" | "double" | "bool" | "char" | "kernel"))
            {
                offer(word, CompletionKind::Word, "a word of the language".to_owned(), false);
            }
        }
    }
    Completions { replace: typed, items, complete: true }
}

/// The documentation of a name of the library.
pub fn documentation(name: &str) -> Option<String> {
    let (ty, text) = about(name)?;
    Some(format!("```fcl\n{name} : {ty}\n```\n\n{}", text.unwrap_or_default()))
}
