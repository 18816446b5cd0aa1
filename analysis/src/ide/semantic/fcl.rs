//! Semantic tokens of FCL programs.

use super::{SemanticToken, TokenKind, TokenModifiers};
use crate::bodies::fcl_program;
use crate::db::{Db, Form};
use crate::fcl::Translated;
use lift_syntax::TextRange;
use lift_syntax::fcl::{FclKind, FclNode, FclToken, parse};

/// The tokens of a program.
pub(super) fn tokens(db: &dyn Db, form: Form) -> Vec<SemanticToken> {
    let program = fcl_program(db, form);
    let tree = parse(form.text(db)).syntax();
    let tokens = tree.descendants_with_tokens().filter_map(|part| part.into_token());
    let kind = |token: &FclToken| {
        let (at, parent) = (token.text_range(), token.parent()?.kind());
        let plain = TokenModifiers::default();
        let builtin = TokenModifiers { builtin: true, ..plain };
        let declaration = TokenModifiers { declaration: true, ..plain };
        Some(match token.kind() {
            FclKind::Int | FclKind::Double => (TokenKind::Number, plain),
            FclKind::TypeName => (TokenKind::Type, plain),
            FclKind::Keyword if parent == FclKind::NamedType => (TokenKind::Type, builtin),
            FclKind::Keyword => (TokenKind::Keyword, plain),
            FclKind::Operator if parent == FclKind::Binary => (TokenKind::Operator, builtin),
            FclKind::Name => match parent {
                FclKind::Level | FclKind::LevelNames => (TokenKind::Size, plain),
                FclKind::NamedType | FclKind::ProgramType => (TokenKind::Type, builtin),
                FclKind::Scheme => (TokenKind::Keyword, plain),
                FclKind::NameUse => match program.uses.iter().find(|(used, _)| *used == at) {
                    Some((_, bound)) => (named(&program, &tree, *bound), plain),
                    None => (TokenKind::Primitive, builtin),
                },
                _ => (named(&program, &tree, at), declaration),
            },
            _ => return None,
        })
    };
    let token = |token: FclToken| {
        let (kind, modifiers) = kind(&token)?;
        Some(SemanticToken { range: token.text_range(), kind, modifiers })
    };
    tokens.filter_map(token).collect()
}

/// The kind of the name bound at a range.
fn named(program: &Translated, tree: &FclNode, bound: TextRange) -> TokenKind {
    let token = tree.token_at_offset(bound.start()).right_biased();
    let parent = token.as_ref().and_then(FclToken::parent).map(|node| node.kind());
    match parent {
        Some(FclKind::Function) => TokenKind::Parameter,
        Some(FclKind::Let | FclKind::Bind) => TokenKind::Variable,
        _ => match program.definitions.iter().find(|(range, ..)| *range == bound) {
            Some((_, _, ty)) if ty.contains("->") => TokenKind::Function,
            Some(_) => TokenKind::Variable,
            // A parameter of a definition.
            None if parent == Some(FclKind::Definition) => TokenKind::Parameter,
            None => TokenKind::Function,
        },
    }
}
