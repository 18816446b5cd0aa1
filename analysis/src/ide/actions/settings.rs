//! Writes settings of a kernel into its text, as a `with` around all that it computes.

use super::super::explicit::one_file;
use super::super::layout::laid_out;
use super::super::locate::View;
use super::super::{SourceChange, TextEdit};
use super::trial::{Edits, Keeps, tried};
use crate::hir::{Node, Set, Setting};
use crate::lower::range_of;
use crate::parameters::Settings;
use lift_syntax::ast::{self, AstNode};
use lift_syntax::{SyntaxNode, TextRange, TextSize, parse_form};

/// The edit that gives a kernel these settings, replacing those in its text for the same parameters; `None` if it
/// cannot have them, or already has them.
pub(super) fn write_settings(view: &View<'_>, settings: &Settings) -> Option<SourceChange> {
    tried(view, with_settings(view, settings)?, Keeps::Type, None)
}

/// The edit that adds a copy of the kernel with these settings below it, called `name`, under the documentation `docs`;
/// `None` if the kernel cannot have them, or has them already. Without any settings it is a plain copy.
pub(super) fn copy_with_settings(view: &View<'_>, settings: &Settings, name: &str, docs: &str) -> Option<SourceChange> {
    let mut text = view.text().to_owned();
    if *settings != Settings::DEFAULT {
        text = with_settings(view, settings)?;
        tried(view, text.clone(), Keeps::Type, None)?;
    }
    let text = laid_out(view.text(), text);
    let tree = parse_form(&text).syntax();
    let kernel = tree.descendants().find_map(ast::Lift::cast)?;
    let mut tokens = kernel.syntax().descendants_with_tokens().filter_map(|part| part.into_token());
    let start = tokens.find(|token| !token.kind().is_trivia())?.text_range();
    let named = match kernel.name() {
        Some(old) => Edits::default().replace(old.token()?.text_range(), name),
        None => {
            let after = kernel.size_params()?.syntax().text_range().start();
            Edits::default().insert(after, format!("{name} "))
        }
    };
    let copied = named.replace(TextRange::up_to(start.start()), "").apply(&text);
    let end = TextSize::of(view.text().trim_end());
    let new_text = format!("\n\n{docs}{}", laid_out(&text, copied).trim());
    Some(one_file(view, TextEdit { range: TextRange::empty(view.start + end), new_text }))
}

/// The form with these settings.
fn with_settings(view: &View<'_>, settings: &Settings) -> Option<String> {
    let computed = view.body.computed()?;
    let expr = view.map.range(Node::Expr(computed));
    let all = settings.inside(&view.body.settings_of(computed).unwrap_or(Settings::DEFAULT));
    let tree = parse_form(view.text()).syntax();
    let outermost = outermost(&tree, expr);
    let mut edits = Edits::default();
    // Settings of parts of the kernel would count instead.
    let is_replaced = |range: TextRange| {
        let at = |(_, own): &(&Setting, &TextRange)| **own == range;
        let setting = view.body.settings.iter().zip(view.map.settings.iter()).find(at);
        setting.is_some_and(|(setting, _)| match setting.set {
            Some(Set::Target(_)) => settings.target.is_some(),
            Some(Set::Value(parameter, _)) => settings.get(parameter).is_some(),
            None => false,
        })
    };
    for with in tree.descendants().filter_map(ast::With::cast) {
        let whole = with.syntax().text_range();
        if outermost.contains_range(whole) && whole.contains_range(expr) && whole != expr {
            // One of those around the expression.
            continue;
        }
        let ranges: Vec<TextRange> = with.settings().map(|setting| range_of(setting.syntax())).collect();
        let replaced = ranges.iter().filter(|range| is_replaced(**range)).count();
        let inner = with.expr()?.syntax().text_range();
        if replaced == ranges.len() {
            edits = edits.replace(TextRange::new(whole.start(), inner.start()), "");
            edits = edits.replace(TextRange::new(inner.end(), whole.end()), "");
            continue;
        }
        for range in ranges.into_iter().filter(|range| is_replaced(*range)) {
            edits = edits.replace(with_space(view.text(), range), "");
        }
    }
    let open = format!("(with {} ", all.written());
    edits = edits.replace(TextRange::new(outermost.start(), expr.start()), open);
    edits = edits.replace(TextRange::new(expr.end(), outermost.end()), ")");
    Some(edits.apply(view.text()))
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
