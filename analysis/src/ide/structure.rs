//! Foldable ranges, expanding selections, and links of imports.

use super::FileRange;
use super::locate::form_at;
use crate::db::{Db, Form, SourceFile, Sym, file_by_path};
use crate::hir::Node;
use crate::imports::imports;
use crate::queries::lower_form;
use lift_syntax::{SyntaxKind, TextRange, TextSize, lex, parse_form};
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FoldKind {
    Form,
    /// A comment of several lines.
    Comment,
    Imports,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fold {
    pub range: TextRange,
    pub kind: FoldKind,
}

/// Everything that spans several lines: forms, bracketed groups, comments, runs of imports. `groups` gives each form
/// with its start and its [`groups`].
pub(super) fn folds<'a>(
    db: &dyn Db,
    file: SourceFile,
    groups: impl Iterator<Item = (Form, TextSize, &'a [TextRange])>,
) -> Vec<Fold> {
    let text = file.text(db);
    let mut folds = Vec::new();
    let breaks = line_breaks(text);
    let several_lines = |range: TextRange| spans_break(&breaks, range);
    let mut push = |range: TextRange, kind: FoldKind| {
        if several_lines(range) {
            folds.push(Fold { range, kind });
        }
    };
    let mut first_import: Option<TextRange> = None;
    for (form, start, groups) in groups {
        if form.kind(db) == lift_syntax::FormKind::Import {
            let whole = TextRange::at(start, TextSize::of(&**form.text(db)));
            first_import = Some(first_import.map_or(whole, |before| before.cover(whole)));
            continue;
        }
        if let Some(imports) = first_import.take() {
            push(imports, FoldKind::Imports);
        }
        for &group in groups {
            push(group + start, FoldKind::Form);
        }
    }
    if let Some(imports) = first_import {
        push(imports, FoldKind::Imports);
    }
    for comment in comments(text) {
        push(comment, FoldKind::Comment);
    }
    folds.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    folds
}

/// The bracketed groups of a form that span several lines, relative to it.
pub(super) fn groups(text: &str) -> Vec<TextRange> {
    let tokens = lex(text);
    let breaks = line_breaks(text);
    let mut open = Vec::new();
    let mut groups = Vec::new();
    for token in 0..tokens.len() {
        let (kind, range) = (tokens.kind(token), tokens.range(token));
        if kind.is_opener() {
            open.push(range);
        } else if kind.is_closer()
            && let Some(opener) = open.pop()
        {
            let group: TextRange = opener.cover(range);
            if spans_break(&breaks, group) {
                groups.push(group);
            }
        }
    }
    groups
}

/// The offsets of line ends, in order.
fn line_breaks(text: &str) -> Vec<TextSize> {
    let breaks = text.bytes().zip(0u32..).filter(|(byte, _)| matches!(byte, b'\n' | b'\r'));
    breaks.map(|(_, at)| TextSize::new(at)).collect()
}

fn spans_break(breaks: &[TextSize], range: TextRange) -> bool {
    let next = breaks.partition_point(|at| *at < range.start());
    breaks.get(next).is_some_and(|at| *at < range.end())
}

/// Runs of comments on lines of their own.
fn comments(text: &str) -> Vec<TextRange> {
    let tokens = lex(text);
    let mut runs: Vec<TextRange> = Vec::new();
    let mut run: Option<TextRange> = None;
    let mut own_line = true;
    for token in 0..tokens.len() {
        let range = tokens.range(token);
        match tokens.kind(token) {
            SyntaxKind::COMMENT if own_line => run = Some(run.map_or(range, |before| before.cover(range))),
            SyntaxKind::WHITESPACE => {
                let breaks = text[range].matches('\n').count();
                own_line = breaks > 0;
                if breaks > 1 {
                    runs.extend(run.take());
                }
            }
            _ => {
                own_line = false;
                runs.extend(run.take());
            }
        }
    }
    runs.extend(run);
    runs
}

/// The nested ranges for expanding a selection, smallest first: word, contents of the brackets, with the brackets, …,
/// form, file.
pub(super) fn selection_ranges(db: &dyn Db, file: SourceFile, offset: TextSize) -> Vec<TextRange> {
    let text = file.text(db);
    let mut ranges: Vec<TextRange> = Vec::new();
    if let Some(view) = form_at(db, file, offset) {
        let tree = parse_form(view.text()).syntax();
        let at = offset - view.start;
        let token = tree.token_at_offset(at).max_by_key(|token| match token.kind() {
            kind if kind.is_trivia() => 0,
            kind if kind.is_opener() || kind.is_closer() => 1,
            _ => 2,
        });
        if let Some(token) = token {
            if !token.kind().is_trivia() {
                ranges.push(token.text_range() + view.start);
            }
            for node in token.parent_ancestors() {
                let range = node.text_range();
                if let Some(inside) = inside_brackets(&node) {
                    ranges.push(inside + view.start);
                }
                ranges.push(range + view.start);
            }
        }
        ranges.push(view.whole());
    }
    ranges.push(TextRange::up_to(TextSize::of(&**text)));
    ranges.retain(|range| range.contains_inclusive(offset));
    // Each range must strictly contain the previous one.
    let mut grown: Vec<TextRange> = Vec::new();
    for range in ranges {
        if grown.last().is_none_or(|last| range.contains_range(*last) && range != *last) {
            grown.push(range);
        }
    }
    grown
}

/// The range between the brackets of a node, without white space.
fn inside_brackets(node: &lift_syntax::SyntaxNode) -> Option<TextRange> {
    let first = node.first_token()?;
    let last = node.last_token()?;
    if !first.kind().is_opener() || !last.kind().is_closer() {
        return None;
    }
    let significant = |token: &lift_syntax::SyntaxToken| token.kind() != SyntaxKind::WHITESPACE;
    let start = std::iter::successors(first.next_token(), |token| token.next_token()).find(significant)?;
    let end = std::iter::successors(last.prev_token(), |token| token.prev_token()).find(significant)?;
    (start.text_range().start() < end.text_range().end())
        .then(|| TextRange::new(start.text_range().start(), end.text_range().end()))
}

/// The paths in imports, with the paths of the imported files.
pub(super) fn links(db: &dyn Db, file: SourceFile) -> Vec<(TextRange, Arc<str>)> {
    let found = imports(db, file).iter().filter_map(|import| {
        let path = import.target.as_ref().ok()?;
        file_by_path(db, Sym::new(db, path.clone()))?;
        let range = lower_form(db, import.form).map.range(Node::FormName) + import.form.start(db);
        Some((range, path.clone()))
    });
    found.collect()
}

/// The start of a file.
pub(super) fn start_of(path: Arc<str>) -> FileRange {
    FileRange { path, range: TextRange::empty(TextSize::new(0)) }
}
