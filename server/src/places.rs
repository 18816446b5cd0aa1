//! Source places of origins.

use lift_analysis::ide::{Analysis, Cancellable, FileRange, Stopped};
use lift_analysis::origin::Origin;
use lift_codegen::run::report::{Place, Position, Range};
use lift_syntax::ColumnEncoding;
use std::cell::Cell;
use std::path::Path;

/// Finds the place of an origin.
pub type Find<'a> = &'a dyn Fn(&Origin) -> Cancellable<Option<Place>>;

/// Calls `f` with a function that formats the start of an origin as `line:column`, from 1.
pub fn with_places<T>(analysis: &Analysis, f: impl FnOnce(&dyn Fn(&Origin) -> String) -> T) -> Cancellable<T> {
    with_found(&|origin| place(analysis, origin), start_of, f)
}

/// As [`with_places`], for places that are found or formatted in another way.
pub fn with_found<T>(
    find: Find<'_>,
    format: fn(&Place) -> String,
    f: impl FnOnce(&dyn Fn(&Origin) -> String) -> T,
) -> Cancellable<T> {
    let located = Located::default();
    let result = f(&|origin| located.answer(find(origin)).map_or(String::new(), |place| format(&place)));
    located.stopped.into_inner().map_or(Ok(result), Err)
}

/// The start of a place as `line:column`, from 1.
pub fn start_of(place: &Place) -> String {
    let start = place.range.start;
    format!("{}:{}", start.line + 1, start.character + 1)
}

/// The start of a place with the name of its file, as `first.lift:3:5`.
pub fn named_start_of(place: &Place) -> String {
    let name = Path::new(&place.file).file_name().unwrap_or_default().to_string_lossy();
    format!("{name}:{}", start_of(place))
}

/// Resolves origins for callbacks that cannot return a cancellation; stores it instead.
#[derive(Default)]
pub struct Located {
    pub stopped: Cell<Option<Stopped>>,
}

impl Located {
    pub fn find(&self, analysis: &Analysis, origin: &Origin) -> Option<Place> {
        self.answer(place(analysis, origin))
    }

    pub fn answer(&self, answer: Cancellable<Option<Place>>) -> Option<Place> {
        answer.unwrap_or_else(|stopped| {
            self.stopped.set(Some(stopped));
            None
        })
    }
}

pub fn place(analysis: &Analysis, origin: &Origin) -> Cancellable<Option<Place>> {
    match analysis.resolve_origin(origin)? {
        Some(at) => place_of(analysis, &at),
        None => Ok(None),
    }
}

pub fn place_of(analysis: &Analysis, at: &FileRange) -> Cancellable<Option<Place>> {
    let Some(index) = analysis.line_index(&at.path)? else { return Ok(None) };
    let position = |offset| {
        let at = index.position(offset, ColumnEncoding::Utf16);
        Position { line: at.line, character: at.column }
    };
    let range = Range { start: position(at.range.start()), end: position(at.range.end()) };
    Ok(Some(Place { file: at.path.to_string(), range }))
}
