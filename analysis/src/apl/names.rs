//! Uses of names in the text of a program.

use super::value::{Frame, FunKind, Value};
use lift_syntax::apl::{AplKind, AplNode, AplToken};

/// The tokens in a node, in order.
pub fn tokens(node: &AplNode) -> impl Iterator<Item = AplToken> {
    node.descendants_with_tokens().filter_map(|part| part.into_token())
}

/// The number of tokens in a node with this text.
pub fn uses(node: &AplNode, text: &str) -> usize {
    tokens(node).filter(|token| token.text() == text).count()
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
