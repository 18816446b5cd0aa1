//! Typed views of the tree.
//!
//! A view is a checked pointer to a node. On incomplete text, getters return `None` or fewer items; nothing here fails.
//! The enums for expressions, types and sizes have a variant for `ERROR` nodes, so that the parts of a broken form keep
//! their positions.
//!
//! | module | job |
//! |---|---|
//! | `expressions` | expressions |
//! | `forms` | the root and the top-level forms |
//! | `types` | types and sizes |

mod expressions;
mod forms;
mod types;

pub use expressions::*;
pub use forms::*;
pub use types::*;

pub use rowan::ast::AstNode;

use crate::kind::{LiftLanguage, SyntaxKind};
use crate::{SyntaxNode, SyntaxToken};

/// A typed pointer to a node that does not keep the tree alive.
pub type AstPtr<N> = rowan::ast::AstPtr<N>;
/// A pointer to a node that does not keep the tree alive: its kind and range.
pub type SyntaxNodePtr = rowan::ast::SyntaxNodePtr<LiftLanguage>;

/// Defines one struct per node kind.
macro_rules! nodes {
    ($($(#[$doc:meta])* $node:ident = $kind:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub struct $node($crate::SyntaxNode);

        impl rowan::ast::AstNode for $node {
            type Language = $crate::LiftLanguage;

            fn can_cast(kind: $crate::SyntaxKind) -> bool {
                kind == $crate::SyntaxKind::$kind
            }

            fn cast(node: $crate::SyntaxNode) -> Option<Self> {
                Self::can_cast(node.kind()).then_some($node(node))
            }

            fn syntax(&self) -> &$crate::SyntaxNode {
                &self.0
            }
        }
    )*};
}

/// Defines enums over several of these structs.
macro_rules! choices {
    ($($(#[$doc:meta])* $choice:ident { $($variant:ident($node:ident)),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum $choice {
            $($variant($node),)*
        }

        impl rowan::ast::AstNode for $choice {
            type Language = $crate::LiftLanguage;

            fn can_cast(kind: $crate::SyntaxKind) -> bool {
                $($node::can_cast(kind))||*
            }

            fn cast(node: $crate::SyntaxNode) -> Option<Self> {
                $(if $node::can_cast(node.kind()) {
                    return $node::cast(node).map($choice::$variant);
                })*
                None
            }

            fn syntax(&self) -> &$crate::SyntaxNode {
                match self {
                    $($choice::$variant(node) => node.syntax(),)*
                }
            }
        }

        $(impl From<$node> for $choice {
            fn from(node: $node) -> Self {
                $choice::$variant(node)
            }
        })*
    )*};
}

pub(crate) use {choices, nodes};

nodes! {
    /// A name where it is bound.
    Name = NAME;
    /// Tokens that do not fit the grammar.
    Error = ERROR;
}

impl Name {
    /// Returns the name's token; `None` if there is something else instead.
    pub fn token(&self) -> Option<SyntaxToken> {
        token(&self.0, SyntaxKind::IDENT)
    }

    pub fn text(&self) -> Option<String> {
        self.token().map(|token| token.text().to_owned())
    }
}

fn child<N: AstNode<Language = LiftLanguage>>(parent: &SyntaxNode) -> Option<N> {
    parent.children().find_map(N::cast)
}

fn children<N: AstNode<Language = LiftLanguage>>(parent: &SyntaxNode) -> impl Iterator<Item = N> + use<N> {
    parent.children().filter_map(N::cast)
}

fn token(parent: &SyntaxNode, kind: SyntaxKind) -> Option<SyntaxToken> {
    tokens(parent).find(|token| token.kind() == kind)
}

fn tokens(parent: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    parent.children_with_tokens().filter_map(rowan::NodeOrToken::into_token)
}
