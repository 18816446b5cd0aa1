//! Help with the arguments of a glyph.

use super::{about, program, translation};
use crate::db::{Db, SourceFile};
use crate::ide::signature_help::SignatureHelp;
use lift_syntax::TextSize;
use lift_syntax::apl::AplKind;
use lift_syntax::apl::glyphs::{GlyphKind, glyph_of};

/// The arguments of the function before an offset.
pub fn signature_help(db: &dyn Db, file: SourceFile, offset: TextSize) -> Option<SignatureHelp> {
    let (_, tree) = program(db, file)?;
    let mut token = tree.token_at_offset(offset.min(tree.text_range().end())).left_biased()?;
    while token.kind() == AplKind::Space {
        token = token.prev_token()?;
    }
    let glyph = Some(&token).filter(|token| token.kind() == AplKind::Glyph)?.text().chars().next()?;
    let known = glyph_of(glyph).filter(|known| known.kind == GlyphKind::Function)?;
    let program = translation(db, file)?;
    let mut before = token.prev_token();
    while let Some(space) = before.clone().filter(|token| token.kind() == AplKind::Space) {
        before = space.prev_token();
    }
    let two = before.is_some_and(|token| {
        matches!(
            token.kind(),
            AplKind::Number
                | AplKind::String
                | AplKind::Name
                | AplKind::Argument
                | AplKind::ParenClose
                | AplKind::BracketClose
        )
    });
    let label = if two { format!("⍺ {glyph} ⍵") } else { format!("{glyph} ⍵") };
    let omega = label.len() - '⍵'.len_utf8()..label.len();
    let parameters = if two { vec![0..'⍺'.len_utf8(), omega] } else { vec![omega] };
    let effect = about(&program, token.text_range(), glyph).filter(|_| !known.example.is_empty());
    let told = if two { known.two } else { known.one };
    let documentation = if told.is_empty() { effect } else { Some(format!("{told} `{}`", known.example)) };
    Some(SignatureHelp { label, active: parameters.len() - 1, parameters, documentation })
}
