//! Uses of names in the text of a program.

use super::value::{Ev, Failure, Frame, FunKind, Uses, UsesByName, Value};
use lift_syntax::SyntaxErrorCode::AplName;
use lift_syntax::apl::{AplElement, AplKind, AplNode, AplToken};
use std::rc::Rc;

/// The children of a node without white space.
pub fn parts(node: &AplNode) -> Vec<AplElement> {
    node.children_with_tokens().filter(|part| !part.kind().is_trivia()).collect()
}

/// The tokens in a node, in order.
pub fn tokens(node: &AplNode) -> impl Iterator<Item = AplToken> {
    node.descendants_with_tokens().filter_map(|part| part.into_token())
}

/// Whether a node has a token with this text.
pub fn mentions(node: &AplNode, text: &str) -> bool {
    tokens(node).any(|token| token.text() == text)
}

/// The uses of the names in a dfn or in the file, found once.
pub fn uses_in(ev: &mut Ev, around: &AplNode) -> Rc<UsesByName> {
    let uses = ev.uses.entry(around.text_range()).or_insert_with(|| Rc::new(all_uses(around)));
    uses.clone()
}

fn all_uses(around: &AplNode) -> UsesByName {
    let mut found = UsesByName::default();
    for statement in around.children().filter(|node| node.kind() == AplKind::Statement) {
        for token in tokens(&statement).filter(|token| matches!(token.kind(), AplKind::Name | AplKind::Argument)) {
            if !found.contains_key(token.text()) {
                found.insert(token.text().to_owned(), Uses::default());
            }
            let Some(uses) = found.get_mut(token.text()) else { continue };
            let mut within = token.parent_ancestors().take_while(|node| *node != statement);
            uses.count += 1;
            uses.inside |= within.any(|node| node.kind() == AplKind::Dfn);
            if uses.statements.last() != Some(&statement) {
                uses.statements.push(statement.clone());
            }
        }
    }
    found
}

/// The dfn around a node, or the file.
pub fn surrounding(node: &AplNode) -> AplNode {
    let around = node.ancestors().find(|node| matches!(node.kind(), AplKind::Dfn | AplKind::File));
    around.unwrap_or_else(|| node.clone())
}

/// The tokens of a kind in a dfn, outside inner dfns.
fn own(dfn: &AplNode, kind: AplKind) -> impl Iterator<Item = AplToken> {
    tokens(dfn).filter(move |token| token.kind() == kind).filter(|token| {
        let parent = token.parent_ancestors().find(|node| node.kind() == AplKind::Dfn);
        parent.as_ref() == Some(dfn)
    })
}

/// Whether a dfn calls itself by `∇`.
pub fn recurs(dfn: &AplNode) -> bool {
    own(dfn, AplKind::SelfName).next().is_some()
}

/// Whether a dfn mentions the operands `⍺⍺` and `⍵⍵`, outside inner dfns.
pub fn operands(dfn: &AplNode) -> (bool, bool) {
    own(dfn, AplKind::Argument).fold((false, false), |(one, two), token| match token.text() {
        "⍺⍺" => (true, two),
        "⍵⍵" => (one, true),
        _ => (one, two),
    })
}

/// Whether a function, or one that it names, prints. Follows names up to `depth`.
pub fn mentions_quad(tree: &AplNode, env: &Frame, depth: usize) -> bool {
    tokens(tree).any(|token| match token.kind() {
        AplKind::Quad => token.text() == "⎕",
        AplKind::Name if depth > 0 => match env.lookup(token.text()) {
            Some(Value::Fun(f)) => match &*f.kind {
                FunKind::Dfn(dfn) => mentions_quad(&dfn.tree, &dfn.env, depth - 1),
                _ => false,
            },
            _ => false,
        },
        _ => false,
    })
}

/// Marks the names that a statement with an error assigns: their uses report no second error.
pub fn broken(parts: &[AplElement], frame: &Frame) {
    for pair in parts.windows(2) {
        if let [AplElement::Token(name), AplElement::Token(arrow)] = pair
            && name.kind() == AplKind::Name
            && arrow.kind() == AplKind::Arrow
        {
            frame.set(name.text(), Value::Broken);
        }
    }
}

/// Marks a name without a value, so that its other uses are not reported again.
pub fn missing_name(failure: &Failure, file: &AplNode, frame: &Frame) {
    let Failure::Error(error) = failure else { return };
    let token = file.token_at_offset(error.range.start()).right_biased();
    if let Some(token) = token.filter(|token| token.kind() == AplKind::Name && token.text_range() == error.range)
        && error.code == AplName
        && frame.lookup(token.text()).is_none()
    {
        frame.set(token.text(), Value::Broken);
    }
}
