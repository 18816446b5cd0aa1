//! Diagnostics with source ranges: first relative to the form, then in the file.
//!
//! `fixes`: validation of the proposed fixes. `remainder`: the fix of a failure at run time.

mod fixes;
pub(super) mod remainder;

use super::locate::definition_of;
use super::{CodeFix, FileDiagnostic, FileRange, RelatedPlace, SourceChange, TextEdit};
use crate::db::{Db, Form, SourceFile, Sym, forms, forms_in, language};
use crate::diagnostics::{Code, Diagnostic, Edit, Obligation, Place, Problem, Severity};
use crate::hir::{FormKind, Name, Node, SourceMap};
use crate::import_checks::import_diagnostics;
use crate::infer::{Inference, Mode};
use crate::names::resolve;
use crate::queries::{Errors, body, infer, infer_explicit, infer_in_order, lower_form, placement};
use lift_syntax::{Language, SyntaxErrorCode, TextRange, TextSize};
use std::sync::Arc;

/// A diagnostic of one form. Ranges are relative to the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormDiagnostic {
    pub range: TextRange,
    pub code: &'static str,
    pub severity: Severity,
    pub message: String,
    pub related: Vec<(FormPlace, String)>,
    pub fixes: Vec<FormFix>,
    /// See [`FileDiagnostic::obligation`].
    pub obligation: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormPlace {
    Here(TextRange),
    Definition(Name),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormFix {
    pub title: String,
    pub certain: bool,
    /// Sorted and disjoint.
    pub edits: Vec<(TextRange, String)>,
}

/// The diagnostics of a single form. Edits above the form do not change them.
#[salsa::tracked]
pub fn form_diagnostics(db: &dyn Db, form: Form) -> Vec<FormDiagnostic> {
    found_in(db, form, Mode::Insert)
}

/// [`form_diagnostics`] without insertions.
#[salsa::tracked]
pub fn explicit_form_diagnostics(db: &dyn Db, form: Form) -> Vec<FormDiagnostic> {
    found_in(db, form, Mode::Explicit)
}

fn found_in(db: &dyn Db, form: Form, mode: Mode) -> Vec<FormDiagnostic> {
    let inference = match mode {
        Mode::Insert => infer(db, form),
        Mode::Explicit => infer_explicit(db, form),
    };
    let syntax = syntax_errors(db, form);
    let errors = Errors::of(syntax.len(), inference.diagnostics.iter().chain(placement(db, form)));
    let mut found = syntax;
    // Without a closing bracket, or with parts left over, parts are in other groups than they are meant to be.
    let is_regrouped = |code| matches!(code, SyntaxErrorCode::Unclosed | SyntaxErrorCode::Extra);
    let regrouped = lower_form(db, form).errors.iter().any(|error| is_regrouped(error.code));
    if !regrouped {
        found.extend(node_diagnostics(db, form, &inference));
    }
    // The fixes of an import cannot be validated on its text alone.
    if form.kind(db) != lift_syntax::FormKind::Import {
        fixes::keep_those_that_mend(db, form, mode, errors, &mut found);
    }
    found
}

fn node_diagnostics(db: &dyn Db, form: Form, inference: &Inference) -> Vec<FormDiagnostic> {
    let mut nodes: Vec<&Diagnostic> = inference.diagnostics.iter().chain(placement(db, form)).collect();
    if matches!(body(db, form).kind, FormKind::Import(_)) {
        nodes.extend(import_diagnostics(db, form));
    }
    // Report the recursion of a definition once.
    let first = nodes.iter().position(|diagnostic| diagnostic.code == Code::Recursion);
    let mut index = 0..;
    nodes.retain(|diagnostic| index.next() == first || diagnostic.code != Code::Recursion);
    nodes.into_iter().map(|diagnostic| place(db, form, diagnostic)).collect()
}

fn syntax_errors(db: &dyn Db, form: Form) -> Vec<FormDiagnostic> {
    let place = |error: &lift_syntax::SyntaxError| FormDiagnostic {
        range: error.range,
        code: error.code.as_str(),
        severity: if error.code.is_warning() { Severity::Warning } else { Severity::Error },
        message: error.message.clone(),
        related: error.related.iter().map(|(range, text)| (FormPlace::Here(*range), text.clone())).collect(),
        fixes: error.fix.iter().map(syntax_fix).collect(),
        obligation: None,
    };
    lower_form(db, form).errors.iter().map(place).collect()
}

fn syntax_fix(fix: &lift_syntax::SyntaxFix) -> FormFix {
    let edits = vec![(fix.edit.range, fix.edit.insert.clone())];
    FormFix { title: fix.label.clone(), certain: true, edits }
}

/// Converts nodes to ranges. For APL, only the range and a general message remain, because the terms are generated.
fn place(db: &dyn Db, form: Form, diagnostic: &Diagnostic) -> FormDiagnostic {
    if language(db, form.file(db)) != Language::Lift {
        return FormDiagnostic {
            range: lower_form(db, form).map.range(diagnostic.at),
            code: diagnostic.code.as_str(),
            severity: diagnostic.severity,
            message: foreign_message(diagnostic),
            related: Vec::new(),
            fixes: Vec::new(),
            obligation: None,
        };
    }
    let (map, text) = (&lower_form(db, form).map, &**form.text(db));
    let related = diagnostic.related.iter().map(|related| {
        let place = match &related.place {
            Place::Here(node) => FormPlace::Here(map.range(*node)),
            Place::Definition(name) => FormPlace::Definition(name.clone()),
        };
        (place, related.message.clone())
    });
    let fixes = diagnostic.fixes.iter().map(|fix| {
        let mut edits: Vec<(TextRange, String)> = fix.edits.iter().map(|edit| text_edit(edit, map, text)).collect();
        edits.sort_by_key(|(range, _)| (range.start(), range.end()));
        FormFix { title: fix.title.clone(), certain: fix.certain, edits }
    });
    FormDiagnostic {
        range: map.range(diagnostic.at),
        code: diagnostic.code.as_str(),
        severity: diagnostic.severity,
        message: diagnostic.message.clone(),
        related: related.collect(),
        fixes: fixes.collect(),
        obligation: diagnostic.obligation.as_deref().map(obligation_label),
    }
}

/// A message in terms of arrays, for a program that is not written in Lift.
fn foreign_message(diagnostic: &Diagnostic) -> String {
    match (&diagnostic.obligation, diagnostic.code) {
        (Some(lengths), _) => format!("the lengths {} and {} must be equal", lengths.left.0, lengths.right.0),
        (None, Code::TooComplex) => "this is too large to be checked".to_owned(),
        _ => "the translation is not a valid program: a defect of the front end".to_owned(),
    }
}

/// `✗ X1 = X2`
pub(super) fn obligation_label(obligation: &Obligation) -> String {
    format!("✗ {} = {}", obligation.left.0, obligation.right.0)
}

fn text_edit(edit: &Edit, map: &SourceMap, text: &str) -> (TextRange, String) {
    match edit {
        Edit::Replace(node, text) => (map.range(*node), text.clone()),
        Edit::InsertBefore(node, text) => (TextRange::empty(map.range(*node).start()), text.clone()),
        Edit::InsertAfter(node, text) => (TextRange::empty(map.range(*node).end()), text.clone()),
        Edit::CopyBefore { at, before, of, after } => {
            let copied = text.get(std::ops::Range::<usize>::from(map.range(*of))).unwrap_or_default();
            (TextRange::empty(map.range(*at).start()), format!("{before}{copied}{after}"))
        }
    }
}

/// All diagnostics of a file, in order of location.
pub fn file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<FileDiagnostic> {
    infer_in_order(db, forms(db, file), Mode::Insert);
    of_forms(db, forms(db, file), Mode::Insert)
}

/// The diagnostics of the forms that touch a range.
pub(super) fn diagnostics_near(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<FileDiagnostic> {
    let around = forms_in(db, file, range);
    infer_in_order(db, around, Mode::Insert);
    of_forms(db, around, Mode::Insert)
}

/// [`file_diagnostics`] without insertions.
pub fn explicit_file_diagnostics(db: &dyn Db, file: SourceFile) -> Vec<FileDiagnostic> {
    infer_in_order(db, forms(db, file), Mode::Explicit);
    of_forms(db, forms(db, file), Mode::Explicit)
}

/// The diagnostics of some forms, in order of location. Infers what the forms need.
pub(super) fn of_forms(db: &dyn Db, forms: &[Form], mode: Mode) -> Vec<FileDiagnostic> {
    let mut found = Vec::new();
    for &form in forms {
        let own = match mode {
            Mode::Insert => form_diagnostics(db, form),
            Mode::Explicit => explicit_form_diagnostics(db, form),
        };
        found.extend(own.iter().map(|diagnostic| in_file(db, form, diagnostic)));
        if form.file(db).repeated(db).contains(&form) {
            let repeated = match form.name(db) {
                Some(name) => duplicate(db, form, name),
                None => second_unnamed_kernel(db, form),
            };
            found.push(in_file(db, form, &repeated));
        }
    }
    found.sort_by_key(|diagnostic| (diagnostic.range.start(), diagnostic.range.end()));
    // Kernels whose forms are the same text share its errors.
    found.dedup();
    found
}

fn duplicate(db: &dyn Db, form: Form, name: &Name) -> FormDiagnostic {
    let diagnostic = Diagnostic::new(Node::FormName, &Problem::DuplicateDefinition { name: name.clone() });
    let mut placed = place(db, form, &diagnostic);
    placed.related.push((FormPlace::Definition(name.clone()), "the first definition".into()));
    placed
}

fn second_unnamed_kernel(db: &dyn Db, form: Form) -> FormDiagnostic {
    place(db, form, &Diagnostic::new(Node::FormName, &Problem::SecondUnnamedKernel))
}

/// Moves a diagnostic from its form to the file. The only step that reads where forms start.
fn in_file(db: &dyn Db, form: Form, diagnostic: &FormDiagnostic) -> FileDiagnostic {
    let start = form.start(db);
    let path = form.file(db).path(db);
    let related = diagnostic.related.iter().filter_map(|(place, message)| {
        let at = match place {
            FormPlace::Here(range) => FileRange { path: path.clone(), range: *range + start },
            FormPlace::Definition(name) => {
                let resolution = resolve(db, form.file(db), Sym::new(db, name.clone()))?;
                let target = definition_of(db, resolution)?;
                FileRange { path: target.file.path, range: target.focus }
            }
        };
        Some(RelatedPlace { at, message: readable(message) })
    });
    let fixes = diagnostic.fixes.iter().map(|fix| CodeFix {
        title: readable(&fix.title),
        certain: fix.certain,
        change: change(path, start, &fix.edits),
    });
    FileDiagnostic {
        range: diagnostic.range + start,
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: readable(&diagnostic.message),
        related: related.collect(),
        fixes: fixes.collect(),
        obligation: diagnostic.obligation.clone(),
        unnecessary: Code::named(diagnostic.code).is_some_and(Code::is_about_unneeded_text),
    }
}

/// Shortens the middle of a message that quotes a very long name or type.
fn readable(message: &str) -> String {
    const HEAD: usize = 1200;
    const TAIL: usize = 400;
    let length = message.chars().count();
    if length <= HEAD + TAIL {
        return message.to_owned();
    }
    let head: String = message.chars().take(HEAD).collect();
    let tail: String = message.chars().skip(length - TAIL).collect();
    format!("{head} … {tail}")
}

/// Edits of one form as a change of its file.
pub(super) fn change(path: &Arc<str>, start: TextSize, edits: &[(TextRange, String)]) -> SourceChange {
    let edit = |(range, new_text): &(TextRange, String)| TextEdit { range: *range + start, new_text: new_text.clone() };
    SourceChange { files: vec![(path.clone(), edits.iter().map(edit).collect())] }
}
