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

/// The ranges of one form that may be folded, relative to it.
#[derive(Default)]
pub(super) struct Foldable {
    /// Bracketed groups that span several lines.
    groups: Vec<TextRange>,
    /// Runs of comments on lines of their own.
    comments: Vec<TextRange>,
}

impl Foldable {
    pub fn of(form: &str) -> Foldable {
        // A form begins with a comment only if that comment is the first on its line.
        Foldable { groups: groups(form), comments: comments(form, true) }
    }
}

/// Everything that spans several lines: forms, bracketed groups, comments, runs of imports. `parts` gives each form with
/// its start; only the text between forms is read.
pub(super) fn folds<'a>(
    db: &dyn Db,
    file: SourceFile,
    parts: impl Iterator<Item = (Form, TextSize, &'a Foldable)>,
) -> Vec<Fold> {
    let text = file.text(db);
    let mut folds = Vec::new();
    let mut runs = Runs { text, found: Vec::new() };
    let mut imports: Option<TextRange> = None;
    let mut end = TextSize::new(0);
    for (form, start, foldable) in parts {
        let whole = TextRange::at(start, TextSize::of(&**form.text(db)));
        runs.between(TextRange::new(end, start));
        runs.extend(start, &foldable.comments);
        end = whole.end();
        if form.kind(db) == lift_syntax::FormKind::Import {
            imports = Some(imports.map_or(whole, |before| before.cover(whole)));
            continue;
        }
        folds.extend(imports.take().map(|range| Fold { range, kind: FoldKind::Imports }));
        folds.extend(foldable.groups.iter().map(|group| Fold { range: *group + start, kind: FoldKind::Form }));
    }
    runs.between(TextRange::new(end, TextSize::of(&**text)));
    folds.extend(imports.map(|range| Fold { range, kind: FoldKind::Imports }));
    folds.extend(runs.found.iter().map(|range| Fold { range: *range, kind: FoldKind::Comment }));
    folds.retain(|fold| fold.kind == FoldKind::Form || spans_break(&text[fold.range]));
    folds.sort_by_key(|fold| (fold.range.start(), std::cmp::Reverse(fold.range.end())));
    folds
}

/// The runs of comments of a file, from those of its forms and those between them.
struct Runs<'t> {
    text: &'t str,
    found: Vec<TextRange>,
}

impl Runs<'_> {
    /// Adds the comments of a range between forms.
    fn between(&mut self, range: TextRange) {
        let text = &self.text[range];
        if text.contains(';') {
            self.extend(range.start(), &comments(text, range.start() == TextSize::new(0)));
        }
    }

    /// Adds runs of a part of the text, and joins those between which there is only a line break.
    fn extend(&mut self, start: TextSize, runs: &[TextRange]) {
        for run in runs {
            let run = *run + start;
            match self.found.last_mut() {
                Some(last) if is_line_break(&self.text[TextRange::new(last.end(), run.start())]) => {
                    *last = last.cover(run);
                }
                _ => self.found.push(run),
            }
        }
    }
}

fn is_line_break(text: &str) -> bool {
    text.chars().all(char::is_whitespace) && text.matches('\n').count() < 2
}

/// The bracketed groups of a form that span several lines, relative to it.
fn groups(text: &str) -> Vec<TextRange> {
    let tokens = lex(text);
    let mut open: Vec<TextRange> = Vec::new();
    let mut groups = Vec::new();
    // The token of the last line break; a text of brackets in brackets is not read again for each of them.
    let mut broken = None;
    for token in 0..tokens.len() {
        let (kind, range) = (tokens.kind(token), tokens.range(token));
        if spans_break(&text[range]) {
            broken = Some(range.start());
        }
        if kind.is_opener() {
            open.push(range);
        } else if kind.is_closer()
            && let Some(opener) = open.pop()
            && broken > Some(opener.start())
        {
            groups.push(opener.cover(range));
        }
    }
    groups
}

fn spans_break(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Runs of comments on lines of their own. `own_line` says whether the text begins a line.
fn comments(text: &str, mut own_line: bool) -> Vec<TextRange> {
    let tokens = lex(text);
    let mut runs: Vec<TextRange> = Vec::new();
    let mut run: Option<TextRange> = None;
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
