//! Local names in scope.

use crate::hir::*;
use lift_syntax::{TextRange, TextSize};
use rustc_hash::FxHashSet;

/// The binders in scope at an offset of the form, innermost first, without shadowed ones.
pub(super) fn in_scope(body: &Body, map: &SourceMap, at: TextSize) -> Vec<BinderId> {
    // Tuples destructured by patterns have no names.
    let unnamed: FxHashSet<BinderId> = (body.exprs.iter())
        .filter_map(|expr| match expr {
            Expr::Component { of, .. } => Some(*of),
            _ => None,
        })
        .collect();
    let holds = |expr: ExprId| map.range(Node::Expr(expr)).contains_inclusive(at);
    // Groups of binders, each with the size of its scope.
    let mut found: Vec<(TextSize, Vec<BinderId>)> = Vec::new();
    for expr in &body.exprs {
        let (scope, binders) = match expr {
            Expr::Lambda { params, body } => (*body, params.clone()),
            Expr::Let { binder, body, .. } => (*body, vec![*binder]),
            Expr::Unpack { sizes, binder, body, .. } => (*body, sizes.iter().chain([binder]).copied().collect()),
            _ => continue,
        };
        if holds(scope) {
            found.push((map.range(Node::Expr(scope)).len(), binders));
        } else if let Expr::Lambda { params, .. } = expr {
            // The types of later parameters may mention earlier ones.
            let before: Vec<BinderId> =
                params.iter().copied().filter(|p| map.range(Node::Binder(*p)).end() < at).collect();
            if let (Some(first), Some(last)) = (params.first(), params.last()) {
                let list = map.range(Node::Binder(*first)).cover(map.range(Node::Binder(*last)));
                if list.contains_inclusive(at) {
                    found.push((list.len(), before));
                }
            }
        }
    }
    for ty in &body.types {
        if let TypeRef::Exists { sizes, body: inner } = ty
            && map.range(Node::Type(*inner)).contains_inclusive(at)
        {
            found.push((map.range(Node::Type(*inner)).len(), sizes.clone()));
        }
        if let TypeRef::Array { position: Some(position), element, .. } = ty
            && map.range(Node::Type(*element)).contains_inclusive(at)
        {
            found.push((map.range(Node::Type(*element)).len(), vec![*position]));
        }
    }
    for size in &body.sizes {
        if let SizeRef::Sum { index, body: inner, .. } = size
            && map.range(Node::Size(*inner)).contains_inclusive(at)
        {
            found.push((map.range(Node::Size(*inner)).len(), vec![*index]));
        }
    }
    found.sort_by_key(|(len, _)| *len);
    let mut seen = FxHashSet::default();
    let inner = found.into_iter().flat_map(|(_, binders)| binders);
    let all = inner.chain(body.size_params.iter().copied());
    all.filter(|binder| {
        let name = &body.binder(*binder).name;
        !name.is_empty() && &**name != "_" && !unnamed.contains(binder) && seen.insert(name.clone())
    })
    .collect()
}

/// Whether a name is bound in the body, or used as a global name.
pub(super) fn mentions_name(body: &Body, name: &str) -> bool {
    body.binders.iter().any(|binder| *binder.name == *name)
        || body.exprs.iter().any(|expr| matches!(expr, Expr::Global(global) if **global == *name))
}

/// Every name that is bound anywhere in the body, or mentioned as a name from outside.
pub(super) fn names_in(body: &Body) -> FxHashSet<Name> {
    let globals = body.exprs.iter().filter_map(|expr| match expr {
        Expr::Global(name) => Some(name.clone()),
        _ => None,
    });
    body.binders.iter().map(|binder| binder.name.clone()).chain(globals).collect()
}

/// A name that is not taken: `stem`, `stem1`, `stem2`, ….
pub(super) fn fresh_name(stem: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(stem) {
        return stem.to_owned();
    }
    let mut count = 1u32;
    loop {
        let name = format!("{stem}{count}");
        if !taken(&name) {
            return name;
        }
        count += 1;
    }
}

/// The text of a range in the form.
pub(super) fn text_of(text: &str, range: TextRange) -> &str {
    text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default()
}

/// Whether `typed` is a subsequence of `label`, ignoring case.
pub(super) fn is_subsequence(typed: &str, label: &str) -> bool {
    let mut label = label.chars().flat_map(char::to_lowercase);
    typed.chars().flat_map(char::to_lowercase).all(|wanted| label.any(|c| c == wanted))
}
