//! What the checker inserts and infers, shown between the characters of the program.

use super::hover::tail;
use super::locate::{View, inferred_forms_in};
use super::{FileRange, HintKind, HintPart, InlayHint, TextEdit};
use crate::db::{Db, SourceFile};
use crate::hir::*;
use crate::infer::{Inference, Opening, Site};
use lift_syntax::{TextRange, TextSize};

/// Types longer than this are cut in a hint; the tooltip has them whole.
const MOST_CHARACTERS: usize = 60;

pub(super) fn inlay_hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for view in inferred_forms_in(db, file, range) {
        let inference = view.inference();
        type_hints(&view, &inference, &mut hints);
        opening_hints(&view, &inference, &mut hints);
        packing_hints(&view, &inference, &mut hints);
        check_hints(&view, &inference, &mut hints);
        default_hints(&view, &inference, &mut hints);
        position_hints(&view, &inference, &mut hints);
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints.sort_by_key(|hint| (hint.offset, hint.kind != HintKind::Type));
    hints
}

/// `: Array[Float,N]` after a name without a type.
fn type_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for (index, binder) in view.body.binders.iter().enumerate() {
        let named = matches!(binder.role, BinderRole::Param | BinderRole::Let | BinderRole::Unpack);
        if !named || binder.ty.is_some() || binder.name.is_empty() {
            continue;
        }
        let id = BinderId(index as u32);
        let printed = match (inference.let_schemes.get(&id), inference.binder_types.get(index)) {
            (Some(general), _) if !general.scheme.ty.contains_error() => general.scheme.to_string(),
            (None, Some(ty)) if !ty.contains_error() => ty.to_string(),
            _ => continue,
        };
        let mut shown: String = printed.chars().take(MOST_CHARACTERS).collect();
        if shown.len() < printed.len() {
            shown.push('…');
        }
        hints.push(InlayHint {
            offset: view.range(Node::Binder(id)).end(),
            kind: HintKind::Type,
            parts: vec![plain(format!(": {shown}"))],
            padding_left: false,
            padding_right: false,
            tooltip: format!("The type of `{}`: {printed}", binder.name),
        });
    }
}

/// `unpack X1` where a hidden length gets its name.
fn opening_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for opening in inference.openings.iter().filter(|opening| !opening.explicit) {
        let (offset, after) = opening_place(view, opening);
        let mut parts = vec![plain("unpack".into())];
        for length in &opening.lengths {
            let origin = inference.lengths.iter().find(|origin| origin.length == *length);
            let target = origin.map(|origin| view.file_range(origin.made_by));
            parts.push(plain(" ".into()));
            parts.push(HintPart { text: length.to_string(), target });
        }
        hints.push(InlayHint {
            offset,
            kind: HintKind::PackUnpack,
            parts,
            padding_left: after,
            padding_right: !after,
            tooltip: format!(
                "The length hidden in {} is opened here: the value is used as {}",
                opening.from, opening.to
            ),
        });
    }
}

/// Before the value that is opened; after the name of a parameter, which has no value here.
fn opening_place(view: &View<'_>, opening: &Opening) -> (TextSize, bool) {
    match opening.site {
        Site::Expr(expr) => (view.range(Node::Expr(expr)).start(), false),
        Site::Binder(binder) => match value_of(&view.body, binder) {
            Some(value) => (view.range(Node::Expr(value)).start(), false),
            None => (view.range(Node::Binder(binder)).end(), true),
        },
    }
}

/// The value that a `let` or `unpack` binds to a name.
pub(super) fn value_of(body: &Body, name: BinderId) -> Option<ExprId> {
    body.exprs.iter().find_map(|expr| match expr {
        Expr::Let { binder, value, .. } | Expr::Unpack { binder, value, .. } if *binder == name => Some(*value),
        _ => None,
    })
}

/// `pack` before the value whose length is hidden again.
fn packing_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for packing in inference.packings.iter().filter(|packing| !packing.explicit) {
        let sizes: Vec<String> = packing.hidden.iter().map(|(_, size)| size.to_string()).collect();
        hints.push(InlayHint {
            offset: view.range(Node::Expr(tail(&view.body, packing.expr))).start(),
            kind: HintKind::PackUnpack,
            parts: vec![plain("pack".into())],
            padding_left: false,
            padding_right: true,
            tooltip: format!(
                "The length {} ends its scope here: the value leaves it as {}",
                sizes.join(", "),
                packing.to
            ),
        });
    }
}

/// `i =>` before the first parameter of a function whose types mention the position.
fn position_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for (function, position) in &inference.positions {
        let Expr::Lambda { params, .. } = view.body.expr(*function) else { continue };
        let Some(first) = params.first() else { continue };
        let count = match &position.count {
            Some(count) => format!(", 0 ≤ {0} < {count}", position.position),
            None => String::new(),
        };
        hints.push(InlayHint {
            offset: view.range(Node::Binder(*first)).start(),
            kind: HintKind::Position,
            parts: vec![plain(format!("{} =>", position.position))],
            padding_left: false,
            padding_right: true,
            tooltip: format!("The function is checked for every position `{}` of the array{count}", position.position),
        });
    }
}

/// `checked` after a cast that is left to the run.
fn check_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for cast in inference.casts.iter().filter(|cast| !cast.checks.is_empty()) {
        let checks: Vec<String> = cast.checks.iter().map(|(a, b)| format!("{a} = {b}")).collect();
        hints.push(InlayHint {
            offset: view.range(Node::Expr(cast.expr)).end(),
            kind: HintKind::RuntimeCheck,
            parts: vec![plain(format!("checks {}", checks.join(", ")))],
            padding_left: true,
            padding_right: false,
            tooltip: "The lengths cannot be proved equal: the run stops with an error if they are not".into(),
        });
    }
}

/// `: Int` after a literal or an operator whose type is the default.
fn default_hints(view: &View<'_>, inference: &Inference, hints: &mut Vec<InlayHint>) {
    for &expr in &inference.defaulted {
        if !matches!(view.body.expr(expr), Expr::Literal(_) | Expr::Global(_)) {
            continue;
        }
        let Some(ty) = inference.expr_types.get(expr.index()) else { continue };
        hints.push(InlayHint {
            offset: view.range(Node::Expr(expr)).end(),
            kind: HintKind::Default,
            parts: vec![plain(format!(": {ty}"))],
            padding_left: false,
            padding_right: false,
            tooltip: format!("Nothing in the program decides the type here: `{ty}` is the default"),
        });
    }
}

/// The edit that writes a hint into the program, with all that it needs: the type of a name, or the packs and unpacks of
/// the scope in which it stands. `None` where the hint is no text of the language, or the form would not check with it.
pub(super) fn hint_edits(db: &dyn Db, file: SourceFile, offset: TextSize, kind: HintKind) -> Vec<TextEdit> {
    let change = || {
        let view = super::locate::inferred_form_at(db, file, offset)?;
        match kind {
            HintKind::Type => super::actions::annotation_at(&view, offset),
            HintKind::PackUnpack => super::actions::explicit_at(&view, offset),
            HintKind::RuntimeCheck | HintKind::Default | HintKind::Position => None,
        }
    };
    let files = change().map(|change| change.files).unwrap_or_default();
    files.into_iter().flat_map(|(_, edits)| edits).collect()
}

fn plain(text: String) -> HintPart {
    HintPart { text, target: None::<FileRange> }
}
