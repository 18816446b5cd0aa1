//! Generated texts as documents: `lift-opencl:/KERNEL.cl?SOURCE`, made from the unsaved text, and remade after each
//! edit while the client shows them.
//!
//! # Life of a view
//!
//! A client that requests a view *wants* it. After each edit, once typing has paused, every wanted view is remade in
//! the pool; a newer edit cancels that, and the newest of several results counts. If the text has changed, the client
//! is notified, and the view is no longer wanted until the client requests it again. So views that the client no longer
//! shows cost nothing, and no message is needed to close them.
//!
//! While the program has an error, the last good text stays, below a first line that says that it is stale, and why.
//!
//! # Source locations
//!
//! A view maps its parts to the source as it was when the view was made. Locations in a source edited since then are
//! mapped across the edit, and are unknown inside it.

use super::documents::path_of;
use super::snapshot::{Failure, Outcome, Snapshot};
use crate::align::Edited;
use crate::report::{self, Problem};
use crate::stages::{self, Ingredients, Stage, StageText};
use lift_analysis::ide::{Cancellable, FileRange};
use lift_codegen::target::Target;
use lift_syntax::{ColumnEncoding, LineIndex, TextRange, TextSize};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;

/// The URI scheme of generated texts.
pub const SCHEME: &str = "lift-opencl";
/// Capacity of the view cache.
const MAX_VIEWS: usize = 32;
/// Maximal length of the reason in the first line of a stale view, in characters.
const MAX_REASON: usize = 240;

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
type Sources = Vec<(Arc<str>, Arc<str>)>;

/// A generated text with its first line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The revision of the state from which it was made.
    revision: u64,
    /// The first line: a title, or why the text is stale.
    head: String,
    /// The last good text; `None` if there was none.
    good: Option<Arc<Good>>,
}

#[derive(Debug, PartialEq, Eq)]
struct Good {
    made: StageText,
    sources: Sources,
}

impl View {
    pub fn text(&self) -> String {
        let body = self.good.as_ref().map_or("", |good| &good.made.text);
        format!("{}{body}", self.head)
    }

    /// Returns the innermost part around a range of the view: its range in the view, and its source range at the time
    /// when the view was made.
    fn part_at(&self, range: TextRange) -> Option<(TextRange, &FileRange)> {
        let head = TextSize::of(&self.head);
        let wanted = range.checked_sub(head)?;
        let parts = self.good.as_ref()?.made.map.iter();
        // The last part that contains it is the innermost.
        let (own, from) = parts.rev().find(|(own, _)| own.contains_range(wanted) && own.end() > wanted.start())?;
        Some((*own + head, from))
    }

    /// Returns the outermost parts of the view that come from expressions inside `old`, or else from the smallest known
    /// expression around it. `old` is a range in the source at the time when the view was made.
    fn parts_of(&self, path: &str, old: TextRange) -> Vec<TextRange> {
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

    fn source(&self, path: &str) -> Option<&Arc<str>> {
        self.good.as_ref()?.sources.iter().find(|(p, _)| &**p == path).map(|(_, text)| text)
    }
}

/// The views of a session.
#[derive(Debug, Clone, Default)]
pub struct Views(FxHashMap<Address, Entry>);

#[derive(Debug, Clone)]
struct Entry {
    view: Arc<View>,
    /// The client requested the view after its last notification.
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

/// The inputs of [`make`]; they hold no snapshot.
pub struct Prepared {
    address: Address,
    path: Arc<str>,
    target: Target,
    revision: u64,
    ingredients: Result<Ingredients, Vec<Problem>>,
    sources: Sources,
    /// The client's current view.
    former: Option<Arc<View>>,
}

impl Prepared {
    /// Returns the problems found by analysis that prevent a new text.
    pub fn problems(&self) -> Option<&[Problem]> {
        self.ingredients.as_ref().err().map(|problems| &**problems)
    }
    /// Makes the text without the view's first line.
    pub fn make(self) -> Result<StageText, Vec<Problem>> {
        stages::make(self.ingredients?, &self.path, self.address.stage, &self.target)
    }
}

pub fn prepare(snap: &Snapshot, address: &Address) -> Outcome<Prepared> {
    let path = path_of(&address.source);
    let mut sources = Sources::new();
    for path in report::with_imports(&snap.analysis, vec![path.clone()])? {
        sources.extend(snap.analysis.text(&path)?.map(|text| (path, text)));
    }
    let ingredients = if sources.is_empty() {
        Err(vec![Problem::error(&path, report::codes::UNREADABLE_FILE, "the program is not open")])
    } else {
        stages::ingredients(&snap.analysis, &path, &address.kernel, address.stage)?
    };
    let former = snap.views.get(address).cloned();
    let target = snap.features.options.target;
    Ok(Prepared { address: address.clone(), path, target, revision: snap.revision, ingredients, sources, former })
}

/// Makes a view, without analysis.
pub fn make(prepared: Prepared) -> (Address, Arc<View>) {
    let Prepared { address, path, target, revision, ingredients, sources, former } = prepared;
    let stage = address.stage;
    let made = ingredients.and_then(|ingredients| stages::make(ingredients, &path, stage, &target));
    let comment = stage.comment();
    let program = path.rsplit(['/', '\\']).next().unwrap_or(&path);
    let view = match made {
        Ok(made) => {
            let head = format!("{comment} {} of {} in {program}\n", stage.title(), address.kernel);
            View { revision, head, good: Some(Arc::new(Good { made, sources })) }
        }
        Err(problems) => {
            let reasons: Vec<String> = problems.iter().map(|p| reason(p, &sources)).collect();
            let first = reasons.first().map_or("the program has errors", |reason| reason);
            let good = former.as_ref().and_then(|view| view.good.clone());
            let head = match good {
                Some(_) => format!("{comment} stale: {}\n", shortened(first)),
                None => {
                    let intro = format!("{comment} stale: there is no {} of {} yet\n", stage.title(), address.kernel);
                    let lines = reasons.iter().map(|reason| format!("{comment}   {}\n", shortened(reason)));
                    intro + &lines.collect::<String>()
                }
            };
            View { revision, head, good }
        }
    };
    (address, Arc::new(view))
}

/// Formats a problem for one line, as in `evens.lift:5:10: message`.
fn reason(problem: &Problem, sources: &Sources) -> String {
    let name = problem.path.rsplit(['/', '\\']).next().unwrap_or(&problem.path);
    let text = sources.iter().find(|(path, _)| *path == problem.path).map(|(_, text)| text);
    let at = text.zip(problem.range).map(|(text, range)| {
        let start = LineIndex::new(text).position(range.start(), ColumnEncoding::Utf16);
        format!("{}:{}:", start.line + 1, start.column + 1)
    });
    format!("{name}:{} {}", at.unwrap_or_default(), problem.message)
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_REASON) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns a view that the client has requested.
fn known<'s>(snap: &'s Snapshot, uri: &Uri) -> Outcome<&'s Arc<View>> {
    let view = Address::parse(uri).and_then(|address| snap.views.get(&address));
    view.ok_or_else(|| Failure::invalid(format!("{uri} is no generated text that was asked for")))
}

/// A view with its text and line index.
pub struct Shown {
    pub view: Arc<View>,
    pub text: Arc<str>,
    pub index: Arc<LineIndex>,
}

pub fn shown(snap: &Snapshot, uri: &Uri) -> Outcome<Shown> {
    let view = known(snap, uri)?.clone();
    let text: Arc<str> = view.text().into();
    let index = Arc::new(LineIndex::new(&text));
    Ok(Shown { view, text, index })
}

/// Returns the part of a view around a range, and its location in the current source.
pub fn source_of(snap: &Snapshot, view: &View, range: TextRange) -> Cancellable<Option<(TextRange, FileRange)>> {
    let Some((part, from)) = view.part_at(range) else { return Ok(None) };
    let (Some(old), Some(new)) = (view.source(&from.path), snap.analysis.text(&from.path)?) else { return Ok(None) };
    let now = if **old == *new { Some(from.range) } else { Edited::between(old, &new).forward(from.range) };
    Ok(now.map(|range| (part, FileRange { path: from.path.clone(), range })))
}

/// Returns the parts of a view that come from a range of the current source.
pub fn generated_from(snap: &Snapshot, view: &View, path: &str, range: TextRange) -> Cancellable<Vec<TextRange>> {
    let (Some(old), Some(new)) = (view.source(path), snap.analysis.text(path)?) else { return Ok(Vec::new()) };
    let then = if **old == *new { Some(range) } else { Edited::between(old, &new).backward(range) };
    Ok(then.map_or(Vec::new(), |range| view.parts_of(path, range)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_a_stage_of_a_kernel_of_a_program() {
        let source: Uri = "file:///a%20b/c.lift".parse().expect("an address");
        for stage in Stage::ALL {
            let address = Address { source: source.clone(), kernel: "x'%é.core".to_owned(), stage };
            let uri: Uri = address.to_string().parse().expect("an address");
            assert_eq!(Address::parse(&uri), Some(address));
        }
        let address = Address { source, kernel: "x'%é".to_owned(), stage: Stage::Opencl };
        assert_eq!(address.to_string(), "lift-opencl:/x'%25%C3%A9.cl?file%3A%2F%2F%2Fa%2520b%2Fc.lift");
        for wrong in ["lift-opencl:/x.cl", "lift-opencl:/x.txt?file%3A%2F%2F%2Fa", "lift:/x.cl?file%3A%2F%2F%2Fa"] {
            assert_eq!(Address::parse(&wrong.parse().expect("an address")), None, "{wrong}");
        }
    }

    fn view(revision: u64, head: &str, map: &[(u32, u32, u32, u32)]) -> Arc<View> {
        let range = |a: u32, b: u32| TextRange::new(a.into(), b.into());
        let path: Arc<str> = "/p".into();
        let place =
            |&(a, b, c, d): &(u32, u32, u32, u32)| (range(a, b), FileRange { path: path.clone(), range: range(c, d) });
        let made = StageText { text: "x".repeat(100), map: map.iter().map(place).collect() };
        let good = Good { made, sources: vec![(path.clone(), "y".repeat(100).into())] };
        Arc::new(View { revision, head: head.to_owned(), good: Some(Arc::new(good)) })
    }

    fn range(a: u32, b: u32) -> TextRange {
        TextRange::new(a.into(), b.into())
    }

    #[test]
    fn an_expression_has_its_parts_and_a_part_its_expression() {
        // A function of the whole call 10..50; in it, a loop of the lambda 20..40, with a statement of 25..30; then
        // another function of the same call.
        let view = view(1, "12345\n", &[(0, 40, 10, 50), (5, 30, 20, 40), (10, 20, 25, 30), (50, 60, 10, 50)]);
        let parts = |a, b| view.parts_of("/p", range(a, b));
        assert_eq!(parts(26, 26), [range(16, 26)], "the innermost expression around a cursor");
        assert_eq!(parts(20, 40), [range(11, 36)], "a selected expression");
        assert_eq!(parts(22, 45), [range(16, 26)], "what lies inside a selection");
        assert_eq!(parts(12, 12), [range(6, 46), range(56, 66)], "all parts, the outermost only");
        assert_eq!(parts(60, 60), [], "nothing comes from there");
        let from = |a, b| view.part_at(range(a, b)).map(|(own, from)| (own, from.range));
        assert_eq!(from(17, 17), Some((range(16, 26), range(25, 30))));
        assert_eq!(from(12, 30), Some((range(11, 36), range(20, 40))));
        assert_eq!(from(3, 3), None, "the first line comes from nowhere");
        assert_eq!(from(49, 49), None);
    }

    #[test]
    fn the_newest_view_counts_and_is_told_once() {
        let address =
            Address { source: "file:///p".parse().expect("an address"), kernel: "k".into(), stage: Stage::Opencl };
        let mut views = Views::default();
        assert!(!views.made(&address, view(1, "a\n", &[])), "nobody wants it");
        views.given(address.clone(), view(5, "a\n", &[]));
        assert_eq!(views.wanted().collect::<Vec<_>>(), [&address]);
        assert!(!views.made(&address, view(4, "b\n", &[])), "older than what the client has");
        assert!(!views.made(&address, view(6, "a\n", &[])), "the same text");
        assert!(views.made(&address, view(7, "b\n", &[])));
        assert_eq!(views.wanted().count(), 0, "until the client asks again");
        assert!(!views.made(&address, view(8, "c\n", &[])));
        views.given(address.clone(), view(7, "b\n", &[]));
        let kept = views.get(&address).expect("a view");
        assert_eq!((kept.revision, &*kept.head), (8, "c\n"), "an older one does not replace it");
    }
}
