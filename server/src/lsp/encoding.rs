//! The unit of columns in positions.

use lift_syntax::ColumnEncoding;
use tower_lsp_server::gen_lsp_types::PositionEncodingKind;

/// The unit of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    /// Every client supports it.
    #[default]
    Utf16,
}

impl Encoding {
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        match offered {
            Some(o) if o.contains(&PositionEncodingKind::UTF8) => Encoding::Utf8,
            _ => Encoding::Utf16,
        }
    }
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }
    pub fn columns(self) -> ColumnEncoding {
        match self {
            Encoding::Utf8 => ColumnEncoding::Utf8,
            Encoding::Utf16 => ColumnEncoding::Utf16,
        }
    }
}
