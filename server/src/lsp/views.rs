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
//!
//! [`view`]: generated texts, their addresses, and the cache of them.

pub mod view;

use self::view::{Address, Good, Sources, View};
use super::documents::path_of;
use super::outcome::{Failure, Outcome};
use super::snapshot::Snapshot;
use crate::align::Edited;
use crate::report::{self, Problem};
use crate::stages::{self, Ingredients, StageText};
use lift_analysis::ide::{Cancellable, FileRange};
use lift_codegen::target::Target;
use lift_syntax::{ColumnEncoding, LineIndex, TextRange};
use std::sync::Arc;
use tower_lsp_server::gen_lsp_types::Uri;

/// Maximal length of the reason in the first line of a stale view, in characters.
const MAX_REASON: usize = 240;

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
    view.ok_or_else(|| Failure::invalid(format!("{uri} is not a requested generated text")))
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
    use super::view::Views;
    use super::*;
    use crate::stages::Stage;

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
