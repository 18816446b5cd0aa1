//! The contents of a file: symbols, kernels, types.

use super::apl;
use super::locate::View;
use super::scope::is_subsequence;
use super::{DocLine, DocLineKind, FormType, KernelInfo, KernelName, Symbol, SymbolKind};
use crate::bodies::kernel_lines;
use crate::db::{Db, Files, Form, SourceFile, forms, forms_in, is_builtin};
use crate::hir::{Expr, FormKind, Name, Node};
use crate::infer::Mode;
use crate::names::file_stem;
use crate::queries::{body, docs, infer_in_order, lower_form, signature};
use crate::ty::TyKind;
use lift_syntax::{TextRange, TextSize};
use std::sync::Arc;

/// The symbol of a form. Ranges are relative to the form.
pub(super) fn symbol_of(db: &dyn Db, form: Form) -> Option<Symbol> {
    let body = body(db, form);
    let scheme = signature(db, form);
    let (name, kind) = match &body.kind {
        FormKind::Import(path) => (path.to_string(), SymbolKind::Import),
        FormKind::Kernel => match &body.name {
            Some(name) => (name.to_string(), SymbolKind::Kernel),
            None => (file_stem(form.file(db).path(db)).to_owned(), SymbolKind::Kernel),
        },
        FormKind::Define | FormKind::Primitive => {
            let function = scheme.as_ref().is_none_or(|scheme| matches!(scheme.ty.kind(), TyKind::Fun(..)));
            let kind = if function { SymbolKind::Function } else { SymbolKind::Constant };
            (body.name.as_ref()?.to_string(), kind)
        }
        FormKind::Unknown => return None,
    };
    Some(Symbol {
        name,
        detail: scheme.map(|scheme| scheme.to_string()).unwrap_or_default(),
        kind,
        range: apl::kernel_range(db, form).unwrap_or_else(|| without_docs(form.text(db))),
        focus: lower_form(db, form).map.range(Node::FormName),
    })
}

/// The range of the form without its documentation.
fn without_docs(text: &str) -> TextRange {
    let tokens = lift_syntax::lex(text);
    let first = (0..tokens.len()).find(|&token| !tokens.kind(token).is_trivia());
    let start = first.map_or(TextSize::new(0), |token| tokens.range(token).start());
    TextRange::new(start, TextSize::of(text))
}

/// The symbol of a form, with ranges in the file.
pub(super) fn symbol_in_file(db: &dyn Db, form: Form) -> Option<Symbol> {
    infer_in_order(db, &[form], Mode::Insert);
    let mut symbol = symbol_of(db, form)?;
    symbol.range += form.start(db);
    symbol.focus += form.start(db);
    Some(symbol)
}

/// Limit on the symbols returned.
const MOST_SYMBOLS: usize = 200;

/// The definitions and kernels of all files whose names match, best first, each with its path.
pub(super) fn workspace_symbols(db: &dyn Db, query: &str) -> Vec<(Arc<str>, Symbol)> {
    let mut found: Vec<(u8, Name, Form)> = Vec::new();
    let lower = query.to_lowercase();
    for &file in Files::get(db).by_path(db).values() {
        if is_builtin(db, file) {
            continue;
        }
        for &form in forms(db, file) {
            let kernel = form.kind(db) == lift_syntax::FormKind::Lift;
            if !kernel && form.kind(db) != lift_syntax::FormKind::Define {
                continue;
            }
            let name = match form.name(db) {
                Some(name) => name.clone(),
                None if kernel => Name::from(file_stem(file.path(db))),
                None => continue,
            };
            if is_subsequence(query, &name) {
                let starts = name.to_lowercase().starts_with(&lower);
                let rank = if *name == *query { 0 } else { 2 - u8::from(starts) };
                found.push((rank, name, form));
            }
        }
    }
    found.sort_by(|(a, x, f), (b, y, g)| {
        a.cmp(b)
            .then_with(|| x.cmp(y))
            .then_with(|| f.file(db).path(db).cmp(g.file(db).path(db)))
            .then_with(|| f.nth(db).cmp(&g.nth(db)))
    });
    found.truncate(MOST_SYMBOLS);
    found
        .into_iter()
        .filter_map(|(_, _, form)| Some((form.file(db).path(db).clone(), symbol_in_file(db, form)?)))
        .collect()
}

/// The types of symbols.
pub(super) fn types(db: &dyn Db, symbols: Vec<(Form, Symbol)>) -> Vec<FormType> {
    let typed = symbols
        .into_iter()
        .filter(|(form, symbol)| symbol.kind != SymbolKind::Import && body(db, *form).kind != FormKind::Primitive);
    typed.map(|(_, symbol)| FormType { name: symbol.name, ty: symbol.detail, range: symbol.focus }).collect()
}

/// The kernels among symbols.
pub(super) fn kernels(db: &dyn Db, symbols: Vec<(Form, Symbol)>) -> Vec<KernelInfo> {
    let kernels = symbols.into_iter().filter(|(_, symbol)| symbol.kind == SymbolKind::Kernel);
    kernels.map(|(form, symbol)| kernel(&View::of(db, form), symbol)).collect()
}

/// The kernels that touch a range.
pub(super) fn kernels_in(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<KernelInfo> {
    forms_in(db, file, range).iter().filter_map(|&form| kernel_of(db, form)).collect()
}

/// The kernel that a form defines.
pub(super) fn kernel_of(db: &dyn Db, form: Form) -> Option<KernelInfo> {
    let symbol = symbol_in_file(db, form).filter(|symbol| symbol.kind == SymbolKind::Kernel)?;
    Some(kernel(&View::of(db, form), symbol))
}

/// Limit on the forms around a range in which kernels are searched.
const NEAR: usize = 256;

/// The kernels that touch a range, then the nearest others, at most `most`.
pub(super) fn kernels_near(db: &dyn Db, file: SourceFile, range: TextRange, most: usize) -> Vec<KernelInfo> {
    let split = file.split(db);
    let first = split.partition_point(|form| form.range.end() < range.start());
    let end = split.partition_point(|form| form.range.start() <= range.end()).max(first);
    let around = first.saturating_sub(NEAR)..(end + NEAR).min(split.len());
    let away = |form: TextRange| {
        let above = u32::from(range.start()).saturating_sub(form.end().into());
        let below = u32::from(form.start()).saturating_sub(range.end().into());
        above.max(below)
    };
    let mut near: Vec<(u32, Form)> = around
        .filter(|&place| split[place].kind == lift_syntax::FormKind::Lift)
        .filter_map(|place| Some((away(split[place].range), *forms(db, file).get(place)?)))
        .collect();
    near.sort_by_key(|(away, _)| *away);
    near.truncate(most);
    let kernels = near.into_iter().filter_map(|(_, form)| Some(kernel(&View::of(db, form), symbol_in_file(db, form)?)));
    kernels.collect()
}

/// The content of a documentation line `run: …`.
fn run_line(line: &str) -> Option<&str> {
    line.trim().strip_prefix("run:").map(str::trim)
}

/// Whether a documentation line is for tools that run the kernel.
pub(super) fn is_for_programs(line: &str) -> bool {
    let heads = DocLineKind::ALL.map(DocLineKind::head);
    heads.into_iter().chain(["run:"]).any(|head| line.trim().starts_with(head))
}

/// The lines `;;; test: …` and `;;; bench: …` of a form, in order, with their ranges in the file.
fn doc_lines(db: &dyn Db, form: Form, start: TextSize) -> Vec<DocLine> {
    let text = form.text(db);
    let read = |range: TextRange| {
        let doc = text[range].trim_start_matches([';', '⍝']).trim();
        let (kind, rest) =
            DocLineKind::ALL.into_iter().find_map(|kind| Some((kind, doc.strip_prefix(kind.head())?)))?;
        Some(DocLine { kind, text: rest.trim().to_owned(), range: range + start })
    };
    let mut lines = kernel_lines(db, form);
    let mut at = TextSize::new(0);
    for line in text.split_inclusive('\n').take_while(|line| line.starts_with(";;;")) {
        lines.push(TextRange::at(at, TextSize::of(line.trim_end())));
        at += TextSize::of(line);
    }
    lines.into_iter().filter_map(read).collect()
}

pub(super) fn kernel_name(db: &dyn Db, form: Form, symbol: Symbol) -> KernelName {
    let is_tested = doc_lines(db, form, TextSize::new(0)).iter().any(|line| line.kind == DocLineKind::Test);
    KernelName { name: symbol.name, focus: symbol.focus, is_tested }
}

fn kernel(view: &View<'_>, symbol: Symbol) -> KernelInfo {
    let scheme = signature(view.db, view.form);
    let types: Vec<String> = match &scheme {
        Some(scheme) => scheme.ty.uncurry().0.iter().map(|ty| ty.to_string()).collect(),
        None => Vec::new(),
    };
    let params = match view.body.root.map(|root| view.body.expr(root)) {
        Some(Expr::Lambda { params, .. }) => params.as_slice(),
        _ => &[],
    };
    let names = params.iter().map(|param| view.body.binder(*param).name.to_string());
    let documentation = docs(view.db, view.form);
    let documentation = documentation.as_deref().unwrap_or_default();
    let said = documentation.lines().find_map(run_line).map(str::to_owned);
    let docs: Vec<&str> = documentation.lines().filter(|line| !is_for_programs(line)).collect();
    KernelInfo {
        name: symbol.name,
        range: symbol.range,
        focus: symbol.focus,
        inputs: names.zip(types).collect(),
        sizes: view.body.size_params.iter().map(|size| view.body.binder(*size).name.to_string()).collect(),
        run_line: said,
        docs: docs.join("\n").trim().to_owned(),
        lines: doc_lines(view.db, view.form, view.start),
    }
}
