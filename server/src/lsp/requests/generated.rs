//! Mapping between programs and generated texts.

use crate::lsp::convert::{self, Lines};
use crate::lsp::outcome::Outcome;
use crate::lsp::snapshot::{File, Snapshot};
use crate::lsp::views::{self, Shown};
use lift_analysis::ide;
use lift_syntax::TextRange;
use serde::{Deserialize, Serialize};
use tower_lsp_server::gen_lsp_types::*;

/// Returns a view that the client knows, with its lines.
fn shown(snap: &Snapshot, view: &Uri) -> Outcome<(Shown, Lines)> {
    let shown = views::shown(snap, view)?;
    let lines = Lines { text: shown.text.clone(), index: shown.index.clone(), encoding: snap.features.encoding };
    Ok((shown, lines))
}

/// Returns a hover with the source of a generated part, followed by the hover of that source.
pub fn hover(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<Hover>> {
    let uri = &at.text_document.uri;
    let (shown, lines) = shown(snap, uri)?;
    let position = TextRange::empty(lines.offset(at.position));
    let Some((part, from)) = views::source_of(snap, &shown.view, position)? else { return Ok(None) };
    let Some(source) = snap.lines(&from.path)? else { return Ok(None) };
    let start = source.position(from.range.start());
    let name = from.path.rsplit(['/', '\\']).next().unwrap_or(&from.path);
    let place = format!("{name}:{}:{}", start.line + 1, start.character + 1);
    let text = source.text[std::ops::Range::<usize>::from(from.range)].to_owned();
    let said = snap.analysis.hover(&from.path, from.range)?;
    let mut hover = said.unwrap_or_else(|| ide::Hover { range: part, markdown: String::new(), plain: String::new() });
    hover.range = part;
    hover.markdown = format!("From {place}\n\n```lift\n{text}\n```\n\n{}", hover.markdown);
    hover.plain = format!("From {place}\n{text}\n\n{}", hover.plain);
    Ok(Some(convert::hover(&lines, &snap.features, hover)))
}

/// Parameters of `lift/sourceRange`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceRangeParams {
    pub view: Uri,
    pub range: Range,
}

/// The source of a part of a generated text, and the range of that part.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SourceRange {
    #[serde(flatten)]
    pub location: Location,
    pub part: Range,
}

pub fn source_range(snap: &Snapshot, params: &SourceRangeParams) -> Outcome<Option<SourceRange>> {
    let (shown, lines) = shown(snap, &params.view)?;
    let found = views::source_of(snap, &shown.view, lines.text_range(params.range))?;
    let Some((part, from)) = found else { return Ok(None) };
    let location = convert::location(snap, &from)?;
    Ok(location.map(|location| SourceRange { location, part: lines.range(part) }))
}

/// Parameters of `lift/generatedRanges`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct GeneratedRangesParams {
    pub view: Uri,
    /// A program that the view is made from.
    pub uri: Uri,
    pub range: Range,
}

/// Returns the parts of a generated text that come from an expression.
pub fn generated_ranges(snap: &Snapshot, params: &GeneratedRangesParams) -> Outcome<Vec<Range>> {
    let (shown, lines) = shown(snap, &params.view)?;
    let File { path, lines: source } = snap.file(&params.uri)?;
    let parts = views::generated_from(snap, &shown.view, &path, source.text_range(params.range))?;
    Ok(parts.into_iter().map(|part| lines.range(part)).collect())
}

/// Returns the expression that a part of a generated text comes from.
pub fn definition(snap: &Snapshot, at: &TextDocumentPositionParams) -> Outcome<Option<DefinitionResponse>> {
    let range = Range::new(at.position, at.position);
    let source = source_range(snap, &SourceRangeParams { view: at.text_document.uri.clone(), range })?;
    Ok(source.map(|source| Definition::LocationList(vec![source.location]).into()))
}
