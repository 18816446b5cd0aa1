//! Converts semantic tokens to five numbers each, relative to the previous token.

use super::Lines;
use lift_analysis::ide::semantic::{SemanticToken as Token, TokenKind};
use tower_lsp_server::gen_lsp_types::*;

/// The token types of the legend, by index. All are standard, so that every theme has a colour.
const KINDS: [(&str, TokenKind); 10] = [
    ("keyword", TokenKind::Keyword),
    ("type", TokenKind::Type),
    ("function", TokenKind::Function),
    ("method", TokenKind::Kernel),
    ("macro", TokenKind::Primitive),
    ("operator", TokenKind::Operator),
    ("parameter", TokenKind::Parameter),
    ("variable", TokenKind::Variable),
    ("typeParameter", TokenKind::Size),
    ("number", TokenKind::Number),
];

/// The token modifiers. `dynamic` is our own: the value has a length known only at run time.
const MODIFIERS: [&str; 3] = ["declaration", "defaultLibrary", "dynamic"];

pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: KINDS.iter().map(|(word, _)| (*word).to_owned()).collect(),
        token_modifiers: MODIFIERS.iter().map(|word| (*word).to_owned()).collect(),
    }
}

pub fn semantic_tokens(lines: &Lines, tokens: &[Token]) -> Vec<SemanticToken> {
    let mut before = Position::new(0, 0);
    let encode = |token: &Token| {
        let range = lines.range(token.range);
        let delta_line = range.start.line - before.line;
        let delta_start =
            if delta_line == 0 { range.start.character - before.character } else { range.start.character };
        before = range.start;
        let modifiers = token.modifiers;
        let bits = [modifiers.declaration, modifiers.builtin, modifiers.dynamic];
        SemanticToken {
            delta_line,
            delta_start,
            // Each of our tokens is on one line.
            length: range.end.character.saturating_sub(range.start.character),
            token_type: KINDS.iter().position(|(_, kind)| *kind == token.kind).unwrap_or_default() as u32,
            token_modifiers_bitset: bits.iter().zip(0..).map(|(on, bit)| u32::from(*on) << bit).sum(),
        }
    };
    tokens.iter().map(encode).collect()
}

/// Returns the difference of two answers as at most one edit.
pub fn token_edits(before: &[SemanticToken], after: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    if before == after {
        return Vec::new();
    }
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let most = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let data = after[start..after.len() - end].iter().flat_map(|token| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    });
    vec![SemanticTokensEdit {
        start: 5 * start as u32,
        delete_count: 5 * (before.len() - end - start) as u32,
        data: Some(data.collect()),
    }]
}
