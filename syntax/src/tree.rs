//! Builds a green tree from the events of a parser.
//!
//! Trivia belongs to the innermost node that is open when the next token or node begins, so every node starts and ends
//! with a significant token; only the root includes trivia at its ends.

use rowan::{GreenNode, GreenNodeBuilder};

use crate::SyntaxNode;
use crate::ast::{self, AstNode};
use crate::error::SyntaxError;
use crate::kind::SyntaxKind;
use crate::lexer::Tokens;

/// A step of a parser. Tokens are consumed in order; trivia is implicit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    Start(SyntaxKind),
    /// Consumes the next significant token, with this kind.
    Token(SyntaxKind),
    Finish,
}

/// The tree of one form, and its errors. `Send`, and cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parse {
    pub green: GreenNode,
    /// In order of their ranges, which are relative to the start of the form's text.
    pub errors: Vec<SyntaxError>,
}

impl Parse {
    /// Returns the root, of kind `FORM`. Each call makes a new one, for one thread.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
    }

    /// The root as a typed node.
    pub fn form(&self) -> Option<ast::Form> {
        ast::Form::cast(self.syntax())
    }
}

/// Builds the tree. The events must form one node that contains every token of the text.
pub(crate) fn build(text: &str, tokens: &Tokens, events: &[Event]) -> GreenNode {
    let mut builder = GreenNodeBuilder::new();
    let mut next = 0;
    let mut depth = 0usize;
    let mut push = |builder: &mut GreenNodeBuilder<'_>, kind: Option<SyntaxKind>| {
        let raw = rowan::SyntaxKind(kind.unwrap_or(tokens.kind(next)) as u16);
        builder.token(raw, &text[tokens.range(next)]);
        next += 1;
        tokens.kind(next).is_trivia()
    };
    let mut trivia = tokens.kind(0).is_trivia();
    for event in events {
        let flush = match event {
            Event::Start(_) => depth > 0,
            Event::Token(_) => true,
            Event::Finish => depth == 1,
        };
        while flush && trivia {
            trivia = push(&mut builder, None);
        }
        match *event {
            Event::Start(kind) => {
                builder.start_node(rowan::SyntaxKind(kind as u16));
                depth += 1;
            }
            Event::Token(kind) => trivia = push(&mut builder, Some(kind)),
            Event::Finish => {
                builder.finish_node();
                depth -= 1;
            }
        }
    }
    builder.finish()
}
