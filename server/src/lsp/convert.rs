//! Where editor data becomes protocol data: the only place that knows both.
//!
//! Positions of the protocol are lines and columns in the negotiated unit; ours are byte offsets. Positions that lie
//! past the end of a line or of the text, or inside a character, are taken as the nearest one before.

use super::features::Features;
use super::snapshot::Snapshot;
use crate::report::codes;
use lift_analysis::diagnostics::Severity;
use lift_analysis::ide::{self, Cancellable, FileRange};
use lift_syntax::{ColumnEncoding, LineIndex, TextRange, TextSize};
use serde_json::json;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::*;

/// The unit in which columns count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    /// What every client has.
    #[default]
    Utf16,
}

impl Encoding {
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        match offered {
            Some(o) if o.contains(&PositionEncodingKind::UTF8) => Encoding::Utf8,
            _ => Encoding::Utf16,
        }
    }
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }
    fn columns(self) -> ColumnEncoding {
        match self {
            Encoding::Utf8 => ColumnEncoding::Utf8,
            Encoding::Utf16 => ColumnEncoding::Utf16,
        }
    }
    /// The byte offset of a column in a line.
    fn column(self, line: &str, column: u32) -> usize {
        let mut units = 0;
        for (at, c) in line.char_indices() {
            units += match self {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
            if units > column as usize {
                return at;
            }
        }
        line.len()
    }
}

/// The text of a document after the changes of one notification, applied in order.
pub fn apply_changes(text: &str, changes: Vec<TextDocumentContentChangeEvent>, encoding: Encoding) -> String {
    let mut text = text.to_owned();
    for change in changes {
        match change {
            TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(c) => text = c.text,
            TextDocumentContentChangeEvent::TextDocumentContentChangePartial(c) => {
                let start = offset_in(&text, encoding, c.range.start);
                let end = offset_in(&text, encoding, c.range.end).max(start);
                text.replace_range(start..end, &c.text);
            }
        }
    }
    text
}

/// The byte offset of a position, found by looking for line ends: for one position that beats building an index.
fn offset_in(text: &str, encoding: Encoding, at: Position) -> usize {
    let mut start = 0;
    for _ in 0..at.line {
        match line_break(&text[start..]) {
            Some(found) => start += found.end,
            None => return text.len(),
        }
    }
    let rest = &text[start..];
    start + encoding.column(&rest[..line_break(rest).map_or(rest.len(), |b| b.start)], at.character)
}

/// Where the first line break is: `\n`, `\r\n` or a lone `\r`.
fn line_break(text: &str) -> Option<std::ops::Range<usize>> {
    let start = text.bytes().position(|b| b == b'\n' || b == b'\r')?;
    Some(start..start + if text[start..].starts_with("\r\n") { 2 } else { 1 })
}

/// The lines of one text, for many conversions.
#[derive(Clone)]
pub struct Lines {
    pub text: Arc<str>,
    pub index: Arc<LineIndex>,
    pub encoding: Encoding,
}

impl Lines {
    pub fn offset(&self, at: Position) -> TextSize {
        let at = lift_syntax::Position { line: at.line, column: at.character };
        self.index.offset(at, self.encoding.columns())
    }
    pub fn position(&self, at: TextSize) -> Position {
        let at = self.index.position(at, self.encoding.columns());
        Position::new(at.line, at.column)
    }
    pub fn range(&self, range: TextRange) -> Range {
        Range::new(self.position(range.start()), self.position(range.end()))
    }
    pub fn text_range(&self, range: Range) -> TextRange {
        let start = self.offset(range.start);
        TextRange::new(start, self.offset(range.end).max(start))
    }
    pub fn text_edit(&self, edit: &ide::TextEdit) -> TextEdit {
        TextEdit { range: self.range(edit.range), new_text: edit.new_text.clone() }
    }
}

/// `None` for a place in a file that the client cannot name.
pub fn location(snap: &Snapshot, at: &FileRange) -> Cancellable<Option<Location>> {
    let Some(lines) = snap.lines(&at.path)? else {
        return Ok(None);
    };
    Ok(snap.uri(&at.path).map(|uri| Location { uri, range: lines.range(at.range) }))
}

pub fn diagnostic(snap: &Snapshot, lines: &Lines, d: &ide::FileDiagnostic) -> Cancellable<Diagnostic> {
    let features = &snap.features;
    let mut related = Vec::new();
    for place in &d.related {
        if let Some(location) = location(snap, &place.at)? {
            related.push(DiagnosticRelatedInformation { location, message: place.message.clone() });
        }
    }
    // a client that shows no related places still deserves to know them
    let mut message = d.message.clone();
    if !features.related_information {
        for r in &related {
            message.push_str(&format!("\n  line {}: {}", r.location.range.start.line + 1, r.message));
        }
        related.clear();
    }
    Ok(Diagnostic {
        range: lines.range(d.range),
        severity: Some(severity(d.severity)),
        code: Some(Code::String(d.code.to_owned())),
        code_description: explanation(d.code, features),
        source: Some("lift".to_owned()),
        message: message.into(),
        tags: (d.unnecessary && features.diagnostic_tags).then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: Some(json!({ "code": d.code, "fixes": d.fixes.len() })),
    })
}

/// The page of a code is a document of the scheme `lift`, served like the prelude.
fn explanation(code: &str, features: &Features) -> Option<CodeDescription> {
    if !features.code_description || codes::page(code).is_none() {
        return None;
    }
    Some(CodeDescription { href: explain_uri(code)? })
}

/// `lift:/explain/CODE.md`
pub fn explain_uri(code: &str) -> Option<Uri> {
    format!("lift:/explain/{code}.md").parse().ok()
}

fn severity(s: Severity) -> DiagnosticSeverity {
    match s {
        Severity::Error => DiagnosticSeverity::Error,
        Severity::Warning => DiagnosticSeverity::Warning,
        Severity::Information => DiagnosticSeverity::Information,
    }
}

pub fn hover(lines: &Lines, features: &Features, h: ide::Hover) -> Hover {
    let contents = if features.markdown_hover {
        MarkupContent::new(MarkupKind::Markdown, h.markdown)
    } else {
        MarkupContent::new(MarkupKind::PlainText, h.plain)
    };
    Hover { contents: contents.into(), range: Some(lines.range(h.range)) }
}

pub fn inlay_hint(snap: &Snapshot, lines: &Lines, hint: ide::InlayHint) -> Cancellable<InlayHint> {
    let mut parts = Vec::new();
    for part in hint.parts {
        let location = match &part.target {
            Some(target) => location(snap, target)?,
            None => None,
        };
        parts.push(InlayHintLabelPart { value: part.text, tooltip: None, location, command: None });
    }
    Ok(InlayHint {
        position: lines.position(hint.offset),
        label: Label::InlayHintLabelPartList(parts),
        kind: (hint.kind == ide::HintKind::Type).then_some(InlayHintKind::Type),
        text_edits: None,
        tooltip: (!hint.tooltip.is_empty()).then_some(Tooltip::String(hint.tooltip)),
        padding_left: Some(hint.padding_left),
        padding_right: Some(hint.padding_right),
        data: None,
    })
}

pub fn definitions(snap: &Snapshot, origin: Range, targets: &[ide::NavTarget]) -> Cancellable<DefinitionResponse> {
    let (mut links, mut locations) = (Vec::new(), Vec::new());
    for target in targets {
        let (Some(lines), Some(uri)) = (snap.lines(&target.file.path)?, snap.uri(&target.file.path)) else {
            continue;
        };
        let selection = lines.range(target.focus);
        locations.push(Location { uri: uri.clone(), range: selection });
        links.push(LocationLink {
            // the client marks the word under the cursor by itself
            origin_selection_range: (origin.start != origin.end).then_some(origin),
            target_uri: uri,
            target_range: lines.range(target.file.range.cover(target.focus)),
            target_selection_range: selection,
        });
    }
    Ok(if snap.features.definition_links { links.into() } else { Definition::LocationList(locations).into() })
}

/// The change, with the versions of the documents that it was made for where the client can check them.
pub fn workspace_edit(snap: &Snapshot, change: &ide::SourceChange) -> Cancellable<WorkspaceEdit> {
    let mut files = Vec::new();
    for (path, edits) in &change.files {
        if let (Some(lines), Some(uri)) = (snap.lines(path)?, snap.uri(path)) {
            files.push((uri, snap.version(path), edits.iter().map(|e| lines.text_edit(e)).collect::<Vec<_>>()));
        }
    }
    if !snap.features.document_changes {
        let changes = files.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        return Ok(WorkspaceEdit { changes: Some(changes), ..Default::default() });
    }
    let changes = files.into_iter().map(|(uri, version, edits)| {
        DocumentChange::TextDocumentEdit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier {
                version,
                text_document_identifier: TextDocumentIdentifier { uri },
            },
            edits: edits.into_iter().map(Edit::TextEdit).collect(),
        })
    });
    Ok(WorkspaceEdit { document_changes: Some(changes.collect()), ..Default::default() })
}

#[allow(deprecated)] // the field must be there
pub fn symbols(uri: &Uri, lines: &Lines, features: &Features, symbols: Vec<ide::Symbol>) -> DocumentSymbolResponse {
    if features.hierarchical_symbols {
        let symbol = |s: ide::Symbol| DocumentSymbol {
            name: s.name,
            detail: (!s.detail.is_empty()).then_some(s.detail),
            kind: symbol_kind(s.kind),
            tags: None,
            deprecated: None,
            range: lines.range(s.range.cover(s.focus)),
            selection_range: lines.range(s.focus),
            children: None,
        };
        return symbols.into_iter().map(symbol).collect::<Vec<_>>().into();
    }
    let symbol = |s: ide::Symbol| SymbolInformation {
        deprecated: None,
        location: Location { uri: uri.clone(), range: lines.range(s.range) },
        base_symbol_information: BaseSymbolInformation {
            name: s.name,
            kind: symbol_kind(s.kind),
            tags: None,
            container_name: None,
        },
    };
    symbols.into_iter().map(symbol).collect::<Vec<_>>().into()
}

fn symbol_kind(kind: ide::SymbolKind) -> SymbolKind {
    match kind {
        ide::SymbolKind::Function => SymbolKind::Function,
        // there is no kernel in the protocol; a method stands out from the functions
        ide::SymbolKind::Kernel => SymbolKind::Method,
        ide::SymbolKind::Constant => SymbolKind::Constant,
        ide::SymbolKind::Import => SymbolKind::Module,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &str, encoding: Encoding) -> Lines {
        Lines { text: text.into(), index: Arc::new(LineIndex::new(text)), encoding }
    }
    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent::TextDocumentContentChangePartial(TextDocumentContentChangePartial {
            range: Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1)),
            text: text.to_owned(),
            #[allow(deprecated)]
            range_length: None,
        })
    }

    #[test]
    fn columns_count_in_the_negotiated_unit() {
        let text = "; é𝒳x\n(f)";
        // `x` stands after two ASCII, one two-byte and one four-byte character
        for (encoding, column) in [(Encoding::Utf16, 5), (Encoding::Utf8, 8)] {
            let l = lines(text, encoding);
            assert_eq!(l.offset(Position::new(0, column)), TextSize::from(8));
            assert_eq!(l.position(8.into()), Position::new(0, column));
        }
    }

    #[test]
    fn a_position_outside_or_inside_a_character_is_the_nearest_before() {
        for encoding in [Encoding::Utf16, Encoding::Utf8] {
            let l = lines("𝒳\r\nab", encoding);
            let offsets = [(0, 1), (0, 99), (1, 1), (1, 99), (7, 0), (u32::MAX, u32::MAX)]
                .map(|(line, column)| u32::from(l.offset(Position::new(line, column))));
            assert_eq!(offsets, [0, 4, 7, 8, 8, 8]);
        }
    }

    #[test]
    fn changes_of_one_notification_see_each_other() {
        let changes = vec![edit((0, 0), (0, 0), "a\r\nb𝒳"), edit((1, 3), (1, 3), "!"), edit((0, 1), (1, 0), "")];
        assert_eq!(apply_changes("c", changes, Encoding::Utf16), "ab𝒳!c");
    }

    proptest! {
        #[test]
        fn looking_for_line_ends_and_the_index_agree(
            text in "[a𝒳é\r\n]{0,40}", line in 0u32..8, column in 0u32..12, utf8 in any::<bool>(),
        ) {
            let encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let at = Position::new(line, column);
            let indexed = lines(&text, encoding).offset(at);
            prop_assert_eq!(usize::from(indexed), offset_in(&text, encoding, at));
        }
        #[test]
        fn an_offset_survives_the_way_to_the_client_and_back(text in "[a𝒳é\n]{0,40}", pick in any::<prop::sample::Index>()) {
            let starts: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            let at = TextSize::from(starts[pick.index(starts.len())] as u32);
            for encoding in [Encoding::Utf8, Encoding::Utf16] {
                let l = lines(&text, encoding);
                prop_assert_eq!(l.offset(l.position(at)), at);
            }
        }
        #[test]
        fn edits_do_to_the_text_what_they_do_to_utf16_units(
            steps in prop::collection::vec(("[a𝒳\r\n]{0,5}", 0u32..6, 0u32..6, 0u32..6, 0u32..6), 1..12),
        ) {
            let mut text = String::new();
            let mut model: Vec<u16> = Vec::new();
            for (insert, l1, c1, l2, c2) in steps {
                text = apply_changes(&text, vec![edit((l1, c1), (l2, c2), &insert)], Encoding::Utf16);
                model = edit_model(&model, (l1, c1), (l2, c2), &insert);
                let expected = String::from_utf16(&model).expect("whole characters");
                prop_assert_eq!(&text, &expected);
            }
        }
    }

    /// The same edit on UTF-16 units, written as plainly as possible.
    fn edit_model(text: &[u16], from: (u32, u32), to: (u32, u32), insert: &str) -> Vec<u16> {
        let (n, r) = (u16::from(b'\n'), u16::from(b'\r'));
        let is_break = |at: usize| text[at] == n || text[at] == r;
        let place = |(line, column): (u32, u32)| {
            let mut at = 0;
            for _ in 0..line {
                while at < text.len() && !is_break(at) {
                    at += 1;
                }
                if at == text.len() {
                    return at;
                }
                at += if text[at..].starts_with(&[r, n]) { 2 } else { 1 };
            }
            let start = at;
            while at < text.len() && !is_break(at) && at - start < column as usize {
                at += 1;
            }
            let inside = at > start && at < text.len() && (0xDC00..0xE000).contains(&text[at]);
            if inside { at - 1 } else { at }
        };
        let start = place(from);
        let end = place(to).max(start);
        let mut out = text[..start].to_vec();
        out.extend(insert.encode_utf16());
        out.extend(&text[end..]);
        out
    }
}
