//! Writes settings of a kernel into its text, as a `with` around all that it computes.

use super::super::SourceChange;
use super::super::locate::View;
use super::trial::{Edits, Keeps, tried};
use crate::hir::{Node, Set};
use crate::parameters::Settings;
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SyntaxNode, TextRange, parse_form};

/// The edit after which the kernel has these settings, in place of what its text sets for the same parameters; `None`
/// if it cannot have them, or has them already.
pub(super) fn write_settings(view: &View<'_>, settings: &Settings) -> Option<SourceChange> {
    let computed = view.body.computed()?;
    let expr = view.map.range(Node::Expr(computed));
    let all = settings.inside(&view.body.settings_of(computed).unwrap_or(Settings::DEFAULT));
    let tree = parse_form(view.text()).syntax();
    let outermost = outermost(&tree, expr);
    let mut edits = Edits::default();
    // Settings of parts of the kernel would count instead.
    for (setting, range) in view.body.settings.iter().zip(view.map.settings.iter()) {
        let is_new = setting.set.is_some_and(|set| match set {
            Set::Target(_) => settings.target.is_some(),
            Set::Value(parameter, _) => settings.get(parameter).is_some(),
        });
        if is_new && setting.of != computed {
            edits = edits.replace(with_space(view.text(), *range), "");
        }
    }
    let open = format!("(with {} ", all.written());
    edits = edits.replace(TextRange::new(outermost.start(), expr.start()), open);
    edits = edits.replace(TextRange::new(expr.end(), outermost.end()), ")");
    tried(view, edits.apply(view.text()), Keeps::Type, None)
}

/// The range of the outermost of the `with`s directly around an expression, or the expression's own.
fn outermost(tree: &SyntaxNode, expr: TextRange) -> TextRange {
    let inner = tree.descendants().find(|node| node.text_range() == expr && ast::Expr::can_cast(node.kind()));
    let around = inner.and_then(|inner| {
        inner
            .ancestors()
            .skip(1)
            .take_while(|node| ast::With::can_cast(node.kind()))
            .map(|node| node.text_range())
            .last()
    });
    around.unwrap_or(expr)
}

/// The range with the white space before it.
fn with_space(text: &str, range: TextRange) -> TextRange {
    let before = text[..usize::from(range.start())].trim_end();
    let start = if before.ends_with(['(', '[']) { range.start() } else { (before.len() as u32).into() };
    TextRange::new(start, range.end())
}
