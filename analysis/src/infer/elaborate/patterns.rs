//! Elaborated text of patterns and of further bindings of a `let`, which have no brackets of their own.

use super::super::result::Site;
use super::{Elaborate, Value, Wrap};
use crate::hir::*;

impl Elaborate<'_> {
    /// Whether the binder is a tuple that a pattern destructures.
    pub(super) fn is_pattern(&self, binder: BinderId) -> bool {
        self.slice(self.map.range(Node::Binder(binder))).starts_with(['(', '['])
    }

    /// Plans a `let` around an expression that destructures a tuple with a pattern, which names the components.
    pub(super) fn taken_apart(&mut self, tuple: BinderId, around: ExprId) {
        let pattern = self.pattern(tuple);
        let value = Value::Name(self.body.binder(tuple).name.to_string());
        self.wraps.entry(around).or_default().push(Wrap { lengths: Vec::new(), name: pattern, value });
    }

    /// The text of a pattern, with the names that its components have outside.
    pub(super) fn pattern(&mut self, tuple: BinderId) -> String {
        let body = self.body;
        let part = |e: &Expr| match e {
            Expr::Let { binder, value, .. } => match body.expr(*value) {
                Expr::Component { of, index, .. } if *of == tuple => Some((*index, *binder)),
                _ => None,
            },
            _ => None,
        };
        let mut parts: Vec<(usize, BinderId)> = body.exprs.iter().filter_map(part).collect();
        parts.sort();
        let names: Vec<String> = (parts.into_iter())
            .map(|(_, part)| if self.is_pattern(part) { self.pattern(part) } else { self.name_outside(part) })
            .collect();
        format!("(tuple {})", names.join(" "))
    }

    /// Plans the opening of a pattern component around an expression. The component already has a name.
    pub(super) fn component(&mut self, binder: BinderId, around: ExprId) {
        let Some(opening) = self.opening(Site::Binder(binder)) else { return };
        let name = self.renamed.get(&binder).cloned().unwrap_or_else(|| self.body.binder(binder).name.to_string());
        let wrap = Wrap { lengths: opening.lengths.clone(), name: name.clone(), value: Value::Name(name) };
        self.wraps.entry(around).or_default().push(wrap);
    }

    /// Whether the expression is a further binding of a `let`, which is written without brackets.
    pub(super) fn is_further_binding(&self, e: ExprId) -> bool {
        let is_let = matches!(self.body.expr(e), Expr::Let { value, .. } if !self.is_component(*value));
        is_let && !starts_with_let(self.slice(self.map.range(Node::Expr(e))))
    }

    pub(super) fn is_component(&self, e: ExprId) -> bool {
        matches!(self.body.expr(e), Expr::Component { .. })
    }

    /// The text of a `let`'s body. A further binding remains one if nothing is inserted at it.
    pub(super) fn let_body(&self, e: ExprId, inner: ExprId) -> String {
        let untouched = |e: &ExprId| {
            !(self.wraps.contains_key(e)
                || self.packs.contains_key(e)
                || self.replaced.contains_key(e)
                || self.let_unpacks.contains_key(e))
        };
        let mut at = inner;
        while let Expr::Let { value, body, .. } = self.body.expr(at)
            && self.is_component(*value)
            && untouched(&at)
        {
            at = *body;
        }
        let joins = self.is_further_binding(at) && untouched(&at) && !self.let_unpacks.contains_key(&e);
        if joins { self.bindings(at) } else { self.render(inner) }
    }
}

/// Whether the text starts with an opening bracket and the keyword `let`, possibly with comments between them.
fn starts_with_let(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix(['(', '[']) else { return false };
    loop {
        rest = rest.trim_start();
        match rest.strip_prefix(';') {
            Some(comment) => rest = comment.split_once('\n').map_or("", |(_, after)| after),
            None => break,
        }
    }
    rest.strip_prefix("let").is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '-'))
}
