//! The kinds of tokens and nodes of an APL tree.

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident),* $(,)?) => {
        /// The kind of a token or node of an APL tree.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum AplKind {
            $($(#[$doc])* $kind,)*
        }

        const ALL: &[AplKind] = &[$(AplKind::$kind),*];
    };
}

kinds! {
    /// White space within a line.
    Space,
    /// From `⍝` to the end of the line.
    Comment,
    /// A line break: ends a statement.
    Newline,
    /// `⋄`: ends a statement.
    Diamond,
    /// `12`, `¯3`, `1.5E¯3`
    Number,
    /// Starts as a number but is malformed.
    BadNumber,
    /// `'text'`; a doubled quote is a quote.
    String,
    /// A string without its closing quote on the line.
    BadString,
    Name,
    /// `⎕`, `⎕IO`
    Quad,
    /// `⍵ ⍺ ⍵⍵ ⍺⍺`
    Argument,
    /// `∇`
    SelfName,
    /// `⍬`
    Zilde,
    /// A primitive function or operator.
    Glyph,
    /// `←`
    Arrow,
    /// `:` of a guard.
    Colon,
    Semicolon,
    ParenOpen,
    ParenClose,
    BracketOpen,
    BracketClose,
    BraceOpen,
    BraceClose,
    /// A character without a meaning in APL.
    Unknown,

    /// The root: statements.
    File,
    /// The tokens and groups between two statement separators.
    Statement,
    /// `( … )`
    Paren,
    /// `[ … ; … ]`, consisting of phrases.
    Index,
    /// One part of an `Index`, possibly empty.
    Phrase,
    /// `{ … }`, consisting of statements.
    Dfn,
    /// A closing bracket without an opening one.
    Error,
}

impl AplKind {
    pub const fn is_trivia(self) -> bool {
        matches!(self, AplKind::Space | AplKind::Comment | AplKind::Newline)
    }

    pub const fn ends_statement(self) -> bool {
        matches!(self, AplKind::Newline | AplKind::Diamond)
    }
}

/// The language tag for rowan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AplLanguage {}

impl rowan::Language for AplLanguage {
    type Kind = AplKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> AplKind {
        ALL.get(usize::from(raw.0)).copied().unwrap_or(AplKind::Error)
    }

    fn kind_to_raw(kind: AplKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}
