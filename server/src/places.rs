//! Source places of origins.

use lift_analysis::ide::{Analysis, Cancellable, Stopped};
use lift_analysis::origin::Origin;
use lift_codegen::run::report::{Place, Position, Range};
use lift_syntax::ColumnEncoding;
use std::cell::Cell;

/// Calls `f` with a function that formats the start of an origin as `line:column`, from 1.
pub fn with_places<T>(analysis: &Analysis, f: impl FnOnce(&dyn Fn(&Origin) -> String) -> T) -> Cancellable<T> {
    let located = Located::default();
    let result = f(&|origin| match located.find(analysis, origin) {
        Some(Place { range: Range { start, .. }, .. }) => format!("{}:{}", start.line + 1, start.character + 1),
        None => String::new(),
    });
    located.stopped.into_inner().map_or(Ok(result), Err)
}

/// Resolves origins for callbacks that cannot return a cancellation; stores it instead.
#[derive(Default)]
pub struct Located {
    pub stopped: Cell<Option<Stopped>>,
}

impl Located {
    pub fn find(&self, analysis: &Analysis, origin: &Origin) -> Option<Place> {
        place(analysis, origin).unwrap_or_else(|stopped| {
            self.stopped.set(Some(stopped));
            None
        })
    }
}

pub fn place(analysis: &Analysis, origin: &Origin) -> Cancellable<Option<Place>> {
    let Some(at) = analysis.resolve_origin(origin)? else { return Ok(None) };
    let Some(index) = analysis.line_index(&at.path)? else { return Ok(None) };
    let position = |offset| {
        let at = index.position(offset, ColumnEncoding::Utf16);
        Position { line: at.line, character: at.column }
    };
    let range = Range { start: position(at.range.start()), end: position(at.range.end()) };
    Ok(Some(Place { file: at.path.to_string(), range }))
}
