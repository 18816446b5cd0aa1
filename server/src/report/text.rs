//! Diagnostics for people, with source lines, underlines, related locations and fixes.

use super::{Problem, Sources};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{Cancellable, SourceChange, TextEdit};
use lift_syntax::{ColumnEncoding, TextRange};
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::Arc;

/// Longer lines are shown only around the marked range; in bytes.
const MAX_LINE: usize = 400;
/// Bytes of a long line that are shown before and after the range.
const AROUND: usize = 60;
/// Maximal number of fixes shown with a problem.
const MAX_FIXES: usize = 4;

/// The appearance of output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
}

impl Style {
    /// Colour on a terminal, unless the environment declines it (`NO_COLOR`, `TERM=dumb`).
    pub fn for_stderr() -> Style {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        Style { color: std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb }
    }
    fn renderer(self) -> Renderer {
        if self.color { Renderer::styled() } else { Renderer::plain() }
    }
}

/// A marked range of a file.
struct Mark {
    path: Arc<str>,
    range: TextRange,
    label: Option<String>,
    primary: bool,
}

/// Formats a problem, without a line break at the end.
pub fn render(sources: &Sources, style: Style, problem: &Problem) -> Cancellable<String> {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
    };
    let mut main = Group::with_title(level.primary_title(&*problem.message).id(&*problem.code));
    let mut marks = Vec::new();
    match problem.range {
        Some(range) => marks.push(Mark { path: problem.path.clone(), range, label: None, primary: true }),
        None => main = main.element(Origin::path(sources.shown(&problem.path))),
    }
    for place in &problem.related {
        let label = Some(place.message.clone());
        marks.push(Mark { path: place.at.path.clone(), range: place.at.range, label, primary: false });
    }
    for part in windows(sources, marks)? {
        main = part.add_to(main);
    }
    for note in &problem.notes {
        main = main.element(Level::NOTE.message(note));
    }
    let mut groups = vec![main];
    for fix in problem.fixes.iter().take(MAX_FIXES) {
        groups.extend(fix_group(sources, &fix.title, &fix.change)?);
    }
    Ok(style.renderer().render(&groups))
}

fn fix_group<'a>(sources: &Sources, title: &'a str, change: &SourceChange) -> Cancellable<Option<Group<'a>>> {
    let mut group = Group::with_title(Level::HELP.secondary_title(title));
    for (path, edits) in &change.files {
        let Some((text, _)) = sources.text(path)? else { continue };
        let cover = edits.iter().map(|e| e.range).reduce(TextRange::cover);
        let Some(cover) = cover.filter(|c| fits(&text, *c)) else { continue };
        let window = lines_around(&text, cover);
        if text[window.clone()].len() > 4 * MAX_LINE {
            continue;
        }
        let line = text[..window.start].matches('\n').count() + 1;
        let patch = |e: &TextEdit| {
            let range = usize::from(e.range.start()) - window.start..usize::from(e.range.end()) - window.start;
            Patch::new(range, e.new_text.clone())
        };
        let patches: Vec<Patch> = edits.iter().map(patch).collect();
        let snippet = Snippet::source(text[window].to_owned()).line_start(line).path(sources.shown(path));
        group = group.element(snippet.patches(patches));
    }
    Ok(Some(group))
}

/// A segment of a file with its marks.
struct Window {
    shown: String,
    text: String,
    /// Number of the segment's first line, from 1.
    line: usize,
    /// Ranges in bytes of the segment, labels, and whether the mark is the primary one.
    marks: Vec<(Range<usize>, Option<String>, bool)>,
    /// For a segment of a long line: column of the mark in characters, from 1.
    cut: Option<usize>,
}

impl Window {
    fn add_to<'a>(self, group: Group<'a>) -> Group<'a> {
        let mut snippet = Snippet::source(self.text).line_start(self.line);
        let mut group = group;
        match self.cut {
            // The renderer would count columns from the start of the segment.
            Some(column) => {
                group = group.element(Origin::path(self.shown).line(self.line).char_column(column));
            }
            None => snippet = snippet.path(self.shown),
        }
        let annotations = self.marks.into_iter().map(|(range, label, primary)| {
            let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(range);
            match label {
                Some(label) => annotation.label(label),
                None => annotation,
            }
        });
        group.element(snippet.annotations(annotations.collect::<Vec<_>>()))
    }
}

/// Cuts the segments to show: one per file, and one for each mark in a very long line.
fn windows(sources: &Sources, marks: Vec<Mark>) -> Cancellable<Vec<Window>> {
    let mut out: Vec<Window> = Vec::new();
    let mut files: Vec<(Arc<str>, Vec<Mark>)> = Vec::new();
    for mark in marks {
        match files.iter_mut().find(|(path, _)| *path == mark.path) {
            Some((_, marks)) => marks.push(mark),
            None => files.push((mark.path.clone(), vec![mark])),
        }
    }
    for (path, marks) in files {
        let Some((text, index)) = sources.text(&path)? else { continue };
        let shown = sources.shown(&path);
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for mark in marks.into_iter().filter(|m| fits(&text, m.range)) {
            let lines = lines_around(&text, TextRange::empty(mark.range.start()));
            if lines.len() > MAX_LINE { long.push(mark) } else { short.push(mark) }
        }
        if let Some(cover) = short.iter().map(|m| m.range).reduce(TextRange::cover) {
            let lines = lines_around(&text, cover);
            let line = index.position((lines.start as u32).into(), ColumnEncoding::Utf8).line as usize + 1;
            let mark = |m: Mark| {
                let range = usize::from(m.range.start()) - lines.start..usize::from(m.range.end()) - lines.start;
                (range, m.label, m.primary)
            };
            let marks = short.into_iter().map(mark).collect();
            out.push(Window { shown: shown.clone(), text: text[lines.clone()].to_owned(), line, marks, cut: None });
        }
        for mark in long {
            let (start, end) = (usize::from(mark.range.start()), usize::from(mark.range.end()));
            let line = lines_around(&text, TextRange::empty(mark.range.start()));
            let from = floor(&text, start.saturating_sub(AROUND).max(line.start));
            let shown_end = floor(&text, end.min(start + AROUND).min(line.end)).max(start);
            let to = floor(&text, (shown_end + AROUND).min(line.end));
            let at = index.position(mark.range.start(), ColumnEncoding::Utf32);
            out.push(Window {
                shown: shown.clone(),
                text: text[from..to].to_owned(),
                line: at.line as usize + 1,
                marks: vec![(start - from..shown_end - from, mark.label, mark.primary)],
                cut: Some(at.column as usize + 1),
            });
        }
    }
    // The primary range comes first.
    out.sort_by_key(|w| !w.marks.iter().any(|(_, _, primary)| *primary));
    Ok(out)
}

fn fits(text: &str, range: TextRange) -> bool {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    end <= text.len() && text.is_char_boundary(start) && text.is_char_boundary(end)
}

/// Returns the range of the whole lines that a range touches, without the last line break.
fn lines_around(text: &str, range: TextRange) -> Range<usize> {
    let (start, end) = (usize::from(range.start()), usize::from(range.end()));
    let from = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let to = text[end..].find('\n').map_or(text.len(), |i| end + i);
    from..to
}

fn floor(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
