//! Signature help: the called function, and the argument at the cursor.

use super::completion::hole_names;
use super::locate::{View, form_at};
use crate::db::{Db, SourceFile};
use crate::hir::*;
use crate::infer::Mode;
use crate::names::Resolution;
use crate::queries::{body, docs, infer, infer_in_order, signature};
use crate::ty::Ty;
use lift_syntax::{SyntaxKind, TextSize, lex};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureHelp {
    /// `filter p xs : (Float -> Bool) -> Array[Float,N] -> <∃X, Array[Float,X]>`
    pub label: String,
    /// The range of each parameter in the label, in bytes.
    pub parameters: Vec<std::ops::Range<usize>>,
    /// The index of the parameter at the cursor; the number of parameters if the cursor is after the last.
    pub active: usize,
    /// Markdown.
    pub documentation: Option<String>,
}

pub(super) fn signature_help(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<SignatureHelp> {
    // After the last token of an unclosed form, that form is still being written.
    let view = form_at(db, file, offset).or_else(|| form_before(db, file, offset))?;
    infer_in_order(db, &[view.form], Mode::Insert);
    let (head, active) = call_around(view.text(), offset - view.start)?;
    let callee = view.map.exprs.iter().position(|range| *range == head)?;
    let callee = ExprId(callee as u32);
    let inference = infer(db, view.form);
    let ty = inference.expr_types.get(callee).filter(|ty| !ty.is_error());
    let (name, names, scheme, documentation) = match view.body.expr(callee) {
        Expr::Global(name) => match view.resolve(name)? {
            Resolution::Primitive(primitive) => {
                (name.to_string(), Vec::new(), Some(primitive.scheme.ty.clone()), Some(primitive.docs.clone()))
            }
            Resolution::Form(form) => {
                let definition = body(db, form);
                let names = match definition.root.map(|root| definition.expr(root)) {
                    Some(Expr::Lambda { params, .. }) => {
                        params.iter().map(|param| definition.binder(*param).name.to_string()).collect()
                    }
                    _ => Vec::new(),
                };
                let documentation = docs(db, form).map(|docs| {
                    docs.lines().filter(|line| !super::outline::is_for_programs(line)).collect::<Vec<_>>().join("\n")
                });
                (name.to_string(), names, signature(db, form).map(|scheme| scheme.ty), documentation)
            }
        },
        Expr::Local(binder) => (view.body.binder(*binder).name.to_string(), Vec::new(), None, None),
        _ => return None,
    };
    // Prefer the types of this use, because they have its lengths.
    let own = ty.filter(|ty| !ty.contains_error()).cloned();
    let ty = own.or(scheme)?;
    Some(render(&name, &names, &ty, active, documentation))
}

fn form_before<'db>(db: &'db dyn Db, file: SourceFile, offset: TextSize) -> Option<View<'db>> {
    let forms = crate::db::forms(db, file);
    let after = forms.partition_point(|form| form.start(db) <= offset);
    forms[..after].last().map(|form| View::of(db, *form))
}

/// The first element of the innermost group around an offset, and the number of arguments before it.
fn call_around(text: &str, at: TextSize) -> Option<(lift_syntax::TextRange, usize)> {
    let tokens = lex(text);
    // For each open group: the number of its elements so far, and its first element if that is one token.
    let mut open: Vec<(usize, Option<lift_syntax::TextRange>)> = Vec::new();
    for token in 0..tokens.len() {
        let (kind, range) = (tokens.kind(token), tokens.range(token));
        if range.start() >= at {
            break;
        }
        // An element counts once the cursor is past its end; at its end the cursor is still in it.
        let inside = range.end() >= at && !kind.is_trivia() && !kind.is_opener() && !kind.is_closer();
        match kind {
            kind if kind.is_trivia() || kind == SyntaxKind::HASH => {}
            kind if kind.is_opener() => {
                if let Some((count, _)) = open.last_mut() {
                    *count += 1;
                }
                open.push((0, None));
            }
            kind if kind.is_closer() => {
                open.pop();
            }
            _ => {
                if let Some((count, head)) = open.last_mut() {
                    if *count == 0 {
                        *head = Some(range);
                    }
                    if !inside || *count == 0 {
                        *count += 1;
                    }
                }
            }
        }
    }
    let (count, head) = open.pop()?;
    // A group that is not a call, such as a parameter list, has no callee.
    Some((head?, count.saturating_sub(1)))
}

fn render(name: &str, names: &[String], ty: &Ty, active: usize, documentation: Option<String>) -> SignatureHelp {
    let (params, result) = ty.uncurry();
    let made = hole_names(params.iter().copied());
    let mut label = format!("({name}");
    let mut parameters = Vec::new();
    for (index, param) in params.iter().enumerate() {
        let shown = names.get(index).filter(|name| !name.is_empty()).unwrap_or(&made[index]);
        label.push(' ');
        let start = label.len();
        label += &match param.kind() {
            crate::ty::TyKind::Size(_) => shown.clone(),
            _ => format!("{shown} : {param}"),
        };
        parameters.push(start..label.len());
        if index + 1 < params.len() {
            label.push(',');
        }
    }
    label += &format!(") : {result}");
    SignatureHelp { label, active: active.min(parameters.len()), parameters, documentation }
}
