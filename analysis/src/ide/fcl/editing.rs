//! Edits of FCL files: formatting, renaming, completion, help with arguments, written signatures.

use super::{binding, name_of, noted, occurrences, program, token_at};
use crate::db::{Db, SourceFile};
use crate::fcl::{Translated, about, library_names, translate};
use crate::ide::completion::{CompletionItem, CompletionKind, Completions, Snippet};
use crate::ide::signature_help::SignatureHelp;
use crate::ide::{CodeAction, SourceChange, TextEdit, actions};
use lift_syntax::fcl::{FclKind, FclNode, FclToken, KEYWORDS, format_edits, is_keyword, tokens};
use lift_syntax::{TextRange, TextSize};

/// The edits of white space that touch a range.
pub fn format(db: &dyn Db, file: SourceFile, range: Option<TextRange>) -> Vec<TextEdit> {
    let edits = format_edits(file.text(db)).into_iter();
    let touched = edits.filter(|edit| range.is_none_or(|range| range.intersect(edit.range).is_some()));
    touched.map(|edit| TextEdit { range: edit.range, new_text: edit.insert }).collect()
}

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
                // The name is known behind `in`.
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

/// What a place of the text may hold.
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
