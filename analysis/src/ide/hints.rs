//! Inlay hints: the checker's insertions and inferred types, shown within the program.
//!
//! Each length named in a hint links to the origin of that length.

use super::diagnostics::obligation_label;
use super::hover::tail;
use super::locate::{View, inferred_forms_in};
use super::{FileRange, HintKind, HintPart, InlayHint, TextEdit};
use crate::db::{Db, SourceFile};
use crate::hir::*;
use crate::infer::{Inference, Opening, Site};
use lift_syntax::{TextRange, TextSize};
use rustc_hash::FxHashMap;

/// Longest type shown in a hint, in characters; the tooltip shows the whole type.
const MOST_CHARACTERS: usize = 60;
/// Limit on the assumed conditions considered for one use.
const MOST_CHECKS: usize = 16;

pub(super) fn inlay_hints(db: &dyn Db, file: SourceFile, range: TextRange) -> Vec<InlayHint> {
    let mut hints = Vec::new();
    for view in inferred_forms_in(db, file, range) {
        let inference = view.inference();
        let mut maker = Maker { lengths: lengths(&view, &inference), view: &view, inference: &inference, hints };
        maker.types();
        maker.openings();
        maker.packings();
        maker.checks();
        maker.obligations();
        maker.defaults();
        maker.positions();
        hints = maker.hints;
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints.sort_by_key(|hint| (hint.offset, hint.kind != HintKind::Type));
    hints
}

/// The origin of each length that the types of a form may name.
fn lengths(view: &View<'_>, inference: &Inference) -> FxHashMap<String, FileRange> {
    let binders = view.body.binders.iter().zip(0..).filter(|(binder, _)| binder.role.is_size());
    let written = binders.map(|(binder, id)| (binder.name.to_string(), view.file_range(Node::Binder(BinderId(id)))));
    let opened = inference.lengths.iter().map(|origin| (origin.length.to_string(), view.file_range(origin.made_by)));
    written.chain(opened).collect()
}

/// The hints of one form.
struct Maker<'a, 'db> {
    view: &'a View<'db>,
    inference: &'a Inference,
    lengths: FxHashMap<String, FileRange>,
    hints: Vec<InlayHint>,
}

/// The side on which a hint is padded.
#[derive(Clone, Copy)]
enum Room {
    None,
    Left,
    Right,
}

impl Maker<'_, '_> {
    fn range(&self, expr: ExprId) -> TextRange {
        self.view.range(Node::Expr(expr))
    }

    fn push(&mut self, offset: TextSize, kind: HintKind, parts: Vec<HintPart>, room: Room, tooltip: String) {
        let (padding_left, padding_right) = (matches!(room, Room::Left), matches!(room, Room::Right));
        self.hints.push(InlayHint { offset, kind, parts, padding_left, padding_right, tooltip });
    }

    /// Hint text in which each name of a length links to its origin. Lengths bound in the text itself have no link.
    fn linked(&self, text: &str) -> Vec<HintPart> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut bound: Vec<&str> = Vec::new();
        for (at, _) in text.match_indices('∃') {
            let names = text[at + '∃'.len_utf8()..].split(',').next().unwrap_or_default();
            bound.extend(names.split_whitespace());
        }
        let positions = text.match_indices(" =>").filter_map(|(at, _)| text[..at].rsplit(|c| !is_word(c)).next());
        bound.extend(positions);
        let mut parts: Vec<HintPart> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let word = rest.starts_with(is_word);
            let end = rest.find(|c| is_word(c) != word).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            let target = self.lengths.get(piece).filter(|_| !bound.contains(&piece)).cloned();
            match parts.last_mut() {
                Some(last) if last.target.is_none() && target.is_none() => last.text += piece,
                _ => parts.push(HintPart { text: piece.to_owned(), target }),
            }
            rest = after;
        }
        parts
    }

    /// Adds `: Array[Float,N]` after a name without annotation.
    fn types(&mut self) {
        for (id, binder) in self.view.body.binders.entries() {
            let named = matches!(binder.role, BinderRole::Param | BinderRole::Let | BinderRole::Unpack);
            if !named || binder.ty.is_some() || binder.name.is_empty() {
                continue;
            }
            let printed = match (self.inference.let_schemes.get(&id), self.inference.binder_types.get(id)) {
                (Some(general), _) if !general.scheme.ty.has_gaps() => general.scheme.to_string(),
                (None, Some(ty)) if !ty.has_gaps() => ty.to_string(),
                _ => continue,
            };
            let mut shown: String = printed.chars().take(MOST_CHARACTERS).collect();
            if shown.len() < printed.len() {
                shown.push('…');
            }
            let parts = self.linked(&format!(": {shown}"));
            let tooltip = format!("The type of `{}`: {printed}", binder.name);
            self.push(self.view.range(Node::Binder(id)).end(), HintKind::Type, parts, Room::None, tooltip);
        }
    }

    /// Adds `unpack X1` where a hidden length gets its name.
    fn openings(&mut self) {
        for opening in self.inference.openings.iter().filter(|opening| !opening.explicit) {
            let (offset, room) = opening_place(self.view, opening);
            let names: Vec<String> = opening.lengths.iter().map(ToString::to_string).collect();
            let mut parts = self.linked(&format!(" {}", names.join(" ")));
            // The keyword links to the opened expression.
            let target = parts.iter().find_map(|part| part.target.clone());
            parts.insert(0, HintPart { text: "unpack".into(), target });
            let tooltip =
                format!("The length hidden in {} is opened here: the value is used as {}", opening.from, opening.to);
            self.push(offset, HintKind::PackUnpack, parts, room, tooltip);
        }
    }

    /// Adds `pack` before a value whose length is hidden again, linked to the origin of that length.
    fn packings(&mut self) {
        for packing in self.inference.packings.iter().filter(|packing| !packing.explicit) {
            let sizes: Vec<String> = packing.hidden.iter().map(|(_, size)| size.to_string()).collect();
            let origin = |size: &String| self.linked(size).into_iter().find_map(|part| part.target);
            let target = sizes.iter().find_map(origin);
            let tooltip =
                format!("The length {} ends its scope here: the value leaves it as {}", sizes.join(", "), packing.to);
            let offset = self.range(tail(&self.view.body, packing.expr)).start();
            let parts = vec![HintPart { text: "pack".into(), target }];
            self.push(offset, HintKind::PackUnpack, parts, Room::Right, tooltip);
        }
    }

    /// Adds `i =>` before the first parameter of a function whose types mention the index variable, linked to the
    /// array.
    fn positions(&mut self) {
        let mut functions: Vec<_> = self.inference.positions.iter().collect();
        functions.sort_by_key(|(function, _)| **function);
        for (function, position) in functions {
            let Expr::Lambda { params, .. } = self.view.body.expr(*function) else { continue };
            let Some(first) = params.first() else { continue };
            let count = match &position.count {
                Some(count) => format!(", 0 ≤ {0} < {count}", position.position),
                None => String::new(),
            };
            let array = self.view.body.exprs.iter().find_map(|expr| match expr {
                Expr::Apply { args, .. } if args.contains(function) => args.last().filter(|last| *last != function),
                _ => None,
            });
            let target = array.map(|array| self.view.file_range(Node::Expr(*array)));
            let parts = vec![HintPart { text: format!("{} =>", position.position), target }];
            let tooltip =
                format!("The function is checked for every position `{}` of the array{count}", position.position);
            let offset = self.view.range(Node::Binder(*first)).start();
            self.push(offset, HintKind::Position, parts, Room::Right, tooltip);
        }
    }

    /// Adds `checks M = N` after a cast, and after a use that assumes a condition on lengths.
    fn checks(&mut self) {
        for cast in self.inference.casts.iter().filter(|cast| !cast.checks.is_empty() && cast.since.is_empty()) {
            let checks: Vec<String> = cast.checks.iter().map(ToString::to_string).collect();
            let parts = self.linked(&format!("checks {}", checks.join(", ")));
            let tooltip = "The lengths cannot be proved equal: the run stops with an error if they are not";
            self.push(self.range(cast.expr).end(), HintKind::RuntimeCheck, parts, Room::Left, tooltip.into());
        }
        let mut seen: Vec<(ExprId, String)> = Vec::new();
        let mut told: FxHashMap<ExprId, usize> = FxHashMap::default();
        for assumed in &self.inference.assumed {
            // Too many hints after one call are unreadable; the hover of the form shows all conditions.
            let here = told.entry(assumed.at).or_default();
            *here += 1;
            if *here > MOST_CHECKS {
                continue;
            }
            let check = (assumed.at, assumed.assumption.to_string());
            // The conditions of a cast are shown at the cast.
            if matches!(self.view.body.expr(assumed.at), Expr::Ascribe { .. }) || seen.contains(&check) {
                continue;
            }
            let parts = self.linked(&format!("checks {}", check.1));
            let checked = if assumed.branch.is_some() { "only where this branch is taken" } else { "before a run" };
            let tooltip = format!("Nothing here proves that {}: it is checked {checked}", check.1);
            let call = self.view.body.exprs.iter().zip(0..).find_map(|(expr, id)| match expr {
                Expr::Apply { callee, .. } if *callee == assumed.at => Some(ExprId(id)),
                _ => None,
            });
            let offset = self.range(call.unwrap_or(assumed.at)).end();
            self.push(offset, HintKind::RuntimeCheck, parts, Room::Left, tooltip);
            seen.push(check);
        }
    }

    /// Adds `✗ X1 = X2` after an expression that needs another length.
    fn obligations(&mut self) {
        for diagnostic in &self.inference.diagnostics {
            let Some(obligation) = &diagnostic.obligation else { continue };
            let from = |at: &Option<Node>| at.map(|node| self.view.file_range(node));
            let part = |(size, at): &(crate::size::Size, Option<Node>)| {
                let mut parts = self.linked(&size.to_string());
                for part in parts.iter_mut().filter(|part| part.target.is_none()) {
                    part.target = from(at);
                }
                parts
            };
            let mut parts = vec![plain("✗ ".into())];
            parts.extend(part(&obligation.left));
            parts.push(plain(" = ".into()));
            parts.extend(part(&obligation.right));
            debug_assert_eq!(parts.iter().map(|part| &*part.text).collect::<String>(), obligation_label(obligation));
            let tooltip = format!(
                "The lengths {} and {} would have to be equal here, but nothing shows that they are",
                obligation.left.0, obligation.right.0
            );
            let offset = self.view.range(diagnostic.at).end();
            self.push(offset, HintKind::Obligation, parts, Room::Left, tooltip);
        }
    }

    /// Adds `: Int` after a literal or an operator with a default type.
    fn defaults(&mut self) {
        for &expr in &self.inference.defaulted {
            if !matches!(self.view.body.expr(expr), Expr::Literal(_) | Expr::Global(_)) {
                continue;
            }
            let Some(ty) = self.inference.expr_types.get(expr) else { continue };
            let parts = self.linked(&format!(": {ty}"));
            let tooltip = format!("Nothing in the program decides the type here: `{ty}` is the default");
            self.push(self.range(expr).end(), HintKind::Default, parts, Room::None, tooltip);
        }
    }
}

/// Where an opening is shown: before the opened value, or after the name of a parameter.
fn opening_place(view: &View<'_>, opening: &Opening) -> (TextSize, Room) {
    match opening.site {
        Site::Expr(expr) | Site::Argument(expr, _) => (view.range(Node::Expr(expr)).start(), Room::Right),
        Site::Binder(binder) => match value_of(&view.body, binder) {
            Some(value) => (view.range(Node::Expr(value)).start(), Room::Right),
            None => (view.range(Node::Binder(binder)).end(), Room::Left),
        },
    }
}

/// The value bound to a name by a `let` or `unpack`.
pub(super) fn value_of(body: &Body, name: BinderId) -> Option<ExprId> {
    body.exprs.iter().find_map(|expr| match expr {
        Expr::Let { binder, value, .. } | Expr::Unpack { binder, value, .. } if *binder == name => Some(*value),
        _ => None,
    })
}

/// Hint text about the form at an offset, in which names of lengths link to their origins.
pub(super) fn linked(db: &dyn Db, file: SourceFile, offset: TextSize, text: &str) -> Vec<HintPart> {
    let Some(view) = super::locate::inferred_form_at(db, file, offset) else { return vec![plain(text.to_owned())] };
    let inference = view.inference();
    let lengths = lengths(&view, &inference);
    Maker { lengths, view: &view, inference: &inference, hints: Vec::new() }.linked(text)
}

/// The edits that write a hint into the program, with everything that it needs: the type of a name, the packs and
/// unpacks of its scope, the type of an operator, the name of a placed primitive (given by `label`). `None` if the hint
/// is not program text, or the form would not check with it.
pub(super) fn hint_edits(
    db: &dyn Db,
    file: SourceFile,
    offset: TextSize,
    kind: HintKind,
    label: &str,
) -> Vec<TextEdit> {
    let change = || {
        let view = super::locate::inferred_form_at(db, file, offset)?;
        match kind {
            HintKind::Type => super::actions::annotation_at(&view, offset),
            HintKind::PackUnpack => super::actions::explicit_at(&view, offset),
            HintKind::Default => super::actions::default_at(&view, offset),
            HintKind::Placement => super::actions::placed_at(&view, offset, label),
            HintKind::RuntimeCheck | HintKind::Obligation | HintKind::Position | HintKind::Memory | HintKind::Slow => {
                None
            }
        }
    };
    let files = change().map(|change| change.files).unwrap_or_default();
    files.into_iter().flat_map(|(_, edits)| edits).collect()
}

fn plain(text: String) -> HintPart {
    HintPart { text, target: None::<FileRange> }
}
