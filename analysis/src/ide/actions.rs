//! Code actions: quick fixes, rewrites and formatting.
//!
//! | module | job |
//! |---|---|
//! | `trial` | validation of a rewrite before it is offered |
//! | `laws` | rewrites by laws |
//! | `mend` | quick fixes that need more than the form with the mistake |
//! | `refactor` | rewrites of one form that preserve its type |
//! | `settings` | writes settings of a kernel into its text, as a `with` |

mod laws;
mod mend;
mod refactor;
mod settings;
mod trial;

use super::diagnostics::diagnostics_near;
use super::explicit::{explicit_form, explicit_here, implicit_form, one_file};
use super::locate::{View, inferred_form_at};
use super::{CodeAction, SourceChange, TextEdit};
use crate::db::{Db, Form, SourceFile, forms};
use crate::hir::{FormKind, Name};
use crate::laws::Law;
use crate::parameters::Settings;
use lift_syntax::{TextRange, TextSize};

/// Code action kinds of the protocol.
pub const QUICK_FIX: &str = "quickfix";
pub const EXPLICIT_HERE: &str = "refactor.rewrite.lift.explicit.here";
pub const EXPLICIT_FORM: &str = "refactor.rewrite.lift.explicit.form";
pub const EXPLICIT_FILE: &str = "source.lift.explicit.file";
pub const IMPLICIT: &str = "refactor.rewrite.lift.implicit";

/// The kinds of the other rewrites.
pub mod kinds {
    pub const NAME_LENGTH: &str = "refactor.rewrite.lift.nameLength";
    pub const ANNOTATE: &str = "refactor.rewrite.lift.annotate";
    pub const EXTRACT_LET: &str = "refactor.extract.lift.let";
    pub const EXTRACT_DEFINE: &str = "refactor.extract.lift.define";
    pub const INLINE: &str = "refactor.inline.lift";
    pub const ETA: &str = "refactor.rewrite.lift.eta";
    pub const COMPOSE: &str = "refactor.rewrite.lift.compose";
    pub const NAME_ARGUMENTS: &str = "refactor.rewrite.lift.nameArguments";
    pub const PLACE: &str = "refactor.rewrite.lift.place";
    pub const LAW: &str = "refactor.rewrite.lift.law";
}

/// Every kind that is offered; `docs/actions.md` has an example of each.
pub const KINDS: &[&str] = &[
    QUICK_FIX,
    EXPLICIT_HERE,
    EXPLICIT_FORM,
    EXPLICIT_FILE,
    IMPLICIT,
    kinds::NAME_LENGTH,
    kinds::ANNOTATE,
    kinds::EXTRACT_LET,
    kinds::EXTRACT_DEFINE,
    kinds::INLINE,
    kinds::ETA,
    kinds::COMPOSE,
    kinds::NAME_ARGUMENTS,
    kinds::PLACE,
    kinds::LAW,
];

pub(super) fn code_actions(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<CodeAction> {
    let mut actions = quick_fixes(db, file, range);
    if let Some(view) = inferred_form_at(db, file, range.start()) {
        let mut offer = |title: &str, kind, edit: Option<TextEdit>| {
            if let Some(edit) = edit {
                let title = title.to_owned();
                actions.push(CodeAction { title, kind, change: one_file(&view, edit), preferred: false });
            }
        };
        offer("Make pack/unpack explicit here", EXPLICIT_HERE, explicit_here(&view, range.start()));
        offer("Make pack/unpack explicit in this form", EXPLICIT_FORM, explicit_form(db, view.form));
        offer("Remove redundant pack/unpack", IMPLICIT, implicit_form(&view));
        refactor::refactorings(&view, range, &mut actions);
        mend::mends(&view, range, &mut actions);
        actions.extend(laws::rewrites(&view, range));
    }
    actions
}

/// The rewrites of a file by one law, wherever it applies.
pub(super) fn rewrites_by(db: &dyn Db, file: SourceFile, law: &Law) -> Vec<CodeAction> {
    let all = forms(db, file).iter().filter_map(|form| inferred_form_at(db, file, form.start(db)));
    all.flat_map(|view| laws::rewrites_by(&view, law)).collect()
}

/// The rewrites of forms of a file by laws without conditions for the programmer to check, each with its law's name.
pub(super) fn certain_rewrites(db: &dyn Db, file: SourceFile, of: &[Form]) -> Vec<(Name, SourceChange)> {
    let views = of.iter().filter_map(|form| inferred_form_at(db, file, form.start(db)));
    views.flat_map(|view| laws::certain_rewrites(&view)).collect()
}

/// The edit after which the kernel at an offset has these settings.
pub(super) fn write_settings(db: &dyn Db, file: SourceFile, at: TextSize, settings: &Settings) -> Option<SourceChange> {
    let view = inferred_form_at(db, file, at).filter(|view| view.body.kind == FormKind::Kernel)?;
    settings::write_settings(&view, settings)
}

/// The edit that adds a copy of the kernel at an offset, with these settings, another name and documentation.
pub(super) fn copy_with_settings(
    db: &dyn Db,
    file: SourceFile,
    at: TextSize,
    settings: &Settings,
    name: &str,
    docs: &str,
) -> Option<SourceChange> {
    let view = inferred_form_at(db, file, at).filter(|view| view.body.kind == FormKind::Kernel)?;
    settings::copy_with_settings(&view, settings, name, docs)
}

/// The title of [`explicit_in_file`].
pub const EXPLICIT_FILE_TITLE: &str = "Make pack/unpack explicit in the file";

/// Writes out the insertions of `inserted`, the forms of the file that have any; `None` if there are none.
pub(super) fn explicit_in_file(db: &dyn Db, file: SourceFile, inserted: &[Form]) -> Option<CodeAction> {
    let edits: Vec<TextEdit> = inserted.iter().filter_map(|&form| explicit_form(db, form)).collect();
    (!edits.is_empty()).then(|| CodeAction {
        title: EXPLICIT_FILE_TITLE.into(),
        kind: EXPLICIT_FILE,
        change: SourceChange { files: vec![(file.path(db).clone(), edits)] },
        preferred: false,
    })
}

/// The edit that writes out the type of the name ending at an offset.
pub(super) fn annotation_at(view: &View<'_>, at: TextSize) -> Option<SourceChange> {
    refactor::annotation_at(view, at)
}

/// The edit that writes out the default type of the operator ending at an offset.
pub(super) fn default_at(view: &View<'_>, at: TextSize) -> Option<SourceChange> {
    refactor::default_at(view, at)
}

/// The edit that places the primitive ending at an offset at `level`, such as `Glb0`.
pub(super) fn placed_at(view: &View<'_>, at: TextSize, level: &str) -> Option<SourceChange> {
    refactor::placed_at(view, at, level)
}

/// The edit that writes out the insertions in the scope around an offset; `None` if the form then no longer checks to
/// the same type.
pub(super) fn explicit_at(view: &View<'_>, at: TextSize) -> Option<SourceChange> {
    let edit = explicit_here(view, at)?;
    let mut after = view.text().to_owned();
    after.replace_range(std::ops::Range::<usize>::from(edit.range - view.start), &edit.new_text);
    trial::tried(view, after, trial::Keeps::Type, None)
}

fn quick_fixes(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<CodeAction> {
    let found = diagnostics_near(db, file, range);
    let near = found.iter().filter(|diagnostic| diagnostic.range.intersect(range).is_some());
    near.flat_map(|diagnostic| &diagnostic.fixes)
        .map(|fix| CodeAction {
            title: fix.title.clone(),
            kind: QUICK_FIX,
            change: fix.change.clone(),
            preferred: fix.certain,
        })
        .collect()
}

/// The edits that format the white space of a file.
pub(super) fn format(db: &dyn Db, file: SourceFile) -> Vec<TextEdit> {
    layout(lift_syntax::format_edits(file.text(db)))
}

/// The edits that format the forms touching a range. Only their neighbours affect them.
pub(super) fn format_range(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<TextEdit> {
    let split = file.split(db);
    let first = split.partition_point(|form| form.range.end() < range.start()).saturating_sub(1);
    let behind = split.partition_point(|form| form.range.start() <= range.end()) + 1;
    let text = file.text(db);
    let start = if first == 0 { TextSize::new(0) } else { split[first].range.start() };
    let end = split.get(behind).map_or(TextSize::of(&**text), |form| form.range.start());
    let part = TextRange::new(start, end);
    let Some(within) = range.intersect(part) else { return Vec::new() };
    let edits = layout(lift_syntax::format_range(&text[part], within - start));
    edits.into_iter().map(|edit| TextEdit { range: edit.range + start, ..edit }).collect()
}

fn layout(edits: Vec<lift_syntax::TextEdit>) -> Vec<TextEdit> {
    edits.into_iter().map(|edit| TextEdit { range: edit.range, new_text: edit.insert }).collect()
}
