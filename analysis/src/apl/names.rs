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

/// Whether a dfn mentions the operands `⍺⍺` and `⍵⍵`, outside inner dfns.
pub fn operands(dfn: &AplNode) -> (bool, bool) {
    let own = tokens(dfn).filter(|token| token.kind() == AplKind::Argument);
    let own = own.filter(|token| {
        let parent = token.parent_ancestors().find(|node| node.kind() == AplKind::Dfn);
        parent.as_ref() == Some(dfn)
    });
    own.fold((false, false), |(one, two), token| match token.text() {
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
