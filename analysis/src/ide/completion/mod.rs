//! Completion at the cursor.
//!
//! The form around the cursor is parsed again with a hole of any type ([`context`]). The type inferred for the hole is
//! the expected type, and candidates that fit it ([`fit`]) come first. This works on incomplete forms too, because
//! parsing and inference always return a result.
//!
//! | module | job |
//! |---|---|
//! | `context` | the context of the cursor |
//! | `snippet` | text with placeholders |
//! | `fit` | fit between a candidate's type and the expected type |
//! | `expressions` | completion of expressions |
//! | `postfix` | postfix completion, `xs.map` |
//! | `words` | completion of types, sizes, keywords and import paths |

mod context;
mod expressions;
mod fit;
mod postfix;
mod snippet;
mod words;

pub use snippet::Snippet;
pub(super) use snippet::hole_names;

use super::TextEdit;
use super::digest::Definitions;
use super::scope::is_subsequence;
use crate::db::{Db, SourceFile, Sym};
use crate::hir::Name;
use crate::names::{Resolution, resolve};
use crate::queries::{docs, signature};
use context::{Context, Place};
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// Limit on the candidates sent. Beyond it, the editor asks again when more is typed.
const MOST: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CompletionKind {
    Local,
    Size,
    Definition,
    Kernel,
    Primitive,
    /// A keyword.
    Word,
    Type,
    /// A rewrite of the expression before the cursor.
    Postfix,
    File,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionItem {
    pub label: String,
    pub kind: CompletionKind,
    /// The type, or the sort of candidate.
    pub detail: String,
    /// The origin if it is not this file: another file, or the prelude.
    pub source: Option<String>,
    /// The text that replaces [`Completions::replace`].
    pub insert: Snippet,
    /// Edits outside the replaced range.
    pub additional: Vec<TextEdit>,
    /// The text that an editor compares with the typed text, if not the label.
    pub filter: Option<String>,
    /// The name by which [`documentation`] finds it.
    pub documented: Option<Name>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Completions {
    /// The text already typed.
    pub replace: TextRange,
    /// Best first.
    pub items: Vec<CompletionItem>,
    /// Whether no candidate was left out.
    pub complete: bool,
}

/// Completes at an offset; `known` gives the definitions of a file.
pub(super) fn completions(
    db: &dyn Db,
    known: &dyn Fn(SourceFile) -> Arc<Definitions>,
    file: SourceFile,
    offset: TextSize,
) -> Completions {
    let Some(context) = Context::at(db, file, offset) else {
        return Completions { complete: true, ..Default::default() };
    };
    let mut ranked = Ranked::default();
    match context.place {
        Place::Expr { head, args } => expressions::complete(&context, known, head, args, &mut ranked),
        Place::Type { head } => words::types(head, &mut ranked),
        Place::Size { head, hash } => words::sizes(&context, head, hash, &mut ranked),
        Place::Parameter { brackets } => words::parameters(brackets, &mut ranked),
        Place::ParameterValue(ref name) => words::values(name, &mut ranked),
        Place::ArrayName => expressions::arrays(&context, &mut ranked),
        Place::Form { head } => words::forms(&context, head, &mut ranked),
        Place::Path => words::paths(&context, &mut ranked),
        Place::Postfix { receiver } => postfix::complete(&context, receiver, &mut ranked),
    }
    ranked.finish(context.typed, &context.typed_text)
}

/// Candidates with scores, highest first.
#[derive(Default)]
pub(super) struct Ranked {
    items: Vec<(i32, CompletionItem)>,
    /// The number of candidates left out because [`MOST`] of their sort are better.
    left_out: usize,
}

impl Ranked {
    fn push(&mut self, score: i32, item: CompletionItem) {
        self.push_fine(score, 0, item);
    }

    /// Adds a candidate; among equal scores, the smaller `place` comes first.
    fn push_fine(&mut self, score: i32, place: usize, item: CompletionItem) {
        self.items.push((1000 * score - place.min(999) as i32, item));
    }

    /// Drops the candidates that [`Ranked::finish`] would drop if there were no others. `of` gives score and label;
    /// `all` is the number of candidates before any was dropped.
    fn best_of<T>(&mut self, candidates: &mut Vec<T>, all: usize, of: impl Fn(&T) -> (i32, &Name)) {
        if all <= MOST {
            return;
        }
        candidates.sort_by(|a, b| {
            let ((a, x), (b, y)) = (of(a), of(b));
            b.cmp(&a).then_with(|| x.len().cmp(&y.len())).then_with(|| x.cmp(y))
        });
        candidates.truncate(MOST);
        self.left_out += all - candidates.len();
    }

    fn finish(mut self, replace: TextRange, typed: &str) -> Completions {
        let complete = self.items.len() + self.left_out <= MOST;
        if !complete {
            self.items.retain(|(_, item)| is_subsequence(typed, item.filter.as_deref().unwrap_or(&item.label)));
        }
        // Order by name last, so that the result never depends on hash order.
        self.items.sort_by(|(a, x), (b, y)| {
            b.cmp(a).then_with(|| x.label.len().cmp(&y.label.len())).then_with(|| x.label.cmp(&y.label))
        });
        self.items.truncate(MOST);
        Completions { replace, items: self.items.into_iter().map(|(_, item)| item).collect(), complete }
    }
}

/// The type and then the documentation of a name that is not local, as Markdown.
pub(super) fn documentation(db: &dyn Db, file: SourceFile, name: &str) -> Option<String> {
    let (ty, text) = match resolve(db, file, Sym::new(db, Name::from(name)))? {
        Resolution::Primitive(primitive) => (primitive.scheme.to_string(), Some(primitive.docs.clone())),
        Resolution::Form(form) => (signature(db, form)?.to_string(), docs(db, form).map(|docs| docs.to_string())),
    };
    let text: Vec<String> = text
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| !super::outline::is_for_programs(line))
        .map(str::to_owned)
        .collect();
    Some(format!("```lift\n{name} : {ty}\n```\n\n{}", text.join("\n")).trim_end().to_owned())
}
