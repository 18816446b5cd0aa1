//! Generated texts, their addresses and the cache of them.

use crate::lsp::documents::SCHEME;
use crate::stages::{Stage, StageText};
use lift_analysis::ide::FileRange;
use lift_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;

/// Capacity of the view cache.
pub(super) const MAX_VIEWS: usize = 32;
/// Identifies a view: a stage of a kernel of a program. Its URI is `lift-opencl:/KERNEL.EXTENSION?SOURCE`, where the
/// extension determines the stage, and SOURCE is the encoded URI of the program.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    pub source: Uri,
    pub kernel: String,
    pub stage: Stage,
}

impl Address {
    pub fn parse(uri: &Uri) -> Option<Address> {
        if uri.scheme() != SCHEME {
            return None;
        }
        let name = uri.path().trim_start_matches('/');
        // `.scheduled.core` also ends in `.core`.
        let stage = Stage::ALL.into_iter().filter(|s| name.ends_with(s.extension()));
        let stage = stage.max_by_key(|s| s.extension().len())?;
        let kernel = decode(name.strip_suffix(stage.extension())?)?;
        Some(Address { source: decode(uri.query()?)?.parse().ok()?, kernel, stage })
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kernel: String = self.kernel.bytes().map(encode).collect();
        let source: String = self.source.as_str().bytes().map(encode).collect();
        write!(f, "{SCHEME}:/{kernel}{}?{source}", self.stage.extension())
    }
}

/// Encodes a byte like `encodeURIComponent`.
fn encode(byte: u8) -> String {
    match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    }
}

fn decode(text: &str) -> Option<String> {
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

/// Paths and texts of the files that a text was made from.
pub type Sources = Vec<(Arc<str>, Arc<str>)>;

/// A generated text with its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The revision of the state from which it was made.
    pub(super) revision: u64,
    /// The first line: a title, or why the text is stale.
    pub(super) head: String,
    /// The last good text; `None` if there was none.
    pub(super) good: Option<Arc<Good>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Good {
    pub(super) made: StageText,
    pub(super) sources: Sources,
}

impl View {
    pub fn text(&self) -> String {
        let body = self.good.as_ref().map_or("", |good| &good.made.text);
        format!("{}{body}", self.head)
    }

    /// Returns the innermost part around a range of the view: its range in the view, and its source range at the time
    /// when the view was made.
    pub(super) fn part_at(&self, range: TextRange) -> Option<(TextRange, &FileRange)> {
        let head = TextSize::of(&self.head);
        let wanted = range.checked_sub(head)?;
        let parts = self.good.as_ref()?.made.map.iter();
        // The last part that contains it is the innermost.
        let (own, from) = parts.rev().find(|(own, _)| own.contains_range(wanted) && own.end() > wanted.start())?;
        Some((*own + head, from))
    }

    /// Returns the outermost parts of the view that come from expressions inside `old`, or else from the smallest known
    /// expression around it. `old` is a range in the source at the time when the view was made.
    pub(super) fn parts_of(&self, path: &str, old: TextRange) -> Vec<TextRange> {
        let Some(good) = &self.good else { return Vec::new() };
        let here = || good.made.map.iter().filter(|(_, from)| &*from.path == path);
        let inside = |wanted: TextRange| here().filter(move |(_, from)| wanted.contains_range(from.range));
        let around = || {
            let around = here().map(|(_, from)| from.range).filter(|r| r.contains_range(old));
            around.min_by_key(|r| r.len())
        };
        let wanted = if !old.is_empty() && inside(old).next().is_some() { Some(old) } else { around() };
        let head = TextSize::of(&self.head);
        let mut out: Vec<TextRange> = Vec::new();
        for (own, _) in wanted.into_iter().flat_map(inside) {
            let own = *own + head;
            // The parts are sorted: skip a part inside an earlier one.
            if out.last().is_none_or(|last| !last.contains_range(own)) {
                out.push(own);
            }
        }
        out
    }

    pub(super) fn source(&self, path: &str) -> Option<&Arc<str>> {
        self.good.as_ref()?.sources.iter().find(|(p, _)| &**p == path).map(|(_, text)| text)
    }
}

/// The views of a session.
#[derive(Debug, Clone, Default)]
pub struct Views(FxHashMap<Address, Entry>);

#[derive(Debug, Clone)]
struct Entry {
    view: Arc<View>,
    /// Whether the client requested the view after its last notification.
    wanted: bool,
}

impl Views {
    pub fn get(&self, address: &Address) -> Option<&Arc<View>> {
        self.0.get(address).map(|entry| &entry.view)
    }
    pub fn wanted(&self) -> impl Iterator<Item = &Address> {
        self.0.iter().filter(|(_, entry)| entry.wanted).map(|(address, _)| address)
    }
    /// Records a view that the client has received.
    pub fn given(&mut self, address: Address, view: Arc<View>) {
        if self.0.len() >= MAX_VIEWS && !self.0.contains_key(&address) {
            let oldest = self.0.iter().min_by_key(|(_, entry)| entry.view.revision).map(|(address, _)| address.clone());
            oldest.map(|address| self.0.remove(&address));
        }
        match self.0.get_mut(&address) {
            Some(entry) => {
                entry.wanted = true;
                if entry.view.revision <= view.revision {
                    entry.view = view;
                }
            }
            None => {
                self.0.insert(address, Entry { view, wanted: true });
            }
        }
    }
    /// Stores a remade view; returns whether to notify the client.
    pub fn made(&mut self, address: &Address, view: Arc<View>) -> bool {
        let Some(entry) = self.0.get_mut(address).filter(|entry| entry.view.revision <= view.revision) else {
            return false;
        };
        let news = entry.wanted && entry.view.text() != view.text();
        entry.view = view;
        entry.wanted &= !news;
        news
    }
}
