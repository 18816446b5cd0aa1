//! What a file consists of: symbols, kernels, types.

use super::locate::View;
use super::{FormType, KernelInfo, Symbol, SymbolKind};
use crate::db::{Db, SourceFile, forms};
use crate::hir::{Expr, FormKind, Node};
use crate::infer::Mode;
use crate::queries::{docs, infer_in_order};
use crate::ty::{Scheme, TyKind};
use lift_syntax::TextRange;

/// The name under which a kernel without one is known: that of its file.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit(['/', ':']).next().unwrap_or(path);
    name.strip_suffix(".lift").unwrap_or(name)
}

/// The forms of the file that have a body, all inferred.
fn views<'db>(db: &'db dyn Db, file: SourceFile) -> Vec<View<'db>> {
    infer_in_order(db, forms(db, file), Mode::Insert);
    forms(db, file).iter().map(|&form| View::of(db, form)).collect()
}

fn name_of(view: &View<'_>) -> String {
    match &view.body.name {
        Some(name) => name.to_string(),
        None => file_stem(view.file.path(view.db)).to_owned(),
    }
}

/// The form without its documentation.
fn range_of(view: &View<'_>) -> TextRange {
    let text = view.text();
    let tokens = lift_syntax::lex(text);
    let first = (0..tokens.len()).find(|&token| !tokens.kind(token).is_trivia());
    let start = first.map_or(view.start, |token| tokens.range(token).start() + view.start);
    TextRange::new(start, view.whole().end())
}

fn print(scheme: &Option<Scheme>) -> String {
    scheme.as_ref().map(Scheme::to_string).unwrap_or_default()
}

pub(super) fn symbols(db: &dyn Db, file: SourceFile) -> Vec<Symbol> {
    let symbol = |view: View<'_>| {
        let scheme = view.inference().scheme.clone();
        let (name, kind) = match &view.body.kind {
            FormKind::Import(path) => (path.to_string(), SymbolKind::Import),
            FormKind::Kernel => (name_of(&view), SymbolKind::Kernel),
            FormKind::Define | FormKind::Primitive => {
                let name = view.body.name.as_ref()?.to_string();
                let function = scheme.as_ref().is_none_or(|scheme| matches!(scheme.ty.kind(), TyKind::Fun(..)));
                (name, if function { SymbolKind::Function } else { SymbolKind::Constant })
            }
            FormKind::Unknown => return None,
        };
        Some(Symbol { name, detail: print(&scheme), kind, range: range_of(&view), focus: view.range(Node::FormName) })
    };
    views(db, file).into_iter().filter_map(symbol).collect()
}

pub(super) fn types(db: &dyn Db, file: SourceFile) -> Vec<FormType> {
    let typed = |view: View<'_>| match view.body.kind {
        FormKind::Define if view.body.name.is_none() => None,
        FormKind::Define | FormKind::Kernel => {
            let ty = print(&view.inference().scheme);
            Some(FormType { name: name_of(&view), ty, range: view.range(Node::FormName) })
        }
        _ => None,
    };
    views(db, file).into_iter().filter_map(typed).collect()
}

pub(super) fn kernels(db: &dyn Db, file: SourceFile) -> Vec<KernelInfo> {
    let kernels = views(db, file).into_iter().filter(|view| view.body.kind == FormKind::Kernel);
    kernels.map(|view| kernel(&view)).collect()
}

fn kernel(view: &View<'_>) -> KernelInfo {
    let scheme = view.inference().scheme.clone();
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
    let run_line = documentation
        .as_deref()
        .into_iter()
        .flat_map(str::lines)
        .find_map(|line| line.trim().strip_prefix("run:").map(|rest| rest.trim().to_owned()));
    KernelInfo {
        name: name_of(view),
        range: range_of(view),
        focus: view.range(Node::FormName),
        inputs: names.zip(types).collect(),
        sizes: view.body.size_params.iter().map(|size| view.body.binder(*size).name.to_string()).collect(),
        run_line,
    }
}
