//! The input of the layout: nested groups with their comments and widths.

use super::{breaks_in, trimmed};
use crate::kind::SyntaxKind::{self, *};
use crate::{NodeOrToken, SyntaxNode, TextRange, TextSize};

/// A form or a part of one.
#[derive(Debug)]
pub(super) enum Doc {
    /// One token.
    Atom { range: TextRange, width: usize },
    /// `#` and its size, without space between them.
    Tight(Parts),
    /// A bracketed group.
    Group(Group),
}

#[derive(Debug)]
pub(super) struct Group {
    /// The node's kind, which determines how the group is broken.
    pub kind: SyntaxKind,
    pub open: TextRange,
    pub parts: Parts,
    /// Comments before the closing bracket.
    pub tail: Vec<Comment>,
    pub close: TextRange,
}

/// A sequence of parts and its widths.
#[derive(Debug)]
pub(super) struct Parts {
    pub items: Vec<Item>,
    /// Width on one line, including brackets; `None` if a comment or a line break of the author prevents that.
    pub flat: Option<usize>,
    /// Approximate width if broken wherever possible; independent of the author's line breaks.
    pub narrow: usize,
}

#[derive(Debug)]
pub(super) struct Item {
    pub comments: Vec<Comment>,
    /// Line breaks in the source directly before this part, after the comments.
    pub breaks: usize,
    pub doc: Doc,
}

#[derive(Debug)]
pub(super) struct Comment {
    pub range: TextRange,
    /// Line breaks in the source before it; zero if it follows something on the same line.
    pub breaks: usize,
}

impl Doc {
    pub fn flat(&self) -> Option<usize> {
        match self {
            Doc::Atom { width, .. } => Some(*width),
            Doc::Tight(parts) => parts.flat,
            Doc::Group(group) => group.parts.flat,
        }
    }

    pub fn narrow(&self) -> usize {
        match self {
            Doc::Atom { width, .. } => *width,
            Doc::Tight(parts) => parts.narrow,
            Doc::Group(group) => group.parts.narrow,
        }
    }
}

/// Converts an error-free tree, whose text starts at `offset` in the file: documentation and form.
pub(super) fn form(text: &str, root: &SyntaxNode, offset: TextSize) -> Vec<Item> {
    let (items, _) = collect(text, root, offset);
    items
}

fn doc(text: &str, node: &SyntaxNode, offset: TextSize) -> Doc {
    let (mut items, tail) = collect(text, node, offset);
    let bracket = |item: Option<&Item>, is: fn(SyntaxKind) -> bool| match item.map(|i| &i.doc) {
        Some(&Doc::Atom { range, .. }) if is_bracket(&text[range], is) => Some(range),
        _ => None,
    };
    let open = bracket(items.first(), SyntaxKind::is_opener);
    let close = bracket(items.last(), SyntaxKind::is_closer);
    if let (Some(open), Some(close)) = (open, close) {
        let tail = items.pop().map(|closer| closer.comments).unwrap_or_default();
        items.remove(0);
        let parts = measure(items, &tail, true);
        return Doc::Group(Group { kind: node.kind(), open, parts, tail, close });
    }
    match items.len() {
        1 => items.remove(0).doc,
        _ => Doc::Tight(measure(items, &tail, false)),
    }
}

fn is_bracket(token: &str, is: fn(SyntaxKind) -> bool) -> bool {
    match token {
        "(" => is(L_PAREN),
        "[" => is(L_BRACKET),
        ")" => is(R_PAREN),
        "]" => is(R_BRACKET),
        _ => false,
    }
}

/// Returns the tokens and child nodes of a node, each with the comments before it, and the comments at the end.
fn collect(text: &str, node: &SyntaxNode, offset: TextSize) -> (Vec<Item>, Vec<Comment>) {
    let mut items = Vec::new();
    let mut comments = Vec::new();
    let mut breaks = 0;
    for part in node.children_with_tokens() {
        let doc = match part {
            NodeOrToken::Token(token) if token.kind().is_trivia() => {
                if token.kind() == COMMENT {
                    let range = trimmed(text, token.text_range() + offset);
                    comments.push(Comment { range, breaks });
                    breaks = 0;
                } else {
                    breaks += breaks_in(token.kind(), token.text());
                }
                continue;
            }
            NodeOrToken::Token(token) => {
                Doc::Atom { range: token.text_range() + offset, width: token.text().chars().count() }
            }
            // A further binding of a `let` has no brackets of its own, so its parts belong to the `let`.
            NodeOrToken::Node(node) if node.kind() == LET && !has_brackets(&node) => {
                let (mut inner, inner_tail) = collect(text, &node, offset);
                if let Some(first) = inner.first_mut() {
                    first.breaks += std::mem::take(&mut breaks);
                    first.comments.splice(0..0, std::mem::take(&mut comments));
                }
                items.extend(inner);
                comments.extend(inner_tail);
                continue;
            }
            NodeOrToken::Node(node) => doc(text, &node, offset),
        };
        let comments = std::mem::take(&mut comments);
        items.push(Item { comments, breaks: std::mem::take(&mut breaks), doc });
    }
    (items, comments)
}

fn has_brackets(node: &SyntaxNode) -> bool {
    node.first_child_or_token().is_some_and(|first| first.kind().is_opener())
}

fn measure(items: Vec<Item>, tail: &[Comment], bracketed: bool) -> Parts {
    let brackets = if bracketed { 2 } else { 0 };
    let spaces = if bracketed { items.len().saturating_sub(1) } else { 0 };
    let author_broke = items.iter().skip(1).any(|item| item.breaks > 0);
    let commented = !tail.is_empty() || items.iter().any(|item| !item.comments.is_empty());
    let widths: Option<usize> = items.iter().map(|item| item.doc.flat()).sum();
    let flat = widths.filter(|_| !author_broke && !commented).map(|width| width + spaces + brackets);
    let narrow = if bracketed {
        let head = items.first().map_or(0, |item| item.doc.narrow());
        let rest = items.iter().skip(1).map(|item| item.doc.narrow() + 1).max().unwrap_or(0);
        head.max(rest) + brackets
    } else {
        items.iter().map(|item| item.doc.narrow()).sum()
    };
    Parts { items, flat, narrow }
}
