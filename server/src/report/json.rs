//! Diagnostics for machines: one JSON object per line, with ranges as in the Language Server Protocol (from 0, UTF-16).

use super::{Problem, Sources, severity_name};
use lift_analysis::ide::{Cancellable, SourceChange};
use lift_syntax::{ColumnEncoding, LineIndex, TextRange};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub file: String,
    pub code: String,
    pub severity: String,
    pub message: String,
    pub range: Range,
    pub related: Vec<Related>,
    pub fixes: Vec<Fix>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Related {
    pub file: String,
    pub range: Range,
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    pub title: String,
    /// Whether the fix may be applied without asking.
    pub certain: bool,
    pub edits: Vec<Edit>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    pub file: String,
    pub range: Range,
    pub new_text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Range {
    pub start: Position,
    pub end: Position,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

fn range(index: &LineIndex, range: TextRange) -> Range {
    let position = |at| {
        let at = index.position(at, ColumnEncoding::Utf16);
        Position { line: at.line, character: at.column }
    };
    Range { start: position(range.start()), end: position(range.end()) }
}

/// Converts a range; without a range or a loaded file it is the start of the file.
fn range_in(sources: &Sources, path: &str, at: Option<TextRange>) -> Cancellable<Range> {
    let text = sources.text(path)?;
    Ok(text.zip(at).map(|((_, index), at)| range(&index, at)).unwrap_or_default())
}

pub fn message(sources: &Sources, problem: &Problem) -> Cancellable<Message> {
    let mut related = Vec::new();
    for place in &problem.related {
        related.push(Related {
            file: sources.shown(&place.at.path),
            range: range_in(sources, &place.at.path, Some(place.at.range))?,
            message: place.message.clone(),
        });
    }
    let mut fixes = Vec::new();
    for fix in &problem.fixes {
        let edits = edits(sources, &fix.change)?;
        fixes.push(Fix { title: fix.title.clone(), certain: fix.certain, edits });
    }
    Ok(Message {
        file: sources.shown(&problem.path),
        code: problem.code.clone(),
        severity: severity_name(problem.severity).to_owned(),
        // The notes follow on further lines.
        message: std::iter::once(&problem.message).chain(&problem.notes).cloned().collect::<Vec<_>>().join("\n"),
        range: range_in(sources, &problem.path, problem.range)?,
        related,
        fixes,
    })
}

fn edits(sources: &Sources, change: &SourceChange) -> Cancellable<Vec<Edit>> {
    let mut out = Vec::new();
    for (path, edits) in &change.files {
        let path: &Arc<str> = path;
        for edit in edits {
            out.push(Edit {
                file: sources.shown(path),
                range: range_in(sources, path, Some(edit.range))?,
                new_text: edit.new_text.clone(),
            });
        }
    }
    Ok(out)
}
